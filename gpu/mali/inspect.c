/* What a device holds before it works. */
#include "gpu/mali/inspect.h"

#include "gpu/mali/device_internal.h"

struct mali_start mali_device_starts(const struct mali_device *device, uint32_t offset, uint32_t value)
{
    const struct mali_place place = mali_place_of(offset);
    struct mali_start start = {.starts = place.block == MALI_BLOCK_JS &&
                                         place.offset == MALI_JS_COMMAND_NEXT && value == 1};
    if (start.starts) {
        const struct mali_slot *s = &device->slot[place.number];
        start.slot = place.number;
        start.as = s->config_next & 0xf;
        start.chain = s->head_next;
    }
    return start;
}

bool mali_device_register(uint32_t offset, struct mali_register *out)
{
    const struct mali_place place = mali_place_of(offset);
    const struct gpu_register *reg = gpu_register_find(&mali_registers, place.block, place.offset);
    if (!reg)
        return false;
    *out = (struct mali_register){.block = mali_block_name(place.block),
                                  .name = reg->name,
                                  .number = place.number,
                                  .numbered = place.block == MALI_BLOCK_JS || place.block == MALI_BLOCK_AS,
                                  .word = (place.offset - reg->offset) / reg->step,
                                  .counted = reg->count > 1};
    return true;
}

unsigned mali_register_fields(uint32_t offset, uint32_t value, struct gpu_field out[MALI_FLAGS_MAX])
{
    const struct mali_place place = mali_place_of(offset);
    const struct gpu_register *reg = gpu_register_find(&mali_registers, place.block, place.offset);
    return reg ? gpu_register_fields(&mali_registers, reg, value, out, MALI_FLAGS_MAX) : 0;
}

const struct gpu_program_kind *mali_device_programs(const struct mali_device *device)
{
    return mali_program_kind(device->kind);
}

const struct isa_set *mali_device_set(const struct mali_device *device)
{
    return mali_program_set(device->version);
}

enum mali_version mali_device_version(const struct mali_device *device)
{
    return device->version;
}

const struct gpu_space *mali_device_space(struct mali_device *device, unsigned as, struct gpu_fault *fault)
{
    struct mali_stop stop = {0};
    const struct gpu_space *space = mali_as_space(device, as, &stop);
    *fault = stop.fault;
    return space;
}
