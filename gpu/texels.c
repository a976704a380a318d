#include "gpu/texels.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "util/bits.h"
#include "util/half.h"

/* Of 0 to 1; NaN is 0. */
static uint8_t byte_of(float v)
{
    return v > 0 ? (uint8_t)lroundf(fminf(v, 1) * 255) : 0;
}

/* `slices` pictures of width x height in a row. */
static int begin(uint32_t width, uint32_t height, uint64_t slices, uint64_t most, struct util_image *out)
{
    const uint64_t across = UTIL_MIN(slices, GPU_TEXELS_SLICES) * width;
    if (across > 16384 || height > 16384 || across * height > most)
        return -E2BIG;
    return util_image_init(out, (uint32_t)across, height);
}

uint64_t gpu_texels_slices(const struct gpu_texels *texels)
{
    if (texels->key)
        return texels->key->cube ? 6 : texels->key->volume ? texels->texture->level[0].depth : 1;
    if (!texels->image || texels->sampler_key->dim == RASTER_DIM_BUFFER)
        return 0;
    return texels->sampler_key->multisampled
               ? 1
               : (uint64_t)texels->image->layers * texels->image->level[0].depth *
                     (texels->sampler_key->dim == RASTER_DIM_CUBE ? 6 : 1);
}

/* ---- textures of packed bytes and halves ---- */

static void put_sampled(const struct raster_texture_key *key, const uint32_t *word, uint8_t rgba[4])
{
    const enum raster_format format = (enum raster_format)key->format;
    const unsigned words = raster_sampled_words(format);
    const uint8_t alone = raster_texels[format].channel[0].bits;
    if (raster_format_is_halves(format)) {
        for (unsigned c = 0; c < 3; c++)
            rgba[c] =
                c / 2 < words ? byte_of(util_half_to_float((uint16_t)(word[c / 2] >> 16 * (c & 1)))) : 0;
    } else if (raster_texels[format].coding == RASTER_CODING_PLAIN &&
               !raster_texel_is_8888(&raster_texels[format]) && alone > 8 && alone < 32) {
        rgba[0] = rgba[1] = rgba[2] = (uint8_t)(word[0] >> (alone - 8));
    } else {
        util_store32(rgba, word[0]);
    }
    rgba[3] = 255;
}

static void draw_slice(const struct raster_texture_key *key, const struct raster_texture *texture,
                       struct util_image *out, uint32_t left)
{
    const uint32_t width = texture->level[0].width, height = texture->level[0].height;
    const unsigned words = raster_sampled_words((enum raster_format)key->format);
    float s[16], t[16];
    uint32_t sampled[16 * RASTER_SAMPLED_WORDS];
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x += 16) {
            for (uint32_t i = 0; i < 16; i++) {
                s[i] = ((float)(x + i) + 0.5f) / (float)width;
                t[i] = ((float)y + 0.5f) / (float)height;
            }
            raster_texture_sample(key, texture, s, t, NULL, NULL, sampled);
            for (uint32_t i = 0; i < UTIL_MIN(16, width - x); i++) {
                const uint32_t word[RASTER_SAMPLED_WORDS] = {sampled[i], words > 1 ? sampled[16 + i] : 0};
                put_sampled(key, word, out->pixels + 4 * ((size_t)y * out->width + left + x + i));
            }
        }
}

static int texture_picture(const struct gpu_texels *texels, uint64_t most, struct util_image *out)
{
    struct raster_texture_key key = *texels->key;
    struct raster_texture texture = *texels->texture;
    struct raster_level *level = &texture.level[0];
    const uint32_t slices = (uint32_t)gpu_texels_slices(texels),
                   step = level->face_stride ? level->face_stride : texture.face_stride,
                   first = level->offset;
    int err = begin(level->width, level->height, slices, most, out);
    key.wrap_s = key.wrap_t = RASTER_CLAMP;
    key.mag_linear = key.min_linear = key.mip = key.cube = key.volume = key.wrap_r = key.unnormalized = 0;
    key.lod = RASTER_LOD_IMPLICIT;
    texture.level_count = 1;
    texture.max_level = 0;
    level->depth = 1;
    for (uint32_t n = 0; !err && n < UTIL_MIN(slices, GPU_TEXELS_SLICES); n++) {
        level->offset = first + n * step;
        err = raster_texture_validate(&key, &texture, NULL);
        if (!err)
            draw_slice(&key, &texture, out, n * level->width);
    }
    return err;
}

/* ---- images of the general sampler ---- */

static void put_texel(const struct raster_sampler_key *key, const uint32_t word[4], uint8_t rgba[4])
{
    const struct raster_texel *texel = &raster_texels[key->format];
    const bool integer = raster_sampler_integer((enum raster_format)key->format);
    uint32_t packed[4] = {0};
    for (unsigned c = 0; c < 3; c++)
        rgba[c] = integer ? (uint8_t)UTIL_MIN(word[c], 255) : byte_of(util_u2f(word[c]));
    if (raster_texel_kind(texel, 0) == RASTER_KIND_SRGB) {
        raster_texel_pack(&raster_texels[RASTER_R8G8B8A8_SRGB], word, packed);
        util_store32(rgba, packed[0]);
    }
    rgba[3] = 255;
}

static int image_picture(const struct gpu_texels *texels, uint64_t most, struct util_image *out)
{
    const struct raster_sampler_key *from = texels->sampler_key;
    struct raster_image image = *texels->image;
    struct raster_image_level *level = &image.level[0];
    const uint64_t slices = UTIL_MIN(gpu_texels_slices(texels), GPU_TEXELS_SLICES);
    struct raster_sampler_key key = {.format = from->format,
                                     .op = RASTER_FETCH,
                                     .dim = RASTER_DIM_2D,
                                     .array = !from->multisampled,
                                     .multisampled = from->multisampled,
                                     .layout = from->layout,
                                     .listed = from->listed,
                                     .wrap = {RASTER_CLAMP, RASTER_CLAMP, RASTER_CLAMP}};
    struct raster_lookup_lanes in = {0};
    uint32_t got[4][16];
    if (!slices)
        return -ENOTSUP;
    memcpy(key.swizzle, from->swizzle, sizeof key.swizzle);
    image.level_count = 1;
    image.layers = (uint32_t)slices;
    level->depth = 1;
    if (raster_sampler_validate(&key, NULL) || raster_image_validate(&key, &image, NULL))
        return -EFAULT;
    int err = begin(level->width, level->height, slices, most, out);
    for (uint32_t n = 0; !err && n < slices; n++)
        for (uint32_t y = 0; y < level->height; y++)
            for (uint32_t x = 0; x < level->width; x += 16) {
                for (uint32_t i = 0; i < 16; i++) {
                    in.coordinate[0][i] = x + i;
                    in.coordinate[1][i] = y;
                    in.layer[i] = n;
                }
                raster_sampler_run(&key, &image, &in, got);
                for (uint32_t i = 0; i < UTIL_MIN(16, level->width - x); i++)
                    put_texel(&key, (const uint32_t[4]){got[0][i], got[1][i], got[2][i], got[3][i]},
                              out->pixels + 4 * ((size_t)y * out->width + n * level->width + x + i));
            }
    return err;
}

int gpu_texels_picture(const struct gpu_texels *texels, uint64_t most, struct util_image *out)
{
    *out = (struct util_image){0};
    int err = -ENOTSUP;
    if (texels->key)
        err = texture_picture(texels, most, out);
    else if (texels->image)
        err = image_picture(texels, most, out);
    if (err)
        util_image_finish(out);
    return err;
}
