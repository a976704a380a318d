/* What a fragment program meets besides what all programs do: varyings, special registers, the tile, and where
 * its colours go. */
#include <string.h>

#include "gpu/mali/frag_internal.h"
#include "raster/depth.h"
#include "util/bits.h"

bool mali_frag_refuse(struct mali_frag_batch *b, uint16_t lanes, const char *what, uint32_t value,
                      struct isa_place *place)
{
    struct mali_stop stop;
    mali_stop_set(&stop, MALI_ADDR_RANGE_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT, b->frag->world.address,
                  "%s %u", what, value);
    return mali_world_refuse(&b->threads, (unsigned)__builtin_ctz(lanes), &stop, place);
}

/* ---- varyings ---- */

static struct mali_frag_spot spot_of(const struct mali_frag_batch *b, const struct isa_attribute *a,
                                     unsigned lane)
{
    struct mali_frag_spot s = {lane, b->dx, b->dy};
    if (a->at_position) {
        s.dx = (float)(a->position[lane] & 15) / 16.0f - 0.5f;
        s.dy = (float)(a->position[lane] >> 4) / 16.0f - 0.5f;
    }
    return s;
}

static float plane(const struct mali_frag_batch *b, const struct mali_frag_spot *s, float pa, float pb)
{
    float at_centre = raster_plane_at(b->prim, b->px, b->py, s->lane, pa, pb);
    return s->dx == 0 && s->dy == 0 ? at_centre : at_centre + pa * s->dx + pb * s->dy;
}

static float inv_w(const struct mali_frag_batch *b, const struct mali_frag_spot *s)
{
    return plane(b, s, b->prim->inv_w_a, b->prim->inv_w_b) + b->prim->inv_w_c;
}

float mali_frag_inv_w(const struct mali_frag_batch *b, unsigned lane)
{
    return inv_w(b, &(const struct mali_frag_spot){.lane = lane});
}

float mali_frag_interpolated(const struct mali_frag_batch *b, const struct mali_frag_spot *s, unsigned n)
{
    float t = plane(b, s, b->prim->vary_a[n], b->prim->vary_b[n]);
    return t * (1.0f / inv_w(b, s)) + b->prim->vary_c[n];
}

void mali_frag_coord(const struct mali_frag_batch *b, const struct mali_frag_spot *s, uint32_t word[4])
{
    word[0] = util_f2u((float)(b->px + (int32_t)raster_lane_x(s->lane)) + 0.5f + s->dx);
    word[1] = util_f2u((float)(b->py + (int32_t)raster_lane_y(s->lane)) + 0.5f + s->dy);
    word[2] = util_f2u(raster_depth_z_at(b->prim, b->px, b->py, s->lane));
    word[3] = util_f2u(inv_w(b, s));
}

void mali_frag_point(const struct mali_frag_batch *b, const struct mali_frag_spot *s, bool up,
                     uint32_t word[4])
{
    bool point = b->frag->ahead;
    float x = point ? mali_frag_interpolated(b, s, 0) : 0, y = point ? mali_frag_interpolated(b, s, 1) : 0;
    word[0] = util_f2u(x);
    word[1] = util_f2u(up ? 1.0f - y : y);
    word[2] = 0;
    word[3] = util_f2u(1.0f);
}

static void of_vertices(const struct mali_frag_batch *b, const struct mali_frag_slot *slot,
                        const struct mali_frag_spot *s, uint32_t word[4])
{
    for (unsigned c = 0; c < slot->count; c++) {
        unsigned n = b->frag->ahead + slot->first + c;
        word[c] = util_f2u(slot->flat ? b->prim->vary_c[n] : mali_frag_interpolated(b, s, n));
    }
}

/* A lane's words as *format has them. False: not this one's. */
static bool take(const struct mali_frag_batch *b, const struct mali_frag_descriptor *d, uint32_t index,
                 const struct mali_frag_spot *s, enum raster_format *format, uint32_t word[4])
{
    const struct mali_frag *f = b->frag;
    const uint8_t slot = mali_frag_slot_of(f, index);
    *format = RASTER_R32G32B32A32_FLOAT;
    switch (d->kind) {
    case MALI_ARRAY_1D:
        if (slot == FRAG_NO_SLOT)
            return false;
        of_vertices(b, &f->slot[slot], s, word);
        if (f->slot[slot].flat)
            *format = d->format;
        return true;
    case MALI_ARRAY_FRAG_COORD: mali_frag_coord(b, s, word); return true;
    case MALI_ARRAY_POINT_COORD_MIN_Y: mali_frag_point(b, s, false, word); return true;
    case MALI_ARRAY_POINT_COORD_MAX_Y: mali_frag_point(b, s, true, word); return true;
    case MALI_ARRAY_FRONT_FACING:
        word[0] = b->prim->reverse ? 0 : UINT32_MAX;
        *format = RASTER_R32_SINT;
        return true;
    default: return false;
    }
}

bool mali_frag_varying(const struct mali_frag_batch *b, uint32_t index, const struct mali_frag_spot *s,
                       enum isa_type type, bool any_type, uint32_t value[4], struct mali_stop *stop)
{
    enum raster_format as = RASTER_R32G32B32A32_FLOAT;
    uint32_t word[4] = {0, 0, 0, 0x3f800000};
    struct mali_frag_descriptor d;
    if (!mali_frag_describe(b->frag, index, &d, stop))
        return false;
    if (d.constant)
        word[3] = 0; /* the order chooses zeros and ones */
    else if (!take(b, &d, index, s, &as, word))
        return mali_stop_set(stop, MALI_ADDR_RANGE_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT,
                             b->frag->world.address, "no varying is done that is like that of descriptor %u",
                             index);
    mali_world_convert(as, d.order, type, any_type, word, value);
    return true;
}

/* Samples and centroids are where the batch takes its values: the centre, or of draws that are shaded by the
 * sample its place. */
static bool varying(void *ctx, const struct isa_attribute *a, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *place)
{
    struct mali_frag_batch *b = ctx;
    for (; lanes; lanes &= (uint16_t)(lanes - 1)) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        const struct mali_frag_spot spot = spot_of(b, a, lane);
        struct mali_stop stop = {0};
        uint32_t value[4] = {0};
        if (!mali_frag_varying(b, a->index[lane], &spot, a->type, a->any_type, value, &stop))
            return mali_world_refuse(&b->threads, lane, &stop, place);
        for (unsigned c = 0; c < 4; c++)
            out[c][lane] = value[c];
    }
    return true;
}

/* ---- special registers ---- */

static bool special(void *ctx, const uint32_t selector[16], enum isa_type type, uint16_t lanes,
                    uint32_t out[4][16], struct isa_place *place)
{
    struct mali_frag_batch *b = ctx;
    (void)type;
    memset(out, 0, 4 * sizeof *out);
    for (; lanes; lanes &= (uint16_t)(lanes - 1)) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        if (selector[lane] != MIDGARD_SPECIAL_SAMPLE_MASK && selector[lane] != MIDGARD_SPECIAL_SAMPLE_NUMBER)
            return mali_frag_refuse(b, (uint16_t)(1u << lane), "special register", selector[lane], place);
        uint32_t mask = 0;
        for (unsigned s = 0; s < b->frag->tile->samples; s++)
            mask |= (uint32_t)(b->live[s] >> lane & 1) << s;
        out[0][lane] = selector[lane] == MIDGARD_SPECIAL_SAMPLE_MASK ? mask : b->sample;
    }
    return true;
}

/* ---- the tile ---- */

static bool is_plain(const struct mali_frag_batch *b, uint32_t target)
{
    return mali_targets_is_plain((enum raster_format)b->frag->tile->format[target]);
}

uint32_t mali_frag_sample(const struct mali_frag_batch *b, uint32_t sample)
{
    return sample < b->frag->tile->samples ? sample : 0;
}

static bool tile(void *ctx, enum midgard_tile form, uint32_t target, const uint32_t sample[16],
                 uint16_t lanes, uint32_t out[4][16], struct isa_place *place)
{
    struct mali_frag_batch *b = ctx;
    const struct raster_targets *t = b->frag->tile;
    if (target >= t->count || (form == MIDGARD_TILE_RAW && !is_plain(b, target)))
        return mali_frag_refuse(b, lanes, "reading the tile is not done of target", target, place);
    for (; lanes; lanes &= (uint16_t)(lanes - 1)) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        uint32_t word[4], value[4];
        raster_targets_get(t, b->tile, target, b->x + raster_lane_x(lane), b->y + raster_lane_y(lane),
                           mali_frag_sample(b, sample[lane]), word);
        if (form == MIDGARD_TILE_RAW)
            memcpy(value, word, sizeof value);
        else
            mali_world_convert((enum raster_format)t->format[target], MALI_ORDER_RGBA,
                               form == MIDGARD_TILE_F16 ? ISA_TYPE_F16 : ISA_TYPE_F32, false, word, value);
        for (unsigned c = 0; c < 4; c++)
            out[c][lane] = value[c];
    }
    return true;
}

/* ---- writeouts ---- */

/* What blend shaders write of a small normalised format: four bytes, of which each has a channel in its upper
 * bits; of ten bits the upper eight, and the lowest two of all channels in the last byte (Mesa's
 * pan_lower_framebuffer.c). */
static uint32_t from_small(const struct raster_texel *texel, uint32_t bits)
{
    uint32_t word = 0;
    for (unsigned c = 0; c < 4; c++) {
        const unsigned size = texel->channel[c].bits, byte = bits >> 8 * c & 255;
        const unsigned value = texel->channel[0].bits == 10 && c == 3 ? bits >> 30
                               : size > 8                             ? byte << 2 | (bits >> (24 + 2 * c) & 3)
                                                                      : byte >> (8 - size);
        word |= value << texel->channel[c].at;
    }
    return word;
}

/* A blend shader's: 128 bits of the tile, of as many samples as they are enough for (Mesa's
 * midgard_compile.c), where these are still to be drawn. */
static void store_raw(struct mali_frag_batch *b, const struct midgard_writeout *what, unsigned lane,
                      uint32_t target, uint32_t part)
{
    const struct raster_targets *t = b->frag->tile;
    const bool plain = is_plain(b, target);
    const uint32_t bytes = plain ? raster_format_bytes((enum raster_format)t->format[target]) : 4;
    const uint32_t many = 16 / bytes;
    uint32_t bits[4];
    for (unsigned c = 0; c < 4; c++)
        bits[c] = what->color[c][lane];
    for (uint32_t n = 0, sample = part * many; n < many && sample < t->samples; n++, sample++) {
        uint32_t word[4] = {0};
        memcpy(word, (const uint8_t *)bits + n * bytes, bytes);
        if (!plain)
            word[0] = from_small(&raster_texels[t->format[target]], word[0]);
        if (b->live[sample] >> lane & 1)
            raster_targets_put(t, b->tile, target, b->x + raster_lane_x(lane), b->y + raster_lane_y(lane),
                               sample, word);
    }
}

static void keep(struct mali_frag_batch *b, const struct midgard_writeout *what, unsigned lane,
                 uint32_t target)
{
    struct raster_output_colors *to = &b->color[target][lane];
    for (unsigned c = 0; c < 4; c++) {
        to->src[c] = what->color[c][lane];
        to->src1[c] = what->second[c][lane];
    }
    b->written[target] |= (uint16_t)(1u << lane);
}

static void keep_zs(struct mali_frag_batch *b, const struct midgard_writeout *what, unsigned lane)
{
    if (what->has_depth && b->frag->depth_given)
        b->depth[lane] =
            raster_depth_encode((enum raster_depth_kind)b->frag->tile->depth, util_u2f(what->depth[lane]));
    if (what->has_stencil && b->frag->stencil_given)
        b->stencil[lane] = (uint8_t)what->stencil[lane];
}

static bool writeout(void *ctx, const struct midgard_writeout *what, uint16_t lanes, struct isa_place *place)
{
    struct mali_frag_batch *b = ctx;
    for (; lanes; lanes &= (uint16_t)(lanes - 1)) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        uint32_t select = what->has_select ? what->select[lane] : 0, target = select >> 8;
        if (b->blending) {
            store_raw(b, what, lane, b->blending - 1, select & 255);
            continue;
        }
        keep_zs(b, what, lane);
        if (select != MIDGARD_SELECT_NO_COLOR && target < b->frag->tile->count)
            keep(b, what, lane, target);
    }
    return true;
}

void mali_frag_ports_begin(struct mali_frag_batch *b, struct mali_world *world)
{
    if (!b->frag->has_program)
        return;
    mali_threads_begin(&b->threads, world);
    if (world->program->warp) {
        mali_frag_warp_ports(b);
        return;
    }
    b->threads.ports.varying = varying;
    b->threads.ports.special = special;
    b->threads.ports.tile = tile;
    b->threads.ports.writeout = writeout;
}
