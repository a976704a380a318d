/* The compiler: vocabulary at every level, caps, failures, threads, and that no page is ever writable and
 * executable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/jit/code.h"
#include "util/bits.h"
#include "util/fpenv.h"

/* ---- vocabulary ---- */

/* out[0..15] = gather(base, offsets, mask); out[16..31] = floor, sqrt and conversions; out[32..] = scalars */
static int emit_vocabulary(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[4] = {b->ptr, b->ptr, b->ptr, b->i16};
    jit_begin_function(b, b->i32, params, 4);
    LLVMValueRef base = jit_param(b, 0), in = jit_param(b, 1), out = jit_param(b, 2);
    LLVMValueRef mask = jit_mask_from_bits(b, jit_param(b, 3));
    LLVMValueRef offsets = jit_load(b, b->i32x16, in, 4, true);
    jit_store(b, jit_gather_u32(b, base, offsets, mask), out, 4);

    LLVMValueRef x = jit_load(b, b->f32x16, jit_offset_const(b, in, 64), 4, false);
    LLVMValueRef down = jit_floor(b, x);
    jit_store(b, down, jit_offset_const(b, out, 64), 4);
    jit_store(b, jit_sqrt(b, x), jit_offset_const(b, out, 128), 4);
    jit_store(b, jit_f32_to_i32(b, x), jit_offset_const(b, out, 192), 4);
    jit_store(b, jit_i32_to_f32(b, jit_as_i32(b, x)), jit_offset_const(b, out, 256), 4);
    jit_store(b, jit_select(b, mask, jit_splat_f32(b, 2.0f), jit_as_f32(b, jit_lane_ids(b))),
              jit_offset_const(b, out, 320), 4);

    /* 0 + 2 + 4 + 6 + 8, by a loop that skips */
    LLVMValueRef sum = jit_alloca(b, b->i32, "sum");
    struct jit_loop loop;
    jit_store(b, jit_i32(b, 0), sum, 4);
    jit_loop_begin(b, &loop, jit_i32(b, 10));
    jit_loop_continue_if(b, &loop, LLVMBuildTrunc(b->ir, loop.index, b->i1, ""));
    LLVMValueRef more = LLVMBuildAdd(b->ir, jit_load(b, b->i32, sum, 4, false), loop.index, "");
    jit_store(b, more, sum, 4);
    jit_loop_end(b, &loop);
    struct jit_if any;
    jit_if_begin(b, &any, jit_mask_any(b, mask));
    jit_store(b, LLVMBuildAdd(b->ir, jit_load(b, b->i32, sum, 4, false), jit_i32(b, 1000), ""), sum, 4);
    jit_if_end(b, &any);
    jit_if_begin(b, &any, jit_mask_all(b, mask));
    jit_store(b, LLVMBuildAdd(b->ir, jit_load(b, b->i32, sum, 4, false), jit_i32(b, 5000), ""), sum, 4);
    jit_if_end(b, &any);
    jit_store(b, jit_f32_to_any_i32(b, jit_load(b, b->f32x16, jit_offset_const(b, in, 128), 4, false)),
              jit_offset_const(b, out, 384), 4);
    jit_store(b, jit_f32_nearest_i32(b, jit_load(b, b->f32x16, jit_offset_const(b, in, 192), 4, false)),
              jit_offset_const(b, out, 448), 4);
    LLVMBuildRet(b->ir, jit_load(b, b->i32, sum, 4, false));
    return 0;
}

static void check_vocabulary(enum jit_level level, uint16_t mask)
{
    static const float values[16] = {0.0f,  -0.0f, 1.5f,   -1.5f,   2.0f, -2.0f, 1e9f,   -1e9f,
                                     0.25f, -0.1f, 255.9f, 1000.5f, 3.0f, 7.75f, -13.9f, 65536.0f};
    static const float any[16] = {0x1p31f, -0x1p31f, 0x1p32f,   -0x1p40f, INFINITY, -INFINITY,
                                  NAN,     0x1p127f, 0x1.fp30f, -1.5f,    -0.0f,    0x1p-127f,
                                  3e9f,    -3e9f,    12.9f,     -12.9f};
    static const struct {
        float value;
        int32_t whole;
    } nearest[16] = {{0.5f, 0}, /* of two the even one */
                     {1.5f, 2},
                     {2.5f, 2},
                     {-0.5f, 0},
                     {-1.5f, -2},
                     {-2.5f, -2},
                     {0x1.fffffep-2f, 0},
                     {0x1.000002p-1f, 1},
                     {8388607.5f, 8388608},
                     {0x1.fffffep30f, 0x7fffff80},
                     {0x1p31f, INT32_MIN},
                     {-0x1p31f, INT32_MIN},
                     {-0x1.000002p31f, INT32_MIN},
                     {NAN, INT32_MIN},
                     {INFINITY, INT32_MIN},
                     {-INFINITY, INT32_MIN}};
    struct jit_engine *engine = engine_at((int)level, "");
    uint32_t (*f)(void *, void *, void *, uint16_t) =
        (uint32_t (*)(void *, void *, void *, uint16_t))must_get(engine, 1, emit_vocabulary);
    /* only the lanes of the mask stay inside the first of two pages; the other page may not be touched */
    uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t in[64], out[128];

    assert_int_equal(mprotect(pages + 4096, 4096, PROT_NONE), 0);
    for (unsigned i = 0; i < 4096; i++)
        pages[i] = (uint8_t)(i * 7);
    for (unsigned i = 0; i < 16; i++) {
        in[i] = mask >> i & 1 ? 4092 - i * 37 : 4096 + i * 100;
        in[16 + i] = util_f2u(values[i]);
        in[32 + i] = util_f2u(any[i]);
        in[48 + i] = util_f2u(nearest[i].value);
    }
    uint32_t sum = f(pages, in, out, mask);
    assert_int_equal(sum, 20 + (mask ? 1000 : 0) + (mask == 0xffff ? 5000 : 0));
    for (unsigned i = 0; i < 16; i++) {
        bool on = mask >> i & 1;
        assert_int_equal(out[i], on ? util_load32(pages + in[i]) : 0);
        assert_int_equal(out[16 + i], util_f2u(floorf(values[i])));
        if (values[i] >= 0)
            assert_int_equal(out[32 + i], util_f2u(sqrtf(values[i])));
        assert_int_equal((int32_t)out[48 + i], (int32_t)values[i]);
        assert_int_equal(out[64 + i], util_f2u((float)(int32_t)in[16 + i]));
        assert_int_equal(out[80 + i], on ? util_f2u(2.0f) : i);
        bool fits = any[i] >= -0x1p31f && any[i] < 0x1p31f;
        assert_int_equal((int32_t)out[96 + i], fits ? (int32_t)any[i] : INT32_MIN);
        assert_int_equal((int32_t)out[112 + i], nearest[i].whole);
    }
    munmap(pages, 8192);
    jit_engine_destroy(engine);
}

static void test_vocabulary(void **state)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        if (!jit_level_supported(level))
            continue;
        check_vocabulary(level, 0);
        check_vocabulary(level, 0xffff);
        check_vocabulary(level, 0xa5c3);
    }
}

static int emit_gather_all(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[3] = {b->ptr, b->ptr, b->ptr};
    jit_begin_function(b, b->void_, params, 3);
    LLVMValueRef offsets = jit_load(b, b->i32x16, jit_param(b, 1), 4, true);
    LLVMValueRef v = jit_gather_u32(b, jit_param(b, 0), offsets, LLVMConstAllOnes(b->i1x16));
    jit_store(b, v, jit_param(b, 2), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

/* Offsets of 2^31 and more are still forwards, with a mask and without. */
static void test_gather_far(void **state)
{
    uint8_t *base = mmap(NULL, 5ull << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint32_t in[64] = {0}, out[128];

    assert_true(base != MAP_FAILED);
    assert_int_equal(mprotect(base + 0xfffff000u, 8192, PROT_READ | PROT_WRITE), 0);
    for (unsigned i = 0; i < 16; i++) {
        in[i] = 0xfffff000u + 4 * i;
        memcpy(base + in[i], &in[i], 4);
    }
    for (unsigned way = 0; way <= JIT_LEVEL_COUNT; way++) {
        unsigned level = way < JIT_LEVEL_COUNT ? way : JIT_AVX512;
        if (!jit_level_supported(level))
            continue;
        struct jit_options options = {.level = (int)level,
                                      .gathers = way == JIT_LEVEL_COUNT ? JIT_GATHERS_INSTRUCTION
                                                                        : JIT_GATHERS_LOADS,
                                      .cache_dir = ""};
        struct jit_engine *engine;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        uint32_t (*f)(void *, void *, void *, uint16_t) =
            (uint32_t (*)(void *, void *, void *, uint16_t))must_get(engine, 1, emit_vocabulary);
        memset(out, 0, sizeof out);
        f(base, in, out, 0xffff);
        assert_memory_equal(out, in, 64);
        void (*all)(void *, void *, void *) =
            (void (*)(void *, void *, void *))must_get(engine, 2, emit_gather_all);
        memset(out, 0, sizeof out);
        all(base, in, out);
        assert_memory_equal(out, in, 64);
        jit_engine_destroy(engine);
    }
    munmap(base, 5ull << 30);
}

/* in[2] == 0 ? x : bits of x and y by a constant, where x = 3 in[0] and y = 3 in[1]: what LLVM 19 gets wrong
 * with AVX-512 */
static int emit_masked_bits(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[2] = {b->ptr, b->ptr};
    jit_begin_function(b, b->void_, params, 2);
    LLVMValueRef in[3];
    for (unsigned i = 0; i < 3; i++)
        in[i] = jit_load(b, b->i32x16, jit_offset_const(b, jit_param(b, 0), 64 * i), 4, false);
    for (unsigned i = 0; i < 2; i++) /* in registers */
        in[i] = LLVMBuildMul(b->ir, in[i], jit_splat_u32(b, 3), "");
    LLVMValueRef off = LLVMBuildICmp(b->ir, LLVMIntEQ, in[2], jit_splat_u32(b, 0), "");
    LLVMValueRef x = LLVMBuildAnd(b->ir, in[0], jit_splat_u32(b, 0xfff0000f), "");
    LLVMValueRef y = LLVMBuildAnd(b->ir, in[1], jit_splat_u32(b, 0x000ffff0), "");
    LLVMValueRef v = jit_select(b, off, in[0], LLVMBuildOr(b->ir, x, y, ""));
    jit_store(b, v, jit_param(b, 1), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static void test_masked_bits(void **state)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        if (!jit_level_supported(level))
            continue;
        struct jit_engine *engine = engine_at((int)level, "");
        void (*f)(void *, void *) = (void (*)(void *, void *))must_get(engine, 1, emit_masked_bits);
        uint32_t in[3][16], out[16];
        for (unsigned i = 0; i < 16; i++) {
            in[0][i] = 0x01234567u * (i + 1);
            in[1][i] = 0x89abcdefu * (i + 3);
            in[2][i] = i % 3;
        }
        f(in, out);
        for (unsigned i = 0; i < 16; i++) {
            uint32_t x = 3 * in[0][i], y = 3 * in[1][i];
            assert_int_equal(out[i], i % 3 ? (x & 0xfff0000f) | (y & 0x000ffff0) : x);
        }
        jit_engine_destroy(engine);
    }
}

/* ---- failures ---- */

static int emit_nothing(struct jit_builder *b, void *data)
{
    return 0;
}

static int emit_refusal(struct jit_builder *b, void *data)
{
    return -ENOTSUP;
}

static int emit_unterminated(struct jit_builder *b, void *data)
{
    jit_begin_function(b, b->i32, NULL, 0);
    return 0;
}

/* An instruction that the level does not have: LLVM ends a process over this. */
static int emit_unselectable(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[2] = {b->ptr, b->ptr};
    jit_begin_function(b, b->void_, params, 2);
    LLVMValueRef args[] = {LLVMConstNull(b->i32x16), jit_param(b, 0),
                           jit_load(b, b->i32x16, jit_param(b, 1), 4, false), LLVMConstAllOnes(b->i1x16),
                           jit_i32(b, 1)};
    LLVMValueRef v = jit_intrinsic(b, "llvm.x86.avx512.mask.gather.dpi.512", NULL, 0, args, 5);
    jit_store(b, v, jit_param(b, 1), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static int emit_stranger(struct jit_builder *b, void *data)
{
    LLVMTypeRef type = LLVMFunctionType(b->i32, NULL, 0, false);
    LLVMValueRef getpid_ = LLVMAddFunction(b->module, "getpid", type);
    jit_begin_function(b, b->i32, NULL, 0);
    LLVMBuildRet(b->ir, LLVMBuildCall2(b->ir, type, getpid_, NULL, 0, ""));
    return 0;
}

static void test_failures(void **state)
{
    static const struct {
        jit_emit_fn emit;
        int result;
    } cases[] = {{emit_nothing, -EINVAL},
                 {emit_refusal, -ENOTSUP},
                 {emit_unterminated, -EINVAL},
                 {emit_stranger, -EINVAL}};
    struct jit_engine *engine = engine_at(JIT_SSE41, "");

    for (uint32_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        struct util_error error = {0};
        void *code = NULL;
        assert_int_equal(get(engine, i, cases[i].emit, NULL, &code, &error), cases[i].result);
        assert_int_equal(get(engine, i, cases[i].emit, NULL, &code, NULL), cases[i].result); /* remembered */
    }
    assert_int_equal(call(must_get(engine, 100, emit_add), 41), 42); /* the engine still works */
    jit_engine_destroy(engine);
    jit_engine_destroy(NULL);
}

/* In a process of its own: what LLVM holds when it gives up is lost, and a leak checker would say so. */
static void test_fatal_error(void **state)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (!child) {
        struct jit_options options = {.level = JIT_SSE41, .optimize = 2, .cache_dir = ""};
        struct jit_engine *engine;
        struct util_error error = {0};
        void *code;
        bool good = !jit_engine_create(&options, &engine, &error) &&
                    get(engine, 1, emit_unselectable, NULL, &code, &error) == -EINVAL && error.text[0] &&
                    !get(engine, 2, emit_add, NULL, &code, NULL) && call(code, 41) == 42;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_level_missing(void **state)
{
    struct jit_options options = {.level = JIT_LEVEL_COUNT, .cache_dir = ""};
    struct jit_engine *engine;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), -ENOTSUP);
    assert_string_equal(jit_level_name(JIT_SSE41), "sse4.1");
    assert_string_equal(jit_level_name(JIT_AVX2), "avx2");
    assert_string_equal(jit_level_name(JIT_AVX512), "avx512");
    assert_string_equal(jit_level_name(JIT_AVX512FP16), "avx512fp16");
}

/* ---- caps ---- */

static int emit_long(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[2] = {b->ptr, b->ptr};
    jit_begin_function(b, b->void_, params, 2);
    LLVMValueRef x = jit_load(b, b->f32x16, jit_param(b, 0), 4, false);
    for (unsigned i = 0; i < *(unsigned *)data; i++)
        x = LLVMBuildFMul(b->ir, LLVMBuildFAdd(b->ir, x, jit_splat_f32(b, (float)i), ""), x, "");
    jit_store(b, x, jit_param(b, 1), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static void test_caps(void **state)
{
    struct jit_options options = {.level = JIT_SSE41, .optimize = 2, .cache_dir = "", .max_insns = 1000};
    unsigned length = 499, longer = 500, very_long = 1500;
    struct jit_engine *engine;
    void *code;

    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    assert_int_equal(get(engine, 1, emit_long, &length, &code, NULL), -E2BIG); /* 499 * 2 + 3 */
    length = 498;
    assert_int_equal(get(engine, 2, emit_long, &length, &code, NULL), 0);
    assert_int_equal(get(engine, 3, emit_long, &longer, &code, NULL), -E2BIG);
    jit_engine_destroy(engine);

    options.max_insns = 0;
    options.deadline_ms = 5;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    assert_int_equal(get(engine, 1, emit_long, &very_long, &code, NULL), -ETIME);
    assert_int_equal(get(engine, 1, emit_long, &very_long, &code, NULL), -ETIME);
    jit_engine_destroy(engine); /* with the abandoned compile still running */
}

static atomic_bool spinning;

static void *spin(void *data)
{
    while (atomic_load_explicit(&spinning, memory_order_relaxed))
        ;
    return data;
}

static double processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* A program that compiles in time does so on a busy machine too: here six others want the same processor, so
 * that it has a seventh of the time. A processor that goes round among them does the same work in up to twice
 * the processor time, hence a deadline of four times. */
static void test_busy(void **state)
{
    struct jit_options options = {.level = JIT_SSE41, .optimize = 2, .cache_dir = ""};
    unsigned length = 1500;
    struct jit_engine *engine;
    pthread_t others[6];
    cpu_set_t before, one;
    void *code;

    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    double began = processor_ms();
    assert_int_equal(get(engine, 1, emit_long, &length, &code, NULL), 0);
    options.deadline_ms = (unsigned)(4 * (processor_ms() - began)) + 20;
    jit_engine_destroy(engine);

    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    atomic_store(&spinning, true);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(others); i++)
        assert_int_equal(pthread_create(&others[i], NULL, spin, NULL), 0);
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    int result = get(engine, 1, emit_long, &length, &code, NULL);
    atomic_store(&spinning, false);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(others); i++)
        pthread_join(others[i], NULL);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    jit_engine_destroy(engine);
    assert_int_equal(result, 0);
}

/* Code has a limit: past it nothing is compiled, until the only user begins anew. */
static void test_full(void **state)
{
    struct jit_options options = {.level = JIT_SSE41, .cache_dir = "", .code_bytes = 1};
    unsigned length = 2;
    struct jit_engine *engine;
    struct jit_stats stats;
    void *code, *again;

    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    jit_engine_join(engine);
    for (uint32_t round = 0; round < 50; round++) {
        assert_false(jit_engine_is_full(engine));
        assert_int_equal(get(engine, 1000 + round, emit_long, &length, &code, NULL), 0);
        assert_true(jit_engine_is_full(engine));
        assert_int_equal(get(engine, 1000 + round, emit_long, &length, &again, NULL), 0);
        assert_ptr_equal(code, again);
        assert_int_equal(get(engine, 1, emit_long, &length, &again, NULL), -ENOSPC);
        jit_engine_join(engine);
        assert_int_equal(jit_engine_renew(engine), -EBUSY);
        jit_engine_leave(engine);
        assert_int_equal(jit_engine_renew(engine), 0);
    }
    jit_engine_stats(engine, &stats);
    assert_int_equal(stats.compiled, 50);
    assert_int_equal(stats.code_bytes, 0);
    jit_engine_leave(engine);
    jit_engine_destroy(engine);
}

/* ---- threads ---- */

struct many {
    struct jit_engine *engine;
    uint32_t wrong;
};

static void *ask_for_many(void *data)
{
    struct many *m = data;
    for (uint32_t key = 1; key <= 20; key++) {
        void *code;
        if (get(m->engine, key, emit_add, &key, &code, NULL) || call(code, 100) != 100 + key)
            m->wrong++;
    }
    return NULL;
}

static void test_threads(void **state)
{
    struct jit_engine *engine = engine_at(-1, "");
    struct jit_stats stats;
    pthread_t threads[8];
    struct many work[8];

    for (unsigned i = 0; i < 8; i++) {
        work[i] = (struct many){engine, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_for_many, &work[i]), 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(work[i].wrong, 0);
    }
    jit_engine_stats(engine, &stats);
    assert_int_equal(stats.compiled, 20);
    assert_int_equal(stats.memory_hits, 140);
    assert_true(stats.code_bytes > 0 && stats.compile_ns > 0);
    jit_engine_destroy(engine);
}

/* ---- write xor execute ---- */

static void test_write_xor_execute(void **state)
{
    struct jit_engine *engine = engine_at(-1, "");
    uintptr_t code = (uintptr_t)must_get(engine, 1, emit_add);
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long from, to;
    char mode[8], line[512];
    bool found = false;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        assert_int_equal(sscanf(line, "%lx-%lx %7s", &from, &to, mode), 3);
        assert_false(mode[1] == 'w' && mode[2] == 'x');
        if (code >= from && code < to) {
            assert_string_equal(mode, "r-xp");
            found = true;
        }
    }
    fclose(maps);
    assert_true(found);
    jit_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vocabulary),
        cmocka_unit_test(test_gather_far),
        cmocka_unit_test(test_masked_bits),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_fatal_error),
        cmocka_unit_test(test_level_missing),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_write_xor_execute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
