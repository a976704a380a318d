/* Loops on the pool: every step once, all of them before the loop returns, whoever joins and whenever. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/pool.h"

#define STEPS 300u

struct loop {
    _Atomic uint32_t done[STEPS];
    _Atomic uint32_t wrong; /* steps or workers out of range, loops that had returned */
    uint32_t count;
    unsigned workers, slow; /* slow: microseconds that workers other than the caller take */
    _Atomic bool running;
};

static void step(void *data, uint32_t index, unsigned worker)
{
    struct loop *l = data;
    if (index >= l->count || worker >= l->workers || !l->running)
        atomic_fetch_add(&l->wrong, 1);
    else
        atomic_fetch_add(&l->done[index], 1);
    if (worker && l->slow)
        usleep(l->slow);
}

static void run(struct util_pool *pool, struct loop *l, uint32_t count, bool spans)
{
    memset(l->done, 0, sizeof l->done);
    l->count = count;
    l->workers = util_pool_workers(pool);
    l->running = true;
    (spans ? util_pool_run_spans : util_pool_run)(pool, count, step, l);
    l->running = false;
    for (uint32_t i = 0; i < STEPS; i++)
        assert_int_equal(l->done[i], i < count);
    assert_int_equal(l->wrong, 0);
}

/* Loops close upon one another, with pauses in which workers fall asleep, and with workers that come last. */
static void test_loops(void **unused)
{
    static const unsigned threads[] = {0, 1, 2, 7};
    for (unsigned t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct util_pool *pool;
        struct loop l = {0};
        assert_int_equal(util_pool_create(threads[t], &pool), 0);
        assert_int_equal(util_pool_workers(pool), threads[t] + 1);
        for (uint32_t round = 0; round < 3000; round++) {
            l.slow = round % 100 == 50 ? 300 : 0;
            run(pool, &l, round * 7 % STEPS, round % 3 == 0);
            if (round % 64 == 0)
                usleep(200);
        }
        util_pool_destroy(pool);
    }
}

struct trace {
    uint32_t order[STEPS], worker[STEPS], count;
    uint64_t workers;
};

static void trace_step(void *data, uint32_t index, unsigned worker)
{
    struct trace *t = data;
    t->worker[t->count] = worker;
    t->order[t->count++] = index;
    t->workers |= 1ull << worker;
}

/* Every step once, one after the other, in orders that differ: a step comes before and after its neighbour,
 * and the last before the first. */
static void test_shuffled(void **unused)
{
    struct util_pool *pool;
    struct loop l = {0};
    unsigned down = 0, last_first = 0, mixed = 0;
    uint64_t workers = 0;
    assert_int_equal(util_pool_create_shuffled(0, 1, &pool), -EINVAL);
    assert_int_equal(util_pool_create_shuffled(UTIL_POOL_MAX + 2, 1, &pool), -EINVAL);
    assert_int_equal(util_pool_create_shuffled(3, 1, &pool), 0);
    assert_int_equal(util_pool_workers(pool), 3);
    for (uint32_t count = 0; count < STEPS; count++)
        run(pool, &l, count, count % 3 == 0);
    for (unsigned round = 0; round < 100; round++) {
        struct trace t = {0};
        uint32_t place[7];
        util_pool_run(pool, 7, trace_step, &t);
        assert_int_equal(t.count, 7);
        for (uint32_t i = 0; i < 7; i++)
            place[t.order[i]] = i;
        down += place[3] > place[4];
        last_first += place[6] < place[0];
        workers |= t.workers;
    }
    for (unsigned round = 0; round < 100; round++) { /* in spans a worker has its steps in their order */
        struct trace t = {0};
        uint32_t last[3] = {0};
        util_pool_run_spans(pool, 7, trace_step, &t);
        assert_int_equal(t.count, 7);
        for (uint32_t i = 0; i < 7; i++) {
            assert_true(t.order[i] >= last[t.worker[i]]);
            last[t.worker[i]] = t.order[i];
            mixed += i && t.order[i] < t.order[i - 1];
        }
    }
    assert_true(mixed > 50);
    assert_in_range(down, 20, 80);
    assert_in_range(last_first, 20, 80);
    assert_int_equal(workers, 7);
    util_pool_destroy(pool);
}

static void test_edges(void **unused)
{
    struct util_pool *pool = NULL;
    struct loop l = {0};
    run(NULL, &l, 5, false);
    run(NULL, &l, 5, true);
    assert_int_equal(util_pool_workers(NULL), 1);
    assert_int_equal(util_pool_create(UTIL_POOL_MAX + 1, &pool), -EINVAL);
    assert_null(pool);
    util_pool_destroy(NULL);
    for (unsigned i = 0; i < 50; i++) { /* ends with workers asleep, spinning, and not yet begun */
        assert_int_equal(util_pool_create(3, &pool), 0);
        if (i % 2)
            run(pool, &l, STEPS, false);
        if (i % 3 == 0)
            usleep(500);
        util_pool_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops), cmocka_unit_test(test_shuffled),
                                       cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
