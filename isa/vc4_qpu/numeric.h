/* Whose arithmetic a program computes with: README.md, "Numeric policy". */
#ifndef VITRAIL_ISA_VC4_QPU_NUMERIC_H
#define VITRAIL_ISA_VC4_QPU_NUMERIC_H

#include <stdbool.h>
#include <stdint.h>

enum vc4_qpu_numeric {
    VC4_QPU_FAST,  /* IEEE single, rounded to nearest: what x86 does best */
    VC4_QPU_EXACT, /* what silicon gives, as far as public measurements go */
    VC4_QPU_NUMERIC_COUNT,
};

/* A word as float arithmetic in fast mode takes it: any NaN is the one NaN (README.md, rule 1). */
static inline uint32_t vc4_qpu_one_nan(uint32_t word)
{
    return (word & 0x7fffffff) > 0x7f800000 ? 0xffc00000 : word;
}

const char *vc4_qpu_numeric_name(enum vc4_qpu_numeric numeric); /* "fast", "exact" */
bool vc4_qpu_numeric_parse(const char *text, enum vc4_qpu_numeric *out);

#endif
