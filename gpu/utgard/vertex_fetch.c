/* Attributes as the GP's loader gives them to programs, and varyings as its store unit writes them. Types:
 * HARDWARE.md 2.3 (Mesa's lima_draw.c). Runs in the guest floating-point environment. */
#include <string.h>

#include "gpu/utgard/vertex_internal.h"
#include "util/bits.h"
#include "util/half.h"

#define ONE       0x3f800000u
#define QUIET_NAN 0xffc00000u

/* ---- attributes ---- */

bool utgard_attribute_bytes(const struct utgard_array *array, uint32_t *bytes)
{
    static const uint8_t size[] = {4, 4, 4, 2, 2, 2, 1, 1, 1, 1, 2, 2, 0, 4, 4};
    uint32_t one = array->type < sizeof size ? size[array->type] : array->type == UTGARD_TYPE_FIXED ? 4 : 0;
    *bytes = one * array->components;
    return one != 0;
}

static uint32_t flush(uint32_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

/* A signed normalized number: the least one stands for -1 as its neighbour does. */
static float normal(float value, float greatest)
{
    float v = value / greatest;
    return v < -1.0f ? -1.0f : v;
}

#define EACH(type, expression)                                                                               \
    for (uint32_t l = 0; l < 16; l++)                                                                        \
        for (uint32_t c = 0; c < a->components; c++) {                                                       \
            type v;                                                                                          \
            memcpy(&v, element[l] + c * sizeof v, sizeof v);                                                 \
            in[c][l] = expression;                                                                           \
        }                                                                                                    \
    break

static void fetch_array(const struct utgard_array *a, const uint8_t *const element[16], uint32_t in[4][16])
{
    switch (a->type) {
    case UTGARD_TYPE_F32: EACH(uint32_t, flush(v));
    case UTGARD_TYPE_I32: EACH(int32_t, util_f2u((float)v));
    case UTGARD_TYPE_U32: EACH(uint32_t, util_f2u((float)v));
    case UTGARD_TYPE_F16: EACH(uint16_t, util_f2u(util_half_to_float(v)));
    case UTGARD_TYPE_I16: EACH(int16_t, util_f2u((float)v));
    case UTGARD_TYPE_U16: EACH(uint16_t, util_f2u((float)v));
    case UTGARD_TYPE_I8: EACH(int8_t, util_f2u((float)v));
    case UTGARD_TYPE_U8: EACH(uint8_t, util_f2u((float)v));
    case UTGARD_TYPE_I8N: EACH(int8_t, util_f2u(normal((float)v, 127.0f)));
    case UTGARD_TYPE_U8N: EACH(uint8_t, util_f2u((float)v / 255.0f));
    case UTGARD_TYPE_I16N: EACH(int16_t, util_f2u(normal((float)v, 32767.0f)));
    case UTGARD_TYPE_U16N: EACH(uint16_t, util_f2u((float)v / 65535.0f));
    case UTGARD_TYPE_I32N: EACH(int32_t, util_f2u(normal((float)v, 0x1p31f)));
    case UTGARD_TYPE_U32N: EACH(uint32_t, util_f2u((float)v * 0x1p-32f));
    case UTGARD_TYPE_FIXED: EACH(int32_t, util_f2u((float)v * 0x1p-16f));
    default: break;
    }
}

void utgard_fetch(const struct utgard_vertex_stage *stage, uint32_t first, uint32_t lanes,
                  uint32_t (*in)[4][16])
{
    uint32_t read = stage->program->attributes;
    for (uint32_t n = 0; n < stage->attribute_count; n++) {
        const struct utgard_array *a = &stage->attribute[n];
        const uint8_t *element[16];
        if (!(read >> n & 1))
            continue;
        for (uint32_t l = 0; l < 16; l++)
            element[l] = a->base + (uint64_t)(first + UTIL_MIN(l, lanes - 1)) * a->stride;
        for (uint32_t c = a->components; c < 4; c++)
            for (uint32_t l = 0; l < 16; l++)
                in[n][c][l] = c == 3 ? ONE : 0;
        fetch_array(a, element, in[n]);
    }
}

/* ---- varyings ---- */

static bool is_special(const struct utgard_array *a)
{
    return a->type == UTGARD_TYPE_SPECIAL;
}

bool utgard_varying_bytes(const struct utgard_array *array, uint32_t *bytes)
{
    if (is_special(array)) {
        *bytes = array->components == 1 ? 16 : 4;
        return array->components <= 2;
    }
    *bytes = array->components * (array->type == UTGARD_TYPE_F16 ? 2 : 4);
    return array->type == UTGARD_TYPE_F32 || array->type == UTGARD_TYPE_F16;
}

/* Every NaN that leaves a program is this one (isa/utgard_gp/README.md, rule 1). */
static uint32_t one_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000 ? QUIET_NAN : bits;
}

void utgard_store(const struct utgard_vertex_stage *stage, uint32_t first, uint32_t lanes,
                  const uint32_t (*out)[4][16])
{
    for (uint32_t n = 0; n < stage->varying_count; n++) {
        const struct utgard_array *a = &stage->varying[n];
        uint8_t *at = a->base + first * a->stride;
        uint32_t words = a->bytes / (a->type == UTGARD_TYPE_F16 ? 2 : 4);
        for (uint32_t l = 0; l < lanes; l++, at += a->stride)
            for (uint32_t c = 0; c < words; c++) {
                uint32_t bits = one_nan(out[n][c][l]);
                if (a->type == UTGARD_TYPE_F16) {
                    uint16_t half = util_float_to_half(util_u2f(bits));
                    memcpy(at + c * 2, &half, sizeof half);
                } else {
                    memcpy(at + c * 4, &bits, sizeof bits);
                }
            }
    }
}
