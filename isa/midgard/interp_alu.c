/* Bundles: two stages, each of which reads before it writes. */
#include <string.h>

#include "isa/midgard/interp_internal.h"
#include "isa/sfu.h"
#include "util/bits.h"

/* What a unit has to write: bytes of its register, in every lane. */
struct outcome {
    uint8_t bytes[16][16]; /* by lane */
    struct midgard_kept kept[16];
    uint16_t enable;
};

/* One lane's operands. */
struct operands {
    uint64_t a[16], b[16];
    struct midgard_words from[2];    /* registers of a and b */
    uint32_t condition[4];           /* r31 as the first stage left it */
    bool singles;                    /* elements of 16 bits stand as singles */
    unsigned elements, width, first; /* first: element of r31 that goes with the first of them */
    uint8_t mode;
};

/* Tests give truth values as wide as an element. */
static uint64_t lane_op(const struct operands *o, struct isa_lane_op op, const uint64_t source[3])
{
    if (!o->singles)
        return isa_op_lane(op, source);
    op.shape = ISA_F32;
    return isa_op_lane(op, source) & (isa_op_rows[op.op].kind == ISA_OP_FTEST ? 0xffff : UINT32_MAX);
}

static uint64_t plain(const struct midgard_alu_info *info, const struct operands *o, uint64_t a, uint64_t b)
{
    const uint64_t source[3] = {a, b, 0};
    return lane_op(o, info->op[o->mode], source);
}

static uint64_t float_op(const struct operands *o, uint8_t op, uint64_t a, uint64_t b)
{
    static const uint8_t shapes[4] = {ISA_F16, ISA_F16, ISA_F32, ISA_F64};
    return midgard_lane_op(op, o->singles ? ISA_F32 : shapes[o->mode], 0, a, b);
}

/* ---- sums of products, reductions ---- */

static uint64_t dot(const struct operands *o, unsigned count, bool reverse)
{
    uint64_t sum = 0;
    count = UTIL_MIN(count, o->elements);
    for (unsigned n = 0; n < count; n++) {
        unsigned e = reverse ? count - 1 - n : n;
        uint64_t product = float_op(o, ISA_OP_fmul, o->a[e], o->b[e]);
        sum = n ? float_op(o, ISA_OP_fadd, sum, product) : product;
    }
    return sum;
}

static uint64_t sum(const struct operands *o)
{
    uint64_t out = o->a[0];
    for (unsigned e = 1; e < UTIL_MIN(4u, o->elements); e++)
        out = float_op(o, ISA_OP_fadd, out, o->a[e]);
    return out;
}

static uint64_t reduction(const struct midgard_alu_info *info, const struct operands *o)
{
    bool all = info->form == MIDGARD_FORM_ALL, out = all;
    for (unsigned e = 0; e < UTIL_MIN(4u, o->elements); e++) {
        bool holds = plain(info, o, o->a[e], o->b[e]) != 0;
        out = all ? out && holds : out || holds;
    }
    return out ? midgard_bits_of(o->width) : 0;
}

/* ---- integers ---- */

static int64_t lower(const struct operands *o, uint64_t x, bool is_signed)
{
    unsigned half = o->width / 2;
    x <<= 64 - half;
    return is_signed ? (int64_t)x >> (64 - half) : (int64_t)(x >> (64 - half));
}

static uint64_t wide(const struct midgard_alu_info *info, const struct operands *o, unsigned e)
{
    int64_t a = lower(o, o->a[e], info->form != MIDGARD_FORM_WIDE_UNSIGNED);
    int64_t b = lower(o, o->b[e], info->form == MIDGARD_FORM_WIDE);
    return (uint64_t)a * (uint64_t)b & midgard_bits_of(o->width);
}

/* ---- selections ---- */

static uint64_t condition_of(const struct operands *o, unsigned e)
{
    uint64_t out = 0;
    memcpy(&out, (const uint8_t *)o->condition + (o->first + e) * o->width / 8, o->width / 8);
    return out;
}

static bool takes_a(const struct midgard_alu_info *info, const struct operands *o, unsigned e)
{
    return info->form == MIDGARD_FORM_SELECT ? o->condition[3] != 0 : condition_of(o, e) != 0;
}

static uint64_t selection(const struct midgard_alu_info *info, const struct operands *o, unsigned e)
{
    uint64_t each = condition_of(o, e);
    if (info->form == MIDGARD_FORM_SELECT_BITS)
        return (o->a[e] & each) | (o->b[e] & ~each);
    return takes_a(info, o, e) ? o->a[e] : o->b[e];
}

/* ---- functions, as singles ---- */

static uint32_t quiet(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : x;
}

static uint32_t arc_first(uint32_t y, uint32_t x, unsigned e)
{
    bool left = util_u2f(x) < 0;
    switch (e & 3) {
    case 0: return left ? 0x40490fdb | (y & 0x80000000) : 0;
    case 1: return 0;
    case 2: return y;
    default: return (uint32_t)midgard_lane_op(ISA_OP_frcp, ISA_F32, 0, x, 0);
    }
}

static uint32_t function(const struct midgard_alu_info *info, uint32_t a, uint32_t b, unsigned e)
{
    const uint32_t half = 0x3f000000;
    switch (info->form) {
    case MIDGARD_FORM_EXP2: return quiet(isa_exp2(a));
    case MIDGARD_FORM_LOG2: return quiet(isa_log2(a));
    case MIDGARD_FORM_SIN: return quiet(isa_sin_turns(midgard_product(a, half)));
    case MIDGARD_FORM_COS: return quiet(isa_cos_turns(midgard_product(a, half)));
    case MIDGARD_FORM_ARC_FIRST: return quiet(arc_first(a, b, e));
    default: return (uint32_t)midgard_lane_op(ISA_OP_fadd, ISA_F32, 0, quiet(isa_atan(b)), a);
    }
}

/* A half's function is the single's, rounded. */
static uint64_t of_singles(const struct midgard_alu_info *info, const struct operands *o, unsigned e)
{
    if (o->singles) /* a NaN's sign is none */
        return function(info, quiet((uint32_t)o->a[e]), quiet((uint32_t)o->b[e]), e);
    if (o->mode == MIDGARD_MODE_32)
        return function(info, (uint32_t)o->a[e], (uint32_t)o->b[e], e);
    return midgard_to_half(
        function(info, midgard_of_half((uint32_t)o->a[e]), midgard_of_half((uint32_t)o->b[e]), e));
}

/* ---- operations ---- */

static uint64_t magnitude(const struct operands *o, uint64_t x)
{
    return x & ~(1ull << (o->singles ? 31 : o->width - 1));
}

static uint64_t operation(const struct midgard_alu_info *info, const struct operands *o, unsigned e)
{
    uint64_t a = o->a[e], b = o->b[e];
    const uint64_t fused[3] = {o->a[0], o->a[1], b};
    switch (info->form) {
    case MIDGARD_FORM_MOVE: return b;
    case MIDGARD_FORM_MAGNITUDES: return plain(info, o, magnitude(o, a), magnitude(o, b));
    case MIDGARD_FORM_DOUBLED: return plain(info, o, a << 1 & midgard_bits_of(o->width), b);
    case MIDGARD_FORM_FUSED: return lane_op(o, info->op[o->mode], fused);
    case MIDGARD_FORM_DOT3: return dot(o, 3, false);
    case MIDGARD_FORM_DOT3_REVERSE: return dot(o, 3, true);
    case MIDGARD_FORM_DOT4: return dot(o, 4, false);
    case MIDGARD_FORM_SUM4: return sum(o);
    case MIDGARD_FORM_WIDE:
    case MIDGARD_FORM_WIDE_UNSIGNED:
    case MIDGARD_FORM_WIDE_MIXED: return wide(info, o, e);
    case MIDGARD_FORM_CHOOSE: return o->a[b % o->elements];
    case MIDGARD_FORM_ALL:
    case MIDGARD_FORM_ANY: return reduction(info, o);
    case MIDGARD_FORM_SELECT:
    case MIDGARD_FORM_SELECT_EACH:
    case MIDGARD_FORM_SELECT_BITS: return selection(info, o, e);
    case MIDGARD_FORM_EXP2:
    case MIDGARD_FORM_LOG2:
    case MIDGARD_FORM_SIN:
    case MIDGARD_FORM_COS:
    case MIDGARD_FORM_ARC_FIRST:
    case MIDGARD_FORM_ARC_SECOND: return of_singles(info, o, e);
    default: return plain(info, o, a, b);
    }
}

/* ---- units ---- */

static bool take_operands(const struct midgard_alu *u, const struct midgard_alu_info *info, bool scalar,
                          struct operands *o)
{
    const struct midgard_words *a = &o->from[0], *b = &o->from[1];
    bool floats = info->float_in;
    if (scalar)
        o->a[0] = midgard_operand_scalar(&u->a, floats, a);
    else if (!midgard_operand_vector(&u->a, o->mode, floats, o->singles, a, o->a))
        return false;
    for (unsigned e = 0; u->immediate && e < o->elements; e++)
        o->b[e] = midgard_operand_immediate(u, o->mode, floats, o->singles);
    if (scalar && !u->immediate)
        o->b[0] = midgard_operand_scalar(&u->b, floats, b);
    else if (!u->immediate && !midgard_operand_vector(&u->b, o->mode, floats, o->singles, b, o->b))
        return false;
    return true;
}

/* Whether results are halves that are kept as singles. */
static bool keeps(const struct midgard_machine *m, const struct midgard_alu_info *info,
                  const struct operands *o, bool narrow)
{
    const bool rounded = info->op[o->mode].policy & ISA_OP_ROUNDING;
    return !m->rounds && info->float_out && (narrow ? o->mode == MIDGARD_MODE_32 && !rounded : o->singles);
}

/* What the results are in one lane's register. */
static bool put_results(const struct midgard_machine *m, const struct midgard_alu *u,
                        const struct midgard_alu_info *info, bool scalar, const struct operands *o,
                        uint8_t bytes[16], struct midgard_kept *kept)
{
    bool narrow = scalar ? !u->full : u->shrink != MIDGARD_SHRINK_NONE;
    unsigned size = narrow ? o->width / 16 : o->width / 8;
    unsigned base = scalar ? (u->full ? u->component / 2u * 4 : u->component * 2u)
                           : (narrow && u->shrink == MIDGARD_SHRINK_UPPER ? 8 : 0);
    for (unsigned e = 0; e < o->elements; e++) {
        const unsigned byte = base + e * size;
        uint64_t value = operation(info, o, e);
        if (keeps(m, info, o, narrow))
            value = midgard_keep(kept, byte / 2, midgard_clamped_single(u->outmod, (uint32_t)value));
        else if (!midgard_result(info, o->mode, u->outmod, narrow, &value))
            return false;
        else if (!m->rounds)
            midgard_carry(u, info, scalar, o->from, e, takes_a(info, o, e), byte / 2, kept);
        memcpy(&bytes[byte], &value, size);
    }
    return true;
}

/* Bytes of the register that are written (rule 7). */
static uint16_t written(const struct midgard_alu *u, bool scalar)
{
    uint16_t out = 0;
    if (scalar)
        return u->full ? (uint16_t)(15u << (u->component / 2u * 4)) : (uint16_t)(3u << u->component * 2u);
    if (u->shrink != MIDGARD_SHRINK_NONE)
        return u->shrink == MIDGARD_SHRINK_UPPER ? (uint16_t)(u->mask << 8) : u->mask;
    for (unsigned n = 0; n < 8; n++)
        out |= (uint16_t)((u->mask >> n & 1 ? 3u : 0u) << 2 * n);
    return out;
}

static enum midgard_fault unit_fault(const struct midgard_alu *u, const struct midgard_alu_info *info,
                                     bool scalar, uint8_t mode)
{
    if (info && info->form == MIDGARD_FORM_UNKNOWN)
        return MIDGARD_FAULT_UNSUPPORTED;
    return !info || !info->modes[mode] || (!scalar && u->shrink > MIDGARD_SHRINK_NONE)
               ? MIDGARD_FAULT_RESERVED
               : MIDGARD_OK;
}

static void unit(struct midgard_machine *m, enum midgard_unit n, const uint32_t counter[4][16],
                 struct outcome *out)
{
    const struct midgard_alu *u = &m->insn->alu[n];
    const struct midgard_alu_info *info = midgard_alu_info(u->op);
    bool scalar = midgard_is_scalar(n);
    uint8_t mode = scalar ? MIDGARD_MODE_32 : u->mode;
    enum midgard_fault fault = unit_fault(u, info, scalar, mode);
    out->enable = fault ? 0 : written(u, scalar);
    for (unsigned l = 0; l < 16 && !fault; l++) {
        struct operands o = {.mode = mode,
                             .width = 8u << mode,
                             .elements = scalar ? 1 : 16u >> mode,
                             .first = scalar ? u->component / 2u : 0};
        if (!(m->lanes >> l & 1))
            continue;
        o.singles = !m->rounds && mode == MIDGARD_MODE_16 && midgard_by_singles(info, u->outmod);
        midgard_operand_words(m, u->a.reg, counter, l, &o.from[0]);
        midgard_operand_words(m, u->b.reg, counter, l, &o.from[1]);
        for (unsigned c = 0; c < 4; c++)
            o.condition[c] = m->state->reg[MIDGARD_R_SELECT][c][l];
        if (!take_operands(u, info, scalar, &o) ||
            !put_results(m, u, info, scalar, &o, out->bytes[l], &out->kept[l]))
            fault = MIDGARD_FAULT_RESERVED;
    }
    if (fault)
        midgard_machine_fault(m, fault);
}

static void write_outcome(struct midgard_machine *m, uint8_t reg, const struct outcome *out)
{
    for (unsigned l = 0; l < 16; l++) {
        uint32_t words[4];
        if (!(m->lanes >> l & 1))
            continue;
        for (unsigned c = 0; c < 4; c++)
            words[c] = m->state->reg[reg][c][l];
        for (unsigned n = 0; n < 16; n++)
            if (out->enable >> n & 1)
                ((uint8_t *)words)[n] = out->bytes[l][n];
        for (unsigned c = 0; c < 4; c++)
            m->state->reg[reg][c][l] = words[c];
        for (unsigned n = 0; n < MIDGARD_HALVES; n++) {
            const struct midgard_kept none = {.held = 0};
            const unsigned bytes = out->enable >> 2 * n & 3;
            if (bytes)
                midgard_machine_put_half(m, reg, l, n, bytes == 3 ? &out->kept[l] : &none);
        }
    }
}

static void stage(struct midgard_machine *m, enum midgard_unit first, enum midgard_unit end,
                  const uint32_t counter[4][16])
{
    struct outcome out[MIDGARD_ALU_UNITS];
    memset(out, 0, sizeof out);
    for (unsigned n = first; n < end; n++)
        if (midgard_has(m->insn, (enum midgard_unit)n))
            unit(m, (enum midgard_unit)n, counter, &out[n]);
    for (unsigned n = first; n < end && !m->report->fault; n++)
        if (midgard_has(m->insn, (enum midgard_unit)n))
            write_outcome(m, m->insn->alu[n].dest, &out[n]);
}

/* r24, r25 and the conditions are the bundle's own. */
static void forget(struct midgard_machine *m)
{
    static const uint8_t own[] = {MIDGARD_R_FORWARD, MIDGARD_R_FORWARD + 1, MIDGARD_R_SELECT};
    static const uint32_t zero[4][16];
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(own); n++)
        midgard_machine_write(m, own[n], 15, zero);
}

void midgard_machine_bundle(struct midgard_machine *m)
{
    uint32_t counter[4][16];
    forget(m);
    midgard_machine_counter(m, counter);
    stage(m, MIDGARD_VMUL, MIDGARD_VADD, counter);
    if (!m->report->fault)
        stage(m, MIDGARD_VADD, MIDGARD_ALU_UNITS, counter);
}
