/* Operands: destinations, staging registers, sources. */
#include <errno.h>
#include <string.h>

#include "isa/valhall/asm_internal.h"

static int reg(struct isa_assembler *as, uint8_t *out)
{
    struct isa_token word = isa_scan_word(&as->scan);
    uint32_t number;
    if (!isa_token_numbered(word, "r", &number) || number >= VALHALL_REGISTERS)
        return isa_asm_fail(as, word, "a register is expected, r0 to r63");
    *out = (uint8_t)number;
    return 0;
}

/* ---- destination and staging registers ---- */

static int destination(struct isa_assembler *as, struct valhall_draft *d)
{
    int err = valhall_asm_next(as, d);
    if (!err)
        err = reg(as, &d->insn.dest.reg);
    d->insn.dest.mask = 3;
    if (err || !isa_scan_glued(&as->scan, '.'))
        return err;
    struct isa_token word = isa_scan_word(&as->scan);
    d->insn.dest.mask = isa_token_is(word, "h0") ? 1 : isa_token_is(word, "h1") ? 2 : 0;
    return d->insn.dest.mask ? 0 : isa_asm_fail(as, word, "h0 or h1 is expected");
}

/* Registers that follow one another, with colons between. */
static int run(struct isa_assembler *as, struct valhall_staging *s, unsigned least, unsigned most)
{
    const char *where = as->scan.at;
    int err = 0;
    *s = (struct valhall_staging){0};
    if (as->scan.at == as->scan.end || *as->scan.at != 'r')
        return least ? isa_scan_fail(&as->scan, where, "staging registers are expected") : 0;
    do {
        const char *one = as->scan.at;
        uint8_t number = 0;
        err = reg(as, &number);
        if (!s->count)
            s->reg = number;
        if (!err && number != s->reg + s->count)
            err = isa_scan_fail(&as->scan, one, "staging registers follow one another");
        s->count++;
    } while (!err && isa_scan_glued(&as->scan, ':'));
    if (!err && s->count > most)
        err = isa_scan_fail(&as->scan, where, "too many staging registers");
    return err;
}

static int staging(struct isa_assembler *as, struct valhall_draft *d, struct valhall_staging *s,
                   bool counts_from_1)
{
    int err = valhall_asm_next(as, d);
    if (!err && !isa_scan_glued(&as->scan, '@'))
        err = isa_scan_fail(&as->scan, as->scan.at, "staging registers are expected: @r0");
    if (!err && valhall_has_field(d->insn.op, VALHALL_FIELD_ATOMIC_1) && isa_scan_glued(&as->scan, '.')) {
        struct isa_token word = isa_scan_word(&as->scan);
        d->insn.marked = true;
        return isa_token_is(word, "read") ? 0 : isa_asm_fail(as, word, "read is expected");
    }
    return err ? err : run(as, s, counts_from_1, counts_from_1 ? 8 : 7);
}

int valhall_asm_registers(struct isa_assembler *as, struct valhall_draft *d)
{
    uint8_t operands = valhall_info(d->insn.op)->format->operands;
    int err = 0;
    if (operands == VALHALL_DEST)
        err = destination(as, d);
    if (!err && valhall_writes_staging(operands))
        err = staging(as, d, &d->insn.write, operands >= VALHALL_ATOMIC);
    if (!err && valhall_reads_staging(operands))
        err = staging(as, d, &d->insn.read, false);
    return err;
}

/* ---- sources ---- */

/* All uniforms and specials of an instruction are on one page. */
static int on_page(struct isa_assembler *as, struct valhall_draft *d, struct isa_token word, unsigned page)
{
    if (d->paged && d->insn.page != page)
        return isa_asm_fail(as, word, "uniforms and specials of two pages");
    d->paged = true;
    d->insn.page = (uint8_t)page;
    return 0;
}

static int constant(struct isa_assembler *as, struct valhall_source *s)
{
    const char *where = as->scan.at;
    uint32_t bits = 0;
    int err = isa_scan_number(&as->scan, &bits);
    s->kind = VALHALL_CONSTANT;
    for (s->index = 0; s->index < 32; s->index++)
        if (valhall_constants[s->index] == bits)
            return err;
    return err ? err : isa_scan_fail(&as->scan, where, "the table of constants has no such value");
}

/* Which special a name means; VALHALL_SPECIAL_COUNT: none. */
static uint8_t special_named(struct isa_token word)
{
    uint8_t n = 0;
    while (n < VALHALL_SPECIAL_COUNT && !isa_token_is(word, valhall_specials[n].text))
        n++;
    return n;
}

static int value(struct isa_assembler *as, struct valhall_draft *d, struct valhall_source *s)
{
    uint32_t number;
    s->last = isa_scan_glued(&as->scan, '^');
    if (s->last) {
        s->kind = VALHALL_REGISTER;
        return reg(as, &s->index);
    }
    if (isa_scan_at_number(&as->scan))
        return constant(as, s);
    struct isa_token word = isa_scan_word(&as->scan);
    uint8_t special = special_named(word);
    if (special < VALHALL_SPECIAL_COUNT) {
        s->kind = VALHALL_SPECIAL;
        s->index = special;
        return on_page(as, d, word, valhall_specials[special].page);
    }
    if (isa_token_numbered(word, "u", &number) && number < 256) {
        s->kind = VALHALL_UNIFORM;
        s->index = (uint8_t)number;
        return on_page(as, d, word, number / VALHALL_PAGE);
    }
    if (isa_token_numbered(word, "imm", &number) && number < 32) {
        s->kind = VALHALL_CONSTANT;
        s->index = (uint8_t)number;
        return 0;
    }
    if (!isa_token_numbered(word, "r", &number) || number >= VALHALL_REGISTERS)
        return isa_asm_fail(as, word,
                            "an operand is expected: r0, ^r0, u0, a constant of the table or a special");
    s->kind = VALHALL_REGISTER;
    s->index = (uint8_t)number;
    return 0;
}

/* One modifier of an operand: a sign, once, or else a selection or a half of a special. */
static int sign(struct isa_token word, uint8_t signs, struct valhall_source *s)
{
    bool *flag = isa_token_is(word, "neg")   ? &s->negate
                 : isa_token_is(word, "abs") ? &s->absolute
                 : isa_token_is(word, "not") ? &s->invert
                                             : NULL;
    uint8_t wanted = flag == &s->invert ? VALHALL_SIGNS_INVERT : VALHALL_SIGNS_FLOAT;
    if (!flag || signs != wanted || *flag)
        return -EINVAL;
    *flag = true;
    return 0;
}

static bool half_of_special(struct isa_token word, struct valhall_source *s, bool *chosen)
{
    uint32_t number;
    if (s->kind != VALHALL_SPECIAL || *chosen || !isa_token_numbered(word, "w", &number) || number > 1)
        return false;
    s->word = (uint8_t)number;
    *chosen = true;
    return true;
}

/* A selection by its name. The lane of a CLPER is one byte, which Mesa 25 writes twice: .b00 is .b0. */
static bool selection(struct isa_token word, uint16_t op, enum valhall_picks picks, uint8_t *select)
{
    bool doubled = word.length == 3 && word.text[0] == 'b' && word.text[1] == word.text[2];
    if (!word.length)
        return false;
    if (doubled && picks == VALHALL_PICKS_WIDEN_32 && valhall_has_field(op, VALHALL_FIELD_LANE_OP))
        word.length = 2;
    return valhall_pick_named(picks, word.text, word.length, select);
}

int valhall_asm_source(struct isa_assembler *as, struct valhall_draft *d, unsigned n)
{
    const struct valhall_info *info = valhall_info(d->insn.op);
    enum valhall_form form = (enum valhall_form)info->format->form[n];
    enum valhall_picks picks = valhall_picks_of(form, (enum valhall_type)info->type);
    struct valhall_source *s = &d->insn.source[n];
    bool selects = valhall_forms[form].count, selected = false, halved = false;
    int err = valhall_asm_next(as, d);
    struct isa_token whole = {as->scan.at, 0};
    if (!err)
        err = value(as, d, s);
    while (!err && isa_scan_glued(&as->scan, '.')) {
        struct isa_token word = isa_scan_word(&as->scan);
        if (!sign(word, valhall_forms[form].signs, s) || half_of_special(word, s, &halved))
            continue;
        if (!selects || selected || !selection(word, d->insn.op, picks, &s->select))
            err = isa_asm_fail(as, word, "this operand has no such part or sign, or has it already");
        selected = true;
    }
    if (!err && selects && !selected && !valhall_pick_named(picks, "", 0, &s->select))
        err = isa_asm_fail(as, whole, "this operand needs a part of it: .b0, .h0, .b00");
    return err;
}
