/* The tile list builder (PLBU): its command list, draws, and the lists it writes. A list that runs out of
 * heap stands still and goes on, at the same primitive and block, when there is more. Internal to gpu/utgard.
 */
#ifndef VITRAIL_GPU_UTGARD_PLBU_H
#define VITRAIL_GPU_UTGARD_PLBU_H

#include "gpu/utgard/vertex.h"

struct utgard_plbu;

/* What a list may use up; both go down. */
struct utgard_budget {
    uint64_t packets, fuel;
};

enum utgard_plbu_end {
    UTGARD_PLBU_DONE,
    UTGARD_PLBU_OUT_OF_MEMORY, /* call utgard_plbu_run again, with more heap */
    UTGARD_PLBU_FAULT,
    UTGARD_PLBU_POINTER_ARRAY, /* a fault too: tiles beyond the array of blocks */
};

int utgard_plbu_create(struct utgard_plbu **out);
void utgard_plbu_destroy(struct utgard_plbu *plbu); /* NULL is accepted */
/* A new list, from `start` to `end`; registers begin as after a reset. */
void utgard_plbu_begin(struct utgard_plbu *plbu, uint32_t start, uint32_t end);
/* The heap is now [start, end): blocks and records are taken from its beginning. */
void utgard_plbu_heap(struct utgard_plbu *plbu, uint32_t start, uint32_t end);
uint32_t utgard_plbu_at(const struct utgard_plbu *plbu); /* the command at hand */

/* Where vertices of draws without indices have their point sizes: a VS list's results, in order. */
struct utgard_vs_results {
    const struct utgard_vs_result *result;
    uint32_t count;
};

/* Runs the list until it ends or cannot go on, for `observer` (NULL: nobody) to look on; on the workers of
 * `pool` too, NULL: none. The lists are the same whatever their number. */
enum utgard_plbu_end utgard_plbu_run(struct utgard_plbu *plbu, const struct gpu_space *space,
                                     const struct utgard_vs_results *results, struct util_pool *pool,
                                     struct utgard_budget *budget, struct gpu_host *host,
                                     const struct gpu_observer *observer, struct utgard_stop *stop);

#endif
