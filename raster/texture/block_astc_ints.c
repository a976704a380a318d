#include "raster/texture/block_astc_ints.h"

#include "raster/texture/block.h"
#include "util/bits.h"

const struct raster_astc_range raster_astc_ranges[RASTER_ASTC_RANGES] = {
    {2, 0, 0, 1},   {3, 1, 0, 0},   {4, 0, 0, 2},  {5, 0, 1, 0},  {6, 1, 0, 1},  {8, 0, 0, 3},
    {10, 0, 1, 1},  {12, 1, 0, 2},  {16, 0, 0, 4}, {20, 0, 1, 2}, {24, 1, 0, 3}, {32, 0, 0, 5},
    {40, 0, 1, 3},  {48, 1, 0, 4},  {64, 0, 0, 6}, {80, 0, 1, 4}, {96, 1, 0, 5}, {128, 0, 0, 7},
    {160, 0, 1, 5}, {192, 1, 0, 6}, {256, 0, 0, 8}};

unsigned raster_astc_length(const struct raster_astc_range *range, unsigned count)
{
    unsigned length = range->bits * count;

    if (range->trits)
        length += (8 * count + 4) / 5;
    if (range->quints)
        length += (7 * count + 2) / 3;
    return length;
}

static uint32_t bit(uint32_t v, unsigned n)
{
    return v >> n & 1;
}

/* Eight bits are five trits. */
static void five_trits(uint32_t t, uint32_t out[5])
{
    uint32_t c = t & 31;

    if ((t >> 2 & 7) == 7) {
        c = (t >> 5 & 7) << 2 | (t & 3);
        out[4] = out[3] = 2;
    } else if ((t >> 5 & 3) == 3) {
        out[4] = 2;
        out[3] = bit(t, 7);
    } else {
        out[4] = bit(t, 7);
        out[3] = t >> 5 & 3;
    }
    if ((c & 3) == 3) {
        out[2] = 2;
        out[1] = bit(c, 4);
        out[0] = bit(c, 3) << 1 | (bit(c, 2) & ~bit(c, 3));
    } else if ((c >> 2 & 3) == 3) {
        out[2] = out[1] = 2;
        out[0] = c & 3;
    } else {
        out[2] = bit(c, 4);
        out[1] = c >> 2 & 3;
        out[0] = bit(c, 1) << 1 | (bit(c, 0) & ~bit(c, 1));
    }
}

/* Seven bits are three quints. */
static void three_quints(uint32_t q, uint32_t out[3])
{
    uint32_t c = q & 31;

    if ((q >> 1 & 3) == 3 && !(q >> 5 & 3)) {
        out[2] = bit(q, 0) << 2 | (bit(q, 4) & ~bit(q, 0)) << 1 | (bit(q, 3) & ~bit(q, 0));
        out[1] = out[0] = 4;
        return;
    }
    if ((q >> 1 & 3) == 3) {
        out[2] = 4;
        c = (q >> 3 & 3) << 3 | (~(q >> 5) & 3) << 1 | bit(q, 0);
    } else {
        out[2] = q >> 5 & 3;
    }
    if ((c & 7) == 5) {
        out[1] = 4;
        out[0] = c >> 3 & 3;
    } else {
        out[1] = c >> 3 & 3;
        out[0] = c & 7;
    }
}

void raster_astc_read(const struct raster_astc_range *range, unsigned count, const uint8_t block[16],
                      unsigned at, uint8_t *out)
{
    static const uint8_t trit_bits[5] = {2, 2, 1, 2, 1}, quint_bits[3] = {3, 2, 2};
    const uint8_t *shared = range->trits ? trit_bits : quint_bits;
    unsigned group = range->trits ? 5 : range->quints ? 3 : 1;
    unsigned end = at + raster_astc_length(range, count); /* what the last group lacks is zeros */

    for (unsigned first = 0; first < count; first += group) {
        uint32_t low[5], high[5] = {0}, packed = 0;

        for (unsigned n = 0, place = 0; n < group; n++) {
            unsigned extra = group > 1 ? shared[n] : 0, total = range->bits + extra;
            unsigned there = at >= end ? 0 : UTIL_MIN(total, end - at);
            uint32_t v = there ? raster_block_bits(block, at, there) : 0;

            low[n] = v & ((1u << range->bits) - 1);
            packed |= v >> range->bits << place;
            place += extra;
            at += total;
        }
        if (range->trits)
            five_trits(packed, high);
        else if (range->quints)
            three_quints(packed, high);
        for (unsigned n = 0; n < group && first + n < count; n++)
            out[first + n] = (uint8_t)(high[n] << range->bits | low[n]);
    }
}

/* ---- numbers to colours and weights ---- */

/* Bits again and again until `width` are filled. */
static uint32_t repeated(uint32_t v, unsigned bits, unsigned width)
{
    uint32_t out = 0;

    for (int at = (int)width - (int)bits; at > -(int)bits; at -= (int)bits)
        out |= at < 0 ? v >> -at : v << at;
    return out;
}

/* `bits` copies: bit n of v at each place where `place` has n, from the highest of nine or seven; 0: none. */
static uint32_t scattered(uint32_t v, const char *places)
{
    uint32_t out = 0;

    for (; *places; places++)
        out = out << 1 | (*places == '0' ? 0 : bit(v, (unsigned)(*places - 'a')));
    return out;
}

uint32_t raster_astc_color(const struct raster_astc_range *range, uint32_t v)
{
    static const struct {
        uint8_t factor;
        char places[10];
    } trits[7] = {{0},
                  {204, "000000000"},
                  {93, "b000b0bb0"},
                  {44, "cb000cbcb"},
                  {22, "dcb000dcb"},
                  {11, "edcb000ed"},
                  {5, "fedcb000f"}},
      quints[6] = {
          {0}, {113, "000000000"}, {54, "b0000bb00"}, {26, "cb0000cbc"}, {13, "dcb0000dc"}, {6, "edcb0000e"}};
    uint32_t low = v & ((1u << range->bits) - 1), d = v >> range->bits, t;

    if (!range->trits && !range->quints)
        return repeated(v, range->bits, 8);
    t = d * (range->trits ? trits : quints)[range->bits].factor +
        scattered(low, range->trits ? trits[range->bits].places : quints[range->bits].places);
    t ^= low & 1 ? 0x1ff : 0;
    return (low & 1 ? 0x80 : 0) | t >> 2;
}

uint32_t raster_astc_weight(const struct raster_astc_range *range, uint32_t v)
{
    static const uint8_t three[3] = {0, 32, 63}, five[5] = {0, 16, 32, 47, 63};
    static const struct {
        uint8_t factor;
        char places[8];
    } trits[4] = {{0}, {50, "0000000"}, {23, "b000b0b"}, {11, "cb000cb"}},
      quints[3] = {{0}, {28, "0000000"}, {13, "b0000b0"}};
    uint32_t low = v & ((1u << range->bits) - 1), d = v >> range->bits, t;

    if (!range->trits && !range->quints) {
        t = repeated(v, range->bits, 6);
    } else if (!range->bits) {
        t = range->trits ? three[d] : five[d];
    } else {
        t = d * (range->trits ? trits[range->bits].factor : quints[range->bits].factor) +
            scattered(low, range->trits ? trits[range->bits].places : quints[range->bits].places);
        t ^= low & 1 ? 0x7f : 0;
        t = (low & 1 ? 0x20 : 0) | t >> 2;
    }
    return t > 32 ? t + 1 : t;
}
