/* Fragment programs: a draw prepared once, then called for blocks of pixels by every worker. */
#ifndef VITRAIL_GPU_VC4_FRAG_H
#define VITRAIL_GPU_VC4_FRAG_H

#include "gpu/vc4/shader_state.h"
#include "jit/engine.h"
#include "raster/prim.h"
#include "raster/texture/texture.h"
#include "raster/visible.h"
#include "raster/zs.h"

/* The state of a draw that a fragment program depends on, besides its shader record. */
struct vc4_frag_config {
    uint8_t depth_func; /* enum raster_func */
    bool z_updates;
    uint8_t samples;   /* 1 or 4 */
    uint8_t primitive; /* 0 points, 1 lines, 2 triangles: extra varyings */
    bool coverage_leave,
        coverage_mask; /* record 96: reading coverage leaves it; gives 16 bits, not a level */
    bool has_mask;     /* the VG mask buffer is enabled */
    bool wide;         /* the tile has 64-bit colours */
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
 * borrowed. */
int vc4_frag_prepare(const struct gpu_memory *memory, struct jit_engine *engine,
                     const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                     uint32_t fuel, struct vc4_frag **out, struct gpu_fault *fault);
void vc4_frag_release(struct vc4_frag *frag); /* NULL is accepted */

/* Where nothing of the state's program is compiled yet: begins to compile what vc4_frag_prepare will ask for,
 * if the draw's state is such. Reads as that does; what is wrong with the draw is left for it to find. */
void vc4_frag_compile_ahead(const struct gpu_memory *memory, struct jit_engine *engine,
                            const struct vc4_shader_state *state, const struct vc4_frag_config *config);

/* Whether the draw runs compiled code: programs that cannot be compiled are interpreted, with the same
 * results. */
bool vc4_frag_compiled(const struct vc4_frag *frag);

/* Varyings the program reads in all (points read 2, lines 1 before their own). */
uint32_t vc4_frag_varyings(const struct vc4_frag *frag);

/* Shades blocks of one primitive into the tile; same meaning as raster_shade_fn. The caller is in the guest
 * floating-point environment (util/fpenv.h; the pool's workers are). *fuel, the
 * instructions that may be executed, shrinks by those of the blocks; where it does not suffice the fault is
 * GPU_FAULT_TIMEOUT. Returns 0, and *executed grows by the
 * QPU instructions of the blocks, but for those that an early depth test rejects whole, or of opaque draws
 * those that nothing is left of; or nonzero with *fault filled. */
uint32_t vc4_frag_shade(const struct vc4_frag *frag, const struct raster_prim *prim, struct raster_tile *tile,
                        const struct raster_block *blocks, uint32_t count, uint64_t *fuel, uint64_t *executed,
                        struct gpu_fault *fault);

/* Whether the draw only replaces the colours of what it covers, so that its primitives may be tested as they
 * come and coloured later, where they are still seen (raster/visible.h). vc4_frag_shade does both at once. */
bool vc4_frag_opaque(const struct vc4_frag *frag);
/* Of those: whether there are tests that blocks may fail; whether so little is done for a pixel that its
 * waiting costs as much, unless it waits with all of the tile. */
bool vc4_frag_tests(const struct vc4_frag *frag);
bool vc4_frag_cheap(const struct vc4_frag *frag);
/* Of those: all that vc4_frag_shade does, in the same order, but for the colours. `blocks` (not looked at
 * when there are no tests) and *count become what is left to be coloured, *common the lanes left in all of
 * them (without tests all sixteen). *fuel shrinks by what shading in order takes: what a tile may do does not
 * depend on what will be hidden. */
uint32_t vc4_frag_test(const struct vc4_frag *frag, const struct raster_prim *prim, struct raster_tile *tile,
                       struct raster_block *blocks, uint32_t *count, uint16_t *common, uint64_t *fuel,
                       struct gpu_fault *fault);
/* Their colours: a raster_visible_fn; `target` is a struct vc4_frag_target, `frag` the draw's. */
struct vc4_frag_target {
    struct raster_tile *tile;
    uint64_t *executed; /* grows by the instructions executed */
};
void vc4_frag_color(void *target, const void *frag, const uint8_t *planes,
                    const struct raster_visible_block *blocks, uint32_t count);

/* For observers (gpu/observe.h): prepares the draw so that its fragments can be watched, 0 or negative errno
 * with *fault; and shades blocks as above, interpreted, while telling of them. The caller is the only user of
 * `frag` as yet. */
struct gpu_watch;
int vc4_frag_prepare_watch(struct vc4_frag *frag, const struct gpu_memory *memory,
                           const struct vc4_shader_state *state, const struct vc4_frag_config *config,
                           uint32_t fuel, struct gpu_fault *fault);
uint32_t vc4_frag_shade_watched(const struct vc4_frag *frag, const struct gpu_watch *watch,
                                struct vc4_frag_counts *counts, const struct raster_prim *prim,
                                struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                                uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault);

/* texture.c: the texture unit's set-up words (Guide tables 15 to 19) as a key and a texture. `lod_written`
 * says that B was written. false and *fault on an invalid set-up. */
bool vc4_texture_decode(const struct gpu_memory *memory, const uint32_t *params, unsigned param_count,
                        bool has_r, bool has_b, struct raster_texture_key *key,
                        struct raster_texture *texture, struct gpu_fault *fault);

#endif
