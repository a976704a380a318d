/* Stores of tiles that nothing was drawn on: the image is filled in runs as long as its layout allows. */
#include "raster/fill.h"
#include "raster/surface_internal.h"

/* Tiles of the T format are 8 by 8 units; columns of four of them follow each other in memory. In the other
 * layouts a row does. */
static void fill_units(const struct raster_surface *s, const struct surface_plan *plan, uint32_t word)
{
    bool t_format = s->layout == RASTER_VC4_T;
    uint32_t lines = s->layout == RASTER_LINEAR ? 4 : 1, u1, v1;
    struct raster_fill fill = {.word = word};
    for (uint32_t v = 0; v < plan->rows; v = v1) {
        v1 = t_format ? UTIL_MIN(((plan->v + v) | 7) + 1 - plan->v, plan->rows) : v + 1;
        for (uint32_t u = 0; u < plan->columns; u = u1) {
            uint8_t *at = NULL;
            u1 = t_format ? surface_group_end(plan->u, u, plan->columns) : plan->columns;
            for (uint32_t y = v; y < v1; y++) {
                at = at && (plan->v + y) % 4 ? at + plan->drop : surface_unit(s, plan, u, y);
                for (uint32_t line = 0; line < lines; line++)
                    raster_fill_add(&fill, at + line * plan->pitch, (u1 - u) * plan->step);
            }
        }
    }
    raster_fill_flush(&fill);
}

/* What a pixel of `word` is in the image, as often as it goes into a word; false when pixels differ. */
static bool pixels_of(uint32_t format, uint32_t word, uint32_t *out)
{
    if (format == RASTER_SURFACE_BGR565_DITHER)
        return false;
    *out = format == RASTER_SURFACE_BGR565 ? surface_to_565(word, 127) * 0x10001u : word;
    return true;
}

void raster_surface_store_uniform(const struct raster_surface *surface, struct raster_tile *tile,
                                  uint32_t word, enum raster_decimate decimate)
{
    bool zs = surface->format == RASTER_SURFACE_ZS;
    uint32_t count = zs ? 1 : 1u << 2 * decimate, pixels;
    struct surface_plan plan;
    bool whole = count <= tile->samples && pixels_of(surface->format, word, &pixels);
    if (whole && !surface_plan(surface, tile, &plan))
        return;
    if (whole)
        fill_units(surface, &plan, pixels);
    if (whole && plan.right.x0 == plan.right.x1 && plan.below.y0 == plan.below.y1)
        return;
    if (zs)
        raster_tile_clear_zs(tile, word, UINT32_MAX);
    else
        raster_tile_clear_color(tile, word);
    if (whole) {
        surface_store_part(surface, tile, count, false, &plan.right);
        surface_store_part(surface, tile, count, false, &plan.below);
    } else {
        raster_surface_store_decimated(surface, tile, decimate);
    }
}
