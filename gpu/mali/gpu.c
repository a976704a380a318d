/* The table of functions over gpu/mali/device.h. */
#include "gpu/mali/gpu.h"

#include "gpu/mali/device_internal.h"
#include "util/bits.h"

static void destroy(void *device)
{
    mali_device_destroy(device);
}

static uint32_t read_register(void *device, uint32_t offset)
{
    return mali_read(device, offset);
}

static void write_register(void *device, uint32_t offset, uint32_t value)
{
    mali_write(device, offset, value);
}

static uint32_t irq_pending(const void *device)
{
    return mali_device_lines(device);
}

static const char *line_name(const void *device, unsigned line)
{
    static const char *const names[] = {"job", "mmu", "gpu"}; /* MALI_LINE_*; as device trees have them */
    (void)device;
    return line < UTIL_ARRAY_SIZE(names) ? names[line] : NULL;
}

static enum gpu_due due(const void *device)
{
    return mali_slots_due(device) ? GPU_DUE_NOW : GPU_DUE_NOTHING;
}

static void work(void *device, bool all)
{
    (void)all;
    mali_work(device);
}

/* Where a chain ends nobody knows before it does. */
static unsigned units(void *self, struct gpu_unit *out, unsigned capacity)
{
    static const char *const names[MALI_SLOTS] = {"js0", "js1", "js2"};
    static const enum gpu_unit_state states[] = {[MALI_SLOT_FREE] = GPU_UNIT_IDLE,
                                                 [MALI_SLOT_TAKEN] = GPU_UNIT_RUNNING,
                                                 [MALI_SLOT_RUNS] = GPU_UNIT_RUNNING,
                                                 [MALI_SLOT_WAITS] = GPU_UNIT_WAITING,
                                                 [MALI_SLOT_HANGS] = GPU_UNIT_RUNNING};
    const struct mali_device *device = self;
    for (unsigned n = 0; n < MALI_SLOTS && n < capacity; n++) {
        const struct mali_slot *s = &device->slot[n];
        bool failed = s->state == MALI_SLOT_FREE && s->status >= MALI_JOB_CONFIG_FAULT;
        out[n] = (struct gpu_unit){.name = names[n],
                                   .state = failed ? GPU_UNIT_FAULTED : states[s->state],
                                   .address = mali_slot_at(&s->tail)};
    }
    return MALI_SLOTS;
}

struct gpu_device mali_device_gpu(struct mali_device *device)
{
    static const struct gpu_device_functions functions = {
        .destroy = destroy,
        .read = read_register,
        .write = write_register,
        .irq_pending = irq_pending,
        .lines = irq_pending,
        .line_name = line_name,
        .due = due,
        .when = mali_when,
        .work = work,
        .transfer = mali_transfer,
        .units = units,
    };
    return (struct gpu_device){mali_device_host(device)->gpu, &functions, device, mali_device_host(device)};
}
