/* One picture a feature of OpenGL ES 2.0, shown on the first display. Built for arm64 (the emulated GPU) and
 * natively (llvmpipe): tests/e2e/features. Vertices are given in pixels and stand on sixteenths of them;
 * fragment programs compute in highp: so two good drivers draw nearly the same bytes. Usage: gl_features
 * [--samples N] SCENE... */
#include "window.h"
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- drawing ---- */

struct vertex {
    float x, y, z, w; /* in pixels from the lower left; z 0..1; clip space's w */
    float r, g, b, a;
    float s, t, u;
};

static const char vertex_text[] = "attribute vec4 position; attribute vec4 colour; attribute vec3 place;\n"
                                  "uniform vec2 size; uniform float point; varying vec4 c; varying vec3 p;\n"
                                  "void main() {\n"
                                  "  c = colour; p = place; gl_PointSize = point;\n"
                                  "  gl_Position = vec4((position.xy / size * 2.0 - 1.0) * position.w, "
                                  "(position.z * 2.0 - 1.0) * position.w, position.w);\n"
                                  "}\n";
#define FRAGMENT(body)                                                                                       \
    "precision highp float; varying vec4 c; varying vec3 p; uniform sampler2D image; uniform samplerCube "   \
    "cube;\n"                                                                                                \
    "void main() { " body " }\n"

static GLuint use(const char *fragment)
{
    const char *texts[] = {vertex_text, fragment};
    GLuint program = glCreateProgram();
    GLint good;

    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &texts[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glBindAttribLocation(program, 0, "position");
    glBindAttribLocation(program, 1, "colour");
    glBindAttribLocation(program, 2, "place");
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good)
        window_fail("a program does not link");
    glUseProgram(program);
    glUniform2f(glGetUniformLocation(program, "size"), (float)window.width, (float)window.height);
    glUniform1f(glGetUniformLocation(program, "point"), 1);
    return program;
}

static void source(const struct vertex *v)
{
    const char *base = (const char *)v;

    for (GLuint i = 0; i < 3; i++)
        glEnableVertexAttribArray(i);
    glVertexAttribPointer(0, 4, GL_FLOAT, 0, sizeof *v, base);
    glVertexAttribPointer(1, 4, GL_FLOAT, 0, sizeof *v, base + 4 * sizeof(float));
    glVertexAttribPointer(2, 3, GL_FLOAT, 0, sizeof *v, base + 8 * sizeof(float));
}

static void draw(GLenum mode, const struct vertex *v, GLsizei count)
{
    source(v);
    glDrawArrays(mode, 0, count);
}

static const float red[4] = {1, 0.2f, 0.1f, 0.6f}, blue[4] = {0.1f, 0.3f, 1, 0.4f}, white[4] = {1, 1, 1, 1};

static struct vertex at(float x, float y, const float colour[4])
{
    return (struct vertex){x, y, 0.5f, 1, colour[0], colour[1], colour[2], colour[3], 0, 0, 0};
}

/* A rectangle whose place runs from 0 to `repeat`. */
static void rectangle(float x, float y, float width, float height, float z, const float colour[4],
                      float repeat)
{
    struct vertex v[4];

    for (int i = 0; i < 4; i++) {
        v[i] = at(i & 1 ? x + width : x, i & 2 ? y + height : y, colour);
        v[i].z = z;
        v[i].s = i & 1 ? repeat : 0;
        v[i].t = i & 2 ? repeat : 0;
    }
    draw(GL_TRIANGLE_STRIP, v, 4);
}

static float sixteenth(float x)
{
    return floorf(x * 16) / 16;
}

static void ramp(void) /* a background with every value in it */
{
    struct vertex v[4];

    for (int i = 0; i < 4; i++) {
        const float colour[4] = {i & 1, i & 2 ? 1.0f : 0, 1 - (float)(i & 1), i & 2 ? 0.25f : 0.75f};
        v[i] = at(i & 1 ? (float)window.width : 0, i & 2 ? (float)window.height : 0, colour);
    }
    draw(GL_TRIANGLE_STRIP, v, 4);
}

/* ---- scenes ---- */

static void points(void)
{
    GLuint program = use(FRAGMENT("gl_FragColor = vec4(gl_PointCoord, c.b, 1.0);"));
    float size = 1;

    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 6; x++, size *= 1.11f) {
            struct vertex v = at(20 + x * 43 + x / 16.0f, 20 + y * 43 + y / 16.0f, y & 1 ? red : blue);
            glUniform1f(glGetUniformLocation(program, "point"), sixteenth(size));
            draw(GL_POINTS, &v, 1);
        }
}

static void lines(void)
{
    struct vertex v[64];

    use(FRAGMENT("gl_FragColor = c;"));
    for (int i = 0; i < 64; i += 2) {
        float angle = (float)i / 64 * 6.2831853f;
        v[0] = at(128.1875f, 128.3125f, red);
        v[1] = at(sixteenth(128.1875f + 120 * cosf(angle)), sixteenth(128.3125f + 120 * sinf(angle)), blue);
        glLineWidth((float)(i / 8 + 1));
        draw(GL_LINES, v, 2);
    }
    for (int i = 0; i < 24; i++)
        v[i] = at(sixteenth(128 + (i & 1 ? 60 : 90) * cosf((float)i * 0.2618f)),
                  sixteenth(128 + (i & 1 ? 60 : 90) * sinf((float)i * 0.2618f)), white);
    glLineWidth(1);
    draw(GL_LINE_LOOP, v, 24);
    glLineWidth(3);
    draw(GL_LINE_STRIP, v, 12);
}

static void triangles(void)
{
    struct vertex v[40];
    GLushort indices[60];
    GLuint buffers[2];

    use(FRAGMENT("gl_FragColor = c;"));
    v[0] = at(70.5f, 180.25f, white);
    for (int i = 1; i < 14; i++)
        v[i] = at(sixteenth(70.5f + 60 * cosf((float)i * 0.5f)),
                  sixteenth(180.25f + 60 * sinf((float)i * 0.5f)), i & 1 ? red : blue);
    draw(GL_TRIANGLE_FAN, v, 14);
    for (int i = 0; i < 40; i++)
        v[i] = at(sixteenth(10 + (float)i * 6.1f), i & 1 ? 10.0625f : sixteenth(60 + (float)(i % 7) * 5),
                  i % 3 ? red : blue);
    glEnable(GL_CULL_FACE);
    for (int i = 0; i < 60; i++) /* a strip's triangles one by one; every third turned, and so culled */
        indices[i] = (GLushort)(i / 3 + (i / 3 % 3 == 0 ? 2 - i % 3 : i % 3));
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof v, v, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    source(NULL);
    glCullFace(GL_BACK);
    glDrawElements(GL_TRIANGLES, 60, GL_UNSIGNED_SHORT, 0);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    glDisable(GL_CULL_FACE);
    /* through the eye and far beside the window */
    v[0] = at(200, 100, white), v[1] = at(5000, 200, red), v[2] = at(150, 5000, blue);
    draw(GL_TRIANGLES, v, 3);
    v[0] = at(150, 80, white), v[1] = at(160, 250, red), v[2] = at(128, 128, blue);
    v[2].w = -0.5f;
    draw(GL_TRIANGLES, v, 3);
}

/* Nothing that reads the alpha of the window, which has none: the driver takes what the tile buffer holds. */
static void blend(void)
{
    static const GLenum ways[][3] = {{GL_FUNC_ADD, GL_ONE, GL_ONE},
                                     {GL_FUNC_ADD, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA},
                                     {GL_FUNC_ADD, GL_DST_COLOR, GL_ZERO},
                                     {GL_FUNC_ADD, GL_ONE_MINUS_DST_COLOR, GL_ONE},
                                     {GL_FUNC_SUBTRACT, GL_ONE, GL_ONE},
                                     {GL_FUNC_REVERSE_SUBTRACT, GL_ONE, GL_ONE},
                                     {GL_FUNC_ADD, GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_ALPHA},
                                     {GL_FUNC_ADD, GL_ONE_MINUS_SRC_ALPHA, GL_SRC_ALPHA},
                                     {GL_FUNC_ADD, GL_ZERO, GL_SRC_COLOR}};

    use(FRAGMENT("gl_FragColor = c;"));
    ramp();
    glEnable(GL_BLEND);
    glBlendColor(0.8f, 0.4f, 0.2f, 0.6f);
    for (int i = 0; i < 9; i++) {
        glBlendEquation(ways[i][0]);
        glBlendFunc(ways[i][1], ways[i][2]);
        rectangle(10.25f + (float)(i % 3) * 82, 10.25f + (float)(i / 3) * 82, 70, 70, 0.5f,
                  i & 1 ? red : blue, 1);
    }
    glBlendEquation(GL_FUNC_ADD);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE, GL_ONE, GL_ZERO);
    glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
    rectangle(100, 60, 60, 140, 0.5f, white, 1);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

static void stencil(void)
{
    static const GLenum ops[] = {GL_INCR, GL_INCR_WRAP, GL_DECR_WRAP, GL_INVERT, GL_REPLACE, GL_ZERO};

    use(FRAGMENT("gl_FragColor = c;"));
    glEnable(GL_STENCIL_TEST);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    for (int i = 0; i < 6; i++) {
        glStencilFunc(GL_ALWAYS, 0x5a, 0xff);
        glStencilOp(GL_KEEP, GL_KEEP, ops[i]);
        glStencilMask(i & 1 ? 0x3f : 0xff);
        for (int k = 0; k < 3; k++)
            rectangle(8.25f + (float)(i * 40), 8.25f + (float)(k * 30), 36, 120, 0.5f, white, 1);
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    for (int i = 0; i < 8; i++) { /* what a bit is set in, and last what equals 0 */
        const float colour[4] = {i & 1, i & 2 ? 1.0f : 0, i & 4 ? 1.0f : 0.3f, 1};
        glStencilFunc(i < 7 ? GL_LESS : GL_EQUAL, 0, i < 7 ? 1u << i : 0xff);
        rectangle(0, (float)(i * 32), 256, 31, 0.5f, colour, 1);
    }
    glDisable(GL_STENCIL_TEST);
}

static void depth(void)
{
    static const GLenum tests[] = {GL_LESS, GL_GEQUAL, GL_EQUAL, GL_NOTEQUAL};
    struct vertex v[3];

    use(FRAGMENT("gl_FragColor = c;"));
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    rectangle(0, 0, 256, 256, 0.5f, blue, 1);
    for (int i = 0; i < 4; i++) { /* planes through the wall */
        float x = 16.5f + (float)(i % 2) * 120, y = 16.25f + (float)(i / 2) * 120;
        v[0] = at(x, y, red), v[1] = at(x + 100, y + 10, white), v[2] = at(x + 30, y + 100, red);
        v[0].z = 0.2f, v[1].z = 0.5f, v[2].z = 0.9f;
        glDepthFunc(tests[i]);
        draw(GL_TRIANGLES, v, 3);
    }
    glDepthFunc(GL_LESS); /* the same triangles, nearer by an offset */
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-2, -64);
    v[0] = at(16.5f, 16.25f, blue), v[1] = at(116.5f, 26.25f, blue), v[2] = at(46.5f, 60, white);
    v[0].z = 0.2f, v[1].z = 0.5f, v[2].z = 0.55f;
    draw(GL_TRIANGLES, v, 3);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDepthRangef(0.4f, 0.45f);
    rectangle(110, 110, 40, 40, 0.9f, white, 1);
    glDepthRangef(0, 1);
    glDisable(GL_DEPTH_TEST);
}

/* ---- textures ---- */

static GLuint texture(GLenum target, GLenum min, GLenum mag, GLenum wrap)
{
    GLuint name;

    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)min);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, (GLint)mag);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, (GLint)wrap);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, (GLint)wrap);
    return name;
}

/* A checkered image with a bright corner; `hue` tells levels and faces apart. */
static void fill(GLenum target, int level, int width, int height, int hue)
{
    unsigned char *texels = malloc((size_t)(width * height * 4)), *to = texels;

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++, to += 4) {
            int check = (x * 8 / width + y * 8 / height) & 1, corner = x < width / 4 && y < height / 4;
            to[0] = (unsigned char)(corner ? 255 : check ? 40 + hue * 30 : 20);
            to[1] = (unsigned char)(corner ? 255 : check ? 220 - hue * 30 : 60);
            to[2] = (unsigned char)(x * 255 / width);
            to[3] = (unsigned char)(y * 255 / height);
        }
    glTexImage2D(target, level, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    free(texels);
}

static void floor_of(float x, float width)
{
    struct vertex v[4];

    for (int i = 0; i < 4; i++) {
        v[i] = at(i & 1 ? x + width : x, i & 2 ? 240.25f : 8.25f, white);
        v[i].w = i & 2 ? 16 : 1;
        v[i].s = (i & 1 ? 2.0f : 0) * (i & 2 ? 4.0f : 1);
        v[i].t = i & 2 ? 24.0f : 0;
    }
    draw(GL_TRIANGLE_STRIP, v, 4);
}

static void mipmaps(void)
{
    static const GLenum filters[] = {GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST,
                                     GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR};

    use(FRAGMENT("gl_FragColor = texture2D(image, p.xy, p.z);"));
    for (int i = 0; i < 4; i++) {
        texture(GL_TEXTURE_2D, filters[i], GL_LINEAR, GL_REPEAT);
        for (int level = 0; level <= 6; level++)
            fill(GL_TEXTURE_2D, level, 64 >> level, 64 >> level, level);
        floor_of(2.5f + (float)(i * 64), 60);
    }
}

static void wraps(void)
{
    static const GLenum wrap[] = {GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT};
    GLuint program = use(FRAGMENT("gl_FragColor = texture2D(image, p.xy * 3.0 - 1.0);"));

    for (int i = 0; i < 6; i++) {
        texture(GL_TEXTURE_2D, i & 1 ? GL_LINEAR : GL_NEAREST, i & 1 ? GL_LINEAR : GL_NEAREST, wrap[i / 2]);
        fill(GL_TEXTURE_2D, 0, 16, 32, i);
        rectangle(4.1875f + (float)(i % 3) * 84, 4.1875f + (float)(i / 3) * 84, 80, 80, 0.5f, white, 1);
    }
    for (int i = 0; i < 2; i++) { /* sizes that are no powers of two */
        texture(GL_TEXTURE_2D, i ? GL_LINEAR : GL_NEAREST, i ? GL_LINEAR : GL_NEAREST, GL_CLAMP_TO_EDGE);
        fill(GL_TEXTURE_2D, 0, 37, 23, 3);
        rectangle(4.1875f + (float)i * 126, 172, 122, 80, 0.5f, white, 1);
    }
    glDeleteProgram(program);
}

/* Textures without levels whose two filters differ, magnified and minified. */
static void filters(void)
{
    use(FRAGMENT("gl_FragColor = texture2D(image, p.xy);"));
    for (int i = 0; i < 2; i++) {
        float y = 4.1875f + (float)i * 126;

        texture(GL_TEXTURE_2D, i ? GL_LINEAR : GL_NEAREST, i ? GL_NEAREST : GL_LINEAR, GL_REPEAT);
        fill(GL_TEXTURE_2D, 0, 64, 64, i);
        rectangle(4.1875f, y, 120, 120, 0.5f, white, 1);
        rectangle(128.1875f, y, 60, 60, 0.5f, white, 1);
        rectangle(192.1875f, y, 40, 24, 0.5f, white, 1);
        rectangle(128.1875f, y + 64, 72, 56, 0.5f, white, 1);
        rectangle(204.1875f, y + 64, 20, 56, 0.5f, white, 1);
    }
}

static void cube(void)
{
    use(FRAGMENT(
        "vec2 q = p.xy * 2.0 - 1.0; gl_FragColor = textureCube(cube, vec3(q, 1.0 - 2.0 * length(q)));"));
    texture(GL_TEXTURE_CUBE_MAP, GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR, GL_CLAMP_TO_EDGE);
    for (int face = 0; face < 6; face++)
        for (int level = 0; level <= 5; level++)
            fill(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face, level, 32 >> level, 32 >> level, face);
    rectangle(8, 8, 240, 240, 0.5f, white, 1);
}

static void formats(void)
{
    static const struct {
        GLenum format, type;
        int bytes;
    } kinds[] = {{GL_RGBA, GL_UNSIGNED_BYTE, 4},          {GL_RGB, GL_UNSIGNED_BYTE, 3},
                 {GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2},    {GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2},
                 {GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2}, {GL_LUMINANCE, GL_UNSIGNED_BYTE, 1},
                 {GL_ALPHA, GL_UNSIGNED_BYTE, 1},         {GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 2}};
    unsigned char bytes[64 * 64 * 4], etc1[16 * 16 * 8];

    use(FRAGMENT("vec4 t = texture2D(image, p.xy); gl_FragColor = vec4(t.rgb * 0.75 + t.a * 0.25, 1.0);"));
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * i / 97 + i * 5 / 64);
    for (size_t i = 0; i < sizeof etc1; i++)
        etc1[i] = (unsigned char)(i % 8 == 3  ? i / 8 * 4 | (i >> 5 & 3)
                                  : i % 8 < 3 ? (i / 8 * 29 + i % 8 * 40) & 0xf8
                                              : i * 37);
    for (int i = 0; i < 9; i++) {
        texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
        if (i < 8)
            glTexImage2D(GL_TEXTURE_2D, 0, (GLint)kinds[i].format, 64, 64, 0, kinds[i].format, kinds[i].type,
                         bytes);
        else
            glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_ETC1_RGB8_OES, 64, 64, 0, sizeof etc1, etc1);
        rectangle(4.1875f + (float)(i % 3) * 84, 4.1875f + (float)(i / 3) * 84, 80, 80, 0.5f, white, 1);
    }
}

/* A framebuffer of 128x128 pixels over a new texture, both bound: its name. */
static GLuint draw_to_image(GLenum format, GLenum type, const char *missing)
{
    GLuint name, image = texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);

    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, 128, 128, 0, format, type, NULL);
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, image, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        window_fail(missing);
    glViewport(0, 0, 128, 128);
    return name;
}

/* The whole window, of the bound texture. */
static void show_image(const char *fragment)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, (GLsizei)window.width, (GLsizei)window.height);
    use(fragment);
    rectangle(0, 0, 256, 256, 0.5f, white, 1);
}

/* Draws into a texture of 5, 6 and 5 bits, with blending, and shows it larger. */
static void target565(void)
{
    draw_to_image(GL_RGB, GL_UNSIGNED_SHORT_5_6_5, "no framebuffer of 5, 6 and 5 bits");
    use(FRAGMENT("gl_FragColor = c;"));
    ramp();
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    rectangle(64, 64, 100, 100, 0.5f, red, 1);
    glDisable(GL_BLEND);
    show_image(FRAGMENT("gl_FragColor = texture2D(image, p.xy);"));
}

/* An image of halves: cleared, more than one added and taken off again, shown at a quarter. */
static void halves(void)
{
    GLuint name = draw_to_image(GL_RGBA, 0x8D61 /* GL_HALF_FLOAT_OES */, "no framebuffer of halves");

    glClearColor(0.25f, 0.5f, 0.75f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    use(FRAGMENT("gl_FragColor = c * 3.0;"));
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    rectangle(20, 20, 150, 150, 0.5f, red, 1);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    rectangle(64, 64, 180, 100, 0.5f, blue, 1);
    glFlush(); /* what follows loads it */
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    use(FRAGMENT("gl_FragColor = texture2D(image, p.xy);"));
    rectangle(0, 0, 10, 10, 0.5f, white, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    use(FRAGMENT("gl_FragColor = -c;"));
    glBlendFunc(GL_ONE, GL_ONE);
    rectangle(100, 100, 100, 150, 0.5f, red, 1);
    glDisable(GL_BLEND);
    show_image(FRAGMENT("gl_FragColor = vec4(texture2D(image, p.xy).rgb * 0.25, 1.0);"));
}

/* Loops, branches and discard that differ from pixel to pixel. */
static void flow(void)
{
    use("precision highp float; varying vec3 p; uniform float point; void main() {\n"
        "  vec2 q = p.xy * 3.0 - vec2(2.2, 1.5), z = vec2(0.0); float n = 0.0;\n"
        "  for (int i = 0; i < 40; i++) {\n"
        "    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + q;\n"
        "    if (dot(z, z) > 4.0) break;\n"
        "    n += 1.0;\n"
        "  }\n"
        "  if (n < 2.0) discard;\n"
        "  gl_FragColor = vec4(n / 40.0, fract(n / 8.0), 1.0 - n / 40.0, 1.0); }\n");
    rectangle(0, 0, 256, 256, 0.5f, white, 1);
}

/* Scissor, viewport, part of the window cleared, and copied into a texture in mid-frame. */
static void windows(void)
{
    use(FRAGMENT("gl_FragColor = c;"));
    glEnable(GL_SCISSOR_TEST);
    glScissor(13, 21, 99, 77);
    ramp();
    glScissor(120, 30, 60, 60);
    glClearColor(0.9f, 0.6f, 0.1f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    glViewport(140, 140, 100, 50);
    ramp();
    glViewport(0, 0, (GLsizei)window.width, (GLsizei)window.height);
    texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
    /* Not into an image that glTexImage2D filled: the vc4 driver of Mesa 22.3 forgets that there is something
     * to load. */
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 0, 0, 128, 128, 0);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 30, 20, 100, 10, 90, 80);
    use(FRAGMENT("gl_FragColor = texture2D(image, p.xy);"));
    rectangle(0, 128, 128, 128, 0.5f, white, 1);
}

/* Slivers across the whole window, in many tiles' lists each: more of those than a driver gives the tiler at first.
 * On vc4 less than 1 MiB: Linux 6.1 gives 512 KiB twice, and would give the second to other jobs, too, as it tells the
 * binner of 16 MiB (vc4_overflow_mem_work). */
static void slivers(void)
{
    enum { COUNT = 20000, ROUNDS = 3 };
    struct vertex *v = malloc(COUNT * 3 * sizeof *v);

    if (!v)
        window_fail("no memory");
    use(FRAGMENT("gl_FragColor = c;"));
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            const float along = (float)(i * 7919 % 4096) / 16,
                        colour[4] = {(float)(i % 31) / 30, (float)(round + 1) / ROUNDS, (float)(i % 7) / 6,
                                     1};
            v[i * 3] = at(along, 0, colour);
            v[i * 3 + 1] = at(256 - along, 256, colour);
            v[i * 3 + 2] = at(along + 0.0625f, 0, colour);
        }
        draw(GL_TRIANGLES, v, COUNT * 3);
    }
    free(v);
}

/* An image that is drawn again each time, and shown a while later: the GPU alone writes it, has then nothing to do, and may
 * have slept. */
static void rest(const float *colour)
{
    static GLuint name;
    const struct timespec while_asleep = {.tv_nsec = 100000000};
    GLint image;

    if (!name)
        name = draw_to_image(GL_RGBA, GL_UNSIGNED_BYTE, "no framebuffer of bytes");
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &image);
    glBindTexture(GL_TEXTURE_2D, (GLuint)image);
    glViewport(0, 0, 128, 128);
    glClear(GL_COLOR_BUFFER_BIT);
    use(FRAGMENT("gl_FragColor = c;"));
    rectangle(64, 64, 100, 100, 0.5f, colour, 1);
    glFinish();
    nanosleep(&while_asleep, NULL);
    show_image(FRAGMENT("gl_FragColor = texture2D(image, p.xy);"));
}

static void rest_red(void)
{
    rest(red);
}

static void rest_blue(void)
{
    rest(blue);
}

static const struct {
    const char *name;
    void (*draw)(void);
} scenes[] = {{"points", points},     {"lines", lines},        {"triangles", triangles}, {"blend", blend},
              {"stencil", stencil},   {"depth", depth},        {"mipmaps", mipmaps},     {"wraps", wraps},
              {"cube", cube},         {"formats", formats},    {"target565", target565}, {"flow", flow},
              {"windows", windows},   {"halves", halves},      {"filters", filters},     {"slivers", slivers},
              {"rest_red", rest_red}, {"rest_blue", rest_blue}};

int main(int argc, char **argv)
{
    int first = argc > 2 && !strcmp(argv[1], "--samples") ? 3 : 1;

    window_open(first == 3 ? atoi(argv[2]) : 0);
    if (!window_context(WINDOW_ES, 2, 0))
        window_fail("no context");
    for (int i = first; i < argc; i++) {
        size_t k = 0;
        while (k < sizeof scenes / sizeof scenes[0] && strcmp(scenes[k].name, argv[i]) != 0)
            k++;
        if (k == sizeof scenes / sizeof scenes[0])
            window_fail("no such scene");
        glViewport(0, 0, (GLsizei)window.width, (GLsizei)window.height);
        glDisable(GL_BLEND);
        glClearColor(0.1f, 0.15f, 0.2f, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        scenes[k].draw();
        if (glGetError())
            window_fail("a GL error");
        window_show();
    }
    return 0;
}
