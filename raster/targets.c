#include "raster/targets.h"

#include <string.h>

#include "util/bits.h"

enum raster_format raster_targets_format(enum raster_format image)
{
    const struct raster_texel *texel = &raster_texels[image];
    bool bytes = texel->bits == 32 && raster_texel_is_8888(texel), whole = true;
    for (unsigned c = 0; c < 4; c++) {
        bytes &= texel->channel[c].bits == 8;
        whole &= texel->from[c] < 4;
    }
    for (unsigned n = 0; n < 3; n++)
        bytes &= texel->from[n] < 4;
    return !bytes ? image : whole ? RASTER_R8G8B8A8_UNORM : RASTER_R8G8B8X8_UNORM;
}

/* Depth and stencil formats, and those that no GL renders to, have no blue nor alpha of their own. */
bool raster_targets_is_color(enum raster_format format)
{
    const struct raster_texel *texel = &raster_texels[format];
    return format && texel->coding == RASTER_CODING_PLAIN && texel->bits >= 8 && texel->bits % 8 == 0 &&
           !(texel->from[2] == RASTER_FROM_ZERO && texel->from[3] == RASTER_FROM_ZERO);
}

static bool is_number_of_samples(uint32_t samples)
{
    return samples && samples <= RASTER_TARGET_SAMPLES && !(samples & (samples - 1));
}

bool raster_targets_init(struct raster_targets *targets, const enum raster_format *formats, uint32_t count,
                         uint32_t samples, enum raster_depth_kind depth)
{
    if (count > RASTER_TARGETS_MAX || !is_number_of_samples(samples) || depth >= RASTER_DEPTH_KIND_COUNT)
        return false;
    for (uint32_t t = 0; t < count; t++)
        if (formats[t] >= RASTER_FORMAT_COUNT || (formats[t] && !raster_targets_is_color(formats[t])))
            return false;
    *targets = (struct raster_targets){
        .count = (uint8_t)count, .samples = (uint8_t)samples, .depth = (uint8_t)depth};
    for (uint32_t t = 0; t < count; t++) {
        targets->format[t] = (uint16_t)formats[t];
        targets->words[t] = (uint8_t)((raster_texels[formats[t]].bits + 31u) / 32);
        targets->first[t] = targets->total;
        targets->total += targets->words[t];
    }
    return true;
}

void raster_targets_size(const struct raster_targets *targets, uint32_t *width, uint32_t *height)
{
    uint32_t words = targets->samples * UTIL_MAX(targets->total, 1u);
    *width = *height = 64;
    while (*width * *height * words > RASTER_TILE_WORDS && *width * *height > 16) {
        uint32_t *side = *width == *height ? height : width;
        *side /= 2;
    }
}

/* ---- samples ---- */

void raster_targets_get(const struct raster_targets *targets, const struct raster_tile *tile, uint32_t t,
                        uint32_t x, uint32_t y, uint32_t sample, uint32_t word[4])
{
    uint32_t at = raster_targets_word(targets, raster_targets_block(tile, x, y), t, sample, 0);
    for (uint32_t n = 0; n < 4; n++)
        word[n] = n < targets->words[t] ? tile->color[at + n * 16 + raster_lane(x, y)] : 0;
}

void raster_targets_put(const struct raster_targets *targets, struct raster_tile *tile, uint32_t t,
                        uint32_t x, uint32_t y, uint32_t sample, const uint32_t word[4])
{
    uint32_t at = raster_targets_word(targets, raster_targets_block(tile, x, y), t, sample, 0);
    for (uint32_t n = 0; n < targets->words[t]; n++)
        tile->color[at + n * 16 + raster_lane(x, y)] = word[n];
}

/* ---- clears ---- */

void raster_targets_clear(const struct raster_targets *targets, struct raster_tile *tile, uint32_t t,
                          const uint32_t word[4])
{
    const uint32_t blocks = tile->width * tile->height / 16, words = targets->words[t];
    uint32_t *at = &tile->color[raster_targets_word(targets, 0, t, 0, 0)];
    if (words == 1 && targets->total == 1) {
        raster_tile_clear_color(tile, word[0]);
        return;
    }
    for (uint32_t n = 0; n < blocks; n++, at += 16u * targets->samples * targets->total)
        for (uint32_t s = 0; s < (uint32_t)targets->samples * words; s++)
            for (uint32_t lane = 0; lane < 16; lane++)
                at[s * 16 + lane] = word[s % words];
}

void raster_targets_clear_depth(const struct raster_targets *targets, struct raster_tile *tile,
                                uint32_t depth)
{
    bool is_32 = raster_depth_is_32((enum raster_depth_kind)targets->depth);
    raster_tile_clear_zs(tile, is_32 ? depth : depth << 8, is_32 ? UINT32_MAX : 0xffffff00);
}

void raster_targets_clear_stencil(const struct raster_targets *targets, struct raster_tile *tile,
                                  uint8_t stencil)
{
    if (raster_depth_is_32((enum raster_depth_kind)targets->depth))
        memset(tile->stencil, stencil, tile->width * tile->height * tile->samples);
    else
        raster_tile_clear_zs(tile, stencil, 255);
}

void raster_targets_clear_zs(const struct raster_targets *targets, struct raster_tile *tile, uint32_t depth,
                             uint8_t stencil)
{
    if (raster_depth_is_32((enum raster_depth_kind)targets->depth)) {
        raster_targets_clear_depth(targets, tile, depth);
        raster_targets_clear_stencil(targets, tile, stencil);
    } else {
        raster_tile_clear_zs(tile, depth << 8 | stencil, UINT32_MAX);
    }
}
