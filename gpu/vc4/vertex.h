/* Vertex and coordinate programs: attributes fetched as the VCD does (Guide section 7), programs run 16
 * vertices at a time. */
#ifndef VITRAIL_GPU_VC4_VERTEX_H
#define VITRAIL_GPU_VC4_VERTEX_H

#include "gpu/vc4/shader_state.h"
#include "gpu/vertex_cache.h"
#include "isa/vc4_qpu/ports.h"
#include "jit/engine.h"

#define VC4_VPM_ROWS 64 /* rows a batch of 16 vertices may read, and may write */

/* Output of one batch: word r of vertex l is row[r][l]. Coordinate program: Xc,Yc,Zc,Wc, Ys<<16|Xs, Zs, 1/Wc
 * [, point size]. Vertex program: Ys<<16|Xs, Zs, 1/Wc [, point size], varyings. */
struct vc4_vertex_batch {
    uint32_t row[VC4_VPM_ROWS][16];
};

/* A prepared stage: compiled or interpreted, uniforms and attribute ranges checked for indices up to
 * max_index. Immutable after preparation; may be used by several threads. It stands in the arena, which
 * outlives it; NULL: on the heap. */
struct vc4_vertex_stage;

int vc4_vertex_prepare(const struct gpu_memory *memory, struct jit_engine *engine /* NULL: interpret */,
                       const struct vc4_shader_state *state, bool coordinate, uint32_t max_index,
                       uint32_t fuel, struct util_arena *arena, struct vc4_vertex_stage **out,
                       struct gpu_fault *fault);
/* Where nothing of the state's vertex program is compiled yet: begins to compile what vc4_vertex_prepare will
 * ask for. Reads as that does; what is wrong with the draw is left for it to find. */
void vc4_vertex_compile_ahead(const struct gpu_memory *memory, struct jit_engine *engine,
                              const struct vc4_shader_state *state);
void vc4_vertex_release(struct vc4_vertex_stage *stage); /* NULL is accepted */

#define VC4_VERTEX_GROUP 8u /* batches shaded in one call at most */

/* Where a group's results and its end go. */
struct vc4_vertex_group {
    uint32_t (*out)[16]; /* batch n has rows out[n * rows] to out[n * rows + rows - 1], rows as below */
    uint64_t executed;   /* grows by the QPU instructions of the batches that ended */
    uint32_t faulted;    /* the first batch that faulted; later ones hold nothing of meaning */
};

/* Shades 1..VC4_VERTEX_GROUP batches of 16 vertices each; the caller is in the guest floating-point
 * environment. 0, or -EFAULT with *fault and group->faulted. */
int vc4_vertex_shade_group(const struct vc4_vertex_stage *stage, const uint32_t (*index)[16], uint32_t count,
                           struct vc4_vertex_group *group, struct gpu_fault *fault);
/* The same for one batch; rows that the program does not have stay as they are. */
int vc4_vertex_shade(const struct vc4_vertex_stage *stage, const uint32_t index[16],
                     struct vc4_vertex_batch *out, struct gpu_fault *fault);
/* Rows of a shaded batch: what its readers look at, and what the program writes. */
uint32_t vc4_vertex_rows(const struct vc4_vertex_stage *stage);
const struct vc4_qpu_program *vc4_vertex_program(const struct vc4_vertex_stage *stage);

/* vertex_cache.c: a cache of shaded vertices, those of struct vc4_vertex_batch, for the vertex program of
 * `state` (which must outlive it) and every index whose attributes lie in memory. 0, -ENOMEM or a guest error,
 * both with *fault. */
_Static_assert(GPU_CACHE_ROWS == VC4_VPM_ROWS, "all that a program writes");
int vc4_vertex_cache_init(struct gpu_vertex_cache *cache, struct util_arena *arena,
                          const struct gpu_memory *memory, struct jit_engine *engine,
                          const struct vc4_shader_state *state, uint32_t rows, uint32_t fuel,
                          struct gpu_fault *fault);
void vc4_vertex_cache_finish(struct gpu_vertex_cache *cache); /* also of a cache that is all zero */

#endif
