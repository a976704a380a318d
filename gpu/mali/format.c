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
    [MALI_FORMAT_X32_S8X24] = {RASTER_X32_S8X24_UINT, 0},
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

/* Since v7; their stencil stands in green, as Mesa asks for it by the order GRBA. */
static const struct {
    uint8_t number; /* MALI_FORMAT_ */
    uint16_t format, srgb;
} late[] = {
    {MALI_FORMAT_R4A4_UNORM, RASTER_L4A4_UNORM, 0},
    {MALI_FORMAT_A4R4_UNORM, 0, 0},
    {MALI_FORMAT_R8A8_UNORM, RASTER_L8A8_UNORM, RASTER_L8A8_SRGB},
    {MALI_FORMAT_A8_UNORM, RASTER_A8_UNORM, 0},
    {MALI_FORMAT_Z16_UNORM, RASTER_Z16_UNORM, 0},
    {MALI_FORMAT_Z32, 0, 0},
    {MALI_FORMAT_X24S8, RASTER_X24S8_UINT, 0},
    {MALI_FORMAT_S8X24, RASTER_S8X24_UINT, 0},
    {MALI_FORMAT_Z32_X32, RASTER_Z32_FLOAT_S8X24_UINT, 0},
    {MALI_FORMAT_S8, RASTER_S8_UINT, 0},
};

enum raster_format mali_format_of(enum mali_version version, uint32_t format, bool srgb)
{
    if (version == MALI_V6 && (format == MALI_FORMAT_RGB332_UNORM || format == MALI_FORMAT_BGR233_UNORM))
        return RASTER_FORMAT_NONE;
    for (size_t n = 0; version >= MALI_V7 && n < UTIL_ARRAY_SIZE(late); n++)
        if (late[n].number == format)
            return (enum raster_format)(srgb && late[n].srgb ? late[n].srgb : late[n].format);
    return mali_format(format, srgb);
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

bool mali_order_of(enum mali_version version, uint32_t order, uint32_t *out)
{
    enum { R, G, B, A, ZERO, ONE };
    static const struct {
        uint8_t order, from[4]; /* channels that red, green, blue and alpha are */
    } orders[] = {
        {MALI_RGB_COMPONENT_ORDER_RGBA, {R, G, B, A}},
        {MALI_RGB_COMPONENT_ORDER_GRBA, {G, R, B, A}},
        {MALI_RGB_COMPONENT_ORDER_BGRA, {B, G, R, A}},
        {MALI_RGB_COMPONENT_ORDER_ARGB, {G, B, A, R}},
        {MALI_RGB_COMPONENT_ORDER_AGRB, {B, G, A, R}},
        {MALI_RGB_COMPONENT_ORDER_ABGR, {A, B, G, R}},
        {MALI_RGB_COMPONENT_ORDER_RGB1, {R, G, B, ONE}},
        {MALI_RGB_COMPONENT_ORDER_GRB1, {G, R, B, ONE}},
        {MALI_RGB_COMPONENT_ORDER_BGR1, {B, G, R, ONE}},
        {MALI_RGB_COMPONENT_ORDER_1RGB, {G, B, A, ONE}},
        {MALI_RGB_COMPONENT_ORDER_1GRB, {B, G, A, ONE}},
        {MALI_RGB_COMPONENT_ORDER_1BGR, {A, B, G, ONE}},
        {MALI_RGB_COMPONENT_ORDER_RRRR, {R, R, R, R}},
        {MALI_RGB_COMPONENT_ORDER_RRR1, {R, R, R, ONE}},
        {MALI_RGB_COMPONENT_ORDER_RRRA, {R, R, R, A}},
        {MALI_RGB_COMPONENT_ORDER_000A, {ZERO, ZERO, ZERO, A}},
        {MALI_RGB_COMPONENT_ORDER_0001, {ZERO, ZERO, ZERO, ONE}},
        {MALI_RGB_COMPONENT_ORDER_0000, {ZERO, ZERO, ZERO, ZERO}},
        {MALI_RGB_COMPONENT_ORDER_R000, {R, ZERO, ZERO, ZERO}},
        {MALI_RGB_COMPONENT_ORDER_RBGA, {R, B, G, A}},
    };
    *out = order;
    for (size_t n = 0; version >= MALI_V7 && n < UTIL_ARRAY_SIZE(orders); n++) {
        const uint8_t *from = orders[n].from;
        *out = (uint32_t)from[0] | (uint32_t)from[1] << 3 | (uint32_t)from[2] << 6 | (uint32_t)from[3] << 9;
        if (orders[n].order == order)
            return true;
    }
    return version < MALI_V7;
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
