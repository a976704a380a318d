/* Loads and stores pixel by pixel: the definition, and the fast path's way with what is left at the edges. */
#include "raster/surface_internal.h"

#include <string.h>

#include "raster/texture/texture_internal.h"
#include "util/half.h"

/* (2t + 1) * 255 / 32 of the 4x4 Bayer matrix t = {0 8 2 10, 12 4 14 6, 3 11 1 9, 15 7 13 5}. */
const uint16_t raster_surface_dither[4][4] = {
    {7, 135, 39, 167}, {199, 71, 231, 103}, {55, 183, 23, 151}, {247, 119, 215, 87}};

static const uint16_t target_rows[RASTER_TARGET_COUNT] = {
    [RASTER_TARGET_8888] = RASTER_R8G8B8A8_UNORM, [RASTER_TARGET_RGBA16F] = RASTER_R16G16B16A16_FLOAT};

bool raster_surface_span(const struct raster_surface *surface, uint32_t most_bits, uint64_t *bytes)
{
    struct raster_level level = {.stride = surface->stride, .layout = surface->layout};
    *bytes = 0;
    if (!surface->format || surface->format >= RASTER_FORMAT_COUNT)
        return false;
    const struct raster_texel *texel = &raster_texels[surface->format];
    bool tiled = surface->layout == RASTER_UTGARD_TILED;
    if (texel->coding != RASTER_CODING_PLAIN || texel->bits % 8 || texel->bits > most_bits)
        return false;
    if (surface->width == 0 || surface->height == 0)
        return true;
    /* Utgard's tiles have 16x16 pixels, whatever these are. */
    if (!raster_level_span(tiled ? 8 : texel->bits, &level, surface->width, surface->height, bytes))
        return false;
    *bytes *= tiled ? texel->bits / 8u : 1;
    return *bytes <= UINT64_C(1) << 32;
}

bool raster_surface_size(const struct raster_surface *surface, uint64_t *bytes)
{
    return raster_surface_span(surface, 64, bytes);
}

bool raster_surface_visible(const struct raster_surface *surface, int64_t x, int64_t y, uint32_t width,
                            uint32_t height, struct raster_surface_part *part)
{
    int64_t left = UTIL_MAX(x, 0), top = UTIL_MAX(y, 0), right = UTIL_MIN(surface->width, x + width),
            bottom = UTIL_MIN(surface->height, y + height);
    if (left >= right || top >= bottom)
        return false;
    *part = (struct raster_surface_part){(uint32_t)left, (uint32_t)top, (uint32_t)right, (uint32_t)bottom};
    return true;
}

/* ---- samples to a colour ---- */

struct samples {
    uint32_t x, y, across, down; /* pixels of the tile */
    uint32_t first, end;
};

static uint64_t average_bytes(const struct raster_tile *tile, const struct samples *of, uint32_t count)
{
    uint32_t sum[4] = {0}, word = 0;
    for (uint32_t p = 0; p < of->across * of->down; p++)
        for (uint32_t s = of->first; s < of->end; s++) {
            uint32_t v =
                tile->color[raster_pixel_index(tile, of->x + p % of->across, of->y + p / of->across, s)];
            for (unsigned c = 0; c < 4; c++)
                sum[c] += v >> 8 * c & 255;
        }
    for (unsigned c = 0; c < 4; c++)
        word |= (sum[c] + count / 2) / count << 8 * c;
    return word;
}

static uint64_t average_halves(const struct raster_tile *tile, const struct samples *of, uint32_t count)
{
    uint64_t pixel = 0;
    for (unsigned c = 0; c < 4; c++) {
        float sum = 0;
        for (uint32_t p = 0; p < of->across * of->down; p++)
            for (uint32_t s = of->first; s < of->end; s++) {
                uint32_t at =
                    raster_rgba16f_index(tile, of->x + p % of->across, of->y + p / of->across, s, c / 2);
                sum += util_half_to_float((uint16_t)(tile->color[at] >> c % 2 * 16));
            }
        pixel |= (uint64_t)util_float_to_half(sum * (1.0f / (float)count)) << 16 * c;
    }
    return pixel;
}

/* What the store takes of the tile's pixels from (x, y) on. */
static uint64_t resolved(const struct raster_surface *surface, const struct raster_tile *tile,
                         struct raster_resolve resolve, uint32_t x, uint32_t y)
{
    uint32_t first = resolve.first < tile->samples ? resolve.first : 0;
    struct samples of = {x,
                         y,
                         1u << resolve.shrink_x,
                         1u << resolve.shrink_y,
                         first,
                         UTIL_MIN(first + resolve.count, tile->samples)};
    uint32_t count = of.across * of.down * (of.end - of.first);
    if (surface->plane == RASTER_PLANE_MASK)
        return tile->mask[raster_mask_index(tile, x, y)];
    if (surface->plane != RASTER_PLANE_COLOR)
        return tile->zs[raster_pixel_index(tile, x, y, first)];
    if (count == 1)
        return raster_tile_color(tile, x, y, first);
    return tile->target == RASTER_TARGET_8888 ? average_bytes(tile, &of, count)
                                              : average_halves(tile, &of, count);
}

/* ---- a colour to a pixel ---- */

/* Depth as red, stencil as green. */
static uint32_t pack_zs(const struct raster_texel *texel, uint32_t zs)
{
    uint32_t word = 0;
    for (unsigned c = 0; c < 4; c++) {
        unsigned bits = texel->channel[c].bits, n = raster_texel_component(texel, c);
        if (bits && n == 0)
            word |= (bits < 24 ? zs >> (32 - bits) : zs >> 8) << texel->channel[c].at;
        else if (bits && n == 1)
            word |= (zs & 255) << texel->channel[c].at;
    }
    return word;
}

static uint32_t pack_bytes(const struct raster_texel *texel, uint32_t bytes, uint32_t bias)
{
    uint32_t word = 0;
    for (unsigned c = 0; c < 4; c++) {
        unsigned bits = texel->channel[c].bits, n = raster_texel_component(texel, c);
        if (bits && n < 4)
            word |= ((bytes >> 8 * n & 255) * ((1u << bits) - 1) + bias) / 255 << texel->channel[c].at;
    }
    return word;
}

static uint64_t pack_halves(const struct raster_texel *texel, uint64_t halves)
{
    uint64_t pixel = 0;
    for (unsigned c = 0; c < 4; c++) {
        unsigned n = raster_texel_component(texel, c);
        if (texel->channel[c].bits && n < 4)
            pixel |= (halves >> 16 * n & 0xffff) << texel->channel[c].at;
    }
    return pixel;
}

static uint64_t pack_other(const struct raster_texel *texel, enum raster_target target, uint64_t color)
{
    uint32_t word[4] = {(uint32_t)color, (uint32_t)(color >> 32)}, channel[4];
    raster_texel_unpack(&raster_texels[target_rows[target]], word, channel);
    raster_texel_pack(texel, channel, word);
    return word[0] | (uint64_t)word[1] << 32;
}

static uint64_t swapped(enum raster_target target, uint64_t color)
{
    unsigned bits = target == RASTER_TARGET_8888 ? 8 : 16;
    uint64_t mask = (1u << bits) - 1, red = color & mask, blue = color >> 2 * bits & mask;
    return (color & ~(mask | mask << 2 * bits)) | blue | red << 2 * bits;
}

void raster_surface_pack(const struct raster_surface *surface, enum raster_target target, uint64_t color,
                         uint32_t bias, uint8_t pixel[8])
{
    const struct raster_texel *texel = &raster_texels[surface->format];
    enum raster_format format = (enum raster_format)surface->format;
    uint64_t bits;
    if (surface->plane == RASTER_PLANE_COLOR && surface->swap)
        color = swapped(target, color);
    if (surface->plane == RASTER_PLANE_MASK)
        bits = color;
    else if (surface->plane != RASTER_PLANE_COLOR)
        bits = pack_zs(texel, (uint32_t)color);
    else if (target == RASTER_TARGET_8888 && raster_texel_is_8888(texel))
        bits = pack_bytes(texel, (uint32_t)color, bias);
    else if (target == RASTER_TARGET_RGBA16F && raster_format_is_halves(format))
        bits = pack_halves(texel, color);
    else
        bits = pack_other(texel, target, color);
    for (uint32_t n = 0, bytes = texel->bits / 8u; n < bytes; n++)
        pixel[n] = (uint8_t)(bits >> 8 * (surface->big_endian ? bytes - 1 - n : n));
}

/* ---- pixels ---- */

void raster_surface_pixel(const struct raster_surface *surface, const struct raster_tile *tile,
                          struct raster_resolve resolve, uint32_t x, uint32_t y, uint8_t pixel[8])
{
    uint32_t px = (uint32_t)(tile->x + (int32_t)x) >> resolve.shrink_x;
    uint32_t py = (uint32_t)(tile->y + (int32_t)y) >> resolve.shrink_y;
    uint32_t bias = surface->dither ? raster_surface_dither[py & 3][px & 3] : SURFACE_NEAREST;
    raster_surface_pack(surface, (enum raster_target)tile->target, resolved(surface, tile, resolve, x, y),
                        bias, pixel);
}

/* Where the tile begins in the image. */
static int64_t place_of(int32_t at, uint8_t shrink)
{
    return at / (1 << shrink);
}

void raster_surface_store_part(const struct raster_surface *surface, const struct raster_tile *tile,
                               struct raster_resolve resolve, const struct raster_surface_part *part)
{
    int64_t left = place_of(tile->x, resolve.shrink_x), top = place_of(tile->y, resolve.shrink_y);
    uint32_t bytes = raster_format_bytes((enum raster_format)surface->format);
    for (uint32_t y = part->y0; y < part->y1; y++)
        for (uint32_t x = part->x0; x < part->x1; x++) {
            uint8_t *at = surface->base + raster_surface_offset(surface, x, y), pixel[8];
            raster_surface_pixel(surface, tile, resolve, (uint32_t)(x - left) << resolve.shrink_x,
                                 (uint32_t)(y - top) << resolve.shrink_y, pixel);
            if (surface->plane == RASTER_PLANE_DEPTH)
                pixel[0] = at[0];
            memcpy(at, pixel, bytes);
        }
}

void raster_surface_load_part(const struct raster_surface *surface, struct raster_tile *tile,
                              const struct raster_surface_part *part)
{
    const struct raster_texel *texel = &raster_texels[surface->format];
    uint32_t words = raster_target_words((enum raster_target)tile->target);
    for (uint32_t y = part->y0; y < part->y1; y++)
        for (uint32_t x = part->x0; x < part->x1; x++) {
            const uint8_t *at = surface->base + raster_surface_offset(surface, x, y);
            uint32_t tx = (uint32_t)((int64_t)x - tile->x), ty = (uint32_t)((int64_t)y - tile->y);
            uint32_t word[4] = {0}, channel[4];
            memcpy(word, at, texel->bits / 8u);
            if (surface->plane == RASTER_PLANE_MASK) {
                tile->mask[raster_mask_index(tile, tx, ty)] = (uint8_t)word[0];
                continue;
            }
            if (surface->plane != RASTER_PLANE_COLOR) {
                for (uint32_t s = 0; s < tile->samples; s++)
                    tile->zs[raster_pixel_index(tile, tx, ty, s)] = word[0];
                continue;
            }
            if (words == 1 && raster_texel_is_8888(texel)) {
                word[0] = raster_texel_sampled(texel, word[0]);
            } else if (surface->format != target_rows[tile->target]) {
                raster_texel_unpack(texel, word, channel);
                raster_texel_pack(&raster_texels[target_rows[tile->target]], channel, word);
            }
            for (uint32_t s = 0; s < tile->samples * words; s++)
                tile->color[raster_block_index(tile, tx, ty, s / words) * words + s % words * 16 +
                            raster_lane(tx, ty)] = word[s % words];
        }
}

void raster_surface_store_ref(const struct raster_surface *surface, const struct raster_tile *tile,
                              struct raster_resolve resolve)
{
    struct raster_surface_part part;
    if (raster_surface_visible(surface, place_of(tile->x, resolve.shrink_x),
                               place_of(tile->y, resolve.shrink_y), tile->width >> resolve.shrink_x,
                               tile->height >> resolve.shrink_y, &part))
        raster_surface_store_part(surface, tile, resolve, &part);
}

void raster_surface_load_ref(const struct raster_surface *surface, struct raster_tile *tile)
{
    struct raster_surface_part part;
    if (raster_surface_visible(surface, tile->x, tile->y, tile->width, tile->height, &part))
        raster_surface_load_part(surface, tile, &part);
}
