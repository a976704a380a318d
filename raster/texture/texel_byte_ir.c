/* Singles that are channels of bytes, by how they were made. */
#include "jit/math.h"
#include "raster/texture/texel_ir.h"

static bool is(LLVMValueRef v, LLVMOpcode opcode)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == opcode;
}

/* The number of which `v` has the bits with one NaN for all; else NULL. */
static LLVMValueRef before_one_nan(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef none, bits;

    if (!LLVMIsASelectInst(v) || LLVMGetOperand(v, 1) != jit_splat_u32(b, 0x7fc00000))
        return NULL;
    none = LLVMGetOperand(v, 0);
    bits = LLVMGetOperand(v, 2);
    if (!LLVMIsAFCmpInst(none) || LLVMGetFCmpPredicate(none) != LLVMRealUNO || !is(bits, LLVMBitCast))
        return NULL;
    bits = LLVMGetOperand(bits, 0);
    return LLVMGetOperand(none, 0) == bits && LLVMGetOperand(none, 1) == bits ? bits : NULL;
}

/* What changes no number from 0 to 1, or a byte's to the half next to it, which is nearer to this byte than to any
 * other; NULL: v is something else. */
static LLVMValueRef before(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef half = jit_before_half(b, v);

    if (half)
        return half;
    if (is(v, LLVMBitCast) || jit_calls(v, "llvm.arithmetic.fence"))
        return LLVMGetOperand(v, 0);
    return before_one_nan(b, v);
}

LLVMValueRef raster_texel_any_nan_ir(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef before = before_one_nan(b, is(v, LLVMBitCast) ? LLVMGetOperand(v, 0) : v);

    return before ? before : v;
}

/* texel_ir.c's quotient by 255. */
static LLVMValueRef dividend(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef part[2], x, scale[2];

    if (jit_calls(v, "llvm.fma")) {
        x = LLVMGetOperand(v, 0);
        scale[0] = LLVMGetOperand(v, 1);
        part[1] = LLVMGetOperand(v, 2);
    } else if (is(v, LLVMFAdd)) {
        part[0] = LLVMGetOperand(v, 0);
        part[1] = LLVMGetOperand(v, 1);
        if (!is(part[0], LLVMFMul))
            return NULL;
        x = LLVMGetOperand(part[0], 0);
        scale[0] = LLVMGetOperand(part[0], 1);
    } else {
        return NULL;
    }
    if (!is(part[1], LLVMFMul) || LLVMGetOperand(part[1], 0) != x || !is(x, LLVMSIToFP))
        return NULL;
    scale[1] = LLVMGetOperand(part[1], 1);
    if (scale[0] != jit_splat_f32(b, 1.0f / 256) || scale[1] != jit_splat_f32(b, (float)(1.0 / 256 / 255)))
        return NULL;
    return LLVMGetOperand(x, 0);
}

LLVMValueRef raster_texel_byte_ir(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef byte = NULL;

    for (; v && !byte; v = before(b, v))
        byte = dividend(b, v);
    return byte;
}
