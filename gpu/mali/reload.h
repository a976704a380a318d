/* Frames that bring their own image back (gpu/frame.h): until v5 drivers do so by a draw before all others, whose
 * program passes texels on (Mesa's pan_blitter.c). Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_RELOAD_H
#define VITRAIL_GPU_MALI_RELOAD_H

#include "gpu/frame.h"
#include "gpu/mali/targets.h"

struct mali_frag;
struct mali_lookup_key;
struct midgard_program;

/* Whether a frame stores nothing but one image of RGBA8's bytes, in one sample, and what that is. */
bool mali_reload_image(const struct mali_targets *targets, struct gpu_frame_image *out);
/* The pixels of the tile out of that image. */
void mali_reload_load(const struct mali_targets *targets, struct raster_tile *tile);
/* Whether a prepared draw copies, and from where. Any thread. */
bool mali_reload_copies(const struct mali_frag *frag, struct gpu_frame_copied *out);
/* Whether the colour that a straight program writes at its end is what a lookup gives at x and y of a varying: that
 * descriptor's number, and what is asked. */
bool mali_reload_passes(const struct midgard_program *program, uint32_t *varying,
                        struct mali_lookup_key *asked);

#endif
