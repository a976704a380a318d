/* The device as its host sees it: the window of registers, interrupt lines, life.
 *
 * Work is synchronous, but not called from the registers: a write marks a slot as one that runs, and the
 * outermost mali_write runs what can run until nothing can. So a driver may start the next chain, or change
 * page tables that one waits for, from inside its interrupt handler without nesting. */
#include "gpu/mali/device.h"

#include <errno.h>
#include <stdlib.h>

#include "gpu/mali/device_internal.h"

/* ---- interrupt lines ---- */

uint32_t mali_device_lines(const struct mali_device *device)
{
    return (gpu_irq_is_high(&device->job) ? MALI_LINE_JOB : 0) |
           (gpu_irq_is_high(&device->mmu) ? MALI_LINE_MMU : 0) |
           (gpu_irq_is_high(&device->gpu) ? MALI_LINE_GPU : 0);
}

void mali_raise(struct mali_device *device, struct gpu_irq *irq, uint32_t bits)
{
    if (gpu_irq_raise(irq, bits))
        gpu_host_call(&device->host, mali_device_lines(device));
}

void mali_irq_write(struct mali_device *device, struct gpu_irq *irq, uint32_t offset, uint32_t value)
{
    mali_raise(device, irq, gpu_irq_write(irq, offset, value, UINT32_MAX));
}

/* ---- registers ---- */

static uint32_t read_live(const struct mali_device *device, const struct mali_place *place)
{
    switch (place->block) {
    case MALI_BLOCK_GPU: return mali_control_read(device, place->offset);
    case MALI_BLOCK_JOB: return mali_job_read(device, place->offset);
    case MALI_BLOCK_JS: return mali_slot_read(device, place->number, place->offset);
    case MALI_BLOCK_MMU: return mali_mmu_read(device, place->offset);
    default: return mali_as_read(device, place->number, place->offset);
    }
}

static void write_live(struct mali_device *device, const struct mali_place *place, uint32_t value)
{
    switch (place->block) {
    case MALI_BLOCK_GPU: mali_control_write(device, place->offset, value); break;
    case MALI_BLOCK_JOB: mali_job_write(device, place->offset, value); break;
    case MALI_BLOCK_JS: mali_slot_write(device, place->number, place->offset, value); break;
    case MALI_BLOCK_MMU: mali_mmu_write(device, place->offset, value); break;
    default: mali_as_write(device, place->number, place->offset, value); break;
    }
}

uint32_t mali_read(struct mali_device *device, uint32_t offset)
{
    const struct mali_place place = mali_place_of(offset);
    const struct gpu_register *reg = gpu_register_find(&mali_registers, place.block, place.offset);
    if (!reg || reg->access == GPU_ACCESS_WO)
        return 0;
    uint32_t value;
    if (reg->access == GPU_ACCESS_RW)
        return gpu_turns_find(&device->host, offset, &value) ? value : device->store[place.offset / 4];
    return reg->access == GPU_ACCESS_RO ? reg->reset : read_live(device, &place);
}

static void work(struct mali_device *device)
{
    device->scheduling = true;
    while (gpu_turns_goes_on(&device->host) && mali_slots_work(device))
        ;
    device->scheduling = false;
}

void mali_write(struct mali_device *device, uint32_t offset, uint32_t value)
{
    const struct mali_place place = mali_place_of(offset);
    const struct gpu_register *reg = gpu_register_find(&mali_registers, place.block, place.offset);
    if (!reg)
        gpu_host_unknown_write(&device->host, offset, value);
    else if (reg->access == GPU_ACCESS_RW) /* all of the GPU block */
        device->store[place.offset / 4] = value & gpu_register_mask(&mali_registers, reg);
    else if (reg->access == GPU_ACCESS_LIVE)
        write_live(device, &place, value);
    if (!device->scheduling && gpu_turns_may_work(&device->host))
        work(device);
}

/* ---- turns ---- */

/* What counts, and what counters are stored for, is a job's while there is one; a sample walks tables. */
enum gpu_when mali_when(const void *self, uint32_t offset, uint32_t value)
{
    const struct mali_device *device = self;
    const struct mali_place place = mali_place_of(offset);
    (void)device;
    if (place.block == MALI_BLOCK_GPU && place.offset == MALI_GPU_COMMAND)
        return mali_control_when(value);
    const struct gpu_register *reg = gpu_register_find(&mali_registers, place.block, place.offset);
    return reg && reg->access == GPU_ACCESS_RW ? GPU_WRITE_IDLE : GPU_WRITE_NOW;
}

void mali_work(struct mali_device *device)
{
    struct gpu_posted posted;
    for (;;) {
        if (gpu_turns_next(&device->host, &posted))
            mali_write(device, posted.offset, posted.value);
        else if (!device->host.stopped && mali_slots_due(device))
            work(device);
        else
            break;
    }
}

/* ---- life ---- */

enum mali_version mali_version_of(enum mali_kind kind)
{
    static const enum mali_version version[MALI_KIND_COUNT] = {
        [MALI_T720] = MALI_V4, [MALI_T760] = MALI_V5, [MALI_T860] = MALI_V5, [MALI_G72] = MALI_V6,
        [MALI_G31] = MALI_V7,  [MALI_G52] = MALI_V7,  [MALI_G57] = MALI_V9};
    return version[kind];
}

int mali_device_create(struct gpu_memory *memory, const struct mali_options *options,
                       struct mali_device **out)
{
    if (!memory || !memory->base || memory->fd < 0 || !options || !options->name ||
        (unsigned)options->kind >= MALI_KIND_COUNT)
        return -EINVAL;
    struct mali_device *device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    device->kind = options->kind;
    device->version = mali_version_of(options->kind);
    device->options = gpu_options_resolve(&options->gpu, ISA_FAST);
    gpu_tables_init(&device->tables, memory, &mali_tables_kind);
    gpu_registers_reset(&mali_registers, MALI_BLOCK_GPU, device->store);
    gpu_host_open(&device->host, options->name);
    if (device->options.engine)
        jit_engine_join(device->options.engine);
    int error = mali_chains_create(device);
    if (!error)
        error = mali_programs_create(&device->programs, options->kind);
    if (error) {
        mali_device_destroy(device);
        return error;
    }
    *out = device;
    return 0;
}

void mali_device_destroy(struct mali_device *device)
{
    if (!device)
        return;
    gpu_tables_finish(&device->tables);
    mali_programs_destroy(&device->programs);
    mali_chains_destroy(device);
    gpu_frame_workers_free(&device->frame_workers);
    mali_grid_finish(&device->grid_room);
    for (unsigned slot = 0; slot < MALI_SLOTS; slot++)
        mali_tiling_destroy(device->tiling[slot]);
    if (device->options.engine)
        jit_engine_leave(device->options.engine);
    gpu_host_close(&device->host);
    free(device);
}

struct gpu_host *mali_device_host(struct mali_device *device)
{
    return &device->host;
}
