/* Things found by keys: each made once whoever asks, found again through all growth, gone when cleared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/memo.h"
#include "util/pool.h"

#define THINGS  3000u
#define WORKERS 8u

struct thing {
    uint32_t number, zero[7]; /* number: written by who makes it, read by all others */
    _Atomic uint32_t makers;
};

struct things {
    struct util_maker maker;
    struct util_arena *arena;
    struct util_memo memo;
    unsigned slow; /* microseconds that making takes */
    _Atomic uint32_t wrong;
};

static void open_things(struct things *t)
{
    memset(t, 0, sizeof *t);
    util_maker_init(&t->maker);
    assert_int_equal(util_arena_create(&t->arena), 0);
    util_memo_init(&t->memo, &t->maker, t->arena);
}

static void close_things(struct things *t)
{
    util_arena_destroy(t->arena);
    util_maker_destroy(&t->maker);
}

/* What was given out and taken back has any contents. */
static void soil(struct things *t)
{
    memset(util_arena_alloc(t->arena, 200 << 10), 0xa5, 200 << 10);
    util_arena_reset(t->arena);
}

static bool is_makeable(uint32_t number)
{
    return number % 3 != 0;
}

/* Every third key has a second part. */
static struct util_memo_key key_of(const uint32_t words[2], uint32_t number)
{
    return (struct util_memo_key){words, 4, number % 5 ? NULL : words + 1, number % 5 ? 0 : 4};
}

static void want(void *data, uint32_t index, unsigned worker)
{
    struct things *t = data;
    /* All workers want the same ones at about the same time. */
    uint32_t number = index / WORKERS, words[2] = {number * 0x10001u, number};
    struct util_memo_key key = key_of(words, number);
    enum util_make_status status;
    struct thing *thing = util_memo_get(&t->memo, &key, sizeof *thing, &status);

    (void)worker;
    if (!thing) {
        atomic_fetch_add(&t->wrong, 1);
        return;
    }
    if (status == UTIL_MAKING) {
        for (unsigned n = 0; n < 7; n++)
            if (thing->zero[n] || thing->number)
                atomic_fetch_add(&t->wrong, 1);
        atomic_fetch_add(&thing->makers, 1);
        if (t->slow)
            usleep(t->slow);
        thing->number = number + 1;
        status = util_memo_end(&t->memo, thing, is_makeable(number));
    }
    if (status != (is_makeable(number) ? UTIL_MADE : UTIL_NOT_MADE) || thing->number != number + 1)
        atomic_fetch_add(&t->wrong, 1);
}

static void test_once(void **unused)
{
    struct util_pool *pool;
    struct things t;

    (void)unused;
    assert_int_equal(util_pool_create(WORKERS - 1, &pool), 0);
    open_things(&t);
    for (unsigned round = 0; round < 20; round++) {
        uint32_t things = round % 10 ? THINGS : 40, seen = 0;
        bool made;
        soil(&t);
        t.slow = round % 10 ? 0 : 300;
        util_pool_run(pool, things * WORKERS, want, &t);
        util_pool_run(pool, things * WORKERS, want, &t);
        assert_int_equal(t.wrong, 0);
        for (struct thing *it = NULL; (it = util_memo_next(&t.memo, it, &made)); seen++) {
            assert_int_equal(it->makers, 1);
            assert_int_equal(made, is_makeable(it->number - 1));
        }
        assert_int_equal(seen, things);
        util_memo_clear(&t.memo);
        util_arena_reset(t.arena);
    }
    close_things(&t);
    util_pool_destroy(pool);
}

/* The bytes of both parts, and where the one ends, are the key. */
static void test_keys(void **unused)
{
    static const struct util_memo_key keys[] = {{"ab", 2, NULL, 0},  {"ab", 2, "c", 1},   {"a", 1, "bc", 2},
                                                {"abc", 3, NULL, 0}, {"abc", 3, "", 0},   {NULL, 0, NULL, 0},
                                                {NULL, 0, "abc", 3}, {"abd", 3, NULL, 0}, {"ab", 2, "d", 1},
                                                {"ab\0", 3, NULL, 0}};
    struct thing *thing[10];
    struct things t;
    enum util_make_status status;
    bool made;

    (void)unused;
    open_things(&t);
    assert_true(util_memo_is_empty(&t.memo));
    assert_null(util_memo_next(&t.memo, NULL, &made));
    for (unsigned n = 0; n < 10; n++) {
        thing[n] = util_memo_get(&t.memo, &keys[n], sizeof **thing, &status);
        assert_int_equal(status, n == 4 ? UTIL_MADE : UTIL_MAKING);
        assert_int_equal((uintptr_t)thing[n] % UTIL_MEMO_ALIGN, 0);
        if (status == UTIL_MAKING)
            util_memo_end(&t.memo, thing[n], true);
        for (unsigned k = 0; k < n; k++)
            assert_int_equal(thing[k] == thing[n], k == 3 && n == 4);
    }
    assert_false(util_memo_is_empty(&t.memo));
    assert_ptr_equal(util_memo_next(&t.memo, NULL, &made), thing[0]);
    assert_ptr_equal(util_memo_next(&t.memo, thing[0], &made), thing[1]);
    util_memo_clear(&t.memo);
    util_arena_reset(t.arena);
    assert_true(util_memo_is_empty(&t.memo));
    util_memo_get(&t.memo, &keys[0], sizeof **thing, &status);
    assert_int_equal(status, UTIL_MAKING);
    close_things(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_once), cmocka_unit_test(test_keys)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
