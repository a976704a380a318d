/* The blender's IR against its scalar twin, over all factors, functions, logic operations and masks; the twin
 * against the definition in real numbers, of halves too; packing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "raster/blend_ir.h"
#include "util/bits.h"
#include "util/fpenv.h"
#include "util/half.h"

static uint32_t seed;
static uint32_t random32(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed ^ seed >> 15;
}
/* Channels that are often at an end. */
static uint32_t random_color(void)
{
    uint32_t word = random32(), ends = random32();
    for (unsigned n = 0; n < 4; n++)
        if (ends >> n & 1)
            word = (word & ~(255u << 8 * n)) | (ends >> (8 + n) & 1 ? 255u << 8 * n : 0);
    return word;
}

static uint8_t random_factor(void)
{
    return (uint8_t)(random32() % RASTER_FACTOR_COUNT | (random32() & 1 ? RASTER_FACTOR_INVERT : 0));
}

static struct raster_blend random_blend(uint32_t n)
{
    struct raster_blend blend = {
        .color = {(uint8_t)(n % RASTER_BLEND_FUNC_COUNT), random_factor(), random_factor()},
        .alpha = {(uint8_t)(random32() % RASTER_BLEND_FUNC_COUNT), random_factor(), random_factor()},
        .logic = n % 4 == 3,
        .logic_op = (uint8_t)(n / 4 % RASTER_LOGIC_COUNT),
        .write_mask = random32() & 1 ? 15 : (uint8_t)(random32() & 15),
    };
    if (random32() & 1)
        blend.alpha = blend.color;
    return blend;
}

/* void f(uint32_t constant, const uint32_t src[16], const uint32_t src1[16], uint32_t dst[16]) */
static int emit_blend(struct jit_builder *b, void *data)
{
    const struct raster_blend *blend = data;
    LLVMTypeRef params[4] = {b->i32, b->ptr, b->ptr, b->ptr};
    jit_begin_function(b, b->void_, params, 4);
    LLVMValueRef src = jit_load(b, b->i32x16, jit_param(b, 1), 4, false);
    LLVMValueRef src1 = jit_load(b, b->i32x16, jit_param(b, 2), 4, false);
    LLVMValueRef dst = raster_blend_reads(blend) ? jit_load(b, b->i32x16, jit_param(b, 3), 4, false) : NULL;
    jit_store(b, raster_blend_ir(b, blend, jit_param(b, 0), src, src1, dst), jit_param(b, 3), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static void *compile(struct jit_engine *engine, uint32_t key, jit_emit_fn emit, void *data)
{
    struct jit_request request = {
        .key = &key, .key_size = sizeof key, .name = "blend", .emit = emit, .data = data};
    struct util_error error = {0};
    void *code = NULL;
    if (jit_engine_get(engine, &request, &code, &error))
        fail_msg("%s", error.text);
    return code;
}

static struct jit_engine *engine_at(enum jit_level level)
{
    struct jit_options options = {.level = (int)level, .optimize = 2, .cache_dir = ""};
    struct jit_engine *engine = NULL;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    return engine;
}

static void check_blend(struct jit_engine *engine, uint32_t key)
{
    struct raster_blend blend = random_blend(key);
    void (*f)(uint32_t, const uint32_t *, const uint32_t *, uint32_t *) =
        (void (*)(uint32_t, const uint32_t *, const uint32_t *, uint32_t *))compile(engine, key, emit_blend,
                                                                                    &blend);
    for (unsigned round = 0; round < 16; round++) {
        uint32_t constant = random_color(), src[16], src1[16], dst[16], before[16];
        for (unsigned i = 0; i < 16; i++) {
            src[i] = random_color();
            src1[i] = random_color();
            before[i] = dst[i] = random_color();
        }
        f(constant, src, src1, dst);
        for (unsigned i = 0; i < 16; i++)
            if (dst[i] != raster_blend_pixel(&blend, constant, src[i], src1[i], before[i]))
                fail_msg("blend %u: %08x with %08x on %08x gave %08x, expected %08x", key, src[i], constant,
                         before[i], dst[i], raster_blend_pixel(&blend, constant, src[i], src1[i], before[i]));
    }
}

static void test_compiled(void **data)
{
    (void)data;
    for (enum jit_level level = 0; level < JIT_LEVEL_COUNT; level++) {
        if (!jit_level_supported(level))
            continue;
        struct jit_engine *engine = engine_at(level);
        seed = 7;
        for (uint32_t key = 0; key < 96; key++)
            check_blend(engine, key);
        jit_engine_destroy(engine);
    }
}

/* Ordinary transparency in real numbers, to half a step for each of the two products. */
static void test_definition(void **data)
{
    (void)data;
    struct raster_blend over = raster_blend_replace;
    over.color = over.alpha = (struct raster_equation){RASTER_BLEND_ADD, RASTER_FACTOR_SRC_ALPHA,
                                                       RASTER_FACTOR_SRC_ALPHA | RASTER_FACTOR_INVERT};
    assert_true(raster_blend_reads(&over));
    assert_false(raster_blend_reads(&raster_blend_replace));
    for (uint32_t a = 0; a < 256; a += 5)
        for (uint32_t s = 0; s < 256; s += 3)
            for (uint32_t d = 0; d < 256; d += 7) {
                double exact = (s * a + d * (255.0 - a)) / 255;
                uint32_t got = raster_blend_pixel(&over, 0, a << 24 | s, 0, d) & 255;
                assert_true(fabs(got - exact) <= 1.0);
                assert_int_equal(raster_blend_pixel(&raster_blend_replace, 0, a << 24 | s, 0, d),
                                 a << 24 | s);
            }
}

/* What does not read the tile gives the same whatever it held. */
static void test_reads(void **data)
{
    (void)data;
    seed = 3;
    unsigned deaf = 0;
    for (uint32_t n = 0; n < 4000; n++) {
        struct raster_blend blend = random_blend(n);
        blend.write_mask |= n & 1 ? 15 : 0;
        if (raster_blend_reads(&blend))
            continue;
        deaf++;
        uint32_t constant = random_color(), src = random_color(), src1 = random_color();
        uint32_t one = raster_blend_pixel(&blend, constant, src, src1, random_color());
        assert_int_equal(one, raster_blend_pixel(&blend, constant, src, src1, random_color()));
    }
    assert_true(deaf > 20);
}

/* ---- tiles of halves ---- */

/* Numbers whose products are exact, also beyond 1 and below 0. */
static double random_number(void)
{
    return ((double)(random32() % 129) - 32) / 16;
}

static double real_factor(uint8_t code, const double c[4][4], unsigned n)
{
    const double *constant = c[0], *src = c[1], *src1 = c[2], *dst = c[3];
    double room = 1 - dst[3],
           value[RASTER_FACTOR_COUNT] = {[RASTER_FACTOR_SRC] = src[n],
                                         [RASTER_FACTOR_DST] = dst[n],
                                         [RASTER_FACTOR_CONST] = constant[n],
                                         [RASTER_FACTOR_SRC1] = src1[n],
                                         [RASTER_FACTOR_SRC_ALPHA] = src[3],
                                         [RASTER_FACTOR_DST_ALPHA] = dst[3],
                                         [RASTER_FACTOR_CONST_ALPHA] = constant[3],
                                         [RASTER_FACTOR_SRC1_ALPHA] = src1[3],
                                         [RASTER_FACTOR_ALPHA_SATURATE] = n == 3 ? 1 : fmin(src[3], room)};
    double v = value[code & ~RASTER_FACTOR_INVERT];
    return code & RASTER_FACTOR_INVERT ? 1 - v : v;
}

static double real_blend(const struct raster_equation *e, const double c[4][4], unsigned n)
{
    double raw = c[3][n], s = c[1][n] * real_factor(e->src, c, n), d = raw * real_factor(e->dst, c, n);
    return e->func == RASTER_BLEND_SUB    ? s - d
           : e->func == RASTER_BLEND_RSUB ? d - s
           : e->func == RASTER_BLEND_MIN  ? fmin(s, raw)
           : e->func == RASTER_BLEND_MAX  ? fmax(s, raw)
                                          : s + d;
}

/* All of it in real numbers, rounded once. */
static void test_rgba16f(void **data)
{
    (void)data;
    seed = 11;
    for (uint32_t key = 0; key < 4000; key++) {
        struct raster_blend blend = random_blend(key);
        struct raster_blend_colors colors;
        double c[4][4];
        uint16_t got[4];
        for (unsigned k = 0; k < 16; k++)
            c[k / 4][k % 4] = random_number();
        for (unsigned n = 0; n < 4; n++) {
            colors.constant[n] = (float)c[0][n];
            colors.src[n] = (float)c[1][n];
            colors.src1[n] = (float)c[2][n];
            got[n] = util_float_to_half((float)c[3][n]);
        }
        raster_blend_rgba16f(&blend, &colors, got);
        for (unsigned n = 0; n < 4; n++) {
            double want = blend.logic ? c[1][n] : real_blend(n < 3 ? &blend.color : &blend.alpha, c, n);
            if (!(blend.write_mask >> n & 1))
                want = c[3][n];
            assert_true(util_half_to_float(got[n]) == util_half_to_float(util_float_to_half((float)want)));
        }
    }
}

/* Zero times infinity is zero where the factor says so; nothing saturates but to infinity. */
static void test_rgba16f_ends(void **data)
{
    struct raster_blend_colors colors = {.src = {INFINITY, 60000, -60000, 1}};
    struct raster_blend add = raster_blend_replace;
    uint16_t got[4] = {0, 0x7bff, 0xfbff, 0}; /* 65504 */
    (void)data;
    add.color = (struct raster_equation){RASTER_BLEND_ADD, RASTER_FACTOR_ZERO, RASTER_FACTOR_ONE};
    raster_blend_rgba16f(&add, &colors, got);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 0x7bff);
    add.color.src = RASTER_FACTOR_ONE;
    raster_blend_rgba16f(&add, &colors, got);
    assert_int_equal(got[0], 0x7c00);
    assert_int_equal(got[1], 0x7c00);
    assert_int_equal(got[2], 0xfc00);
}

/* void f(const float colors[12][16], uint32_t word[2][16]) */
static int emit_rgba16f(struct jit_builder *b, void *data)
{
    const struct raster_blend *blend = data;
    LLVMTypeRef params[2] = {b->ptr, b->ptr};
    LLVMValueRef v[12], word[2] = {NULL, NULL};
    struct raster_blend_colors_ir colors;
    jit_begin_function(b, b->void_, params, 2);
    for (unsigned n = 0; n < 12; n++)
        v[n] = jit_load(b, b->f32x16, jit_offset_const(b, jit_param(b, 0), n * 64), 4, false);
    memcpy(colors.constant, v, sizeof colors.constant);
    memcpy(colors.src, v + 4, sizeof colors.src);
    memcpy(colors.src1, v + 8, sizeof colors.src1);
    for (unsigned k = 0; k < 2 && raster_blend_reads(blend); k++)
        word[k] = jit_load(b, b->i32x16, jit_offset_const(b, jit_param(b, 1), k * 64), 4, false);
    raster_blend_rgba16f_ir(b, blend, &colors, word);
    for (unsigned k = 0; k < 2; k++)
        jit_store(b, word[k], jit_offset_const(b, jit_param(b, 1), k * 64), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

/* Any bits, and more often numbers near 1 and the ends. */
static float random_single(void)
{
    static const float ends[] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 65504, 65520, 0x1p-14f, 0x1p-25f};
    switch (random32() % 4) {
    case 0: return ends[random32() % UTIL_ARRAY_SIZE(ends)];
    case 1: return util_u2f(random32());
    default: return (float)random_number();
    }
}

static void check_rgba16f(struct jit_engine *engine, uint32_t key)
{
    struct raster_blend blend = random_blend(key);
    void (*f)(const float *, uint32_t *) =
        (void (*)(const float *, uint32_t *))compile(engine, key, emit_rgba16f, &blend);
    for (unsigned round = 0; round < 32; round++) {
        float colors[12][16];
        uint32_t word[2][16], before[2][16];
        for (unsigned i = 0; i < 12 * 16; i++)
            colors[i / 16][i % 16] = random_single();
        for (unsigned i = 0; i < 32; i++)
            before[i / 16][i % 16] = word[i / 16][i % 16] =
                random32() & 1 ? random32() : (uint32_t)util_float_to_half(random_single()) * 0x10001u;
        unsigned saved = util_fpenv_enter();
        f(&colors[0][0], &word[0][0]);
        for (unsigned i = 0; i < 16; i++) {
            struct raster_blend_colors c;
            uint16_t dst[4];
            for (unsigned n = 0; n < 4; n++) {
                c.constant[n] = colors[n][i];
                c.src[n] = colors[4 + n][i];
                c.src1[n] = colors[8 + n][i];
                dst[n] = (uint16_t)(before[n / 2][i] >> 16 * (n % 2));
            }
            raster_blend_rgba16f(&blend, &c, dst);
            for (unsigned n = 0; n < 4; n++) {
                uint16_t got = (uint16_t)(word[n / 2][i] >> 16 * (n % 2));
                if (got != dst[n])
                    fail_msg("blend %u, channel %u: %g on %04x gave %04x, expected %04x", key, n,
                             (double)c.src[n], before[n / 2][i] >> 16 * (n % 2) & 0xffff, got, dst[n]);
            }
        }
        util_fpenv_leave(saved);
    }
}

static void test_rgba16f_compiled(void **data)
{
    (void)data;
    for (enum jit_level level = 0; level < JIT_LEVEL_COUNT; level++) {
        if (!jit_level_supported(level))
            continue;
        struct jit_engine *engine = engine_at(level);
        seed = 13;
        for (uint32_t key = 0; key < 96; key++)
            check_rgba16f(engine, key);
        jit_engine_destroy(engine);
    }
}

/* void f(const float channel[4][16], uint32_t word[16]) */
static int emit_pack(struct jit_builder *b, void *data)
{
    (void)data;
    LLVMTypeRef params[2] = {b->ptr, b->ptr};
    LLVMValueRef channel[4];
    jit_begin_function(b, b->void_, params, 2);
    for (unsigned n = 0; n < 4; n++)
        channel[n] = jit_load(b, b->f32x16, jit_offset_const(b, jit_param(b, 0), n * 64), 4, false);
    jit_store(b, raster_pack_ir(b, channel), jit_param(b, 1), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static void test_pack(void **data)
{
    (void)data;
    static const struct {
        float value;
        uint32_t byte;
    } rows[16] = {{0.0f, 0},   {1.0f, 255},         {-1.0f, 0},          {2.0f, 255}, {0.5f, 128},
                  {-0.0f, 0},  {INFINITY, 255},     {-INFINITY, 0},      {NAN, 0},    {1.0f / 255, 1},
                  {0.001f, 0}, {254.4f / 255, 254}, {254.6f / 255, 255}, {0.25f, 64}, {1e-40f, 0},
                  {0.75f, 191}};
    struct jit_engine *engine = engine_at(JIT_SSE41);
    void (*f)(const float(*)[16], uint32_t *) =
        (void (*)(const float(*)[16], uint32_t *))compile(engine, 0, emit_pack, NULL);
    float channel[4][16];
    uint32_t word[16];
    for (unsigned i = 0; i < 16; i++)
        for (unsigned n = 0; n < 4; n++)
            channel[n][i] = rows[(i + n) % 16].value;
    f(channel, word);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(word[i] >> 8 * n & 255, rows[(i + n) % 16].byte);
    jit_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_pack),
        cmocka_unit_test(test_rgba16f),
        cmocka_unit_test(test_rgba16f_ends),
        cmocka_unit_test(test_rgba16f_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
