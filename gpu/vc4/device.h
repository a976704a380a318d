/* The VideoCore IV 3D block: registers, two control-list threads, interrupts. A kernel driver, a VM's device
 * model or a replay uses it through these calls alone. Source: Guide sections 8 to 10.
 *
 * Threading: a device is used by one thread at a time. Work started by a register write runs before the write
 * returns, on the pool's workers and the caller; the IRQ callback is called from inside that write.
 * User programs may run a little later: see vc4_device_flush. */
#ifndef VITRAIL_GPU_VC4_DEVICE_H
#define VITRAIL_GPU_VC4_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"
#include "gpu/fault.h"
#include "gpu/memory.h"
#include "gpu/options.h"
#include "gpu/vc4/regs.h"
#include "isa/vc4_qpu/numeric.h"

/* INTCTL bits. */
#define VC4_INT_FRDONE   VC4_BIT(INTCTL, INT_FRDONE)  /* render: frame done */
#define VC4_INT_FLDONE   VC4_BIT(INTCTL, INT_FLDONE)  /* binner: flush done */
#define VC4_INT_OUTOMEM  VC4_BIT(INTCTL, INT_OUTOMEM) /* binner: out of tile memory */
#define VC4_INT_SPILLUSE VC4_BIT(INTCTL, INT_SPILLUSE)
#define VC4_INT_ALL      (VC4_INT_FRDONE | VC4_INT_FLDONE | VC4_INT_OUTOMEM | VC4_INT_SPILLUSE)
/* Interrupts of user programs share the line but not the register: the callback sees them here, and they are
 * cleared by writing bit n of DBQITC. */
#define VC4_INT_QPU(n) (1u << (16 + (n)))

struct vc4_device;
/* `memory` is borrowed and must outlive the device; ISA_USUAL is fast here. 0, -ENOMEM, -EINVAL. */
int vc4_device_create(struct gpu_memory *memory, const struct gpu_options *options, struct vc4_device **out);
void vc4_device_destroy(struct vc4_device *device); /* NULL is accepted */
/* The device as one of any family (gpu/device.h). */
struct gpu_device vc4_device_gpu(struct vc4_device *device);

/* What the device keeps for its host, which is called when INTCTL & enabled or DBQITC becomes nonzero, with
 * the pending bits. A thread started from inside the callback runs when the callback and the work in progress
 * are done, still before the outermost vc4_write returns. On VC4_INT_OUTOMEM the callback may write BPOA and
 * BPOS and clear the bit: binning then goes on with the new memory; otherwise the job ends with a fault. */
struct gpu_host *vc4_device_host(struct vc4_device *device);
/* The pending bits as the callback has them: nonzero while the line is high. Unlike reading the registers it
 * lets nothing run. */
uint32_t vc4_device_irq_pending(const struct vc4_device *device);

/* User programs queued at SRQPC do not run in that write: they run together, when the host next reads a
 * register or writes one other than SRQPC, SRQUA, SRQUL, when the queue is full, at once when DBQITE is not
 * zero, or when this is called, by a host that has nothing to read or write. Programs that then wait for each
 * other for ever stay where they are, as on the silicon, and are reported (GPU_FAULT_DEADLOCK), once. */
void vc4_device_flush(struct vc4_device *device);

/* Registers by byte offset (gpu/vc4/regs.h). Reading a write-only or unknown register gives 0; an unknown
 * write is ignored and reported (gpu_host_unknown_write). Writing CTnEA starts the thread at CTnCA. */
uint32_t vc4_read(struct vc4_device *device, uint32_t offset);
void vc4_write(struct vc4_device *device, uint32_t offset, uint32_t value);

#endif
