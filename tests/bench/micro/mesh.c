#include "micro.h"

#include <stdlib.h>

enum { VERTEX_BYTES = 20, MOST_CHUNKS = 64, MOST_VERTICES = 65535 };

GLuint micro_texture;

static struct chunk {
    GLuint vertices, indices;
    int count; /* indices */
} chunks[MOST_CHUNKS];
static int chunk_count;

/* The same numbers on every machine. */
static uint32_t next_random(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        micro_die("out of memory");
    return memory;
}

void micro_texture_create(int side, bool mipmaps, GLenum minify, GLenum magnify)
{
    uint8_t *texels = allocate((size_t)side * side * 4), *t = texels;
    uint32_t random = 12345;

    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++, t += 4) {
            uint32_t noise = next_random(&random);
            t[0] = (((x >> 4) ^ (y >> 4)) & 1 ? 200 : 40) + (noise >> 27);
            t[1] = x * 255 / side;
            t[2] = y * 255 / side;
            t[3] = 128 + (noise >> 26);
        }
    gl.GenTextures(1, &micro_texture);
    gl.BindTexture(GL_TEXTURE_2D, micro_texture);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    free(texels);
    if (mipmaps)
        gl.GenerateMipmap(GL_TEXTURE_2D);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, minify);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, magnify);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
}

void micro_quad_bind(void)
{
    static const float corners[8] = {-1, -1, 1, -1, -1, 1, 1, 1};
    static GLuint quad;

    if (!quad) {
        gl.GenBuffers(1, &quad);
        gl.BindBuffer(GL_ARRAY_BUFFER, quad);
        gl.BufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    }
    gl.BindBuffer(GL_ARRAY_BUFFER, quad);
    gl.VertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 8, (void *)0);
    gl.EnableVertexAttribArray(0);
    gl.DisableVertexAttribArray(1);
}

static void bind_layout(void)
{
    gl.VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, VERTEX_BYTES, (void *)0);
    gl.VertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, VERTEX_BYTES, (void *)12);
}

/* Depth by chance from -0.5 on, below 0.5, the same for a place at any size of chunk. */
static float depth_of(int x, int y)
{
    uint32_t h = (uint32_t)(x * 73856093u) ^ (uint32_t)(y * 19349663u);
    h ^= h >> 13;
    h *= 0x5bd1e995u;
    h ^= h >> 15;
    return (h & 255) / 256.f - .5f;
}

static void upload_vertices(GLuint buffer, int columns, int rows, int first, int count)
{
    size_t bytes = (size_t)(columns + 1) * (count + 1) * VERTEX_BYTES;
    float *vertices = allocate(bytes), *o = vertices;

    for (int y = first; y <= first + count; y++)
        for (int x = 0; x <= columns; x++) {
            *o++ = -1 + 2.f * x / columns;
            *o++ = -1 + 2.f * y / rows;
            *o++ = depth_of(x, y);
            *o++ = (float)x / columns;
            *o++ = (float)y / rows;
        }
    gl.BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl.BufferData(GL_ARRAY_BUFFER, bytes, vertices, GL_STATIC_DRAW);
    free(vertices);
}

static void upload_indices(GLuint buffer, int columns, int rows, bool clockwise)
{
    size_t bytes = (size_t)columns * rows * 6 * sizeof(uint16_t);
    uint16_t *indices = allocate(bytes), *o = indices;

    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            int a = y * (columns + 1) + x, b = a + 1, c = a + columns + 1, d = c + 1;
            int corners[2][6] = {{a, b, c, b, d, c}, {a, c, b, b, c, d}};
            for (int i = 0; i < 6; i++)
                *o++ = corners[clockwise][i];
        }
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
    gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, bytes, indices, GL_STATIC_DRAW);
    free(indices);
}

void micro_grid_create(int columns, int rows, bool clockwise)
{
    int most = MOST_VERTICES / (columns + 1) - 1;

    for (int i = 0; i < chunk_count; i++) {
        gl.DeleteBuffers(1, &chunks[i].vertices);
        gl.DeleteBuffers(1, &chunks[i].indices);
    }
    chunk_count = 0;
    for (int first = 0; first < rows; first += most) {
        int count = rows - first < most ? rows - first : most;
        struct chunk *chunk = &chunks[chunk_count++];

        if (chunk_count > MOST_CHUNKS)
            micro_die("a grid of %d x %d is too large", columns, rows);
        gl.GenBuffers(1, &chunk->vertices);
        upload_vertices(chunk->vertices, columns, rows, first, count);
        gl.GenBuffers(1, &chunk->indices);
        upload_indices(chunk->indices, columns, count, clockwise);
        chunk->count = columns * count * 6;
    }
}

void micro_grid_draw(void)
{
    for (int i = 0; i < chunk_count; i++) {
        gl.BindBuffer(GL_ARRAY_BUFFER, chunks[i].vertices);
        gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, chunks[i].indices);
        bind_layout();
        gl.DrawElements(GL_TRIANGLES, chunks[i].count, GL_UNSIGNED_SHORT, (void *)0);
    }
}

void micro_cloud_bind(int count)
{
    size_t floats = (size_t)count * VERTEX_BYTES / sizeof(float);
    float *vertices = allocate(floats * sizeof *vertices);
    uint32_t random = 1;
    GLuint buffer;

    for (size_t i = 0; i < floats; i++)
        vertices[i] = (next_random(&random) >> 8) / 16777216.f * 2 - 1;
    gl.GenBuffers(1, &buffer);
    gl.BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl.BufferData(GL_ARRAY_BUFFER, (size_t)count * VERTEX_BYTES, vertices, GL_STATIC_DRAW);
    free(vertices);
    bind_layout();
}
