/* The window of registers: regs.inc as offsets MALI_<block>_<register>, from where a block begins;
 * MALI_BIT(GPU, STATUS, ACTIVE) is the lowest bit of a field. Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_REGS_H
#define VITRAIL_GPU_MALI_REGS_H

#include "gpu/mali/device.h"
#include "gpu/registers.h"

#define MALI_SLOTS  3u
#define MALI_SPACES 16u

/* Kinds of blocks. */
enum mali_block {
    MALI_BLOCK_GPU,
    MALI_BLOCK_JOB,
    MALI_BLOCK_JS, /* MALI_SLOTS of them */
    MALI_BLOCK_MMU,
    MALI_BLOCK_AS, /* MALI_SPACES of them */
    MALI_BLOCK_COUNT
};

enum {
#define REG(block, name, offset, access, reset)                 MALI_##block##_##name = (offset),
#define COUNTED(block, name, first, step, count, access, reset) MALI_##block##_##name = (first),
#include "gpu/mali/regs.inc"
};

enum {
#define FIELD(block, register, name, high, low) MALI_##block##_##register##_##name##_AT = (low),
#include "gpu/mali/regs.inc"
};

#define MALI_BIT(block, register, field) (1u << MALI_##block##_##register##_##field##_AT)

/* The value of GPU COMMAND that has the counters written to memory. */
#define MALI_COMMAND_SAMPLE 4u

extern const struct gpu_registers mali_registers; /* `block` is enum mali_block */

/* A register's place. */
struct mali_place {
    enum mali_block block; /* MALI_BLOCK_COUNT: in none */
    unsigned number;       /* slot or address space; 0 */
    uint32_t offset;       /* from where the block begins */
};
struct mali_place mali_place_of(uint32_t offset);
const char *mali_block_name(enum mali_block block); /* static: "GPU" */

/* What the GPU says in a register of features.inc; false: it stands there with none. */
bool mali_feature_find(enum mali_kind kind, uint32_t offset, uint32_t *value);
static inline uint32_t mali_feature(enum mali_kind kind, uint32_t offset)
{
    uint32_t value = 0;
    (void)mali_feature_find(kind, offset, &value);
    return value;
}

#endif
