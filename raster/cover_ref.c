/* Coverage from its definition: every sample of every pixel of the tile against every edge, in 64 bits. The
 * scalar twin of cover.c. */
#include "raster/prim.h"

#include <stdbool.h>

static bool inside(const struct raster_prim *prim, int64_t px, int64_t py)
{
    for (uint32_t i = 0; i < prim->edge_count; i++)
        if (prim->edge[i].a * px + prim->edge[i].b * py + prim->edge[i].c < 0)
            return false;
    return true;
}

static bool inside_clip(const struct raster_rect *clip, int64_t x, int64_t y)
{
    return x >= clip->x0 && x < clip->x1 && y >= clip->y0 && y < clip->y1;
}

uint32_t raster_cover_ref(const struct raster_prim *prim, const struct raster_tile *tile,
                          const struct raster_rect *clip, struct raster_block *blocks)
{
    uint32_t count = 0;
    for (uint32_t by = 0; by < tile->height / 4; by++) {
        for (uint32_t bx = 0; bx < tile->width / 4; bx++) {
            struct raster_block block = {.x = (uint8_t)bx, .y = (uint8_t)by};
            for (uint32_t i = 0; i < 16; i++) {
                uint32_t x = bx * 4 + i % 4, y = by * 4 + i / 4;
                int64_t wx = (int64_t)tile->x + x, wy = (int64_t)tile->y + y;
                for (uint32_t s = 0; s < tile->samples; s++)
                    if (inside_clip(clip, wx, wy) && inside(prim, wx * 16 + raster_sample_x(tile->samples, s),
                                                            wy * 16 + raster_sample_y(tile->samples, s)))
                        block.sample[s] |= (uint16_t)(1u << raster_lane(x, y));
            }
            for (uint32_t s = 0; s < tile->samples; s++)
                block.mask |= block.sample[s];
            if (block.mask)
                blocks[count++] = block;
        }
    }
    return count;
}
