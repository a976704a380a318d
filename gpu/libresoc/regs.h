/* The registers of the command processor (regs.inc): byte offsets are LIBRESOC_<register>, LIBRESOC_BIT(STATUS, BUSY) is the lowest
 * bit of a field. */
#ifndef VITRAIL_GPU_LIBRESOC_REGS_H
#define VITRAIL_GPU_LIBRESOC_REGS_H

#include "gpu/registers.h"

#define LIBRESOC_WINDOW 0x1000u /* bytes of registers */

enum libresoc_reg {
#define REG(name, offset, access, reset) LIBRESOC_##name = (offset),
#include "gpu/libresoc/regs.inc"
};

enum {
#define FIELD(register, name, high, low) LIBRESOC_##register##_##name##_AT = (low),
#include "gpu/libresoc/regs.inc"
};

#define LIBRESOC_BIT(register, field) (1u << LIBRESOC_##register##_##field##_AT)

#define LIBRESOC_INT_DONE  LIBRESOC_BIT(INT_RAWSTAT, DONE)  /* the frame is stored */
#define LIBRESOC_INT_FAULT LIBRESOC_BIT(INT_RAWSTAT, FAULT) /* it ended in a fault */
#define LIBRESOC_INT_ALL   (LIBRESOC_INT_DONE | LIBRESOC_INT_FAULT)

/* FAULT_KIND. */
enum libresoc_fault_kind {
    LIBRESOC_FAULT_NONE,
    LIBRESOC_FAULT_RECORD,      /* a record that says what cannot be */
    LIBRESOC_FAULT_MEMORY,      /* an address where nothing is, or that may not be used so */
    LIBRESOC_FAULT_PROGRAM,     /* a program does something illegal */
    LIBRESOC_FAULT_FUEL,        /* a bound is reached */
    LIBRESOC_FAULT_HEAP,        /* it has no more room */
    LIBRESOC_FAULT_UNSUPPORTED, /* what is not done */
};

extern const struct gpu_registers libresoc_registers; /* in one block, 0 */

#endif
