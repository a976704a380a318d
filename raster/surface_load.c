/* Loads a unit at a time (surface_internal.h), as surface.c stores them. */
#include "raster/surface_internal.h"

#include <string.h>

static inline void put_block(uint32_t *words, uint32_t samples, struct raster_surface_rows rows)
{
    struct raster_surface_rows lanes = surface_transpose(rows.r[0], rows.r[1], rows.r[2], rows.r[3]);
    for (uint32_t s = 0; s < samples; s++)
        memcpy(words + s * 16, &lanes, sizeof lanes);
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

enum loading { LOAD_NOT, LOAD_WORDS, LOAD_LEVELS, LOAD_HALVES, LOAD_BLOCKS };

/* Formats that loads have in units. */
static enum loading loaded_as(const struct raster_surface *s, enum raster_target target)
{
    if (s->plane == RASTER_PLANE_MASK)
        return LOAD_NOT;
    if (s->layout == RASTER_UTGARD_TILED)
        return s->plane == RASTER_PLANE_COLOR && target == RASTER_TARGET_8888 &&
                       s->format == RASTER_R8G8B8A8_UNORM
                   ? LOAD_BLOCKS
                   : LOAD_NOT;
    if (s->plane != RASTER_PLANE_COLOR)
        return LOAD_WORDS;
    if (target == RASTER_TARGET_RGBA16F)
        return s->format == RASTER_R16G16B16A16_FLOAT ? LOAD_HALVES : LOAD_NOT;
    return s->format == RASTER_R8G8B8A8_UNORM ? LOAD_WORDS
           : s->format == RASTER_B5G6R5_UNORM ? LOAD_LEVELS
                                              : LOAD_NOT;
}

SURFACE_INLINED void load_unit(uint32_t *words, uint32_t samples, bool narrow, const uint8_t *at,
                               size_t pitch)
{
    struct raster_surface_rows a, b;
    for (unsigned r = 0; r < 4; r++) {
        a.r[r] = _mm_loadu_si128((const __m128i *)(at + r * pitch));
        if (narrow)
            unpack_565(a.r[r], &a.r[r], &b.r[r]);
    }
    put_block(words, samples, a);
    if (narrow)
        put_block(words + samples * 16, samples, b);
}

/* Two quads, one above the other. */
SURFACE_INLINED void load_halves(uint32_t *quad, uint32_t samples, const uint8_t *at, size_t pitch)
{
    for (unsigned n = 0; n < 2; n++, quad += 8, at += 2 * pitch) {
        __m128i upper = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)at), 0xd8),
                lower = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(at + pitch)), 0xd8);
        for (uint32_t k = 0; k < samples; k++) {
            _mm_store_si128((__m128i *)(quad + 32 * k), _mm_unpacklo_epi64(upper, lower));
            _mm_store_si128((__m128i *)(quad + 32 * k + 16), _mm_unpackhi_epi64(upper, lower));
        }
    }
}

SURFACE_INLINED void load_units(const struct raster_surface *s, struct raster_tile *tile,
                                const struct raster_surface_plan *plan, enum loading as)
{
    size_t unit = (as == LOAD_WORDS ? 16 : 32) * (size_t)tile->samples;
    uint32_t *plane = s->plane == RASTER_PLANE_COLOR ? tile->color : tile->zs;
    for (uint32_t v = 0, v1; v < plan->rows; v = v1) {
        v1 = surface_group_end(plan->v, v, plan->rows);
        for (uint32_t u = 0, u1; u < plan->columns; u = u1) {
            const uint8_t *group = raster_surface_unit(s, plan, u, v);
            u1 = surface_group_end(plan->u, u, plan->columns);
            for (uint32_t y = v; y < v1; y++, group += plan->drop) {
                uint32_t *to = plane + raster_block_index(tile, u * plan->width, y * 4, 0);
                const uint8_t *at = group;
                for (uint32_t x = u; x < u1; x++, at += plan->step, to += unit)
                    if (as == LOAD_HALVES)
                        load_halves(plane + raster_rgba16f_index(tile, x * 2, y * 4, 0, 0), tile->samples, at,
                                    plan->pitch);
                    else
                        load_unit(to, tile->samples, as == LOAD_LEVELS, at, plan->pitch);
            }
        }
    }
}

/* Blocks of Utgard's tiles, their quads and these's pixels as raster_texel_offset has them; all samples alike. */
static void load_blocks(const struct raster_surface *s, struct raster_tile *tile,
                        const struct raster_surface_plan *plan)
{
    static const uint8_t quads[4] = {0, 1, 3, 2};
    const size_t block = 16 * (size_t)plan->bytes;
    for (uint32_t v = 0; v < plan->rows; v++) {
        uint32_t *to = tile->color + raster_block_index(tile, 0, v * 4, 0);
        for (uint32_t u = 0; u < plan->columns; u++, to += 16ull * tile->samples) {
            const uint8_t *at = surface_tiled_block(s, block, plan->u + u, plan->v + v);
            for (unsigned n = 0; n < 4; n++) {
                __m128i quad = _mm_loadu_si128((const __m128i *)(at + 16 * n));
                quad = _mm_shuffle_epi32(quad, 0xb4);
                for (uint32_t k = 0; k < tile->samples; k++)
                    _mm_store_si128((__m128i *)(to + 16 * k + 4 * quads[n]), quad);
            }
        }
    }
}

void raster_surface_load(const struct raster_surface *surface, struct raster_tile *tile)
{
    enum loading as = loaded_as(surface, (enum raster_target)tile->target);
    struct raster_surface_plan plan;
    if (as == LOAD_NOT) {
        raster_surface_load_ref(surface, tile);
        return;
    }
    if (!raster_surface_plan_tile(surface, tile, &plan))
        return;
    if (as == LOAD_BLOCKS)
        load_blocks(surface, tile, &plan);
    else if (as == LOAD_HALVES)
        load_units(surface, tile, &plan, LOAD_HALVES);
    else if (as == LOAD_LEVELS)
        load_units(surface, tile, &plan, LOAD_LEVELS);
    else
        load_units(surface, tile, &plan, LOAD_WORDS);
    raster_surface_load_part(surface, tile, &plan.right);
    raster_surface_load_part(surface, tile, &plan.below);
}
