/* Targets to and from images where pixels keep their bits, mostly: by surface.h, or by blocks; and filled without a
 * tile. */
#include <string.h>

#include <smmintrin.h>

#include "raster/output.h"
#include "raster/targets_internal.h"

/* Compiled where it is called, for what is known there. */
#define INLINED static inline __attribute__((always_inline))

/* Depth of fixed point in images of 16 bits, of a tile of samples that surface.h knows. */
static bool is_plain_depth(const struct raster_transfer *t)
{
    return t->of == RASTER_OF_DEPTH && t->surface->format == RASTER_Z16_UNORM &&
           !raster_depth_is_32((enum raster_depth_kind)t->targets->depth) &&
           (t->targets->samples == 1 || t->targets->samples == 4);
}

/* A tile of one target of tile.h's kinds, all of its samples, in images that surface.h has in units. */
static bool is_plain(const struct raster_transfer *t, const struct raster_tile *tile)
{
    if (t->of || t->targets->count != 1 || (t->targets->samples != 1 && t->targets->samples != 4) ||
        t->texel->bits % 16)
        return false;
    if (raster_output_is_bytes(t->format))
        return tile->target == RASTER_TARGET_8888 && raster_texel_is_8888(t->texel);
    return t->format == RASTER_R16G16B16A16_FLOAT && t->surface->format == RASTER_R16G16B16A16_FLOAT &&
           tile->target == RASTER_TARGET_RGBA16F && t->end - t->first == 1;
}

static struct raster_surface plain_of(const struct raster_surface *surface, enum raster_plane plane)
{
    struct raster_surface plain = *surface;
    plain.plane = (uint8_t)plane;
    plain.dither = plain.swap = plain.big_endian = false;
    return plain;
}

/* How a block's pixels stand in an image: four pieces of four pixels, `pitch` bytes apart. A piece begins at a
 * lane and goes on at those from it that `order` names (tile.h). */
struct block_order {
    uint8_t first[4], order[4];
};
static const struct block_order in_rows = {{0, 2, 8, 10}, {0, 1, 4, 5}},
                                in_tiles = {{0, 4, 12, 8}, {0, 1, 3, 2}};

static bool has_blocks(const struct raster_transfer *t, const struct raster_tile *tile)
{
    return (t->surface->layout == RASTER_LINEAR || t->surface->layout == RASTER_UTGARD_TILED) &&
           !((tile->x | tile->y) & 3);
}

/* Whether colours keep their bits. */
static bool is_copied(const struct raster_transfer *t, const struct raster_tile *tile)
{
    bool single = t->end - t->first == 1 || raster_output_is_integer(t->format);
    return t->of < RASTER_TARGETS_MAX && single && t->format == (enum raster_format)t->surface->format &&
           t->format != RASTER_R8G8B8X8_UNORM && has_blocks(t, tile);
}

/* ---- pieces of four pixels ---- */

/* `bytes` and `order` are constants. */
INLINED void store_piece(const uint32_t *color, uint32_t bytes, const uint8_t order[4], uint8_t *to)
{
    for (uint32_t p = 0; p < 4; p++, to += bytes) {
        uint32_t word[4];
        for (uint32_t n = 0; n < (bytes + 3) / 4; n++)
            word[n] = color[n * 16 + order[p]];
        memcpy(to, word, bytes);
    }
}

INLINED void load_piece(uint32_t *color, uint32_t bytes, const uint8_t order[4], const uint8_t *from)
{
    for (uint32_t p = 0; p < 4; p++, from += bytes) {
        uint32_t word[4] = {0};
        memcpy(word, from, bytes);
        for (uint32_t n = 0; n < (bytes + 3) / 4; n++)
            color[n * 16 + order[p]] = word[n];
    }
}

INLINED void store_block(const uint32_t *color, uint32_t bytes, const struct block_order *o, uint8_t *to,
                         size_t pitch)
{
    for (unsigned n = 0; n < 4; n++)
        store_piece(color + o->first[n], bytes, o->order, to + n * pitch);
}

INLINED void load_block(uint32_t *color, uint32_t bytes, const struct block_order *o, const uint8_t *from,
                        size_t pitch)
{
    for (unsigned n = 0; n < 4; n++)
        load_piece(color + o->first[n], bytes, o->order, from + n * pitch);
}

/* Compiled for each size and order. */
#define BY_SIZE(function, color, bytes, order, at, pitch)                                                    \
    switch (bytes) {                                                                                         \
    case 1: function(color, 1, order, at, pitch); break;                                                     \
    case 2: function(color, 2, order, at, pitch); break;                                                     \
    case 3: function(color, 3, order, at, pitch); break;                                                     \
    case 4: function(color, 4, order, at, pitch); break;                                                     \
    case 8: function(color, 8, order, at, pitch); break;                                                     \
    case 16: function(color, 16, order, at, pitch); break;                                                   \
    default: function(color, bytes, order, at, pitch); break;                                                \
    }

static void store_any(const uint32_t *color, uint32_t bytes, bool tiled, uint8_t *to, size_t pitch)
{
    if (tiled)
        BY_SIZE(store_block, color, bytes, &in_tiles, to, pitch)
    else
        BY_SIZE(store_block, color, bytes, &in_rows, to, pitch)
}

static void load_any(uint32_t *color, uint32_t bytes, bool tiled, const uint8_t *from, size_t pitch)
{
    if (tiled)
        BY_SIZE(load_block, color, bytes, &in_tiles, from, pitch)
    else
        BY_SIZE(load_block, color, bytes, &in_rows, from, pitch)
}

/* ---- depth of 24 bits and stencil, in images of 32 ---- */

/* The image's word is the tile's turned right by `by` bits; those of `mask` are the image's. */
struct turned {
    unsigned by;
    uint32_t mask;
};

static bool is_turned(const struct raster_transfer *t, const struct raster_tile *tile, struct turned *out)
{
    const struct raster_texel *texel = t->texel;
    *out = (struct turned){0};
    if (t->of < RASTER_TARGETS_MAX || texel->bits != 32 || !has_blocks(t, tile) ||
        raster_depth_is_32((enum raster_depth_kind)t->targets->depth))
        return false;
    for (unsigned c = 0; c < 4; c++) {
        unsigned n = raster_texel_component(texel, c), bits = texel->channel[c].bits,
                 at = texel->channel[c].at;
        if (!bits || n > 1)
            continue;
        if (bits != (n ? 8 : 24))
            return false;
        out->by = at == (n ? 0 : 8) ? 0 : 8;
        if (raster_transfer_takes(t, n))
            out->mask |= (uint32_t)((1ull << bits) - 1) << at;
    }
    return true;
}

/* A block's four quads as the image has them: in tiles as they stand, but for the order of their pixels. */
INLINED void store_turned_block(const uint32_t *zs, const struct turned *how, bool tiled, uint8_t *to,
                                size_t pitch)
{
    const __m128i mask = _mm_set1_epi32((int)how->mask), right = _mm_cvtsi32_si128((int)how->by),
                  left = _mm_cvtsi32_si128(32 - (int)how->by);
    __m128i q[4];
    for (unsigned n = 0; n < 4; n++) {
        __m128i v = _mm_load_si128((const __m128i *)zs + n);
        q[n] = _mm_and_si128(_mm_or_si128(_mm_srl_epi32(v, right), _mm_sll_epi32(v, left)), mask);
    }
    const __m128i rows[4] = {
        tiled ? _mm_shuffle_epi32(q[0], 0xb4) : _mm_unpacklo_epi64(q[0], q[1]),
        tiled ? _mm_shuffle_epi32(q[1], 0xb4) : _mm_unpackhi_epi64(q[0], q[1]),
        tiled ? _mm_shuffle_epi32(q[3], 0xb4) : _mm_unpacklo_epi64(q[2], q[3]),
        tiled ? _mm_shuffle_epi32(q[2], 0xb4) : _mm_unpackhi_epi64(q[2], q[3]),
    };
    for (unsigned n = 0; n < 4; n++, to += pitch) {
        __m128i kept = _mm_andnot_si128(mask, _mm_loadu_si128((const __m128i *)to));
        _mm_storeu_si128((__m128i *)to, _mm_or_si128(kept, rows[n]));
    }
}

/* ---- pixels that are made of words of the tile ---- */

/* Channels that keep their bits: the pixel's are those of mask << at, in the tile they are `from` bits up. */
struct moved {
    unsigned count;
    struct moved_channel {
        uint8_t from, at;
        uint32_t mask;
    } channel[4];
};

/* Where the tile's word has a component as channel `c` of the image does, or -1. Of integers and normalised
 * numbers alone: singles tell those of 16 bits apart. */
static int place_in_tile(const struct raster_transfer *t, unsigned c)
{
    const struct raster_texel *from = &raster_texels[t->format];
    unsigned n = raster_texel_component(t->texel, c), bits = t->texel->channel[c].bits;
    enum raster_kind kind = raster_texel_kind(t->texel, c);
    bool integer = kind == RASTER_KIND_UINT || kind == RASTER_KIND_SINT;
    unsigned in = from->from[n];
    if (raster_output_is_bytes(t->format) && raster_texel_is_8888(t->texel))
        return bits == 8 ? (int)(8 * n) : -1;
    if (in >= 4 || from->channel[in].bits != bits || raster_texel_kind(from, in) != kind ||
        !(integer || ((kind == RASTER_KIND_UNORM || kind == RASTER_KIND_SRGB) && bits <= 16)))
        return -1;
    return from->channel[in].at;
}

static bool is_moved(const struct raster_transfer *t, const struct raster_tile *tile, struct moved *out)
{
    bool single = t->end - t->first == 1 || raster_output_is_integer(t->format);
    *out = (struct moved){0};
    if (t->of >= RASTER_TARGETS_MAX || !single || t->texel->bits > 32 || raster_texels[t->format].bits > 32 ||
        !has_blocks(t, tile))
        return false;
    for (unsigned c = 0; c < 4; c++) {
        if (raster_texel_kind(t->texel, c) == RASTER_KIND_X)
            continue;
        int from = place_in_tile(t, c);
        if (from < 0)
            return false;
        out->channel[out->count++] = (struct moved_channel){
            (uint8_t)from, t->texel->channel[c].at, (uint32_t)((1ull << t->texel->channel[c].bits) - 1)};
    }
    return true;
}

/* Sixteen pixels of the tile's words. */
static void move_block(const struct moved *how, const uint32_t *color, uint32_t *pixel)
{
    for (unsigned n = 0; n < 16; n++)
        pixel[n] = 0;
    for (unsigned c = 0; c < how->count; c++) {
        const struct moved_channel channel = how->channel[c];
        for (unsigned n = 0; n < 16; n++)
            pixel[n] |= (color[n] >> channel.from & channel.mask) << channel.at;
    }
}

/* Depth and stencil where they are an image's alone, or singles beside stencil. */
enum zs_way { ZS_NOT, ZS_WORDS, ZS_UPPER, ZS_STENCIL, ZS_BOTH };

static enum zs_way zs_way_of(const struct raster_transfer *t, const struct raster_tile *tile)
{
    enum raster_depth_kind kind = (enum raster_depth_kind)t->targets->depth;
    enum raster_format image = (enum raster_format)t->surface->format;
    bool depth = raster_transfer_takes(t, 0), stencil = raster_transfer_takes(t, 1),
         is_32 = raster_depth_is_32(kind);
    if (t->of < RASTER_TARGETS_MAX || !has_blocks(t, tile))
        return ZS_NOT;
    switch (image) {
    case RASTER_S8_UINT: return !stencil ? ZS_NOT : is_32 ? ZS_STENCIL : ZS_WORDS;
    case RASTER_Z16_UNORM: return depth && !is_32 ? ZS_UPPER : ZS_NOT;
    case RASTER_Z32_FLOAT: return depth && kind == RASTER_DEPTH_FLOAT32 ? ZS_WORDS : ZS_NOT;
    case RASTER_Z32_FLOAT_S8X24_UINT:
        return depth && stencil && kind == RASTER_DEPTH_FLOAT32 ? ZS_BOTH : ZS_NOT;
    default: return ZS_NOT;
    }
}

/* Sixteen pixels, of two words with BOTH: what the image has in them beside stencil stays. */
static void zs_block(enum zs_way way, const uint32_t *zs, const uint8_t *stencil, uint32_t *pixel)
{
    for (unsigned n = 0; n < 16; n++)
        if (way == ZS_BOTH) {
            pixel[n] = zs[n];
            pixel[16 + n] = (pixel[16 + n] & 0xffffff00) | stencil[n];
        } else {
            pixel[n] = way == ZS_STENCIL ? stencil[n] : way == ZS_UPPER ? zs[n] >> 16 : zs[n];
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

/* Lane 0 of the block of pixel (x, y) of the image, with one sample of one word. */
static uint32_t block_of(const struct raster_tile *tile, uint32_t x, uint32_t y)
{
    return raster_targets_block(tile, (uint32_t)((int32_t)x - tile->x), (uint32_t)((int32_t)y - tile->y));
}

INLINED uint8_t *block_at(const struct raster_surface *s, uint32_t bytes, bool tiled, uint32_t x, uint32_t y)
{
    return tiled ? surface_tiled_block(s, 16 * (size_t)bytes, x / 4, y / 4)
                 : s->base + (size_t)y * s->stride + (size_t)x * bytes;
}

static size_t pitch_of(const struct raster_transfer *t)
{
    return t->surface->layout == RASTER_LINEAR ? t->surface->stride : t->texel->bits / 2u;
}

static void store_blocks(const struct raster_transfer *t, const struct raster_tile *tile,
                         const struct raster_surface_part *part)
{
    bool tiled = t->surface->layout != RASTER_LINEAR;
    uint32_t bytes = t->texel->bits / 8u;
    for (uint32_t y = part->y0; y < part->y1; y += 4)
        for (uint32_t x = part->x0; x < part->x1; x += 4) {
            uint32_t at = raster_targets_word(t->targets, block_of(tile, x, y), t->of, t->first, 0);
            store_any(&tile->color[at], bytes, tiled, block_at(t->surface, bytes, tiled, x, y), pitch_of(t));
        }
}

INLINED void store_turned(const struct raster_transfer *t, const struct raster_tile *tile,
                          const struct raster_surface_part *part, struct turned how, bool tiled)
{
    const size_t pitch = tiled ? 16 : t->surface->stride;
    for (uint32_t y = part->y0; y < part->y1; y += 4) {
        const uint32_t *zs = &tile->zs[block_of(tile, part->x0, y) * t->targets->samples + t->first * 16];
        for (uint32_t x = part->x0; x < part->x1; x += 4, zs += 16 * t->targets->samples) {
            uint8_t *to = block_at(t->surface, 4, tiled, x, y);
            if (y + 4 < part->y1) /* what is merged with is mostly in no cache */
                __builtin_prefetch(block_at(t->surface, 4, tiled, x, y + 4), 1);
            store_turned_block(zs, &how, tiled, to, pitch);
        }
    }
}

static void store_moved(const struct raster_transfer *t, const struct raster_tile *tile,
                        const struct raster_surface_part *part, const struct moved *how)
{
    bool tiled = t->surface->layout != RASTER_LINEAR;
    uint32_t bytes = t->texel->bits / 8u, pixel[16];
    for (uint32_t y = part->y0; y < part->y1; y += 4)
        for (uint32_t x = part->x0; x < part->x1; x += 4) {
            uint32_t at = raster_targets_word(t->targets, block_of(tile, x, y), t->of, t->first, 0);
            move_block(how, &tile->color[at], pixel);
            store_any(pixel, bytes, tiled, block_at(t->surface, bytes, tiled, x, y), pitch_of(t));
        }
}

static void store_zs(const struct raster_transfer *t, const struct raster_tile *tile,
                     const struct raster_surface_part *part, enum zs_way way)
{
    bool tiled = t->surface->layout != RASTER_LINEAR;
    uint32_t bytes = t->texel->bits / 8u, pixel[32];
    for (uint32_t y = part->y0; y < part->y1; y += 4)
        for (uint32_t x = part->x0; x < part->x1; x += 4) {
            uint32_t at = block_of(tile, x, y) * t->targets->samples + t->first * 16;
            uint8_t *to = block_at(t->surface, bytes, tiled, x, y);
            if (way == ZS_BOTH)
                load_any(pixel, bytes, tiled, to, pitch_of(t));
            zs_block(way, &tile->zs[at], &tile->stencil[at], pixel);
            store_any(pixel, bytes, tiled, to, pitch_of(t));
        }
}

static void load_blocks(const struct raster_transfer *t, struct raster_tile *tile,
                        const struct raster_surface_part *part)
{
    bool tiled = t->surface->layout != RASTER_LINEAR;
    uint32_t bytes = t->texel->bits / 8u;
    for (uint32_t y = part->y0; y < part->y1; y += 4)
        for (uint32_t x = part->x0; x < part->x1; x += 4)
            for (uint32_t s = t->first; s < t->end; s++) {
                uint32_t at = raster_targets_word(t->targets, block_of(tile, x, y), t->of, s, 0);
                load_any(&tile->color[at], bytes, tiled, block_at(t->surface, bytes, tiled, x, y),
                         pitch_of(t));
            }
}

/* Stores whole blocks; false: not in such a way. */
static bool store_whole(const struct raster_transfer *t, const struct raster_tile *tile,
                        const struct raster_surface_part *whole)
{
    struct turned turned;
    struct moved moved;
    enum zs_way way = zs_way_of(t, tile);
    bool linear = t->surface->layout == RASTER_LINEAR;
    if (is_turned(t, tile, &turned) && linear)
        store_turned(t, tile, whole, turned, false);
    else if (is_turned(t, tile, &turned))
        store_turned(t, tile, whole, turned, true);
    else if (way != ZS_NOT)
        store_zs(t, tile, whole, way);
    else if (is_copied(t, tile))
        store_blocks(t, tile, whole);
    else if (is_moved(t, tile, &moved))
        store_moved(t, tile, whole, &moved);
    else
        return false;
    return true;
}

void raster_targets_store(const struct raster_targets *targets, const struct raster_tile *tile, uint32_t of,
                          const struct raster_surface *surface, uint32_t first, uint32_t count)
{
    struct raster_transfer t = raster_transfer_of(targets, of, surface, first, count);
    struct raster_surface_part part, whole, right, below;
    if (!raster_transfer_begin(&t, tile, &part))
        return;
    bool is_depth = is_plain_depth(&t);
    if (is_depth || is_plain(&t, tile)) {
        const struct raster_surface plain =
            plain_of(surface, is_depth ? RASTER_PLANE_ZS : RASTER_PLANE_COLOR);
        raster_surface_store(
            &plain, tile,
            (struct raster_resolve){0, 0, (uint8_t)t.first, is_depth ? 1 : (uint8_t)(t.end - t.first)});
        return;
    }
    split(&part, &whole, &right, &below);
    if (!store_whole(&t, tile, &whole)) {
        raster_transfer_store(&t, tile, &part);
        return;
    }
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
        const struct raster_surface plain = plain_of(surface, RASTER_PLANE_COLOR);
        raster_surface_load(&plain, tile);
        return;
    }
    if (!is_copied(&t, tile)) {
        raster_transfer_load(&t, tile, &part);
        return;
    }
    split(&part, &whole, &right, &below);
    load_blocks(&t, tile, &whole);
    raster_transfer_load(&t, tile, &right);
    raster_transfer_load(&t, tile, &below);
}

/* ---- tiles on which nothing was drawn ---- */

bool raster_targets_pixel(const struct raster_targets *targets, const struct raster_tile *tile, uint32_t of,
                          const struct raster_surface *surface, uint32_t first, uint32_t count,
                          struct raster_pixel *pixel)
{
    struct raster_transfer t = raster_transfer_of(targets, of, surface, first, count);
    uint32_t bytes = t.texel->bits / 8u;
    *pixel = (struct raster_pixel){{0}, {0}};
    if (sizeof pixel->set % bytes ||
        (of < RASTER_TARGETS_MAX && (of >= targets->count || !targets->words[of])))
        return false;
    memset(pixel->kept, 255, bytes);
    raster_transfer_pixel(&t, tile, 0, 0, pixel->set);
    raster_transfer_pixel(&t, tile, 0, 0, pixel->kept);
    for (uint32_t n = 0; n < bytes; n++)
        pixel->kept[n] ^= pixel->set[n];
    return true;
}
