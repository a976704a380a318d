/* The table of functions over gpu/utgard/device.h. */
#include "gpu/utgard/gpu.h"

static void destroy(void *device)
{
    utgard_device_destroy(device);
}

static uint32_t read_register(void *device, uint32_t offset)
{
    return utgard_read(device, offset);
}

static void write_register(void *device, uint32_t offset, uint32_t value)
{
    utgard_write(device, offset, value);
}

static void set_irq(void *device, gpu_irq_fn irq, void *data)
{
    utgard_device_set_irq(device, irq, data);
}

static uint32_t irq_pending(const void *device)
{
    return utgard_device_lines(device);
}

static void settle(void *device)
{
    utgard_device_settle(device);
}

static unsigned faults(void *device, struct gpu_fault *out, unsigned capacity)
{
    return utgard_device_faults(device, out, capacity);
}

/* A picture in pages that do not follow each other in guest memory cannot be described. */
static bool last_frame(const void *device, struct capture_frame *out)
{
    struct utgard_frame f;
    if (!utgard_device_frame(device, &f) || !f.physical)
        return false;
    *out = (struct capture_frame){f.address, f.width, f.height, f.layout, f.format, f.pitch, 0};
    return true;
}

static void counters(const void *device, struct gpu_counters *out)
{
    struct utgard_counters c;
    utgard_device_counters(device, &c);
    *out = (struct gpu_counters){
        c.jobs,  c.draws,         c.vertices,     c.primitives_in,   c.primitives_binned,
        c.tiles, c.blocks_shaded, c.instructions, c.bytes_tile_lists};
}

struct gpu_device utgard_device_gpu(struct utgard_device *device, enum utgard_kind kind)
{
    static const struct gpu_device_functions functions = {
        .destroy = destroy,
        .read = read_register,
        .write = write_register,
        .set_irq = set_irq,
        .irq_pending = irq_pending,
        .settle = settle,
        .faults = faults,
        .frame = last_frame,
        .counters = counters,
    };
    return (struct gpu_device){kind == UTGARD_MALI450 ? "mali450" : "mali400", &functions, device};
}
