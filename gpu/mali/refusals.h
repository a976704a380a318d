/* What a draw names and cannot be used: a list may have places that no program uses, with anything in them, as
 * the hardware reads a texture, a sampler or a buffer only when a program asks for it. So what cannot be read,
 * or means nothing, is kept beside the place, and ends the job that uses it. Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_REFUSALS_H
#define VITRAIL_GPU_MALI_REFUSALS_H

#include "gpu/mali/desc.h"
#include "util/arena.h"

#define MALI_REFUSALS_MOST 64u /* told apart; further ones are told as the last of them */

struct mali_refusals {
    struct util_arena *arena; /* where they are kept; borrowed */
    uint32_t count;
    const struct mali_stop *last;
};

/* Keeps *stop, which becomes empty. False: it is of the whole job - its budget is used up, or there is no host
 * memory - and stays. */
bool mali_refuse(struct mali_refusals *refusals, struct mali_stop *stop, const struct mali_stop **out);

#endif
