/* A frame mark. Layouts and formats have numbers of the file's own, in one table read both ways: an
 * enumeration that grows or is put in another order changes no file. */
#include "gpu/capture_format.h"

#include <string.h>

#include "util/bits.h"

#define UNKNOWN UINT32_MAX
#define WORDS   6u /* behind the address */

/* ROW(number in the file, what it is). A number stays what it is for ever. */
// clang-format off
#define LAYOUTS(ROW)                    \
    ROW(0, RASTER_LINEAR)               \
    ROW(1, RASTER_VC4_T)                \
    ROW(2, RASTER_VC4_LT)               \
    ROW(4, RASTER_UTGARD_TILED)

#define FORMATS(ROW)                    \
    ROW(0, RASTER_SURFACE_RGBA8888)     \
    ROW(1, RASTER_SURFACE_BGR565)       \
    ROW(2, RASTER_SURFACE_BGR565_DITHER)\
    ROW(3, RASTER_SURFACE_ZS)           \
    ROW(4, RASTER_SURFACE_RGBA16F)      \
    ROW(5, RASTER_SURFACE_A8)
// clang-format on

/* Of a switch over an enumeration the compiler misses what has no row, and of either what has two. */
#define TO_FILE(number, is)                                                                                  \
    case is: return number;
#define FROM_FILE(number, is)                                                                                \
    case number: return is;

static uint32_t layout_to_file(enum raster_layout layout)
{
    switch (layout) {
        LAYOUTS(TO_FILE)
    case RASTER_LAYOUT_COUNT: break;
    }
    return UNKNOWN;
}

static uint32_t layout_from_file(uint32_t number)
{
    switch (number) {
        LAYOUTS(FROM_FILE)
    default: return UNKNOWN;
    }
}

static uint32_t format_to_file(enum raster_surface_format format)
{
    switch (format) {
        FORMATS(TO_FILE)
    }
    return UNKNOWN;
}

static uint32_t format_from_file(uint32_t number)
{
    switch (number) {
        FORMATS(FROM_FILE)
    default: return UNKNOWN;
    }
}

/* Addresses of version 1 have 32 bits. */
static uint32_t address_bytes(uint32_t version)
{
    return version == 1 ? 4 : 8;
}

uint32_t capture_frame_bytes(uint32_t version)
{
    return address_bytes(version) + WORDS * 4;
}

bool capture_frame_put(const struct capture_frame *frame, uint8_t to[CAPTURE_FRAME_BYTES])
{
    uint32_t rgba = frame->format & CAPTURE_FRAME_RGBA;
    uint32_t layout = layout_to_file((enum raster_layout)frame->layout);
    uint32_t format = format_to_file((enum raster_surface_format)(frame->format & ~CAPTURE_FRAME_RGBA));
    const uint32_t word[WORDS] = {frame->width,  frame->height, layout,
                                  format | rgba, frame->stride, frame->presented};

    util_store64(to, frame->address);
    memcpy(to + 8, word, sizeof word);
    return layout != UNKNOWN && format != UNKNOWN;
}

void capture_frame_get(const uint8_t *from, uint32_t version, struct capture_frame *out)
{
    uint32_t word[WORDS];

    memcpy(word, from + address_bytes(version), sizeof word);
    *out = (struct capture_frame){.address = version == 1 ? util_load32(from) : util_load64(from),
                                  .width = word[0],
                                  .height = word[1],
                                  .layout = layout_from_file(word[2]),
                                  .format = format_from_file(word[3] & ~CAPTURE_FRAME_RGBA) |
                                            (word[3] & CAPTURE_FRAME_RGBA),
                                  .stride = word[4],
                                  .presented = word[5]};
}
