/* The GPUs there are. */
#include <errno.h>

#include "api/internal.h"

/* All have a reference, are exact where asked, and play captures. */
static struct vitrail_gpu describe(const struct gpu_info *gpu)
{
    return (struct vitrail_gpu){.size = sizeof(struct vitrail_gpu),
                                .name = gpu->name,
                                .description = gpu->title,
                                .driver = gpu->driver,
                                .register_bytes = gpu->register_bytes,
                                .capabilities = VITRAIL_CAP_REFERENCE | VITRAIL_CAP_EXACT |
                                                VITRAIL_CAP_CAPTURES |
                                                (gpu->interpreted ? 0 : VITRAIL_CAP_COMPILED) |
                                                (gpu->maps_pages ? VITRAIL_CAP_MEMORY_FILE : 0),
                                .memory_max = gpu->memory_max};
}

int vitrail_gpu_get(uint32_t index, struct vitrail_gpu *out)
{
    const struct gpu_info *gpu = gpu_info_at(index);
    if (!out)
        return api_fail(NULL, -EINVAL, "out is NULL");
    if (!gpu)
        return api_fail(NULL, -ENOENT, "there are not so many GPUs: no number %u, from 0", index);
    const struct vitrail_gpu found = describe(gpu);
    return api_give(out, &found, sizeof *out, sizeof *out);
}

int vitrail_gpu_find(const char *name, struct vitrail_gpu *out)
{
    if (!name || !out)
        return api_fail(NULL, -EINVAL, "%s is NULL", name ? "out" : "name");
    const struct gpu_info *gpu = gpu_info_find(name);
    if (!gpu)
        return api_fail(NULL, -ENOENT, "no GPU of the name '%s'", name);
    const struct vitrail_gpu found = describe(gpu);
    return api_give(out, &found, sizeof *out, sizeof *out);
}
