/* Textures of tests: one level in linear memory, sampled as the scalar reference does. After cmocka.h. */
#ifndef VITRAIL_TESTS_RASTER_TEXTURE_IMAGE_H
#define VITRAIL_TESTS_RASTER_TEXTURE_IMAGE_H

#include <string.h>

#include "raster/texture/texture.h"
#include "util/bits.h"
#include "util/fpenv.h"

struct image {
    struct raster_texture_key key;
    struct raster_texture texture;
    uint8_t bytes[65536];
};

static inline void image_init(struct image *image, enum raster_format format, uint32_t width, uint32_t height,
                              uint32_t stride)
{
    memset(image, 0, sizeof *image);
    image->key.format = (uint16_t)format;
    image->texture = (struct raster_texture){.memory = image->bytes,
                                             .memory_size = sizeof image->bytes,
                                             .level_count = 1,
                                             .width = (float)width,
                                             .height = (float)height};
    image->texture.level[0] = (struct raster_level){.width = width, .height = height, .stride = stride};
}

static inline void sample16(struct image *image, const float *s, const float *t, const float *r,
                            const float *bias, uint32_t out[16])
{
    struct util_error error = {0};
    unsigned saved = util_fpenv_enter();

    assert_int_equal(raster_texture_validate(&image->key, &image->texture, &error), 0);
    raster_texture_sample(&image->key, &image->texture, s, t, r, bias, out);
    util_fpenv_leave(saved);
}

static inline uint32_t sample1(struct image *image, float s, float t)
{
    float vs[16], vt[16];
    uint32_t out[16];

    for (unsigned i = 0; i < 16; i++) {
        vs[i] = s;
        vt[i] = t;
    }
    sample16(image, vs, vt, NULL, NULL, out);
    for (unsigned i = 1; i < 16; i++)
        assert_int_equal(out[i], out[0]);
    return out[0];
}

#endif
