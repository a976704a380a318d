#include "gpu/watch.h"

#include <stdlib.h>

struct gpu_color gpu_tile_color(const struct raster_tile *tile, uint32_t target, uint32_t x, uint32_t y,
                                uint32_t sample)
{
    struct gpu_color color = {.format = RASTER_R8G8B8A8_UNORM};
    if (tile->targets) {
        if (target >= tile->targets->count || !tile->targets->words[target])
            return (struct gpu_color){.format = RASTER_FORMAT_NONE};
        color.format = tile->targets->format[target];
        raster_targets_get(tile->targets, tile, target, x, y, sample, color.word);
        return color;
    }
    const uint64_t words = raster_tile_color(tile, x, y, sample);
    if (tile->target == RASTER_TARGET_RGBA16F)
        color.format = RASTER_R16G16B16A16_FLOAT;
    color.word[0] = (uint32_t)words;
    color.word[1] = (uint32_t)(words >> 32);
    return color;
}

uint8_t gpu_tile_depth_kind(const struct raster_tile *tile)
{
    return tile->targets ? tile->targets->depth : RASTER_DEPTH_UNORM24;
}

struct gpu_zs gpu_tile_zs(const struct raster_tile *tile, uint32_t x, uint32_t y, uint32_t sample)
{
    const uint32_t at = raster_pixel_index(tile, x, y, sample), word = tile->zs[at];
    if (raster_depth_is_32((enum raster_depth_kind)gpu_tile_depth_kind(tile)))
        return (struct gpu_zs){word, tile->stencil[at]};
    return (struct gpu_zs){word >> 8, (uint8_t)word};
}

void gpu_lane_finish(struct gpu_lane *lane)
{
    free(lane->varyings.at);
    free(lane->lookups.at);
    free(lane->tests.at);
    free(lane->trace.at);
    *lane = (struct gpu_lane){0};
}
