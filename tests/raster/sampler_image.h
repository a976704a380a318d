/* An image of tests and what is asked of it, sampled by the general sampler's scalar form. After cmocka.h. */
#ifndef VITRAIL_TESTS_RASTER_SAMPLER_IMAGE_H
#define VITRAIL_TESTS_RASTER_SAMPLER_IMAGE_H

#include <math.h>
#include <string.h>

#include "raster/texture/sampler.h"
#include "util/bits.h"
#include "util/fpenv.h"

struct probe {
    struct raster_sampler_key key;
    struct raster_image image;
    struct raster_lookup_lanes in;
    uint8_t memory[65536];
    uint32_t out[4][16];
};

static struct probe p;

/* One level after the other, halved; slices behind each other. */
static inline void start(enum raster_format format, enum raster_dim dim, uint32_t side, uint32_t levels,
                         uint32_t layers)
{
    uint32_t bytes = raster_format_bytes(format), end = 0;

    memset(&p, 0, sizeof p);
    p.key = (struct raster_sampler_key){.format = (uint16_t)format,
                                        .dim = (uint8_t)dim,
                                        .array = layers > 1,
                                        .layout = RASTER_LINEAR,
                                        .wrap = {RASTER_CLAMP, RASTER_CLAMP, RASTER_CLAMP},
                                        .swizzle = {0, 1, 2, 3}};
    p.image = (struct raster_image){.memory = p.memory,
                                    .memory_size = sizeof p.memory,
                                    .level_count = levels,
                                    .layers = layers,
                                    .samples = 1,
                                    .lod_min = -1000,
                                    .lod_max = 1000};
    for (uint32_t n = 0; n < levels; n++) {
        uint32_t w = UTIL_MAX(side >> n, 1u), h = dim == RASTER_DIM_1D || dim == RASTER_DIM_BUFFER ? 1 : w;
        uint32_t d = dim == RASTER_DIM_3D ? w : 1;

        p.image.level[n] = (struct raster_image_level){.offset = end,
                                                       .width = w,
                                                       .height = h,
                                                       .depth = d,
                                                       .row_stride = w * bytes,
                                                       .slice_stride = w * h * bytes};
        end += w * h * d * layers * bytes * (dim == RASTER_DIM_CUBE ? 6 : 1);
    }
}

/* Texels of level n as floats, all of a slice alike. */
static inline void paint(uint32_t level, uint32_t slice, float v)
{
    const struct raster_image_level *l = &p.image.level[level];

    for (uint32_t k = 0; k < l->width * l->height; k++)
        util_store32(p.memory + l->offset + slice * l->slice_stride + 4ull * k, util_f2u(v));
}

static inline void floats(const float *v, unsigned count)
{
    memcpy(p.memory, v, 4ull * count);
}

static inline void run(void)
{
    struct util_error error = {0};
    unsigned saved = util_fpenv_enter();

    if (raster_sampler_validate(&p.key, &error) || raster_image_validate(&p.key, &p.image, &error))
        fail_msg("%s", error.text);
    raster_sampler_run(&p.key, &p.image, &p.in, p.out);
    util_fpenv_leave(saved);
}

static inline void set(uint32_t lanes[16], float v)
{
    for (unsigned l = 0; l < 16; l++)
        lanes[l] = util_f2u(v);
}

/* Red of what is sampled at (s, t, r), the same in all lanes. */
static inline float at(float s, float t, float r)
{
    set(p.in.coordinate[0], s);
    set(p.in.coordinate[1], t);
    set(p.in.coordinate[2], r);
    run();
    return util_u2f(p.out[0][0]);
}

static inline void near(float got, float want)
{
    if (!(fabsf(got - want) <= fabsf(want) * 1e-6f + 1e-6f))
        fail_msg("%.9g, expected %.9g", (double)got, (double)want);
}

static inline void border(float v)
{
    for (unsigned n = 0; n < 4; n++)
        p.image.border[n] = util_f2u(v);
}

#endif
