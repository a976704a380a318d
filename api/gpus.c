/* The GPUs there are. */
#include <errno.h>
#include <string.h>

#include "api/internal.h"
#include "util/bits.h"

static const struct api_gpu *const gpus[] = {&api_vc4};

const struct api_gpu *api_gpu_find(const char *name)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(gpus); i++)
        if (!strcmp(gpus[i]->info.name, name))
            return gpus[i];
    return NULL;
}

int vitrail_gpu_get(uint32_t index, struct vitrail_gpu *out)
{
    if (!out)
        return api_fail(NULL, -EINVAL, "out is NULL");
    if (index >= UTIL_ARRAY_SIZE(gpus))
        return api_fail(NULL, -ENOENT, "there are %zu GPUs, from 0", UTIL_ARRAY_SIZE(gpus));
    return api_give(out, &gpus[index]->info, sizeof *out, sizeof *out);
}

int vitrail_gpu_find(const char *name, struct vitrail_gpu *out)
{
    if (!name || !out)
        return api_fail(NULL, -EINVAL, "%s is NULL", name ? "out" : "name");
    const struct api_gpu *gpu = api_gpu_find(name);
    if (!gpu)
        return api_fail(NULL, -ENOENT, "no GPU of the name '%s'", name);
    return api_give(out, &gpu->info, sizeof *out, sizeof *out);
}
