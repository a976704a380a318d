/* The scalar sampler: what texture_ir.c must equal bit for bit (README.md). */
#include "raster/texture/texture_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static uint32_t pair(uint32_t x, uint32_t y)
{
    return x | y << 16;
}

/* What compiled code takes from the level as it is. */
static void prepare_level(const struct raster_texture_key *key, const struct raster_texture *texture,
                          unsigned bits, struct raster_level *level)
{
    const uint32_t size[2] = {level->width, level->height};
    /* Utiles of a tile, of several or one. */
    uint32_t scale = level->layout == RASTER_VC4_T ? 6 : level->layout == RASTER_UTGARD_TILED ? 4 : 0;
    uint64_t over = (texture->memory_size | level->offset) & 63;

    for (unsigned k = 0; k < 2; k++)
        level->scale[k] = (float)size[k] * 256.0f;
    level->last = pair(size[0] - 1, size[1] - 1);
    raster_window_prepare(size[0], size[1], &level->window);
    /* The factors are signed halves. */
    level->windowed = bits == 32 && !over && level->stride < 512 &&
                      (key->layout == RASTER_UTGARD_TILED || level->layout == RASTER_VC4_T ||
                       level->layout == RASTER_VC4_LT);
    level->utile_factor = level->windowed ? pair(1u << scale, level->stride << scale) : 0;
}

int raster_texture_validate(const struct raster_texture_key *key, struct raster_texture *texture,
                            struct util_error *error)
{
    enum raster_format format = (enum raster_format)key->format;
    unsigned bits = raster_key_bits(key), faces;
    bool etc = format == RASTER_ETC1_RGB8;

    if (!raster_format_is_sampled(format))
        return util_fail(error, -EFAULT, "texture format %s is not sampled", raster_texels[format].name);
    if (bits == 48 && key->layout != RASTER_LINEAR && key->layout != RASTER_UTGARD_TILED)
        return util_fail(error, -EFAULT, "texels of 48 bits in utiles");
    if (texture->level_count < 1 || texture->level_count > RASTER_MAX_LEVELS)
        return util_fail(error, -EFAULT, "%u texture levels", texture->level_count);
    if (texture->max_level != (float)(texture->level_count - 1))
        return util_fail(error, -EFAULT, "the last level is not %u", texture->level_count - 1);
    if (key->wrap_s >= RASTER_WRAP_COUNT || key->wrap_t >= RASTER_WRAP_COUNT ||
        key->mip > RASTER_MIP_LINEAR || key->lod > RASTER_LOD_EXPLICIT)
        return util_fail(error, -EFAULT, "texture key out of range");
    if (key->unnormalized && (raster_wrap_repeats(key->wrap_s) || raster_wrap_repeats(key->wrap_t)))
        return util_fail(error, -EFAULT, "texel coordinates do not repeat");
    for (uint32_t n = 0; n < texture->level_count; n++) {
        struct raster_level *level = &texture->level[n];
        uint64_t span, end;
        /* Pairs of YUYV are read whole. */
        uint32_t width = format == RASTER_YUYV ? (level->width + 1) & ~1u : level->width;

        if (!level->width || !level->height || level->width > 4096 || level->height > 4096 ||
            (key->pot && ((level->width & (level->width - 1)) || (level->height & (level->height - 1)))))
            return util_fail(error, -EFAULT, "texture level %u is %ux%u", n, level->width, level->height);
        if (key->layout != RASTER_LAYOUT_MIXED ? key->layout != level->layout
                                               : level->layout >= RASTER_MIXED_LAYOUTS)
            return util_fail(error, -EFAULT, "texture level %u has a layout of its own", n);
        level->face_stride = level->face_stride ? level->face_stride : texture->face_stride;
        faces = key->cube ? 6 : key->volume ? level->depth : 1;
        if (!faces || faces > 4096 || (key->volume && (key->cube || key->wrap_r >= RASTER_WRAP_COUNT)))
            return util_fail(error, -EFAULT, "texture level %u has %u slices", n, faces);
        bool wide = !etc && level->layout == RASTER_UTGARD_TILED; /* raster_key_offset */
        if (!raster_level_span(wide ? 8 : bits, level, etc ? (width + 3) / 4 : width,
                               etc ? (level->height + 3) / 4 : level->height, &span) ||
            !util_mul(span, wide ? bits / 8 : 1, &span) ||
            !util_add(span, (uint64_t)level->face_stride * (faces - 1), &end) ||
            !util_add(end, level->offset, &end) || end > texture->memory_size || end > UINT32_MAX)
            return util_fail(error, -EFAULT, "texture level %u (%ux%u at 0x%08x) leaves memory", n,
                             level->width, level->height, level->offset);
        prepare_level(key, texture, bits, level);
    }
    return 0;
}

/* Where on the cube (README.md section 1): the face, and s and t on it. */
static uint32_t cube_face(float *s, float *t, float r)
{
    float ax = fabsf(*s), ay = fabsf(*t), az = fabsf(r), sc, tc;
    uint32_t face;

    if (ax >= ay && ax >= az) {
        face = *s < 0.0f;
        sc = face ? r : -r;
        tc = -*t;
    } else if (ay >= az) {
        face = 2 + (*t < 0.0f);
        sc = *s;
        tc = *t < 0.0f ? -r : r;
    } else {
        face = 4 + (r < 0.0f);
        sc = r < 0.0f ? -*s : *s;
        tc = -*t;
    }
    *s = sc * 0.5f + 0.5f;
    *t = tc * 0.5f + 0.5f;
    return face;
}

/* What one lane samples, besides the level. */
struct lane_sample {
    const struct raster_texture_key *key;
    const struct raster_texture *texture;
    float s, t, r;
    uint32_t face, words;
    struct raster_sampled border;
    bool linear;
};

static struct raster_sampled tap(const struct lane_sample *sample, const struct raster_level *level,
                                 const struct raster_taps *x, unsigned kx, const struct raster_taps *y,
                                 unsigned ky)
{
    const struct raster_texture *texture = sample->texture;

    if (x->outside[kx] || y->outside[ky])
        return sample->border;
    uint32_t row = (uint32_t)y->x[ky];
    if (sample->key->flip_y)
        row = level->height - 1 - row;
    return raster_fetch(sample->key, level,
                        texture->memory + level->offset + (uint64_t)sample->face * level->face_stride,
                        (uint32_t)x->x[kx], row);
}

static uint32_t lerp_word(const struct raster_texture_key *key, uint32_t a, uint32_t b, uint32_t weight)
{
    const struct raster_texel *texel = &raster_texels[key->format];

    switch (texel->channel[0].kind) {
    case RASTER_KIND_UNORM:
        return texel->channel[0].bits > 8 ? raster_lerp_word(a, b, weight) : raster_lerp_8888(a, b, weight);
    case RASTER_KIND_FLOAT: return raster_lerp_16f(a, b, weight);
    default: return raster_lerp_8888(a, b, weight);
    }
}

static struct raster_sampled lerp(const struct lane_sample *sample, struct raster_sampled a,
                                  struct raster_sampled b, uint32_t weight)
{
    for (unsigned n = 0; n < sample->words; n++)
        a.word[n] = lerp_word(sample->key, a.word[n], b.word[n], weight);
    return a;
}

/* One face or slice of a level. */
static struct raster_sampled sample_image(const struct lane_sample *sample, uint32_t n)
{
    const struct raster_texture_key *key = sample->key;
    const struct raster_level *level = &sample->texture->level[n];
    enum raster_wrap wrap_s = (enum raster_wrap)key->wrap_s, wrap_t = (enum raster_wrap)key->wrap_t;
    bool linear = sample->linear && key->format != RASTER_R16_UINT;
    struct raster_sampled row[2];
    struct raster_taps x, y;

    raster_axis_taps(wrap_s, linear, level->width,
                     raster_coordinate(wrap_s, key->unnormalized, level->width, sample->s), &x);
    raster_axis_taps(wrap_t, linear, level->height,
                     raster_coordinate(wrap_t, key->unnormalized, level->height, sample->t), &y);
    for (unsigned ky = 0; ky < 2; ky++)
        row[ky] =
            lerp(sample, tap(sample, level, &x, 0, &y, ky), tap(sample, level, &x, 1, &y, ky), x.weight);
    return lerp(sample, row[0], row[1], y.weight);
}

static struct raster_sampled sample_level(struct lane_sample *sample, uint32_t n)
{
    const struct raster_texture_key *key = sample->key;
    uint32_t depth = sample->texture->level[n].depth;
    struct raster_sampled slice[2];
    bool linear = sample->linear && key->format != RASTER_R16_UINT;
    enum raster_wrap wrap = (enum raster_wrap)key->wrap_r;
    struct raster_taps z;

    if (!key->volume)
        return sample_image(sample, n);
    raster_axis_taps(wrap, linear, depth, raster_coordinate(wrap, key->unnormalized, depth, sample->r), &z);
    for (unsigned k = 0; k < 2; k++) {
        sample->face = (uint32_t)z.x[k];
        slice[k] = z.outside[k] ? sample->border : sample_image(sample, n);
    }
    return lerp(sample, slice[0], slice[1], z.weight);
}

void raster_texture_sample(const struct raster_texture_key *key, const struct raster_texture *texture,
                           const float s[16], const float t[16], const float r[16], const float bias[16],
                           uint32_t *out)
{
    static const float zero[16];
    unsigned words = raster_sampled_words((enum raster_format)key->format);
    struct raster_lod_result lod[16];
    struct raster_sampled border = {{0}};

    if (r && !key->cube && !key->volume)
        border.word[0] = util_f2u(r[0]);
    else
        memcpy(border.word, texture->border, sizeof border.word);
    border.word[words - 1] &= raster_last_word((enum raster_format)key->format);
    t = t ? t : zero;
    r = r ? r : zero;
    bias = bias ? bias : zero;
    raster_select_levels(key, texture, s, t, r, bias, lod);
    for (unsigned lane = 0; lane < 16; lane++) {
        struct lane_sample sample = {.key = key,
                                     .texture = texture,
                                     .s = s[lane],
                                     .t = t[lane],
                                     .r = r[lane],
                                     .words = words,
                                     .border = border,
                                     .linear = lod[lane].linear};
        if (key->cube)
            sample.face = cube_face(&sample.s, &sample.t, r[lane]);
        struct raster_sampled texel = sample_level(&sample, lod[lane].level);
        if (lod[lane].weight)
            texel = lerp(&sample, texel, sample_level(&sample, lod[lane].level1), lod[lane].weight);
        for (unsigned n = 0; n < words; n++)
            out[16 * n + lane] = texel.word[n];
    }
}

void raster_texture_lookup(const struct raster_texture_key *key, const struct raster_texture *texture,
                           const float s[16], const float t[16], const float r[16], const float bias[16],
                           unsigned lane, struct raster_lookup *out)
{
    static const float zero[16];
    struct raster_lod_result lod[16];
    struct raster_taps x, y;
    enum raster_wrap wrap_s = (enum raster_wrap)key->wrap_s, wrap_t = (enum raster_wrap)key->wrap_t;

    t = t ? t : zero;
    r = r ? r : zero;
    raster_select_levels(key, texture, s, t, r, bias ? bias : zero, lod);
    float u = s[lane], v = t[lane];
    uint32_t face = key->cube ? cube_face(&u, &v, r[lane]) : 0;
    const struct raster_level *level = &texture->level[lod[lane].level];
    bool linear = lod[lane].linear && key->format != RASTER_R16_UINT;

    raster_axis_taps(wrap_s, linear, level->width,
                     raster_coordinate(wrap_s, key->unnormalized, level->width, u), &x);
    raster_axis_taps(wrap_t, linear, level->height,
                     raster_coordinate(wrap_t, key->unnormalized, level->height, v), &y);
    *out = (struct raster_lookup){.level = lod[lane].level,
                                  .level1 = lod[lane].level1,
                                  .weight = lod[lane].weight,
                                  .linear = linear,
                                  .face = face,
                                  .x = x.x[0],
                                  .y = y.x[0]};
    uint32_t row = (uint32_t)y.x[0];
    if (x.outside[0] || y.outside[0] || raster_key_bits(key) < 8)
        return;
    row = key->flip_y ? level->height - 1 - row : row;
    out->bytes = raster_key_bits(key) / 8;
    out->offset =
        level->offset + face * level->face_stride + raster_key_offset(key, level, (uint32_t)x.x[0], row);
}
