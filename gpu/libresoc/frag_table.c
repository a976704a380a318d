#include "gpu/libresoc/frag_table.h"

#include <string.h>

#include "raster/depth.h"
#include "util/bits.h"

/* ---- what programs read ---- */

/* A row of pixels: as the inline functions of raster/prim.h and raster/depth.h have one. */
typedef float row[LIBRESOC_TILE];

static inline __attribute__((always_inline)) void plane(const row x, float y, float a, float b, row out)
{
    for (unsigned c = 0; c < LIBRESOC_TILE; c++)
        out[c] = a * x[c] + b * y;
}

static inline __attribute__((always_inline)) void depths(const struct raster_depth *depth, int32_t x,
                                                         int32_t y, float *out)
{
    const double unit = (double)(1u << depth->shift);
    const uint64_t first =
        (uint64_t)depth->c + (uint64_t)depth->a * (uint64_t)x + (uint64_t)depth->b * (uint64_t)y;
    for (unsigned c = 0; c < LIBRESOC_TILE; c++) {
        const uint64_t at = first + (uint64_t)depth->a * c;
        const int32_t whole = (int32_t)(at >> 32), part = (int32_t)((uint32_t)at >> 1);
        const double steps = ((double)whole + (double)part * 0x1p-31) * unit - RASTER_DEPTH_ROUND;
        out[c] = (float)(raster_depth_clamp(steps) * (1.0 / RASTER_DEPTH_STEPS));
    }
}

static inline __attribute__((always_inline)) void
fill_row(const struct raster_prim *prim, int32_t x, int32_t y, uint32_t varyings, float (*in)[LIBRESOC_LANES])
{
    row from, over, w;
    const float down = (float)y + 0.5f - prim->y0;
    for (unsigned c = 0; c < LIBRESOC_TILE; c++) {
        in[0][c] = (float)(x + (int32_t)c) + 0.5f;
        in[1][c] = (float)y + 0.5f;
        from[c] = in[0][c] - prim->x0;
    }
    depths(&prim->depth, x, y, in[2]);
    plane(from, down, prim->inv_w_a, prim->inv_w_b, over);
    for (unsigned c = 0; c < LIBRESOC_TILE; c++) {
        in[3][c] = over[c] + prim->inv_w_c;
        w[c] = 1.0f / in[3][c];
    }
    for (uint32_t k = 0; k < varyings; k++) {
        plane(from, down, prim->vary_a[k], prim->vary_b[k], over);
        for (unsigned c = 0; c < LIBRESOC_TILE; c++)
            in[4 + k][c] = over[c] * w[c] + prim->vary_c[k];
    }
}

static inline __attribute__((always_inline)) void fill(const struct raster_prim *prim, int32_t x, int32_t y,
                                                       uint32_t varyings, float (*in)[LIBRESOC_LANES])
{
    for (unsigned r = 0; r < LIBRESOC_TILE; r++)
        fill_row(prim, x, y + (int32_t)r, varyings, (float(*)[LIBRESOC_LANES])(in[0] + r * LIBRESOC_TILE));
}

static __attribute__((target("avx2"))) void fill_avx2(const struct raster_prim *prim, int32_t x, int32_t y,
                                                      uint32_t varyings, float (*in)[LIBRESOC_LANES])
{
    fill(prim, x, y, varyings, in);
}

static void fill_sse(const struct raster_prim *prim, int32_t x, int32_t y, uint32_t varyings,
                     float (*in)[LIBRESOC_LANES])
{
    fill(prim, x, y, varyings, in);
}

void libresoc_table_fill(const struct raster_prim *prim, int32_t x, int32_t y, uint32_t varyings,
                         libresoc_stream *in)
{
    (__builtin_cpu_supports("avx2") ? fill_avx2 : fill_sse)(prim, x, y, varyings,
                                                            (float(*)[LIBRESOC_LANES])in);
}

/* ---- colours ---- */

/* Two pixels of a row that stand side by side in a block's lanes, too. */
typedef uint64_t pair;
#define PAIRS 8u /* of a block; number n has columns n / 2 % 2, rows n % 2, of quad n / 4 */

static unsigned row_of(unsigned n)
{
    return n % 2 + n / 4 * 2;
}

static unsigned column_of(unsigned n)
{
    return n / 2 % 2 * 2;
}

static const uint32_t *block_at(const struct raster_tile *tile, uint32_t x, uint32_t y, unsigned n)
{
    return tile->color + raster_block_index(tile, x + n % 2 * 4, y + n / 2 * 4, 0);
}

void libresoc_table_load(const struct raster_tile *tile, uint32_t x, uint32_t y, libresoc_stream rows)
{
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++) {
        const uint32_t *from = block_at(tile, x, y, n);
        uint32_t *to = rows + n / 2 * 4 * LIBRESOC_TILE + n % 2 * 4;
        for (unsigned p = 0; p < PAIRS; p++)
            memcpy(to + row_of(p) * LIBRESOC_TILE + column_of(p), from + 2 * p, sizeof(pair));
    }
}

void libresoc_table_store(struct raster_tile *tile, uint32_t x, uint32_t y, const libresoc_stream rows,
                          uint64_t mask)
{
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++) {
        const uint32_t lanes = libresoc_table_lanes(mask, n);
        const uint32_t *from = rows + n / 2 * 4 * LIBRESOC_TILE + n % 2 * 4;
        uint32_t *to = tile->color + (block_at(tile, x, y, n) - tile->color);
        uint32_t all[2 * PAIRS];
        for (unsigned p = 0; p < PAIRS; p++)
            memcpy(all + 2 * p, from + row_of(p) * LIBRESOC_TILE + column_of(p), sizeof(pair));
        for (unsigned lane = 0; lane < 2 * PAIRS; lane++)
            to[lane] = lanes & 1u << lane ? all[lane] : to[lane];
    }
}

/* ---- masks ---- */

/* Of lanes 0 and 1, 4 and 5 of a row of a block, which begins at lane `first`. */
static uint64_t row_bits(uint32_t lanes, unsigned first)
{
    lanes >>= first;
    return (lanes & 3) | (lanes >> 2 & 12);
}

uint64_t libresoc_table_mask(const uint16_t block[LIBRESOC_QUAD])
{
    uint64_t mask = 0;
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        for (unsigned r = 0; r < 4; r++)
            mask |= row_bits(block[n], r % 2 * 2 + r / 2 * 8) << libresoc_bit(n, raster_lane(0, r));
    return mask;
}

uint16_t libresoc_table_lanes(uint64_t mask, unsigned block)
{
    uint32_t lanes = 0;
    for (unsigned r = 0; r < 4; r++) {
        const uint32_t bits = (uint32_t)(mask >> libresoc_bit(block, raster_lane(0, r))) & 15;
        lanes |= ((bits & 3) | (bits & 12) << 2) << (r % 2 * 2 + r / 2 * 8);
    }
    return (uint16_t)lanes;
}
