/* Vertices being shaded for the tiler by its own job: which there are, and where their threads put what they make: of v9
 * in the heap (vertices.h), of v6 and v7 in the draw's arrays, as vertex jobs do. Internal to gpu/mali. */
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
    /* v6 and v7: numbers are the arrays', from an instance to the next so many. */
    uint64_t positions;
    uint32_t instance_size;
};

/* Place of the n-th shaded vertex of an instance. */
static inline uint32_t mali_shading_place(const struct mali_shading *s, uint32_t n)
{
    return !s->used ? n : n < s->used_count ? s->used[n] : 0;
}
/* The number that a place has in the arrays. */
static inline uint32_t mali_shading_number(const struct mali_shading *s, uint32_t place, uint32_t instance)
{
    return instance * s->count + place;
}
/* The vertex ID that its programs find: of v9 the draw's offset is part of it (Mesa's bifrost_compile.c); of v6 and v7
 * the number of an array's element, which attributes add that to. */
static inline uint32_t mali_shading_vertex(const struct mali_shading *s, uint32_t place)
{
    return s->least + place + s->offset;
}
/* v6 and v7: the number that this has in the arrays. */
static inline uint32_t mali_shading_element(const struct mali_shading *s, uint32_t vertex, uint32_t instance)
{
    return instance * s->instance_size + vertex;
}

#endif
