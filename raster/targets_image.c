/* Targets to and from images, pixel by pixel: the definition. */
#include <string.h>

#include "raster/depth.h"
#include "raster/output.h"
#include "raster/targets_internal.h"

bool raster_targets_image_size(const struct raster_surface *surface, uint64_t *bytes)
{
    bool any = surface->layout == RASTER_LINEAR || surface->layout == RASTER_UTGARD_TILED;
    return raster_surface_span(surface, any ? 128 : 64, bytes);
}

struct raster_transfer raster_transfer_of(const struct raster_targets *targets, uint32_t of,
                                          const struct raster_surface *surface, uint32_t first,
                                          uint32_t count)
{
    first = first < targets->samples ? first : 0;
    count = UTIL_MAX(count, 1u);
    return (struct raster_transfer){
        .targets = targets,
        .surface = surface,
        .texel = &raster_texels[surface->format],
        .format = of < RASTER_TARGETS_MAX ? (enum raster_format)targets->format[of] : RASTER_FORMAT_NONE,
        .of = of,
        .first = first,
        .end = first + UTIL_MIN(count, targets->samples - first)};
}

bool raster_transfer_begin(const struct raster_transfer *t, const struct raster_tile *tile,
                           struct raster_surface_part *part)
{
    if (t->of < RASTER_TARGETS_MAX && (t->of >= t->targets->count || !t->targets->words[t->of]))
        return false;
    return raster_surface_visible(t->surface, tile->x, tile->y, tile->width, tile->height, part);
}

/* ---- colours ---- */

static uint32_t average_bytes(const struct raster_transfer *t, const struct raster_tile *tile, uint32_t x,
                              uint32_t y)
{
    uint32_t sum[4] = {0}, count = UTIL_MAX(t->end - t->first, 1u), bytes = 0, word[4];
    for (uint32_t s = t->first; s < t->end; s++) {
        raster_targets_get(t->targets, tile, t->of, x, y, s, word);
        for (unsigned c = 0; c < 4; c++)
            sum[c] += word[0] >> 8 * c & 255;
    }
    for (unsigned c = 0; c < 4; c++)
        bytes |= (sum[c] + count / 2) / count << 8 * c;
    return bytes;
}

/* Red, green, blue and alpha of the samples' mean. */
static void average(const struct raster_transfer *t, const struct raster_tile *tile, uint32_t x, uint32_t y,
                    uint32_t color[4])
{
    float sum[4] = {0}, share = 1.0f / (float)(t->end - t->first);
    for (uint32_t s = t->first; s < t->end; s++) {
        uint32_t word[4];
        raster_targets_get(t->targets, tile, t->of, x, y, s, word);
        raster_texel_unpack(&raster_texels[t->format], word, color);
        for (unsigned c = 0; c < 4; c++)
            sum[c] += util_u2f(color[c]);
    }
    for (unsigned c = 0; c < 4; c++)
        color[c] = sum[c] != sum[c] ? 0x7fc00000 : util_f2u(sum[c] * share);
}

static void color_pixel(const struct raster_transfer *t, const struct raster_tile *tile, uint32_t x,
                        uint32_t y, uint32_t word[4])
{
    bool single = t->end - t->first == 1 || raster_output_is_integer(t->format);
    uint32_t color[4];
    if (raster_output_is_bytes(t->format) && raster_texel_is_8888(t->texel)) {
        word[0] = raster_texel_from_8888(t->texel, average_bytes(t, tile, x, y));
        return;
    }
    raster_targets_get(t->targets, tile, t->of, x, y, t->first, word);
    if (single && t->format == t->surface->format)
        return;
    raster_texel_unpack(&raster_texels[t->format], word, color);
    if (!single)
        average(t, tile, x, y, color);
    raster_texel_pack(t->texel, color, word);
}

static void load_color(const struct raster_transfer *t, struct raster_tile *tile, uint32_t x, uint32_t y,
                       uint32_t word[4])
{
    uint32_t color[4];
    if (raster_output_is_bytes(t->format) && raster_texel_is_8888(t->texel)) {
        word[0] = raster_texel_sampled(t->texel, word[0]);
    } else if (t->format != t->surface->format) {
        raster_texel_unpack(t->texel, word, color);
        raster_texel_pack(&raster_texels[t->format], color, word);
    }
    for (uint32_t s = t->first; s < t->end; s++)
        raster_targets_put(t->targets, tile, t->of, x, y, s, word);
}

/* ---- depth and stencil ---- */

/* What a depth is: so many bits of fixed point, or a single. */
struct depth_type {
    unsigned bits;
    bool is_float;
};

static struct depth_type type_of(enum raster_depth_kind kind)
{
    return (struct depth_type){raster_depth_is_32(kind) ? 32 : 24, kind == RASTER_DEPTH_FLOAT32};
}

/* Fixed point of other bits: the upper ones, or repeated. */
static uint32_t other_bits(uint32_t v, unsigned from, unsigned to)
{
    if (from >= to)
        return v >> (from - to);
    return v << (to - from) | (2 * from >= to ? v >> (2 * from - to) : v);
}

static uint32_t convert_depth(uint32_t v, struct depth_type from, struct depth_type to)
{
    double most = to.bits >= 32 ? UINT32_MAX : (1u << to.bits) - 1;
    if (from.is_float == to.is_float)
        return from.is_float ? v : other_bits(v, from.bits, to.bits);
    if (to.is_float)
        return util_f2u((float)(v / (from.bits >= 32 ? (double)UINT32_MAX : (1u << from.bits) - 1)));
    double z = util_u2f(v);
    z = z > 0 ? z : 0;
    return (uint32_t)(int64_t)rint((z < 1 ? z : 1) * most);
}

static uint32_t zs_index(const struct raster_transfer *t, const struct raster_tile *tile, uint32_t x,
                         uint32_t y, uint32_t sample)
{
    return raster_targets_block(tile, x, y) * t->targets->samples + sample * 16 + raster_lane(x, y);
}

bool raster_transfer_takes(const struct raster_transfer *t, unsigned component)
{
    return t->of == RASTER_OF_DEPTH_STENCIL || (component == 0 && t->of == RASTER_OF_DEPTH) ||
           (component == 1 && t->of == RASTER_OF_STENCIL);
}

/* A channel's bits in the pixel. */
static uint32_t channel_mask(const struct raster_texel *texel, unsigned c)
{
    return (uint32_t)((1ull << texel->channel[c].bits) - 1);
}

static void zs_pixel(const struct raster_transfer *t, const struct raster_tile *tile, uint32_t x, uint32_t y,
                     uint32_t word[4])
{
    enum raster_depth_kind kind = (enum raster_depth_kind)t->targets->depth;
    uint32_t at = zs_index(t, tile, x, y, t->first), zs = tile->zs[at];
    uint32_t value[2] = {raster_depth_is_32(kind) ? zs : zs >> 8,
                         raster_depth_is_32(kind) ? tile->stencil[at] : zs & 255};
    for (unsigned c = 0; c < 4; c++) {
        unsigned n = raster_texel_component(t->texel, c), place = t->texel->channel[c].at;
        struct depth_type to = {t->texel->channel[c].bits, t->texel->channel[c].kind == RASTER_KIND_FLOAT};
        if (!to.bits || n > 1 || !raster_transfer_takes(t, n))
            continue;
        uint32_t mask = channel_mask(t->texel, c), *out = &word[place / 32];
        uint32_t bits = n ? value[1] : convert_depth(value[0], type_of(kind), to);
        *out = (*out & ~(mask << place % 32)) | (bits & mask) << place % 32;
    }
}

static void put_zs(const struct raster_transfer *t, struct raster_tile *tile, uint32_t at, unsigned component,
                   uint32_t value)
{
    bool is_32 = raster_depth_is_32((enum raster_depth_kind)t->targets->depth);
    if (is_32 && component)
        tile->stencil[at] = (uint8_t)value;
    else if (is_32)
        tile->zs[at] = value;
    else if (component)
        tile->zs[at] = (tile->zs[at] & 0xffffff00) | (value & 255);
    else
        tile->zs[at] = (tile->zs[at] & 255) | value << 8;
}

/* A single in an image may be any; tiles have no other than 0 to 1. */
static uint32_t loaded_depth(const struct raster_transfer *t, uint32_t v, struct depth_type from)
{
    enum raster_depth_kind kind = (enum raster_depth_kind)t->targets->depth;
    if (from.is_float && kind == RASTER_DEPTH_FLOAT32)
        return raster_depth_encode(kind, util_u2f(v));
    v = convert_depth(v, from, type_of(kind));
    return kind == RASTER_DEPTH_UNORM16 ? raster_depth_16(v) : v;
}

static void load_zs(const struct raster_transfer *t, struct raster_tile *tile, uint32_t x, uint32_t y,
                    const uint32_t word[4])
{
    for (unsigned c = 0; c < 4; c++) {
        unsigned n = raster_texel_component(t->texel, c), place = t->texel->channel[c].at;
        struct depth_type from = {t->texel->channel[c].bits, t->texel->channel[c].kind == RASTER_KIND_FLOAT};
        if (!from.bits || n > 1 || !raster_transfer_takes(t, n))
            continue;
        uint32_t value = word[place / 32] >> place % 32 & channel_mask(t->texel, c);
        if (!n)
            value = loaded_depth(t, value, from);
        for (uint32_t s = t->first; s < t->end; s++)
            put_zs(t, tile, zs_index(t, tile, x, y, s), n, value);
    }
}

/* ---- pixel by pixel ---- */

void raster_transfer_pixel(const struct raster_transfer *t, const struct raster_tile *tile, uint32_t x,
                           uint32_t y, uint8_t *pixel)
{
    uint32_t word[4] = {0};
    if (t->of < RASTER_TARGETS_MAX) {
        color_pixel(t, tile, x, y, word);
    } else {
        memcpy(word, pixel, t->texel->bits / 8u);
        zs_pixel(t, tile, x, y, word);
    }
    memcpy(pixel, word, t->texel->bits / 8u);
}

void raster_transfer_store(const struct raster_transfer *t, const struct raster_tile *tile,
                           const struct raster_surface_part *part)
{
    for (uint32_t y = part->y0; y < part->y1; y++)
        for (uint32_t x = part->x0; x < part->x1; x++)
            raster_transfer_pixel(t, tile, (uint32_t)((int32_t)x - tile->x), (uint32_t)((int32_t)y - tile->y),
                                  t->surface->base + raster_surface_offset(t->surface, x, y));
}

void raster_transfer_load(const struct raster_transfer *t, struct raster_tile *tile,
                          const struct raster_surface_part *part)
{
    for (uint32_t y = part->y0; y < part->y1; y++)
        for (uint32_t x = part->x0; x < part->x1; x++) {
            uint32_t word[4] = {0}, tx = (uint32_t)((int32_t)x - tile->x),
                     ty = (uint32_t)((int32_t)y - tile->y);
            memcpy(word, t->surface->base + raster_surface_offset(t->surface, x, y), t->texel->bits / 8u);
            if (t->of < RASTER_TARGETS_MAX)
                load_color(t, tile, tx, ty, word);
            else
                load_zs(t, tile, tx, ty, word);
        }
}

void raster_targets_store_ref(const struct raster_targets *targets, const struct raster_tile *tile,
                              uint32_t of, const struct raster_surface *surface, uint32_t first,
                              uint32_t count)
{
    struct raster_transfer t = raster_transfer_of(targets, of, surface, first, count);
    struct raster_surface_part part;
    if (raster_transfer_begin(&t, tile, &part))
        raster_transfer_store(&t, tile, &part);
}

void raster_targets_stored(const struct raster_targets *targets, const struct raster_tile *tile, uint32_t of,
                           const struct raster_surface *surface, uint32_t first, uint32_t count, uint32_t x,
                           uint32_t y, uint8_t pixel[16])
{
    const struct raster_transfer t = raster_transfer_of(targets, of, surface, first, count);
    uint32_t word[4] = {0};
    color_pixel(&t, tile, x, y, word);
    memcpy(pixel, word, sizeof word);
}

void raster_targets_load_ref(const struct raster_targets *targets, struct raster_tile *tile, uint32_t of,
                             const struct raster_surface *surface, uint32_t first, uint32_t count)
{
    struct raster_transfer t = raster_transfer_of(targets, of, surface, first, count);
    struct raster_surface_part part;
    if (raster_transfer_begin(&t, tile, &part))
        raster_transfer_load(&t, tile, &part);
}
