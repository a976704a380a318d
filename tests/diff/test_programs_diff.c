/* Translation against interpreter, for every instruction set by its row of fuzz/world: random programs, and
 * some that are written down. Zero differences in what a world has at the end. Random programs go to the
 * vector levels of the host in turn, in quick and in optimised code, in one of the set's modes each; one in
 * four has bits turned, so that what no compiler emits is compared too. Environment:
 *   VITRAIL_DIFF_SET=name    one set (default: each)
 *   VITRAIL_DIFF_PROGRAMS=n  random programs; a difference names its number
 *   VITRAIL_DIFF_SEED=s      the first one (default 1)
 *   VITRAIL_DIFF_RANDOM=1    nothing but random programs
 *   VITRAIL_DIFF_LEVEL=l     one level: 0 sse4.1, 1 avx2, 2 avx512, 3 avx512fp16, 4 the same with gathers
 *   VITRAIL_DIFF_MODE=m      one mode, by its number in the row
 *   VITRAIL_DIFF_TEXTS=1     each text at every level, not at one of them in turn
 *   VITRAIL_DIFF_FULL=1      every program at every level in every mode */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/diff/random.h"
#include "fuzz/program.h"

enum { PROGRAM_BYTES_MAX = 16384 };

/* A set's programs: how many there were, turned or not, and what came of those whose bits are as they were. */
struct tally {
    uint64_t tried, refused, looped, turned, skipped;
    struct world_outcome outcome;
};

struct test {
    const struct world_set *set;
    struct tally tally;
};

static bool agrees(const struct world_set *set, void *program, unsigned mode, struct jit_engine *engine,
                   uint64_t number, unsigned inputs, struct tally *tally)
{
    bool translated, same;
    same = world_agrees(set, program, mode, engine, number, inputs, &translated, &tally->outcome);
    tally->skipped += !translated;
    return same;
}

/* Whether a random program whose hash gives `choice` is tried in this mode. */
static bool wanted(unsigned mode, unsigned modes, uint64_t choice)
{
    uint64_t only = random_number_of("VITRAIL_DIFF_MODE", modes);
    if (only < modes)
        return mode == only;
    return random_number_of("VITRAIL_DIFF_FULL", 0) || mode == choice % modes;
}

static void try_program(const struct random_turn *turn, void *data)
{
    static uint64_t words[PROGRAM_BYTES_MAX / 8];
    struct test *test = data;
    const struct world_set *set = test->set;
    const struct world_random *random = &set->random;
    const struct isa_set *isa = set->isa;
    struct tally apart = {0}, *tally = &test->tally;
    unsigned modes = world_modes(set);
    bool turns = turn->hash / 12 % 4 == 0, same = true;
    uint64_t seed = turn->hash;
    void *program;

    uint32_t count = isa->random(turn->number, random->profiles[turn->hash % 12], words, random->capacity);
    assert_int_equal(isa->check(words, count, NULL, NULL), 0);
    tally->tried++;
    tally->turned += turns;
    if (turns)
        fuzz_program_turn(set, words, count, &seed);
    if (isa->create(words, count, &program, NULL)) {
        assert_true(turns);
        tally->refused++;
        return;
    }
    tally->looped += isa->repeats(program);
    for (unsigned mode = 0; same && mode < modes; mode++)
        if (wanted(mode, modes, turn->hash / 48))
            same = agrees(set, program, mode, turn->engine, turn->number, random->inputs,
                          turns ? &apart : tally);
    isa->destroy(program);
    tally->skipped += apart.skipped;
    if (same)
        return;
    isa->disassemble(stderr, words, count);
    fail_msg(
        "program %llu, level %s; again: VITRAIL_DIFF_SET=%s VITRAIL_DIFF_SEED=%llu VITRAIL_DIFF_PROGRAMS=1",
        (unsigned long long)turn->number, jit_level_name(jit_engine_level(turn->engine)), isa->name,
        (unsigned long long)turn->number);
}

/* That programs were worth the trouble. `few` programs more or less may be of any kind, so that every bound
 * holds of any number of them. */
static void assert_worth(const struct world_set *set, const struct tally *t, unsigned modes)
{
    const struct world_random *random = &set->random;
    const uint64_t few = 16, lanes = few * random->inputs * 16;
    assert_true(t->refused <= few + t->tried / random->refused);
    assert_true(t->skipped <= (random->skipped ? few + t->tried * modes / random->skipped : 0));
    assert_true(t->looped + few >= t->tried / 10);
    assert_true(t->turned + few >= t->tried / 5 && t->turned <= few + t->tried * 3 / 10);
    assert_true(t->outcome.lanes > 0 || t->tried <= t->turned + t->skipped);
    assert_true(t->outcome.faulted <= (lanes + t->outcome.lanes) / 2);
    assert_true(!random->discards || t->outcome.discarded > 0 || t->tried <= few);
}

static void test_random(void **state)
{
    const struct world_set *set = *state;
    uint64_t count = random_number_of("VITRAIL_DIFF_PROGRAMS", set->random.usual),
             first = random_number_of("VITRAIL_DIFF_SEED", 1);
    struct test test = {.set = set};
    const struct tally *t = &test.tally;

    assert_true(set->random.capacity * set->isa->word_bytes <= PROGRAM_BYTES_MAX);
    random_programs(first, count, set->random.optimised, try_program, &test);
    print_message("%s: %llu programs, %llu with bits turned, %llu refused, %llu that loop, %llu left to the "
                  "interpreter; %llu lanes, %llu faulted, %llu discarded\n",
                  set->isa->name, (unsigned long long)t->tried, (unsigned long long)t->turned,
                  (unsigned long long)t->refused, (unsigned long long)t->looped,
                  (unsigned long long)t->skipped, (unsigned long long)t->outcome.lanes,
                  (unsigned long long)t->outcome.faulted, (unsigned long long)t->outcome.discarded);
    if (t->outcome.vectors)
        print_message("%llu vector instructions\n", (unsigned long long)t->outcome.vectors);
    assert_worth(set, t, random_number_of("VITRAIL_DIFF_FULL", 0) ? world_modes(set) : 1);
}

/* One text in every mode, at one level. */
static void try_text(const struct world_set *set, const char *text, struct jit_engine *engine,
                     uint64_t number)
{
    struct util_error error = {0};
    struct tally tally = {0};
    void *words, *program = NULL;
    uint32_t count;
    if (isa_assemble(set->isa->syntax, text, strlen(text), &words, &count, &error) ||
        set->isa->create(words, count, &program, &error))
        fail_msg("%s\n%s", text, error.text);
    for (unsigned mode = 0; mode < world_modes(set); mode++)
        if (!agrees(set, program, mode, engine, number, set->text_inputs, &tally))
            fail_msg("%s", text);
    assert_int_equal(tally.skipped, 0);
    set->isa->destroy(program);
    free(words);
}

static void test_written(void **state)
{
    const struct world_set *set = *state;
    struct random_engines e;
    unsigned saved = util_fpenv_enter();
    random_start(&e);
    bool all = random_number_of("VITRAIL_DIFF_TEXTS", 0) || random_number_of("VITRAIL_DIFF_FULL", 0);
    for (unsigned level = 0; level < e.levels; level++)
        for (unsigned n = 0; set->texts[n]; n++)
            if (all || n % e.levels == level)
                try_text(set, set->texts[n], e.engine[level][1], n);
    random_stop(&e);
    util_fpenv_leave(saved);
}

static void sets_have_worlds(void **state)
{
    const struct isa_set *isa;
    for (unsigned n = 0; (isa = isa_set_at(n)); n++)
        if (isa->create) /* it executes */
            assert_non_null(world_find(isa->name));
    assert_null(world_find(""));
}

int main(void)
{
    const struct CMUnitTest all[] = {cmocka_unit_test(sets_have_worlds)};
    const char *only = getenv("VITRAIL_DIFF_SET");
    const struct isa_set *isa;
    bool known = !only;
    int failed = cmocka_run_group_tests_name("sets", all, NULL, NULL);
    for (unsigned n = 0; (isa = isa_set_at(n)); n++) {
        const struct world_set *set = world_find(isa->name);
        if (!set || (only && strcmp(only, isa->name) != 0))
            continue;
        const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_random, (void *)set),
                                           cmocka_unit_test_prestate(test_written, (void *)set)};
        const struct CMUnitTest random[] = {cmocka_unit_test_prestate(test_random, (void *)set)};
        known = true;
        failed += random_number_of("VITRAIL_DIFF_RANDOM", 0)
                      ? cmocka_run_group_tests_name(isa->name, random, NULL, NULL)
                      : cmocka_run_group_tests_name(isa->name, tests, NULL, NULL);
    }
    if (!known)
        fprintf(stderr, "no set '%s' with a world\n", only);
    return failed || !known;
}
