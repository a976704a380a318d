#include "isa/numeric.h"

#include <string.h>

static const char *const names[] = {[ISA_FAST] = "fast", [ISA_EXACT] = "exact", [ISA_USUAL] = "usual"};

const char *isa_numeric_name(enum isa_numeric numeric)
{
    return (unsigned)numeric <= ISA_USUAL ? names[numeric] : "unknown";
}

bool isa_numeric_parse(const char *text, enum isa_numeric *out)
{
    for (unsigned i = 0; i <= ISA_USUAL; i++) {
        if (!strcmp(text, names[i])) {
            *out = (enum isa_numeric)i;
            return true;
        }
    }
    return false;
}
