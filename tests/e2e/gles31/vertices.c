/* Scenes of vertices: instances, restart, 32-bit indices, flat varyings, attributes, transform feedback, points. */
#include "draw.h"
#include <stdlib.h>

static const float square[] = {0, 0, 1, 0, 0, 1, 1, 1};
static const char flat_colour[] = "in vec4 hue; out vec4 colour; void main() { colour = hue; }";

/* 8x8 squares by instances: column by gl_InstanceID, red by an attribute of divisor 1, green of divisor 2, blue of
 * divisor 5; each row of 8 a draw: from below arrays and elements in turns, and a row of 0 instances (the third). In
 * each square the lower right half is darker: the vertex number reaches it. */
static void instances(void)
{
    static const GLushort order[] = {0, 1, 2, 3};
    float rows[8];

    for (int i = 0; i < 8; i++)
        rows[i] = (float)(i + 1) / 8;
    draw_program(
        "layout(location = 0) in vec2 at; layout(location = 1) in float r; layout(location = 2) in float g;\n"
        "layout(location = 3) in float b; uniform float row; out vec4 hue;\n"
        "void main() { hue = vec4(r, g, b, 1) * (gl_VertexID == 1 ? 0.5 : 1.0);\n"
        "gl_Position = vec4((at * 0.875 + vec2(gl_InstanceID, row)) * 0.25 - 1.0, 0, 1); }",
        flat_colour);
    draw_array(0, 2, sizeof square, square, 0);
    draw_array(1, 1, sizeof rows, rows, 1);
    draw_array(2, 1, sizeof rows, rows, 2);
    draw_array(3, 1, sizeof rows, rows, 5);
    draw_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof order, order);
    for (int row = 0; row < 8; row++) {
        GLsizei count = row == 2 ? 0 : 8 - row / 2;
        glUniform1f(draw_uniform("row"), (float)row);
        if (row & 1)
            glDrawElementsInstanced(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, NULL, count);
        else
            glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
    }
}

/* Primitive restart, in bytes, shorts and words: a row of cells each, from below. Columns: strips of four triangles and
 * one; a fan and another; line loops of three corners, with restarts in a row between them; strips after restarts. The
 * corners are two rows of eleven. */
static void restart(void)
{
    static const GLenum modes[] = {GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_LINE_LOOP, GL_TRIANGLE_STRIP};
    enum { R = -1 };
    static const int lists[4][12] = {{0, 11, 1, 12, 2, 13, R, 5, 16, 6, R, 8},
                                     {0, 1, 12, 11, R, 5, 6, 7, 18, 17, 16, R},
                                     {0, 2, 13, R, 4, 6, 17, R, R, 8, 10, 21},
                                     {R, R, 0, 11, 2, R, 4, 15, R, 6, 17, 8}};
    static const GLenum types[] = {GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT};
    float at[22][2];

    for (int i = 0; i < 22; i++) {
        at[i][0] = draw_grid((float)(i % 11) / 5.5f - 0.9f) + 1 / 512.0f;
        at[i][1] = draw_grid(i / 11 ? 0.8f : -0.8f);
    }
    draw_program("layout(location = 0) in vec2 at; out vec4 hue; void main() {\n"
                 "hue = vec4(gl_VertexID & 1, (gl_VertexID >> 1) & 1, 1, 1); gl_Position = vec4(at, 0, 1); }",
                 flat_colour);
    draw_array(0, 2, sizeof at, at[0], 0);
    glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
    for (int i = 0; i < 12; i++) {
        uint8_t bytes[12];
        uint16_t shorts[12];
        uint32_t words[12];
        for (int k = 0; k < 12; k++) {
            bytes[k] = (uint8_t)lists[i % 4][k];
            shorts[k] = (uint16_t)lists[i % 4][k];
            words[k] = (uint32_t)lists[i % 4][k];
        }
        const void *const data[] = {bytes, shorts, words};
        draw_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof bytes << i / 4, data[i / 4]);
        draw_cell(i, 4);
        glDrawElements(modes[i % 4], 12, types[i / 4], NULL);
    }
}

/* Indices beyond 16 bits: 70,000 corners of which all up to 65,535 lie outside of the window; 32 triangles of those
 * after it, from red to green. The white square is of the last four. */
static void wide_indices(void)
{
    enum { COUNT = 70001, FIRST = 65600 };
    float(*at)[2] = malloc(COUNT * sizeof *at);
    uint32_t list[96], last[] = {COUNT - 4, COUNT - 3, COUNT - 2, COUNT - 1};

    for (int i = 0; i < COUNT; i++) {
        int k = i - FIRST;
        at[i][0] = i < 65536 ? 5 : draw_grid((float)(k % 8 * 30 + k % 3 * 4) / 128 - 0.9f);
        at[i][1] = i < 65536 ? 5 : draw_grid((float)(k / 8 % 8 * 28 + k % 5 * 5) / 128 - 0.9f);
    }
    for (int i = 0; i < 4; i++) {
        at[COUNT - 4 + i][0] = i & 1 ? 0.125f : -0.125f;
        at[COUNT - 4 + i][1] = i & 2 ? 0.125f : -0.125f;
    }
    for (uint32_t i = 0; i < 96; i++)
        list[i] = FIRST + i / 3 * 2 % 56 + (i % 3 == 1 ? 1 : i % 3 == 2 ? 9 : 0);
    draw_program(
        "layout(location = 0) in vec2 at; out vec4 hue; void main() { int k = gl_VertexID - 65600;\n"
        "hue = k > 1000 ? vec4(1) : vec4(vec2(64 - k, k) / 64.0, 0.2, 1); gl_Position = vec4(at, 0, 1); }",
        flat_colour);
    draw_array(0, 2, COUNT * sizeof *at, at[0], 0);
    draw_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof list, list);
    glDrawElements(GL_TRIANGLES, 96, GL_UNSIGNED_INT, NULL);
    draw_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof last, last);
    glDrawRangeElements(GL_TRIANGLE_STRIP, COUNT - 4, COUNT - 1, 4, GL_UNSIGNED_INT, NULL);
    free(at);
}

/* Rows from below: triangles, strip, fan, lines of three wide, all with colours of vertices 0 to 5: red, green, blue,
 * yellow, magenta, cyan; one colour a primitive, of its provoking vertex. */
static void flat_rows(void)
{
    static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_LINE_STRIP};
    static const float hues[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};

    /* In quarters of the width, and eights for a fifth of the row's height. */
    static const int places[4][6] = {
        {0, 2, 17, 4, 6, 21}, {0, 17, 2, 19, 4, 21}, {3, 0, 16, 19, 22, 6}, {0, 17, 2, 19, 4, 21}};

    draw_array(1, 3, sizeof hues, hues[0], 0);
    for (int row = 0; row < 4; row++) {
        float at[6][2];
        for (int i = 0; i < 6; i++) {
            at[i][0] = (float)(places[row][i] % 8) / 4 - 0.88f;
            at[i][1] = (float)row / 2 - 0.95f + (float)(places[row][i] / 8) * 0.2f;
        }
        draw_array(0, 2, sizeof at, at[0], 0);
        glLineWidth(row == 3 ? 3 : 1);
        glDrawArrays(modes[row], 0, 6);
    }
}

/* GL ES: the last vertex of a primitive. */
static void flat_last(void)
{
    draw_program("layout(location = 0) in vec2 at; layout(location = 1) in vec3 rgb; flat out ivec3 hue;\n"
                 "void main() { hue = ivec3(rgb * 255.0); gl_Position = vec4(at, 0, 1); }",
                 "flat in ivec3 hue; out vec4 colour; void main() { colour = vec4(vec3(hue) / 255.0, 1); }");
    flat_rows();
}

/* Desktop GL as told: the first (of a fan the second). */
static void flat_first(void)
{
    void (*provoking)(GLenum) = (void (*)(GLenum))window_function("glProvokingVertex");

    draw_program("in vec2 at; in vec3 rgb; flat out vec3 hue; void main() { hue = rgb; gl_Position = "
                 "vec4(at, 0, 1); }",
                 "flat in vec3 hue; out vec4 colour; void main() { colour = vec4(hue, 1); }");
    provoking(0x8E4D /* GL_FIRST_VERTEX_CONVENTION */);
    flat_rows();
}

/* Attributes of other types, a column each: four points of it, their values as red, green and blue. BYTE, SHORT and
 * UNSIGNED_INT as integers; HALF_FLOAT; INT_2_10_10_10_REV and UNSIGNED_INT_2_10_10_10_REV normalized; FIXED; a
 * constant integer. */
static void attributes(void)
{
    static const struct {
        GLenum type;
        int size, bytes;
        bool whole, normalized;
        float scale;
    } kinds[] = {{GL_BYTE, 4, 4, true, false, 1 / 128.0f},
                 {GL_SHORT, 4, 8, true, false, 1 / 32768.0f},
                 {GL_UNSIGNED_INT, 4, 16, true, false, 1},
                 {GL_HALF_FLOAT, 4, 8, false, false, 0.5f},
                 {GL_INT_2_10_10_10_REV, 4, 4, false, true, 0.5f},
                 {GL_UNSIGNED_INT_2_10_10_10_REV, 4, 4, false, true, 1},
                 {GL_FIXED, 4, 16, false, false, 1},
                 {GL_UNSIGNED_SHORT, 3, 8, false, true, 1}};
    uint32_t words[16];

    for (GLuint i = 0; i < 8; i++) {
        bool is_signed = kinds[i].type == GL_BYTE || kinds[i].type == GL_SHORT;
        for (uint32_t n = 0; n < 16; n++) {
            words[n] = draw_noise(n + 100 * i);
            if (kinds[i].type == GL_HALF_FLOAT) /* an eighth to 2 */
                words[n] = (words[n] & 0x3fff3fff) | 0x30003000;
            else if (kinds[i].type == GL_FIXED) /* 0 to 1 */
                words[n] &= 0xffff;
        }
        draw_program(
            !kinds[i].whole ? "layout(location = 0) in vec4 v; uniform float x, scale; out vec4 hue;\n"
                              "void main() { hue = vec4(v.xyz * scale, 1); gl_PointSize = 28.0;\n"
                              "gl_Position = vec4(x, float(gl_VertexID) * 0.5 - 0.75, 0, 1); }"
            : is_signed     ? "layout(location = 0) in ivec4 v; uniform float x, scale; out vec4 hue;\n"
                              "void main() { hue = vec4(vec3(abs(v.xyz)) * scale, 1); gl_PointSize = 28.0;\n"
                              "gl_Position = vec4(x, float(gl_VertexID) * 0.5 - 0.75, 0, 1); }"
                            : "layout(location = 0) in uvec4 v; uniform float x, scale; out vec4 hue;\n"
                              "void main() { hue = vec4(vec3(v.xyz & 255u) / 255.0, 1); gl_PointSize = 28.0;\n"
                              "gl_Position = vec4(x, float(gl_VertexID) * 0.5 - 0.75, 0, 1); }",
            flat_colour);
        glUniform1f(draw_uniform("x"), (float)i / 4 - 0.875f);
        glUniform1f(draw_uniform("scale"), kinds[i].scale);
        draw_buffer(GL_ARRAY_BUFFER, sizeof words, words);
        if (kinds[i].whole)
            glVertexAttribIPointer(0, kinds[i].size, kinds[i].type, kinds[i].bytes, NULL);
        else
            glVertexAttribPointer(0, kinds[i].size, kinds[i].type, kinds[i].normalized, kinds[i].bytes, NULL);
        glEnableVertexAttribArray(0);
        glDrawArrays(GL_POINTS, 0, 4);
    }
}

static const char captured[] =
    "layout(location = 0) in vec2 at; out vec2 place; out vec3 hue;\n"
    "void main() { place = at.yx; hue = vec3(at * 0.5 + 0.5, 1 - gl_VertexID % 2);\n"
    "gl_Position = vec4(at, 0, 1); }";

static void draw_captured_points(GLuint places, GLuint hues, GLsizei stride, size_t offset, GLsizei count)
{
    draw_program(
        "layout(location = 0) in vec2 at; layout(location = 1) in vec3 rgb; out vec4 hue; void main() {\n"
        "hue = vec4(rgb, 1); gl_PointSize = 10.0; gl_Position = vec4(at, 0, 1); }",
        flat_colour);
    glBindBuffer(GL_ARRAY_BUFFER, places);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, stride, NULL);
    glBindBuffer(GL_ARRAY_BUFFER, hues);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, stride, (const char *)NULL + offset);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glDrawArrays(GL_POINTS, 0, count);
}

/* Transform feedback of a spiral of points, with axes exchanged: interleaved (lower left cell), in two buffers (lower
 * right); of four triangles, drawn as 12 points (upper left); paused over the middle
 * third and into a buffer with room for 40 (upper right). The bar below each is the query of primitives
 * written: a pixel each, of triangles four. */
static void feedback(void)
{
    static const char *const outputs[] = {"place", "hue"};
    float at[64][2];

    for (int i = 0; i < 64; i++) {
        /* a sixteenth of a pixel aside: outlines of squares miss the centres of pixels */
        at[i][0] = draw_grid((float)(i * 37 % 61) / 61 * 1.6f - 0.8f) + 1 / 1024.0f;
        at[i][1] = draw_grid((float)i / 40 - 0.8f) + 1 / 1024.0f;
    }
    for (int i = 0; i < 4; i++) {
        bool apart = i == 1;
        GLuint query, written, buffers[2];
        draw_captured(captured, "out vec4 colour; void main() { colour = vec4(1); }", 2, outputs,
                      apart ? GL_SEPARATE_ATTRIBS : GL_INTERLEAVED_ATTRIBS);
        draw_array(0, 2, sizeof at, at[0], 0);
        glDisableVertexAttribArray(1);
        for (GLuint k = 0; k < 2; k++) {
            buffers[k] = draw_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, i == 3 ? 40 * 20 : 64 * 20, NULL);
            if (k == 0 || apart)
                glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, k, buffers[k]);
        }
        glGenQueries(1, &query);
        glEnable(GL_RASTERIZER_DISCARD);
        glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
        glBeginTransformFeedback(i == 2 ? GL_TRIANGLES : GL_POINTS);
        if (i == 2) {
            glDrawArrays(GL_TRIANGLES, 3, 12);
        } else if (i == 3) {
            glDrawArrays(GL_POINTS, 0, 20);
            glPauseTransformFeedback();
            glDrawArrays(GL_POINTS, 20, 20);
            glResumeTransformFeedback();
            glDrawArrays(GL_POINTS, 40, 20);
        } else {
            glDrawArrays(GL_POINTS, 0, 64);
        }
        glEndTransformFeedback();
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        glDisable(GL_RASTERIZER_DISCARD);
        glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, 0);
        draw_cell(i, 2);
        draw_captured_points(buffers[0], buffers[apart], apart ? 0 : 20, apart ? 0 : 8,
                             i == 2   ? 12
                             : i == 3 ? 40
                                      : 64);
        glEnable(GL_SCISSOR_TEST);
        glScissor(i % 2 * 128, i / 2 * 128, (GLsizei)written * (i == 2 ? 4 : 1), 4);
        glClearColor(1, 1, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glDisable(GL_SCISSOR_TEST);
    }
}

/* Points of sizes that the vertex program gives, 1 to 64 from the lower left, red and green by gl_PointCoord. */
static void points(void)
{
    draw_program(
        "layout(location = 0) in vec2 at; out float n; void main() { n = float(gl_VertexID) / 15.0;\n"
        "gl_PointSize = 1.0 + floor(n * n * 252.0) / 4.0; gl_Position = vec4(at, 0, 1); }",
        "in float n; out vec4 colour; void main() { colour = vec4(gl_PointCoord, n, 1); }");
    float at[16][2];
    for (int i = 0; i < 16; i++) {
        at[i][0] = (float)(i % 4) / 2 - 0.75f + 1 / 2048.0f; /* outlines miss the centres of pixels */
        at[i][1] = (float)(i / 4) / 2 - 0.75f + 1 / 2048.0f;
    }
    draw_array(0, 2, sizeof at, at[0], 0);
    glDrawArrays(GL_POINTS, 0, 16);
}

const struct scene vertex_scenes[] = {{"instances", 30, NULL, instances},
                                      {"restart", 30, NULL, restart},
                                      {"wide-indices", 30, NULL, wide_indices},
                                      {"flat-last", 30, NULL, flat_last},
                                      {"flat-first", DESKTOP, "GL_ARB_provoking_vertex", flat_first},
                                      {"attributes", 30, NULL, attributes},
                                      {"feedback", 30, NULL, feedback},
                                      {"point-sizes", 30, NULL, points},
                                      {0}};
