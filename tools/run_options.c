/* The words of `vitrail run` and `vitrail record`. */
#include "tools/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/families.h"

/* "WxH" */
static int take_mode(void *options, const char *text)
{
    struct run *run = options;
    uint32_t w, h;
    char extra;
    if (sscanf(text, "%4ux%4u%c", &w, &h, &extra) != 2 || !w || !h || w > 4096 || h > 4096)
        return -1;
    run->width = w;
    run->height = h;
    return TOOL_OK;
}

/* "PATH" or "PATH:INSIDE", both absolute. */
static int take_bind(void *options, const char *text)
{
    struct run *run = options;
    char host[DRM_LAUNCH_PATH];
    size_t n = strcspn(text, ":");
    snprintf(host, sizeof host, "%.*s", (int)n, text);
    if (text[0] != '/' || n >= sizeof host || access(host, F_OK) || (text[n] && text[n + 1] != '/') ||
        run->root.binds == DRM_ROOT_BINDS)
        return -1;
    run->root.bind[run->root.binds++] = text;
    return TOOL_OK;
}

static const char *gpu_word(unsigned n)
{
    const struct gpu_info *gpu = gpu_info_driven_at(n);
    return gpu ? gpu->name : NULL;
}

/* Of one that does not draw yet. */
static const char *gpu_unlisted(const char *name)
{
    const struct gpu_info *gpu = gpu_info_find(name);
    return gpu && gpu->driver ? gpu->name : NULL;
}

#define AT(member) offsetof(struct run, member)

const struct tool_option run_card_rows[] = {
    {"gpu", "NAME", "the GPU: %s", .kind = TOOL_NAME, .at = AT(gpu), .word = gpu_word, .first = true,
     .unlisted = gpu_unlisted},
    {"mode", "WxH", "the display's preferred mode (default 1280x720)", .kind = TOOL_OWN, .take = take_mode,
     .takes = "WIDTHxHEIGHT up to 4096x4096"},
    {"fps", "N",
     "what is committed to the display is shown at one of N times a second, and modes say so (default 0: as "
     "soon as it is drawn)",
     .kind = TOOL_NUMBER, .at = AT(rate), .min = 0, .max = DRM_RATE_MAX},
    {"memory", "SIZE", "guest memory, as 512M or 1G (default 1G, at most 4G)", .kind = TOOL_SIZE,
     .at = AT(memory), .min = 64u << 20, .max = 4ull << 30, .takes = "a size from 64M to 4G"},
    {"sync", NULL,
     "a job is done before its submit returns, as it always is while recording; otherwise the driver "
     "prepares the next one meanwhile",
     .kind = TOOL_SWITCH, .at = AT(sync)},
    {0},
};

static const struct tool_option common_rows[] = {
    {"sysroot", "DIR",
     "libraries of a foreign architecture, before this machine's files (default: those that tools/sysroot "
     "fetched)",
     .kind = TOOL_FOLDER, .at = AT(launch.sysroot)},
    {"root", "DIR",
     "DIR, with a Debian's files, is the program's /: with namespaces of its own, and what it writes is gone "
     "with it (default of the options that need one: what tools/sysroot fetched; of a program that is only "
     "named and found there, too, with this machine's folders beside the system's at their places)",
     .kind = TOOL_FOLDER, .at = AT(root.folder)},
    {"wayland", NULL,
     "in a root of its own, on a display of Wayland: the compositor cage runs beside the program "
     "(tools/sysroot --add "
     "cage)",
     .kind = TOOL_SWITCH, .at = AT(root.wayland)},
    {"x11", NULL,
     "likewise on a display of X11, Xwayland in cage (tools/sysroot --add cage xwayland); with --wayland, on "
     "both",
     .kind = TOOL_SWITCH, .at = AT(root.x11)},
    {"bind", "PATH[:INSIDE]",
     "in a root of its own: this file or folder of the host is seen inside, too; may be given again",
     .kind = TOOL_OWN, .take = take_bind,
     .takes = "an absolute path that there is, and perhaps another inside"},
    {"home", "DIR", "in a root of its own: this folder of the host is the home (default: an empty one)",
     .kind = TOOL_FOLDER, .at = AT(root.home)},
    {"net", NULL, "in a root of its own: the host's network (default: none but its own loopback)",
     .kind = TOOL_SWITCH, .at = AT(root.net)},
    {"preload", "LIBRARY", "preload this library too", .kind = TOOL_FILE, .at = AT(launch.preload)},
    {"input", "FILE",
     "play keys and the pointer from FILE, a command a line, as `wait 30`, `key enter`, `type hello`, `move "
     "320 "
     "180`, `click` (docs/INPUT.md)",
     .kind = TOOL_FILE, .at = AT(input)},
    {"window", NULL,
     "show the display in a window of this machine's, whose keys and pointer are the program's; closing it "
     "ends the "
     "program",
     .kind = TOOL_SWITCH, .at = AT(shows)},
    {"stats", NULL,
     "each second a line on standard error: pictures, the time that the GPU is at work, and how many "
     "processors the "
     "program with its driver and the GPU's process take",
     .kind = TOOL_SWITCH, .at = AT(tells)},
    {"log", "FILE", "append the card's messages and reports to FILE", .kind = TOOL_FILE, .at = AT(log)},
    {"any-driver", NULL,
     "never to have used the GPU is no failure: for programs that do not draw, or draw in software",
     .kind = TOOL_SWITCH, .at = AT(any_driver)},
    {0},
};

/* Of captures. */
#define RESTARTS                                                                                             \
    {"restart-every",                                                                                        \
     "N",                                                                                                    \
     "pictures from one place in the capture to the next from which it can be played (default 32; 0: "       \
     "only from its beginning)",                                                                             \
     .kind = TOOL_NUMBER,                                                                                    \
     .at = AT(restarts),                                                                                     \
     .min = 0,                                                                                               \
     .max = 1000000}
#define LIMIT                                                                                                \
    {"limit",                                                                                                \
     "SIZE",                                                                                                 \
     "the capture ends before it is larger, as 500M or 2G; the program goes on",                             \
     .kind = TOOL_SIZE,                                                                                      \
     .at = AT(limit),                                                                                        \
     .min = 1u << 20,                                                                                        \
     .max = 1ull << 50,                                                                                      \
     .takes = "a size from 1M"}

static const struct tool_option run_rows[] = {
    {"server", "PATH",
     "the card is one of the `vitrail serve` with this socket, which has its GPU, display, memory and how it "
     "computes",
     .kind = TOOL_FILE, .at = AT(server)},
    {"record", "FILE", "also keep what was drawn in a capture", .kind = TOOL_FILE, .at = AT(record)},
    RESTARTS,
    LIMIT,
    {0},
};

static const struct tool_option record_rows[] = {
    {"o", "FILE", "the capture (replaced when it exists)", .kind = TOOL_FILE, .at = AT(record)},
    RESTARTS,
    LIMIT,
    {0},
};

const struct tool_command tool_command_run = {
    .name = "run",
    .summary = "run a program with its stock driver on an emulated GPU",
    .operands = "-- PROGRAM [ARGS]",
    .text = "Runs a program with its stock Mesa driver on an emulated GPU. Programs for arm64 and armhf run "
            "under qemu-user. Exit status and signals are the program's; what it does wrong to the GPU is "
            "reported on standard error. A run in which no process submitted a job to the GPU says so at its "
            "end, with what is known of the cause, and its exit status is 6 in place of 0. A standard input "
            "that is /dev/null, or "
            "closed, is for the program one that never says anything, as many end when theirs has ended.",
    .examples = "  vitrail run -- kmscube -c 10\n"
                "  vitrail run --frames shots -- glmark2-es2-drm -b texture\n"
                "  vitrail run --server /tmp/t860 -- kmscube -c 10\n"
                "  vitrail run -- /usr/bin/env LIBGL_DRIVERS_PATH=~/mesa/lib/dri ./native-program\n"
                "  GBM_ALWAYS_SOFTWARE=1 vitrail run --any-driver --frames shots -- kmscube\n",
    .options = {{run_card_rows},
                {common_rows},
                {run_rows},
                {tool_frames_rows, AT(frames)},
                {tool_device_rows, AT(device)}},
    .main = tool_run,
};

const struct tool_command tool_command_record = {
    .name = "record",
    .summary = "run a program and keep what it drew in a capture",
    .operands = "-o FILE -- PROGRAM [ARGS]",
    .text = "Runs a program as `vitrail run` does, and keeps all that its GPU was given in a capture, which "
            "`vitrail replay` draws again without the program. Where nothing was drawn on the GPU, the "
            "capture holds at most what the display showed.",
    .examples = "  vitrail record -o cube.vtc -- kmscube -c 1\n"
                "  vitrail replay cube.vtc --png cube.png\n",
    .options = {{record_rows},
                {run_card_rows},
                {common_rows},
                {tool_frames_rows, AT(frames)},
                {tool_device_rows, AT(device)}},
    .main = tool_record,
};

/* What the card of a server has already; NULL: nothing of it was asked for. */
static const char *asks_server(const struct run *run)
{
    const struct tool_device_options usual = TOOL_USUAL_DEVICE, *d = &run->device;
    if (run->record)
        return "--record";
    if (run->input || run->tells || run->shows)
        return "--input, --stats and --window";
    if (run->frames.folder || run->frames.video)
        return "--frames and --video";
    if (run->width || run->rate != RUN_RATE || run->memory != RUN_MEMORY || run->sync)
        return "--mode, --fps, --memory and --sync";
    if (d->threads != usual.threads || d->level != usual.level || d->tier != usual.tier ||
        d->numeric != usual.numeric || d->interpreter || d->reference || d->in_order || d->no_cache ||
        d->no_sandbox)
        return "how the device computes";
    return NULL;
}

static bool needs_root(const struct run *run)
{
    const struct drm_root *root = &run->root;
    return root->folder || root->binds || root->home || root->net || root->wayland || root->x11;
}

int run_parse(struct run *run, int argc, char **argv, bool record)
{
    struct tool_operands program;
    int code = tool_parse(record ? &tool_command_record : &tool_command_run, argc, argv, run, &program);
    if (code)
        return code < 0 ? TOOL_OK : code;
    if (!program.count)
        return tool_error(run->name, TOOL_USAGE, "no program; for example: vitrail %s %s-- kmscube -c 1",
                          run->name, record ? "-o cube.vtc " : "");
    if (run->server && asks_server(run))
        return tool_error(run->name, TOOL_USAGE,
                          "%s: that is not asked of a server; `vitrail serve` takes "
                          "what all its cards are to have, and a run without --server keeps pictures and "
                          "captures, and plays scripts",
                          asks_server(run));
    if (record && !run->record)
        return tool_error(run->name, TOOL_USAGE, "-o FILE is missing: where the capture goes");
    if (needs_root(run) && run->launch.sysroot)
        return tool_error(run->name, TOOL_USAGE,
                          "--sysroot is for programs without a root of their own, which --root names");
    if (needs_root(run) && !run->root.folder) {
        if (!drm_launch_usual_root(program.at[0], run->sysroot))
            return tool_error(
                run->name, TOOL_HOST,
                "there is no root for the program: tools/sysroot fetches one, or --root names it");
        run->root.folder = run->sysroot;
    }
    if (run->root.home && !realpath(run->root.home, run->home))
        return tool_error(run->name, TOOL_USAGE, "--home %s: %s", run->root.home, strerror(errno));
    if (run->root.home)
        run->root.home = run->home;
    run->launch.root = run->root.folder ? &run->root : NULL;
    run->argv = program.at;
    run->launch.program = program.at[0];
    return -1;
}
