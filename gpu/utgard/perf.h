/* Performance counters: each processor has two, which count one event of perf.inc each. Internal to
 * gpu/utgard.
 *
 * Ours, as no driver tells: a counter counts from 0 when its enable bit is set or its source written, stands
 * still when the bit is cleared, and raises its interrupt when it is on, has a limit, and has come to it. An
 * event without a row is reported when it is chosen by a counter that is on, and counts nothing. */
#ifndef VITRAIL_GPU_UTGARD_PERF_H
#define VITRAIL_GPU_UTGARD_PERF_H

#include <stdbool.h>
#include <stdint.h>

enum utgard_event {
#define EVENT(block, source, name, what) UTGARD_EVENT_##block##_##name,
#include "gpu/utgard/perf.inc"
#undef EVENT
    UTGARD_EVENT_COUNT
};

#define UTGARD_PERF_COUNTERS 2

/* A processor's. */
struct utgard_perf {
    uint64_t total[UTGARD_EVENT_COUNT]; /* so far, counted or not */
    struct {
        bool on, told; /* told: its limit's interrupt was raised */
        uint32_t held; /* its value while it is off */
        uint64_t base; /* total when it began */
    } counter[UTGARD_PERF_COUNTERS];
};

struct utgard_device;
struct gpu_tile;
struct gpu_space;

/* A plain register of block `ip` was written. */
void utgard_perf_written(struct utgard_device *device, unsigned ip, uint32_t offset);
/* Processor 0 is the GP, 1 + n PP n; its block was reset. */
void utgard_perf_reset(struct utgard_device *device, unsigned unit);
/* The value of the counter whose register stands at `offset`; 0: of none. */
uint32_t utgard_perf_read(const struct utgard_device *device, unsigned unit, uint32_t offset);
/* A PP takes these tiles: what their lists have is counted, when a counter is for it. */
void utgard_perf_tiles(struct utgard_device *device, unsigned pp, const struct gpu_space *space,
                       const struct gpu_tile *tiles, uint32_t count);
/* Interrupts of counters that have come to their limits; after work. */
void utgard_perf_limits(struct utgard_device *device);

#endif
