#include "gpu/capture.h"
#include "gpu/families.h"
#include "tools/tool.h"
#include "util/bits.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const struct tool_command tool_command_info = {
    .name = "info",
    .summary = "say what a capture holds",
    .operands = "CAPTURE...",
    .text = "Says what each capture holds: GPU, command, sizes, events, pictures, restart points. Every "
            "checksum is verified; a "
            "damaged file gives exit status 4.",
    .examples = "  vitrail info cube.vtc\n",
    .options = {{tool_sandbox_rows}},
    .takes = {"capture", 1, UINT_MAX},
    .main = tool_info,
};

/* Where the capture can be played from besides its beginning, and the most that is read of restart points to begin there. */
static void show_restarts(struct capture_reader *reader)
{
    struct capture_restart restart;
    struct capture_counts first = {0}, last = {0}, total;
    uint64_t bytes, all = 0, chain = 0, most = 0;
    uint32_t count = 0;
    if (!capture_reader_counts(reader, &total))
        return;
    for (; capture_reader_restart(reader, count, &restart, &bytes); count++) {
        first = count ? first : restart.before;
        last = restart.before;
        all += bytes;
        chain = restart.full ? bytes : chain + bytes;
        most = UTIL_MAX(most, chain);
    }
    const bool shown = total.shown > 0;
    if (!count)
        printf("  restart points   none: it is played from its beginning alone\n");
    else
        printf("  restart points   %" PRIu32 ", behind pictures %llu to %llu; %.1f MiB of the file, at most "
               "%.1f MiB are read to begin at one\n",
               count, (unsigned long long)(shown ? first.shown : first.all),
               (unsigned long long)(shown ? last.shown : last.all), (double)all / 1048576.0,
               (double)most / 1048576.0);
}

static int show(const char *path)
{
    struct util_error error = {0};
    struct capture_reader *reader = NULL;
    struct capture_event event;
    struct capture_info info;
    uint64_t pages = 0, registers = 0, replies = 0, jobs = 0, shown = 0;
    struct capture_frame last = {0};

    int err = capture_reader_open(path, &reader, &error);
    while (!err && !(err = capture_read(reader, &event, &error)) && event.type != CAPTURE_EVENT_END) {
        pages += event.type == CAPTURE_EVENT_PAGES ? event.pages.count : 0;
        registers += event.type == CAPTURE_EVENT_REGISTER;
        replies += event.type == CAPTURE_EVENT_IRQ_REPLY;
        if (event.type == CAPTURE_EVENT_FRAME) {
            last = event.frame;
            *(event.frame.presented ? &shown : &jobs) += 1;
        }
    }
    if (err) {
        capture_reader_close(reader);
        return tool_error("info", TOOL_BAD_FILE, "%s: %s", path, error.code ? error.text : strerror(-err));
    }
    capture_reader_info(reader, &info);
    const struct gpu_info *gpu = gpu_info_find(info.gpu);
    printf("%s: capture version %u of %s%s%s\n", path, info.version, info.gpu, gpu ? ", " : "",
           gpu ? gpu->title : "");
    printf("  command          %s\n", info.command);
    printf("  file             %llu bytes%s\n", (unsigned long long)info.file_size,
           info.torn ? ", cut off after its last whole chunk" : "");
    printf("  guest memory     %llu MiB, %llu pages recorded (%.1f MiB)\n",
           (unsigned long long)(info.memory_size >> 20), (unsigned long long)pages,
           (double)pages * GPU_PAGE / 1048576.0);
    printf("  register writes  %llu, %llu in answer to interrupts\n", (unsigned long long)registers,
           (unsigned long long)replies);
    printf("  pictures         %llu ends of rendering jobs, %llu shown on a display\n",
           (unsigned long long)jobs, (unsigned long long)shown);
    if (jobs + shown)
        printf("  last picture     %ux%u at 0x%08" PRIx64 "\n", last.width, last.height, last.address);
    show_restarts(reader);
    capture_reader_close(reader);
    return TOOL_OK;
}

int tool_info(int argc, char **argv)
{
    struct tool_sandbox sandbox = {.name = "info"};
    struct tool_operands captures;
    int code = tool_parse(&tool_command_info, argc, argv, &sandbox.off, &captures);
    if (code)
        return code < 0 ? TOOL_OK : code;
    for (unsigned i = 0; i < captures.count; i++)
        tool_sandbox_reads(&sandbox, captures.at[i]);
    code = tool_sandbox_enter(&sandbox);
    if (code)
        return code;
    for (unsigned i = 0; i < captures.count; i++) {
        int got = show(captures.at[i]);
        code = got ? got : code;
    }
    return code;
}
