/* The words of `vitrail run` and `vitrail record`. */
#include "tools/run.h"

#include <stdio.h>
#include <string.h>

#include "gpu/families.h"

static const char help_run[] =
    "Usage: vitrail run [OPTIONS] -- PROGRAM [ARGS]\n"
    "\n"
    "Runs a program with its stock Mesa driver on an emulated GPU. Programs for\n"
    "arm64 and armhf run under qemu-user. Exit status and signals are the\n"
    "program's; what it does wrong to the GPU is reported on standard error. A run\n"
    "that never used the GPU says so, and its exit status is 6 in place of 0.\n"
    "\n"
    "  --gpu NAME         the GPU: vc4 (default), mali400, mali450\n"
    "  --frames DIR       write each presented frame as DIR/frame-000001.png ...\n"
    "  --mode WxH         the display's preferred mode (default 1280x720)\n"
    "  --memory SIZE      guest memory, as 512M or 1G (default 1G, at most 4G)\n"
    "  --record FILE      also keep what was drawn in a capture\n"
    "  --sysroot DIR      libraries of a foreign architecture (default: those that\n"
    "                     tools/sysroot fetched)\n"
    "  --preload LIBRARY  preload this library too\n"
    "  --log FILE         append the card's messages and reports to FILE\n"
    "  --sync             a job is done before its submit returns\n"
    "  --any-driver       never to have used the GPU is no failure: for programs that\n"
    "                     do not draw, or draw in software\n";
static const char examples_run[] =
    "\nExamples:\n"
    "  vitrail run -- kmscube -c 10\n"
    "  vitrail run --frames shots -- glmark2-es2-drm \\\n"
    "      --winsys-options drm-device=/dev/dri/card0 -b texture\n"
    "  vitrail run -- env LIBGL_DRIVERS_PATH=~/mesa/lib/dri ./native-program\n"
    "  GBM_ALWAYS_SOFTWARE=1 vitrail run --any-driver --frames shots -- kmscube\n";
static const char help_record[] =
    "Usage: vitrail record -o FILE [OPTIONS] -- PROGRAM [ARGS]\n"
    "\n"
    "Runs a program as `vitrail run` does, and keeps all that its GPU was given in\n"
    "a capture, which `vitrail replay` draws again without the program.\n"
    "\n"
    "  -o FILE            the capture (replaced when it exists)\n"
    "  --gpu, --frames, --mode, --memory, --sysroot, --preload, --log, --any-driver:\n"
    "                     as for run. Jobs are done before their submits return.\n";
static const char examples_record[] = "\nExamples:\n"
                                      "  vitrail record -o cube.vtc -- kmscube -c 1\n"
                                      "  vitrail replay cube.vtc --png cube.png\n";

static bool parse_mode(const char *text, uint32_t *width, uint32_t *height)
{
    char extra;
    return sscanf(text, "%4ux%4u%c", width, height, &extra) == 2 && *width && *height && *width <= 4096 &&
           *height <= 4096;
}

static bool parse_size(const char *text, uint64_t *bytes)
{
    char number[32];
    size_t n = strlen(text);
    unsigned shift = 0;
    if (n && strchr("kKmMgG", text[n - 1]))
        shift = strchr("kK", text[--n]) ? 10 : strchr("mM", text[n]) ? 20 : 30;
    if (!n || n >= sizeof number)
        return false;
    memcpy(number, text, n);
    number[n] = 0;
    if (!tool_number(number, 1, (4ull << 30) >> shift, bytes))
        return false;
    *bytes <<= shift;
    return *bytes >= 64u << 20;
}

/* An option, and its value where it has one; 1 when taken, 0 when it is none of these, -1 after a message. */
static int run_option(struct run *run, int argc, char **argv, int *i, bool record)
{
    const char *value = NULL;
    const struct {
        const char *name, **text;
    } texts[] = {{"--frames", &run->frames},
                 {"--log", &run->log},
                 {"--sysroot", &run->launch.sysroot},
                 {"--preload", &run->launch.preload},
                 {record ? "-o" : "--record", &run->record}};
    int got;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if ((got = tool_value(run->name, texts[k].name, argc, argv, i, &value))) {
            *texts[k].text = value;
            return got;
        }
    }
    if ((got = tool_value(run->name, "--gpu", argc, argv, i, &value))) {
        if (got > 0)
            run->gpu = value;
        if (got > 0 && !gpu_driver_name(value)) {
            tool_error(run->name, 0, "there is no GPU '%s'; `vitrail gpus` lists them", value);
            return -1;
        }
        return got;
    }
    if ((got = tool_value(run->name, "--mode", argc, argv, i, &value))) {
        if (got > 0 && !parse_mode(value, &run->width, &run->height)) {
            tool_error(run->name, 0, "--mode takes WIDTHxHEIGHT up to 4096x4096, not '%s'", value);
            return -1;
        }
        return got;
    }
    if ((got = tool_value(run->name, "--memory", argc, argv, i, &value))) {
        if (got > 0 && !parse_size(value, &run->memory)) {
            tool_error(run->name, 0, "--memory takes a size from 64M to 4G, not '%s'", value);
            return -1;
        }
        return got;
    }
    const struct {
        const char *name;
        bool *on;
    } switches[] = {{"--sync", &run->sync}, {"--any-driver", &run->any_driver}};
    for (size_t k = 0; k < sizeof switches / sizeof *switches; k++) {
        if (!strcmp(argv[*i], switches[k].name)) {
            *switches[k].on = true;
            return 1;
        }
    }
    return tool_device_option(run->name, &run->device, argc, argv, i);
}

int run_parse(struct run *run, int argc, char **argv, bool record)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            printf("%s%s%s", record ? help_record : help_run, tool_device_help,
                   record ? examples_record : examples_run);
            return TOOL_OK;
        }
        int got = run_option(run, argc, argv, &i, record);
        if (got < 0)
            return TOOL_USAGE;
        if (!got)
            return tool_error(run->name, TOOL_USAGE, "unknown option '%s'; `vitrail %s --help` lists them",
                              argv[i], run->name);
    }
    if (i >= argc)
        return tool_error(run->name, TOOL_USAGE, "no program; for example: vitrail %s %s-- kmscube -c 1",
                          run->name, record ? "-o cube.vtc " : "");
    if (record && !run->record)
        return tool_error(run->name, TOOL_USAGE, "-o FILE is missing: where the capture goes");
    run->argv = argv + i;
    run->launch.program = argv[i];
    return -1;
}
