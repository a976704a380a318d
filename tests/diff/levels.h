/* An engine at each vector level of this host, for tests that compile what they compare: a group's set-up and end. */
#ifndef VITRAIL_TESTS_DIFF_LEVELS_H
#define VITRAIL_TESTS_DIFF_LEVELS_H

#include "jit/engine.h"

static struct jit_engine *engines[JIT_LEVEL_COUNT]; /* NULL: the host has not the level */

static int start_levels(void **state)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {
            .level = (enum jit_level)level, .optimize = JIT_OPTIMISED, .cache_dir = ""};
        if (jit_level_supported((enum jit_level)level) && jit_engine_create(&options, &engines[level], NULL))
            return -1;
    }
    return 0;
}

static int stop_levels(void **state)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++)
        jit_engine_destroy(engines[level]);
    return 0;
}

#endif
