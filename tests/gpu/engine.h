/* A group of tests' engine, which keeps nothing on disk; NULL outside of such groups. Behind cmocka.h. */
#ifndef VITRAIL_TESTS_GPU_ENGINE_H
#define VITRAIL_TESTS_GPU_ENGINE_H

#include "jit/engine.h"

static struct jit_engine *engine;

static int start_engine(void **state)
{
    const struct jit_options options = {.level = -1, .cache_dir = ""};
    return jit_engine_create(&options, &engine, NULL);
}

static int stop_engine(void **state)
{
    jit_engine_destroy(engine);
    engine = NULL;
    return 0;
}

#endif
