/* The registers of the 3D block (regs.inc, of Guide section 10): byte offsets from V3D_BASE are
 * VC4_<register>, VC4_BIT(CT0CS, CTRUN) is the lowest bit of a field. */
#ifndef VITRAIL_GPU_VC4_REGS_H
#define VITRAIL_GPU_VC4_REGS_H

#include "gpu/registers.h"

enum vc4_reg {
#define REG(name, offset, access, reset, source)                 VC4_##name = (offset),
#define COUNTED(name, first, step, count, access, reset, source) VC4_##name = (first),
#include "gpu/vc4/regs.inc"
};

enum {
#define FIELD(register, name, high, low) VC4_##register##_##name##_AT = (low),
#include "gpu/vc4/regs.inc"
};

#define VC4_BIT(register, field) (1u << VC4_##register##_##field##_AT)

extern const struct gpu_registers vc4_registers; /* in one block, 0 */

#endif
