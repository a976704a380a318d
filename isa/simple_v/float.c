/* Floats of one element: the digest, section 6.6. */
#include "isa/simple_v/function.h"
#include "isa/simple_v/interp_internal.h"
#include "isa/simple_v/table.h"

enum { RESERVED_ROUNDING = 5, BYTE = 8 };

/* Instructions without a field round, where widths differ, as FCSR says. */
bool simple_v_rounding_of(struct simple_v_machine *m, struct isa_ieee *e)
{
    const bool said = SIMPLE_V_HAS(m->insn->op, rm) && m->insn->rm != SIMPLE_V_RM_DYNAMIC;
    const unsigned mode = said ? (unsigned)m->insn->rm : m->state->frm;
    *e = (struct isa_ieee){.rounding = (enum isa_ieee_rounding)mode};
    return mode < RESERVED_ROUNDING || simple_v_machine_illegal(m, "FCSR has a reserved rounding mode");
}

void simple_v_raise(struct simple_v_machine *m, const struct isa_ieee *e)
{
    m->state->fflags |= (uint8_t)e->exceptions;
}

bool simple_v_convert(struct simple_v_machine *m, unsigned from, unsigned to, uint64_t *bits)
{
    struct isa_ieee e;
    if (from == to)
        return true;
    if (from == BYTE || to == BYTE)
        return simple_v_machine_illegal(m, "floats of 8 bits");
    if (!simple_v_rounding_of(m, &e))
        return false;
    *bits = isa_ieee_convert(&e, from, to, *bits);
    simple_v_raise(m, &e);
    return true;
}

/* The bits; what stands in a register without its box is the NaN. */
static bool read_float(struct simple_v_machine *m, const struct simple_v_operand_context *o, unsigned i,
                       unsigned s, uint64_t *out)
{
    const unsigned index = simple_v_index(m, o, i, s);
    struct simple_v_operand_context whole = *o;
    whole.width = (uint8_t)simple_v_stride(o);
    if (!simple_v_read(m, &whole, index, out))
        return false;
    if (o->boxed && o->width < 64) {
        const bool boxed = *out >> o->width == ~0ull >> o->width;
        *out = boxed ? simple_v_extend(*out, o->width, false) : isa_ieee_nan(o->width);
    }
    return true;
}

static bool put_float(struct simple_v_machine *m, unsigned j, unsigned s, unsigned width, uint64_t bits,
                      bool *zero)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD];
    if (!simple_v_convert(m, width, rd->width, &bits))
        return false;
    *zero = !(bits << (65 - rd->width)); /* but for the sign */
    return simple_v_write_float(m, rd, simple_v_index(m, rd, j, s), bits);
}

static bool put_integer(struct simple_v_machine *m, unsigned j, unsigned s, uint64_t value, bool is_signed,
                        bool *zero)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD];
    *zero = !simple_v_extend(value, rd->width, false);
    return simple_v_write_integer(m, rd, simple_v_index(m, rd, j, s), value, 64, is_signed);
}

/* ---- conversions and moves ---- */

static bool is_signed(enum simple_v_type type)
{
    return type == SIMPLE_V_TYPE_W || type == SIMPLE_V_TYPE_L;
}

/* Bits of the integer of a conversion: the operand's own, or the opcode's. */
static unsigned integer_bits(const struct simple_v_operand_context *o, enum simple_v_type type)
{
    return o->given ? o->width : simple_v_type_bits(type);
}

static bool convert(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s, bool *zero)
{
    const struct simple_v_row *row = m->x.row;
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD],
                                          *rs1 = &m->x.operand[SIMPLE_V_RS1];
    const enum simple_v_type from = (enum simple_v_type)row->from, to = (enum simple_v_type)row->to;
    struct isa_ieee e;
    uint64_t bits;
    if (!rs1->integer && !rd->integer)
        return read_float(m, rs1, i, s, &bits) && put_float(m, j, s, rs1->width, bits, zero);
    if (!simple_v_rounding_of(m, &e))
        return false;
    if (rd->integer) {
        if (!read_float(m, rs1, i, s, &bits))
            return false;
        bits = isa_ieee_to_integer(&e, rs1->width, bits, integer_bits(rd, to), is_signed(to));
        simple_v_raise(m, &e);
        return put_integer(m, j, s, bits, is_signed(to) || !rd->given, zero);
    }
    if (!simple_v_read(m, rs1, simple_v_index(m, rs1, i, s), &bits))
        return false;
    bits = simple_v_extend(bits, integer_bits(rs1, from), is_signed(from));
    const bool negative = is_signed(from) && bits >> 63;
    bits = isa_ieee_from_integer(&e, rd->width, negative, negative ? 0 - bits : bits);
    simple_v_raise(m, &e);
    return put_float(m, j, s, rd->width, bits, zero);
}

/* Bits between the files: to integers with the sign. */
static bool move(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s, bool *zero)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD],
                                          *rs1 = &m->x.operand[SIMPLE_V_RS1];
    uint64_t bits;
    if (!simple_v_read(m, rs1, simple_v_index(m, rs1, i, s), &bits))
        return false;
    if (rd->integer)
        return put_integer(m, j, s, simple_v_extend(bits, rs1->width, true), true, zero);
    return put_float(m, j, s, rd->width, simple_v_extend(bits, rd->width, false), zero);
}

/* ---- arithmetic ---- */

static uint64_t signed_as(enum simple_v_float op, unsigned width, uint64_t x, uint64_t y)
{
    const uint64_t bit = 1ull << (width - 1);
    const uint64_t sign = op == SIMPLE_V_FLOAT_sgnj ? y : op == SIMPLE_V_FLOAT_sgnjn ? ~y : x ^ y;
    return (x & ~bit) | (sign & bit);
}

static uint64_t arithmetic(struct isa_ieee *e, enum simple_v_float op, unsigned width, const uint64_t s[3])
{
    const uint64_t bit = 1ull << (width - 1);
    switch (op) {
    case SIMPLE_V_FLOAT_madd: return isa_ieee_fma(e, width, s[0], s[1], s[2]);
    case SIMPLE_V_FLOAT_msub: return isa_ieee_fma(e, width, s[0], s[1], s[2] ^ bit);
    case SIMPLE_V_FLOAT_nmsub: return isa_ieee_fma(e, width, s[0] ^ bit, s[1], s[2]);
    case SIMPLE_V_FLOAT_nmadd: return isa_ieee_fma(e, width, s[0] ^ bit, s[1], s[2] ^ bit);
    case SIMPLE_V_FLOAT_add: return isa_ieee_add(e, width, s[0], s[1]);
    case SIMPLE_V_FLOAT_sub: return isa_ieee_add(e, width, s[0], s[1] ^ bit);
    case SIMPLE_V_FLOAT_mul: return isa_ieee_mul(e, width, s[0], s[1]);
    case SIMPLE_V_FLOAT_div: return isa_ieee_div(e, width, s[0], s[1]);
    case SIMPLE_V_FLOAT_sqrt: return isa_ieee_sqrt(e, width, s[0]);
    case SIMPLE_V_FLOAT_sgnj:
    case SIMPLE_V_FLOAT_sgnjn:
    case SIMPLE_V_FLOAT_sgnjx: return signed_as(op, width, s[0], s[1]);
    case SIMPLE_V_FLOAT_min: return isa_ieee_min(e, width, s[0], s[1], false);
    case SIMPLE_V_FLOAT_max: return isa_ieee_min(e, width, s[0], s[1], true);
    case SIMPLE_V_FLOAT_rsqrt: return isa_ieee_rsqrt(e, width, s[0]);
    case SIMPLE_V_FLOAT_recip: {
        /* As wide as x: of one the conversion is exact. */
        const uint64_t one = isa_ieee_from_integer(e, width, false, 1);
        return isa_ieee_div(e, width, one, s[0]);
    }
    default:
        return simple_v_has_two(op) ? simple_v_function_of_two(e, op, width, s[0], s[1])
                                    : simple_v_function(e, op, width, s[0]);
    }
}

static uint64_t test(struct isa_ieee *e, enum simple_v_float op, unsigned width, const uint64_t s[3])
{
    switch (op) {
    case SIMPLE_V_FLOAT_eq: return isa_ieee_equal(e, width, s[0], s[1]);
    case SIMPLE_V_FLOAT_lt: return isa_ieee_less(e, width, s[0], s[1], false);
    case SIMPLE_V_FLOAT_le: return isa_ieee_less(e, width, s[0], s[1], true);
    default: return isa_ieee_class(width, s[0]);
    }
}

/* An operation's own rounding; of those that round nothing none is asked for. */
static bool rounds(enum simple_v_float op)
{
    return op < SIMPLE_V_FLOAT_sgnj || op >= SIMPLE_V_FLOAT_rsqrt;
}

bool simple_v_element_float(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s, bool *zero)
{
    const struct simple_v_context *x = &m->x;
    const enum simple_v_float op = (enum simple_v_float)x->row->op;
    const unsigned width = x->float_width;
    struct isa_ieee e = {0};
    uint64_t sources[3] = {0};
    for (unsigned n = SIMPLE_V_RD; n < SIMPLE_V_PLACES; n++)
        if (x->operand[n].there && !x->operand[n].integer && x->operand[n].width == BYTE)
            return simple_v_machine_illegal(m, "floats of 8 bits");
    if (op == SIMPLE_V_FLOAT_convert)
        return convert(m, i, j, s, zero);
    if (op == SIMPLE_V_FLOAT_move)
        return move(m, i, j, s, zero);
    if (rounds(op) && !simple_v_rounding_of(m, &e))
        return false;
    for (unsigned n = 0; n < 3; n++) {
        const struct simple_v_operand_context *o = &x->operand[SIMPLE_V_RS1 + n];
        if (!o->there)
            continue;
        if (o->integer) { /* of FPOWN and FROOTN, with its sign */
            if (!simple_v_read(m, o, simple_v_index(m, o, i, s), &sources[n]))
                return false;
            sources[n] = simple_v_extend(sources[n], o->width, true);
            continue;
        }
        if (!read_float(m, o, i, s, &sources[n]))
            return false;
        if (o->width != width) /* a wider one is exact */
            sources[n] = isa_ieee_convert(&e, o->width, width, sources[n]);
    }
    const bool tests = x->operand[SIMPLE_V_RD].integer;
    const uint64_t out = tests ? test(&e, op, width, sources) : arithmetic(&e, op, width, sources);
    simple_v_raise(m, &e);
    return tests ? put_integer(m, j, s, out, false, zero) : put_float(m, j, s, width, out, zero);
}
