/* The ways in which a device may run programs: interpreted and compiled, inline and on workers. Included by
 * tests/gpu/mali/test_*.c. */
#ifndef VITRAIL_TESTS_GPU_MALI_WAYS_H
#define VITRAIL_TESTS_GPU_MALI_WAYS_H

#include "jit/engine.h"
#include "tests/gpu/mali/guest.h"
#include "util/pool.h"

/* Of the devices that are made; NULL: programs are interpreted, everything inline. */
static struct jit_engine *ways_engine;
static struct util_pool *ways_pool;

/* A group of tests with programs interpreted, inline and on three workers, then compiled on these, quick and optimised. */
#define ways_run_group_tests(tests) ways_run_group(tests, UTIL_ARRAY_SIZE(tests))
static inline int ways_run_group(const struct CMUnitTest *tests, size_t count)
{
    int failed = _cmocka_run_group_tests("interpreted", tests, count, NULL, NULL);
    assert_int_equal(util_pool_create(3, &ways_pool), 0);
    failed += _cmocka_run_group_tests("interpreted, three workers", tests, count, NULL, NULL);
    for (unsigned tier = JIT_QUICK; tier <= JIT_OPTIMISED; tier += JIT_OPTIMISED - JIT_QUICK) {
        const struct jit_options options = {.level = JIT_SSE41, .optimize = tier, .cache_dir = ""};
        struct jit_stats stats;
        assert_int_equal(jit_engine_create(&options, &ways_engine, NULL), 0);
        failed +=
            _cmocka_run_group_tests(tier == JIT_QUICK ? "quick" : "optimised", tests, count, NULL, NULL);
        jit_engine_stats(ways_engine, &stats);
        assert_true(stats.compiled > 0);
        jit_engine_destroy(ways_engine);
        ways_engine = NULL;
    }
    util_pool_destroy(ways_pool);
    ways_pool = NULL;
    return failed;
}

#endif
