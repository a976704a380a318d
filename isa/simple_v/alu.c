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

/* A source's value, at the width of the operation. Of words the low half of a register. */
static bool source(struct simple_v_machine *m, const struct simple_v_operand_context *o, unsigned i,
                   unsigned s, bool is_signed, uint64_t *out)
{
    const bool word = m->x.row->word;
    if (!o->there) {
        *out = 0;
        return true;
    }
    if (!simple_v_read(m, o, simple_v_index(m, o, i, s), out))
        return false;
    *out = simple_v_extend(*out, word && !o->given ? 32 : o->width, is_signed || word);
    return true;
}

bool simple_v_element_integer(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s, bool *zero)
{
    const struct simple_v_context *x = &m->x;
    const struct simple_v_operand_context *rd = &x->operand[SIMPLE_V_RD], *rs2 = &x->operand[SIMPLE_V_RS2];
    const unsigned width = x->width ? x->width : 64;
    uint64_t a, b, out;
    if (!source(m, &x->operand[SIMPLE_V_RS1], i, s, x->row->signed_1, &a) ||
        !source(m, rs2, i, s, x->row->signed_2, &b))
        return false;
    if (!rs2->there)
        b = (uint64_t)(int64_t)m->insn->imm;
    if (x->row->as == SIMPLE_V_LUI)
        out = (uint64_t)(int64_t)m->insn->imm << 12;
    else if (width == ODD) /* of 64 bits, as both are extended */
        out = simple_v_integer(x->row->op, 64, a, simple_v_extend(b, ODD, x->row->signed_2)) &
              ((1u << ODD) - 1);
    else
        out = simple_v_integer(x->row->op, width, simple_v_extend(a, width, false),
                               simple_v_extend(b, width, false));
    *zero = !simple_v_extend(out, UTIL_MIN(width, rd->width), false);
    return simple_v_write_integer(m, rd, simple_v_index(m, rd, j, s), out, width, x->row->word);
}
