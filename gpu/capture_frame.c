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
    ROW(0x000, RASTER_B8G8R8A8_UNORM)   \
    ROW(0x001, RASTER_B5G6R5_UNORM)     \
    ROW(0x003, RASTER_S8_UINT_Z24_UNORM)\
    ROW(0x004, RASTER_R16G16B16A16_FLOAT)\
    ROW(0x005, RASTER_R8_UINT)          \
    ROW(0x100, RASTER_R8G8B8A8_UNORM)   \
    ROW(0x200, RASTER_R8G8B8A8_SRGB)    \
    ROW(0x201, RASTER_R8G8B8X8_UNORM)   \
    ROW(0x202, RASTER_R8G8B8X8_SRGB)    \
    ROW(0x203, RASTER_B8G8R8A8_SRGB)    \
    ROW(0x204, RASTER_B8G8R8X8_UNORM)   \
    ROW(0x205, RASTER_B8G8R8X8_SRGB)    \
    ROW(0x206, RASTER_A8B8G8R8_UNORM)   \
    ROW(0x207, RASTER_A8B8G8R8_SRGB)    \
    ROW(0x208, RASTER_A8R8G8B8_UNORM)   \
    ROW(0x209, RASTER_A8R8G8B8_SRGB)    \
    ROW(0x20a, RASTER_R8G8B8_UNORM)     \
    ROW(0x20b, RASTER_R8G8B8_SRGB)      \
    ROW(0x20c, RASTER_B8G8R8_UNORM)     \
    ROW(0x20d, RASTER_B8G8R8_SRGB)      \
    ROW(0x20e, RASTER_R8G8_UNORM)       \
    ROW(0x20f, RASTER_R8G8_SRGB)        \
    ROW(0x210, RASTER_R8_UNORM)         \
    ROW(0x211, RASTER_R8_SRGB)          \
    ROW(0x212, RASTER_R4G4B4A4_UNORM)   \
    ROW(0x213, RASTER_B4G4R4A4_UNORM)   \
    ROW(0x214, RASTER_R4G4B4X4_UNORM)   \
    ROW(0x215, RASTER_B4G4R4X4_UNORM)   \
    ROW(0x216, RASTER_R5G6B5_UNORM)     \
    ROW(0x217, RASTER_R10G10B10A2_UNORM)\
    ROW(0x218, RASTER_R10G10B10X2_UNORM)\
    ROW(0x219, RASTER_B10G10R10A2_UNORM)\
    ROW(0x21a, RASTER_B10G10R10X2_UNORM)\
    ROW(0x21b, RASTER_A2B10G10R10_UNORM)\
    ROW(0x21c, RASTER_R5G5B5A1_UNORM)   \
    ROW(0x21d, RASTER_R5G5B5X1_UNORM)   \
    ROW(0x21e, RASTER_B5G5R5A1_UNORM)   \
    ROW(0x21f, RASTER_B5G5R5X1_UNORM)   \
    ROW(0x220, RASTER_R16_UINT)         \
    ROW(0x221, RASTER_R32_UINT)         \
    ROW(0x222, RASTER_R32G32_UINT)      \
    ROW(0x223, RASTER_R32G32B32A32_UINT)\
    ROW(0x224, RASTER_R8G8B8_UINT)      \
    ROW(0x225, RASTER_R16G16B16_UINT)   \
    ROW(0x226, RASTER_R32G32B32_UINT)
// clang-format on

/* Of a switch the compiler misses what has two rows, and of layouts what has none. */
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

static uint32_t format_to_file(uint32_t format)
{
    switch (format) {
        FORMATS(TO_FILE)
    default: return UNKNOWN;
    }
}

/* Of old files: 5:6:5 whose stores are dithered, and formats other than of four bytes with red lowest. */
static uint32_t format_from_file(uint32_t number)
{
    switch (number) {
        FORMATS(FROM_FILE)
    case 0x002:
    case 0x101:
    case 0x102: return RASTER_B5G6R5_UNORM;
    case 0x104: return RASTER_R16G16B16A16_FLOAT;
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
    uint32_t layout = layout_to_file((enum raster_layout)frame->layout);
    uint32_t format = format_to_file(frame->format);
    const uint32_t word[WORDS] = {frame->width, frame->height, layout,
                                  format,       frame->stride, frame->presented};

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
                                  .format = format_from_file(word[3]),
                                  .stride = word[4],
                                  .presented = word[5]};
}
