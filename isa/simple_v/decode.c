/* Instructions from halfwords and back, with the prefixes P48 and P64. */
#include "isa/simple_v/insn.h"

#include <errno.h>
#include <string.h>

#include "isa/simple_v/table.h"
#include "util/bits.h"

/* What tells the lengths, and where a prefix and the opcode's bits 31:2 stand in it: digest, section 5. */
enum { P48_LOW = 0x1f, P48_MASK = 0x7f, P64_LOW = 0x3f, OPCODE_AT = 18 };
#define P48_FIELDS 0x3ff80ull
#define P64_FIELDS (0xffffull << 48 | P48_FIELDS)

unsigned simple_v_length(uint16_t first)
{
    if ((first & 3) != 3)
        return 1;
    if ((first & 0x1c) != 0x1c)
        return 2;
    switch (first & 0x7f) {
    case P48_LOW: return 3;
    case P64_LOW: return 4;
    case 0x7f: return simple_v_is_block(first) ? SIMPLE_V_BLOCK_MIN + (first >> 12 & 7u) : 0;
    default: return 0;
    }
}

/* ---- the instruction alone ---- */

static int32_t value_of(const struct simple_v_operand *o, uint32_t word)
{
    int32_t least, most, step;
    uint64_t w = word, value = 0;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(o->piece) && o->piece[n].count; n++)
        value |= isa_get(&w, o->piece[n].lo, o->piece[n].count) << o->piece[n].at;
    simple_v_range(o, &least, &most, &step);
    if (least < 0 && (int32_t)value > most)
        value -= 2 * ((uint64_t)most + (uint64_t)step);
    return (int32_t)value + o->bias;
}

static uint32_t bits_of(const struct simple_v_operand *o, int32_t value, uint32_t word)
{
    uint64_t w = word;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(o->piece) && o->piece[n].count; n++)
        isa_set(&w, o->piece[n].lo, o->piece[n].count, (uint32_t)(value - o->bias) >> o->piece[n].at);
    return (uint32_t)w;
}

/* Takes the operands of a row; what of them is reserved, NULL: nothing. */
static const char *take_operands(uint16_t op, uint32_t word, struct simple_v_insn *insn)
{
    const struct simple_v_format *f = &simple_v_formats[simple_v_rows[op].format];
    const char *broken = NULL;
    *insn = (struct simple_v_insn){.op = op};
    for (unsigned n = 0; n < f->count; n++) {
        const struct simple_v_operand *o = &simple_v_operands[f->operand[n]];
        int32_t value = value_of(o, word);
        simple_v_put(o, insn, value);
        broken = broken ? broken : simple_v_value_broken(o, value);
    }
    return broken;
}

static int decode_word(uint32_t word, struct simple_v_insn *insn, struct util_error *error)
{
    const char *broken = NULL;
    for (unsigned op = 0; op < SIMPLE_V_OP_COUNT; op++) {
        const struct simple_v_row *row = &simple_v_rows[op];
        if ((word & row->mask) != row->match)
            continue;
        const char *what = take_operands((uint16_t)op, word, insn);
        if (!what)
            return 0;
        broken = broken ? broken : what;
    }
    *insn = (struct simple_v_insn){0};
    return util_fail(error, -EBADMSG, "0x%x is reserved%s%s", word, broken ? ": " : "", broken ? broken : "");
}

static uint32_t encode_word(const struct simple_v_insn *insn)
{
    const struct simple_v_row *row = &simple_v_rows[insn->op];
    const struct simple_v_format *f = &simple_v_formats[row->format];
    uint32_t word = row->match;
    for (unsigned n = 0; n < f->count; n++) {
        const struct simple_v_operand *o = &simple_v_operands[f->operand[n]];
        if (o->kind != SIMPLE_V_KIND_HIDDEN)
            word = bits_of(o, simple_v_get(o, insn), word);
    }
    return word;
}

/* ---- prefixes ---- */

/* A register of P48: a vector's number has bit 0 of its six as bit 6, so that it is even. */
static int32_t widened(bool is_long, uint8_t high, uint8_t bit5, int32_t low, bool vector)
{
    const int32_t six = low | bit5 << 5;
    if (is_long)
        return six | high << 6;
    return vector ? (six & 0x3e) | (six & 1) << 6 : six;
}

/* Vector bits that a form has not: digest, section 5. */
static void follow(enum simple_v_form form, struct simple_v_insn *i)
{
    if (form == SIMPLE_V_FORM_R || form == SIMPLE_V_FORM_FR)
        i->vd = i->vs1 || i->vs2;
    if (form == SIMPLE_V_FORM_FR4)
        i->vd = i->vs1 = i->vs2 || i->vs3;
}

static bool has_masks(enum simple_v_form form)
{
    return form == SIMPLE_V_FORM_LD || form == SIMPLE_V_FORM_ST || form == SIMPLE_V_FORM_I ||
           form == SIMPLE_V_FORM_FI;
}

/* What of the prefix is reserved, NULL: nothing. */
static const char *prefix_broken(const struct simple_v_insn *i, const struct simple_v_prefix *p)
{
    const bool no_rs2 = !SIMPLE_V_HAS(i->op, rs2);
    if (no_rs2 && (p->rs2 || p->rs2_high || p->vs2))
        return "there is no second source";
    if (i->mask == SIMPLE_V_MASK_RESERVED)
        return "pred 1";
    if (i->masks == SIMPLE_V_MASKS_INVERTED)
        return "tpred 4";
    if (!i->vl.high && i->vl.low && !i->vl.number)
        return "VL from x0";
    return NULL;
}

static int decode_prefixed(uint64_t word, bool is_long, struct simple_v_insn *insn, struct util_error *error)
{
    struct simple_v_prefix p = {0};
    const char *broken = NULL;
    int err = decode_word((uint32_t)(word >> OPCODE_AT << 2) | 3, insn, error);
    if (err)
        return err;
    const enum simple_v_form form = simple_v_form_of(insn->op);
    const uint64_t fields = is_long ? P64_FIELDS : P48_FIELDS;
    if (form == SIMPLE_V_FORM_NONE)
        broken = "it has none";
    else if (word & fields & ~simple_v_prefix_extract(form, is_long, word, &p))
        broken = "bits that are 0";
    insn->prefix = is_long ? 64 : 48;
    insn->vd = p.vd;
    insn->vs1 = p.vs1;
    insn->vs2 = p.vs2;
    insn->vs3 = p.vs3;
    follow(form, insn);
    insn->itype = p.itype;
    insn->svlen = p.svlen;
    insn->mask = p.mask;
    insn->masks = (uint8_t)(p.masks_low | p.masks_high << 2);
    insn->vl = p.vl;
    insn->rd = widened(is_long, p.rd_high, p.rd, insn->rd, insn->vd);
    insn->rs1 = widened(is_long, p.rs1_high, p.rs1, insn->rs1, insn->vs1);
    insn->rs2 = widened(is_long, p.rs2_high, p.rs2, insn->rs2, insn->vs2);
    insn->rs3 = widened(is_long, p.rs3_high, p.rs3, insn->rs3, insn->vs3);
    broken = broken ? broken : prefix_broken(insn, &p);
    if (broken)
        return util_fail(error, -EBADMSG, "this prefix of %s is reserved: %s", simple_v_rows[insn->op].text,
                         broken);
    return 0;
}

int simple_v_decode(const uint16_t *code, uint32_t count, struct simple_v_insn *insn,
                    struct util_error *error)
{
    const unsigned length = count ? simple_v_length(code[0]) : 0;
    uint64_t word = 0;
    int err;
    *insn = (struct simple_v_insn){0};
    if (!length || length > 4)
        return util_fail(error, -EBADMSG, count ? "a reserved length" : "there is no instruction");
    if (length > count)
        return util_fail(error, -EBADMSG, "the instruction is cut off");
    for (unsigned n = 0; n < length; n++)
        word |= (uint64_t)code[n] << 16 * n;
    if (length > 2)
        err = decode_prefixed(word, length == 4, insn, error);
    else
        err = decode_word((uint32_t)word, insn, error);
    insn->length = (uint8_t)length;
    return err;
}

/* The number's five bits, and those that the prefix has of it. False if it cannot say it. */
static bool narrowed(bool is_long, int32_t *reg, bool vector, uint8_t *bit5, uint8_t *high)
{
    int32_t six = *reg;
    if (!is_long && vector) {
        if (six & 1)
            return false;
        six = (six & 0x3e) | six >> 6;
    }
    *high = (uint8_t)(six >> 6);
    *bit5 = six >> 5 & 1;
    *reg = six & 31;
    return is_long || !*high;
}

static int encode_prefixed(const struct simple_v_insn *insn, uint64_t *word, struct util_error *error)
{
    const bool is_long = insn->prefix == 64;
    const enum simple_v_form form = simple_v_form_of(insn->op);
    struct simple_v_insn i = *insn;
    struct simple_v_prefix p = {.vd = i.vd,
                                .vs1 = i.vs1,
                                .vs2 = i.vs2,
                                .vs3 = i.vs3,
                                .itype = i.itype,
                                .svlen = i.svlen,
                                .mask = i.mask,
                                .masks_low = i.masks & 3,
                                .masks_high = i.masks >> 2,
                                .vl = i.vl};
    follow(form, &i);
    if (form == SIMPLE_V_FORM_NONE)
        return util_fail(error, -EINVAL, "this instruction has no prefix");
    if (i.vd != insn->vd || i.vs1 != insn->vs1)
        return util_fail(error, -EINVAL, "which operands are vectors follows from the others here");
    if (!narrowed(is_long, &i.rd, i.vd, &p.rd, &p.rd_high) ||
        !narrowed(is_long, &i.rs1, i.vs1, &p.rs1, &p.rs1_high) ||
        !narrowed(is_long, &i.rs2, i.vs2, &p.rs2, &p.rs2_high) ||
        !narrowed(is_long, &i.rs3, i.vs3, &p.rs3, &p.rs3_high))
        return util_fail(error, -EINVAL, "P48 has scalars 0 to 63 and vectors of even numbers");
    if (has_masks(form) ? i.mask : i.masks)
        return util_fail(error, -EINVAL, "the form has other masks");
    *word = (uint64_t)(encode_word(&i) >> 2) << OPCODE_AT | (is_long ? P64_LOW : P48_LOW);
    simple_v_prefix_insert(form, is_long, &p, word);
    return 0;
}

int simple_v_encode(const struct simple_v_insn *insn, uint16_t code[4], struct util_error *error)
{
    uint64_t word;
    int err = 0;
    if (insn->prefix)
        err = encode_prefixed(insn, &word, error);
    else
        word = encode_word(insn);
    for (unsigned n = 0; !err && n < insn->length; n++)
        code[n] = (uint16_t)(word >> 16 * n);
    return err;
}
