/* Vertices that a malloc vertex job (v9) shades: where its programs leave them in the tiler's heap, and where tiler
 * and fragments find them. Internal to gpu/mali.
 *
 * No driver reads what the hardware packs there, sixteen vertices at a time, so the form is ours: an array of positions,
 * one of point sizes where there are any, and one of varyings. Vertices are numbered from 0 on, instance after
 * instance; of an instance those from the least index to the greatest have a place each, and those that the draw
 * uses are shaded.
 *
 * Lists name the job, and a draw's record (gpu/bin.h) says the rest: `positions` and `point_sizes` of the instance's
 * least vertex, which is index 0 of the entries, the number that one has (`first`), and where number 0 has its
 * varyings, which are `vertex attribute stride` of the job's layout apart. The fragment side gets that as
 * gpu_frame_draw.varyings_at, and numbers in its fetch. */
#ifndef VITRAIL_GPU_MALI_VERTICES_H
#define VITRAIL_GPU_MALI_VERTICES_H

#include "gpu/mali/payload.h"

#define MALI_POSITION_BYTES   16u /* x, y, z and 1/w of the window, singles */
#define MALI_POINT_SIZE_BYTES 2u  /* a half */

/* Where arrays begin: of number 0. */
struct mali_vertices {
    uint32_t positions, point_sizes, varyings; /* point_sizes and varyings 0: there are none */
    uint32_t stride;                           /* of varyings */
};

/* Address of byte `offset` of a vertex's varyings, as the fragment side reads them: draw->varyings_at, the job's
 * layout. What lies beyond the vertex's bytes is not its own: false. */
static inline bool mali_vertex_varying(uint32_t varyings_at, const struct mali_allocation *layout,
                                       uint32_t number, uint32_t offset, uint32_t bytes, uint64_t *address)
{
    const uint32_t stride = layout->vertex_attribute_stride;
    *address = varyings_at + (uint64_t)number * stride + offset;
    return varyings_at && offset <= stride && bytes <= stride - offset;
}

/* The linear ID that a program finds for a number, with which it asks for its place (LEA_BUF_IMM): that of its point
 * size is 4 more (Mesa's bifrost_compile.c), so every other four stand for sizes. */
static inline uint32_t mali_vertex_linear_id(uint32_t number)
{
    return (number & 3) | (number & ~3u) << 1;
}
static inline uint32_t mali_vertex_number(uint32_t linear_id)
{
    return (linear_id & 3) | (linear_id >> 1 & ~3u);
}
static inline bool mali_vertex_is_size(uint32_t linear_id)
{
    return linear_id & 4;
}

#endif
