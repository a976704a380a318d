/* The GP's translator against its interpreter: random programs over random vertices (tests/diff/programs.h).
 * Zero differences in varyings, registers, temporaries seen, and verdict. */
#include "tests/diff/gp_harness.h"
#include "tests/diff/programs.h"

static void turn_bits(void *words, uint32_t count, uint64_t *seed)
{
    programs_turn_any(&utgard_gp_set, words, count, seed);
}

static bool both(const struct programs_one *one, struct programs_tally *tally)
{
    static struct world expected, got;
    const struct utgard_gp_program *p = one->program;
    run_fn run = compile(one->turn->engine, p);
    assert_non_null(run);
    for (unsigned round = 0; round < RANDOM_INPUTS; round++) {
        uint16_t lanes = round ? (uint16_t)random_next(one->seed) : 0xffff;
        make_world(&expected, one->seed);
        if (p->stores_temporaries)
            fill_temporaries(&expected);
        got = expected;
        interpret(p, &expected, lanes);
        run(&got, lanes, FUEL);
        if (!alike(one->words, one->count, &expected, &got, lanes))
            return false;
        tally->ran += 16;
        for (unsigned l = 0; l < 16; l++)
            tally->faulted += expected.fault[l] != 0;
    }
    return true;
}

static void test_random(void **state)
{
    enum { S = UTGARD_GP_RANDOM_STRAIGHT, F = UTGARD_GP_RANDOM_FULL };
    static const struct programs_set set = {.isa = &utgard_gp_set,
                                            .usual = 300,
                                            .capacity = UTGARD_GP_MAX_INSNS,
                                            .profiles = {S, F, F, S, F, F, S, F, F, S, F, F},
                                            .optimised = 1,
                                            .turn = turn_bits,
                                            .both = both};
    programs_compare(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
