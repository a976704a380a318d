/* Mali-400 and Mali-450 (Utgard): registers of all their blocks in one window, interrupt lines, MMUs, and the
 * work that they start. A kernel driver, a VM's device model or a replay uses it through these calls alone.
 * Source: Linux's lima driver (lima_regs.h, lima_device.c) as documentation of what it reads and writes.
 *
 * The window is that of the device tree's "arm,mali-400" and "arm,mali-450": each block stands at the offset
 * of ips.inc, its registers at the offsets of regs.inc from there.
 *
 * Threading: a device is used by one thread at a time. Work started by a register write runs before the
 * outermost write returns, on the pool's workers and the caller; the interrupt callback is called from inside
 * that write. */
#ifndef VITRAIL_GPU_UTGARD_DEVICE_H
#define VITRAIL_GPU_UTGARD_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/host.h"
#include "gpu/memory.h"
#include "gpu/options.h"

enum utgard_kind { UTGARD_MALI400, UTGARD_MALI450 };

#define UTGARD_MAX_PP 8       /* of Mali-450; Mali-400 has up to 4 */
#define UTGARD_WINDOW 0x30000 /* bytes of registers */
#define UTGARD_ABSENT UINT32_MAX

/* The blocks ("IPs"). */
enum utgard_ip {
#define IP(id, block, mali400, mali450) UTGARD_IP_##id,
#include "gpu/utgard/ips.inc"
#undef IP
    UTGARD_IP_COUNT
};

struct utgard_device;

struct utgard_options {
    const char *name; /* static: what captures and faults call it, "mali400" */
    enum utgard_kind kind;
    unsigned pp_count;      /* 1..4 or 1..8; 0: all of them */
    struct gpu_options gpu; /* a packet is a command, an index, or what costs as much; ISA_USUAL: exact */
};

/* `memory` (what the GPU sees as physical addresses from 0 on) is borrowed, must outlive the device and have
 * a memory file (not gpu_memory_borrow's). 0, -EINVAL, -ENOMEM or -errno. */
int utgard_device_create(struct gpu_memory *memory, const struct utgard_options *options,
                         struct utgard_device **out);
void utgard_device_destroy(struct utgard_device *device); /* NULL is accepted */

/* Where a block begins in the window; UTGARD_ABSENT when this device has none. */
uint32_t utgard_device_offset(const struct utgard_device *device, enum utgard_ip ip);

/* What the device keeps for its host, which is called when an interrupt of an enabled kind is raised, with
 * the lines that are high: bit n is the line of block n (enum utgard_ip; GP, GPMMU, PP0.., PPMMU0..,
 * PP_BCAST, PMU have one). Work started from inside the callback runs when it is done, still before the
 * outermost utgard_write returns. The frame is what the last one's write-back unit for colours stored in
 * pages that follow each other in guest memory; others are none. */
struct gpu_host *utgard_device_host(struct utgard_device *device);
/* The lines that are high now. */
uint32_t utgard_device_lines(const struct utgard_device *device);

/* Registers by byte offset in the window. Reading a write-only or unknown register gives 0; an unknown write
 * is ignored, the first of them is reported as a fault. */
uint32_t utgard_read(struct utgard_device *device, uint32_t offset);
void utgard_write(struct utgard_device *device, uint32_t offset, uint32_t value);

/* Mali-400's PPs are started one by one; those that draw one frame do it together (frame_pp.c): when all are
 * there, or the frame's tiles are, at the latest when a register is read or one of another block is written,
 * or when this is called, by a host that has nothing to read or write. */
void utgard_device_flush(struct utgard_device *device);

#endif
