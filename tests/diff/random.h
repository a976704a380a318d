/* What the tests of random programs share: how many, from which number on, at every vector level of the host.
 */
#ifndef VITRAIL_TESTS_DIFF_RANDOM_H
#define VITRAIL_TESTS_DIFF_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

#include "jit/engine.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { RANDOM_SHARE = 128 }; /* programs an engine compiles: it has room for so much code only */

static inline uint64_t random_number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static inline struct jit_engine *random_engine(enum jit_level level, unsigned optimize)
{
    struct jit_options options = {.level = (int)level, .optimize = optimize, .cache_dir = ""};
    struct jit_engine *engine;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    return engine;
}

/* Programs begin to begin + count - 1 at every level, one in four optimised; *seed is set anew for each
 * level. */
static inline void
random_programs(uint64_t begin, uint64_t count, uint64_t *seed,
                void (*attempt)(struct jit_engine *, unsigned level, uint64_t number, void *), void *data)
{
    unsigned saved = util_fpenv_enter();
    for (enum jit_level level = 0; level < JIT_LEVEL_COUNT; level++) {
        if (!jit_level_supported(level))
            continue;
        *seed = begin;
        for (uint64_t n = begin; n < begin + count;) {
            struct jit_engine *quick = random_engine(level, 0), *optimized = random_engine(level, 2);
            for (uint64_t end = UTIL_MIN(n + RANDOM_SHARE, begin + count); n < end; n++)
                attempt(n % 4 ? quick : optimized, level, n, data);
            jit_engine_destroy(quick);
            jit_engine_destroy(optimized);
        }
    }
    util_fpenv_leave(saved);
}

#endif
