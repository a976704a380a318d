/* Blocks of programs that are executed sixteen lanes at a time, as far as the ends of helpers make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "isa/warp/ops.h"
#include "isa/warp/program.h"

enum { NONE = UINT32_MAX };

static struct warp_insn plain(void)
{
    return (struct warp_insn){.kind = WARP_NOTHING, .target = NONE};
}

static struct warp_insn ends_helpers(void)
{
    struct warp_insn i = plain();
    i.flow = WARP_END_HELPERS;
    return i;
}

static struct warp_insn decides(enum warp_kind kind, uint32_t target)
{
    struct warp_insn i = plain();
    i.kind = (uint8_t)kind;
    i.op = WARP_ICMP_OR_U32;
    i.target = target;
    return i;
}

/* Which instructions end helpers, a bit each. */
static uint32_t ends_of(const struct warp_insn *insns, uint32_t count, uint32_t *blocks)
{
    struct util_error error = {0};
    struct warp_program *p = NULL;
    struct warp_insn *own = malloc(count * sizeof *own);
    uint32_t ends = 0;
    assert_non_null(own);
    memcpy(own, insns, count * sizeof *own);
    assert_int_equal(warp_program_create(own, count, 8, &p, &error), 0);
    for (uint32_t n = 0; n < count; n++)
        ends |= (uint32_t)warp_ends_helpers(&p->insns[n]) << n;
    *blocks = p->block_count;
    warp_program_destroy(p);
    return ends;
}

static void helpers_end_once(void **state)
{
    const struct warp_insn insns[] = {ends_helpers(), plain(), ends_helpers(), ends_helpers(), plain()};
    uint32_t blocks;
    assert_int_equal(ends_of(insns, 5, &blocks), 1);
    assert_int_equal(blocks, 2);
}

static void a_kill_makes_new_ones(void **state)
{
    const struct warp_insn insns[] = {ends_helpers(), decides(WARP_KILL, NONE), ends_helpers(),
                                      ends_helpers()};
    uint32_t blocks;
    assert_int_equal(ends_of(insns, 4, &blocks), 1 | 4);
}

/* One that kills ends what it makes itself. */
static void a_kill_ends_its_own(void **state)
{
    struct warp_insn insns[] = {ends_helpers(), decides(WARP_KILL, NONE), ends_helpers()};
    uint32_t blocks;
    insns[1].flow = WARP_END_HELPERS;
    assert_int_equal(ends_of(insns, 3, &blocks), 1 | 2);
}

/* Other programs may have killed. */
static void others_make_new_ones(void **state)
{
    const struct warp_insn insns[] = {ends_helpers(), decides(WARP_FAR, NONE), ends_helpers(), plain()};
    uint32_t blocks;
    assert_int_equal(ends_of(insns, 4, &blocks), 1 | 4);
}

static void loops_have_those_of_their_end(void **state)
{
    const struct warp_insn without[] = {ends_helpers(), ends_helpers(), plain(), decides(WARP_BRANCH, 1),
                                        plain()};
    const struct warp_insn with[] = {ends_helpers(), ends_helpers(), decides(WARP_KILL, NONE),
                                     decides(WARP_BRANCH, 1), plain()};
    uint32_t blocks;
    assert_int_equal(ends_of(without, 5, &blocks), 1);
    assert_int_equal(ends_of(with, 5, &blocks), 1 | 2);
}

/* Lanes that branch have gone before their instruction ends helpers. */
static void branches_take_them_along(void **state)
{
    struct warp_insn insns[] = {decides(WARP_BRANCH, 3), plain(), ends_helpers(), ends_helpers(), plain()};
    uint32_t blocks;
    insns[0].flow = WARP_END_HELPERS;
    assert_int_equal(ends_of(insns, 5, &blocks), 1 | 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helpers_end_once),
        cmocka_unit_test(a_kill_makes_new_ones),
        cmocka_unit_test(a_kill_ends_its_own),
        cmocka_unit_test(others_make_new_ones),
        cmocka_unit_test(loops_have_those_of_their_end),
        cmocka_unit_test(branches_take_them_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
