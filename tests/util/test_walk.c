/* Lists that go round are found, whatever stands before the circle and however long it is; lists that do not
 * are never taken for such. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/walk.h"

/* Jumps until the walk says that it has been there, `most` at most. */
static uint64_t jumps_of(struct util_walk *walk, uint64_t before, uint64_t circle, uint64_t most)
{
    for (uint64_t n = 0; n < most; n++) {
        uint64_t at = n < before ? n : before + (n - before) % circle;
        const struct util_walk_place to = {(uint32_t)at * 8, {UTIL_WALK_NOWHERE, UTIL_WALK_NOWHERE}};
        if (util_walk_returns(walk, to)) {
            assert_in_range(n, before + circle, UINT64_MAX);
            return n;
        }
    }
    return most;
}

static void circles(void **state)
{
    static const uint64_t befores[] = {0, 1, 2, 7, 64, 1000, 12345};
    static const uint64_t lengths[] = {1, 2, 3, 5, 63, 64, 65, 1000, 54321};
    for (unsigned b = 0; b < sizeof befores / sizeof *befores; b++) {
        for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            struct util_walk walk = util_walk_begin(0);
            uint64_t most = 3 * (befores[b] + lengths[l]) + 4;
            assert_in_range(jumps_of(&walk, befores[b], lengths[l], most), 0, most - 1);
        }
    }
}

static void lists_that_end(void **state)
{
    struct util_walk walk = util_walk_begin(0);
    assert_int_equal(jumps_of(&walk, 1 << 20, 1, 1 << 20), 1 << 20);
}

/* The same sub-list, called from two places, is no circle; called again from the same one it is. */
static void return_addresses_count(void **state)
{
    struct util_walk walk = util_walk_begin(0);
    const struct util_walk_place from_here = {64, {8, UTIL_WALK_NOWHERE}},
                                 from_there = {64, {16, UTIL_WALK_NOWHERE}}, deeper = {64, {8, 16}},
                                 alone = {64, {UTIL_WALK_NOWHERE, UTIL_WALK_NOWHERE}};
    assert_false(util_walk_returns(&walk, from_here));
    assert_false(util_walk_returns(&walk, from_there));
    util_walk_forget(&walk);
    assert_false(util_walk_returns(&walk, from_here));
    assert_false(util_walk_returns(&walk, deeper));
    util_walk_forget(&walk);
    assert_false(util_walk_returns(&walk, from_here));
    assert_false(util_walk_returns(&walk, alone));
    util_walk_forget(&walk);
    assert_false(util_walk_returns(&walk, from_here));
    util_walk_forget(&walk);
    assert_false(util_walk_returns(&walk, from_here));
    assert_true(util_walk_returns(&walk, from_here));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(circles), cmocka_unit_test(lists_that_end),
                                       cmocka_unit_test(return_addresses_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
