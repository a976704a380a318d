/* A draw's fragments, prepared from its tiler job: program, varyings, tests, blending. Immutable afterwards
 * but for counts; any number of threads shade with it. Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_FRAG_H
#define VITRAIL_GPU_MALI_FRAG_H

#include "gpu/frame.h"
#include "gpu/mali/jobs.h"
#include "gpu/mali/targets.h"

struct mali_frag;

/* What the draws of a frame have in common; borrowed, as long as the frame is rendered. */
struct mali_frag_shared {
    const struct mali_job *job;              /* the fragment job: device, space, version */
    const struct mali_fragment_job *payload; /* its own; draws around its lists: frame_draws.h */
    const struct mali_targets *targets;
    struct util_arena *arena;
    struct jit_engine *engine; /* NULL: draws are interpreted */
    bool in_order;             /* no draw is to be opaque */
    bool alone;                /* tiles are drawn one after the other: programs may store */
    struct util_maker *maker;
    _Atomic(struct mali_frag *) counted; /* draws with occlusion queries, the latest first */
    _Atomic uint64_t packets;            /* descriptors that draws may still read */
};

/* From the job of the tiler's, or with vertices, whose header stands at draw->state, or from the frame's own draw there
 * (frame_draws.h), as the payload has it; fills the family's part of *draw. False and *stop: what its descriptors or its
 * program are, or no host memory. Thread-safe. */
bool mali_frag_prepare(struct mali_frag_shared *shared, struct gpu_frame_draw *draw, struct mali_stop *stop);

/* The varyings of `count` vertices, for set-up. False and *fault: one's are not in memory. */
bool mali_frag_fetch(const struct mali_frag *frag, const struct gpu_space *space, struct gpu_space_run *run,
                     const uint32_t index[], unsigned count, float (*out)[RASTER_MAX_VARYINGS],
                     struct gpu_fault *fault);

/* For observers: the draw's programs, and raster_shader_shade, interpreted, while `watch` is told. */
void mali_frag_programs(const struct mali_frag *frag, struct gpu_frame_programs *out);
uint32_t mali_frag_shade_watched(const struct mali_frag *frag, const struct gpu_watch *watch,
                                 const struct raster_prim *prim, struct raster_tile *tile,
                                 const struct raster_block *blocks, uint32_t count,
                                 struct raster_shader_work *work);

/* Adds what occlusion queries of the frame's draws have counted to guest memory. False and *stop: it is not
 * there. */
bool mali_frag_store_queries(struct mali_frag_shared *shared, struct mali_stop *stop);

#endif
