/* A guest of Mali Utgard's fragment side for tests: memory of 4 MiB, mapped as it is, rights to all. */
#ifndef VITRAIL_TESTS_GPU_UTGARD_SPACE_H
#define VITRAIL_TESTS_GPU_UTGARD_SPACE_H

#include <string.h>

#include "gpu/space.h"
#include "util/bits.h"

#define GUEST_SIZE (4u << 20)

struct guest {
    struct gpu_memory memory;
    struct gpu_space space;
};

static inline void guest_open(struct guest *g)
{
    assert_int_equal(gpu_memory_create(GUEST_SIZE, &g->memory), 0);
    assert_int_equal(gpu_space_create(&g->memory, &g->space), 0);
    gpu_space_begin(&g->space);
    for (uint32_t at = 0; at < GUEST_SIZE; at += GPU_PAGE)
        assert_true(gpu_space_map(&g->space, at, at, GPU_RIGHT_READ | GPU_RIGHT_WRITE));
    assert_int_equal(gpu_space_end(&g->space), 0);
}

static inline void guest_close(struct guest *g)
{
    gpu_space_destroy(&g->space);
    gpu_memory_destroy(&g->memory);
}

static inline void guest_put(struct guest *g, uint32_t address, const void *bytes, size_t size)
{
    memcpy(g->memory.base + address, bytes, size);
}

static inline uint32_t guest_word(const struct guest *g, uint32_t address)
{
    return util_load32(g->memory.base + address);
}

/* `bits` bits of `value` from bit `first` of words that are zero there. */
static inline void guest_field(uint32_t *words, uint32_t first, uint32_t bits, uint64_t value)
{
    for (uint32_t n = 0; n < bits; n++)
        if (value >> n & 1)
            words[(first + n) / 32] |= 1u << (first + n) % 32;
}

#endif
