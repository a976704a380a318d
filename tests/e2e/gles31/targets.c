/* Scenes of what is drawn to: several targets, integers, floats, sRGB, depth and stencil, samples, blits, layers. */
#include "draw.h"
#include <stdio.h>
#include <stdlib.h>

static GLuint new_framebuffer(void)
{
    GLuint name;

    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    return name;
}

static GLuint new_renderbuffer(GLenum attachment, int samples, GLenum format, int size)
{
    GLuint name;

    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, size, size);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, name);
    return name;
}

/* Four targets, one in each cell. The first draw writes red by x, green by y, blue by both, and white with a
 * black square. The second, over their right halves, goes to the first and the last alone: yellow and cyan. The
 * third adds a grey band across all at half height. */
static void targets(void)
{
    static const GLenum all[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2,
                                 GL_COLOR_ATTACHMENT3},
                        ends[] = {GL_COLOR_ATTACHMENT0, GL_NONE, GL_NONE, GL_COLOR_ATTACHMENT3};
    static const char outputs[] =
        "in vec2 place; layout(location = 0) out vec4 a; layout(location = 1) out "
        "vec4 b; layout(location = 2) out vec4 c; layout(location = 3) out vec4 d;\n";
    static const char vertex[] = "in vec4 at; out vec2 place;\n"
                                 "void main() { place = at.xy * 0.5 + 0.5; gl_Position = at; }\n";
    static const char *const bodies[] = {
        "void main() { a = vec4(place.x, 0, 0, 1); b = vec4(0, place.y, 0, 1); c = vec4(0, 0, place.x * "
        "place.y, "
        "1); d = vec4(vec3(any(greaterThan(abs(place - 0.25), vec2(0.125)))), 1); }\n",
        "void main() { a = vec4(1, 1, 0, 1); b = vec4(1); c = vec4(1); d = vec4(0, 1, 1, 1); }\n",
        "void main() { a = b = c = d = vec4(vec3(0.25), 1); }\n"};
    GLuint images[4];
    char text[1024];

    new_framebuffer();
    for (int i = 0; i < 4; i++) {
        images[i] = draw_texture(GL_TEXTURE_2D, GL_NEAREST);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 128, 128);
        glFramebufferTexture2D(GL_FRAMEBUFFER, all[i], GL_TEXTURE_2D, images[i], 0);
    }
    draw_complete();
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s%s", outputs, bodies[i]);
        draw_program(vertex, text);
        glDrawBuffers(4, i == 1 ? ends : all);
        glViewport(i == 1 ? 64 : 0, i == 2 ? 52 : 0, i == 1 ? 64 : 128, i == 2 ? 8 : 128);
        if (i == 2) {
            glEnable(GL_BLEND);
            glBlendFunc(GL_ONE, GL_ONE);
        }
        draw_fill();
    }
    glDisable(GL_BLEND);
    draw_window();
    draw_cell_program("uniform sampler2D image;", "colour = texture(image, place);");
    for (int i = 0; i < 4; i++) {
        glBindTexture(GL_TEXTURE_2D, images[i]);
        draw_cell(i, 2);
        draw_fill();
    }
}

/* Targets of integers, a cell each, in the order of `kinds`, shown at 1/255 of their values, or 1/128 of what they are
 * without sign. Each is cleared to 40, 80 and 200 (signed ones to 40, -80, 100), then a square in its middle is
 * drawn: x in red, y in green, falling blue. In the uppermost row blue is masked there. */
static void integers(void)
{
    static const struct {
        GLenum format;
        bool is_signed;
    } kinds[] = {{GL_RGBA8UI, false},  {GL_RGBA16I, true}, {GL_RGBA32UI, false}, {GL_RG8I, true},
                 {GL_R32UI, false},    {GL_R16I, true},    {GL_RG32I, true},     {GL_RGBA8I, true},
                 {GL_RGBA16UI, false}, {GL_RG16UI, false}, {GL_R8UI, false},     {GL_R8I, true},
                 {GL_RGBA32I, true},   {GL_R32I, true},    {GL_RG32UI, false},   {GL_RGB10_A2UI, false}};

    for (int i = 0; i < 16; i++) {
        bool is_signed = kinds[i].is_signed;
        static const GLint cleared[] = {40, -80, 100, 1};
        static const GLuint cleared_unsigned[] = {40, 80, 200, 1};
        draw_target(kinds[i].format, 56, 56);
        if (is_signed)
            glClearBufferiv(GL_COLOR, 0, cleared);
        else
            glClearBufferuiv(GL_COLOR, 0, cleared_unsigned);
        draw_program("in vec4 at; void main() { gl_Position = at; }",
                     is_signed ? "out ivec4 colour; void main() { ivec2 p = ivec2(gl_FragCoord.xy) * 2;\n"
                                 "colour = ivec4(p.x, -p.y, 50 - p.x, 1); }"
                               : "out uvec4 colour; void main() { uvec2 p = uvec2(gl_FragCoord.xy) * 4u;\n"
                                 "colour = uvec4(p.x, p.y, 255u - p.x, 1u); }");
        glViewport(14, 14, 28, 28);
        glColorMask(1, 1, i < 12, 1);
        draw_fill();
        glColorMask(1, 1, 1, 1);
        draw_window();
        draw_cell_program(is_signed ? "uniform isampler2D image;" : "uniform usampler2D image;",
                          is_signed
                              ? "colour = vec4(vec3(abs(texelFetch(image, ivec2(place * 56.0), 0).xyz)) / "
                                "128.0, 1);"
                              : "colour = vec4(vec3(texelFetch(image, ivec2(place * 56.0), 0).xyz) / "
                                "255.0, 1);");
        draw_cell(i, 4);
        draw_fill();
    }
}

/* Targets of floats: RGBA16F, R11F_G11F_B10F, RGBA32F (not blended) and RG16F, cleared to 0.5 2 -1 (unsigned ones
 * have 0 then), a square of up to 4 added in the middle, shown at a quarter and blue raised by 1. */
static void floats(void)
{
    static const GLenum formats[] = {GL_RGBA16F, GL_R11F_G11F_B10F, GL_RGBA32F, GL_RG16F};

    for (int i = 0; i < 4; i++) {
        static const GLfloat cleared[] = {0.5f, 2, -1, 1};
        draw_target(formats[i], 128, 128);
        glClearBufferfv(GL_COLOR, 0, cleared);
        draw_cell_program("", "colour = vec4(place * 4.0 - vec2(0, 1), place.x * 3.0, 1);");
        glViewport(28, 28, 56, 56);
        if (i != 2)
            glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
        draw_fill();
        glDisable(GL_BLEND);
        draw_window();
        draw_cell_program("uniform sampler2D image;",
                          "vec4 c = texture(image, place); colour = vec4(c.rg, c.b + "
                          "1.0, 4) * 0.25;");
        draw_cell(i, 2);
        draw_fill();
    }
}

/* sRGB. Cells: a ramp of SRGB8_ALPHA8 read as linear; a linear ramp written to such a target and read back through
 * it; the same ramp written, read by a copy that keeps bytes; half of white blended over black there. */
static void srgb(void)
{
    uint8_t ramp[16][4];
    GLuint copy;

    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 4; c++)
            ramp[i][c] = (uint8_t)(c == 3 ? 255 : c == 1 ? 255 - 17 * i : 17 * i);
    for (int i = 0; i < 4; i++) {
        if (i) {
            draw_target(GL_SRGB8_ALPHA8, 128, 128);
            draw_cell_program("", i == 3 ? "colour = vec4(1, 1, 1, floor(place.x * 8.0) / 8.0);"
                                         : "colour = vec4(place.x, place.y, floor(place.x * 8.0) / 8.0, 1);");
            glClearColor(0, 0, 0, 1);
            glClear(GL_COLOR_BUFFER_BIT);
            if (i == 3)
                glEnable(GL_BLEND);
            glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
            draw_fill();
            glDisable(GL_BLEND);
            if (i >= 2) {
                uint8_t *bytes = calloc(128 * 128, 4);
                glReadPixels(0, 0, 128, 128, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
                copy = draw_texture(GL_TEXTURE_2D, GL_NEAREST);
                glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 128, 128, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
                glBindTexture(GL_TEXTURE_2D, copy);
                free(bytes);
            }
        } else {
            draw_texture(GL_TEXTURE_2D, GL_NEAREST);
            glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, 16, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, ramp);
        }
        draw_window();
        draw_cell_program("uniform sampler2D image;", "colour = vec4(texture(image, place).rgb, 1);");
        draw_cell(i, 2);
        draw_fill();
    }
}

/* Depth formats: 16, 24 with stencil, 32F, 32F with stencil. In each two slanted rectangles cross at half width: red
 * hides on the left, green on the right; blue stands where stencil is 1, which the first one wrote in the lower
 * half where it has stencil. The upper right quarter is the depth itself, read as a texture. */
static void depths(void)
{
    static const struct {
        GLenum format, attachment;
    } kinds[] = {{GL_DEPTH_COMPONENT16, GL_DEPTH_ATTACHMENT},
                 {GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT},
                 {GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT},
                 {GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT}};
    static const float planes[2][12] = {{-1, -1, -0.5f, 1, -1, 0.5f, -1, 1, -0.5f, 1, 1, 0.5f},
                                        {-1, -1, 0.53f, 1, -1, -0.51f, -1, 1, 0.53f, 1, 1, -0.51f}};

    for (int i = 0; i < 4; i++) {
        GLuint colour = draw_target(GL_RGBA8, 128, 128), depth = draw_texture(GL_TEXTURE_2D, GL_NEAREST);
        glTexStorage2D(GL_TEXTURE_2D, 1, kinds[i].format, 128, 128);
        glFramebufferTexture2D(GL_FRAMEBUFFER, kinds[i].attachment, GL_TEXTURE_2D, depth, 0);
        draw_complete();
        glClearColor(0, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        glEnable(GL_DEPTH_TEST);
        draw_cell_program("uniform vec4 hue;", "colour = hue;");
        for (int k = 0; k < 2; k++) {
            glUniform4f(draw_uniform("hue"), k ? 0 : 1, k ? 1 : 0, 0, 1);
            draw_array(0, 3, sizeof planes[k], planes[k], 0);
            if (!k)
                glEnable(GL_STENCIL_TEST);
            glEnable(GL_SCISSOR_TEST);
            glScissor(0, 0, 128, k ? 128 : 64);
            glStencilFunc(GL_ALWAYS, 1, 255);
            glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
            glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
            glDisable(GL_STENCIL_TEST);
            glDisable(GL_SCISSOR_TEST);
        }
        glDisable(GL_DEPTH_TEST);
        glEnable(GL_STENCIL_TEST);
        glStencilFunc(GL_EQUAL, 1, 255);
        glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
        glColorMask(0, 0, 1, 0);
        glUniform4f(draw_uniform("hue"), 0, 0, 1, 1);
        if (i & 1)
            draw_fill();
        glColorMask(1, 1, 1, 1);
        glDisable(GL_STENCIL_TEST);
        draw_window();
        draw_cell_program(
            "uniform sampler2D image, depth;",
            "colour = all(greaterThan(place, vec2(0.5))) ? vec4(vec3(texture(depth, place).r), 1)\n"
            ": texture(image, place);");
        glUniform1i(draw_uniform("depth"), 1);
        glActiveTexture(GL_TEXTURE1);
        glBindTexture(GL_TEXTURE_2D, depth);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, colour);
        draw_cell(i, 2);
        draw_fill();
    }
}

/* A triangle of white on blue in four samples, resolved by a blit. Cells: all samples; mask of the first two; alpha
 * to coverage of none, one, two and four from left to right; sample coverage of a half, inverted. */
static void samples(void)
{
    const float corners[] = {draw_grid(-0.9f), draw_grid(-0.8f), 0, draw_grid(0.95f), draw_grid(-0.3f), 0,
                             draw_grid(0.3f),  draw_grid(0.9f),  0};

    for (int i = 0; i < 4; i++) {
        GLuint many = new_framebuffer();
        new_renderbuffer(GL_COLOR_ATTACHMENT0, 4, GL_RGBA8, 128);
        new_renderbuffer(GL_DEPTH_STENCIL_ATTACHMENT, 4, GL_DEPTH24_STENCIL8, 128);
        draw_complete();
        glViewport(0, 0, 128, 128);
        glClearColor(0, 0, 0.5f, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        draw_cell_program(
            "", i == 2 ? "colour = vec4(1, 1, 1, float[4](0.0, 0.25, 0.5, 1.0)[int(place.x * 4.0)]);"
                       : "colour = vec4(1);");
        draw_array(0, 3, sizeof corners, corners, 0);
        if (i == 1) {
            glEnable(GL_SAMPLE_MASK);
            glSampleMaski(0, 3);
        }
        if (i == 2)
            glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        if (i == 3)
            glEnable(GL_SAMPLE_COVERAGE);
        glSampleCoverage(0.5f, GL_TRUE);
        glEnable(GL_DEPTH_TEST);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glDisable(GL_DEPTH_TEST);
        glDisable(GL_SAMPLE_MASK);
        glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        glDisable(GL_SAMPLE_COVERAGE);
        GLuint image = draw_target(GL_RGBA8, 128, 128);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, many);
        glBlitFramebuffer(0, 0, 128, 128, 0, 0, 128, 128, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        draw_window();
        draw_cell_program("uniform sampler2D image;", "colour = texture(image, place);");
        glBindTexture(GL_TEXTURE_2D, image);
        draw_cell(i, 2);
        draw_fill();
    }
}

/* A multisampled texture, its four samples one in each cell: sample N was written through mask 1 << N, with red,
 * green, blue, white, over an edge that falls to the right. */
static void sample_fetch(void)
{
    static const float hues[4][3] = {{1, 0, 0}, {0, 1, 0}, {0.3f, 0.3f, 1}, {1, 1, 1}};
    const float corners[] = {-1, -1, 0, 1, draw_grid(-0.7f), 0, draw_grid(-0.95f), 1, 0};
    GLuint image;

    new_framebuffer();
    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, image);
    glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, 32, 32, GL_TRUE);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, image, 0);
    draw_complete();
    glViewport(0, 0, 32, 32);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    draw_cell_program("uniform vec4 hue;", "colour = hue;");
    draw_array(0, 3, sizeof corners, corners, 0);
    glEnable(GL_SAMPLE_MASK);
    for (int i = 0; i < 4; i++) {
        glSampleMaski(0, 1u << i);
        glUniform4f(draw_uniform("hue"), hues[i][0], hues[i][1], hues[i][2], 1);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glDisable(GL_SAMPLE_MASK);
    draw_window();
    draw_cell_program("uniform sampler2DMS image; uniform int number;",
                      "colour = texelFetch(image, ivec2(place * vec2(textureSize(image))), number);");
    for (int i = 0; i < 4; i++) {
        glUniform1i(draw_uniform("number"), i);
        draw_cell(i, 2);
        draw_fill();
    }
}

/* Blits of an 8x8 picture (red by x, green by y, a white corner at the lower left): larger with nearest texels,
 * larger with linear ones, turned over both ways, and a part of it. */
static void blits(void)
{
    static const GLint from[4][4] = {{0, 0, 8, 8}, {0, 0, 8, 8}, {8, 8, 0, 0}, {2, 1, 6, 5}};

    draw_target(GL_RGBA8, 8, 8);
    draw_cell_program(
        "", "colour = all(lessThan(place, vec2(0.25))) ? vec4(1) : vec4(floor(place * 8.0) / 7.0, 0, "
            "1);");
    draw_fill();
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    for (int i = 0; i < 4; i++)
        glBlitFramebuffer(from[i][0], from[i][1], from[i][2], from[i][3], i % 2 * 128 + 8, i / 2 * 128 + 8,
                          i % 2 * 128 + 120, i / 2 * 128 + 120, GL_COLOR_BUFFER_BIT,
                          i == 1 ? GL_LINEAR : GL_NEAREST);
}

/* Draws into layers: of a 2D array, of a 3D texture, faces of a cube, levels of a 2D texture: a row of four each,
 * from below. Column N has N + 1 quarters of its width in the row's hue. */
static void layers(void)
{
    static const GLenum targets[] = {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_2D};
    static const char *const samplers[] = {
        "uniform sampler2DArray image; vec4 look(vec2 p, int n) { return texture(image, vec3(p, n)); }",
        "uniform sampler3D image; vec4 look(vec2 p, int n) { return texture(image, vec3(p, (float(n) + 0.5) "
        "/ "
        "4.0)); }",
        "uniform samplerCube image; vec4 look(vec2 p, int n) { vec2 q = p * 2.0 - 1.0; return texture(image, "
        "n == 0 "
        "? vec3(1, -q.y, -q.x) : n == 1 ? vec3(-1, -q.y, q.x) : n == 2 ? vec3(q.x, 1, q.y) : vec3(q.x, -1, "
        "-q.y)); }",
        "uniform sampler2D image; vec4 look(vec2 p, int n) { return textureLod(image, p, float(n)); }"};
    GLuint images[4];

    new_framebuffer();
    draw_cell_program("uniform vec4 hue; uniform float limit;",
                      "colour = place.x < limit ? hue : vec4(0, 0, 0, 1);");
    for (int row = 0; row < 4; row++) {
        images[row] = draw_texture(targets[row], GL_NEAREST);
        if (row < 2)
            glTexStorage3D(targets[row], 1, GL_RGBA8, 32, 32, 4);
        else
            glTexStorage2D(targets[row], row == 3 ? 4 : 1, GL_RGBA8, 32, 32);
        if (row == 3)
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
        for (int n = 0; n < 4; n++) {
            if (row < 2)
                glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, images[row], 0, n);
            else
                glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                       row == 2 ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)n : targets[row],
                                       images[row], row == 3 ? n : 0);
            draw_complete();
            int size = row == 3 ? 32 >> n : 32;
            glViewport(0, 0, size, size);
            glUniform4f(draw_uniform("hue"), row != 1, row != 0, row == 2, 1);
            glUniform1f(draw_uniform("limit"), (float)(n + 1) / 4);
            draw_fill();
        }
    }
    draw_window();
    for (int i = 0; i < 16; i++) {
        if (i % 4 == 0) {
            char text[1024];
            snprintf(text, sizeof text, "%s\nuniform int number;", samplers[i / 4]);
            draw_cell_program(text, "colour = look(place, number);");
        }
        glBindTexture(targets[i / 4], images[i / 4]);
        glUniform1i(draw_uniform("number"), i % 4);
        draw_cell(i, 4);
        draw_fill();
    }
}

const struct scene target_scenes[] = {{"targets", 30, NULL, targets},
                                      {"integers", 30, NULL, integers},
                                      {"floats", 30, "GL_EXT_color_buffer_float", floats},
                                      {"srgb", 30, NULL, srgb},
                                      {"depths", 30, NULL, depths},
                                      {"samples", 31, NULL, samples},
                                      {"sample-fetch", 31, NULL, sample_fetch},
                                      {"blits", 30, NULL, blits},
                                      {"layers", 30, NULL, layers},
                                      {0}};
