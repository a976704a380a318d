/* Scenes of compute programs and of memory that programs write: shared memory and barriers, images, storage buffers,
 * atomics, indirect draws and dispatches. */
#include "draw.h"
#include <stdio.h>

/* Shows 256 words of a buffer as 16x16 squares of a cell, the first at the lower left: the word's lowest three bytes
 * are red, green and blue. */
static void show_words(GLuint buffer, int cell, int side)
{
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 7, buffer);
    draw_cell_program("layout(std430, binding = 7) readonly buffer Words { uint words[]; };",
                      "uint w = words[int(place.y * 16.0) * 16 + int(place.x * 16.0)];\n"
                      "colour = vec4(vec3(uvec3(w, w >> 8, w >> 16) & 255u) / 255.0, 1);");
    draw_cell(cell, side);
    draw_fill();
}

/* A buffer of 256 words, all `value`, bound to the binding. */
static GLuint words(GLuint binding, uint32_t value)
{
    uint32_t all[256];

    for (int i = 0; i < 256; i++)
        all[i] = value;
    GLuint name = draw_buffer(GL_SHADER_STORAGE_BUFFER, sizeof all, all);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, name);
    return name;
}

/* Whether fragment programs may read buffers; otherwise the program ends, as no picture could be shown. */
static void need_fragment_buffers(void)
{
    GLint count = 0;

    glGetIntegerv(GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS, &count);
    if (count < 1)
        window_fail("fragment programs have no storage buffers");
}

#define OUTPUT "layout(std430, binding = 0) buffer Output { uint result[]; };\n"

/* One workgroup of 64 a row of 64 words, in cells: its numbers turned round through shared memory (white at the left
 * of each quarter row); prefix sums in six steps with barriers, which rise to the right; a tree of maxima of noise
 * (one grey a workgroup); numbers of 3-dimensional workgroups, local index in red and the group's in green and blue. */
static void shared_memory(void)
{
    static const char *const bodies[] = {
        "layout(local_size_x = 64) in; " OUTPUT
        "shared uint all[64]; void main() { uint i = gl_LocalInvocationIndex;\n"
        "all[i] = i * 4u; barrier(); result[gl_WorkGroupID.x * 64u + i] = all[63u - i] * 0x10101u; }",
        "layout(local_size_x = 64) in; " OUTPUT
        "shared uint all[64]; void main() { uint i = gl_LocalInvocationIndex;\n"
        "all[i] = i & 7u; barrier(); for (uint s = 1u; s < 64u; s *= 2u) { uint v = i >= s ? all[i - s] : "
        "0u;\n"
        "barrier(); all[i] += v; barrier(); } result[gl_WorkGroupID.x * 64u + i] = all[i] << (8u * "
        "(gl_WorkGroupID.x % "
        "3u)); }",
        "layout(local_size_x = 64) in; " OUTPUT
        "shared uint all[64]; void main() { uint i = gl_LocalInvocationIndex;\n"
        "uint at = gl_WorkGroupID.x * 64u + i; all[i] = (at * 2654435761u) >> 24; if (all[i] > 60u * "
        "(gl_WorkGroupID.x + 1u)) all[i] = 0u;\n"
        "for (uint s = 32u; s > 0u; s /= 2u) { barrier(); if (i < s) all[i] = max(all[i], all[i + s]); }\n"
        "barrier(); result[at] = all[0] * 0x10101u; }",
        "layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in; " OUTPUT
        "void main() { uvec3 g = gl_GlobalInvocationID; uint at = g.x + 16u * (g.y + 4u * g.z);\n"
        "result[at] = gl_LocalInvocationIndex * 16u | gl_WorkGroupID.x * 80u << 8 | (gl_WorkGroupID.y * 2u + "
        "gl_WorkGroupID.z) * 80u << 16; }"};

    need_fragment_buffers();
    for (int i = 0; i < 4; i++) {
        GLuint out = words(0, 0xff00ff);
        draw_compute(bodies[i]);
        if (i < 3)
            glDispatchCompute(4, 1, 1);
        else
            glDispatchCompute(4, 2, 2);
        show_words(out, i, 2);
    }
}

/* Images of 64x64 texels. Cells: rgba8 written by x and y; read, turned over both ways and mixed with the first, in
 * r32ui; rgba32f of a plasma, and a rim of black from bounds by imageSize; layers of a 2D array, four bands. */
static void images(void)
{
    static const char *const bodies[] = {
        "layout(rgba8, binding = 0) writeonly uniform image2D to; void main() { ivec2 p = "
        "ivec2(gl_GlobalInvocationID.xy);\n"
        "imageStore(to, p, vec4(vec2(p) / 63.0, (p.x / 8 + p.y / 8) & 1, 1)); }",
        "layout(rgba8, binding = 1) readonly uniform image2D from; layout(r32ui, binding = 0) writeonly "
        "uniform uimage2D "
        "to;\nvoid main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy), s = imageSize(from);\n"
        "uvec4 c = uvec4(imageLoad(from, s - 1 - p) * 255.0 + 0.5); imageStore(to, p, uvec4(c.x | c.y << 8 | "
        "c.z << 16)); }",
        "layout(rgba32f, binding = 0) writeonly uniform image2D to; void main() { ivec2 p = "
        "ivec2(gl_GlobalInvocationID.xy), "
        "s = imageSize(to);\nbool rim = any(lessThan(p, ivec2(4))) || any(greaterThanEqual(p, s - 4));\n"
        "imageStore(to, p, rim ? vec4(0, 0, 0, 1) : vec4(vec2(p * p % 97) / 97.0, float(p.x * p.y % 61) / "
        "61.0, 1)); }",
        "layout(rgba8, binding = 0) writeonly uniform image2DArray to; void main() { ivec2 p = "
        "ivec2(gl_GlobalInvocationID.xy);\n"
        "for (int n = 0; n < 4; n++) imageStore(to, ivec3(p, n), vec4(n & 1, n >> 1, float(p.x) / 63.0, 1)); "
        "}"};
    static const GLenum formats[] = {GL_RGBA8, GL_R32UI, GL_RGBA32F, GL_RGBA8};
    static const char *const samplers[] = {"uniform sampler2D image;", "uniform usampler2D image;",
                                           "uniform sampler2D image;", "uniform sampler2DArray image;"};
    static const char *const shows[] = {
        "colour = texture(image, place);",
        "uint w = texture(image, place).r; colour = vec4(vec3(uvec3(w, w >> 8, w >> 16) "
        "& 255u) / 255.0, 1);",
        "colour = texture(image, place);", "colour = texture(image, vec3(place, floor(place.y * 4.0)));"};
    GLuint before = 0;

    for (int i = 0; i < 4; i++) {
        char text[1024];
        GLenum target = i == 3 ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D;
        GLuint image = draw_texture(target, GL_NEAREST);
        if (i == 3)
            glTexStorage3D(target, 1, formats[i], 64, 64, 4);
        else
            glTexStorage2D(target, 1, formats[i], 64, 64);
        snprintf(text, sizeof text, "layout(local_size_x = 8, local_size_y = 4) in;\n%s", bodies[i]);
        draw_compute(text);
        glBindImageTexture(0, image, 0, i == 3, 0, GL_WRITE_ONLY, formats[i]);
        if (i == 1)
            glBindImageTexture(1, before, 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA8);
        glDispatchCompute(8, 16, 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
        before = image;
        draw_cell_program(samplers[i], shows[i]);
        draw_cell(i, 2);
        draw_fill();
    }
}

/* Formats of images, a cell each: a program reads noise, adds a quarter (or 64), and writes it into another. */
static void image_formats(void)
{
    static const struct {
        GLenum format;
        const char *name;
        char kind;
    } kinds[] = {{GL_RGBA8, "rgba8", 'f'},       {GL_RGBA8_SNORM, "rgba8_snorm", 'f'},
                 {GL_RGBA16F, "rgba16f", 'f'},   {GL_RGBA32F, "rgba32f", 'f'},
                 {GL_R32F, "r32f", 'f'},         {GL_RGBA8UI, "rgba8ui", 'u'},
                 {GL_RGBA16UI, "rgba16ui", 'u'}, {GL_RGBA32UI, "rgba32ui", 'u'},
                 {GL_R32UI, "r32ui", 'u'},       {GL_RGBA8I, "rgba8i", 'i'},
                 {GL_RGBA16I, "rgba16i", 'i'},   {GL_RGBA32I, "rgba32i", 'i'},
                 {GL_R32I, "r32i", 'i'}};

    for (int i = 0; i < 13; i++) {
        char text[1024];
        const char *prefix = kinds[i].kind == 'f' ? "" : kinds[i].kind == 'u' ? "u" : "i";
        GLuint pair[2];
        for (int k = 0; k < 2; k++) {
            pair[k] = draw_texture(GL_TEXTURE_2D, GL_NEAREST);
            glTexStorage2D(GL_TEXTURE_2D, 1, kinds[i].format, 8, 8);
            snprintf(
                text, sizeof text,
                "layout(local_size_x = 8, local_size_y = 8) in; layout(%s, binding = 0) writeonly uniform "
                "%simage2D "
                "to;\nlayout(%s, binding = 1) readonly uniform %simage2D from;\n"
                "void main() { ivec2 p = ivec2(gl_LocalInvocationID.xy);\nuint n = uint(p.x + p.y * 8) * "
                "2654435761u >> 8;\nuvec4 w = uvec4(n, n >> 3, n >> 7, n >> 9) & 63u;\nimageStore(to, p, "
                "%s); }",
                kinds[i].name, prefix, kinds[i].name, prefix,
                k                      ? kinds[i].kind == 'f'   ? "imageLoad(from, p) + 0.25"
                                         : kinds[i].kind == 'u' ? "imageLoad(from, p) + 64u"
                                                                : "-imageLoad(from, p) - 64"
                : kinds[i].kind == 'f' ? "vec4(w) / 64.0"
                : kinds[i].kind == 'u' ? "w"
                                       : "ivec4(w)");
            draw_compute(text);
            glBindImageTexture(0, pair[k], 0, GL_FALSE, 0, GL_WRITE_ONLY, kinds[i].format);
            glBindImageTexture(1, pair[0], 0, GL_FALSE, 0, GL_READ_ONLY, kinds[i].format);
            if (!k)
                glBindImageTexture(1, 0, 0, GL_FALSE, 0, GL_READ_ONLY, kinds[i].format);
            glDispatchCompute(1, 1, 1);
            glMemoryBarrier(GL_ALL_BARRIER_BITS);
        }
        snprintf(text, sizeof text, "uniform %ssampler2D image;", prefix);
        draw_cell_program(text, kinds[i].kind == 'f' ? "colour = texture(image, place);"
                                : kinds[i].kind == 'u'
                                    ? "colour = vec4(vec3(texture(image, place).rgb) / 128.0, 1);"
                                    : "colour = vec4(vec3(abs(texture(image, place).rgb)) / 128.0, 1);");
        draw_cell(i, 4);
        draw_fill();
    }
}

/* Atomics of 256 invocations on words 0 to 8, whose results are known in any order: sum of 0 to 255, minimum and
 * maximum, and, or, exclusive or, a count of exchanges that found the bit unset, compare and swap of a counter, an
 * atomic counter. Squares 0 to 8 of the lower left cell show their low bytes; the other cells the same in shared
 * memory; by fragments (a count of its 128x128 pixels in square 0); the counter's old values, each once: a permutation
 * sorted, so a grey ramp. */
static void atomics(void)
{
    static const char operations[] =
        "atomicAdd(m[7], i); atomicMin(m[1], i + 7u); atomicMax(m[2], i); atomicAnd(m[3], ~(1u << (i & "
        "15u)));\n"
        "atomicOr(m[4], 1u << (i & 23u)); atomicXor(m[5], i * 77u); if (atomicExchange(m[6], 200u) == 3u) "
        "atomicAdd(m[8], 40u);\n"
        "for (bool done = false; !done;) { uint old = m[0]; done = atomicCompSwap(m[0], old, old + 3u) == "
        "old; }\n";
    static const char start[] = "uint[9](0u, 255u, 0u, 0xffffffu, 0u, 0u, 3u, 0u, 0u)";
    char text[2048];
    uint32_t initial[256] = {0, 255, 0, 0xffffff, 0, 0, 3};

    need_fragment_buffers();
    GLuint out = draw_buffer(GL_SHADER_STORAGE_BUFFER, sizeof initial, initial);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, out);
    snprintf(text, sizeof text,
             "layout(local_size_x = 32) in; layout(std430, binding = 0) coherent buffer M { uint m[]; };\n"
             "void main() { uint i = gl_GlobalInvocationID.x; %s }",
             operations);
    draw_compute(text);
    glDispatchCompute(8, 1, 1);
    show_words(out, 0, 2);
    out = words(0, 0);
    snprintf(text, sizeof text,
             "layout(local_size_x = 128) in; " OUTPUT "shared uint m[9];\nvoid main() { uint i = "
             "gl_LocalInvocationIndex; uint start[9] = %s;\nif (i < 9u) m[i] = start[i]; barrier(); "
             "%s barrier(); if (i < 9u) result[i + 16u * gl_WorkGroupID.x] = m[i]; }",
             start, operations);
    draw_compute(text);
    glDispatchCompute(4, 1, 1);
    show_words(out, 1, 2);
    out = words(1, 0);
    draw_cell_program(
        "layout(std430, binding = 1) buffer M { uint count[]; };",
        "atomicAdd(count[0], 1u); atomicMax(count[1], uint(gl_FragCoord.x)); colour = vec4(1);");
    draw_cell(2, 2);
    draw_fill();
    show_words(out, 2, 2);
    out = words(0, 0);
    draw_buffer(GL_ATOMIC_COUNTER_BUFFER, 4, &(uint32_t){0});
    GLint counter;
    glGetIntegerv(GL_ATOMIC_COUNTER_BUFFER_BINDING, &counter);
    glBindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, (GLuint)counter);
    draw_compute(
        "layout(local_size_x = 16) in; layout(binding = 0, offset = 0) uniform atomic_uint counter;\n" OUTPUT
        "void main() { uint n = atomicCounterIncrement(counter); result[n] = n * 0x10101u; }");
    glDispatchCompute(16, 1, 1);
    show_words(out, 3, 2);
}

/* Atomics on an image of r32ui, 16x16: 1024 invocations, four a texel, add; the cells are sums, maxima, exclusive or,
 * exchanges (the last of equal values). */
static void image_atomics(void)
{
    static const char *const bodies[] = {"imageAtomicAdd(to, p, n * 8u);", "imageAtomicMax(to, p, n * 60u);",
                                         "imageAtomicXor(to, p, n * 0x3579u);",
                                         "imageAtomicExchange(to, p, uint(p.x * 16));"};

    for (int i = 0; i < 4; i++) {
        char text[1024];
        uint32_t zeros[256] = {0};
        GLuint image = draw_texture(GL_TEXTURE_2D, GL_NEAREST);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, 16, 16);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 16, GL_RED_INTEGER, GL_UNSIGNED_INT, zeros);
        snprintf(
            text, sizeof text,
            "#extension GL_OES_shader_image_atomic : require\nlayout(local_size_x = 16, local_size_y = 4) "
            "in;\n"
            "layout(r32ui, binding = 0) uniform uimage2D to; void main() { uvec3 g = gl_GlobalInvocationID;\n"
            "ivec2 p = ivec2(g.xy); uint n = g.z + uint(p.x); %s }",
            bodies[i]);
        draw_compute(text);
        glBindImageTexture(0, image, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
        glDispatchCompute(1, 4, 4);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
        draw_cell_program("uniform usampler2D image;",
                          "uint w = texture(image, place).r; colour = vec4(vec3(uvec3(w, w "
                          ">> 4, w >> 8) & 255u) / 255.0, 1);");
        draw_cell(i, 2);
        draw_fill();
    }
}

/* Storage buffers. Cells: structures of std430 with padding, moved to words; length() of a bound range of 160 bytes,
 * whose words alone are white; words written by vertices, a row a vertex (black where vertex programs have no buffers);
 * words written by fragments, their positions. */
static void storage(void)
{
    struct {
        float at[2];
        uint32_t n, gap;
        float rgb[3];
        uint32_t last;
    } items[64];
    GLint vertex_blocks;

    need_fragment_buffers();
    for (uint32_t i = 0; i < 64; i++) {
        items[i].at[0] = (float)i / 64;
        items[i].at[1] = 1 - (float)i / 64;
        items[i].n = i * 4;
        for (int c = 0; c < 3; c++)
            items[i].rgb[c] = (float)(draw_noise(i * 3 + (uint32_t)c) & 255) / 255;
        items[i].last = i & 1 ? 0xffffff : 0;
    }
    draw_buffer(GL_SHADER_STORAGE_BUFFER, sizeof items, items);
    GLint source;
    glGetIntegerv(GL_SHADER_STORAGE_BUFFER_BINDING, &source);
    GLuint out = words(0, 0);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, (GLuint)source);
    draw_compute("layout(local_size_x = 64) in; struct Item { vec2 at; uint n; vec3 rgb; uint last; };\n"
                 "layout(std430, binding = 1) readonly buffer Items { Item items[]; };\n" OUTPUT
                 "void main() { uint i = gl_LocalInvocationIndex; Item t = items[i]; result[i] = "
                 "packUnorm4x8(vec4(t.at, 0, 0));\nresult[64u + i] = t.n << 8; result[128u + i] = "
                 "packUnorm4x8(vec4(t.rgb, 0)); result[192u + i] = t.last; }");
    glDispatchCompute(1, 1, 1);
    show_words(out, 0, 2);
    out = words(0, 0x400000);
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, out, 256, 160);
    draw_compute("layout(local_size_x = 1) in; " OUTPUT
                 "void main() { for (int i = 0; i < result.length(); i++) result[i] = 0xffffffu; }");
    glDispatchCompute(1, 1, 1);
    show_words(out, 1, 2);
    out = words(0, 0);
    glGetIntegerv(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, &vertex_blocks);
    if (vertex_blocks > 0) {
        draw_program("layout(location = 0) in vec3 at; " OUTPUT
                     "void main() { for (int i = 0; i < 16; i++) result[gl_VertexID * 16 + i] = "
                     "uint(gl_VertexID * 60 + i * "
                     "16 * 256); gl_Position = vec4(at, 1); }",
                     "out vec4 colour; void main() { colour = vec4(1, 0, 1, 1); }");
        draw_cell(2, 2);
        draw_fill();
    }
    show_words(out, 2, 2);
    out = words(0, 0);
    draw_cell_program(
        OUTPUT, "ivec2 p = ivec2(place * 16.0); result[p.y * 16 + p.x] = uint(p.x * 16 + p.y * 4096); colour "
                "= vec4(1, 0, 1, 1);");
    draw_cell(3, 2);
    draw_fill();
    show_words(out, 3, 2);
}

/* Commands that a program writes. Cells: an indirect dispatch of 3x2 workgroups (6 of 16 rows of words are white); an
 * indirect draw of two instances; of indices with a base vertex of 4; the same of none, which leaves the background. */
static void indirect(void)
{
    static const float corners[] = {-1, -1, 0, -1, -1, 0, 0, 0, /* */ 0, 0, 1, 0, 0, 1, 1, 1};
    static const GLushort order[] = {0, 1, 2, 2, 1, 3};
    GLuint commands = words(0, 0);

    need_fragment_buffers();
    draw_compute("layout(local_size_x = 1) in; " OUTPUT "void main() { uint all[17] = uint[17](3u, 2u, 1u, "
                 "4u, 2u, 0u, 0u, 6u, 1u, 0u, 4u, 0u, 6u, 0u, 0u, 0u, 0u);\n"
                 "for (int i = 0; i < 17; i++) result[i] = all[i]; }");
    glDispatchCompute(1, 1, 1);
    glMemoryBarrier(GL_COMMAND_BARRIER_BIT);
    GLuint out = words(0, 0x404040);
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, commands);
    draw_compute("layout(local_size_x = 16) in; " OUTPUT
                 "void main() { uvec3 g = gl_WorkGroupID; uint row = g.x + g.y * gl_NumWorkGroups.x;\n"
                 "result[row * 16u + gl_LocalInvocationIndex] = 0xffffffu - row * 0x300000u; }");
    glDispatchComputeIndirect(0);
    show_words(out, 0, 2);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, commands);
    draw_program("layout(location = 0) in vec2 at; out vec4 hue; void main() { hue = vec4(gl_InstanceID, 1, "
                 "gl_VertexID & 1, "
                 "1);\ngl_Position = vec4(at + vec2(gl_InstanceID, gl_InstanceID) * 0.5, 0, 1); }",
                 "in vec4 hue; out vec4 colour; void main() { colour = hue; }");
    draw_array(0, 2, sizeof corners, corners, 0);
    draw_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof order, order);
    draw_cell(1, 2);
    glDrawArraysIndirect(GL_TRIANGLE_STRIP, (const char *)NULL + 12);
    draw_cell(2, 2);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_SHORT, (const char *)NULL + 28);
    draw_cell(3, 2);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_SHORT, (const char *)NULL + 48);
}

const struct scene compute_scenes[] = {{"shared-memory", 31, NULL, shared_memory},
                                       {"images", 31, NULL, images},
                                       {"image-formats", 31, NULL, image_formats},
                                       {"atomics", 31, NULL, atomics},
                                       {"image-atomics", 31, "GL_OES_shader_image_atomic", image_atomics},
                                       {"storage", 31, NULL, storage},
                                       {"indirect", 31, NULL, indirect},
                                       {0}};
