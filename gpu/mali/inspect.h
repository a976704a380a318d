/* A device looked into from outside before it works: for who lists or checks what a guest asks for, without
 * doing it. A write that starts a chain need not be passed on to the device; everything else must be. */
#ifndef VITRAIL_GPU_MALI_INSPECT_H
#define VITRAIL_GPU_MALI_INSPECT_H

#include "gpu/mali/device.h"
#include "gpu/mali/payload.h"
#include "gpu/program.h"

struct isa_set;

/* The chain that a write starts. */
struct mali_start {
    bool starts;
    unsigned slot, as;
    uint64_t chain;
};
struct mali_start mali_device_starts(const struct mali_device *device, uint32_t offset, uint32_t value);

/* A register of the window, by its names in regs.inc. */
struct mali_register {
    const char *block, *name; /* static: "JS", "HEAD_NEXT" */
    unsigned number;          /* of the slot or the address space */
    bool numbered;            /* there are several such blocks */
    unsigned word;            /* of a counted one */
    bool counted;
};
/* False: there is no such register. */
bool mali_device_register(uint32_t offset, struct mali_register *out);
/* The register's fields in `value`; how many, at most MALI_FLAGS_MAX. */
#define MALI_FLAGS_MAX 16u
unsigned mali_register_fields(uint32_t offset, uint32_t value, struct gpu_field out[MALI_FLAGS_MAX]);

enum mali_version mali_device_version(const struct mali_device *device);
/* How its programs are decoded, and of which instruction set they are. */
const struct gpu_program_kind *mali_device_programs(const struct mali_device *device);
const struct isa_set *mali_device_set(const struct mali_device *device);
/* The address space as its tables are now; NULL with *fault. Good until the next register write. */
const struct gpu_space *mali_device_space(struct mali_device *device, unsigned as, struct gpu_fault *fault);

#endif
