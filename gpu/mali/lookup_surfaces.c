/* Textures as the general sampler's images: what of a key depends on the view alone, and where its surfaces stand.
 * Sources: Mesa's pan_texture.c, pan_layout.c and pan_format.c as documentation. */
#include "gpu/mali/lookup_internal.h"

#include <string.h>

#include "util/bits.h"
#include "util/checked.h"

#define PAGES_MOST (UINT64_C(1) << 20) /* of the textures that a draw asks for: ours */

enum { TILE_TEXELS = 16, TILE_BLOCKS = 4, ASTC_TAG = 63 };

/* ---- the key ---- */

/* What the texture is read as; of v4 to v7 that stands in memory, too. */
static enum raster_format format_of(const struct mali_lookup_maker *m)
{
    const struct mali_texture *t = &m->view->texture;
    if (t->format == MALI_FORMAT_ASTC_2D_LDR || t->format == MALI_FORMAT_ASTC_2D_HDR)
        return mali_format_astc((uint32_t)m->view->surface[0].pointer & ASTC_TAG, t->srgb);
    enum raster_format format = mali_format_of(m->world->version, t->format, t->srgb);
    /* Alpha is linear wherever the order takes it from: luminance with alpha. */
    return format == RASTER_R8G8_SRGB && mali_order(m->order, 3) == 1 ? RASTER_L8A8_SRGB : format;
}

/* v9: what stands in memory is the plane's to say. Of its clumps those that are blocks or have stencil; the others are
 * so many bytes of what the texture is read as. */
static enum raster_format clump_format(const struct mali_lookup_maker *m, const struct mali_plane *plane)
{
    static const struct {
        uint8_t clump;
        uint16_t format, srgb;
    } clumps[] = {
        {MALI_CLUMP_FORMAT_X32S8X24, RASTER_X32_S8X24_UINT, 0},
        {MALI_CLUMP_FORMAT_X24S8, RASTER_X24S8_UINT, 0},
        {MALI_CLUMP_FORMAT_S8X24, RASTER_S8X24_UINT, 0},
        {MALI_CLUMP_FORMAT_S8, RASTER_S8_UINT, 0},
        {MALI_CLUMP_FORMAT_ETC2_RGB8, RASTER_ETC2_RGB8, RASTER_ETC2_SRGB8},
        {MALI_CLUMP_FORMAT_ETC2_R11_UNORM, RASTER_ETC2_R11_UNORM, 0},
        {MALI_CLUMP_FORMAT_ETC2_R11_SNORM, RASTER_ETC2_R11_SNORM, 0},
        {MALI_CLUMP_FORMAT_ETC2_RG11_UNORM, RASTER_ETC2_RG11_UNORM, 0},
        {MALI_CLUMP_FORMAT_ETC2_RG11_SNORM, RASTER_ETC2_RG11_SNORM, 0},
        {MALI_CLUMP_FORMAT_ETC2_RGBA8, RASTER_ETC2_RGBA8, RASTER_ETC2_SRGBA8},
        {MALI_CLUMP_FORMAT_ETC2_RGB8A1, RASTER_ETC2_RGB8A1, RASTER_ETC2_SRGB8A1},
        {MALI_CLUMP_FORMAT_BC1_UNORM, RASTER_DXT1_RGBA, RASTER_DXT1_SRGBA},
        {MALI_CLUMP_FORMAT_BC2_UNORM, RASTER_DXT3_RGBA, RASTER_DXT3_SRGBA},
        {MALI_CLUMP_FORMAT_BC3_UNORM, RASTER_DXT5_RGBA, RASTER_DXT5_SRGBA},
        {MALI_CLUMP_FORMAT_BC4_UNORM, RASTER_RGTC1_UNORM, 0},
        {MALI_CLUMP_FORMAT_BC4_SNORM, RASTER_RGTC1_SNORM, 0},
        {MALI_CLUMP_FORMAT_BC5_UNORM, RASTER_RGTC2_UNORM, 0},
        {MALI_CLUMP_FORMAT_BC5_SNORM, RASTER_RGTC2_SNORM, 0},
        {MALI_CLUMP_FORMAT_BC6H_UF16, RASTER_BPTC_RGB_UFLOAT, 0},
        {MALI_CLUMP_FORMAT_BC6H_SF16, RASTER_BPTC_RGB_FLOAT, 0},
        {MALI_CLUMP_FORMAT_BC7_UNORM, RASTER_BPTC_RGBA_UNORM, RASTER_BPTC_SRGBA},
    };
    static const uint8_t raw[] = {
        [MALI_CLUMP_FORMAT_RAW8] = 1,  [MALI_CLUMP_FORMAT_RAW16] = 2,   [MALI_CLUMP_FORMAT_RAW32] = 4,
        [MALI_CLUMP_FORMAT_RAW64] = 8, [MALI_CLUMP_FORMAT_RAW128] = 16, [MALI_CLUMP_FORMAT_RAW24] = 3,
        [MALI_CLUMP_FORMAT_RAW48] = 6, [MALI_CLUMP_FORMAT_RAW96] = 12};
    const struct mali_texture *t = &m->view->texture;
    const enum raster_format format = format_of(m);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(clumps); n++)
        if (clumps[n].clump == plane->clump_format)
            return (enum raster_format)(t->srgb && clumps[n].srgb ? clumps[n].srgb : clumps[n].format);
    return plane->clump_format < UTIL_ARRAY_SIZE(raw) &&
                   raw[plane->clump_format] == raster_format_bytes(format)
               ? format
               : RASTER_FORMAT_NONE;
}

bool mali_lookup_is_narrow(const struct mali_lookup_maker *m)
{
    const struct mali_plane *plane = m->view->plane ? &m->view->plane[0] : NULL;
    return plane && plane->plane_type == MALI_PLANE_TYPE_ASTC_2D && !plane->astc_decode_wide &&
           !m->view->texture.srgb;
}

/* v9, whose planes are alike in all but where they stand. */
static enum raster_format plane_format(const struct mali_lookup_maker *m)
{
    const struct mali_plane *plane = &m->view->plane[0];
    const bool srgb = m->view->texture.srgb;
    switch (plane->plane_type) {
    case MALI_PLANE_TYPE_GENERIC: return clump_format(m, plane);
    case MALI_PLANE_TYPE_ASTC_2D:
        return plane->astc_decode_hdr
                   ? RASTER_FORMAT_NONE
                   : mali_format_astc(plane->astc_2d_block_width | plane->astc_2d_block_height << 3,
                                      srgb || mali_lookup_is_narrow(m));
    default: return RASTER_FORMAT_NONE;
    }
}

static bool take_plane_layout(struct mali_lookup_maker *m)
{
    const struct mali_plane *first = &m->view->plane[0];
    for (uint32_t n = 0; n < m->view->surface_count; n++) {
        const struct mali_plane *p = &m->view->plane[n];
        if (p->plane_type != first->plane_type || p->clump_ordering != first->clump_ordering ||
            p->clump_format != first->clump_format)
            return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "planes that are not alike");
    }
    if (first->clump_ordering != MALI_CLUMP_ORDERING_TILED_U_INTERLEAVED &&
        first->clump_ordering != MALI_CLUMP_ORDERING_LINEAR)
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "the order of its texels is not known");
    m->key.layout = first->clump_ordering == MALI_CLUMP_ORDERING_LINEAR ? RASTER_LINEAR : RASTER_UTGARD_TILED;
    return true;
}

static bool take_layout(struct mali_lookup_maker *m)
{
    const uint32_t ordering = m->view->texture.texel_ordering;
    m->key.layout = RASTER_LINEAR;
    if (mali_lookup_is_afbc(m))
        return true;
    if (m->view->plane)
        return take_plane_layout(m);
    if (ordering != MALI_TEXTURE_LAYOUT_TILED && ordering != MALI_TEXTURE_LAYOUT_LINEAR)
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "the order of its texels is not known");
    m->key.layout = ordering == MALI_TEXTURE_LAYOUT_TILED ? RASTER_UTGARD_TILED : RASTER_LINEAR;
    return true;
}

/* What no driver asks for, and would be looked up otherwise. Limits of level of detail that are those of its levels are
 * none (Mesa's pan_texture.c: "simply for bounds checking"). */
static bool check_view(const struct mali_lookup_maker *m)
{
    const struct mali_texture *t = &m->view->texture;
    if (m->world->version < MALI_V6)
        return true;
    if (t->sample_corner_position || t->normalize_coordinates || t->minimum_level)
        return mali_lookup_refuse(
            m, GPU_FAULT_UNSUPPORTED,
            "texels at corners, coordinates made relative, and a first level are not done");
    return (!t->minimum_lod && t->maximum_lod >= (t->levels - 1) * 256) ||
           mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "limits of its own to its levels are not done");
}

static bool make_key(struct mali_lookup_maker *m)
{
    static const uint8_t dims[] = {[MALI_TEXTURE_DIMENSION_CUBE] = RASTER_DIM_CUBE,
                                   [MALI_TEXTURE_DIMENSION_1D] = RASTER_DIM_1D,
                                   [MALI_TEXTURE_DIMENSION_2D] = RASTER_DIM_2D,
                                   [MALI_TEXTURE_DIMENSION_3D] = RASTER_DIM_3D};
    const struct mali_texture *t = &m->view->texture;
    m->key = (struct raster_sampler_key){.dim = dims[t->dimension & 3]};
    if (!check_view(m) || !take_layout(m))
        return false;
    m->key.format = (uint16_t)(mali_lookup_is_afbc(m) ? mali_lookup_afbc_format(m, format_of(m))
                               : m->view->plane       ? plane_format(m)
                                                      : format_of(m));
    if (!m->key.format)
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "its format is not known");
    m->key.array = t->array_size > 1;
    m->key.multisampled = m->image->samples > 1;
    m->key.listed = m->key.dim != RASTER_DIM_3D; /* slices of volumes stand at even distances */
    return true;
}

/* ---- the image ---- */

/* Texels or blocks along a side of a tile; of linear images 1. */
static uint32_t tile_side(const struct mali_lookup_maker *m)
{
    return m->key.layout != RASTER_UTGARD_TILED                         ? 1
           : raster_texels[m->key.format].coding == RASTER_CODING_PLAIN ? TILE_TEXELS
                                                                        : TILE_BLOCKS;
}

/* What a row (of tiles) takes where the descriptor does not say it. */
static uint64_t tight_row(const struct mali_lookup_maker *m, uint32_t width)
{
    const struct raster_texel *texel = &raster_texels[m->key.format];
    const uint64_t side = tile_side(m);
    return util_div_up(util_div_up(width, texel->width), (uint32_t)side) * side * side * texel->bits / 8;
}

/* Rows of texels, blocks or tiles. */
static uint32_t rows_of(const struct mali_lookup_maker *m, uint32_t height)
{
    return util_div_up(util_div_up(height, raster_texels[m->key.format].height), tile_side(m));
}

bool mali_lookup_spend(struct mali_lookup_maker *m, uint64_t pages)
{
    return __atomic_add_fetch(&m->world->pages, pages, __ATOMIC_RELAXED) <= PAGES_MOST ||
           mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED,
                              "all textures together are larger than memory can be");
}

/* Bytes from a surface's first on. */
static uint64_t extent(const struct mali_lookup_maker *m, const struct raster_image_level *level)
{
    return (uint64_t)(rows_of(m, level->height) - 1) * level->row_stride + tight_row(m, level->width);
}

/* A surface's place, all of whose bytes can be read. */
static bool take_surface(struct mali_lookup_maker *m, const struct raster_image_level *level,
                         uint64_t address, uint32_t *out)
{
    uint64_t bytes = extent(m, level);
    if (raster_texels[m->key.format].coding == RASTER_CODING_ASTC)
        address &= ~(uint64_t)ASTC_TAG;
    *out = (uint32_t)address;
    if (!mali_lookup_spend(m, bytes / GPU_PAGE + 1) ||
        !mali_at(m->world->space, address, bytes, GPU_RIGHT_READ, m->world->unit, "texture", m->stop))
        return false;
    if (m->world->speculation)
        gpu_speculation_reads(m->world->speculation, address, bytes);
    return true;
}

/* v9: a plane's bytes end at its size; of more the GPU would read something else. */
static bool check_planes(const struct mali_lookup_maker *m, uint32_t n, uint64_t bytes)
{
    const struct mali_view *v = m->view;
    for (uint32_t p = n; v->plane && p < v->surface_count; p += v->texture.levels) /* of level n */
        if (v->plane[p].size < bytes)
            return mali_lookup_refuse(m, GPU_FAULT_PACKET, "a plane that is smaller than its texels");
    return true;
}

static bool size_level(struct mali_lookup_maker *m, uint32_t n)
{
    const struct mali_texture *t = &m->view->texture;
    struct raster_image_level *level = &m->image->level[n];
    const struct mali_surface_stride *first = mali_view_surface(m->view, 0, n, 0, 0);
    level->width = UTIL_MAX(t->width >> n, 1u);
    level->height = UTIL_MAX(t->height >> n, 1u);
    level->depth = m->key.dim == RASTER_DIM_3D ? UTIL_MAX(t->depth >> n, 1u) : 1;
    if (first->row_stride < 0 || first->surface_stride < 0)
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "rows or slices that go backwards");
    level->row_stride =
        first->row_stride ? (uint32_t)first->row_stride : (uint32_t)tight_row(m, level->width);
    uint64_t slice = first->surface_stride ? (uint64_t)first->surface_stride
                                           : (uint64_t)level->row_stride * rows_of(m, level->height);
    if (slice > UINT32_MAX)
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "slices too far apart");
    level->slice_stride = (uint32_t)slice;
    return check_planes(m, n, (UTIL_MAX(level->depth, m->image->samples) - 1) * slice + extent(m, level));
}

/* Surfaces of a level, layer by layer, face by face, sample by sample; those of v9 have all samples. */
static bool take_level(struct mali_lookup_maker *m, uint32_t n, uint32_t *list)
{
    const struct mali_view *v = m->view;
    for (uint32_t layer = 0; layer < v->texture.array_size; layer++)
        for (uint32_t face = 0; face < v->faces; face++)
            for (uint32_t sample = 0; sample < m->image->samples; sample++) {
                const struct mali_surface_stride *s =
                    mali_view_surface(v, layer, n, face, v->plane ? 0 : sample);
                const uint64_t behind = v->plane ? sample * (uint64_t)m->image->level[n].slice_stride : 0;
                if (!take_surface(m, &m->image->level[n], s->pointer + behind, list++))
                    return false;
            }
    return true;
}

static bool take_volume(struct mali_lookup_maker *m, uint32_t n)
{
    struct raster_image_level *level = &m->image->level[n];
    uint64_t first = mali_view_surface(m->view, 0, n, 0, 0)->pointer;
    uint32_t place;
    for (uint32_t z = 0; z < level->depth; z++)
        if (!take_surface(m, level, first + (uint64_t)z * level->slice_stride, &place))
            return false;
    level->offset = (uint32_t)first;
    return true;
}

static bool take_levels(struct mali_lookup_maker *m)
{
    const struct mali_view *v = m->view;
    uint32_t each = v->texture.array_size * v->faces * m->image->samples; /* of each level */
    const size_t all = (size_t)each * v->texture.levels;
    uint32_t *list = util_arena_alloc(m->world->lookups.arena, all * sizeof *list);
    if (!list)
        return mali_lookup_no_memory(m);
    for (uint32_t n = 0; n < m->image->level_count; n++) {
        m->image->level[n].first_surface = n * each;
        if (!size_level(m, n) || !(m->key.listed ? take_level(m, n, list + n * each) : take_volume(m, n)))
            return false;
    }
    if (m->key.listed && each > 1) {
        m->image->surface = list;
        m->image->surface_count = (uint32_t)all;
        return true;
    }
    for (uint32_t n = 0; m->key.listed && n < m->image->level_count; n++) { /* of one surface each */
        m->image->level[n].offset = list[n];
        m->image->level[n].first_surface = 0;
    }
    m->key.listed = 0;
    return true;
}

bool mali_lookup_surfaces_make(struct mali_lookup_maker *m, struct mali_lookup_surfaces *out)
{
    const struct mali_texture *t = &m->view->texture;
    const bool volume = t->dimension == MALI_TEXTURE_DIMENSION_3D;
    *m->image = (struct raster_image){.memory = m->world->space->window.base,
                                      .memory_size = UINT64_C(1) << 32,
                                      .level_count = t->levels,
                                      .layers = t->array_size,
                                      .samples = volume ? 1 : t->sample_count};
    if (m->image->samples > RASTER_TARGET_SAMPLES)
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "more than 16 samples");
    if (!make_key(m))
        return false;
    if (t->levels > RASTER_IMAGE_LEVELS)
        return mali_lookup_refuse(m, GPU_FAULT_PACKET, "more levels than its size has");
    if (!(mali_lookup_is_afbc(m) ? mali_lookup_take_afbc(m) : take_levels(m)))
        return false;
    out->key = m->key;
    return true;
}
