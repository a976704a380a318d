/* Which tiles a primitive can touch. Positions are 1/16 pixel in window coordinates, as in raster/prim.h. The
 * answer is exact for the edges of triangles up to the border of sample positions: no tile that holds a
 * covered sample is missed, and a tile is taken only when no single edge excludes it. */
#ifndef VITRAIL_TILER_COVER_H
#define VITRAIL_TILER_COVER_H

#include <stdbool.h>
#include <stdint.h>

#define TILER_MAX_ROWS 256 /* tile rows of a frame */

struct tiler_grid {
    uint32_t shift;         /* log2 of a tile's width in pixels */
    uint32_t flat;          /* log2 of its width by its height: 0 for square tiles */
    int32_t x0, y0, x1, y1; /* pixels that can be drawn; x1, y1 exclusive; inside the tiles of the frame */
    int32_t inset; /* first sample's distance from a pixel's border: 8 for centres, 2 for 4 samples */
};

/* Tiles, inclusive on both sides. */
struct tiler_box {
    int32_t x0, y0, x1, y1;
};

/* Tiles y..y + count - 1 in rows; row r takes first..last (nothing when last < first). */
struct tiler_spans {
    int32_t y, count;
    struct {
        int32_t first, last;
    } row[TILER_MAX_ROWS];
};

/* The tiles that the samples between the given positions (inclusive) stand in; false when there are none. */
static inline bool tiler_bounds(const struct tiler_grid *g, int32_t min_x, int32_t min_y, int32_t max_x,
                                int32_t max_y, struct tiler_box *out)
{
    int32_t px0 = (min_x + g->inset - 1) >> 4, py0 = (min_y + g->inset - 1) >> 4;
    int32_t px1 = (max_x - g->inset) >> 4, py1 = (max_y - g->inset) >> 4;
    px0 = px0 < g->x0 ? g->x0 : px0;
    py0 = py0 < g->y0 ? g->y0 : py0;
    px1 = px1 >= g->x1 ? g->x1 - 1 : px1;
    py1 = py1 >= g->y1 ? g->y1 - 1 : py1;
    out->x0 = px0 >> g->shift;
    out->y0 = py0 >> (g->shift - g->flat);
    out->x1 = px1 >> g->shift;
    out->y1 = py1 >> (g->shift - g->flat);
    return px0 <= px1 && py0 <= py1;
}

/* One row or column of tiles needs no edge test: the primitive is connected and reaches from end to end. */
static inline bool tiler_box_is_strip(const struct tiler_box *box)
{
    return box->x0 == box->x1 || box->y0 == box->y1;
}

/* The tiles of `box` (from tiler_bounds) that a triangle of either winding can touch. |coordinates| < 2^20.
 */
void tiler_cover_triangle(const struct tiler_grid *grid, const struct tiler_box *box, const int32_t x[3],
                          const int32_t y[3], struct tiler_spans *out);
/* Likewise a line `half` (1/16 pixel) wide on each side, measured along the minor axis. */
void tiler_cover_line(const struct tiler_grid *grid, const struct tiler_box *box, const int32_t x[2],
                      const int32_t y[2], int32_t half, struct tiler_spans *out);

#endif
