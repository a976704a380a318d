/* VideoCore IV between jobs: registers, interrupts, where lists stand. What a list leaves in the units for the next one
 * is not kept: a list sets up what it uses. */
#include "gpu/state.h"
#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/user.h"

enum { PCTRE = 0x674, PCTR0 = 0x680 };

static void transfer_thread(struct gpu_state *state, struct vc4_thread *thread)
{
    uint32_t counters = (uint32_t)thread->flushes << 16 | thread->returns;
    gpu_state_u32(state, &thread->ca, UINT32_MAX);
    gpu_state_u32(state, &thread->ea, UINT32_MAX);
    gpu_state_u32(state, &thread->ra0, UINT32_MAX);
    gpu_state_u32(state, &counters, UINT32_MAX);
    gpu_state_bool(state, &thread->error);
    thread->flushes = (uint16_t)(counters >> 16);
    thread->returns = (uint16_t)counters;
}

/* Counters go on from their values; what the sources come to is the device's own. */
static void transfer_perf(struct gpu_state *state, struct vc4_device *device)
{
    uint32_t enabled = vc4_perf_read(device, PCTRE);
    for (uint32_t n = 0; n < VC4_PERF_COUNTERS; n++) {
        const uint32_t at = PCTR0 + n * 8;
        uint32_t source = vc4_perf_read(device, at + 4), value = vc4_perf_read(device, at);
        gpu_state_u32(state, &source, UINT32_MAX);
        gpu_state_u32(state, &value, UINT32_MAX);
        if (!state->loads)
            continue;
        vc4_perf_write(device, at + 4, source);
        vc4_perf_write(device, at, value);
    }
    gpu_state_u32(state, &enabled, UINT32_MAX);
    if (state->loads)
        vc4_perf_write(device, PCTRE, enabled);
}

bool vc4_transfer(void *self, struct gpu_state *state)
{
    struct vc4_device *device = self;
    for (unsigned n = 0; n < 2; n++)
        if (device->thread[n].run || device->thread[n].halted)
            return false;
    if (vc4_user_busy(device) || device->out_of_memory)
        return false;
    gpu_state_registers(state, &vc4_registers, 0, device->regs);
    gpu_state_u32(state, &device->regs[VC4_L2CACTL / 4], 1);
    gpu_state_u32(state, &device->int_pending, VC4_INT_ALL);
    gpu_state_u32(state, &device->int_enabled, VC4_INT_ALL);
    gpu_state_u32(state, &device->qpu_interrupts, 0xffff);
    gpu_state_u32(state, &device->bpca, UINT32_MAX);
    gpu_state_u32(state, &device->bpcs, UINT32_MAX);
    gpu_state_u32(state, &device->bpoa, UINT32_MAX);
    gpu_state_u32(state, &device->bpos, UINT32_MAX);
    gpu_state_u32(state, &device->semaphore, UINT32_MAX);
    gpu_state_u32(state, &device->binner_semaphore, VC4_SEMAPHORE_MAX);
    gpu_state_u32(state, &device->binning_flushes, UINT32_MAX);
    gpu_state_u32(state, &device->frames_done, UINT32_MAX);
    for (unsigned n = 0; n < 2; n++)
        transfer_thread(state, &device->thread[n]);
    transfer_perf(state, device);
    vc4_user_transfer(device, state);
    device->irq_high = vc4_device_irq_pending(device) != 0;
    return true;
}
