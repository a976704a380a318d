/* Things that threads want at once: made once, by the first; all others wait, awake or asleep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "util/make.h"
#include "util/pool.h"

#define THINGS  64u
#define WORKERS 8u

struct thing {
    util_make_status status;
    bool begun;   /* under the lock */
    uint32_t sum; /* written by who makes it, read by all after the wait */
    _Atomic uint32_t makers, wrong;
};

struct things {
    struct util_maker maker;
    struct thing thing[THINGS];
    unsigned slow; /* microseconds that making takes */
};

static void want(void *data, uint32_t index, unsigned worker)
{
    struct things *t = data;
    uint32_t n = index / WORKERS;
    struct thing *thing = &t->thing[n];
    bool mine;

    (void)worker;
    pthread_mutex_lock(&t->maker.lock);
    mine = !thing->begun;
    thing->begun = true;
    pthread_mutex_unlock(&t->maker.lock);
    if (mine) {
        atomic_fetch_add(&thing->makers, 1);
        if (t->slow)
            usleep(t->slow);
        thing->sum = n * 3 + 1;
        util_make_end(&t->maker, &thing->status, n % 3 != 0);
    }
    if (util_make_wait(&t->maker, &thing->status) != (n % 3 != 0) || thing->sum != n * 3 + 1)
        atomic_fetch_add(&thing->wrong, 1);
}

static void test_once(void **unused)
{
    struct util_pool *pool;
    struct things t;

    (void)unused;
    assert_int_equal(util_pool_create(WORKERS - 1, &pool), 0);
    for (unsigned round = 0; round < 60; round++) {
        memset(&t, 0, sizeof t);
        util_maker_init(&t.maker);
        t.slow = round % 20 ? 0 : 300;
        util_pool_run(pool, THINGS * WORKERS, want, &t);
        for (uint32_t n = 0; n < THINGS; n++) {
            assert_int_equal(t.thing[n].makers, 1);
            assert_int_equal(t.thing[n].wrong, 0);
        }
        util_maker_destroy(&t.maker);
    }
    util_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
