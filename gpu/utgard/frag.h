/* Fragment shading of one draw: a PP program with its render state, textures and uniforms, prepared once and
 * then run over blocks of primitives by any number of threads. Compiled code where there is an engine and the
 * program allows it; otherwise the reference path (frag_ref.c), which gives the same bytes. */
#ifndef VITRAIL_GPU_UTGARD_FRAG_H
#define VITRAIL_GPU_UTGARD_FRAG_H

#include "gpu/fault.h"
#include "gpu/observe.h"
#include "gpu/space.h"
#include "gpu/utgard/rsw.h"
#include "isa/numeric.h"
#include "jit/engine.h"
#include "raster/prim.h"

struct utgard_frag;

struct utgard_frag_config {
    uint32_t samples; /* of the tiles: 1 or 4 */
    bool points;      /* the primitives are points: they come with their coordinates as varyings 0 and 1 */
    uint32_t fuel;    /* instructions that the loops of a block may repeat */
    /* What programs see as a pixel's y: (y + 1/2) * y_scale + y_offset, exactly; 1 or -1, and a multiple of
     * 1/2 below 2^16. */
    float y_scale, y_offset;
    enum isa_numeric numeric; /* of the program */
};

/* Prepares a draw. `engine` NULL: the reference path. Uniforms and descriptors are read now, texels when they
 * are sampled: neither memory nor space may change meanwhile. 0 and *out (utgard_frag_release), or a negative
 * errno with *fault filled. */
int utgard_frag_prepare(const struct gpu_space *space, struct jit_engine *engine,
                        const struct utgard_state *state, const struct utgard_frag_config *config,
                        struct utgard_frag **out, struct gpu_fault *fault);
void utgard_frag_release(struct utgard_frag *frag); /* NULL is accepted */
bool utgard_frag_compiled(const struct utgard_frag *frag);

/* Varyings that the program reads of a vertex; for points, the two coordinates come before them. At most
 * RASTER_MAX_VARYINGS in all. */
uint32_t utgard_frag_varyings(const struct utgard_frag *frag);
/* Whether raster_setup_point is to prepend the point's coordinates. */
bool utgard_frag_wants_point(const struct utgard_frag *frag);
/* Those of vertex `index`, from guest memory in the state's formats: raster_vertex.vary, of stride 1;
 * RASTER_MAX_VARYINGS floats may be written. `run` is of the caller's thread. False and *fault: not in
 * memory.
 */
bool utgard_frag_fetch(const struct utgard_frag *frag, const struct gpu_space *space,
                       struct gpu_space_run *run, uint32_t index, float *out, struct gpu_fault *fault);

/* Shades blocks of one primitive. The caller is in the guest floating-point environment. *fuel shrinks by the
 * blocks' instructions (TIMEOUT when it does not suffice). 0, or nonzero with *fault filled. */
uint32_t utgard_frag_shade(const struct utgard_frag *frag, const struct raster_prim *prim,
                           struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                           uint64_t *fuel, struct gpu_fault *fault);

/* For observers (gpu/observe.h): the same, interpreted, while `watch` is told of the blocks; *executed grows
 * by the instructions executed. And the draw's program. */
uint32_t utgard_frag_shade_watched(const struct utgard_frag *frag, const struct gpu_watch *watch,
                                   const struct raster_prim *prim, struct raster_tile *tile,
                                   const struct raster_block *blocks, uint32_t count, uint64_t *fuel,
                                   uint64_t *executed, struct gpu_fault *fault);
struct gpu_observed_program utgard_frag_program(const struct utgard_frag *frag);

#endif
