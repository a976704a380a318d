/* What the files of Mali Utgard's part of `vitrail decode` share. */
#ifndef VITRAIL_TOOLS_DECODE_UTGARD_H
#define VITRAIL_TOOLS_DECODE_UTGARD_H

#include "gpu/utgard/inspect.h"
#include "gpu/utgard/vertex.h"
#include "tools/decode.h"

#define UTGARD_STATES_MAX 4096u

struct utgard_decode {
    struct decode *decode;
    struct utgard_device *device; /* holds registers and page tables; does the GP's work for --tiles */
    /* Render states that the job's PLBU list names, each once; those beyond have no part of their own. */
    uint32_t state[UTGARD_STATES_MAX], state_count;
    bool states_listed; /* with what they name */
};

/* decode_utgard_draw.c: what a draw of a VS list works with; a render state, and what it names: textures,
 * program and uniforms, which need not be in memory before the PPs start. */
void utgard_list_vertices(struct utgard_decode *u, const struct gpu_space *space,
                          const struct utgard_vs_state *state, uint32_t vertices);
void utgard_list_state(struct utgard_decode *u, const struct gpu_space *space, uint32_t address);
void utgard_list_named(struct utgard_decode *u, const struct gpu_space *space, uint32_t address);

/* decode_utgard_frame.c: what a PP would render now. */
void utgard_list_frame(struct utgard_decode *u, unsigned pp);

#endif
