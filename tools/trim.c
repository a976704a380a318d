#include "gpu/trim.h"
#include "tools/tool.h"

#include <errno.h>
#include <string.h>

struct options {
    struct tool_range of;
    uint64_t restarts;
    bool all;
    struct tool_device_options device;
};

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"frames", "A..B",
     "these pictures, counted from 1 as by `vitrail replay`; also A.., ..B and A (default: all)",
     .kind = TOOL_RANGE, .at = AT(of), .min = 1, .max = UINT32_MAX},
    {"restart-every", "N",
     "pictures from one place to the next from which it can be played (default 32; 0: only from its "
     "beginning)",
     .kind = TOOL_NUMBER, .at = AT(restarts), .min = 0, .max = 1000000},
    {"all", NULL, "count the end of every rendering job as a picture", .kind = TOOL_SWITCH, .at = AT(all)},
    {0},
};

const struct tool_command tool_command_trim = {
    .name = "trim",
    .summary = "cut a part out of a capture",
    .operands = "IN OUT",
    .text =
        "Writes pictures of a capture as a capture of their own. It begins with memory and registers as the "
        "pictures before them left them, so that it draws what they are in the whole. Without --frames "
        "it has all that the capture has, and places in its middle to be played from, which captures of "
        "earlier versions have not: `vitrail replay --frame N` and `vitrail explain` need not begin at "
        "the beginning then.",
    .examples = "  vitrail trim long.vtc short.vtc --frames 390..400\n"
                "  vitrail trim old.vtc new.vtc\n",
    .options = {{rows}, {tool_device_rows, AT(device)}},
    .takes = {"capture", 2, 2},
    .main = tool_trim,
};

static void on_progress(void *data, uint64_t position)
{
    tool_progress_step(data, position);
}

/* Closes the reader. */
static int trim_into(const struct options *o, struct capture_reader *reader, struct capture_writer *writer,
                     const char *const path[2], const struct gpu_options *device, uint64_t *pictures)
{
    struct tool_progress progress;
    struct util_error error = {0};
    struct capture_info info;
    struct replay *replay;
    const bool shown = !o->all && replay_shows_pictures(reader);
    capture_reader_info(reader, &info);
    if (replay_count_pictures(reader, shown, o->of.first, &error) < o->of.first) {
        capture_reader_close(reader);
        if (error.code)
            return tool_error("trim", TOOL_BAD_FILE, "%s: %s", path[0], error.text);
        return tool_error("trim", TOOL_BAD_FILE, "%s has no picture %llu", path[0],
                          (unsigned long long)o->of.first);
    }
    int err = replay_create(reader, device, &replay, &error);
    if (err) {
        capture_reader_close(reader);
        return tool_error("trim", err == -ENOTSUP ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s", path[0],
                          error.code ? error.text : strerror(-err));
    }
    tool_progress_begin(&progress, "trim", info.file_size);
    err = gpu_trim(replay, writer, shown, o->of.first, o->of.last, on_progress, &progress, pictures, &error);
    tool_progress_end(&progress);
    replay_destroy(replay);
    if (!err)
        return TOOL_OK;
    return tool_error("trim", err == -EBADMSG ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s",
                      error.code ? path[0] : path[1], error.code ? error.text : strerror(-err));
}

static int trim(const struct options *o, const char *const path[2], const struct gpu_options *device)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_writer *writer;
    struct capture_info info;
    uint64_t pictures = 0;
    int err = capture_reader_open(path[0], &reader, &error);
    if (err)
        return tool_error("trim", TOOL_BAD_FILE, "%s: %s", path[0], error.code ? error.text : strerror(-err));
    capture_reader_info(reader, &info);
    err = capture_writer_create(path[1], info.gpu, info.command, info.memory_size, &writer, &error);
    if (err) {
        capture_reader_close(reader);
        return tool_error("trim", TOOL_HOST, "%s", error.code ? error.text : strerror(-err));
    }
    capture_set_interval(writer, (uint32_t)o->restarts);
    int code = trim_into(o, reader, writer, path, device, &pictures);
    err = capture_writer_close(writer);
    if (!code && err)
        code = tool_error("trim", TOOL_HOST, "%s: %s", path[1], strerror(-err));
    if (code)
        util_remove_file(path[1]);
    else
        printf("%llu pictures\n", (unsigned long long)pictures);
    return code;
}

int tool_trim(int argc, char **argv)
{
    struct options o = {.restarts = 32, .device = TOOL_USUAL_DEVICE};
    struct tool_operands captures;
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_options device;
    int code = tool_parse(&tool_command_trim, argc, argv, &o, &captures);
    if (code)
        return code < 0 ? TOOL_OK : code;
    if (!o.of.first)
        o.of = (struct tool_range){1, UINT64_MAX};
    const char *const path[2] = {captures.at[0], captures.at[1]};
    if (tool_same_file(path[0], path[1]))
        return tool_error("trim", TOOL_USAGE, "%s and %s are one file", path[0], path[1]);
    struct tool_sandbox sandbox = {.name = "trim", .off = o.device.no_sandbox, .device = &o.device};
    tool_sandbox_reads(&sandbox, path[0]);
    tool_sandbox_writes(&sandbox, path[1]);
    code = tool_sandbox_enter(&sandbox);
    if (!code)
        code = tool_device_open("trim", &o.device, &pool, &engine, &device);
    if (code)
        return code;
    code = trim(&o, path, &device);
    util_pool_destroy(pool);
    jit_engine_destroy(engine);
    return code;
}
