/* Compute programs of GL ES 3.1. Each frame ends with a draw of 64x64 pixels of the result, so that captures have a
 * frame for it and its checksum tells whether it is right. */
#include "micro.h"

#include <GLES3/gl31.h>
#include <stdio.h>
#include <stdlib.h>

enum { VECTOR = 1 << 20, SAXPY_PASSES = 8, SUM_PASSES = 8, IMAGE = 1024, BLUR_PASSES = 4, MATRIX = 512 };

/* The functions of ES 3.1, looked up when a workload needs them. */
static struct {
    PFNGLDISPATCHCOMPUTEPROC DispatchCompute;
    PFNGLBINDBUFFERBASEPROC BindBufferBase;
    PFNGLBINDIMAGETEXTUREPROC BindImageTexture;
    PFNGLMEMORYBARRIERPROC MemoryBarrier;
    PFNGLUNIFORM1UIPROC Uniform1ui;
    PFNGLTEXSTORAGE2DPROC TexStorage2D;
    PFNGLTEXSUBIMAGE2DPROC TexSubImage2D;
} gl31;

#define BUFFERS                                                                                              \
    "layout(std430, binding = 0) buffer A { float a[]; }; layout(std430, binding = 1) buffer B { float "     \
    "b[]; };\n"                                                                                              \
    "layout(std430, binding = 2) buffer C { float c[]; };\n"
static const char saxpy[] = "layout(local_size_x = 128) in;\n" BUFFERS
                            "uniform float factor; void main() { uint i = gl_GlobalInvocationID.x;\n"
                            "c[i] = factor * a[i] + b[i]; }";
/* Sums of 256 numbers through shared memory: of a to b, and of b to c. */
static const char sum[] =
    "layout(local_size_x = 128) in;\n" BUFFERS
    "shared float part[128]; void main() { uint i = gl_LocalInvocationID.x, g = "
    "gl_WorkGroupID.x * 256u;\npart[i] = FROM[g + i] + FROM[g + i + 128u];\n"
    "for (uint s = 64u; s > 0u; s >>= 1) { barrier(); if (i < s) part[i] += part[i + s]; }\n"
    "if (i == 0u) TO[gl_WorkGroupID.x] = part[0]; }";
static const char blur[] =
    "layout(local_size_x = 16, local_size_y = 8) in; uniform highp sampler2D from;\n"
    "layout(rgba8, binding = 0) writeonly uniform image2D to; void main() { ivec2 p = "
    "ivec2(gl_GlobalInvocationID.xy), most = imageSize(to) - 1;\nvec4 total = vec4(0);\n"
    "for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++)\n"
    "total += texelFetch(from, clamp(p + ivec2(x, y), ivec2(0), most), 0) * float((2 - abs(x)) * (2 - "
    "abs(y)));\n"
    "imageStore(to, p, total / 16.0); }";
static const char matrix[] =
    "layout(local_size_x = 16, local_size_y = 8) in;\n" BUFFERS
    "shared float left[8][16], right[16][16]; void main() { const uint N = 512u; uvec2 l = "
    "gl_LocalInvocationID.xy, p = gl_GlobalInvocationID.xy;\nfloat total = 0.0;\n"
    "for (uint k = 0u; k < N; k += 16u) { left[l.y][l.x] = a[p.y * N + k + l.x];\n"
    "right[l.y][l.x] = b[(k + l.y) * N + p.x]; right[l.y + 8u][l.x] = b[(k + l.y + 8u) * N + p.x]; "
    "barrier();\n"
    "for (uint j = 0u; j < 16u; j++) total += left[l.y][j] * right[j][l.x];\nbarrier(); }\nc[p.y * N + p.x] "
    "= total; }";
static const char vertex[] = "#version 310 es\nin vec2 aPos; void main() { gl_Position = vec4(aPos, 0, 1); }";
static const char of_image[] = "#version 310 es\n" HIGHP "uniform highp sampler2D from; out vec4 colour;\n"
                               "void main() { colour = texelFetch(from, ivec2(gl_FragCoord.xy) * 16, 0); }";
static const char of_buffer[] =
    "#version 310 es\n" HIGHP
    "layout(std430, binding = 2) readonly buffer C { float c[]; }; uniform float scale;\n"
    "uniform uint step; out vec4 colour;\n"
    "void main() { uvec2 p = uvec2(gl_FragCoord.xy); colour = vec4(vec3(c[(p.y * 64u + p.x) * step] * "
    "scale), 1); }";

static GLuint kernels[2], show, images[2];
static GLint parameter;

/* Whether the context is one of ES 3.1. */
static bool find_functions(void)
{
    const char *version = (const char *)gl.GetString(GL_VERSION);
    int major = 0, minor = 0;

    if (!version || sscanf(version, "OpenGL ES %d.%d", &major, &minor) != 2 || major * 10 + minor < 31)
        return false;
#define FIND(name) *(void **)&gl31.name = (void *)egl.GetProcAddress("gl" #name)
    FIND(DispatchCompute);
    FIND(BindBufferBase);
    FIND(BindImageTexture);
    FIND(MemoryBarrier);
    FIND(Uniform1ui);
    FIND(TexStorage2D);
    FIND(TexSubImage2D);
#undef FIND
    return gl31.DispatchCompute && gl31.BindBufferBase && gl31.BindImageTexture && gl31.MemoryBarrier &&
           gl31.Uniform1ui;
}

static GLuint kernel(const char *body)
{
    char text[4096];
    const char *source = text;
    GLuint program = gl.CreateProgram(), shader = gl.CreateShader(GL_COMPUTE_SHADER);
    GLint good;

    snprintf(text, sizeof text, "#version 310 es\n" HIGHP "precision highp image2D;\n%s", body);
    gl.ShaderSource(shader, 1, &source, NULL);
    gl.CompileShader(shader);
    gl.AttachShader(program, shader);
    gl.LinkProgram(program);
    gl.GetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good)
        micro_die("a compute program does not link");
    gl.DeleteShader(shader);
    return program;
}

/* A buffer of so many floats at a binding: of 0 to 1 by chance, the same everywhere, or not set. */
static void floats(GLuint binding, size_t count, bool random)
{
    float *data = random ? malloc(count * sizeof *data) : NULL;
    uint32_t state = 12345 + binding;
    GLuint name;

    for (size_t i = 0; data && i < count; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (float)(state >> 16) / 65536;
    }
    gl.GenBuffers(1, &name);
    gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, name);
    gl.BufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)(count * sizeof *data), data, GL_DYNAMIC_COPY);
    gl31.BindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, name);
    free(data);
}

/* An image of RGBA bytes by chance, the same everywhere. */
static GLuint image(void)
{
    uint32_t *texels = malloc(IMAGE * IMAGE * sizeof *texels), state = 54321;
    GLuint name;

    for (int i = 0; i < IMAGE * IMAGE; i++)
        texels[i] = (state = state * 1664525u + 1013904223u) >> 8 | 0xff000000;
    gl.GenTextures(1, &name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl31.TexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, IMAGE, IMAGE);
    gl31.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, IMAGE, IMAGE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    free(texels);
    return name;
}

/* Two vectors or matrices and what comes out, or two images. */
static void upload(enum micro_compute_kind kind)
{
    size_t count = kind == COMPUTE_MATRIX ? MATRIX * MATRIX : VECTOR;

    for (GLuint i = 0; i < 3 && kind != COMPUTE_BLUR; i++)
        floats(i, count, i < 2);
    for (int i = 0; i < 2 && kind == COMPUTE_BLUR; i++)
        images[i] = image();
}

static void build(enum micro_compute_kind kind)
{
    static const char *const texts[] = {
        [COMPUTE_SAXPY] = saxpy, [COMPUTE_BLUR] = blur, [COMPUTE_MATRIX] = matrix};
    char text[2048];

    for (int i = 0; i < 2 && kind == COMPUTE_SUM; i++) {
        snprintf(text, sizeof text, "#define FROM %s\n#define TO %s\n%s", i ? "b" : "a", i ? "c" : "b", sum);
        kernels[i] = kernel(text);
    }
    if (kind != COMPUTE_SUM)
        kernels[0] = kernel(texts[kind]);
    parameter = gl.GetUniformLocation(kernels[0], "factor");
}

/* Which elements of the result are drawn, and at which scale, so that they are from 0 to 1. */
static void build_show(enum micro_compute_kind kind)
{
    static const float scales[] = {
        [COMPUTE_SAXPY] = 0.25f, [COMPUTE_SUM] = 1.f / 65536, [COMPUTE_MATRIX] = 1.f / 256};
    static const GLuint steps[] = {[COMPUTE_SAXPY] = 255, [COMPUTE_SUM] = 0, [COMPUTE_MATRIX] = 61};

    show = micro_program(vertex, kind == COMPUTE_BLUR ? of_image : of_buffer);
    if (kind == COMPUTE_BLUR)
        return;
    gl.UseProgram(show);
    gl.Uniform1f(gl.GetUniformLocation(show, "scale"), scales[kind]);
    gl31.Uniform1ui(gl.GetUniformLocation(show, "step"), steps[kind]);
}

/* Buffers, textures and programs of a workload are not deleted. */
bool micro_compute_setup(struct workload *w)
{
    static const double work[] = {[COMPUTE_SAXPY] = (double)VECTOR * SAXPY_PASSES,
                                  [COMPUTE_SUM] = (double)VECTOR * SUM_PASSES,
                                  [COMPUTE_BLUR] = (double)IMAGE * IMAGE * BLUR_PASSES,
                                  [COMPUTE_MATRIX] = (double)MATRIX * MATRIX * MATRIX};

    if (!find_functions())
        return false;
    upload(w->kind);
    build(w->kind);
    build_show(w->kind);
    micro_quad_bind();
    w->work = work[w->kind];
    return true;
}

static void dispatch(GLuint program, GLuint x, GLuint y)
{
    gl.UseProgram(program);
    gl31.DispatchCompute(x, y, 1);
    gl31.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT |
                       GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

static void blur_passes(void)
{
    for (int i = 0; i < BLUR_PASSES; i++) {
        gl.BindTexture(GL_TEXTURE_2D, images[i & 1]);
        gl31.BindImageTexture(0, images[~i & 1], 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
        dispatch(kernels[0], IMAGE / 16, IMAGE / 8);
    }
    gl.BindTexture(GL_TEXTURE_2D, images[BLUR_PASSES & 1]);
}

void micro_compute_frame(struct workload *w)
{
    switch (w->kind) {
    case COMPUTE_SAXPY:
        for (int i = 0; i < SAXPY_PASSES; i++) {
            gl.UseProgram(kernels[0]);
            gl.Uniform1f(parameter, (float)(i + 1) / 4);
            dispatch(kernels[0], VECTOR / 128, 1);
        }
        break;
    case COMPUTE_SUM:
        for (int i = 0; i < SUM_PASSES; i++) {
            dispatch(kernels[0], VECTOR / 256, 1);
            dispatch(kernels[1], VECTOR / 256 / 256, 1);
        }
        break;
    case COMPUTE_BLUR: blur_passes(); break;
    case COMPUTE_MATRIX: dispatch(kernels[0], MATRIX / 16, MATRIX / 8); break;
    }
    micro_begin(TARGET_COLOUR);
    gl.Viewport(0, 0, 64, 64);
    gl.UseProgram(show);
    gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}
