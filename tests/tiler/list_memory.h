/* Memory with tile lists in it, for tests; numbers by chance. */
#ifndef VITRAIL_TESTS_TILER_LIST_MEMORY_H
#define VITRAIL_TESTS_TILER_LIST_MEMORY_H

#include "tiler/list.h"

/* Of *end bytes. */
static inline uint64_t look(const void *ctx, uint64_t place, uint32_t size)
{
    uint64_t end = *(const uint32_t *)ctx;
    return place + size <= end ? end : 0;
}

static inline struct tiler_list_memory reader(const uint8_t *memory, const uint32_t *end)
{
    return (struct tiler_list_memory){.base = memory, .ctx = end, .look = look};
}

static uint32_t seed;
static inline uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

#endif
