#include "draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

int draw_version;

static const char head30[] = "#version 300 es\n";
static const char head31[] = "#version 310 es\n";
static const char precisions30[] =
    "precision highp float; precision highp int; precision highp sampler2D; precision highp sampler3D;\n"
    "precision highp samplerCube; precision highp sampler2DArray; precision highp sampler2DShadow;\n"
    "precision highp samplerCubeShadow; precision highp sampler2DArrayShadow; precision highp isampler2D;\n"
    "precision highp usampler2D; precision highp isampler3D; precision highp usampler3D;\n"
    "precision highp isampler2DArray; precision highp usampler2DArray; precision highp usamplerCube;\n";
static const char precisions31[] =
    "precision highp sampler2DMS; precision highp image2D; precision highp uimage2D; precision highp "
    "iimage2D;\n"
    "precision highp image3D; precision highp image2DArray; precision highp uimage2DArray;\n";

bool draw_has(const char *extension)
{
    GLint count = 0;

    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++)
        if (!strcmp((const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i), extension))
            return true;
    return false;
}

static void attach(GLuint program, GLenum stage, const char *text)
{
    const char *heads[] = {[DESKTOP] = "#version 140\n", [30] = head30, [31] = head31};
    const char *extension = !strncmp(text, "#extension", 10) ? strchr(text, '\n') : NULL;
    char line[128] = "";

    /* Stands before the precisions. */
    if (extension)
        snprintf(line, sizeof line, "%.*s\n", (int)(extension - text), text);
    const char *texts[] = {heads[draw_version], line, draw_version == DESKTOP ? "" : precisions30,
                           draw_version == 31 ? precisions31 : "", extension ? extension : text};
    char log[1024] = "";
    GLint good;
    GLuint shader = glCreateShader(stage);

    glShaderSource(shader, 5, texts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        fprintf(stderr, "%s%s\n", text, log);
        window_fail("a shader does not compile");
    }
    glAttachShader(program, shader);
}

static GLuint link_and_use(GLuint program)
{
    char log[1024] = "";
    GLint good;

    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) {
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        window_fail(log);
    }
    glUseProgram(program);
    return program;
}

static GLuint attached(const char *vertex, const char *fragment)
{
    GLuint program = glCreateProgram();

    attach(program, GL_VERTEX_SHADER, vertex);
    attach(program, GL_FRAGMENT_SHADER, fragment);
    glBindAttribLocation(program, 0, "at");
    glBindAttribLocation(program, 1, "rgb");
    return program;
}

GLuint draw_program(const char *vertex, const char *fragment)
{
    return link_and_use(attached(vertex, fragment));
}

GLuint draw_captured(const char *vertex, const char *fragment, int count, const char *const *outputs,
                     GLenum mode)
{
    GLuint program = attached(vertex, fragment);

    glTransformFeedbackVaryings(program, count, outputs, mode);
    return link_and_use(program);
}

GLuint draw_cell_program(const char *declarations, const char *body)
{
    char text[8192];

    snprintf(text, sizeof text, "in vec2 place;\nout vec4 colour;\n%s\nvoid main() {\n%s\n}\n", declarations,
             body);
    return draw_program("in vec4 at; out vec2 place;\n"
                        "void main() { place = at.xy * 0.5 + 0.5; gl_Position = at; }\n",
                        text);
}

GLuint draw_compute(const char *text)
{
    GLuint program = glCreateProgram();

    attach(program, GL_COMPUTE_SHADER, text);
    return link_and_use(program);
}

GLint draw_uniform(const char *name)
{
    GLint program;

    glGetIntegerv(GL_CURRENT_PROGRAM, &program);
    return glGetUniformLocation((GLuint)program, name);
}

void draw_cell(int number, int side)
{
    int size = (int)window.width / side;

    glViewport(number % side * size, number / side * size, size, size);
}

void draw_fill_at(float z)
{
    const float corners[] = {-1, -1, z, 1, -1, z, -1, 1, z, 1, 1, z};

    draw_array(0, 3, sizeof corners, corners, 0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void draw_fill(void)
{
    draw_fill_at(0);
}

float draw_grid(float v)
{
    return rintf(v * 256) / 256;
}

void draw_window(void)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, (GLsizei)window.width, (GLsizei)window.height);
}

GLuint draw_buffer(GLenum target, size_t bytes, const void *data)
{
    GLuint name;

    glGenBuffers(1, &name);
    glBindBuffer(target, name);
    glBufferData(target, (GLsizeiptr)bytes, data, GL_STATIC_DRAW);
    return name;
}

void draw_array(GLuint place, int size, size_t bytes, const float *data, GLuint divisor)
{
    draw_buffer(GL_ARRAY_BUFFER, bytes, data);
    glVertexAttribPointer(place, size, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(place);
    if (draw_version != DESKTOP)
        glVertexAttribDivisor(place, divisor);
}

GLuint draw_texture(GLenum target, GLenum filter)
{
    GLuint name;

    glGenTextures(1, &name);
    glBindTexture(target, name);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, (GLint)filter);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(target, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
    return name;
}

void draw_complete(void)
{
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        window_fail("the framebuffer is not complete");
}

GLuint draw_target(GLenum format, int width, int height)
{
    GLuint framebuffer, name = draw_texture(GL_TEXTURE_2D, GL_NEAREST);

    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
    draw_complete();
    glViewport(0, 0, width, height);
    return name;
}

uint32_t draw_noise(uint32_t n)
{
    n = (n ^ n >> 16) * 0x7feb352du; /* lowbias32 */
    n = (n ^ n >> 15) * 0x846ca68bu;
    return n ^ n >> 16;
}
