/* The QPU's numeric policy: README.md. */
#ifndef VITRAIL_ISA_VC4_QPU_NUMERIC_H
#define VITRAIL_ISA_VC4_QPU_NUMERIC_H

#include "isa/numeric.h"

/* A word as float arithmetic in fast mode takes it: any NaN is the one NaN (README.md, rule 1). */
static inline uint32_t vc4_qpu_one_nan(uint32_t word)
{
    return (word & 0x7fffffff) > 0x7f800000 ? 0xffc00000 : word;
}

#endif
