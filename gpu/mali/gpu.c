/* The table of functions over gpu/mali/device.h. */
#include "gpu/mali/gpu.h"

#include "gpu/mali/device_internal.h"

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

/* Where a chain ends nobody knows before it does. */
static unsigned units(void *self, struct gpu_unit *out, unsigned capacity)
{
    static const char *const names[MALI_SLOTS] = {"js0", "js1", "js2"};
    static const enum gpu_unit_state states[] = {[MALI_SLOT_FREE] = GPU_UNIT_IDLE,
                                                 [MALI_SLOT_RUNS] = GPU_UNIT_RUNNING,
                                                 [MALI_SLOT_WAITS] = GPU_UNIT_WAITING,
                                                 [MALI_SLOT_HANGS] = GPU_UNIT_RUNNING};
    const struct mali_device *device = self;
    for (unsigned n = 0; n < MALI_SLOTS && n < capacity; n++) {
        const struct mali_slot *s = &device->slot[n];
        bool failed = s->state == MALI_SLOT_FREE && s->status >= MALI_JOB_CONFIG_FAULT;
        out[n] = (struct gpu_unit){
            .name = names[n], .state = failed ? GPU_UNIT_FAULTED : states[s->state], .address = s->tail};
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
        .units = units,
    };
    return (struct gpu_device){mali_device_host(device)->gpu, &functions, device, mali_device_host(device)};
}
