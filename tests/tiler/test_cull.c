/* Culling and marking: the fast forms against the slow ones, on random and on hostile vertices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tiler/cull.h"
#include "tiler/marks.h"
#include "util/bits.h"

static uint64_t seed = 11;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static int32_t between(int32_t lo, int32_t hi) /* inclusive */
{
    return lo + (int32_t)(random32() % ((uint32_t)(hi - lo) + 1));
}

/* ---- culling ---- */

#define VERTICES  200u
#define TRIANGLES 301u /* no multiple of four */

enum { SMALL, WIDE, EXTREME, CODED, BEYOND, KINDS };

/* Small: most areas are zero, most boxes hold no sample. Extreme: at the ends of what does not count as far,
 * and of 16 bits. Coded: some beyond planes, or no numbers. Beyond: some stand where 16 bits do not reach. */
static struct tiler_vertex vertex(unsigned kind)
{
    static const int16_t ends[] = {TILER_NEAR_MAX, -TILER_NEAR_MAX, 0, INT16_MAX, INT16_MIN, -1};
    int32_t x = between(-20, 20), y = between(-20, 20);
    struct tiler_vertex v = {0};
    if (kind == WIDE || kind == CODED || kind == BEYOND) {
        x = between(-TILER_NEAR_MAX, TILER_NEAR_MAX);
        y = between(-TILER_NEAR_MAX, TILER_NEAR_MAX);
    } else if (kind == EXTREME) {
        x = ends[random32() % UTIL_ARRAY_SIZE(ends)];
        y = ends[random32() % UTIL_ARRAY_SIZE(ends)];
    }
    if (kind == CODED && random32() % 3 == 0)
        v.code = random32() & (random32() % 4 ? TILER_OUT_LEFT | TILER_OUT_NEAR : 0x7f);
    if (kind == BEYOND && random32() % 5 == 0)
        v.code = TILER_WIDE;
    v.xy = (uint32_t)(x & 0xffff) | (uint32_t)y << 16;
    if (abs(x) > TILER_NEAR_MAX || abs(y) > TILER_NEAR_MAX)
        v.code |= TILER_FAR;
    return v;
}

static struct tiler_cull scene(const struct tiler_vertex *vertices)
{
    static const int32_t insets[] = {0, 2, 8};
    struct tiler_grid grid = {.shift = 5 + random32() % 2, .inset = insets[random32() % 3]};
    grid.flat = random32() % 3;
    grid.x0 = between(0, 64);
    grid.y0 = between(0, 64);
    grid.x1 = grid.x0 + between(0, 2000);
    grid.y1 = grid.y0 + between(0, 1000);
    return (struct tiler_cull){
        .vertex = vertices,
        .keep_positive = random32() % 4,
        .keep_negative = random32() % 4,
        .x = random32() % 2 ? between(-32768, 32767) : between(0, 1024 * 16),
        .y = random32() % 2 ? between(-32768, 32767) : between(0, 512 * 16),
        .grid = grid,
    };
}

static void test_cull(void **unused)
{
    struct tiler_vertex vertices[VERTICES];
    uint16_t index[TRIANGLES][3];
    uint32_t kept = 0, coded = 0, reversed = 0, outside = 0;
    for (unsigned round = 0; round < 4000; round++) {
        struct tiler_triangle fast[TRIANGLES], slow[TRIANGLES];
        struct tiler_culled a = {round, 1}, b = a;
        uint32_t count = round % 8 ? TRIANGLES : random32() % TRIANGLES;
        for (uint32_t i = 0; i < VERTICES; i++)
            vertices[i] = vertex(round % KINDS);
        for (uint32_t i = 0; i < TRIANGLES * 3; i++)
            index[i / 3][i % 3] = (uint16_t)(random32() % VERTICES);
        const struct tiler_cull cull = scene(vertices);
        uint32_t n = tiler_cull(&cull, (const uint16_t(*)[3])index, count, fast, &a);
        assert_int_equal(n, tiler_cull_scalar(&cull, (const uint16_t(*)[3])index, count, slow, &b));
        assert_int_equal(a.reversed, b.reversed);
        assert_int_equal(a.outside, b.outside);
        for (uint32_t i = 0; i < n; i++) {
            assert_memory_equal(fast[i].index, slow[i].index, sizeof slow[i].index);
            assert_int_equal(fast[i].code, slow[i].code);
            if (!slow[i].code)
                assert_memory_equal(&fast[i].box, &slow[i].box, sizeof slow[i].box);
            coded += slow[i].code != 0;
        }
        kept += n;
        reversed += b.reversed - round;
        outside += b.outside - 1;
    }
    /* All of it happened, so all of it was compared. */
    assert_true(kept - coded > 10000 && coded > 10000 && reversed > 10000 && outside > 10000);
}

/* What the slow form says of triangles whose fate is plain. */
static void test_cull_rules(void **unused)
{
    const struct tiler_vertex v[] = {{0x00000000, 0},
                                     {0x00000400, 0}, /* (0, 0), (64, 0) pixels */
                                     {0x04000000, 0},
                                     {0x00010001, 0},
                                     {0x00020002, 0},
                                     {0, TILER_OUT_NAN},
                                     {0x00000400, TILER_OUT_LEFT},
                                     {0x04000000, TILER_OUT_LEFT | TILER_OUT_FAR}};
    struct tiler_cull cull = {
        .vertex = v, .keep_positive = true, .x = 1600, .y = 800, .grid = {6, 0, 0, 0, 640, 480, 8}};
    const uint16_t index[][3] = {{0, 1, 2}, {0, 2, 1}, {0, 3, 4}, {0, 1, 5}, {0, 6, 2}, {6, 7, 6}, {0, 3, 2}};
    struct tiler_triangle out[7];
    struct tiler_culled culled = {0};
    assert_int_equal(tiler_cull_scalar(&cull, index, 7, out, &culled), 2);
    assert_int_equal(culled.reversed, 1); /* the second; the third has no area */
    assert_int_equal(culled.outside, 2);  /* beyond the left plane; between two columns of samples */
    assert_int_equal(out[0].code, 0);
    assert_int_equal(out[0].box.x0, 1); /* pixels 100 to 163, 50 to 113 */
    assert_int_equal(out[0].box.y0, 0);
    assert_int_equal(out[0].box.x1, 2);
    assert_int_equal(out[0].box.y1, 1);
    assert_int_equal(out[1].code, TILER_OUT_LEFT);
    cull.grid.x1 = 100; /* exclusive: the first pixel that the first one covers */
    assert_int_equal(tiler_cull_scalar(&cull, index, 1, out, &culled), 0);
    assert_int_equal(culled.outside, 3);
}

/* ---- marks ---- */

static int ascending(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static void test_marks(void **unused)
{
    enum { COUNT = 3000 };
    struct tiler_marks *fast = aligned_alloc(64, sizeof *fast), *slow = aligned_alloc(64, sizeof *slow);
    static uint16_t index[COUNT], got[TILER_MARKS], expected[COUNT + 1];
    memset(fast, 0, sizeof *fast);
    memset(slow, 0, sizeof *slow);
    for (unsigned draw = 0; draw < 600; draw++) { /* draw numbers wrap at 256 */
        tiler_marks_begin(fast);
        tiler_marks_begin(slow);
        uint32_t base = random32() % TILER_MARKS, reach = 1u << random32() % 17;
        for (unsigned piece = 0; piece < 3; piece++) {
            uint32_t count = 1 + random32() % COUNT, low = UINT32_MAX, high = 0;
            for (uint32_t i = 0; i < count; i++) {
                index[i] = (uint16_t)(base + random32() % reach);
                low = UTIL_MIN(low, (uint32_t)index[i]);
                high = UTIL_MAX(high, (uint32_t)index[i]);
            }
            tiler_marks_name(fast, index, count / 2);
            tiler_marks_name(fast, index + count / 2, count - count / 2);
            uint32_t n = tiler_marks_take(fast, low, high, got);
            assert_int_equal(n, tiler_marks_take_few(slow, index, count, expected));
            qsort(expected, n, sizeof *expected, ascending);
            assert_memory_equal(got, expected, n * sizeof *got);
        }
    }
    free(fast);
    free(slow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cull),
        cmocka_unit_test(test_cull_rules),
        cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
