/* What the tests of random programs share: how many, from which number on, and what each is tried with. */
#ifndef VITRAIL_TESTS_DIFF_RANDOM_H
#define VITRAIL_TESTS_DIFF_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "fuzz/random.h"
#include "jit/engine.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { RANDOM_SHARE = 1024 }; /* programs that engines compile before others take their place */

/* One program of a set. Its number decides everything, so that it can be tried again alone; the parts of its
 * hash are independent, so that every kind of program meets every level. */
struct random_turn {
    uint64_t number, hash;
    struct jit_engine *engine; /* at one of the host's levels, of quick or optimised code */
};

static inline uint64_t random_number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* The host's levels, AVX-512 twice: it has two ways to gather. */
struct random_engines {
    struct jit_engine *engine[JIT_LEVEL_COUNT + 1][2];
    unsigned levels;
};

static inline void random_start(struct random_engines *e)
{
    uint64_t only = random_number_of("VITRAIL_DIFF_LEVEL", UINT64_MAX);
    e->levels = 0;
    for (unsigned way = 0; way <= JIT_LEVEL_COUNT; way++) {
        enum jit_level level = way < JIT_LEVEL_COUNT ? way : JIT_AVX512;
        if (!jit_level_supported(level) || (only <= JIT_LEVEL_COUNT && way != only))
            continue;
        for (unsigned n = 0; n < 2; n++) {
            struct jit_options options = {.level = (int)level,
                                          .optimize = n ? JIT_OPTIMISED : JIT_QUICK,
                                          .gathers = way == JIT_LEVEL_COUNT ? JIT_GATHERS_INSTRUCTION
                                                                            : JIT_GATHERS_LOADS,
                                          .cache_dir = ""};
            if (jit_engine_create(&options, &e->engine[e->levels][n], NULL))
                abort();
        }
        e->levels++;
    }
}

static inline void random_stop(struct random_engines *e)
{
    for (unsigned n = 0; n < e->levels * 2; n++)
        jit_engine_destroy(e->engine[n / 2][n % 2]);
}

/* Programs begin to begin + count - 1, `optimised` of four in optimised code. VITRAIL_DIFF_LEVEL (0 sse4.1, 1
 * avx2, 2 avx512, 3 avx512fp16, 4 the same with gathers) asks for one level, VITRAIL_DIFF_FULL for every program at every level. */
static inline void random_programs(uint64_t begin, uint64_t count, unsigned optimised,
                                   void (*attempt)(const struct random_turn *, void *), void *data)
{
    /* Each level its share by what LLVM takes for it: narrow vectors are many instructions. */
    static const unsigned shares[] = {0, 1, 1, 2, 2, 3, 3};
    bool full = random_number_of("VITRAIL_DIFF_FULL", 0);
    unsigned saved = util_fpenv_enter();
    for (uint64_t n = begin; n < begin + count;) {
        struct random_engines e;
        random_start(&e);
        for (uint64_t end = UTIL_MIN(n + RANDOM_SHARE, begin + count); n < end; n++) {
            uint64_t state = n, hash = random_next(&state);
            unsigned level = UTIL_MIN(shares[hash % UTIL_ARRAY_SIZE(shares)], e.levels - 1);
            struct random_turn turn = {n, hash >> 16, NULL};
            for (unsigned l = full ? 0 : level; l < (full ? e.levels : level + 1); l++) {
                turn.engine = e.engine[l][(hash >> 8) % 4 < optimised];
                attempt(&turn, data);
            }
        }
        random_stop(&e);
    }
    util_fpenv_leave(saved);
}

#endif
