#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/libresoc.h"
#include "tools/libresoc_plot.h"
#include "util/pool.h"

/* `vitrail libresoc sweep`: one program on many cores. It runs twice: to see how long it is, and for all cores at once, which
 * get its operations by the thousand, each core on one worker. */

#define NAME   "libresoc sweep"
#define POINTS 256u
#define CHUNK  8192u /* operations that cores take in one go */

struct options {
    struct tool_libresoc program;
    struct libresoc_core core; /* of what is not swept */
    struct tool_libresoc_axis axis[2];
    unsigned axes;
    const char *plot;
    bool json;
};

/* ---- options ---- */

/* "A..B", or numbers with commas between. */
static int take_values(struct tool_libresoc_axis *axis, const char *text)
{
    const struct libresoc_parameter *p = axis->parameter;
    const char *dots = strstr(text, "..");
    char word[24];
    uint64_t low, high;
    while (*text) {
        const size_t length = dots ? (size_t)(dots - text) : strcspn(text, ",");
        const char *behind = text + length;
        if (length >= sizeof word)
            return -1;
        memcpy(word, text, length);
        word[length] = 0;
        if (!tool_number(word, p->min, p->max, &low))
            return -1;
        high = low;
        if (dots && !tool_number(dots + 2, low, p->max, &high))
            return -1;
        for (; low <= high; low += p->step) {
            if (low % p->step || axis->count == POINTS)
                return -1;
            axis->value[axis->count++] = (uint32_t)low;
        }
        if (dots || !*behind)
            return 0;
        text = behind + 1;
    }
    return -1;
}

static int take_parameter(void *options, const char *text)
{
    struct options *o = options;
    const size_t length = strcspn(text, "=");
    const struct libresoc_parameter *p = libresoc_parameter_find(text, length);
    struct tool_libresoc_axis axis = {.parameter = p};
    if (!p || !text[length])
        return tool_libresoc_take_parameter(NAME, text, &o->core); /* which says what is wrong */
    if (take_values(&axis, text + length + 1))
        return tool_error(NAME, TOOL_USAGE,
                          "parameter %s takes numbers from %u to %u%s, as A..B or A,B,C, not '%s'", p->name,
                          p->min, p->max, p->step == 2 ? ", even" : "", text + length + 1);
    if (axis.count == 1) { /* nothing to sweep */
        libresoc_parameter_set(p, axis.value[0], &o->core);
        return TOOL_OK;
    }
    if (o->axes == 2)
        return tool_error(NAME, TOOL_USAGE, "two parameters can be swept: %s and %s, not %s, too",
                          o->axis[0].parameter->name, o->axis[1].parameter->name, p->name);
    o->axis[o->axes++] = axis;
    return TOOL_OK;
}

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"param", "NAME=VALUES",
     "a parameter of the core: A..B or A,B,C sweeps over it, one value sets it; may be given again. Two can "
     "be swept: every value of one with every value of the other",
     .kind = TOOL_OWN, .take = take_parameter, .takes = "NAME=VALUES"},
    {"plot", "FILE", "a picture (PNG): cycles over the first parameter, a line for each value of the second",
     .kind = TOOL_FILE, .at = AT(plot)},
    {"json", NULL, "the table as JSON", .kind = TOOL_SWITCH, .at = AT(json)},
    {0},
};

const struct tool_command tool_command_libresoc_sweep = {
    .name = NAME,
    .summary = "cycles of a program over parameters of a core",
    .operands = "PROGRAM [ARGS]",
    .text = "Runs a program as `libresoc run` does and says how many cycles cores with a scoreboard would "
            "need for it, which differ in one parameter or two. What the program writes is not shown.",
    .notes = "The parameters are those of `libresoc run --param`.",
    .examples = "  vitrail libresoc sweep --param units32=2..16 --plot units.png sum\n"
                "  vitrail libresoc sweep --param issue=1..8 --param latency.float=2,4,8 --json sum\n",
    .options = {{rows}, {tool_libresoc_rows, AT(program)}},
    .main = tool_libresoc_sweep,
};

/* ---- running ---- */

struct sweep {
    const struct options *options;
    struct tool_libresoc_file file;    /* owned */
    struct tool_libresoc_point *point; /* by the first axis, then the second */
    struct libresoc_scoreboard *board[POINTS];
    uint32_t points;
    struct libresoc_op *op; /* CHUNK of them */
    uint32_t ops;
    struct libresoc_operations operations;
    struct util_pool *pool;
    struct tool_progress progress;
};

static void take_chunk(void *data, uint32_t index, unsigned worker)
{
    struct sweep *s = data;
    struct libresoc_when when;
    (void)worker;
    for (uint32_t n = 0; n < s->ops; n++)
        libresoc_scoreboard_issue(s->board[index], &s->op[n], &when);
}

static void flush(struct sweep *s)
{
    util_pool_run(s->pool, s->points, take_chunk, s);
    s->ops = 0;
}

static void take(void *data, const struct libresoc_op *op, const struct libresoc_origin *origin)
{
    struct sweep *s = data;
    s->op[s->ops++] = *op;
    if (s->ops < CHUNK)
        return;
    flush(s);
    tool_progress_step(&s->progress, origin->instruction);
}

/* The cores, each with its board. */
static int make_points(struct sweep *s)
{
    const struct options *o = s->options;
    const uint32_t across = o->axes > 1 ? o->axis[1].count : 1;
    for (uint32_t n = 0; n < s->points; n++) {
        struct tool_libresoc_point *point = &s->point[n];
        const uint32_t index[2] = {n / across, n % across};
        struct libresoc_core core = o->core;
        for (unsigned k = 0; k < o->axes; k++) {
            point->value[k] = o->axis[k].value[index[k]];
            if (!libresoc_parameter_set(o->axis[k].parameter, point->value[k], &core))
                return -EINVAL;
        }
        const int err = libresoc_scoreboard_create(&core, &s->board[n]);
        if (err)
            return err;
    }
    return 0;
}

static int run_once(const struct sweep *s, const struct libresoc_watch *watch, uint64_t *executed)
{
    struct libresoc_process *process;
    struct gpu_fault fault;
    int code = tool_libresoc_load(NAME, &s->options->program, &s->file, NULL, &process);
    if (code)
        return code;
    if (!libresoc_process_run(process, watch, &fault)) {
        tool_print_fault(&fault);
        code = TOOL_FAULT;
    }
    *executed = process->state.executed;
    libresoc_process_destroy(process);
    return code;
}

static int run_all(struct sweep *s)
{
    const struct libresoc_watch watch = {.elements = &s->operations.watch};
    uint64_t executed;
    int code = run_once(s, NULL, &executed);
    if (code)
        return code;
    libresoc_operations_begin(&s->operations, take, s);
    tool_progress_begin(&s->progress, "cores", executed);
    code = run_once(s, &watch, &executed);
    libresoc_operations_end(&s->operations);
    flush(s);
    tool_progress_end(&s->progress);
    for (uint32_t n = 0; n < s->points; n++)
        s->point[n].totals = libresoc_scoreboard_totals(s->board[n]);
    return code;
}

/* ---- what is shown ---- */

static void print_table(const struct sweep *s)
{
    const struct options *o = s->options;
    for (unsigned k = 0; k < o->axes; k++)
        printf("%16s", o->axis[k].parameter->name);
    printf("%14s%14s", "cycles", "ops a cycle");
    for (unsigned n = 0; n < LIBRESOC_STALLS; n++)
        printf("%12s", libresoc_stall_name(n));
    putchar('\n');
    for (uint32_t i = 0; i < s->points; i++) {
        const struct tool_libresoc_point *point = &s->point[i];
        for (unsigned k = 0; k < o->axes; k++)
            printf("%16u", point->value[k]);
        printf("%14" PRIu64 "%14.3f", point->totals.cycles,
               point->totals.cycles ? (double)point->totals.ops / (double)point->totals.cycles : 0);
        for (unsigned n = 0; n < LIBRESOC_STALLS; n++)
            printf("%12" PRIu64, point->totals.stall[n]);
        putchar('\n');
    }
}

static int print_json(const struct sweep *s)
{
    struct json j;
    json_begin(&j, stdout);
    json_open_object(&j, NULL);
    json_open_array(&j, "points");
    for (uint32_t i = 0; i < s->points; i++) {
        const struct tool_libresoc_point *point = &s->point[i];
        json_open_object(&j, NULL);
        for (unsigned k = 0; k < s->options->axes; k++)
            json_uint(&j, s->options->axis[k].parameter->name, point->value[k]);
        json_uint(&j, "cycles", point->totals.cycles);
        json_uint(&j, "operations", point->totals.ops);
        json_open_object(&j, "waited");
        for (unsigned n = 0; n < LIBRESOC_STALLS; n++)
            json_uint(&j, libresoc_stall_name(n), point->totals.stall[n]);
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    return json_end(&j) ? tool_error(NAME, TOOL_HOST, "out of memory") : TOOL_OK;
}

static int write_plot(const struct sweep *s)
{
    const struct options *o = s->options;
    const char *slash = strrchr(o->program.path, '/');
    struct util_image image = {0};
    int err = tool_libresoc_plot(o->axis, o->axes, s->point, slash ? slash + 1 : o->program.path, &image);
    if (!err)
        err = util_image_write_png(&image, o->plot, 0);
    util_image_finish(&image);
    return err ? tool_error(NAME, TOOL_HOST, "%s: %s", o->plot, strerror(-err)) : TOOL_OK;
}

static int sweep(const struct options *o)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct sweep s = {.options = o, .points = o->axis[0].count * (o->axes > 1 ? o->axis[1].count : 1)};
    if (s.points > POINTS)
        return tool_error(NAME, TOOL_USAGE, "%u cores, of at most %u", s.points, POINTS);
    s.point = calloc(s.points, sizeof *s.point);
    s.op = malloc(CHUNK * sizeof *s.op);
    int err = s.point && s.op ? make_points(&s) : -ENOMEM;
    if (!err)
        err = util_pool_create(processors > 1 ? (unsigned)processors - 1 : 0, &s.pool);
    int code = err ? tool_error(NAME, TOOL_HOST, "cannot make the cores: %s", strerror(-err))
                   : tool_libresoc_read(NAME, &o->program, &s.file);
    if (!code)
        code = run_all(&s);
    if (!code && o->json)
        code = print_json(&s);
    else if (!code)
        print_table(&s);
    if (!code && o->plot)
        code = write_plot(&s);
    util_pool_destroy(s.pool);
    for (uint32_t n = 0; n < s.points; n++)
        libresoc_scoreboard_destroy(s.board[n]);
    free(s.file.bytes);
    free(s.op);
    free(s.point);
    return code;
}

static int enter_sandbox(const struct options *o)
{
    struct tool_sandbox sandbox = {.name = NAME, .off = o->program.no_sandbox};
    tool_sandbox_reads(&sandbox, o->program.path);
    tool_sandbox_writes(&sandbox, o->plot);
    return tool_sandbox_enter(&sandbox);
}

int tool_libresoc_sweep(int argc, char **argv)
{
    struct options o = {.program = TOOL_LIBRESOC_USUAL, .core = libresoc_core_default()};
    int code = tool_libresoc_parse(&tool_command_libresoc_sweep, argc, argv, &o, &o.program);
    if (!code && !o.axes)
        code = tool_error(NAME, TOOL_USAGE, "no parameter to sweep over; see `vitrail " NAME " --help`");
    if (!code)
        code = enter_sandbox(&o);
    if (!code)
        code = sweep(&o);
    return code < 0 ? TOOL_OK : code;
}
