/* Messages that v7 sends before a fragment's program begins. Internal to gpu/mali/frag*.c. */
#ifndef VITRAIL_GPU_MALI_FRAG_PRELOAD_H
#define VITRAIL_GPU_MALI_FRAG_PRELOAD_H

#include "gpu/mali/frag_internal.h"

/* A program of isa/warp that sends them first, and then is `like`: out->warp is the caller's (warp_program_destroy). 0 or
 * a negative errno. */
int mali_frag_preloaded_create(const struct mali_decoded *like,
                               const struct mali_frag_message message[MALI_FRAG_MESSAGES],
                               struct mali_decoded *out);
/* frag->messages; with some, frag->world.program becomes that one, kept with the program. */
bool mali_frag_preload(struct mali_frag *frag, struct mali_stop *stop);

#endif
