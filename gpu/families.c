/* Names to families. */
#include "gpu/families.h"

#include <errno.h>
#include <string.h>

#include "gpu/utgard/gpu.h"
#include "gpu/vc4/device.h"
#include "util/bits.h"

struct family {
    struct gpu_info info;
    int (*make)(const struct family *family, struct gpu_memory *memory, const struct gpu_options *options,
                struct gpu_device *out);
    /* of Utgard */
    enum utgard_kind kind;
    unsigned pp_count;
};

static int make_vc4(const struct family *family, struct gpu_memory *memory, const struct gpu_options *options,
                    struct gpu_device *out)
{
    struct vc4_device *device;
    int r = vc4_device_create(memory, options, &device);
    if (!r)
        *out = vc4_device_gpu(device);
    return r;
}

static int make_utgard(const struct family *family, struct gpu_memory *memory,
                       const struct gpu_options *options, struct gpu_device *out)
{
    const struct utgard_options utgard = {family->info.name, family->kind, family->pp_count, *options};
    struct utgard_device *device;
    int r = utgard_device_create(memory, &utgard, &device);
    if (!r)
        *out = utgard_device_gpu(device);
    return r;
}

static const struct family families[] = {
    {{"vc4", "vc4", "Broadcom VideoCore IV (V3D 2.1)", "vc4", 0x1000, false, 1ull << 32}, .make = make_vc4},
    {{"mali400", "utgard", "Arm Mali-400 MP2 (Utgard)", "lima", UTGARD_WINDOW, true, 1ull << 32},
     make_utgard,
     UTGARD_MALI400,
     2},
    {{"mali450", "utgard", "Arm Mali-450 MP6 (Utgard)", "lima", UTGARD_WINDOW, true, 1ull << 32},
     make_utgard,
     UTGARD_MALI450,
     6},
};

static const struct family *find(const char *name)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(families); i++)
        if (!strcmp(families[i].info.name, name))
            return &families[i];
    return NULL;
}

int gpu_create(const char *name, struct gpu_memory *memory, const struct gpu_options *options,
               struct gpu_device *out)
{
    const struct family *family = find(name);
    *out = (struct gpu_device){0};
    return family ? family->make(family, memory, options, out) : -ENOTSUP;
}

const char *gpu_driver_name(const char *name)
{
    const struct family *family = find(name);
    return family ? family->info.driver : NULL;
}

const struct gpu_info *gpu_info_at(unsigned n)
{
    return n < UTIL_ARRAY_SIZE(families) ? &families[n].info : NULL;
}

const struct gpu_info *gpu_info_find(const char *name)
{
    const struct family *family = find(name);
    return family ? &family->info : NULL;
}
