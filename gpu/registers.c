/* Looking into a family's table of registers. */
#include "gpu/registers.h"

#include <stdbool.h>
#include <string.h>

#include "util/bits.h"

const struct gpu_register *gpu_register_find(const struct gpu_registers *table, unsigned block,
                                             uint32_t offset)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct gpu_register *reg = &table->reg[i];
        uint32_t from_first = offset - reg->offset;
        if (reg->block == block && from_first % reg->step == 0 && from_first / reg->step < reg->count)
            return reg;
    }
    return NULL;
}

static bool is_of(const struct gpu_register_field *field, const struct gpu_register *reg)
{
    return field->block == reg->block && !strcmp(field->reg, reg->name);
}

uint32_t gpu_register_mask(const struct gpu_registers *table, const struct gpu_register *reg)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < table->field_count; i++) {
        const struct gpu_register_field *f = &table->field[i];
        if (is_of(f, reg))
            mask |= (uint32_t)util_bits(~0ull, 0, f->high - f->low + 1u) << f->low;
    }
    return mask ? mask : UINT32_MAX;
}

unsigned gpu_register_fields(const struct gpu_registers *table, const struct gpu_register *reg,
                             uint32_t value, struct gpu_field *out, unsigned capacity)
{
    unsigned count = 0;
    for (size_t i = 0; i < table->field_count && count < capacity; i++) {
        const struct gpu_register_field *f = &table->field[i];
        unsigned bits = f->high - f->low + 1u;
        if (is_of(f, reg))
            out[count++] = (struct gpu_field){.name = f->name,
                                              .kind = bits == 1 ? GPU_FIELD_FLAG : GPU_FIELD_UINT,
                                              .value = util_bits(value, f->low, bits)};
    }
    return count;
}

void gpu_registers_reset(const struct gpu_registers *table, unsigned block, uint32_t *words)
{
    for (size_t i = 0; i < table->count; i++)
        for (uint32_t n = 0; table->reg[i].block == block && n < table->reg[i].count; n++)
            words[(table->reg[i].offset + n * table->reg[i].step) / 4] = table->reg[i].reset;
}
