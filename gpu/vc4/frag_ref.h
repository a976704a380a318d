/* The reference fragment path: programs interpreted, textures and tests in plain C, 16 pixels at a time.
 * frag.c uses it when it has no engine; the compiled path must give the same tiles. Internal to gpu/vc4. */
#ifndef VITRAIL_GPU_VC4_FRAG_REF_H
#define VITRAIL_GPU_VC4_FRAG_REF_H

#include "gpu/vc4/frag.h"

struct vc4_frag_ref;
struct gpu_watch;

/* As vc4_frag_prepare: 0 and *out, or -EFAULT (guest, *fault filled) or -ENOMEM (*fault filled). `memory` and
 * the program in `state` are borrowed; the rest of `state` and `config` is copied. Texture set-ups whose
 * uniforms stand at known places are checked here, the others when they are used. */
int vc4_frag_ref_prepare(const struct gpu_memory *memory, const struct vc4_shader_state *state,
                         const struct vc4_frag_config *config, uint32_t fuel, struct vc4_frag_ref **out,
                         struct gpu_fault *fault);
void vc4_frag_ref_release(struct vc4_frag_ref *ref); /* NULL is accepted */

/* Shades blocks of one primitive. *fuel, what loops may repeat, and *executed shrink and grow by the
 * instructions. 0, or nonzero with *fault filled. Enters the guest floating-point environment itself.
 * Immutable and re-entrant: any number of threads may shade different tiles. */
uint32_t vc4_frag_ref_shade(const struct vc4_frag_ref *ref, const struct raster_prim *prim,
                            struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                            uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault);
/* The same, and `watch` is told of the blocks it asks for; `counts` grow. Either may be NULL. */
uint32_t vc4_frag_ref_watch(const struct vc4_frag_ref *ref, const struct gpu_watch *watch,
                            struct vc4_frag_counts *counts, const struct raster_prim *prim,
                            struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                            uint64_t *fuel, uint64_t *executed, struct gpu_fault *fault);

#endif
