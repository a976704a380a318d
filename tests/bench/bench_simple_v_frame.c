/* A frame of bench_simple_v_scene (simple_v_frame.h, on the standard input) in plain C, frame after frame: microseconds each. Cleared;
 * of each launch depth, varyings, the functions of tests/libresoc/draw/shaders.c, which this file is linked with, colours. What is not
 * done is what finds the launches: clipping, tile lists, coverage. For the host, whose compiler vectorises the loops; for RV64GC without a
 * library, with tests/libresoc/start.s, under qemu-riscv64. `tests/bench/simple_v` runs both. Exit status 1: another picture.
 *
 * bench_simple_v_frame shaders|frames COUNT <FRAME     shaders: the functions alone, over what the last tile has left */
#include "tests/bench/simple_v_frame.h"

#ifdef __riscv
#include "tests/libresoc/program.h"

enum { READ = 63, CLOCK_GETTIME = 113, BRK = 214 };

static long take(void *to, long size)
{
    return call(READ, 0, (long)to, size);
}

/* `size` more bytes behind all that were taken before. */
static uint8_t *more(long size)
{
    const long end = call(BRK, 0, 0, 0);
    return call(BRK, end + size, 0, 0) == end + size ? (uint8_t *)end : 0;
}

static double microseconds(void)
{
    long t[2];
    call(CLOCK_GETTIME, 1, (long)t, 0);
    return (double)t[0] * 1e6 + (double)t[1] * 1e-3;
}
#else
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void print(const char *text)
{
    fputs(text, stdout);
}

static long take(void *to, long size)
{
    return read(0, to, (size_t)size);
}

static uint8_t *more(long size)
{
    void *at = sbrk(size);
    return at == (void *)-1 ? NULL : at;
}

static double microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}
#endif

enum { SIDE = 8, PIXELS = SIDE * SIDE, STREAMS = 64, MOST = 4096 };

void vertex(long, long, long, const void *, void *, const void *);
void fragment(long, long, long, const void *, void *, const void *);
void blend(long, long, long, const void *, void *, const void *);

static _Alignas(64) float in[STREAMS][PIXELS];
static _Alignas(64) uint32_t out[STREAMS][PIXELS], source[PIXELS];
static uint32_t *color, *depth, stride;
static const uint8_t *memory;

/* ---- a tile ---- */

static void test_depth(const struct simple_v_launch *l)
{
    for (int y = 0; y < SIDE; y++) {
        uint32_t *row = depth + (uint32_t)(l->y + y) * stride + (uint32_t)l->x;
        for (int x = 0; x < SIDE; x++) {
            const int64_t at = l->depth_c + l->depth_a * (l->x + x) + l->depth_b * (l->y + y);
            const int32_t units = (int32_t)(at >> 32), top = 0xffffff >> l->depth_shift;
            const uint32_t z = (uint32_t)(units < 0 ? 0 : units < top ? units : top) << l->depth_shift;
            row[x] = ((l->mask >> (y * SIDE + x) & 1) & (z < row[x])) ? z : row[x];
        }
    }
}

static void fill(const struct simple_v_launch *l)
{
    const double unit = (double)(1u << l->depth_shift), half = 0.5 + 0x1p-25, steps = 16777215.0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int n = y * SIDE + x;
            const int64_t at = l->depth_c + l->depth_a * (l->x + x) + l->depth_b * (l->y + y);
            double z =
                ((double)(int32_t)(at >> 32) + (double)(int32_t)((uint32_t)at >> 1) * 0x1p-31) * unit - half;
            z = z > 0 ? z : 0;
            in[0][n] = (float)(l->x + x) + 0.5f;
            in[1][n] = (float)(l->y + y) + 0.5f;
            in[2][n] = (float)((z < steps ? z : steps) * (1 / steps));
        }
    for (int n = 0; n < PIXELS; n++) {
        const float fx = in[0][n] - l->x0, fy = in[1][n] - l->y0;
        in[3][n] = (l->inv_w[0] * fx + l->inv_w[1] * fy) + l->inv_w[2];
        const float w = 1.0f / in[3][n];
        for (int k = 0; k < SIMPLE_V_FRAME_VARYINGS; k++)
            in[4 + k][n] = (l->vary[k][0] * fx + l->vary[k][1] * fy) * w + l->vary[k][2];
    }
}

static void shade(const struct simple_v_launch *l)
{
    struct simple_v_texture texture;
    fragment(0, 0, PIXELS, in, l->blends ? source : out[0],
             simple_v_texture_on_host(&texture, memory + l->uniforms, memory));
    if (l->blends)
        blend(0, 0, PIXELS, source, out[0], 0);
}

static void move(const struct simple_v_launch *l, int back)
{
    for (int y = 0; y < SIDE; y++) {
        uint32_t *row = color + (uint32_t)(l->y + y) * stride + (uint32_t)l->x;
        for (int x = 0; x < SIDE; x++)
            if (!back)
                out[0][y * SIDE + x] = row[x];
            else
                row[x] = l->mask >> (y * SIDE + x) & 1 ? out[0][y * SIDE + x] : row[x];
    }
}

/* ---- a frame ---- */

static const uint8_t *run(const struct simple_v_launch *l, int shaders)
{
    const uint8_t *behind = (const uint8_t *)(l + 1);
    if (!l->is_fragment)
        vertex(0, 0, l->lanes, behind, out, memory + l->uniforms);
    if (!l->is_fragment)
        return behind + l->in_bytes;
    if (!shaders) {
        if (l->depth_write)
            test_depth(l);
        fill(l);
        if (l->blends)
            move(l, 0);
    }
    shade(l);
    if (!shaders)
        move(l, 1);
    return behind;
}

static const uint8_t *draw(const struct simple_v_frame *f, int shaders)
{
    const uint8_t *at = memory + f->memory_bytes;
    for (uint32_t n = 0; n < stride * f->height && !shaders; n++) {
        color[n] = f->clear;
        depth[n] = 0xffffff;
    }
    for (uint64_t n = 0; n < f->count; n++)
        at = run((const struct simple_v_launch *)at, shaders);
    return at;
}

/* ---- files, numbers ---- */

static uint8_t *aligned(long size)
{
    uint8_t *at = more(size + 63);
    return at ? (uint8_t *)(((uintptr_t)at + 63) & ~(uintptr_t)63) : 0;
}

/* All of the standard input; NULL: there is no memory. */
static const uint8_t *read_all(void)
{
    enum { PIECE = 1 << 20 };
    uint8_t *first = aligned(0), *end = first;
    for (long got = 1, room = 0; got > 0; end += got, room -= got) {
        if (room < PIECE && !more(PIECE))
            return 0;
        room += room < PIECE ? PIECE : 0;
        got = take(end, PIECE);
    }
    return first;
}

static void print_number(double x)
{
    char text[24], *at = text + 22;
    uint64_t n = (uint64_t)x;
    at[0] = '\n';
    at[1] = 0;
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    print(at);
}

/* The image has whole tiles here; rows of the file have the frame's pixels. */
static int is_same(const struct simple_v_frame *f, const uint32_t *expected)
{
    for (uint32_t y = 0; y < f->height; y++)
        for (uint32_t x = 0; x < f->width; x++)
            if (color[y * stride + x] != expected[y * f->width + x])
                return 0;
    return 1;
}

int main(int argc, char **argv)
{
    const struct simple_v_frame *f = (const struct simple_v_frame *)read_all();
    if (argc != 3 || !f || f->width > MOST || f->height > MOST)
        return print("bench_simple_v_frame shaders|frames COUNT <FRAME\n"), 2;
    const uint32_t rows = (f->height + SIDE - 1) / SIDE * SIDE;
    long count = 0;
    memory = (const uint8_t *)(f + 1);
    stride = (f->width + SIDE - 1) / SIDE * SIDE;
    color = (uint32_t *)aligned((long)stride * rows * 4);
    depth = (uint32_t *)aligned((long)stride * rows * 4);
    if (!color || !depth || !is_same(f, (const uint32_t *)draw(f, 0)))
        return print("another picture\n"), 1;
    for (const char *digit = argv[2]; *digit; digit++)
        count = count * 10 + (*digit - '0');
    for (; count > 0; count--) {
        const double begun = microseconds();
        draw(f, argv[1][0] == 's');
        print_number(microseconds() - begun);
    }
    return 0;
}
