/* AFBC images. */
#include "gpu/mali/afbc.h"

#include <string.h>

#include "util/bits.h"

enum {
#define FIELD(name, low, bits, count) name##_AT = (low), name##_BITS = (bits), name##_COUNT = (count),
#include "gpu/mali/afbc_header.inc"
};
enum { SUBBLOCK = 4, SUBBLOCK_PIXELS = 16, UNCOMPRESSED = 1 /* a size */ };
enum { SLOT_ALIGN = 128, SQUARE_BYTES = MALI_AFBC_SQUARE * MALI_AFBC_SQUARE * MALI_AFBC_HEADER };

/* ---- where things stand ---- */

static uint32_t columns_of(const struct mali_afbc *image)
{
    return util_div_up(image->width, image->block_width);
}

static uint32_t rows_of(const struct mali_afbc *image)
{
    return util_div_up(image->height, image->block_height);
}

bool mali_afbc_set_superblock(struct mali_afbc *image, uint32_t size)
{
    static const struct {
        uint8_t width, height;
    } sides[] = {[MALI_AFBC_SUPERBLOCK_SIZE_16X16] = {16, 16},
                 [MALI_AFBC_SUPERBLOCK_SIZE_32X8] = {32, 8},
                 [MALI_AFBC_SUPERBLOCK_SIZE_64X4] = {64, 4}};
    if (size >= UTIL_ARRAY_SIZE(sides))
        return false;
    image->block_width = sides[size].width;
    image->block_height = sides[size].height;
    return true;
}

uint32_t mali_afbc_slot(const struct mali_afbc *image)
{
    return (uint32_t)util_align((uint64_t)MALI_AFBC_PIXELS * image->bytes, SLOT_ALIGN);
}

uint64_t mali_afbc_header_at(const struct mali_afbc *image, uint32_t x, uint32_t y)
{
    uint32_t place = 0; /* in the square: bits of x and y by turns */
    if (!image->tiled)
        return (uint64_t)y * image->row_bytes + (uint64_t)x * MALI_AFBC_HEADER;
    for (uint32_t bit = 0; 1u << bit < MALI_AFBC_SQUARE; bit++)
        place |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
    return (uint64_t)(y / MALI_AFBC_SQUARE) * image->row_bytes +
           (uint64_t)(x / MALI_AFBC_SQUARE) * SQUARE_BYTES + place * (uint64_t)MALI_AFBC_HEADER;
}

/* Bytes of a row of headers, or of squares. */
static uint64_t tight_row(const struct mali_afbc *image)
{
    return image->tiled ? (uint64_t)util_div_up(columns_of(image), MALI_AFBC_SQUARE) * SQUARE_BYTES
                        : (uint64_t)columns_of(image) * MALI_AFBC_HEADER;
}

uint64_t mali_afbc_header_bytes(const struct mali_afbc *image)
{
    const uint32_t rows = image->tiled ? util_div_up(rows_of(image), MALI_AFBC_SQUARE) : rows_of(image);
    return (uint64_t)(rows - 1) * image->row_bytes + tight_row(image);
}

uint64_t mali_afbc_body_bytes(const struct mali_afbc *image)
{
    return mali_afbc_header_bytes(image) / MALI_AFBC_HEADER * mali_afbc_slot(image);
}

bool mali_afbc_is_sane(const struct mali_afbc *image)
{
    return image->bytes && image->bytes <= 4 && image->row_bytes >= tight_row(image) &&
           image->row_bytes % MALI_AFBC_HEADER == 0 && mali_afbc_body_bytes(image) <= UINT32_MAX;
}

uint32_t mali_afbc_pixel_at(const struct mali_afbc *image, uint32_t x, uint32_t y)
{
    const uint32_t across = image->block_width / SUBBLOCK, sub = y / SUBBLOCK * across + x / SUBBLOCK;
    return (sub * SUBBLOCK_PIXELS + y % SUBBLOCK * SUBBLOCK + x % SUBBLOCK) * image->bytes;
}

bool mali_afbc_has_colors(enum mali_version version, enum raster_format format)
{
    const struct raster_texel *texel = &raster_texels[format];
    bool bytes = texel->coding == RASTER_CODING_PLAIN;
    for (unsigned c = 0; c < 4; c++)
        bytes &= texel->channel[c].bits == 8;
    return version >= MALI_V7 && bytes;
}

uint32_t mali_afbc_mode_bytes(uint32_t mode)
{
    static const uint8_t bytes[] = {
        [MALI_AFBC_COMPRESSION_MODE_R8] = 1,        [MALI_AFBC_COMPRESSION_MODE_R8G8] = 2,
        [MALI_AFBC_COMPRESSION_MODE_R5G6B5] = 2,    [MALI_AFBC_COMPRESSION_MODE_R4G4B4A4] = 2,
        [MALI_AFBC_COMPRESSION_MODE_R5G5B5A1] = 2,  [MALI_AFBC_COMPRESSION_MODE_R8G8B8] = 3,
        [MALI_AFBC_COMPRESSION_MODE_R8G8B8A8] = 4,  [MALI_AFBC_COMPRESSION_MODE_R10G10B10A2] = 4,
        [MALI_AFBC_COMPRESSION_MODE_R11G11B10] = 4, [MALI_AFBC_COMPRESSION_MODE_S8] = 1,
        [MALI_AFBC_COMPRESSION_MODE_X24S8] = 4};
    return mode < UTIL_ARRAY_SIZE(bytes) ? bytes[mode] : 0;
}

/* ---- reading ---- */

static bool unknown(uint64_t address, const char *unit, const char *what, struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, unit, address, "AFBC: %s",
                         what);
}

/* A header's words. */
enum { WORDS = MALI_AFBC_HEADER / sizeof(uint32_t) };

static uint32_t size_of_subblock(const uint32_t header[WORDS], uint32_t n)
{
    return gpu_record_bits(header, SIZE_AT + n * SIZE_BITS, SIZE_BITS);
}

static bool is_uncompressed(const uint32_t header[WORDS])
{
    bool all = true;
    for (uint32_t n = 0; n < SIZE_COUNT; n++)
        all &= size_of_subblock(header, n) == UNCOMPRESSED;
    return all;
}

bool mali_afbc_superblock(const struct gpu_space *space, const struct mali_afbc *image, uint32_t x,
                          uint32_t y, const char *unit, uint8_t *out, uint64_t *end, struct mali_stop *stop)
{
    const uint64_t at = image->header + mali_afbc_header_at(image, x, y);
    const uint32_t size = MALI_AFBC_PIXELS * image->bytes;
    static const uint32_t zeros[WORDS];
    uint32_t header[WORDS];
    const uint8_t *from = mali_at(space, at, sizeof header, GPU_RIGHT_READ, unit, "AFBC header", stop);
    if (!from)
        return false;
    memcpy(header, from, sizeof header);
    *end = UTIL_MAX(*end, at - image->header + sizeof header);
    if (!memcmp(header, zeros, sizeof header)) {
        memset(out, 0, size);
        return true;
    }
    if (image->has_colors && !size_of_subblock(header, 0)) {
        const uint32_t color = gpu_record_bits(header, COLOR_AT, COLOR_BITS);
        for (uint32_t n = 0; n < MALI_AFBC_PIXELS; n++)
            memcpy(out + n * sizeof color, &color, sizeof color);
        return true;
    }
    if (!is_uncompressed(header))
        return unknown(at, unit, "no open document has how superblocks are compressed", stop);
    const uint32_t body = gpu_record_bits(header, BODY_AT, BODY_BITS);
    from = mali_at(space, image->header + body, size, GPU_RIGHT_READ, unit, "AFBC body", stop);
    if (from)
        memcpy(out, from, size);
    *end = UTIL_MAX(*end, (uint64_t)body + size);
    return from;
}

bool mali_afbc_read(const struct gpu_space *space, const struct mali_afbc *image, const char *unit,
                    uint8_t *out, uint32_t stride, uint64_t *end, struct mali_stop *stop)
{
    *end = 0;
    uint8_t block[MALI_AFBC_PIXELS * 4];
    for (uint32_t y = 0; y < image->height; y += image->block_height)
        for (uint32_t x = 0; x < image->width; x += image->block_width) {
            if (!mali_afbc_superblock(space, image, x / image->block_width, y / image->block_height, unit,
                                      block, end, stop))
                return false;
            const uint32_t columns = UTIL_MIN(image->block_width, image->width - x),
                           rows = UTIL_MIN(image->block_height, image->height - y);
            for (uint32_t n = 0; n < columns * rows; n++)
                memcpy(out + (uint64_t)(y + n / columns) * stride +
                           (uint64_t)(x + n % columns) * image->bytes,
                       block + mali_afbc_pixel_at(image, n % columns, n / columns), image->bytes);
        }
    return true;
}

/* ---- writing ---- */

static uint64_t body_at(const struct mali_afbc *image, uint32_t x, uint32_t y)
{
    return mali_afbc_header_at(image, x, y) / MALI_AFBC_HEADER * mali_afbc_slot(image);
}

/* That of a superblock which is not compressed and stands in its place. */
static void make_header(const struct mali_afbc *image, uint32_t x, uint32_t y, uint32_t out[WORDS])
{
    memset(out, 0, MALI_AFBC_HEADER);
    out[BODY_AT / 32] = (uint32_t)(image->body - image->header + body_at(image, x, y));
    for (uint32_t n = 0; n < SIZE_COUNT; n++) {
        const uint32_t at = SIZE_AT + n * SIZE_BITS;
        out[at / 32] |= (uint32_t)UNCOMPRESSED << at % 32;
    }
}

void mali_afbc_open(const struct gpu_space *space, const struct mali_afbc_target *t, uint32_t x, uint32_t y)
{
    const struct mali_afbc *image = &t->image;
    uint8_t *header = t->headers + mali_afbc_header_at(image, x, y);
    uint8_t block[MALI_AFBC_PIXELS * 4] = {0};
    struct mali_stop stop = {0};
    uint32_t own[WORDS];
    uint64_t end = 0;
    make_header(image, x, y, own);
    if (!memcmp(header, own, sizeof own))
        return;
    mali_afbc_superblock(space, image, x, y, "AFBC image", block, &end, &stop);
    memcpy(t->bodies + body_at(image, x, y), block, (size_t)MALI_AFBC_PIXELS * image->bytes);
    memcpy(header, own, sizeof own);
}

uint8_t *mali_afbc_pixel(const struct mali_afbc_target *t, uint32_t x, uint32_t y)
{
    const struct mali_afbc *image = &t->image;
    return t->bodies + body_at(image, x / image->block_width, y / image->block_height) +
           mali_afbc_pixel_at(image, x % image->block_width, y % image->block_height);
}
