/* The texture unit's set-up words (Guide tables 15 to 19) as a key and a texture: formats, mip levels below
 * their base, layouts chosen by size. */
#include "gpu/vc4/frag.h"

#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "util/bits.h"

#define UNIT "texture unit"

/* Table 18; `bits` of a texel, of a block of 4x4 for ETC1. */
static const struct texture_type {
    uint16_t format;
    uint8_t bits, linear;
    const char *name;
} types[] = {
    [0] = {RASTER_R8G8B8A8_UNORM, 32, 0, "RGBA8888"},
    [1] = {RASTER_R8G8B8X8_UNORM, 32, 0, "RGBX8888"},
    [2] = {RASTER_A4B4G4R4_UNORM, 16, 0, "RGBA4444"},
    [3] = {RASTER_A1B5G5R5_UNORM, 16, 0, "RGBA5551"},
    [4] = {RASTER_B5G6R5_UNORM, 16, 0, "RGB565"},
    [5] = {RASTER_L8_UNORM, 8, 0, "LUMINANCE"},
    [6] = {RASTER_A8_UNORM, 8, 0, "ALPHA"},
    [7] = {RASTER_L8A8_UNORM, 16, 0, "LUMALPHA"},
    [8] = {RASTER_ETC1_RGB8, 64, 0, "ETC1"},
    [9] = {RASTER_R16_FLOAT, 16, 0, "S16F"},
    [10] = {RASTER_R8_SINT, 8, 0, "S8"},
    [11] = {RASTER_R16_UINT, 16, 0, "S16"},
    [12] = {RASTER_L1_UNORM, 1, 0, "BW1"},
    [13] = {RASTER_A4_UNORM, 4, 0, "A4"},
    [14] = {RASTER_A1_UNORM, 1, 0, "A1"},
    [15] = {RASTER_R16G16B16A16_FLOAT, 64, 0, "RGBA64"},
    [16] = {RASTER_R32_UINT, 32, 1, "RGBA32R"},
    [17] = {RASTER_YUYV, 16, 1, "YUYV422R"},
};

/* Table 19, minification. */
static const struct {
    uint8_t linear, mip;
} min_filters[] = {{1, RASTER_MIP_NONE},   {0, RASTER_MIP_NONE},    {0, RASTER_MIP_NEAREST},
                   {0, RASTER_MIP_LINEAR}, {1, RASTER_MIP_NEAREST}, {1, RASTER_MIP_LINEAR}};

static bool invalid(struct gpu_fault *fault, enum gpu_fault_kind kind, uint32_t p0, const char *what)
{
    return gpu_fault_set(fault, kind, UNIT, p0 & 0xfffff000, "texture set-up 0x%08x: %s", p0, what);
}

/* Parameters 2 and 3, in either order, told apart by their type (table 17). */
static bool decode_extras(const uint32_t *params, unsigned count, uint32_t *cube_stride, bool *explicit_lod,
                          struct gpu_fault *fault)
{
    *cube_stride = 0;
    *explicit_lod = false;
    for (unsigned i = 2; i < count; i++) {
        switch (params[i] >> 30) {
        case 0: break;
        case 1:
            if (*cube_stride)
                return invalid(fault, GPU_FAULT_SHADER, params[0], "the cube stride is given twice");
            *cube_stride = params[i] & 0x3ffff000;
            *explicit_lod = params[i] & 1;
            break;
        default: return invalid(fault, GPU_FAULT_UNSUPPORTED, params[0], "child images are not done");
        }
    }
    return true;
}

/* Fills one level whose storage is `width` by `height` texels (ETC1: blocks) and returns the bytes it takes:
 * whole utiles, or whole tiles. A level no larger than four utiles either way is LT (Mesa's vc4_size_is_lt;
 * Guide section 4 "less than one T-format tile"). */
static uint32_t place_level(const struct texture_type *type, uint32_t width, uint32_t height,
                            struct raster_level *level)
{
    uint32_t row_bits = type->bits == 1 ? 32 : type->bits <= 8 ? 64 : 128; /* of a utile (Guide section 11) */
    uint32_t utile_w = row_bits / type->bits, utile_h = 512 / row_bits;
    uint32_t utiles_x = util_div_up(width, utile_w), utiles_y = util_div_up(height, utile_h);

    if (type->linear) {
        level->layout = RASTER_LINEAR;
        level->stride = utiles_x * row_bits / 8;
        return level->stride * height;
    }
    if (width <= 4 * utile_w || height <= 4 * utile_h) {
        level->layout = RASTER_VC4_LT;
        level->stride = utiles_x;
        return utiles_x * utiles_y * 64;
    }
    level->layout = RASTER_VC4_T;
    level->stride = util_div_up(utiles_x, 8);
    return level->stride * util_div_up(utiles_y, 8) * 4096;
}

/* Levels above 0 stand below the base, each padded to a power-of-two container (Guide section 4). */
static bool place_levels(const struct texture_type *type, uint32_t p0, uint32_t width, uint32_t height,
                         struct raster_texture *texture, struct gpu_fault *fault)
{
    uint32_t block = type->format == RASTER_ETC1_RGB8 ? 4 : 1, at = p0 & 0xfffff000;
    uint32_t stored_w = util_div_up(width, block), stored_h = util_div_up(height, block);

    for (uint32_t n = 0; n < texture->level_count; n++) {
        struct raster_level *level = &texture->level[n];
        uint32_t size = n ? place_level(type, UTIL_MAX(util_next_pow2(stored_w) >> n, 1),
                                        UTIL_MAX(util_next_pow2(stored_h) >> n, 1), level)
                          : place_level(type, stored_w, stored_h, level);
        if (n && size > at)
            return gpu_fault_set(fault, GPU_FAULT_MEMORY, UNIT, p0 & 0xfffff000,
                                 "%s texture of %ux%u: level %u would begin %u bytes below address 0",
                                 type->name, width, height, n, size - at);
        at -= n ? size : 0;
        level->offset = at;
        level->width = UTIL_MAX(width >> n, 1);
        level->height = UTIL_MAX(height >> n, 1);
    }
    return true;
}

/* The key says the same about every texture that samples alike: what cannot matter is zero. */
static void fill_key(const struct texture_type *type, uint32_t p0, uint32_t p1, bool explicit_lod, bool has_b,
                     const struct raster_texture *texture, struct raster_texture_key *key)
{
    uint32_t width = texture->level[0].width, height = texture->level[0].height, min = p1 >> 4 & 7;

    *key = (struct raster_texture_key){
        .format = type->format,
        .layout = (uint8_t)texture->level[0].layout,
        .wrap_s = p1 & 3,
        .wrap_t = p1 >> 2 & 3,
        .mag_linear = !(p1 >> 7 & 1),
        .min_linear = min_filters[min].linear,
        .mip = texture->level_count > 1 ? min_filters[min].mip : (uint8_t)RASTER_MIP_NONE,
        .cube = p0 >> 9 & 1,
        .flip_y = p0 >> 8 & 1,
        .pot = !(width & (width - 1)) && !(height & (height - 1)),
        .etc_flip = type->format == RASTER_ETC1_RGB8 && p1 >> 19 & 1,
    };
    key->minify_above_half = key->mag_linear && !key->min_linear && min_filters[min].mip != RASTER_MIP_NONE;
    for (uint32_t n = 1; n < texture->level_count; n++)
        if (texture->level[n].layout != key->layout)
            key->layout = RASTER_LAYOUT_MIXED;
    if (key->mip != RASTER_MIP_NONE || key->mag_linear != key->min_linear)
        key->lod = explicit_lod ? RASTER_LOD_EXPLICIT : has_b ? RASTER_LOD_BIAS : RASTER_LOD_IMPLICIT;
}

bool vc4_texture_decode(const struct gpu_memory *memory, const uint32_t *params, unsigned param_count,
                        bool has_r, bool has_b, struct raster_texture_key *key,
                        struct raster_texture *texture, struct gpu_fault *fault)
{
    if (param_count < 2)
        return invalid(fault, GPU_FAULT_SHADER, param_count ? params[0] : 0, "two words at least are needed");
    uint32_t p0 = params[0], p1 = params[1], cube_stride, number = (p0 >> 4 & 15) | p1 >> 31 << 4;
    uint32_t width = p1 >> 8 & 2047, height = p1 >> 20 & 2047, levels = (p0 & 15) + 1;
    bool explicit_lod;

    width = width ? width : 2048;
    height = height ? height : 2048;
    if (number >= UTIL_ARRAY_SIZE(types))
        return invalid(fault, GPU_FAULT_SHADER, p0, "reserved texture type (Guide table 18)");
    const struct texture_type *type = &types[number];
    if (type->format == RASTER_R16G16B16A16_FLOAT)
        return invalid(fault, GPU_FAULT_UNSUPPORTED, p0,
                       "64-bit texels (two results a request) are not done");
    if ((p1 >> 4 & 7) >= UTIL_ARRAY_SIZE(min_filters))
        return invalid(fault, GPU_FAULT_SHADER, p0, "reserved minification filter (Guide table 19)");
    if (!decode_extras(params, param_count, &cube_stride, &explicit_lod, fault))
        return false;
    if ((p0 >> 9 & 1) && !(has_r && cube_stride))
        return invalid(fault, GPU_FAULT_SHADER, p0, "a cube needs R and a face stride");
    if (levels > UTIL_MIN(util_log2(UTIL_MAX(width, height)) + 1, RASTER_MAX_LEVELS))
        return invalid(fault, GPU_FAULT_SHADER, p0, "more mip levels than the image has");

    memset(texture, 0, sizeof *texture);
    texture->memory = memory->base;
    texture->memory_size = memory->size;
    texture->level_count = min_filters[p1 >> 4 & 7].mip == RASTER_MIP_NONE ? 1 : levels;
    texture->max_level = (float)(texture->level_count - 1);
    texture->face_stride = p0 >> 9 & 1 ? cube_stride : 0;
    texture->width = (float)width;
    texture->height = (float)height;
    if (!place_levels(type, p0, width, height, texture, fault))
        return false;
    fill_key(type, p0, p1, explicit_lod, has_b, texture, key);
    struct util_error error = {0};
    if (raster_texture_validate(key, texture, &error) < 0)
        return gpu_fault_set(fault, GPU_FAULT_MEMORY, UNIT, p0 & 0xfffff000, "%s texture of %ux%u: %s",
                             type->name, width, height, error.text);
    return true;
}
