/* What comes to followed lanes from outside of their programs: each port of the reference path (isa/world.h) does what it
 * does, then tells it. */
#include <stdio.h>

#include "gpu/mali/frag_watch_internal.h"
#include "gpu/mali/lookup.h"
#include "gpu/mali/world_internal.h"
#include "isa/valhall/insn.h"
#include "util/bits.h"

/* The primitive's varying `place`, as component n of what is named. */
static void tell_component(const struct mali_frag_batch *b, struct mali_follower *f, const char *name,
                           uint32_t n, unsigned place, bool flat)
{
    struct gpu_varying it = {.n = n, .place = place};
    snprintf(it.name, sizeof it.name, "%s", name);
    if (!flat)
        it.vary = util_f2u(raster_vary_at(b->prim, b->px, b->py, f->of.number, place));
    it.c = util_f2u(b->prim->vary_c[place]);
    gpu_follow_varying(&f->of, &it);
}

static void tell_varying(const struct mali_frag_batch *b, struct mali_follower *f, uint32_t index)
{
    const uint8_t n = mali_frag_slot_of(b->frag, index);
    const struct mali_frag_slot *slot = n != FRAG_NO_SLOT ? &b->frag->slot[n] : NULL;
    const uint32_t number = warp_handle_number(index);
    for (unsigned c = 0; slot && c < slot->count; c++) {
        char name[8];
        snprintf(name, sizeof name, "v%u.%c", number % 100, "xyzw"[c]);
        tell_component(b, f, name, number * 4 + c, b->frag->ahead + slot->first + c, slot->flat);
    }
}

/* Words of a vertex, by the byte. */
static void tell_words(const struct mali_frag_batch *b, struct mali_follower *f, const struct warp_message *m)
{
    const bool flat = m->asked.source_format == VALHALL_SOURCE_FORMAT_FLAT32;
    const uint32_t first = m->operand[1][0][f->of.number] / 4;
    for (uint32_t word = first; word < first + m->asked.components && word < FRAG_WORDS_MOST; word++) {
        const uint8_t n = mali_frag_word_of(b->frag, flat, word);
        char name[8];
        snprintf(name, sizeof name, "v+%u", word * 4 % 10000);
        if (n != FRAG_NO_SLOT)
            tell_component(b, f, name, word, b->frag->ahead + n, flat);
    }
}

static bool watched_varying(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                            struct isa_place *place)
{
    const struct mali_frag_batch *b = ctx;
    bool ok = b->unwatched.varying(ctx, a, lanes, out, place);
    for (uint32_t i = 0; ok && i < b->following.count; i++)
        if (mali_follower_at(b, i)->insn)
            tell_varying(b, mali_follower_at(b, i), a->index[mali_follower_at(b, i)->of.number]);
    return ok;
}

/* Sides of the image as it was asked for. */
static void set_image(struct gpu_lookup *it, const struct mali_lookup *lookup, const struct mali_world *world)
{
    const struct raster_image_level *level = &lookup->image.level[0];
    it->width = level->width;
    it->height = level->height;
    it->depth = lookup->key.dim == RASTER_DIM_3D ? level->depth : 0;
    it->levels = lookup->image.level_count;
    it->format = lookup->key.format;
    it->cube = lookup->key.dim == RASTER_DIM_CUBE;
    it->integers = raster_sampler_integer((enum raster_format)lookup->key.format);
    if (lookup->image.memory != world->space->window.base)
        return; /* decoded: it stands nowhere */
    it->address = lookup->key.listed ? lookup->image.surface[level->first_surface] : level->offset;
}

/* As the draw has it: by its number in the draw's list, or by its table and the number in that. */
static void name_texture(struct gpu_lookup *it, const struct mali_world *world, uint32_t handle)
{
    if (world->bindings->table_count)
        snprintf(it->unit, sizeof it->unit, "texture %u:%u", warp_handle_table(handle),
                 warp_handle_number(handle));
    else
        snprintf(it->unit, sizeof it->unit, "texture %u", handle);
}

static void tell_texture(const struct mali_frag_batch *b, struct mali_follower *f,
                         const struct isa_texture_request *r, const uint32_t out[4][16])
{
    const unsigned lane = f->of.number;
    const struct mali_lookup_key key = mali_lookup_key_of(r, lane);
    struct mali_stop stop;
    const struct mali_lookup *lookup = mali_lookup_get(b->threads.world, &key, &stop);
    const bool fetch = r->op == ISA_TEXTURE_FETCH, cube = !r->dimensions;
    struct raster_lookup_lanes in = {0};
    float c[4][16];
    if (!lookup || r->op == ISA_TEXTURE_LEVEL) /* which reads no texel */
        return;
    struct gpu_lookup it = {.has_t = cube || r->dimensions > 1,
                            .has_r = cube || r->dimensions > 2,
                            .has_b = r->has_lod,
                            .level_given = !r->derivatives,
                            .numbers = true};
    mali_texture_lanes(r, &in);
    for (unsigned n = 0; n < 4; n++) {
        const uint32_t word = n < 3 ? in.coordinate[n][lane] : in.lod[lane];
        bool whole = fetch || (n == 2 && cube); /* texels; a face's number */
        c[n][lane] = whole ? (float)(int32_t)word : util_u2f(word);
        it.color[n] = out[n][lane];
    }
    name_texture(&it, b->threads.world, r->texture[lane]);
    set_image(&it, lookup, b->threads.world);
    if (lookup->key.op <= RASTER_FETCH)
        raster_sampler_lookup(&lookup->key, &lookup->image, &in, lane, &it.where);
    if (!it.address)
        it.where.offset = 0;
    gpu_follow_lookup(&f->of, &it, &(struct gpu_texels){.sampler_key = &lookup->key, .image = &lookup->image},
                      c);
}

static bool watched_texture(void *ctx, const struct isa_texture_request *r, uint16_t lanes,
                            uint32_t out[4][16], struct isa_place *place)
{
    const struct mali_frag_batch *b = ctx;
    const isa_texture_fn port =
        b->frag->world.program->warp ? b->unwatched_warp.texture : b->unwatched.texture;
    bool ok = port(ctx, r, lanes, out, place);
    for (uint32_t i = 0; ok && i < b->following.count; i++)
        if (mali_follower_at(b, i)->insn)
            tell_texture(b, mali_follower_at(b, i), r, (const uint32_t(*)[16])out);
    return ok;
}

static void tell(const struct mali_frag_batch *b, const char *name, unsigned words, uint32_t out[4][16])
{
    for (uint32_t i = 0; i < b->following.count; i++)
        if (mali_follower_at(b, i)->insn)
            gpu_follow_outside(&mali_follower_at(b, i)->of, name, words, false, (const uint32_t(*)[16])out);
}

static bool watched_uniform(void *ctx, const uint32_t buffer[16], const uint32_t offset[16], unsigned bytes,
                            uint16_t lanes, uint32_t out[4][16], struct isa_place *place)
{
    const struct mali_frag_batch *b = ctx;
    const isa_uniform_fn port =
        b->frag->world.program->warp ? b->unwatched_warp.uniform : b->unwatched.uniform;
    if (!port(ctx, buffer, offset, bytes, lanes, out, place))
        return false;
    tell(b, "uni", util_div_up(bytes, 4), out);
    return true;
}

static bool watched_load(void *ctx, const struct isa_access *access, uint16_t lanes, uint32_t out[4][16],
                         struct isa_place *place)
{
    const struct mali_frag_batch *b = ctx;
    const isa_load_fn port = b->frag->world.program->warp ? b->unwatched_warp.load : b->unwatched.load;
    if (!port(ctx, access, lanes, out, place))
        return false;
    tell(b, "memory", util_div_up(access->bytes, 4), out);
    return true;
}

static bool watched_tile(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                         uint16_t lanes, uint32_t out[4][16], struct isa_place *place)
{
    const struct mali_frag_batch *b = ctx;
    if (!b->unwatched.tile(ctx, form, target, sample, lanes, out, place))
        return false;
    tell(b, "tile", 4, out);
    return true;
}

static bool watched_message(void *ctx, const struct warp_message *m, uint16_t lanes,
                            uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *place)
{
    const struct mali_frag_batch *b = ctx;
    if (!b->unwatched_warp.message(ctx, m, lanes, out, leave, place))
        return false;
    for (uint32_t i = 0; i < b->following.count; i++) {
        struct mali_follower *f = mali_follower_at(b, i);
        if (!f->insn)
            continue;
        if (m->asked.message == WARP_VARYING || m->asked.message == WARP_VARYING_FLAT)
            tell_varying(b, f, m->operand[1][0][f->of.number]);
        else if (m->asked.message == WARP_VARYING_BYTES)
            tell_words(b, f, m);
    }
    if (m->asked.message == WARP_TILE)
        tell(b, "tile", UTIL_MIN(m->asked.words, 4u), out);
    return true;
}

void mali_frag_watch_ports(struct mali_frag_batch *b)
{
    if (!b->frag->has_program)
        return;
    if (b->frag->world.program->warp) {
        struct warp_ports *ports = &b->threads.warp;
        b->unwatched_warp = *ports;
        ports->message = watched_message;
        ports->texture = watched_texture;
        ports->uniform = watched_uniform;
        ports->load = watched_load;
        return;
    }
    b->unwatched = b->threads.ports;
    b->threads.ports.varying = watched_varying;
    b->threads.ports.texture = watched_texture;
    b->threads.ports.uniform = watched_uniform;
    b->threads.ports.load = watched_load;
    b->threads.ports.tile = watched_tile;
}
