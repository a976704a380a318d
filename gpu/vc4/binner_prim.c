/* Assembled primitives to tiles: trivial tests, clipping, culling, bounds, and the tiles' lists in submission
 * order. */
#include <math.h>
#include <stdalign.h>

#include <smmintrin.h>

#include "gpu/vc4/binner_internal.h"
#include "util/bits.h"

#define SIZE_LIMIT   4096.0f /* pixels, as the rasterizer limits lines */
#define TILES_A_UNIT 64u     /* of the packet budget */
#define SLACK        16      /* 1/16 pixel: by what a line's diamond ends may stand outside its rectangle */

/* ---- where vertices stand in the window ---- */

static inline void window(const struct vc4_binner *b, uint32_t index, int32_t *x, int32_t *y)
{
    const struct tiler_vertex *v = &b->vertices->at[index];
    *x = tiler_vertex_x(v) + b->viewport_x;
    *y = tiler_vertex_y(v) + b->viewport_y;
}

static inline uint32_t outcode(const struct vc4_binner *b, uint32_t index)
{
    return b->vertices->at[index].code & ~TILER_FAR;
}

/* ---- putting a primitive into the tiles it touches ---- */

static inline bool add(struct vc4_binner *b, int32_t tx, int32_t ty, const uint32_t index[3],
                       struct vc4_bin_clipped *clipped)
{
    struct vc4_tile *tile = &b->tiles[(uint32_t)ty * b->tiles_x + (uint32_t)tx];
    return clipped ? vc4_binner_tile_add_clipped(b, tile, index, clipped)
                   : vc4_binner_tile_add(b, tile, index);
}

static bool add_box(struct vc4_binner *b, const struct tiler_box *box, const uint32_t index[3],
                    struct vc4_bin_clipped *clipped)
{
    for (int32_t ty = box->y0; ty <= box->y1; ty++)
        for (int32_t tx = box->x0; tx <= box->x1; tx++)
            if (!add(b, tx, ty, index, clipped))
                return false;
    b->primitives_binned++;
    return true;
}

/* A tile looked at costs next to nothing, but a frame may have 65025 of them. */
static bool pay(struct vc4_binner *b, const struct tiler_box *box)
{
    uint64_t tiles = (uint64_t)(box->x1 - box->x0 + 1) * (uint64_t)(box->y1 - box->y0 + 1);
    return vc4_binner_spend(b, tiles / TILES_A_UNIT, b->draw_address);
}

static bool add_spans(struct vc4_binner *b, const uint32_t index[3], struct vc4_bin_clipped *clipped)
{
    const struct tiler_spans *s = &b->spans;
    bool any = false;
    for (int32_t r = 0; r < s->count; r++)
        for (int32_t tx = s->row[r].first; tx <= s->row[r].last; tx++) {
            any = true;
            if (!add(b, tx, s->y + r, index, clipped))
                return false;
        }
    b->primitives_binned += any;
    return true;
}

/* ---- triangles ---- */

__attribute__((noinline, cold)) static void tell_culled(const struct vc4_binner *b, const int32_t x[3],
                                                        const int32_t y[3])
{
    if (b->observer->culled)
        b->observer->culled(b->observer->data, b->number, x, y);
}

/* Not culled and not without area, by the rule of raster/prim.h. */
static inline bool faces(struct vc4_binner *b, const int32_t x[3], const int32_t y[3])
{
    int64_t area = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
    bool reverse = (area < 0) != b->clockwise;
    if (area != 0 && (reverse ? b->reverse : b->forward))
        return true;
    b->reversed += area != 0;
    if (area != 0 && b->observer)
        tell_culled(b, x, y);
    return false;
}

static inline bool bin_triangle(struct vc4_binner *b, const int32_t x[3], const int32_t y[3],
                                const uint32_t index[3], struct vc4_bin_clipped *clipped)
{
    struct tiler_box box;
    if (!faces(b, x, y))
        return true;
    if (!tiler_bounds(&b->grid, UTIL_MIN(UTIL_MIN(x[0], x[1]), x[2]), UTIL_MIN(UTIL_MIN(y[0], y[1]), y[2]),
                      UTIL_MAX(UTIL_MAX(x[0], x[1]), x[2]), UTIL_MAX(UTIL_MAX(y[0], y[1]), y[2]), &box)) {
        b->outside += !clipped;
        return true;
    }
    if (tiler_box_is_strip(&box))
        return add_box(b, &box, index, clipped);
    if (!pay(b, &box))
        return false;
    tiler_cover_triangle(&b->grid, &box, x, y, &b->spans);
    return add_spans(b, index, clipped);
}

/* ---- clipped vertices ---- */

/* A new vertex in window coordinates, and its data for the list. The guard band keeps xs and ys in 16 bits.
 */
static void place(const struct vc4_binner *b, const struct tiler_clip_vertex *v,
                  struct vc4_clipped_vertex *out, int32_t *x, int32_t *y)
{
    double inv_w = 1.0 / (double)v->position[3];
    double xs = v->position[0] * inv_w * b->half_width, ys = v->position[1] * inv_w * b->half_height;
    *out = (struct vc4_clipped_vertex){
        .x = (int16_t)floor(fmin(fmax(xs, -32768.0), 32767.0) + 0.5),
        .y = (int16_t)floor(fmin(fmax(ys, -32768.0), 32767.0) + 0.5),
        .zs = (float)(v->position[2] * inv_w * b->z_scale + b->z_offset),
        .inv_w = (float)inv_w,
        .coefficient = {v->weight[0], v->weight[1], v->weight[2]},
    };
    *x = b->viewport_x + out->x;
    *y = b->viewport_y + out->y;
}

/* Fills vertex `slot` of a primitive that stands in for the one with `index`: the original vertex where it is
 * at its own place, otherwise new data. */
static void fill_slot(const struct vc4_binner *b, const struct tiler_clip_vertex *v, uint32_t slot,
                      const uint32_t index[3], struct vc4_bin_clipped *c, int32_t x[3], int32_t y[3])
{
    if (v->source == (int32_t)slot) {
        window(b, index[slot], &x[slot], &y[slot]);
        return;
    }
    place(b, v, &c->vertex[slot], &x[slot], &y[slot]);
    if (v->source >= 0) { /* an own vertex at another's place: where it was, not where clipping puts it */
        uint32_t own = index[v->source];
        window(b, own, &x[slot], &y[slot]);
        c->vertex[slot].x = (int16_t)(x[slot] - b->viewport_x);
        c->vertex[slot].y = (int16_t)(y[slot] - b->viewport_y);
    }
    c->flags |= 1u << slot;
}

/* The rotation of a triangle that puts most own vertices at their own places. */
static unsigned best_rotation(const struct tiler_clip_vertex *const v[3])
{
    unsigned best = 0, most = 0;
    for (unsigned r = 0; r < 3; r++) {
        unsigned n = 0;
        for (unsigned slot = 0; slot < 3; slot++)
            n += v[(slot + r) % 3]->source == (int32_t)slot;
        if (n > most) {
            most = n;
            best = r;
        }
    }
    return best;
}

static bool clip_triangle(struct vc4_binner *b, uint32_t planes, const uint32_t index[3])
{
    struct tiler_clip_vertex polygon[TILER_CLIP_MAX];
    float position[3][4];
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 4; k++)
            position[i][k] = b->vertices->clip[index[i]][k];
    b->cut++;
    uint32_t count = tiler_clip_triangle(&b->guard, planes, (const float(*)[4])position, polygon);
    for (uint32_t i = 2; i < count; i++) {
        const struct tiler_clip_vertex *v[3] = {&polygon[0], &polygon[i - 1], &polygon[i]};
        unsigned rotation = best_rotation(v);
        struct vc4_bin_clipped clipped = {0};
        int32_t x[3], y[3];
        for (unsigned slot = 0; slot < 3; slot++)
            fill_slot(b, v[(slot + rotation) % 3], slot, index, &clipped, x, y);
        if (!bin_triangle(b, x, y, index, &clipped))
            return false;
    }
    return true;
}

static bool bin_triangles(struct vc4_binner *b, const uint32_t (*index)[3], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *t = index[i];
        uint32_t c0 = outcode(b, t[0]), c1 = outcode(b, t[1]), c2 = outcode(b, t[2]), any = c0 | c1 | c2;
        int32_t x[3], y[3];
        b->number = b->first_number + i;
        b->outside += (c0 & c1 & c2) != 0;
        if (c0 & c1 & c2 || any & TILER_OUT_NAN)
            continue;
        for (unsigned k = 0; k < 3; k++)
            window(b, t[k], &x[k], &y[k]);
        if (!(any ? clip_triangle(b, any, t) : bin_triangle(b, x, y, t, NULL)))
            return false;
    }
    return true;
}

/* Whole, and its box known. */
static bool bin_whole(struct vc4_binner *b, const struct tiler_triangle *t, const uint32_t index[3])
{
    const struct tiler_box box = {t->box.x0, t->box.y0, t->box.x1, t->box.y1};
    int32_t x[3], y[3];
    if (tiler_box_is_strip(&box))
        return add_box(b, &box, index, NULL);
    if (!pay(b, &box))
        return false;
    for (unsigned k = 0; k < 3; k++)
        window(b, index[k], &x[k], &y[k]);
    tiler_cover_triangle(&b->grid, &box, x, y, &b->spans);
    return add_spans(b, index, NULL);
}

bool vc4_binner_triangles(struct vc4_binner *b, const struct tiler_triangle *triangle, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct tiler_triangle *t = &triangle[i];
        /* In one store, for who codes them loads two at once, which three stores would keep waiting. The last
         * is the code. */
        alignas(16) uint32_t index[4];
        _mm_store_si128((__m128i *)index, _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)t->index)));
        if (!(t->code ? clip_triangle(b, t->code, index) : bin_whole(b, t, index)))
            return false;
    }
    return true;
}

bool vc4_binner_coordinates(struct vc4_binner *b, const uint32_t xy[3])
{
    int32_t x[3], y[3];
    for (unsigned i = 0; i < 3; i++) {
        x[i] = (int16_t)(xy[i] & 0xffff) + b->viewport_x;
        y[i] = (int16_t)(xy[i] >> 16) + b->viewport_y;
    }
    b->primitives_in++;
    b->number = b->next_number++;
    return bin_triangle(b, x, y, xy, NULL);
}

/* ---- lines ---- */

static int32_t line_reach(float width)
{
    float pixels = fminf(fmaxf(width, 1.0f), SIZE_LIMIT); /* NaN gives 1 */
    return (int32_t)ceilf(pixels * 8.0f + 4.0f) + SLACK;  /* whole pixels, rounded to nearest when drawn */
}

static bool bin_line(struct vc4_binner *b, const int32_t x[2], const int32_t y[2], const uint32_t index[3],
                     struct vc4_bin_clipped *clipped)
{
    int32_t reach = line_reach(b->line_width);
    struct tiler_box box;
    if (!tiler_bounds(&b->grid, UTIL_MIN(x[0], x[1]) - reach, UTIL_MIN(y[0], y[1]) - reach,
                      UTIL_MAX(x[0], x[1]) + reach, UTIL_MAX(y[0], y[1]) + reach, &box)) {
        b->outside += !clipped;
        return true;
    }
    if (tiler_box_is_strip(&box))
        return add_box(b, &box, index, clipped);
    if (!pay(b, &box))
        return false;
    tiler_cover_line(&b->grid, &box, x, y, reach, &b->spans);
    return add_spans(b, index, clipped);
}

static bool clip_line(struct vc4_binner *b, uint32_t planes, const uint32_t index[3])
{
    struct tiler_clip_vertex end[2];
    float position[2][4];
    struct vc4_bin_clipped clipped = {0};
    int32_t x[3], y[3];
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 4; k++)
            position[i][k] = b->vertices->clip[index[i]][k];
    b->cut++;
    if (!tiler_clip_line(&b->guard, planes, (const float(*)[4])position, end))
        return true;
    for (unsigned slot = 0; slot < 2; slot++)
        fill_slot(b, &end[slot], slot, index, &clipped, x, y);
    return bin_line(b, x, y, index, &clipped);
}

static bool bin_lines(struct vc4_binner *b, const uint32_t (*index)[3], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *t = index[i];
        uint32_t c0 = outcode(b, t[0]), c1 = outcode(b, t[1]);
        int32_t x[2], y[2];
        b->number = b->first_number + i;
        for (unsigned k = 0; k < 2; k++)
            window(b, t[k], &x[k], &y[k]);
        b->outside += (c0 & c1) != 0;
        if (c0 & c1 || (c0 | c1) & TILER_OUT_NAN)
            continue;
        if (!(c0 | c1 ? clip_line(b, c0 | c1, t) : bin_line(b, x, y, t, NULL)))
            return false;
    }
    return true;
}

/* ---- points: whole or not at all, by their vertex ---- */

static bool bin_points(struct vc4_binner *b, const uint32_t (*index)[3], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = index[i][0], code = outcode(b, v);
        float size = vc4_point_size(b->shader.point_size ? b->vertices->size[v] : b->point_size);
        struct tiler_box box;
        int32_t x, y;
        b->number = b->first_number + i;
        b->outside += code != 0;
        if (code || !(size > 0))
            continue;
        window(b, v, &x, &y);
        int32_t reach = (int32_t)ceilf(size * 8.0f) + 1;
        bool seen = tiler_bounds(&b->grid, x - reach, y - reach, x + reach, y + reach, &box);
        b->outside += !seen;
        if (seen && !add_box(b, &box, index[i], NULL))
            return false;
    }
    return true;
}

bool vc4_binner_primitives(struct vc4_binner *b, const uint32_t (*index)[3], uint32_t count)
{
    b->primitives_in += count;
    b->first_number = b->next_number;
    b->next_number += count;
    switch (b->primitive) {
    case VC4_POINTS: return bin_points(b, index, count);
    case VC4_LINES: return bin_lines(b, index, count);
    default: return bin_triangles(b, index, count);
    }
}
