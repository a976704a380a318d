/* Random programs of any instruction set, interpreted and translated: the vector levels of the host in turn,
 * in quick and in optimised code. One in four has bits turned, so that what no compiler emits is compared
 * too. VITRAIL_DIFF_PROGRAMS sets how many, VITRAIL_DIFF_SEED the first; a difference names its number.
 * random.h has more such variables. */
#ifndef VITRAIL_TESTS_DIFF_PROGRAMS_H
#define VITRAIL_TESTS_DIFF_PROGRAMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/sets.h"
#include "tests/diff/random.h"

enum { PROGRAMS_WORDS_MAX = 2048, PROGRAMS_BYTES_MAX = 16384 };

/* What came of them: worlds a program ran in, and of these those that ended in a fault. */
struct programs_tally {
    uint64_t ran, faulted, looped, turned, refused, skipped;
};

/* One of them as both() gets it. */
struct programs_one {
    const struct random_turn *turn;
    void *program;
    const void *words;
    uint32_t count;
    uint64_t choice; /* of modes: any number */
    uint64_t *seed;  /* of worlds */
};

struct programs_set {
    const struct isa_set *isa;
    uint64_t usual;    /* programs when none are asked for */
    uint32_t capacity; /* words of a program, at most PROGRAMS_WORDS_MAX */
    unsigned profiles[12];
    unsigned optimised; /* programs of four */
    /* Turns some bits. */
    void (*turn)(void *words, uint32_t count, uint64_t *seed);
    /* Compares RANDOM_INPUTS worlds or more, and counts them. False when they differ, which it tells on
     * standard error; `skipped` counts when it is left to the interpreter. */
    bool (*both)(const struct programs_one *one, struct programs_tally *tally);
};

struct programs_run {
    const struct programs_set *set;
    struct programs_tally tally;
};

/* Any bits. */
static inline void programs_turn_any(const struct isa_set *isa, void *words, uint32_t count, uint64_t *seed)
{
    uint8_t *bytes = words;
    for (uint32_t n = random_turned(seed); n; n--) {
        uint32_t bit = (uint32_t)(random_next(seed) % (count * isa->word_bytes * 8ull));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static inline void programs_try(const struct random_turn *turn, void *data)
{
    static uint64_t words[PROGRAMS_BYTES_MAX / 8];
    struct programs_run *run = data;
    const struct programs_set *set = run->set;
    const struct isa_set *isa = set->isa;
    struct programs_tally turned = {0}, *tally = &run->tally;
    unsigned profile = set->profiles[turn->hash % 12];
    bool turns = turn->hash / 12 % 4 == 0;
    uint64_t seed = turn->hash;
    void *program;

    uint32_t count = isa->random(turn->number, profile, words, set->capacity);
    assert_int_equal(isa->check(words, count, NULL, NULL), 0);
    if (turns)
        set->turn(words, count, &seed);
    if (isa->create(words, count, &program, NULL)) {
        assert_true(turns);
        tally->refused++;
        return;
    }
    struct programs_one one = {turn, program, words, count, turn->hash / 48, &seed};
    tally->looped += isa->repeats(program);
    tally->turned += turns;
    bool same = set->both(&one, turns ? &turned : tally);
    tally->skipped += turns ? turned.skipped : 0;
    isa->destroy(program);
    if (!same)
        fail_msg("program %llu, level %s; again: VITRAIL_DIFF_SEED=%llu VITRAIL_DIFF_PROGRAMS=1",
                 (unsigned long long)turn->number, jit_level_name(jit_engine_level(turn->engine)),
                 (unsigned long long)turn->number);
}

/* What is told of a set's programs; that they were worth the trouble is asserted of 50 and more. */
static inline void programs_compare(const struct programs_set *set)
{
    uint64_t count = random_number_of("VITRAIL_DIFF_PROGRAMS", set->usual),
             first = random_number_of("VITRAIL_DIFF_SEED", 1);
    struct programs_run run = {.set = set};
    const struct programs_tally *t = &run.tally;

    assert_true(set->capacity <= PROGRAMS_WORDS_MAX &&
                set->capacity * set->isa->word_bytes <= PROGRAMS_BYTES_MAX);
    random_programs(first, count, set->optimised, programs_try, &run);
    print_message("%llu programs, %llu with bits turned, %llu refused, %llu left to the interpreter\n",
                  (unsigned long long)count, (unsigned long long)t->turned, (unsigned long long)t->refused,
                  (unsigned long long)t->skipped);
    if (count < 50) /* one again */
        return;
    assert_true(t->looped * 10 > count);
    assert_true(t->refused * 8 < count);
    assert_true(t->skipped * 10 < count);
    assert_true(t->ran > 0 && t->faulted * 2 < t->ran);
}

#endif
