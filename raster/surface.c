/* Stores a unit at a time (surface_internal.h): one 4x4 block of 32-bit pixels or two of 16-bit
 * ones, two quads of halves. Units that the image cuts go pixel by pixel. */
#include "raster/surface_internal.h"

#include <string.h>

#include <smmintrin.h>

#include "raster/texture/texture_internal.h"

void raster_surface_plan(const struct raster_surface *s, const struct raster_surface_part *part,
                         struct raster_surface_plan *plan)
{
    bool linear = s->layout == RASTER_LINEAR;
    plan->bytes = raster_format_bytes((enum raster_format)s->format);
    plan->width = s->layout == RASTER_UTGARD_TILED ? 4 : 16 / plan->bytes;
    bool aligned = part->x0 % plan->width == 0 && part->y0 % 4 == 0;
    plan->u = part->x0 / plan->width;
    plan->v = part->y0 / 4;
    plan->columns = aligned ? (part->x1 - part->x0) / plan->width : 0;
    plan->rows = aligned ? (part->y1 - part->y0) / 4 : 0;
    plan->pitch = linear ? s->stride : 16;
    plan->step = linear ? 16 : 64;
    plan->drop = linear ? (size_t)s->stride * 4 : s->layout == RASTER_VC4_LT ? (size_t)s->stride * 64 : 256;
    plan->right = plan->below = *part;
    plan->right.x0 = plan->below.x1 = part->x0 + plan->columns * plan->width;
    plan->below.y0 = part->y0 + plan->rows * 4;
    plan->right.y1 = plan->columns ? part->y1 : plan->right.y1;
}

bool raster_surface_plan_tile(const struct raster_surface *s, const struct raster_tile *tile,
                              struct raster_surface_plan *plan)
{
    struct raster_surface_part part;
    if (!raster_surface_visible(s, tile->x, tile->y, tile->width, tile->height, &part))
        return false;
    raster_surface_plan(s, &part, plan);
    if (tile->x < 0 || tile->y < 0) { /* the part begins inside the tile */
        plan->columns = plan->rows = 0;
        plan->right = (struct raster_surface_part){0};
        plan->below = part;
    }
    return true;
}

/* What is stored goes past the caches: nobody reads it soon, and it need not be fetched first. */
SURFACE_INLINED void put(uint8_t *at, __m128i v)
{
    if ((uintptr_t)at & 15) /* an image that begins anywhere */
        _mm_storeu_si128((__m128i *)at, v);
    else
        _mm_stream_si128((__m128i *)at, v);
}

/* ---- words to pixels ---- */

enum packing { PACK_NOT, PACK_KEPT, PACK_WORDS, PACK_PAIRS, PACK_LEVELS, PACK_HALVES };

/* How the tile's words become pixels. They may be the pixels (KEPT); whole bytes, of words, to 32 bits (WORDS)
 * or 16 (PAIRS), and halves are moved by one shuffle; channels of fewer bits are rounded to their levels, in
 * 16 bits (LEVELS). */
struct packer {
    enum packing as;
    __m128i order;
    bool dither, big_endian;
    unsigned count;
    struct packed_channel {
        int from, bits, at; /* of the tile's word; how many; of the pixel */
    } channel[4];
};

SURFACE_INLINED bool is_32_bits(const struct packer *p)
{
    return p->as == PACK_KEPT || p->as == PACK_WORDS;
}

/* The byte of a pixel's words that byte `n` of the image's is; -1: zero. `size`: bytes of a component. */
static int source_of(const struct raster_surface *s, unsigned n, unsigned size)
{
    const struct raster_texel *texel = &raster_texels[s->format];
    unsigned bytes = texel->bits / 8u, bit = 8 * (s->big_endian ? bytes - 1 - n : n), c = 0, k;
    while (c < 3 && texel->channel[c + 1].bits && texel->channel[c + 1].at <= bit)
        c++;
    k = raster_texel_component(texel, c);
    bit -= texel->channel[c].at;
    if (k == 4)
        return -1;
    if (s->plane != RASTER_PLANE_COLOR) /* depth's upper bytes, above the stencil */
        return (int)(k ? bit / 8 : 4 - texel->channel[c].bits / 8u + bit / 8);
    if (s->swap && k != 3)
        k = k == 1 ? 1 : 2 - k;
    return (int)(k * size + bit / 8);
}

static bool whole_bytes(const struct raster_texel *texel)
{
    bool whole = true;
    for (unsigned c = 0; c < 4; c++)
        whole &= texel->channel[c].bits % 8 == 0;
    return whole;
}

static enum packing packing_of(const struct raster_surface *s, enum raster_target target)
{
    const struct raster_texel *texel = &raster_texels[s->format];
    if (s->plane == RASTER_PLANE_MASK || s->plane == RASTER_PLANE_DEPTH)
        return PACK_NOT;
    if (s->plane == RASTER_PLANE_COLOR && target == RASTER_TARGET_RGBA16F)
        return texel->bits == 64 && raster_format_is_halves((enum raster_format)s->format) ? PACK_HALVES
                                                                                           : PACK_NOT;
    if (s->plane == RASTER_PLANE_COLOR && !raster_texel_is_8888(texel))
        return PACK_NOT;
    if (whole_bytes(texel))
        return texel->bits == 32 ? PACK_WORDS : texel->bits == 16 ? PACK_PAIRS : PACK_NOT;
    return texel->bits == 16 && !(s->dither && s->layout == RASTER_UTGARD_TILED) ? PACK_LEVELS : PACK_NOT;
}

static void set_order(const struct raster_surface *s, struct packer *p)
{
    unsigned size = p->as == PACK_HALVES ? 8 : 4, bytes = raster_texels[s->format].bits / 8u;
    uint8_t order[16];
    for (unsigned n = 0; n < size; n++) {
        int from = n < bytes ? source_of(s, n, size / 4) : -1;
        for (unsigned at = 0; at < 16; at += size)
            order[at + n] = from < 0 ? 0x80 : (uint8_t)(at + (unsigned)from);
    }
    p->order = _mm_loadu_si128((const __m128i *)order);
}

static bool keeps_order(const struct packer *p)
{
    const __m128i kept = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm_movemask_epi8(_mm_cmpeq_epi8(p->order, kept)) == 0xffff;
}

/* v * levels / 255 rounded to nearest is (v * times + plus) >> down for every byte, below 65536 throughout. */
static const struct rounding {
    uint16_t times, plus, down;
} roundings[8] = {[1] = {126, 16702, 15}, [2] = {192, 8287, 14}, [3] = {225, 4080, 13}, [4] = {240, 2167, 12},
                  [5] = {249, 1020, 11},  [6] = {253, 510, 10},  [7] = {255, 255, 9}};

static struct packer packer_of(const struct raster_surface *s, enum raster_target target)
{
    const struct raster_texel *texel = &raster_texels[s->format];
    struct packer p = {.as = packing_of(s, target), .dither = s->dither, .big_endian = s->big_endian};
    if (p.as == PACK_WORDS || p.as == PACK_PAIRS || p.as == PACK_HALVES)
        set_order(s, &p);
    if (p.as == PACK_WORDS && keeps_order(&p))
        p.as = PACK_KEPT;
    for (unsigned c = 0; p.as == PACK_LEVELS && c < 4; c++) {
        unsigned n = raster_texel_component(texel, c);
        if (!texel->channel[c].bits || n == 4)
            continue;
        n = s->swap && n != 3 ? 2 - n : n;
        p.channel[p.count++] = (struct packed_channel){
            .from = (int)(8 * n), .bits = texel->channel[c].bits, .at = texel->channel[c].at};
    }
    return p;
}

/* Eight bytes of a channel to its levels. Dithered: (v * levels + bias) / 255, exact below 65535. */
SURFACE_INLINED __m128i levels_of(__m128i v, int bits, bool dither, __m128i bias)
{
    const struct rounding *r = &roundings[bits];
    if (!dither)
        return _mm_srl_epi16(_mm_add_epi16(_mm_mullo_epi16(v, _mm_set1_epi16((short)r->times)),
                                           _mm_set1_epi16((short)r->plus)),
                             _mm_cvtsi32_si128(r->down));
    v = _mm_add_epi16(_mm_mullo_epi16(v, _mm_set1_epi16((short)((1 << bits) - 1))), bias);
    return _mm_srli_epi16(_mm_add_epi16(_mm_add_epi16(v, _mm_set1_epi16(1)), _mm_srli_epi16(v, 8)), 8);
}

/* Eight pixels of 16 bits. */
SURFACE_INLINED __m128i pack_levels(const struct packer *p, __m128i left, __m128i right, __m128i bias)
{
    const __m128i byte = _mm_set1_epi32(255);
    __m128i out = _mm_setzero_si128();
#pragma GCC unroll 4
    for (unsigned c = 0; c < p->count; c++) {
        __m128i from = _mm_cvtsi32_si128(p->channel[c].from), at = _mm_cvtsi32_si128(p->channel[c].at);
        __m128i v = _mm_packus_epi32(_mm_and_si128(_mm_srl_epi32(left, from), byte),
                                     _mm_and_si128(_mm_srl_epi32(right, from), byte));
        out = _mm_or_si128(out, _mm_sll_epi16(levels_of(v, p->channel[c].bits, p->dither, bias), at));
    }
    return p->big_endian ? _mm_or_si128(_mm_slli_epi16(out, 8), _mm_srli_epi16(out, 8)) : out;
}

/* Rows or quads of 16-bit pixels; `row` of four, for dither. */
SURFACE_INLINED __m128i pack_pair(const struct packer *p, __m128i left, __m128i right, unsigned row)
{
    if (p->as == PACK_PAIRS)
        return _mm_packus_epi32(left, right);
    __m128i half = _mm_loadl_epi64((const __m128i *)raster_surface_dither[row]);
    return pack_levels(p, left, right, _mm_unpacklo_epi64(half, half));
}

/* ---- blocks ---- */

/* Sum of four samples' bytes, plus 2, shifted by 2. */
static inline __m128i average4(const __m128i *sample)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_set1_epi16(2), high = low;
    for (unsigned k = 0; k < 4; k++) {
        low = _mm_add_epi16(low, _mm_unpacklo_epi8(sample[4 * k], zero));
        high = _mm_add_epi16(high, _mm_unpackhi_epi8(sample[4 * k], zero));
    }
    return _mm_packus_epi16(_mm_srli_epi16(low, 2), _mm_srli_epi16(high, 2));
}

/* A block's quads, whole bytes in their order already. */
SURFACE_INLINED struct raster_surface_rows block_quads(const struct packer *p, const uint32_t *words,
                                                       bool average)
{
    const __m128i *from = (const __m128i *)words;
    struct raster_surface_rows q;
    for (unsigned n = 0; n < 4; n++) {
        q.r[n] = average ? average4(from + n) : from[n];
        if (p->as != PACK_LEVELS && p->as != PACK_KEPT)
            q.r[n] = _mm_shuffle_epi8(q.r[n], p->order);
    }
    return q;
}

SURFACE_INLINED struct raster_surface_rows block_rows(const struct packer *p, const uint32_t *words,
                                                      bool average)
{
    struct raster_surface_rows q = block_quads(p, words, average);
    return surface_transpose(q.r[0], q.r[1], q.r[2], q.r[3]);
}

/* ---- units of rows: linear images and VideoCore IV's ---- */

/* A quad's upper and lower pixels, of words of red and green and, sixteen on, of blue and alpha. */
SURFACE_INLINED void pack_quad(const struct packer *p, const uint32_t *words, __m128i *upper, __m128i *lower)
{
    __m128i rg = _mm_load_si128((const __m128i *)words), ba = _mm_load_si128((const __m128i *)(words + 16));
    *upper = _mm_shuffle_epi8(_mm_unpacklo_epi32(rg, ba), p->order);
    *lower = _mm_shuffle_epi8(_mm_unpackhi_epi32(rg, ba), p->order);
}

/* Two quads, one above the other. */
SURFACE_INLINED void store_halves(const struct packer *p, const uint32_t *quad, uint8_t *at, size_t pitch)
{
    for (unsigned n = 0; n < 2; n++, quad += 8, at += 2 * pitch) {
        __m128i upper, lower;
        pack_quad(p, quad, &upper, &lower);
        put(at, upper);
        put(at + pitch, lower);
    }
}

SURFACE_INLINED void store_unit(const struct packer *p, const uint32_t *words, uint32_t samples, bool average,
                                uint8_t *at, size_t pitch)
{
    struct raster_surface_rows a = block_rows(p, words, average);
    if (!is_32_bits(p)) {
        struct raster_surface_rows b = block_rows(p, words + samples * 16, average);
        for (unsigned r = 0; r < 4; r++)
            a.r[r] = pack_pair(p, a.r[r], b.r[r], r);
    }
    for (unsigned r = 0; r < 4; r++)
        put(at + r * pitch, a.r[r]);
}

SURFACE_INLINED void store_rows(const struct raster_surface *s, const struct raster_tile *tile,
                                const struct raster_surface_plan *plan, const struct packer *p,
                                const uint32_t *words, bool average)
{
    size_t unit = (is_32_bits(p) ? 16 : 32) * (size_t)tile->samples;
    for (uint32_t v = 0, v1; v < plan->rows; v = v1) {
        v1 = surface_group_end(plan->v, v, plan->rows);
        for (uint32_t u = 0, u1; u < plan->columns; u = u1) {
            uint8_t *group = raster_surface_unit(s, plan, u, v);
            u1 = surface_group_end(plan->u, u, plan->columns);
            for (uint32_t y = v; y < v1; y++, group += plan->drop) {
                const uint32_t *from = words + raster_block_index(tile, u * plan->width, y * 4, 0);
                uint8_t *at = group;
                for (uint32_t x = u; x < u1; x++, at += plan->step, from += unit)
                    if (p->as == PACK_HALVES)
                        store_halves(p, words + raster_rgba16f_index(tile, x * 2, y * 4, 0, 0), at,
                                     plan->pitch);
                    else
                        store_unit(p, from, tile->samples, average, at, plan->pitch);
            }
        }
    }
}

/* ---- units of Utgard's tiles ---- */

/* A block in one piece, its quads and their pixels as raster_texel_offset has them. */
SURFACE_INLINED void store_block_of_halves(const struct packer *p, const uint32_t *words, uint8_t *at)
{
    static const uint8_t place[4] = {0, 32, 96, 64};
    for (unsigned n = 0; n < 4; n++) {
        __m128i upper, lower;
        pack_quad(p, words + 4 * n, &upper, &lower);
        put(at + place[n], upper);
        put(at + place[n] + 16, _mm_shuffle_epi32(lower, 0x4e));
    }
}

SURFACE_INLINED void store_block(const struct packer *p, const uint32_t *words, bool average, uint8_t *at)
{
    struct raster_surface_rows q = block_quads(p, words, average);
    unsigned count = 4;
    q = (struct raster_surface_rows){{_mm_shuffle_epi32(q.r[0], 0xb4), _mm_shuffle_epi32(q.r[1], 0xb4),
                                      _mm_shuffle_epi32(q.r[3], 0xb4), _mm_shuffle_epi32(q.r[2], 0xb4)}};
    if (!is_32_bits(p)) {
        q.r[0] = pack_pair(p, q.r[0], q.r[1], 0);
        q.r[1] = pack_pair(p, q.r[2], q.r[3], 0);
        count = 2;
    }
    for (unsigned n = 0; n < count; n++)
        put(at + 16 * n, q.r[n]);
}

SURFACE_INLINED void store_tiled(const struct raster_surface *s, const struct raster_tile *tile,
                                 const struct raster_surface_plan *plan, const struct packer *p,
                                 const uint32_t *words, bool average)
{
    size_t block = 16 * (size_t)plan->bytes;
    unsigned words_each = p->as == PACK_HALVES ? 2 : 1;
    for (uint32_t v = 0; v < plan->rows; v++) {
        const uint32_t *from = words + (size_t)words_each * raster_block_index(tile, 0, v * 4, 0);
        for (uint32_t u = 0; u < plan->columns; u++, from += 16ull * words_each * tile->samples) {
            uint8_t *at = surface_tiled_block(s, block, plan->u + u, plan->v + v);
            if (p->as == PACK_HALVES)
                store_block_of_halves(p, from, at);
            else
                store_block(p, from, average, at);
        }
    }
}

/* Compiled for what the caller knows of the packer. */
SURFACE_INLINED void store_known(const struct raster_surface *s, const struct raster_tile *tile,
                                 const struct raster_surface_plan *plan, const struct packer *p,
                                 const uint32_t *words, enum packing as, bool average)
{
    struct packer known = *p;
    known.as = as;
    if (s->layout == RASTER_UTGARD_TILED)
        store_tiled(s, tile, plan, &known, words, average);
    else
        store_rows(s, tile, plan, &known, words, average);
}

/* What drivers mostly ask for of 16 bits: blue lowest. */
#define CHANNELS_565 .count = 3, .channel = {{16, 5, 0}, {8, 6, 5}, {0, 5, 11}}
static const struct packer rounded_565 = {CHANNELS_565}, dithered_565 = {CHANNELS_565, .dither = true};

static bool is_565(const struct packer *p)
{
    return p->count == rounded_565.count && !p->big_endian &&
           !memcmp(p->channel, rounded_565.channel, sizeof p->channel);
}

static void store_units(const struct raster_surface *s, const struct raster_tile *tile,
                        const struct raster_surface_plan *plan, const struct packer *p, uint32_t first,
                        bool average)
{
    size_t sample = first * (p->as == PACK_HALVES ? 32 : 16);
    const uint32_t *words = (s->plane == RASTER_PLANE_COLOR ? tile->color : tile->zs) + sample;
    if (p->as == PACK_KEPT && !average)
        store_known(s, tile, plan, p, words, PACK_KEPT, false);
    else if (is_32_bits(p) && average)
        store_known(s, tile, plan, p, words, PACK_WORDS, true);
    else if (p->as == PACK_WORDS)
        store_known(s, tile, plan, p, words, PACK_WORDS, false);
    else if (p->as == PACK_HALVES)
        store_known(s, tile, plan, p, words, PACK_HALVES, false);
    else if (p->as == PACK_PAIRS)
        store_known(s, tile, plan, p, words, PACK_PAIRS, average);
    else if (is_565(p) && p->dither)
        store_known(s, tile, plan, &dithered_565, words, PACK_LEVELS, average);
    else if (is_565(p))
        store_known(s, tile, plan, &rounded_565, words, PACK_LEVELS, average);
    else
        store_known(s, tile, plan, p, words, PACK_LEVELS, average);
}

/* ---- tiles ---- */

void raster_surface_store(const struct raster_surface *surface, const struct raster_tile *tile,
                          struct raster_resolve resolve)
{
    const struct packer p = packer_of(surface, (enum raster_target)tile->target);
    struct raster_surface_plan plan;
    bool color = surface->plane == RASTER_PLANE_COLOR,
         average = color && tile->samples > 1 && resolve.count > 1;
    uint32_t first = resolve.first < tile->samples ? resolve.first : 0;
    /* Several pixels become one: rare, and nothing of it is in units. */
    if (resolve.shrink_x || resolve.shrink_y || p.as == PACK_NOT ||
        (average && (p.as == PACK_HALVES || first || resolve.count < 4))) {
        raster_surface_store_ref(surface, tile, resolve);
        return;
    }
    if (!raster_surface_plan_tile(surface, tile, &plan))
        return;
    store_units(surface, tile, &plan, &p, first, average);
    raster_surface_store_part(surface, tile, resolve, &plan.right);
    raster_surface_store_part(surface, tile, resolve, &plan.below);
}
