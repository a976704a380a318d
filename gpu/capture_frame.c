/* A frame mark's words. Layouts and formats have numbers of the file's own, in one table read both ways: an
 * enumeration that grows or is put in another order changes no file. */
#include "gpu/capture_format.h"

#define UNKNOWN UINT32_MAX

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

bool capture_frame_to_words(const struct capture_frame *frame, uint32_t word[CAPTURE_FRAME_WORDS])
{
    uint32_t rgba = frame->format & CAPTURE_FRAME_RGBA;
    uint32_t layout = layout_to_file((enum raster_layout)frame->layout);
    uint32_t format = format_to_file((enum raster_surface_format)(frame->format & ~CAPTURE_FRAME_RGBA));

    word[0] = frame->address;
    word[1] = frame->width;
    word[2] = frame->height;
    word[3] = layout;
    word[4] = format | rgba;
    word[5] = frame->stride;
    word[6] = frame->presented;
    return layout != UNKNOWN && format != UNKNOWN;
}

void capture_frame_from_words(const uint32_t word[CAPTURE_FRAME_WORDS], struct capture_frame *out)
{
    *out = (struct capture_frame){.address = word[0],
                                  .width = word[1],
                                  .height = word[2],
                                  .layout = layout_from_file(word[3]),
                                  .format = format_from_file(word[4] & ~CAPTURE_FRAME_RGBA) |
                                            (word[4] & CAPTURE_FRAME_RGBA),
                                  .stride = word[5],
                                  .presented = word[6]};
}
