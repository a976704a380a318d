/* The offsets of regs.inc as constants, UTGARD_<block>_<register>, and its fields: UTGARD_BIT(GP, CMD,
 * START_VS) is the lowest bit of one. Internal to gpu/utgard. */
#ifndef VITRAIL_GPU_UTGARD_REGS_H
#define VITRAIL_GPU_UTGARD_REGS_H

enum {
#define REG(block, name, offset, access, reset)                 UTGARD_##block##_##name = (offset),
#define COUNTED(block, name, first, step, count, access, reset) UTGARD_##block##_##name = (first),
#include "gpu/utgard/regs.inc"
};

enum {
#define FIELD(block, register, name, high, low) UTGARD_##block##_##register##_##name##_AT = (low),
#include "gpu/utgard/regs.inc"
};

#define UTGARD_BIT(block, register, field) (1u << UTGARD_##block##_##register##_##field##_AT)

#endif
