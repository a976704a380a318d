/* Whole programs of a stock driver (midgard_programs.txt): they are taken, break no rule, come back from their text; and
 * the one that was compiled from a Mandelbrot set in GLSL gives its colours. */
#include "tests/isa/midgard_ports.h"
#include "tests/isa/midgard_programs.h"

enum { MOST = 24 };

static void note(void *data, uint32_t at, const char *rule, const char *source)
{
    fail_msg("%s, quadword %u: %s", (const char *)data, at, rule);
}

static void comes_back(const uint64_t *words, uint32_t count)
{
    struct util_error error = {0};
    char *text = NULL;
    size_t length = 0;
    void *again;
    uint32_t count_again;
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(midgard_disasm_program(out, words, count), 0);
    fclose(out);
    assert_null(strstr(text, ".word"));
    assert_int_equal(midgard_asm(text, length, &again, &count_again, &error), 0);
    assert_int_equal(count_again, count);
    assert_memory_equal(again, words, count * 16u);
    free(again);
    free(text);
}

/* ---- the Mandelbrot set: how often a point moves before it is farther away than the root of `limit` ---- */

static float moves_of(float x, float y, float limit)
{
    float u = x, v = y;
    for (int n = 0; n < MOST; n++) {
        float uu = u * u, vv = v * v, twice = u + u;
        if (limit < vv + uu)
            return (float)n;
        u = uu - vv + x;
        v = twice * v + y;
    }
    return MOST;
}

static void color_of(float n, float out[4])
{
    float third = n * 0.3f;
    out[0] = n > 23.5f ? 0 : n * util_u2f(0x3d2aaaab);
    out[1] = n > 23.5f ? 0 : third - (float)(int)third;
    out[2] = n > 23.5f ? 0 : 0.5f;
    out[3] = 1;
}

static void mandelbrot(const char *gpus)
{
    static const uint32_t limit[1][4] = {{0x40800000}}; /* 4 */
    struct midgard_input input = {.uniform = limit, .uniform_count = 1, .lanes = 0xffff, .fuel = 1000};
    uint32_t points[4][16] = {{0}};
    unsigned inside = 0, counts = 0;
    for (unsigned row = 0; row < 64; row++) {
        for (unsigned l = 0; l < 16; l++) {
            points[0][l] = util_f2u(-2.0f + (float)l * 0.15f);
            points[1][l] = util_f2u(-1.2f + (float)row * 0.04f);
        }
        seen.varying = points;
        midgard_start(&input, &state);
        assert_int_equal(again().fault, MIDGARD_OK);
        seen.varying = NULL;
        for (unsigned l = 0; l < 16; l++) {
            float expected[4], n = moves_of(util_u2f(points[0][l]), util_u2f(points[1][l]), 4);
            color_of(n, expected);
            inside += n > 23.5f;
            counts |= 1u << (unsigned)n;
            for (unsigned c = 0; c < 4; c++)
                if (util_u2f(seen.writeout.color[c][l]) != expected[c])
                    fail_msg("%s: at row %u, lane %u: %c is %g, not %g", gpus, row, l, "rgba"[c],
                             util_u2f(seen.writeout.color[c][l]), expected[c]);
        }
    }
    assert_in_range(inside, 50, 900);
    assert_true(__builtin_popcount(counts) > 15);
}

/* ---- all of them ---- */

static unsigned drawn;

static void one(char *gpus, const uint64_t *words, uint32_t count)
{
    bool t720 = strstr(gpus, "t720"), old = t720 || strstr(gpus, "t760");
    struct midgard_traits its = {t720, t720, old};
    struct util_error error = {0};
    midgard_program_destroy(program);
    program = NULL;
    if (midgard_program_create(words, count, (uint8_t)(words[0] & 15), &its, &program, &error))
        fail_msg("%s: %s", gpus, error.text);
    assert_int_equal(program->write_count > 0, program->varying_stores == 0); /* fragments, or vertices */
    assert_true(program->quad_count <= count && !program->any_target && !program->any_varying);
    midgard_check(words, count, note, gpus);
    comes_back(words, count);
    if (count > 100) {
        mandelbrot(gpus);
        drawn++;
    }
}

static void all_of_them(void **unused)
{
    uint32_t programs = midgard_programs_each(one);
    assert_true(programs > 12 && drawn > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_of_them)};
    return cmocka_run_group_tests(tests, NULL, finish);
}
