/* Attributes and images of v9, which stand in tables of resources with the buffers and planes that they name. Source:
 * Mesa's pan_cmdstream.c (panfrost_pack_attribute, panfrost_emit_images) as documentation. */
#include "gpu/mali/world_internal.h"
#include "raster/texture/sampler.h"
#include "raster/texture/texture.h"
#include "util/checked.h"

static const char *name_of(uint32_t type)
{
    return type == MALI_DESCRIPTOR_TYPE_ATTRIBUTE ? "attribute"
           : type == MALI_DESCRIPTOR_TYPE_TEXTURE ? "image"
                                                  : "buffer";
}

static const struct mali_resource_of *entry_of(const struct mali_world *w, uint32_t table, uint32_t number,
                                               uint32_t type, struct mali_stop *stop)
{
    const struct mali_bindings *b = w->bindings;
    const struct mali_stop *refused;
    const struct mali_resource_of *e = mali_entry_find(b, table, number, type, &refused);
    if (refused)
        *stop = *refused;
    else if (!e)
        mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, w->unit,
                      table < b->table_count ? b->table[table].address : b->environment.tables,
                      "there is no %s %u in table %u", name_of(type), number, table);
    return e;
}

const struct mali_resource_of *mali_world_entry(const struct mali_world *w, uint32_t handle, uint32_t type,
                                                struct mali_stop *stop)
{
    return entry_of(w, warp_handle_table(handle), warp_handle_number(handle), type, stop);
}

static bool unsupported(const struct mali_world *w, uint64_t address, const char *what, uint32_t value,
                        struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, w->unit, address, "%s (%u)",
                         what, value);
}

/* ---- attributes ---- */

/* By divisor 2^R, or what is no power of two: as of attribute buffers (arrays.h). */
static bool divide_by(const struct mali_world *w, const struct mali_attribute_v9 *a, struct mali_array *out,
                      struct mali_stop *stop)
{
    out->factor = 1;
    switch (a->attribute_type) {
    case MALI_ATTRIBUTE_TYPE_1D: return true;
    case MALI_ATTRIBUTE_TYPE_1D_POT_DIVISOR: out->shift = a->divisor_r; return true;
    case MALI_ATTRIBUTE_TYPE_V9_1D_NPOT_DIVISOR:
        out->factor = UINT64_C(1) << 31 | (a->divisor_d & INT32_MAX);
        out->add = a->divisor_e;
        out->shift = 32 + a->divisor_r;
        return true;
    default:
        return unsupported(w, w->bindings->environment.tables, "an attribute's type is not done",
                           a->attribute_type, stop);
    }
}

const struct mali_attribute_v9 *mali_world_attribute_v9(const struct mali_world *w, uint32_t handle,
                                                        struct mali_array *array, enum raster_format *format,
                                                        uint32_t *order, struct mali_stop *stop)
{
    const struct mali_resource_of *e = mali_world_entry(w, handle, MALI_DESCRIPTOR_TYPE_ATTRIBUTE, stop);
    if (!e)
        return NULL;
    const struct mali_attribute_v9 *d = &e->attribute;
    const bool constant = d->format == MALI_FORMAT_CONSTANT;
    *format = mali_world_format(w->version, d->format, d->srgb);
    if (!mali_order_of(w->version, d->order, order) || (!constant && !raster_sampler_plain(*format))) {
        unsupported(w, w->bindings->environment.tables, "an attribute's format is not known", d->format,
                    stop);
        return NULL;
    }
    *array = (struct mali_array){.kind = MALI_ARRAY_NONE};
    if (constant)
        return d;
    e = entry_of(w, d->table, d->buffer_index, MALI_DESCRIPTOR_TYPE_BUFFER, stop);
    if (!e || !divide_by(w, d, array, stop))
        return NULL;
    array->kind = MALI_ARRAY_1D;
    array->pointer = e->buffer.address;
    array->size = (uint32_t)e->buffer.size;
    array->stride = (uint32_t)d->stride;
    return d;
}

bool mali_attribute_texel_v9(const struct mali_threads *t, const struct isa_attribute *a, uint32_t instance,
                             unsigned lane, struct mali_texel *out, struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    struct mali_array array;
    int64_t at;
    *out = (struct mali_texel){.address = 0};
    const struct mali_attribute_v9 *d =
        mali_world_attribute_v9(w, a->index[lane], &array, &out->format, &out->order, stop);
    if (!d)
        return false;
    out->word = mali_conversion_word(d->format, d->srgb, d->order);
    out->constant = d->format == MALI_FORMAT_CONSTANT;
    if (out->constant)
        return true;
    const bool by_instance = d->frequency == MALI_ATTRIBUTE_FREQUENCY_INSTANCE;
    int64_t element = mali_array_element(&array, by_instance ? instance : a->vertex[lane]);
    element += d->offset_enable ? w->bindings->environment.attribute_offset : 0;
    /* Below 2^33 times below 2^32: the sum of both would need more bits. */
    if (__builtin_mul_overflow(element, (int64_t)array.stride, &at) ||
        __builtin_add_overflow(at, (int64_t)d->offset, &at))
        return true;
    out->address = array.pointer + (uint64_t)at;
    out->inside = at >= 0 && util_in_range((uint64_t)at, raster_format_bytes(out->format), array.size);
    return true;
}

/* ---- images ---- */

/* Textures of one level are images; the third coordinate stands in the fourth's place (Mesa's bifrost_compile.c),
 * and names a layer, or of volumes a slice. */
bool mali_world_image_v9(const struct mali_world *w, uint32_t handle, struct mali_texel *out,
                         struct mali_image_v9 *image, struct mali_stop *stop)
{
    const struct mali_resource_of *e = mali_world_entry(w, handle, MALI_DESCRIPTOR_TYPE_TEXTURE, stop);
    if (!e)
        return false;
    const struct mali_texture *t = &e->view->texture;
    const struct mali_plane *plane = e->view->surface_count ? &e->view->plane[0] : NULL;
    const bool volume = t->dimension == MALI_TEXTURE_DIMENSION_3D;
    *image = (struct mali_image_v9){
        .view = e->view,
        .volume = volume,
        .extent = {(uint32_t)t->width, (uint32_t)t->height,
                   volume ? (uint32_t)t->depth : (uint32_t)t->array_size * e->view->faces}};
    *out = (struct mali_texel){.format = mali_format_of(w->version, t->format, t->srgb),
                               .word = mali_conversion_word(t->format, t->srgb, t->order)};
    if (!plane || plane->plane_type != MALI_PLANE_TYPE_GENERIC)
        return unsupported(w, e->view->address, "an image has no plane that programs can reach",
                           plane ? plane->plane_type : 0, stop);
    image->bytes = raster_format_bytes(out->format);
    image->tiled = plane->clump_ordering == MALI_CLUMP_ORDERING_TILED_U_INTERLEAVED;
    if (!image->tiled && plane->clump_ordering != MALI_CLUMP_ORDERING_LINEAR)
        return unsupported(w, e->view->address, "an image's order of texels is not done",
                           plane->clump_ordering, stop);
    if (!image->bytes || !raster_sampler_plain(out->format) ||
        !mali_order_of(w->version, t->order, &out->order))
        return unsupported(w, e->view->address, "an image's format is not known", t->format, stop);
    return true;
}

/* From a surface's beginning on. */
static uint64_t offset_in_surface(const struct mali_image_v9 *i, uint64_t row_stride, uint32_t x, uint32_t y)
{
    const uint32_t side = MALI_IMAGE_TILE;
    if (!i->tiled)
        return y * row_stride + (uint64_t)x * i->bytes;
    const uint32_t place = raster_texel_offset(RASTER_UTGARD_TILED, 1, 1, x % side, y % side);
    return y / side * row_stride + ((uint64_t)(x / side) * side * side + place) * i->bytes;
}

const struct mali_surface_stride *mali_image_surface_v9(const struct mali_image_v9 *image, uint32_t z)
{
    const uint32_t layer = image->volume ? 0 : z, faces = image->view->faces;
    return mali_view_surface(image->view, layer / faces, 0, layer % faces, 0);
}

bool mali_image_texel_v9(const struct mali_threads *t, const struct isa_attribute *a, unsigned lane,
                         struct mali_texel *out, struct mali_stop *stop)
{
    struct mali_image_v9 image;
    if (!mali_world_image_v9(t->world, a->index[lane], out, &image, stop))
        return false;
    const uint32_t x = a->coordinate[0][lane], y = a->coordinate[1][lane], z = a->coordinate[3][lane];
    if (x >= image.extent[0] || y >= image.extent[1] || z >= image.extent[2] || a->coordinate[2][lane])
        return true;
    const struct mali_surface_stride *s = mali_image_surface_v9(&image, z);
    out->address = s->pointer + offset_in_surface(&image, (uint32_t)s->row_stride, x, y) +
                   (image.volume ? z * (uint64_t)(int64_t)s->surface_stride : 0);
    out->inside = true;
    return true;
}
