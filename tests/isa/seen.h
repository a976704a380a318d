/* Random programs together: every value of an instruction set's table occurs in them, often enough. A test
 * decodes all of them, and then names what it wants to have seen. */
#ifndef VITRAIL_TESTS_ISA_SEEN_H
#define VITRAIL_TESTS_ISA_SEEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { SEEN_OFTEN = 10 };

static size_t seen_count;     /* instructions decoded */
static unsigned seen_checked; /* things looked for */

/* `condition` on `i`, one of `insns`, holds for enough of the first seen_count. */
#define SEEN_IN(insns, name, condition)                                                                      \
    do {                                                                                                     \
        unsigned seen = 0;                                                                                   \
        for (size_t k = 0; k < seen_count; k++) {                                                            \
            const __typeof__((insns)[0]) *i = &(insns)[k];                                                   \
            seen += (condition);                                                                             \
        }                                                                                                    \
        seen_checked++;                                                                                      \
        if (seen < SEEN_OFTEN)                                                                               \
            fail_msg("%s occurs %u times in %zu instructions", name, seen, seen_count);                      \
    } while (0)

/* A rule that a random program broke; `data`: its seed. */
static inline void seen_breach(void *data, uint32_t at, const char *rule, const char *source)
{
    fail_msg("seed %llu: at %u: %s", *(unsigned long long *)data, at, rule);
}

static inline void seen_print(void)
{
    print_message("%u things, each %d times or more in %zu instructions\n", seen_checked, SEEN_OFTEN,
                  seen_count);
}

/* The programs of all seeds: no rule is broken, a seed decides its program, and the next of its kind is
 * another. `word` is the type of `words` and `again`, which have room for `most`; MAKE(seed, capacity, into)
 * gives a count of instructions of `per` words, CHECK is the set's, and small(seed) the room of every fifth.
 */
#define SEEN_RULES(seeds, most, per, words, again, MAKE, CHECK, SMALL, longest)                              \
    do {                                                                                                     \
        unsigned different = 0;                                                                              \
        for (unsigned long long seed = 0; seed < (seeds); seed++) {                                          \
            uint32_t capacity = seed % 5 ? (most) : (SMALL), count = MAKE(seed, capacity, words);            \
            size_t bytes = count * (per) * sizeof *(words);                                                  \
            assert_in_range(count, 4, capacity);                                                             \
            CHECK(words, count, seen_breach, &seed);                                                         \
            assert_int_equal(MAKE(seed, capacity, again), count);                                            \
            assert_memory_equal(words, again, bytes);                                                        \
            different += MAKE(seed + 2, capacity, again) != count || memcmp(words, again, bytes) != 0;       \
            longest = UTIL_MAX(longest, count);                                                              \
        }                                                                                                    \
        assert_int_equal(different, seeds);                                                                  \
    } while (0)

#endif
