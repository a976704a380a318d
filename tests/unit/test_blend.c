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

/* ---- wide tiles ---- */

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
static void test_wide(void **data)
{
    (void)data;
    seed = 11;
    for (uint32_t key = 0; key < 4000; key++) {
        struct raster_blend blend = random_blend(key);
        struct raster_wide_colors colors;
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
        raster_blend_wide(&blend, &colors, got);
        for (unsigned n = 0; n < 4; n++) {
            double want = blend.logic ? c[1][n] : real_blend(n < 3 ? &blend.color : &blend.alpha, c, n);
            if (!(blend.write_mask >> n & 1))
                want = c[3][n];
            assert_true(util_half_to_float(got[n]) == util_half_to_float(util_float_to_half((float)want)));
        }
    }
}

/* Zero times infinity is zero where the factor says so; nothing saturates but to infinity. */
static void test_wide_ends(void **data)
{
    struct raster_wide_colors colors = {.src = {INFINITY, 60000, -60000, 1}};
    struct raster_blend add = raster_blend_replace;
    uint16_t got[4] = {0, 0x7bff, 0xfbff, 0}; /* 65504 */
    (void)data;
    add.color = (struct raster_equation){RASTER_BLEND_ADD, RASTER_FACTOR_ZERO, RASTER_FACTOR_ONE};
    raster_blend_wide(&add, &colors, got);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 0x7bff);
    add.color.src = RASTER_FACTOR_ONE;
    raster_blend_wide(&add, &colors, got);
    assert_int_equal(got[0], 0x7c00);
    assert_int_equal(got[1], 0x7c00);
    assert_int_equal(got[2], 0xfc00);
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
        cmocka_unit_test(test_compiled), cmocka_unit_test(test_definition), cmocka_unit_test(test_reads),
        cmocka_unit_test(test_pack),     cmocka_unit_test(test_wide),       cmocka_unit_test(test_wide_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
