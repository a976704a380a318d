/* Pixel formats. */
#include "gpu/mali/format.h"

#include "util/bits.h"

/* Those that are each for itself; srgb: with the flag, where that changes something. */
static const struct {
    uint16_t format, srgb;
} singles[256] = {
    [MALI_FORMAT_ETC2_RGB8] = {RASTER_ETC2_RGB8, RASTER_ETC2_SRGB8},
    [MALI_FORMAT_ETC2_R11_UNORM] = {RASTER_ETC2_R11_UNORM, 0},
    [MALI_FORMAT_ETC2_RGBA8] = {RASTER_ETC2_RGBA8, RASTER_ETC2_SRGBA8},
    [MALI_FORMAT_ETC2_RG11_UNORM] = {RASTER_ETC2_RG11_UNORM, 0},
    [MALI_FORMAT_BC1_UNORM] = {RASTER_DXT1_RGBA, RASTER_DXT1_SRGBA},
    [MALI_FORMAT_BC2_UNORM] = {RASTER_DXT3_RGBA, RASTER_DXT3_SRGBA},
    [MALI_FORMAT_BC3_UNORM] = {RASTER_DXT5_RGBA, RASTER_DXT5_SRGBA},
    [MALI_FORMAT_BC4_UNORM] = {RASTER_RGTC1_UNORM, 0},
    [MALI_FORMAT_BC4_SNORM] = {RASTER_RGTC1_SNORM, 0},
    [MALI_FORMAT_BC5_UNORM] = {RASTER_RGTC2_UNORM, 0},
    [MALI_FORMAT_BC5_SNORM] = {RASTER_RGTC2_SNORM, 0},
    [MALI_FORMAT_BC6H_UF16] = {RASTER_BPTC_RGB_UFLOAT, 0},
    [MALI_FORMAT_BC6H_SF16] = {RASTER_BPTC_RGB_FLOAT, 0},
    [MALI_FORMAT_BC7_UNORM] = {RASTER_BPTC_RGBA_UNORM, RASTER_BPTC_SRGBA},
    [MALI_FORMAT_ETC2_R11_SNORM] = {RASTER_ETC2_R11_SNORM, 0},
    [MALI_FORMAT_ETC2_RG11_SNORM] = {RASTER_ETC2_RG11_SNORM, 0},
    [MALI_FORMAT_ETC2_RGB8A1] = {RASTER_ETC2_RGB8A1, RASTER_ETC2_SRGB8A1},
    [MALI_FORMAT_ASTC_2D_LDR] = {RASTER_ASTC_4x4, RASTER_ASTC_4x4_SRGB},
    [MALI_FORMAT_ASTC_2D_HDR] = {RASTER_ASTC_4x4, RASTER_ASTC_4x4_SRGB},
    [MALI_FORMAT_RGB565] = {RASTER_R5G6B5_UNORM, RASTER_R5G6B5_SRGB},
    [MALI_FORMAT_RGB5_A1_UNORM] = {RASTER_R5G5B5A1_UNORM, 0},
    [MALI_FORMAT_A1_BGR5_UNORM] = {RASTER_A1B5G5R5_UNORM, 0},
    [MALI_FORMAT_RGB10_A2_UNORM] = {RASTER_R10G10B10A2_UNORM, 0},
    [MALI_FORMAT_A2_BGR10_UNORM] = {RASTER_A2B10G10R10_UNORM, 0},
    [MALI_FORMAT_RGB10_A2_SNORM] = {RASTER_R10G10B10A2_SNORM, 0},
    [MALI_FORMAT_RGB10_A2UI] = {RASTER_R10G10B10A2_UINT, 0},
    [MALI_FORMAT_A2_BGR10UI] = {RASTER_A2B10G10R10_UINT, 0},
    [MALI_FORMAT_RGB10_A2I] = {RASTER_R10G10B10A2_SINT, 0},
    [MALI_FORMAT_RGB332_UNORM] = {RASTER_R3G3B2_UNORM, 0},
    [MALI_FORMAT_Z24X8_UNORM] = {RASTER_Z24X8_UNORM, 0},
    [MALI_FORMAT_X8Z24] = {RASTER_X8Z24_UNORM, 0},
    [MALI_FORMAT_R32_FIXED] = {RASTER_R32_FIXED, 0},
    [MALI_FORMAT_RG32_FIXED] = {RASTER_R32G32_FIXED, 0},
    [MALI_FORMAT_RGB32_FIXED] = {RASTER_R32G32B32_FIXED, 0},
    [MALI_FORMAT_RGBA32_FIXED] = {RASTER_R32G32B32A32_FIXED, 0},
    [MALI_FORMAT_R11F_G11F_B10F] = {RASTER_R11G11B10_FLOAT, 0},
    [MALI_FORMAT_R9F_G9F_B9F_E5F] = {RASTER_R9G9B9E5_FLOAT, 0},
    [MALI_FORMAT_RGBA4_UNORM] = {RASTER_R4G4B4A4_UNORM, 0},
};

/* Those of one to four equal channels: kind, size and count are bits of the number. */
enum { FIRST_REGULAR = 96, SIZE_8 = 3, SIZE_16, SIZE_32, SIZE_64, SIZE_FLOAT };
enum { KIND_SNORM, KIND_UINT, KIND_UNORM, KIND_SINT, KINDS };

#define FOUR(bits1, bits2, bits3, bits4, kind)                                                               \
    {RASTER_R##bits1##_##kind, RASTER_R##bits1##G##bits2##_##kind,                                           \
     RASTER_R##bits1##G##bits2##B##bits3##_##kind, RASTER_R##bits1##G##bits2##B##bits3##A##bits4##_##kind}
static const uint16_t regular[KINDS][SIZE_FLOAT + 1][4] = {
    [KIND_SNORM] = {[SIZE_8] = FOUR(8, 8, 8, 8, SNORM),
                    [SIZE_16] = FOUR(16, 16, 16, 16, SNORM),
                    [SIZE_32] = FOUR(32, 32, 32, 32, SNORM)},
    [KIND_UINT] = {[SIZE_8] = FOUR(8, 8, 8, 8, UINT),
                   [SIZE_16] = FOUR(16, 16, 16, 16, UINT),
                   [SIZE_32] = FOUR(32, 32, 32, 32, UINT)},
    [KIND_UNORM] = {[SIZE_8] = FOUR(8, 8, 8, 8, UNORM),
                    [SIZE_16] = FOUR(16, 16, 16, 16, UNORM),
                    [SIZE_32] = FOUR(32, 32, 32, 32, UNORM),
                    [SIZE_FLOAT] = FOUR(32, 32, 32, 32, FLOAT)},
    [KIND_SINT] = {[SIZE_8] = FOUR(8, 8, 8, 8, SINT),
                   [SIZE_16] = FOUR(16, 16, 16, 16, SINT),
                   [SIZE_32] = FOUR(32, 32, 32, 32, SINT),
                   [SIZE_FLOAT] = FOUR(16, 16, 16, 16, FLOAT)},
};
static const uint16_t regular_srgb[4] = FOUR(8, 8, 8, 8, SRGB);

enum raster_format mali_format(uint32_t format, bool srgb)
{
    uint16_t found = 0;
    if (format > 255)
        return RASTER_FORMAT_NONE;
    if (singles[format].format) {
        found = srgb && singles[format].srgb ? singles[format].srgb : singles[format].format;
    } else if (format >= FIRST_REGULAR && format < FIRST_REGULAR + 32 * KINDS) {
        uint32_t kind = (format - FIRST_REGULAR) / 32, count = format / 8 % 4, size = format % 8;
        bool coded = srgb && kind == KIND_UNORM && size == SIZE_8;
        found = coded ? regular_srgb[count] : regular[kind][size][count];
    }
    return (enum raster_format)found;
}

enum raster_format mali_format_astc(uint32_t tag, bool srgb)
{
    static const uint8_t side[8] = {4, 5, 6, 0, 8, 0, 10, 12};
    uint8_t width = side[tag & 7], height = side[tag >> 3 & 7];
    for (unsigned n = RASTER_ASTC_4x4 + srgb; n <= RASTER_ASTC_12x12_SRGB; n += 2)
        if (raster_texels[n].width == width && raster_texels[n].height == height)
            return (enum raster_format)n;
    return RASTER_FORMAT_NONE;
}

void mali_reorder(uint32_t order, uint32_t one, const uint32_t in[4], uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        unsigned from = mali_order(order, c);
        out[c] = from < 4 ? in[from] : from == 5 ? one : 0;
    }
}

void mali_order_back(uint32_t order, const uint32_t in[4], uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = 0;
    for (unsigned c = 4; c-- > 0;)
        if (mali_order(order, c) < 4)
            out[mali_order(order, c)] = in[c];
}
