/* Fragment shading of one draw: a PP program with its render state, textures and uniforms, prepared once and
 * then run over blocks of primitives by any number of threads. Compiled code where there is an engine and the
 * program allows it; otherwise the reference path (frag_ref.c), which gives the same bytes. */
#ifndef VITRAIL_GPU_UTGARD_FRAG_H
#define VITRAIL_GPU_UTGARD_FRAG_H

#include "gpu/fault.h"
#include "gpu/observe.h"
#include "gpu/program.h"
#include "gpu/space.h"
#include "gpu/utgard/rsw.h"
#include "isa/numeric.h"
#include "jit/engine.h"
#include "raster/shader.h"

struct utgard_frag;

/* What the draws of a frame have in common: memory, and their programs, each looked for once. Any number of
 * threads prepares draws with it. */
struct utgard_frag_shared {
    struct util_arena *arena;      /* of all that is prepared */
    struct gpu_programs *programs; /* of the kind utgard_pp_kind */
    struct util_memo taken;        /* of them, by address */
};
/* Another frame: all is borrowed, and stays as it is as long as the draws. The programs' last job ends. */
void utgard_frag_shared_begin(struct utgard_frag_shared *shared, struct util_maker *maker,
                              struct util_arena *arena, struct gpu_programs *programs);
extern const struct gpu_program_kind utgard_pp_kind;

struct utgard_frag_config {
    uint32_t samples; /* of the tiles: 1 or 4 */
    bool rgba16f;     /* the tiles have colours of halves, and one sample */
    bool points;      /* the primitives are points: they come with their coordinates as varyings 0 and 1 */
    uint32_t fuel;    /* instructions that the loops of a block may repeat */
    /* What programs see as a pixel's y: (y + 1/2) * y_scale + y_offset, exactly; 1 or -1, and a multiple of
     * 1/2 below 2^16. */
    float y_scale, y_offset;
    enum isa_numeric numeric;          /* of the program */
    bool in_order;                     /* the draw is not to be opaque; of one frame all or none */
    struct utgard_frag_shared *shared; /* of the frame */
};

/* Prepares a draw. `engine` NULL: the reference path. Uniforms and descriptors are read now, texels when they
 * are sampled: neither memory nor space may change meanwhile. 0 and *out, which lives as long as what it
 * shares, or a negative errno with *fault filled. */
int utgard_frag_prepare(const struct gpu_space *space, struct jit_engine *engine,
                        const struct utgard_state *state, const struct utgard_frag_config *config,
                        struct utgard_frag **out, struct gpu_fault *fault);
bool utgard_frag_compiled(const struct utgard_frag *frag);
/* The state that it was prepared for, which lives as long. */
const struct utgard_state *utgard_frag_state(const struct utgard_frag *frag);

/* The draw's shader (raster/shader.h), whose faults go to a struct gpu_fault; compiled draws have code. Its
 * varyings are those below; of points, the two coordinates come before them. */
const struct raster_shader *utgard_frag_shader(const struct utgard_frag *frag);
/* Varyings that the program reads of a vertex, less than RASTER_MAX_VARYINGS. */
uint32_t utgard_frag_varyings(const struct utgard_frag *frag);
/* Whether raster_setup_point is to prepend the point's coordinates. */
bool utgard_frag_wants_point(const struct utgard_frag *frag);
/* Those of vertex `index`, from guest memory in the state's formats: raster_vertex.vary, of stride 1;
 * RASTER_MAX_VARYINGS floats may be written. `run` is of the caller's thread. False and *fault: not in
 * memory.
 */
bool utgard_frag_fetch(const struct utgard_frag *frag, const struct gpu_space *space,
                       struct gpu_space_run *run, uint32_t index, float *out, struct gpu_fault *fault);

/* Whether each pixel becomes the texel at its place, whatever was drawn before, with all its bytes
 * (gpu/frame.h); of compiled draws. */
struct gpu_frame_copied;
bool utgard_frag_copies(const struct utgard_frag *frag, struct gpu_frame_copied *out);

/* For observers (gpu/observe.h): raster_shader_shade, interpreted, while `watch` is told of the blocks. And
 * the draw's program. */
uint32_t utgard_frag_shade_watched(const struct utgard_frag *frag, const struct gpu_watch *watch,
                                   const struct raster_prim *prim, struct raster_tile *tile,
                                   const struct raster_block *blocks, uint32_t count,
                                   struct raster_shader_work *work);
struct gpu_observed_program utgard_frag_program(const struct utgard_frag *frag);

#endif
