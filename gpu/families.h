/* The GPUs there are, by name: a device of any of them, to be used through gpu/device.h alone. */
#ifndef VITRAIL_GPU_FAMILIES_H
#define VITRAIL_GPU_FAMILIES_H

#include "gpu/device.h"
#include "gpu/memory.h"
#include "gpu/options.h"

/* "vc4", "mali400" (2 PPs), "mali450" (6 PPs), "t720", "t760", "t860", "g57", "g72", "g31", "g52", "libresoc". `memory` is
 * borrowed. 0, -ENOTSUP (no such GPU), -ENOMEM, -EINVAL, -errno. */
int gpu_create(const char *name, struct gpu_memory *memory, const struct gpu_options *options,
               struct gpu_device *out);
/* Mesa's driver for it: "vc4", "lima"; NULL: it has none, or there is no such GPU. */
const char *gpu_driver_name(const char *name);

/* What there is to know of a GPU before one is made. Strings are static. */
struct gpu_info {
    const char *name, *family;  /* "mali400", "utgard": which GPUs are alike */
    const char *title, *driver; /* driver: NULL where Mesa has none, as of GPUs that were never built */
    uint32_t register_bytes;    /* of its window */
    bool maps_pages;            /* guest memory must be a file (gpu/space.h) */
    uint64_t memory_max;
    bool interpreted; /* its programs are not compiled */
};
const struct gpu_info *gpu_info_at(unsigned n);         /* of those that draw; NULL past the last */
const struct gpu_info *gpu_info_driven_at(unsigned n);  /* of those with a driver, which come first */
const struct gpu_info *gpu_info_find(const char *name); /* of all; NULL: there is none */

/* What a register write is to someone who brings a device into another's state (gpu/setup.h). */
enum gpu_write_kind {
    GPU_WRITE_STATE,   /* the last value of the register counts */
    GPU_WRITE_COMMAND, /* it changes the state by its value: the last write of each counts */
    GPU_WRITE_WORK,    /* it starts or stops work, or has the device write memory */
};
/* Of a GPU by its name; GPU_WRITE_STATE where there is none such. */
enum gpu_write_kind gpu_write_kind(const char *gpu, uint32_t offset, uint32_t value);

#endif
