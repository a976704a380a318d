/* Tiles of triangles and lines: per tile row, the run of tiles that no edge excludes. */
#include "tiler/cover.h"

#include <stdlib.h>

/* Positions with a * x + b * y + c >= 0 are inside. |a|, |b| < 2^21, |c| < 2^43: sums stay far below 2^63. */
struct edge {
    int64_t a, b, c;
};

/* An edge's greatest value over the samples of tile row `ty`, as a function of the tile column: k + a * x, x
 * being the column's side on which the value is greatest. */
struct row_edge {
    int64_t a, k;
};

static struct row_edge row_edge(const struct tiler_grid *g, const struct edge *e, int32_t ty)
{
    int64_t side = 16ll << g->shift, height = side >> g->flat;
    int64_t y = ty * height + (e->b >= 0 ? height - g->inset : g->inset);
    int64_t x = e->a >= 0 ? side - g->inset : g->inset;
    return (struct row_edge){e->a * side, e->b * y + e->c + e->a * x};
}

static bool excluded(const struct row_edge *edges, uint32_t count, int32_t tx)
{
    for (uint32_t i = 0; i < count; i++)
        if (edges[i].k + edges[i].a * tx < 0)
            return true;
    return false;
}

/* Each edge alone allows the columns on one side of a limit, so what all allow is one run. */
static void cover(const struct tiler_grid *grid, const struct tiler_box *box, const struct edge *edges,
                  uint32_t count, struct tiler_spans *out)
{
    struct row_edge row[4];
    out->y = box->y0;
    out->count = box->y1 - box->y0 + 1;
    for (int32_t r = 0; r < out->count; r++) {
        int32_t first = box->x0, last = box->x1;
        for (uint32_t i = 0; i < count; i++)
            row[i] = row_edge(grid, &edges[i], box->y0 + r);
        while (first <= last && excluded(row, count, first))
            first++;
        while (first < last && excluded(row, count, last))
            last--;
        out->row[r].first = first;
        out->row[r].last = last;
    }
}

void tiler_cover_triangle(const struct tiler_grid *grid, const struct tiler_box *box, const int32_t x[3],
                          const int32_t y[3], struct tiler_spans *out)
{
    struct edge edges[3];
    int64_t area = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
    int64_t sign = area < 0 ? -1 : 1;
    for (unsigned i = 0; i < 3; i++) {
        unsigned j = i == 2 ? 0 : i + 1;
        edges[i].a = sign * (y[i] - y[j]);
        edges[i].b = sign * (x[j] - x[i]);
        edges[i].c = -(edges[i].a * x[i] + edges[i].b * y[i]);
    }
    cover(grid, box, edges, 3, out);
}

void tiler_cover_line(const struct tiler_grid *grid, const struct tiler_box *box, const int32_t x[2],
                      const int32_t y[2], int32_t half, struct tiler_spans *out)
{
    int64_t dx = x[1] - x[0], dy = y[1] - y[0];
    int64_t width = half * (llabs(dx) >= llabs(dy) ? llabs(dx) : llabs(dy));
    /* The line through both ends is -dy * x + dx * y + c = 0; moving `half` along the minor axis adds width.
     */
    struct edge edges[2];
    edges[0] = (struct edge){-dy, dx, dy * x[0] - dx * y[0] + width};
    edges[1] = (struct edge){dy, -dx, -dy * x[0] + dx * y[0] + width};
    cover(grid, box, edges, 2, out);
}
