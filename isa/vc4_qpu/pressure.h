/* How many values a straight program keeps at a time: whether several runs of it, side by side, find room in
 * a host's registers. */
#ifndef VITRAIL_ISA_VC4_QPU_PRESSURE_H
#define VITRAIL_ISA_VC4_QPU_PRESSURE_H

#include "isa/vc4_qpu/program.h"

/* The greatest number of registers (files A and B, r0 to r5) that hold values still to be read, between any
 * two instructions of a program without branches. Never too low; too high where an operation does not look
 * at an operand, or a write that is always whole is not seen to be. */
unsigned vc4_qpu_pressure(const struct vc4_qpu_program *program);

#endif
