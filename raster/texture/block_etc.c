/* ETC2 and EAC blocks (Khronos Data Format Specification, "ETC2 Compressed Texture Image Formats"). */
#include "raster/texture/block.h"
#include "util/bits.h"

/* Blocks are big-endian words of 64 bits, bit 63 first. */
static uint64_t load_word(const uint8_t *block)
{
    return __builtin_bswap64(util_load64(block));
}

/* Bits `high` to `low`. */
static int field(uint64_t v, unsigned high, unsigned low)
{
    return (int)util_bits(v, low, high - low + 1);
}

static int clamp(int v, int least, int most)
{
    return v < least ? least : v > most ? most : v;
}

static uint32_t color(const int rgb[3], int plus)
{
    uint32_t out = 0xff000000;

    for (unsigned c = 0; c < 3; c++)
        out |= (uint32_t)clamp(rgb[c] + plus, 0, 255) << 8 * c;
    return out;
}

/* A texel's two bits: texels run down the columns. */
static unsigned index_of(uint64_t v, unsigned x, unsigned y)
{
    unsigned n = x * 4 + y;

    return (unsigned)(field(v, 16 + n, 16 + n) << 1 | field(v, n, n));
}

/* ---- two colours and a modifier each ---- */

static void halves(uint64_t v, int base[2][3], bool punched, uint32_t out[16])
{
    static const int16_t small[8] = {2, 5, 9, 13, 18, 24, 33, 47},
                         large[8] = {8, 17, 29, 42, 60, 80, 106, 183};
    const int table[2] = {field(v, 39, 37), field(v, 36, 34)};

    for (unsigned n = 0; n < 16; n++) {
        unsigned x = n % 4, y = n / 4, half = field(v, 32, 32) ? y / 2 : x / 2, index = index_of(v, x, y);
        int by = index & 1 ? large[table[half]] : punched ? 0 : small[table[half]];

        out[n] = punched && index == 2 ? 0 : color(base[half], index & 2 ? -by : by);
    }
}

static void individual(uint64_t v, uint32_t out[16])
{
    int base[2][3];

    for (unsigned n = 0; n < 6; n++) {
        unsigned high = 63 - 4 * n;
        base[n % 2][n / 2] = field(v, high, high - 3) * 17;
    }
    halves(v, base, false, out);
}

static void differential(uint64_t v, const int first[3], const int second[3], bool punched, uint32_t out[16])
{
    int base[2][3];

    for (unsigned c = 0; c < 3; c++) {
        base[0][c] = first[c] << 3 | first[c] >> 2;
        base[1][c] = second[c] << 3 | second[c] >> 2;
    }
    halves(v, base, punched, out);
}

/* ---- modes T, H and planar: what differences that leave 0..31 stand for ---- */

static const uint8_t distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};

static void paint(uint64_t v, const uint32_t four[4], bool punched, uint32_t out[16])
{
    for (unsigned n = 0; n < 16; n++) {
        unsigned index = index_of(v, n % 4, n / 4);
        out[n] = punched && index == 2 ? 0 : four[index];
    }
}

static void mode_t(uint64_t v, bool punched, uint32_t out[16])
{
    const int one[3] = {(field(v, 60, 59) << 2 | field(v, 57, 56)) * 17, field(v, 55, 52) * 17,
                        field(v, 51, 48) * 17};
    const int two[3] = {field(v, 47, 44) * 17, field(v, 43, 40) * 17, field(v, 39, 36) * 17};
    int by = distances[field(v, 35, 34) << 1 | field(v, 32, 32)];
    const uint32_t four[4] = {color(one, 0), color(two, by), color(two, 0), color(two, -by)};

    paint(v, four, punched, out);
}

static void mode_h(uint64_t v, bool punched, uint32_t out[16])
{
    const int a[3] = {field(v, 62, 59), field(v, 58, 56) << 1 | field(v, 52, 52),
                      field(v, 51, 51) << 3 | field(v, 49, 47)};
    const int b[3] = {field(v, 46, 43), field(v, 42, 39), field(v, 38, 35)};
    bool order = (a[0] << 8 | a[1] << 4 | a[2]) >= (b[0] << 8 | b[1] << 4 | b[2]);
    int by = distances[field(v, 34, 34) << 2 | field(v, 32, 32) << 1 | order];
    const int one[3] = {a[0] * 17, a[1] * 17, a[2] * 17}, two[3] = {b[0] * 17, b[1] * 17, b[2] * 17};
    const uint32_t four[4] = {color(one, by), color(one, -by), color(two, by), color(two, -by)};

    paint(v, four, punched, out);
}

static int six(int v)
{
    return v << 2 | v >> 4;
}

static int seven(int v)
{
    return v << 1 | v >> 6;
}

static void planar(uint64_t v, uint32_t out[16])
{
    const int o[3] = {six(field(v, 62, 57)), seven(field(v, 56, 56) << 6 | field(v, 54, 49)),
                      six(field(v, 48, 48) << 5 | field(v, 44, 43) << 3 | field(v, 41, 39))};
    const int h[3] = {six(field(v, 38, 34) << 1 | field(v, 32, 32)), seven(field(v, 31, 25)),
                      six(field(v, 24, 19))};
    const int w[3] = {six(field(v, 18, 13)), seven(field(v, 12, 6)), six(field(v, 5, 0))};

    for (int n = 0; n < 16; n++) {
        int rgb[3];

        for (unsigned c = 0; c < 3; c++)
            rgb[c] = (n % 4 * (h[c] - o[c]) + n / 4 * (w[c] - o[c]) + 4 * o[c] + 2) >> 2;
        out[n] = color(rgb, 0);
    }
}

/* ETC1 has no T, H and planar: what they stand for in ETC2 is undefined there, and is decoded as them. */
static void decode_rgb(uint64_t v, bool one_bit_alpha, uint32_t out[16])
{
    bool punched = one_bit_alpha && !field(v, 33, 33);
    int first[3], second[3];
    unsigned over = 0;

    if (!one_bit_alpha && !field(v, 33, 33)) {
        individual(v, out);
        return;
    }
    while (over < 3) {
        unsigned high = 63 - 8 * over;

        first[over] = field(v, high, high - 4);
        second[over] = first[over] + util_sext((uint32_t)field(v, high - 5, high - 7), 3);
        if (second[over] < 0 || second[over] > 31)
            break;
        over++;
    }
    switch (over) {
    case 0: mode_t(v, punched, out); break;
    case 1: mode_h(v, punched, out); break;
    case 2: planar(v, out); break;
    default: differential(v, first, second, punched, out); break;
    }
}

/* ---- EAC ---- */

static int modifier(uint64_t v, unsigned n)
{
    static const int8_t tables[16][8] = {
        {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12},
        {-2, -4, -6, -13, 1, 3, 5, 12}, {-3, -6, -8, -12, 2, 5, 7, 11},  {-3, -7, -9, -11, 2, 6, 8, 10},
        {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},  {-2, -6, -8, -10, 1, 5, 7, 9},
        {-2, -5, -8, -10, 1, 4, 7, 9},  {-2, -4, -8, -10, 1, 3, 7, 9},   {-2, -5, -7, -10, 1, 4, 6, 9},
        {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},   {-4, -6, -8, -9, 3, 5, 7, 8},
        {-3, -5, -7, -9, 2, 4, 6, 8}};
    unsigned at = 45 - 3 * (n % 4 * 4 + n / 4);

    return tables[field(v, 51, 48)][field(v, at + 2, at)];
}

static uint32_t alpha(uint64_t v, unsigned n)
{
    return (uint32_t)clamp(field(v, 63, 56) + modifier(v, n) * field(v, 55, 52), 0, 255);
}

/* Eleven bits, repeated to fill sixteen. */
static uint16_t eleven(uint64_t v, unsigned n, bool is_signed)
{
    int times = field(v, 55, 52) ? field(v, 55, 52) * 8 : 1, by = modifier(v, n) * times, size;

    if (!is_signed) {
        size = clamp(field(v, 63, 56) * 8 + 4 + by, 0, 2047);
        return (uint16_t)(size << 5 | size >> 6);
    }
    int base = util_sext((uint32_t)field(v, 63, 56), 8),
        x = clamp((base < -127 ? -127 : base) * 8 + by, -1023, 1023);
    size = x < 0 ? -x : x;
    size = size << 5 | size >> 5;
    return (uint16_t)(x < 0 ? -size : size);
}

void raster_block_eac(enum raster_format format, const uint8_t *block, uint16_t *out)
{
    bool is_signed = format == RASTER_ETC2_R11_SNORM || format == RASTER_ETC2_RG11_SNORM;
    unsigned count = raster_format_bytes(format) / 8;

    for (unsigned c = 0; c < count; c++)
        for (unsigned n = 0; n < 16; n++)
            out[n * count + c] = eleven(load_word(block + 8ull * c), n, is_signed);
}

void raster_block_etc2(enum raster_format format, const uint8_t *block, uint32_t out[16])
{
    bool one_bit = format == RASTER_ETC2_RGB8A1 || format == RASTER_ETC2_SRGB8A1;
    bool eight = format == RASTER_ETC2_RGBA8 || format == RASTER_ETC2_SRGBA8;

    decode_rgb(load_word(block + (eight ? 8 : 0)), one_bit, out);
    for (unsigned n = 0; n < 16 && eight; n++)
        out[n] = (out[n] & 0xffffff) | alpha(load_word(block), n) << 24;
}
