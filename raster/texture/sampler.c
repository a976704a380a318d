/* The general sampler, scalar: what sampler_ir.c must equal bit for bit (README.md, "The general sampler"). */
#include "raster/texture/sampler.h"

#include <math.h>
#include <string.h>

#include "raster/texture/sampler_internal.h"
#include "util/bits.h"

struct sampled {
    uint32_t word[4];
};

/* What one lane samples. */
struct lookup {
    const struct raster_sampler_key *key;
    const struct raster_image *image;
    float s, t, r, reference;
    uint32_t face, layer;
    int32_t offset[3];
    bool linear;
};

static uint32_t one(const struct raster_sampler_key *key)
{
    return raster_sampler_integer((enum raster_format)key->format) ? 1 : util_f2u(1.0f);
}

static bool compares(uint8_t func, float a, float b)
{
    switch (func) {
    case RASTER_NEVER: return false;
    case RASTER_LESS: return a < b;
    case RASTER_EQUAL: return a == b;
    case RASTER_LEQUAL: return a <= b;
    case RASTER_GREATER: return a > b;
    case RASTER_NOTEQUAL: return a != b;
    case RASTER_GEQUAL: return a >= b;
    default: return true;
    }
}

/* ---- 5: one texel ---- */

static struct sampled compared(const struct lookup *l, struct sampled texel)
{
    float reference = l->reference;

    if (!l->key->compare)
        return texel;
    if (raster_sampler_fixed_depth(l->key)) {
        reference = reference > 0.0f ? reference : 0.0f;
        reference = reference < 1.0f ? reference : 1.0f;
    }
    bool passes = compares(l->key->compare - 1, reference, util_u2f(texel.word[0]));
    return (struct sampled){{passes ? util_f2u(1.0f) : 0, 0, 0, util_f2u(1.0f)}};
}

/* What is outside: the border's components, but those that the format has not. */
static struct sampled border(const struct lookup *l)
{
    const struct raster_texel *texel = &raster_texels[l->key->format];
    struct sampled out;

    for (unsigned n = 0; n < 4; n++)
        out.word[n] = texel->from[n] < 4                  ? l->image->border[n]
                      : texel->from[n] == RASTER_FROM_ONE ? one(l->key)
                                                          : 0;
    if (raster_sampler_depth_alone((enum raster_format)l->key->format))
        out.word[1] = 0;
    return out;
}

static bool outside(int32_t x, uint32_t n)
{
    return x < 0 || x >= (int32_t)n;
}

static uint32_t slice_of(const struct lookup *l, uint32_t face, uint32_t z)
{
    return l->key->dim == RASTER_DIM_CUBE ? l->layer * 6 + face : l->key->dim == RASTER_DIM_3D ? z : l->layer;
}

/* A texel of a seamless cube that may lie beyond an edge; beyond two, the one beyond the row's. */
static void cross(uint32_t size, uint32_t *face, int32_t *x, int32_t *y)
{
    if (outside(*y, size))
        *x = UTIL_MIN(UTIL_MAX(*x, 0), (int32_t)size - 1);
    if (outside(*x, size) || outside(*y, size))
        raster_cube_cross(size, face, x, y);
}

/* A texel of slice z. */
static struct sampled tap(const struct lookup *l, uint32_t number, uint32_t z, int32_t x, int32_t y)
{
    const struct raster_image_level *level = &l->image->level[number];
    uint32_t face = l->face;
    struct sampled out;

    if (raster_sampler_crosses(l->key)) {
        cross(level->width, &face, &x, &y);
    } else if (outside(x, level->width) || outside(y, level->height)) {
        return compared(l, border(l));
    }
    raster_sampler_texel(l->key, l->image, number, slice_of(l, face, z), 0, (uint32_t)x, (uint32_t)y,
                         out.word);
    return compared(l, out);
}

/* ---- 6: filters ---- */

static struct sampled lerp(struct sampled a, struct sampled b, float w)
{
    for (unsigned n = 0; n < 4; n++) {
        float x = util_u2f(a.word[n]), y = util_u2f(b.word[n]);
        a.word[n] = util_f2u(x + (y - x) * w);
    }
    return a;
}

static struct sampled mean_of_three(struct sampled a, struct sampled b, struct sampled c)
{
    for (unsigned n = 0; n < 4; n++)
        a.word[n] =
            util_f2u((util_u2f(a.word[n]) + util_u2f(b.word[n]) + util_u2f(c.word[n])) * (1.0f / 3.0f));
    return a;
}

/* Where the four texels of a slice stand. */
static void axes(const struct lookup *l, uint32_t number, bool linear, struct raster_axis *x,
                 struct raster_axis *y)
{
    const struct raster_image_level *level = &l->image->level[number];
    bool crosses = raster_sampler_crosses(l->key);

    raster_sampler_axis(l->key, crosses ? RASTER_HALF_BORDER : l->key->wrap[0], linear, level->width, l->s,
                        l->offset[0], x);
    *y = (struct raster_axis){{0, 0}, 0.0f};
    if (raster_sampler_axes(l->key) > 1)
        raster_sampler_axis(l->key, crosses ? RASTER_HALF_BORDER : l->key->wrap[1], linear, level->height,
                            l->t, l->offset[1], y);
}

static struct sampled sample_slice(const struct lookup *l, uint32_t number, uint32_t z)
{
    const struct raster_image_level *level = &l->image->level[number];
    struct raster_axis x, y;
    struct sampled t[4];

    axes(l, number, l->linear, &x, &y);
    if (!l->linear)
        return tap(l, number, z, x.x[0], y.x[0]);
    for (unsigned k = 0; k < 4; k++)
        t[k] = tap(l, number, z, x.x[k & 1], y.x[k >> 1]);
    for (unsigned k = 0; k < 4 && raster_sampler_crosses(l->key); k++) /* no texel stands at a corner */
        if (outside(x.x[k & 1], level->width) && outside(y.x[k >> 1], level->width)) {
            t[k] = mean_of_three(t[k == 0], t[k < 2 ? 2 : 1], t[k == 3 ? 2 : 3]);
            break;
        }
    t[0] = lerp(t[0], t[1], x.weight);
    return raster_sampler_axes(l->key) > 1 ? lerp(t[0], lerp(t[2], t[3], x.weight), y.weight) : t[0];
}

static struct sampled sample_level(const struct lookup *l, uint32_t number)
{
    uint32_t depth = l->image->level[number].depth;
    struct sampled slice[2];
    struct raster_axis z;

    if (l->key->dim != RASTER_DIM_3D)
        return sample_slice(l, number, 0);
    raster_sampler_axis(l->key, l->key->wrap[2], l->linear, depth, l->r, l->offset[2], &z);
    for (unsigned k = 0; k < 2; k++)
        slice[k] =
            outside(z.x[k], depth) ? compared(l, border(l)) : sample_slice(l, number, (uint32_t)z.x[k]);
    return l->linear ? lerp(slice[0], slice[1], z.weight) : slice[0];
}

/* ---- 6: filters of bytes ---- */

static uint32_t eighths(float w)
{
    uint32_t v = (uint32_t)(w * 256.0f);
    return UTIL_MIN(v, 255u);
}

static uint32_t lerp_bytes(uint32_t a, uint32_t b, uint32_t w)
{
    uint32_t out = 0;

    for (unsigned shift = 0; shift < 32; shift += 8)
        out |= ((a >> shift & 255) * (256 - w) + (b >> shift & 255) * w + 128) >> 8 << shift;
    return out;
}

static uint32_t tap_bytes(const struct lookup *l, uint32_t number, uint32_t z, int32_t x, int32_t y)
{
    const struct raster_image_level *level = &l->image->level[number];

    if (outside(x, level->width) || outside(y, level->height))
        return l->image->border_texel;
    return raster_sampler_packed(l->key, l->image, number, slice_of(l, l->face, z), (uint32_t)x, (uint32_t)y);
}

static uint32_t slice_bytes(const struct lookup *l, uint32_t number, uint32_t z)
{
    struct raster_axis x, y;
    uint32_t row[2];

    axes(l, number, l->linear, &x, &y);
    for (unsigned k = 0; k < 2; k++)
        row[k] = lerp_bytes(tap_bytes(l, number, z, x.x[0], y.x[k]), tap_bytes(l, number, z, x.x[1], y.x[k]),
                            eighths(x.weight));
    return lerp_bytes(row[0], row[1], eighths(y.weight));
}

static uint32_t level_bytes(const struct lookup *l, uint32_t number)
{
    uint32_t depth = l->image->level[number].depth, slice[2];
    struct raster_axis z;

    if (l->key->dim != RASTER_DIM_3D)
        return slice_bytes(l, number, 0);
    raster_sampler_axis(l->key, l->key->wrap[2], l->linear, depth, l->r, l->offset[2], &z);
    for (unsigned k = 0; k < 2; k++)
        slice[k] = outside(z.x[k], depth) ? l->image->border_texel : slice_bytes(l, number, (uint32_t)z.x[k]);
    return lerp_bytes(slice[0], slice[1], eighths(z.weight));
}

/* ---- operations ---- */

/* One NaN for all. */
static uint32_t canonical(uint32_t word)
{
    return util_u2f(word) != util_u2f(word) ? 0x7fc00000 : word;
}

static struct sampled sample(const struct lookup *l, const struct raster_level_choice *c)
{
    struct sampled out;

    if (raster_sampler_bytes(l->key)) {
        uint32_t word[4] = {level_bytes(l, c->level)}, weight = eighths(c->weight);
        if (weight)
            word[0] = lerp_bytes(word[0], level_bytes(l, c->level1), weight);
        raster_texel_unpack(&raster_texels[l->key->format], word, out.word);
        return out;
    }
    out = sample_level(l, c->level);
    if (c->weight > 0.0f)
        out = lerp(out, sample_level(l, c->level1), c->weight);
    for (unsigned n = 0; n < 4 && raster_sampler_filters(l->key); n++)
        out.word[n] = canonical(out.word[n]);
    return out;
}

static struct sampled swizzled(const struct raster_sampler_key *key, struct sampled texel)
{
    const uint32_t from[6] = {texel.word[0], texel.word[1], texel.word[2], texel.word[3], 0, one(key)};

    for (unsigned n = 0; n < 4; n++)
        texel.word[n] = from[key->swizzle[n]];
    return texel;
}

static struct sampled gather(const struct lookup *l, const struct raster_level_choice *c)
{
    static const uint8_t order[4] = {2, 3, 1, 0}; /* which tap each word is of */
    struct raster_axis x, y;
    struct sampled out;

    axes(l, c->level, true, &x, &y);
    for (unsigned n = 0; n < 4; n++)
        out.word[n] = swizzled(l->key, tap(l, c->level, 0, x.x[order[n] & 1], y.x[order[n] >> 1]))
                          .word[l->key->component];
    return out;
}

/* A texel by its numbers. */
struct place {
    uint32_t level, slice, sample, x, y;
};

/* False: outside. */
static bool find_place(const struct raster_sampler_key *key, const struct raster_image *image,
                       const struct raster_lookup_lanes *in, unsigned lane, struct place *out)
{
    uint32_t number = in->lod[lane], at[3] = {0, 0, 0};
    uint32_t sample = key->multisampled ? in->sample[lane] : 0;
    unsigned count = key->dim == RASTER_DIM_3D ? 3 : raster_sampler_axes(key);
    struct lookup l = {.key = key, .layer = key->array ? in->layer[lane] : 0};

    if (key->dim == RASTER_DIM_BUFFER || key->multisampled)
        number = 0;
    if (number >= image->level_count || l.layer >= image->layers || sample >= image->samples)
        return false;
    const struct raster_image_level *level = &image->level[number];
    for (unsigned k = 0; k < count; k++)
        at[k] = in->coordinate[k][lane] + (key->offset ? in->offset[k][lane] : 0);
    if (key->dim == RASTER_DIM_CUBE)
        at[2] = in->coordinate[2][lane];
    *out = (struct place){number, slice_of(&l, at[2], at[2]), sample, at[0], at[1]};
    return at[0] < level->width && at[1] < level->height &&
           at[2] < (key->dim == RASTER_DIM_CUBE ? 6 : level->depth);
}

static struct sampled fetch(const struct raster_sampler_key *key, const struct raster_image *image,
                            const struct raster_lookup_lanes *in, unsigned lane)
{
    struct sampled out = {{0}};
    struct place at;

    if (!find_place(key, image, in, lane, &at))
        return out;
    raster_sampler_texel(key, image, at.level, at.slice, at.sample, at.x, at.y, out.word);
    return swizzled(key, out);
}

static struct sampled query_size(const struct raster_sampler_key *key, const struct raster_image *image,
                                 uint32_t number)
{
    struct sampled out = {{0}};
    unsigned n = raster_sampler_axes(key);

    if (key->dim == RASTER_DIM_BUFFER || key->multisampled)
        number = 0;
    out.word[3] = key->multisampled ? image->samples : image->level_count;
    if (number >= image->level_count)
        return out;
    out.word[0] = image->level[number].width;
    if (n > 1)
        out.word[1] = image->level[number].height;
    if (key->dim == RASTER_DIM_3D)
        out.word[n++] = image->level[number].depth;
    if (key->array)
        out.word[n] = image->layers;
    return out;
}

static uint32_t layer_of(const struct raster_sampler_key *key, const struct raster_image *image,
                         uint32_t word)
{
    float last = (float)(image->layers - 1), layer = util_u2f(word);

    if (!key->array)
        return 0;
    if (key->whole_layer)
        return (int32_t)word < 0 ? 0 : UTIL_MIN(word, image->layers - 1);
    layer = layer > 0.0f ? layer : 0.0f;
    return (uint32_t)rintf(layer < last ? layer : last);
}

static struct lookup lookup_of(const struct raster_sampler_key *key, const struct raster_image *image,
                               const struct raster_lookup_lanes *in, const struct raster_cube_point *point,
                               const struct raster_level_choice *choice, unsigned lane)
{
    struct lookup l = {.key = key,
                       .image = image,
                       .s = util_u2f(in->coordinate[0][lane]),
                       .t = util_u2f(in->coordinate[1][lane]),
                       .r = util_u2f(in->coordinate[2][lane]),
                       .reference = util_u2f(in->reference[lane]),
                       .layer = layer_of(key, image, in->layer[lane]),
                       .linear = key->op == RASTER_GATHER || choice->linear};

    if (key->dim == RASTER_DIM_CUBE) {
        l.face = point->face;
        l.s = point->s;
        l.t = point->t;
    }
    for (unsigned k = 0; k < 3 && key->offset; k++)
        l.offset[k] = (int32_t)in->offset[k][lane];
    return l;
}

/* What lanes look at, and at which levels: not of operations by number. */
static void prepare(const struct raster_sampler_key *key, const struct raster_image *image,
                    const struct raster_lookup_lanes *in, struct raster_cube_point point[16],
                    struct raster_level_choice choice[16])
{
    for (unsigned lane = 0; lane < 16 && key->dim == RASTER_DIM_CUBE; lane++)
        raster_cube_point(key, in, lane, &point[lane]);
    raster_sampler_levels(key, image, in, point, choice);
}

void raster_sampler_run(const struct raster_sampler_key *key, const struct raster_image *image,
                        const struct raster_lookup_lanes *in, uint32_t out[4][16])
{
    struct raster_cube_point point[16] = {{0}};
    struct raster_level_choice choice[16];
    struct lookup l;

    if (key->op != RASTER_FETCH && key->op != RASTER_QUERY_SIZE)
        prepare(key, image, in, point, choice);
    for (unsigned lane = 0; lane < 16; lane++) {
        struct sampled v;

        switch (key->op) {
        case RASTER_FETCH: v = fetch(key, image, in, lane); break;
        case RASTER_QUERY_SIZE: v = query_size(key, image, in->lod[lane]); break;
        case RASTER_QUERY_LOD:
            v = (struct sampled){
                {util_f2u(choice[lane].used), canonical(util_f2u(choice[lane].computed)), 0, 0}};
            break;
        default:
            l = lookup_of(key, image, in, &point[lane], &choice[lane], lane);
            v = key->op == RASTER_GATHER ? gather(&l, &choice[lane])
                                         : swizzled(key, sample(&l, &choice[lane]));
            break;
        }
        for (unsigned n = 0; n < 4; n++)
            out[n][lane] = v.word[n];
    }
}

/* ---- for debuggers ---- */

/* The first of the texels that a lane's filter blends. False: the border. */
static bool first_tap(const struct lookup *l, uint32_t number, struct place *at)
{
    const struct raster_image_level *level = &l->image->level[number];
    struct raster_axis x, y, z = {{0, 0}, 0.0f};
    uint32_t face = l->face;

    axes(l, number, l->linear, &x, &y);
    if (l->key->dim == RASTER_DIM_3D)
        raster_sampler_axis(l->key, l->key->wrap[2], l->linear, level->depth, l->r, l->offset[2], &z);
    if (raster_sampler_crosses(l->key))
        cross(level->width, &face, &x.x[0], &y.x[0]);
    *at = (struct place){number, slice_of(l, face, (uint32_t)z.x[0]), 0, (uint32_t)x.x[0], (uint32_t)y.x[0]};
    return !outside(x.x[0], level->width) && !outside(y.x[0], level->height) &&
           !outside(z.x[0], level->depth);
}

void raster_sampler_lookup(const struct raster_sampler_key *key, const struct raster_image *image,
                           const struct raster_lookup_lanes *in, unsigned lane, struct raster_lookup *out)
{
    struct raster_cube_point point[16] = {{0}};
    struct raster_level_choice choice[16] = {{0}};
    struct place at = {0};
    bool inside;

    if (key->op == RASTER_FETCH) {
        inside = find_place(key, image, in, lane, &at);
        choice[lane].level = at.level;
    } else {
        prepare(key, image, in, point, choice);
        struct lookup l = lookup_of(key, image, in, &point[lane], &choice[lane], lane);
        choice[lane].linear = l.linear;
        inside = first_tap(&l, choice[lane].level, &at);
    }
    *out = (struct raster_lookup){.level = choice[lane].level,
                                  .level1 = choice[lane].level1,
                                  .weight = eighths(choice[lane].weight),
                                  .linear = choice[lane].linear,
                                  .face = at.slice,
                                  .x = (int32_t)at.x,
                                  .y = (int32_t)at.y};
    if (!inside)
        return;
    out->bytes = raster_format_bytes((enum raster_format)key->format);
    out->offset =
        (uint32_t)(raster_sampler_find(key, image->level[at.level].row_stride,
                                       raster_sampler_surface(key, image, at.level, at.slice, at.sample),
                                       at.x, at.y) -
                   image->memory);
}
