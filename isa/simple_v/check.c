/* The rules of rules.inc, instruction by instruction. */
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"
#include "isa/simple_v/context.h"
#include "isa/simple_v/lint.h"
#include "isa/simple_v/table.h"
#include "util/bits.h"

enum { STARTS = 1 };

struct check {
    struct isa_check frame;
    const uint16_t *code;
    uint32_t count;
    uint8_t *marks; /* where an instruction begins; NULL: not known */
};

/* ---- one instruction in its context ---- */

/* Operands as the interpreter resolves them: what of them cannot be executed. */
static void check_operands(struct check *c, const struct simple_v_insn *i, const struct simple_v_block *b)
{
    struct simple_v_context x;
    simple_v_resolve(i, b, &x);
    const struct simple_v_row *row = x.row;
    bool narrow = false;
    for (unsigned n = 0; n < SIMPLE_V_PLACES; n++)
        narrow |= x.operand[n].there && !x.operand[n].integer && x.operand[n].width == 8 &&
                  row->class != SIMPLE_V_SWIZZLE && row->class != SIMPLE_V_MVX;
    isa_breach_if(&c->frame, narrow, SIMPLE_V_RULE_FLOAT_8);
    const struct simple_v_operand_context *rd = &x.operand[SIMPLE_V_RD];
    const bool writes = rd->there && rd->integer && (rd->vector || rd->tagged);
    const bool one = x.mask[0].there && x.mask[0].reg && writes && x.mask[0].reg == rd->reg;
    const bool other = x.mask[1].there && x.mask[1].reg && writes && x.mask[1].reg == rd->reg;
    isa_breach_if(&c->frame, (one || other) && row->class != SIMPLE_V_BRANCH, SIMPLE_V_RULE_MASK_WRITTEN);
}

static bool begins(const struct check *c, int64_t at)
{
    return at >= 0 && at < (int64_t)c->count && (!c->marks || c->marks[at] & STARTS);
}

static void check_branch(struct check *c, const struct simple_v_insn *i)
{
    const uint16_t as = simple_v_rows[i->op].as;
    if (as == SIMPLE_V_JAL || simple_v_rows[i->op].class == SIMPLE_V_BRANCH)
        isa_breach_if(&c->frame, !begins(c, (int64_t)c->frame.at + i->imm / 2), SIMPLE_V_RULE_TARGET);
}

static bool calls(const struct simple_v_insn *i)
{
    const uint16_t as = simple_v_rows[i->op].as;
    return (as == SIMPLE_V_JAL || as == SIMPLE_V_JALR) && i->rd;
}

/* ---- tables ---- */

static bool has_register(const struct simple_v_block *b, const struct simple_v_pred_entry *p)
{
    for (unsigned n = 0; n < b->regs; n++)
        if (b->reg[n].used && b->reg[n].integer == p->integer && b->reg[n].key == p->key)
            return true;
    return false;
}

/* Whether some branch has the key as its second register, where it needs no other entry. */
static bool is_second_of_branch(const struct check *c, const struct simple_v_block *b,
                                const struct simple_v_pred_entry *p)
{
    const uint16_t *code = c->code + c->frame.at;
    for (unsigned at = b->head; at < b->length;) {
        struct simple_v_insn i;
        bool known = !simple_v_decode(code + at, b->length - at, &i, NULL);
        if (known && simple_v_rows[i.op].class == SIMPLE_V_BRANCH && p->integer && i.rs2 == p->key)
            return true;
        at += known ? i.length : 1u;
    }
    return false;
}

static void check_tables(struct check *c, const struct simple_v_block *b)
{
    for (unsigned n = 0; n < b->regs; n++)
        for (unsigned k = 0; k < n && b->reg[n].used; k++)
            isa_breach_if(&c->frame,
                          b->reg[k].used && b->reg[k].integer == b->reg[n].integer &&
                              b->reg[k].key == b->reg[n].key,
                          SIMPLE_V_RULE_KEY_TWICE);
    for (unsigned n = 0; n < b->preds; n++) {
        const struct simple_v_pred_entry *p = &b->pred[n];
        for (unsigned k = 0; k < n && p->used; k++)
            isa_breach_if(&c->frame,
                          b->pred[k].used && b->pred[k].integer == p->integer && b->pred[k].key == p->key,
                          SIMPLE_V_RULE_KEY_TWICE);
        isa_breach_if(&c->frame, p->used && !has_register(b, p) && !is_second_of_branch(c, b, p),
                      SIMPLE_V_RULE_KEY_ALONE);
    }
}

static void check_block(struct check *c, const struct simple_v_block *b)
{
    const uint16_t *code = c->code + c->frame.at;
    check_tables(c, b);
    for (unsigned at = b->head; at < b->length;) {
        struct simple_v_insn i;
        if (simple_v_is_block(code[at]) || simple_v_decode(code + at, b->length - at, &i, NULL)) {
            isa_breach(&c->frame,
                       simple_v_is_block(code[at]) ? SIMPLE_V_RULE_NESTED : SIMPLE_V_RULE_RESERVED);
            at++;
            continue;
        }
        check_operands(c, &i, b);
        check_branch(c, &i);
        isa_breach_if(&c->frame, calls(&i), SIMPLE_V_RULE_CALL);
        at += i.length;
    }
}

/* ---- programs ---- */

/* The instruction at the place at hand; its halfwords. With `marking` only that. */
static unsigned one(struct check *c, bool marking)
{
    const uint16_t *code = c->code + c->frame.at;
    const uint32_t left = c->count - c->frame.at;
    struct simple_v_block b;
    struct simple_v_insn i;
    if (simple_v_is_block(*code) && !simple_v_block_decode(code, left, &b, NULL)) {
        if (!marking)
            check_block(c, &b);
        return b.length;
    }
    if (!simple_v_is_block(*code) && !simple_v_decode(code, left, &i, NULL)) {
        if (!marking) {
            check_operands(c, &i, NULL);
            check_branch(c, &i);
        }
        return i.length;
    }
    if (!marking)
        isa_breach(&c->frame, SIMPLE_V_RULE_RESERVED);
    return 1;
}

unsigned simple_v_check(const void *words, uint32_t count, isa_breach_fn found, void *data)
{
    uint32_t rules;
    struct check c = {.frame = {.rules = simple_v_rules(&rules), .found = found, .data = data},
                      .code = words};
    /* Zeros may still be the end of the last instruction. */
    c.count = count;
    while (count && !c.code[count - 1])
        count--;
    /* Without memory for the marks, branches are looked at less. */
    c.marks = calloc(c.count ? c.count : 1, 1);
    for (uint32_t at = 0; c.marks && at < count;) {
        isa_check_at(&c.frame, at);
        c.marks[at] = STARTS;
        at += one(&c, true);
    }
    for (uint32_t at = 0; at < count;) {
        isa_check_at(&c.frame, at);
        at += one(&c, false);
    }
    free(c.marks);
    return c.frame.count;
}
