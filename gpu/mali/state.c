/* Malis with a job manager between jobs: registers, interrupts, power, address spaces, slots. */
#include "gpu/mali/device_internal.h"
#include "gpu/state.h"

static void transfer_as(struct gpu_state *state, struct mali_as *as)
{
    gpu_state_u64(state, &as->transtab);
    gpu_state_u64(state, &as->memattr);
    gpu_state_u64(state, &as->lockaddr);
    gpu_state_u64(state, &as->active);
    gpu_state_u32(state, &as->fault_status, UINT32_MAX);
    gpu_state_u64(state, &as->fault_address);
}

/* Of a slot without a chain at work. */
static void transfer_slot(struct gpu_state *state, struct mali_slot *slot)
{
    gpu_state_u64(state, &slot->head);
    gpu_state_u64(state, &slot->tail);
    gpu_state_u64(state, &slot->affinity);
    gpu_state_u32(state, &slot->config, UINT32_MAX);
    gpu_state_u32(state, &slot->status, UINT32_MAX);
    gpu_state_u64(state, &slot->head_next);
    gpu_state_u64(state, &slot->affinity_next);
    gpu_state_u32(state, &slot->config_next, UINT32_MAX);
    gpu_state_bool(state, &slot->next);
    gpu_state_bool(state, &slot->held);
}

bool mali_transfer(void *self, struct gpu_state *state)
{
    struct mali_device *device = self;
    if (mali_slots_busy(device) || mali_slots_due(device))
        return false;
    gpu_state_registers(state, &mali_registers, MALI_BLOCK_GPU, device->store);
    gpu_state_irq(state, &device->gpu, UINT32_MAX);
    gpu_state_irq(state, &device->job, UINT32_MAX);
    gpu_state_irq(state, &device->mmu, UINT32_MAX);
    gpu_state_u32(state, &device->gpu_fault_status, UINT32_MAX);
    gpu_state_u64(state, &device->gpu_fault_address);
    for (unsigned n = 0; n < MALI_POWER_COUNT; n++) {
        gpu_state_u64(state, &device->power[n]);
        device->power[n] &= mali_feature(device->kind, MALI_GPU_SHADER_PRESENT + n * 0x10);
    }
    gpu_state_bool(state, &device->counts_cycles);
    gpu_state_u64(state, &device->cycles_from);
    gpu_state_u64(state, &device->cycles);
    for (unsigned n = 0; n < MALI_EVENT_COUNT; n++) {
        gpu_state_u64(state, &device->event[n]);
        gpu_state_u64(state, &device->event_from[n]);
    }
    for (unsigned n = 0; n < MALI_SPACES; n++)
        transfer_as(state, &device->as[n]);
    for (unsigned n = 0; n < MALI_SLOTS; n++)
        transfer_slot(state, &device->slot[n]);
    gpu_state_u32(state, &device->js_state, UINT32_MAX);
    return true;
}
