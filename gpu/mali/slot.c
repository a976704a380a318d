/* The job manager's slots: registers, the chain at work and the next one, stops, interrupts. Source: Linux's
 * panfrost_job.c as documentation of what is written, read and waited for.
 *
 * A chain that failed holds its slot: the next one begins when somebody has cleared the failure's interrupt,
 * and may be taken back before (panfrost_job_handle_irq). */
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "util/bits.h"

/* What COMMAND may be written; those with a number only to a chain whose flag is that. */
enum { NOP, START, SOFT_STOP, HARD_STOP, SOFT_STOP_0, HARD_STOP_0, SOFT_STOP_1, HARD_STOP_1 };

static uint32_t done_bit(unsigned slot)
{
    return 1u << slot;
}

static uint32_t failed_bit(unsigned slot)
{
    return 0x10000u << slot;
}

/* ---- the end of a chain ---- */

/* The next chain becomes the slot's own, when the slot is free for it: at once, whatever the device's worker is at, as
 * the kernel's driver hands over another one as soon as COMMAND_NEXT reads as nothing. */
static void take_next(struct mali_slot *s)
{
    if (s->state != MALI_SLOT_FREE || !s->next || s->held)
        return;
    s->head = s->tail = s->head_next;
    s->affinity = s->affinity_next;
    s->config = s->config_next;
    s->next = false;
    s->status = MALI_ACTIVE;
    s->state = MALI_SLOT_TAKEN;
}

static void end(struct mali_device *device, unsigned slot, uint32_t status)
{
    struct mali_slot *s = &device->slot[slot];
    s->state = MALI_SLOT_FREE;
    s->status = status;
    s->stopping = MALI_OK;
    s->held = status != MALI_DONE;
    take_next(s);
    mali_raise(device, &device->job, status == MALI_DONE ? done_bit(slot) : failed_bit(slot));
}

/* A chain that waits for a page, or has no end, ends so. The page will not come: that is a fault of the
 * guest's. */
static void stop(struct mali_device *device, unsigned slot, uint32_t status)
{
    struct mali_slot *s = &device->slot[slot];
    if (s->state == MALI_SLOT_WAITS)
        gpu_host_fault(&device->host, &s->waits.fault);
    end(device, slot, status);
}

void mali_slots_reset(struct mali_device *device)
{
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++) {
        struct mali_slot *s = &device->slot[slot];
        const struct mali_slot left = {.chain.arena = s->chain.arena};
        if (s->state == MALI_SLOT_WAITS)
            gpu_host_fault(&device->host, &s->waits.fault);
        *s = left;
    }
    device->js_state = 0;
}

bool mali_slots_busy(const struct mali_device *device)
{
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++)
        if (device->slot[slot].state != MALI_SLOT_FREE)
            return true;
    return false;
}

/* ---- work ---- */

static void fail(struct mali_device *device, unsigned slot, enum mali_exception exception, const char *what)
{
    struct mali_slot *s = &device->slot[slot];
    struct gpu_fault fault;
    gpu_fault_set(&fault, GPU_FAULT_UNSUPPORTED, "job slot", s->head, "slot %u: %s (cores 0x%llx)", slot,
                  what, (unsigned long long)s->affinity);
    gpu_host_fault(&device->host, &fault);
    end(device, slot, exception);
}

/* The chain that was taken becomes the one at work. */
static void begin(struct mali_device *device, unsigned slot)
{
    struct mali_slot *s = &device->slot[slot];
    uint64_t present = mali_feature(device->kind, MALI_GPU_SHADER_PRESENT);
    s->state = MALI_SLOT_RUNS;
    device->host.job++;
    device->host.counters.jobs++;
    if (device->options.engine) {
        mali_leave(device, slot);
        jit_engine_optimise(device->options.engine); /* what earlier jobs have run much */
        gpu_turns_enter(&device->host, slot);
    }
    if (!(s->affinity & present))
        fail(device, slot, MALI_JOB_AFFINITY_FAULT, "a chain for cores that there are not");
    else if (!(s->affinity & device->power[MALI_POWER_SHADER]) || !device->power[MALI_POWER_L2])
        fail(device, slot, MALI_JOB_POWER_FAULT, "a chain for cores that have no power");
    else
        mali_chain_begin(device, slot);
}

static void run(struct mali_device *device, unsigned slot)
{
    struct mali_slot *s = &device->slot[slot];
    struct mali_stop stop = {0};
    switch (mali_chain_run(device, slot, &stop)) {
    case MALI_CHAIN_DONE: end(device, slot, MALI_DONE); break;
    case MALI_CHAIN_STOPPED: end(device, slot, s->stopping); break;
    case MALI_CHAIN_WAITS:
        s->state = MALI_SLOT_WAITS;
        s->waits = stop;
        mali_mmu_fault(device, s->config & 0xf, &stop, slot);
        break;
    case MALI_CHAIN_HANGS:
        s->state = MALI_SLOT_HANGS;
        gpu_host_fault(&device->host, &stop.fault);
        break;
    default:
        gpu_host_fault(&device->host, &stop.fault);
        if (stop.page_fault)
            mali_mmu_fault(device, s->config & 0xf, &stop, slot);
        end(device, slot, stop.exception);
        break;
    }
}

bool mali_slots_due(const struct mali_device *device)
{
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++) {
        const struct mali_slot *s = &device->slot[slot];
        if (s->state == MALI_SLOT_RUNS || s->state == MALI_SLOT_TAKEN)
            return true;
    }
    return false;
}

bool mali_slots_work(struct mali_device *device)
{
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++) {
        struct mali_slot *s = &device->slot[slot];
        if (s->state == MALI_SLOT_RUNS)
            run(device, slot);
        else if (s->state == MALI_SLOT_TAKEN)
            begin(device, slot);
        else
            continue;
        return true;
    }
    return false;
}

void mali_slots_resume(struct mali_device *device, unsigned as)
{
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++) {
        struct mali_slot *s = &device->slot[slot];
        if (s->state != MALI_SLOT_WAITS || (s->config & 0xf) != as)
            continue;
        if (device->as[as].active)
            s->state = MALI_SLOT_RUNS;
        else
            stop(device, slot, MALI_JOB_BUS_FAULT); /* the kernel's way to end who waits in vain */
    }
}

/* ---- registers ---- */

static uint32_t state_now(const struct mali_device *device)
{
    uint32_t state = 0;
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++)
        state |= (device->slot[slot].state != MALI_SLOT_FREE ? done_bit(slot) : 0) |
                 (device->slot[slot].next ? failed_bit(slot) : 0);
    return state;
}

/* JS_STATE is sampled for the slots whose interrupts are cleared. */
static void clear(struct mali_device *device, uint32_t value)
{
    uint32_t slots = (value | value >> 16) & ((1u << MALI_SLOTS) - 1), mask = slots * 0x10001u;
    device->js_state = (device->js_state & ~mask) | (state_now(device) & mask);
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++) {
        device->slot[slot].held &= !(value & failed_bit(slot));
        take_next(&device->slot[slot]);
    }
}

uint32_t mali_job_read(const struct mali_device *device, uint32_t offset)
{
    if (offset != MALI_JOB_JS_STATE)
        return gpu_irq_read(&device->job, offset);
    uint32_t pending = device->job.raw | device->job.raw >> 16;
    uint32_t sampled = pending & ((1u << MALI_SLOTS) - 1);
    sampled *= 0x10001u; /* of slots that have nothing to clear it is as it is now: ours */
    return (device->js_state & sampled) | (state_now(device) & ~sampled);
}

void mali_job_write(struct mali_device *device, uint32_t offset, uint32_t value)
{
    if (offset == MALI_JOB_INT_CLEAR)
        clear(device, value);
    mali_irq_write(device, &device->job, offset, value);
}

uint32_t mali_slot_read(const struct mali_device *device, unsigned slot, uint32_t offset)
{
    const struct mali_slot *s = &device->slot[slot];
    switch (offset & ~4u) {
    case MALI_JS_HEAD: return mali_half(mali_slot_at(&s->head), offset / 4 & 1);
    case MALI_JS_TAIL: return mali_half(mali_slot_at(&s->tail), offset / 4 & 1);
    case MALI_JS_AFFINITY: return mali_half(s->affinity, offset / 4 & 1);
    case MALI_JS_HEAD_NEXT: return mali_half(s->head_next, offset / 4 & 1);
    case MALI_JS_AFFINITY_NEXT: return mali_half(s->affinity_next, offset / 4 & 1);
    case MALI_JS_CONFIG: return s->config;
    case MALI_JS_CONFIG_NEXT: return s->config_next;
    case MALI_JS_COMMAND_NEXT: return s->next ? START : NOP;
    default: return offset == MALI_JS_STATUS ? s->status : 0;
    }
}

static void command(struct mali_device *device, unsigned slot, uint32_t value)
{
    struct mali_slot *s = &device->slot[slot];
    uint32_t flag = s->config & MALI_BIT(JS, CONFIG_NEXT, JOB_CHAIN_FLAG) ? 1 : 0;
    if (s->state == MALI_SLOT_FREE || value < SOFT_STOP || value > HARD_STOP_1)
        return;
    if (value >= SOFT_STOP_0 && value / 2 - SOFT_STOP_0 / 2 != flag)
        return;
    bool hard = value & 1;
    if (s->state == MALI_SLOT_RUNS ||
        s->state == MALI_SLOT_TAKEN) /* it has not begun, or stands between two jobs */
        __atomic_store_n(&s->stopping, hard ? MALI_TERMINATED : MALI_STOPPED, __ATOMIC_RELAXED);
    else if (hard)
        stop(device, slot, MALI_TERMINATED);
    else
        s->stopping = MALI_STOPPED; /* once the job at hand is done */
}

void mali_slot_write(struct mali_device *device, unsigned slot, uint32_t offset, uint32_t value)
{
    struct mali_slot *s = &device->slot[slot];
    switch (offset) {
    case MALI_JS_HEAD_NEXT:
    case MALI_JS_HEAD_NEXT + 4: mali_set_half(&s->head_next, offset / 4 & 1, value); break;
    case MALI_JS_AFFINITY_NEXT:
    case MALI_JS_AFFINITY_NEXT + 4: mali_set_half(&s->affinity_next, offset / 4 & 1, value); break;
    case MALI_JS_CONFIG_NEXT: s->config_next = value; break;
    case MALI_JS_COMMAND_NEXT:
        s->next = value == START;
        take_next(s);
        break;
    case MALI_JS_COMMAND: command(device, slot, value); break;
    default: break;
    }
}
