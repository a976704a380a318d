#include "jit/math.h"

#define NUMBER_NAN 0xffc00000u

static LLVMValueRef constant(struct jit_builder *b, uint32_t bits)
{
    return LLVMConstBitCast(jit_splat_u32(b, bits), b->f32x16);
}

/* p = p * x + c, two roundings */
static LLVMValueRef step(struct jit_builder *b, LLVMValueRef p, LLVMValueRef x, uint32_t c)
{
    return LLVMBuildFAdd(b->ir, LLVMBuildFMul(b->ir, p, x, ""), constant(b, c), "");
}

static LLVMValueRef nan_through(struct jit_builder *b, LLVMValueRef x, LLVMValueRef result)
{
    return jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealUNO, x, x, ""), constant(b, NUMBER_NAN), result);
}

/* floor of |x| <= 128 as an integer and a float. Rounding down by comparison makes a denormal zero. */
static LLVMValueRef small_floor(struct jit_builder *b, LLVMValueRef x, LLVMValueRef *as_float)
{
    LLVMValueRef cut = jit_f32_to_i32(b, x);
    LLVMValueRef above = LLVMBuildFCmp(b->ir, LLVMRealOGT, jit_i32_to_f32(b, cut), x, "");
    LLVMValueRef floor = LLVMBuildAdd(b->ir, cut, LLVMBuildSExt(b->ir, above, b->i32x16, ""), "");

    *as_float = jit_i32_to_f32(b, floor);
    return floor;
}

static LLVMValueRef exp2_part(struct jit_builder *b, LLVMValueRef f)
{
    static const uint32_t c[] = {0x3c16b907, 0x3d63f8a7, 0x3e75f8e0, 0x3f31721e, 0x3f800000};
    LLVMValueRef p = constant(b, 0x3aea67b3);
    for (unsigned k = 0; k < sizeof c / sizeof *c; k++)
        p = step(b, p, f, c[k]);
    return p;
}

LLVMValueRef jit_exp2_part(struct jit_builder *b, LLVMValueRef x)
{
    return exp2_part(b, jit_fence(b, x));
}

LLVMValueRef jit_exp2(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef low = constant(b, 0xc2fe0000), high = constant(b, 0x43000000), whole;

    x = jit_fence(b, x);
    /* a NaN becomes -127 here, and a NaN again at the end */
    LLVMValueRef y = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, low, ""), x, low);
    y = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, y, high, ""), y, high);
    LLVMValueRef i = small_floor(b, y, &whole), f = LLVMBuildFSub(b->ir, y, whole, "");
    LLVMValueRef p = exp2_part(b, f);
    /* i = -127 gives the pattern of 0, i = 128 that of infinity */
    LLVMValueRef scale = LLVMBuildAdd(b->ir, i, jit_splat_u32(b, 127), "");
    scale = LLVMBuildShl(b->ir, scale, jit_splat_u32(b, 23), "");
    return nan_through(b, x, LLVMBuildFMul(b->ir, p, jit_as_f32(b, scale), ""));
}

LLVMValueRef jit_log2_ratio(struct jit_builder *b, LLVMValueRef t)
{
    static const uint32_t c[] = {0xbe30a3fa, 0x3e5d3293, 0xbe78b791, 0x3e9393bd,
                                 0xbeb89cd6, 0x3ef638a1, 0xbf38aa4c, 0x3fb8aa3b};
    LLVMValueRef p = constant(b, 0x3d9c7389);
    for (unsigned k = 0; k < sizeof c / sizeof *c; k++)
        p = step(b, p, t, c[k]);
    return p;
}

LLVMValueRef jit_significand(struct jit_builder *b, LLVMValueRef x)
{
    enum { OF_THREE_QUARTERS = 3 };
    LLVMValueRef args[5] = {x, jit_i32(b, OF_THREE_QUARTERS), x, LLVMConstAllOnes(b->i16),
                            jit_i32(b, JIT_ROUND_AS_SET)};
    return jit_intrinsic(b, "llvm.x86.avx512.mask.getmant.ps.512", NULL, 0, args, 5);
}

LLVMValueRef jit_scalef(struct jit_builder *b, LLVMValueRef x, LLVMValueRef n)
{
    LLVMValueRef args[5] = {x, n, x, LLVMConstAllOnes(b->i16), jit_i32(b, JIT_ROUND_AS_SET)};
    return jit_intrinsic(b, "llvm.x86.avx512.mask.scalef.ps.512", NULL, 0, args, 5);
}

LLVMValueRef jit_fix_special(struct jit_builder *b, LLVMValueRef f, LLVMValueRef x, uint32_t specials)
{
    LLVMValueRef args[6] = {f,
                            x,
                            jit_splat_u32(b, specials),
                            jit_i32(b, 0),
                            LLVMConstAllOnes(b->i16),
                            jit_i32(b, JIT_ROUND_AS_SET)};
    return jit_intrinsic(b, "llvm.x86.avx512.mask.fixupimm.ps.512", NULL, 0, args, 6);
}

/* log2 of a positive, finite, normal number given by its bits */
static LLVMValueRef log2_normal(struct jit_builder *b, LLVMValueRef bits)
{
    static const uint32_t c[] = {0x3f13a39b, 0x3f763873, 0x4038aa3b};
    LLVMBuilderRef ir = b->ir;
    LLVMValueRef e = LLVMBuildLShr(ir, bits, jit_splat_u32(b, 23), "");
    LLVMValueRef m = LLVMBuildAnd(ir, bits, jit_splat_u32(b, 0x7fffff), "");

    e = LLVMBuildSub(ir, e, jit_splat_u32(b, 127), "");
    m = LLVMBuildOr(ir, m, jit_splat_u32(b, 0x3f800000), "");
    /* halving is one less in the exponent */
    LLVMValueRef big = LLVMBuildICmp(ir, LLVMIntUGT, m, jit_splat_u32(b, 0x3fb504f3), "");
    m = LLVMBuildSub(ir, m, jit_select(b, big, jit_splat_u32(b, 1u << 23), jit_splat_u32(b, 0)), "");
    e = LLVMBuildSub(ir, e, LLVMBuildSExt(ir, big, b->i32x16, ""), "");
    LLVMValueRef d = LLVMBuildFSub(ir, jit_as_f32(b, m), constant(b, 0x3f800000), "");
    LLVMValueRef s = LLVMBuildFDiv(ir, d, LLVMBuildFAdd(ir, constant(b, 0x40000000), d, ""), "");
    LLVMValueRef s2 = LLVMBuildFMul(ir, s, s, ""), p = constant(b, 0x3edd0a1a);
    for (unsigned k = 0; k < 3; k++)
        p = step(b, p, s2, c[k]);
    return LLVMBuildFAdd(ir, jit_i32_to_f32(b, e), LLVMBuildFMul(ir, p, s, ""), "");
}

LLVMValueRef jit_log2(struct jit_builder *b, LLVMValueRef x)
{
    LLVMBuilderRef ir = b->ir;
    LLVMValueRef a = LLVMBuildAnd(ir, jit_as_i32(b, x), jit_splat_u32(b, 0x7fffffff), "");
    LLVMValueRef tiny = LLVMBuildICmp(ir, LLVMIntULT, a, jit_splat_u32(b, 0x00800000), "");
    LLVMValueRef infinite = LLVMBuildICmp(ir, LLVMIntEQ, a, jit_splat_u32(b, 0x7f800000), "");
    LLVMValueRef r = log2_normal(b, a);

    r = jit_select(b, infinite, constant(b, 0x7f800000), r);
    r = jit_select(b, tiny, constant(b, 0xff800000), r);
    return nan_through(b, x, r);
}

static LLVMValueRef polynomial(struct jit_builder *b, uint32_t first, LLVMValueRef t, const uint32_t *c,
                               unsigned count)
{
    LLVMValueRef p = constant(b, first);
    for (unsigned k = 0; k < count; k++)
        p = step(b, p, t, c[k]);
    return p;
}

LLVMValueRef jit_sin_turns(struct jit_builder *b, LLVMValueRef x)
{
    static const uint32_t c[] = {0x42280a04, 0xc2996897, 0x42a335e0, 0xc2255de7, 0x40c90fdb};
    LLVMBuilderRef ir = b->ir;
    LLVMValueRef half = jit_splat_f32(b, 0.5f), quarter = jit_splat_f32(b, 0.25f);
    LLVMValueRef low_half = jit_splat_f32(b, -0.5f), low_quarter = jit_splat_f32(b, -0.25f);

    x = jit_fence(b, x);
    LLVMValueRef r = LLVMBuildFSub(ir, x, jit_floor(b, LLVMBuildFAdd(ir, x, half, "")), "");
    LLVMValueRef above = LLVMBuildFCmp(ir, LLVMRealOGT, r, quarter, "");
    r = jit_select(b, above, LLVMBuildFSub(ir, half, r, ""), r);
    LLVMValueRef below = LLVMBuildFCmp(ir, LLVMRealOLT, r, low_quarter, "");
    r = jit_select(b, below, LLVMBuildFSub(ir, low_half, r, ""), r);
    LLVMValueRef y = polynomial(b, 0xc1664db1, LLVMBuildFMul(ir, r, r, ""), c, 5);
    y = LLVMBuildFMul(ir, y, r, "");
    return nan_through(b, y, y);
}

LLVMValueRef jit_cos_turns(struct jit_builder *b, LLVMValueRef x)
{
    return jit_sin_turns(b, LLVMBuildFAdd(b->ir, x, jit_splat_f32(b, 0.25f), ""));
}

LLVMValueRef jit_atan(struct jit_builder *b, LLVMValueRef x)
{
    static const uint32_t c[] = {0xbc80ded2, 0x3d2c9880, 0xbd98b765, 0x3dd976d8,
                                 0xbe1162ad, 0x3e4cb77e, 0xbeaaaa47, 0x3f800000};
    LLVMBuilderRef ir = b->ir;
    LLVMValueRef one = jit_splat_f32(b, 1.0f), bits = jit_as_i32(b, jit_fence(b, x));
    LLVMValueRef a = jit_as_f32(b, LLVMBuildAnd(ir, bits, jit_splat_u32(b, 0x7fffffff), ""));
    LLVMValueRef big = LLVMBuildFCmp(ir, LLVMRealOGT, a, one, "");

    a = jit_select(b, big, LLVMBuildFDiv(ir, one, a, ""), a);
    LLVMValueRef r = polynomial(b, 0x3b354a89, LLVMBuildFMul(ir, a, a, ""), c, 8);
    r = LLVMBuildFMul(ir, r, a, "");
    r = jit_select(b, big, LLVMBuildFSub(ir, constant(b, 0x3fc90fdb), r, ""), r);
    LLVMValueRef sign = LLVMBuildAnd(ir, bits, jit_splat_u32(b, 0x80000000), "");
    r = jit_as_f32(b, LLVMBuildOr(ir, jit_as_i32(b, r), sign, ""));
    return nan_through(b, x, r);
}

/* Comparisons, not minnum or bits, since a NaN that LLVM makes has no sign and the processor's has one. A
 * number is below 1 if, and unless the product rounds to `top`, the product is below `top`: so the limit from
 * above comes after the product, which LLVM would otherwise draw into the choice. */
LLVMValueRef jit_unit_times(struct jit_builder *b, LLVMValueRef x, float top)
{
    LLVMValueRef zero = jit_splat_f32(b, 0.0f), most = jit_splat_f32(b, top);

    x = jit_fence(b, x);
    x = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, zero, ""), x, zero);
    x = LLVMBuildFMul(b->ir, x, most, "");
    return jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, most, ""), x, most);
}

LLVMValueRef jit_add_exact_product(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    LLVMValueRef args[3] = {x, y, z};

    if (b->level >= JIT_AVX2)
        return jit_intrinsic(b, "llvm.fma", &b->f32x16, 1, args, 3);
    return LLVMBuildFAdd(b->ir, LLVMBuildFMul(b->ir, x, y, ""), z, "");
}

/* ---- bytes ---- */

static LLVMValueRef halves(struct jit_builder *b, uint16_t value)
{
    LLVMValueRef lanes[2 * JIT_LANES];

    for (unsigned i = 0; i < 2 * JIT_LANES; i++)
        lanes[i] = LLVMConstInt(b->i16, value, false);
    return LLVMConstVector(lanes, 2 * JIT_LANES);
}

/* x * y + 128 of bytes that stand in halves. It is below 2^16, and x * y / 255 rounded is t * 257 >> 16, also
 * (t + (t >> 8)) >> 8. */
static LLVMValueRef product_of_halves(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, x, y, ""), halves(b, 128), "");
}

/* Even bytes and odd ones apart, where they stand: to widen all and to narrow them again takes shuffles across
 * the register, which are slow. */
LLVMValueRef jit_unit_bytes_product(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    static const char *const names[] = {"llvm.x86.sse2.pmulhu.w", "llvm.x86.avx2.pmulhu.w",
                                        "llvm.x86.avx512.pmulhu.w.512"};
    LLVMTypeRef type = LLVMVectorType(b->i16, 2 * JIT_LANES);
    LLVMValueRef low = halves(b, 255), eight = halves(b, 8), even[2], odd;

    x = LLVMBuildBitCast(b->ir, x, type, "");
    y = LLVMBuildBitCast(b->ir, y, type, "");
    even[0] = product_of_halves(b, LLVMBuildAnd(b->ir, x, low, ""), LLVMBuildAnd(b->ir, y, low, ""));
    even[1] = halves(b, 257);
    even[0] = jit_intrinsic_by_level(b, names, even, 2);
    odd = product_of_halves(b, LLVMBuildLShr(b->ir, x, eight, ""), LLVMBuildLShr(b->ir, y, eight, ""));
    odd = LLVMBuildAdd(b->ir, odd, LLVMBuildLShr(b->ir, odd, eight, ""), "");
    odd = LLVMBuildAnd(b->ir, odd, halves(b, 0xff00), "");
    return LLVMBuildBitCast(b->ir, LLVMBuildOr(b->ir, even[0], odd, ""), b->i32x16, "");
}

LLVMValueRef jit_byte_replicate(struct jit_builder *b, LLVMValueRef word, unsigned n)
{
    LLVMTypeRef type = LLVMVectorType(b->i8, 4 * JIT_LANES);
    LLVMValueRef from[4 * JIT_LANES];

    for (unsigned i = 0; i < 4 * JIT_LANES; i++)
        from[i] = jit_i32(b, (i & ~3u) + n);
    word = LLVMBuildShuffleVector(b->ir, LLVMBuildBitCast(b->ir, word, type, ""), LLVMGetPoison(type),
                                  LLVMConstVector(from, 4 * JIT_LANES), "");
    return LLVMBuildBitCast(b->ir, word, b->i32x16, "");
}
