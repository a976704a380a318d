/* raster/texture/texel_ir.c against texel.c, for every pixel format at every vector level of the host: all
 * patterns of channels up to 16 bits and the numbers they are and lie between, random ones above. And texel.c
 * against what each kind means: the number that a packed one unpacks to is the nearest there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "jit/math.h"
#include "raster/texture/texel_ir.h"
#include "util/bits.h"
#include "util/half.h"

#define RANDOM_ROUNDS 400

static uint64_t seed;
static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) ^ (uint32_t)(seed >> 11);
}

struct lanes {
    uint32_t v[4][16];
};

/* void f(const struct lanes *word, struct lanes *out, const struct lanes *in, struct lanes *packed,
 *        uint32_t sampled[16]) */
typedef void (*codec_fn)(const struct lanes *, struct lanes *, const struct lanes *, struct lanes *,
                         uint32_t *);

static void load(struct jit_builder *b, unsigned param, LLVMValueRef v[4])
{
    for (unsigned n = 0; n < 4; n++)
        v[n] = jit_load(b, b->i32x16, jit_offset_const(b, jit_param(b, param), n * 64), 4, false);
}

static void store(struct jit_builder *b, unsigned param, LLVMValueRef const *v, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        jit_store(b, v[n], jit_offset_const(b, jit_param(b, param), n * 64), 4);
}

static int emit(struct jit_builder *b, void *data)
{
    const struct raster_texel *texel = data;
    LLVMTypeRef params[5] = {b->ptr, b->ptr, b->ptr, b->ptr, b->ptr};
    LLVMValueRef v[4], out[4];
    jit_begin_function(b, b->void_, params, 5);
    load(b, 0, v);
    raster_texel_unpack_ir(b, texel, v, out);
    store(b, 1, out, 4);
    load(b, 2, v);
    raster_texel_pack_ir(b, texel, v, out);
    store(b, 3, out, (texel->bits + 31u) / 32);
    load(b, 0, v);
    if (raster_texel_is_8888(texel))
        out[0] = raster_texel_finish_ir(b, texel, raster_texel_bytes_ir(b, texel, v[0]));
    jit_store(b, out[0], jit_param(b, 4), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static codec_fn compile(struct jit_engine *engine, const struct raster_texel *texel)
{
    const uint32_t key = (uint32_t)(texel - raster_texels);
    struct jit_request request = {
        .key = &key, .key_size = sizeof key, .name = "texel", .emit = emit, .data = (void *)texel};
    struct util_error error = {0};
    void *code = NULL;
    if (jit_engine_get(engine, &request, &code, &error))
        fail_msg("%s: %s", texel->name, error.text);
    return (codec_fn)code;
}

/* Bits above the pixel's, in the words that it has. */
static uint32_t spare(const struct raster_texel *texel, unsigned k)
{
    unsigned left = texel->bits - 32 * k;
    return 32 * k >= texel->bits ? 0 : left >= 32 ? UINT32_MAX : (1u << left) - 1;
}

static void run(const struct raster_texel *texel, codec_fn f, const struct lanes *word,
                const struct lanes *in)
{
    struct lanes out, packed = {0};
    uint32_t sampled[16];
    bool bytes = raster_texel_is_8888(texel);
    f(word, &out, in, &packed, sampled);
    for (unsigned lane = 0; lane < 16; lane++) {
        uint32_t w[4], x[4], unpacked[4], p[4];
        for (unsigned k = 0; k < 4; k++) {
            w[k] = word->v[k][lane] & spare(texel, k);
            x[k] = in->v[k][lane];
        }
        raster_texel_unpack(texel, w, unpacked);
        raster_texel_pack(texel, x, p);
        if (bytes && sampled[lane] != raster_texel_sampled(texel, w[0]))
            fail_msg("%s: %08x sampled: %08x, expected %08x", texel->name, w[0], sampled[lane],
                     raster_texel_sampled(texel, w[0]));
        for (unsigned k = 0; k < 4; k++) {
            if (unpacked[k] != out.v[k][lane])
                fail_msg("%s: %08x %08x %08x %08x unpacked, channel %u: %08x, expected %08x", texel->name,
                         w[0], w[1], w[2], w[3], k, out.v[k][lane], unpacked[k]);
            if (p[k] != packed.v[k][lane])
                fail_msg("%s: %08x %08x %08x %08x packed, word %u: %08x, expected %08x", texel->name, x[0],
                         x[1], x[2], x[3], k, packed.v[k][lane], p[k]);
        }
    }
}

/* A number as guests make them, often at an end or next to it. */
static uint32_t random_number(void)
{
    static const uint32_t ends[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                    0x7fc00000, 0xffc00001, 0x7f800001, 0x00000001, 0x007fffff, 0x3effffff,
                                    0x3f7fffff, 0x3f800001, 0x477ff000, 0x7f7fffff, 0x00800000, 0x33000001,
                                    0x38800000, 0x387fffff, 1,          255,        65535,      UINT32_MAX};
    switch (random32() % 4) {
    case 0: return ends[random32() % UTIL_ARRAY_SIZE(ends)] + random32() % 3 - 1;
    case 1: return util_f2u((float)(random32() % 4097) / 2048.0f - 0.5f);
    case 2: return 0x38000000 + random32() % 0x10000000; /* halves and what is near */
    default: return random32();
    }
}

/* All patterns of the format's widest channel up to 16 bits, in all channels at once, and the numbers that
 * they are and that lie halfway to the next, one place off as well. */
static void exhaust(const struct raster_texel *texel, codec_fn f)
{
    unsigned widest = 0;
    struct lanes word, in;
    for (unsigned c = 0; c < 4; c++)
        widest = UTIL_MAX(widest, texel->channel[c].bits <= 16 ? texel->channel[c].bits : 0u);
    for (uint32_t v = 0; v < 1u << widest; v += 16) {
        for (unsigned lane = 0; lane < 16; lane++) {
            uint32_t w[4] = {0}, next[4] = {0}, x[4], y[4];
            for (unsigned c = 0; c < 4; c++) {
                unsigned bits = texel->channel[c].bits, at = texel->channel[c].at;
                uint32_t ones = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
                uint32_t here = bits > 16 ? random32() : (v + lane) * (c & 1 ? 5 : 1);
                w[at / 32 & 3] |= (here & ones) << at % 32;
                next[at / 32 & 3] |= ((here + 1) & ones) << at % 32;
            }
            raster_texel_unpack(texel, w, x);
            raster_texel_unpack(texel, next, y);
            for (unsigned k = 0; k < 4; k++) {
                float between = util_u2f(x[k]) / 2 + util_u2f(y[k]) / 2;
                word.v[k][lane] = w[k];
                in.v[k][lane] = v / 16 % 2 ? x[k] : util_f2u(between) + (random32() % 3 - 1);
            }
        }
        run(texel, f, &word, &in);
        for (unsigned k = 0; k < 4; k++)
            for (unsigned lane = 0; lane < 16; lane++)
                in.v[k][lane] = random_number();
        run(texel, f, &word, &in);
    }
}

/* All depths of 24 bits, unpacked: they are not divided as the scalar form divides them. */
static void exhaust_depths(codec_fn f)
{
    static struct lanes word, in, out, packed;
    uint32_t sampled[16];

    for (uint32_t v = 0; v < 1u << 24; v += 16) {
        for (unsigned lane = 0; lane < 16; lane++)
            word.v[0][lane] = v + lane;
        f(&word, &out, &in, &packed, sampled);
        for (unsigned lane = 0; lane < 16; lane++)
            if (out.v[0][lane] != util_f2u((float)(v + lane) / 16777215.0f))
                fail_msg("depth %06x: %08x", v + lane, out.v[0][lane]);
    }
}

static void compiled(void **state)
{
    for (enum jit_level level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {.level = (int)level, .optimize = 1, .cache_dir = ""};
        struct jit_engine *engine = NULL;
        if (!jit_level_supported(level))
            continue;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        seed = level + 1;
        for (unsigned n = 1; n < RASTER_FORMAT_COUNT; n++) {
            const struct raster_texel *texel = &raster_texels[n];
            if (texel->coding != RASTER_CODING_PLAIN)
                continue;
            codec_fn f = compile(engine, texel);
            exhaust(texel, f);
            if (n == RASTER_Z24X8_UNORM)
                exhaust_depths(f);
            for (unsigned round = 0; round < RANDOM_ROUNDS; round++) {
                struct lanes word, in;
                for (unsigned i = 0; i < 64; i++) {
                    word.v[i / 16][i % 16] = round % 4 ? random32() : random_number();
                    in.v[i / 16][i % 16] = random_number();
                }
                run(texel, f, &word, &in);
            }
        }
        jit_engine_destroy(engine);
    }
}

/* ---- what the kinds mean ---- */

/* The number of a channel's pattern, NaN: none. */
static double meaning(enum raster_kind kind, uint32_t v, unsigned bits)
{
    int32_t s = (int32_t)(v << (32 - bits)) >> (32 - bits);
    double top = ldexp(1, (int)bits) - 1, half = ldexp(1, (int)bits - 1) - 1;
    unsigned fraction = bits - 5 - (bits == 16);
    uint32_t exponent = v >> fraction & 31, low = v & ((1u << fraction) - 1);
    switch (kind) {
    case RASTER_KIND_UNORM: return v / top;
    case RASTER_KIND_SNORM: return fmax(s / half, -1);
    case RASTER_KIND_USCALED: return v;
    case RASTER_KIND_SSCALED: return s;
    case RASTER_KIND_FIXED: return s / 65536.0;
    case RASTER_KIND_SRGB:
        return v / 255.0 <= 0.04045 ? v / 255.0 / 12.92 : pow((v / 255.0 + 0.055) / 1.055, 2.4);
    case RASTER_KIND_FLOAT:
        if (bits == 32 || exponent == 31)
            return NAN;
        double size = exponent ? ldexp((1 << fraction) + low, (int)(exponent - 15 - fraction))
                               : ldexp(low, (int)(-14 - (int)fraction));
        return bits == 16 && v >> 15 ? -size : size;
    default: return NAN;
    }
}

/* One channel of the format: each of its patterns, up to 16 bits, is the number that it means, and a random
 * number becomes the pattern next to it. */
static void check_meaning(const struct raster_texel *texel, unsigned c)
{
    enum raster_kind kind = raster_texel_kind(texel, c);
    unsigned bits = texel->channel[c].bits, at = texel->channel[c].at, n = raster_texel_component(texel, c);
    uint32_t count = bits > 16 ? 65536 : 1u << bits, ones = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    if (kind == RASTER_KIND_X || (kind == RASTER_KIND_SRGB && bits < 8))
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = bits > 16 ? random32() & ones : i, word[4] = {0}, out[4], in[4] = {0}, packed[4];
        double want = meaning(kind, v, bits);
        word[at / 32] = v << at % 32;
        raster_texel_unpack(texel, word, out);
        if (!isnan(want) && fabs(util_u2f(out[n]) - want) > fabs(want) * 0x1p-24)
            fail_msg("%s: channel %u of %x is %.9g, not %.9g", texel->name, c, v, util_u2f(out[n]), want);
        if (isnan(want) || bits > 24)
            continue;
        /* A number between this one and the next, and what it becomes. */
        double next = meaning(kind, (v + 1) & ones, bits);
        float x = (float)(want + (next - want) * (random32() % 1000) / 1000);
        if (isnan(next) || fabs(next - want) > 1.5 * (1 + fabs(want)) * (bits == 16 ? 1 : 0.1))
            continue; /* from one end to the other */
        in[n] = util_f2u(x);
        raster_texel_pack(texel, in, packed);
        double got = meaning(kind, packed[at / 32] >> at % 32 & ones, bits);
        double best = fmin(fabs(want - x), fabs(next - x)),
               slack = fabs(next - want) * (kind == RASTER_KIND_SRGB ? 0.02 : 0x1p-6);
        if (fabs(got - x) > best + slack)
            fail_msg("%s: channel %u of %.9g is %.9g", texel->name, c, x, got);
    }
}

static void meanings(void **state)
{
    seed = 5;
    for (unsigned n = 1; n < RASTER_FORMAT_COUNT; n++)
        for (unsigned c = 0; c < 4 && raster_texels[n].coding == RASTER_CODING_PLAIN; c++)
            check_meaning(&raster_texels[n], c);
}

/* Single pixels by hand. */
static void by_hand(void **state)
{
    static const uint32_t one = 0x3f800000, half = 0x3f000000;
    static const struct {
        enum raster_format format;
        uint32_t in[4], word[4];
        uint32_t back[4]; /* what that is unpacked */
    } rows[] = {
        {RASTER_B5G6R5_UNORM, {one, 0, one, 0}, {0xf81f}, {one, 0, one, one}},
        {RASTER_A1B5G5R5_UNORM, {one, 0, 0, one}, {0xf801}, {one, 0, 0, one}},
        {RASTER_R8G8B8A8_SNORM,
         {0xbf800000, one, 0, 0xc0000000},
         {0x81007f81},
         {0xbf800000, one, 0, 0xbf800000}},
        {RASTER_R11G11B10_FLOAT,
         {one, half, 0x40000000, 0},
         {0x3c0 | 0x380 << 11 | 0x200u << 22},
         {one, half, 0x40000000, one}},
        {RASTER_R11G11B10_FLOAT,
         {0x7f7fffff, 0xff800000, 0x7f800000, 0},
         {0x7bf | 0x3e0u << 22},
         {0x477e0000, 0, 0x7f800000, one}},
        {RASTER_R9G9B9E5_FLOAT, {one, half, 0, 0}, {0x100 | 0x80 << 9 | 16u << 27}, {one, half, 0, one}},
        {RASTER_R9G9B9E5_FLOAT,
         {0x7f800000, 0x7fc00000, 0xbf800000, 0},
         {0x1ff | 31u << 27},
         {0x477f8000, 0, 0, one}},
        {RASTER_R10G10B10A2_UINT, {5, 1023, 5000, 9}, {0xfffffc05}, {5, 1023, 1023, 3}},
        {RASTER_R8_SINT, {0xffffff00, 0, 0, 0}, {0x80}, {0xffffff80, 0, 0, 1}},
        {RASTER_R16G16_FLOAT, {one, 0xc0000000, 0, 0}, {0xc0003c00}, {one, 0xc0000000, 0, one}},
        {RASTER_R8G8B8A8_SRGB, {half, one, 0, half}, {0x8000ffbc}, {0x3f00bd2b, one, 0, 0x3f008081}},
        {RASTER_S8_UINT_Z24_UNORM, {one, 0x5a, 0, 0}, {0xffffff5a}, {one, 0x5a, 0, 0}},
        {RASTER_Z32_FLOAT_S8X24_UINT, {half, 300, 0, 0}, {0x3f000000, 0xff}, {half, 255, 0, 0}},
        {RASTER_L8A8_UNORM, {one, 0, 0, half}, {0x80ff}, {one, one, one, 0x3f008081}},
        {RASTER_R32_FIXED, {0x3fc00000, 0, 0, 0}, {0x18000}, {0x3fc00000, 0, 0, one}},
        {RASTER_R8_USCALED, {0x43960000, 0, 0, 0}, {255}, {0x437f0000, 0, 0, one}},
    };
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        const struct raster_texel *texel = &raster_texels[rows[i].format];
        uint32_t word[4], out[4];
        raster_texel_pack(texel, rows[i].in, word);
        for (unsigned k = 0; k < 4; k++)
            if (word[k] != rows[i].word[k])
                fail_msg("%s (row %u): word %u is %08x, not %08x", texel->name, i, k, word[k],
                         rows[i].word[k]);
        raster_texel_unpack(texel, word, out);
        for (unsigned k = 0; k < 4; k++)
            if (out[k] != rows[i].back[k])
                fail_msg("%s (row %u): channel %u is %08x, not %08x", texel->name, i, k, out[k],
                         rows[i].back[k]);
    }
}

/* Places do not meet, lie inside the pixel and inside a word; red to alpha come from what there is. */
static void places(void **state)
{
    assert_int_equal(raster_texels[RASTER_FORMAT_NONE].bits, 0);
    for (unsigned n = 1; n < RASTER_FORMAT_COUNT; n++) {
        const struct raster_texel *texel = &raster_texels[n];
        unsigned at = 0;
        assert_true(texel->bits && texel->width && texel->height);
        for (unsigned k = 0; k < n; k++)
            assert_string_not_equal(texel->name, raster_texels[k].name);
        if (texel->coding != RASTER_CODING_PLAIN)
            continue;
        for (unsigned c = 0; c < 4; c++) {
            unsigned bits = texel->channel[c].bits;
            assert_int_equal(texel->channel[c].at, at);
            assert_true(!bits || at % 32 + bits <= 32);
            at += bits;
            assert_true(texel->from[c] >= 4 || texel->channel[texel->from[c]].bits);
            assert_true(texel->from[c] >= 4 || texel->channel[texel->from[c]].kind != RASTER_KIND_X);
        }
        assert_int_equal(texel->bits, at);
        assert_int_equal(raster_format_bytes((enum raster_format)n), at / 8);
    }
}

/* What raster_texel_byte_ir leaves out: a byte's number, or the half next to it, is packed as that byte. */
static void bytes_again(void **state)
{
    const struct raster_texel *texel = &raster_texels[RASTER_R8G8B8A8_UNORM];
    for (uint32_t v = 0; v < 256; v++) {
        const uint32_t word[4] = {v * 0x01010101u};
        uint32_t number[4], out[4];
        raster_texel_unpack(texel, word, number);
        raster_texel_pack(texel, number, out);
        assert_int_equal(out[0], word[0]);
        for (unsigned n = 0; n < 4; n++)
            number[n] = util_f2u(util_half_to_float(util_float_to_half(util_u2f(number[n]))));
        raster_texel_pack(texel, number, out);
        assert_int_equal(out[0], word[0]);
    }
}

/* What was made of a single, and only where all of its NaNs became one. */
static void any_nan_is_seen(struct jit_builder *b, LLVMValueRef f)
{
    LLVMValueRef none = LLVMBuildFCmp(b->ir, LLVMRealUNO, f, f, ""), bits = jit_as_i32(b, f);
    LLVMValueRef quiet = jit_select(b, none, jit_splat_u32(b, 0x7fc00000), bits);
    assert_ptr_equal(raster_texel_any_nan_ir(b, quiet), f);
    assert_ptr_equal(raster_texel_any_nan_ir(b, jit_as_f32(b, quiet)), f);
    assert_ptr_equal(raster_texel_any_nan_ir(b, f), f);
    quiet = jit_select(b, none, jit_splat_u32(b, 0x3f800000), bits);
    assert_ptr_equal(raster_texel_any_nan_ir(b, quiet), quiet);
}

/* void f(const struct lanes *word, uint32_t byte[3][16]): of the first channel, as it is unpacked, with one NaN for all,
 * and as the half next to it; what was not seen to be a byte is UINT32_MAX. */
static int emit_bytes(struct jit_builder *b, void *seen)
{
    const struct raster_texel *texel = &raster_texels[RASTER_R8G8B8A8_UNORM];
    LLVMTypeRef params[2] = {b->ptr, b->ptr};
    LLVMValueRef word[4] = {NULL}, v[4], form[3];
    jit_begin_function(b, b->void_, params, 2);
    word[0] = jit_load(b, b->i32x16, jit_param(b, 0), 4, false);
    raster_texel_unpack_ir(b, texel, word, v);
    form[0] = v[0];
    form[1] = jit_as_f32(b, v[0]);
    form[1] = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealUNO, form[1], form[1], ""),
                         jit_splat_u32(b, 0x7fc00000), v[0]);
    form[2] = jit_as_i32(b, jit_half_to_single(b, jit_quiet_to_half(b, jit_as_f32(b, v[0]))));
    for (unsigned n = 0; n < 3; n++) {
        LLVMValueRef byte = raster_texel_byte_ir(b, form[n]);
        *(unsigned *)seen |= byte ? 1u << n : 0;
        jit_store(b, byte ? byte : jit_splat_u32(b, UINT32_MAX), jit_offset_const(b, jit_param(b, 1), n * 64),
                  4);
    }
    assert_null(raster_texel_byte_ir(b, word[0])); /* what was loaded may be anything */
    any_nan_is_seen(b, LLVMBuildFMul(b->ir, jit_as_f32(b, v[0]), jit_as_f32(b, v[0]), ""));
    assert_null(raster_texel_byte_ir(b, LLVMBuildFAdd(b->ir, jit_as_f32(b, v[0]), jit_as_f32(b, v[0]), "")));
    LLVMBuildRetVoid(b->ir);
    return 0;
}

/* Halves are seen where a level has instructions for them. */
static void bytes_are_seen(void **state)
{
    for (int level = 0; level < JIT_LEVEL_COUNT; level++) {
        const struct jit_options options = {.level = level, .cache_dir = ""};
        const uint32_t key = 0;
        struct jit_engine *engine;
        unsigned seen = 0;
        const struct jit_request request = {
            .key = &key, .key_size = sizeof key, .name = "bytes", .emit = emit_bytes, .data = &seen};
        void *code;
        if (!jit_level_supported((enum jit_level)level))
            continue;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        assert_int_equal(jit_engine_get(engine, &request, &code, NULL), 0);
        assert_int_equal(seen, level >= JIT_AVX512 ? 7 : 3);
        for (uint32_t v = 0; v < 256; v += 16) {
            struct lanes word = {.v = {{0}}};
            uint32_t byte[3][16];
            for (uint32_t lane = 0; lane < 16; lane++)
                word.v[0][lane] = (v + lane) | 0xabcdef00;
            ((void (*)(const struct lanes *, uint32_t(*)[16]))code)(&word, byte);
            for (unsigned n = 0; n < 3; n++)
                for (uint32_t lane = 0; lane < 16; lane++)
                    assert_int_equal(byte[n][lane], seen >> n & 1 ? v + lane : UINT32_MAX);
        }
        jit_engine_destroy(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places),         cmocka_unit_test(bytes_again),
                                       cmocka_unit_test(bytes_are_seen), cmocka_unit_test(by_hand),
                                       cmocka_unit_test(meanings),       cmocka_unit_test(compiled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
