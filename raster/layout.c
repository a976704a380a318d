/* Where a texel stands: linear rows, and VideoCore IV's utiles, subtiles and tiles (Guide section 11). */
#include "raster/texture_internal.h"

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

unsigned raster_utile_row_log2(unsigned bits)
{
    return bits == 1 ? 2 : bits <= 8 ? 3 : 4;
}

uint32_t raster_texel_offset(enum raster_layout layout, uint32_t bytes_per_pixel, uint32_t stride, uint32_t x,
                             uint32_t y)
{
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
    default: return false;
    }
    *bytes = span;
    return true;
}
