#include <math.h>

#include "isa/trans_op.h"
#include "isa/utgard_pp/names.h"
#include "isa/utgard_pp/trans_internal.h"
#include "isa/utgard_pp/trans_known.h"
#include "jit/math.h"
#include "util/bits.h"
#include "util/half.h"

static LLVMValueRef zero(struct utgard_pp_trans *t)
{
    return jit_splat_u32(t->b, 0);
}

static LLVMValueRef bits(struct utgard_pp_trans *t, uint32_t value)
{
    return jit_splat_u32(t->b, value);
}

static LLVMValueRef real(struct utgard_pp_trans *t, LLVMValueRef x)
{
    return jit_as_f32(t->b, x);
}

/* ---- lanes ---- */

LLVMValueRef utgard_pp_trans_result(struct utgard_pp_trans *t, LLVMValueRef value)
{
    if (t->ports->numeric != ISA_EXACT)
        return value;
    return jit_as_i32(t->b, jit_round_to_half(t->b, real(t, value)));
}

LLVMValueRef utgard_pp_trans_lanes(struct utgard_pp_trans *t, LLVMValueRef value)
{
    return LLVMTypeOf(value) == t->b->i32 ? jit_splat(t->b, value) : value;
}

void utgard_pp_trans_fault(struct utgard_pp_trans *t, LLVMValueRef bad, enum utgard_pp_fault fault)
{
    struct jit_builder *b = t->b;
    LLVMValueRef had = LLVMBuildLoad2(b->ir, b->i32, t->fault, "");
    LLVMValueRef lanes = jit_mask_to_bits(b, bad ? LLVMBuildAnd(b->ir, bad, t->mask, "") : t->mask);
    LLVMValueRef none = LLVMConstInt(b->i16, 0, false), first;
    LLVMValueRef args[2] = {lanes, LLVMConstInt(b->i1, 0, false)};

    first = LLVMBuildZExt(b->ir, jit_intrinsic(b, "llvm.cttz", &b->i16, 1, args, 2), b->i32, "");
    first = LLVMBuildShl(b->ir, first, jit_i32(b, ISA_FAULT_LANE), "");
    first = LLVMBuildOr(b->ir, first, jit_i32(b, isa_fault_pack(fault, 0, t->insn->at)), "");
    LLVMValueRef is_first = LLVMBuildICmp(b->ir, LLVMIntEQ, had, jit_i32(b, 0), "");
    is_first = LLVMBuildAnd(b->ir, is_first, LLVMBuildICmp(b->ir, LLVMIntNE, lanes, none, ""), "");
    LLVMBuildStore(b->ir, LLVMBuildSelect(b->ir, is_first, first, had, ""), t->fault);
    t->faults = true;
}

static void reserved(struct utgard_pp_trans *t)
{
    utgard_pp_trans_fault(t, NULL, UTGARD_PP_FAULT_RESERVED);
}

LLVMValueRef utgard_pp_trans_neighbour(struct utgard_pp_trans *t, LLVMValueRef value, unsigned keep,
                                       unsigned set)
{
    uint32_t from[16];
    for (uint32_t l = 0; l < 16; l++)
        from[l] = (l & (keep | 12)) | set;
    return LLVMBuildShuffleVector(t->b->ir, value, LLVMGetPoison(LLVMTypeOf(value)),
                                  jit_vector_u32(t->b, from), "");
}

LLVMValueRef utgard_pp_trans_fill_quads(struct utgard_pp_trans *t, LLVMValueRef value)
{
    LLVMValueRef fill;
    if (t->mask == LLVMConstAllOnes(t->b->i1x16))
        return value;
    fill = utgard_pp_trans_neighbour(t, value, 0, 3);
    for (unsigned l = 3; l-- > 0;)
        fill = jit_select(t->b, utgard_pp_trans_neighbour(t, t->mask, 0, l),
                          utgard_pp_trans_neighbour(t, value, 0, l), fill);
    return jit_select(t->b, t->mask, value, fill);
}

/* ---- operands ---- */

LLVMValueRef utgard_pp_trans_scalar(struct utgard_pp_trans *t, uint8_t reg)
{
    return t->reg[reg >> 2][reg & 3];
}

static LLVMValueRef signs(struct utgard_pp_trans *t, LLVMValueRef x, bool absolute, bool negate)
{
    if (absolute)
        x = LLVMBuildAnd(t->b->ir, x, bits(t, 0x7fffffff), "");
    return negate ? LLVMBuildXor(t->b->ir, x, bits(t, 0x80000000), "") : x;
}

static LLVMValueRef vector_operand(struct utgard_pp_trans *t, const struct utgard_pp_vector *v, unsigned n,
                                   const LLVMValueRef *from)
{
    unsigned c = v->swizzle >> 2 * n & 3;
    return signs(t, from ? from[c] : t->reg[v->reg][c], v->absolute, v->negate);
}

static LLVMValueRef scalar_operand(struct utgard_pp_trans *t, const struct utgard_pp_scalar *s,
                                   LLVMValueRef from)
{
    return signs(t, from ? from : utgard_pp_trans_scalar(t, s->reg), s->absolute, s->negate);
}

static void write_within(struct utgard_pp_trans *t, uint8_t reg, unsigned component, LLVMValueRef value,
                         float limit)
{
    if (reg >= UTGARD_PP_REGISTERS) {
        reserved(t);
        return;
    }
    t->reg[reg][component] = value;
    t->limit[reg][component] = limit;
}

void utgard_pp_trans_write(struct utgard_pp_trans *t, uint8_t reg, unsigned component, LLVMValueRef value)
{
    write_within(t, reg, component, value, INFINITY);
}

/* ---- operations ---- */

static LLVMValueRef compare(struct utgard_pp_trans *t, LLVMRealPredicate predicate, LLVMValueRef x,
                            LLVMValueRef y)
{
    return LLVMBuildFCmp(t->b->ir, predicate, real(t, x), real(t, y), "");
}

static LLVMValueRef modified(struct utgard_pp_trans *t, uint8_t mod, LLVMValueRef x)
{
    LLVMValueRef f = real(t, x);
    switch (mod) {
    case UTGARD_PP_MOD_SAT:
        x = jit_select(t->b, compare(t, LLVMRealOGT, x, zero(t)), x, zero(t));
        return jit_select(t->b, compare(t, LLVMRealOLT, x, bits(t, 0x3f800000)), x, bits(t, 0x3f800000));
    case UTGARD_PP_MOD_POS: return jit_select(t->b, compare(t, LLVMRealOGT, x, zero(t)), x, zero(t));
    case UTGARD_PP_MOD_INT:
        return jit_as_i32(t->b, jit_intrinsic(t->b, "llvm.trunc", &t->b->f32x16, 1, &f, 1));
    default: return x;
    }
}

static const float scale[8] = {1, 2, 4, 8, 0.0625f, 0.125f, 0.25f, 0.5f}; /* of products, by operation */

static LLVMValueRef times(struct utgard_pp_trans *t, LLVMValueRef x, LLVMValueRef y)
{
    return jit_as_i32(t->b, LLVMBuildFMul(t->b->ir, real(t, x), real(t, y), ""));
}

static bool is_product(uint8_t op)
{
    return op < UTGARD_PP_MUL_NOT;
}

static LLVMValueRef multiply(struct utgard_pp_trans *t, uint8_t op, LLVMValueRef x, LLVMValueRef y)
{
    const struct isa_lane_op *lane = utgard_pp_lane_op(UTGARD_PP_MUL_OPS, op);
    const LLVMValueRef in[3] = {x, y};
    if (!lane) {
        reserved(t);
        return zero(t);
    }
    x = isa_trans_op(t->b, *lane, in);
    if (op && is_product(op))
        x = times(t, x, jit_splat_f32(t->b, scale[op]));
    return x;
}

static LLVMValueRef sum_of(struct utgard_pp_trans *t, LLVMValueRef x, LLVMValueRef y)
{
    return jit_as_i32(t->b, LLVMBuildFAdd(t->b->ir, real(t, x), real(t, y), ""));
}

/* A product's factors as an operand has it. */
static struct utgard_pp_trans_factors
operand_factors(struct utgard_pp_trans *t, struct utgard_pp_trans_factors of, bool absolute, bool negate)
{
    if (absolute)
        of.x = NULL;
    if (of.x && negate)
        of.x = LLVMBuildFNeg(t->b->ir, of.x, "");
    return of;
}

/* x + y; x is a product of these factors, when there are any. */
static LLVMValueRef add_product(struct utgard_pp_trans *t, struct utgard_pp_trans_factors of, LLVMValueRef x,
                                LLVMValueRef y)
{
    if (!of.x)
        return sum_of(t, x, y);
    return jit_as_i32(t->b, jit_add_exact_product(t->b, of.x, of.y, real(t, y)));
}

static LLVMValueRef derive(struct utgard_pp_trans *t, bool y, LLVMValueRef a, LLVMValueRef b)
{
    unsigned bit = y ? 2 : 1, keep = 3 & ~bit;
    a = utgard_pp_trans_fill_quads(t, a);
    b = utgard_pp_trans_fill_quads(t, b);
    return utgard_pp_trans_result(t, sum_of(t, utgard_pp_trans_neighbour(t, y ? b : a, keep, bit),
                                            utgard_pp_trans_neighbour(t, y ? a : b, keep, 0)));
}

/* Whether an accumulator's operation takes a product as it is, before it is rounded. */
static bool adds(uint8_t op)
{
    return op == UTGARD_PP_ADD || op == UTGARD_PP_ADD_SUM3 || op == UTGARD_PP_ADD_SUM4 ||
           op == UTGARD_PP_ADD_DFDX || op == UTGARD_PP_ADD_DFDY;
}

/* ^v0 or ^s0 as the operation takes it. */
static LLVMValueRef multiplied(struct utgard_pp_trans *t, uint8_t op, uint8_t mul_op, LLVMValueRef x)
{
    return adds(op) || !is_product(mul_op) ? x : utgard_pp_trans_result(t, x);
}

static LLVMValueRef plain_result(struct utgard_pp_trans *t, LLVMValueRef sum)
{
    if (t->ports->numeric != ISA_EXACT)
        return sum;
    return jit_as_i32(t->b, jit_round_plain_to_half(t->b, real(t, sum)));
}

/* Sums of components are vector_add's. `plain`: utgard_pp_known_plain_sum of the two. */
static LLVMValueRef add(struct utgard_pp_trans *t, uint8_t op, struct utgard_pp_trans_factors of,
                        LLVMValueRef x, LLVMValueRef y, bool plain)
{
    const struct isa_lane_op *lane = utgard_pp_lane_op(UTGARD_PP_ADD_OPS, op);
    const LLVMValueRef two[3] = {x, y}, three[3] = {t->smul, x, y};
    switch (op) {
    case UTGARD_PP_ADD:
        x = add_product(t, of, x, y);
        return plain ? plain_result(t, x) : utgard_pp_trans_result(t, x);
    case UTGARD_PP_ADD_FRACT: return utgard_pp_trans_result(t, isa_trans_op(t->b, *lane, two));
    case UTGARD_PP_ADD_DFDX:
    case UTGARD_PP_ADD_DFDY: return derive(t, op == UTGARD_PP_ADD_DFDY, x, y);
    case UTGARD_PP_ADD_SEL: return isa_trans_op(t->b, *lane, three);
    case UTGARD_PP_ADD_SUM3:
    case UTGARD_PP_ADD_SUM4: lane = NULL; break;
    default: break;
    }
    if (lane)
        return isa_trans_op(t->b, *lane, two);
    reserved(t);
    return zero(t);
}

/* ---- stages ---- */

/* A product as a register has it: with a power of two it has no more digits than the other factor. */
static LLVMValueRef product_result(struct utgard_pp_trans *t, uint8_t op, LLVMValueRef x,
                                   struct utgard_pp_known a, struct utgard_pp_known b)
{
    float by = utgard_pp_known_power(a.number) ? a.number : b.number;
    if (op || t->ports->numeric != ISA_EXACT || !utgard_pp_known_power(by))
        return utgard_pp_trans_result(t, x);
    return jit_as_i32(t->b, jit_limit_to_half(t->b, real(t, x), fabsf(by) >= 1));
}

/* What a multiplier writes, of what it computed; ^v0 and ^s0 have that whole. */
static LLVMValueRef written(struct utgard_pp_trans *t, uint8_t op, uint8_t mod, LLVMValueRef x,
                            struct utgard_pp_known a, struct utgard_pp_known b)
{
    return modified(t, mod, is_product(op) ? product_result(t, op, x, a, b) : x);
}

static struct utgard_pp_trans_factors factors_of(struct utgard_pp_trans *t, uint8_t op, uint8_t mod,
                                                 LLVMValueRef x, LLVMValueRef y)
{
    struct utgard_pp_trans_factors of = {real(t, x), real(t, y)};
    if (t->ports->numeric != ISA_EXACT || !is_product(op) || mod)
        return (struct utgard_pp_trans_factors){NULL, NULL};
    if (op)
        of.y = LLVMBuildFMul(t->b->ir, of.y, jit_splat_f32(t->b, scale[op]), "");
    return of;
}

static void multipliers(struct utgard_pp_trans *t)
{
    const struct utgard_pp_insn *i = t->insn;
    bool vector = utgard_pp_has(i, UTGARD_PP_VMUL), scalar = utgard_pp_has(i, UTGARD_PP_SMUL);
    LLVMValueRef v[4], one = NULL;
    struct utgard_pp_known known[4][2];
    for (unsigned n = 0; vector && n < 4; n++) {
        LLVMValueRef x = vector_operand(t, &i->vmul.a, n, NULL), y = vector_operand(t, &i->vmul.b, n, NULL);
        v[n] = multiply(t, i->vmul.op, x, y);
        t->vmul[n] = modified(t, i->vmul.mod, v[n]);
        t->vector_factors[n] = factors_of(t, i->vmul.op, i->vmul.mod, x, y);
        known[n][0] = utgard_pp_known_vector(t, &i->vmul.a, n);
        known[n][1] = utgard_pp_known_vector(t, &i->vmul.b, n);
    }
    if (scalar) {
        LLVMValueRef x = scalar_operand(t, &i->smul.a, NULL), y = scalar_operand(t, &i->smul.b, NULL);
        one = multiply(t, i->smul.op, x, y);
        t->smul = modified(t, i->smul.mod, one);
        t->scalar_factors = factors_of(t, i->smul.op, i->smul.mod, x, y);
    }
    for (unsigned n = 0; vector && n < 4; n++)
        if (i->vmul.mask >> n & 1)
            utgard_pp_trans_write(t, i->vmul.dest, n,
                                  written(t, i->vmul.op, i->vmul.mod, v[n], known[n][0], known[n][1]));
    if (scalar && i->smul.writes)
        utgard_pp_trans_write(t, i->smul.dest >> 2, i->smul.dest & 3,
                              written(t, i->smul.op, i->smul.mod, one, utgard_pp_known_scalar(t, &i->smul.a),
                                      utgard_pp_known_scalar(t, &i->smul.b)));
}

static void vector_add(struct utgard_pp_trans *t, LLVMValueRef out[4], float limit[4])
{
    const struct utgard_pp_insn *i = t->insn;
    const struct utgard_pp_vector *a = &i->vadd.a;
    LLVMValueRef products[4];
    const LLVMValueRef *from = i->vadd.mul_in ? products : NULL;
    bool sums = i->vadd.op == UTGARD_PP_ADD_SUM3 || i->vadd.op == UTGARD_PP_ADD_SUM4;
    unsigned terms = i->vadd.op == UTGARD_PP_ADD_SUM3 ? 3 : 4;
    struct utgard_pp_trans_factors of[4] = {{NULL, NULL}};
    LLVMValueRef total = NULL;
    for (unsigned n = 0; from && n < 4; n++) {
        products[n] = multiplied(t, i->vadd.op, i->vmul.op, t->vmul[n]);
        of[n] = operand_factors(t, t->vector_factors[a->swizzle >> 2 * n & 3], a->absolute, a->negate);
    }
    for (unsigned n = 0; sums && n < terms; n++) {
        LLVMValueRef term = vector_operand(t, a, n, from);
        total = n ? add_product(t, of[n], term, total) : term;
    }
    if (sums)
        total = utgard_pp_trans_result(t, total);
    for (unsigned n = 0; n < 4; n++) {
        struct utgard_pp_known left = from ? utgard_pp_known_nothing : utgard_pp_known_vector(t, a, n),
                               right = utgard_pp_known_vector(t, &i->vadd.b, n);
        LLVMValueRef x = sums ? total
                              : add(t, i->vadd.op, of[n], vector_operand(t, a, n, from),
                                    vector_operand(t, &i->vadd.b, n, NULL),
                                    !from && utgard_pp_known_plain_sum(left, right));
        out[n] = modified(t, i->vadd.mod, x);
        limit[n] = utgard_pp_known_limit(i->vadd.op, i->vadd.mod, left, right);
    }
}

static LLVMValueRef scalar_add(struct utgard_pp_trans *t, float *limit)
{
    const struct utgard_pp_scalar *a = &t->insn->sadd.a, *b = &t->insn->sadd.b;
    const struct utgard_pp_insn *i = t->insn;
    struct utgard_pp_trans_factors of = {NULL, NULL};
    struct utgard_pp_known left = i->sadd.mul_in ? utgard_pp_known_nothing : utgard_pp_known_scalar(t, a),
                           right = utgard_pp_known_scalar(t, b);
    LLVMValueRef product = NULL, x;
    if (i->sadd.mul_in) {
        product = multiplied(t, i->sadd.op, i->smul.op, t->smul);
        of = operand_factors(t, t->scalar_factors, a->absolute, a->negate);
    }
    x = add(t, i->sadd.op, of, scalar_operand(t, a, product), scalar_operand(t, b, NULL),
            !i->sadd.mul_in && utgard_pp_known_plain_sum(left, right));
    *limit = utgard_pp_known_limit(i->sadd.op, i->sadd.mod, left, right);
    return modified(t, i->sadd.mod, x);
}

static void accumulators(struct utgard_pp_trans *t)
{
    const struct utgard_pp_insn *i = t->insn;
    bool vector = utgard_pp_has(i, UTGARD_PP_VADD), scalar = utgard_pp_has(i, UTGARD_PP_SADD);
    LLVMValueRef out[4], one = NULL;
    float limit[4], one_limit = INFINITY;
    if (vector)
        vector_add(t, out, limit);
    if (scalar)
        one = scalar_add(t, &one_limit);
    for (unsigned n = 0; vector && n < 4; n++)
        if (i->vadd.mask >> n & 1)
            write_within(t, i->vadd.dest, n, out[n], limit[n]);
    if (scalar && i->sadd.writes)
        write_within(t, i->sadd.dest >> 2, i->sadd.dest & 3, one, one_limit);
}

/* ---- combiner ---- */

static LLVMValueRef one_over(struct utgard_pp_trans *t, LLVMValueRef f)
{
    return LLVMBuildFDiv(t->b->ir, jit_splat_f32(t->b, 1.0f), f, "");
}

/* Toward zero, to a half's 11 bits. */
static LLVMValueRef cut(struct utgard_pp_trans *t, LLVMValueRef f)
{
    LLVMValueRef x = jit_as_i32(t->b, f);
    if (t->ports->numeric != ISA_EXACT)
        return x;
    return utgard_pp_trans_result(t, LLVMBuildAnd(t->b->ir, x, bits(t, 0xffffe000), ""));
}

static LLVMValueRef function(struct utgard_pp_trans *t, uint8_t op, LLVMValueRef x)
{
    struct jit_builder *b = t->b;
    LLVMValueRef f = real(t, x);
    switch (op) {
    case UTGARD_PP_COMBINE_RCP: f = one_over(t, f); break;
    case UTGARD_PP_COMBINE_MOV: return x;
    case UTGARD_PP_COMBINE_SQRT: return utgard_pp_trans_result(t, jit_as_i32(b, jit_sqrt(b, f)));
    case UTGARD_PP_COMBINE_RSQRT: f = one_over(t, jit_sqrt(b, f)); break;
    case UTGARD_PP_COMBINE_EXP2: f = jit_exp2(b, f); break;
    case UTGARD_PP_COMBINE_LOG2: f = jit_log2(b, f); break;
    case UTGARD_PP_COMBINE_SIN: f = jit_sin_turns(b, f); break;
    case UTGARD_PP_COMBINE_COS: f = jit_cos_turns(b, f); break;
    default: reserved(t); return zero(t);
    }
    return cut(t, f);
}

static void atan_part1(struct utgard_pp_trans *t, uint8_t op, LLVMValueRef y, LLVMValueRef x,
                       LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    bool two = op == UTGARD_PP_COMBINE_ATAN2;
    if (op != UTGARD_PP_COMBINE_ATAN && !two)
        reserved(t);
    LLVMValueRef sign = jit_select(b, compare(t, LLVMRealORD, y, y),
                                   LLVMBuildAnd(b->ir, y, bits(t, 0x80000000), ""), zero(t));
    LLVMValueRef pi = LLVMBuildOr(b->ir, sign, bits(t, 0x40490fdb), "");
    out[0] = y;
    out[1] = two ? cut(t, one_over(t, real(t, x))) : bits(t, 0x3f800000);
    out[2] = two ? jit_select(b, compare(t, LLVMRealOLT, x, zero(t)), utgard_pp_trans_result(t, pi), zero(t))
                 : zero(t);
    out[3] = zero(t);
}

static void combine(struct utgard_pp_trans *t)
{
    const struct utgard_pp_insn *i = t->insn;
    struct jit_builder *b = t->b;
    LLVMValueRef a = scalar_operand(t, &i->combine.a, NULL), v[4], out[4] = {NULL}, r;
    for (unsigned n = 0; n < 4; n++)
        v[n] = t->reg[i->combine.b_vector][i->combine.b_swizzle >> 2 * n & 3];
    switch (i->combine.kind) {
    case UTGARD_PP_COMBINE_SCALAR:
        r = modified(t, i->combine.mod, function(t, i->combine.op, a));
        utgard_pp_trans_write(t, i->combine.dest >> 2, i->combine.dest & 3, r);
        return;
    case UTGARD_PP_COMBINE_PART2:
        r = LLVMBuildFAdd(b->ir, jit_atan(b, real(t, v[0])), real(t, v[2]), "");
        r = modified(t, i->combine.mod, utgard_pp_trans_result(t, jit_as_i32(b, r)));
        utgard_pp_trans_write(t, i->combine.dest >> 2, i->combine.dest & 3, r);
        return;
    case UTGARD_PP_COMBINE_VECTOR:
        atan_part1(t, i->combine.op, a, scalar_operand(t, &i->combine.b, NULL), out);
        break;
    default:
        for (unsigned n = 0; n < 4; n++)
            out[n] = utgard_pp_trans_result(t, times(t, a, v[n]));
    }
    for (unsigned n = 0; n < 4; n++)
        if (i->combine.mask >> n & 1)
            utgard_pp_trans_write(t, i->combine.vector_dest, n, out[n]);
}

void utgard_pp_trans_stages(struct utgard_pp_trans *t)
{
    const struct utgard_pp_insn *i = t->insn;
    for (unsigned n = 0; n < 4; n++) {
        for (unsigned k = 0; k < 2; k++) {
            bool has = utgard_pp_has(i, (enum utgard_pp_field)(UTGARD_PP_CONST0 + k));
            uint32_t value = has ? util_f2u(util_half_to_float(util_half_flushed(i->constant[k][n]))) : 0;
            t->reg[UTGARD_PP_R_CONST0 + k][n] = bits(t, value);
        }
        t->reg[UTGARD_PP_R_TEXTURE][n] = t->reg[UTGARD_PP_R_UNIFORM][n] = zero(t);
        t->limit[UTGARD_PP_R_TEXTURE][n] = t->limit[UTGARD_PP_R_UNIFORM][n] = 0;
        t->coordinates[n] = t->vmul[n] = zero(t);
        t->vector_factors[n].x = NULL;
    }
    t->smul = zero(t);
    t->scalar_factors.x = NULL;
    if (utgard_pp_has(i, UTGARD_PP_VARYING))
        utgard_pp_trans_varying(t);
    if (utgard_pp_has(i, UTGARD_PP_SAMPLER))
        utgard_pp_trans_sample(t);
    if (utgard_pp_has(i, UTGARD_PP_LOAD))
        utgard_pp_trans_load(t);
    multipliers(t);
    accumulators(t);
    if (utgard_pp_has(i, UTGARD_PP_COMBINE))
        combine(t);
    if (utgard_pp_has(i, UTGARD_PP_STORE))
        utgard_pp_trans_store(t);
}
