/* Contexts and captures for the tests of the public API. What they open is the caller's to close; what cannot be opened
 * fails the test. */
#ifndef VITRAIL_TESTS_API_GPUS_H
#define VITRAIL_TESTS_API_GPUS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <vitrail.h>

#define CAPTURES SOURCE_DIR "/tests/captures/"

/* memory: bytes, 0: as usual; cache: folder of compiled programs, "": none. */
static inline struct vitrail_context *open_gpu(const char *name, int threads, int execution, uint64_t memory,
                                               const char *cache)
{
    struct vitrail_config config;
    struct vitrail_context *gpu;
    assert_int_equal(vitrail_config_init(&config, sizeof config), 0);
    config.gpu = name;
    config.threads = threads;
    config.execution = execution;
    config.cache_dir = cache;
    if (memory)
        config.memory_size = memory;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    return gpu;
}

#endif
