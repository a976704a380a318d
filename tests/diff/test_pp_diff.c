/* The PP's translator against its interpreter: random programs over random fragments (tests/diff/programs.h),
 * in either numeric mode. Zero differences in registers, discarded lanes, what the ports were asked, and
 * verdict. */
#include "tests/diff/pp_harness.h"
#include "tests/diff/programs.h"

static uint64_t discarded; /* worlds in which some lane was */

static bool both(const struct programs_one *one, struct programs_tally *tally)
{
    static struct world expected, got;
    bool all = one->choice % 2;
    enum isa_numeric numeric = one->choice / 2 % 2 ? ISA_EXACT : ISA_FAST;
    run_fn run = compile(one->turn->engine, one->program, all, numeric);
    assert_non_null(run);
    for (unsigned round = 0; round < RANDOM_INPUTS; round++) {
        uint16_t lanes = all ? 0xffff : (uint16_t)random_next(one->seed);
        make_world(&expected, one->seed, numeric);
        got = expected;
        interpret(one->program, &expected, lanes);
        run(&got, lanes, FUEL);
        if (!alike(one->words, one->count, &expected, &got, lanes))
            return false;
        tally->ran++;
        tally->faulted += expected.fault != 0;
        discarded += expected.live != lanes;
    }
    return true;
}

/* A few bits, but not those that say how long an instruction is. */
static void turn_bits(void *program, uint32_t count, uint64_t *seed)
{
    uint32_t *words = program;
    for (uint32_t n = random_turned(seed), at = 0; n; n--) {
        struct utgard_pp_insn insn;
        uint32_t length = utgard_pp_decode(words, count, at, &insn), skipped = random_next(seed) % 16;
        for (; skipped; skipped--, length = utgard_pp_decode(words, count, at, &insn))
            at = at + length < count ? at + length : 0;
        uint32_t bit = random_next(seed) % (length * 32);
        if (bit >= 19 || bit == 5 || bit == 6)
            words[at + bit / 32] ^= 1u << bit % 32;
    }
}

static void test_random(void **state)
{
    enum { S = UTGARD_PP_RANDOM_STRAIGHT, F = UTGARD_PP_RANDOM_FULL };
    static const struct programs_set set = {.isa = &utgard_pp_set,
                                            .usual = 300,
                                            .capacity = WORDS,
                                            .profiles = {S, F, F, S, F, F, S, F, F, S, F, F},
                                            .optimised = 1,
                                            .turn = turn_bits,
                                            .both = both};
    discarded = 0;
    programs_compare(&set);
    assert_true(discarded > 0 || random_number_of("VITRAIL_DIFF_PROGRAMS", set.usual) < 50);
}

static void test_written(void **state)
{
    static const char *const texts[] = {
        /* the largest of three, two of them one constant, the other now and then NaN */
        "var r1, v0\nc0 1.0, 0.0, 0.0, 0.0 ; mov.v1 r1.xz, c0.xxxx\ncube r0, r1 ; stop",
    };
    struct programs_tally tally = {0};
    (void)state;
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(texts); n++) {
        struct util_error error = {0};
        struct utgard_pp_program *p;
        uint32_t *words, count;
        if (utgard_pp_asm(texts[n], strlen(texts[n]), &words, &count, &error) ||
            utgard_pp_program_create(words, count, &p, &error))
            fail_msg("%s: %s", texts[n], error.text);
        struct jit_options options = {.level = -1, .optimize = JIT_OPTIMISED, .cache_dir = ""};
        struct random_turn turn = {.number = n};
        unsigned saved = util_fpenv_enter();
        assert_int_equal(jit_engine_create(&options, &turn.engine, NULL), 0);
        uint64_t seed = 1;
        struct programs_one one = {&turn, p, words, count, 0, &seed};
        for (; tally.ran < (n + 1) * 400; one.choice++)
            if (!both(&one, &tally))
                fail_msg("%s", texts[n]);
        jit_engine_destroy(turn.engine);
        util_fpenv_leave(saved);
        utgard_pp_program_destroy(p);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
