/* Draws before and behind the lists of a frame (since v6: descriptors that its parameters name), as items of its
 * tiles' lists: each is a rectangle over the whole frame, within its own scissor, whose vertices 0 to 3 are the
 * corners at (0, 0), (width, 0), (0, height) and (width, height) (the order of Mesa's pan_blitter.c). Drivers bring
 * back with them what a tile held before. Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_FRAME_DRAWS_H
#define VITRAIL_GPU_MALI_FRAME_DRAWS_H

#include "gpu/frame.h"
#include "gpu/mali/payload.h"

/* For a tile's list: nothing was drawn there, and draws that are always drawn come nevertheless. */
#define MALI_TILE_ALONE (GPU_TILE_EMPTY - 1)

/* Of one frame; borrowed, as long as it is rendered. All zero: there are none. */
struct mali_frame_draws {
    struct gpu_tile_reader lists; /* what draws between them */
    uint32_t width, height;
    bool drawn[MALI_FRAME_DRAWS];  /* in tiles that have anything */
    bool always[MALI_FRAME_DRAWS]; /* in the others, too */
    bool dirties;                  /* one of these makes a tile that is to be stored */
    struct gpu_tile_state state[MALI_FRAME_DRAWS];
};

/* `number`: the job's, for faults. */
void mali_frame_draws_init(struct mali_frame_draws *draws, enum mali_version version,
                           const struct mali_fragment_job *job, uint32_t number,
                           const struct gpu_tile_reader *lists);
bool mali_frame_draws_any(const struct mali_frame_draws *draws);
/* The list of a tile that has none of its own. */
uint32_t mali_frame_draws_alone(const struct mali_frame_draws *draws);
/* Lists with these draws around what they have; an item's state is its draw's address. */
struct gpu_tile_reader mali_frame_draws_reader(const struct mali_frame_draws *draws);
/* Which of them stands at `state`; MALI_FRAME_DRAWS: none, it is a job of a list. Its descriptors are those of
 * job->whole. */
enum mali_frame_draw mali_frame_draws_find(enum mali_version version, const struct mali_fragment_job *job,
                                           uint32_t state);

#endif
