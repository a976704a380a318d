/* Coordinates to taps, and taps to a colour (README.md sections 3 to 5 and 7). */
#include "raster/texture/texture_internal.h"

#include <math.h>

#include "util/half.h"

int32_t raster_coordinate(enum raster_wrap wrap, bool unnormalized, uint32_t size, float s)
{
    float limit = (float)size * 256.0f, scale = unnormalized ? 256.0f : limit, f, u;

    switch (wrap) {
    case RASTER_REPEAT:
        f = s - floorf(s);
        f = f < 1.0f ? f : 0.0f;
        return (int32_t)(f * scale);
    case RASTER_MIRROR_BORDER:
    case RASTER_BORDER:
        s = wrap == RASTER_BORDER ? s : fabsf(s);
        u = s * scale;
        u = u > -256.0f ? u : -256.0f;
        u = u < limit + 256.0f ? u : limit + 256.0f;
        return (int32_t)(u + 256.0f) - 256;
    case RASTER_MIRROR:
        f = s - 2.0f * floorf(s * 0.5f);
        s = f <= 1.0f ? f : 2.0f - f;
        break;
    case RASTER_MIRROR_CLAMP: s = fabsf(s); break;
    case RASTER_MIRROR_HALF_BORDER:
    case RASTER_HALF_BORDER:
        s = wrap == RASTER_HALF_BORDER ? s : fabsf(s);
        limit -= 1.0f;
        break;
    default: break;
    }
    u = s * scale;
    u = u > 0.0f ? u : 0.0f;
    u = u < limit ? u : limit;
    return (int32_t)u;
}

static int32_t bring_inside(enum raster_wrap wrap, int32_t x, int32_t size)
{
    switch (wrap) {
    case RASTER_REPEAT: return x < 0 ? x + size : x >= size ? x - size : x;
    default:
        if (raster_wrap_is_bordered((uint8_t)wrap))
            return x;
        return x < 0 ? 0 : x >= size ? size - 1 : x;
    }
}

void raster_axis_taps(enum raster_wrap wrap, bool linear, uint32_t size, int32_t i, struct raster_taps *out)
{
    int32_t n = (int32_t)size, j = linear ? i - 128 : i;

    out->weight = linear ? (uint32_t)j & 255 : 0;
    for (int32_t k = 0; k < 2; k++) {
        int32_t x = bring_inside(wrap, (j >> 8) + (linear ? k : 0), n);
        out->outside[k] = x < 0 || x >= n;
        out->x[k] = x;
    }
}

uint32_t raster_lerp_8888(uint32_t a, uint32_t b, uint32_t weight)
{
    uint32_t result = 0;

    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t ca = a >> shift & 255, cb = b >> shift & 255;
        result |= ((ca * (256 - weight) + cb * weight + 128) >> 8) << shift;
    }
    return result;
}

uint32_t raster_lerp_word(uint32_t a, uint32_t b, uint32_t weight)
{
    return (a * (256 - weight) + b * weight + 128) >> 8;
}

/* Denormal halves are zero of their sign, read or written. */
static uint32_t lerp_half(uint32_t a, uint32_t b, uint32_t weight)
{
    float fa = util_half_to_float(util_half_flushed((uint16_t)a)),
          fb = util_half_to_float(util_half_flushed((uint16_t)b));
    float result = fa;

    if (weight) /* weight 0 leaves a alone, also beside an infinity */
        result = fa + (fb - fa) * ((float)weight * 0x1p-8f);
    return util_half_flushed(util_float_to_half(result));
}

uint32_t raster_lerp_16f(uint32_t a, uint32_t b, uint32_t weight)
{
    return lerp_half(a, b, weight) | lerp_half(a >> 16, b >> 16, weight) << 16;
}
