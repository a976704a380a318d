/* Images: attributes whose buffer has three dimensions, linear or interleaved by 16 by 16 texels. Texels outside
 * are zeros, and what is stored there is dropped. */
#include <string.h>

#include "gpu/mali/world_internal.h"
#include "raster/texture/texture.h"
#include "util/bits.h"
#include "util/checked.h"

struct texel {
    const struct mali_attribute *attribute;
    enum raster_format format;
    uint32_t bytes;
    uint64_t address;
    bool inside;
};

/* Bytes from the image's beginning on. False: there is no such texel. */
static bool offset_of(const struct mali_array *i, const uint32_t xyz[3], uint32_t bytes, uint64_t *offset)
{
    for (unsigned n = 0; n < 3; n++)
        if (xyz[n] >= i->extent[n])
            return false;
    uint64_t slice = (uint64_t)xyz[2] * i->slice_stride;
    if (i->kind == MALI_ARRAY_3D_LINEAR) {
        *offset = slice + (uint64_t)xyz[1] * i->row_stride + (uint64_t)xyz[0] * i->stride;
        return true;
    }
    uint32_t place =
        raster_texel_offset(RASTER_UTGARD_TILED, 1, 1, xyz[0] % MALI_IMAGE_TILE, xyz[1] % MALI_IMAGE_TILE) *
        bytes;
    uint64_t tile = (uint64_t)(xyz[0] / MALI_IMAGE_TILE) * MALI_IMAGE_TILE * MALI_IMAGE_TILE * bytes;
    *offset = slice + (uint64_t)(xyz[1] / MALI_IMAGE_TILE) * i->row_stride + tile + place;
    return true;
}

static bool find(const struct mali_threads *t, const struct isa_attribute *a, unsigned lane, struct texel *e,
                 struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    const struct mali_array *array;
    e->attribute = mali_world_attribute(w, a->secondary, a->index[lane], &array, &e->format, stop);
    if (!e->attribute)
        return false;
    if (array->kind != MALI_ARRAY_3D_LINEAR && array->kind != MALI_ARRAY_3D_INTERLEAVED)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, w->unit, w->draw->attributes,
                             "image %u has no buffer of three dimensions", a->index[lane]);
    e->bytes = raster_format_bytes(e->format);
    if (!e->bytes)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, w->unit,
                             w->draw->attributes, "image %u has format %u", a->index[lane],
                             e->attribute->format);
    const uint32_t xyz[3] = {a->coordinate[0][lane], a->coordinate[1][lane], a->coordinate[2][lane]};
    uint64_t offset = 0;
    e->inside = offset_of(array, xyz, e->bytes, &offset);
    int64_t from = (int64_t)offset + e->attribute->offset;
    e->inside &= from >= 0 && util_in_range((uint64_t)from, e->bytes, array->size);
    e->address = array->pointer + (uint64_t)from;
    return true;
}

bool mali_image_texel(const struct mali_threads *t, const struct isa_attribute *a, unsigned lane,
                      struct mali_texel *out, struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    struct texel e;
    if (!find(t, a, lane, &e, stop))
        return false;
    *out = (struct mali_texel){
        .format = e.format,
        .word = mali_conversion_word(e.attribute->format, e.attribute->srgb, e.attribute->order),
        .address = e.address,
        .inside = e.inside};
    return mali_order_of(w->version, e.attribute->order, &out->order) ||
           mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, w->unit, w->draw->attributes,
                         "image %u: the order of its channels is not known", a->index[lane]);
}

bool mali_port_image(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                     struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct mali_stop stop = {0};
    for (unsigned l = 0; l < 16; l++) {
        struct texel e;
        uint32_t word[4] = {0}, value[4] = {0};
        if (!(lanes >> l & 1))
            continue;
        if (!find(t, a, l, &e, &stop))
            return mali_world_refuse(t, l, &stop, place);
        if (e.inside) {
            const uint8_t *from = mali_port_at(t, e.address, e.bytes, GPU_RIGHT_READ, "texel", &stop);
            if (!from)
                return mali_world_refuse(t, l, &stop, place);
            memcpy(word, from, e.bytes);
            mali_world_convert(e.format, e.attribute->order, a->type, a->any_type, word, value);
        }
        for (unsigned c = 0; c < 4; c++)
            out[c][l] = value[c];
    }
    return true;
}

bool mali_port_store_image(void *ctx, const struct isa_attribute *a, uint16_t lanes,
                           const uint32_t value[4][16], struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct mali_stop stop = {0};
    for (unsigned l = 0; l < 16; l++) {
        const uint32_t in[4] = {value[0][l], value[1][l], value[2][l], value[3][l]};
        struct texel e;
        uint32_t word[4];
        if (!(lanes >> l & 1))
            continue;
        if (!find(t, a, l, &e, &stop))
            return mali_world_refuse(t, l, &stop, place);
        if (!e.inside)
            continue;
        uint8_t *to = mali_port_at(t, e.address, e.bytes, GPU_RIGHT_WRITE, "texel", &stop);
        if (!to)
            return mali_world_refuse(t, l, &stop, place);
        mali_world_convert_back(e.format, e.attribute->order, a->type, a->any_type, in, word);
        memcpy(to, word, e.bytes);
    }
    return true;
}

bool mali_port_image_address(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint64_t out[16],
                             struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct mali_stop stop = {0};
    for (unsigned l = 0; l < 16; l++) {
        struct texel e;
        if (!(lanes >> l & 1))
            continue;
        if (!find(t, a, l, &e, &stop))
            return mali_world_refuse(t, l, &stop, place);
        out[l] = e.inside ? e.address : MALI_NOWHERE;
    }
    return true;
}
