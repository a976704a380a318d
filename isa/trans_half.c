/* Halves as singles (isa/trans_op.h). Arithmetic on singles rounded to a half's places is a half's (trans_op_float.c);
 * to round one it becomes bits and a single again. Which NaN it is shows where bits are asked for, and not before. */
#include "isa/trans_op_internal.h"

#include "jit/math.h"

static LLVMValueRef round_to_half(struct jit_builder *b, LLVMValueRef f)
{
    return jit_half_to_single(b, jit_quiet_to_half(b, f));
}

/* ---- in the host's arithmetic of halves, which keeps their denormals whatever singles' become ---- */

static bool has_halves(const struct jit_builder *b)
{
    return b->level >= JIT_AVX512FP16;
}

static LLVMTypeRef halves(struct jit_builder *b)
{
    return LLVMVectorType(LLVMHalfTypeInContext(b->context), JIT_LANES);
}

/* Of singles or halves. LLVM would compare halves with constants, and compute of them alone, as the function does with
 * denormals of singles: it does not see them. */
static LLVMValueRef number_of(struct jit_builder *b, LLVMTypeRef type, float value)
{
    LLVMValueRef all[JIT_LANES], out;
    for (unsigned l = 0; l < JIT_LANES; l++)
        all[l] = LLVMConstReal(LLVMGetElementType(type), value);
    out = LLVMConstVector(all, JIT_LANES);
    return type == b->f32x16 ? out : jit_fence(b, out);
}

/* What is done to a single's sign alone, by a constant operand. */
enum sign { SIGN_STAYS, SIGN_TURNS, SIGN_GOES };

static enum sign sign_of(struct jit_builder *b, LLVMValueRef v)
{
    if (!LLVMIsABinaryOperator(v))
        return SIGN_STAYS;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMXor && LLVMGetOperand(v, 1) == jit_splat_u32(b, 0x80000000))
        return SIGN_TURNS;
    return op == LLVMAnd && LLVMGetOperand(v, 1) == jit_splat_u32(b, 0x7fffffff) ? SIGN_GOES : SIGN_STAYS;
}

/* A half that stands as a single, f16x16: what it was widened from, where its sign may have been changed since. */
static LLVMValueRef narrowed(struct jit_builder *b, LLVMValueRef single)
{
    LLVMTypeRef type = halves(b);
    LLVMValueRef v = single, half;
    while (LLVMIsABitCastInst(v))
        v = LLVMGetOperand(v, 0);
    const enum sign sign = sign_of(b, v);
    if (sign != SIGN_STAYS) {
        half = narrowed(b, LLVMGetOperand(v, 0));
        return sign == SIGN_TURNS ? LLVMBuildFNeg(b->ir, half, "")
                                  : jit_intrinsic(b, "llvm.fabs", &type, 1, &half, 1);
    }
    half = jit_half_of(b, v);
    if (!half)
        half = jit_quiet_to_half(b, jit_as_f32(b, v));
    return LLVMBuildBitCast(b->ir, LLVMBuildTrunc(b->ir, half, b->i16x16, ""), type, "");
}

static LLVMValueRef widened(struct jit_builder *b, LLVMValueRef half)
{
    half = LLVMBuildBitCast(b->ir, half, b->i16x16, "");
    return jit_half_to_single(b, LLVMBuildZExt(b->ir, half, b->i32x16, ""));
}

/* ---- operations ---- */

static LLVMValueRef lesser(struct isa_op_ir *o, LLVMRealPredicate how)
{
    LLVMValueRef x = o->f[0], y = o->f[1];
    LLVMValueRef first = LLVMBuildOr(o->ir, LLVMBuildFCmp(o->ir, how, x, y, ""),
                                     LLVMBuildFCmp(o->ir, LLVMRealUNO, y, y, ""), "");
    LLVMValueRef out = jit_select(o->b, first, x, y);
    if (!(o->policy & ISA_OP_PROPAGATE))
        return out;
    LLVMValueRef none = LLVMBuildFCmp(o->ir, LLVMRealUNO, x, y, "");
    return jit_select(o->b, none, number_of(o->b, LLVMTypeOf(x), __builtin_nanf("")), out);
}

/* What is no number is the lower bound. */
static LLVMValueRef limit(struct isa_op_ir *o, float least, float most)
{
    LLVMTypeRef type = LLVMTypeOf(o->f[0]);
    LLVMValueRef low = number_of(o->b, type, least), high = number_of(o->b, type, most), x = o->f[0];
    x = jit_select(o->b, LLVMBuildFCmp(o->ir, LLVMRealOGT, x, low, ""), x, low);
    return jit_select(o->b, LLVMBuildFCmp(o->ir, LLVMRealOLT, x, high, ""), x, high);
}

/* Operations that choose between numbers; NULL: another. */
static LLVMValueRef chosen(struct isa_op_ir *o)
{
    switch (o->op) {
    case ISA_OP_fmin: return lesser(o, LLVMRealOLT);
    case ISA_OP_fmax: return lesser(o, LLVMRealOGT);
    case ISA_OP_fclamp_0_1: return limit(o, 0, 1);
    case ISA_OP_fclamp_m1_1: return limit(o, -1, 1);
    case ISA_OP_fclamp_0_inf: return limit(o, 0, __builtin_inff());
    default: return NULL;
    }
}

/* The same of halves, and what the host rounds to them at once. */
static LLVMValueRef of_halves(struct isa_op_ir *o)
{
    LLVMTypeRef type = halves(o->b);
    switch (o->op) {
    case ISA_OP_fadd:
    case ISA_OP_fsub:
    case ISA_OP_fmul:
    case ISA_OP_ffloor:
    case ISA_OP_fceil:
    case ISA_OP_ftrunc:
    case ISA_OP_froundeven:
    case ISA_OP_ffract: return isa_op_ir_arithmetic(o); /* whose types are the operands' */
    case ISA_OP_ffma: return isa_op_ir_call(o, "llvm.fma", type, o->f, 3);
    default: return chosen(o);
    }
}

static bool host_has(uint8_t op)
{
    switch (op) {
    case ISA_OP_frcp:
    case ISA_OP_frsq:
    case ISA_OP_fsqrt:
    case ISA_OP_fldexp:
    case ISA_OP_fround:
    case ISA_OP_fnot:
    case ISA_OP_fand:
    case ISA_OP_for:
    case ISA_OP_fxor: return false;
    default: return true;
    }
}

/* As number_of does; sums and products with what is no constant stay as they are. */
static void fence_constants(struct isa_op_ir *o, unsigned count)
{
    bool all = true, sums = isa_op_rows[o->op].kind == ISA_OP_ARITHMETIC;
    for (unsigned n = 0; n < count; n++)
        all &= LLVMIsConstant(o->f[n]);
    for (unsigned n = 0; n < count; n++)
        if (LLVMIsConstant(o->f[n]) && (all || !sums))
            o->f[n] = jit_fence(o->b, o->f[n]);
}

/* Roundings to integers need no second one: what has more bits than a half is an integer before. */
static bool gives_halves(uint8_t op)
{
    return op == ISA_OP_ffloor || op == ISA_OP_fceil || op == ISA_OP_ftrunc || op == ISA_OP_froundeven ||
           op == ISA_OP_fround;
}

LLVMValueRef isa_trans_half(struct jit_builder *b, struct isa_lane_op op, const LLVMValueRef single[3],
                            bool rounded)
{
    struct isa_op_ir o = {.b = b, .ir = b->ir, .op = op.op, .policy = op.policy, .is_half = rounded};
    const bool by_halves = rounded && has_halves(b) && host_has(op.op);
    for (unsigned n = 0; n < isa_op_rows[op.op].sources; n++)
        o.f[n] = by_halves ? narrowed(b, single[n]) : single[n];
    if (by_halves)
        fence_constants(&o, isa_op_rows[op.op].sources);
    if (isa_op_rows[op.op].kind == ISA_OP_FTEST)
        return LLVMBuildSExt(b->ir, isa_op_ir_ftest(&o), b->i16x16, "");
    if (by_halves)
        return widened(b, of_halves(&o));
    LLVMValueRef f = chosen(&o);
    if (f)
        return f;
    f = isa_op_ir_arithmetic(&o);
    return !rounded || gives_halves(op.op) ? f : round_to_half(b, f);
}

LLVMValueRef isa_trans_half_of_bits(struct jit_builder *b, LLVMValueRef half)
{
    return jit_half_to_single(b, LLVMBuildZExt(b->ir, half, b->i32x16, ""));
}

/* Whether a value is known for no denormal, as all that arithmetic gives. */
static bool is_normal(LLVMValueRef v, unsigned depth)
{
    while (LLVMIsABitCastInst(v) || jit_calls(v, "llvm.arithmetic.fence"))
        v = LLVMGetOperand(v, 0);
    if (!LLVMIsAInstruction(v) || !depth)
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMUIToFP:
    case LLVMSIToFP: return true;
    case LLVMSelect:
        return is_normal(LLVMGetOperand(v, 1), depth - 1) && is_normal(LLVMGetOperand(v, 2), depth - 1);
    default: return jit_calls(v, "llvm.fma") || jit_calls(v, "llvm.sqrt") || jit_is_half(v);
    }
}

/* A product makes them zeros. */
static LLVMValueRef without_denormals(struct jit_builder *b, LLVMValueRef f)
{
    return is_normal(f, 4) ? f : LLVMBuildFMul(b->ir, f, jit_fence(b, jit_splat_f32(b, 1)), "");
}

LLVMValueRef isa_trans_half_of_single(struct jit_builder *b, LLVMValueRef single, bool rounded)
{
    struct isa_op_ir o = {.b = b, .ir = b->ir};
    LLVMValueRef f = isa_op_ir_any_nan(&o, single);
    return rounded ? round_to_half(b, f) : without_denormals(b, f);
}

LLVMValueRef isa_trans_half_select(struct jit_builder *b, LLVMValueRef mask, LLVMValueRef yes,
                                   LLVMValueRef no)
{
    if (!has_halves(b))
        return jit_select(b, mask, yes, no);
    return widened(b, jit_select(b, mask, narrowed(b, yes), narrowed(b, no)));
}

LLVMValueRef isa_trans_half_kept(struct jit_builder *b, LLVMValueRef half)
{
    return has_halves(b) ? narrowed(b, half) : half;
}

LLVMValueRef isa_trans_half_again(struct jit_builder *b, LLVMValueRef kept)
{
    return has_halves(b) ? widened(b, kept) : kept;
}

LLVMValueRef isa_trans_half_within(struct jit_builder *b, LLVMValueRef single)
{
    LLVMValueRef size = jit_intrinsic(b, "llvm.fabs", &b->f32x16, 1, &single, 1);
    LLVMValueRef beyond = LLVMBuildFCmp(b->ir, LLVMRealOGE, size, jit_splat_f32(b, 0x1p16f), "");
    LLVMValueRef sign = LLVMBuildAnd(b->ir, jit_as_i32(b, single), jit_splat_u32(b, 0x80000000), "");
    LLVMValueRef infinite = LLVMBuildOr(b->ir, sign, jit_splat_u32(b, 0x7f800000), "");
    return jit_select(b, beyond, jit_as_f32(b, infinite), single);
}

LLVMValueRef isa_trans_half_bits(struct jit_builder *b, LLVMValueRef single)
{
    struct isa_op_ir o = {.b = b, .ir = b->ir, .policy = ISA_OP_QUIET, .is_half = true};
    if (!has_halves(b))
        return LLVMBuildTrunc(b->ir, isa_op_ir_half(&o, single), b->i16x16, "");
    LLVMValueRef half = narrowed(b, single), none = LLVMBuildFCmp(b->ir, LLVMRealUNO, half, half, "");
    half = LLVMBuildBitCast(b->ir, half, b->i16x16, "");
    return jit_select(b, none, isa_op_ir_number(b->i16x16, 0x7e00), half);
}

LLVMValueRef isa_trans_half_single(struct jit_builder *b, LLVMValueRef single)
{
    struct isa_op_ir o = {.b = b, .ir = b->ir, .policy = ISA_OP_QUIET};
    return isa_op_ir_one_nan(&o, single);
}

LLVMValueRef isa_trans_single_of(struct jit_builder *b, LLVMValueRef word)
{
    struct isa_op_ir o = {.b = b, .ir = b->ir};
    return isa_op_ir_any_nan(&o, word);
}
