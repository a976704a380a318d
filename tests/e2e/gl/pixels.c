/* Pixels in patterns. */
#include "player.h"
#include <GLES2/gl2ext.h>
#include <stdlib.h>
#include <string.h>

struct pattern {
    enum { NOISE, SOLID, CHECKER, RAMP } kind;
    uint32_t seed;
    uint8_t colour[2][4];
};

static void read_pattern(struct line *l, struct pattern *pattern)
{
    static const char *kinds[] = {
        [NOISE] = "noise", [SOLID] = "solid", [CHECKER] = "checker", [RAMP] = "ramp"};
    const char *word = next_word(l);
    int kind = 0;

    while (kind <= RAMP && (!word || strcmp(kinds[kind], word) != 0))
        kind++;
    if (kind > RAMP)
        bad_line(l, "no pattern:", word);
    *pattern = (struct pattern){.kind = kind};
    if (kind == NOISE)
        pattern->seed = (uint32_t)next_int(l);
    for (int i = 0; i < (kind == SOLID ? 1 : kind == CHECKER ? 2 : 0); i++)
        for (int c = 0; c < 4; c++)
            pattern->colour[i][c] = (uint8_t)next_int(l);
}

/* Chris Wellons' lowbias32. */
uint32_t pixel_hash(uint32_t n)
{
    n = (n ^ n >> 16) * 0x7feb352du;
    n = (n ^ n >> 15) * 0x846ca68bu;
    return n ^ n >> 16;
}

static void texel(const struct pattern *p, GLsizei x, GLsizei y, GLsizei width, GLsizei height,
                  uint8_t rgba[4])
{
    switch (p->kind) {
    case NOISE:
        for (int c = 0; c < 4; c++)
            rgba[c] = (uint8_t)(pixel_hash(pixel_hash(p->seed) + (uint32_t)(y * width + x)) >> 8 * c);
        break;
    case SOLID: memcpy(rgba, p->colour[0], 4); break;
    case CHECKER: memcpy(rgba, p->colour[(x ^ y) & 1], 4); break;
    case RAMP:
        rgba[0] = (uint8_t)(width > 1 ? x * 255 / (width - 1) : 128);
        rgba[1] = (uint8_t)(height > 1 ? y * 255 / (height - 1) : 128);
        rgba[2] = (uint8_t)((rgba[0] + rgba[1]) / 2);
        rgba[3] = (uint8_t)(255 - rgba[0]);
    }
}

/* Writes one texel; returns its bytes, 0 for a pair of format and type that GL does not have. */
static size_t pack(GLenum format, GLenum type, const uint8_t c[4], uint8_t *out)
{
    uint16_t word;

    switch (type) {
    case GL_UNSIGNED_SHORT_5_6_5: word = (uint16_t)(c[0] >> 3 << 11 | c[1] >> 2 << 5 | c[2] >> 3); break;
    case GL_UNSIGNED_SHORT_4_4_4_4:
        word = (uint16_t)(c[0] >> 4 << 12 | c[1] >> 4 << 8 | c[2] >> 4 << 4 | c[3] >> 4);
        break;
    case GL_UNSIGNED_SHORT_5_5_5_1:
        word = (uint16_t)(c[0] >> 3 << 11 | c[1] >> 3 << 6 | c[2] >> 3 << 1 | c[3] >> 7);
        break;
    case GL_UNSIGNED_BYTE:
        switch (format) {
        case GL_RGBA: memcpy(out, c, 4); return 4;
        case GL_BGRA_EXT: memcpy(out, (const uint8_t[]){c[2], c[1], c[0], c[3]}, 4); return 4;
        case GL_RGB: memcpy(out, c, 3); return 3;
        case GL_LUMINANCE: *out = c[0]; return 1;
        case GL_ALPHA: *out = c[3]; return 1;
        case GL_LUMINANCE_ALPHA: memcpy(out, (const uint8_t[]){c[0], c[3]}, 2); return 2;
        default: return 0;
        }
    default: return 0;
    }
    memcpy(out, &word, 2);
    return 2;
}

/* Blocks of ETC1 in individual mode: whatever their other bits, no colour overflows. */
static void *make_blocks(const struct line *l, const struct pattern *p, GLsizei width, GLsizei height,
                         size_t *bytes)
{
    size_t blocks = (size_t)((width + 3) / 4) * (size_t)((height + 3) / 4);
    uint8_t *data = malloc(*bytes = 8 * blocks);

    if (p->kind != NOISE)
        bad_line(l, "compressed images are noise", NULL);
    for (size_t i = 0; i < *bytes; i++) {
        data[i] = (uint8_t)pixel_hash(pixel_hash(p->seed) + (uint32_t)i);
        if (i % 8 == 3)
            data[i] &= (uint8_t)~2;
    }
    return data;
}

void *make_pixels(struct line *l, GLenum format, GLenum type, GLsizei width, GLsizei height, size_t *bytes)
{
    struct pattern pattern;
    GLint alignment;

    read_pattern(l, &pattern);
    if (format == GL_ETC1_RGB8_OES)
        return make_blocks(l, &pattern, width, height, bytes);
    glGetIntegerv(GL_UNPACK_ALIGNMENT, &alignment);
    size_t size = pack(format, type, (const uint8_t[4]){0}, (uint8_t[4]){0});
    if (!size)
        bad_line(l, "no such pixels", NULL);
    size_t stride = ((size_t)width * size + (size_t)alignment - 1) / (size_t)alignment * (size_t)alignment;
    uint8_t *data = calloc((size_t)height, stride), rgba[4];
    for (GLsizei y = 0; y < height; y++)
        for (GLsizei x = 0; x < width; x++) {
            texel(&pattern, x, y, width, height, rgba);
            pack(format, type, rgba, data + (size_t)y * stride + (size_t)x * size);
        }
    *bytes = (size_t)height * stride;
    return data;
}
