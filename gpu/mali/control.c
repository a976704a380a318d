/* The GPU block: what the GPU says of itself, reset, power, caches, clocks, counters. Source: Linux's
 * panfrost_gpu.c and panfrost_perfcnt.c as documentation of what is written and waited for. */
#include <string.h>

#include "gpu/mali/device_internal.h"

/* What COMMAND may be written. */
enum {
    SOFT_RESET = 1,
    HARD_RESET = 2,
    PERFCNT_CLEAR = 3,
    PERFCNT_SAMPLE = MALI_COMMAND_SAMPLE,
    CYCLE_COUNT_START = 5,
    CYCLE_COUNT_STOP = 6,
    CLEAN_CACHES = 7,
    CLEAN_INVALIDATE_CACHES = 8
};

#define JOB_TICKS 64u /* of the clock, for each job: ours */

/* ---- clocks ---- */

uint64_t mali_clock(const struct mali_device *device)
{
    uint64_t ticks = device->host.counters.instructions;
    for (unsigned n = 0; n < MALI_SLOTS; n++)
        ticks += device->event[MALI_EVENT_JS0_JOBS + n] * JOB_TICKS;
    return ticks;
}

static uint64_t cycles_at(const struct mali_device *device, uint64_t clock)
{
    return device->cycles + (device->counts_cycles ? clock - device->cycles_from : 0);
}

uint64_t mali_cycles(const struct mali_device *device)
{
    return cycles_at(device, mali_clock(device));
}

/* As registers have it, which somebody may read while a job counts. */
static uint64_t clock_now(const struct mali_device *device)
{
    return device->host.working && !device->host.inside ? device->clock_shown : mali_clock(device);
}

void mali_leave(struct mali_device *device, unsigned slot)
{
    device->clock_shown = mali_clock(device);
    gpu_turns_leave(&device->host, slot);
}

static void count_cycles(struct mali_device *device, bool on)
{
    device->cycles = mali_cycles(device);
    device->cycles_from = mali_clock(device);
    device->counts_cycles = on;
}

/* ---- commands ---- */

/* Everything as after power-on, chains gone; counters of the host's own go on. */
static void reset(struct mali_device *device)
{
    mali_slots_reset(device);
    memset(device->store, 0, sizeof device->store);
    gpu_registers_reset(&mali_registers, MALI_BLOCK_GPU, device->store);
    memset(device->as, 0, sizeof device->as);
    gpu_tables_all_stale(&device->tables);
    device->gpu = device->job = device->mmu = (struct gpu_irq){0};
    memset(device->power, 0, sizeof device->power);
    device->gpu_fault_status = 0;
    device->gpu_fault_address = 0;
    device->cycles = 0;
    device->counts_cycles = false;
    mali_perf_clear(device);
}

static void command(struct mali_device *device, uint32_t value)
{
    switch (value) {
    case SOFT_RESET:
    case HARD_RESET:
        reset(device);
        mali_raise(device, &device->gpu, MALI_BIT(GPU, INT_RAWSTAT, RESET_COMPLETED));
        break;
    case PERFCNT_CLEAR: mali_perf_clear(device); break;
    case PERFCNT_SAMPLE:
        if (mali_perf_sample(device))
            mali_raise(device, &device->gpu, MALI_BIT(GPU, INT_RAWSTAT, PERFCNT_SAMPLE_COMPLETED));
        break;
    case CYCLE_COUNT_START: count_cycles(device, true); break;
    case CYCLE_COUNT_STOP: count_cycles(device, false); break;
    case CLEAN_CACHES: /* there are none to clean */
    case CLEAN_INVALIDATE_CACHES:
        mali_raise(device, &device->gpu, MALI_BIT(GPU, INT_RAWSTAT, CLEAN_CACHES_COMPLETED));
        break;
    default: break;
    }
}

enum gpu_when mali_control_when(uint32_t value)
{
    switch (value) {
    case SOFT_RESET:
    case HARD_RESET: return GPU_WRITE_CANCELS;
    case PERFCNT_SAMPLE: return GPU_WRITE_POSTED;
    case PERFCNT_CLEAR:
    case CYCLE_COUNT_START:
    case CYCLE_COUNT_STOP: return GPU_WRITE_IDLE;
    default: return GPU_WRITE_NOW;
    }
}

void mali_gpu_fault(struct mali_device *device, uint32_t status, uint64_t address)
{
    uint32_t again =
        device->gpu.raw & MALI_BIT(GPU, INT_RAWSTAT, FAULT) ? MALI_BIT(GPU, INT_RAWSTAT, MULTIPLE_FAULT) : 0;
    if (!again) { /* the first one's stay until it is cleared */
        device->gpu_fault_status = status;
        device->gpu_fault_address = address;
    }
    mali_raise(device, &device->gpu, MALI_BIT(GPU, INT_RAWSTAT, FAULT) | again);
}

/* ---- power ---- */

/* Registers of power come in threes - shader cores, tiler, L2 - 16 bytes apart. */
static uint32_t present_of(const struct mali_device *device, uint32_t from_first)
{
    return mali_feature(device->kind, MALI_GPU_SHADER_PRESENT + from_first / 0x10 * 0x10);
}

static uint32_t read_power(const struct mali_device *device, uint32_t from_first)
{
    return mali_half(device->power[from_first / 0x10], from_first / 4 & 1);
}

static void switch_power(struct mali_device *device, uint32_t from_first, uint32_t value, bool on)
{
    uint64_t *power = &device->power[from_first / 0x10], was = *power, bits = 0;
    mali_set_half(&bits, from_first / 4 & 1, value);
    *power = on ? *power | (bits & present_of(device, from_first)) : *power & ~bits;
    mali_raise(device, &device->gpu,
               MALI_BIT(GPU, INT_RAWSTAT, POWER_CHANGED_ALL) |
                   (*power != was ? MALI_BIT(GPU, INT_RAWSTAT, POWER_CHANGED) : 0));
}

/* ---- registers ---- */

static uint32_t status(const struct mali_device *device)
{
    uint32_t mode = device->store[MALI_GPU_PERFCNT_CONFIG / 4] & 0xf;
    return (mali_slots_busy(device) ? MALI_BIT(GPU, STATUS, ACTIVE) : 0) |
           (mode ? MALI_BIT(GPU, STATUS, PERFCNT_ACTIVE) : 0) |
           (device->counts_cycles ? MALI_BIT(GPU, STATUS, CYCLE_COUNT_ACTIVE) : 0);
}

static bool lies_in(uint32_t offset, uint32_t first)
{
    return offset >= first && offset < first + 0x30;
}

uint32_t mali_control_read(const struct mali_device *device, uint32_t offset)
{
    uint32_t value;
    if (mali_feature_find(device->kind, offset, &value))
        return value;
    if (lies_in(offset, MALI_GPU_SHADER_READY))
        return read_power(device, offset - MALI_GPU_SHADER_READY);
    if (lies_in(offset, MALI_GPU_SHADER_PWRACTIVE))
        return mali_slots_busy(device) ? read_power(device, offset - MALI_GPU_SHADER_PWRACTIVE) : 0;
    switch (offset) {
    case MALI_GPU_STATUS: return status(device);
    case MALI_GPU_FAULT_STATUS: return device->gpu_fault_status;
    case MALI_GPU_FAULT_ADDRESS: return mali_half(device->gpu_fault_address, 0);
    case MALI_GPU_FAULT_ADDRESS + 4: return mali_half(device->gpu_fault_address, 1);
    case MALI_GPU_CYCLE_COUNT: return mali_half(cycles_at(device, clock_now(device)), 0);
    case MALI_GPU_CYCLE_COUNT + 4: return mali_half(cycles_at(device, clock_now(device)), 1);
    case MALI_GPU_TIMESTAMP: return mali_half(clock_now(device), 0);
    case MALI_GPU_TIMESTAMP + 4: return mali_half(clock_now(device), 1);
    default: return gpu_irq_read(&device->gpu, offset - MALI_GPU_INT_RAWSTAT);
    }
}

void mali_control_write(struct mali_device *device, uint32_t offset, uint32_t value)
{
    if (offset == MALI_GPU_COMMAND)
        command(device, value);
    else if (lies_in(offset, MALI_GPU_SHADER_PWRON))
        switch_power(device, offset - MALI_GPU_SHADER_PWRON, value, true);
    else if (lies_in(offset, MALI_GPU_SHADER_PWROFF))
        switch_power(device, offset - MALI_GPU_SHADER_PWROFF, value, false);
    else
        mali_irq_write(device, &device->gpu, offset - MALI_GPU_INT_RAWSTAT, value);
}
