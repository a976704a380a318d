/* The registers of a device as its family's table has them (regs.inc): names, offsets, how they are accessed,
 * fields. Tables are static. */
#ifndef VITRAIL_GPU_REGISTERS_H
#define VITRAIL_GPU_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/field.h"

enum gpu_access {
    GPU_ACCESS_RO,    /* reads the reset value; writes are ignored */
    GPU_ACCESS_RW,    /* storage: reads what was written, within its fields */
    GPU_ACCESS_WO,    /* reads zero; writing has an effect that the model does not need */
    GPU_ACCESS_LIVE,  /* behaviour in the family's code */
    GPU_ACCESS_FAULT, /* documented and not done: writing a nonzero value is a named fault, reading is as RO
                       */
};

/* One register, or `count` of a kind, `step` bytes apart. */
struct gpu_register {
    unsigned block; /* the family's; offsets count from where a block begins */
    const char *name;
    uint32_t offset, step, count;
    enum gpu_access access;
    uint32_t reset;
    const char *source; /* where it is documented; may be NULL */
};

struct gpu_register_field {
    unsigned block;
    const char *reg, *name;
    uint8_t high, low;
};

struct gpu_registers {
    const struct gpu_register *reg;
    size_t count;
    const struct gpu_register_field *field;
    size_t field_count;
};

/* NULL: there is none. */
const struct gpu_register *gpu_register_find(const struct gpu_registers *table, unsigned block,
                                             uint32_t offset);
/* Bits that a register has; all of them when the table names no field. */
uint32_t gpu_register_mask(const struct gpu_registers *table, const struct gpu_register *reg);
/* Its fields in `value`, as flags where they have one bit; how many, at most `capacity`. */
unsigned gpu_register_fields(const struct gpu_registers *table, const struct gpu_register *reg,
                             uint32_t value, struct gpu_field *out, unsigned capacity);
/* words[offset / 4] of a block's registers after a reset. */
void gpu_registers_reset(const struct gpu_registers *table, unsigned block, uint32_t *words);

#endif
