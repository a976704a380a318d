#include "gpu/families.h"
#include "tools/tool.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: vitrail gpus\n"
    "\n"
    "Lists the GPUs that can be emulated, their drivers, and this machine's vector levels.\n"
    "\n"
    "Example:\n"
    "  vitrail gpus\n";

int tool_gpus(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if (argc > 1)
        return tool_error("gpus", TOOL_USAGE, "unknown argument '%s'; see `vitrail gpus --help`", argv[1]);
    printf("%-8s %-32s %-8s %s\n", "name", "GPU", "driver", "guest programs");
    const struct gpu_info *gpu;
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++)
        printf("%-8s %-32s %-8s %s\n", gpu->name, gpu->title, gpu->driver, "arm64, armhf, amd64");
    printf("\nhost vector levels:");
    for (int l = 0; l < JIT_LEVEL_COUNT; l++)
        if (jit_level_supported((enum jit_level)l))
            printf(" %s", jit_level_name((enum jit_level)l));
    printf("\n");
    return TOOL_OK;
}
