/* Mali GPUs with a job manager (Midgard, Bifrost, Valhall v9): registers in one window, interrupt lines, address
 * spaces, chains of jobs. A kernel driver, a VM's device model or a replay uses a device through these calls alone.
 * Source: Linux's panfrost driver (panfrost_regs.h and who uses it) as documentation of what it reads and
 * writes.
 *
 * Threading: a device is used by one thread at a time. Work started by a register write runs before the
 * outermost write returns, on the pool's workers and the caller; the interrupt callback is called from inside
 * that write. */
#ifndef VITRAIL_GPU_MALI_DEVICE_H
#define VITRAIL_GPU_MALI_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/host.h"
#include "gpu/memory.h"
#include "gpu/options.h"

/* The columns of features.inc. */
enum mali_kind { MALI_T720, MALI_T760, MALI_T860, MALI_G72, MALI_G31, MALI_G52, MALI_G57, MALI_KIND_COUNT };

#define MALI_WINDOW 0x4000 /* bytes of registers */

/* Interrupt lines. */
enum { MALI_LINE_JOB = 1, MALI_LINE_MMU = 2, MALI_LINE_GPU = 4 };

struct mali_device;

struct mali_options {
    const char *name; /* static: what captures and faults call it, "t860" */
    enum mali_kind kind;
    struct gpu_options gpu; /* a packet is a job, a descriptor, an index, or what costs as much; ISA_USUAL:
                             * exact */
};

/* `memory` (what the GPU sees as physical addresses from 0 on) is borrowed, must outlive the device and have
 * a memory file (not gpu_memory_borrow's). 0, -EINVAL, -ENOMEM or -errno. */
int mali_device_create(struct gpu_memory *memory, const struct mali_options *options,
                       struct mali_device **out);
void mali_device_destroy(struct mali_device *device); /* NULL is accepted */

/* What the device keeps for its host, which is called when an interrupt of an enabled kind is raised, with
 * the lines that are high. Work started from inside the callback runs when it is done, still before the
 * outermost mali_write returns. */
struct gpu_host *mali_device_host(struct mali_device *device);
/* The lines that are high now. */
uint32_t mali_device_lines(const struct mali_device *device);

/* Registers by byte offset in the window. Reading a write-only or unknown register gives 0; an unknown write
 * is ignored, the first of them is reported as a fault. */
uint32_t mali_read(struct mali_device *device, uint32_t offset);
void mali_write(struct mali_device *device, uint32_t offset, uint32_t value);

#endif
