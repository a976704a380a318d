#include "jit/workaround.h"

#include <string.h>

static LLVMValueRef without_bitcasts(LLVMValueRef v)
{
    while (LLVMIsABitCastInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

static bool is_bitwise(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

/* Bitwise operations on three values or more. */
static bool is_ternary_logic(LLVMValueRef v)
{
    v = without_bitcasts(v);
    return is_bitwise(v) && (is_bitwise(without_bitcasts(LLVMGetOperand(v, 0))) ||
                             is_bitwise(without_bitcasts(LLVMGetOperand(v, 1))));
}

/* The float vector type of the same size, or NULL when no masked VPTERNLOG has such lanes. */
static LLVMTypeRef float_type(LLVMContextRef context, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return NULL;
    LLVMTypeRef lane = LLVMGetElementType(type);
    LLVMTypeKind kind = LLVMGetTypeKind(lane);
    unsigned bits = kind == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(lane)
                    : kind == LLVMFloatTypeKind  ? 32
                    : kind == LLVMDoubleTypeKind ? 64
                                                 : 0;
    if (bits != 32 && bits != 64)
        return NULL;
    lane = bits == 32 ? LLVMFloatTypeInContext(context) : LLVMDoubleTypeInContext(context);
    return LLVMVectorType(lane, LLVMGetVectorSize(type));
}

static void fence_operand(LLVMModuleRef module, LLVMBuilderRef ir, LLVMValueRef user, unsigned index)
{
    static const char name[] = "llvm.arithmetic.fence";
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef v = LLVMGetOperand(user, index);
    LLVMTypeRef type = LLVMTypeOf(v), as_float = float_type(context, type);

    if (!as_float || !is_ternary_logic(v))
        return;
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fence = LLVMGetIntrinsicDeclaration(module, id, &as_float, 1);
    LLVMPositionBuilderBefore(ir, user);
    v = LLVMBuildBitCast(ir, v, as_float, "");
    v = LLVMBuildCall2(ir, LLVMIntrinsicGetType(context, id, &as_float, 1), fence, &v, 1, "");
    LLVMSetOperand(user, index, LLVMBuildBitCast(ir, v, type, ""));
}

void jit_avoid_masked_ternlog(LLVMModuleRef module, enum jit_level level)
{
    if (level < JIT_AVX512)
        return;
    LLVMBuilderRef ir = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMGetInstructionOpcode(i) == LLVMSelect) {
                    fence_operand(module, ir, i, 1);
                    fence_operand(module, ir, i, 2);
                }
    LLVMDisposeBuilder(ir);
}
