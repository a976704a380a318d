/* Texture descriptors: fields, formats, levels and how levels of detail are encoded. */
#include "gpu/utgard/texture.h"

#include <assert.h>
#include <string.h>

#include "gpu/record.h"
#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"

#define UNIT          "texture descriptor"
#define FIRST_ADDRESS 222u /* bit */
#define ADDRESS_BITS  26u
#define ADDRESS_LOW   6u /* bits that addresses leave out */

GPU_NAMES(wrap_names, "repeat", "clamp", "half border", "border", "mirror", "mirror once",
          "mirror half border", "mirror border");
GPU_NAMES(layout_names, [0] = "linear", [3] = "tiled");

static const struct gpu_record_field fields[] = {
#define FIELD(name, first, bits, kind, names, what)                                                          \
    {#name,                                                                                                  \
     what,                                                                                                   \
     names,                                                                                                  \
     first,                                                                                                  \
     0,                                                                                                      \
     bits,                                                                                                   \
     0,                                                                                                      \
     GPU_RECORD_##kind,                                                                                      \
     .always = (first) == 0,                                                                                 \
     .to = offsetof(struct utgard_texture_fields, name)},
#include "gpu/utgard/texture.inc"
#undef FIELD
};

/* Texel formats. `word`: what the sampler gives; swizzles are of swap_r_b = 0, where blue stands lowest. */
static const struct format {
    uint16_t raster;
    uint8_t texel, swizzle[4];
    const char *name;
} formats[64] = {
#define ONE  UTGARD_CHANNEL_ONE
#define ZERO UTGARD_CHANNEL_ZERO
    [0x09] = {RASTER_L8_UNORM, UTGARD_TEXEL_8888, {0, 1, 2, 3}, "L8"},
    [0x0a] = {RASTER_A8_UNORM, UTGARD_TEXEL_8888, {0, 1, 2, 3}, "A8"},
    [0x0b] = {RASTER_L8_UNORM, UTGARD_TEXEL_8888, {0, 0, 0, 0}, "I8"},
    [0x0e] = {RASTER_B5G6R5_UNORM, UTGARD_TEXEL_8888, {0, 1, 2, 3}, "BGR565"},
    [0x0f] = {RASTER_B5G5R5A1_UNORM, UTGARD_TEXEL_8888, {0, 1, 2, 3}, "BGRA5551"},
    [0x10] = {RASTER_A4B4G4R4_UNORM, UTGARD_TEXEL_8888, {1, 2, 3, 0}, "BGRA4444"}, /* alpha on top */
    [0x11] = {RASTER_L8A8_UNORM, UTGARD_TEXEL_8888, {0, 1, 2, 3}, "L8A8"},
    [0x12] = {RASTER_L16_UNORM, UTGARD_TEXEL_16, {0, 0, 0, ONE}, "L16"},
    [0x13] = {RASTER_L16_UNORM, UTGARD_TEXEL_16, {ZERO, ZERO, ZERO, 0}, "A16"},
    [0x14] = {RASTER_L16_UNORM, UTGARD_TEXEL_16, {0, 0, 0, 0}, "I16"},
    [0x16] = {RASTER_R8G8B8A8_UNORM, UTGARD_TEXEL_8888, {2, 1, 0, 3}, "BGRA8888"},
    [0x17] = {RASTER_R8G8B8X8_UNORM, UTGARD_TEXEL_8888, {2, 1, 0, 3}, "BGRX8888"},
    [0x20] = {RASTER_ETC1_RGB8, UTGARD_TEXEL_8888, {0, 1, 2, 3}, "ETC1"},
    [0x22] = {RASTER_R16_FLOAT, UTGARD_TEXEL_HALVES, {0, 0, 0, ONE}, "L16F"},
    [0x23] = {RASTER_R16_FLOAT, UTGARD_TEXEL_HALVES, {ZERO, ZERO, ZERO, 0}, "A16F"},
    [0x24] = {RASTER_R16_FLOAT, UTGARD_TEXEL_HALVES, {0, 0, 0, 0}, "I16F"},
    [0x25] = {RASTER_R16G16_FLOAT, UTGARD_TEXEL_HALVES, {0, 0, 0, 1}, "L16A16F"},
    [0x26] = {RASTER_R16G16B16A16_FLOAT, UTGARD_TEXEL_HALVES, {2, 1, 0, 3}, "BGRA16F"},
    [0x2c] = {RASTER_Z24X8_UNORM, UTGARD_TEXEL_DEPTH, {0, 0, 0, ONE}, "Z24X8"},
    [0x2f] = {RASTER_R16G16B16_FLOAT, UTGARD_TEXEL_HALVES, {2, 1, 0, ONE}, "BGR16F"},
    [0x32] = {RASTER_R32_UINT, UTGARD_TEXEL_RELOAD, {0, 1, 2, 3}, "Z24S8 of a reload"},
#undef ONE
#undef ZERO
};

/* A private copy, ended by zeros. */
static void copy(const uint32_t *words, uint32_t count, uint32_t out[UTGARD_TEXTURE_WORDS])
{
    memset(out, 0, UTGARD_TEXTURE_WORDS * sizeof *out);
    memcpy(out, words, UTIL_MIN(count, UTGARD_TEXTURE_WORDS) * sizeof *out);
}

void utgard_texture_unpack(const uint32_t *words, uint32_t count, struct utgard_texture_fields *out)
{
    uint32_t all[UTGARD_TEXTURE_WORDS];
    copy(words, count, all);
    gpu_record_unpack(fields, UTIL_ARRAY_SIZE(fields), all, out);
    for (uint32_t n = 0; n < RASTER_MAX_LEVELS; n++)
        out->address[n] = gpu_record_bits(all, FIRST_ADDRESS + n * ADDRESS_BITS, ADDRESS_BITS) << ADDRESS_LOW;
}

unsigned utgard_texture_describe(const uint32_t *words, uint32_t count,
                                 struct gpu_field out[UTGARD_TEXTURE_FIELDS])
{
    uint32_t all[UTGARD_TEXTURE_WORDS];
    static_assert(UTIL_ARRAY_SIZE(fields) <= UTGARD_TEXTURE_FIELDS, "room for all fields");
    copy(words, count, all);
    unsigned used = gpu_record_list(fields, UTIL_ARRAY_SIZE(fields), all, out);
    out[0].word = formats[out[0].value].name; /* which is always there */
    return used;
}

/* ---- keys ---- */

static uint8_t wrap_of(uint32_t wrap)
{
    static const uint8_t wraps[8] = {
        RASTER_REPEAT, RASTER_CLAMP,        RASTER_HALF_BORDER,        RASTER_BORDER,
        RASTER_MIRROR, RASTER_MIRROR_CLAMP, RASTER_MIRROR_HALF_BORDER, RASTER_MIRROR_BORDER};
    return wraps[wrap & 7];
}

/* Formats whose words are no 8888 colours cannot be blended with those of their neighbours. */
static bool can_filter(const struct format *format)
{
    return format->texel != UTGARD_TEXEL_RELOAD;
}

/* Where nothing is blended a word is a word: compiled code has these. */
static uint16_t unfiltered(uint16_t format)
{
    switch (format) {
    case RASTER_L16_UNORM: return RASTER_R16_UINT;
    case RASTER_Z24X8_UNORM: return RASTER_R32_UINT;
    default: return format;
    }
}

static void fill_key(const struct utgard_texture_fields *f, uint8_t lod, bool cube,
                     struct utgard_texture_key *key)
{
    const struct format *format = &formats[f->format];
    bool linear = can_filter(format);

    *key = (struct utgard_texture_key){.texel = format->texel};
    memcpy(key->swizzle, format->swizzle, sizeof key->swizzle);
    if (f->swap_r_b) {
        key->swizzle[0] = format->swizzle[2];
        key->swizzle[2] = format->swizzle[0];
    }
    key->raster = (struct raster_texture_key){
        .format = format->raster,
        .layout = f->layout == 3 ? RASTER_UTGARD_TILED : RASTER_LINEAR,
        .wrap_s = wrap_of(f->wrap_s),
        .wrap_t = wrap_of(f->wrap_t),
        .mag_linear = linear && !f->mag_nearest,
        .min_linear = linear && !f->min_nearest,
        .mip = f->mip_linear == 3 && linear ? RASTER_MIP_LINEAR : RASTER_MIP_NEAREST,
        .lod = lod,
        .cube = cube,
        .unnormalized = f->unnormalized != 0,
        .lod_limits = 1,
        .smooth_log2 = 1,
        .volume = f->dimension == 2 && !f->cube,
        .etc_flip = 1, /* rows of images count from their first, as texture coordinates do */
    };
    key->raster.wrap_r = key->raster.volume ? wrap_of(f->wrap_r) : 0;
    if (f->dimension == 0) /* one row, wherever t is */
        key->raster.wrap_t = RASTER_CLAMP;
    if (key->raster.unnormalized) {
        key->raster.wrap_s = raster_texel_wrap(key->raster.wrap_s);
        key->raster.wrap_t = raster_texel_wrap(key->raster.wrap_t);
    }
    /* One level alone, the first, unless the limits say another; between two of them they are mixed. */
    if (f->min_lod == f->max_lod && f->min_lod % 16 == 0)
        key->raster.mip = f->min_lod ? RASTER_MIP_NEAREST : RASTER_MIP_NONE;
    if (!key->raster.mag_linear && !key->raster.min_linear && key->raster.mip != RASTER_MIP_LINEAR)
        key->raster.format = unfiltered(key->raster.format);
}

/* The border in the order of the sample's channels, before the swizzle: eight bits of each, but for formats of
 * one channel, whose bits it has. Of channels that show the same one the first counts. */
static void fill_border(const struct utgard_texture_fields *f, const struct utgard_texture_key *key,
                        uint32_t out[RASTER_SAMPLED_WORDS])
{
    const uint32_t border[4] = {f->border_red, f->border_green, f->border_blue, f->border_alpha};
    const struct raster_texel *texel = &raster_texels[key->raster.format];
    bool alone = texel->coding == RASTER_CODING_PLAIN && !texel->channel[1].bits;
    uint32_t byte[4] = {0}, only = 0, number[4], word[4] = {0};

    for (unsigned c = 4; c-- > 0;)
        if (key->swizzle[c] < 4) {
            byte[key->swizzle[c]] = (border[c] * 255 + 32767) / 65535;
            only = border[c];
        }
    word[0] = byte[0] | byte[1] << 8 | byte[2] << 16 | byte[3] << 24;
    switch (key->texel) {
    case UTGARD_TEXEL_16: word[0] = only; break;
    case UTGARD_TEXEL_DEPTH: word[0] = only << 8 | only >> 8; break;
    case UTGARD_TEXEL_HALVES:
        for (unsigned c = 0; c < 4; c++)
            number[c] = util_f2u(alone ? (float)only / 65535.0f : (float)byte[c] / 255.0f);
        raster_texel_pack(texel, number, word);
    }
    memcpy(out, word, RASTER_SAMPLED_WORDS * sizeof *out);
}

/* The bias that lima, as ARM's driver before it, adds by the filters takes off what silicon adds: half a
 * level where the minification filter is nearest, and -1/16 instead where all filters are (README.md). */
static float bias_of(const struct utgard_texture_fields *f)
{
    float bias = (float)util_sext(f->lod_bias, 9) / 16.0f;
    bool all_nearest = f->mag_nearest && f->mip_linear == 0 && f->min_lod != f->max_lod;

    return !f->min_nearest ? bias : all_nearest ? bias + 1.0f / 16.0f : bias - 0.5f;
}

/* ---- images ---- */

static uint32_t texel_bytes(const struct utgard_texture_key *key)
{
    return raster_format_bytes((enum raster_format)key->raster.format);
}

/* Levels stand where their addresses say, rows of tiles as wide as the level; cube faces of a level one after
 * the other. */
static void place(const struct utgard_texture_fields *f, const struct utgard_texture_key *key, uint32_t n,
                  struct raster_level *level)
{
    uint32_t bytes = texel_bytes(key);
    uint32_t texels = key->raster.format == RASTER_ETC1_RGB8 ? 4 : 1;

    *level = (struct raster_level){.offset = f->address[n],
                                   .width = UTIL_MAX(f->width >> n, 1u),
                                   .height = UTIL_MAX(f->height >> n, 1u),
                                   .depth = UTIL_MAX(f->depth >> n, 1u),
                                   .layout = key->raster.layout};
    if (key->raster.layout == RASTER_UTGARD_TILED)
        level->stride = util_div_up(level->width, 16);
    else if (f->has_stride && n == 0)
        level->stride = f->stride;
    else
        level->stride = (uint32_t)util_align(level->width, 16) / texels * bytes;
}

/* Bytes of a level's face. */
static uint32_t face_bytes(const struct utgard_texture_key *key, const struct raster_level *level)
{
    bool etc = key->raster.format == RASTER_ETC1_RGB8;
    uint32_t bytes = texel_bytes(key);
    uint32_t rows = (uint32_t)util_align(level->height, 16);

    if (level->layout == RASTER_LINEAR)
        return level->stride * (etc ? rows / 4 : rows);
    return level->stride * rows / 16 * (etc ? 16 : 256) * bytes;
}

static uint32_t level_count(const struct utgard_texture_fields *f)
{
    uint32_t side = UTIL_MAX(f->width, f->height), last = util_div_up(f->max_lod, 16), count = 1;

    while (count <= last && count < RASTER_MAX_LEVELS && side >> count && f->address[count])
        count++;
    return count;
}

uint64_t utgard_texture_level_bytes(const struct utgard_texture_key *key, const struct raster_level *level)
{
    uint64_t size = face_bytes(key, level);

    if (level->layout == RASTER_LINEAR) /* the last row may end before its stride does */
        size = (uint64_t)level->stride *
                   (util_div_up(level->height, key->raster.format == RASTER_ETC1_RGB8 ? 4 : 1) - 1) +
               1;
    return size + (uint64_t)level->face_stride * (key->raster.cube     ? 5
                                                  : key->raster.volume ? level->depth - 1
                                                                       : 0);
}

static bool in_reach(const struct gpu_space *space, const struct utgard_texture_key *key,
                     const struct raster_texture *texture, uint32_t address, struct gpu_fault *fault)
{
    for (uint32_t n = 0; n < texture->level_count; n++) {
        const struct raster_level *level = &texture->level[n];
        uint64_t where = 0;

        if (!gpu_space_allows(space, level->offset, utgard_texture_level_bytes(key, level), GPU_RIGHT_READ,
                              &where))
            return utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, address,
                                    "level %u of the texture is not all in memory, from 0x%08x on", n,
                                    (uint32_t)where);
    }
    return true;
}

static bool supported(const struct utgard_texture_fields *f, uint32_t address, bool cube,
                      struct gpu_fault *fault)
{
    if (!formats[f->format].name)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address, "texel format 0x%02x is not known",
                                f->format);
    if (f->layout != 0 && f->layout != 3)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address, "texture layout %u is not known",
                                f->layout);
    if (!f->width || !f->height || f->width > 4096 || f->height > 4096)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address, "a texture of %ux%u", f->width,
                                f->height);
    if (f->dimension == 3 || (f->dimension == 2 && !f->cube && (!f->depth || f->depth > 4096)))
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address, "a texture of kind %u, %u deep",
                                f->dimension, f->depth);
    if (cube && !f->cube)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address, "asked as a cube, and is none");
    return true;
}

bool utgard_texture_read(const struct gpu_space *space, uint32_t address, uint8_t lod, bool cube,
                         struct utgard_texture_key *key, struct raster_texture *texture,
                         struct gpu_fault *fault)
{
    uint32_t words[UTGARD_TEXTURE_WORDS] = {0}, count = UTGARD_TEXTURE_WORDS;
    struct utgard_texture_fields f;
    struct util_error error = {0};

    /* Short ones end on 64 bytes; what lies behind may be no memory. */
    while (count > 16 && !gpu_space_allows(space, address, count * 4ull, GPU_RIGHT_READ, NULL))
        count--;
    const uint8_t *at = gpu_space_at(space, address, count * 4ull, GPU_RIGHT_READ);
    if (!at || address & 63)
        return utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, address, "not at a descriptor");
    memcpy(words, at, count * 4ull);
    utgard_texture_unpack(words, count, &f);
    if (!supported(&f, address, cube, fault))
        return false;
    fill_key(&f, lod, cube, key);
    *texture = (struct raster_texture){.memory = space->window.base,
                                       .memory_size = space->window.size,
                                       .level_count = level_count(&f),
                                       .width = (float)f.width,
                                       .height = (float)f.height,
                                       .depth = (float)f.depth,
                                       .lod_bias = bias_of(&f),
                                       .lod_min = (float)f.min_lod / 16.0f,
                                       .lod_max = (float)f.max_lod / 16.0f};
    texture->max_level = (float)(texture->level_count - 1);
    fill_border(&f, key, texture->border);
    for (uint32_t n = 0; n < texture->level_count; n++)
        place(&f, key, n, &texture->level[n]);
    key->raster.pot = !(f.width & (f.width - 1)) && !(f.height & (f.height - 1));
    for (uint32_t n = 0; (cube || key->raster.volume) && n < texture->level_count; n++)
        texture->level[n].face_stride = face_bytes(key, &texture->level[n]);
    if (raster_texture_validate(&key->raster, texture, &error))
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address, "%s", error.text);
    return in_reach(space, key, texture, address, fault);
}

/* Lane `lane` of a sample as the program's four numbers. */
static void channels(const struct utgard_texture_key *key, const uint32_t *words, unsigned lane,
                     float out[4][16])
{
    float channel[6] = {[UTGARD_CHANNEL_ONE] = 1.0f};
    uint32_t word = words[lane], halves[4] = {word, words[16 + lane]}, number[4];

    switch (key->texel) {
    case UTGARD_TEXEL_16: channel[0] = (float)(word & 0xffff) / 65535.0f; break;
    case UTGARD_TEXEL_DEPTH: channel[0] = (float)(word & 0xffffff) / 16777215.0f; break;
    case UTGARD_TEXEL_HALVES:
        raster_texel_unpack(&raster_texels[key->raster.format], halves, number);
        memcpy(channel, number, sizeof number);
        break;
    default:
        for (unsigned c = 0; c < 4; c++)
            channel[c] = (float)(word >> 8 * c & 255) / 255.0f;
    }
    for (unsigned c = 0; c < 4; c++)
        out[c][lane] = channel[key->swizzle[c]];
}

void utgard_texture_sample(const struct utgard_texture_key *key, const struct raster_texture *texture,
                           const float coordinates[3][16], const float *lod, float out[4][16])
{
    uint32_t words[RASTER_SAMPLED_WORDS * 16] = {0};

    raster_texture_sample(&key->raster, texture, coordinates[0], coordinates[1],
                          key->raster.cube || key->raster.volume ? coordinates[2] : NULL, lod, words);
    for (unsigned lane = 0; lane < 16; lane++)
        channels(key, words, lane, out);
}
