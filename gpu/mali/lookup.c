/* Textures and samplers as keys and images. Sources: Mesa's pan_texture.c, pan_cmdstream.c and midgard_compile.c
 * as documentation of what descriptors and requests mean. */
#include "gpu/mali/lookup.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/bits.h"
#include "util/checked.h"

#define PAGES_MOST (UINT64_C(1) << 20) /* of the textures that a draw asks for: ours */

enum { TILE_TEXELS = 16, TILE_BLOCKS = 4, SWIZZLE_BITS = 3, ASTC_TAG = 63 };

/* A texture as all lookups of it have it: made once, its pages looked at once. */
struct surfaces {
    struct raster_sampler_key key; /* format, dimensions, layout; may have blocks */
    struct raster_image image;     /* without a sampler's part */
    struct mali_stop stop;         /* when there is none: why */
};

/* What a lookup, or the surfaces of one, are made of. */
struct maker {
    struct mali_world *world;
    const struct mali_lookup_key *asked;
    const struct mali_view *view;
    const struct mali_sampler *sampler; /* NULL: a fetch */
    struct raster_sampler_key key;
    struct raster_image image;
    struct mali_stop *stop;
};

static bool refuse(const struct maker *m, enum gpu_fault_kind kind, const char *why)
{
    return mali_stop_set(m->stop, MALI_DATA_INVALID_FAULT, kind, m->world->unit,
                         m->view ? m->view->address : m->world->draw->textures, "texture %u: %s",
                         m->asked->texture, why);
}

/* ---- descriptors ---- */

static bool take_descriptors(struct maker *m)
{
    const struct mali_bindings *b = m->world->bindings;
    const struct mali_lookup_key *asked = m->asked;
    if (asked->texture >= b->state.texture_count)
        return refuse(m, GPU_FAULT_PACKET, "there is none");
    m->view = &b->texture[asked->texture];
    const struct mali_sampler_of *sampler = NULL;
    if (asked->op != ISA_TEXTURE_FETCH) {
        if (asked->sampler >= b->state.sampler_count)
            return refuse(m, GPU_FAULT_PACKET, "asked with a sampler that there is not");
        sampler = &b->sampler[asked->sampler];
        m->sampler = &sampler->sampler;
    }
    const struct mali_stop *refused = m->view->refused ? m->view->refused : sampler ? sampler->refused : NULL;
    if (refused) {
        *m->stop = *refused;
        return false;
    }
    if (!m->view->address)
        return refuse(m, GPU_FAULT_PACKET, "nothing is bound");
    if (m->view->texture.dimension != asked->dimensions)
        return refuse(m, GPU_FAULT_PACKET, "asked for with other dimensions than it has");
    return true;
}

/* ---- the key ---- */

static enum raster_format format_of(const struct mali_view *view)
{
    const struct mali_texture *t = &view->texture;
    if (t->format == MALI_FORMAT_ASTC_2D_LDR || t->format == MALI_FORMAT_ASTC_2D_HDR)
        return mali_format_astc((uint32_t)view->surface[0].pointer & ASTC_TAG, t->srgb);
    enum raster_format format = mali_format(t->format, t->srgb);
    /* Alpha is linear wherever the order takes it from: luminance with alpha. */
    return format == RASTER_R8G8_SRGB && mali_order(t->order, 3) == 1 ? RASTER_L8A8_SRGB : format;
}

/* The view's swizzle chooses among the components that the format's order gives. */
static void set_swizzle(const struct mali_texture *t, uint16_t format, uint8_t out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        unsigned s = mali_order(t->swizzle, c), from = s < 4 ? mali_order(t->order, s) : s;
        bool alpha = format == RASTER_L8A8_SRGB && s < 4 && from == 1;
        out[c] = alpha ? RASTER_SWIZZLE_A : (uint8_t)from;
    }
}

static uint8_t wrap_of(uint32_t mode)
{
    static const uint8_t wraps[8] = {
        RASTER_REPEAT, RASTER_CLAMP,        RASTER_HALF_BORDER,        RASTER_BORDER,
        RASTER_MIRROR, RASTER_MIRROR_CLAMP, RASTER_MIRROR_HALF_BORDER, RASTER_MIRROR_BORDER};
    return wraps[mode & 7];
}

/* Comparisons stand with their operands exchanged. */
static uint8_t compare_of(uint32_t func)
{
    static const uint8_t turned[8] = {RASTER_NEVER, RASTER_GREATER,  RASTER_EQUAL,  RASTER_GEQUAL,
                                      RASTER_LESS,  RASTER_NOTEQUAL, RASTER_LEQUAL, RASTER_ALWAYS};
    return (uint8_t)(1 + turned[func & 7]);
}

static void set_sampler(struct maker *m)
{
    const struct mali_sampler *s = m->sampler;
    struct raster_sampler_key *k = &m->key;
    bool integer = raster_sampler_integer((enum raster_format)k->format);
    bool shadow = m->asked->mode == ISA_TEXTURE_SHADOW || m->asked->mode == ISA_TEXTURE_GATHER_SHADOW;
    k->wrap[0] = wrap_of(s->wrap_mode_s);
    k->wrap[1] = wrap_of(s->wrap_mode_t);
    k->wrap[2] = wrap_of(s->wrap_mode_r);
    k->mag_linear = !s->magnify_nearest && !integer;
    k->min_linear = !s->minify_nearest && !integer;
    k->mip = s->mipmap_mode == MALI_MIPMAP_MODE_NEAREST || integer ? RASTER_MIP_NEAREST : RASTER_MIP_LINEAR;
    k->compare = shadow ? compare_of(s->compare_function) : 0;
    k->unnormalized = !s->normalized_coordinates;
    if (k->unnormalized) {
        k->mip = RASTER_MIP_NONE;
        for (unsigned n = 0; n < 3; n++)
            k->wrap[n] = raster_texel_wrap(k->wrap[n]);
    }
    if (k->dim == RASTER_DIM_CUBE) {
        k->seamless = s->seamless_cube_map || m->world->bindings->state.force_seamless_cubemaps;
        k->faced = 1;
        memset(k->wrap, 0, sizeof k->wrap);
        if (!k->seamless)
            memset(k->wrap, RASTER_CLAMP, sizeof k->wrap);
    }
}

static void set_op(struct maker *m)
{
    const struct mali_lookup_key *asked = m->asked;
    struct raster_sampler_key *k = &m->key;
    bool given = asked->flags & MALI_LOOKUP_LOD;
    k->op = asked->op == ISA_TEXTURE_FETCH ? RASTER_FETCH
            : mali_gathers(asked->mode)    ? RASTER_GATHER
                                           : RASTER_SAMPLE;
    k->component = asked->mode >= ISA_TEXTURE_GATHER ? (uint8_t)(asked->mode - ISA_TEXTURE_GATHER) : 0;
    k->offset = asked->flags & MALI_LOOKUP_OFFSET ? 1 : 0;
    if (k->op == RASTER_FETCH)
        return;
    k->lod = asked->flags & MALI_LOOKUP_DERIVATIVES ? given ? RASTER_LOOKUP_BIAS : RASTER_LOOKUP_IMPLICIT
             : given                                ? RASTER_LOOKUP_EXPLICIT
                                                    : RASTER_LOOKUP_ZERO;
}

static bool make_key(struct maker *m)
{
    static const uint8_t dims[] = {[MALI_TEXTURE_DIMENSION_CUBE] = RASTER_DIM_CUBE,
                                   [MALI_TEXTURE_DIMENSION_1D] = RASTER_DIM_1D,
                                   [MALI_TEXTURE_DIMENSION_2D] = RASTER_DIM_2D,
                                   [MALI_TEXTURE_DIMENSION_3D] = RASTER_DIM_3D};
    const struct mali_texture *t = &m->view->texture;
    enum raster_format format = format_of(m->view);
    if (!format)
        return refuse(m, GPU_FAULT_UNSUPPORTED, "its format is not known");
    if (t->texel_ordering != MALI_TEXTURE_LAYOUT_TILED && t->texel_ordering != MALI_TEXTURE_LAYOUT_LINEAR)
        return refuse(m, GPU_FAULT_UNSUPPORTED, "AFBC is not done");
    m->key = (struct raster_sampler_key){.format = (uint16_t)format, .dim = dims[t->dimension & 3]};
    m->key.layout = t->texel_ordering == MALI_TEXTURE_LAYOUT_TILED ? RASTER_UTGARD_TILED : RASTER_LINEAR;
    m->key.array = t->array_size > 1;
    m->key.multisampled = m->view->samples > 1;
    m->key.listed = m->key.dim != RASTER_DIM_3D; /* slices of volumes stand at even distances */
    return true;
}

/* ---- the image ---- */

/* What a row (of tiles) takes where the descriptor does not say it. */
static uint64_t tight_row(const struct maker *m, uint32_t width)
{
    const struct raster_texel *texel = &raster_texels[m->key.format];
    bool tiled = m->key.layout == RASTER_UTGARD_TILED;
    uint64_t side = !tiled ? 1 : texel->coding == RASTER_CODING_PLAIN ? TILE_TEXELS : TILE_BLOCKS;
    return util_div_up(util_div_up(width, texel->width), (uint32_t)side) * side * side * texel->bits / 8;
}

/* Rows of texels, blocks or tiles. */
static uint32_t rows_of(const struct maker *m, uint32_t height)
{
    const struct raster_texel *texel = &raster_texels[m->key.format];
    uint32_t side = m->key.layout != RASTER_UTGARD_TILED   ? 1
                    : texel->coding == RASTER_CODING_PLAIN ? TILE_TEXELS
                                                           : TILE_BLOCKS;
    return util_div_up(util_div_up(height, texel->height), side);
}

/* A surface's place, all of whose bytes can be read. */
static bool take_surface(struct maker *m, const struct raster_image_level *level, uint64_t address,
                         uint32_t *out)
{
    uint64_t bytes =
        (uint64_t)(rows_of(m, level->height) - 1) * level->row_stride + tight_row(m, level->width);
    if (raster_texels[m->key.format].coding == RASTER_CODING_ASTC)
        address &= ~(uint64_t)ASTC_TAG;
    *out = (uint32_t)address;
    uint64_t pages = bytes / GPU_PAGE + 1;
    if (__atomic_add_fetch(&m->world->pages, pages, __ATOMIC_RELAXED) > PAGES_MOST)
        return refuse(m, GPU_FAULT_UNSUPPORTED, "all textures together are larger than memory can be");
    if (!mali_at(m->world->space, address, bytes, GPU_RIGHT_READ, m->world->unit, "texture", m->stop))
        return false;
    if (m->world->speculation)
        gpu_speculation_reads(m->world->speculation, address, bytes);
    return true;
}

static bool size_level(struct maker *m, uint32_t n)
{
    const struct mali_texture *t = &m->view->texture;
    struct raster_image_level *level = &m->image.level[n];
    const struct mali_surface_stride *first = mali_view_surface(m->view, 0, n, 0, 0);
    level->width = UTIL_MAX(t->width >> n, 1u);
    level->height = UTIL_MAX(t->height >> n, 1u);
    level->depth = m->key.dim == RASTER_DIM_3D ? UTIL_MAX(t->depth >> n, 1u) : 1;
    if (first->row_stride < 0 || first->surface_stride < 0)
        return refuse(m, GPU_FAULT_UNSUPPORTED, "rows or slices that go backwards");
    level->row_stride =
        first->row_stride ? (uint32_t)first->row_stride : (uint32_t)tight_row(m, level->width);
    uint64_t slice = first->surface_stride ? (uint64_t)first->surface_stride
                                           : (uint64_t)level->row_stride * rows_of(m, level->height);
    if (slice > UINT32_MAX)
        return refuse(m, GPU_FAULT_UNSUPPORTED, "slices too far apart");
    level->slice_stride = (uint32_t)slice;
    return true;
}

/* Surfaces of a level, layer by layer, face by face, sample by sample. */
static bool take_level(struct maker *m, uint32_t n, uint32_t *list)
{
    const struct mali_view *v = m->view;
    for (uint32_t layer = 0; layer < v->texture.array_size; layer++)
        for (uint32_t face = 0; face < v->faces; face++)
            for (uint32_t sample = 0; sample < v->samples; sample++)
                if (!take_surface(m, &m->image.level[n],
                                  mali_view_surface(v, layer, n, face, sample)->pointer, list++))
                    return false;
    return true;
}

static bool take_volume(struct maker *m, uint32_t n)
{
    struct raster_image_level *level = &m->image.level[n];
    uint64_t first = mali_view_surface(m->view, 0, n, 0, 0)->pointer;
    uint32_t place;
    for (uint32_t z = 0; z < level->depth; z++)
        if (!take_surface(m, level, first + (uint64_t)z * level->slice_stride, &place))
            return false;
    level->offset = (uint32_t)first;
    return true;
}

static bool take_levels(struct maker *m)
{
    const struct mali_view *v = m->view;
    uint32_t each = v->texture.array_size * v->faces * v->samples; /* of all levels: as many as were read */
    m->image.level_count = v->texture.levels;
    if (v->texture.levels > RASTER_IMAGE_LEVELS)
        return refuse(m, GPU_FAULT_PACKET, "more levels than its size has");
    uint32_t *list = util_arena_alloc(m->world->lookups.arena, (size_t)v->surface_count * sizeof *list);
    if (!list)
        return mali_stop_set(m->stop, MALI_OOM, GPU_FAULT_LIST, m->world->unit, v->address,
                             "no host memory for a texture");
    for (uint32_t n = 0; n < m->image.level_count; n++) {
        m->image.level[n].first_surface = n * each;
        if (!size_level(m, n) || !(m->key.listed ? take_level(m, n, list + n * each) : take_volume(m, n)))
            return false;
    }
    if (m->key.listed && each > 1) {
        m->image.surface = list;
        m->image.surface_count = v->surface_count;
        return true;
    }
    for (uint32_t n = 0; m->key.listed && n < m->image.level_count; n++) { /* of one surface each */
        m->image.level[n].offset = list[n];
        m->image.level[n].first_surface = 0;
    }
    m->key.listed = 0;
    return true;
}

/* T720 heeds neither bias nor limits where the level is given; its driver's programs do (Mesa's
 * midgard_quirks.h). */
static void set_limits(struct maker *m)
{
    const struct mali_sampler *s = m->sampler;
    m->image.lod_max = RASTER_IMAGE_LEVELS;
    if (!s)
        return;
    const uint32_t color[4] = {s->border_color_r, s->border_color_g, s->border_color_b, s->border_color_a};
    mali_order_back(m->view->texture.order, color, m->image.border);
    if (m->world->version == MALI_V4 && m->asked->op == ISA_TEXTURE_LOD)
        return;
    m->image.lod_bias = (float)s->lod_bias / 256;
    m->image.lod_min = (float)s->minimum_lod / 256;
    m->image.lod_max = (float)s->maximum_lod / 256;
}

static bool make_surfaces(struct maker *m, struct surfaces *out)
{
    m->image = (struct raster_image){.memory = m->world->space->window.base,
                                     .memory_size = UINT64_C(1) << 32,
                                     .layers = m->view->texture.array_size,
                                     .samples = m->view->samples};
    if (!make_key(m) || !take_levels(m))
        return false;
    out->key = m->key;
    out->image = m->image;
    return true;
}

/* Of the texture that is asked for. */
static bool take_surfaces(struct maker *m)
{
    const struct util_memo_key key = {.head = &m->asked->texture, .head_size = sizeof m->asked->texture};
    enum util_make_status status;
    struct surfaces *s = util_memo_get(&m->world->lookups, &key, sizeof *s, &status);
    if (!s)
        return mali_stop_set(m->stop, MALI_OOM, GPU_FAULT_LIST, m->world->unit, m->view->address,
                             "no host memory for a texture");
    if (status == UTIL_MAKING) {
        struct maker own = *m;
        own.stop = &s->stop;
        status = util_memo_end(&m->world->lookups, s, make_surfaces(&own, s));
    }
    if (status != UTIL_MADE) {
        *m->stop = s->stop;
        return false;
    }
    m->key = s->key;
    m->image = s->image;
    return true;
}

/* ---- both ---- */

/* What the request and its sampler add. */
static void complete(struct maker *m)
{
    set_swizzle(&m->view->texture, m->key.format, m->key.swizzle);
    set_op(m);
    if (m->sampler)
        set_sampler(m);
    set_limits(m);
    if (m->key.unnormalized)
        m->image.level_count = 1;
    if (m->key.mip == RASTER_MIP_NEAREST && (m->image.level_count == 1 || m->image.lod_max < 0.5f))
        m->key.mip = RASTER_MIP_NONE; /* level 0 is the nearest in any case, and need not be computed */
}

static bool finish(struct maker *m, struct mali_lookup *out)
{
    struct util_error error = {0};
    int status = 0;
    if (raster_texels[m->key.format].coding == RASTER_CODING_PLAIN) {
        out->key = m->key;
        out->image = m->image;
    } else {
        const struct mali_programs *shared = m->world->shared;
        status = raster_decoder_image(shared->decoder, &m->key, &m->image, shared->epoch, &out->key,
                                      &out->image, &error);
    }
    if (!status)
        status = raster_sampler_validate(&out->key, &error);
    if (!status)
        status = raster_image_validate(&out->key, &out->image, &error);
    if (!status)
        return true;
    if (status == -ENOMEM)
        return mali_stop_set(m->stop, MALI_OOM, GPU_FAULT_LIST, m->world->unit, m->view->address,
                             "no host memory for a texture");
    return refuse(m, GPU_FAULT_UNSUPPORTED, error.text);
}

static bool may_be_more(struct maker *m)
{
    return __atomic_add_fetch(&m->world->lookup_count, 1, __ATOMIC_RELAXED) <= MALI_LOOKUPS_MOST ||
           refuse(m, GPU_FAULT_UNSUPPORTED, "too many kinds of lookups in one draw");
}

const struct mali_lookup *mali_lookup_get(struct mali_world *world, const struct mali_lookup_key *asked,
                                          struct mali_stop *stop)
{
    const struct util_memo_key key = {.head = asked, .head_size = sizeof *asked};
    enum util_make_status status;
    struct mali_lookup *lookup = util_memo_get(&world->lookups, &key, sizeof *lookup, &status);
    if (!lookup) {
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, world->unit, world->draw->textures,
                      "no host memory for a texture");
        return NULL;
    }
    if (status == UTIL_MAKING) {
        struct maker m = {.world = world, .asked = asked, .stop = &lookup->stop};
        bool made = may_be_more(&m) && take_descriptors(&m) && take_surfaces(&m);
        if (made) {
            complete(&m);
            made = finish(&m, lookup);
        }
        status = util_memo_end(&world->lookups, lookup, made);
    }
    if (status == UTIL_MADE)
        return lookup;
    *stop = lookup->stop;
    return NULL;
}
