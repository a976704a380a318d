/* Scenes of what textures hold: ETC2 and EAC, integers, packed and float formats, swizzles, limits of levels. */
#include "draw.h"

/* Ten formats of ETC2 and EAC, 16x16 texels of blocks by chance, which are of all modes; then the first six again
 * from other blocks. Cells, rightwards and up: RGB8, SRGB8, RGB8 with punch-through alpha (black where 0), SRGB8 of
 * it; RGBA8 and SRGB8_ALPHA8 with alpha over grey; R11; SIGNED_R11 by halves above a half; RG11; SIGNED_RG11. */
static void etc2(void)
{
    static const GLenum formats[] = {GL_COMPRESSED_RGB8_ETC2,
                                     GL_COMPRESSED_SRGB8_ETC2,
                                     GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2,
                                     GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2,
                                     GL_COMPRESSED_RGBA8_ETC2_EAC,
                                     GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC,
                                     GL_COMPRESSED_R11_EAC,
                                     GL_COMPRESSED_SIGNED_R11_EAC,
                                     GL_COMPRESSED_RG11_EAC,
                                     GL_COMPRESSED_SIGNED_RG11_EAC};

    for (uint32_t i = 0; i < 16; i++) {
        uint32_t kind = i % 10;
        uint8_t blocks[16 * 16];
        bool wide = kind == 4 || kind == 5 || kind >= 8;
        for (uint32_t k = 0; k < sizeof blocks; k++)
            blocks[k] = (uint8_t)draw_noise(k + 1000 * i);
        /* Two extensions of the specification read these blocks of SIGNED formats in two ways: a base of -128. */
        for (uint32_t k = 0; k < sizeof blocks; k += 8)
            if (blocks[k] == 0x80)
                blocks[k] = 0x81;
        draw_texture(GL_TEXTURE_2D, GL_NEAREST);
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, formats[kind], 16, 16, 0, wide ? 256 : 128, blocks);
        draw_cell_program("uniform sampler2D image;",
                          kind == 7 || kind == 9
                              ? "colour = texture(image, place) * 0.5 + 0.5;"
                              : "vec4 c = texture(image, place); colour = vec4(mix(vec3(0.3), "
                                "c.rgb, c.a), 1);");
        draw_cell(i, 4);
        draw_fill();
    }
}

struct kind {
    GLenum internal, format, type;
};

/* 8x8 texels by chance, each row aligned to one byte. Of each word the bits of `keep` are by chance and those of `set`
 * are ones. */
static void upload(const struct kind *k, uint32_t seed, uint32_t keep, uint32_t set)
{
    uint32_t words[8 * 8 * 4];

    for (uint32_t n = 0; n < sizeof words / 4; n++)
        words[n] = (draw_noise(n + 1000 * seed) & keep) | set;
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)k->internal, 8, 8, 0, k->format, k->type, words);
}

/* Integer textures of noise, a format a cell: red, green and blue are the low eight bits of each channel. */
static void integer_textures(void)
{
    static const struct kind kinds[16] = {{GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE},
                                          {GL_R8I, GL_RED_INTEGER, GL_BYTE},
                                          {GL_RG8UI, GL_RG_INTEGER, GL_UNSIGNED_BYTE},
                                          {GL_RG8I, GL_RG_INTEGER, GL_BYTE},
                                          {GL_RGB8UI, GL_RGB_INTEGER, GL_UNSIGNED_BYTE},
                                          {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE},
                                          {GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT},
                                          {GL_RG16I, GL_RG_INTEGER, GL_SHORT},
                                          {GL_RGB16UI, GL_RGB_INTEGER, GL_UNSIGNED_SHORT},
                                          {GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT},
                                          {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT},
                                          {GL_RG32I, GL_RG_INTEGER, GL_INT},
                                          {GL_RGB32UI, GL_RGB_INTEGER, GL_UNSIGNED_INT},
                                          {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT},
                                          {GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV},
                                          {GL_RGB32I, GL_RGB_INTEGER, GL_INT}};

    for (uint32_t i = 0; i < 16; i++) {
        bool is_signed = kinds[i].type == GL_BYTE || kinds[i].type == GL_SHORT || kinds[i].type == GL_INT;
        draw_texture(GL_TEXTURE_2D, GL_NEAREST);
        upload(&kinds[i], i, ~0u, 0);
        draw_cell_program(
            is_signed ? "uniform isampler2D image;" : "uniform usampler2D image;",
            is_signed ? "ivec4 c = texture(image, place); colour = vec4(vec3(c.rgb & 255) / 255.0, 1);"
                      : "uvec4 c = texture(image, place); colour = vec4(vec3(c.rgb & 255u) / 255.0, "
                        "1);");
        draw_cell(i, 4);
        draw_fill();
    }
}

/* Other formats of noise, a cell each, signed ones by halves above a half. */
static void packed_formats(void)
{
    static const struct kind kinds[16] = {{GL_R8, GL_RED, GL_UNSIGNED_BYTE},
                                          {GL_RG8, GL_RG, GL_UNSIGNED_BYTE},
                                          {GL_R8_SNORM, GL_RED, GL_BYTE},
                                          {GL_RG8_SNORM, GL_RG, GL_BYTE},
                                          {GL_RGB8_SNORM, GL_RGB, GL_BYTE},
                                          {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE},
                                          {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV},
                                          {GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV},
                                          {GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV},
                                          {GL_R16F, GL_RED, GL_HALF_FLOAT},
                                          {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT},
                                          {GL_RGB16F, GL_RGB, GL_HALF_FLOAT},
                                          {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1},
                                          {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4},
                                          {GL_SRGB8, GL_RGB, GL_UNSIGNED_BYTE},
                                          {GL_R32F, GL_RED, GL_FLOAT}};

    for (uint32_t i = 0; i < 16; i++) {
        uint32_t keep = ~0u, set = 0; /* floats of an eighth to 2 */
        if (kinds[i].type == GL_HALF_FLOAT)
            keep = 0x3fff3fff, set = 0x30003000;
        else if (kinds[i].type == GL_FLOAT)
            keep = 0x3fffffff, set = 0x3e000000;
        else if (kinds[i].internal == GL_R11F_G11F_B10F)
            keep = 0x7fdffbff, set = 0x60180300;
        else if (kinds[i].internal == GL_RGB9_E5)
            keep = 0x1fffffff, set = 0x60000000;
        draw_texture(GL_TEXTURE_2D, GL_NEAREST);
        upload(&kinds[i], i + 50, keep, set);
        bool is_signed = i >= 2 && i < 6;
        draw_cell_program("uniform sampler2D image;", is_signed
                                                          ? "colour = texture(image, place) * 0.5 + 0.5;"
                                                          : "colour = texture(image, place);");
        draw_cell(i, 4);
        draw_fill();
    }
}

/* Swizzles of a picture that is red by x and green by y, blue 0.25, alpha 0.75. Cells: as it is; BGRA; ONE, ZERO, RED;
 * ALPHA in all three. */
static void swizzles(void)
{
    static const GLint ways[4][4] = {{GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA},
                                     {GL_BLUE, GL_GREEN, GL_RED, GL_ALPHA},
                                     {GL_ONE, GL_ZERO, GL_RED, GL_ONE},
                                     {GL_ALPHA, GL_ALPHA, GL_ALPHA, GL_RED}};
    uint8_t texels[16][4];

    for (int i = 0; i < 16; i++) {
        const uint8_t texel[4] = {(uint8_t)(i % 4 * 85), (uint8_t)(i / 4 * 85), 64, 192};
        for (int c = 0; c < 4; c++)
            texels[i][c] = texel[c];
    }
    draw_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    draw_cell_program("uniform sampler2D image;", "colour = texture(image, place);");
    for (int i = 0; i < 4; i++) {
        for (GLenum c = 0; c < 4; c++)
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R + c, ways[i][c]);
        draw_cell(i, 2);
        draw_fill();
    }
}

/* Levels of a 16x16 texture, each a grey, level 0 the darkest, asked for at 0 to 4 from left to right: all; base 2; at
 * most 2; between 1.5 and 2.5 by a sampler object, with linear levels. */
static void levels(void)
{
    GLuint sampler;

    draw_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    for (int level = 0; level < 5; level++) {
        uint8_t texels[256];
        for (int i = 0; i < 256; i++)
            texels[i] = (uint8_t)(50 * level + 30);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glTexImage2D(GL_TEXTURE_2D, level, GL_R8, 16 >> level, 16 >> level, 0, GL_RED, GL_UNSIGNED_BYTE,
                     texels);
    }
    draw_cell_program("uniform sampler2D image;",
                      "colour = vec4(textureLod(image, place, floor(place.x * 8.0) * 0.5 "
                      "+ 0.25).rrr, 1);");
    for (int i = 0; i < 4; i++) {
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, i == 1 ? 2 : 0);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, i == 2 ? 2 : 1000);
        if (i == 3) {
            glGenSamplers(1, &sampler);
            glBindSampler(0, sampler);
            glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_LINEAR);
            glSamplerParameterf(sampler, GL_TEXTURE_MIN_LOD, 1.5f);
            glSamplerParameterf(sampler, GL_TEXTURE_MAX_LOD, 2.5f);
        }
        draw_cell(i, 2);
        draw_fill();
    }
}

const struct scene format_scenes[] = {{"etc2", 30, NULL, etc2},
                                      {"integer-textures", 30, NULL, integer_textures},
                                      {"packed-formats", 30, NULL, packed_formats},
                                      {"swizzles", 30, NULL, swizzles},
                                      {"levels", 30, NULL, levels},
                                      {0}};
