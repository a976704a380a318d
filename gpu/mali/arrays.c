/* Attribute buffers in one form. */
#include "gpu/mali/arrays.h"

#include <inttypes.h>

/* What values of a record's first eight bits lead to. */
static enum mali_array_kind kind_of(const struct mali_buffer *b, bool *divides, bool *continues)
{
    *divides = *continues = false;
    switch (b->special) {
    case MALI_ATTRIBUTE_SPECIAL_POINT_COORD_MIN_Y: return MALI_ARRAY_POINT_COORD_MIN_Y;
    case MALI_ATTRIBUTE_SPECIAL_POINT_COORD_MAX_Y: return MALI_ARRAY_POINT_COORD_MAX_Y;
    case MALI_ATTRIBUTE_SPECIAL_VERTEX_ID: return MALI_ARRAY_VERTEX_ID;
    case MALI_ATTRIBUTE_SPECIAL_INSTANCE_ID: *divides = true; return MALI_ARRAY_INSTANCE_ID;
    case MALI_ATTRIBUTE_SPECIAL_FRAG_COORD: return MALI_ARRAY_FRAG_COORD;
    case MALI_ATTRIBUTE_SPECIAL_FRONT_FACING: return MALI_ARRAY_FRONT_FACING;
    default: break;
    }
    switch (b->type) {
    case MALI_ATTRIBUTE_TYPE_1D_NPOT_DIVISOR:
    case MALI_ATTRIBUTE_TYPE_1D_NPOT_DIVISOR_WRITE_REDUCTION: *divides = *continues = true; break;
    case MALI_ATTRIBUTE_TYPE_3D_LINEAR: *continues = true; return MALI_ARRAY_3D_LINEAR;
    case MALI_ATTRIBUTE_TYPE_3D_INTERLEAVED: *continues = true; return MALI_ARRAY_3D_INTERLEAVED;
    case MALI_ATTRIBUTE_TYPE_1D_PRIMITIVE_INDEX_BUFFER: return MALI_ARRAY_PRIMITIVE_INDEX;
    default: break;
    }
    return MALI_ARRAY_1D;
}

static bool is_known(const struct mali_buffer *b)
{
    return (b->type >= MALI_ATTRIBUTE_TYPE_1D && b->type <= MALI_ATTRIBUTE_TYPE_1D_PRIMITIVE_INDEX_BUFFER) ||
           (b->type >= MALI_ATTRIBUTE_TYPE_1D_POT_DIVISOR_WRITE_REDUCTION &&
            b->type <= MALI_ATTRIBUTE_TYPE_1D_NPOT_DIVISOR_WRITE_REDUCTION);
}

/* Division by what is no power of two: times 2^31 + numerator, over 2^(32 + R), of n + E. */
static void set_division(struct mali_array *a, const struct mali_buffer *b, uint32_t numerator)
{
    a->factor = 1ull << 31 | numerator;
    a->add = b->divisor_e;
    a->shift = 32 + b->divisor_r;
}

static void set_element(struct mali_array *a, const struct mali_buffer *b)
{
    a->factor = 1;
    if (b->type == MALI_ATTRIBUTE_TYPE_1D_POT_DIVISOR ||
        b->type == MALI_ATTRIBUTE_TYPE_1D_POT_DIVISOR_WRITE_REDUCTION)
        a->shift = b->divisor_r;
    if (b->type == MALI_ATTRIBUTE_TYPE_1D_MODULUS ||
        b->type == MALI_ATTRIBUTE_TYPE_1D_MODULUS_WRITE_REDUCTION || a->kind == MALI_ARRAY_VERTEX_ID)
        a->modulus = b->divisor;
    if (a->kind == MALI_ARRAY_INSTANCE_ID) /* the numerator stands where others have the stride */
        set_division(a, b, b->stride & INT32_MAX);
}

static bool set_continued(const struct mali_reader *reader, uint64_t address, const struct mali_buffer *b,
                          bool divides, struct mali_array *a, struct mali_stop *stop)
{
    if (divides) {
        struct mali_buffer_npot npot;
        if (!mali_desc_read(reader, &mali_desc_buffer_npot, address, &npot, stop))
            return false;
        set_division(a, b, npot.divisor_numerator & INT32_MAX);
        return npot.type == MALI_ATTRIBUTE_TYPE_CONTINUATION;
    }
    struct mali_buffer_3d image;
    if (!mali_desc_read(reader, &mali_desc_buffer_3d, address, &image, stop))
        return false;
    a->extent[0] = image.s_dimension;
    a->extent[1] = image.t_dimension;
    a->extent[2] = image.r_dimension;
    a->row_stride = image.row_stride;
    a->slice_stride = image.slice_stride;
    return image.type == MALI_ATTRIBUTE_TYPE_CONTINUATION;
}

static bool bad(const struct mali_reader *reader, uint64_t address, const char *what, uint32_t value,
                struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, reader->unit, address,
                         "attribute buffer: %s (type %u)", what, value);
}

static bool read_one(const struct mali_reader *reader, uint64_t address, struct mali_array *a,
                     bool *continues, struct mali_stop *stop)
{
    struct mali_buffer b;
    bool divides;
    *a = (struct mali_array){0};
    *continues = false;
    if (!mali_desc_read(reader, &mali_desc_buffer, address, &b, stop))
        return false;
    if (!b.type || b.type == MALI_ATTRIBUTE_TYPE_CONTINUATION)
        return true; /* no buffer: nobody can use it */
    a->kind = kind_of(&b, &divides, continues);
    if (a->kind < MALI_ARRAY_VERTEX_ID && !is_known(&b))
        return bad(reader, address, "its type means nothing", b.type, stop);
    if (a->kind < MALI_ARRAY_VERTEX_ID) {
        a->pointer = b.pointer;
        a->stride = b.stride;
        a->size = b.size;
    }
    set_element(a, &b);
    if (!*continues)
        return true;
    *stop = (struct mali_stop){0};
    if (set_continued(reader, address + mali_desc_buffer.bytes[reader->version], &b, divides, a, stop))
        return true;
    return stop->fault.kind ? false : bad(reader, address, "nothing continues it", b.type, stop);
}

bool mali_arrays_read(const struct mali_reader *reader, uint64_t address, uint32_t count,
                      struct mali_refusals *refusals, struct mali_array *out, struct mali_stop *stop)
{
    bool continues = false;
    for (uint32_t n = 0; n < count; n++, address += mali_desc_buffer.bytes[reader->version]) {
        out[n] = (struct mali_array){0};
        if (continues) {
            continues = false;
            continue;
        }
        if (!read_one(reader, address, &out[n], &continues, stop) &&
            !mali_refuse(refusals, stop, &out[n].refused))
            return false;
    }
    return true;
}
