/* Primitive assembly. */
#include "tiler/assemble.h"

#include <string.h>

const char *tiler_mode_name(enum tiler_mode mode)
{
    static const char *const names[TILER_MODE_COUNT] = {
        "points",         "lines",        "line loop", "line strip", "triangles",
        "triangle strip", "triangle fan", "quads",     "quad strip", "polygon",
    };
    return names[mode];
}

void tiler_assemble_begin(struct tiler_assembler *a, enum tiler_mode mode)
{
    *a = (struct tiler_assembler){.mode = mode};
}

static inline void put(uint32_t out[3], uint32_t a, uint32_t b, uint32_t c)
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

static uint32_t points(const uint32_t *index, uint32_t count, uint32_t (*out)[3])
{
    for (uint32_t i = 0; i < count; i++)
        put(out[i], index[i], 0, 0);
    return count;
}

/* Separate lines and triangles: whole groups of indices. */
static uint32_t lines(struct tiler_assembler *a, const uint32_t *index, uint32_t count, uint32_t (*out)[3])
{
    uint32_t n = 0, i = 0;
    if (a->taken & 1)
        put(out[n++], a->before[2], index[i++], 0);
    for (; count - i >= 2; i += 2)
        put(out[n++], index[i], index[i + 1], 0);
    return n;
}

static uint32_t triangles(struct tiler_assembler *a, const uint32_t *index, uint32_t count,
                          uint32_t (*out)[3])
{
    uint32_t n = 0, i = 0, held = a->taken % 3;
    if (held && count >= 3 - held) {
        put(out[n++], a->before[3 - held], held == 2 ? a->before[2] : index[0], index[2 - held]);
        i = 3 - held;
    } else if (held) {
        return 0;
    }
    for (; count - i >= 3; i += 3)
        put(out[n++], index[i], index[i + 1], index[i + 2]);
    return n;
}

/* Strips and fans: every index but the first ones completes a primitive. */
static uint32_t line_strip(const struct tiler_assembler *a, const uint32_t *index, uint32_t count,
                           uint32_t (*out)[3])
{
    uint32_t n = 0, previous = a->before[2];
    for (uint32_t i = 0; i < count; previous = index[i++])
        if (a->taken || i)
            put(out[n++], previous, index[i], 0);
    return n;
}

static uint32_t triangle_strip(const struct tiler_assembler *a, const uint32_t *index, uint32_t count,
                               uint32_t (*out)[3])
{
    uint32_t n = 0, older = a->before[1], old = a->before[2];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = a->taken + i;
        if (at >= 2) {
            bool odd = at & 1;
            if (odd && a->first_provokes)
                put(out[n++], older, index[i], old);
            else
                put(out[n++], odd ? old : older, odd ? older : old, index[i]);
        }
        older = old;
        old = index[i];
    }
    return n;
}

static uint32_t triangle_fan(const struct tiler_assembler *a, const uint32_t *index, uint32_t count,
                             uint32_t (*out)[3])
{
    uint32_t n = 0, old = a->before[2];
    for (uint32_t i = 0; i < count; old = index[i++])
        if (a->taken + i >= 2 && a->first_provokes == (a->mode == TILER_TRIANGLE_FAN))
            put(out[n++], old, index[i], a->first);
        else if (a->taken + i >= 2)
            put(out[n++], a->first, old, index[i]);
    return n;
}

/* Two triangles of the quad v[0], v[1], v[2], v[3], each with the one that provokes. */
static void put_quad(const struct tiler_assembler *a, const uint32_t v[4], uint32_t (*out)[3])
{
    if (a->first_provokes) {
        put(out[0], v[0], v[1], v[2]);
        put(out[1], v[0], v[2], v[3]);
    } else {
        put(out[0], v[0], v[1], v[3]);
        put(out[1], v[1], v[2], v[3]);
    }
}

static uint32_t quads(const struct tiler_assembler *a, const uint32_t *index, uint32_t count,
                      uint32_t (*out)[3])
{
    uint32_t n = 0, v[4] = {0, a->before[0], a->before[1], a->before[2]};
    for (uint32_t i = 0; i < count; i++) {
        memmove(v, v + 1, 3 * sizeof *v);
        v[3] = index[i];
        if ((a->taken + i) % 4 == 3) {
            put_quad(a, v, out + n);
            n += 2;
        }
    }
    return n;
}

/* Around a quad of a strip the last two stand the other way; the one that provokes last is the last of all. */
static uint32_t quad_strip(const struct tiler_assembler *a, const uint32_t *index, uint32_t count,
                           uint32_t (*out)[3])
{
    uint32_t n = 0, v[4] = {0, a->before[0], a->before[1], a->before[2]};
    for (uint32_t i = 0; i < count; i++) {
        memmove(v, v + 1, 3 * sizeof *v);
        v[3] = index[i];
        if (a->taken + i >= 3 && (a->taken + i) % 2) {
            const uint32_t first[4] = {v[0], v[1], v[3], v[2]}, last[4] = {v[2], v[0], v[1], v[3]};
            put_quad(a, a->first_provokes ? first : last, out + n);
            n += 2;
        }
    }
    return n;
}

uint32_t tiler_assemble(struct tiler_assembler *a, const uint32_t *index, uint32_t count, uint32_t (*out)[3])
{
    uint32_t n = 0;
    if (!count)
        return 0;
    if (!a->taken)
        a->first = index[0];
    switch (a->mode) {
    case TILER_POINTS: n = points(index, count, out); break;
    case TILER_LINES: n = lines(a, index, count, out); break;
    case TILER_LINE_LOOP:
    case TILER_LINE_STRIP: n = line_strip(a, index, count, out); break;
    case TILER_TRIANGLES: n = triangles(a, index, count, out); break;
    case TILER_QUAD_STRIP: n = quad_strip(a, index, count, out); break;
    case TILER_TRIANGLE_STRIP: n = triangle_strip(a, index, count, out); break;
    case TILER_POLYGON:
    case TILER_TRIANGLE_FAN: n = triangle_fan(a, index, count, out); break;
    case TILER_QUADS: n = quads(a, index, count, out); break;
    case TILER_MODE_COUNT: break;
    }
    for (uint32_t k = 0; k < 3; k++)
        a->before[k] = count + k >= 3 ? index[count + k - 3] : a->before[k + count];
    a->taken += count;
    return n;
}

uint32_t tiler_assemble_end(struct tiler_assembler *a, uint32_t (*out)[3])
{
    if (a->mode != TILER_LINE_LOOP || a->taken < 2)
        return 0;
    put(out[0], a->before[2], a->first, 0);
    return 1;
}
