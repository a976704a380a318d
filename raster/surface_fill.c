/* Stores of tiles that nothing was drawn on: the image is filled in runs as long as its layout allows. */
#include <string.h>

#include "raster/fill.h"
#include "raster/surface_internal.h"

struct filling {
    const struct raster_surface *surface;
    struct raster_surface_part part;
    struct raster_pixel pixel;
    uint32_t bytes;
    struct raster_fill fill;
};

static void fill_rows(struct filling *f)
{
    const struct raster_surface_part *p = &f->part;
    uint8_t *at = f->surface->base + raster_surface_offset(f->surface, p->x0, p->y0);
    for (uint32_t y = p->y0; y < p->y1; y++, at += f->surface->stride)
        raster_fill_add(&f->fill, at, (size_t)(p->x1 - p->x0) * f->bytes);
}

/* What the part has of a square of Utgard's tiles, of 16, 4 or 1 pixels a side at a multiple of that: each
 * stands in one piece. */
static void fill_square(struct filling *f, uint32_t x, uint32_t y, uint32_t side)
{
    const struct raster_surface_part *p = &f->part;
    uint32_t step = side / 4;
    if (x >= p->x1 || y >= p->y1 || x + side <= p->x0 || y + side <= p->y0)
        return;
    if (x >= p->x0 && y >= p->y0 && x + side <= p->x1 && y + side <= p->y1) {
        raster_fill_add(&f->fill, f->surface->base + raster_surface_offset(f->surface, x, y),
                        (size_t)side * side * f->bytes);
        return;
    }
    for (uint32_t n = 0; n < 16; n++)
        fill_square(f, x + n % 4 * step, y + n / 4 * step, step);
}

static void fill_tiles(struct filling *f)
{
    for (uint32_t y = f->part.y0 & ~15u; y < f->part.y1; y += 16)
        for (uint32_t x = f->part.x0 & ~15u; x < f->part.x1; x += 16)
            fill_square(f, x, y, 16);
}

/* A tile of the T format, 8 by 8 units, stands in one piece. */
#define T_SIDE  8u
#define T_BYTES (T_SIDE * T_SIDE * 64)

/* Fills the tile that begins at a unit; false when the part has not all of it. */
static bool fill_t_tile(struct filling *f, const struct raster_surface_plan *plan, uint32_t u, uint32_t v)
{
    size_t at = raster_surface_unit(f->surface, plan, u, v) - f->surface->base;
    if (((plan->u + u) | (plan->v + v)) % T_SIDE || plan->columns - u < T_SIDE || plan->rows - v < T_SIDE)
        return false;
    raster_fill_add(&f->fill, f->surface->base + at / T_BYTES * T_BYTES, T_BYTES);
    return true;
}

/* In the T format columns of four units follow each other in memory, in the LT format a row does. */
static void fill_units(struct filling *f, const struct raster_surface_plan *plan)
{
    const struct raster_surface *s = f->surface;
    bool t_format = s->layout == RASTER_VC4_T;
    uint32_t u1, v1;
    for (uint32_t v = 0; v < plan->rows; v = v1) {
        v1 = t_format ? UTIL_MIN(((plan->v + v) | (T_SIDE - 1)) + 1 - plan->v, plan->rows) : v + 1;
        for (uint32_t u = 0; u < plan->columns; u = u1) {
            uint8_t *at = NULL;
            u1 = t_format ? surface_group_end(plan->u, u, plan->columns) : plan->columns;
            if (t_format && fill_t_tile(f, plan, u, v)) {
                u1 = u + T_SIDE;
                continue;
            }
            for (uint32_t y = v; y < v1; y++) {
                at = at && (plan->v + y) % 4 ? at + plan->drop : raster_surface_unit(s, plan, u, y);
                raster_fill_add(&f->fill, at, (u1 - u) * plan->step);
            }
        }
    }
}

static void fill_pixels(struct filling *f, const struct raster_surface_part *part)
{
    for (uint32_t y = part->y0; y < part->y1; y++)
        for (uint32_t x = part->x0; x < part->x1; x++)
            raster_fill_add(&f->fill, f->surface->base + raster_surface_offset(f->surface, x, y), f->bytes);
}

static void fill_utiles(struct filling *f)
{
    struct raster_surface_plan plan;
    raster_surface_plan(f->surface, &f->part, &plan);
    fill_units(f, &plan);
    fill_pixels(f, &plan.right);
    fill_pixels(f, &plan.below);
}

static void fill_part(struct filling *f)
{
    for (uint32_t at = 0; at < sizeof f->fill.pattern; at += f->bytes) {
        memcpy(f->fill.pattern + at, f->pixel.set, f->bytes);
        memcpy(f->fill.kept + at, f->pixel.kept, f->bytes);
    }
    if (f->surface->layout == RASTER_LINEAR)
        fill_rows(f);
    else if (f->surface->layout == RASTER_UTGARD_TILED)
        fill_tiles(f);
    else if (f->bytes == 1) /* whose utiles are not units */
        fill_pixels(f, &f->part);
    else
        fill_utiles(f);
    raster_fill_flush(&f->fill);
}

bool raster_surface_fill(const struct raster_surface *surface, enum raster_target target, uint64_t color,
                         const struct raster_rect *pixels, struct raster_resolve resolve)
{
    struct filling f = {.surface = surface,
                        .bytes = raster_format_bytes((enum raster_format)surface->format)};
    bool averaged = resolve.count > 1 || resolve.shrink_x || resolve.shrink_y;
    if (surface->dither || surface->plane == RASTER_PLANE_DEPTH || 8 % f.bytes ||
        (averaged && surface->plane == RASTER_PLANE_COLOR && target == RASTER_TARGET_RGBA16F))
        return false;
    if (!raster_surface_visible(surface, pixels->x0 >> resolve.shrink_x, pixels->y0 >> resolve.shrink_y,
                                (uint32_t)(pixels->x1 - pixels->x0) >> resolve.shrink_x,
                                (uint32_t)(pixels->y1 - pixels->y0) >> resolve.shrink_y, &f.part))
        return true;
    raster_surface_pack(surface, target, color, SURFACE_NEAREST, f.pixel.set);
    fill_part(&f);
    return true;
}

void raster_surface_fill_pixel(const struct raster_surface *surface, const struct raster_pixel *pixel,
                               const struct raster_rect *pixels)
{
    struct filling f = {.surface = surface,
                        .pixel = *pixel,
                        .bytes = raster_format_bytes((enum raster_format)surface->format)};
    if (!raster_surface_visible(surface, pixels->x0, pixels->y0, (uint32_t)(pixels->x1 - pixels->x0),
                                (uint32_t)(pixels->y1 - pixels->y0), &f.part))
        return;
    fill_part(&f);
}
