#include "gpu/state.h"

#include <string.h>

#include "gpu/device.h"
#include "gpu/irq.h"
#include "gpu/registers.h"

static void transfer(struct gpu_state *state, void *field, size_t size)
{
    const bool fits = state->at <= state->size && size <= state->size - state->at;
    if (fits && state->loads)
        memcpy(field, state->bytes + state->at, size);
    else if (fits)
        memcpy(state->bytes + state->at, field, size);
    state->torn |= !fits;
    state->at += size;
}

void gpu_state_u32(struct gpu_state *state, uint32_t *field, uint32_t mask)
{
    transfer(state, field, sizeof *field);
    *field &= mask;
}

void gpu_state_u64(struct gpu_state *state, uint64_t *field)
{
    transfer(state, field, sizeof *field);
}

void gpu_state_bool(struct gpu_state *state, bool *field)
{
    uint32_t value = *field;
    gpu_state_u32(state, &value, 1);
    *field = value;
}

void gpu_state_irq(struct gpu_state *state, struct gpu_irq *irq, uint32_t all)
{
    gpu_state_u32(state, &irq->raw, all);
    gpu_state_u32(state, &irq->mask, all);
}

void gpu_state_registers(struct gpu_state *state, const struct gpu_registers *table, unsigned block,
                         uint32_t *words)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct gpu_register *reg = &table->reg[i];
        for (uint32_t n = 0; reg->block == block && reg->access == GPU_ACCESS_RW && n < reg->count; n++)
            gpu_state_u32(state, &words[(reg->offset + n * reg->step) / 4], gpu_register_mask(table, reg));
    }
}

bool gpu_device_transfer(const struct gpu_device *gpu, struct gpu_state *state)
{
    struct gpu_counters *c = &gpu->host->counters;
    uint64_t *const counters[] = {
        &c->jobs,  &c->draws,         &c->vertices,     &c->primitives_in,   &c->primitives_binned,
        &c->tiles, &c->blocks_shaded, &c->instructions, &c->bytes_tile_lists};
    gpu_state_u64(state, &gpu->host->job);
    for (size_t n = 0; n < sizeof counters / sizeof *counters; n++)
        gpu_state_u64(state, counters[n]);
    return gpu->functions->transfer(gpu->self, state);
}
