/* Primitive set-up: vertices to edges and planes.
 *
 * Edges are exact. Vertices lie within +-2^20 (1/16 pixel), a line's or point's outline within +-2^21: so
 * |a|, |b| < 2^22, |c| < 2 * 2^22 * 2^21 = 2^44 and an edge's value anywhere there < 2^45.
 * Planes are evaluated in double from exact differences, every product and sum rounded once, and but for
 * depth (fixed point) rounded to float at the end: one instruction sequence at every CPU level, no
 * contraction (CMakeLists.txt). */
#include "raster/depth.h"

#include <math.h>
#include <stdlib.h>

#include "util/bits.h"

#define SIZE_LIMIT 4096.0f /* pixels, of points and lines: keeps their outlines inside 2^21 */

/* Screen gradients of a value from its differences to the reference vertex: a = ax[0] * d1 + ax[1] * d2,
 * b likewise. */
struct gradient {
    double ax[2], by[2];
};

static bool in_range(int32_t position)
{
    return position > -RASTER_POSITION_LIMIT && position < RASTER_POSITION_LIMIT;
}

static bool drawable(const struct raster_vertex *v)
{
    return in_range(v->x) && in_range(v->y) && !isnan(v->z) && !isnan(v->inv_w);
}

static void set_plane(const struct gradient *g, double d1, double d2, float *a, float *b)
{
    *a = (float)(g->ax[0] * d1 + g->ax[1] * d2);
    *b = (float)(g->by[0] * d1 + g->by[1] * d2);
}

/* Adds the half plane a * (px - x) + b * (py - y) >= 0. Positions exactly on it are inside when it is a left
 * edge (the inside is to the right) or a top edge (level, the inside below); elsewhere > 0 is written as - 1.
 * So of two primitives that share an edge exactly one owns a position on it. */
static void add_edge(struct raster_prim *out, int32_t a, int32_t b, int32_t x, int32_t y)
{
    bool top_left = a > 0 || (a == 0 && b > 0);
    uint32_t i = out->edge_count++;
    out->edge[i].a = a;
    out->edge[i].b = b;
    out->edge[i].c = -((int64_t)a * x + (int64_t)b * y) - (top_left ? 0 : 1);
}

/* Pixels whose centre or samples can lie inside the box (1/16 pixel, inclusive): with samples 2 to 14 into a
 * pixel, the first counts from min - 14 rounded up and the last from max - 2 rounded down; sixteen samples
 * stand 0 to 15 into it. False when none. */
static bool set_bounds(struct raster_prim *out, const struct raster_setup *setup, int32_t min_x,
                       int32_t min_y, int32_t max_x, int32_t max_y)
{
    int32_t first = setup->sixteen ? 0 : setup->centres_only ? 8 : 2;
    int32_t last = setup->sixteen ? 15 : setup->centres_only ? 8 : 14;
    out->min_x = (min_x - last + 15) >> 4;
    out->min_y = (min_y - last + 15) >> 4;
    out->max_x = (max_x - first) >> 4;
    out->max_y = (max_y - first) >> 4;
    return out->min_x <= out->max_x && out->min_y <= out->max_y;
}

/* Reference vertex and the values at it; the planes follow. */
static void begin_prim(struct raster_prim *out, const struct raster_setup *setup,
                       const struct raster_vertex *v, uint32_t extra)
{
    out->x0 = (float)v->x * 0.0625f;
    out->y0 = (float)v->y * 0.0625f;
    out->inv_w_c = v->inv_w;
    out->reverse = 0;
    out->edge_count = 0;
    out->vary_count = extra + UTIL_MIN(setup->vary_count, RASTER_MAX_VARYINGS - extra);
}

/* One vertex's value everywhere. */
static void set_flat(struct raster_prim *out, uint32_t slot, const struct raster_vertex *v, uint32_t n)
{
    out->vary_a[slot] = 0.0f;
    out->vary_b[slot] = 0.0f;
    out->vary_c[slot] = v->vary[(size_t)n * v->vary_stride];
}

/* Planes of z, 1/w and varyings over `count` (2 or 3) vertices. */
static void set_planes(struct raster_prim *out, const struct raster_setup *setup,
                       const struct raster_vertex *v, unsigned count, const struct gradient *g,
                       uint32_t extra)
{
    const struct raster_vertex *v1 = &v[1], *v2 = &v[count - 1];
    double w1 = v1->inv_w, w2 = v2->inv_w;
    out->depth = raster_depth_through(g->ax, g->by, (const float[3]){v->z, v1->z, v2->z},
                                      count == 3 && setup->depth_offset >> out->reverse & 1 ? setup : NULL,
                                      v->x, v->y);
    set_plane(g, w1 - v->inv_w, w2 - v->inv_w, &out->inv_w_a, &out->inv_w_b);
    const float *p0 = v->vary, *p1 = v1->vary, *p2 = v2->vary;
    for (uint32_t slot = extra, n = 0; slot < out->vary_count; slot++, n++) {
        if (raster_setup_is_flat(setup, n)) {
            set_flat(out, slot, setup->flat_first ? v : v2, n);
        } else {
            double c = *p0;
            set_plane(g, (*p1 - c) * w1, (*p2 - c) * w2, &out->vary_a[slot], &out->vary_b[slot]);
            out->vary_c[slot] = *p0;
        }
        p0 += v->vary_stride;
        p1 += v1->vary_stride;
        p2 += v2->vary_stride;
    }
}

bool raster_setup_triangle(struct raster_prim *out, const struct raster_setup *setup,
                           const struct raster_vertex v[3])
{
    if (!drawable(&v[0]) || !drawable(&v[1]) || !drawable(&v[2]))
        return false;
    int32_t dx1 = v[1].x - v[0].x, dy1 = v[1].y - v[0].y; /* < 2^21 */
    int32_t dx2 = v[2].x - v[0].x, dy2 = v[2].y - v[0].y;
    int64_t area = (int64_t)dx1 * dy2 - (int64_t)dx2 * dy1; /* < 2^43 */
    bool reverse = (area < 0) != setup->clockwise_forward;
    if (area == 0 || (reverse ? setup->cull_reverse : setup->cull_forward))
        return false;
    if (!set_bounds(out, setup, UTIL_MIN(UTIL_MIN(v[0].x, v[1].x), v[2].x),
                    UTIL_MIN(UTIL_MIN(v[0].y, v[1].y), v[2].y), UTIL_MAX(UTIL_MAX(v[0].x, v[1].x), v[2].x),
                    UTIL_MAX(UTIL_MAX(v[0].y, v[1].y), v[2].y)))
        return false;

    begin_prim(out, setup, &v[0], 0);
    out->reverse = reverse;
    int32_t s = area < 0 ? -1 : 1;
    for (unsigned i = 0; i < 3; i++) {
        const struct raster_vertex *p = &v[i], *q = &v[i == 2 ? 0 : i + 1];
        add_edge(out, s * (p->y - q->y), s * (q->x - p->x), p->x, p->y);
    }

    double inv = 16.0 / (double)area; /* differences in 1/16, gradients a pixel */
    struct gradient g = {{dy2 * inv, -dy1 * inv}, {-dx2 * inv, dx1 * inv}};
    set_planes(out, setup, v, 3, &g, 0);
    return true;
}

/* Where along the major axis drawing starts or stops, for an end at (x, y). GL moves ends by -(epsilon,
 * epsilon^2), so that none lies on the border of a diamond (GL ES 2.0 section 3.4.1): seen backwards, an end
 * on a position is just past it. A start inside a pixel's diamond and past its centre still draws that pixel,
 * an end there does not: then the centre counts instead of the end. */
static int32_t line_end(int32_t x, int32_t y, bool x_major, int32_t direction)
{
    int32_t fx = ((x - 1) & 15) + 1, fy = ((y - 1) & 15) + 1; /* 1..16 */
    int32_t distance = abs(fx - 8) + abs(fy - 8);
    bool inside = distance < 8 || (distance == 8 && fx > 8);
    int32_t position = x_major ? x : y, past = (x_major ? fx : fy) - 8;
    bool past_centre = direction > 0 ? past > 0 : past <= 0;
    return position - (inside && past_centre ? past : direction < 0 ? 1 : 0);
}

static int32_t line_width(float pixels)
{
    float whole = floorf(fminf(fmaxf(pixels, 1.0f), SIZE_LIMIT) + 0.5f); /* fmaxf: NaN gives 1 */
    return (int32_t)whole * 16;
}

bool raster_setup_line(struct raster_prim *out, const struct raster_setup *setup,
                       const struct raster_vertex v[2], bool extra_varying)
{
    if (!drawable(&v[0]) || !drawable(&v[1]))
        return false;
    int32_t dx = v[1].x - v[0].x, dy = v[1].y - v[0].y;
    bool x_major = abs(dx) >= abs(dy);
    int32_t major = x_major ? dx : dy, minor = x_major ? dy : dx;
    int32_t direction = major < 0 ? -1 : 1;
    int32_t start = line_end(v[0].x, v[0].y, x_major, direction);
    int32_t end = line_end(v[1].x, v[1].y, x_major, direction);
    if ((end - start) * direction <= 0)
        return false;

    int32_t width = line_width(setup->line_width), half = width / 2;
    /* The diamond can draw start and end out by half a pixel, and at most that far sideways. */
    int32_t minor0 = x_major ? v[0].y : v[0].x, minor1 = x_major ? v[1].y : v[1].x;
    int32_t lo = UTIL_MIN(minor0, minor1) - half - 8, hi = UTIL_MAX(minor0, minor1) + half + 8;
    int32_t first = UTIL_MIN(start, end), last = UTIL_MAX(start, end);
    if (!(x_major ? set_bounds(out, setup, first, lo, last, hi)
                  : set_bounds(out, setup, lo, first, hi, last)))
        return false;

    begin_prim(out, setup, &v[0], extra_varying ? 1 : 0);
    /* The long edges: minor >= line - half and minor <= line + half, each times |major|. */
    int32_t across = abs(major), along = -minor * direction;
    if (x_major) {
        add_edge(out, along, across, v[0].x, v[0].y - half);
        add_edge(out, -along, -across, v[0].x, v[0].y + half);
    } else {
        add_edge(out, across, along, v[0].x - half, v[0].y);
        add_edge(out, -across, -along, v[0].x + half, v[0].y);
    }
    /* The ends: from start on, and before end, whichever way the line runs. */
    int32_t ex = x_major ? direction : 0, ey = x_major ? 0 : direction;
    out->edge[2].a = ex;
    out->edge[2].b = ey;
    out->edge[2].c = -(int64_t)direction * start;
    out->edge[3].a = -ex;
    out->edge[3].b = -ey;
    out->edge[3].c = (int64_t)direction * end - 1;
    out->edge_count = 4;

    double inv = 16.0 / (double)major;
    struct gradient g = {{x_major ? inv : 0.0, 0.0}, {x_major ? 0.0 : inv, 0.0}};
    set_planes(out, setup, v, 2, &g, extra_varying ? 1 : 0);
    if (extra_varying) {
        /* Distance from the middle in widths, times the first vertex's 1/w: exact where w is constant. */
        double scale = 16.0 / (double)width * v[0].inv_w, slope = (double)minor / (double)major;
        float up = (float)scale, down = (float)(-slope * scale);
        out->vary_a[0] = x_major ? down : up;
        out->vary_b[0] = x_major ? up : down;
        out->vary_c[0] = 0.5f;
    }
    return true;
}

bool raster_setup_point(struct raster_prim *out, const struct raster_setup *setup,
                        const struct raster_vertex *v, float size, bool extra_varyings)
{
    if (!drawable(v) || !(size > 0.0f))
        return false;
    float pixels = fminf(fmaxf(size, 0.0625f), SIZE_LIMIT);
    int32_t side = (int32_t)(pixels * 16.0f + 0.5f), half = side / 2;
    int32_t x0 = v->x - half, y0 = v->y - half, x1 = x0 + side, y1 = y0 + side;
    if (!set_bounds(out, setup, x0, y0, x1, y1))
        return false;

    uint32_t extra = extra_varyings ? 2 : 0;
    begin_prim(out, setup, v, extra);
    add_edge(out, 1, 0, x0, y0);
    add_edge(out, 0, 1, x0, y0);
    add_edge(out, -1, 0, x1, y1);
    add_edge(out, 0, -1, x1, y1);
    out->depth =
        raster_depth_plane(0, 0, v->z * RASTER_DEPTH_STEPS, fabsf(v->z) * RASTER_DEPTH_STEPS, v->x, v->y);
    out->inv_w_a = out->inv_w_b = 0.0f;
    for (uint32_t slot = extra, n = 0; slot < out->vary_count; slot++, n++)
        set_flat(out, slot, v, n);
    if (extra) {
        float step = v->inv_w / pixels; /* the program multiplies by w */
        out->vary_a[0] = step;
        out->vary_b[1] = setup->point_down ? step : -step;
        out->vary_b[0] = out->vary_a[1] = 0.0f;
        out->vary_c[0] = out->vary_c[1] = 0.5f;
    }
    return true;
}
