#include "gpu/capture.h"
#include "gpu/families.h"
#include "tools/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char help[] = "Usage: vitrail info [--no-sandbox] CAPTURE...\n"
                           "\n"
                           "Says what each capture holds: GPU, command, sizes, events, pictures.\n"
                           "Every checksum is verified; a damaged file gives exit status 4.\n"
                           "\n"
                           "  --no-sandbox  the process may make every system call, for tracing it\n"
                           "\n"
                           "Example:\n"
                           "  vitrail info cube.vtc\n";

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
    capture_reader_close(reader);
    return TOOL_OK;
}

int tool_info(int argc, char **argv)
{
    struct tool_sandbox sandbox = {.name = "info"};
    int count = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return TOOL_OK;
        }
        if (!strcmp(argv[i], "--no-sandbox"))
            sandbox.off = true;
        else if (argv[i][0] == '-')
            return tool_error("info", TOOL_USAGE, "unknown option '%s'; see `vitrail info --help`", argv[i]);
        else
            argv[1 + count++] = argv[i];
    }
    if (!count)
        return tool_error("info", TOOL_USAGE, "no capture given; see `vitrail info --help`");
    for (int i = 1; i <= count; i++)
        tool_sandbox_reads(&sandbox, argv[i]);
    int code = tool_sandbox_enter(&sandbox);
    if (code)
        return code;
    for (int i = 1; i <= count; i++) {
        int got = show(argv[i]);
        code = got ? got : code;
    }
    return code;
}
