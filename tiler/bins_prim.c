/* One primitive: culled, clipped against near, far and a guard band, and as parts for the tile lists. */
#include "tiler/bins_internal.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"
#include "util/half.h"

#define SIZE_LEAST 0.0625f /* pixels */
#define SIZE_MOST  4096.0f

static void load(const struct tiler_bins *b, uint32_t index, struct tiler_window_vertex *out)
{
    const void *at = b->culls ? (const void *)b->room->vertices.position[index - b->origin]
                              : b->arrays.positions + (uint64_t)index * TILER_POSITION;
    tiler_window_load(&b->draw.window, at, out);
}

/* In 1/16 pixel. What a window of numbers without measure has put beyond all that is drawn stays beyond it, and products of differences
 * below 2^63. */
static int32_t fixed(float pixels)
{
    static const float most = 0x1p26f;
    float x = pixels * 16;
    x = x > -most ? x : -most;
    return (int32_t)lrintf(x < most ? x : most);
}

static float window_depth(const struct tiler_window *w, const struct tiler_window_vertex *v,
                          const float weight[3], const float position[4], unsigned count)
{
    float near = w->near, far = w->far;
    if (near != far)
        return (position[2] / position[3] * (far - near) + (near + far)) * 0.5f;
    float sum = 0;
    for (unsigned k = 0; k < count; k++)
        sum += v[k].z * v[k].clip[3] * weight[k];
    return sum / position[3];
}

static struct tiler_bins_part *add_part(struct tiler_bins *b, enum tiler_entry_kind kind,
                                        const uint32_t index[3])
{
    struct tiler_bins_part *part = &b->part[b->part_count++];
    *part = (struct tiler_bins_part){.kind = kind};
    memcpy(part->index, index, sizeof part->index);
    memcpy(part->clipped.index, index, sizeof part->index);
    return part;
}

/* ---- triangles ---- */

/* Whether a triangle of this area is seen. */
static bool faces(const struct tiler_bins *b, const struct tiler_bins_part *t)
{
    int64_t area = (int64_t)(t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) -
                   (int64_t)(t->x[2] - t->x[0]) * (t->y[1] - t->y[0]);
    bool seen = area > 0 ? b->draw.keep_positive : area < 0 && b->draw.keep_negative;
    if (!seen && area && b->draw.told)
        b->ports->culled(b->ctx, b->primitive, t->x, t->y);
    return seen;
}

/* Vertex `n` of a clipped piece, from the clipper. */
static void set_vertex(const struct tiler_bins *b, struct tiler_bins_part *part, unsigned n,
                       const struct tiler_window_vertex *v, unsigned count, const struct tiler_clip_vertex *c)
{
    const float *position = c->position;
    bool whole = c->source >= 0;
    float x = position[0] / position[3] + b->draw.window.centre_x;
    float y = position[1] / position[3] + b->draw.window.centre_y;
    part->clipped.vertex[n].x = whole ? v[c->source].x : x;
    part->clipped.vertex[n].y = whole ? v[c->source].y : y;
    part->clipped.vertex[n].z =
        whole ? v[c->source].z : window_depth(&b->draw.window, v, c->weight, position, count);
    part->clipped.vertex[n].inv_w = whole ? v[c->source].inv_w : 1 / position[3];
    memcpy(part->clipped.vertex[n].weight, c->weight, sizeof c->weight);
    part->x[n] = fixed(part->clipped.vertex[n].x);
    part->y[n] = fixed(part->clipped.vertex[n].y);
}

static void clip_triangle(struct tiler_bins *b, const struct tiler_window_vertex v[3], uint32_t planes,
                          const uint32_t index[3])
{
    struct tiler_clip_vertex polygon[TILER_CLIP_MAX];
    float position[3][4];
    for (unsigned k = 0; k < 3; k++)
        memcpy(position[k], v[k].clip, sizeof position[k]);
    uint32_t count = tiler_clip_triangle(&b->draw.window.guard, planes, (const float(*)[4])position, polygon);
    for (uint32_t n = 2; n < count; n++) {
        struct tiler_bins_part *part = add_part(b, TILER_ENTRY_CLIPPED_TRIANGLE, index);
        set_vertex(b, part, 0, v, 3, &polygon[0]);
        set_vertex(b, part, 1, v, 3, &polygon[n - 1]);
        set_vertex(b, part, 2, v, 3, &polygon[n]);
        b->part_count -= !faces(b, part);
    }
}

static void make_triangle(struct tiler_bins *b, const uint32_t index[3])
{
    struct tiler_window_vertex v[3];
    uint32_t all = ~0u, any = 0;
    for (unsigned k = 0; k < 3; k++) {
        load(b, index[k], &v[k]);
        all &= v[k].code;
        any |= v[k].code;
    }
    if (all || any & TILER_OUT_NAN)
        return;
    if (any) {
        clip_triangle(b, v, any, index);
        return;
    }
    struct tiler_bins_part *part = add_part(b, TILER_ENTRY_TRIANGLE, index);
    for (unsigned k = 0; k < 3; k++) {
        part->x[k] = fixed(v[k].x);
        part->y[k] = fixed(v[k].y);
    }
    b->part_count -= !faces(b, part);
}

/* ---- lines, points, rectangles ---- */

static float bound_size(float size, float least)
{
    return !(size > least) ? least : size < SIZE_MOST ? size : SIZE_MOST;
}

static void make_line(struct tiler_bins *b, const uint32_t index[3])
{
    struct tiler_window_vertex v[2];
    struct tiler_clip_vertex ends[2];
    float position[2][4];
    for (unsigned k = 0; k < 2; k++) {
        load(b, index[k], &v[k]);
        memcpy(position[k], v[k].clip, sizeof position[k]);
    }
    uint32_t any = v[0].code | v[1].code;
    if (v[0].code & v[1].code || any & TILER_OUT_NAN ||
        (any && !tiler_clip_line(&b->draw.window.guard, any, (const float(*)[4])position, ends)))
        return;
    struct tiler_bins_part *part = add_part(b, any ? TILER_ENTRY_CLIPPED_LINE : TILER_ENTRY_LINE, index);
    /* Widths are rounded, and the ends reach out by up to half a pixel more (raster/prim.h). */
    part->reach = fixed(bound_size(b->draw.size, 1)) / 2 + 16;
    for (unsigned k = 0; k < 2; k++) {
        part->x[k] = fixed(v[k].x);
        part->y[k] = fixed(v[k].y);
        if (any)
            set_vertex(b, part, k, v, 2, &ends[k]);
    }
}

/* A point is drawn whole or, when its vertex lies before near or behind far, not at all. */
static void make_point(struct tiler_bins *b, const uint32_t index[3])
{
    float size = b->draw.size;
    struct tiler_window_vertex v;
    load(b, index[0], &v);
    if (v.code)
        return;
    if (b->arrays.sizes)
        size = b->arrays.half_sizes ? util_half_to_float(util_load16(b->arrays.sizes + index[0] * 2ull))
                                    : util_u2f(util_load32(b->arrays.sizes + index[0] * 4ull));
    struct tiler_bins_part *part = add_part(b, TILER_ENTRY_POINT, index);
    part->x[0] = fixed(v.x);
    part->y[0] = fixed(v.y);
    part->reach = fixed(bound_size(size, SIZE_LEAST)) / 2 + 1;
}

/* Reloads and blits: neither culled nor clipped; not drawn with a corner further out than the guard band. */
static void make_rectangle(struct tiler_bins *b, const uint32_t index[3])
{
    const float limit = b->draw.window.guard.limit;
    struct tiler_window_vertex v[3];
    for (unsigned k = 0; k < 3; k++) {
        load(b, index[k], &v[k]);
        if (!(fabsf(v[k].x) <= limit && fabsf(v[k].y) <= limit))
            return;
    }
    struct tiler_bins_part *part = add_part(b, TILER_ENTRY_RECTANGLE, index);
    for (unsigned k = 0; k < 3; k++) {
        part->x[k] = fixed(v[k].x);
        part->y[k] = fixed(v[k].y);
    }
    part->x[3] = part->x[0] + part->x[2] - part->x[1];
    part->y[3] = part->y[0] + part->y[2] - part->y[1];
}

void tiler_bins_make_parts(struct tiler_bins *b, const uint32_t index[3])
{
    unsigned vertices = tiler_mode_vertices(b->draw.mode);
    (b->draw.rectangles ? make_rectangle
     : vertices == 1    ? make_point
     : vertices == 2    ? make_line
                        : make_triangle)(b, index);
}
