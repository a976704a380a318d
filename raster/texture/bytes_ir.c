#include "raster/texture/bytes_ir.h"

static LLVMTypeRef halves_type(struct jit_builder *b)
{
    return LLVMVectorType(b->i16, 32);
}

static LLVMValueRef halves_splat(struct jit_builder *b, uint16_t v)
{
    LLVMValueRef lanes[32];

    for (unsigned i = 0; i < 32; i++)
        lanes[i] = LLVMConstInt(b->i16, v, false);
    return LLVMConstVector(lanes, 32);
}

struct raster_bytes_ir raster_bytes_ir_split(struct jit_builder *b, LLVMValueRef word)
{
    LLVMValueRef h = LLVMBuildBitCast(b->ir, word, halves_type(b), "");

    return (struct raster_bytes_ir){LLVMBuildAnd(b->ir, h, halves_splat(b, 255), ""),
                                    LLVMBuildLShr(b->ir, h, halves_splat(b, 8), "")};
}

LLVMValueRef raster_bytes_ir_join(struct jit_builder *b, struct raster_bytes_ir bytes)
{
    LLVMValueRef odd = LLVMBuildShl(b->ir, bytes.odd, halves_splat(b, 8), "");

    return LLVMBuildBitCast(b->ir, LLVMBuildOr(b->ir, bytes.even, odd, ""), b->i32x16, "");
}

/* Its byte times 128 in both halves of the word. */
LLVMValueRef raster_bytes_ir_weight(struct jit_builder *b, LLVMValueRef weight)
{
    LLVMTypeRef bytes = LLVMVectorType(b->i8, 64);
    LLVMValueRef lanes[64];

    for (uint32_t i = 0; i < 64; i++)
        lanes[i] = jit_i32(b, i & 1 ? i & ~3u : 64);
    weight = LLVMBuildShuffleVector(b->ir, LLVMBuildBitCast(b->ir, weight, bytes, ""), LLVMConstNull(bytes),
                                    LLVMConstVector(lanes, 64), "");
    return LLVMBuildLShr(b->ir, LLVMBuildBitCast(b->ir, weight, halves_type(b), ""), halves_splat(b, 1), "");
}

/* (d * w + 128) >> 8 of signed halves, w given as w << 7: what pmulhrsw does, (d * (w << 7) + 2^14) >> 15. */
static LLVMValueRef weigh(struct jit_builder *b, LLVMValueRef d, LLVMValueRef w)
{
    static const char *const names[] = {"llvm.x86.ssse3.pmul.hr.sw.128", "llvm.x86.avx2.pmul.hr.sw",
                                        "llvm.x86.avx512.pmul.hr.sw.512"};
    LLVMValueRef args[2] = {d, w};

    return jit_intrinsic_by_level(b, names, args, 2);
}

/* x + ((y - x) * w + 128 >> 8): the same. */
static LLVMValueRef lerp16(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef w)
{
    return LLVMBuildAdd(b->ir, x, weigh(b, LLVMBuildSub(b->ir, y, x, ""), w), "");
}

struct raster_bytes_ir raster_bytes_ir_lerp(struct jit_builder *b, struct raster_bytes_ir x,
                                            struct raster_bytes_ir y, LLVMValueRef weight)
{
    return (struct raster_bytes_ir){lerp16(b, x.even, y.even, weight), lerp16(b, x.odd, y.odd, weight)};
}
