/* Mali-400 and -450 between jobs: registers, interrupts, MMUs. */
#include "gpu/state.h"
#include "gpu/utgard/device_internal.h"
#include "util/bits.h"

static void transfer_mmu(struct gpu_state *state, struct utgard_mmu *mmu)
{
    gpu_state_irq(state, &mmu->irq, UTGARD_MMU_INT_ALL);
    gpu_state_u32(state, &mmu->dte, ~(GPU_PAGE - 1));
    gpu_state_u32(state, &mmu->fault_address, UINT32_MAX);
    gpu_state_bool(state, &mmu->paging);
    gpu_state_bool(state, &mmu->stalled);
    gpu_state_bool(state, &mmu->faulted);
    gpu_state_bool(state, &mmu->fault_is_write);
}

static void transfer_perf(struct gpu_state *state, struct utgard_perf *perf)
{
    for (unsigned n = 0; n < UTGARD_EVENT_COUNT; n++)
        gpu_state_u64(state, &perf->total[n]);
    for (unsigned n = 0; n < UTGARD_PERF_COUNTERS; n++) {
        gpu_state_bool(state, &perf->counter[n].on);
        gpu_state_bool(state, &perf->counter[n].told);
        gpu_state_u32(state, &perf->counter[n].held, UINT32_MAX);
        gpu_state_u64(state, &perf->counter[n].base);
    }
}

static void transfer_unit(struct gpu_state *state, struct utgard_unit *unit, uint32_t all)
{
    gpu_state_irq(state, &unit->irq, all);
    gpu_state_bool(state, &unit->bus_stopped);
}

bool utgard_transfer(void *self, struct gpu_state *state)
{
    struct utgard_device *device = self;
    if (!utgard_gp_is_idle(device) || utgard_pp_is_started(device) || utgard_pp_members(device))
        return false;
    for (unsigned ip = 0; ip < UTGARD_IP_COUNT; ip++)
        gpu_state_registers(state, &utgard_registers, utgard_ip_block(ip), device->store[ip]);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(device->mmu); n++)
        transfer_mmu(state, &device->mmu[n]);
    transfer_unit(state, &device->gp_unit, UTGARD_GP_INT_ALL);
    utgard_gp_transfer(device, state);
    for (unsigned n = 0; n < UTGARD_MAX_PP; n++)
        transfer_unit(state, &device->pp_unit[n], UTGARD_PP_INT_ALL);
    gpu_state_u32(state, &device->power_off, UINT32_MAX);
    gpu_state_u32(state, &device->power_raw, 1);
    gpu_state_u32(state, &device->power_mask, 1);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(device->perf); n++)
        transfer_perf(state, &device->perf[n]);
    return true;
}
