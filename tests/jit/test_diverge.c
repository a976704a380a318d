/* Lanes that branch apart: random programs of blocks, run lane by lane in C and by sixteen lanes of IR. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/diverge.h"

enum { BLOCKS_MAX = 12, STEPS_MAX = 60 };

/* A block: state = state * 5 + add; steps += 1; then to one of three places by the state's bits. A lane that
 * has made STEPS_MAX steps leaves. Some run when no lane waits for them too. */
struct block {
    uint32_t add, bit[2], target[3];
    bool always;
};
struct program {
    uint32_t count;
    struct block block[BLOCKS_MAX];
    bool selects;  /* of jit_diverge_begin */
    bool together; /* all lanes have the same state */
};

static uint32_t seed;
static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static void make_program(struct program *p)
{
    p->count = 1 + random_below(BLOCKS_MAX);
    for (uint32_t k = 0; k < p->count; k++) {
        struct block *block = &p->block[k];
        block->add = random_below(1u << 24);
        for (unsigned i = 0; i < 2; i++)
            block->bit[i] = 16 + random_below(16);
        for (unsigned i = 0; i < 3; i++)
            block->target[i] = random_below(p->count + 1);
        block->always = !random_below(3);
    }
}

static uint32_t run_lane(const struct program *p, uint32_t state, uint32_t *steps)
{
    uint32_t k = 0;
    *steps = 0;
    while (k < p->count) {
        const struct block *block = &p->block[k];
        state = state * 5 + block->add;
        ++*steps;
        k = *steps >= STEPS_MAX          ? p->count
            : state >> block->bit[0] & 1 ? block->target[0]
            : state >> block->bit[1] & 1 ? block->target[1]
                                         : block->target[2];
    }
    return state;
}

static LLVMValueRef bit_of(struct jit_builder *b, LLVMValueRef state, uint32_t bit)
{
    return LLVMBuildTrunc(b->ir, LLVMBuildLShr(b->ir, state, jit_splat_u32(b, bit), ""), b->i1x16, "");
}

/* void f(uint32_t state[16], uint32_t steps[16], uint16_t lanes, uint32_t *runs): runs of blocks */
static int emit_program(struct jit_builder *b, void *data)
{
    const struct program *p = data;
    LLVMTypeRef params[4] = {b->ptr, b->ptr, b->i16, b->ptr};
    struct jit_diverge d;

    jit_begin_function(b, b->void_, params, 4);
    LLVMValueRef state = jit_alloca(b, b->i32x16, "state"), steps = jit_alloca(b, b->i32x16, "steps");
    LLVMValueRef runs = jit_alloca(b, b->i32, "runs");
    jit_store(b, jit_load(b, b->i32x16, jit_param(b, 0), 4, false), state, 64);
    jit_store(b, jit_splat_u32(b, 0), steps, 64);
    jit_store(b, jit_i32(b, 0), runs, 4);
    LLVMValueRef lanes = jit_mask_from_bits(b, jit_param(b, 2));
    assert_int_equal(p->together ? jit_diverge_begin_together(&d, b, p->count, lanes)
                                 : jit_diverge_begin(&d, b, p->count, lanes, p->selects),
                     0);
    for (uint32_t k = 0; k < p->count; k++) {
        const struct block *block = &p->block[k];
        LLVMValueRef mask = block->always ? jit_diverge_block_always(&d, k) : jit_diverge_block(&d, k);
        LLVMValueRef s = jit_load(b, b->i32x16, state, 64, false),
                     n = jit_load(b, b->i32x16, steps, 64, false);
        s = LLVMBuildMul(b->ir, s, jit_splat_u32(b, 5), "");
        s = LLVMBuildAdd(b->ir, s, jit_splat_u32(b, block->add), "");
        n = LLVMBuildAdd(b->ir, n, jit_splat_u32(b, 1), "");
        jit_diverge_set(b, state, s, mask);
        jit_diverge_set(b, steps, n, mask);
        jit_store(b, LLVMBuildAdd(b->ir, jit_load(b, b->i32, runs, 4, false), jit_i32(b, 1), ""), runs, 4);
        jit_diverge_branch(&d, LLVMBuildICmp(b->ir, LLVMIntUGE, n, jit_splat_u32(b, STEPS_MAX), ""),
                           p->count);
        jit_diverge_went(&d);
        for (unsigned i = 0; i < 2; i++) {
            jit_diverge_branch(&d, bit_of(b, s, block->bit[i]), block->target[i]);
            jit_diverge_went(&d);
        }
        jit_diverge_close(&d, block->target[2]);
    }
    jit_diverge_end(&d);
    jit_store(b, jit_load(b, b->i32x16, state, 64, false), jit_param(b, 0), 4);
    jit_store(b, jit_load(b, b->i32x16, steps, 64, false), jit_param(b, 1), 4);
    jit_store(b, jit_load(b, b->i32, runs, 4, false), jit_param(b, 3), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

typedef void (*program_fn)(uint32_t *, uint32_t *, uint16_t, uint32_t *);

static program_fn compile(struct jit_engine *engine, struct program *p, uint32_t key)
{
    struct jit_request request = {
        .key = &key, .key_size = sizeof key, .name = "diverge", .emit = emit_program, .data = p};
    struct util_error error = {0};
    void *code = NULL;
    if (jit_engine_get(engine, &request, &code, &error))
        fail_msg("%s", error.text);
    return (program_fn)code;
}

static struct jit_engine *engine_at(enum jit_level level)
{
    struct jit_options options = {.level = (int)level, .optimize = 2, .cache_dir = ""};
    struct jit_engine *engine = NULL;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    return engine;
}

/* Runs lanes and compares each with what it does alone; those that do not take part are left alone. Returns runs of blocks. */
static uint32_t try_lanes(const struct program *p, program_fn f, uint16_t lanes, const uint32_t in[16])
{
    uint32_t state[16], steps[16], runs;
    memcpy(state, in, sizeof state);
    f(state, steps, lanes, &runs);
    for (unsigned l = 0; l < 16; l++) {
        uint32_t n = 0, expected = lanes >> l & 1 ? run_lane(p, in[l], &n) : in[l];
        if (state[l] != expected || steps[l] != n)
            fail_msg("lanes %04x, lane %u: %08x in %u steps, expected %08x in %u", lanes, l, state[l],
                     steps[l], expected, n);
    }
    return runs;
}

/* At each level of the host: 25 programs, each in four ways. `together`: lanes that never part. */
static void try_programs(bool together)
{
    for (enum jit_level level = 0; level < JIT_LEVEL_COUNT; level++) {
        if (!jit_level_supported(level))
            continue;
        struct jit_engine *engine = engine_at(level);
        seed = 1;
        for (uint32_t round = 0; round < 25; round++) {
            struct program p = {.selects = round & 1, .together = together};
            make_program(&p);
            program_fn f = compile(engine, &p, round);
            for (unsigned try = 0; try < 4; try++) {
                uint16_t lanes = try ? (uint16_t)(random_below(0x10000) | together) : 0xffff;
                uint32_t in[16], n = 0;
                for (unsigned l = 0; l < 16; l++)
                    in[l] = l && together ? in[0] : random_below(1u << 24);
                const uint32_t runs = try_lanes(&p, f, lanes, in);
                run_lane(&p, in[0], &n);
                if (together) /* nothing is run for a part of them */
                    assert_int_equal(runs, n);
            }
        }
        jit_engine_destroy(engine);
    }
}

static void test_random(void **data)
{
    (void)data;
    try_programs(false);
}

static void test_never_part(void **data)
{
    (void)data;
    try_programs(true);
}

/* Lanes that agree run each block once for all; those that part meet again where both come. */
static void test_together(void **data)
{
    (void)data;
    /* 0: odd state to 1, even to 2; 1 to 3; 2 to 3; 3 to the end */
    struct program p = {4,
                        {{0, {0, 31}, {1, 2, 2}, false},
                         {0, {31, 31}, {3, 3, 3}, false},
                         {0, {31, 31}, {3, 3, 3}, false},
                         {0, {31, 31}, {4, 4, 4}, false}},
                        .selects = true};
    struct jit_engine *engine = engine_at(JIT_SSE41);
    program_fn f = compile(engine, &p, 0);
    uint32_t state[16], steps[16], runs;
    for (unsigned l = 0; l < 16; l++)
        state[l] = 1;
    f(state, steps, 0xffff, &runs);
    assert_int_equal(runs, 3);
    for (unsigned l = 0; l < 16; l++)
        state[l] = l;
    f(state, steps, 0xffff, &runs);
    assert_int_equal(runs, 4);
    for (unsigned l = 0; l < 16; l++)
        assert_int_equal(steps[l], 3);
    f(state, steps, 0, &runs);
    assert_int_equal(runs, 0);
    jit_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_never_part),
        cmocka_unit_test(test_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
