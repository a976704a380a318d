/* The VideoCore IV 3D block: registers, two control-list threads, interrupts. A kernel driver, a VM's device
 * model or a replay uses it through these calls alone. Source: Guide sections 8 to 10.
 *
 * Threading: a device is used by one thread at a time. Work started by a register write runs before the write
 * returns, on the pool's workers and the caller; the IRQ callback is called from inside that write.
 * User programs may run a little later: see vc4_device_settle. */
#ifndef VITRAIL_GPU_VC4_DEVICE_H
#define VITRAIL_GPU_VC4_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"
#include "gpu/fault.h"
#include "gpu/memory.h"
#include "gpu/options.h"
#include "isa/vc4_qpu/numeric.h"

/* Byte offsets of the registers from V3D_BASE (Guide section 10; regs.inc holds the table with fields and
 * reset values). */
enum vc4_reg {
    VC4_IDENT0 = 0x000,
    VC4_IDENT1 = 0x004,
    VC4_IDENT2 = 0x008,
    VC4_SCRATCH = 0x010,
    VC4_L2CACTL = 0x020,
    VC4_SLCACTL = 0x024,
    VC4_INTCTL = 0x030,
    VC4_INTENA = 0x034,
    VC4_INTDIS = 0x038,
    VC4_CT0CS = 0x100,
    VC4_CT1CS = 0x104,
    VC4_CT0EA = 0x108,
    VC4_CT1EA = 0x10c,
    VC4_CT0CA = 0x110,
    VC4_CT1CA = 0x114,
    VC4_CT0RA0 = 0x118,
    VC4_CT1RA0 = 0x11c,
    VC4_CT0LC = 0x120,
    VC4_CT1LC = 0x124,
    VC4_CT0PC = 0x128,
    VC4_CT1PC = 0x12c,
    VC4_PCS = 0x130,
    VC4_BFC = 0x134,
    VC4_RFC = 0x138,
    VC4_BPCA = 0x300,
    VC4_BPCS = 0x304,
    VC4_BPOA = 0x308,
    VC4_BPOS = 0x30c,
    VC4_BXCF = 0x310,
    VC4_SQRSV0 = 0x410,
    VC4_SQRSV1 = 0x414,
    VC4_SQCNTL = 0x418,
    VC4_SRQPC = 0x430,
    VC4_SRQUA = 0x434,
    VC4_SRQUL = 0x438,
    VC4_SRQCS = 0x43c,
    VC4_VPACNTL = 0x500,
    VC4_VPMBASE = 0x504,
    VC4_DBQITE = 0xe2c,
    VC4_DBQITC = 0xe30,
    VC4_PCTRC = 0x670,
    VC4_PCTRE = 0x674,
    VC4_PCTR0 = 0x680, /* count n at PCTR0 + 8n, its source at PCTRS0 + 8n, n 0..15 */
    VC4_PCTRS0 = 0x684,
    VC4_ERRSTAT = 0xf20,
};

/* INTCTL bits. */
#define VC4_INT_FRDONE   (1u << 0) /* render: frame done */
#define VC4_INT_FLDONE   (1u << 1) /* binner: flush done */
#define VC4_INT_OUTOMEM  (1u << 2) /* binner: out of tile memory */
#define VC4_INT_SPILLUSE (1u << 3)
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
void vc4_device_settle(struct vc4_device *device);

/* Registers, byte offset as above. Reading a write-only or unknown register gives 0; an unknown write is
 * ignored and reported (gpu_host_unknown_write). Writing CTnEA starts the thread at CTnCA. */
uint32_t vc4_read(struct vc4_device *device, uint32_t offset);
void vc4_write(struct vc4_device *device, uint32_t offset, uint32_t value);

#endif
