/* BPTC blocks of eight-bit channels, and what both kinds of them share (Khronos Data Format Specification, "BPTC
 * Compressed Texture Image Formats"). */
#include "raster/texture/block.h"
#include "util/bits.h"

/* ---- subsets ---- */

// clang-format off
/* The subset of each of 16 texels, from the lowest on: a bit of two subsets, two bits of three. */
static const uint16_t two_subsets[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000,
    0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c,
    0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
    0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22};

static const uint32_t three_subsets[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254};

/* The texel of a later subset whose index lacks its highest bit: of the second of two, the second and the third of three.
 * In hexadecimal. */
static const uint8_t anchors[3][64] = {
    {0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf,
     0xf, 0x2, 0x8, 0x2, 0x2, 0x8, 0x8, 0xf, 0x2, 0x8, 0x2, 0x2, 0x8, 0x8, 0x2, 0x2,
     0xf, 0xf, 0x6, 0x8, 0x2, 0x8, 0xf, 0xf, 0x2, 0x8, 0x2, 0x2, 0x2, 0xf, 0xf, 0x6,
     0x6, 0x2, 0x6, 0x8, 0xf, 0xf, 0x2, 0x2, 0xf, 0xf, 0xf, 0xf, 0xf, 0x2, 0x2, 0xf},
    {0x3, 0x3, 0xf, 0xf, 0x8, 0x3, 0xf, 0xf, 0x8, 0x8, 0x6, 0x6, 0x6, 0x5, 0x3, 0x3,
     0x3, 0x3, 0x8, 0xf, 0x3, 0x3, 0x6, 0xa, 0x5, 0x8, 0x8, 0x6, 0x8, 0x5, 0xf, 0xf,
     0x8, 0xf, 0x3, 0x5, 0x6, 0xa, 0x8, 0xf, 0xf, 0x3, 0xf, 0x5, 0xf, 0xf, 0xf, 0xf,
     0x3, 0xf, 0x5, 0x5, 0x5, 0x8, 0x5, 0xa, 0x5, 0xa, 0x8, 0xd, 0xf, 0xc, 0x3, 0x3},
    {0xf, 0x8, 0x8, 0x3, 0xf, 0xf, 0x3, 0x8, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x8,
     0xf, 0x8, 0xf, 0x3, 0xf, 0x8, 0xf, 0x8, 0x3, 0xf, 0x6, 0xa, 0xf, 0xf, 0xa, 0x8,
     0xf, 0x3, 0xf, 0xa, 0xa, 0x8, 0x9, 0xa, 0x6, 0xf, 0x8, 0xf, 0x3, 0x6, 0x6, 0x8,
     0xf, 0x3, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x3, 0xf, 0xf, 0x8}};
// clang-format on

unsigned raster_bptc_subset(unsigned subsets, unsigned partition, unsigned texel)
{
    switch (subsets) {
    case 2: return two_subsets[partition] >> texel & 1;
    case 3: return three_subsets[partition] >> 2 * texel & 3;
    default: return 0;
    }
}

bool raster_bptc_anchor(unsigned subsets, unsigned partition, unsigned texel)
{
    switch (subsets) {
    case 2: return texel == 0 || texel == anchors[0][partition];
    case 3: return texel == 0 || texel == anchors[1][partition] || texel == anchors[2][partition];
    default: return texel == 0;
    }
}

uint32_t raster_block_bits(const uint8_t block[16], unsigned at, unsigned count)
{
    uint64_t low = util_load64(block), high = util_load64(block + 8);
    uint64_t v = at >= 64 ? high >> (at - 64) : low >> at | (at ? high << (64 - at) : 0);

    return (uint32_t)(v & ((UINT64_C(1) << count) - 1));
}

/* ---- eight-bit channels ---- */

static const struct mode {
    uint8_t subsets, partition_bits, rotation_bits, selection_bits, color_bits, alpha_bits;
    uint8_t own, shared; /* a lowest bit of each end, or of each subset's ends */
    uint8_t index_bits, second_bits;
} modes[8] = {{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
              {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
              {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

struct reader {
    const uint8_t *block;
    unsigned at;
};

static uint32_t take(struct reader *r, unsigned count)
{
    r->at += count;
    return count ? raster_block_bits(r->block, r->at - count, count) : 0;
}

/* Ends 2n and 2n + 1 are subset n's. */
static void read_ends(struct reader *r, const struct mode *m, uint32_t end[6][4])
{
    unsigned count = 2u * m->subsets, channels = m->alpha_bits ? 4 : 3;

    for (unsigned c = 0; c < channels; c++)
        for (unsigned n = 0; n < count; n++)
            end[n][c] = take(r, c == 3 ? m->alpha_bits : m->color_bits);
    for (unsigned n = 0; n < count && (m->own || m->shared); n += 1 + m->shared) {
        uint32_t bit = take(r, 1);

        for (unsigned k = n; k <= n + m->shared; k++)
            for (unsigned c = 0; c < channels; c++)
                end[k][c] = end[k][c] << 1 | bit;
    }
    for (unsigned c = 0; c < 4; c++)
        for (unsigned n = 0; n < count; n++) {
            unsigned bits = (c == 3 ? m->alpha_bits : m->color_bits) + m->own + m->shared;
            end[n][c] = c >= channels ? 255 : end[n][c] << (8 - bits) | end[n][c] >> (2 * bits - 8);
        }
}

static void read_indices(struct reader *r, const struct mode *m, unsigned partition, unsigned bits,
                         uint32_t out[16])
{
    for (unsigned n = 0; n < 16; n++)
        out[n] = take(r, bits - (bits && raster_bptc_anchor(m->subsets, partition, n)));
}

static uint32_t blend(uint32_t a, uint32_t b, uint32_t index, unsigned bits)
{
    static const uint8_t weights[3][16] = {{0, 21, 43, 64},
                                           {0, 9, 18, 27, 37, 46, 55, 64},
                                           {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}};
    uint32_t w = weights[bits - 2][index];

    return ((64 - w) * a + w * b + 32) >> 6;
}

void raster_block_bptc(const uint8_t *block, uint32_t out[16])
{
    unsigned number = block[0] ? (unsigned)__builtin_ctz(block[0]) : 8, partition, rotation, selection;
    uint32_t end[6][4], index[2][16];
    struct reader r = {block, number + 1};

    if (number == 8) { /* reserved */
        for (unsigned n = 0; n < 16; n++)
            out[n] = 0;
        return;
    }
    const struct mode *m = &modes[number];
    partition = take(&r, m->partition_bits);
    rotation = take(&r, m->rotation_bits);
    selection = take(&r, m->selection_bits);
    read_ends(&r, m, end);
    read_indices(&r, m, partition, m->index_bits, index[0]);
    read_indices(&r, m, partition, m->second_bits, index[1]);
    for (unsigned n = 0; n < 16; n++) {
        unsigned first = 2 * raster_bptc_subset(m->subsets, partition, n);
        uint32_t v[4], swap;

        for (unsigned c = 0; c < 4; c++) {
            unsigned which = m->second_bits && (c == 3) != selection;

            v[c] = blend(end[first][c], end[first + 1][c], index[which][n],
                         which ? m->second_bits : m->index_bits);
        }
        if (rotation) {
            swap = v[rotation - 1];
            v[rotation - 1] = v[3];
            v[3] = swap;
        }
        out[n] = v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24;
    }
}
