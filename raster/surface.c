/* Loads and stores a unit at a time (surface_internal.h): one 4x4 block of 32-bit pixels or two of 16-bit
 * ones. Units that the image cuts go pixel by pixel. */
#include "raster/surface_internal.h"

#include <assert.h>
#include <string.h>

#include <smmintrin.h>

#include "raster/texture/texture_internal.h"
#include "util/bits.h"

struct rows {
    __m128i r[4];
};

bool raster_surface_size(const struct raster_surface *surface, uint64_t *bytes)
{
    struct raster_level level = {.stride = surface->stride, .layout = surface->layout};
    if (surface->format > RASTER_SURFACE_A8 || surface->layout >= RASTER_UTGARD_TILED)
        return false;
    *bytes = 0;
    if (surface->width == 0 || surface->height == 0)
        return true;
    return raster_level_span(surface_bytes_per_pixel(surface->format) * 8, &level, surface->width,
                             surface->height, bytes) &&
           *bytes <= UINT64_C(1) << 32;
}

/* ---- blocks ---- */

/* Lanes to rows of four pixels, or back: the same exchange of halves (tile.h's order of lanes). */
static inline struct rows turn(__m128i q0, __m128i q1, __m128i q2, __m128i q3)
{
    return (struct rows){{_mm_unpacklo_epi64(q0, q1), _mm_unpackhi_epi64(q0, q1), _mm_unpacklo_epi64(q2, q3),
                          _mm_unpackhi_epi64(q2, q3)}};
}

/* Sum of four bytes each, plus 2, shifted by 2. */
static inline __m128i average4(__m128i a, __m128i b, __m128i c, __m128i d)
{
    const __m128i zero = _mm_setzero_si128(), two = _mm_set1_epi16(2);
    __m128i lo = _mm_add_epi16(_mm_add_epi16(_mm_unpacklo_epi8(a, zero), _mm_unpacklo_epi8(b, zero)),
                               _mm_add_epi16(_mm_unpacklo_epi8(c, zero), _mm_unpacklo_epi8(d, zero)));
    __m128i hi = _mm_add_epi16(_mm_add_epi16(_mm_unpackhi_epi8(a, zero), _mm_unpackhi_epi8(b, zero)),
                               _mm_add_epi16(_mm_unpackhi_epi8(c, zero), _mm_unpackhi_epi8(d, zero)));
    return _mm_packus_epi16(_mm_srli_epi16(_mm_add_epi16(lo, two), 2),
                            _mm_srli_epi16(_mm_add_epi16(hi, two), 2));
}

static inline struct rows block_rows(const uint32_t *words, bool resolve)
{
    const __m128i *q = (const __m128i *)words;
    if (!resolve)
        return turn(q[0], q[1], q[2], q[3]);
    return turn(average4(q[0], q[4], q[8], q[12]), average4(q[1], q[5], q[9], q[13]),
                average4(q[2], q[6], q[10], q[14]), average4(q[3], q[7], q[11], q[15]));
}

static inline void put_block(uint32_t *words, uint32_t samples, struct rows rows)
{
    struct rows lanes = turn(rows.r[0], rows.r[1], rows.r[2], rows.r[3]);
    for (uint32_t s = 0; s < samples; s++)
        memcpy(words + s * 16, &lanes, sizeof lanes);
}

/* ---- 16-bit pixels ---- */

/* Eight values of one channel, from two rows. */
static inline __m128i channel(__m128i left, __m128i right, int shift)
{
    const __m128i byte = _mm_set1_epi32(255);
    return _mm_packus_epi32(_mm_and_si128(_mm_srli_epi32(left, shift), byte),
                            _mm_and_si128(_mm_srli_epi32(right, shift), byte));
}

/* (v * scale + bias) / 255, exact below 65535. */
static inline __m128i to_levels(__m128i v, int scale, __m128i bias)
{
    __m128i x = _mm_add_epi16(_mm_mullo_epi16(v, _mm_set1_epi16((short)scale)), bias);
    __m128i y = _mm_add_epi16(_mm_add_epi16(x, _mm_set1_epi16(1)), _mm_srli_epi16(x, 8));
    return _mm_srli_epi16(y, 8);
}

static inline __m128i join_565(__m128i r, __m128i g, __m128i b)
{
    return _mm_or_si128(_mm_or_si128(_mm_slli_epi16(r, 11), _mm_slli_epi16(g, 5)), b);
}

static inline __m128i dither_565(__m128i left, __m128i right, __m128i bias)
{
    return join_565(to_levels(channel(left, right, 0), 31, bias),
                    to_levels(channel(left, right, 8), 63, bias),
                    to_levels(channel(left, right, 16), 31, bias));
}

/* (v * 249 + 1014) >> 11 is v * 31 / 255 rounded to nearest for every byte, (v * 253 + 505) >> 10 the same of
 * v * 63 / 255. */
static inline __m128i round_565(__m128i left, __m128i right)
{
    const __m128i m5 = _mm_set1_epi16(249), b5 = _mm_set1_epi16(1014);
    const __m128i m6 = _mm_set1_epi16(253), b6 = _mm_set1_epi16(505);
    __m128i r = _mm_add_epi16(_mm_mullo_epi16(channel(left, right, 0), m5), b5);
    __m128i g = _mm_add_epi16(_mm_mullo_epi16(channel(left, right, 8), m6), b6);
    __m128i b = _mm_add_epi16(_mm_mullo_epi16(channel(left, right, 16), m5), b5);
    return join_565(_mm_srli_epi16(r, 11), _mm_srli_epi16(g, 10), _mm_srli_epi16(b, 11));
}

static inline void unpack_565(__m128i v, __m128i *left, __m128i *right)
{
    const __m128i five = _mm_set1_epi16(31), six = _mm_set1_epi16(63);
    __m128i r = _mm_srli_epi16(v, 11), g = _mm_and_si128(_mm_srli_epi16(v, 5), six),
            b = _mm_and_si128(v, five);
    r = _mm_or_si128(_mm_slli_epi16(r, 3), _mm_srli_epi16(r, 2));
    g = _mm_or_si128(_mm_slli_epi16(g, 2), _mm_srli_epi16(g, 4));
    b = _mm_or_si128(_mm_slli_epi16(b, 3), _mm_srli_epi16(b, 2));
    __m128i rg = _mm_or_si128(r, _mm_slli_epi16(g, 8)), ba = _mm_or_si128(b, _mm_set1_epi16((short)0xff00));
    *left = _mm_unpacklo_epi16(rg, ba);
    *right = _mm_unpackhi_epi16(rg, ba);
}

/* ---- units ---- */

enum conversion { WORDS, ROUNDED_565, DITHERED_565 };

static inline void store_unit(const uint32_t *words, uint32_t samples, enum conversion to, bool resolve,
                              uint8_t *at, size_t pitch)
{
    struct rows a = block_rows(words, resolve);
    if (to != WORDS) {
        struct rows b = block_rows(words + samples * 16, resolve);
        for (unsigned r = 0; r < 4; r++) {
            __m128i half = _mm_loadl_epi64((const __m128i *)surface_dither[r]);
            a.r[r] = to == DITHERED_565 ? dither_565(a.r[r], b.r[r], _mm_unpacklo_epi64(half, half))
                                        : round_565(a.r[r], b.r[r]);
        }
    }
    /* A whole line goes past the caches: nobody reads it soon, and it need not be fetched first. */
    if (pitch == 16 && !((uintptr_t)at & 63)) {
        for (unsigned r = 0; r < 4; r++)
            _mm_stream_si128((__m128i *)at + r, a.r[r]);
        return;
    }
    for (unsigned r = 0; r < 4; r++)
        _mm_storeu_si128((__m128i *)(at + r * pitch), a.r[r]);
}

static inline void store_unit_z(const uint32_t *words, uint8_t *at, size_t pitch)
{
    const __m128i stencil = _mm_set1_epi32(255);
    struct rows a = block_rows(words, false);
    for (unsigned r = 0; r < 4; r++) {
        __m128i *row = (__m128i *)(at + r * pitch), old = _mm_loadu_si128(row);
        _mm_storeu_si128(row, _mm_or_si128(_mm_andnot_si128(stencil, a.r[r]), _mm_and_si128(stencil, old)));
    }
}

static inline void load_unit(uint32_t *words, uint32_t samples, bool narrow, const uint8_t *at, size_t pitch)
{
    struct rows a, b;
    for (unsigned r = 0; r < 4; r++) {
        a.r[r] = _mm_loadu_si128((const __m128i *)(at + r * pitch));
        if (narrow)
            unpack_565(a.r[r], &a.r[r], &b.r[r]);
    }
    put_block(words, samples, a);
    if (narrow)
        put_block(words + samples * 16, samples, b);
}

/* false when nothing of the tile is in the image. Units stand at multiples of their size in the image, so
 * tiles elsewhere have none. */
bool surface_plan(const struct raster_surface *s, const struct raster_tile *tile, struct surface_plan *plan)
{
    struct surface_part part;
    if (!surface_visible(s, tile, 1, &part))
        return false;
    plan->bytes = surface_bytes_per_pixel(s->format);
    plan->width = 16 / plan->bytes;
    bool aligned = tile->x >= 0 && tile->y >= 0 && (uint32_t)tile->x % plan->width == 0 && tile->y % 4 == 0;
    plan->u = aligned ? (uint32_t)tile->x / plan->width : 0;
    plan->v = aligned ? (uint32_t)tile->y / 4 : 0;
    plan->columns = aligned ? part.x1 / plan->width : 0;
    plan->rows = aligned ? part.y1 / 4 : 0;
    plan->pitch = s->layout == RASTER_LINEAR ? s->stride : 16;
    plan->step = s->layout == RASTER_LINEAR ? 16 : 64;
    plan->drop = s->layout == RASTER_LINEAR   ? (size_t)s->stride * 4
                 : s->layout == RASTER_VC4_LT ? (size_t)s->stride * 64
                                              : 256;
    plan->right = plan->below = part;
    if (aligned) {
        plan->right.x0 = plan->below.x1 = plan->columns * plan->width;
        plan->below.y0 = plan->rows * 4;
    } else {
        plan->below.y1 = plan->below.y0;
    }
    return true;
}

/* Specialised on its constants where it is called. */
static inline __attribute__((always_inline)) void store_units(const struct raster_surface *s,
                                                              const struct raster_tile *tile,
                                                              const struct surface_plan *plan,
                                                              enum conversion to, bool resolve)
{
    const uint32_t *plane = s->format == RASTER_SURFACE_ZS ? tile->zs : tile->color;
    for (uint32_t v = 0, v1; v < plan->rows; v = v1) {
        v1 = surface_group_end(plan->v, v, plan->rows);
        for (uint32_t u = 0, u1; u < plan->columns; u = u1) {
            uint8_t *group = surface_unit(s, plan, u, v);
            u1 = surface_group_end(plan->u, u, plan->columns);
            for (uint32_t y = v; y < v1; y++, group += plan->drop) {
                uint8_t *at = group;
                for (uint32_t x = u; x < u1; x++, at += plan->step)
                    store_unit(plane + raster_block_index(tile, x * plan->width, y * 4, 0), tile->samples, to,
                               resolve, at, plan->pitch);
            }
        }
    }
}

/* Units of RGBA16F are two quads, one above the other: words of red and green, sixteen on those of blue and
 * alpha. Sample 0. */
static void store_halves(const struct raster_surface *s, const struct raster_tile *tile)
{
    struct surface_plan plan;
    if (!surface_plan(s, tile, &plan))
        return;
    for (uint32_t v = 0; v < plan.rows; v++)
        for (uint32_t u = 0; u < plan.columns; u++) {
            uint8_t *at = surface_unit(s, &plan, u, v);
            for (uint32_t y = 4 * v; y < 4 * v + 4; y += 2, at += 2 * plan.pitch) {
                const uint32_t *quad = tile->color + raster_rgba16f_index(tile, 2 * u, y, 0, 0);
                __m128i rg = _mm_load_si128((const __m128i *)quad),
                        ba = _mm_load_si128((const __m128i *)(quad + 16));
                _mm_storeu_si128((__m128i *)at, _mm_unpacklo_epi32(rg, ba));
                _mm_storeu_si128((__m128i *)(at + plan.pitch), _mm_unpackhi_epi32(rg, ba));
            }
        }
    surface_store_part(s, tile, 1, false, &plan.right);
    surface_store_part(s, tile, 1, false, &plan.below);
}

static void load_halves(const struct raster_surface *s, struct raster_tile *tile)
{
    struct surface_plan plan;
    if (!surface_plan(s, tile, &plan))
        return;
    for (uint32_t v = 0; v < plan.rows; v++)
        for (uint32_t u = 0; u < plan.columns; u++) {
            const uint8_t *at = surface_unit(s, &plan, u, v);
            for (uint32_t y = 4 * v; y < 4 * v + 4; y += 2, at += 2 * plan.pitch) {
                uint32_t *quad = tile->color + raster_rgba16f_index(tile, 2 * u, y, 0, 0);
                __m128i upper = _mm_loadu_si128((const __m128i *)at),
                        lower = _mm_loadu_si128((const __m128i *)(at + plan.pitch));
                upper = _mm_shuffle_epi32(upper, 0xd8);
                lower = _mm_shuffle_epi32(lower, 0xd8);
                for (uint32_t k = 0; k < tile->samples; k++, quad += 32) {
                    _mm_store_si128((__m128i *)quad, _mm_unpacklo_epi64(upper, lower));
                    _mm_store_si128((__m128i *)(quad + 16), _mm_unpackhi_epi64(upper, lower));
                }
            }
        }
    surface_load_part(s, tile, &plan.right);
    surface_load_part(s, tile, &plan.below);
}

void raster_surface_store_decimated(const struct raster_surface *surface, const struct raster_tile *tile,
                                    enum raster_decimate decimate)
{
    uint32_t count = surface->format == RASTER_SURFACE_ZS ? 1 : 1u << 2 * decimate;
    struct surface_plan plan;
    if (surface->format == RASTER_SURFACE_RGBA16F && count == 1) {
        store_halves(surface, tile);
        return;
    }
    /* Several pixels become one: rare, and nothing of it is in units; nor are these formats. */
    if (count > tile->samples || surface->format > RASTER_SURFACE_ZS) {
        raster_surface_store_ref(surface, tile, decimate);
        return;
    }
    if (!surface_plan(surface, tile, &plan))
        return;
    bool resolve = count == 4;
    if (surface->format == RASTER_SURFACE_BGR565_DITHER && resolve)
        store_units(surface, tile, &plan, DITHERED_565, true);
    else if (surface->format == RASTER_SURFACE_BGR565_DITHER)
        store_units(surface, tile, &plan, DITHERED_565, false);
    else if (surface->format == RASTER_SURFACE_BGR565 && resolve)
        store_units(surface, tile, &plan, ROUNDED_565, true);
    else if (surface->format == RASTER_SURFACE_BGR565)
        store_units(surface, tile, &plan, ROUNDED_565, false);
    else if (resolve)
        store_units(surface, tile, &plan, WORDS, true);
    else
        store_units(surface, tile, &plan, WORDS, false);
    surface_store_part(surface, tile, count, false, &plan.right);
    surface_store_part(surface, tile, count, false, &plan.below);
}

void raster_surface_store(const struct raster_surface *surface, const struct raster_tile *tile, bool resolve)
{
    bool four = resolve && tile->samples == 4;
    raster_surface_store_decimated(surface, tile, four ? RASTER_DECIMATE_4 : RASTER_DECIMATE_NONE);
}

void raster_surface_store_z_only(const struct raster_surface *surface, const struct raster_tile *tile)
{
    struct surface_plan plan;
    assert(surface->format == RASTER_SURFACE_ZS);
    if (!surface_plan(surface, tile, &plan))
        return;
    for (uint32_t v = 0; v < plan.rows; v++)
        for (uint32_t u = 0; u < plan.columns; u++)
            store_unit_z(tile->zs + raster_block_index(tile, u * 4, v * 4, 0),
                         surface_unit(surface, &plan, u, v), plan.pitch);
    surface_store_part(surface, tile, 1, true, &plan.right);
    surface_store_part(surface, tile, 1, true, &plan.below);
}

void raster_surface_load(const struct raster_surface *surface, struct raster_tile *tile)
{
    if (surface->format == RASTER_SURFACE_RGBA16F) {
        load_halves(surface, tile);
        return;
    }
    if (surface->format > RASTER_SURFACE_ZS) {
        raster_surface_load_ref(surface, tile);
        return;
    }
    uint32_t *plane = surface->format == RASTER_SURFACE_ZS ? tile->zs : tile->color;
    struct surface_plan plan;
    if (!surface_plan(surface, tile, &plan))
        return;
    for (uint32_t v = 0, v1; v < plan.rows; v = v1) {
        v1 = surface_group_end(plan.v, v, plan.rows);
        for (uint32_t u = 0, u1; u < plan.columns; u = u1) {
            const uint8_t *group = surface_unit(surface, &plan, u, v);
            u1 = surface_group_end(plan.u, u, plan.columns);
            for (uint32_t y = v; y < v1; y++, group += plan.drop)
                for (uint32_t x = u; x < u1; x++)
                    load_unit(plane + raster_block_index(tile, x * plan.width, y * 4, 0), tile->samples,
                              plan.bytes == 2, group + (x - u) * plan.step, plan.pitch);
        }
    }
    surface_load_part(surface, tile, &plan.right);
    surface_load_part(surface, tile, &plan.below);
}

void raster_surface_fence(void)
{
    _mm_sfence();
}

/* ---- raw tiles ---- */

/* The four words of a quad's sample: lanes 4q to 4q+3 of a block, in the dump's order. */
static size_t quad_index(const struct raster_tile *tile, uint32_t qx, uint32_t qy, uint32_t s)
{
    return raster_pixel_index(tile, qx * 2, qy * 2, s);
}

/* What a plane keeps of a quad's sample: `size` bytes for four pixels, in `parts` places 64 bytes apart. */
struct quad {
    size_t at; /* bytes from the plane's beginning */
    uint32_t size, parts;
};

static struct quad quad_of(const struct raster_tile *tile, enum raster_plane plane, uint32_t qx, uint32_t qy,
                           uint32_t s)
{
    size_t word = quad_index(tile, qx, qy, s);
    if (plane == RASTER_PLANE_MASK)
        return (struct quad){raster_mask_index(tile, qx * 2, qy * 2), 4, 1};
    if (plane == RASTER_PLANE_RGBA16F)
        return (struct quad){raster_rgba16f_index(tile, qx * 2, qy * 2, s, 0) * sizeof(uint32_t), 16, 2};
    return (struct quad){word * sizeof(uint32_t), 16, 1};
}

static const void *plane_of(const struct raster_tile *tile, enum raster_plane plane)
{
    return plane == RASTER_PLANE_ZS     ? (const void *)tile->zs
           : plane == RASTER_PLANE_MASK ? (const void *)tile->mask
                                        : (const void *)tile->color;
}

uint32_t raster_tile_dump_bytes(const struct raster_tile *tile, enum raster_plane plane)
{
    uint32_t pixels = tile->width * tile->height;
    return plane == RASTER_PLANE_MASK ? pixels
                                      : pixels * tile->samples * (plane == RASTER_PLANE_RGBA16F ? 8 : 4);
}

void raster_tile_dump(const struct raster_tile *tile, enum raster_plane plane, uint8_t *bytes)
{
    const uint8_t *from = plane_of(tile, plane);
    uint32_t samples = plane == RASTER_PLANE_MASK ? 1 : tile->samples;
    for (uint32_t qy = 0; qy < tile->height / 2; qy++)
        for (uint32_t qx = 0; qx < tile->width / 2; qx++)
            for (uint32_t s = 0; s < samples; s++) {
                struct quad q = quad_of(tile, plane, qx, qy, s);
                for (uint32_t p = 0; p < q.parts; p++, bytes += q.size)
                    memcpy(bytes, from + q.at + p * 64, q.size);
            }
}

void raster_tile_undump(struct raster_tile *tile, enum raster_plane plane, const uint8_t *bytes)
{
    uint8_t *to = (uint8_t *)plane_of(tile, plane);
    uint32_t samples = plane == RASTER_PLANE_MASK ? 1 : tile->samples;
    for (uint32_t qy = 0; qy < tile->height / 2; qy++)
        for (uint32_t qx = 0; qx < tile->width / 2; qx++)
            for (uint32_t s = 0; s < samples; s++) {
                struct quad q = quad_of(tile, plane, qx, qy, s);
                for (uint32_t p = 0; p < q.parts; p++, bytes += q.size)
                    memcpy(to + q.at + p * 64, bytes, q.size);
            }
}
