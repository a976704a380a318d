/* Shaded vertices of one shader record, shared by all workers of a rendering list: each vertex is shaded
 * once, in batches of 16 consecutive indices, by whichever worker needs one of them first. Internal to
 * gpu/vc4. */
#ifndef VITRAIL_GPU_VC4_VERTEX_CACHE_H
#define VITRAIL_GPU_VC4_VERTEX_CACHE_H

#include "gpu/vc4/vertex.h"

struct vc4_vertex_cache;

/* A shaded vertex: word r is row[r * 16]. Rows as in struct vc4_vertex_batch (vertex program). */
struct vc4_shaded_vertex {
    const uint32_t *row;
};

/* Prepares the vertex program of `state` (which must outlive the cache) for every index whose attributes lie
 * in memory. Keeps `rows` rows of each vertex, 1..VC4_VPM_ROWS; rows that the program does not write are
 * zero. 0, -ENOMEM or a guest error, both with *fault. */
int vc4_vertex_cache_create(const struct gpu_memory *memory, struct jit_engine *engine,
                            const struct vc4_shader_state *state, uint32_t rows, uint32_t fuel,
                            struct vc4_vertex_cache **out, struct gpu_fault *fault);
void vc4_vertex_cache_destroy(struct vc4_vertex_cache *cache); /* NULL is accepted; no worker may hold it */

/* The vertex with that index. It lives as long as the cache, except that a vertex whose neighbours' shading
 * faulted is shaded alone into `alone` (the caller's, valid until its next use). Thread-safe; the caller is
 * in the guest floating-point environment. 0, -ENOMEM or -EFAULT with *fault. */
int vc4_vertex_cache_get(struct vc4_vertex_cache *cache, uint32_t index, struct vc4_vertex_batch *alone,
                         struct vc4_shaded_vertex *out, struct gpu_fault *fault);

/* Vertices shaded so far, for counters. */
uint64_t vc4_vertex_cache_shaded(const struct vc4_vertex_cache *cache);

#endif
