#include <inttypes.h>
#include <string.h>

#include "isa/disasm.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/table.h"
#include "isa/text.h"
#include "util/bits.h"

/* ---- operands ---- */

static void next(struct isa_text *t)
{
    isa_put(t, "%s", t->begun ? ", " : " ");
    t->begun = true;
}

/* Whether the operand, which is a register, is a vector of a prefix. */
static bool steps(const struct simple_v_operand *o, const struct simple_v_insn *i)
{
    switch (o->member) {
    case offsetof(struct simple_v_insn, rd): return i->vd;
    case offsetof(struct simple_v_insn, rs1): return i->vs1;
    case offsetof(struct simple_v_insn, rs2): return i->vs2;
    default: return i->vs3;
    }
}

static void named(struct isa_text *t, const struct isa_names *names, uint32_t value)
{
    const char *text = isa_name_text(names, value);
    if (text)
        isa_put(t, "%s", text);
    else
        isa_put(t, "%" PRIu32, value);
}

static void fence(struct isa_text *t, unsigned sets)
{
    static const char letters[] = "iorw";
    for (unsigned half = 0; half < 2; half++) {
        unsigned set = half ? sets & 15 : sets >> 4;
        isa_put(t, "%s%s", half ? ", " : "", set ? "" : "0");
        for (unsigned n = 0; n < 4; n++)
            if (set >> (3 - n) & 1)
                isa_put(t, "%c", letters[n]);
    }
}

static void swizzle(struct isa_text *t, unsigned selectors)
{
    for (unsigned n = 0; n < 4; n++)
        isa_put(t, "%c", "xyzw"[selectors >> 2 * n & 3]);
}

/* `glued`: an offset stands before, and the base in its parentheses follows. */
static void operand(struct isa_text *t, const struct simple_v_operand *o, const struct simple_v_insn *i,
                    bool glued, const char *label)
{
    const int32_t value = simple_v_get(o, i);
    const char *vector = steps(o, i) ? "v" : "";
    if (o->kind == SIMPLE_V_KIND_HIDDEN || o->kind == SIMPLE_V_KIND_ORDER ||
        (o->kind == SIMPLE_V_KIND_RM && value == SIMPLE_V_RM_DYNAMIC) ||
        (o->kind == SIMPLE_V_KIND_RM_EXACT && !value))
        return;
    if (!glued)
        next(t);
    switch (o->kind) {
    case SIMPLE_V_KIND_X: isa_put(t, "x%" PRId32 "%s", value, vector); break;
    case SIMPLE_V_KIND_F: isa_put(t, "f%" PRId32 "%s", value, vector); break;
    case SIMPLE_V_KIND_BASE: isa_put(t, "(x%" PRId32 "%s)", value, vector); break;
    case SIMPLE_V_KIND_UPPER: isa_put(t, "%" PRIu32, (uint32_t)value & 0xfffff); break;
    case SIMPLE_V_KIND_RM:
    case SIMPLE_V_KIND_RM_EXACT: named(t, &simple_v_rounding, (uint32_t)value); break;
    case SIMPLE_V_KIND_FENCE: fence(t, (unsigned)value); break;
    case SIMPLE_V_KIND_CSR: named(t, &simple_v_csrs, (uint32_t)value); break;
    case SIMPLE_V_KIND_SWIZZLE: swizzle(t, (unsigned)value); break;
    case SIMPLE_V_KIND_TARGET:
        if (label && *label) {
            isa_put(t, "%s", label);
            break;
        }
        isa_put(t, "%" PRId32, value);
        break;
    default: isa_put(t, "%" PRId32, value); break;
    }
}

/* ---- prefixes ---- */

static void masks(struct isa_text *t, const struct simple_v_insn *i)
{
    const char *inverted = i->masks & SIMPLE_V_MASKS_INVERTED ? "!" : "";
    if (i->mask) {
        next(t);
        isa_put(t, "pred:%sx%u", i->mask & 1 ? "" : "!", 8u + i->mask / 2u);
    }
    if (i->masks & SIMPLE_V_MASKS_SOURCE) {
        next(t);
        isa_put(t, "src:%sx9", inverted);
    }
    if (i->masks & SIMPLE_V_MASKS_DEST) {
        next(t);
        isa_put(t, "dst:%sx10", inverted);
    }
}

static void vltyp(struct isa_text *t, const struct simple_v_vltyp *vl)
{
    if (!vl->high && !vl->low && !vl->number && !vl->rd)
        return;
    next(t);
    if (!vl->high && vl->low)
        isa_put(t, "vl:x%u", vl->number);
    else
        isa_put(t, "%s:%u", !vl->high ? "vl" : vl->low ? "mvl" : "both", vl->number + 1u);
    if (vl->rd) {
        next(t);
        isa_put(t, "to:x%u", vl->rd);
    }
}

static void instruction(struct isa_text *t, const struct simple_v_insn *i, const char *label)
{
    const struct simple_v_format *f = &simple_v_formats[simple_v_rows[i->op].format];
    static const char *const order[] = {"", ".rl", ".aq", ".aqrl"};
    bool glued = false;
    t->begun = false;
    if (i->prefix)
        isa_put(t, "p%u ", i->prefix);
    isa_put(t, "%s%s", simple_v_rows[i->op].text, order[i->order]);
    for (unsigned n = 0; n < f->count; n++) {
        const struct simple_v_operand *o = &simple_v_operands[f->operand[n]];
        operand(t, o, i, glued, label);
        glued = o->kind == SIMPLE_V_KIND_OFFSET || o->kind == SIMPLE_V_KIND_PLACE;
    }
    if (!i->prefix)
        return;
    if (i->itype) {
        next(t);
        isa_put(t, "itype:%u", simple_v_width(i->itype));
    }
    if (i->svlen) {
        next(t);
        isa_put(t, "svlen:%u", i->svlen + 1u);
    }
    masks(t, i);
    vltyp(t, &i->vl);
}

/* ---- VBLOCK ---- */

static void vl_block(struct isa_text *t, const struct simple_v_block *b)
{
    static const char *const names[] = {"vl", "setvl", "both"};
    next(t);
    isa_put(t, "%s:%u", names[b->vl.mode], b->vl.imm + 1u);
    if (b->vl.mode == SIMPLE_V_VL_SETVL)
        isa_put(t, ", from:x%u, to:x%u", 8u + (b->vl.low >> 3), 8u + (b->vl.low & 7u));
    else if (b->vl.low)
        isa_put(t, ", to:x%u", b->vl.low);
    if (b->vl.subvl)
        isa_put(t, ", subvl:%u", b->vl.subvl + 1u);
}

static char file_of(unsigned integer)
{
    return integer ? 'x' : 'f';
}

static void entries(struct isa_text *t, const struct simple_v_block *b)
{
    if (b->regs) {
        next(t);
        isa_put(t, "regs(");
    }
    for (unsigned n = 0; n < b->regs; n++) {
        const struct simple_v_reg_entry *e = &b->reg[n];
        const char file = file_of(e->integer);
        isa_put(t, "%s", n ? ", " : "");
        if (!e->used)
            isa_put(t, "none");
        else
            isa_put(t, "%c%u=%c%u%s", file, e->key, file, e->reg, e->vector ? "v" : "");
        if (e->used && e->width)
            isa_put(t, ":%u", simple_v_width(e->width));
    }
    isa_put(t, "%s", b->regs ? ")" : "");
    if (b->preds) {
        next(t);
        isa_put(t, "preds(");
    }
    for (unsigned n = 0; n < b->preds; n++) {
        const struct simple_v_pred_entry *e = &b->pred[n];
        isa_put(t, "%s", n ? ", " : "");
        if (!e->used)
            isa_put(t, "none");
        else
            isa_put(t, "%c%u=%sx%u%s%s", file_of(e->integer), e->key, e->invert ? "!" : "", e->reg,
                    e->zero ? ".z" : "", e->ffirst ? ".ff" : "");
    }
    isa_put(t, "%s", b->preds ? ")" : "");
}

/* Calls `each` with the opcodes of a block, one after the other; insn is NULL for a halfword that is none. */
static void body(const uint16_t *code, const struct simple_v_block *b,
                 void (*each)(void *data, const struct simple_v_insn *insn, uint16_t first), void *data)
{
    for (unsigned at = b->head; at < b->length;) {
        struct simple_v_insn insn;
        bool known = !simple_v_decode(code + at, b->length - at, &insn, NULL);
        each(data, known ? &insn : NULL, code[at]);
        at += known ? insn.length : 1u;
    }
}

/* ---- labels ---- */

/* Where a branch goes, in bytes from itself, or from its VBLOCK. False: it is none. */
static bool goes_to(const struct simple_v_insn *i, int32_t *bytes)
{
    const struct simple_v_format *f = &simple_v_formats[simple_v_rows[i->op].format];
    for (unsigned n = 0; n < f->count; n++)
        if (simple_v_operands[f->operand[n]].kind == SIMPLE_V_KIND_TARGET) {
            *bytes = i->imm;
            return true;
        }
    return false;
}

struct branches {
    int64_t *targets;
    uint32_t at;
    unsigned count;
};

static void find_branch(void *data, const struct simple_v_insn *insn, uint16_t first)
{
    struct branches *b = data;
    int32_t bytes;
    if (insn && b->count < ISA_TARGETS && goes_to(insn, &bytes))
        b->targets[b->count++] = (int64_t)b->at + bytes / 2;
}

static uint32_t targets(const void *words, uint32_t count, uint32_t at, int64_t out[ISA_TARGETS])
{
    const uint16_t *code = (const uint16_t *)words + at;
    struct branches found = {out, at, 0};
    struct simple_v_block block;
    struct simple_v_insn insn;
    for (unsigned n = 0; n < ISA_TARGETS; n++)
        out[n] = -1;
    if (simple_v_is_block(*code)) {
        if (simple_v_block_decode(code, count - at, &block, NULL))
            return 0;
        body(code, &block, find_branch, &found);
        return block.length;
    }
    if (simple_v_decode(code, count - at, &insn, NULL))
        return 0;
    find_branch(&found, &insn, 0);
    return insn.length;
}

/* ---- whole lines ---- */

struct printed {
    struct isa_text *t;
    isa_label_text *labels; /* NULL: none */
    unsigned branches;
    bool begun;
};

static void put_one(void *data, const struct simple_v_insn *insn, uint16_t first)
{
    struct printed *p = data;
    int32_t bytes;
    const bool branches = insn && goes_to(insn, &bytes) && p->branches < ISA_TARGETS;
    isa_put(p->t, "%s", p->begun ? " ; " : "");
    p->begun = true;
    if (insn)
        instruction(p->t, insn, branches && p->labels ? p->labels[p->branches] : NULL);
    else
        isa_put(p->t, ".word 0x%04x", first);
    p->branches += branches;
}

static void put_block(struct isa_text *t, const uint16_t *code, const struct simple_v_block *b,
                      isa_label_text *labels)
{
    struct printed p = {.t = t, .labels = labels};
    isa_put(t, "vblock");
    if (!b->mode) {
        next(t);
        isa_put(t, "mode:8");
    }
    if (b->vlset)
        vl_block(t, b);
    entries(t, b);
    isa_put(t, " { ");
    body(code, b, put_one, &p);
    isa_put(t, "%s}", p.begun ? " " : "");
}

static uint32_t line(const void *words, uint32_t count, uint32_t at, isa_label_text *labels, char *text)
{
    const uint16_t *code = (const uint16_t *)words + at;
    struct isa_text t = {.at = text, .capacity = SIMPLE_V_TEXT_MAX};
    struct util_error why = {0};
    struct simple_v_block block;
    struct simple_v_insn insn;
    text[0] = 0;
    if (at >= count)
        return 0;
    if (simple_v_is_block(*code) && !simple_v_block_decode(code, count - at, &block, &why)) {
        put_block(&t, code, &block, labels);
        return block.length;
    }
    if (!simple_v_is_block(*code) && !simple_v_decode(code, count - at, &insn, &why)) {
        struct printed p = {.t = &t, .labels = labels};
        put_one(&p, &insn, *code);
        return insn.length;
    }
    isa_put(&t, ".word 0x%04x # %s", *code, why.text);
    return 1;
}

uint32_t simple_v_disasm(const void *words, uint32_t count, uint32_t at, char text[SIMPLE_V_TEXT_MAX])
{
    return line(words, count, at, NULL, text);
}

static uint32_t with_labels(const void *words, uint32_t count, uint32_t at,
                            isa_label_text labels[ISA_TARGETS], char text[ISA_LINE_MAX])
{
    return line(words, count, at, labels, text);
}

int simple_v_disasm_program(FILE *out, const void *words, uint32_t count)
{
    static const struct isa_disassembler set = {targets, with_labels};
    return isa_disasm_program(out, &set, words, count);
}
