/* The arithmetic stages (README.md rules 3 to 6). */
#include <math.h>
#include <smmintrin.h>
#include <string.h>

#include "isa/sfu.h"
#include "isa/utgard_pp/interp_internal.h"
#include "util/bits.h"
#include "util/half.h"

void utgard_pp_machine_fault(struct utgard_pp_machine *m, enum utgard_pp_fault fault, unsigned lane)
{
    if (m->report->fault)
        return;
    m->report->fault = fault;
    m->report->lane = lane;
}

static unsigned first_lane(const struct utgard_pp_machine *m)
{
    return (unsigned)__builtin_ctz(m->lanes);
}

static void reserved(struct utgard_pp_machine *m)
{
    utgard_pp_machine_fault(m, UTGARD_PP_FAULT_RESERVED, first_lane(m));
}

/* ---- operands ---- */

static const uint32_t *component(const struct utgard_pp_machine *m, uint8_t reg, unsigned c)
{
    return reg < UTGARD_PP_REGISTERS ? m->state->reg[reg][c] : m->special[reg - UTGARD_PP_REGISTERS][c];
}

uint32_t utgard_pp_machine_scalar(const struct utgard_pp_machine *m, uint8_t reg, unsigned lane)
{
    return component(m, reg >> 2, reg & 3)[lane];
}

static uint32_t signs(uint32_t x, bool absolute, bool negate)
{
    x = absolute ? x & 0x7fffffff : x;
    return negate ? x ^ 0x80000000 : x;
}

/* Component n of a vector operand; `from`, if not NULL, takes the register's place. */
static void vector_operand(const struct utgard_pp_machine *m, const struct utgard_pp_vector *v, unsigned n,
                           const uint32_t (*from)[16], uint32_t out[16])
{
    unsigned c = v->swizzle >> 2 * n & 3;
    const uint32_t *source = from ? from[c] : component(m, v->reg, c);
    for (unsigned l = 0; l < 16; l++)
        out[l] = signs(source[l], v->absolute, v->negate);
}

static void scalar_operand(const struct utgard_pp_machine *m, const struct utgard_pp_scalar *s,
                           const uint32_t *from, uint32_t out[16])
{
    const uint32_t *source = from ? from : component(m, s->reg >> 2, s->reg & 3);
    for (unsigned l = 0; l < 16; l++)
        out[l] = signs(source[l], s->absolute, s->negate);
}

uint32_t utgard_pp_machine_result(const struct utgard_pp_machine *m, uint32_t value)
{
    if (m->ports->numeric != ISA_EXACT)
        return value;
    return util_f2u(util_round_to_half(util_u2f(value)));
}

void utgard_pp_machine_write(struct utgard_pp_machine *m, uint8_t reg, unsigned c, const uint32_t value[16])
{
    if (reg >= UTGARD_PP_REGISTERS) {
        reserved(m);
        return;
    }
    for (unsigned l = 0; l < 16; l++)
        if (m->lanes >> l & 1)
            m->state->reg[reg][c][l] = utgard_pp_machine_result(m, value[l]);
}

/* ---- operations ---- */

static uint32_t truth(bool yes)
{
    return yes ? 0x3f800000 : 0;
}

static uint32_t clamped(uint8_t mod, uint32_t x)
{
    float f = util_u2f(x);
    switch (mod) {
    case UTGARD_PP_MOD_SAT: f = f > 0.0f ? f : 0.0f; return util_f2u(f < 1.0f ? f : 1.0f);
    case UTGARD_PP_MOD_POS: return util_f2u(f > 0.0f ? f : 0.0f);
    case UTGARD_PP_MOD_INT:
        return util_f2u(_mm_cvtss_f32(
            _mm_round_ss(_mm_setzero_ps(), _mm_set_ss(f), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)));
    default: return x;
    }
}

/* What leaves a unit for a register: its result, then clamped or made whole. */
static uint32_t modified(const struct utgard_pp_machine *m, uint8_t mod, uint32_t x)
{
    return clamped(mod, utgard_pp_machine_result(m, x));
}

static float whole_below(float x)
{
    return _mm_cvtss_f32(_mm_floor_ss(_mm_setzero_ps(), _mm_set_ss(x)));
}

static float whole_above(float x)
{
    return _mm_cvtss_f32(_mm_ceil_ss(_mm_setzero_ps(), _mm_set_ss(x)));
}

static uint32_t multiply(struct utgard_pp_machine *m, uint8_t op, uint32_t a, uint32_t b)
{
    static const float scale[8] = {1, 2, 4, 8, 0.0625f, 0.125f, 0.25f, 0.5f};
    float x = util_u2f(a), y = util_u2f(b);
    switch (op) {
    case UTGARD_PP_MUL_NOT: return truth(x == 0);
    case UTGARD_PP_MUL_AND: return truth(x != 0 && y != 0);
    case UTGARD_PP_MUL_OR: return truth(x != 0 || y != 0);
    case UTGARD_PP_MUL_XOR: return truth((x != 0) != (y != 0));
    case UTGARD_PP_MUL_NE: return truth(x < y || x > y);
    case UTGARD_PP_MUL_GT: return truth(x > y);
    case UTGARD_PP_MUL_GE: return truth(x >= y);
    case UTGARD_PP_MUL_EQ: return truth(x == y);
    case UTGARD_PP_MUL_MIN: return x < y || isnan(y) ? a : b;
    case UTGARD_PP_MUL_MAX: return x > y || isnan(y) ? a : b;
    case UTGARD_PP_MUL_MOV: return a;
    default: break;
    }
    if (op >= 8) {
        reserved(m);
        return 0;
    }
    float product = x * y;
    return util_f2u(op ? product * scale[op] : product);
}

static uint32_t add(struct utgard_pp_machine *m, uint8_t op, uint32_t a, uint32_t b, uint32_t select)
{
    float x = util_u2f(a), y = util_u2f(b);
    switch (op) {
    case UTGARD_PP_ADD: return util_f2u(x + y);
    case UTGARD_PP_ADD_FRACT: return util_f2u(x - whole_below(x));
    case UTGARD_PP_ADD_NE: return truth(x < y || x > y);
    case UTGARD_PP_ADD_GT: return truth(x > y);
    case UTGARD_PP_ADD_GE: return truth(x >= y);
    case UTGARD_PP_ADD_EQ: return truth(x == y);
    case UTGARD_PP_ADD_FLOOR: return util_f2u(whole_below(x));
    case UTGARD_PP_ADD_CEIL: return util_f2u(whole_above(x));
    case UTGARD_PP_ADD_MIN: return x < y || isnan(y) ? a : b;
    case UTGARD_PP_ADD_MAX: return x > y || isnan(y) ? a : b;
    case UTGARD_PP_ADD_SEL: return util_u2f(select) != 0 ? a : b;
    case UTGARD_PP_ADD_MOV: return a;
    default: reserved(m); return 0;
    }
}

void utgard_pp_machine_fill_quads(const struct utgard_pp_machine *m, uint32_t value[16])
{
    for (unsigned q = 0; q < 16; q += 4) {
        unsigned in = m->lanes >> q & 15;
        for (unsigned l = 0; in && l < 4; l++)
            if (!(in >> l & 1))
                value[q + l] = value[q + (unsigned)__builtin_ctz(in)];
    }
}

/* a of the pixel on the right (above), plus b of that on the left (below): compilers give a value and its
 * negative; dfdy has them the other way round. */
static void derive(const struct utgard_pp_machine *m, bool y, uint32_t a[16], uint32_t b[16],
                   uint32_t out[16])
{
    unsigned bit = y ? 2 : 1;
    utgard_pp_machine_fill_quads(m, a);
    utgard_pp_machine_fill_quads(m, b);
    for (unsigned l = 0; l < 16; l++) {
        float high = util_u2f(y ? b[l | bit] : a[l | bit]), low = util_u2f(y ? a[l & ~bit] : b[l & ~bit]);
        out[l] = util_f2u(high + low);
    }
}

/* ---- stages ---- */

/* ^v0, not rounded. */
static void vector_multiply(struct utgard_pp_machine *m, const struct utgard_pp_insn *i,
                            uint32_t product[4][16])
{
    for (unsigned n = 0; n < 4; n++) {
        uint32_t a[16], b[16];
        vector_operand(m, &i->vmul.a, n, NULL, a);
        vector_operand(m, &i->vmul.b, n, NULL, b);
        for (unsigned l = 0; l < 16; l++) {
            product[n][l] = multiply(m, i->vmul.op, a[l], b[l]);
            m->vmul[n][l] = clamped(i->vmul.mod, product[n][l]);
        }
    }
}

/* ^s0. */
static void scalar_multiply(struct utgard_pp_machine *m, const struct utgard_pp_insn *i, uint32_t product[16])
{
    uint32_t a[16], b[16];
    scalar_operand(m, &i->smul.a, NULL, a);
    scalar_operand(m, &i->smul.b, NULL, b);
    for (unsigned l = 0; l < 16; l++) {
        product[l] = multiply(m, i->smul.op, a[l], b[l]);
        m->smul[l] = clamped(i->smul.mod, product[l]);
    }
}

static void write_modified(struct utgard_pp_machine *m, uint8_t reg, unsigned c, uint8_t mod,
                           const uint32_t value[16])
{
    uint32_t out[16];
    for (unsigned l = 0; l < 16; l++)
        out[l] = modified(m, mod, value[l]);
    utgard_pp_machine_write(m, reg, c, out);
}

static void multipliers(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    bool vector = utgard_pp_has(i, UTGARD_PP_VMUL), scalar = utgard_pp_has(i, UTGARD_PP_SMUL);
    uint32_t product[4][16], one[16];
    if (vector)
        vector_multiply(m, i, product);
    if (scalar)
        scalar_multiply(m, i, one);
    for (unsigned n = 0; vector && n < 4; n++)
        if (i->vmul.mask >> n & 1)
            write_modified(m, i->vmul.dest, n, i->vmul.mod, product[n]);
    if (scalar && i->smul.writes)
        write_modified(m, i->smul.dest >> 2, i->smul.dest & 3, i->smul.mod, one);
}

/* Whether an accumulator's operation takes a product as it is, before it is rounded. */
static bool adds(uint8_t op)
{
    return op == UTGARD_PP_ADD || op == UTGARD_PP_ADD_SUM3 || op == UTGARD_PP_ADD_SUM4 ||
           op == UTGARD_PP_ADD_DFDX || op == UTGARD_PP_ADD_DFDY;
}

/* ^v0 or ^s0 as the operation takes it. */
static void multiplied(const struct utgard_pp_machine *m, uint8_t op, const uint32_t product[16],
                       uint32_t out[16])
{
    for (unsigned l = 0; l < 16; l++)
        out[l] = adds(op) ? product[l] : utgard_pp_machine_result(m, product[l]);
}

/* The sum of the first three or four components of a, in order. */
static void sum(struct utgard_pp_machine *m, const struct utgard_pp_insn *i, uint32_t out[4][16])
{
    unsigned count = i->vadd.op == UTGARD_PP_ADD_SUM3 ? 3 : 4;
    uint32_t term[16], total[16];
    for (unsigned n = 0; n < count; n++) {
        vector_operand(m, &i->vadd.a, n, i->vadd.mul_in ? m->vmul : NULL, term);
        for (unsigned l = 0; l < 16; l++)
            total[l] = n ? util_f2u(util_u2f(total[l]) + util_u2f(term[l])) : term[l];
    }
    for (unsigned n = 0; n < 4; n++)
        for (unsigned l = 0; l < 16; l++)
            out[n][l] = modified(m, i->vadd.mod, total[l]);
}

static void accumulate(struct utgard_pp_machine *m, uint8_t op, uint8_t mod, uint32_t a[16], uint32_t b[16],
                       uint32_t out[16])
{
    if (op == UTGARD_PP_ADD_DFDX || op == UTGARD_PP_ADD_DFDY) {
        derive(m, op == UTGARD_PP_ADD_DFDY, a, b, out);
    } else {
        for (unsigned l = 0; l < 16; l++)
            out[l] = add(m, op, a[l], b[l], m->smul[l]);
    }
    for (unsigned l = 0; l < 16; l++)
        out[l] = modified(m, mod, out[l]);
}

static void vector_add(struct utgard_pp_machine *m, const struct utgard_pp_insn *i, uint32_t out[4][16])
{
    if (i->vadd.op == UTGARD_PP_ADD_SUM3 || i->vadd.op == UTGARD_PP_ADD_SUM4) {
        sum(m, i, out);
        return;
    }
    uint32_t product[4][16];
    for (unsigned n = 0; n < 4; n++)
        multiplied(m, i->vadd.op, m->vmul[n], product[n]);
    for (unsigned n = 0; n < 4; n++) {
        uint32_t a[16], b[16];
        vector_operand(m, &i->vadd.a, n, i->vadd.mul_in ? product : NULL, a);
        vector_operand(m, &i->vadd.b, n, NULL, b);
        accumulate(m, i->vadd.op, i->vadd.mod, a, b, out[n]);
    }
}

static void accumulators(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    bool vector = utgard_pp_has(i, UTGARD_PP_VADD), scalar = utgard_pp_has(i, UTGARD_PP_SADD);
    uint32_t out[4][16], one[16];
    if (vector)
        vector_add(m, i, out);
    if (scalar) {
        uint32_t a[16], b[16], product[16];
        multiplied(m, i->sadd.op, m->smul, product);
        scalar_operand(m, &i->sadd.a, i->sadd.mul_in ? product : NULL, a);
        scalar_operand(m, &i->sadd.b, NULL, b);
        accumulate(m, i->sadd.op, i->sadd.mod, a, b, one);
    }
    for (unsigned n = 0; vector && n < 4; n++)
        if (i->vadd.mask >> n & 1)
            utgard_pp_machine_write(m, i->vadd.dest, n, out[n]);
    if (scalar && i->sadd.writes)
        utgard_pp_machine_write(m, i->sadd.dest >> 2, i->sadd.dest & 3, one);
}

/* ---- combiner ---- */

/* Toward zero, to the bits that a half has. */
static uint32_t cut(const struct utgard_pp_machine *m, uint32_t value)
{
    return m->ports->numeric == ISA_EXACT ? value & ~0x1fffu : value;
}

static uint32_t function(struct utgard_pp_machine *m, uint8_t op, uint32_t x)
{
    switch (op) {
    case UTGARD_PP_COMBINE_RCP: return cut(m, util_f2u(1.0f / util_u2f(x)));
    case UTGARD_PP_COMBINE_MOV: return x;
    case UTGARD_PP_COMBINE_SQRT: return util_f2u(sqrtf(util_u2f(x)));
    case UTGARD_PP_COMBINE_RSQRT: return cut(m, util_f2u(1.0f / sqrtf(util_u2f(x))));
    case UTGARD_PP_COMBINE_EXP2: return cut(m, isa_exp2(x));
    case UTGARD_PP_COMBINE_LOG2: return cut(m, isa_log2(x));
    case UTGARD_PP_COMBINE_SIN: return cut(m, isa_sin_turns(x));
    case UTGARD_PP_COMBINE_COS: return cut(m, isa_cos_turns(x));
    default: reserved(m); return 0;
    }
}

/* First part of an arc tangent: numerator, one over the denominator, what is added at the end. */
static void atan_part1(struct utgard_pp_machine *m, uint8_t op, uint32_t y, uint32_t x, uint32_t out[4])
{
    float below = util_u2f(x);
    bool nan = (y & 0x7fffffff) > 0x7f800000; /* which cannot be seen, not even by its sign */
    uint32_t pi = 0x40490fdb | (nan ? 0 : y & 0x80000000);
    bool two = op == UTGARD_PP_COMBINE_ATAN2;
    if (op != UTGARD_PP_COMBINE_ATAN && !two)
        reserved(m);
    out[0] = y;
    out[1] = two ? cut(m, util_f2u(1.0f / below)) : 0x3f800000;
    out[2] = two && below < 0 ? pi : 0;
    out[3] = 0;
}

static void combine_lane(struct utgard_pp_machine *m, const struct utgard_pp_insn *i, unsigned l, uint32_t a,
                         uint32_t b, uint32_t out[4])
{
    uint32_t v[4];
    for (unsigned n = 0; n < 4; n++)
        v[n] = component(m, i->combine.b_vector, i->combine.b_swizzle >> 2 * n & 3)[l];
    switch (i->combine.kind) {
    case UTGARD_PP_COMBINE_SCALAR: out[0] = modified(m, i->combine.mod, function(m, i->combine.op, a)); break;
    case UTGARD_PP_COMBINE_VECTOR: atan_part1(m, i->combine.op, a, b, out); break;
    case UTGARD_PP_COMBINE_PART2:
        out[0] = util_f2u(util_u2f(isa_atan(v[0])) + util_u2f(v[2]));
        out[0] = modified(m, i->combine.mod, out[0]);
        break;
    default:
        for (unsigned n = 0; n < 4; n++)
            out[n] = util_f2u(util_u2f(a) * util_u2f(v[n]));
    }
}

static void combine(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    bool vector = i->combine.kind == UTGARD_PP_COMBINE_SCALE || i->combine.kind == UTGARD_PP_COMBINE_VECTOR;
    uint32_t a[16], b[16], out[4][16];
    scalar_operand(m, &i->combine.a, NULL, a);
    scalar_operand(m, &i->combine.b, NULL, b);
    for (unsigned l = 0; l < 16; l++) {
        uint32_t lane[4] = {0};
        combine_lane(m, i, l, a[l], b[l], lane);
        for (unsigned n = 0; n < 4; n++)
            out[n][l] = lane[n];
    }
    for (unsigned n = 0; vector && n < 4; n++)
        if (i->combine.mask >> n & 1)
            utgard_pp_machine_write(m, i->combine.vector_dest, n, out[n]);
    if (!vector)
        utgard_pp_machine_write(m, i->combine.dest >> 2, i->combine.dest & 3, out[0]);
}

static void constants(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    for (unsigned k = 0; k < 2; k++)
        for (unsigned n = 0; utgard_pp_has(i, (enum utgard_pp_field)(UTGARD_PP_CONST0 + k)) && n < 4; n++) {
            uint32_t value = util_f2u(util_half_to_float(util_half_flushed(i->constant[k][n])));
            for (unsigned l = 0; l < 16; l++)
                m->special[k][n][l] = value;
        }
}

void utgard_pp_machine_execute(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    memset(m->special, 0, sizeof m->special);
    memset(m->coordinates, 0, sizeof m->coordinates);
    memset(m->vmul, 0, sizeof m->vmul);
    memset(m->smul, 0, sizeof m->smul);
    constants(m, i);
    if (utgard_pp_has(i, UTGARD_PP_VARYING))
        utgard_pp_machine_varying(m, i);
    if (utgard_pp_has(i, UTGARD_PP_SAMPLER))
        utgard_pp_machine_sample(m, i);
    if (utgard_pp_has(i, UTGARD_PP_LOAD))
        utgard_pp_machine_load(m, i);
    multipliers(m, i);
    accumulators(m, i);
    if (utgard_pp_has(i, UTGARD_PP_COMBINE))
        combine(m, i);
    if (utgard_pp_has(i, UTGARD_PP_STORE))
        utgard_pp_machine_store(m, i);
}
