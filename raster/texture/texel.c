/* Pixel formats, one pixel at a time: the reference of texel_ir.c. Up to 16 bits a number times
 * its channel's range is rounded to a single and then to a whole number, as colours are that become bytes;
 * above it is a double between. */
#include "raster/texture/texel.h"

#include <math.h>

#include "util/bits.h"
#include "util/half.h"

#include "raster/texture/srgb.inc"

// clang-format off
#define ORDER_X001 {0, 4, 4, 5}
#define ORDER_XY01 {0, 1, 4, 5}
#define ORDER_XYZ1 {0, 1, 2, 5}
#define ORDER_XYZW {0, 1, 2, 3}
#define ORDER_YX01 {1, 0, 4, 5}
#define ORDER_ZYX1 {2, 1, 0, 5}
#define ORDER_ZYXW {2, 1, 0, 3}
#define ORDER_YZWX {1, 2, 3, 0}
#define ORDER_YZW1 {1, 2, 3, 5}
#define ORDER_WZYX {3, 2, 1, 0}
#define ORDER_WZY1 {3, 2, 1, 5}
#define ORDER_XXX1 {0, 0, 0, 5}
#define ORDER_XXXX {0, 0, 0, 0}
#define ORDER_XXXY {0, 0, 0, 1}
#define ORDER_O00X {4, 4, 4, 0}
#define ORDER_X000 {0, 4, 4, 4}
#define ORDER_Y000 {1, 4, 4, 4}
#define ORDER_XY00 {0, 1, 4, 4}
#define ORDER_YX00 {1, 0, 4, 4}
#define ORDER_OX00 {4, 0, 4, 4}
#define ORDER_OY00 {4, 1, 4, 4}

const struct raster_texel raster_texels[RASTER_FORMAT_COUNT] = {
    [RASTER_FORMAT_NONE] = {.name = "NONE", .width = 1, .height = 1},
#define TEXELS(title, k0, k1, k2, k3, b0, b1, b2, b3, order)                                            \
    [RASTER_##title] = {.name = #title, .width = 1, .height = 1, .bits = b0 + b1 + b2 + b3,             \
                        .channel = {{RASTER_KIND_##k0, b0, 0}, {RASTER_KIND_##k1, b1, b0},              \
                                    {RASTER_KIND_##k2, b2, b0 + b1}, {RASTER_KIND_##k3, b3, b0 + b1 + b2}}, \
                        .from = ORDER_##order},
#define TEXEL(title, kind, b0, b1, b2, b3, order)                                                       \
    TEXELS(title, kind, kind, kind, kind, b0, b1, b2, b3, order)
#define BLOCK(title, block_width, block_height, length, coded)                                          \
    [RASTER_##title] = {.name = #title, .coding = RASTER_CODING_##coded, .width = block_width,          \
                        .height = block_height, .bits = length},
#include "raster/texture/texel.inc"
};
// clang-format on

/* ---- what rows say ---- */

unsigned raster_texel_component(const struct raster_texel *texel, unsigned c)
{
    unsigned n = 0;

    while (n < 4 && texel->from[n] != c)
        n++;
    return n;
}

enum raster_kind raster_texel_kind(const struct raster_texel *texel, unsigned c)
{
    enum raster_kind kind = (enum raster_kind)texel->channel[c].kind;

    if (!texel->channel[c].bits || raster_texel_component(texel, c) == 4)
        return RASTER_KIND_X;
    return kind == RASTER_KIND_SRGB && raster_texel_component(texel, c) == 3 ? RASTER_KIND_UNORM : kind;
}

uint32_t raster_texel_one(const struct raster_texel *texel)
{
    uint8_t kind = texel->channel[0].kind;

    return kind == RASTER_KIND_UINT || kind == RASTER_KIND_SINT ? 1 : util_f2u(1.0f);
}

static uint32_t mask(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

static int32_t extended(uint32_t v, unsigned bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static bool is_signed(enum raster_kind kind)
{
    return kind == RASTER_KIND_SNORM || kind == RASTER_KIND_SINT || kind == RASTER_KIND_SSCALED ||
           kind == RASTER_KIND_FIXED;
}

/* What one is in the channel's steps. */
static double unit(enum raster_kind kind, unsigned bits)
{
    switch (kind) {
    case RASTER_KIND_UNORM: return mask(bits);
    case RASTER_KIND_SNORM: return mask(bits - 1);
    case RASTER_KIND_FIXED: return 65536;
    default: return 1;
    }
}

/* ---- floats ---- */

/* Bits of a float without sign: of a half's, those below the sign and from where its fraction is cut. */
static uint32_t to_small_float(float f, unsigned bits)
{
    unsigned fraction = bits - 5;
    uint32_t most = (31u << fraction) - 1, infinite = 31u << fraction;

    if (f != f)
        return infinite | 1u << (fraction - 1);
    if (!(f > 0))
        return 0;
    if (isinf(f))
        return infinite;
    int exponent = ilogbf(f) < -14 ? -14 : ilogbf(f);
    double steps = rint(ldexp(f, (int)fraction - exponent)); /* of the last place */
    uint32_t v = (uint32_t)steps + ((uint32_t)(exponent + 14) << fraction);
    return v > most ? most : v;
}

static uint32_t to_float(float f, unsigned bits)
{
    return bits == 32 ? util_f2u(f) : bits == 16 ? util_float_to_half(f) : to_small_float(f, bits);
}

static float from_float(uint32_t v, unsigned bits)
{
    return bits == 32 ? util_u2f(v) : util_half_to_float((uint16_t)(bits == 16 ? v : v << (15 - bits)));
}

/* GL ES 3.2 section 8.5.2, with a NaN as 0. */
static uint32_t share_exponent(const uint32_t in[4])
{
    double color[3], most = 0;
    int exponent = -16;
    uint32_t word = 0;

    for (unsigned c = 0; c < 3; c++) {
        float f = util_u2f(in[c]);

        color[c] = !(f > 0) ? 0 : f < 65408 ? f : 65408;
        most = color[c] > most ? color[c] : most;
    }
    if (most > 0 && ilogb(most) > exponent)
        exponent = ilogb(most);
    exponent += 16;
    if (floor(ldexp(most, 24 - exponent) + 0.5) == 512)
        exponent++;
    for (unsigned c = 0; c < 3; c++)
        word |= (uint32_t)floor(ldexp(color[c], 24 - exponent) + 0.5) << 9 * c;
    return word | (uint32_t)exponent << 27;
}

/* ---- channels ---- */

static uint32_t srgb_byte(float f)
{
    uint32_t byte = 0;

    for (uint32_t step = 128; step; step /= 2)
        if (f >= util_u2f(raster_srgb_least[byte + step]))
            byte += step;
    return byte;
}

static uint32_t srgb_unpack(uint32_t v, unsigned bits)
{
    return raster_srgb_linear[bits == 8 ? v : bits == 6 ? v << 2 | v >> 4 : v << 3 | v >> 2];
}

static uint32_t unpack(enum raster_kind kind, uint32_t v, unsigned bits, uint32_t exponent)
{
    switch (kind) {
    case RASTER_KIND_X: return 0;
    case RASTER_KIND_UINT: return v;
    case RASTER_KIND_SINT: return (uint32_t)extended(v, bits);
    case RASTER_KIND_FLOAT: return util_f2u(from_float(v, bits));
    case RASTER_KIND_SRGB: return srgb_unpack(v, bits);
    case RASTER_KIND_SHARED: return util_f2u((float)ldexp(v, (int)exponent - 24));
    default: break;
    }
    double x = (is_signed(kind) ? (double)extended(v, bits) : (double)v) / unit(kind, bits);
    return util_f2u((float)(kind == RASTER_KIND_SNORM && x < -1 ? -1 : x));
}

/* A float in steps of `unit`, between the ends of its channel. */
static uint32_t to_steps(enum raster_kind kind, float f, unsigned bits)
{
    double least = is_signed(kind) ? -(double)mask(bits - 1) - (kind != RASTER_KIND_SNORM) : 0;
    double most = is_signed(kind) ? mask(bits - 1) : mask(bits), x = f * unit(kind, bits);

    if (bits <= 16)
        x = f * (float)unit(kind, bits);

    x = f != f ? 0 : x < least ? least : x > most ? most : x;
    return (uint32_t)(int64_t)rint(x) & mask(bits);
}

static uint32_t pack(enum raster_kind kind, uint32_t in, unsigned bits)
{
    int32_t most = (int32_t)mask(bits - 1), least = -most - 1, s = (int32_t)in;

    switch (kind) {
    case RASTER_KIND_X: return 0;
    case RASTER_KIND_UINT: return UTIL_MIN(in, mask(bits));
    case RASTER_KIND_SINT: return (uint32_t)(s < least ? least : s > most ? most : s) & mask(bits);
    case RASTER_KIND_FLOAT: return to_float(util_u2f(in), bits);
    case RASTER_KIND_SRGB: return (srgb_byte(util_u2f(in)) * mask(bits) + 127) / 255;
    default: return to_steps(kind, util_u2f(in), bits);
    }
}

void raster_texel_unpack(const struct raster_texel *texel, const uint32_t word[4], uint32_t out[4])
{
    uint32_t value[6] = {[RASTER_FROM_ONE] = raster_texel_one(texel)};

    for (unsigned c = 0; c < 4; c++) {
        unsigned at = texel->channel[c].at, bits = texel->channel[c].bits;

        if (bits)
            value[c] = unpack(raster_texel_kind(texel, c), word[at / 32] >> at % 32 & mask(bits), bits,
                              word[0] >> 27);
    }
    for (unsigned n = 0; n < 4; n++)
        out[n] = value[texel->from[n]];
}

void raster_texel_pack(const struct raster_texel *texel, const uint32_t in[4], uint32_t word[4])
{
    word[0] = word[1] = word[2] = word[3] = 0;
    if (texel->channel[0].kind == RASTER_KIND_SHARED) {
        word[0] = share_exponent(in);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        unsigned at = texel->channel[c].at, bits = texel->channel[c].bits,
                 n = raster_texel_component(texel, c);

        if (bits && n < 4)
            word[at / 32] |= pack(raster_texel_kind(texel, c), in[n], bits) << at % 32;
    }
}

/* ---- samplers' words ---- */

bool raster_texel_is_8888(const struct raster_texel *texel)
{
    bool is = texel->bits && texel->bits <= 32 && texel->coding == RASTER_CODING_PLAIN;

    for (unsigned c = 0; c < 4; c++)
        if (raster_texel_kind(texel, c) != RASTER_KIND_X)
            is &= texel->channel[c].kind == RASTER_KIND_UNORM && texel->channel[c].bits <= 8;
    return is;
}

/* A channel's bits again and again, from the highest of the byte on. */
static uint32_t repeated(uint32_t v, unsigned bits)
{
    uint32_t byte = 0;

    for (int at = 8 - (int)bits; at > -(int)bits; at -= (int)bits)
        byte |= at < 0 ? v >> -at : v << at;
    return byte;
}

uint32_t raster_texel_sampled(const struct raster_texel *texel, uint32_t word)
{
    uint32_t value[6] = {[RASTER_FROM_ONE] = 255}, bytes = 0;

    if (texel->channel[0].kind != RASTER_KIND_UNORM || texel->channel[0].bits > 8)
        return word & mask(texel->channel[0].bits);
    for (unsigned c = 0; c < 4; c++)
        if (texel->channel[c].bits)
            value[c] =
                repeated(word >> texel->channel[c].at & mask(texel->channel[c].bits), texel->channel[c].bits);
    for (unsigned n = 0; n < 4; n++)
        bytes |= value[texel->from[n]] << 8 * n;
    return bytes;
}

uint32_t raster_texel_from_8888(const struct raster_texel *texel, uint32_t bytes)
{
    uint32_t word = 0;

    for (unsigned c = 0; c < 4; c++) {
        unsigned n = raster_texel_component(texel, c);

        if (texel->channel[c].bits && n < 4)
            word |= ((bytes >> 8 * n & 255) * mask(texel->channel[c].bits) + 127) / 255
                    << texel->channel[c].at;
    }
    return word;
}
