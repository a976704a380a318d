/* Walks through lists of words of eight bytes, with jumps and without return addresses: both of the GP's
 * command lists, and tile lists (util/walk.h). */
#ifndef VITRAIL_GPU_UTGARD_WALK_H
#define VITRAIL_GPU_UTGARD_WALK_H

#include "gpu/fault.h"
#include "util/walk.h"

#define UTGARD_WALK_MOST (1u << 29) /* words that an address space holds */

static inline bool utgard_walk_returns(struct util_walk *walk, uint32_t to)
{
    return util_walk_returns(walk, (struct util_walk_place){to, {UTIL_WALK_NOWHERE, UTIL_WALK_NOWHERE}});
}

/* The list's jump at `at` leads to where it was; its words are more than an address space holds. */
static inline void utgard_walk_round(const char *unit, uint32_t at, uint32_t to, struct gpu_fault *fault)
{
    gpu_fault_set(fault, GPU_FAULT_TIMEOUT, unit, at, "the list goes round: it has been at 0x%08x", to);
}

static inline void utgard_walk_long(const char *unit, uint32_t at, struct gpu_fault *fault)
{
    gpu_fault_set(fault, GPU_FAULT_TIMEOUT, unit, at, "the list repeats more than memory can hold");
}

/* A command at *at that jumps. False and *fault: the list never ends. */
static inline bool utgard_walk_jump(struct util_walk *walk, const char *unit, uint32_t *at, uint32_t to,
                                    struct gpu_fault *fault)
{
    if (utgard_walk_returns(walk, to)) {
        utgard_walk_round(unit, *at, to, fault);
        return false;
    }
    *at = to;
    return true;
}

/* One word more, at `at`. False and *fault: they are more than an address space holds. */
static inline bool utgard_walk_on(struct util_walk *walk, const char *unit, uint32_t at,
                                  struct gpu_fault *fault)
{
    if (!walk->left) {
        utgard_walk_long(unit, at, fault);
        return false;
    }
    walk->left--;
    return true;
}

#endif
