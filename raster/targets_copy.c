/* Targets to and from images where pixels are moved as they are: by surface.h, or by rows of blocks. */
#include <string.h>

#include "raster/output.h"
#include "raster/targets_internal.h"

/* A tile of one target of tile.h's kinds, all of its samples: surface.h knows it. */
static bool is_plain(const struct raster_transfer *t, const struct raster_tile *tile)
{
    if (t->of || t->targets->count != 1 || (t->targets->samples != 1 && t->targets->samples != 4))
        return false;
    if (raster_output_is_bytes(t->format))
        return tile->target == RASTER_TARGET_8888 && raster_texel_is_8888(t->texel);
    return t->format == RASTER_R16G16B16A16_FLOAT && t->surface->format == RASTER_R16G16B16A16_FLOAT &&
           tile->target == RASTER_TARGET_RGBA16F && t->end - t->first == 1;
}

static struct raster_surface plain_of(const struct raster_surface *surface)
{
    struct raster_surface plain = *surface;
    plain.plane = RASTER_PLANE_COLOR;
    plain.dither = plain.swap = plain.big_endian = false;
    return plain;
}

/* Whether pixels keep their bits, and four of a block's row stand together. */
static bool is_copied(const struct raster_transfer *t, const struct raster_tile *tile)
{
    bool single = t->end - t->first == 1 || raster_output_is_integer(t->format);
    return t->of < RASTER_TARGETS_MAX && single && t->format == (enum raster_format)t->surface->format &&
           t->format != RASTER_R8G8B8X8_UNORM && t->surface->layout == RASTER_LINEAR &&
           !((tile->x | tile->y) & 3);
}

/* ---- rows of four pixels ---- */

/* A row begins at a lane, and goes on at the 1st, 4th and 5th from it (tile.h). `bytes` is a constant. */
__attribute__((always_inline)) static inline void store_row(const uint32_t *color, uint32_t bytes,
                                                            uint8_t *to)
{
    for (uint32_t p = 0; p < 4; p++, to += bytes) {
        uint32_t word[4];
        for (uint32_t n = 0; n < (bytes + 3) / 4; n++)
            word[n] = color[n * 16 + (p & 1) + (p >> 1) * 4];
        memcpy(to, word, bytes);
    }
}

__attribute__((always_inline)) static inline void load_row(uint32_t *color, uint32_t bytes,
                                                           const uint8_t *from)
{
    for (uint32_t p = 0; p < 4; p++, from += bytes) {
        uint32_t word[4] = {0};
        memcpy(word, from, bytes);
        for (uint32_t n = 0; n < (bytes + 3) / 4; n++)
            color[n * 16 + (p & 1) + (p >> 1) * 4] = word[n];
    }
}

static void store_four(const uint32_t *color, uint32_t bytes, uint8_t *to)
{
    switch (bytes) {
    case 1: store_row(color, 1, to); break;
    case 2: store_row(color, 2, to); break;
    case 4: store_row(color, 4, to); break;
    case 8: store_row(color, 8, to); break;
    case 16: store_row(color, 16, to); break;
    default: store_row(color, bytes, to); break;
    }
}

static void load_four(uint32_t *color, uint32_t bytes, const uint8_t *from)
{
    switch (bytes) {
    case 1: load_row(color, 1, from); break;
    case 2: load_row(color, 2, from); break;
    case 4: load_row(color, 4, from); break;
    case 8: load_row(color, 8, from); break;
    case 16: load_row(color, 16, from); break;
    default: load_row(color, bytes, from); break;
    }
}

/* The part in whole blocks, and what is left of it on the right and below. */
static void split(const struct raster_surface_part *part, struct raster_surface_part *whole,
                  struct raster_surface_part *right, struct raster_surface_part *below)
{
    *whole = *right = *below = *part;
    whole->x1 = right->x0 = part->x0 + ((part->x1 - part->x0) & ~3u);
    whole->y1 = right->y1 = below->y0 = part->y0 + ((part->y1 - part->y0) & ~3u);
}

/* Lane 0, 2, 8 or 10 of the block, of pixel (x, y) of the image. */
static uint32_t row_index(const struct raster_transfer *t, const struct raster_tile *tile, uint32_t x,
                          uint32_t y, uint32_t sample)
{
    uint32_t tx = (uint32_t)((int32_t)x - tile->x), ty = (uint32_t)((int32_t)y - tile->y);
    return raster_targets_word(t->targets, raster_targets_block(tile, tx, ty), t->of, sample, 0) +
           raster_lane(tx, ty);
}

static void store_rows(const struct raster_transfer *t, const struct raster_tile *tile,
                       const struct raster_surface_part *part)
{
    for (uint32_t y = part->y0; y < part->y1; y++)
        for (uint32_t x = part->x0; x < part->x1; x += 4)
            store_four(&tile->color[row_index(t, tile, x, y, t->first)], t->texel->bits / 8u,
                       t->surface->base + raster_surface_offset(t->surface, x, y));
}

static void load_rows(const struct raster_transfer *t, struct raster_tile *tile,
                      const struct raster_surface_part *part)
{
    for (uint32_t y = part->y0; y < part->y1; y++)
        for (uint32_t x = part->x0; x < part->x1; x += 4)
            for (uint32_t s = t->first; s < t->end; s++)
                load_four(&tile->color[row_index(t, tile, x, y, s)], t->texel->bits / 8u,
                          t->surface->base + raster_surface_offset(t->surface, x, y));
}

void raster_targets_store(const struct raster_targets *targets, const struct raster_tile *tile, uint32_t of,
                          const struct raster_surface *surface, uint32_t first, uint32_t count)
{
    struct raster_transfer t = raster_transfer_of(targets, of, surface, first, count);
    struct raster_surface_part part, whole, right, below;
    if (!raster_transfer_begin(&t, tile, &part))
        return;
    if (is_plain(&t, tile)) {
        const struct raster_surface plain = plain_of(surface);
        raster_surface_store(&plain, tile,
                             (struct raster_resolve){0, 0, (uint8_t)t.first, (uint8_t)(t.end - t.first)});
        return;
    }
    if (!is_copied(&t, tile)) {
        raster_transfer_store(&t, tile, &part);
        return;
    }
    split(&part, &whole, &right, &below);
    store_rows(&t, tile, &whole);
    raster_transfer_store(&t, tile, &right);
    raster_transfer_store(&t, tile, &below);
}

void raster_targets_load(const struct raster_targets *targets, struct raster_tile *tile, uint32_t of,
                         const struct raster_surface *surface, uint32_t first, uint32_t count)
{
    struct raster_transfer t = raster_transfer_of(targets, of, surface, first, count);
    struct raster_surface_part part, whole, right, below;
    if (!raster_transfer_begin(&t, tile, &part))
        return;
    if (is_plain(&t, tile) && t.end - t.first == targets->samples) {
        const struct raster_surface plain = plain_of(surface);
        raster_surface_load(&plain, tile);
        return;
    }
    if (!is_copied(&t, tile)) {
        raster_transfer_load(&t, tile, &part);
        return;
    }
    split(&part, &whole, &right, &below);
    load_rows(&t, tile, &whole);
    raster_transfer_load(&t, tile, &right);
    raster_transfer_load(&t, tile, &below);
}
