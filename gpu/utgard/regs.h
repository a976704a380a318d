/* The window of registers: blocks (ips.inc) and the registers of each kind of block (regs.inc). Offsets are
 * UTGARD_<block>_<register>, from where a block begins; UTGARD_BIT(GP, CMD, START_VS) is the lowest bit of a
 * field. Internal to gpu/utgard. */
#ifndef VITRAIL_GPU_UTGARD_REGS_H
#define VITRAIL_GPU_UTGARD_REGS_H

#include "gpu/registers.h"
#include "gpu/utgard/device.h"

/* Kinds of blocks. Those of _ALL stand for every one of a kind that takes part in a broadcast. */
enum utgard_block {
    UTGARD_BLOCK_PMU,
    UTGARD_BLOCK_L2,
    UTGARD_BLOCK_GP,
    UTGARD_BLOCK_PP,
    UTGARD_BLOCK_MMU,
    UTGARD_BLOCK_DLBU,
    UTGARD_BLOCK_BCAST,
    UTGARD_BLOCK_PP_ALL,
    UTGARD_BLOCK_MMU_ALL
};

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

/* All bits that the four interrupt registers of a kind of block have: each is a flag of INT_RAWSTAT. */
#define UTGARD_IS_INTERRUPT(block, register, of)                                                             \
    (UTGARD_BLOCK_##block == UTGARD_BLOCK_##of && UTGARD_##block##_##register == UTGARD_##of##_INT_RAWSTAT)
enum {
    UTGARD_GP_INT_ALL = 0
#define FIELD(block, register, name, high, low) | UTGARD_IS_INTERRUPT(block, register, GP) << low
#include "gpu/utgard/regs.inc"
    ,
    UTGARD_PP_INT_ALL = 0
#define FIELD(block, register, name, high, low) | UTGARD_IS_INTERRUPT(block, register, PP) << low
#include "gpu/utgard/regs.inc"
    ,
    UTGARD_MMU_INT_ALL = 0
#define FIELD(block, register, name, high, low) | UTGARD_IS_INTERRUPT(block, register, MMU) << low
#include "gpu/utgard/regs.inc"
};

extern const struct gpu_registers utgard_registers; /* `block` is enum utgard_block */

const char *utgard_ip_name(unsigned ip); /* below UTGARD_IP_COUNT; static */
enum utgard_block utgard_ip_block(unsigned ip);
/* The kind of block that an offset of the window of a GPU with all its PPs lies in; *offset becomes its own. An
 * offset in none gives one without registers, UTGARD_BLOCK_DLBU. */
enum utgard_block utgard_block_at(enum utgard_kind kind, uint32_t *offset);
/* The block that an offset of the window lies in, UTGARD_IP_COUNT when none does; *offset becomes its own. */
unsigned utgard_ip_at(const struct utgard_device *device, uint32_t *offset);

#endif
