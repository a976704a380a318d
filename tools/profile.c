#include "tools/profile.h"
#include "tools/tool.h"
#include "util/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: vitrail profile [OPTIONS] CAPTURE\n"
    "\n"
    "Says where a capture's time goes: draws by cost, programs and their hottest\n"
    "instructions, and a heat map of the tiles.\n"
    "\n"
    "  --frames A-B       only these pictures, counted from 1 (or --frames N)\n"
    "  --heat FILE.png    write what each tile costs as a picture with a scale\n"
    "  --by WHAT          cost in the heat map: time (default) or instructions of\n"
    "                     fragment programs, which no other load on the machine changes\n"
    "  --draws            all draws, not only the costliest\n"
    "  --instructions     all instructions, not only the hottest\n"
    "  --loops N          timed plays; each number is the best of them (default 3)\n"
    "  --all              count the end of every rendering job as a picture\n"
    "  --json             for tools: everything, tiles too\n"
    "%s"
    "\n"
    "A play before the timed ones compiles the programs and counts. Fragment programs\n"
    "with branches are interpreted in it, to count each instruction.\n"
    "\n"
    "Examples:\n"
    "  vitrail profile tests/captures/demo.vtc --heat heat.png\n"
    "  vitrail profile --frames 2 --draws --threads 0 cube.vtc\n"
    "  vitrail profile --json cube.vtc | jq '.draws | max_by(.fragment_ns)'\n";

struct options {
    const char *capture, *heat;
    uint64_t first, last, loops;
    bool by_instructions, draws, instructions, all, json;
    struct tool_device_options device;
};

static bool read_range(const char *text, uint64_t *first, uint64_t *last)
{
    const char *dash = strchr(text, '-');
    char low[24];
    if (!dash) {
        bool ok = tool_number(text, 1, UINT32_MAX, first);
        *last = *first;
        return ok;
    }
    if ((size_t)(dash - text) >= sizeof low)
        return false;
    memcpy(low, text, (size_t)(dash - text));
    low[dash - text] = 0;
    return tool_number(low, 1, UINT32_MAX, first) && tool_number(dash + 1, *first, UINT32_MAX, last);
}

/* An option with a value: 1 taken, 0 none of them, -1 after a message. */
static int parse_value(void *data, int argc, char **argv, int *i)
{
    struct options *o = data;
    const char *value;
    int got;
    if ((got = tool_value("profile", "--frames", argc, argv, i, &value)) > 0 &&
        !read_range(value, &o->first, &o->last)) {
        tool_error("profile", 0, "--frames takes A-B or a number from 1, not '%s'", value);
        return -1;
    }
    if (!got)
        got = tool_value("profile", "--heat", argc, argv, i, &o->heat);
    if (!got && (got = tool_value("profile", "--by", argc, argv, i, &value)) > 0) {
        o->by_instructions = !strcmp(value, "instructions");
        if (!o->by_instructions && strcmp(value, "time") != 0) {
            tool_error("profile", 0, "--by takes time or instructions, not '%s'", value);
            return -1;
        }
    }
    if (!got && (got = tool_value("profile", "--loops", argc, argv, i, &value)) > 0 &&
        !tool_number(value, 1, 1000, &o->loops)) {
        tool_error("profile", 0, "--loops takes a number from 1 to 1000, not '%s'", value);
        return -1;
    }
    return got;
}

static int parse(struct options *o, int argc, char **argv)
{
    *o = (struct options){
        .loops = 3, .device = {.threads = -1, .level = -1, .tier = JIT_OPTIMISED, .numeric = ISA_USUAL}};
    const struct tool_switch switches[] = {{"--draws", &o->draws},
                                           {"--instructions", &o->instructions},
                                           {"--all", &o->all},
                                           {"--json", &o->json}};
    const struct tool_syntax syntax = {
        "profile", help, &o->device, &o->capture, switches, UTIL_ARRAY_SIZE(switches), parse_value, o};
    return tool_parse(&syntax, argc, argv);
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
    int err = profile_heat(profile, o->by_instructions, o->capture, picture, &image);
    if (err == -ENOENT)
        return tool_error("profile", TOOL_BAD_FILE,
                          "%s: no tile of a picture was drawn, there is no heat map", o->capture);
    if (!err)
        err = util_image_write_png(&image, o->heat, 0);
    util_image_finish(&image);
    return err ? tool_error("profile", TOOL_HOST, "%s: %s", o->heat, strerror(-err)) : TOOL_OK;
}

static int profile(const struct options *o, const struct gpu_options *device)
{
    struct profile result = {.first = (uint32_t)o->first, .last = (uint32_t)o->last};
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
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_options device;

    int code = parse(&o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    struct tool_sandbox sandbox = {.name = "profile", .off = o.device.no_sandbox, .device = &o.device};
    tool_sandbox_reads(&sandbox, o.capture);
    tool_sandbox_writes(&sandbox, o.heat);
    code = tool_sandbox_enter(&sandbox);
    if (code)
        return code;
    code = tool_device_open("profile", &o.device, &pool, &engine, &device);
    if (code)
        return code;
    code = profile(&o, &device);
    util_pool_destroy(pool);
    jit_engine_destroy(engine);
    return code;
}
