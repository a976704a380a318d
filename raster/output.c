#include "raster/output.h"

#include <string.h>

#include "raster/depth.h"
#include "util/bits.h"

bool raster_output_is_bytes(enum raster_format format)
{
    return format == RASTER_R8G8B8A8_UNORM || format == RASTER_R8G8B8X8_UNORM;
}

/* What the first of a format's channels that is one is: others of it are alike, but for an alpha beside SRGB. */
static enum raster_kind kind_of(enum raster_format format)
{
    const struct raster_texel *texel = &raster_texels[format];
    enum raster_kind kind = RASTER_KIND_X;
    for (unsigned c = 0; c < 4 && kind == RASTER_KIND_X; c++)
        kind = raster_texel_kind(texel, c) == RASTER_KIND_X ? RASTER_KIND_X
                                                            : (enum raster_kind)texel->channel[c].kind;
    return kind;
}

bool raster_output_is_integer(enum raster_format format)
{
    return kind_of(format) == RASTER_KIND_UINT || kind_of(format) == RASTER_KIND_SINT;
}

static bool has_logic(enum raster_format format)
{
    enum raster_kind kind = kind_of(format);
    return kind == RASTER_KIND_UNORM || kind == RASTER_KIND_SNORM || kind == RASTER_KIND_UINT ||
           kind == RASTER_KIND_SINT;
}

void raster_output_written(enum raster_format format, uint8_t write_mask, uint32_t mask[4])
{
    const struct raster_texel *texel = &raster_texels[format];
    memset(mask, 0, 4 * sizeof *mask);
    if (texel->channel[0].kind == RASTER_KIND_SHARED) {
        mask[0] = write_mask & 7 ? UINT32_MAX : 0;
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        unsigned n = raster_texel_component(texel, c), bits = texel->channel[c].bits;
        if (bits && n < 4 && write_mask >> n & 1)
            mask[texel->channel[c].at / 32] |= (uint32_t)((1ull << bits) - 1) << texel->channel[c].at % 32;
    }
}

bool raster_output_limits(enum raster_format format, float *least)
{
    enum raster_kind kind = kind_of(format);
    *least = kind == RASTER_KIND_SNORM ? -1.0f : 0.0f;
    return kind == RASTER_KIND_UNORM || kind == RASTER_KIND_SNORM || kind == RASTER_KIND_SRGB;
}

struct raster_blend raster_output_blend(enum raster_format format, const struct raster_blend *blend)
{
    struct raster_blend does = *blend;
    if (does.logic && has_logic(format))
        return does;
    if (does.logic || raster_output_is_integer(format)) {
        does = raster_blend_replace;
        does.write_mask = blend->write_mask;
    }
    return does;
}

bool raster_output_reads(enum raster_format format, const struct raster_blend *blend)
{
    struct raster_blend does = raster_output_blend(format, blend);
    uint32_t all[4], written[4];
    if (raster_output_is_bytes(format))
        return raster_blend_reads(&does);
    raster_output_written(format, 15, all);
    raster_output_written(format, does.write_mask, written);
    does.write_mask = 15;
    return memcmp(all, written, sizeof all) != 0 || raster_blend_reads(&does);
}

/* ---- one pixel ---- */

static uint32_t byte_word(const uint32_t color[4])
{
    uint32_t word[4];
    raster_texel_pack(&raster_texels[RASTER_R8G8B8A8_UNORM], color, word);
    return word[0];
}

static void blend_bytes(enum raster_format format, const struct raster_blend *blend,
                        const struct raster_output_colors *colors, uint32_t *word)
{
    uint32_t constant[4], dst = *word;
    memcpy(constant, colors->constant, sizeof constant);
    if (format == RASTER_R8G8B8X8_UNORM)
        dst |= 0xff000000;
    *word =
        raster_blend_pixel(blend, byte_word(constant), byte_word(colors->src), byte_word(colors->src1), dst);
}

static float limited(enum raster_format format, float x)
{
    float least;
    if (!raster_output_limits(format, &least))
        return x;
    x = x != x ? 0.0f : x;
    x = x > least ? x : least;
    return x < 1.0f ? x : 1.0f;
}

static void blend_numbers(enum raster_format format, const struct raster_blend *blend,
                          const struct raster_output_colors *colors, const uint32_t word[4], uint32_t out[4])
{
    struct raster_blend_colors c;
    uint32_t held[4];
    float dst[4], result[4];
    for (unsigned n = 0; n < 4; n++) {
        c.src[n] = limited(format, util_u2f(colors->src[n]));
        c.src1[n] = limited(format, util_u2f(colors->src1[n]));
        c.constant[n] = limited(format, colors->constant[n]);
    }
    raster_texel_unpack(&raster_texels[format], word, held);
    memcpy(dst, held, sizeof dst);
    raster_blend_float(blend, &c, dst, result);
    memcpy(out, result, sizeof result);
}

void raster_output_pixel(enum raster_format format, const struct raster_blend *blend,
                         const struct raster_output_colors *colors, uint32_t word[4])
{
    const struct raster_blend does = raster_output_blend(format, blend);
    uint32_t color[4], new[4], mask[4];
    if (raster_output_is_bytes(format)) {
        blend_bytes(format, &does, colors, word);
        return;
    }
    memcpy(color, colors->src, sizeof color);
    if (!does.logic && !raster_blend_is_replace(&does))
        blend_numbers(format, &does, colors, word, color);
    raster_texel_pack(&raster_texels[format], color, new);
    raster_output_written(format, does.write_mask, mask);
    for (unsigned n = 0; n < 4; n++) {
        if (does.logic)
            new[n] = raster_blend_logic(does.logic_op, new[n], word[n]);
        word[n] = (new[n] & mask[n]) | (word[n] & ~mask[n]);
    }
}

/* ---- blocks ---- */

void raster_output_depth(const struct raster_targets *targets, const struct raster_prim *prim, int32_t px,
                         int32_t py, uint32_t depth[16])
{
    enum raster_depth_kind kind = (enum raster_depth_kind)targets->depth;
    for (uint32_t lane = 0; lane < 16; lane++) {
        if (raster_depth_is_32(kind))
            depth[lane] = raster_depth_encode(kind, raster_depth_z_at(prim, px, py, lane));
        else
            depth[lane] = raster_depth_at(prim, px, py, lane);
        if (kind == RASTER_DEPTH_UNORM16)
            depth[lane] = raster_depth_16(depth[lane]);
    }
}

uint16_t raster_output_test(const struct raster_targets *targets, struct raster_tile *tile, uint32_t block,
                            uint32_t sample, const struct raster_zs *zs, bool reverse,
                            const uint32_t depth[16], uint16_t lanes)
{
    bool is_32 = raster_depth_is_32((enum raster_depth_kind)targets->depth);
    uint32_t at = block * targets->samples + sample * 16;
    for (uint32_t lane = 0; lane < 16; lane++) {
        uint32_t *word = &tile->zs[at + lane];
        if (!(lanes >> lane & 1))
            continue;
        if (!(is_32 ? raster_zs_test_32(zs, reverse, depth[lane], word, &tile->stencil[at + lane])
                    : raster_zs_test(zs, reverse, depth[lane], word)))
            lanes &= (uint16_t)~(1u << lane);
    }
    return lanes;
}

void raster_output_block(const struct raster_targets *targets, struct raster_tile *tile, uint32_t block,
                         uint32_t t, uint32_t sample, const struct raster_blend *blend,
                         const struct raster_output_colors colors[16], uint16_t lanes)
{
    enum raster_format format = (enum raster_format)targets->format[t];
    for (uint32_t lane = 0; lane < 16; lane++) {
        uint32_t *at = &tile->color[raster_targets_word(targets, block, t, sample, 0) + lane], word[4] = {0};
        if (!(lanes >> lane & 1))
            continue;
        for (uint32_t n = 0; n < targets->words[t]; n++)
            word[n] = at[n * 16];
        raster_output_pixel(format, blend, &colors[lane], word);
        for (uint32_t n = 0; n < targets->words[t]; n++)
            at[n * 16] = word[n];
    }
}
