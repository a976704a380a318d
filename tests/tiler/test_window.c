/* Vertices in window coordinates taken many at a time: eight that follow each other, four by an index, and one by one
 * come to the same, wherever they stand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tiler/window.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define VERTICES 1501u /* groups, and what is no multiple of eight */
#define ROUNDS   200u
#define GUARD    16384.0f

static uint64_t seed = 7;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static float between(float lo, float hi)
{
    return lo + (hi - lo) * ((float)random32() * 0x1p-32f);
}

/* At the ends of what is inside, and no numbers: next to them, in steps of a float. */
static float at_an_end(void)
{
    static const float ends[] = {
        GUARD,   -GUARD, 1,        0,         -1,  640,           640 + GUARD, 360 - GUARD, 0x1p-60f,
        0x1p60f, -0.0f,  INFINITY, -INFINITY, NAN, 32767.0f / 16, 1023.9f,     0x1p-149f,   0x1p127f};
    const uint32_t bits = util_f2u(ends[random32() % UTIL_ARRAY_SIZE(ends)]);
    return util_u2f(bits + random32() % 5 - 2);
}

/* `rare`: of so many vertices one has a number that may stand at an end. */
static void make_vertex(float v[4], uint32_t rare)
{
    v[0] = between(-100, 1380);
    v[1] = between(-100, 820);
    v[2] = between(0, 1);
    v[3] = between(0.01f, 2);
    if (random32() % rare == 0)
        v[random32() % 4] = at_an_end();
}

static struct tiler_window make_window(unsigned n)
{
    static const float depths[][2] = {{0, 1}, {0, 0}, {1, 0}, {-1, 1}, {0.25f, 0.75f}};
    const float *depth = depths[n % UTIL_ARRAY_SIZE(depths)];
    return (struct tiler_window){.centre_x = 640,
                                 .centre_y = 360,
                                 .near = depth[0],
                                 .far = depth[1],
                                 .guard = {.scale_x = 1, .scale_y = 1, .limit = GUARD}};
}

static struct tiler_window_vertices *make_room(void)
{
    struct tiler_window_vertices *v = aligned_alloc(64, util_align(sizeof *v, 64));
    assert_non_null(v);
    memset(v, 0xa5, sizeof *v);
    return v;
}

static void check_one(const struct tiler_window *w, const float position[4],
                      const struct tiler_window_vertices *got, uint32_t n)
{
    struct tiler_window_vertex v;
    tiler_window_load(w, position, &v);
    const uint32_t code = got->at[n].code & ~(TILER_FAR | TILER_WIDE);
    if (code != v.code)
        fail_msg("vertex %u, %a %a %a %a: code 0x%x, not 0x%x", n, (double)position[0], (double)position[1],
                 (double)position[2], (double)position[3], code, v.code);
    if (got->at[n].code)
        return; /* places count of those that are whole */
    assert_int_equal(tiler_vertex_x(&got->at[n]), lrintf(position[0] * 16) - 640 * 16);
    assert_int_equal(tiler_vertex_y(&got->at[n]), lrintf(position[1] * 16) - 360 * 16);
}

static void test_alike(void **state)
{
    static float position[VERTICES][4];
    static uint16_t index[VERTICES];
    struct tiler_window_vertices *eight = make_room(), *four = make_room();
    for (unsigned round = 0; round < ROUNDS; round++) {
        const struct tiler_window w = make_window(round);
        const uint32_t first = random32() % 9, count = VERTICES - first - random32() % 9;
        for (uint32_t n = 0; n < VERTICES; n++)
            make_vertex(position[n], round % 2 ? 30 : 3);
        for (uint32_t n = 0; n < count; n++)
            index[n] = (uint16_t)(first + n);
        tiler_window_take(&w, (const uint8_t *)position, NULL, first, count, eight, NULL);
        tiler_window_take(&w, (const uint8_t *)position, index, 0, count, four, NULL);
        assert_memory_equal(&eight->at[first], &four->at[first], count * sizeof eight->at[0]);
        assert_memory_equal(eight->position[first], four->position[first], count * sizeof eight->position[0]);
        assert_memory_equal(eight->position[first], position[first], count * sizeof position[0]);
        const unsigned saved = util_fpenv_enter(); /* as those are taken: 1/w beyond 2^126 makes no w */
        for (uint32_t n = first; n < first + count; n++)
            check_one(&w, position[n], eight, n);
        util_fpenv_leave(saved);
    }
    free(eight);
    free(four);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
