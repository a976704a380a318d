/* Attribute buffers: where an attribute's or varying's values come from, for the linear number of an
 * invocation. Internal to gpu/mali. Source: Mesa's panfrost-job.h and pan_encoder.h as documentation of the
 * encodings. */
#ifndef VITRAIL_GPU_MALI_ARRAYS_H
#define VITRAIL_GPU_MALI_ARRAYS_H

#include "gpu/mali/refusals.h"

#define MALI_IMAGE_TILE 16u /* texels a side, of an interleaved image */

enum mali_array_kind {
    MALI_ARRAY_NONE, /* also of a record that continues the one before it */
    MALI_ARRAY_1D,
    MALI_ARRAY_PRIMITIVE_INDEX,
    MALI_ARRAY_3D_LINEAR,
    MALI_ARRAY_3D_INTERLEAVED,
    /* What the hardware makes itself. */
    MALI_ARRAY_VERTEX_ID,
    MALI_ARRAY_INSTANCE_ID,
    MALI_ARRAY_FRAG_COORD,
    MALI_ARRAY_FRONT_FACING,
    MALI_ARRAY_POINT_COORD_MIN_Y,
    MALI_ARRAY_POINT_COORD_MAX_Y
};

struct mali_array {
    const struct mali_stop *refused; /* who uses it ends so; NULL: it may be used */
    enum mali_array_kind kind;
    uint64_t pointer; /* a multiple of 64 */
    uint32_t stride, size;
    /* Which element it is of linear number n: ((n % modulus) + add) * factor >> shift; modulus 0: n. */
    uint64_t modulus, factor;
    uint32_t add, shift;
    uint32_t extent[3], row_stride, slice_stride; /* of a 3D one */
};

/* `count` records, and the continuations that they need. False and *stop: budget, no host memory. */
bool mali_arrays_read(const struct mali_reader *reader, uint64_t address, uint32_t count,
                      struct mali_refusals *refusals, struct mali_array *out, struct mali_stop *stop);

static inline uint32_t mali_array_element(const struct mali_array *array, uint32_t n)
{
    uint64_t number = array->modulus ? n % array->modulus : n;
    return (uint32_t)((number + array->add) * array->factor >> array->shift);
}

/* Whether element n is number n's. */
static inline bool mali_array_is_linear(const struct mali_array *a)
{
    return !a->modulus && a->factor == 1 && !a->add && !a->shift;
}

#endif
