/* Whose arithmetic a program computes with: README.md, "Numeric policy". */
#ifndef VITRAIL_ISA_VC4_QPU_NUMERIC_H
#define VITRAIL_ISA_VC4_QPU_NUMERIC_H

#include <stdbool.h>

enum vc4_qpu_numeric {
    VC4_QPU_FAST,  /* IEEE single, rounded to nearest: what x86 does best */
    VC4_QPU_EXACT, /* what silicon gives, as far as public measurements go */
    VC4_QPU_NUMERIC_COUNT,
};

const char *vc4_qpu_numeric_name(enum vc4_qpu_numeric numeric); /* "fast", "exact" */
bool vc4_qpu_numeric_parse(const char *text, enum vc4_qpu_numeric *out);

#endif
