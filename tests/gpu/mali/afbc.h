/* What tests of AFBC have in common. Included by tests/gpu/mali/test_afbc*.c. */
#ifndef VITRAIL_TESTS_GPU_MALI_AFBC_H
#define VITRAIL_TESTS_GPU_MALI_AFBC_H

#include "gpu/mali/afbc.h"
#include "gpu/mali/device_internal.h"
#include "tests/gpu/mali/guest.h"

enum { AT = 0x200000, BODY = 0x10000, WIDTH = 150, HEIGHT = 70, AREA = WIDTH * HEIGHT };

static uint32_t seed;

static inline uint32_t next_random(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static inline const struct gpu_space *space_of(struct guest *g)
{
    struct mali_stop stop = {0};
    return mali_as_space(g->device, 0, &stop);
}

#endif
