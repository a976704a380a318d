/* Coverage by sixteen samples: a position of the sixteen is a pixel's centre once the primitive is moved, so
 * the blocks of each come from raster_cover. */
#include "raster/coverage.h"

#include <assert.h>
#include <string.h>

uint32_t raster_cover_position(const struct raster_prim *prim, const struct raster_tile *tile,
                               const struct raster_rect *clip, int32_t x, int32_t y, bool reference,
                               struct raster_block *blocks)
{
    struct raster_prim moved; /* only what coverage looks at */
    moved.edge_count = prim->edge_count;
    memcpy(moved.edge, prim->edge, sizeof moved.edge);
    moved.min_x = prim->min_x;
    moved.min_y = prim->min_y;
    moved.max_x = prim->max_x;
    moved.max_y = prim->max_y;
    for (uint32_t i = 0; i < moved.edge_count; i++)
        moved.edge[i].c +=
            (int64_t)moved.edge[i].a * (x - 8) + (int64_t)moved.edge[i].b * (y - 8); /* centres: (8, 8) */
    return reference ? raster_cover_ref(&moved, tile, clip, blocks)
                     : raster_cover(&moved, tile, clip, blocks);
}

/* The counter in the low two bits after one more primitive. */
static uint32_t count(uint32_t counter, enum raster_coverage_update update, bool reverse)
{
    switch (update) {
    case RASTER_COVERAGE_NONZERO: return (counter + (reverse ? 3 : 1)) & 3;
    case RASTER_COVERAGE_ODD: return ~counter & 1;
    case RASTER_COVERAGE_OR: return 1;
    default: return 0;
    }
}

static void update_block(uint32_t words[16], uint32_t lanes, uint32_t first, uint32_t samples,
                         const uint8_t next[4])
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t *word = &words[__builtin_ctz(lanes)];
        for (uint32_t s = first; s < first + samples; s++)
            *word = (*word & ~(3u << 2 * s)) | (uint32_t)next[*word >> 2 * s & 3] << 2 * s;
    }
}

void raster_coverage_add(const struct raster_prim *prim, struct raster_tile *tile,
                         const struct raster_rect *clip, uint32_t positions,
                         enum raster_coverage_update update, bool reference, struct raster_block *blocks)
{
    uint32_t samples = RASTER_COVERAGE_SAMPLES / positions;
    uint8_t next[4];
    assert(tile->samples == 1);
    for (uint32_t c = 0; c < 4; c++)
        next[c] = (uint8_t)count(c, update, prim->reverse);
    for (uint32_t k = 0; k < positions; k++) {
        int32_t x = positions == 16 ? raster_coverage_x(k) : raster_sample_x(positions, k);
        int32_t y = positions == 16 ? raster_coverage_y(k) : raster_sample_y(positions, k);
        uint32_t n = raster_cover_position(prim, tile, clip, x, y, reference, blocks);
        for (uint32_t i = 0; i < n; i++)
            update_block(&tile->zs[raster_block_index(tile, blocks[i].x * 4u, blocks[i].y * 4u, 0)],
                         blocks[i].mask, k * samples, samples, next);
    }
}

uint32_t raster_cover_any(const struct raster_prim *prim, const struct raster_tile *tile,
                          const struct raster_rect *clip, bool reference, struct raster_block *blocks)
{
    uint16_t lanes[RASTER_BLOCKS_MAX] = {0};
    uint32_t columns = tile->width / 4, rows = tile->height / 4, count_out = 0;
    assert(tile->samples == 1);
    for (uint32_t s = 0; s < RASTER_COVERAGE_SAMPLES; s++) {
        uint32_t n = raster_cover_position(prim, tile, clip, raster_coverage_x(s), raster_coverage_y(s),
                                           reference, blocks);
        for (uint32_t i = 0; i < n; i++)
            lanes[blocks[i].y * columns + blocks[i].x] |= blocks[i].mask;
    }
    for (uint32_t i = 0; i < columns * rows; i++)
        if (lanes[i])
            blocks[count_out++] = (struct raster_block){.x = (uint8_t)(i % columns),
                                                        .y = (uint8_t)(i / columns),
                                                        .mask = lanes[i],
                                                        .sample = {lanes[i]}};
    return count_out;
}
