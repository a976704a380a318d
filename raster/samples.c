#include "raster/samples.h"

#include "raster/coverage.h"

/* Pairs of nibbles, sample 0 first: x, y. Direct3D has sample 9 of sixteen at (8, 1); Mesa's table, which programs
 * are told, has it at (8, 15). */
static const uint8_t positions[5][RASTER_TARGET_SAMPLES] = {
    {0x88},
    {0xcc, 0x44},
    {0x62, 0xe6, 0x2a, 0xae},
    {0x95, 0x7b, 0xd9, 0x53, 0x3d, 0x17, 0xbf, 0xf1},
    {0x99, 0x75, 0x5a, 0xc7, 0x36, 0xad, 0xdb, 0xb3, 0x6e, 0x8f, 0x42, 0x2c, 0x08, 0xf4, 0xef, 0x10},
};

void raster_samples_position(uint32_t samples, uint32_t sample, int32_t *x, int32_t *y)
{
    uint8_t at = positions[__builtin_ctz(samples)][sample];
    *x = at >> 4;
    *y = at & 15;
}

uint32_t raster_samples_cover(const struct raster_prim *prim, const struct raster_tile *tile,
                              uint32_t samples, const struct raster_rect *clip, bool reference,
                              struct raster_samples_block *blocks, struct raster_block *scratch)
{
    struct raster_samples_block all[RASTER_BLOCKS_MAX] = {0};
    uint32_t columns = tile->width / 4, rows = tile->height / 4, count = 0;
    for (uint32_t s = 0; s < samples; s++) {
        int32_t x, y;
        raster_samples_position(samples, s, &x, &y);
        uint32_t n = raster_cover_position(prim, tile, clip, x, y, reference, scratch);
        for (uint32_t i = 0; i < n; i++) {
            struct raster_samples_block *at = &all[scratch[i].y * columns + scratch[i].x];
            at->sample[s] = scratch[i].mask;
            at->mask |= scratch[i].mask;
        }
    }
    for (uint32_t i = 0; i < columns * rows; i++)
        if (all[i].mask) {
            all[i].x = (uint8_t)(i % columns);
            all[i].y = (uint8_t)(i / columns);
            blocks[count++] = all[i];
        }
    return count;
}

bool raster_samples_alpha(uint32_t samples, uint32_t sample, float alpha)
{
    return alpha * (float)samples >= (float)sample + 0.5f;
}
