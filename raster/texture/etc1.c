/* ETC1 blocks (Khronos OES_compressed_ETC1_RGB8_texture). */
#include "raster/texture/block.h"
#include "raster/texture/texture_internal.h"

static uint32_t big_endian(const uint8_t *p)
{
    return __builtin_bswap32(util_load32(p));
}

/* Base colour of sub-block `sub` for the channel whose 8 bits start at `lo` in the high word. */
static int base_color(uint32_t hi, unsigned lo, unsigned sub)
{
    if (!(hi & 2)) /* individual: four bits each */
        return (int)util_bits(hi, sub ? lo : lo + 4, 4) * 17;
    uint32_t c = (uint32_t)util_bits(hi, lo + 3, 5);
    if (sub)
        c = (c + (uint32_t)util_sext((uint32_t)util_bits(hi, lo, 3), 3)) & 31;
    return (int)(c << 3 | c >> 2);
}

int raster_etc1_modifier(unsigned table, unsigned index)
{
    static const uint8_t small[8] = {2, 5, 9, 13, 18, 24, 33, 47};
    static const uint8_t large[8] = {8, 17, 29, 42, 60, 80, 106, 183};
    const int size = index & 1 ? large[table] : small[table];
    return index & 2 ? -size : size;
}

uint32_t raster_etc1_pixel(const uint8_t block[8], unsigned dx, unsigned dy)
{
    uint32_t hi = big_endian(block), lo = big_endian(block + 4);
    unsigned sub = hi & 1 ? dy >> 1 : dx >> 1;
    unsigned table = (unsigned)util_bits(hi, sub ? 2 : 5, 3), bit = dx * 4 + dy;
    const int modifier = raster_etc1_modifier(table, (lo >> (16 + bit) & 1) << 1 | (lo >> bit & 1));
    uint32_t color = 0;

    for (unsigned channel = 0; channel < 3; channel++) {
        int c = base_color(hi, 24 - 8 * channel, sub) + modifier;
        color |= (uint32_t)(c < 0 ? 0 : c > 255 ? 255 : c) << 8 * channel;
    }
    return color;
}
