/* Operands, and the classes of operations that are lane operations with modifiers. */
#include "isa/warp/alu_internal.h"

#include "util/bits.h"

static uint64_t low(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((1ull << bits) - 1) : value;
}

/* ---- operands ---- */

static uint64_t widen(uint64_t value, unsigned from, unsigned to, const struct warp_type_info *type)
{
    static const struct isa_lane_op single = {ISA_OP_f16_to_f32, ISA_F16, ISA_OP_QUIET};
    const uint64_t source[3] = {value};
    if (from == to)
        return value;
    if (type->is_float)
        return isa_op_lane(single, source);
    const uint64_t sign = 1ull << ((from - 1) & 63);
    return type->is_signed ? low((value ^ sign) - sign, to) : value;
}

uint64_t warp_operand(const struct warp_insn *i, unsigned n, uint64_t raw)
{
    const struct warp_source *s = &i->source[n];
    const struct warp_type_info *type = &warp_types[warp_rows[i->op].source[n]];
    const unsigned bits = isa_shape_width(type->shape), elements = isa_shape_elements(type->shape);
    uint64_t out = 0;
    for (unsigned e = 0; e < elements; e++) {
        uint64_t value = widen(low(raw >> s->lane[e] * s->width, s->width), s->width, bits, type);
        const uint64_t sign = 1ull << (bits - 1);
        value = s->absolute ? value & ~sign : value;
        value = s->negate ? value ^ sign : value;
        out |= value << (e * bits & 63);
    }
    return s->invert ? low(~out, bits * elements) : out;
}

/* ---- classes ---- */

static uint64_t clamped(const struct warp_insn *i, uint64_t value)
{
    const struct isa_lane_op op = warp_clamping(i);
    return op.op == ISA_OP_COUNT ? value : isa_op_lane(op, (const uint64_t[3]){value});
}

static uint64_t compare(const struct warp_insn *i, const uint64_t *s, enum warp_truth truth)
{
    const enum warp_type type = warp_rows[i->op].source[0];
    struct isa_lane_op test = warp_test(i, type, truth);
    const uint64_t same[3] = {0, 0};
    if (test.op != ISA_OP_COUNT)
        return isa_op_lane(test, s);
    test.op = ISA_OP_ieq; /* always */
    return isa_op_lane(test, same);
}

/* Where both are equal the comparison of what is lower decides, whatever its truth is. */
static uint64_t compare_more(const struct warp_insn *i, const uint64_t *s)
{
    struct warp_insn lower = *i;
    lower.condition = WARP_NE;
    return s[0] == s[1] ? compare(&lower, (const uint64_t[3]){s[2], 0}, i->truth) : compare(i, s, i->truth);
}

static uint64_t bitwise(uint8_t op, uint8_t shape, uint64_t x, uint64_t y)
{
    return isa_op_lane((struct isa_lane_op){op, shape, 0}, (const uint64_t[3]){x, y});
}

static uint8_t int_shape(enum warp_type type)
{
    const struct warp_type_info *t = &warp_types[type];
    return !t->is_float            ? t->shape
           : t->shape == ISA_V2F16 ? ISA_V2I16
           : t->shape == ISA_F16   ? ISA_I16
                                   : ISA_I32;
}

static uint64_t shift(const struct warp_insn *i, const uint64_t *s)
{
    const struct warp_row *row = &warp_rows[i->op];
    const uint8_t shape = warp_types[row->type].shape;
    uint64_t out = isa_op_lane(warp_lane_op(i), s);
    out = bitwise(row->second, shape, out, s[2]);
    return i->not_result ? bitwise(ISA_OP_inot, shape, out, 0) : out;
}

/* Element by element: `yes` where the mask has ones. */
static uint64_t choose(uint64_t mask, uint64_t yes, uint64_t no)
{
    return (yes & mask) | (no & ~mask);
}

/* Whether MUX takes the first, all ones of an element. */
static uint64_t mux_mask(const struct warp_insn *i, uint64_t what)
{
    const enum warp_type type = warp_rows[i->op].type;
    const uint8_t shape = warp_types[type].shape;
    const unsigned bits = isa_shape_width(shape);
    const uint64_t zeros[2] = {0};
    uint64_t signs = 0;
    for (unsigned e = 0; e < isa_shape_elements(shape); e++)
        signs |= 1ull << ((e + 1) * bits - 1);
    switch (i->mux) {
    case WARP_MUX_NEG: return bitwise(ISA_OP_igt, shape, zeros[0], what);
    case WARP_MUX_INT_ZERO: return bitwise(ISA_OP_ieq, shape, what, zeros[0]);
    case WARP_MUX_FP_ZERO: return bitwise(ISA_OP_ieq, shape, what & ~signs, zeros[0]);
    default: return what;
    }
}

uint64_t warp_compute(const struct warp_insn *i, const uint64_t s[WARP_SOURCES])
{
    const struct warp_row *row = &warp_rows[i->op];
    switch (row->class) {
    case WARP_COMPARE: return bitwise(row->op, int_shape(row->type), compare(i, s, i->truth), s[2]);
    case WARP_MULTI: return compare_more(i, s);
    case WARP_CHOOSE: return choose(compare(i, s, WARP_M1), s[2], s[3]);
    case WARP_MUX: return choose(mux_mask(i, s[2]), s[0], s[1]);
    case WARP_SHIFT: return shift(i, s);
    case WARP_FUNCTION: return clamped(i, warp_function(i, s));
    default: return clamped(i, isa_op_lane(warp_lane_op(i), s));
    }
}
