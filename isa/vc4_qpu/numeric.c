#include "isa/vc4_qpu/numeric.h"

#include <string.h>

static const char *const names[VC4_QPU_NUMERIC_COUNT] = {
    [VC4_QPU_FAST] = "fast",
    [VC4_QPU_EXACT] = "exact",
};

const char *vc4_qpu_numeric_name(enum vc4_qpu_numeric numeric)
{
    return (unsigned)numeric < VC4_QPU_NUMERIC_COUNT ? names[numeric] : "unknown";
}

bool vc4_qpu_numeric_parse(const char *text, enum vc4_qpu_numeric *out)
{
    for (unsigned i = 0; i < VC4_QPU_NUMERIC_COUNT; i++) {
        if (!strcmp(text, names[i])) {
            *out = (enum vc4_qpu_numeric)i;
            return true;
        }
    }
    return false;
}
