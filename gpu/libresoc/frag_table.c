#include "gpu/libresoc/frag_table.h"

#include <string.h>

#include "raster/depth.h"
#include "util/bits.h"

/* ---- what programs read ---- */

/* Eight pixels of a row: every one as the inline functions of raster/prim.h and raster/depth.h have it. */
typedef float row __attribute__((vector_size(32)));
typedef int32_t columns __attribute__((vector_size(32)));
typedef double depths __attribute__((vector_size(64)));
typedef int64_t depth_mask __attribute__((vector_size(64)));
typedef uint64_t depth_sums __attribute__((vector_size(64)));

#define ALWAYS static inline __attribute__((always_inline))

/* A plane along the tile, x below a row's. */
struct slope {
    row over; /* a * x, of each column */
    float b, c;
};

ALWAYS void slope_begin(struct slope *out, const row *x, float a, float b, float c)
{
    out->over = a * *x;
    out->b = b;
    out->c = c;
}

/* *to where the mask is not set. */
ALWAYS void replace_unless(const depth_mask *mask, depths *to, double by)
{
    const depths all = by + (depths){0};
    *to = (depths)(((depth_mask)*to & *mask) | ((depth_mask)all & ~*mask));
}

/* Depths of a row, from sums of fixed point. */
ALWAYS void depth_row(const depth_sums *at, double unit, float *out)
{
    const columns whole = __builtin_convertvector(*at >> 32, columns);
    const columns part = __builtin_convertvector(*at >> 1 & 0x7fffffff, columns);
    depths steps = __builtin_convertvector(whole, depths) + __builtin_convertvector(part, depths) * 0x1p-31;
    steps = steps * unit - RASTER_DEPTH_ROUND;
    depth_mask inside = steps > 0.0;
    replace_unless(&inside, &steps, 0.0);
    inside = steps < RASTER_DEPTH_STEPS;
    replace_unless(&inside, &steps, RASTER_DEPTH_STEPS);
    const row z = __builtin_convertvector(steps * (1.0 / RASTER_DEPTH_STEPS), row);
    memcpy(out, &z, sizeof z);
}

ALWAYS void fill_depths(const struct raster_depth *depth, int32_t x, int32_t y, float *out)
{
    const double unit = (double)(1u << depth->shift);
    const uint64_t a = (uint64_t)depth->a, b = (uint64_t)depth->b;
    depth_sums at = {0, a, 2 * a, 3 * a, 4 * a, 5 * a, 6 * a, 7 * a};
    at += (uint64_t)depth->c + a * (uint64_t)x + b * (uint64_t)y;
    for (unsigned r = 0; r < LIBRESOC_TILE; r++, at += b)
        depth_row(&at, unit, out + r * LIBRESOC_TILE);
}

/* Of a row `down` pixels from where planes are counted. */
ALWAYS void fill_row(const struct slope *slope, uint32_t varyings, float down, float (*in)[LIBRESOC_LANES])
{
    const row over = slope[0].over + slope[0].b * down + slope[0].c, w = 1.0f / over;
    memcpy(in[3], &over, sizeof over);
    for (uint32_t k = 1; k <= varyings; k++) {
        const row vary = (slope[k].over + slope[k].b * down) * w + slope[k].c;
        memcpy(in[3 + k], &vary, sizeof vary);
    }
}

ALWAYS void fill(const struct raster_prim *prim, int32_t x, int32_t y, uint32_t varyings,
                 float (*in)[LIBRESOC_LANES])
{
    struct slope slope[1 + LIBRESOC_VARYINGS];
    const columns column = x + (columns){0, 1, 2, 3, 4, 5, 6, 7};
    const row across = __builtin_convertvector(column, row) + 0.5f, from = across - prim->x0;
    slope_begin(&slope[0], &from, prim->inv_w_a, prim->inv_w_b, prim->inv_w_c);
    for (uint32_t k = 0; k < varyings; k++)
        slope_begin(&slope[1 + k], &from, prim->vary_a[k], prim->vary_b[k], prim->vary_c[k]);
    fill_depths(&prim->depth, x, y, in[2]);
    for (unsigned r = 0; r < LIBRESOC_TILE; r++) {
        const float centre = (float)(y + (int32_t)r) + 0.5f;
        const row down = centre + (row){0};
        float(*at)[LIBRESOC_LANES] = (float(*)[LIBRESOC_LANES])(in[0] + r * LIBRESOC_TILE);
        memcpy(at[0], &across, sizeof across);
        memcpy(at[1], &down, sizeof down);
        fill_row(slope, varyings, centre - prim->y0, at);
    }
}

static __attribute__((target("avx2"))) void fill_avx2(const struct raster_prim *prim, int32_t x, int32_t y,
                                                      uint32_t varyings, float (*in)[LIBRESOC_LANES])
{
    fill(prim, x, y, varyings, in);
}

static __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2"))) void
fill_avx512(const struct raster_prim *prim, int32_t x, int32_t y, uint32_t varyings,
            float (*in)[LIBRESOC_LANES])
{
    fill(prim, x, y, varyings, in);
}

static void fill_sse(const struct raster_prim *prim, int32_t x, int32_t y, uint32_t varyings,
                     float (*in)[LIBRESOC_LANES])
{
    fill(prim, x, y, varyings, in);
}

void libresoc_table_fill(enum raster_cover_level level, const struct raster_prim *prim, int32_t x, int32_t y,
                         uint32_t varyings, libresoc_stream *in)
{
    (level == COVER_AVX512 ? fill_avx512
     : level == COVER_AVX2 ? fill_avx2
                           : fill_sse)(prim, x, y, varyings, (float(*)[LIBRESOC_LANES])in);
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
