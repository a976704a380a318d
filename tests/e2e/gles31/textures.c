/* Scenes of how textures are looked up: arrays, three dimensions, seams of cubes, fetch, gather, comparisons. */
#include "draw.h"
#include <stdlib.h>
#include <string.h>

/* RGBA bytes of `count` texels: red by x, green by y, blue by layer, of a block of width x height x layers. */
static uint8_t *block(int width, int height, int layers)
{
    uint8_t *texels = malloc((size_t)width * (size_t)height * (size_t)layers * 4);

    for (int i = 0; i < width * height * layers; i++) {
        texels[4 * i] = (uint8_t)(i % width * 255 / (width - 1));
        texels[4 * i + 1] = (uint8_t)(i / width % height * 255 / (height - 1));
        texels[4 * i + 2] = (uint8_t)(i / width / height * 255 / (layers > 1 ? layers - 1 : 1));
        texels[4 * i + 3] = 255;
    }
    return texels;
}

static void draw_cells(const char *declarations, const char *const *bodies, int side)
{
    for (int i = 0; i < side * side && bodies[i]; i++) {
        draw_cell_program(declarations, bodies[i]);
        draw_cell(i, side);
        draw_fill();
    }
}

/* A 2D array of 4x4 texels and five layers, blue by layer. Cells: layer by height, from -1 to 6, which rounds and
 * stays inside (0 and 4 twice as high); all linear, between texels and never between layers; layer 2.75, which is
 * layer 3; level 1 (white by layer) on the right half. */
static void arrays(void)
{
    static const char *const bodies[] = {
        "colour = texture(image, vec3(place.x, 0.6, floor(place.y * 7.0) - 1.0));",
        "colour = texture(image, vec3(place, place.y * 4.0));", "colour = texture(image, vec3(place, 2.75));",
        "colour = textureLod(image, vec3(place, floor(place.y * 5.0)), place.x < 0.5 ? 0.0 : 1.0);", NULL};
    uint8_t *texels = block(4, 4, 5), second[5 * 4 * 4];

    draw_texture(GL_TEXTURE_2D_ARRAY, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 2, GL_RGBA8, 4, 4, 5);
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 4, 4, 5, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    for (int i = 0; i < 80; i++)
        second[i] = (uint8_t)(i % 4 == 3 ? 255 : 60 + i / 16 * 45);
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 1, 0, 0, 0, 2, 2, 5, GL_RGBA, GL_UNSIGNED_BYTE, second);
    draw_cells("uniform sampler2DArray image;", bodies, 2);
    free(texels);
}

/* A 3D texture of 4x4x4, red, green and blue by x, y and z. Cells: linear along a diagonal plane; nearest slices, by
 * height; linear, repeated twice in r with x from -0.5; mirrored in r. */
static void volumes(void)
{
    static const GLenum filters[] = {GL_LINEAR, GL_NEAREST, GL_LINEAR, GL_LINEAR},
                        wraps[] = {GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE, GL_REPEAT, GL_MIRRORED_REPEAT};
    static const char *const bodies[] = {
        "colour = texture(image, vec3(place, (place.x + place.y) * 0.5));",
        "colour = texture(image, vec3(place.x, fract(place.y * 4.0), place.y));",
        "colour = texture(image, vec3(0.3, place.y, place.x * 2.0 - 0.5));",
        "colour = texture(image, vec3(0.3, place.y, place.x * 2.0 - 0.5));"};
    uint8_t *texels = block(4, 4, 4);

    draw_texture(GL_TEXTURE_3D, GL_LINEAR);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 4, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    for (int i = 0; i < 4; i++) {
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, (GLint)filters[i]);
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, (GLint)filters[i]);
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_R, (GLint)wraps[i]);
        draw_cell_program("uniform sampler3D image;", bodies[i]);
        draw_cell(i, 2);
        draw_fill();
    }
    free(texels);
}

/* A cube of 2x2 texels a face, each face a hue with one white texel, linear: colours run on over edges. Cells:
 * a sweep around the equator; around through both poles; close to the corner of +x +y +z; the same at nearest. */
static void seams(void)
{
    static const uint8_t hues[6][3] = {{255, 0, 0},   {0, 255, 255}, {0, 255, 0},
                                       {255, 0, 255}, {0, 0, 255},   {255, 255, 0}};
    static const char *const bodies[] = {
        "float t = place.x * 6.2831853; colour = texture(image, vec3(cos(t), place.y * 1.6 - 0.8, sin(t)));",
        "float t = place.x * 6.2831853; colour = texture(image, vec3(place.y * 1.6 - 0.8, cos(t), sin(t)));",
        "colour = texture(image, vec3(place.x * 1.5, place.y * 1.4, 2.0 - place.x - place.y));",
        "colour = texture(image, vec3(place.x * 1.5, place.y * 1.4, 2.0 - place.x - place.y));"};

    draw_texture(GL_TEXTURE_CUBE_MAP, GL_LINEAR);
    for (GLuint face = 0; face < 6; face++) {
        uint8_t texels[4][4];
        for (int i = 0; i < 4; i++) {
            memcpy(texels[i], i ? hues[face] : (const uint8_t[]){255, 255, 255}, 3);
            texels[i][3] = 255;
        }
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     texels);
    }
    for (int i = 0; i < 4; i++) {
        if (i == 3) {
            glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
            glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        }
        draw_cell_program("uniform samplerCube image;", bodies[i]);
        draw_cell(i, 2);
        draw_fill();
    }
}

/* An image of 8x8 texels of noise with a level of 4x4 red, 2x2 green and 1 blue. Cells, rightwards and up: texelFetch;
 * with an offset of 2, -1 (black outside); textureSize as eighths; levels by textureLod 0 to 3; textureGrad as wide as
 * two texels; textureOffset of 7, which wraps; textureProj through w 2; a bias of 1 in a lookup at level 0. */
static void fetch(void)
{
    static const uint8_t hues[4][4] = {{0, 0, 0, 255}, {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}};
    static const char *const bodies[] = {
        "colour = texelFetch(image, ivec2(place * 8.0), 0);",
        "ivec2 p = ivec2(place * 4.0) + 2; colour = texelFetchOffset(image, p, 0, ivec2(2, -1));",
        "colour = vec4(vec2(textureSize(image, int(place.x * 4.0))) / 8.0, 0, 1);",
        "colour = textureLod(image, place, floor(place.x * 4.0));",
        "colour = textureGrad(image, place, vec2(place.x < 0.5 ? 0.25 : 0.5, 0), vec2(0));",
        "colour = textureOffset(image, place * 0.5, ivec2(7, 0), -8.0);",
        "colour = textureProj(image, vec3(place * 2.0, 2.0), -8.0);",
        "colour = texture(image, place * 7.0, 1.0);",
        "colour = texelFetch(image, ivec2(place * 4.0), 1) + texelFetch(image, ivec2(place * 2.0), 2) * 0.5;",
        "ivec3 s = textureSize(volume, 0); colour = vec4(vec3(s) / 8.0, 1);",
        "colour = texelFetch(volume, ivec3(place * 4.0, place.x * 4.0), 0);",
        "colour = textureProjLod(image, vec4(place * 3.0, 0, 3), 1.0);",
        "colour = textureLodOffset(image, place, 0.0, ivec2(-1, 2));",
        "colour = textureGradOffset(image, place, vec2(0), vec2(0), ivec2(1, 1));",
        "colour = textureLod(image, place * 3.0 - 1.0, 0.0);",
        "colour = vec4(abs(dFdx(place.x)) * 28.0, abs(dFdy(place.y)) * 28.0, fwidth(place.x + place.y) * "
        "14.0, 1);",
        NULL};
    uint8_t texels[64][4], *cube = block(4, 4, 4);

    for (uint32_t i = 0; i < 64; i++) {
        uint32_t n = draw_noise(i) | 0xff000000;
        memcpy(texels[i], &n, 4);
    }
    draw_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    for (int level = 0; level < 4; level++) {
        uint8_t plain[16][4];
        for (int i = 0; i < 16; i++)
            memcpy(plain[i], hues[level], 4);
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, 8 >> level, 8 >> level, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     level ? plain : texels);
    }
    glActiveTexture(GL_TEXTURE1);
    draw_texture(GL_TEXTURE_3D, GL_NEAREST);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 4, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, cube);
    for (int i = 0; i < 16; i++) {
        draw_cell_program("uniform sampler2D image; uniform sampler3D volume;", bodies[i]);
        glUniform1i(draw_uniform("volume"), 1);
        draw_cell(i, 4);
        draw_fill();
    }
    free(cube);
}

/* textureGather over 4x4 texels of noise. Cells: components 0 and 1, their four texels as red, green, blue and what
 * they are darkened by; component 2 with an offset; of a depth texture compared with 0.5 the count of those that
 * pass. */
static void gather(void)
{
    static const char *const bodies[] = {
        "vec4 g = textureGather(image, place); colour = vec4(g.xyz * (0.5 + 0.5 * g.w), 1);",
        "vec4 g = textureGather(image, place, 1); colour = vec4(g.xyz * (0.5 + 0.5 * g.w), 1);",
        "vec4 g = textureGatherOffset(image, place, ivec2(1, -1), 2); colour = vec4(g.xyz * (0.5 + 0.5 * "
        "g.w), 1);",
        "vec4 g = textureGather(depth, place, 0.5); colour = vec4(g.xyz * (0.5 + 0.5 * g.w), 1);"};
    uint32_t texels[16];
    uint16_t depths[16];

    for (uint32_t i = 0; i < 16; i++) {
        texels[i] = draw_noise(i + 100) | 0xff000000;
        depths[i] = (uint16_t)(draw_noise(i + 200));
    }
    draw_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glActiveTexture(GL_TEXTURE1);
    draw_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT16, 4, 4, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT,
                 depths);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    for (int i = 0; i < 4; i++) {
        draw_cell_program("uniform sampler2D image; uniform sampler2DShadow depth;", bodies[i]);
        glUniform1i(draw_uniform("depth"), 1);
        draw_cell(i, 2);
        draw_fill();
    }
}

/* Comparisons with 4x4 depths of sixteenths, rising; the reference rises with x. Cells, rightwards and up: the eight
 * functions at nearest; LEQUAL and GREATER linear, between 0 and 1 in quarters of a footprint; without comparison; a
 * cube; an array's layers 0 and 1; a projection; textureLod; an
 * offset. */
static void shadows(void)
{
    static const GLenum functions[] = {GL_NEVER,  GL_LESS,   GL_EQUAL,  GL_LEQUAL,  GL_GREATER, GL_NOTEQUAL,
                                       GL_GEQUAL, GL_ALWAYS, GL_LEQUAL, GL_GREATER, GL_LEQUAL,  GL_LEQUAL,
                                       GL_LEQUAL, GL_LEQUAL, GL_LEQUAL, GL_LEQUAL};
    static const char *const looks[] = {[0] =
                                            "texture(image, vec3(place, floor(place.x * 16.0) / 16.0 + 0.0))",
                                        [10] = "texture(plain, place).r",
                                        [11] = "texture(cube, vec4(1.0, place * 2.0 - 1.0, 0.5))",
                                        [12] = "texture(layers, vec4(place, floor(place.y * 2.0), 0.5))",
                                        [13] = "textureProj(image, vec4(place * 2.0, 1.0, 2.0))",
                                        [14] = "textureLod(image, vec3(place, 0.3), 0.0)",
                                        [15] = "textureOffset(image, vec3(place, 0.6), ivec2(1, 0))"};
    uint16_t depths[32];
    char body[256] = "colour = vec4(vec3(";

    for (int i = 0; i < 32; i++)
        depths[i] = (uint16_t)((i % 16) * 4369 ^ (i / 16 ? 0xffff : 0));
    for (GLuint unit = 3; unit < 4; unit--) {
        static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP,
                                         GL_TEXTURE_2D_ARRAY};
        glActiveTexture(GL_TEXTURE0 + unit);
        draw_texture(targets[unit], GL_NEAREST);
        if (unit != 1)
            glTexParameteri(targets[unit], GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        if (unit == 3)
            glTexImage3D(targets[unit], 0, GL_DEPTH_COMPONENT16, 4, 4, 2, 0, GL_DEPTH_COMPONENT,
                         GL_UNSIGNED_SHORT, depths);
        for (GLuint face = 0; face < (unit == 2 ? 6 : 1) && unit != 3; face++)
            glTexImage2D(unit == 2 ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : GL_TEXTURE_2D, 0,
                         GL_DEPTH_COMPONENT16, 4, 4, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, depths);
    }
    for (int i = 0; i < 16; i++) {
        GLint filter = i == 8 || i == 9 || i == 14 ? GL_LINEAR : GL_NEAREST;
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, (GLint)functions[i]);
        strcpy(body + 19, looks[i < 10 ? 0 : i]);
        strcat(body, "), 1);");
        draw_cell_program(
            "uniform sampler2DShadow image; uniform sampler2D plain; uniform samplerCubeShadow cube;\n"
            "uniform sampler2DArrayShadow layers;",
            body);
        glUniform1i(draw_uniform("plain"), 1);
        glUniform1i(draw_uniform("cube"), 2);
        glUniform1i(draw_uniform("layers"), 3);
        draw_cell(i, 4);
        draw_fill();
    }
}

const struct scene texture_scenes[] = {{"arrays", 30, NULL, arrays},
                                       {"volumes", 30, NULL, volumes},
                                       {"seams", 30, NULL, seams},
                                       {"fetch", 30, NULL, fetch},
                                       {"gather", 31, NULL, gather},
                                       {"shadows", 30, NULL, shadows},
                                       {0}};
