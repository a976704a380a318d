#include "isa/simple_v/context.h"

#include <stddef.h>

#include "isa/simple_v/table.h"
#include "util/bits.h"

enum { XLEN = 64, IMMEDIATE = 12, WORD_BITS = 32 };

unsigned simple_v_type_bits(enum simple_v_type type)
{
    switch (type) {
    case SIMPLE_V_TYPE_H:
    case SIMPLE_V_TYPE_HALF: return 16;
    case SIMPLE_V_TYPE_S:
    case SIMPLE_V_TYPE_W:
    case SIMPLE_V_TYPE_WU: return 32;
    default: return 64;
    }
}

unsigned simple_v_fuel(const struct simple_v_context *x)
{
    const struct simple_v_row *row = x->row;
    const bool costs = row->is_float && row->op >= SIMPLE_V_FLOAT_cbrt && x->float_width == 64;
    return (x->loops ? 16u : 1u) * (costs ? 16u : 1u);
}

/* ---- operands ---- */

static const uint16_t members[SIMPLE_V_PLACES] = {
    offsetof(struct simple_v_insn, rd), offsetof(struct simple_v_insn, rs1),
    offsetof(struct simple_v_insn, rs2), offsetof(struct simple_v_insn, rs3)};

static int32_t number_of(const struct simple_v_insn *i, unsigned place)
{
    const int32_t numbers[] = {i->rd, i->rs1, i->rs2, i->rs3};
    return numbers[place];
}

static bool is_memory(const struct simple_v_context *x)
{
    return x->class == SIMPLE_V_LOAD || x->class == SIMPLE_V_STORE || x->class == SIMPLE_V_AMO;
}

/* An address: a whole register, whose entry's width is that of memory. */
static bool is_address(const struct simple_v_context *x, unsigned place)
{
    return is_memory(x) && place == SIMPLE_V_RS1;
}

/* The opcode's own width. Moves by position or swizzle have none: registers' */
static unsigned own_width(const struct simple_v_context *x, unsigned place)
{
    const enum simple_v_type type = place == SIMPLE_V_RD ? x->row->to : x->row->from;
    return x->operand[place].integer || !type ? XLEN : simple_v_type_bits(type);
}

static void of_opcode(struct simple_v_context *x, unsigned place)
{
    const struct simple_v_insn *i = x->insn;
    struct simple_v_operand_context *o = &x->operand[place];
    o->there = simple_v_has(x->row->as, members[place]);
    o->integer = simple_v_is_integer(x->row->as, members[place]);
    o->reg = (uint8_t)number_of(i, place);
    o->width = (uint8_t)own_width(x, place);
    o->boxed = !o->integer;
}

static const struct simple_v_reg_entry *entry_of(const struct simple_v_block *b, bool integer, unsigned reg)
{
    for (unsigned n = 0; n < b->regs; n++)
        if (b->reg[n].used && b->reg[n].integer == integer && b->reg[n].key == reg)
            return &b->reg[n];
    return NULL;
}

/* A VBLOCK's entry. What no field of the instruction names has none, but for the x0 of C.BEQZ. */
static void of_entry(struct simple_v_context *x, const struct simple_v_block *b, unsigned place)
{
    struct simple_v_operand_context *o = &x->operand[place];
    const bool named = simple_v_has(x->insn->op, members[place]) || x->class == SIMPLE_V_BRANCH;
    const struct simple_v_reg_entry *e = o->there && named ? entry_of(b, o->integer, o->reg) : NULL;
    if (!e)
        return;
    o->tagged = true;
    o->vector = e->vector;
    o->reg = e->reg;
    if (!e->width)
        return;
    if (is_address(x, place)) {
        x->memory = (uint8_t)simple_v_width(e->width);
        return;
    }
    o->given = true;
    o->width = (uint8_t)simple_v_width(e->width);
    o->boxed = false;
}

/* Moves have no format of floats: itype is that of all registers. */
static bool takes_itype(const struct simple_v_context *x, unsigned place)
{
    const bool moves = x->class == SIMPLE_V_SWIZZLE || x->class == SIMPLE_V_MVX;
    return x->insn->itype && (x->operand[place].integer || moves) && !is_address(x, place);
}

static void of_prefix(struct simple_v_context *x, unsigned place)
{
    const struct simple_v_insn *i = x->insn;
    const bool vectors[] = {i->vd, i->vs1, i->vs2, i->vs3};
    struct simple_v_operand_context *o = &x->operand[place];
    o->tagged = o->there;
    o->vector = vectors[place];
    if (takes_itype(x, place)) {
        o->given = true;
        o->width = (uint8_t)simple_v_width(i->itype);
    }
    o->boxed &= !o->vector && !o->given;
}

/* ---- masks ---- */

/* The entry counts beside an entry of the register, `alone` without one, too. */
static void mask_of_entry(struct simple_v_context *x, const struct simple_v_block *b, unsigned place,
                          unsigned which, bool alone)
{
    const struct simple_v_operand_context *o = &x->operand[place];
    const int32_t key = number_of(x->insn, place);
    if (!o->there || (!o->tagged && !alone))
        return;
    for (unsigned n = 0; n < b->preds; n++) {
        const struct simple_v_pred_entry *e = &b->pred[n];
        if (e->used && e->integer == o->integer && e->key == key) {
            x->mask[which] = (struct simple_v_mask_context){true, e->invert, e->zero, e->ffirst, e->reg};
            return;
        }
    }
}

static void masks_of_block(struct simple_v_context *x, const struct simple_v_block *b)
{
    switch (x->class) {
    case SIMPLE_V_BRANCH:
        mask_of_entry(x, b, SIMPLE_V_RS1, SIMPLE_V_SOURCE, false);
        mask_of_entry(x, b, SIMPLE_V_RS2, SIMPLE_V_DEST, true);
        return;
    case SIMPLE_V_STORE:
        mask_of_entry(x, b, SIMPLE_V_RS2, SIMPLE_V_SOURCE, false);
        mask_of_entry(x, b, SIMPLE_V_RS1, SIMPLE_V_DEST, false);
        return;
    case SIMPLE_V_LOAD:
    case SIMPLE_V_TWIN:
    case SIMPLE_V_SWIZZLE: mask_of_entry(x, b, SIMPLE_V_RS1, SIMPLE_V_SOURCE, false); break;
    default: break;
    }
    mask_of_entry(x, b, SIMPLE_V_RD, SIMPLE_V_DEST, false);
}

static void masks_of_prefix(struct simple_v_context *x)
{
    const struct simple_v_insn *i = x->insn;
    const bool inverted = i->masks & SIMPLE_V_MASKS_INVERTED;
    if (i->mask)
        x->mask[SIMPLE_V_DEST] = (struct simple_v_mask_context){
            .there = true, .invert = !(i->mask & 1), .reg = (uint8_t)(8 + i->mask / 2)};
    if (i->masks & SIMPLE_V_MASKS_SOURCE)
        x->mask[SIMPLE_V_SOURCE] =
            (struct simple_v_mask_context){.there = true, .invert = inverted, .reg = 9};
    if (i->masks & SIMPLE_V_MASKS_DEST)
        x->mask[SIMPLE_V_DEST] = (struct simple_v_mask_context){.there = true, .invert = inverted, .reg = 10};
}

/* ---- widths ---- */

static bool is_shift(unsigned op)
{
    return op == ISA_OP_ishl || op == ISA_OP_ushr || op == ISA_OP_ishr || op == ISA_OP_rotr;
}

static void widths(struct simple_v_context *x)
{
    /* With a prefix they have two masks, but are arithmetic all the same. */
    const bool immediate = SIMPLE_V_HAS(x->insn->op, imm) &&
                           simple_v_rows[x->insn->op].class == SIMPLE_V_ALU && !is_shift(x->row->op);
    const unsigned unsaid = x->row->word ? WORD_BITS : XLEN;
    unsigned width = 0, floats = 0;
    for (unsigned n = SIMPLE_V_RS1; n < SIMPLE_V_PLACES; n++) {
        const struct simple_v_operand_context *o = &x->operand[n];
        if (!o->there)
            continue;
        if (o->integer)
            width = UTIL_MAX(width, o->given ? o->width : unsaid);
        else
            floats = UTIL_MAX(floats, o->width);
    }
    x->width = (uint8_t)(immediate ? UTIL_MAX(width, IMMEDIATE) : width);
    x->float_width = (uint8_t)floats;
}

/* ---- the whole ---- */

/* A sign is copied from a register to itself: a move, of one source. Prefixes with one mask have no other. */
static enum simple_v_class class_of(const struct simple_v_insn *i)
{
    const enum simple_v_class class = (enum simple_v_class)simple_v_rows[i->op].class;
    const enum simple_v_form form = simple_v_form_of(i->op);
    const bool two_masks = form == SIMPLE_V_FORM_I || form == SIMPLE_V_FORM_FI;
    if (class == SIMPLE_V_SIGN)
        return i->rs1 == i->rs2 && !i->prefix ? SIMPLE_V_TWIN : SIMPLE_V_ALU;
    if (i->prefix && i->op == SIMPLE_V_LUI)
        return SIMPLE_V_ALU;
    return i->prefix && class == SIMPLE_V_ALU && two_masks ? SIMPLE_V_TWIN : class;
}

void simple_v_resolve(const struct simple_v_insn *insn, const struct simple_v_block *block,
                      struct simple_v_context *out)
{
    const struct simple_v_row *row = &simple_v_rows[insn->op];
    bool tagged = false, vectors = false;
    *out = (struct simple_v_context){.insn = insn, .row = &simple_v_rows[row->as], .class = class_of(insn)};
    out->memory = out->row->bits;
    for (unsigned n = 0; n < SIMPLE_V_PLACES; n++)
        of_opcode(out, n);
    if (insn->prefix) {
        out->prefixed = true;
        out->subvl = (uint8_t)(insn->svlen ? insn->svlen + 1 : 0);
        for (unsigned n = 0; n < SIMPLE_V_PLACES; n++)
            of_prefix(out, n);
        masks_of_prefix(out);
    } else if (block && out->class != SIMPLE_V_PLAIN) {
        for (unsigned n = 0; n < SIMPLE_V_PLACES; n++)
            of_entry(out, block, n);
        masks_of_block(out, block);
    }
    for (unsigned n = 0; n < SIMPLE_V_PLACES; n++) {
        tagged |= out->operand[n].tagged;
        vectors |= out->operand[n].vector;
    }
    const bool masked = out->mask[0].there || out->mask[1].there;
    out->loops = insn->prefix ? vectors || masked || out->subvl > 1 : tagged;
    widths(out);
}
