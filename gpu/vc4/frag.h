/* Fragment programs: a draw prepared once, then called for blocks of pixels by every worker. */
#ifndef VITRAIL_GPU_VC4_FRAG_H
#define VITRAIL_GPU_VC4_FRAG_H

#include "gpu/vc4/shader_state.h"
#include "jit/engine.h"
#include "raster/shader.h"
#include "raster/texture/texture.h"
#include "raster/zs.h"
#include "util/arena.h"

/* The state of a draw that a fragment program depends on, besides its shader record. */
struct vc4_frag_config {
    uint8_t depth_func; /* enum raster_func */
    bool z_updates;
    uint8_t samples;   /* 1 or 4 */
    uint8_t primitive; /* 0 points, 1 lines, 2 triangles: extra varyings */
    bool coverage_leave,
        coverage_mask; /* record 96: reading coverage leaves it; gives 16 bits, not a level */
    bool has_mask;     /* the VG mask buffer is enabled */
    bool rgba16f;      /* the tile has 64-bit colours */
    bool in_order;     /* the draw is not to be opaque */
};

struct vc4_frag;

/* Quads of 2x2 pixels, of what the tile buffer and the texture units were asked for (Guide table 82). */
struct vc4_frag_counts {
    uint64_t stencil_fail, zs_fail; /* no pixel passes the stencil test; the depth and stencil test */
    uint64_t zs_pass;               /* any pixel passes */
    uint64_t no_coverage, coverage; /* read: of all pixels zero; of any not zero */
    uint64_t color;                 /* any pixel's colour is written */
    uint64_t texture;               /* texture and memory lookups */
};

/* Reads uniforms and texture set-ups of the draw (from guest memory, once), validates textures, finds or
 * compiles the variant. engine NULL: interpreted, with scalar textures and tests (the reference). 0 and *out,
 * or negative errno with *fault. Immutable after preparation. `memory` and the program in `state` are
 * borrowed. It stands in the arena, which outlives it; NULL: on the heap. */
int vc4_frag_prepare(const struct gpu_memory *memory, struct jit_engine *engine,
                     const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                     uint32_t fuel, struct util_arena *arena, struct vc4_frag **out, struct gpu_fault *fault);
void vc4_frag_release(struct vc4_frag *frag); /* NULL is accepted */

/* Where nothing of the state's program is compiled yet: begins to compile what vc4_frag_prepare will ask for,
 * if the draw's state is such. Reads as that does; what is wrong with the draw is left for it to find. */
void vc4_frag_compile_ahead(const struct gpu_memory *memory, struct jit_engine *engine,
                            const struct vc4_shader_state *state, const struct vc4_frag_config *config);

/* Whether the draw runs compiled code: programs that cannot be compiled are interpreted, with the same
 * results. */
bool vc4_frag_compiled(const struct vc4_frag *frag);

/* The draw's shader; faults go to a struct gpu_fault. Of points the program's first two varyings are their
 * own, of lines the first. */
const struct raster_shader *vc4_frag_shader(const struct vc4_frag *frag);

/* For observers (gpu/observe.h): prepares the draw so that its fragments can be watched, 0 or negative errno
 * with *fault; and shades blocks as raster_shader_shade does, interpreted, while telling of them. The caller
 * is the only user of `frag` as yet. */
struct gpu_watch;
int vc4_frag_prepare_watch(struct vc4_frag *frag, const struct gpu_memory *memory,
                           const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                           uint32_t fuel, struct gpu_fault *fault);
uint32_t vc4_frag_shade_watched(const struct vc4_frag *frag, const struct gpu_watch *watch,
                                struct vc4_frag_counts *counts, const struct raster_prim *prim,
                                struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                                struct raster_shader_work *work);

/* texture.c: the texture unit's set-up words (Guide tables 15 to 19) as a key and a texture. `lod_written`
 * says that B was written. false and *fault on an invalid set-up. */
bool vc4_texture_decode(const struct gpu_memory *memory, const uint32_t *params, unsigned param_count,
                        bool has_r, bool has_b, struct raster_texture_key *key,
                        struct raster_texture *texture, struct gpu_fault *fault);

#endif
