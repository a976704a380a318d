/* The arena: pieces that do not overlap, from several threads, again after a reset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/arena.h"
#include "util/pool.h"

#define PIECES 4000

static struct util_arena *arena;
static uint8_t *piece[PIECES];
static size_t size_of[PIECES];

static void take(void *data, uint32_t i, unsigned worker)
{
    piece[i] = util_arena_alloc(arena, size_of[i]);
    if (piece[i])
        memset(piece[i], (int)(i * 7 + 1) & 255, size_of[i]);
}

static void check(void)
{
    for (uint32_t i = 0; i < PIECES; i++) {
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % UTIL_ARENA_ALIGN, 0);
        for (size_t k = 0; k < size_of[i]; k++)
            if (piece[i][k] != ((i * 7 + 1) & 255))
                fail_msg("piece %u, byte %zu was overwritten", i, k);
    }
}

static void test_pieces(void **state)
{
    for (unsigned threads = 0; threads <= 3; threads += 3) {
        struct util_pool *pool;
        assert_int_equal(util_pool_create(threads, &pool), 0);
        assert_int_equal(util_arena_create(&arena), 0);
        for (unsigned round = 0; round < 3; round++) {
            srand(round + threads);
            for (uint32_t i = 0; i < PIECES; i++)
                size_of[i] = rand() % 100 ? (size_t)(rand() % 900) : (size_t)(rand() % (600 << 10));
            util_arena_alone(arena, !threads && round % 2);
            util_pool_run(pool, PIECES, take, NULL);
            check();
            util_arena_reset(arena);
        }
        util_arena_destroy(arena);
        util_pool_destroy(pool);
    }
}

static void test_too_much(void **state)
{
    assert_int_equal(util_arena_create(&arena), 0);
    assert_null(util_arena_alloc(arena, SIZE_MAX));
    assert_null(util_arena_alloc(arena, SIZE_MAX / 2));
    uint8_t *after = util_arena_alloc(arena, 10);
    assert_non_null(after);
    util_arena_destroy(arena);
    util_arena_destroy(NULL);
}

static void take_bytes(size_t bytes)
{
    for (size_t taken = 0; taken < bytes; taken += 64 << 10)
        assert_non_null(util_arena_alloc(arena, 64 << 10));
}

/* A batch like the last needs no new memory, however large; what smaller ones leave unused goes. */
static void test_kept(void **state)
{
    const size_t large = (size_t)64 << 20, small = (size_t)1 << 20;
    assert_int_equal(util_arena_create(&arena), 0);
    take_bytes(large);
    size_t held = util_arena_bytes(arena);
    assert_true(held >= large && held < large + large / 8);
    for (unsigned i = 0; i < 4; i++) {
        util_arena_reset(arena);
        assert_int_equal(util_arena_bytes(arena), held);
        take_bytes(large);
        assert_int_equal(util_arena_bytes(arena), held);
    }
    util_arena_reset(arena);
    take_bytes(small); /* one small batch between: most of the memory stays */
    util_arena_reset(arena);
    assert_true(util_arena_bytes(arena) > held / 2);
    for (unsigned i = 0; i < 60; i++) {
        take_bytes(small);
        util_arena_reset(arena);
    }
    assert_true(util_arena_bytes(arena) < held / 2);
    assert_true(util_arena_bytes(arena) >= small);
    util_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
