/* Formats of render targets. Sources: Mesa's pan_cs.c, pan_clear.c and pan_format.c as documentation. */
#include "gpu/mali/target_format.h"

#include <string.h>

#include "gpu/mali/format.h"
#include "util/bits.h"

/* ---- colours ---- */

/* The tile's, by internal format; clear values have bits of a fraction behind each channel (pan_clear.c). */
struct internal {
    uint16_t format;
    uint8_t whole[4], fraction[4];
};
static const struct internal internals[] = {
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8] = {RASTER_R8G8B8A8_UNORM, {8, 8, 8, 8}, {0}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R10G10B10A2] = {RASTER_R10G10B10A2_UNORM, {10, 10, 10, 2}, {0}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A2] = {RASTER_R8G8B8A8_UNORM, {8, 8, 8, 2}, {2, 2, 2, 0}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R4G4B4A4] = {RASTER_R4G4B4A4_UNORM, {4, 4, 4, 4}, {4, 4, 4, 4}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G6B5A0] = {RASTER_R5G6B5_UNORM, {5, 6, 5, 0}, {5, 4, 5, 2}},
    [MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G5B5A1] = {RASTER_R5G5B5A1_UNORM, {5, 5, 5, 1}, {5, 5, 5, 1}},
};

enum raster_format mali_raw_format(uint32_t bytes)
{
    return bytes == 1    ? RASTER_R8_UINT
           : bytes == 2  ? RASTER_R16_UINT
           : bytes <= 4  ? RASTER_R32_UINT
           : bytes <= 8  ? RASTER_R32G32_UINT
           : bytes <= 16 ? RASTER_R32G32B32A32_UINT
                         : RASTER_FORMAT_NONE;
}

/* Bytes of a pixel of a raw write-back format; 0: none of them, or larger than a tile's. */
static uint32_t raw_bytes(enum mali_version version, uint32_t format)
{
    static const uint8_t v4[] = {16, 12, 8, 4, 8, 6, 4, 2}, v5[] = {1, 2, 3, 4, 6, 8, 12, 16};
    return format < 8 ? (version == MALI_V4 ? v4 : v5)[format] : 0;
}

static enum raster_format raw_image(uint32_t bytes)
{
    return bytes == 3    ? RASTER_R8G8B8_UINT
           : bytes == 6  ? RASTER_R16G16B16_UINT
           : bytes == 12 ? RASTER_R32G32B32_UINT
                         : mali_raw_format(bytes);
}

/* Orders of channels: three bits each, the component that stands there; 4 is 0. Luminance is said to be blue, as
 * the driver inverts "red, red, red"; it draws equal ones, of which red is taken here (ours). */
enum { RGBA = MALI_ORDER_RGBA, BGRA = 0x60a, RGB0 = 0x888, BGR0 = 0x80a, ABGR = 0x053, ARGB = 0x443 };
enum { ZBGR = 0x054, ZRGB = 0x444 };
enum { LUMINANCE = 0x922, ALPHA = 0x923, LUMINANCE_ALPHA = 0x91a };

/* Numbers are the same in all versions. */
static const struct writeback {
    uint8_t format; /* MALI_COLOR_FORMAT_ */
    uint16_t swizzle, linear, srgb;
} writebacks[] = {
    {MALI_COLOR_FORMAT_R8G8B8A8, RGBA, RASTER_R8G8B8A8_UNORM, RASTER_R8G8B8A8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, RGB0, RASTER_R8G8B8X8_UNORM, RASTER_R8G8B8X8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, BGRA, RASTER_B8G8R8A8_UNORM, RASTER_B8G8R8A8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, BGR0, RASTER_B8G8R8X8_UNORM, RASTER_B8G8R8X8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, ABGR, RASTER_A8B8G8R8_UNORM, RASTER_A8B8G8R8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, ARGB, RASTER_A8R8G8B8_UNORM, RASTER_A8R8G8B8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, ZBGR, RASTER_X8B8G8R8_UNORM, RASTER_X8B8G8R8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8A8, ZRGB, RASTER_X8R8G8B8_UNORM, RASTER_X8R8G8B8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8, RGBA, RASTER_R8G8B8_UNORM, RASTER_R8G8B8_SRGB},
    {MALI_COLOR_FORMAT_R8G8B8, BGRA, RASTER_B8G8R8_UNORM, RASTER_B8G8R8_SRGB},
    {MALI_COLOR_FORMAT_R8G8, RGBA, RASTER_R8G8_UNORM, RASTER_R8G8_SRGB},
    {MALI_COLOR_FORMAT_R8, RGBA, RASTER_R8_UNORM, RASTER_R8_SRGB},
    {MALI_COLOR_FORMAT_R8, LUMINANCE, RASTER_L8_UNORM, RASTER_L8_SRGB},
    {MALI_COLOR_FORMAT_R8, ALPHA, RASTER_A8_UNORM, 0},
    {MALI_COLOR_FORMAT_R8G8, LUMINANCE_ALPHA, RASTER_L8A8_UNORM, RASTER_L8A8_SRGB},
    {MALI_COLOR_FORMAT_R4G4B4A4, RGBA, RASTER_R4G4B4A4_UNORM, 0},
    {MALI_COLOR_FORMAT_R4G4B4A4, BGRA, RASTER_B4G4R4A4_UNORM, 0},
    {MALI_COLOR_FORMAT_R4G4B4A4, RGB0, RASTER_R4G4B4X4_UNORM, 0},
    {MALI_COLOR_FORMAT_R4G4B4A4, BGR0, RASTER_B4G4R4X4_UNORM, 0},
    {MALI_COLOR_FORMAT_R4G4B4A4, ABGR, RASTER_A4B4G4R4_UNORM, 0},
    {MALI_COLOR_FORMAT_R4G4B4A4, ARGB, RASTER_A4R4G4B4_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G6B5, RGBA, RASTER_R5G6B5_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G6B5, BGRA, RASTER_B5G6R5_UNORM, 0},
    {MALI_COLOR_FORMAT_R10G10B10A2, RGBA, RASTER_R10G10B10A2_UNORM, 0},
    {MALI_COLOR_FORMAT_R10G10B10A2, RGB0, RASTER_R10G10B10X2_UNORM, 0},
    {MALI_COLOR_FORMAT_R10G10B10A2, BGRA, RASTER_B10G10R10A2_UNORM, 0},
    {MALI_COLOR_FORMAT_R10G10B10A2, BGR0, RASTER_B10G10R10X2_UNORM, 0},
    {MALI_COLOR_FORMAT_A2B10G10R10, ABGR, RASTER_A2B10G10R10_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G5B5A1, RGBA, RASTER_R5G5B5A1_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G5B5A1, RGB0, RASTER_R5G5B5X1_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G5B5A1, BGRA, RASTER_B5G5R5A1_UNORM, 0},
    {MALI_COLOR_FORMAT_R5G5B5A1, BGR0, RASTER_B5G5R5X1_UNORM, 0},
};

/* Channels that the format has: those of the order that count. */
static uint32_t counted(uint32_t format)
{
    return format == MALI_COLOR_FORMAT_R8       ? 07
           : format == MALI_COLOR_FORMAT_R8G8   ? 077
           : format == MALI_COLOR_FORMAT_R8G8B8 ? 0777
           : format == MALI_COLOR_FORMAT_R5G6B5 ? 0777
                                                : 07777;
}

enum raster_format mali_target_in_image(enum mali_version version, const struct mali_target_format *t)
{
    uint32_t bytes = raw_bytes(version, t->writeback), mask = counted(t->writeback);
    if (bytes)
        return raw_image(bytes);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(writebacks); n++) {
        const struct writeback *w = &writebacks[n];
        if (w->format == t->writeback && !((w->swizzle ^ t->swizzle) & mask))
            return (enum raster_format)(t->srgb && w->srgb ? w->srgb : w->linear);
    }
    return RASTER_FORMAT_NONE;
}

bool mali_target_is_raw(const struct mali_target_format *t)
{
    return t->internal == MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW_VALUE ||
           t->internal >= MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW8;
}

enum raster_format mali_target_in_tile(enum mali_version version, const struct mali_target_format *t)
{
    uint32_t i = t->internal;
    if (i >= MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW8 && i <= MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW128)
        return mali_raw_format(1u << (i - MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW8));
    if (i == MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW_VALUE)
        return mali_raw_format(raw_bytes(version, t->writeback));
    if (i >= UTIL_ARRAY_SIZE(internals))
        return RASTER_FORMAT_NONE;
    if (internals[i].format == RASTER_R8G8B8A8_UNORM && t->srgb)
        return RASTER_R8G8B8A8_SRGB;
    return (enum raster_format)internals[i].format;
}

/* A clear value as a pixel of the tile: of each channel the whole part. */
void mali_target_clear(const struct mali_target_format *t, enum raster_format format, const uint32_t color[4],
                       uint32_t word[4])
{
    memset(word, 0, 4 * sizeof *word);
    if (mali_target_is_raw(t)) {
        memcpy(word, color, raster_format_bytes(format));
        return;
    }
    const struct internal *i = &internals[t->internal];
    const struct raster_texel *texel = &raster_texels[format];
    for (unsigned c = 0, at = 0; c < 4; c++) {
        uint32_t whole = i->whole[c], value = whole ? util_bits(color[0], at + i->fraction[c], whole) : 0;
        if (t->internal == MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A2 && c == 3)
            value *= 85;
        if (whole)
            word[0] |= value << texel->channel[c].at;
        at += whole + i->fraction[c];
    }
}

/* ---- depth and stencil ---- */

enum raster_format mali_depth_in_image(uint32_t format)
{
    static const uint16_t formats[16] = {[MALI_ZS_FORMAT_D16] = RASTER_Z16_UNORM,
                                         [MALI_ZS_FORMAT_D24X8] = RASTER_Z24X8_UNORM,
                                         [MALI_ZS_FORMAT_D24S8] = RASTER_Z24_UNORM_S8_UINT,
                                         [MALI_ZS_FORMAT_X8D24] = RASTER_X8Z24_UNORM,
                                         [MALI_ZS_FORMAT_S8D24] = RASTER_S8_UINT_Z24_UNORM,
                                         [MALI_ZS_FORMAT_D32_X8X24] = RASTER_Z32_FLOAT_S8X24_UINT,
                                         [MALI_ZS_FORMAT_D32] = RASTER_Z32_FLOAT,
                                         [MALI_ZS_FORMAT_D32_S8X24] = RASTER_Z32_FLOAT_S8X24_UINT};
    return (enum raster_format)(format < UTIL_ARRAY_SIZE(formats) ? formats[format] : 0);
}

enum raster_format mali_stencil_in_image(uint32_t format)
{
    return format == MALI_S_FORMAT_S8          ? RASTER_S8_UINT
           : format == MALI_S_FORMAT_X24S8     ? RASTER_X24S8_UINT
           : format == MALI_S_FORMAT_S8X24     ? RASTER_S8X24_UINT
           : format == MALI_S_FORMAT_X32_S8X24 ? RASTER_X32_S8X24_UINT
                                               : RASTER_FORMAT_NONE;
}

bool mali_depth_has_stencil(uint32_t zs_format)
{
    return zs_format == MALI_ZS_FORMAT_D24S8 || zs_format == MALI_ZS_FORMAT_S8D24 ||
           zs_format == MALI_ZS_FORMAT_D32_S8X24;
}

/* ---- images ---- */

enum mali_image_layout mali_image_layout_of(enum mali_version version, uint32_t block_format)
{
    static const uint8_t early[] = {[MALI_BLOCK_FORMAT_TILED_U_INTERLEAVED] = MALI_IMAGE_TILED,
                                    [MALI_BLOCK_FORMAT_TILED_LINEAR] = MALI_IMAGE_OTHER,
                                    [MALI_BLOCK_FORMAT_LINEAR] = MALI_IMAGE_LINEAR,
                                    [MALI_BLOCK_FORMAT_AFBC] = MALI_IMAGE_AFBC};
    if (version <= MALI_V6)
        return block_format < UTIL_ARRAY_SIZE(early) ? (enum mali_image_layout)early[block_format]
                                                     : MALI_IMAGE_OTHER;
    return block_format == MALI_BLOCK_FORMAT_NO_WRITE                 ? MALI_IMAGE_NONE
           : block_format == MALI_BLOCK_FORMAT_V7_TILED_U_INTERLEAVED ? MALI_IMAGE_TILED
           : block_format == MALI_BLOCK_FORMAT_LINEAR                 ? MALI_IMAGE_LINEAR
           : block_format == MALI_BLOCK_FORMAT_V7_AFBC                ? MALI_IMAGE_AFBC
           : block_format == MALI_BLOCK_FORMAT_AFBC_TILED             ? MALI_IMAGE_AFBC_TILED
                                                                      : MALI_IMAGE_OTHER;
}
