/* Vertices being shaded for the tiler by its own job (v9): which there are, and where their threads put what they make
 * (vertices.h). Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_SHADING_H
#define VITRAIL_GPU_MALI_SHADING_H

#include "gpu/mali/vertices.h"

/* Constant while programs run. */
struct mali_shading {
    struct mali_vertices at;
    uint32_t least;  /* vertex that an instance's first place is of: an index, without the draw's offset */
    uint32_t offset; /* what is added to indices */
    uint32_t count;  /* places of an instance */
    uint32_t used_count; /* of these, those that are shaded */
    uint32_t *used;      /* their places, rising; NULL: all. malloc */
    uint32_t instances;
};

/* Place of the n-th shaded vertex of an instance. */
static inline uint32_t mali_shading_place(const struct mali_shading *s, uint32_t n)
{
    return !s->used ? n : n < s->used_count ? s->used[n] : 0;
}
/* The number that it has in the arrays. */
static inline uint32_t mali_shading_number(const struct mali_shading *s, uint32_t n, uint32_t instance)
{
    return instance * s->count + mali_shading_place(s, n);
}
/* The vertex ID that its programs find, which the draw's offset is part of (Mesa's bifrost_compile.c). */
static inline uint32_t mali_shading_vertex(const struct mali_shading *s, uint32_t n)
{
    return s->least + mali_shading_place(s, n) + s->offset;
}

#endif
