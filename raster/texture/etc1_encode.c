/* ETC1 blocks made of texels (Khronos OES_compressed_ETC1_RGB8_texture): of both ways to part a block and both ways to write two
 * colours the one with the least squared error. Colours are averages of their half, which is what a plain picture needs. */
#include <stdlib.h>

#include "raster/texture/block.h"
#include "util/bits.h"

enum { TABLES = 8, HALF = 8 };

struct half {
    int base[3]; /* as it is written, of 4 or 5 bits */
    unsigned table;
    uint32_t index; /* two bits a texel of the block, at their places in the low word */
    uint64_t error;
};

struct part {
    const uint8_t (*texel)[4]; /* row by row */
    bool flip;                 /* halves above each other */
};

static unsigned texel_of(const struct part *p, unsigned sub, unsigned n)
{
    return p->flip ? sub * HALF + n : n / 2 * 4 + n % 2 + 2 * sub;
}

static int expand(int base, unsigned bits)
{
    return bits == 4 ? base * 17 : base << 3 | base >> 2;
}

/* The modifier that comes closest; its two bits: the sign's above that of the size. */
static unsigned closest(const int color[3], const uint8_t texel[4], unsigned table, uint64_t *error)
{
    unsigned best = 0;
    uint64_t least = UINT64_MAX;
    for (unsigned index = 0; index < 4; index++) {
        const int by = raster_etc1_modifier(table, index);
        uint64_t sum = 0;
        for (unsigned c = 0; c < 3; c++) {
            const int v = color[c] + by, d = (v < 0 ? 0 : v > 255 ? 255 : v) - texel[c];
            sum += (uint64_t)(d * d);
        }
        if (sum < least) {
            least = sum;
            best = index;
        }
    }
    *error += least;
    return best;
}

/* The best table for a base colour. */
static void choose_table(const struct part *p, unsigned sub, unsigned bits, struct half *h)
{
    const int color[3] = {expand(h->base[0], bits), expand(h->base[1], bits), expand(h->base[2], bits)};
    h->error = UINT64_MAX;
    for (unsigned table = 0; table < TABLES; table++) {
        uint64_t error = 0;
        uint32_t index = 0;
        for (unsigned n = 0; n < HALF; n++) {
            const unsigned texel = texel_of(p, sub, n), bit = texel % 4 * 4 + texel / 4;
            const unsigned two = closest(color, p->texel[texel], table, &error);
            index |= (two & 1u) << bit | (two >> 1) << (16 + bit);
        }
        if (error < h->error) {
            h->error = error;
            h->table = table;
            h->index = index;
        }
    }
}

static void average(const struct part *p, unsigned sub, unsigned bits, int base[3])
{
    const int most = (1 << bits) - 1;
    for (unsigned c = 0; c < 3; c++) {
        int sum = 0;
        for (unsigned n = 0; n < HALF; n++)
            sum += p->texel[texel_of(p, sub, n)][c];
        base[c] = (sum * most + 255 * HALF / 2) / (255 * HALF);
    }
}

/* Five bits, and what the second half's differ: -4 to 3. */
static void join(int first[3], int second[3])
{
    for (unsigned c = 0; c < 3; c++) {
        const int d = second[c] - first[c];
        second[c] = first[c] + (d < -4 ? -4 : d > 3 ? 3 : d);
    }
}

static uint64_t try_way(const struct part *p, bool differential, struct half half[2])
{
    const unsigned bits = differential ? 5 : 4;
    average(p, 0, bits, half[0].base);
    average(p, 1, bits, half[1].base);
    if (differential)
        join(half[0].base, half[1].base);
    choose_table(p, 0, bits, &half[0]);
    choose_table(p, 1, bits, &half[1]);
    return half[0].error + half[1].error;
}

static void write_block(const struct part *p, bool differential, const struct half half[2], uint8_t block[8])
{
    uint32_t high = half[0].table << 5 | half[1].table << 2 | (uint32_t)differential << 1 | p->flip;
    for (unsigned c = 0; c < 3; c++) {
        const uint32_t a = (uint32_t)half[0].base[c], b = (uint32_t)half[1].base[c];
        high |= (differential ? a << 3 | ((b - a) & 7) : a << 4 | b) << (24 - 8 * c);
    }
    util_store32(block, __builtin_bswap32(high));
    util_store32(block + 4, __builtin_bswap32(half[0].index | half[1].index));
}

void raster_etc1_encode(const uint8_t texel[16][4], uint8_t block[8])
{
    uint64_t least = UINT64_MAX;
    for (unsigned way = 0; way < 4; way++) {
        const struct part part = {texel, way & 1};
        struct half half[2] = {0};
        const uint64_t error = try_way(&part, way & 2, half);
        if (error >= least)
            continue;
        least = error;
        write_block(&part, way & 2, half, block);
    }
}
