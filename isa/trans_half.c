/* Halves as singles (isa/trans_op.h). Arithmetic on singles rounded to a half's places is a half's (trans_op_float.c);
 * to round one it becomes bits and a single again. Which NaN it is shows where bits are asked for, and not before. */
#include "isa/trans_op_internal.h"

#include "jit/math.h"

static LLVMValueRef round_to_half(struct jit_builder *b, LLVMValueRef f)
{
    return jit_half_to_single(b, jit_quiet_to_half(b, f));
}

static LLVMValueRef lesser(struct isa_op_ir *o, LLVMRealPredicate how)
{
    LLVMValueRef x = o->f[0], y = o->f[1];
    LLVMValueRef first = LLVMBuildOr(o->ir, LLVMBuildFCmp(o->ir, how, x, y, ""),
                                     LLVMBuildFCmp(o->ir, LLVMRealUNO, y, y, ""), "");
    LLVMValueRef out = jit_select(o->b, first, x, y);
    if (!(o->policy & ISA_OP_PROPAGATE))
        return out;
    LLVMValueRef none = LLVMBuildFCmp(o->ir, LLVMRealUNO, x, y, "");
    return jit_select(o->b, none, jit_as_f32(o->b, jit_splat_u32(o->b, 0x7fc00000)), out);
}

/* What is no number is the lower bound. */
static LLVMValueRef limit(struct isa_op_ir *o, float least, float most)
{
    LLVMValueRef low = jit_splat_f32(o->b, least), high = jit_splat_f32(o->b, most), x = o->f[0];
    x = jit_select(o->b, LLVMBuildFCmp(o->ir, LLVMRealOGT, x, low, ""), x, low);
    return jit_select(o->b, LLVMBuildFCmp(o->ir, LLVMRealOLT, x, high, ""), x, high);
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
    for (unsigned n = 0; n < isa_op_rows[op.op].sources; n++)
        o.f[n] = single[n];
    if (isa_op_rows[op.op].kind == ISA_OP_FTEST)
        return LLVMBuildSExt(b->ir, isa_op_ir_ftest(&o), b->i16x16, "");
    switch (op.op) {
    case ISA_OP_fmin: return lesser(&o, LLVMRealOLT);
    case ISA_OP_fmax: return lesser(&o, LLVMRealOGT);
    case ISA_OP_fclamp_0_1: return limit(&o, 0, 1);
    case ISA_OP_fclamp_m1_1: return limit(&o, -1, 1);
    case ISA_OP_fclamp_0_inf: return limit(&o, 0, __builtin_inff());
    default: break;
    }
    LLVMValueRef f = isa_op_ir_arithmetic(&o);
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
    return LLVMBuildTrunc(b->ir, isa_op_ir_half(&o, single), b->i16x16, "");
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
