/* Lanes of a watched block on their way (frag_watch.c, frag_watch_ports.c). Not for others. */
#ifndef VITRAIL_GPU_MALI_FRAG_WATCH_INTERNAL_H
#define VITRAIL_GPU_MALI_FRAG_WATCH_INTERNAL_H

#include "gpu/mali/frag_internal.h"
#include "isa/midgard/uses.h"

struct mali_follower {
    struct gpu_follower of;
    const void *insn; /* of either machine, under way; NULL: the lane does not execute it */
    union {
        struct midgard_uses uses;
        uint64_t written; /* of isa/warp: bit n: register n */
    };
    /* Of isa/warp: the instruction before, the first step of its word, and a bit for each part of the word since then. */
    const struct warp_insn *before;
    uint32_t first, parts;
};

static inline struct mali_follower *mali_follower_at(const struct mali_frag_batch *b, uint32_t i)
{
    return gpu_following_at(&b->following, i);
}

#endif
