/* Coordinates of the general sampler, scalar: cube faces, levels of detail, axes to texels (README.md, "The
 * general sampler", 1 to 4). */
#include <math.h>

#include "raster/texture/cube.h"
#include "raster/texture/sampler_internal.h"
#include "util/bits.h"

/* ---- 1: cubes ---- */

/* Where the coordinates across a face come from: an axis of the direction and its sign. */
static const struct {
    uint8_t axis[3]; /* of sc, tc, and the one that faces differ by */
    int8_t sign[3];
} faces[6] = {{{2, 1, 0}, {-1, -1, 1}}, {{2, 1, 0}, {1, -1, -1}}, {{0, 2, 1}, {1, 1, 1}},
              {{0, 2, 1}, {1, -1, -1}}, {{0, 1, 2}, {1, -1, 1}},  {{0, 1, 2}, {-1, -1, -1}}};

static uint32_t face_of(const float d[3])
{
    float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
    unsigned axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;

    return 2 * axis + (d[axis] < 0.0f);
}

/* A direction, or its derivative, as seen by a face: across, down, towards it. */
static void turn_to_face(uint32_t face, const float d[3], float out[3])
{
    for (unsigned k = 0; k < 3; k++)
        out[k] = faces[face].sign[k] < 0 ? -d[faces[face].axis[k]] : d[faces[face].axis[k]];
}

void raster_cube_point(const struct raster_sampler_key *key, const struct raster_lookup_lanes *in,
                       unsigned lane, struct raster_cube_point *out)
{
    float d[3], seen[3];

    for (unsigned k = 0; k < 3; k++)
        d[k] = util_u2f(in->coordinate[k][lane]);
    if (key->faced) {
        *out = (struct raster_cube_point){.face = UTIL_MIN(in->coordinate[2][lane], 5u),
                                          .s = d[0],
                                          .t = d[1],
                                          .p = d[0] * 2.0f - 1.0f,
                                          .q = d[1] * 2.0f - 1.0f,
                                          .major = 1.0f};
        return;
    }
    out->face = face_of(d);
    turn_to_face(out->face, d, seen);
    out->major = fabsf(seen[2]);
    out->p = seen[0] / out->major;
    out->q = seen[1] / out->major;
    out->s = out->p * 0.5f + 0.5f;
    out->t = out->q * 0.5f + 0.5f;
}

/* The direction that a lane looks at, divided by its largest component. */
static void direction(const struct raster_cube_point *point, float out[3])
{
    const float seen[3] = {point->p, point->q, 1.0f};

    for (unsigned k = 0; k < 3; k++)
        out[faces[point->face].axis[k]] = faces[point->face].sign[k] < 0 ? -seen[k] : seen[k];
}

/* The wrapped vector (sc, tc, n) goes round the edge: what was beyond is the new face's depth, and half a texel is
 * left of the old one. */
void raster_cube_cross(uint32_t size, uint32_t *face, int32_t *x, int32_t *y)
{
    int32_t n = (int32_t)size, seen[3] = {2 * *x + 1 - n, 2 * *y + 1 - n, n}, d[3];
    unsigned beyond = *x < 0 || *x >= n ? 0 : 1;
    uint32_t next;

    seen[beyond] = seen[beyond] < 0 ? -n : n;
    seen[2] = n - 1;
    for (unsigned k = 0; k < 3; k++)
        d[faces[*face].axis[k]] = faces[*face].sign[k] * seen[k];
    next = 2u * faces[*face].axis[beyond];
    next += d[next / 2] < 0;
    *face = next;
    *x = (faces[next].sign[0] * d[faces[next].axis[0]] + n - 1) / 2;
    *y = (faces[next].sign[1] * d[faces[next].axis[1]] + n - 1) / 2;
}

/* ---- 2: level of detail ---- */

static float square(float x)
{
    return x * x;
}

/* Half of log2. */
static float half_log2(float x)
{
    float m = util_u2f((util_f2u(x) & 0x7fffff) | util_f2u(1.0f)) - 1.0f;
    float straight = (float)(int32_t)(util_f2u(x) - util_f2u(1.0f)) * 0x1p-24f;

    return straight + m * (1.0f - m) * (0.2114313f - m * 0.0796063f);
}

/* The squared length in texels of level 0 of a derivative; of cubes of a point on a face. */
static float length(const struct raster_sampler_key *key, const struct raster_image *image, const float d[3])
{
    const struct raster_image_level *base = &image->level[0];
    const bool is_cube = key->dim == RASTER_DIM_CUBE;
    float width = key->unnormalized ? 1.0f : (float)base->width;
    float height = key->unnormalized ? 1.0f : (float)base->height;
    float depth = key->unnormalized ? 1.0f : (float)base->depth;

    width = is_cube ? 0.5f * width : width;
    float sum = square(d[0] * width);
    if (raster_sampler_axes(key) > 1)
        sum = sum + square(d[1] * (is_cube ? width : height));
    return is_cube || key->dim == RASTER_DIM_3D ? sum + square(d[2] * (is_cube ? width : depth)) : sum;
}

/* The derivative of a direction as its point on the face moves. */
static void move_on_face(const struct raster_cube_point *point, float d[3])
{
    float seen[3];

    turn_to_face(point->face, d, seen);
    d[0] = (seen[0] - point->p * seen[2]) / point->major;
    d[1] = (seen[1] - point->q * seen[2]) / point->major;
    d[2] = 0.0f;
}

static void given_derivatives(const struct raster_sampler_key *key, const struct raster_lookup_lanes *in,
                              const struct raster_cube_point *point, unsigned lane, float d[2][3])
{
    for (unsigned n = 0; n < 2; n++) {
        for (unsigned k = 0; k < 3; k++)
            d[n][k] = util_u2f(in->gradient[n][k][lane]);
        if (key->dim == RASTER_DIM_CUBE)
            move_on_face(&point[lane], d[n]);
    }
}

static void differences(const struct raster_sampler_key *key, const struct raster_lookup_lanes *in,
                        const struct raster_cube_point *point, unsigned first, float d[2][3])
{
    const bool is_cube = key->dim == RASTER_DIM_CUBE;
    float at[3][3], to[3], out[3][3];

    for (unsigned n = 0; n < 3; n++) {
        if (is_cube)
            direction(&point[first + n], to);
        for (unsigned k = 0; k < 3; k++)
            out[k][n] = at[k][n] = is_cube ? to[k] : util_u2f(in->coordinate[k][first + n]);
    }
    if (is_cube)
        raster_cube_plane(at[0], at[1], at[2], out);
    for (unsigned k = 0; k < 3; k++) {
        d[0][k] = out[k][1] - out[k][0];
        d[1][k] = out[k][2] - out[k][0];
    }
}

static float level_of_detail(const struct raster_sampler_key *key, const struct raster_image *image,
                             const struct raster_lookup_lanes *in, const struct raster_cube_point *point,
                             unsigned lane)
{
    float d[2][3], given = util_u2f(in->lod[lane]);

    if (key->lod == RASTER_LOOKUP_ZERO)
        return 0.0f;
    if (key->lod == RASTER_LOOKUP_EXPLICIT)
        return given;
    if (key->lod == RASTER_LOOKUP_GRADIENTS)
        given_derivatives(key, in, point, lane, d);
    else
        differences(key, in, point, lane & ~3u, d);
    float x = length(key, image, d[0]), y = length(key, image, d[1]);
    float g = x > y ? x : y;
    g = g < 0x1p64f ? g : 0x1p64f;
    return key->lod == RASTER_LOOKUP_BIAS ? half_log2(g) + given : half_log2(g);
}

static float hold(float x, float least, float most)
{
    x = x > least ? x : least;
    return x < most ? x : most;
}

static void choose_level(const struct raster_sampler_key *key, const struct raster_image *image, float lambda,
                         struct raster_level_choice *out)
{
    float last = (float)(image->level_count - 1);

    lambda = lambda + image->lod_bias;
    out->computed = lambda;
    lambda = hold(lambda, image->lod_min, image->lod_max);
    bool minify = lambda > (key->minify_above_half ? 0.5f : 0.0f);
    out->linear = minify ? key->min_linear : key->mag_linear;
    lambda = key->minify_above_half && !minify ? 0.0f : hold(lambda, 0.0f, last);
    out->level = key->mip == RASTER_MIP_NONE      ? 0
                 : key->mip == RASTER_MIP_NEAREST ? (uint32_t)(lambda + 0.5f)
                                                  : (uint32_t)lambda;
    out->used = key->mip == RASTER_MIP_LINEAR ? lambda : (float)out->level;
    out->weight = key->mip == RASTER_MIP_LINEAR ? lambda - (float)out->level : 0.0f;
    out->level1 = UTIL_MIN(out->level + 1, image->level_count - 1);
}

void raster_sampler_levels(const struct raster_sampler_key *key, const struct raster_image *image,
                           const struct raster_lookup_lanes *in, const struct raster_cube_point *point,
                           struct raster_level_choice out[16])
{
    for (unsigned lane = 0; lane < 16; lane++) {
        if (!raster_sampler_leveled(key)) {
            out[lane] = (struct raster_level_choice){.linear = key->mag_linear};
            continue;
        }
        choose_level(key, image, level_of_detail(key, image, in, point, lane), &out[lane]);
    }
}

/* ---- 3, 4: from a coordinate to texels ---- */

static bool is_clamped(uint8_t wrap)
{
    return wrap == RASTER_CLAMP || wrap == RASTER_BORDER || wrap == RASTER_MIRROR_CLAMP ||
           wrap == RASTER_MIRROR_BORDER;
}

static bool is_half_border(uint8_t wrap)
{
    return wrap == RASTER_HALF_BORDER || wrap == RASTER_MIRROR_HALF_BORDER;
}

/* The coordinate in texels. */
static float texels(const struct raster_sampler_key *key, uint8_t wrap, uint32_t size, float s)
{
    float n = (float)size, scale = key->unnormalized ? 1.0f : n, f;

    if (is_clamped(wrap))
        return hold(s * scale, -RASTER_LOOKUP_LIMIT, RASTER_LOOKUP_LIMIT);
    if (is_half_border(wrap))
        return hold((wrap == RASTER_HALF_BORDER ? s : fabsf(s)) * scale, 0.0f, n);
    if (wrap == RASTER_REPEAT) {
        f = s - floorf(s);
        return (f < 1.0f ? f : 0.0f) * n;
    }
    f = s - 2.0f * floorf(s * 0.5f);
    return (f < 2.0f ? f : 0.0f) * n;
}

static int32_t modulo(int32_t x, int32_t n)
{
    return (x % n + n) % n;
}

/* Where texel x is found; outside 0..n - 1: the border. */
static int32_t wrapped(uint8_t wrap, bool linear, int32_t n, int32_t x)
{
    switch (wrap) {
    case RASTER_REPEAT: return modulo(x, n);
    case RASTER_MIRROR: x = modulo(x, 2 * n); return x < n ? x : 2 * n - 1 - x;
    case RASTER_CLAMP: return UTIL_MIN(UTIL_MAX(x, 0), n - 1);
    case RASTER_MIRROR_CLAMP: x = x < 0 ? -1 - x : x; return UTIL_MIN(x, n - 1);
    case RASTER_MIRROR_BORDER: return x < 0 ? -1 - x : x;
    case RASTER_HALF_BORDER:
    case RASTER_MIRROR_HALF_BORDER: return linear ? x : UTIL_MIN(UTIL_MAX(x, 0), n - 1);
    default: return x;
    }
}

void raster_sampler_axis(const struct raster_sampler_key *key, uint8_t wrap, bool linear, uint32_t size,
                         float s, int32_t offset, struct raster_axis *out)
{
    float u = texels(key, wrap, size, s);
    int32_t by = UTIL_MIN(UTIL_MAX(offset, -RASTER_LOOKUP_OFFSET), RASTER_LOOKUP_OFFSET);

    if (linear)
        u = u - 0.5f;
    out->x[0] = (int32_t)floorf(u) + by;
    out->x[1] = out->x[0] + linear;
    out->weight = linear ? u - floorf(u) : 0.0f;
    for (unsigned k = 0; k < 2; k++)
        out->x[k] = wrapped(wrap, linear, (int32_t)size, out->x[k]);
}
