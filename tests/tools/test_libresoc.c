/* What is said and drawn of a core's cycles: tables and JSON against the model's own counts, the timeline's cells and the plot's points
 * against the numbers that they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"
#include "tests/tools/json_reader.h"
#include "tools/libresoc_plot.h"
#include "tools/tool.h"

enum { CODE = 0x1000 };
/* As the legends have them. */
enum {
    ISSUE = 0x4878cf,
    WAITS = 0x45454f,
    READ = 0x6acc65,
    EXECUTE = 0xd5a021,
    WRITE = 0xd65f5f,
    LEFT_OUT = 0x8c8c96
};
enum { CELL = 8, ROW = 11, HEADER = 64 };

static struct simple_v_program *program;
static struct libresoc_cycles cycles;

static const char text[] = "addi x5, x0, 3\n"
                           "vblock both:4, regs(x6=x40v, x7=x48v) { add x6, x7, x5 }\n"
                           "fdiv.d f1, f2, f3\n"
                           "fadd.d f1, f1, f3\n";

static void take(void *data, const struct libresoc_op *op, const struct libresoc_origin *origin)
{
    libresoc_cycles_take(data, op, origin);
}

static int run(void **state)
{
    struct libresoc_operations operations;
    const struct libresoc_core core = libresoc_core_default();
    struct simple_v_state s;
    struct simple_v_report report;
    void *code;
    uint32_t count;
    if (simple_v_asm(text, strlen(text), &code, &count, NULL) ||
        simple_v_program_create(code, count, CODE, &program, NULL) ||
        libresoc_cycles_init(&cycles, &core, program))
        return -1;
    free(code);
    libresoc_operations_begin(&operations, take, &cycles);
    const struct simple_v_run how = {
        .program = program, .stop = CODE + 2ull * count, .fuel = 100, .watch = &operations.watch};
    simple_v_start(&s, CODE);
    if (simple_v_run(&how, &s, &report))
        return -1;
    libresoc_operations_end(&operations);
    libresoc_cycles_end(&cycles);
    return 0;
}

static int drop(void **state)
{
    libresoc_cycles_finish(&cycles);
    simple_v_program_destroy(program);
    return 0;
}

static char *printed(bool json)
{
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    assert_non_null(file);
    assert_int_equal(tool_libresoc_print_cycles(file, &cycles, json), 0);
    fclose(file);
    return out;
}

static void test_json(void **state)
{
    (void)state;
    const struct libresoc_totals totals = libresoc_scoreboard_totals(cycles.board);
    struct json_object *j = json_read(printed(true));
    assert_non_null(j);
    assert_true(json_number(j, "cycles") == (double)totals.cycles);
    assert_true(json_number(j, "instructions") == 4);
    assert_true(json_number(j, "operations") == 7);
    assert_true(json_number(j, "waited/RAW") == (double)totals.stall[LIBRESOC_STALL_RAW]);
    assert_true(json_number(j, "kinds/divide") == 1);
    assert_true(json_number(j, "core/latency.divide") == 16);
    /* The costliest is what issues last, or waits for units; all that there is stands there, each once. */
    double sum = 0, ops = 0;
    for (unsigned n = 0; n < 4; n++) {
        char path[64];
        snprintf(path, sizeof path, "instructions_by_cycles/%u/cycles", n);
        sum += json_number(j, path);
        snprintf(path, sizeof path, "instructions_by_cycles/%u/operations", n);
        ops += json_number(j, path);
    }
    assert_true(ops == 7);
    assert_true(sum > 0 && sum <= (double)totals.cycles);
    assert_null(json_at(j, "instructions_by_cycles/4"));
    json_object_put(j);
}

static void test_tables(void **state)
{
    (void)state;
    char *out = printed(false);
    assert_int_equal(strncmp(out, "cycles ", 7), 0);
    assert_non_null(strstr(out, "instructions 4, element operations 7 (0 left out by masks)"));
    assert_non_null(strstr(out, "matrix of units against units: 1600 cells, of four classes of units 6400"));
    /* An opcode of a VBLOCK is told by its own text and place. */
    const uint32_t head = program->blocks[0].head;
    char line[64];
    snprintf(line, sizeof line, "0x%08x  add x6, x7, x5\n", CODE + 4 + 2 * head);
    assert_non_null(strstr(out, line));
    free(out);
}

/* ---- the timeline ---- */

static uint32_t color_at(const struct util_image *image, uint32_t x, uint32_t y)
{
    const uint8_t *p = image->pixels + ((size_t)y * image->width + x) * 4;
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static uint32_t first_of(const struct util_image *image, uint32_t y, uint32_t color)
{
    uint32_t x = 0;
    while (x < image->width && color_at(image, x, y) != color)
        x++;
    assert_true(x < image->width);
    return x;
}

static void test_timeline(void **state)
{
    (void)state;
    static const uint32_t expected[2][9] = {
        {ISSUE, WAITS, READ, EXECUTE, EXECUTE, WAITS, WAITS, WRITE, 0},
        {0, ISSUE, WAITS, LEFT_OUT, 0, 0, 0, 0, 0},
    };
    struct tool_libresoc_timeline timeline = {.path = "here", .from = 5, .count = 2};
    const struct libresoc_core core = libresoc_core_default();
    const struct libresoc_op load = {.kind = LIBRESOC_KIND_LOAD},
                             dies = {.kind = LIBRESOC_KIND_LOAD, .dies = true};
    const struct libresoc_when when[] = {{10, 12, 17}, {11, 13, 13}};
    struct libresoc_origin origin = {.pc = CODE};
    struct util_image image;
    assert_int_equal(tool_libresoc_timeline_draw(&timeline, program, "none", &image), -ENOENT);
    for (origin.instruction = 4; origin.instruction < 9; origin.instruction++)
        if (origin.instruction != 6)
            tool_libresoc_timeline_note(&timeline, &load, &origin, &when[0], &core);
        else
            tool_libresoc_timeline_note(&timeline, &dies, &origin, &when[1], &core);
    assert_int_equal(timeline.rows.count, 2);
    assert_int_equal(tool_libresoc_timeline_draw(&timeline, program, "two", &image), 0);
    const uint32_t left = first_of(&image, HEADER + ROW / 2, ISSUE);
    for (uint32_t row = 0; row < 2; row++)
        for (uint32_t cycle = 0; cycle < 9; cycle++) {
            const uint32_t x = left + cycle * CELL + CELL / 2, y = HEADER + row * ROW + ROW / 2;
            if (x >= image.width)
                continue;
            const uint32_t got = color_at(&image, x, y), none = color_at(&image, 0, 0);
            if (got != (expected[row][cycle] ? expected[row][cycle] : none))
                fail_msg("row %u, cycle %u: 0x%06x", row, cycle, got);
        }
    util_image_finish(&image);
    free(timeline.rows.at);
}

static void test_long_timeline(void **state)
{
    (void)state;
    struct tool_libresoc_timeline timeline = {.path = "here", .count = 5000};
    const struct libresoc_core core = libresoc_core_default();
    const struct libresoc_op op = {.kind = LIBRESOC_KIND_LOAD};
    struct util_image image;
    for (uint64_t n = 0; n < 5000; n++) {
        const struct libresoc_origin origin = {.instruction = n, .pc = CODE};
        const struct libresoc_when when = {1 + n * 100, 2 + n * 100, 5 + n * 100};
        tool_libresoc_timeline_note(&timeline, &op, &origin, &when, &core);
    }
    assert_int_equal(timeline.rows.count, 1000);
    assert_int_equal(timeline.cut, 4000);
    assert_int_equal(tool_libresoc_timeline_draw(&timeline, program, "long", &image), 0);
    assert_true(image.width < 16384 && image.height < 16384);
    util_image_finish(&image);
    free(timeline.rows.at);
}

/* ---- the plot ---- */

static void test_plot(void **state)
{
    (void)state;
    static const uint32_t line[2] = {0x4878cf, 0xd5a021};
    struct tool_libresoc_axis axis[2] = {
        {.parameter = libresoc_parameter_find("units32", 7), .value = {2, 4, 8}, .count = 3},
        {.parameter = libresoc_parameter_find("issue", 5), .value = {1, 2}, .count = 2}};
    struct tool_libresoc_point point[6];
    struct util_image image;
    for (unsigned n = 0; n < 6; n++)
        point[n] = (struct tool_libresoc_point){.value = {axis[0].value[n / 2], axis[1].value[n % 2]},
                                                .totals = {.cycles = n % 2 ? 250 : 1000 / (1 + n / 2)}};
    assert_int_equal(tool_libresoc_plot(axis, 2, point, "plot", &image), 0);
    /* A quarter of the way from 0 to 1000 there is the second line, all along; the first falls to a third. */
    uint32_t top[2] = {UINT32_MAX, UINT32_MAX}, bottom[2] = {0};
    for (uint32_t y = 0; y < image.height; y++)
        for (uint32_t x = 0; x < image.width - 170; x++) /* beside is the legend */
            for (unsigned k = 0; k < 2; k++)
                if (color_at(&image, x, y) == line[k]) {
                    top[k] = top[k] < y ? top[k] : y;
                    bottom[k] = y;
                }
    assert_true(top[0] < top[1] && bottom[0] < bottom[1]);
    assert_true(bottom[1] - top[1] < 8);
    const double all = 520 - 56 - 48; /* pixels of 1000 cycles */
    assert_true(abs((int)(bottom[0] - top[0]) - (int)(all * 2 / 3)) < 10);
    assert_true(abs((int)(top[1] - top[0]) - (int)(all * 3 / 4)) < 10);
    util_image_finish(&image);
}

static void test_parameters(void **state)
{
    (void)state;
    struct libresoc_core core = libresoc_core_default();
    assert_int_equal(tool_libresoc_take_parameter("test", "latency.float=7", &core), TOOL_OK);
    assert_int_equal(core.latency[LIBRESOC_KIND_FLOAT], 7);
    assert_int_equal(tool_libresoc_take_parameter("test", "in-order=1", &core), TOOL_OK);
    assert_true(core.in_order);
    static const char *const wrong[] = {
        "", "=", "float=1", "issue", "issue=", "issue=0", "issue=65", "issue=x", "units8=5"};
    for (unsigned n = 0; n < sizeof wrong / sizeof *wrong; n++)
        assert_int_equal(tool_libresoc_take_parameter("test", wrong[n], &core), TOOL_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_json),     cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_timeline), cmocka_unit_test(test_long_timeline),
                                       cmocka_unit_test(test_plot),     cmocka_unit_test(test_parameters)};
    return cmocka_run_group_tests(tests, run, drop);
}
