/* The registers of the 3D block as a table. */
#include "gpu/vc4/regs.h"

#include "util/bits.h"

static const struct gpu_register regs[] = {
#define REG(name, offset, access, reset, source) {0, #name, offset, 4, 1, GPU_ACCESS_##access, reset, source},
#define COUNTED(name, first, step, count, access, reset, source)                                             \
    {0, #name, first, step, count, GPU_ACCESS_##access, reset, source},
#include "gpu/vc4/regs.inc"
};

static const struct gpu_register_field fields[] = {
#define FIELD(register, name, high, low) {0, #register, #name, high, low},
#include "gpu/vc4/regs.inc"
};

const struct gpu_registers vc4_registers = {regs, UTIL_ARRAY_SIZE(regs), fields, UTIL_ARRAY_SIZE(fields)};
