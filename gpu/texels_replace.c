/* Texels that show another picture. Where one stands is asked of the samplers themselves, so that layouts are not known here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/texels.h"
#include "raster/texture/block.h"
#include "util/bits.h"

#define TEXELS_MOST (1u << 28) /* of a level: no picture has more */

struct source {
    const struct gpu_texels *texels;
    uint32_t width, height, slices; /* of level 0 */
    uint32_t levels;
    bool volume; /* slices of a smaller level stand for several */
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

struct size {
    uint32_t width, height, slices;
};

static struct size level_size(const struct source *s, uint32_t level)
{
    const struct gpu_texels *t = s->texels;
    const struct raster_level *of = t->key ? &t->texture->level[level] : NULL;
    const struct raster_image_level *at = of ? NULL : &t->image->level[level];
    return (struct size){of ? of->width : at->width, of ? of->height : at->height,
                         !s->volume ? s->slices
                         : of       ? of->depth
                                    : at->depth};
}

/* The texture with that level of that slice alone, whose nearest texel a sample is. */
struct alone {
    struct raster_texture_key key;
    struct raster_texture texture;
    struct raster_sampler_key sampler_key;
    struct raster_image image;
    uint32_t layer; /* of the image */
};

static int take_level(const struct source *s, uint32_t level, uint32_t slice, struct alone *a)
{
    const struct gpu_texels *t = s->texels;
    if (t->key) {
        a->key = *t->key;
        a->texture = *t->texture;
        a->key.wrap_s = a->key.wrap_t = RASTER_CLAMP;
        a->key.mag_linear = a->key.min_linear = a->key.mip = a->key.unnormalized = a->key.lod_limits = 0;
        a->key.cube = a->key.volume = a->key.wrap_r = 0;
        a->key.lod = RASTER_LOD_IMPLICIT;
        struct raster_level *only = &a->texture.level[0];
        *only = t->texture->level[level];
        only->offset += slice * (only->face_stride ? only->face_stride : t->texture->face_stride);
        only->depth = 1;
        a->texture.level_count = 1;
        a->texture.max_level = 0;
        return raster_texture_validate(&a->key, &a->texture, NULL);
    }
    a->image = *t->image;
    a->image.level[0] = t->image->level[level];
    a->image.level_count = 1;
    a->image.layers = level_size(s, level).slices;
    a->image.level[0].depth = 1;
    a->layer = slice;
    a->sampler_key = (struct raster_sampler_key){.format = t->sampler_key->format,
                                                 .op = RASTER_FETCH,
                                                 .dim = RASTER_DIM_2D,
                                                 .array = 1,
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
        in.layer[0] = a->layer;
        raster_sampler_lookup(&a->sampler_key, &a->image, &in, 0, &where);
    }
    return where.offset;
}

/* ---- what they become ---- */

/* What `n` of `of` stands for of `all`. */
struct range {
    uint32_t from, to;
};

static struct range range_of(uint32_t n, uint32_t of, uint32_t all)
{
    const uint32_t from = (uint32_t)((uint64_t)n * all / of), to = (uint32_t)((n + 1ull) * all / of);
    return (struct range){from, UTIL_MAX(to, from + 1)};
}

/* The average of the part of the picture that texel (x, y) of a slice of a level stands for. */
static void average(const struct source *s, const struct util_image *picture, struct size level,
                    uint32_t slice, uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const struct range across = range_of(x, level.width, s->width),
                       down = range_of(y, level.height, s->height),
                       deep = range_of(slice, level.slices, s->slices);
    const uint64_t count =
        (uint64_t)(across.to - across.from) * (down.to - down.from) * (deep.to - deep.from);
    uint64_t sum[4] = {0};
    for (uint32_t w = deep.from; w < deep.to; w++)
        for (uint32_t v = down.from; v < down.to; v++)
            for (uint32_t u = across.from; u < across.to; u++)
                for (unsigned c = 0; c < 4; c++)
                    sum[c] += picture->pixels[4 * ((size_t)v * picture->width + w * s->width + u) + c];
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

/* A level of a slice that becomes its part of the picture. */
struct change {
    const struct source *source;
    const struct util_image *picture;
    struct size size;
    uint32_t slice;
    const uint32_t *place;                /* of each texel, ETC1: of its block */
    const struct gpu_texels_level *level; /* places count from its address */
};

static void put_texels(const struct change *c)
{
    uint8_t rgba[4];
    for (uint32_t n = 0; n < c->size.width * c->size.height; n++) {
        average(c->source, c->picture, c->size, c->slice, n % c->size.width, n / c->size.width, rgba);
        pack(c->source, rgba, c->level->after + (c->place[n] - c->level->address));
    }
}

/* Blocks have rows of the image, which may begin below; beyond its sides they have what is beside. */
static void put_blocks(const struct change *c)
{
    const struct raster_texture_key *key = c->source->texels->key;
    const uint32_t width = c->size.width, height = c->size.height;
    uint8_t texel[16][4];
    for (uint32_t top = 0; top < height; top += 4)
        for (uint32_t left = 0; left < width; left += 4) {
            for (uint32_t n = 0; n < 16; n++) {
                const uint32_t row = UTIL_MIN(top + n / 4, height - 1),
                               dy = key->etc_flip ? n / 4 : 3 - n / 4;
                average(c->source, c->picture, c->size, c->slice, UTIL_MIN(left + n % 4, width - 1),
                        key->flip_y ? height - 1 - row : row, texel[4 * dy + n % 4]);
            }
            const uint32_t y = key->flip_y ? height - 1 - top : top;
            raster_etc1_encode(texel, c->level->after + (c->place[y * width + left] - c->level->address));
        }
}

static int replace_level(const struct source *s, uint32_t level, uint32_t slice,
                         const struct util_image *picture, struct gpu_texels_level *out)
{
    const uint32_t bytes = raster_format_bytes(s->format);
    const struct size size = level_size(s, level);
    const uint32_t width = size.width, height = size.height;
    uint32_t low = UINT32_MAX, high = 0;
    struct alone alone;
    if ((uint64_t)width * height > TEXELS_MOST || take_level(s, level, slice, &alone))
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
    const struct change change = {s, picture, size, slice, place, out};
    if (s->format == RASTER_ETC1_RGB8)
        put_blocks(&change);
    else
        put_texels(&change);
    free(place);
    return 0;
}

static bool can_be_written(const struct source *s)
{
    const struct gpu_texels *t = s->texels;
    const struct raster_texel *texel = &raster_texels[s->format];
    const bool drawn =
        s->slices && s->slices <= GPU_TEXELS_SLICES && (t->key || !t->sampler_key->multisampled);
    const bool whole = texel->coding == RASTER_CODING_PLAIN && texel->bits && texel->bits % 8 == 0;
    return drawn && (whole || (t->key && s->format == RASTER_ETC1_RGB8));
}

int gpu_texels_replace(const struct gpu_texels *texels, const struct util_image *picture,
                       struct gpu_texels_level out[GPU_TEXELS_LEVELS], uint32_t *count)
{
    struct source s = {.texels = texels};
    int err = 0;
    *count = 0;
    if (!texels->key && !texels->image)
        return -ENOTSUP;
    s.format = (enum raster_format)(texels->key ? texels->key->format : texels->sampler_key->format);
    s.levels = texels->key ? texels->texture->level_count : texels->image->level_count;
    s.memory = texels->key ? texels->texture->memory : texels->image->memory;
    s.volume = texels->key ? texels->key->volume : texels->sampler_key->dim == RASTER_DIM_3D;
    s.slices = (uint32_t)UTIL_MIN(gpu_texels_slices(texels), UINT32_MAX);
    const struct size whole = level_size(&s, 0);
    s.width = whole.width;
    s.height = whole.height;
    if (!can_be_written(&s))
        return -ENOTSUP;
    if (picture->width != (uint64_t)s.width * s.slices || picture->height != s.height)
        return -ERANGE;
    for (uint32_t level = 0; level < s.levels; level++)
        for (uint32_t slice = 0; !err && slice < level_size(&s, level).slices; slice++) {
            err = *count < GPU_TEXELS_LEVELS ? replace_level(&s, level, slice, picture, &out[*count])
                                             : -ENOTSUP;
            *count += !err;
        }
    for (uint32_t level = 0; err && level < *count; level++)
        gpu_texels_level_finish(&out[level]);
    *count = err ? 0 : *count;
    return err;
}
