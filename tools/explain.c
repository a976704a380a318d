#include "tools/explain.h"
#include "tools/tool.h"
#include "util/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: vitrail explain [OPTIONS] --frame N --pixel X,Y CAPTURE\n"
    "\n"
    "Says why a pixel has its colour: every draw that touched it, in order, with its\n"
    "vertices, coverage, tests, texture lookups, what its program did in that lane,\n"
    "blending, and the colour before and after. Loads and stores are followed back to\n"
    "the clear; of textures that were drawn it says where (with --all, to be explained in\n"
    "turn). Captures of every GPU are taken (`vitrail gpus`).\n"
    "\n"
    "  --frame N          picture, counted from 1 as by `vitrail replay`\n"
    "  --pixel X,Y        from the top left\n"
    "  --sample S         of four samples, only this one's tests and colours (0 to 3)\n"
    "  --draw D           only this draw of the picture, counted from 1\n"
    "  --no-trace         leave the programs' instructions out\n"
    "  --all              count the end of every rendering job as a picture\n"
    "  --json             for tools\n"
    "%s"
    "\n"
    "Exit status 1 when what was stored and the picture differ, 3 when the guest did\n"
    "something wrong up to that picture; the report is on stderr.\n"
    "\n"
    "Examples:\n"
    "  vitrail explain --frame 2 --pixel 480,270 tests/captures/demo.vtc | less -S\n"
    "  vitrail explain --frame 6 --pixel 100,100 --no-trace tests/captures/features.vtc\n"
    "  vitrail explain --frame 2 --pixel 160,90 tests/captures/mali400/shading-phong.vtc\n"
    "  vitrail explain --frame 2 --pixel 9,9 --json cube.vtc | jq '.stages[].events[].outcome'\n";

struct options {
    const char *capture;
    uint64_t frame, sample, draw;
    uint64_t x, y;
    bool has_pixel, has_sample, no_trace, all, json;
    struct tool_device_options device;
};

static bool read_pixel(const char *text, uint64_t *x, uint64_t *y)
{
    const char *comma = strchr(text, ',');
    char first[24];
    if (!comma || (size_t)(comma - text) >= sizeof first)
        return false;
    memcpy(first, text, (size_t)(comma - text));
    first[comma - text] = 0;
    return tool_number(first, 0, UINT32_MAX, x) && tool_number(comma + 1, 0, UINT32_MAX, y);
}

/* An option with a value: 1 taken, 0 none of them, -1 after a message. */
static int parse_value(void *data, int argc, char **argv, int *i)
{
    struct options *o = data;
    const char *value;
    int got;
    if ((got = tool_value("explain", "--frame", argc, argv, i, &value)) > 0 &&
        !tool_number(value, 1, UINT32_MAX, &o->frame)) {
        tool_error("explain", 0, "--frame takes a number from 1, not '%s'", value);
        return -1;
    }
    if (!got && (got = tool_value("explain", "--pixel", argc, argv, i, &value)) > 0) {
        o->has_pixel = read_pixel(value, &o->x, &o->y);
        if (!o->has_pixel) {
            tool_error("explain", 0, "--pixel takes X,Y, not '%s'", value);
            return -1;
        }
    }
    if (!got && (got = tool_value("explain", "--sample", argc, argv, i, &value)) > 0) {
        o->has_sample = true;
        if (!tool_number(value, 0, RASTER_MAX_SAMPLES - 1, &o->sample)) {
            tool_error("explain", 0, "--sample takes a number from 0 to %u, not '%s'", RASTER_MAX_SAMPLES - 1,
                       value);
            return -1;
        }
    }
    if (!got && (got = tool_value("explain", "--draw", argc, argv, i, &value)) > 0 &&
        !tool_number(value, 1, UINT32_MAX, &o->draw)) {
        tool_error("explain", 0, "--draw takes a number from 1, not '%s'", value);
        return -1;
    }
    return got;
}

static int parse(struct options *o, int argc, char **argv)
{
    *o =
        (struct options){.device = {.threads = -1, .level = -1, .tier = JIT_AUTOMATIC, .numeric = ISA_USUAL}};
    const struct tool_switch switches[] = {
        {"--no-trace", &o->no_trace}, {"--all", &o->all}, {"--json", &o->json}};
    const struct tool_syntax syntax = {
        "explain", help, &o->device, &o->capture, switches, UTIL_ARRAY_SIZE(switches), parse_value, o};
    int code = tool_parse(&syntax, argc, argv);
    if (!code && (!o->frame || !o->has_pixel))
        return tool_error("explain", TOOL_USAGE, "--frame N and --pixel X,Y say what to explain");
    return code;
}

static void on_progress(void *data, uint64_t position, uint64_t size)
{
    struct tool_progress *progress = data;
    if (!progress->what)
        tool_progress_begin(progress, "explain", size);
    tool_progress_step(progress, position);
}

static int explain(const struct options *o, const struct gpu_options *device)
{
    struct explain_pixel pixel = {.picture = (uint32_t)o->frame, .x = (uint32_t)o->x, .y = (uint32_t)o->y};
    struct explain_result result = {.pixels = &pixel, .pixel_count = 1};
    const struct explain_show show = {
        .sample = o->has_sample ? (int)o->sample : -1, .draw = (uint32_t)o->draw, .trace = !o->no_trace};
    struct tool_progress progress = {0};
    struct util_error error = {0};
    int code = TOOL_OK;
    int err = explain_run(o->capture, device, o->all, show.trace, &result, on_progress, &progress, &error);

    tool_progress_end(&progress);
    for (unsigned i = 0; i < result.fault_count; i++)
        tool_print_fault(&result.faults[i]);
    if (err)
        code = tool_error("explain",
                          err == -ERANGE   ? TOOL_USAGE
                          : err == -ENOMEM ? TOOL_HOST
                                           : TOOL_BAD_FILE,
                          "%s: %s", o->capture, error.code ? error.text : strerror(-err));
    else if (o->json && explain_print_json(stdout, o->capture, &result, &pixel, &show))
        code = tool_error("explain", TOOL_HOST, "out of memory");
    else if (!o->json)
        explain_print(stdout, &result, &pixel, &show);
    if (!code && pixel.found && !pixel.agrees)
        code = TOOL_DIFFERS;
    if (!code && result.fault_count)
        code = TOOL_FAULT;
    explain_finish(&result);
    return code;
}

int tool_explain(int argc, char **argv)
{
    struct options o;
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_options device;

    int code = parse(&o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    struct tool_sandbox sandbox = {.name = "explain", .off = o.device.no_sandbox, .device = &o.device};
    tool_sandbox_reads(&sandbox, o.capture);
    code = tool_sandbox_enter(&sandbox);
    if (code)
        return code;
    code = tool_device_open("explain", &o.device, &pool, &engine, &device);
    if (code)
        return code;
    code = explain(&o, &device);
    util_pool_destroy(pool);
    jit_engine_destroy(engine);
    return code;
}
