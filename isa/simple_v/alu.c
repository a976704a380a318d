/* Integer operations of one element: the digest, section 6.1. */
#include "isa/simple_v/interp_internal.h"
#include "util/bits.h"

enum { ODD = 12 };

/* The upper half of a signed and an unsigned one's product. */
static uint64_t mulhsu(uint64_t x, uint64_t y, unsigned width)
{
    const __int128 product =
        (__int128)(int64_t)simple_v_extend(x, width, true) * (__int128)simple_v_extend(y, width, false);
    return (uint64_t)(product >> width);
}

/* By zero the quotient is all ones, the rest the dividend; the least by -1 is itself, with no rest. */
static uint64_t divided(uint64_t x, uint64_t y, unsigned width, bool is_signed, bool rest)
{
    const uint64_t a = simple_v_extend(x, width, is_signed), b = simple_v_extend(y, width, is_signed);
    if (!b)
        return rest ? a : ~0ull;
    if (!is_signed)
        return rest ? a % b : a / b;
    if (b == ~0ull)
        return rest ? 0 : 0 - a;
    return (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t or_bytes(uint64_t x)
{
    for (unsigned at = 0; at < 64; at += 8)
        if (x >> at & 0xff)
            x |= 0xffull << at;
    return x;
}

static uint64_t own(unsigned op, unsigned width, uint64_t x, uint64_t y)
{
    switch (op) {
    case SIMPLE_V_OWN_mulhsu: return mulhsu(x, y, width);
    case SIMPLE_V_OWN_div: return divided(x, y, width, true, false);
    case SIMPLE_V_OWN_divu: return divided(x, y, width, false, false);
    case SIMPLE_V_OWN_rem: return divided(x, y, width, true, true);
    case SIMPLE_V_OWN_remu: return divided(x, y, width, false, true);
    case SIMPLE_V_OWN_sext_b: return simple_v_extend(x, 8, true);
    case SIMPLE_V_OWN_sext_h: return simple_v_extend(x, UTIL_MIN(width, 16), true);
    case SIMPLE_V_OWN_zext_h: return simple_v_extend(x, UTIL_MIN(width, 16), false);
    case SIMPLE_V_OWN_orc_b: return or_bytes(x);
    case SIMPLE_V_OWN_rev8: return __builtin_bswap64(x) >> (64 - width);
    default: return y; /* SIMPLE_V_OWN_second */
    }
}

uint64_t simple_v_integer(unsigned op, unsigned width, uint64_t x, uint64_t y)
{
    const uint64_t mask = ~0ull >> (64 - width);
    if (op > SIMPLE_V_OWN_first)
        return own(op, width, x, y) & mask;
    const enum isa_shape shape = width == 8    ? ISA_I8
                                 : width == 16 ? ISA_I16
                                 : width == 32 ? ISA_I32
                                               : ISA_I64;
    const uint64_t sources[3] = {x, y, 0};
    return isa_op_lane((struct isa_lane_op){.op = (uint8_t)op, .shape = (uint8_t)shape, .policy = ISA_OP_I1},
                       sources) &
           mask;
}

/* A source's value, extended. Of words the low half of a register. */
static bool operand(struct simple_v_machine *m, const struct simple_v_operand_context *o, unsigned i,
                    unsigned s, bool is_signed, uint64_t *out)
{
    *out = 0;
    if (!o->there)
        return true;
    if (!simple_v_read(m, o, simple_v_index(m, o, i, s), out))
        return false;
    *out = simple_v_extend(*out, m->x.row->word && !o->given ? 32 : o->width, is_signed);
    return true;
}

/* The operation's result, of its width. */
static bool compute(struct simple_v_machine *m, unsigned i, unsigned s, uint64_t *out)
{
    const struct simple_v_context *x = &m->x;
    const struct simple_v_operand_context *rs2 = &x->operand[SIMPLE_V_RS2];
    const unsigned width = x->width ? x->width : 64;
    const bool word = x->row->word;
    uint64_t a, b;
    if (!operand(m, &x->operand[SIMPLE_V_RS1], i, s, x->row->signed_1 || word, &a) ||
        !operand(m, rs2, i, s, x->row->signed_2 || word, &b))
        return false;
    if (!rs2->there)
        b = (uint64_t)(int64_t)m->insn->imm;
    if (x->row->as == SIMPLE_V_LUI)
        *out = (uint64_t)(int64_t)m->insn->imm << 12;
    else if (width == ODD) /* of 64 bits, as both are extended */
        *out = simple_v_integer(x->row->op, 64, a, simple_v_extend(b, ODD, x->row->signed_2)) &
               ((1u << ODD) - 1);
    else
        *out = simple_v_integer(x->row->op, width, simple_v_extend(a, width, false),
                                simple_v_extend(b, width, false));
    return true;
}

/* ---- saturation ---- */

/* What is beyond the range of an element of the width is its end. */
static uint64_t clamped(__int128 exact, unsigned width, bool is_signed)
{
    const __int128 one = 1, most = (one << (is_signed ? width - 1 : width)) - 1,
                   least = is_signed ? -most - 1 : 0;
    return (uint64_t)(exact > most ? most : exact < least ? least : exact);
}

/* Sums, differences and products are exact, of sources with signs or without; other results are the operation's, at its width. */
static __int128 exact_of(unsigned op, uint64_t a, uint64_t b, bool is_signed, bool number)
{
    const __int128 x = is_signed ? (__int128)(int64_t)a : (__int128)a,
                   y = is_signed || number ? (__int128)(int64_t)b : (__int128)b;
    return op == ISA_OP_iadd ? x + y : x - y;
}

/* As wide as products of two registers without signs. */
static __int128 product_of(uint64_t a, uint64_t b, bool is_signed)
{
    const unsigned __int128 most = ((unsigned __int128)1 << 127) - 1, product = (unsigned __int128)a * b;
    if (is_signed)
        return (__int128)(int64_t)a * (int64_t)b;
    return (__int128)(product > most ? most : product); /* beyond all elements all the same */
}

static bool is_exact(const struct simple_v_row *row)
{
    return row->as != SIMPLE_V_LUI &&
           (row->op == ISA_OP_iadd || row->op == ISA_OP_isub || row->op == ISA_OP_imul);
}

static bool saturated(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s, bool *zero)
{
    const struct simple_v_context *x = &m->x;
    const struct simple_v_operand_context *rd = &x->operand[SIMPLE_V_RD], *rs2 = &x->operand[SIMPLE_V_RS2];
    const bool is_signed = m->state->saturate == SIMPLE_V_SATURATE_SIGNED;
    const unsigned op = x->row->op, width = x->width ? x->width : 64;
    uint64_t a, b, out;
    __int128 exact;
    if (is_exact(x->row)) {
        if (!operand(m, &x->operand[SIMPLE_V_RS1], i, s, is_signed, &a) ||
            !operand(m, rs2, i, s, is_signed, &b))
            return false;
        if (!rs2->there)
            b = (uint64_t)(int64_t)m->insn->imm;
        exact = op == ISA_OP_imul ? product_of(a, b, is_signed) : exact_of(op, a, b, is_signed, !rs2->there);
    } else {
        if (!compute(m, i, s, &out))
            return false;
        out = simple_v_extend(out, width, is_signed);
        exact = is_signed ? (__int128)(int64_t)out : (__int128)out;
    }
    out = clamped(exact, rd->width, is_signed);
    *zero = !out;
    return simple_v_write_integer(m, rd, simple_v_index(m, rd, j, s), out, rd->width, is_signed);
}

bool simple_v_element_integer(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s, bool *zero)
{
    const struct simple_v_context *x = &m->x;
    const struct simple_v_operand_context *rd = &x->operand[SIMPLE_V_RD];
    const unsigned width = x->width ? x->width : 64;
    uint64_t out;
    if (m->state->saturate && x->loops)
        return saturated(m, i, j, s, zero);
    if (!compute(m, i, s, &out))
        return false;
    *zero = !simple_v_extend(out, UTIL_MIN(width, rd->width), false);
    return simple_v_write_integer(m, rd, simple_v_index(m, rd, j, s), out, width, x->row->word);
}
