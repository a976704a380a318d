/* Names to families. */
#include "gpu/families.h"

#include <errno.h>
#include <string.h>

#include "gpu/libresoc/device.h"
#include "gpu/libresoc/regs.h"
#include "gpu/mali/gpu.h"
#include "gpu/mali/regs.h"
#include "gpu/utgard/gpu.h"
#include "gpu/utgard/regs.h"
#include "gpu/vc4/device.h"
#include "util/bits.h"

struct family {
    struct gpu_info info;
    int (*make)(const struct family *family, struct gpu_memory *memory, const struct gpu_options *options,
                struct gpu_device *out);
    /* of Utgard */
    enum utgard_kind kind;
    unsigned pp_count;
    enum mali_kind mali;
    enum gpu_write_kind (*write_kind)(const struct family *family, uint32_t offset, uint32_t value);
    bool unfinished; /* it does not draw yet: there by its name, and in no list. Such rows stand last */
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

static int make_mali(const struct family *family, struct gpu_memory *memory,
                     const struct gpu_options *options, struct gpu_device *out)
{
    const struct mali_options mali = {family->info.name, family->mali, *options};
    struct mali_device *device;
    int r = mali_device_create(memory, &mali, &device);
    if (!r)
        *out = mali_device_gpu(device);
    return r;
}

static int make_libresoc(const struct family *family, struct gpu_memory *memory,
                         const struct gpu_options *options, struct gpu_device *out)
{
    struct libresoc_device *device;
    (void)family;
    int r = libresoc_device_create(memory, options, &device);
    if (!r)
        *out = libresoc_device_gpu(device);
    return r;
}

/* ---- what writes are ---- */

static enum gpu_write_kind write_to_vc4(const struct family *family, uint32_t offset, uint32_t value)
{
    (void)family, (void)value;
    switch (offset) {
    case VC4_CT0CS:
    case VC4_CT1CS:
    case VC4_CT0EA:
    case VC4_CT1EA:
    case VC4_SRQPC:
    case VC4_SRQCS: return GPU_WRITE_WORK;
    case VC4_INTENA:
    case VC4_INTDIS:
    case VC4_L2CACTL: return GPU_WRITE_COMMAND;
    default: return GPU_WRITE_STATE;
    }
}

static enum gpu_write_kind write_to_utgard(const struct family *family, uint32_t offset, uint32_t value)
{
    const uint32_t gp = UTGARD_BIT(GP, CMD, START_VS) | UTGARD_BIT(GP, CMD, START_PLBU) |
                        UTGARD_BIT(GP, CMD, UPDATE_PLBU_ALLOC);
    switch (utgard_block_at(family->kind, &offset)) {
    case UTGARD_BLOCK_PMU: return GPU_WRITE_COMMAND;
    case UTGARD_BLOCK_GP:
        return offset != UTGARD_GP_CMD ? GPU_WRITE_STATE : value & gp ? GPU_WRITE_WORK : GPU_WRITE_COMMAND;
    case UTGARD_BLOCK_PP:
    case UTGARD_BLOCK_PP_ALL:
        return offset != UTGARD_PP_CTRL                        ? GPU_WRITE_STATE
               : value & UTGARD_BIT(PP, CTRL, START_RENDERING) ? GPU_WRITE_WORK
                                                               : GPU_WRITE_COMMAND;
    case UTGARD_BLOCK_MMU:
    case UTGARD_BLOCK_MMU_ALL: return offset == UTGARD_MMU_COMMAND ? GPU_WRITE_COMMAND : GPU_WRITE_STATE;
    default: return GPU_WRITE_STATE;
    }
}

static enum gpu_write_kind write_to_mali(const struct family *family, uint32_t offset, uint32_t value)
{
    const struct mali_place place = mali_place_of(offset);
    (void)family;
    switch (place.block) {
    case MALI_BLOCK_JS:
        return place.offset == MALI_JS_COMMAND || place.offset == MALI_JS_COMMAND_NEXT ? GPU_WRITE_WORK
                                                                                       : GPU_WRITE_STATE;
    case MALI_BLOCK_AS: return place.offset == MALI_AS_COMMAND ? GPU_WRITE_COMMAND : GPU_WRITE_STATE;
    case MALI_BLOCK_GPU:
        if (place.offset == MALI_GPU_COMMAND)
            return value == MALI_COMMAND_SAMPLE ? GPU_WRITE_WORK : GPU_WRITE_COMMAND;
        return place.offset >= MALI_GPU_SHADER_PWRON && place.offset < MALI_GPU_SHADER_PWRTRANS
                   ? GPU_WRITE_COMMAND
                   : GPU_WRITE_STATE;
    default: return GPU_WRITE_STATE;
    }
}

static enum gpu_write_kind write_to_libresoc(const struct family *family, uint32_t offset, uint32_t value)
{
    (void)family;
    if (offset != LIBRESOC_COMMAND)
        return GPU_WRITE_STATE;
    return value & LIBRESOC_BIT(COMMAND, START) ? GPU_WRITE_WORK : GPU_WRITE_COMMAND;
}

#define MALI(name, model, architecture, kind, is_unfinished)                                                 \
    {{name, "mali", "Arm Mali-" model " (" architecture ")", "panfrost", MALI_WINDOW, true, 1ull << 32,      \
      false},                                                                                                \
     .make = make_mali,                                                                                      \
     .write_kind = write_to_mali,                                                                            \
     .mali = (kind),                                                                                         \
     .unfinished = (is_unfinished)}

static const struct family families[] = {
    {{"vc4", "vc4", "Broadcom VideoCore IV (V3D 2.1)", "vc4", 0x1000, false, 1ull << 32, false},
     .make = make_vc4,
     .write_kind = write_to_vc4},
    {{"mali400", "utgard", "Arm Mali-400 MP2 (Utgard)", "lima", UTGARD_WINDOW, true, 1ull << 32, false},
     .make = make_utgard,
     .write_kind = write_to_utgard,
     .kind = UTGARD_MALI400,
     .pp_count = 2},
    {{"mali450", "utgard", "Arm Mali-450 MP6 (Utgard)", "lima", UTGARD_WINDOW, true, 1ull << 32, false},
     .make = make_utgard,
     .write_kind = write_to_utgard,
     .kind = UTGARD_MALI450,
     .pp_count = 6},
    MALI("t720", "T720 MP2", "Midgard", MALI_T720, false),
    MALI("t760", "T760 MP4", "Midgard", MALI_T760, false),
    MALI("t860", "T860 MP4", "Midgard", MALI_T860, false),
    MALI("g57", "G57 MP5", "Valhall", MALI_G57, false),
    MALI("g72", "G72 MP3", "Bifrost", MALI_G72, false),
    MALI("g31", "G31 MP1", "Bifrost", MALI_G31, false),
    MALI("g52", "G52 MP2", "Bifrost", MALI_G52, false),
    /* Of no driver: these stand last. */
    {{"libresoc", "libresoc", "Libre-SOC hybrid core (Simple-V)", NULL, LIBRESOC_WINDOW, true, 1ull << 32,
      false},
     .make = make_libresoc,
     .write_kind = write_to_libresoc},
};

static const struct family *find(const char *name)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(families); i++)
        if (!strcmp(families[i].info.name, name))
            return &families[i];
    return NULL;
}

enum gpu_write_kind gpu_write_kind(const char *gpu, uint32_t offset, uint32_t value)
{
    const struct family *family = find(gpu);
    return family ? family->write_kind(family, offset, value) : GPU_WRITE_STATE;
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
    return n < UTIL_ARRAY_SIZE(families) && !families[n].unfinished ? &families[n].info : NULL;
}

const struct gpu_info *gpu_info_driven_at(unsigned n)
{
    const struct gpu_info *info = gpu_info_at(n);
    return info && info->driver ? info : NULL;
}

const struct gpu_info *gpu_info_find(const char *name)
{
    const struct family *family = find(name);
    return family ? &family->info : NULL;
}
