/* The device as its host sees it: registers, interrupts, and the two control-list threads that they start.
 *
 * Work is synchronous, but the threads are not called from the registers: a write marks a thread as running,
 * and the outermost vc4_write runs what can run until nothing can. So a driver may start the next list from
 * inside its interrupt handler, as real ones do, without nesting. */
#include "gpu/vc4/device.h"

#include <errno.h>
#include <stdlib.h>

#include "gpu/vc4/binner.h"
#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/renderer.h"
#include "gpu/vc4/user.h"
#include "util/bits.h"

#define USER_FUEL (4ull << 30) /* instructions that a user program may execute */

/* ---- interrupts ---- */

uint32_t vc4_device_irq_pending(const struct vc4_device *device)
{
    return (device->int_pending & device->int_enabled) | device->qpu_interrupts << 16;
}

/* Calls the host when the line rises, or when another bit joins those pending. */
static void update_irq(struct vc4_device *device, uint32_t raised)
{
    uint32_t pending = vc4_device_irq_pending(device);
    bool call = pending && (!device->irq_high || (raised & pending));
    device->irq_high = pending != 0;
    if (call)
        gpu_host_call(&device->host, pending);
}

void vc4_raise(struct vc4_device *device, uint32_t bits)
{
    device->int_pending |= bits & VC4_INT_ALL;
    if (bits & VC4_INT_OUTOMEM)
        device->out_of_memory = true;
    update_irq(device, bits);
}

void vc4_raise_qpu(struct vc4_device *device, uint32_t qpu)
{
    gpu_turns_pause(&device->host);
    uint32_t bit = device->regs[VC4_DBQITE / 4] & 1u << qpu;
    device->qpu_interrupts |= bit;
    update_irq(device, bit << 16);
    gpu_turns_resume(&device->host);
}

/* "INT_OUTOMEM is essentially level triggered, so the underlying condition must be cleared before the
 * interrupt bit can be cleared" (Guide, before table 75). */
static void clear_interrupts(struct vc4_device *device, uint32_t bits)
{
    if (device->out_of_memory)
        bits &= ~VC4_INT_OUTOMEM;
    device->int_pending &= ~bits;
    update_irq(device, 0);
}

/* ---- registers with behaviour ---- */

/* Of user programs. Counts whose reset is posted are not those that somebody waits for. */
static uint32_t read_user_status(const struct vc4_device *device)
{
    const bool works = vc4_is_at_work(device) && device->host.working >> VC4_UNIT_USER & 1;
    const uint32_t status = works ? device->shown.user_status : vc4_user_status(device);
    uint32_t control;
    return gpu_turns_find(&device->host, VC4_SRQCS, &control) ? vc4_user_status_after(status, control)
                                                              : status;
}

static uint32_t read_live(const struct vc4_device *device, uint32_t offset)
{
    const struct vc4_thread *t = device->thread;
    const bool works = vc4_is_at_work(device);
    const struct vc4_shown *shown = &device->shown;
    switch (offset) {
    case VC4_L2CACTL: return device->regs[offset / 4];
    case VC4_INTCTL: return device->int_pending;
    case VC4_INTENA:
    case VC4_INTDIS: return device->int_enabled;
    case VC4_CT0CS: return vc4_thread_read(device, 0);
    case VC4_CT1CS: return vc4_thread_read(device, 1);
    case VC4_CT0EA: return t[0].ea;
    case VC4_CT1EA: return t[1].ea;
    case VC4_CT0CA: return __atomic_load_n(&t[0].ca, __ATOMIC_RELAXED);
    case VC4_CT1CA: return __atomic_load_n(&t[1].ca, __ATOMIC_RELAXED);
    case VC4_CT0RA0: return works ? shown->ra0[0] : t[0].ra0;
    case VC4_CT1RA0: return works ? shown->ra0[1] : t[1].ra0;
    case VC4_CT0LC: return works ? shown->counters[0] : (uint32_t)t[0].flushes << 16 | t[0].returns;
    case VC4_CT1LC: return works ? shown->counters[1] : (uint32_t)t[1].flushes << 16 | t[1].returns;
    case VC4_PCS:
        return (device->out_of_memory ? VC4_BIT(PCS, BMOOM) : 0) | (t[1].run ? VC4_BIT(PCS, RMACTIVE) : 0) |
               (t[0].run ? VC4_BIT(PCS, BMACTIVE) : 0);
    case VC4_BFC: return device->binning_flushes & 0xff;
    case VC4_RFC: return device->frames_done & 0xff;
    case VC4_BPCA: return works ? shown->bpca : device->bpca;
    case VC4_BPCS: return works ? shown->bpcs : device->bpcs;
    case VC4_BPOA: return device->bpoa;
    case VC4_BPOS: return device->bpos;
    case VC4_SRQCS: return read_user_status(device);
    case VC4_DBQITC: return device->qpu_interrupts;
    default: return vc4_perf_read(device, offset);
    }
}

static void write_live(struct vc4_device *device, uint32_t offset, uint32_t value)
{
    struct vc4_thread *t = device->thread;
    switch (offset) {
    case VC4_L2CACTL:
        if (value & 3)
            device->regs[offset / 4] = value & 1;
        break;
    case VC4_INTCTL: clear_interrupts(device, value); break;
    case VC4_INTENA:
        device->int_enabled |= value & VC4_INT_ALL;
        update_irq(device, value);
        break;
    case VC4_INTDIS:
        device->int_enabled &= ~value;
        update_irq(device, 0);
        break;
    case VC4_CT0CS:
    case VC4_CT1CS: vc4_thread_write(device, offset == VC4_CT1CS, value); break;
    case VC4_CT0CA:
    case VC4_CT1CA: {
        struct vc4_thread *thread = &t[offset == VC4_CT1CA];
        if (!thread->run) { /* "can only be written when CTRUN is Stopped" (table 51) */
            thread->ca = value;
            thread->halted = false;
        }
        break;
    }
    case VC4_CT0EA:
    case VC4_CT1EA:
        t[offset == VC4_CT1EA].ea = value;
        vc4_thread_start(device, offset == VC4_CT1EA);
        break;
    case VC4_CT0LC:
    case VC4_CT1LC: vc4_thread_write_counter(&t[offset == VC4_CT1LC], value); break;
    case VC4_BFC:
        if (value & 1)
            device->binning_flushes = 0;
        break;
    case VC4_RFC:
        if (value & 1)
            device->frames_done = 0;
        break;
    case VC4_BPOA: device->bpoa = value; break;
    case VC4_BPOS:
        device->bpos = value;
        device->out_of_memory = false;
        break;
    case VC4_SRQPC: vc4_user_request(device, value); break;
    case VC4_SRQCS: vc4_user_control(device, value); break;
    case VC4_DBQITC:
        device->qpu_interrupts &= ~value;
        update_irq(device, 0);
        break;
    default: vc4_perf_write(device, offset, value); break;
    }
}

uint32_t vc4_read(struct vc4_device *device, uint32_t offset)
{
    const struct gpu_register *reg = gpu_register_find(&vc4_registers, 0, offset);
    vc4_device_flush(device);
    if (!reg || reg->access == GPU_ACCESS_WO)
        return 0;
    if (reg->access == GPU_ACCESS_LIVE)
        return read_live(device, offset);
    uint32_t value = reg->reset;
    if (reg->access == GPU_ACCESS_RW && !gpu_turns_find(&device->host, offset, &value))
        value = device->regs[offset / 4];
    return value;
}

void vc4_device_flush(struct vc4_device *device)
{
    vc4_user_flush(device, true);
    if (!device->scheduling && gpu_turns_may_work(&device->host))
        vc4_forget_programs(device);
}

void vc4_write(struct vc4_device *device, uint32_t offset, uint32_t value)
{
    if (offset != VC4_SRQPC && offset != VC4_SRQUA && offset != VC4_SRQUL)
        vc4_user_flush(device, false);
    const struct gpu_register *reg = gpu_register_find(&vc4_registers, 0, offset);
    struct gpu_fault fault;
    if (!reg) {
        gpu_host_unknown_write(&device->host, offset, value);
        return;
    }
    switch (reg->access) {
    case GPU_ACCESS_LIVE: write_live(device, offset, value); break;
    case GPU_ACCESS_RW: device->regs[offset / 4] = value & gpu_register_mask(&vc4_registers, reg); break;
    case GPU_ACCESS_FAULT:
        if (!(value & gpu_register_mask(&vc4_registers, reg)))
            break;
        gpu_fault_set(&fault, GPU_FAULT_UNSUPPORTED, "registers", offset,
                      "%s (Guide %s) is not done: write of 0x%08x", reg->name, reg->source, value);
        gpu_host_fault(&device->host, &fault);
        break;
    default: break;
    }
}

/* ---- life ---- */

int vc4_device_create(struct gpu_memory *memory, const struct gpu_options *options, struct vc4_device **out)
{
    if (!memory || !memory->base || !options)
        return -EINVAL;
    struct vc4_device *device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    device->memory = memory;
    device->options = gpu_options_resolve(options, ISA_FAST);
    device->user_fuel = options->job_fuel ? options->job_fuel : USER_FUEL;
    gpu_registers_reset(&vc4_registers, 0, device->regs);
    gpu_host_open(&device->host, "vc4");
    if (device->options.engine)
        jit_engine_join(device->options.engine);
    int error = gpu_programs_create(&vc4_program_kind, &device->programs);
    if (!error)
        error = vc4_renderer_create(device);
    if (!error)
        error = vc4_binner_create(device);
    if (!error)
        error = vc4_user_create(device);
    if (error) {
        vc4_device_destroy(device);
        return error;
    }
    *out = device;
    return 0;
}

void vc4_device_destroy(struct vc4_device *device)
{
    if (!device)
        return;
    vc4_renderer_destroy(device);
    vc4_binner_destroy(device);
    vc4_user_destroy(device);
    gpu_programs_destroy(device->programs);
    if (device->options.engine)
        jit_engine_leave(device->options.engine);
    gpu_host_close(&device->host);
    free(device);
}

struct gpu_host *vc4_device_host(struct vc4_device *device)
{
    return &device->host;
}
