/* What vertex.s, fragment.s and blend.s do, an element at a time, in plain C for RV64GC: the same operations in the same order, so
 * the same picture. Each function is a program's entry (-e vertex); its arguments are x10 to x17 of a launch, and x9, which the
 * calling convention preserves, is returned as it was. */
#include <stdint.h>

struct vertex_uniforms {
    float matrix[4][4], light[3], diffuse, ambient;
};

void vertex(long zero, long none, long count, const float (*restrict in)[64], float (*restrict out)[64],
            const struct vertex_uniforms *u)
{
    for (long n = 0; n < count; n++) {
        float x = in[0][n], y = in[1][n], z = in[2][n];
        for (int row = 0; row < 4; row++) {
            float sum = x * u->matrix[0][row];
            sum = __builtin_fmaf(y, u->matrix[1][row], sum);
            sum = __builtin_fmaf(z, u->matrix[2][row], sum);
            out[row][n] = sum + u->matrix[3][row];
        }
        float a = in[3][n], b = in[4][n], c = in[5][n];
        float lit = __builtin_fmaf(c, u->light[2], __builtin_fmaf(b, u->light[1], a * u->light[0]));
        float length = __builtin_sqrtf(__builtin_fmaf(c, c, __builtin_fmaf(b, b, a * a)));
        lit = __builtin_fmaxf(lit / length, 0.0f) * u->diffuse + u->ambient;
        out[4][n] = in[6][n];
        out[5][n] = in[7][n];
        out[6][n] = lit;
    }
}

struct texture {
    const uint8_t *texels;
    uint32_t width, height, stride, wrap;
};

/* To the nearest whole number, of two to the even one; what does not fit is the nearest that does, but on hosts, where no pixel of the
 * scene has such a number. */
#ifdef __riscv
static int32_t nearest(float x)
{
    int32_t out;
    __asm__("fcvt.w.s %0, %1, rne" : "=r"(out) : "f"(x));
    return out;
}

static uint32_t nearest_unsigned(float x)
{
    uint32_t out;
    __asm__("fcvt.wu.s %0, %1, rne" : "=r"(out) : "f"(x));
    return out;
}
#else
static int32_t nearest(float x)
{
    return (int32_t)__builtin_rintf(x);
}

static uint32_t nearest_unsigned(float x)
{
    return (uint32_t)(int32_t)__builtin_rintf(x);
}
#endif

static int32_t clamp(int32_t x, uint32_t size)
{
    x = x < 0 ? 0 : x;
    return x < (int32_t)size - 1 ? x : (int32_t)size - 1;
}

static uint32_t mix(uint32_t a, uint32_t b, uint32_t weight)
{
    return (a * (256 - weight) + b * weight + 128) >> 8;
}

void fragment(long zero, long none, long count, const float (*restrict in)[64], uint8_t (*restrict out)[4],
              const struct texture *t)
{
    const float width = (float)t->width * 256.0f, height = (float)t->height * 256.0f;
    for (long n = 0; n < count; n++) {
        int32_t x = nearest(in[4][n] * width + -128.0f), y = nearest(in[5][n] * height + -128.0f);
        uint32_t left = (uint32_t)clamp(x >> 8, t->width) * 4,
                 right = (uint32_t)clamp((x >> 8) + 1, t->width) * 4;
        const uint8_t *above = t->texels + (uint32_t)clamp(y >> 8, t->height) * t->stride;
        const uint8_t *below = t->texels + (uint32_t)clamp((y >> 8) + 1, t->height) * t->stride;
        uint32_t light = nearest_unsigned(in[6][n] * 255.0f);
        light = light < 255 ? light : 255;
        for (int c = 0; c < 4; c++) {
            uint32_t top = mix(above[left + c], above[right + c], x & 255);
            uint32_t bottom = mix(below[left + c], below[right + c], x & 255);
            uint32_t weight = c < 3 ? light : 255;
            out[n][c] = (uint8_t)((mix(top, bottom, y & 255) * (weight + (weight >> 7)) + 128) >> 8);
        }
    }
}

void blend(long zero, long none, long count, const uint8_t (*restrict source)[4], uint8_t (*restrict out)[4])
{
    for (long n = 0; n < count; n++) {
        uint32_t alpha = source[n][3];
        for (int c = 0; c < 4; c++) {
            uint32_t sum = source[n][c] * alpha + out[n][c] * (255 - alpha) + 128;
            out[n][c] = (uint8_t)((sum + (sum >> 8)) >> 8);
        }
    }
}
