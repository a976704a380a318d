#include "tools/explain.h"
#include "tools/tool.h"
#include "util/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_SAMPLE     UINT64_MAX
#define PICTURE_S_TARGET UINT64_MAX

struct options {
    const char *capture;
    uint64_t frame, sample, draw, target;
    uint64_t x, y;
    bool has_pixel, no_trace, all, whole, json;
    struct tool_device_options device;
};

/* "X,Y" */
static int take_pixel(void *options, const char *text)
{
    struct options *o = options;
    const char *comma = strchr(text, ',');
    char first[24];
    if (!comma || (size_t)(comma - text) >= sizeof first)
        return -1;
    memcpy(first, text, (size_t)(comma - text));
    first[comma - text] = 0;
    o->has_pixel = tool_number(first, 0, UINT32_MAX, &o->x) && tool_number(comma + 1, 0, UINT32_MAX, &o->y);
    return o->has_pixel ? TOOL_OK : -1;
}

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"frame", "N", "picture, counted from 1 as by `vitrail replay`", .kind = TOOL_NUMBER, .at = AT(frame),
     .min = 1, .max = UINT32_MAX},
    {"pixel", "X,Y", "from the top left", .kind = TOOL_OWN, .take = take_pixel, .takes = "X,Y"},
    {"sample", "S", "of several samples, only this one's tests and colours (from 0)", .kind = TOOL_NUMBER,
     .at = AT(sample), .min = 0, .max = RASTER_TARGET_SAMPLES - 1},
    {"target", "N", "of several colour targets, this one's pixel (from 0), not the picture's",
     .kind = TOOL_NUMBER, .at = AT(target), .min = 0, .max = RASTER_TARGETS_MAX - 1},
    {"draw", "D", "only this draw of the picture, counted from 1", .kind = TOOL_NUMBER, .at = AT(draw),
     .min = 1, .max = UINT32_MAX},
    {"no-trace", NULL, "leave the programs' instructions out", .kind = TOOL_SWITCH, .at = AT(no_trace)},
    {"whole", NULL,
     "play the capture from its beginning, not from the last place from which the pixel can be followed: of "
     "textures drawn before that place it is told where, too",
     .kind = TOOL_SWITCH, .at = AT(whole)},
    {"all", NULL, "count the end of every rendering job as a picture", .kind = TOOL_SWITCH, .at = AT(all)},
    {"json", NULL, "for tools", .kind = TOOL_SWITCH, .at = AT(json)},
    {0},
};

const struct tool_command tool_command_explain = {
    .name = "explain",
    .summary = "say why a pixel of a capture has its colour",
    .operands = "--frame=N --pixel=X,Y CAPTURE",
    .text =
        "Says why a pixel has its colour: every draw that touched it, in order, with its vertices, "
        "coverage, tests, texture lookups, what its program did in that lane, blending, and the colour "
        "before and after. Loads and stores are followed back to the clear; of textures that were drawn it "
        "says where (with --all, to be explained in turn). Captures of every GPU are taken (`vitrail gpus`).",
    .notes =
        "A picture is the first colour target that its rendering stored; --target shows another. Exit status "
        "1 when what was stored and the picture differ, 3 when the guest did something "
        "wrong up to that picture; the report is on stderr.",
    .examples = "  vitrail explain --frame 2 --pixel 480,270 tests/captures/demo.vtc | less -S\n"
                "  vitrail explain --frame 6 --pixel 100,100 --no-trace tests/captures/features.vtc\n"
                "  vitrail explain --frame 2 --pixel 160,90 tests/captures/mali400/shading-phong.vtc\n"
                "  vitrail explain --frame 2 --pixel 9,9 --json cube.vtc | jq '.stages[].events[].outcome'\n",
    .options = {{rows}, {tool_device_rows, AT(device)}},
    .takes = {"capture", 1, 1},
    .main = tool_explain,
};

static int parse(struct options *o, int argc, char **argv)
{
    struct tool_operands capture;
    *o = (struct options){.sample = EVERY_SAMPLE, .target = PICTURE_S_TARGET, .device = TOOL_USUAL_DEVICE};
    int code = tool_parse(&tool_command_explain, argc, argv, o, &capture);
    if (code)
        return code;
    o->capture = capture.at[0];
    if (!o->frame || !o->has_pixel)
        return tool_error("explain", TOOL_USAGE, "--frame N and --pixel X,Y say what to explain");
    return TOOL_OK;
}

static void on_progress(void *data, uint64_t position, uint64_t size)
{
    struct tool_progress *progress = data;
    if (!progress->what)
        tool_progress_begin(progress, "explain", size);
    tool_progress_step(progress, position);
}

static int explain(void *data, const struct gpu_options *device)
{
    const struct options *o = data;
    struct explain_pixel pixel = {.picture = (uint32_t)o->frame,
                                  .x = (uint32_t)o->x,
                                  .y = (uint32_t)o->y,
                                  .has_target = o->target != PICTURE_S_TARGET,
                                  .target = (uint32_t)o->target};
    struct explain_result result = {.pixels = &pixel, .pixel_count = 1};
    const struct explain_show show = {.sample = o->sample == EVERY_SAMPLE ? -1 : (int)o->sample,
                                      .draw = (uint32_t)o->draw,
                                      .trace = !o->no_trace};
    struct tool_progress progress = {0};
    struct util_error error = {0};
    int code = TOOL_OK;
    int err = explain_run(o->capture, device, o->all, o->whole, show.trace, &result, on_progress, &progress,
                          &error);

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
    if (!code && pixel.found && !pixel.agrees && !explain_stopped(&pixel))
        code = TOOL_DIFFERS;
    if (!code && result.fault_count)
        code = TOOL_FAULT;
    explain_finish(&result);
    return code;
}

int tool_explain(int argc, char **argv)
{
    struct options o;
    int code = parse(&o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    struct tool_sandbox sandbox = {.name = "explain", .off = o.device.no_sandbox, .device = &o.device};
    tool_sandbox_reads(&sandbox, o.capture);
    return tool_with_device(&sandbox, explain, &o);
}
