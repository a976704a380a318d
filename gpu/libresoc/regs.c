/* The registers as a table. */
#include "gpu/libresoc/regs.h"

#include "util/bits.h"

static const struct gpu_register regs[] = {
#define REG(name, offset, access, reset) {0, #name, offset, 4, 1, GPU_ACCESS_##access, reset, NULL},
#include "gpu/libresoc/regs.inc"
};

static const struct gpu_register_field fields[] = {
#define FIELD(register, name, high, low) {0, #register, #name, high, low},
#include "gpu/libresoc/regs.inc"
};

const struct gpu_registers libresoc_registers = {regs, UTIL_ARRAY_SIZE(regs), fields,
                                                 UTIL_ARRAY_SIZE(fields)};
