/* Lanes on their way through a block (gpu/watch.h), for any family's reference path: who is told of a block,
 * and what is told of a lane as it ends in the lane's lists. A lane misses what memory is not there for, and
 * says so. */
#ifndef VITRAIL_GPU_FOLLOW_H
#define VITRAIL_GPU_FOLLOW_H

#include "gpu/watch.h"

/* A followed lane. A family's own begins with it. */
struct gpu_follower {
    struct gpu_lane *lane;
    unsigned number;     /* the lane's */
    struct gpu_step now; /* the instruction under way */
};

/* Who is told of a block. */
struct gpu_following {
    const struct gpu_watch *watch;
    uint8_t *followers; /* owned */
    size_t size;        /* of each */
    uint32_t count;
};

/* Asks whether `watch` wants to be told of the block, and makes a follower of `size` bytes, zero behind the
 * struct gpu_follower, for each lane that it asks for. False: it does not, and nothing is to be ended. */
bool gpu_following_begin(struct gpu_following *following, const struct gpu_watch *watch,
                         const struct gpu_watched_block *block, size_t size);
/* An instruction is about to be executed, in some lanes. */
void gpu_following_step(const struct gpu_following *following, uint32_t pc);
/* The block is done; its lanes are filled. */
void gpu_following_end(struct gpu_following *following, uint64_t executed);
/* Follower `i`, to be cast to the family's. */
static inline void *gpu_following_at(const struct gpu_following *following, uint32_t i)
{
    return following->followers + i * following->size;
}

/* Another value that the instruction under way reads or writes, zero but for its name; NULL: more than are
 * kept. */
struct gpu_value *gpu_follow_read(struct gpu_follower *f, const char *name);
struct gpu_value *gpu_follow_write(struct gpu_follower *f, const char *name);
/* Words `mask` of vector register `reg`, of whose words each has 16 lanes, as they stand: read by the instruction
 * under way, or written. Nothing of none. `number`: floats, nothing else. */
void gpu_follow_register(struct gpu_follower *f, bool written, unsigned reg, uint8_t mask, bool number,
                         const uint32_t value[4][16]);
/* The instruction under way has got this from outside. */
void gpu_follow_outside(struct gpu_follower *f, const char *name, uint32_t count, bool number,
                        const uint32_t value[4][16]);
/* The instruction under way is done. Its place in the trace, which is the last; NULL: it is not kept. */
struct gpu_step *gpu_follow_keep(struct gpu_follower *f);

/* Kept once for each n. */
void gpu_follow_varying(struct gpu_follower *f, const struct gpu_varying *varying);
/* A texture request at the coordinates of all lanes, s, t, r and b. What key and texture say, where there are these, is
 * filled in; of images of the general sampler it is in `lookup` already. */
void gpu_follow_lookup(struct gpu_follower *f, struct gpu_lookup *lookup, const struct gpu_texels *texels,
                       float coordinates[4][16]);
/* A block's depths and stencils, sample after sample, as the tile has them. */
struct gpu_zs_block {
    const uint32_t *zs;
    const uint8_t *stencil; /* looked at where test->kind is of 32 bits */
};
/* A test of `samples` samples: what they had before and have after, lanes that take part and that pass.
 * Nothing where the lane has none. */
void gpu_follow_test(struct gpu_follower *f, struct gpu_test *test, unsigned samples,
                     const struct gpu_zs_block *before, const struct gpu_zs_block *after,
                     const uint16_t *tested, const uint16_t *passed);

#endif
