/* Pixel formats as IR, from the same rows as texel.c and apart from it. */
#include "raster/texture/texel_ir.h"

#include "jit/math.h"

/* ---- bits ---- */

static LLVMValueRef splat(struct jit_builder *b, uint32_t v)
{
    return jit_splat_u32(b, v);
}

static LLVMValueRef and_(struct jit_builder *b, LLVMValueRef v, uint32_t mask)
{
    return mask == UINT32_MAX ? v : LLVMBuildAnd(b->ir, v, splat(b, mask), "");
}

static LLVMValueRef shr(struct jit_builder *b, LLVMValueRef v, unsigned by)
{
    return by ? LLVMBuildLShr(b->ir, v, splat(b, by), "") : v;
}

static LLVMValueRef shl(struct jit_builder *b, LLVMValueRef v, unsigned by)
{
    return by ? LLVMBuildShl(b->ir, v, splat(b, by), "") : v;
}

static LLVMValueRef plus(struct jit_builder *b, LLVMValueRef v, uint32_t n)
{
    return LLVMBuildAdd(b->ir, v, splat(b, n), "");
}

static LLVMValueRef two(struct jit_builder *b, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef args[2] = {x, y};

    return jit_intrinsic(b, name, &type, 1, args, 2);
}

static uint32_t ones(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

/* ---- ranges ---- */

/* A channel of fixed point: its steps' number from end to end, and how many of them are one. */
struct range {
    double unit, least, most;
    bool is_signed;
};

static struct range range_of(enum raster_kind kind, unsigned bits)
{
    double half = ones(bits - 1), all = ones(bits);

    switch (kind) {
    case RASTER_KIND_UNORM: return (struct range){all, 0, all, false};
    case RASTER_KIND_SNORM: return (struct range){half, -half, half, true};
    case RASTER_KIND_FIXED: return (struct range){65536, -half - 1, half, true};
    case RASTER_KIND_SSCALED: return (struct range){1, -half - 1, half, true};
    default: return (struct range){1, 0, all, false};
    }
}

/* A constant in all lanes of x, which are singles or doubles. */
static LLVMValueRef like(struct jit_builder *b, LLVMValueRef x, double v)
{
    LLVMValueRef lanes[JIT_LANES];

    for (unsigned n = 0; n < JIT_LANES; n++)
        lanes[n] = LLVMConstReal(LLVMGetElementType(LLVMTypeOf(x)), v);
    return LLVMConstVector(lanes, JIT_LANES);
}

/* x / (2^n - 1) for a whole number |x| < 2^n, n up to 24, rounded as the division rounds it: as 1 / (2^n - 1) is
 * 2^-n and 2^-n times itself, the first product is exact, and what the second one's rounding leaves is too small to
 * count (all numbers of each n are compared in tests/diff). What comes out is a number, which LLVM does not see for
 * itself: rounding to halves then need not look for others. */
static LLVMValueRef over_ones(struct jit_builder *b, LLVMValueRef x, double unit)
{
    double step = 1 / (unit + 1);
    LLVMValueRef low = LLVMBuildFMul(b->ir, x, jit_splat_f32(b, (float)(step / unit)), "");
    LLVMValueRef sum = jit_add_exact_product(b, x, jit_splat_f32(b, (float)step), low);

    if (LLVMCanValueUseFastMathFlags(sum)) /* constants have none */
        LLVMSetFastMathFlags(sum, LLVMFastMathNoNaNs);
    return sum;
}

/* `field`, or its sign extended, as numbers: doubles where a single would round before the division does. */
static LLVMValueRef unpack_steps(struct jit_builder *b, enum raster_kind kind, LLVMValueRef field,
                                 unsigned bits)
{
    struct range r = range_of(kind, bits);
    bool doubles = bits > 24 && (kind == RASTER_KIND_UNORM || kind == RASTER_KIND_SNORM);
    LLVMTypeRef type = doubles ? LLVMVectorType(b->f64, JIT_LANES) : b->f32x16;
    LLVMValueRef x;

    if (r.is_signed && bits < 32)
        field = LLVMBuildAShr(b->ir, shl(b, field, 32 - bits), splat(b, 32 - bits), "");
    x = r.is_signed || bits <= 24 ? LLVMBuildSIToFP(b->ir, field, type, "")
                                  : LLVMBuildUIToFP(b->ir, field, type, "");
    if (bits <= 24 && (kind == RASTER_KIND_UNORM || kind == RASTER_KIND_SNORM) && r.unit != 1)
        x = over_ones(b, x, r.unit);
    else if (r.unit != 1)
        x = LLVMBuildFDiv(b->ir, x, like(b, x, r.unit), "");
    if (kind == RASTER_KIND_SNORM)
        x = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, like(b, x, -1), ""), like(b, x, -1),
                            x, "");
    return jit_as_i32(b, doubles ? LLVMBuildFPTrunc(b->ir, x, b->f32x16, "") : x);
}

static LLVMValueRef pack_steps(struct jit_builder *b, enum raster_kind kind, LLVMValueRef x, unsigned bits)
{
    struct range r = range_of(kind, bits);
    LLVMTypeRef f64x16 = LLVMVectorType(b->f64, JIT_LANES);

    if (kind == RASTER_KIND_UNORM && bits <= 16)
        return jit_f32_nearest_i32(b, jit_unit_times(b, x, (float)r.unit));
    if (bits > 16)
        x = LLVMBuildFPExt(b->ir, x, f64x16, "");
    if (r.unit != 1)
        x = LLVMBuildFMul(b->ir, x, like(b, x, r.unit), "");
    x = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealORD, x, x, ""), x, like(b, x, 0), "");
    x = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, like(b, x, r.least), ""), x,
                        like(b, x, r.least), "");
    x = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, like(b, x, r.most), ""), x,
                        like(b, x, r.most), "");
    if (bits <= 16)
        return and_(b, jit_f32_nearest_i32(b, x), ones(bits));
    x = jit_intrinsic(b, "llvm.rint", &f64x16, 1, &x, 1);
    x = LLVMBuildFPToSI(b->ir, x, b->i64x16, "");
    return and_(b, LLVMBuildTrunc(b->ir, x, b->i32x16, ""), ones(bits));
}

/* ---- floats ---- */

/* A number above 0 whose fraction keeps so many bits, with a half's exponent. Below the least normal one a
 * number is added whose last place is the format's. */
static LLVMValueRef pack_small_float(struct jit_builder *b, LLVMValueRef x, unsigned fraction)
{
    unsigned drop = 23 - fraction;
    uint32_t infinite = 31u << fraction, magic = (127 + 9 - fraction) << 23;
    LLVMValueRef bits = jit_as_i32(b, x), even = and_(b, shr(b, bits, drop), 1), sum, v;
    LLVMValueRef above = LLVMBuildFCmp(b->ir, LLVMRealUGT, x, jit_splat_f32(b, 0), "");

    v = LLVMBuildAdd(b->ir, plus(b, bits, (1u << (drop - 1)) - 1 - (112u << 23)), even, "");
    v = two(b, "llvm.umin", shr(b, v, drop), splat(b, infinite - 1));
    sum = LLVMBuildFAdd(b->ir, x, jit_as_f32(b, splat(b, magic)), "");
    v = jit_select(b, LLVMBuildICmp(b->ir, LLVMIntULT, bits, splat(b, 0x38800000), ""),
                   plus(b, jit_as_i32(b, sum), 0 - magic), v);
    v = jit_select(b, LLVMBuildICmp(b->ir, LLVMIntEQ, bits, splat(b, 0x7f800000), ""), splat(b, infinite), v);
    v = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealUNO, x, x, ""), splat(b, infinite | 1u << (fraction - 1)),
                   v);
    return jit_select(b, above, v, splat(b, 0));
}

static LLVMValueRef power_of_two(struct jit_builder *b, LLVMValueRef exponent)
{
    return jit_as_f32(b, shl(b, plus(b, exponent, 127), 23));
}

/* The whole number next to one below 2^31 that is not negative; of two the greater. */
static LLVMValueRef half_up(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef whole = jit_f32_to_i32(b, x), rest = LLVMBuildFSub(b->ir, x, jit_i32_to_f32(b, whole), "");

    return jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGE, rest, jit_splat_f32(b, 0.5f), ""),
                      plus(b, whole, 1), whole);
}

/* GL ES 3.2 section 8.5.2. */
static LLVMValueRef pack_shared(struct jit_builder *b, const LLVMValueRef in[4])
{
    LLVMValueRef color[3], most = jit_splat_f32(b, 0), top = jit_splat_f32(b, 65408), e, scale, word;

    for (unsigned c = 0; c < 3; c++) {
        LLVMValueRef x = jit_as_f32(b, in[c]);

        x = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, jit_splat_f32(b, 0), ""), x,
                       jit_splat_f32(b, 0));
        color[c] = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, top, ""), x, top);
        most = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, color[c], most, ""), color[c], most);
    }
    e = two(b, "llvm.smax", plus(b, shr(b, jit_as_i32(b, most), 23), 16 - 127u), splat(b, 0));
    scale = power_of_two(b, LLVMBuildSub(b->ir, splat(b, 24), e, ""));
    e = jit_select(
        b,
        LLVMBuildICmp(b->ir, LLVMIntEQ, half_up(b, LLVMBuildFMul(b->ir, most, scale, "")), splat(b, 512), ""),
        plus(b, e, 1), e);
    scale = power_of_two(b, LLVMBuildSub(b->ir, splat(b, 24), e, ""));
    word = shl(b, e, 27);
    for (unsigned c = 0; c < 3; c++)
        word = LLVMBuildOr(b->ir, word, shl(b, half_up(b, LLVMBuildFMul(b->ir, color[c], scale, "")), 9 * c),
                           "");
    return word;
}

static LLVMValueRef pack_float(struct jit_builder *b, LLVMValueRef x, unsigned bits)
{
    switch (bits) {
    case 32: return jit_as_i32(b, x);
    case 16: return jit_single_to_half(b, x);
    case 11: return pack_small_float(b, x, 6);
    default: return pack_small_float(b, x, 5); /* of 10 */
    }
}

/* ---- sRGB ---- */

/* Numbers of a table that is the module's own. */
static LLVMValueRef look_up(struct jit_builder *b, const char *name, const uint32_t table[256],
                            LLVMValueRef index)
{
    LLVMValueRef global = LLVMGetNamedGlobal(b->module, name), word[256];

    if (!global) {
        global = LLVMAddGlobal(b->module, LLVMArrayType2(b->i32, 256), name);
        for (unsigned n = 0; n < 256; n++)
            word[n] = jit_i32(b, table[n]);
        LLVMSetInitializer(global, LLVMConstArray2(b->i32, word, 256));
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMPrivateLinkage);
    }
    return jit_gather_u32(b, global, shl(b, index, 2), LLVMConstAllOnes(b->i1x16));
}

static LLVMValueRef unpack_srgb(struct jit_builder *b, LLVMValueRef v, unsigned bits)
{
    if (bits < 8)
        v = LLVMBuildOr(b->ir, shl(b, v, 8 - bits), shr(b, v, 2 * bits - 8), "");
    return look_up(b, "srgb_linear", raster_srgb_linear, v);
}

static LLVMValueRef pack_srgb(struct jit_builder *b, LLVMValueRef x, unsigned bits)
{
    LLVMValueRef byte = splat(b, 0);

    for (uint32_t step = 128; step; step /= 2) {
        LLVMValueRef next = plus(b, byte, step), least;

        least = jit_as_f32(b, look_up(b, "srgb_least", raster_srgb_least, next));
        byte = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGE, x, least, ""), next, byte);
    }
    if (bits == 8)
        return byte;
    byte = plus(b, LLVMBuildMul(b->ir, byte, splat(b, ones(bits)), ""), 127);
    return LLVMBuildUDiv(b->ir, byte, splat(b, 255), "");
}

/* ---- channels ---- */

static LLVMValueRef unpack(struct jit_builder *b, enum raster_kind kind, LLVMValueRef v, unsigned bits,
                           LLVMValueRef word)
{
    LLVMValueRef scale;

    switch (kind) {
    case RASTER_KIND_X: return splat(b, 0);
    case RASTER_KIND_UINT: return v;
    case RASTER_KIND_SINT:
        return bits == 32 ? v : LLVMBuildAShr(b->ir, shl(b, v, 32 - bits), splat(b, 32 - bits), "");
    case RASTER_KIND_FLOAT:
        return bits == 32 ? v : jit_as_i32(b, jit_half_to_single(b, bits == 16 ? v : shl(b, v, 15 - bits)));
    case RASTER_KIND_SRGB: return unpack_srgb(b, v, bits);
    case RASTER_KIND_SHARED:
        scale = power_of_two(b, plus(b, shr(b, word, 27), 0 - 24u));
        return jit_as_i32(b, LLVMBuildFMul(b->ir, jit_i32_to_f32(b, v), scale, ""));
    default: return unpack_steps(b, kind, v, bits);
    }
}

static LLVMValueRef pack(struct jit_builder *b, enum raster_kind kind, LLVMValueRef in, unsigned bits)
{
    uint32_t most = ones(bits - 1);

    switch (kind) {
    case RASTER_KIND_UINT: return bits == 32 ? in : two(b, "llvm.umin", in, splat(b, ones(bits)));
    case RASTER_KIND_SINT:
        in = two(b, "llvm.smax", in, splat(b, ~most));
        return and_(b, two(b, "llvm.smin", in, splat(b, most)), ones(bits));
    case RASTER_KIND_FLOAT: return pack_float(b, jit_as_f32(b, in), bits);
    case RASTER_KIND_SRGB: return pack_srgb(b, jit_as_f32(b, in), bits);
    default: return pack_steps(b, kind, jit_as_f32(b, in), bits);
    }
}

void raster_texel_unpack_ir(struct jit_builder *b, const struct raster_texel *texel, const LLVMValueRef *word,
                            LLVMValueRef out[4])
{
    LLVMValueRef value[6] = {
        [RASTER_FROM_ZERO] = splat(b, 0), [RASTER_FROM_ONE] = splat(b, raster_texel_one(texel))};

    for (unsigned n = 0; n < 4; n++) {
        unsigned c = texel->from[n];

        if (!value[c]) {
            unsigned at = texel->channel[c].at, bits = texel->channel[c].bits;
            LLVMValueRef v = shr(b, word[at / 32], at % 32);

            v = at % 32 + bits == 32 ? v : and_(b, v, ones(bits));
            value[c] = unpack(b, raster_texel_kind(texel, c), v, bits, word[0]);
        }
        out[n] = value[c];
    }
}

void raster_texel_pack_ir(struct jit_builder *b, const struct raster_texel *texel, const LLVMValueRef in[4],
                          LLVMValueRef *word)
{
    bool shared = texel->channel[0].kind == RASTER_KIND_SHARED;

    for (unsigned k = 0; k < (texel->bits + 31u) / 32; k++)
        word[k] = shared ? pack_shared(b, in) : splat(b, 0);
    for (unsigned c = 0; c < 4 && !shared; c++) {
        unsigned at = texel->channel[c].at, n = raster_texel_component(texel, c);
        enum raster_kind kind = raster_texel_kind(texel, c);

        if (kind == RASTER_KIND_X)
            continue;
        LLVMValueRef v = shl(b, pack(b, kind, in[n], texel->channel[c].bits), at % 32);
        word[at / 32] = LLVMBuildOr(b->ir, word[at / 32], v, "");
    }
}

/* ---- samplers' words ---- */

/* Whether every channel is a byte: such texels are moved as they are. */
static bool is_bytes(const struct raster_texel *texel)
{
    bool is = true;

    for (unsigned c = 0; c < 4; c++)
        is &= raster_texel_kind(texel, c) == RASTER_KIND_X || texel->channel[c].bits == 8;
    return is;
}

/* `bits` bits from `at` on, at `to`. */
static LLVMValueRef move(struct jit_builder *b, LLVMValueRef v, unsigned bits, unsigned at, unsigned to)
{
    if (at >= to)
        return and_(b, shr(b, v, at - to), ones(bits) << to);
    return shl(b, and_(b, v, ones(bits) << at), to - at);
}

/* A channel of fewer than eight bits as a byte at `to`, but for four bits, which are in its lower half. */
static LLVMValueRef fill_byte(struct jit_builder *b, LLVMValueRef v, unsigned bits, unsigned at, unsigned to)
{
    LLVMValueRef field;

    if (bits == 1) {
        field = LLVMBuildSub(b->ir, splat(b, 0), and_(b, shr(b, v, at), 1), "");
        return and_(b, field, 255u << to);
    }
    if (bits == 4 || bits == 8)
        return move(b, v, bits, at, to);
    field = and_(b, shr(b, v, at), ones(bits));
    v = LLVMBuildOr(b->ir, shl(b, field, 8 - bits),
                    bits >= 4 ? shr(b, field, 2 * bits - 8) : shl(b, field, 8 - 2 * bits), "");
    if (bits < 4)
        v = LLVMBuildOr(b->ir, v, bits == 3 ? shr(b, field, 1) : LLVMBuildMul(b->ir, field, splat(b, 5), ""),
                        "");
    return shl(b, v, to);
}

LLVMValueRef raster_texel_bytes_ir(struct jit_builder *b, const struct raster_texel *texel, LLVMValueRef word)
{
    LLVMValueRef bytes = NULL, halves = NULL;

    if (!raster_texel_is_8888(texel) || is_bytes(texel))
        return word;
    for (unsigned c = 0; c < 4; c++) {
        unsigned bits = texel->channel[c].bits, n = raster_texel_component(texel, c);
        LLVMValueRef *sum = bits == 4 ? &halves : &bytes, part;

        if (raster_texel_kind(texel, c) == RASTER_KIND_X)
            continue;
        part = fill_byte(b, word, bits, texel->channel[c].at, 8 * n);
        *sum = *sum ? LLVMBuildOr(b->ir, *sum, part, "") : part;
    }
    if (halves)
        halves = LLVMBuildOr(b->ir, halves, shl(b, halves, 4), "");
    return !halves ? bytes : bytes ? LLVMBuildOr(b->ir, bytes, halves, "") : halves;
}

/* Where a channel's byte is before it is finished. */
static unsigned place_of(const struct raster_texel *texel, unsigned c)
{
    return is_bytes(texel) ? texel->channel[c].at : 8 * raster_texel_component(texel, c);
}

LLVMValueRef raster_texel_finish_ir(struct jit_builder *b, const struct raster_texel *texel,
                                    LLVMValueRef word)
{
    bool etc = texel->coding == RASTER_CODING_ETC1;
    uint32_t full = etc ? 0xff000000 : 0, stay = 0, taken = 0;
    LLVMValueRef out = NULL;

    if (!etc && !raster_texel_is_8888(texel))
        return word;
    for (unsigned n = 0; n < 4 && !etc; n++) {
        full |= texel->from[n] == RASTER_FROM_ONE ? 255u << 8 * n : 0;
        taken |= texel->from[n] != RASTER_FROM_ONE ? 255u << 8 * n : 0;
        if (texel->from[n] < 4 && place_of(texel, texel->from[n]) == 8 * n)
            stay |= 255u << 8 * n;
    }
    if (stay == taken) /* all that is not constant stands where it belongs */
        return full ? LLVMBuildOr(b->ir, word, splat(b, full), "") : word;
    for (unsigned c = 0; c < 4; c++) {
        unsigned at = raster_texel_kind(texel, c) == RASTER_KIND_X ? 0 : place_of(texel, c), first = 4,
                 count = 0;
        uint32_t copies = 0;
        LLVMValueRef part;

        for (unsigned n = 4; n-- > 0;)
            if (texel->from[n] == c) {
                copies |= 1u << 8 * n;
                first = n;
                count++;
            }
        if (!count)
            continue;
        if (count == 1)
            part = move(b, word, 8, at, 8 * first);
        else
            part = LLVMBuildMul(b->ir, and_(b, shr(b, word, at), 255), splat(b, copies), "");
        out = out ? LLVMBuildOr(b->ir, out, part, "") : part;
    }
    return full ? LLVMBuildOr(b->ir, out, splat(b, full), "") : out;
}
