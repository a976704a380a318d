#include "gpu/families.h"
#include "tools/tool.h"

#include <stdio.h>
#include <string.h>

const struct tool_command tool_command_gpus = {
    .name = "gpus",
    .summary = "list the GPUs that can be emulated",
    .text = "Lists the GPUs that can be emulated, their drivers, and this machine's vector levels.",
    .examples = "  vitrail gpus\n",
    .takes = {"argument", 0, 0},
    .main = tool_gpus,
};

int tool_gpus(int argc, char **argv)
{
    struct tool_operands none;
    int code = tool_parse(&tool_command_gpus, argc, argv, NULL, &none);
    if (code)
        return code < 0 ? TOOL_OK : code;
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
