/* Whose arithmetic guest programs compute with; what it means is in each instruction set's README.md,
 * "Numeric policy". */
#ifndef VITRAIL_ISA_NUMERIC_H
#define VITRAIL_ISA_NUMERIC_H

#include <stdbool.h>
#include <stdint.h>

enum isa_numeric {
    ISA_FAST,  /* IEEE single, rounded to nearest: what x86 does best */
    ISA_EXACT, /* what silicon gives, as far as it is public */
    ISA_NUMERIC_COUNT,
    /* Left to the GPU: `exact` of a Mali-400 and Mali-450, `fast` of all others. Of options only; devices resolve it. */
    ISA_USUAL = ISA_NUMERIC_COUNT,
};

const char *isa_numeric_name(enum isa_numeric numeric); /* "fast", "exact"; "usual" */
bool isa_numeric_parse(const char *text, enum isa_numeric *out);

#endif
