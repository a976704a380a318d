#include "raster/stages.h"

#include <math.h>
#include <string.h>

void raster_stages_test(const struct raster_stages *stages, struct raster_stages_block *block,
                        const uint8_t stencil[16])
{
    const uint32_t mask = stages->stencil_mask;
    for (unsigned k = 0; k < stages->samples; k++)
        for (unsigned lane = 0; lane < 16; lane++) {
            uint32_t *word = &block->tile->zs[block->index + k * 16 + lane];
            if (!(block->live[k] >> lane & 1))
                continue;
            if (!raster_zs_test(stages->zs, block->reverse, block->depth[lane], word))
                block->live[k] &= (uint16_t)~(1u << lane);
            if (stencil)
                *word = (*word & ~mask) | (stencil[lane] & mask);
        }
}

uint32_t raster_stages_word(const float color[4])
{
    uint32_t word = 0;
    for (unsigned c = 0; c < 4; c++) {
        float x = color[c] > 0.0f ? color[c] : 0.0f;
        x = x < 1.0f ? x : 1.0f;
        word |= (uint32_t)rintf(x * 255.0f) << 8 * c;
    }
    return word;
}

/* Alpha to coverage takes sample k from where alpha * 4 >= 255 k + 128 (ours). */
static bool is_covered(uint32_t alpha, unsigned k)
{
    return alpha * 4 >= 255 * k + 128;
}

uint16_t raster_stages_alpha_left(const struct raster_stages *stages, unsigned k, const uint32_t word[16])
{
    uint16_t left = 0;
    for (unsigned lane = 0; lane < 16; lane++)
        if (!stages->alpha_to_coverage || is_covered(word[lane] >> 24, k))
            left |= (uint16_t)(1u << lane);
    return left;
}

uint16_t raster_stages_alpha(const struct raster_stages *stages, struct raster_stages_block *block,
                             unsigned k, uint16_t lanes, uint32_t word[16])
{
    uint16_t passed = 0;
    lanes &= raster_stages_alpha_left(stages, k, word);
    for (unsigned lane = 0; lane < 16; lane++) {
        uint32_t alpha = word[lane] >> 24;
        if (raster_compare(stages->alpha_func, alpha, stages->alpha_ref))
            passed |= (uint16_t)(1u << lane);
        if (stages->alpha_to_one)
            word[lane] |= 0xff000000;
    }
    block->live[k] &= passed & lanes;
    return passed;
}

void raster_stages_blend(const struct raster_stages *stages, const struct raster_stages_block *block,
                         unsigned k, unsigned lane, uint32_t word, uint32_t second)
{
    uint32_t *at = &block->tile->color[block->index + k * 16 + lane];
    *at = raster_blend_pixel(stages->blend, stages->constant, word, second, *at);
}

/* ---- tiles of halves ---- */

uint16_t *raster_stages_half(const struct raster_stages_block *block, unsigned lane, unsigned c)
{
    uint32_t *word = &block->tile->color[2 * block->index + c / 2 * 16 + lane];
    return (uint16_t *)word + c % 2;
}

void raster_stages_blend_halves(const struct raster_stages *stages, const struct raster_stages_block *block,
                                unsigned lane, const float color[4], const float second[4])
{
    struct raster_blend_colors colors;
    uint16_t halves[4];
    memcpy(colors.src, color, sizeof colors.src);
    memcpy(colors.src1, second, sizeof colors.src1);
    if (stages->alpha_to_one)
        colors.src[3] = 1.0f;
    for (unsigned c = 0; c < 4; c++) {
        colors.constant[c] = (float)(stages->constant >> 8 * c & 255) / 255.0f;
        halves[c] = *raster_stages_half(block, lane, c);
    }
    raster_blend_rgba16f(stages->blend, &colors, halves);
    for (unsigned c = 0; c < 4; c++)
        *raster_stages_half(block, lane, c) = halves[c];
}
