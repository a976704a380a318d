/* Records between memory and lanes, halves by their bits: compiled code at every level of the host against
 * the plain meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "jit/builder.h"
#include "jit/math.h"
#include "util/bits.h"
#include "util/fpenv.h"
#include "util/half.h"

#define PAGE 4096u

static void *compile(struct jit_engine *engine, unsigned key, jit_emit_fn emit, void *data)
{
    struct jit_request request = {
        .key = &key, .key_size = sizeof key, .name = "records", .emit = emit, .data = data};
    struct util_error error = {0};
    void *code = NULL;
    if (jit_engine_get(engine, &request, &code, &error))
        fail_msg("%s", error.text);
    return code;
}

static void at_every_level(void (*check)(struct jit_engine *engine))
{
    unsigned saved = util_fpenv_enter();
    for (unsigned n = 0; n < 2 * JIT_LEVEL_COUNT; n++) {
        struct jit_options options = {
            .level = (int)n / 2, .optimize = n % 2 ? JIT_OPTIMISED : JIT_QUICK, .cache_dir = ""};
        struct jit_engine *engine;
        if (!jit_level_supported((enum jit_level)(n / 2)))
            continue;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        check(engine);
        jit_engine_destroy(engine);
    }
    util_fpenv_leave(saved);
}

/* ---- records ---- */

/* void f(const uint8_t *const from[16], uint8_t *const to[16], uint32_t lanes[4][16]) */
static int emit_records(struct jit_builder *b, void *data)
{
    unsigned words = *(const unsigned *)data;
    LLVMTypeRef params[3] = {b->ptr, b->ptr, b->ptr};
    LLVMValueRef from[16], to[16], value[4];
    jit_begin_function(b, b->void_, params, 3);
    for (unsigned n = 0; n < 16; n++) {
        from[n] = jit_load(b, b->ptr, jit_offset_const(b, jit_param(b, 0), n * 8), 8, false);
        to[n] = jit_load(b, b->ptr, jit_offset_const(b, jit_param(b, 1), n * 8), 8, false);
    }
    jit_load_records(b, from, words, value);
    for (unsigned k = 0; k < words; k++)
        jit_store(b, value[k], jit_offset_const(b, jit_param(b, 2), k * 64), 4);
    jit_store_records(b, to, words, value);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

/* Records end where a page does behind which nothing may be touched. */
static void check_records(struct jit_engine *engine)
{
    uint8_t *in = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *out = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(mprotect(in + PAGE, PAGE, PROT_NONE) | mprotect(out + PAGE, PAGE, PROT_NONE), 0);
    for (uint32_t n = 0; n < PAGE; n++)
        in[n] = (uint8_t)(n * 7 + n / 256);
    for (unsigned words = 1; words <= 4; words++) {
        void (*f)(const uint8_t **, uint8_t **, uint32_t(*)[16]) =
            (void (*)(const uint8_t **, uint8_t **, uint32_t(*)[16]))compile(engine, words, emit_records,
                                                                             &words);
        for (unsigned round = 0; round < 3; round++) { /* apart, touching, over each other */
            uint32_t stride = round == 0 ? 37 : round == 1 ? words * 4 : 3, lanes[4][16];
            const uint8_t *from[16];
            uint8_t *to[16], expected[PAGE];
            memset(out, 0x5a, PAGE);
            memset(expected, 0x5a, PAGE);
            for (unsigned n = 0; n < 16; n++) {
                from[n] = in + PAGE - words * 4 - (15 - n) * stride;
                to[n] = out + PAGE - words * 4 - (15 - n) * stride;
                memcpy(expected + (to[n] - out), from[n], words * 4);
            }
            f(from, to, lanes);
            for (unsigned n = 0; n < 16 * words; n++)
                assert_int_equal(lanes[n / 16][n % 16], util_load32(from[n % 16] + n / 16 * 4));
            assert_memory_equal(out, expected, PAGE);
        }
    }
    munmap(in, 2 * PAGE);
    munmap(out, 2 * PAGE);
}

static void test_records(void **state)
{
    (void)state;
    at_every_level(check_records);
}

/* ---- halves ---- */

static int emit_bits(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[1] = {b->ptr};
    LLVMValueRef at;
    jit_begin_function(b, b->void_, params, 1);
    at = jit_param(b, 0);
    if (*(const bool *)data)
        jit_store(b, jit_half_to_single(b, jit_load(b, b->i32x16, at, 4, false)), at, 4);
    else
        jit_store(b, jit_single_to_half(b, jit_load(b, b->f32x16, at, 4, false)), at, 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static void check_halves(struct jit_engine *engine)
{
    void (*widen)(uint32_t *) = (void (*)(uint32_t *))compile(engine, 10, emit_bits, &(bool){true});
    void (*narrow)(uint32_t *) = (void (*)(uint32_t *))compile(engine, 11, emit_bits, &(bool){false});
    for (uint32_t h = 0; h < 0x10000; h += 4) {
        uint32_t lanes[16], single[16];
        for (uint32_t n = 0; n < 16; n++)
            lanes[n] = (h + n) & 0xffff;
        widen(lanes);
        for (uint32_t n = 0; n < 16; n++)
            assert_int_equal(lanes[n], util_f2u(util_half_to_float((uint16_t)(h + n))));
        for (uint32_t n = 0; n < 16; n++) { /* each, and around the middle to the next */
            uint32_t at = util_f2u(util_half_to_float((uint16_t)(h + n / 4)));
            uint32_t next = util_f2u(util_half_to_float((uint16_t)(h + n / 4 + 1)));
            single[n] = lanes[n] = n % 4 ? at / 2 + next / 2 + n % 4 - 2 : at;
        }
        narrow(lanes);
        for (uint32_t n = 0; n < 16; n++)
            if (lanes[n] != util_float_to_half(util_u2f(single[n])))
                fail_msg("%08x gives %04x", single[n], lanes[n]);
    }
}

static void test_halves(void **state)
{
    (void)state;
    at_every_level(check_halves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_records), cmocka_unit_test(test_halves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
