/* The GPUs that programs can be run on. */
#include "tools/tool.h"

#include <string.h>

static int make_vc4(struct gpu_memory *memory, const struct vc4_options *options, struct gpu_device *out)
{
    struct vc4_device *device;
    int r = vc4_device_create(memory, options, &device);
    if (!r)
        *out = vc4_device_gpu(device);
    return r;
}

const struct tool_gpu *tool_gpu_find(const char *name)
{
    static const struct tool_gpu gpus[] = {{"vc4", "vc4", make_vc4}};
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (!strcmp(gpus[i].name, name))
            return &gpus[i];
    return NULL;
}
