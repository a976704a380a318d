/* Engines for fuzzers that compile: none is asked for more code than it has room for. */
#ifndef VITRAIL_TESTS_FUZZ_ENGINE_H
#define VITRAIL_TESTS_FUZZ_ENGINE_H

#include <stdlib.h>

#include "jit/engine.h"

#define FUZZ_SHARE 512 /* programs of an engine */

/* To compile one program with; valid until the next call. */
static inline struct jit_engine *fuzz_engine(void)
{
    static struct jit_engine *engine;
    static unsigned compiled;
    const struct jit_options options = {.level = -1, .optimize = JIT_QUICK, .cache_dir = ""};

    if (compiled++ % FUZZ_SHARE == 0) {
        jit_engine_destroy(engine);
        if (jit_engine_create(&options, &engine, NULL))
            abort();
    }
    return engine;
}

#endif
