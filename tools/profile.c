#include "tools/profile.h"
#include "tools/tool.h"
#include "util/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, INSTRUCTIONS };

struct options {
    const char *capture, *heat;
    struct tool_range of;
    uint64_t loops;
    bool draws, instructions, all, json;
    unsigned by; /* TIME, INSTRUCTIONS */
    struct tool_device_options device;
};

static const char *by_word(unsigned n)
{
    static const char *const words[] = {[TIME] = "time", [INSTRUCTIONS] = "instructions"};
    return n < UTIL_ARRAY_SIZE(words) ? words[n] : NULL;
}

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"frames", "A..B", "only these pictures, counted from 1; also A.., ..B and A", .kind = TOOL_RANGE,
     .at = AT(of), .min = 1, .max = UINT32_MAX},
    {"heat", "FILE.png", "write what each tile costs as a picture with a scale", .kind = TOOL_FILE,
     .at = AT(heat)},
    {"by", "WHAT",
     "cost in the heat map: time (default), or instructions of fragment programs, which no other load on "
     "the machine changes",
     .kind = TOOL_WORD, .at = AT(by), .word = by_word},
    {"draws", NULL, "all draws, not only the costliest", .kind = TOOL_SWITCH, .at = AT(draws)},
    {"instructions", NULL, "all instructions, not only the hottest", .kind = TOOL_SWITCH,
     .at = AT(instructions)},
    {"loops", "N", "timed plays; each number is the best of them (default 3)", .kind = TOOL_NUMBER,
     .at = AT(loops), .min = 1, .max = 1000},
    {"all", NULL, "count the end of every rendering job as a picture", .kind = TOOL_SWITCH, .at = AT(all)},
    {"json", NULL, "for tools: everything, tiles too", .kind = TOOL_SWITCH, .at = AT(json)},
    {0},
};

const struct tool_command tool_command_profile = {
    .name = "profile",
    .summary = "say where a capture's time goes; heat maps of tiles",
    .operands = "CAPTURE",
    .text = "Says where a capture's time goes: draws by cost, programs and their hottest instructions, and "
            "a heat map of the tiles.",
    .notes =
        "A play before the timed ones compiles the programs and counts. Fragment programs with branches are "
        "interpreted in it, to count each instruction. All code is optimised unless --tier says otherwise.",
    .examples = "  vitrail profile tests/captures/demo.vtc --heat heat.png\n"
                "  vitrail profile --frames 2 --draws --threads 0 cube.vtc\n"
                "  vitrail profile --json cube.vtc | jq '.draws | max_by(.fragment_ns)'\n",
    .options = {{rows}, {tool_device_rows, AT(device)}},
    .takes = {"capture", 1, 1},
    .main = tool_profile,
};

static int parse(struct options *o, int argc, char **argv)
{
    struct tool_operands capture;
    *o = (struct options){.loops = 3, .device = TOOL_USUAL_DEVICE};
    o->device.tier = JIT_OPTIMISED;
    int code = tool_parse(&tool_command_profile, argc, argv, o, &capture);
    o->capture = code ? NULL : capture.at[0];
    return code;
}

static void on_progress(void *data, uint64_t position, uint64_t size)
{
    struct tool_progress *progress = data;
    if (!progress->what)
        tool_progress_begin(progress, "profile", size);
    tool_progress_step(progress, position);
}

static int write_heat(const struct options *o, const struct profile *profile,
                      const struct util_image *picture)
{
    struct util_image image = {0};
    int err = profile_heat(profile, o->by == INSTRUCTIONS, o->capture, picture, &image);
    if (err == -ENOENT)
        return tool_error("profile", TOOL_BAD_FILE,
                          "%s: no tile of a picture was drawn, there is no heat map", o->capture);
    if (!err)
        err = util_image_write_png(&image, o->heat, 0);
    util_image_finish(&image);
    return err ? tool_error("profile", TOOL_HOST, "%s: %s", o->heat, strerror(-err)) : TOOL_OK;
}

static int profile(void *data, const struct gpu_options *device)
{
    const struct options *o = data;
    struct profile result = {.first = (uint32_t)o->of.first, .last = (uint32_t)o->of.last};
    struct tool_progress progress = {0};
    struct util_error error = {0};
    struct util_image picture = {0};
    const struct profile_request request = {.capture = o->capture,
                                            .options = device,
                                            .all = o->all,
                                            .instructions = true,
                                            .loops = (uint32_t)o->loops,
                                            .picture = o->heat ? &picture : NULL,
                                            .progress = on_progress,
                                            .progress_data = &progress};
    int code = TOOL_OK, err = profile_run(&request, &result, &error);
    tool_progress_end(&progress);
    for (unsigned i = 0; i < result.fault_count; i++)
        tool_print_fault(&result.faults[i]);
    if (err)
        code = tool_error("profile",
                          err == -ERANGE   ? TOOL_USAGE
                          : err == -ENOMEM ? TOOL_HOST
                                           : TOOL_BAD_FILE,
                          "%s: %s", o->capture, error.code ? error.text : strerror(-err));
    else if (o->json && profile_print_json(stdout, &result, o->capture))
        code = tool_error("profile", TOOL_HOST, "out of memory");
    else if (!o->json)
        profile_print(stdout, &result, o->capture, o->draws, o->instructions);
    if (!code && o->heat)
        code = write_heat(o, &result, picture.pixels ? &picture : NULL);
    if (!code && result.fault_count)
        code = TOOL_FAULT;
    util_image_finish(&picture);
    profile_finish(&result);
    return code;
}

int tool_profile(int argc, char **argv)
{
    struct options o;
    int code = parse(&o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    struct tool_sandbox sandbox = {.name = "profile", .off = o.device.no_sandbox, .device = &o.device};
    tool_sandbox_reads(&sandbox, o.capture);
    tool_sandbox_writes(&sandbox, o.heat);
    return tool_with_device(&sandbox, profile, &o);
}
