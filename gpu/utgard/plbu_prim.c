/* One primitive: culled, clipped against near, far and a guard band, and as pieces for the tile lists. */
#include <math.h>
#include <string.h>

#include "gpu/utgard/plbu_internal.h"
#include "util/bits.h"

/* A rectangle whose corners lie further out is not drawn. */
#define GUARD_RECTANGLE 16384.0f

#define SIZE_LEAST 0.0625f
#define SIZE_MOST  4096.0f

static int32_t fixed(float pixels)
{
    return (int32_t)lrintf(pixels * 16);
}

static float window_depth(const struct plbu_draw *d, const struct plbu_vertex *v, const float weight[3],
                          const float position[4], unsigned count)
{
    float near = d->state.near, far = d->state.far;
    if (near != far)
        return (position[2] / position[3] * (far - near) + (near + far)) * 0.5f;
    float sum = 0;
    for (unsigned k = 0; k < count; k++)
        sum += v[k].z * v[k].clip[3] * weight[k];
    return sum / position[3];
}

static struct plbu_piece *add_piece(struct utgard_plbu *p, enum utgard_bin_kind kind, const uint32_t index[3])
{
    struct plbu_piece *piece = &p->piece[p->draw.piece_count++];
    *piece = (struct plbu_piece){.kind = kind};
    memcpy(piece->index, index, sizeof piece->index);
    memcpy(piece->clipped.index, index, sizeof piece->index);
    return piece;
}

/* ---- triangles ---- */

/* Whether a triangle of this area is seen (HARDWARE.md 2.4; x right, y down the buffer). */
static bool faces(const struct utgard_plbu *p, const struct plbu_piece *t)
{
    int64_t area = (int64_t)(t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) -
                   (int64_t)(t->x[2] - t->x[0]) * (t->y[1] - t->y[0]);
    bool seen = area > 0 ? !p->reg.setup[UTGARD_SETUP_CULL_POSITIVE]
                         : area < 0 && !p->reg.setup[UTGARD_SETUP_CULL_NEGATIVE];
    if (!seen && area && p->observer)
        plbu_observe_culled(p, t);
    return seen;
}

/* Vertex `n` of a clipped piece, from the clipper. */
static void set_vertex(const struct utgard_plbu *p, struct plbu_piece *piece, unsigned n,
                       const struct plbu_vertex *v, unsigned count, const struct tiler_clip_vertex *c)
{
    const float *position = c->position;
    bool whole = c->source >= 0;
    float x = position[0] / position[3] + plbu_centre(p->reg.tiles_x);
    float y = position[1] / position[3] + plbu_centre(p->reg.tiles_y);
    piece->clipped.vertex[n].x = whole ? v[c->source].x : x;
    piece->clipped.vertex[n].y = whole ? v[c->source].y : y;
    piece->clipped.vertex[n].z =
        whole ? v[c->source].z : window_depth(&p->draw, v, c->weight, position, count);
    piece->clipped.vertex[n].inv_w = whole ? v[c->source].inv_w : 1 / position[3];
    memcpy(piece->clipped.vertex[n].weight, c->weight, sizeof c->weight);
    piece->x[n] = fixed(piece->clipped.vertex[n].x);
    piece->y[n] = fixed(piece->clipped.vertex[n].y);
}

static void clip_triangle(struct utgard_plbu *p, const struct plbu_vertex v[3], uint32_t planes,
                          const uint32_t index[3])
{
    struct tiler_clip_vertex polygon[TILER_CLIP_MAX];
    float position[3][4];
    for (unsigned k = 0; k < 3; k++)
        memcpy(position[k], v[k].clip, sizeof position[k]);
    uint32_t count = tiler_clip_triangle(&p->draw.guard, planes, (const float(*)[4])position, polygon);
    for (uint32_t n = 2; n < count; n++) {
        struct plbu_piece *piece = add_piece(p, UTGARD_BIN_CLIPPED_TRIANGLE, index);
        set_vertex(p, piece, 0, v, 3, &polygon[0]);
        set_vertex(p, piece, 1, v, 3, &polygon[n - 1]);
        set_vertex(p, piece, 2, v, 3, &polygon[n]);
        p->draw.piece_count -= !faces(p, piece);
    }
}

static void make_triangle(struct utgard_plbu *p, const uint32_t index[3])
{
    struct plbu_vertex v[3];
    uint32_t all = ~0u, any = 0;
    for (unsigned k = 0; k < 3; k++) {
        plbu_vertex_load(p, index[k], &v[k]);
        all &= v[k].code;
        any |= v[k].code;
    }
    if (all || any & TILER_OUT_NAN)
        return;
    if (any) {
        clip_triangle(p, v, any, index);
        return;
    }
    struct plbu_piece *piece = add_piece(p, UTGARD_BIN_TRIANGLE, index);
    for (unsigned k = 0; k < 3; k++) {
        piece->x[k] = fixed(v[k].x);
        piece->y[k] = fixed(v[k].y);
    }
    p->draw.piece_count -= !faces(p, piece);
}

/* ---- lines, points, rectangles ---- */

static float bound_size(float size, float least)
{
    return !(size > least) ? least : size < SIZE_MOST ? size : SIZE_MOST;
}

static void make_line(struct utgard_plbu *p, const uint32_t index[3])
{
    struct plbu_vertex v[2];
    struct tiler_clip_vertex ends[2];
    float position[2][4];
    for (unsigned k = 0; k < 2; k++) {
        plbu_vertex_load(p, index[k], &v[k]);
        memcpy(position[k], v[k].clip, sizeof position[k]);
    }
    uint32_t any = v[0].code | v[1].code;
    if (v[0].code & v[1].code || any & TILER_OUT_NAN ||
        (any && !tiler_clip_line(&p->draw.guard, any, (const float(*)[4])position, ends)))
        return;
    struct plbu_piece *piece = add_piece(p, any ? UTGARD_BIN_CLIPPED_LINE : UTGARD_BIN_LINE, index);
    /* Widths are rounded, and the ends reach out by up to half a pixel more (raster/prim.h). */
    piece->reach = fixed(bound_size(p->draw.state.size, 1)) / 2 + 16;
    for (unsigned k = 0; k < 2; k++) {
        piece->x[k] = fixed(v[k].x);
        piece->y[k] = fixed(v[k].y);
        if (any)
            set_vertex(p, piece, k, v, 2, &ends[k]);
    }
}

/* A point is drawn whole or, when its vertex lies before near or behind far, not at all. */
static void make_point(struct utgard_plbu *p, const uint32_t index[3])
{
    const struct plbu_draw *d = &p->draw;
    float size = d->state.size;
    struct plbu_vertex v;
    plbu_vertex_load(p, index[0], &v);
    if (v.code)
        return;
    if (d->state.point_sizes)
        memcpy(&size, p->space->window.base + d->state.point_sizes + index[0] * 4ull, sizeof size);
    struct plbu_piece *piece = add_piece(p, UTGARD_BIN_POINT, index);
    piece->x[0] = fixed(v.x);
    piece->y[0] = fixed(v.y);
    piece->reach = fixed(bound_size(size, SIZE_LEAST)) / 2 + 1;
}

/* Reloads and blits: neither culled nor clipped. */
static void make_rectangle(struct utgard_plbu *p, const uint32_t index[3])
{
    struct plbu_vertex v[3];
    for (unsigned k = 0; k < 3; k++) {
        plbu_vertex_load(p, index[k], &v[k]);
        if (!(fabsf(v[k].x) <= GUARD_RECTANGLE && fabsf(v[k].y) <= GUARD_RECTANGLE))
            return;
    }
    struct plbu_piece *piece = add_piece(p, UTGARD_BIN_RECTANGLE, index);
    for (unsigned k = 0; k < 3; k++) {
        piece->x[k] = fixed(v[k].x);
        piece->y[k] = fixed(v[k].y);
    }
    piece->x[3] = piece->x[0] + piece->x[2] - piece->x[1];
    piece->y[3] = piece->y[0] + piece->y[2] - piece->y[1];
}

void plbu_make_pieces(struct utgard_plbu *p, const uint32_t index[3])
{
    switch (p->draw.mode) {
    case TILER_POINTS: make_point(p, index); break;
    case TILER_LINES:
    case TILER_LINE_LOOP:
    case TILER_LINE_STRIP: make_line(p, index); break;
    case PLBU_RECTANGLE: make_rectangle(p, index); break;
    default: make_triangle(p, index); break;
    }
}
