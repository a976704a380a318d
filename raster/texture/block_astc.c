/* ASTC blocks of two dimensions, low dynamic range (Khronos Data Format Specification, "ASTC Compressed Texture Image
 * Formats"). Blocks that it calls errors are opaque magenta, and so are parts whose ends are of high dynamic range. */
#include "raster/texture/block.h"
#include "raster/texture/block_astc_ints.h"
#include "util/bits.h"

#define VOID_EXTENT 0x1fcu
#define MOST_COLORS 18u /* numbers of all ends */

struct block {
    const uint8_t *bits;
    const struct raster_texel *texel;
    bool srgb, dual; /* dual: one channel has weights of its own */
    unsigned grid_width, grid_height;
    const struct raster_astc_range *weights;
    unsigned weight_bits;
    unsigned parts, partition, own_channel;
    unsigned mode[4];             /* how the ends of each part are told */
    unsigned color_at, color_end; /* their bits */
    uint32_t end[4][2][4];
    uint32_t weight[2][RASTER_BLOCK_TEXELS]; /* of texels */
};

static uint32_t get(const struct block *b, unsigned at, unsigned count)
{
    return raster_block_bits(b->bits, at, count);
}

/* ---- what a block says of itself ---- */

/* The weights' grid, and which of 2 to 7 (or of another six) their range is. False: reserved. */
static bool read_grid(struct block *b, unsigned *range, bool *high)
{
    unsigned a = get(b, 5, 2), c = get(b, 7, 2), w, h;

    *high = get(b, 9, 1);
    b->dual = get(b, 10, 1);
    if (get(b, 0, 2)) {
        *range = get(b, 0, 2) << 1 | get(b, 4, 1);
        switch (get(b, 2, 2)) {
        case 0: w = c + 4, h = a + 2; break;
        case 1: w = c + 8, h = a + 2; break;
        case 2: w = a + 2, h = c + 8; break;
        default:
            w = c & 2 ? (c & 1) + 2 : a + 2;
            h = c & 2 ? a + 2 : (c & 1) + 6;
            break;
        }
    } else {
        *range = get(b, 2, 2) << 1 | get(b, 4, 1);
        switch (c) {
        case 0: w = 12, h = a + 2; break;
        case 1: w = a + 2, h = 12; break;
        case 2:
            w = a + 6, h = get(b, 9, 2) + 6;
            *high = b->dual = false;
            break;
        default:
            w = a ? 10 : 6, h = a ? 6 : 10;
            if (a > 1)
                return false;
            break;
        }
    }
    b->grid_width = w;
    b->grid_height = h;
    return *range >= 2;
}

static bool read_weight_mode(struct block *b)
{
    static const uint8_t ranges[2][6] = {{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}};
    unsigned range, count;
    bool high;

    if (!read_grid(b, &range, &high))
        return false;
    b->weights = &raster_astc_ranges[ranges[high][range - 2]];
    count = b->grid_width * b->grid_height * (1u + b->dual);
    b->weight_bits = raster_astc_length(b->weights, count);
    return count <= 64 && b->weight_bits >= 24 && b->weight_bits <= 96 && b->grid_width <= b->texel->width &&
           b->grid_height <= b->texel->height;
}

/* How each part's ends are told, and where their bits are. */
static bool read_color_mode(struct block *b)
{
    unsigned below = 128 - b->weight_bits, base, extra = 0;

    b->parts = get(b, 11, 2) + 1;
    if (b->dual && b->parts == 4)
        return false;
    if (b->parts == 1) {
        b->mode[0] = get(b, 13, 4);
        b->color_at = 17;
    } else {
        b->partition = get(b, 13, 10);
        b->color_at = 29;
        base = get(b, 23, 2);
        if (base) { /* a class of two for all, then a bit and two bits of each */
            unsigned count = 3 * b->parts;
            uint32_t v = get(b, 25, 4);

            extra = count - 4;
            below -= extra;
            v |= get(b, below, extra) << 4;
            for (unsigned n = 0; n < b->parts; n++)
                b->mode[n] = (base - 1 + (v >> n & 1)) << 2 | (v >> (b->parts + 2 * n) & 3);
        } else {
            for (unsigned n = 0; n < b->parts; n++)
                b->mode[n] = get(b, 25, 4);
        }
    }
    if (b->dual) {
        below -= 2;
        b->own_channel = get(b, below, 2);
    }
    b->color_end = below;
    return b->color_end >= b->color_at;
}

/* ---- ends ---- */

static uint32_t limited(int v)
{
    return v < 0 ? 0 : v > 255 ? 255 : (uint32_t)v;
}

static void set(uint32_t out[4], int r, int g, int b, int a)
{
    out[0] = limited(r);
    out[1] = limited(g);
    out[2] = limited(b);
    out[3] = limited(a);
}

static void set_contracted(uint32_t out[4], int r, int g, int b, int a)
{
    set(out, (r + b) >> 1, (g + b) >> 1, b, a);
}

/* A base and an offset of six bits, whose highest bit is the base's. */
static void transfer(int *offset, int *base)
{
    *base = *base >> 1 | (*offset & 0x80);
    *offset = util_sext((uint32_t)*offset >> 1 & 0x3f, 6);
}

/* Two colours, in their order or, when the second is the darker one, the other way round and contracted to blue. */
static void ends_direct(const int *v, int alpha, int alpha1, uint32_t end[2][4])
{
    if (v[1] + v[3] + v[5] >= v[0] + v[2] + v[4]) {
        set(end[0], v[0], v[2], v[4], alpha);
        set(end[1], v[1], v[3], v[5], alpha1);
    } else {
        set_contracted(end[0], v[1], v[3], v[5], alpha1);
        set_contracted(end[1], v[0], v[2], v[4], alpha);
    }
}

static void ends_offset(int *v, unsigned count, uint32_t end[2][4])
{
    int alpha = 255, alpha1 = 255;

    for (unsigned n = 0; n < count; n += 2)
        transfer(&v[n + 1], &v[n]);
    if (count == 8) {
        alpha = v[6];
        alpha1 = v[6] + v[7];
    }
    if (v[1] + v[3] + v[5] >= 0) {
        set(end[0], v[0], v[2], v[4], alpha);
        set(end[1], v[0] + v[1], v[2] + v[3], v[4] + v[5], alpha1);
    } else {
        set_contracted(end[0], v[0] + v[1], v[2] + v[3], v[4] + v[5], alpha1);
        set_contracted(end[1], v[0], v[2], v[4], alpha);
    }
}

static void ends_scaled(const int *v, int alpha, int alpha1, uint32_t end[2][4])
{
    set(end[0], v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, alpha);
    set(end[1], v[0], v[1], v[2], alpha1);
}

static void make_ends(unsigned mode, int *v, uint32_t end[2][4])
{
    int top;

    switch (mode) {
    case 0:
        set(end[0], v[0], v[0], v[0], 255);
        set(end[1], v[1], v[1], v[1], 255);
        break;
    case 1:
        v[0] = v[0] >> 2 | (v[1] & 0xc0);
        top = v[0] + (v[1] & 0x3f);
        set(end[0], v[0], v[0], v[0], 255);
        set(end[1], top, top, top, 255);
        break;
    case 4:
        set(end[0], v[0], v[0], v[0], v[2]);
        set(end[1], v[1], v[1], v[1], v[3]);
        break;
    case 5:
        transfer(&v[1], &v[0]);
        transfer(&v[3], &v[2]);
        top = v[0] + v[1];
        set(end[0], v[0], v[0], v[0], v[2]);
        set(end[1], top, top, top, v[2] + v[3]);
        break;
    case 6: ends_scaled(v, 255, 255, end); break;
    case 8: ends_direct(v, 255, 255, end); break;
    case 9: ends_offset(v, 6, end); break;
    case 10: ends_scaled(v, v[4], v[5], end); break;
    case 12: ends_direct(v, v[6], v[7], end); break;
    case 13: ends_offset(v, 8, end); break;
    default: /* of high dynamic range */
        set(end[0], 255, 0, 255, 255);
        set(end[1], 255, 0, 255, 255);
        break;
    }
}

/* Their numbers have as many levels as fit, six at least. */
static bool read_ends(struct block *b)
{
    unsigned count = 0, room = b->color_end - b->color_at, range = RASTER_ASTC_RANGES - 1;
    uint8_t number[MOST_COLORS];
    int v[8];

    for (unsigned n = 0; n < b->parts; n++)
        count += 2 * (b->mode[n] / 4 + 1);
    if (count > MOST_COLORS)
        return false;
    while (raster_astc_length(&raster_astc_ranges[range], count) > room)
        if (raster_astc_ranges[range--].levels <= 6)
            return false;
    raster_astc_read(&raster_astc_ranges[range], count, b->bits, b->color_at, number);
    for (unsigned n = 0, at = 0; n < b->parts; n++) {
        for (unsigned k = 0, own = 2 * (b->mode[n] / 4 + 1); k < own; k++)
            v[k] = (int)raster_astc_color(&raster_astc_ranges[range], number[at++]);
        make_ends(b->mode[n], v, b->end[n]);
    }
    return true;
}

/* ---- weights ---- */

/* They stand from the last bit to the first. */
static void read_weights(struct block *b)
{
    unsigned planes = 1u + b->dual, count = b->grid_width * b->grid_height;
    unsigned bw = b->texel->width, bh = b->texel->height;
    uint32_t grid[2][64 + 16] = {{0}};
    uint8_t turned[16], number[64];

    for (unsigned n = 0; n < 16; n++) {
        uint32_t v = b->bits[15 - n];

        v = (v & 0x55) << 1 | (v >> 1 & 0x55);
        v = (v & 0x33) << 2 | (v >> 2 & 0x33);
        turned[n] = (uint8_t)(v << 4 | v >> 4);
    }
    raster_astc_read(b->weights, count * planes, turned, 0, number);
    for (unsigned n = 0; n < count * planes; n++)
        grid[n % planes][n / planes] = raster_astc_weight(b->weights, number[n]);
    for (unsigned n = 0; n < bw * bh; n++) {
        unsigned x = n % bw * ((1024 + bw / 2) / (bw - 1)), y = n / bw * ((1024 + bh / 2) / (bh - 1));
        unsigned gx = (x * (b->grid_width - 1) + 32) >> 6, gy = (y * (b->grid_height - 1) + 32) >> 6;
        unsigned fx = gx & 15, fy = gy & 15, both = (fx * fy + 8) >> 4;
        unsigned at = (gx >> 4) + (gy >> 4) * b->grid_width;

        for (unsigned plane = 0; plane < planes; plane++) {
            const uint32_t *g = grid[plane] + at;

            b->weight[plane][n] = (g[0] * (16 - fx - fy + both) + g[1] * (fx - both) +
                                   g[b->grid_width] * (fy - both) + g[b->grid_width + 1] * both + 8) >>
                                  4;
        }
    }
}

/* ---- parts ---- */

static uint32_t hashed(uint32_t v)
{
    v ^= v >> 15;
    v -= v << 17;
    v += v << 7;
    v += v << 4;
    v ^= v >> 5;
    v += v << 16;
    v ^= v >> 7;
    v ^= v >> 3;
    v ^= v << 6;
    v ^= v >> 17;
    return v;
}

/* The specification's select_partition for z = 0. */
static unsigned part_of(const struct block *b, unsigned x, unsigned y)
{
    uint32_t seed = b->partition + (b->parts - 1) * 1024, random = hashed(seed), by[8], sum[4];
    unsigned first = seed & 2 ? 4 : 5, second = b->parts == 3 ? 6 : 5, best = 0;

    if (b->parts == 1)
        return 0;
    if (b->texel->width * b->texel->height < 31) {
        x *= 2;
        y *= 2;
    }
    for (unsigned n = 0; n < 8; n++) {
        uint32_t four = random >> 4 * n & 15;
        by[n] = four * four >> ((n & 1) == !(seed & 1) ? first : second);
    }
    for (unsigned n = 0; n < 4; n++)
        sum[n] = n < b->parts ? (by[2 * n] * x + by[2 * n + 1] * y + (random >> (14 - 4 * n))) & 63 : 0;
    for (unsigned n = 1; n < 4; n++)
        best = sum[n] > sum[best] ? n : best;
    return best;
}

/* ---- texels ---- */

static void fill(uint16_t *out, unsigned count, const uint16_t color[4])
{
    for (unsigned n = 0; n < 4 * count; n++)
        out[n] = color[n % 4];
}

/* One colour for all, and where in the image it holds: that is not needed, but may not be empty. False: an error. */
static bool void_extent(const struct block *b, uint16_t *out)
{
    uint16_t color[4];
    unsigned at[4];
    bool everywhere = true;

    for (unsigned n = 0; n < 4; n++) {
        at[n] = get(b, 12 + 13 * n, 13);
        everywhere &= at[n] == 0x1fff;
        color[n] = (uint16_t)get(b, 64 + 16 * n, 16);
    }
    if (get(b, 9, 1) || get(b, 10, 2) != 3 || (!everywhere && (at[0] >= at[1] || at[2] >= at[3])))
        return false;
    fill(out, b->texel->width * b->texel->height, color);
    return true;
}

static void blend(const struct block *b, uint16_t *out)
{
    for (unsigned n = 0; n < (unsigned)b->texel->width * b->texel->height; n++) {
        unsigned part = part_of(b, n % b->texel->width, n / b->texel->width);

        for (unsigned c = 0; c < 4; c++) {
            uint32_t low = b->end[part][0][c], high = b->end[part][1][c];
            uint32_t w = b->weight[b->dual && c == b->own_channel][n];

            low = low << 8 | (b->srgb ? 0x80 : low);
            high = high << 8 | (b->srgb ? 0x80 : high);
            out[4 * n + c] = (uint16_t)((low * (64 - w) + high * w + 32) >> 6);
        }
    }
}

void raster_block_astc(const struct raster_texel *texel, bool srgb, const uint8_t *block,
                       uint16_t out[4 * RASTER_BLOCK_TEXELS])
{
    static const uint16_t magenta[4] = {0xffff, 0, 0xffff, 0xffff};
    struct block b = {.bits = block, .texel = texel, .srgb = srgb};
    bool good;

    if (get(&b, 0, 9) == VOID_EXTENT) {
        good = void_extent(&b, out);
    } else {
        good = read_weight_mode(&b) && read_color_mode(&b) && read_ends(&b);
        if (good) {
            read_weights(&b);
            blend(&b, out);
        }
    }
    if (!good)
        fill(out, texel->width * texel->height, magenta);
}
