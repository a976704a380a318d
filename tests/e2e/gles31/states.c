/* Scenes of fragments and what goes with draws: queries, uniform buffers, sync objects and copies, polygon offset,
 * discard and late depth. */
#include "draw.h"
#include <string.h>

/* GL_ANY_SAMPLES_PASSED, a cell each in the two lower rows, and its conservative form in the upper ones: a black square
 * of depth 0 in the middle, then a white rectangle behind it (hidden), one beside it, one half behind, one outside the
 * window, one of two pixels, one all of which is discarded, an empty query, one with stencil that fails. The bar below
 * is green: passed; red: not. */
static void queries(void)
{
    static const float places[8][4] = {{-0.4f, -0.4f, 0.4f, 0.4f},
                                       {-0.9f, -0.9f, -0.6f, 0.9f},
                                       {0.2f, -0.4f, 0.8f, 0.4f},
                                       {1.5f, 0, 2, 1},
                                       {0.7f, 0.7f, 0.77f, 0.77f},
                                       {-1, -1, 1, 1},
                                       {0, 0, 0, 0},
                                       {-1, -1, 1, 1}};

    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 16; i++) {
        GLenum kind = i < 8 ? GL_ANY_SAMPLES_PASSED : GL_ANY_SAMPLES_PASSED_CONSERVATIVE;
        const float *p = places[i % 8];
        const float corners[] = {p[0], p[1], 0.5f, p[2], p[1], 0.5f, p[0], p[3], 0.5f, p[2], p[3], 0.5f};
        const float middle[] = {-0.5f, -0.5f, 0, 0.5f, -0.5f, 0, -0.5f, 0.5f, 0, 0.5f, 0.5f, 0};
        GLuint query, passed;

        draw_cell(i, 4);
        draw_cell_program("uniform float limit, white;",
                          "if (place.x < limit) discard; colour = vec4(vec3(white), 1);");
        draw_array(0, 3, sizeof middle, middle, 0);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        glUniform1f(draw_uniform("limit"), i % 8 == 5 ? 2 : -1);
        glUniform1f(draw_uniform("white"), 0.8f);
        if (i % 8 == 7)
            glEnable(GL_STENCIL_TEST);
        glStencilFunc(GL_EQUAL, 1, 255);
        draw_array(0, 3, sizeof corners, corners, 0);
        glGenQueries(1, &query);
        glBeginQuery(kind, query);
        if (i % 8 != 6)
            glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        glEndQuery(kind);
        glDisable(GL_STENCIL_TEST);
        glGetQueryObjectuiv(query, GL_QUERY_RESULT, &passed);
        glEnable(GL_SCISSOR_TEST);
        glScissor(i % 4 * 64, i / 4 * 64, 64, 3);
        glClearColor(!passed, passed, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glDisable(GL_SCISSOR_TEST);
    }
    glDisable(GL_DEPTH_TEST);
}

/* Desktop GL's exact count: a bar for each of eight triangles that grow, as long as 1/64 of its pixels, beside it. */
static void samples_passed(void)
{
    void (*get)(GLuint, GLenum, GLuint *) =
        (void (*)(GLuint, GLenum, GLuint *))window_function("glGetQueryObjectuiv");
    enum { SAMPLES_PASSED = 0x8914 };

    for (int i = 0; i < 8; i++) {
        const float y = draw_grid((float)i / 4 - 0.98f), size = (float)(i + 1) / 8, left = draw_grid(-0.97f);
        const float corners[] = {left,
                                 y,
                                 0,
                                 draw_grid(size * 0.9f - 0.97f),
                                 draw_grid(y + 0.013f),
                                 0,
                                 left + 0.03125f,
                                 draw_grid(y + 0.22f),
                                 0};
        GLuint query, count;
        draw_cell_program("", "colour = vec4(1, 0.5, 0, 1);");
        draw_array(0, 3, sizeof corners, corners, 0);
        glGenQueries(1, &query);
        glBeginQuery(SAMPLES_PASSED, query);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glEndQuery(SAMPLES_PASSED);
        get(query, GL_QUERY_RESULT, &count);
        glEnable(GL_SCISSOR_TEST);
        glScissor(150, i * 32 + 4, (GLsizei)count / 16, 20);
        glClearColor(1, 1, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glDisable(GL_SCISSOR_TEST);
    }
}

/* Uniform buffers. Sixteen cells: the hue is element N of an array of vec4 in a block, at a dynamic index; the height
 * of the lower half comes through a block of the vertex program, bound by an offset; the right
 * half of the third column goes through a matrix by columns, of the fourth by rows. */
static void blocks(void)
{
    enum { STEP = 256 }; /* no alignment is larger */
    float hues[16][4];
    char heights[4 * STEP] = {0};
    static const float matrix[16] = {1, 0, 0, 0, 0.5f, 0.25f, 0, 0, 0, 0.25f, 1, 0, 0, 0, 0, 1};

    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 4; c++)
            hues[i][c] = c == 3 ? 1 : (float)(draw_noise((uint32_t)(i * 4 + c)) & 255) / 255;
    for (int i = 0; i < 4; i++)
        memcpy(heights + i * STEP, &(float){(float)(i + 1) / 4}, sizeof(float));
    GLuint program = draw_program(
        "layout(location = 0) in vec4 at; layout(std140) uniform Shape { float height; }; out vec2 place;\n"
        "void main() { place = at.xy * 0.5 + 0.5; gl_Position = vec4(at.x, (at.y + 1.0) * height - 1.0, 0, "
        "1); }",
        "in vec2 place; out vec4 colour; uniform int number;\n"
        "layout(std140) uniform Hues { vec4 hues[16]; };\n"
        "layout(std140) uniform Turn { mat4 columns; layout(row_major) mat4 rows; };\n"
        "void main() { vec4 c = hues[number]; int way = number & 3;\n"
        "colour = place.x < 0.5 || way < 2 ? c : way == 2 ? columns * c : rows * c; }");
    GLuint shapes = draw_buffer(GL_UNIFORM_BUFFER, sizeof heights, heights);
    GLuint all = draw_buffer(GL_UNIFORM_BUFFER, sizeof hues, hues);
    GLuint turns = draw_buffer(GL_UNIFORM_BUFFER, 2 * sizeof matrix, NULL);
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof matrix, matrix);
    glBufferSubData(GL_UNIFORM_BUFFER, sizeof matrix, sizeof matrix, matrix);
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Shape"), 2);
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Hues"), 0);
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Turn"), 1);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, all);
    glBindBufferBase(GL_UNIFORM_BUFFER, 1, turns);
    for (int i = 0; i < 16; i++) {
        glUniform1i(draw_uniform("number"), i);
        glBindBufferRange(GL_UNIFORM_BUFFER, 2, shapes, i / 4 * STEP, STEP);
        draw_cell(i, 4);
        draw_fill();
    }
}

/* Copies and fences. Cells: pixels read into a buffer and uploaded from it as a texture after a fence; a buffer of
 * vertices rewritten between two draws through a mapping; a copy between buffers; a mapping of a range that is flushed
 * explicitly. The first shows a gradient, each other a red square at the left and a green one at the right. */
static void copies(void)
{
    float corners[] = {-0.9f, -0.5f, 0, -0.1f, -0.5f, 0, -0.9f, 0.5f, 0, -0.1f, 0.5f, 0};

    draw_target(GL_RGBA8, 32, 32);
    draw_cell_program("", "colour = vec4(place, 0.5, 1);");
    draw_fill();
    draw_buffer(GL_PIXEL_PACK_BUFFER, 32 * 32 * 4, NULL);
    GLint pack;
    glReadPixels(0, 0, 32, 32, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 60000000000u) == GL_WAIT_FAILED)
        window_fail("a fence fails");
    glWaitSync(fence, 0, GL_TIMEOUT_IGNORED);
    glDeleteSync(fence);
    glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &pack);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, (GLuint)pack);
    draw_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    draw_window();
    draw_cell_program("uniform sampler2D image;", "colour = texture(image, place);");
    draw_cell(0, 2);
    draw_fill();
    draw_cell_program("uniform vec4 hue;", "colour = hue;");
    for (int i = 1; i < 4; i++) {
        draw_cell(i, 2);
        for (int k = 0; k < 2; k++) {
            for (int n = 0; n < 12; n += 3)
                corners[n] += k ? 1 : 0;
            glUniform4f(draw_uniform("hue"), !k, (float)k, 0, 1);
            if (!k) {
                draw_array(0, 3, sizeof corners, corners, 0);
            } else if (i == 2) {
                GLint to;
                glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &to);
                draw_buffer(GL_COPY_READ_BUFFER, sizeof corners, corners);
                glBindBuffer(GL_COPY_WRITE_BUFFER, (GLuint)to);
                glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, sizeof corners);
            } else {
                void *mapped = glMapBufferRange(GL_ARRAY_BUFFER, 0, sizeof corners,
                                                i == 3 ? GL_MAP_WRITE_BIT | GL_MAP_FLUSH_EXPLICIT_BIT
                                                       : GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
                memcpy(mapped, corners, sizeof corners);
                if (i == 3)
                    glFlushMappedBufferRange(GL_ARRAY_BUFFER, 0, sizeof corners);
                glUnmapBuffer(GL_ARRAY_BUFFER);
            }
            glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        }
        for (int n = 0; n < 12; n += 3)
            corners[n] -= 1;
    }
}

/* Polygon offset: a grey plane, then a green one at the same depth, which LESS hides where it is not nearer. Cells,
 * rightwards and up: units 0, 1, -1, -100; factors 0, 1, -1 of a slanted plane; 16 bits of depth have the same in a
 * target of their own in the two upper rows. */
static void offsets(void)
{
    static const float amounts[8][2] = {{0, 0}, {0, 1}, {0, -1}, {0, -100}, {0, 0}, {1, 0}, {-1, 0}, {-1, 4}};
    GLuint image = 0;

    for (int i = 0; i < 16; i++) {
        if (i == 8) {
            GLuint depth;
            image = draw_target(GL_RGBA8, 256, 256);
            glGenRenderbuffers(1, &depth);
            glBindRenderbuffer(GL_RENDERBUFFER, depth);
            glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, 256, 256);
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
            draw_complete();
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        }
        float slope = i % 8 < 4 ? 0 : 0.5f;
        const float corners[] = {-1, -1, -slope, 1, -1, slope, -1, 1, -slope, 1, 1, slope};
        draw_cell(i, 4);
        draw_cell_program("uniform vec4 hue;", "colour = hue;");
        glEnable(GL_DEPTH_TEST);
        glUniform4f(draw_uniform("hue"), 0.4f, 0.4f, 0.4f, 1);
        draw_array(0, 3, sizeof corners, corners, 0);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(amounts[i % 8][0], amounts[i % 8][1]);
        glUniform4f(draw_uniform("hue"), 0, 0.8f, 0.2f, 1);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glDisable(GL_POLYGON_OFFSET_FILL);
        glDisable(GL_DEPTH_TEST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 128, 256, 128);
    draw_cell_program("uniform sampler2D image;",
                      "colour = texture(image, vec2(place.x, 0.5 + 0.5 * place.y));");
    glBindTexture(GL_TEXTURE_2D, image);
    draw_fill();
}

/* Late depth. Cells: near discs of red (the rest discarded) before blue behind them; a program that writes depth, whose
 * waves stand in front of and behind a plane at 0.5; the same with discard and a depth mask of none; early tests forced
 * though the program discards, so that blue is hidden where red was discarded. */
static void late_depth(void)
{
    static const char *const bodies[] = {
        "if (length(fract(place * 4.0) - 0.5) > 0.4) discard; colour = vec4(1, 0, 0, 1);",
        "gl_FragDepth = 0.5 + 0.3 * sin(place.x * 20.0) * cos(place.y * 17.0); colour = vec4(1, place, 1);",
        "gl_FragDepth = 0.3; if (place.x + place.y > 1.0) discard; colour = vec4(1, place, 1);",
        "if (length(fract(place * 4.0) - 0.5) > 0.4) discard; colour = vec4(1, 0, 0, 1);"};

    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 4; i++) {
        draw_cell(i, 2);
        draw_cell_program(i == 3 ? "layout(early_fragment_tests) in;" : "", bodies[i]);
        if (i == 2)
            glDepthMask(GL_FALSE);
        draw_fill_at(-0.5f);
        glDepthMask(GL_TRUE);
        draw_cell_program("", "colour = vec4(0, 0, 1, 1);");
        draw_fill_at(0);
    }
    glDisable(GL_DEPTH_TEST);
}

/* Blending by MIN and MAX, a difference, and a constant, over a ramp of red by x and green by y. */
static void blends(void)
{
    static const GLenum equations[] = {GL_MIN, GL_MAX, GL_FUNC_REVERSE_SUBTRACT, GL_FUNC_ADD};

    for (int i = 0; i < 4; i++) {
        draw_cell(i, 2);
        draw_cell_program("", "colour = vec4(place, 0.25, 1);");
        draw_fill();
        glEnable(GL_BLEND);
        glBlendEquationSeparate(equations[i], i == 3 ? GL_MAX : GL_FUNC_ADD);
        glBlendColor(0.25f, 0.5f, 0.75f, 1);
        glBlendFunc(i == 2 ? GL_ONE : GL_CONSTANT_COLOR, i == 2 ? GL_ONE : GL_ONE_MINUS_CONSTANT_COLOR);
        draw_cell_program("", "colour = vec4(0.5, 1.0 - place.y, place.x, 0.5);");
        draw_fill();
        glDisable(GL_BLEND);
    }
}

const struct scene state_scenes[] = {
    {"queries", 30, NULL, queries}, {"samples-passed", DESKTOP, NULL, samples_passed},
    {"blocks", 30, NULL, blocks},   {"copies", 30, NULL, copies},
    {"offsets", 30, NULL, offsets}, {"late-depth", 31, NULL, late_depth},
    {"blends", 30, NULL, blends},   {0}};
