/* Tiers: quick code first, optimised code in its place, on the background thread or when the engine is told
 * to; what is begun ahead; what the disk keeps; queues, renewal and destruction while something waits. The
 * functions here tell by their result which tier they are of, as no real one may. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit/builder.h"

#define COST 10u
#define RUNS 3u

enum { QUICK = 1, OPTIMISED = 2 };

/* x -> key * 10 + tier */
static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    uint32_t number;
    assert_int_equal(size, sizeof number);
    memcpy(&number, key, sizeof number);
    jit_begin_function(b, b->i32, NULL, 0);
    LLVMBuildRet(b->ir, jit_i32(b, number * 10 + (b->quick ? QUICK : OPTIMISED)));
    return 0;
}

static int emit(struct jit_builder *b, void *data)
{
    return emit_key(b, data, sizeof(uint32_t));
}

static int emit_quick_only(struct jit_builder *b, void *data)
{
    return b->quick ? emit(b, data) : -ENOTSUP;
}

static int emit_key_quick_only(struct jit_builder *b, const void *key, size_t size)
{
    return b->quick ? emit_key(b, key, size) : -ENOTSUP;
}

static int emit_nothing(struct jit_builder *b, void *data)
{
    return -ENOTSUP;
}

static struct jit_engine *engine_of(enum jit_tier tier, bool background, const char *folder)
{
    struct jit_options options = {
        .level = -1, .optimize = tier, .background = background, .cache_dir = folder, .hot_runs = RUNS};
    struct jit_engine *engine = NULL;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    return engine;
}

static struct jit_request request_of(uint32_t *key, jit_emit_fn first, jit_emit_key_fn again)
{
    return (struct jit_request){.key = key,
                                .key_size = sizeof *key,
                                .name = "tiers",
                                .emit = first,
                                .data = key,
                                .emit_key = again,
                                .run_cost = COST};
}

static int ask(struct jit_engine *engine, uint32_t key, jit_emit_fn first, jit_emit_key_fn again,
               struct jit_function **out)
{
    const struct jit_request request = request_of(&key, first, again);
    return jit_engine_get_function(engine, &request, out, NULL);
}

static void prepare(struct jit_engine *engine, uint32_t key, jit_emit_fn first, jit_emit_key_fn again)
{
    const struct jit_request request = request_of(&key, first, again);
    jit_engine_prepare(engine, &request);
}

static struct jit_function *get(struct jit_engine *engine, uint32_t key)
{
    struct jit_function *function = NULL;
    assert_int_equal(ask(engine, key, emit, emit_key, &function), 0);
    return function;
}

static uint32_t call(const struct jit_function *function)
{
    return ((uint32_t (*)(void))jit_function_code(function))();
}

static struct jit_stats stats_of(struct jit_engine *engine)
{
    struct jit_stats stats;
    jit_engine_stats(engine, &stats);
    return stats;
}

/* ---- from quick to optimised ---- */

static void test_heat(void **state)
{
    for (unsigned background = 0; background < 2; background++) {
        struct jit_engine *engine = engine_of(JIT_AUTOMATIC, background, "");
        struct jit_function *hot = get(engine, 1), *cold = get(engine, 2);
        assert_int_equal(call(hot), 11);
        jit_function_ran(hot, COST * RUNS - 1);
        jit_engine_wait(engine);
        assert_int_equal(call(hot), 11); /* not yet */
        jit_function_ran(hot, 1);
        if (!background)
            assert_int_equal(call(hot), 11); /* nothing happens behind our back */
        jit_engine_wait(engine);
        assert_int_equal(call(hot), 12);
        assert_int_equal(call(cold), 21);
        assert_ptr_equal(get(engine, 1), hot);
        jit_function_ran(hot, 1000); /* there is nothing better */
        jit_engine_wait(engine);
        assert_int_equal(stats_of(engine).compiled, 2);
        assert_int_equal(stats_of(engine).optimised, 1);
        assert_true(stats_of(engine).optimise_ns > 0);
        jit_engine_destroy(engine);
    }
}

static void test_optimise_leaves_the_background_alone(void **state)
{
    struct jit_engine *engine = engine_of(JIT_AUTOMATIC, true, "");
    for (uint32_t key = 0; key < 5; key++)
        jit_function_ran(get(engine, key), COST * RUNS);
    jit_engine_optimise(engine);
    jit_engine_wait(engine);
    assert_int_equal(stats_of(engine).optimised, 5);
    jit_engine_destroy(engine);
}

static void test_one_tier(void **state)
{
    struct jit_engine *quick = engine_of(JIT_QUICK, true, ""), *best = engine_of(JIT_OPTIMISED, true, "");
    struct jit_engine *automatic = engine_of(JIT_AUTOMATIC, false, "");
    struct jit_function *single = NULL;
    jit_function_ran(get(quick, 1), 1000);
    jit_engine_wait(quick);
    assert_int_equal(call(get(quick, 1)), 11);
    assert_int_equal(call(get(best, 1)), 12);
    assert_int_equal(ask(automatic, 3, emit, NULL, &single), 0); /* cannot be made again */
    assert_int_equal(call(single), 32);
    jit_engine_destroy(quick);
    jit_engine_destroy(best);
    jit_engine_destroy(automatic);
}

/* Whether a function is compiled does not depend on the tier. */
static void test_refusals(void **state)
{
    for (enum jit_tier tier = JIT_QUICK; tier <= JIT_OPTIMISED; tier++) {
        struct jit_engine *engine = engine_of(tier, false, "");
        struct jit_function *function = NULL;
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(ask(engine, 1, emit_nothing, emit_key, &function), -ENOTSUP);
        assert_null(function);
        assert_int_equal(ask(engine, 2, emit_quick_only, emit_key_quick_only, &function), 0);
        jit_function_ran(function, COST * RUNS);
        jit_engine_optimise(engine);
        assert_int_equal(call(function), 21);
        assert_int_equal(stats_of(engine).optimised, 0);
        jit_engine_destroy(engine);
    }
}

/* ---- ahead ---- */

/* What was begun ahead is what would have been compiled on request. */
static void test_ahead(void **state)
{
    enum { MANY = 30 };
    for (enum jit_tier tier = JIT_QUICK; tier <= JIT_OPTIMISED; tier++) {
        struct jit_engine *engine = engine_of(tier, true, "");
        const uint32_t last = tier == JIT_OPTIMISED ? OPTIMISED : QUICK;
        struct jit_function *function = NULL;
        for (uint32_t key = 0; key < MANY; key++) /* more than are begun at a time */
            prepare(engine, key, emit, emit_key);
        for (uint32_t key = 0; key < MANY; key++) {
            prepare(engine, key, emit, emit_key); /* known already, or not */
            assert_int_equal(call(get(engine, key)), key * 10 + last);
        }
        assert_int_equal(stats_of(engine).compiled, MANY);
        jit_function_ran(get(engine, 1), COST * RUNS);
        jit_engine_wait(engine);
        assert_int_equal(call(get(engine, 1)), tier == JIT_QUICK ? 11 : 12);

        prepare(engine, 100, emit_nothing, emit_key);
        assert_int_equal(ask(engine, 100, emit, emit_key, &function), -ENOTSUP);
        prepare(engine, 101, emit_quick_only, emit_key_quick_only);
        assert_int_equal(ask(engine, 101, emit_quick_only, emit_key_quick_only, &function), 0);
        assert_int_equal(call(function), 1011);
        jit_engine_destroy(engine);
    }
}

/* Without a background nothing is begun: the request finds a function that nobody knows yet. */
static void test_ahead_inline(void **state)
{
    struct jit_engine *engine = engine_of(JIT_AUTOMATIC, false, "");
    prepare(engine, 1, emit_nothing, emit_key);
    assert_int_equal(call(get(engine, 1)), 11);
    assert_int_equal(stats_of(engine).memory_hits, 0);
    jit_engine_destroy(engine);
}

static void test_ahead_unasked(void **state)
{
    for (unsigned round = 0; round < 10; round++) {
        struct jit_engine *engine = engine_of(JIT_AUTOMATIC, true, "");
        for (uint32_t key = 0; key < 5; key++)
            prepare(engine, key, emit, emit_key);
        if (round % 2) {
            assert_int_equal(jit_engine_renew(engine), 0);
            assert_int_equal(call(get(engine, 1)), 11);
        }
        jit_engine_destroy(engine);
    }
}

/* ---- the disk ---- */

static unsigned empty_folder(const char *path, bool remove)
{
    DIR *dir = opendir(path);
    unsigned count = 0;
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        char name[600];
        snprintf(name, sizeof name, "%s/%s", path, d->d_name);
        count += d->d_name[0] != '.';
        if (remove && d->d_name[0] != '.')
            assert_int_equal(unlink(name), 0);
    }
    closedir(dir);
    return count;
}

static void test_disk(void **state)
{
    char folder[] = "/tmp/vitrail-tiers-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct jit_engine *engine = engine_of(JIT_AUTOMATIC, true, folder);
    prepare(engine, 1, emit, emit_key);
    assert_int_equal(call(get(engine, 1)), 11);
    assert_int_equal(stats_of(engine).compiled, 1);
    jit_engine_destroy(engine);

    /* A second start compiles nothing before it runs, and keeps the better code alone. */
    engine = engine_of(JIT_AUTOMATIC, true, folder);
    prepare(engine, 1, emit, emit_key);
    assert_int_equal(call(get(engine, 1)), 11);
    assert_int_equal(stats_of(engine).disk_hits, 1);
    jit_function_ran(get(engine, 1), COST * RUNS);
    jit_engine_wait(engine);
    assert_int_equal(call(get(engine, 1)), 12);
    assert_int_equal(empty_folder(folder, false), 1);
    assert_int_equal(stats_of(engine).compiled, 0);
    jit_engine_destroy(engine);

    /* From then on it is there at once. Who wants quick code only takes none of it. */
    for (enum jit_tier tier = JIT_AUTOMATIC; tier <= JIT_OPTIMISED; tier++) {
        engine = engine_of(tier, false, folder);
        assert_int_equal(call(get(engine, 1)), 12);
        assert_int_equal(stats_of(engine).compiled, 0);
        jit_function_ran(get(engine, 1), 1000);
        jit_engine_optimise(engine);
        assert_int_equal(stats_of(engine).optimised, 0);
        jit_engine_destroy(engine);
    }
    engine = engine_of(JIT_QUICK, false, folder);
    assert_int_equal(call(get(engine, 1)), 11);
    assert_int_equal(stats_of(engine).compiled, 1);
    jit_engine_destroy(engine);
    assert_int_equal(empty_folder(folder, true), 2);
    rmdir(folder);
}

/* ---- much at once ---- */

/* More than the queue holds: who finds no room runs as much again and asks again. */
static void test_queue(void **state)
{
    enum { MANY = 100 };
    struct jit_engine *engine = engine_of(JIT_AUTOMATIC, false, "");
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t key = 0; key < MANY; key++)
            jit_function_ran(get(engine, key), COST * RUNS);
        jit_engine_optimise(engine);
        uint64_t optimised = stats_of(engine).optimised;
        assert_true(round ? optimised == MANY : optimised > 1 && optimised < MANY);
    }
    for (uint32_t key = 0; key < MANY; key++)
        assert_int_equal(call(get(engine, key)), key * 10 + OPTIMISED);
    jit_engine_destroy(engine);
}

struct user {
    struct jit_engine *engine;
    unsigned wrong;
};

static void *use(void *data)
{
    struct user *user = data;
    for (unsigned i = 0; i < 4000; i++) {
        uint32_t key = i % 8, got;
        prepare(user->engine, key, emit, emit_key);
        struct jit_function *function = NULL;
        if (ask(user->engine, key, emit, emit_key, &function)) {
            user->wrong++;
            continue;
        }
        got = call(function);
        user->wrong += got != key * 10 + QUICK && got != key * 10 + OPTIMISED;
        jit_function_ran(function, 1);
    }
    return NULL;
}

/* Threads run functions while these are replaced, of two engines that share the background. */
static void test_threads(void **state)
{
    struct jit_engine *engines[2];
    struct user users[4];
    pthread_t threads[4];
    for (unsigned i = 0; i < 2; i++)
        engines[i] = engine_of(JIT_AUTOMATIC, true, "");
    for (unsigned i = 0; i < 4; i++) {
        users[i] = (struct user){.engine = engines[i % 2]};
        assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(users[i].wrong, 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        jit_engine_wait(engines[i]);
        assert_int_equal(stats_of(engines[i]).optimised, 8);
        jit_engine_destroy(engines[i]);
    }
}

/* Ends and renewals do not wait for what is queued, and leave nothing behind. */
static void test_ends(void **state)
{
    for (unsigned round = 0; round < 20; round++) {
        struct jit_engine *engine = engine_of(JIT_AUTOMATIC, true, "");
        jit_engine_join(engine);
        for (uint32_t key = 0; key < 30; key++)
            jit_function_ran(get(engine, key), COST * RUNS);
        if (round % 2) {
            assert_int_equal(jit_engine_renew(engine), 0);
            assert_int_equal(call(get(engine, 1)), 11);
            jit_function_ran(get(engine, 1), COST * RUNS);
            jit_engine_wait(engine);
            assert_int_equal(call(get(engine, 1)), 12);
        }
        jit_engine_leave(engine);
        jit_engine_destroy(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heat),          cmocka_unit_test(test_optimise_leaves_the_background_alone),
        cmocka_unit_test(test_one_tier),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_ahead),         cmocka_unit_test(test_ahead_inline),
        cmocka_unit_test(test_ahead_unasked), cmocka_unit_test(test_disk),
        cmocka_unit_test(test_queue),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests_name("tiers", tests, NULL, NULL);
}
