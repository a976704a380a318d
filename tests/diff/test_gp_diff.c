/* The GP's translator against its interpreter: random programs over random vertices, the vector levels of the
 * host in turn. Zero differences in varyings, registers, temporaries seen, and verdict. One in four has bits
 * turned, so that what no compiler emits is compared too. VITRAIL_GP_PROGRAMS sets how many (default 300),
 * VITRAIL_GP_SEED the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include "tests/diff/gp_harness.h"
#include "util/bits.h"

static uint64_t seed;

struct tally {
    uint64_t ran, faulted, looped, turned, refused;
};

static void run_both(const struct random_turn *turn, const struct utgard_gp_program *p, const uint64_t *words,
                     struct tally *tally)
{
    static struct world expected, got;
    run_fn run = compile(turn->engine, p);
    assert_non_null(run);
    for (unsigned round = 0; round < RANDOM_INPUTS; round++) {
        uint16_t lanes = round ? (uint16_t)random_next(&seed) : 0xffff;
        make_world(&expected, &seed);
        if (p->stores_temporaries)
            fill_temporaries(&expected);
        got = expected;
        interpret(p, &expected, lanes);
        run(&got, lanes, FUEL);
        if (!alike(words, p->insn_count, &expected, &got, lanes))
            fail_msg("program %llu, level %s", (unsigned long long)turn->number,
                     jit_level_name(jit_engine_level(turn->engine)));
        tally->ran++;
        for (unsigned l = 0; l < 16; l++)
            tally->faulted += expected.fault[l] != 0;
    }
}

static void try_program(const struct random_turn *turn, void *data)
{
    struct tally *tally = data, turned = {0};
    uint64_t words[UTGARD_GP_MAX_INSNS * UTGARD_GP_WORDS];
    struct utgard_gp_program *p;
    uint32_t count =
        utgard_gp_random(turn->number, turn->hash % 3 ? UTGARD_GP_RANDOM_FULL : UTGARD_GP_RANDOM_STRAIGHT,
                         words, UTGARD_GP_MAX_INSNS);
    bool turns = turn->hash / 3 % 4 == 0;
    seed = turn->hash;
    assert_int_equal(utgard_gp_check(words, count, NULL, NULL), 0);
    for (uint32_t n = turns ? random_turned(&seed) : 0; n; n--) {
        uint32_t bit = random_next(&seed) % (count * UTGARD_GP_WORDS * 64);
        words[bit / 64] ^= 1ull << bit % 64;
    }
    if (utgard_gp_program_create(words, count, &p, NULL)) {
        assert_true(turns);
        tally->refused++;
        return;
    }
    tally->looped += p->repeats;
    tally->turned += turns;
    run_both(turn, p, words, turns ? &turned : tally);
    utgard_gp_program_destroy(p);
}

static void test_random(void **state)
{
    (void)state;
    uint64_t programs = random_number_of("VITRAIL_GP_PROGRAMS", 300),
             begin = random_number_of("VITRAIL_GP_SEED", 1);
    struct tally tally = {0};
    random_programs(begin, programs, try_program, &tally);
    print_message("%llu programs, %llu with bits turned, %llu refused\n", (unsigned long long)programs,
                  (unsigned long long)tally.turned, (unsigned long long)tally.refused);
    if (programs < 50) /* one again */
        return;
    assert_true(tally.looped * 10 > programs);
    assert_true(tally.refused * 10 < programs);
    assert_true(tally.faulted * 2 < tally.ran * 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
