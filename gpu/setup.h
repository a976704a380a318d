/* The register writes that bring a fresh device into the state of one that has no work at hand: of all that it was
 * given, those that start no work, each only as often as it counts. What it computed stands in memory. */
#ifndef VITRAIL_GPU_SETUP_H
#define VITRAIL_GPU_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#define GPU_SETUP_MAX 4096u /* a device has a tenth of it; more is no state, but somebody's intent */

struct gpu_setup_write {
    uint32_t offset, value;
};

struct gpu_setup {
    const char *gpu;            /* its name, static or the owner's */
    struct gpu_setup_write *at; /* in the order in which they are given */
    uint32_t count, room;
    bool lost; /* there were too many, or no memory: they say nothing */
};

/* A write in its turn. */
void gpu_setup_note(struct gpu_setup *setup, uint32_t offset, uint32_t value);
void gpu_setup_finish(struct gpu_setup *setup); /* a zeroed one is accepted */

#endif
