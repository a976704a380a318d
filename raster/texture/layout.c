/* Where a texel stands: linear rows, and VideoCore IV's utiles, subtiles and tiles (Guide section 11). */
#include "raster/texture/texture_internal.h"

uint32_t raster_byte_offset(enum raster_layout layout, unsigned row_log2, uint32_t stride, uint32_t xb,
                            uint32_t y)
{
    unsigned rows_log2 = 6 - row_log2;
    uint32_t ux = xb >> row_log2, uy = y >> rows_log2;
    uint32_t inside = ((y & ((1u << rows_log2) - 1)) << row_log2) + (xb & ((1u << row_log2) - 1));

    switch (layout) {
    case RASTER_VC4_LT: return (uy * stride + ux) * 64 + inside;
    case RASTER_VC4_T: {
        /* Tiles run left to right in even rows and back in odd ones; subtiles turn with them. */
        uint32_t tx = ux >> 3, ty = uy >> 3, odd = ty & 1;
        uint32_t tile = ty * stride + (odd ? stride - 1 - tx : tx);
        uint32_t sub = (uy >> 2 & 1) ^ (ux & 4 ? 3 : 0) ^ (odd ? 2 : 0);
        return tile * 4096 + sub * 1024 + (uy & 3) * 256 + (ux & 3) * 64 + inside;
    }
    default: return y * stride + xb;
    }
}

/* Bit n of v moves to bit 2n. */
static uint32_t spread(uint32_t v)
{
    v = (v | v << 2) & 0x33;
    return (v | v << 1) & 0x55;
}

/* Place (x, y) in raster order of tiles; inside a tile its number has y's bits in the odd places, and x ^ y's
 * in the even ones. */
static uint32_t utgard_offset(unsigned side_log2, uint32_t bytes, uint32_t stride, uint32_t x, uint32_t y)
{
    uint32_t low = (1u << side_log2) - 1, tile = (y >> side_log2) * stride + (x >> side_log2);
    uint32_t inside = spread(x & low) ^ spread(y & low) * 3;

    return ((tile << 2 * side_log2) + inside) * bytes;
}

/* Blocks of 64 bits are those of 4x4 texels: the tile is 16x16 texels always. */
static unsigned utgard_side_log2(uint32_t bytes)
{
    return bytes == 8 ? 2 : 4;
}

unsigned raster_utile_row_log2(unsigned bits)
{
    return bits == 1 ? 2 : bits <= 8 ? 3 : 4;
}

uint32_t raster_texel_offset(enum raster_layout layout, uint32_t bytes_per_pixel, uint32_t stride, uint32_t x,
                             uint32_t y)
{
    if (layout == RASTER_UTGARD_TILED)
        return utgard_offset(utgard_side_log2(bytes_per_pixel), bytes_per_pixel, stride, x, y);
    return raster_byte_offset(layout, raster_utile_row_log2(bytes_per_pixel * 8), stride, x * bytes_per_pixel,
                              y);
}

bool raster_level_span(unsigned bits, const struct raster_level *level, uint32_t blocks_x, uint32_t blocks_y,
                       uint64_t *bytes)
{
    uint64_t row_bytes = ((uint64_t)blocks_x * bits + 7) / 8;
    unsigned row_log2 = raster_utile_row_log2(bits);
    uint64_t utiles_x = (row_bytes + (1u << row_log2) - 1) >> row_log2;
    uint64_t utiles_y = (blocks_y + (64u >> row_log2) - 1) >> (6 - row_log2);
    uint64_t span;

    switch (level->layout) {
    case RASTER_LINEAR:
        if (!util_mul(level->stride, blocks_y - 1, &span) || !util_add(span, row_bytes, &span))
            return false;
        break;
    case RASTER_VC4_LT:
        if (level->stride < utiles_x || !util_mul(level->stride, utiles_y * 64, &span))
            return false;
        break;
    case RASTER_VC4_T:
        if (level->stride < (utiles_x + 7) / 8 || !util_mul(level->stride, (utiles_y + 7) / 8 * 4096, &span))
            return false;
        break;
    case RASTER_UTGARD_TILED: {
        unsigned side = utgard_side_log2(bits / 8);
        uint64_t tiles_x = ((uint64_t)blocks_x + (1u << side) - 1) >> side,
                 tiles_y = ((uint64_t)blocks_y + (1u << side) - 1) >> side;

        if (bits < 8 || level->stride < tiles_x || !util_mul(level->stride, tiles_y, &span) ||
            !util_mul(span, (uint64_t)(bits / 8) << 2 * side, &span))
            return false;
        break;
    }
    default: return false;
    }
    *bytes = span;
    return true;
}
