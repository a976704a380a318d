/* raster/zs_ir.c against raster/zs.c: every function and operation, random values, at every vector level of
 * the host. Equal verdicts and equal words, or the configuration and lane are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "jit/builder.h"
#include "raster/zs_ir.h"

#define BATCH  48 /* configurations in one function */
#define INPUTS 24 /* vectors each of them sees */

static uint64_t seed = 0x5a5;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

struct io {
    _Alignas(64) uint32_t depth[16], stored[16], ref[16];
    _Alignas(64) uint32_t updated[BATCH][16];
    uint32_t lanes, reverse;
    uint16_t pass[BATCH];
};

/* Of these configurations each lane has its own reference value. */
static bool is_given(unsigned configuration)
{
    return configuration % 3 == 1;
}

static int emit(struct jit_builder *b, void *data)
{
    const struct raster_zs *zs = data;
    LLVMTypeRef params[1] = {b->ptr};
    LLVMValueRef io, depth, stored, ref, lanes, reverse;

    jit_begin_function(b, b->void_, params, 1);
    io = jit_param(b, 0);
    depth = jit_load(b, b->i32x16, jit_offset_const(b, io, offsetof(struct io, depth)), 64, false);
    stored = jit_load(b, b->i32x16, jit_offset_const(b, io, offsetof(struct io, stored)), 64, false);
    ref = jit_load(b, b->i32x16, jit_offset_const(b, io, offsetof(struct io, ref)), 64, false);
    lanes = jit_load(b, b->i16, jit_offset_const(b, io, offsetof(struct io, lanes)), 2, false);
    lanes = jit_mask_from_bits(b, lanes);
    reverse = jit_load(b, b->i32, jit_offset_const(b, io, offsetof(struct io, reverse)), 4, false);
    reverse = LLVMBuildICmp(b->ir, LLVMIntNE, reverse, jit_i32(b, 0), "");
    for (unsigned i = 0; i < BATCH; i++) {
        LLVMValueRef updated, given = is_given(i) ? ref : NULL;
        LLVMValueRef pass = raster_zs_ir(b, &zs[i], reverse, given, lanes, depth, stored, &updated);
        uint64_t at = offsetof(struct io, updated) + i * 64;

        jit_store(b, updated, jit_offset_const(b, io, at), 64);
        at = offsetof(struct io, pass) + i * 2;
        jit_store(b, jit_mask_to_bits(b, pass), jit_offset_const(b, io, at), 2);
    }
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static void random_inputs(struct io *io)
{
    for (unsigned l = 0; l < 16; l++) {
        uint32_t base = random32() & 0xffffff;

        io->ref[l] = random32() & 255;
        io->depth[l] = random32() & 1 ? base : random32() & 3 ? random32() & 0xffffff : 0xffffff;
        base += random32() % 3 - 1; /* equal and next to equal often */
        io->stored[l] = (base & 0xffffff) << 8 | (random32() & 1   ? random32() & 255
                                                  : random32() & 1 ? 0
                                                                   : 255);
    }
    io->lanes = random32() & 3 ? 0xffff : random32() & 0xffff;
    io->reverse = random32() & 1;
}

static void compare(const struct raster_zs *zs, const struct io *io, const char *level)
{
    for (unsigned i = 0; i < BATCH; i++)
        for (unsigned l = 0; l < 16; l++) {
            uint32_t word = io->stored[l];
            bool in = io->lanes >> l & 1;
            struct raster_zs one = zs[i];
            if (is_given(i))
                one.face[0].ref = one.face[1].ref = (uint8_t)io->ref[l];
            bool pass = in && raster_zs_test(&one, io->reverse, io->depth[l], &word);

            if (pass == (io->pass[i] >> l & 1) && word == io->updated[i][l])
                continue;
            const struct raster_stencil *s = &one.face[io->reverse];
            fail_msg("%s config %u lane %u: depth %06x stored %08x: want %d %08x, got %d %08x (depth func %u "
                     "write %d, stencil %d func %u ops %u %u %u ref %02x masks %02x %02x)",
                     level, i, l, io->depth[l], io->stored[l], pass, word, io->pass[i] >> l & 1,
                     io->updated[i][l], zs[i].depth_func, zs[i].depth_write, s->enable, s->func, s->fail,
                     s->zfail, s->zpass, s->ref, s->func_mask, s->write_mask);
        }
}

static struct raster_stencil random_face(unsigned n)
{
    static const uint8_t masks[4] = {0xff, 0x0f, 0x80, 0};

    return (struct raster_stencil){.enable = n % 13 != 0,
                                   .func = (uint8_t)(n & 7),
                                   .fail = (uint8_t)(n >> 3 & 7),
                                   .zfail = (uint8_t)(((n >> 3) + (n >> 6)) & 7),
                                   .zpass = (uint8_t)(((n >> 3) + 3 * (n >> 6) + 5) & 7),
                                   .ref = (uint8_t)random32(),
                                   .func_mask = masks[random32() & 3] | (uint8_t)(random32() & 0x81),
                                   .write_mask = masks[random32() & 3]};
}

static void run_level(enum jit_level level)
{
    struct jit_options options = {.level = (int)level, .optimize = 2, .cache_dir = ""};
    struct jit_engine *engine;
    struct raster_zs zs[BATCH];
    struct io *io = aligned_alloc(64, (sizeof *io + 63) & ~63ull);
    unsigned n = 0;

    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    memset(zs, 0, sizeof zs);
    while (n <
           8 * 64 * 3) { /* every stencil function with every operation, thrice, depth functions in turn */
        for (unsigned i = 0; i < BATCH; i++, n++) {
            zs[i].depth_func = (uint8_t)((n + n / 8) & 7);
            zs[i].depth_write = random32() & 1;
            zs[i].face[0] = random_face(n);
            zs[i].face[1] = random32() & 1 ? zs[i].face[0] : random_face(random32() >> 8);
        }
        struct jit_request request = {
            .key = zs, .key_size = sizeof zs, .name = "zs", .emit = emit, .data = zs};
        struct util_error error = {0};
        void *code;

        if (jit_engine_get(engine, &request, &code, &error))
            fail_msg("%s: %s", jit_level_name(level), error.text);
        void (*run)(struct io *);
        memcpy(&run, &code, sizeof run);
        for (unsigned k = 0; k < INPUTS; k++) {
            random_inputs(io);
            run(io);
            compare(zs, io, jit_level_name(level));
        }
    }
    jit_engine_destroy(engine);
    free(io);
}

static void test_levels(void **state)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++)
        if (jit_level_supported((enum jit_level)level))
            run_level((enum jit_level)level);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
