/* A device's state between jobs as bytes: one function of each family names its fields, and serves both ways. What it
 * reads is foreign: each field is cut to what it may be. Memory is not part of it, nor are guest faults. */
#ifndef VITRAIL_GPU_STATE_H
#define VITRAIL_GPU_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_irq;
struct gpu_registers;

struct gpu_state {
    uint8_t *bytes; /* of `size`; when loading they are only read */
    size_t size, at;
    bool
        loads; /* bytes become fields; else fields become bytes, as far as there is room: `at` is what they need */
    bool torn; /* bytes ran out */
};

void gpu_state_u32(struct gpu_state *state, uint32_t *field, uint32_t mask); /* bits it may have */
void gpu_state_u64(struct gpu_state *state, uint64_t *field);
void gpu_state_bool(struct gpu_state *state, bool *field);
void gpu_state_irq(struct gpu_state *state, struct gpu_irq *irq, uint32_t all); /* the line's bits */
/* The registers of a block that are storage: words[offset / 4], within the bits that they have. */
void gpu_state_registers(struct gpu_state *state, const struct gpu_registers *table, unsigned block,
                         uint32_t *words);

#endif
