/* The two ALUs (README, rules 2 to 6; Guide tables 12 and 13). */
#include "isa/vc4_qpu/trans_internal.h"
#include "jit/math.h"

bool vc4_qpu_trans_add_reserved(unsigned op)
{
    return (op >= 9 && op <= 11) || (op >= 25 && op <= 29);
}

bool vc4_qpu_trans_add_takes_floats(unsigned op)
{
    return op >= VC4_QPU_A_FADD && op <= VC4_QPU_A_FTOI;
}

bool vc4_qpu_trans_add_gives_float(unsigned op)
{
    return (op >= VC4_QPU_A_FADD && op <= VC4_QPU_A_FMAXABS) || op == VC4_QPU_A_ITOF;
}

bool vc4_qpu_trans_add_sums(unsigned op)
{
    return op == VC4_QPU_A_FADD || op == VC4_QPU_A_FSUB;
}

static struct vc4_qpu_value *sum(struct vc4_qpu_trans *t, LLVMOpcode op, struct vc4_qpu_value *x,
                                 struct vc4_qpu_value *y)
{
    if (t->exact)
        return vc4_qpu_trans_exact_sum(t, op == LLVMFSub, x, y);
    LLVMValueRef r =
        LLVMBuildBinOp(t->b->ir, op, vc4_qpu_trans_operand(t, x), vc4_qpu_trans_operand(t, y), "");
    struct vc4_qpu_value *v = vc4_qpu_trans_float(t, r, true, true);
    vc4_qpu_trans_loose_op(t, v, op, x, y);
    return v;
}

/* What would be a NaN or -0 is +0 (rule 2), as soon as something else than a product takes it. */
static struct vc4_qpu_value *product(struct vc4_qpu_trans *t, struct vc4_qpu_value *x,
                                     struct vc4_qpu_value *y)
{
    if (t->exact)
        return vc4_qpu_trans_exact_product(t, x, y);
    LLVMValueRef r =
        LLVMBuildFMul(t->b->ir, vc4_qpu_trans_multiplicand(t, x), vc4_qpu_trans_multiplicand(t, y), "");
    struct vc4_qpu_value *v = vc4_qpu_trans_raw(t, r, TRANS_RAW_PRODUCT);
    vc4_qpu_trans_loose_op(t, v, LLVMFMul, x, y);
    return v;
}

/* Order of sign-magnitude patterns. A number without a sign bit compares as an integer with any pattern, one
 * with it as an unsigned one in reverse; otherwise both answers are made and the signs choose. */
static LLVMValueRef min_max(struct vc4_qpu_trans *t, bool max, struct vc4_qpu_value *x,
                            struct vc4_qpu_value *y)
{
    LLVMValueRef a = vc4_qpu_trans_i(t, x), b = vc4_qpu_trans_i(t, y);

    if (x->positive || y->positive)
        return vc4_qpu_trans_binary(t, max ? "llvm.smax" : "llvm.smin", a, b);
    LLVMValueRef negative = vc4_qpu_trans_binary(t, max ? "llvm.umin" : "llvm.umax", a, b);
    if ((x->known && !x->positive) || (y->known && !y->positive))
        return negative;
    LLVMValueRef positive = vc4_qpu_trans_binary(t, max ? "llvm.smax" : "llvm.smin", a, b);
    LLVMValueRef both =
        LLVMBuildICmp(t->b->ir, LLVMIntSLT, LLVMBuildAnd(t->b->ir, a, b, ""), jit_splat_u32(t->b, 0), "");
    return jit_select(t->b, both, negative, positive);
}

static struct vc4_qpu_value *float_min_max(struct vc4_qpu_trans *t, bool max, struct vc4_qpu_value *x,
                                           struct vc4_qpu_value *y)
{
    if (x == y)
        return x;
    if (t->exact && !(x->positive && y->positive))
        return vc4_qpu_trans_exact_min_max(t, max, x, y);
    struct vc4_qpu_value *v = vc4_qpu_trans_int(t, min_max(t, max, x, y));
    if (!v->known) {
        v->clean = x->clean && y->clean;
        v->opaque = x->opaque && y->opaque;
        v->positive = max ? x->positive || y->positive : x->positive && y->positive;
    }
    return v;
}

static struct vc4_qpu_value *magnitude(struct vc4_qpu_trans *t, struct vc4_qpu_value *x)
{
    struct vc4_qpu_value *v = x;

    if (!x->positive) {
        v = vc4_qpu_trans_int(t, vc4_qpu_trans_and(t, vc4_qpu_trans_i(t, x), 0x7fffffff));
        v->positive = true; /* not clean: |NaN| is another pattern */
    }
    return v;
}

static struct vc4_qpu_value *abs_min_max(struct vc4_qpu_trans *t, bool max, struct vc4_qpu_value *x,
                                         struct vc4_qpu_value *y)
{
    struct vc4_qpu_value *a = magnitude(t, x), *b = x == y ? a : magnitude(t, y);
    return float_min_max(t, max, a, b);
}

static struct vc4_qpu_value *itof(struct vc4_qpu_trans *t, struct vc4_qpu_value *x)
{
    if (t->exact)
        return vc4_qpu_trans_exact_itof(t, x);
    struct vc4_qpu_value *v =
        vc4_qpu_trans_float(t, jit_i32_to_f32(t->b, vc4_qpu_trans_i(t, x)), true, false);
    v->sure = TRANS_FINITE;
    return v;
}

static LLVMValueRef shift_count(struct vc4_qpu_trans *t, struct vc4_qpu_value *y)
{
    return vc4_qpu_trans_and(t, vc4_qpu_trans_i(t, y), 31);
}

/* Where LLVM 19 sees that some of a vector's counts are 0 it makes a rotation into a shift by 32, which it
 * then takes for undefined: of llvm.fshr, and in its code generator of shifts in either direction too. So
 * counts that differ between lanes are hidden from it, and shifting left is done in two steps, without a
 * count above 31. */
static LLVMValueRef ror(struct vc4_qpu_trans *t, struct vc4_qpu_value *x, struct vc4_qpu_value *y)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef a = vc4_qpu_trans_i(t, x);

    if (y->known) {
        uint32_t n = y->imm & 31;
        return n ? LLVMBuildOr(ir, vc4_qpu_trans_shr(t, a, n), vc4_qpu_trans_shl(t, a, 32 - n), "") : a;
    }
    LLVMValueRef n = vc4_qpu_trans_and(t, jit_as_i32(t->b, vc4_qpu_trans_factor(t, y)), 31);
    LLVMValueRef rest = LLVMBuildSub(ir, jit_splat_u32(t->b, 31), n, "");
    LLVMValueRef high = LLVMBuildShl(ir, vc4_qpu_trans_shl(t, a, 1), rest, "");
    return LLVMBuildOr(ir, LLVMBuildLShr(ir, a, n, ""), high, "");
}

static LLVMValueRef clz(struct vc4_qpu_trans *t, struct vc4_qpu_value *x)
{
    LLVMValueRef args[2] = {vc4_qpu_trans_i(t, x), LLVMConstInt(t->b->i1, 0, false)};
    return jit_intrinsic(t->b, "llvm.ctlz", &t->b->i32x16, 1, args, 2);
}

static LLVMValueRef bytes(struct vc4_qpu_trans *t, LLVMValueRef words)
{
    return LLVMBuildBitCast(t->b->ir, words, LLVMVectorType(t->b->i8, 4 * JIT_LANES), "");
}

static LLVMValueRef words(struct vc4_qpu_trans *t, LLVMValueRef bytes)
{
    return LLVMBuildBitCast(t->b->ir, bytes, t->b->i32x16, "");
}

static LLVMValueRef v8(struct vc4_qpu_trans *t, const char *intrinsic, struct vc4_qpu_value *x,
                       struct vc4_qpu_value *y)
{
    return words(t, vc4_qpu_trans_binary(t, intrinsic, bytes(t, vc4_qpu_trans_i(t, x)),
                                         bytes(t, vc4_qpu_trans_i(t, y))));
}

static struct vc4_qpu_value *integer_op(struct vc4_qpu_trans *t, unsigned op, struct vc4_qpu_value *x,
                                        struct vc4_qpu_value *y)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef a = vc4_qpu_trans_i(t, x), b = vc4_qpu_trans_i(t, y), r;

    switch (op) {
    case VC4_QPU_A_ADD: r = LLVMBuildAdd(ir, a, b, ""); break;
    case VC4_QPU_A_SUB: r = LLVMBuildSub(ir, a, b, ""); break;
    case VC4_QPU_A_SHR: r = LLVMBuildLShr(ir, a, shift_count(t, y), ""); break;
    case VC4_QPU_A_ASR: r = LLVMBuildAShr(ir, a, shift_count(t, y), ""); break;
    case VC4_QPU_A_ROR: r = ror(t, x, y); break;
    case VC4_QPU_A_SHL: r = LLVMBuildShl(ir, a, shift_count(t, y), ""); break;
    case VC4_QPU_A_MIN: r = vc4_qpu_trans_binary(t, "llvm.smin", a, b); break;
    case VC4_QPU_A_MAX: r = vc4_qpu_trans_binary(t, "llvm.smax", a, b); break;
    case VC4_QPU_A_AND: r = LLVMBuildAnd(ir, a, b, ""); break;
    case VC4_QPU_A_OR: r = LLVMBuildOr(ir, a, b, ""); break;
    case VC4_QPU_A_XOR: r = LLVMBuildXor(ir, a, b, ""); break;
    case VC4_QPU_A_NOT: r = LLVMBuildNot(ir, a, ""); break;
    case VC4_QPU_A_CLZ: r = clz(t, x); break;
    case VC4_QPU_A_V8ADDS: r = v8(t, "llvm.uadd.sat", x, y); break;
    case VC4_QPU_A_V8SUBS: r = v8(t, "llvm.usub.sat", x, y); break;
    default: r = jit_splat_u32(t->b, 0); break;
    }
    return vc4_qpu_trans_int(t, r);
}

/* Operations by which drivers move a register: the value keeps all that is known of it. */
bool vc4_qpu_trans_add_moves(unsigned op)
{
    return op == VC4_QPU_A_OR || op == VC4_QPU_A_AND || op == VC4_QPU_A_MIN || op == VC4_QPU_A_MAX ||
           op == VC4_QPU_A_FMIN || op == VC4_QPU_A_FMAX;
}

struct vc4_qpu_value *vc4_qpu_trans_add_op(struct vc4_qpu_trans *t, unsigned op, struct vc4_qpu_value *x,
                                           struct vc4_qpu_value *y)
{
    if (x == y && vc4_qpu_trans_add_moves(op))
        return x;
    switch (op) {
    case VC4_QPU_A_FADD: return sum(t, LLVMFAdd, x, y);
    case VC4_QPU_A_FSUB: return sum(t, LLVMFSub, x, y);
    case VC4_QPU_A_FMIN: return float_min_max(t, false, x, y);
    case VC4_QPU_A_FMAX: return float_min_max(t, true, x, y);
    case VC4_QPU_A_FMINABS:
    case VC4_QPU_A_FMAXABS: return abs_min_max(t, op == VC4_QPU_A_FMAXABS, x, y);
    case VC4_QPU_A_FTOI: return vc4_qpu_trans_ftoi(t, x);
    case VC4_QPU_A_ITOF: return itof(t, x);
    default: return integer_op(t, op, x, y);
    }
}

struct vc4_qpu_value *vc4_qpu_trans_mul_op(struct vc4_qpu_trans *t, unsigned op, struct vc4_qpu_value *x,
                                           struct vc4_qpu_value *y)
{
    LLVMValueRef r;

    if (x == y && (op == VC4_QPU_M_V8MIN || op == VC4_QPU_M_V8MAX))
        return x;
    switch (op) {
    case VC4_QPU_M_FMUL: return product(t, x, y);
    case VC4_QPU_M_MUL24:
        r = LLVMBuildMul(t->b->ir, vc4_qpu_trans_and(t, vc4_qpu_trans_i(t, x), 0xffffff),
                         vc4_qpu_trans_and(t, vc4_qpu_trans_i(t, y), 0xffffff), "");
        break;
    case VC4_QPU_M_V8MULD: /* (a * b + 127) / 255 a byte: rounded, as there are no ties */
        r = jit_unit_bytes_product(t->b, vc4_qpu_trans_i(t, x), vc4_qpu_trans_i(t, y));
        break;
    case VC4_QPU_M_V8MIN: r = v8(t, "llvm.umin", x, y); break;
    case VC4_QPU_M_V8MAX: r = v8(t, "llvm.umax", x, y); break;
    case VC4_QPU_M_V8ADDS: r = v8(t, "llvm.uadd.sat", x, y); break;
    case VC4_QPU_M_V8SUBS: r = v8(t, "llvm.usub.sat", x, y); break;
    default: r = jit_splat_u32(t->b, 0); break;
    }
    return vc4_qpu_trans_int(t, r);
}

/* Lane i goes to lane (i + n) mod 16, or to that of its quad. */
static LLVMValueRef rotate_by(struct vc4_qpu_trans *t, LLVMValueRef v, unsigned n, bool quads)
{
    uint32_t from[JIT_LANES];

    for (unsigned i = 0; i < JIT_LANES; i++)
        from[i] = quads ? (i & ~3u) | ((i - n) & 3) : (i - n) % JIT_LANES;
    return LLVMBuildShuffleVector(t->b->ir, v, LLVMGetPoison(LLVMTypeOf(v)), jit_vector_u32(t->b, from), "");
}

/* By a number of lanes known only at run time: a window of 16 words in two copies of the vector. */
static LLVMValueRef rotate_by_r5(struct vc4_qpu_trans *t, LLVMValueRef v)
{
    struct jit_builder *b = t->b;
    LLVMValueRef n =
        LLVMBuildAnd(b->ir, vc4_qpu_trans_lane0(t, vc4_qpu_trans_reg(t, TRANS_R5)), jit_i32(b, 15), "");
    LLVMValueRef twice = jit_alloca(b, LLVMArrayType2(b->i32x16, 2), "rotate");
    LLVMValueRef first = LLVMBuildSub(b->ir, jit_i32(b, 16), n, "");

    jit_store(b, v, twice, 4);
    jit_store(b, v, jit_offset_const(b, twice, 64), 4);
    return jit_load(b, b->i32x16, jit_offset(b, twice, LLVMBuildShl(b->ir, first, jit_i32(b, 2), "")), 4,
                    false);
}

static LLVMValueRef rotate_quads_by_r5(struct vc4_qpu_trans *t, LLVMValueRef v)
{
    struct jit_builder *b = t->b;
    LLVMValueRef n = LLVMBuildAnd(b->ir, vc4_qpu_trans_lane0(t, vc4_qpu_trans_reg(t, TRANS_R5)),
                                  jit_i32(b, 3), ""),
                 r = v;

    for (unsigned i = 1; i < 4; i++) {
        LLVMValueRef is = LLVMBuildICmp(b->ir, LLVMIntEQ, n, jit_i32(b, i), "");
        r = LLVMBuildSelect(b->ir, is, rotate_by(t, v, i, true), r, "");
    }
    return r;
}

struct vc4_qpu_value *vc4_qpu_trans_rotate(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, unsigned code,
                                           bool quads)
{
    struct vc4_qpu_value *r;

    if (v->scalar || v->known)
        return v;
    if (code == 48)
        return vc4_qpu_trans_int(t, (quads ? rotate_quads_by_r5 : rotate_by_r5)(t, vc4_qpu_trans_i(t, v)));
    if (v->f || v->raw)
        r = vc4_qpu_trans_float(t, rotate_by(t, vc4_qpu_trans_f(t, v), code - 48, quads), v->clean,
                                v->opaque);
    else
        r = vc4_qpu_trans_int(t, rotate_by(t, vc4_qpu_trans_i(t, v), code - 48, quads));
    if (!r->known) {
        r->clean = v->clean;
        r->positive = v->positive;
    }
    return r;
}
