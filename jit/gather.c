/* Gathers: the one operation whose best form differs so much between levels that it is chosen here. */
#include "jit/builder.h"

/* Hardware gathers sign-extend 32-bit indices; base + 2^31 with the index's top bit flipped zero-extends. */
static LLVMValueRef biased_base(struct jit_builder *b, LLVMValueRef base)
{
    return jit_offset_const(b, base, UINT64_C(1) << 31);
}

static LLVMValueRef biased_index(struct jit_builder *b, LLVMValueRef offsets)
{
    return LLVMBuildXor(b->ir, offsets, jit_splat_u32(b, UINT32_C(1) << 31), "");
}

static LLVMValueRef gather_avx512(struct jit_builder *b, LLVMValueRef base, LLVMValueRef offsets,
                                  LLVMValueRef mask)
{
    LLVMValueRef args[] = {LLVMConstNull(b->i32x16), biased_base(b, base), biased_index(b, offsets), mask,
                           jit_i32(b, 1)};
    return jit_intrinsic(b, "llvm.x86.avx512.mask.gather.dpi.512", NULL, 0, args, 5);
}

static LLVMValueRef half(struct jit_builder *b, LLVMValueRef v, unsigned first)
{
    LLVMValueRef lanes[8];

    for (unsigned i = 0; i < 8; i++)
        lanes[i] = jit_i32(b, first + i);
    return LLVMBuildShuffleVector(b->ir, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(lanes, 8), "");
}

static LLVMValueRef gather_avx2(struct jit_builder *b, LLVMValueRef base, LLVMValueRef offsets,
                                LLVMValueRef mask)
{
    LLVMValueRef wide = LLVMBuildSExt(b->ir, mask, b->i32x16, ""), index = biased_index(b, offsets);
    LLVMValueRef part[2], all = jit_lane_ids(b);

    base = biased_base(b, base);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef args[] = {LLVMConstNull(LLVMVectorType(b->i32, 8)), base, half(b, index, 8 * i),
                               half(b, wide, 8 * i), LLVMConstInt(b->i8, 1, false)};
        part[i] = jit_intrinsic(b, "llvm.x86.avx2.gather.d.d.256", NULL, 0, args, 5);
    }
    return LLVMBuildShuffleVector(b->ir, part[0], part[1], all, "");
}

/* Sixteen scalar loads; a lane that must not touch memory reads a zero of ours instead, without a branch. */
static LLVMValueRef gather_scalar(struct jit_builder *b, LLVMValueRef base, LLVMValueRef offsets,
                                  LLVMValueRef mask)
{
    LLVMValueRef zero = jit_alloca(b, b->i32, "zero"), out = LLVMGetPoison(b->i32x16);

    jit_store(b, jit_i32(b, 0), zero, 4);
    for (unsigned i = 0; i < JIT_LANES; i++) {
        LLVMValueRef lane = jit_i32(b, i);
        LLVMValueRef at = jit_offset(b, base, LLVMBuildExtractElement(b->ir, offsets, lane, ""));
        LLVMValueRef on = LLVMBuildExtractElement(b->ir, mask, lane, "");
        LLVMValueRef word = jit_load(b, b->i32, LLVMBuildSelect(b->ir, on, at, zero, ""), 1, false);
        out = LLVMBuildInsertElement(b->ir, out, word, lane, "");
    }
    return out;
}

/* Where no lane is masked, sixteen loads are faster than the instruction on many hosts (measured on Zen 5, a tenth of
 * bilinear filtering with AVX2; jit/target.c). */
LLVMValueRef jit_gather_u32(struct jit_builder *b, LLVMValueRef base, LLVMValueRef offsets, LLVMValueRef mask)
{
    if (mask == LLVMConstAllOnes(b->i1x16) && !b->gathers)
        return gather_scalar(b, base, offsets, mask);
    switch (b->level) {
    case JIT_AVX512:
    case JIT_AVX512FP16: return gather_avx512(b, base, offsets, mask);
    case JIT_AVX2: return gather_avx2(b, base, offsets, mask);
    default: return gather_scalar(b, base, offsets, mask);
    }
}

LLVMValueRef jit_table(struct jit_builder *b, const char *name, const uint32_t *word, unsigned count)
{
    LLVMValueRef table = LLVMGetNamedGlobal(b->module, name), words[JIT_TABLE_WORDS];
    if (table)
        return table;
    LLVMTypeRef type = LLVMArrayType2(b->i32, count);
    table = LLVMAddGlobal(b->module, type, name);
    for (unsigned n = 0; n < count; n++)
        words[n] = jit_i32(b, word[n]);
    LLVMSetInitializer(table, LLVMConstArray2(b->i32, words, count));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetAlignment(table, 64);
    return table;
}

/* AVX-512 has two permutations of 32 words for the 64. */
LLVMValueRef jit_table_word(struct jit_builder *b, LLVMValueRef table, unsigned first, LLVMValueRef index)
{
    LLVMValueRef half[2], four = jit_splat_u32(b, sizeof(uint32_t));
    table = jit_offset_const(b, table, first * sizeof(uint32_t));
    if (b->level < JIT_AVX512)
        return jit_gather_u32(b, table, LLVMBuildMul(b->ir, index, four, ""), LLVMConstAllOnes(b->i1x16));
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef args[] = {jit_load(b, b->i32x16, jit_offset_const(b, table, 128 * i), 64, true), index,
                               jit_load(b, b->i32x16, jit_offset_const(b, table, 128 * i + 64), 64, true)};
        half[i] = jit_intrinsic(b, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, args, 3);
    }
    return jit_select(b, LLVMBuildICmp(b->ir, LLVMIntUGE, index, jit_splat_u32(b, 32), ""), half[1], half[0]);
}

void jit_scatter_u32(struct jit_builder *b, LLVMValueRef base, LLVMValueRef offsets, LLVMValueRef value,
                     LLVMValueRef mask)
{
    LLVMTypeRef overload[2] = {b->i32x16, b->ptrx16};
    if (b->gathers) {
        LLVMValueRef host[5] = {biased_base(b, base), mask, biased_index(b, offsets), value, jit_i32(b, 1)};
        jit_intrinsic(b, "llvm.x86.avx512.mask.scatter.dpi.512", NULL, 0, host, 5);
        return;
    }
    LLVMValueRef at = LLVMBuildZExt(b->ir, offsets, b->i64x16, "");
    LLVMValueRef args[4] = {value, LLVMBuildGEP2(b->ir, b->i8, base, &at, 1, ""), jit_i32(b, 4), mask};

    jit_intrinsic(b, "llvm.masked.scatter", overload, 2, args, 4);
}
