/* The PP's translator against its interpreter: random programs over random fragments, the vector levels of
 * the host in turn, in either numeric mode. Zero differences in registers, discarded lanes, what the ports
 * were asked, and verdict. One in four has bits turned, so that what no compiler emits is compared too.
 * VITRAIL_PP_PROGRAMS sets how many (default 300), VITRAIL_PP_SEED the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include "tests/diff/pp_harness.h"
#include "util/bits.h"

static uint64_t seed;

struct tally {
    uint64_t ran, faulted, looped, discarded, turned, refused;
};

static void run_both(const struct random_turn *turn, const struct utgard_pp_program *p, const uint32_t *words,
                     struct tally *tally)
{
    static struct world expected, got;
    bool all = turn->hash / 12 % 2;
    enum isa_numeric numeric = turn->hash / 24 % 2 ? ISA_EXACT : ISA_FAST;
    run_fn run = compile(turn->engine, p, all, numeric);
    assert_non_null(run);
    for (unsigned round = 0; round < RANDOM_INPUTS; round++) {
        uint16_t lanes = all ? 0xffff : (uint16_t)random_next(&seed);
        make_world(&expected, &seed, numeric);
        got = expected;
        interpret(p, &expected, lanes);
        run(&got, lanes, FUEL);
        if (!alike(words, p->word_count, &expected, &got, lanes))
            fail_msg("program %llu, level %s", (unsigned long long)turn->number,
                     jit_level_name(jit_engine_level(turn->engine)));
        tally->ran++;
        tally->faulted += expected.fault != 0;
        tally->discarded += expected.live != lanes;
    }
}

/* A few bits, but not those that say how long an instruction is. */
static void turn_bits(uint32_t *words, uint32_t count)
{
    for (uint32_t n = random_turned(&seed), at = 0; n; n--) {
        struct utgard_pp_insn insn;
        uint32_t length = utgard_pp_decode(words, count, at, &insn), skipped = random_next(&seed) % 16;
        for (; skipped; skipped--, length = utgard_pp_decode(words, count, at, &insn))
            at = at + length < count ? at + length : 0;
        uint32_t bit = random_next(&seed) % (length * 32);
        if (bit >= 19 || bit == 5 || bit == 6)
            words[at + bit / 32] ^= 1u << bit % 32;
    }
}

static void try_program(const struct random_turn *turn, void *data)
{
    struct tally *tally = data, turned = {0};
    uint32_t words[WORDS];
    struct utgard_pp_program *p;
    uint32_t count = utgard_pp_random(
        turn->number, turn->hash % 3 ? UTGARD_PP_RANDOM_FULL : UTGARD_PP_RANDOM_STRAIGHT, words, WORDS);
    bool turns = turn->hash / 3 % 4 == 0;
    seed = turn->hash;
    assert_int_equal(utgard_pp_check(words, count, NULL, NULL), 0);
    if (turns)
        turn_bits(words, count);
    if (utgard_pp_program_create(words, count, &p, NULL)) {
        assert_true(turns);
        tally->refused++;
        return;
    }
    tally->looped += p->repeats;
    tally->turned += turns;
    run_both(turn, p, words, turns ? &turned : tally);
    utgard_pp_program_destroy(p);
}

static void test_random(void **state)
{
    (void)state;
    uint64_t programs = random_number_of("VITRAIL_PP_PROGRAMS", 300),
             begin = random_number_of("VITRAIL_PP_SEED", 1);
    struct tally tally = {0};
    random_programs(begin, programs, try_program, &tally);
    print_message("%llu programs, %llu with bits turned, %llu refused\n", (unsigned long long)programs,
                  (unsigned long long)tally.turned, (unsigned long long)tally.refused);
    if (programs < 50) /* one again */
        return;
    assert_true(tally.looped * 10 > programs);
    assert_true(tally.discarded > 0);
    assert_true(tally.refused * 8 < programs);
    assert_true(tally.faulted * 2 < tally.ran);
}

/* Programs that once differed, in many worlds: they met what random ones hardly meet. */
static void test_written(void **state)
{
    static const char *const texts[] = {
        /* the largest of three, two of them one constant, the other now and then NaN */
        "var r1, v0\nc0 1.0, 0.0, 0.0, 0.0 ; mov.v1 r1.xz, c0.xxxx\ncube r0, r1 ; stop",
    };
    struct tally tally = {0};
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
        for (seed = 1; tally.ran < (n + 1) * 400; turn.hash += 12)
            run_both(&turn, p, words, &tally);
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
