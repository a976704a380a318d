/* Textures and samplers as keys and images. Sources: Mesa's pan_texture.c, pan_cmdstream.c and midgard_compile.c
 * as documentation of what descriptors and requests mean. */
#include "gpu/mali/lookup_internal.h"

#include <errno.h>
#include <string.h>

#include "util/bits.h"

bool mali_lookup_refuse(const struct mali_lookup_maker *m, enum gpu_fault_kind kind, const char *why)
{
    return mali_stop_set(m->stop, MALI_DATA_INVALID_FAULT, kind, m->world->unit,
                         m->view ? m->view->address : m->world->draw->textures, "texture %u: %s",
                         m->asked->texture, why);
}

bool mali_lookup_no_memory(const struct mali_lookup_maker *m)
{
    return mali_stop_set(m->stop, MALI_OOM, GPU_FAULT_LIST, m->world->unit, m->view->address,
                         "no host memory for a texture");
}

/* ---- descriptors ---- */

/* Out of the lists of v4 to v7. */
static bool take_listed(struct mali_lookup_maker *m)
{
    const struct mali_bindings *b = m->world->bindings;
    const struct mali_lookup_key *asked = m->asked;
    if (asked->texture >= b->state.texture_count)
        return mali_lookup_refuse(m, GPU_FAULT_PACKET, "there is none");
    m->view = &b->texture[asked->texture];
    const struct mali_sampler_of *sampler = NULL;
    if (asked->op != ISA_TEXTURE_FETCH) {
        if (asked->sampler >= b->state.sampler_count)
            return mali_lookup_refuse(m, GPU_FAULT_PACKET, "asked with a sampler that there is not");
        sampler = &b->sampler[asked->sampler];
        m->sampler = &sampler->sampler;
    }
    const struct mali_stop *refused = m->view->refused ? m->view->refused : sampler ? sampler->refused : NULL;
    if (refused) {
        *m->stop = *refused;
        return false;
    }
    return true;
}

/* v9: NULL with *stop: it is none of that type, or cannot be read. */
static const struct mali_resource_of *entry_of(struct mali_lookup_maker *m, uint32_t handle, uint32_t type)
{
    const struct mali_stop *refused;
    const struct mali_resource_of *e = mali_entry_find(m->world->bindings, warp_handle_table(handle),
                                                       warp_handle_number(handle), type, &refused);
    if (refused)
        *m->stop = *refused;
    else if (!e)
        mali_lookup_refuse(m, GPU_FAULT_PACKET,
                           type == MALI_DESCRIPTOR_TYPE_SAMPLER ? "asked with a sampler that there is not"
                                                                : "there is none");
    return e;
}

static bool take_entries(struct mali_lookup_maker *m)
{
    const struct mali_resource_of *e = entry_of(m, m->asked->texture, MALI_DESCRIPTOR_TYPE_TEXTURE);
    if (!e)
        return false;
    m->view = e->view;
    if (m->asked->op == ISA_TEXTURE_FETCH)
        return true;
    e = entry_of(m, m->asked->sampler, MALI_DESCRIPTOR_TYPE_SAMPLER);
    m->sampler = e ? &e->sampler : NULL;
    return e;
}

/* The view, and its sampler's own words. */
static bool take_descriptors(struct mali_lookup_maker *m)
{
    if (m->asked->op == ISA_TEXTURE_LEVEL && !m->asked->dimensions &&
        !(m->asked->flags & MALI_LOOKUP_DERIVATIVES))
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED,
                                  "a level of detail of given derivatives on a cube is not done");
    if (m->asked->op == ISA_TEXTURE_FETCH && mali_gathers(m->asked->mode))
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED,
                                  "a gather at whole coordinates of texels is not done");
    if (!(m->world->version >= MALI_V9 ? take_entries(m) : take_listed(m)))
        return false;
    if (!m->view->address)
        return mali_lookup_refuse(m, GPU_FAULT_PACKET, "nothing is bound");
    if (m->view->texture.dimension != m->asked->dimensions)
        return mali_lookup_refuse(m, GPU_FAULT_PACKET, "asked for with other dimensions than it has");
    if (!mali_order_of(m->world->version, m->view->texture.order, &m->order))
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "the order of its channels is not known");
    if (m->sampler && m->sampler->srgb_override)
        return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "sRGB taken as linear numbers is not done");
    return true;
}

/* ---- the key ---- */

/* The view's swizzle chooses among the components that the format's order gives. */
static void set_swizzle(const struct mali_lookup_maker *m, uint16_t format, uint8_t out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        unsigned s = mali_order(m->view->texture.swizzle, c), from = s < 4 ? mali_order(m->order, s) : s;
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

static void set_sampler(struct mali_lookup_maker *m)
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
    k->mip = s->mipmap_mode == MALI_MIPMAP_MODE_NONE                 ? RASTER_MIP_NONE
             : s->mipmap_mode == MALI_MIPMAP_MODE_NEAREST || integer ? RASTER_MIP_NEAREST
                                                                     : RASTER_MIP_LINEAR;
    k->minify_above_half = s->magnify_cutoff;
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

static void set_op(struct mali_lookup_maker *m)
{
    const struct mali_lookup_key *asked = m->asked;
    struct raster_sampler_key *k = &m->key;
    bool given = asked->flags & MALI_LOOKUP_LOD;
    k->op = asked->op == ISA_TEXTURE_FETCH   ? RASTER_FETCH
            : asked->op == ISA_TEXTURE_LEVEL ? RASTER_QUERY_LOD
            : mali_gathers(asked->mode)      ? RASTER_GATHER
                                             : RASTER_SAMPLE;
    k->component = asked->mode >= ISA_TEXTURE_GATHER ? (uint8_t)(asked->mode - ISA_TEXTURE_GATHER) : 0;
    k->offset = asked->flags & MALI_LOOKUP_OFFSET ? 1 : 0;
    if (k->op == RASTER_FETCH)
        return;
    /* Bifrost's programs round layers themselves (Mesa's bifrost_compile.c, bi_emit_texc_array_index). */
    k->whole_layer = k->array && (m->world->version == MALI_V6 || m->world->version == MALI_V7);
    k->lod = asked->flags & MALI_LOOKUP_DERIVATIVES ? given ? RASTER_LOOKUP_BIAS : RASTER_LOOKUP_IMPLICIT
             : given                                ? RASTER_LOOKUP_EXPLICIT
                                                    : RASTER_LOOKUP_ZERO;
    if (k->op == RASTER_QUERY_LOD && !(asked->flags & MALI_LOOKUP_DERIVATIVES))
        k->lod = RASTER_LOOKUP_GRADIENTS;
}

/* T720 heeds neither bias nor limits where the level is given; its driver's programs do (Mesa's
 * midgard_quirks.h). */
static void set_limits(struct mali_lookup_maker *m)
{
    const struct mali_sampler *s = m->sampler;
    m->image->lod_max = RASTER_IMAGE_LEVELS;
    if (!s)
        return;
    const uint32_t color[4] = {s->border_color_r, s->border_color_g, s->border_color_b, s->border_color_a};
    mali_order_back(m->order, color, m->image->border);
    if (m->world->version == MALI_V4 && m->asked->op == ISA_TEXTURE_LOD)
        return;
    m->image->lod_bias = m->asked->flags & MALI_LOOKUP_NO_BIAS ? 0.0f : (float)s->lod_bias / 256;
    m->image->lod_min = (float)s->minimum_lod / 256;
    m->image->lod_max = (float)s->maximum_lod / 256;
}

/* Few fail, and then for all who ask. NULL: no memory. */
static const struct mali_stop *keep(const struct mali_lookup_maker *m)
{
    struct mali_stop *kept = util_arena_alloc(m->world->lookups.arena, sizeof *kept);
    if (kept)
        *kept = *m->stop;
    return kept;
}

static bool fail_as(const struct mali_lookup_maker *m, const struct mali_stop *why)
{
    *m->stop = *why;
    return false;
}

/* Of the texture that is asked for. */
static bool take_surfaces(struct mali_lookup_maker *m)
{
    const struct util_memo_key key = {.head = &m->asked->texture, .head_size = sizeof m->asked->texture};
    enum util_make_status status;
    struct mali_lookup_surfaces *s = util_memo_get(&m->world->lookups, &key, sizeof *s, &status);
    if (!s)
        return mali_lookup_no_memory(m);
    if (status == UTIL_MAKING) {
        struct mali_lookup_maker own = *m;
        own.image = &s->image;
        const bool made = mali_lookup_surfaces_make(&own, s);
        s->stop = made ? NULL : keep(m);
        status = util_memo_end(&m->world->lookups, s, made);
    }
    if (status != UTIL_MADE)
        return s->stop ? fail_as(m, s->stop) : mali_lookup_no_memory(m);
    m->key = s->key;
    *m->image = s->image;
    return true;
}

/* ---- both ---- */

/* What the request and its sampler add. */
static void complete(struct mali_lookup_maker *m)
{
    set_swizzle(m, m->key.format, m->key.swizzle);
    set_op(m);
    if (m->sampler)
        set_sampler(m);
    set_limits(m);
    if (m->key.unnormalized)
        m->image->level_count = 1;
    else if (m->key.op == RASTER_QUERY_LOD)
        m->key.mip = RASTER_MIP_LINEAR; /* the level is wanted within its limits, not rounded */
    if (m->key.mip == RASTER_MIP_NEAREST && (m->image->level_count == 1 || m->image->lod_max < 0.5f))
        m->key.mip = RASTER_MIP_NONE; /* level 0 is the nearest in any case, and need not be computed */
}

static bool finish(struct mali_lookup_maker *m, struct mali_lookup *out)
{
    struct util_error error = {0};
    int status = 0;
    if (raster_texels[m->key.format].coding == RASTER_CODING_PLAIN) {
        out->key = m->key;
    } else {
        const struct mali_programs *shared = m->world->shared;
        const struct raster_image blocks = *m->image;
        status = raster_decoder_image(shared->decoder, &m->key, &blocks, shared->epoch, &out->key,
                                      &out->image, &error);
        if (!status && mali_lookup_is_narrow(m))
            out->key.format = RASTER_R8G8B8A8_UNORM;
    }
    if (!status)
        status = raster_sampler_validate(&out->key, &error);
    if (!status)
        status = raster_image_validate(&out->key, &out->image, &error);
    if (!status)
        return true;
    if (status == -ENOMEM)
        return mali_lookup_no_memory(m);
    return mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, error.text);
}

static bool may_be_more(struct mali_lookup_maker *m)
{
    return __atomic_add_fetch(&m->world->lookup_count, 1, __ATOMIC_RELAXED) <= MALI_LOOKUPS_MOST ||
           mali_lookup_refuse(m, GPU_FAULT_UNSUPPORTED, "too many kinds of lookups in one draw");
}

const struct mali_lookup *mali_lookup_get(struct mali_world *world, const struct mali_lookup_key *asked,
                                          struct mali_stop *stop)
{
    const struct util_memo_key key = {.head = asked, .head_size = sizeof *asked};
    enum util_make_status status;
    struct mali_lookup *lookup = util_memo_get(&world->lookups, &key, sizeof *lookup, &status);
    if (lookup && status == UTIL_MAKING) {
        struct mali_lookup_maker m = {.world = world, .asked = asked, .image = &lookup->image, .stop = stop};
        bool made = may_be_more(&m) && take_descriptors(&m) && take_surfaces(&m);
        if (made) {
            complete(&m);
            made = finish(&m, lookup);
        }
        lookup->stop = made ? NULL : keep(&m);
        status = util_memo_end(&world->lookups, lookup, made);
    }
    if (status == UTIL_MADE)
        return lookup;
    if (lookup && lookup->stop)
        *stop = *lookup->stop;
    else
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, world->unit, world->draw->textures,
                      "no host memory for a texture");
    return NULL;
}
