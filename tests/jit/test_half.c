/* Rounding to halves in compiled code, at every level, against util/half.h: of any number, and the cheaper
 * ways of those that they take; sums with exact products against two steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "jit/engine.h"
#include "jit/math.h"
#include "util/bits.h"
#include "util/fpenv.h"
#include "util/half.h"

enum way { ANY, PLAIN, GREAT, SMALL, WAYS };

static bool takes(enum way way, uint32_t bits)
{
    float size = util_u2f(bits & 0x7fffffff);

    switch (way) {
    case PLAIN: return bits == 0 || !(size < 0x1p-14f) == !(size >= 65520 && size < (float)INFINITY);
    case GREAT: return !(bits & 0x1fff) && (size == 0 || !(size < 0x1p-14f));
    case SMALL: return !(bits & 0x1fff) && !(size >= 65536 && size < (float)INFINITY);
    default: return true;
    }
}

static int emit_halves(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[1] = {b->ptr};
    enum way way = *(enum way *)data;

    jit_begin_function(b, b->void_, params, 1);
    LLVMValueRef at = jit_param(b, 0), x = jit_load(b, b->f32x16, at, 4, false);
    x = way == ANY     ? jit_round_to_half(b, x)
        : way == PLAIN ? jit_round_plain_to_half(b, x)
                       : jit_limit_to_half(b, x, way == GREAT);
    jit_store(b, x, at, 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

/* Around every half: itself, and just before, at and behind the middle to the next. For those that are
 * limited only also that times powers of two. */
static void check_halves(enum jit_level level, enum way way)
{
    struct jit_options options = {.level = (int)level, .optimize = 2, .cache_dir = ""};
    struct jit_request request = {
        .key = &way, .key_size = sizeof way, .name = "test", .emit = emit_halves, .data = &way};
    struct jit_engine *engine;
    void *code;

    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    assert_int_equal(jit_engine_get(engine, &request, &code, NULL), 0);
    void (*f)(uint32_t *) = (void (*)(uint32_t *))code;

    for (uint32_t h = 0; h < 0x10000; h += 4) {
        uint32_t in[16], out[16];

        for (uint32_t n = 0; n < 16; n++) {
            uint32_t at = util_f2u(util_half_to_float((uint16_t)(h + n / 4)));
            uint32_t next = util_f2u(util_half_to_float((uint16_t)(h + n / 4 + 1)));
            in[n] = n % 4 ? at / 2 + next / 2 + n % 4 - 2 : at;
            if (way >= GREAT)
                in[n] =
                    util_f2u(util_u2f(at) * (way == GREAT ? 1 << n % 4 * 5 : 1 / (float)(1 << n % 4 * 5)));
            if (!takes(way, in[n]))
                in[n] = 0;
            out[n] = in[n];
        }
        f(out);
        for (uint32_t n = 0; n < 16; n++) {
            uint32_t half = util_f2u(util_round_to_half(util_u2f(in[n])));
            bool nan = (half & 0x7fffffff) > 0x7f800000;
            if (nan ? (out[n] & 0x7fffffff) <= 0x7f800000 : out[n] != half)
                fail_msg("level %d, way %d: %08x gives %08x, not %08x", (int)level, (int)way, in[n], out[n],
                         half);
        }
    }
    jit_engine_destroy(engine);
}

static void test_halves(void **state)
{
    unsigned saved = util_fpenv_enter();

    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++)
        for (unsigned way = 0; jit_level_supported(level) && way < WAYS; way++)
            check_halves(level, way);
    util_fpenv_leave(saved);
}

static int emit_sums(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[1] = {b->ptr};
    LLVMValueRef v[3];

    jit_begin_function(b, b->void_, params, 1);
    for (unsigned n = 0; n < 3; n++)
        v[n] = jit_load(b, b->f32x16, jit_offset_const(b, jit_param(b, 0), 64 * n), 4, false);
    jit_store(b, jit_add_exact_product(b, v[0], v[1], v[2]), jit_param(b, 0), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

/* Halves of all kinds, the greatest and least among them, and denormal ones as zeros. */
static float some_half(uint32_t *seed)
{
    static const uint16_t edges[8] = {0x0400, 0x8400, 0x7bff, 0xfbff, 0x0000, 0x8000, 0x7c00, 0x7e00};

    *seed = *seed * 1664525 + 1013904223;
    if (*seed >> 29 == 0)
        return util_half_to_float(edges[*seed >> 26 & 7]);
    return util_half_to_float(util_half_flushed((uint16_t)(*seed >> 12)));
}

static void check_sums(enum jit_level level)
{
    struct jit_options options = {.level = (int)level, .optimize = 2, .cache_dir = ""};
    struct jit_request request = {.key = "sums", .key_size = 4, .name = "test", .emit = emit_sums};
    struct jit_engine *engine;
    void *code;
    uint32_t seed = 1;

    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    assert_int_equal(jit_engine_get(engine, &request, &code, NULL), 0);
    void (*f)(float *) = (void (*)(float *))code;
    for (unsigned round = 0; round < 100000; round++) {
        float in[3][16], out[3][16];

        for (unsigned n = 0; n < 48; n++)
            in[n / 16][n % 16] = out[n / 16][n % 16] = some_half(&seed);
        f(out[0]);
        for (unsigned n = 0; n < 16; n++) {
            volatile float product = in[0][n] * in[1][n];
            volatile float sum = product + in[2][n];
            bool same = util_f2u(sum) == util_f2u(out[0][n]) || (sum != sum && out[0][n] != out[0][n]);
            if (!same)
                fail_msg("level %d: %g * %g + %g gives %08x, not %08x", (int)level, (double)in[0][n],
                         (double)in[1][n], (double)in[2][n], util_f2u(out[0][n]), util_f2u(sum));
        }
    }
    jit_engine_destroy(engine);
}

static void test_sums(void **state)
{
    unsigned saved = util_fpenv_enter();

    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++)
        if (jit_level_supported(level))
            check_sums(level);
    util_fpenv_leave(saved);
}

/* void f(uint32_t half[16]): the bits, out of the single that they became; *data: whether they were seen. */
static int emit_again(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[1] = {b->ptr};

    jit_begin_function(b, b->void_, params, 1);
    LLVMValueRef half = jit_load(b, b->i32x16, jit_param(b, 0), 4, false);
    LLVMValueRef again = jit_half_of(b, jit_half_to_single(b, half));
    assert_null(jit_half_of(b, jit_load(b, b->f32x16, jit_param(b, 0), 4, false)));
    *(bool *)data = again;
    jit_store(b, again ? again : half, jit_param(b, 0), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static void test_again(void **state)
{
    for (int level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {.level = level, .optimize = 2, .cache_dir = ""};
        bool seen;
        struct jit_request request = {
            .key = "again", .key_size = 5, .name = "test", .emit = emit_again, .data = &seen};
        struct jit_engine *engine;
        void *code;
        if (!jit_level_supported((enum jit_level)level))
            continue;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        assert_int_equal(jit_engine_get(engine, &request, &code, NULL), 0);
        assert_int_equal(seen, level >= JIT_AVX512);
        for (uint32_t h = 0; h < 0x10000; h += 16) {
            uint32_t bits[16];
            for (uint32_t n = 0; n < 16; n++)
                bits[n] = h + n;
            ((void (*)(uint32_t *))code)(bits);
            for (uint32_t n = 0; n < 16; n++)
                assert_int_equal(bits[n], h + n);
        }
        jit_engine_destroy(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_halves), cmocka_unit_test(test_sums),
                                       cmocka_unit_test(test_again)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
