/* Textures of AFBC, which are made plain ones when they are first asked for. Source: Mesa's pan_texture.c and
 * pan_layout.c as documentation. */
#include "gpu/mali/lookup_internal.h"

#include "gpu/mali/afbc.h"
#include "util/bits.h"

#define BYTES_MOST (UINT64_C(1) << 27) /* of a texture that was made plain: ours */
/* Against the bound on a draw's pages a page of host memory counts as so many: 256 MiB are all (ours). */
#define PAGES_EACH 16u

enum { FLAGS = 63 }; /* a pointer's lower bits: MALI_AFBC_SURFACE_FLAG_... */

bool mali_lookup_is_afbc(const struct mali_lookup_maker *m)
{
    return m->view->plane ? m->view->plane[0].plane_type == MALI_PLANE_TYPE_AFBC
                          : m->view->texture.texel_ordering == MALI_TEXTURE_LAYOUT_AFBC;
}

/* v9: pixels of stencil alone are so by their mode; others are what the texture is read as. */
enum raster_format mali_lookup_afbc_format(const struct mali_lookup_maker *m, enum raster_format format)
{
    const uint32_t mode = m->view->plane ? m->view->plane[0].afbc_compression_mode : 0;
    if (m->view->plane && mode == MALI_AFBC_COMPRESSION_MODE_S8)
        return RASTER_S8_UINT;
    if (m->view->plane && mode == MALI_AFBC_COMPRESSION_MODE_X24S8)
        return RASTER_X24S8_UINT;
    if (m->view->plane && mali_afbc_mode_bytes(mode) != raster_format_bytes(format))
        return RASTER_FORMAT_NONE;
    return raster_texels[format].coding == RASTER_CODING_PLAIN && raster_format_bytes(format) <= 4
               ? format
               : RASTER_FORMAT_NONE;
}

/* Superblocks as flags in the pointer (v6, v7) or the plane say. False: of none of the sizes that there are. */
static bool set_superblocks(const struct mali_lookup_maker *m, uint64_t flags, const struct mali_plane *plane,
                            struct mali_afbc *image)
{
    const uint32_t size = plane                                       ? plane->afbc_superblock_size
                          : flags & MALI_AFBC_SURFACE_FLAG_WIDE_BLOCK ? MALI_AFBC_SUPERBLOCK_SIZE_32X8
                                                                      : MALI_AFBC_SUPERBLOCK_SIZE_16X16;
    image->tiled = plane ? plane->afbc_tiled_header
                         : m->world->version >= MALI_V7 && flags & MALI_AFBC_SURFACE_FLAG_TILED_HEADER;
    return mali_afbc_set_superblock(image, size);
}

/* Surface `s` of the view, of level n. v6 does not say how far rows of headers are apart. */
static bool take_image(struct mali_lookup_maker *m, uint32_t n, const struct mali_surface_stride *s,
                       struct mali_afbc *image)
{
    const struct mali_view *v = m->view;
    const struct raster_image_level *level = &m->image->level[n];
    const uint8_t bytes = (uint8_t)raster_format_bytes((enum raster_format)m->key.format);
    const struct mali_plane *plane = v->plane ? &v->plane[s - v->surface] : NULL;
    *image = (struct mali_afbc){
        .header = plane ? s->pointer : s->pointer & ~(uint64_t)FLAGS,
        .width = level->width,
        .height = level->height,
        .bytes = bytes,
        .has_colors = mali_afbc_has_colors(m->world->version, (enum raster_format)m->key.format)};
    if ((plane && plane->plane_type != MALI_PLANE_TYPE_AFBC) ||
        !set_superblocks(m, s->pointer & FLAGS, plane, image))
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "planes that are not alike, or no superblocks");
    image->row_bytes = m->world->version == MALI_V6
                           ? util_div_up(image->width, image->block_width) * MALI_AFBC_HEADER
                           : (uint32_t)s->row_stride;
    return mali_afbc_is_sane(image) ||
           mali_lookup_refuse(m, GPU_FAULT_PACKET, "rows of AFBC headers without room for them");
}

static bool read_image(struct mali_lookup_maker *m, const struct mali_afbc *image, uint8_t *to,
                       uint32_t stride)
{
    uint64_t end;
    if (!mali_afbc_read(m->world->space, image, m->world->unit, to, stride, &end, m->stop))
        return false;
    if (m->world->speculation)
        gpu_speculation_reads(m->world->speculation, image->header, end);
    return true;
}

/* Sides of the levels, and where they come to stand. *bytes: of all of them. */
static bool place_levels(struct mali_lookup_maker *m, uint64_t *bytes)
{
    const struct mali_view *v = m->view;
    const uint32_t pixel = raster_format_bytes((enum raster_format)m->key.format);
    *bytes = 0;
    for (uint32_t n = 0; n < v->texture.levels; n++) {
        struct raster_image_level *level = &m->image->level[n];
        level->width = UTIL_MAX(v->texture.width >> n, 1u);
        level->height = UTIL_MAX(v->texture.height >> n, 1u);
        level->depth = 1;
        level->row_stride = (uint32_t)util_align((uint64_t)level->width * pixel, 4);
        const uint64_t slice = (uint64_t)level->row_stride * level->height;
        if (slice > BYTES_MOST || *bytes > BYTES_MOST)
            return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "AFBC that is too large");
        level->slice_stride = (uint32_t)slice;
        level->offset = (uint32_t)*bytes;
        *bytes += slice * v->texture.array_size * v->faces;
    }
    return *bytes <= BYTES_MOST || mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "AFBC that is too large");
}

static bool read_level(struct mali_lookup_maker *m, uint32_t n, uint8_t *memory)
{
    const struct raster_image_level *level = &m->image->level[n];
    uint8_t *to = memory + level->offset;
    for (uint32_t layer = 0; layer < m->view->texture.array_size; layer++)
        for (uint32_t face = 0; face < m->view->faces; face++, to += level->slice_stride) {
            struct mali_afbc image;
            if (!take_image(m, n, mali_view_surface(m->view, layer, n, face, 0), &image) ||
                !read_image(m, &image, to, level->row_stride))
                return false;
        }
    return true;
}

bool mali_lookup_take_afbc(struct mali_lookup_maker *m)
{
    const struct mali_texture *t = &m->view->texture;
    uint64_t bytes;
    if (m->world->version < MALI_V6 || m->image->samples > 1 || t->dimension == MALI_TEXTURE_DIMENSION_3D)
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED,
                                  "AFBC of v5, of volumes and of several samples is not done");
    if (!place_levels(m, &bytes) || !mali_lookup_spend(m, (bytes / GPU_PAGE + 1) * PAGES_EACH))
        return false;
    uint8_t *memory = util_arena_alloc(m->world->lookups.arena, bytes);
    if (!memory)
        return mali_lookup_no_memory(m);
    for (uint32_t n = 0; n < t->levels; n++)
        if (!read_level(m, n, memory))
            return false;
    m->image->memory = memory;
    m->image->memory_size = bytes;
    m->key.listed = 0;
    return true;
}
