/* BPTC blocks of halves (Khronos Data Format Specification, "BPTC Compressed Texture Image Formats"). */
#include "raster/texture/block.h"
#include "util/bits.h"

// clang-format off
/* Modes: their number, whether ends are differences from the first, subsets, bits of the first end and of the others, and
 * what stands in the block from behind the mode on: a channel, one of four ends (w x y z), its bits from the last to the
 * first; of 10:11 the first is the last. Other numbers are reserved. */
static const struct mode {
    uint8_t number;
    bool transformed;
    uint8_t subsets, bits, delta[3];
    const char *fields;
} modes[] = {
    {0, true, 2, 10, {5, 5, 5},
     "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {1, true, 2, 7, {6, 6, 6},
     "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0"},
    {2, true, 2, 11, {5, 4, 4},
     "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {3, false, 1, 10, {10, 10, 10},
     "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0"},
    {6, true, 2, 11, {4, 5, 4},
     "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3"},
    {7, true, 1, 11, {9, 9, 9},
     "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10"},
    {10, true, 2, 11, {4, 4, 5},
     "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3"},
    {11, true, 1, 12, {8, 8, 8},
     "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11"},
    {14, true, 2, 9, {5, 5, 5},
     "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {15, true, 1, 16, {4, 4, 4},
     "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15"},
    {18, true, 2, 8, {6, 5, 5},
     "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0"},
    {22, true, 2, 8, {5, 6, 5},
     "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {26, true, 2, 8, {5, 5, 6},
     "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {30, false, 2, 6, {6, 6, 6},
     "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0"},
};
// clang-format on

static const struct mode *find_mode(const uint8_t *block)
{
    unsigned number = block[0] & 2 ? block[0] & 31 : block[0] & 3;

    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(modes); n++)
        if (modes[n].number == number)
            return &modes[n];
    return NULL;
}

static unsigned digits(const char **text)
{
    unsigned n = 0;

    for (; **text >= '0' && **text <= '9'; ++*text)
        n = 10 * n + (unsigned)(**text - '0');
    return n;
}

/* Reads the ends; returns where their bits end. */
static unsigned read_ends(const uint8_t *block, const struct mode *m, int32_t end[4][3])
{
    unsigned at = m->number < 2 ? 2 : 5;

    for (const char *text = m->fields; *text; text += *text == ' ') {
        unsigned c = *text == 'r' ? 0 : *text == 'g' ? 1 : 2, n = (unsigned)(text[1] - 'w'), from, to;

        text += 2;
        from = to = digits(&text); /* the last bit, and the first */
        if (*text == ':') {
            text++;
            to = digits(&text);
        }
        for (unsigned k = 0, count = (from > to ? from - to : to - from) + 1; k < count; k++)
            end[n][c] |= (int32_t)(raster_block_bits(block, at++, 1) << (from >= to ? to + k : to - k));
    }
    return at;
}

/* Ends as numbers of the format's width. */
static void complete_ends(const struct mode *m, bool is_signed, int32_t end[4][3])
{
    uint32_t mask = (1u << m->bits) - 1;

    for (unsigned c = 0; c < 3; c++)
        for (unsigned n = 0; n < 2u * m->subsets; n++) {
            uint32_t v = (uint32_t)end[n][c];

            if (n && m->transformed)
                v = ((uint32_t)end[0][c] + (uint32_t)util_sext(v, m->delta[c])) & mask;
            end[n][c] = is_signed ? util_sext(v, m->bits) : (int32_t)v;
        }
}

/* To 16 bits of which the ends of the range are the range's. */
static int32_t unquantized(int32_t v, unsigned bits, bool is_signed)
{
    int32_t size = v < 0 ? -v : v;

    if (!is_signed)
        return bits >= 15 || !v ? v : v == (1 << bits) - 1 ? 0xffff : ((v << 16) + 0x8000) >> bits;
    if (bits >= 16)
        return v;
    if (size)
        size = size >= (1 << (bits - 1)) - 1 ? 0x7fff : ((size << 15) + 0x4000) >> (bits - 1);
    return v < 0 ? -size : size;
}

static uint16_t half(int32_t v, bool is_signed)
{
    if (!is_signed)
        return (uint16_t)(v * 31 >> 6);
    return (uint16_t)(v < 0 ? (-v * 31 >> 5) | 0x8000 : v * 31 >> 5);
}

void raster_block_bptc_float(const uint8_t *block, bool is_signed, uint16_t out[64])
{
    static const uint8_t weights[2][16] = {{0, 9, 18, 27, 37, 46, 55, 64},
                                           {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}};
    const struct mode *m = find_mode(block);
    int32_t end[4][3] = {{0}};
    unsigned at, partition = 0, bits;

    for (unsigned n = 0; n < 64; n++)
        out[n] = n % 4 == 3 ? 0x3c00 : 0;
    if (!m)
        return;
    at = read_ends(block, m, end);
    bits = m->subsets == 2 ? 3 : 4;
    if (m->subsets == 2) {
        partition = raster_block_bits(block, at, 5);
        at += 5;
    }
    complete_ends(m, is_signed, end);
    for (unsigned n = 0; n < 16; n++) {
        unsigned count = bits - raster_bptc_anchor(m->subsets, partition, n);
        int32_t w = weights[bits - 3][raster_block_bits(block, at, count)];
        unsigned first = 2 * raster_bptc_subset(m->subsets, partition, n);

        at += count;
        for (unsigned c = 0; c < 3; c++) {
            int32_t a = unquantized(end[first][c], m->bits, is_signed);
            int32_t b = unquantized(end[first + 1][c], m->bits, is_signed);

            out[4 * n + c] = half(((64 - w) * a + w * b + 32) >> 6, is_signed);
        }
    }
}
