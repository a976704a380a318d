/* The stores of a tile: formats, layouts, samples. */
#include <string.h>

#include <smmintrin.h>

#include "gpu/utgard/writeback.h"
#include "raster/texture/texture.h"
#include "util/bits.h"

/* ---- blocks of 4x4 pixels, whose quads are vectors ---- */

struct block {
    __m128i quad[4];
};

/* Four channels at `shift` of four pixels, as `bits` bits nearest to eight; (x + 1 + (x >> 8)) >> 8 is x /
 * 255 below 65535. */
static inline __m128i narrow(__m128i words, int shift, int bits)
{
    __m128i v = _mm_and_si128(_mm_srli_epi32(words, shift), _mm_set1_epi32(255)), x;

    x = _mm_add_epi32(_mm_mullo_epi32(v, _mm_set1_epi32((1 << bits) - 1)), _mm_set1_epi32(127));
    return _mm_srli_epi32(_mm_add_epi32(_mm_add_epi32(x, _mm_set1_epi32(1)), _mm_srli_epi32(x, 8)), 8);
}

static inline __m128i join(__m128i low, __m128i high, int shift)
{
    return _mm_or_si128(low, _mm_slli_epi32(high, shift));
}

/* Four pixels' bits, of as many bytes as the format has; `words` are the tile's, components in their places
 * already: the first in the low byte. `reversed` matters where components have different widths. */
static inline __attribute__((always_inline)) __m128i encode(enum utgard_wb_format format, bool reversed,
                                                            __m128i w)
{
    const struct raster_texel *texel;
    __m128i out = _mm_setzero_si128();
    int at = 0;

    switch (format) {
    case UTGARD_WB_BGRA8888: return w;
    case UTGARD_WB_B8: return _mm_and_si128(w, _mm_set1_epi32(255));
    case UTGARD_WB_GB88: return _mm_and_si128(w, _mm_set1_epi32(0xffff));
    case UTGARD_WB_Z16: return _mm_srli_epi32(w, 16);
    case UTGARD_WB_Z24S8: return join(_mm_srli_epi32(w, 8), w, 24);
    default: texel = utgard_wb_texel(format);
    }
    for (int c = 0, last = texel->channel[3].bits ? 3 : 2; c <= last; c++) {
        int bits = texel->channel[reversed ? last - c : c].bits;

        out = join(out, narrow(w, 8 * c, bits), at);
        at += bits;
    }
    return out;
}

/* Sum of four samples' bytes, plus 2, shifted by 2. */
static inline __m128i average(const __m128i *sample)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_set1_epi16(2), high = low;

    for (unsigned k = 0; k < 4; k++) {
        low = _mm_add_epi16(low, _mm_unpacklo_epi8(sample[4 * k], zero));
        high = _mm_add_epi16(high, _mm_unpackhi_epi8(sample[4 * k], zero));
    }
    return _mm_packus_epi16(_mm_srli_epi16(low, 2), _mm_srli_epi16(high, 2));
}

/* Bytes a, b, c and d of each of four words, from the lowest on. */
static inline __m128i shuffle(__m128i words, char a, char b, char c, char d)
{
    __m128i at = _mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);

    return _mm_shuffle_epi8(words, _mm_add_epi8(at, _mm_set1_epi32(a | b << 8 | c << 16 | d << 24)));
}

/* Components of the format in the other order. */
static inline __m128i reverse(enum utgard_wb_format format, __m128i words)
{
    switch (format) {
    case UTGARD_WB_B8: return words;
    case UTGARD_WB_GB88: return shuffle(words, 1, 0, 2, 3);
    case UTGARD_WB_BGR565: return shuffle(words, 2, 1, 0, 3);
    default: return shuffle(words, 3, 2, 1, 0);
    }
}

/* How a plane's words become an image's. */
struct transfer {
    enum utgard_wb_format format;
    bool tiled;
    bool mixed;                    /* the average of four samples */
    bool turned;                   /* blue in the low byte */
    bool reversed, big_endian;     /* as utgard_wb; of depths nothing is reversed */
    uint32_t bytes;                /* a pixel */
    const uint32_t *plane;         /* of the tile: its first block's sample */
    uint8_t *at;                   /* the image */
    uint32_t pitch, width, height; /* as utgard_wb */
};

/* Four of the tile's words as pixels. */
static inline __attribute__((always_inline)) __m128i pixels(const struct transfer *t, __m128i words)
{
    if (t->turned)
        words = shuffle(words, 2, 1, 0, 3);
    if (t->reversed)
        words = reverse(t->format, words);
    words = encode(t->format, t->reversed, words);
    if (t->big_endian && t->bytes == 4)
        words = shuffle(words, 3, 2, 1, 0);
    if (t->big_endian && t->bytes == 2)
        words = shuffle(words, 1, 0, 2, 3);
    return words;
}

/* The block's pixels in the image's order: rows, or as raster_texel_offset has tiles of textures. */
static inline __attribute__((always_inline)) struct block convert(const struct transfer *t,
                                                                  const uint32_t *words)
{
    const __m128i *from = (const __m128i *)words;
    __m128i q[4];

    for (unsigned n = 0; n < 4; n++) {
        q[n] = pixels(t, t->mixed ? average(from + n) : from[n]);
        if (t->tiled)
            q[n] = _mm_shuffle_epi32(q[n], 0xb4); /* 0, 1, 3, 2 */
    }
    if (t->tiled)
        return (struct block){{q[0], q[1], q[3], q[2]}};
    return (struct block){{_mm_unpacklo_epi64(q[0], q[1]), _mm_unpackhi_epi64(q[0], q[1]),
                           _mm_unpacklo_epi64(q[2], q[3]), _mm_unpackhi_epi64(q[2], q[3])}};
}

/* A tile's block, all of it in one piece. Whole vectors go past the caches: nobody reads them soon, and their
 * lines need not be fetched first. */
static inline void put_tiled(uint8_t *at, uint32_t bytes, const struct block *b)
{
    __m128i *to = (__m128i *)at, low = _mm_packus_epi32(b->quad[0], b->quad[1]),
            high = _mm_packus_epi32(b->quad[2], b->quad[3]);

    if ((uintptr_t)at & 15) { /* an image that begins anywhere */
        const __m128i two[2] = {low, high}, one = _mm_packus_epi16(low, high);

        memcpy(at, bytes == 4 ? (const void *)b : bytes == 2 ? (const void *)two : &one, 16ull * bytes);
    } else if (bytes == 4) {
        for (unsigned n = 0; n < 4; n++)
            _mm_stream_si128(to + n, b->quad[n]);
    } else if (bytes == 2) {
        _mm_stream_si128(to, low);
        _mm_stream_si128(to + 1, high);
    } else {
        _mm_stream_si128(to, _mm_packus_epi16(low, high));
    }
}

/* Four rows of four pixels. */
static inline void put_rows(uint8_t *at, uint32_t bytes, uint32_t pitch, const struct block *b)
{
    for (unsigned n = 0; n < 4; n++, at += pitch) {
        __m128i v = b->quad[n];

        if (bytes == 4 && !((uintptr_t)at & 15))
            _mm_stream_si128((__m128i *)at, v);
        else if (bytes == 4)
            _mm_storeu_si128((__m128i *)at, v);
        else if (bytes == 2)
            _mm_storel_epi64((__m128i *)at, _mm_packus_epi32(v, v));
        else
            util_store32(at, (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(_mm_packus_epi32(v, v), v)));
    }
}

/* Where the block at (x, y) stands. */
static inline size_t block_offset(const struct transfer *t, uint32_t x, uint32_t y)
{
    /* Of the blocks of a tile, in rows: their places, as raster_texel_offset has them. */
    static const uint8_t place[16] = {0, 1, 4, 5, 3, 2, 7, 6, 12, 13, 8, 9, 15, 14, 11, 10};
    size_t tile = (size_t)(y / 16) * t->pitch + x / 16;

    if (!t->tiled)
        return (size_t)y * t->pitch + (size_t)x * t->bytes;
    return (tile * 16 + place[(y & 12) | (x >> 2 & 3)]) * 16 * t->bytes;
}

/* A block that the image cuts. */
static void put_part(const struct transfer *t, const struct block *block, uint32_t x0, uint32_t y0)
{
    uint32_t words[16];

    memcpy(words, block, sizeof words);
    for (uint32_t y = 0; y < 4 && y0 + y < t->height; y++)
        for (uint32_t x = 0; x < 4 && x0 + x < t->width; x++) {
            uint32_t n = t->tiled ? raster_texel_offset(RASTER_UTGARD_TILED, 1, 1, x, y) : 4 * y + x;
            size_t inside = t->tiled ? (size_t)n * t->bytes : (size_t)y * t->pitch + (size_t)x * t->bytes;

            memcpy(t->at + block_offset(t, x0, y0) + inside, &words[n], t->bytes);
        }
}

/* Inlined where the caller knows some of the transfer. */
static inline __attribute__((always_inline)) void put_blocks(const struct transfer *t,
                                                             const struct raster_tile *tile)
{
    uint32_t x0 = (uint32_t)tile->x, y0 = (uint32_t)tile->y;

    for (uint32_t y = y0; y < y0 + tile->height && y < t->height; y += 4) {
        const uint32_t *from = t->plane + raster_block_index(tile, 0, y - y0, 0);

        for (uint32_t x = x0; x < x0 + tile->width && x < t->width; x += 4, from += 16ull * tile->samples) {
            struct block block = convert(t, from);
            uint8_t *at = t->at + block_offset(t, x, y);

            if (x + 4 > t->width || y + 4 > t->height)
                put_part(t, &block, x, y);
            else if (t->tiled)
                put_tiled(at, t->bytes, &block);
            else
                put_rows(at, t->bytes, t->pitch, &block);
        }
    }
}

/* What drivers mostly ask for. */
static inline __attribute__((always_inline)) bool put_usual(const struct transfer *t,
                                                            const struct raster_tile *tile,
                                                            enum utgard_wb_format format, bool tiled,
                                                            bool turned, uint32_t bytes)
{
    struct transfer known = *t;

    if (t->format != format || t->tiled != tiled || t->turned != turned || t->mixed || t->reversed ||
        t->big_endian)
        return false;
    known.format = format;
    known.tiled = tiled;
    known.turned = turned;
    known.mixed = known.reversed = known.big_endian = false;
    known.bytes = bytes;
    put_blocks(&known, tile);
    return true;
}

/* ---- smaller images: pixel by pixel, no driver being known that asks for them ---- */

/* What the tile's pixels from (x, y) on, as many as make one of the image, come to in sample `k`, or in all
 * for k < 0. */
static uint32_t mix(const struct utgard_wb *wb, const struct raster_tile *tile, uint32_t x, uint32_t y, int k)
{
    uint32_t first = k > 0 && tile->samples == 4 ? (uint32_t)k : 0, end = k < 0 ? tile->samples : first + 1;
    uint32_t count = (end - first) << (wb->shrink_x + wb->shrink_y), sum[4], word = 0;

    if (wb->source == UTGARD_WB_ZS)
        return tile->zs[raster_pixel_index(tile, x, y, first)];
    sum[0] = sum[1] = sum[2] = sum[3] = count / 2;
    for (uint32_t v = y; v < y + (1u << wb->shrink_y); v++)
        for (uint32_t u = x; u < x + (1u << wb->shrink_x); u++)
            for (uint32_t s = first; s < end; s++)
                for (unsigned c = 0; c < 4; c++)
                    sum[c] += tile->color[raster_pixel_index(tile, u, v, s)] >> 8 * c & 255;
    for (unsigned c = 0; c < 4; c++)
        word |= sum[c] / count << 8 * c;
    return word;
}

static void put_smaller(const struct transfer *t, const struct utgard_wb *wb, const struct raster_tile *tile,
                        int k)
{
    enum raster_layout layout = t->tiled ? RASTER_UTGARD_TILED : RASTER_LINEAR;
    uint32_t across = 1u << wb->shrink_x, down = 1u << wb->shrink_y;

    for (uint32_t y = 0; y < tile->height; y += down)
        for (uint32_t x = 0; x < tile->width; x += across) {
            uint32_t px = ((uint32_t)tile->x + x) >> wb->shrink_x;
            uint32_t py = ((uint32_t)tile->y + y) >> wb->shrink_y, pixel;
            __m128i word = _mm_cvtsi32_si128((int)mix(wb, tile, x, y, k));

            if (px >= t->width || py >= t->height)
                continue;
            pixel = (uint32_t)_mm_cvtsi128_si32(pixels(t, word));
            memcpy(t->at + raster_texel_offset(layout, t->bytes, t->pitch, px, py), &pixel, t->bytes);
        }
}

/* ---- halves: likewise ---- */

/* The pixel's bits, out of four halves with red lowest. */
static uint64_t encode_halves(const struct utgard_wb *wb, uint64_t halves, uint32_t bytes)
{
    const unsigned channel[4] = {wb->swap ? 0 : 2, 1, wb->swap ? 2 : 0, 3};
    uint64_t pixel = 0;

    for (unsigned n = 0, last = bytes / 2 - 1; n <= last; n++)
        pixel |= (halves >> 16 * channel[wb->reversed ? last - n : n] & 0xffff) << 16 * n;
    return wb->big_endian ? __builtin_bswap64(pixel) >> (64 - 8 * bytes) : pixel;
}

/* The same of four halves a pixel for two words of red and green, two of blue and alpha, two pixels a vector. */
static __m128i halves_order(const struct utgard_wb *wb)
{
    uint64_t at = encode_halves(wb, 0x0706050403020100, 8);

    return _mm_add_epi8(_mm_set1_epi64x((int64_t)at), _mm_set_epi64x(0x0808080808080808, 0));
}

/* A quad of whole pixels of four halves: rows, or its place in a tile, which has the lower pixels turned. */
static inline void put_quad(const struct utgard_wb *wb, uint8_t *at, uint32_t x, uint32_t y, __m128i upper,
                            __m128i lower)
{
    size_t offset = (size_t)y * wb->pitch + (size_t)x * 8, below = wb->pitch;

    if (wb->tiled) {
        offset = (size_t)raster_texel_offset(RASTER_UTGARD_TILED, 1, wb->pitch, x, y) * 8;
        below = 16;
        lower = _mm_shuffle_epi32(lower, 0x4e);
    }
    _mm_storeu_si128((__m128i *)(at + offset), upper);
    _mm_storeu_si128((__m128i *)(at + offset + below), lower);
}

/* What drivers mostly ask for: a tile that is all in the image, pixel for pixel. */
static bool store_whole_halves(const struct utgard_wb *wb, uint8_t *at, const struct raster_tile *tile)
{
    const __m128i order = halves_order(wb);
    uint32_t left = (uint32_t)tile->x, top = (uint32_t)tile->y;

    if (wb->format != UTGARD_WB_BGRA16F || wb->shrink_x || wb->shrink_y || left + tile->width > wb->width ||
        top + tile->height > wb->height)
        return false;
    for (uint32_t y = 0; y < tile->height; y += 2)
        for (uint32_t x = 0; x < tile->width; x += 2) {
            const uint32_t *quad = tile->color + raster_rgba16f_index(tile, x, y, 0, 0);
            __m128i rg = _mm_loadu_si128((const __m128i *)quad),
                    ba = _mm_loadu_si128((const __m128i *)(quad + 16));

            put_quad(wb, at, left + x, top + y, _mm_shuffle_epi8(_mm_unpacklo_epi32(rg, ba), order),
                     _mm_shuffle_epi8(_mm_unpackhi_epi32(rg, ba), order));
        }
    return true;
}

static void store_halves(const struct utgard_wb *wb, uint8_t *at, const struct raster_tile *tile)
{
    uint32_t across = 1u << wb->shrink_x, down = 1u << wb->shrink_y, bytes = utgard_wb_bytes(wb->format);
    uint32_t left = (uint32_t)tile->x >> wb->shrink_x, top = (uint32_t)tile->y >> wb->shrink_y;

    if (store_whole_halves(wb, at, tile))
        return;
    for (uint32_t y = top; y < top + (tile->height >> wb->shrink_y) && y < wb->height; y++)
        for (uint32_t x = left; x < left + (tile->width >> wb->shrink_x) && x < wb->width; x++) {
            uint64_t halves =
                raster_rgba16f_average(tile, (x - left) * across, (y - top) * down, across, down, 1);
            uint64_t pixel = encode_halves(wb, halves, bytes);
            size_t offset = wb->tiled
                                ? (size_t)raster_texel_offset(RASTER_UTGARD_TILED, 1, wb->pitch, x, y) * bytes
                                : (size_t)y * wb->pitch + (size_t)x * bytes;

            memcpy(at + offset, &pixel, bytes);
        }
}

/* ---- planes ---- */

/* What holds of all planes. */
static struct transfer transfer_of(const struct utgard_wb *wb)
{
    return (struct transfer){.format = wb->format,
                             .tiled = wb->tiled,
                             .turned = wb->source == UTGARD_WB_COLOR && !wb->swap,
                             .reversed = wb->source == UTGARD_WB_COLOR && wb->reversed,
                             .big_endian = wb->big_endian,
                             .bytes = utgard_wb_bytes(wb->format),
                             .pitch = wb->pitch,
                             .width = wb->width,
                             .height = wb->height};
}

uint32_t utgard_wb_pixels(const struct utgard_wb *wb, uint32_t word)
{
    static const uint32_t often[] = {[1] = 0x01010101, [2] = 0x00010001, [4] = 1};
    const struct transfer t = transfer_of(wb);

    return (uint32_t)_mm_cvtsi128_si32(pixels(&t, _mm_cvtsi32_si128((int)word))) * often[t.bytes];
}

/* One plane: sample `k`, or the average for k < 0. */
static void store_plane(const struct utgard_wb *wb, uint8_t *at, const struct raster_tile *tile, int k)
{
    uint32_t sample = k > 0 && tile->samples == 4 ? (uint32_t)k : 0;
    struct transfer t = transfer_of(wb);

    t.mixed = k < 0 && tile->samples == 4 && wb->source == UTGARD_WB_COLOR;
    t.plane = (wb->source == UTGARD_WB_ZS ? tile->zs : tile->color) + 16ull * sample;
    t.at = at;
    if (wb->shrink_x || wb->shrink_y)
        put_smaller(&t, wb, tile, k);
    else if (!put_usual(&t, tile, UTGARD_WB_BGRA8888, false, true, 4) &&
             !put_usual(&t, tile, UTGARD_WB_BGRA8888, true, true, 4) &&
             !put_usual(&t, tile, UTGARD_WB_BGRA8888, true, false, 4) &&
             !put_usual(&t, tile, UTGARD_WB_Z16, true, false, 2) &&
             !put_usual(&t, tile, UTGARD_WB_Z24S8, true, false, 4))
        put_blocks(&t, tile);
}

void utgard_wb_store(const struct utgard_wb *wb, uint8_t *memory, const struct raster_tile *tile)
{
    if (wb->source == UTGARD_WB_OFF || tile->x < 0 || tile->y < 0)
        return;
    if (wb->format >= UTGARD_WB_BGRA16F && wb->format <= UTGARD_WB_GB16F) {
        store_halves(wb, memory + wb->address, tile);
        return;
    }
    if (!wb->samples)
        store_plane(wb, memory + wb->address, tile, -1);
    for (int k = 0; k < (int)RASTER_MAX_SAMPLES; k++)
        if (wb->samples >> k & 1)
            store_plane(wb, memory + wb->address + (uint64_t)k * wb->sample_pitch, tile, k);
}
