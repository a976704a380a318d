/* Texels that show another picture. Where one stands is asked of the samplers themselves, so that layouts are not known here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/texels.h"
#include "util/bits.h"

#define TEXELS_MOST (1u << 28) /* of a level: no picture has more */

struct source {
    const struct gpu_texels *texels;
    uint32_t width, height, levels; /* of level 0 */
    enum raster_format format;
    const uint8_t *memory;
};

void gpu_texels_level_finish(struct gpu_texels_level *level)
{
    free(level->before);
    free(level->after);
    *level = (struct gpu_texels_level){0};
}

/* ---- where texels stand ---- */

static void level_size(const struct source *s, uint32_t level, uint32_t *width, uint32_t *height)
{
    const struct gpu_texels *t = s->texels;
    *width = t->key ? t->texture->level[level].width : t->image->level[level].width;
    *height = t->key ? t->texture->level[level].height : t->image->level[level].height;
}

/* The texture with that level alone, whose nearest texel a sample is. */
struct alone {
    struct raster_texture_key key;
    struct raster_texture texture;
    struct raster_sampler_key sampler_key;
    struct raster_image image;
};

static int take_level(const struct source *s, uint32_t level, struct alone *a)
{
    const struct gpu_texels *t = s->texels;
    if (t->key) {
        a->key = *t->key;
        a->texture = *t->texture;
        a->key.wrap_s = a->key.wrap_t = RASTER_CLAMP;
        a->key.mag_linear = a->key.min_linear = a->key.mip = a->key.unnormalized = a->key.lod_limits = 0;
        a->key.lod = RASTER_LOD_IMPLICIT;
        a->texture.level[0] = t->texture->level[level];
        a->texture.level_count = 1;
        a->texture.max_level = 0;
        return raster_texture_validate(&a->key, &a->texture, NULL);
    }
    a->image = *t->image;
    a->image.level[0] = t->image->level[level];
    a->image.level_count = 1;
    a->sampler_key = (struct raster_sampler_key){.format = t->sampler_key->format,
                                                 .op = RASTER_FETCH,
                                                 .dim = RASTER_DIM_2D,
                                                 .layout = t->sampler_key->layout,
                                                 .listed = t->sampler_key->listed,
                                                 .wrap = {RASTER_CLAMP, RASTER_CLAMP, RASTER_CLAMP}};
    int err = raster_sampler_validate(&a->sampler_key, NULL);
    return err ? err : raster_image_validate(&a->sampler_key, &a->image, NULL);
}

static uint32_t place_of(const struct alone *a, const struct source *s, uint32_t x, uint32_t y)
{
    struct raster_lookup where = {0};
    if (s->texels->key) {
        float at[2][16];
        for (unsigned lane = 0; lane < 16; lane++) {
            at[0][lane] = ((float)x + 0.5f) / (float)a->texture.level[0].width;
            at[1][lane] = ((float)y + 0.5f) / (float)a->texture.level[0].height;
        }
        raster_texture_lookup(&a->key, &a->texture, at[0], at[1], NULL, NULL, 0, &where);
    } else {
        struct raster_lookup_lanes in = {0};
        in.coordinate[0][0] = x;
        in.coordinate[1][0] = y;
        raster_sampler_lookup(&a->sampler_key, &a->image, &in, 0, &where);
    }
    return where.offset;
}

/* ---- what they become ---- */

/* The average of the part of the picture that texel (x, y) of a level of width x height stands for. */
static void average(const struct util_image *picture, uint32_t width, uint32_t height, uint32_t x, uint32_t y,
                    uint8_t rgba[4])
{
    const uint32_t left = (uint32_t)((uint64_t)x * picture->width / width),
                   right = UTIL_MAX((uint32_t)((x + 1ull) * picture->width / width), left + 1),
                   top = (uint32_t)((uint64_t)y * picture->height / height),
                   bottom = UTIL_MAX((uint32_t)((y + 1ull) * picture->height / height), top + 1);
    const uint64_t count = (uint64_t)(right - left) * (bottom - top);
    uint64_t sum[4] = {0};
    for (uint32_t v = top; v < bottom; v++)
        for (uint32_t u = left; u < right; u++)
            for (unsigned c = 0; c < 4; c++)
                sum[c] += picture->pixels[4 * ((size_t)v * picture->width + u) + c];
    for (unsigned c = 0; c < 4; c++)
        rgba[c] = (uint8_t)((sum[c] + count / 2) / count);
}

/* What a request gets, into what the texel has: words of its channels. */
static void unswizzle(const struct source *s, const uint32_t in[4], uint32_t out[4])
{
    const struct raster_sampler_key *key = s->texels->sampler_key;
    if (!key) {
        memcpy(out, in, 4 * sizeof *out);
        return;
    }
    memset(out, 0, 3 * sizeof *out);
    out[3] = raster_texel_one(&raster_texels[s->format]);
    for (unsigned c = 4; c-- > 0;)
        if (key->swizzle[c] <= RASTER_SWIZZLE_A)
            out[key->swizzle[c]] = in[c];
}

static void pack(const struct source *s, const uint8_t rgba[4], uint8_t *texel)
{
    const struct raster_texel *to = &raster_texels[s->format];
    const bool srgb = raster_texel_kind(to, 0) == RASTER_KIND_SRGB;
    const bool integer = raster_texel_one(to) == 1;
    uint32_t bytes[4] = {util_load32(rgba)}, in[4], words[4], packed[4] = {0};
    raster_texel_unpack(&raster_texels[srgb ? RASTER_R8G8B8A8_SRGB : RASTER_R8G8B8A8_UNORM], bytes, in);
    for (unsigned c = 0; integer && c < 4; c++)
        in[c] = rgba[c];
    unswizzle(s, in, words);
    raster_texel_pack(to, words, packed);
    for (unsigned n = 0; n < raster_format_bytes(s->format); n++)
        texel[n] = (uint8_t)(packed[n / 4] >> 8 * (n % 4));
}

/* ---- levels ---- */

static int replace_level(const struct source *s, uint32_t level, const struct util_image *picture,
                         struct gpu_texels_level *out)
{
    const uint32_t bytes = raster_format_bytes(s->format);
    uint32_t width, height, low = UINT32_MAX, high = 0;
    uint8_t rgba[4];
    struct alone alone;
    level_size(s, level, &width, &height);
    if ((uint64_t)width * height > TEXELS_MOST || take_level(s, level, &alone))
        return -ENOTSUP;
    uint32_t *place = malloc((size_t)width * height * sizeof *place);
    for (uint32_t n = 0; place && n < width * height; n++) {
        place[n] = place_of(&alone, s, n % width, n / width);
        low = UTIL_MIN(low, place[n]);
        high = UTIL_MAX(high, place[n]);
    }
    *out = (struct gpu_texels_level){.address = low, .size = high - low + bytes};
    out->before = place ? malloc(out->size) : NULL;
    out->after = place ? malloc(out->size) : NULL;
    if (!out->before || !out->after) {
        gpu_texels_level_finish(out);
        free(place);
        return -ENOMEM;
    }
    memcpy(out->before, s->memory + low, out->size);
    memcpy(out->after, out->before, out->size);
    for (uint32_t n = 0; n < width * height; n++) {
        average(picture, width, height, n % width, n / width, rgba);
        pack(s, rgba, out->after + (place[n] - low));
    }
    free(place);
    return 0;
}

static bool is_plain(const struct source *s)
{
    const struct gpu_texels *t = s->texels;
    const struct raster_texel *texel = &raster_texels[s->format];
    const bool flat = t->key ? !t->key->cube && !t->key->volume
                             : t->sampler_key->dim == RASTER_DIM_2D && !t->sampler_key->array &&
                                   !t->sampler_key->multisampled;
    return flat && texel->coding == RASTER_CODING_PLAIN && texel->bits && texel->bits % 8 == 0;
}

int gpu_texels_replace(const struct gpu_texels *texels, const struct util_image *picture,
                       struct gpu_texels_level out[RASTER_IMAGE_LEVELS], uint32_t *count)
{
    struct source s = {.texels = texels};
    int err = 0;
    *count = 0;
    if (!texels->key && !texels->image)
        return -ENOTSUP;
    s.format = (enum raster_format)(texels->key ? texels->key->format : texels->sampler_key->format);
    s.levels = texels->key ? texels->texture->level_count : texels->image->level_count;
    s.memory = texels->key ? texels->texture->memory : texels->image->memory;
    level_size(&s, 0, &s.width, &s.height);
    if (!is_plain(&s))
        return -ENOTSUP;
    if (picture->width != s.width || picture->height != s.height)
        return -ERANGE;
    for (uint32_t level = 0; !err && level < s.levels; level++) {
        err = replace_level(&s, level, picture, &out[level]);
        *count += !err;
    }
    for (uint32_t level = 0; err && level < *count; level++)
        gpu_texels_level_finish(&out[level]);
    *count = err ? 0 : *count;
    return err;
}
