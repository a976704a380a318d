#include "tools/family.h"

#include <stddef.h>
#include <string.h>

#include "gpu/lint.h"
#include "tools/decode.h"
#include "util/bits.h"

static const struct tool_family families[] = {
    {"vc4", "vc4", "Broadcom VideoCore IV (V3D 2.1)", &decode_vc4, &vc4_linter},
    {"mali400", "utgard", "Arm Mali-400 MP2 (Utgard)", &decode_utgard, &utgard_linter},
    {"mali450", "utgard", "Arm Mali-450 MP6 (Utgard)", &decode_utgard, &utgard_linter},
};

const struct tool_family *tool_family_at(unsigned n)
{
    return n < UTIL_ARRAY_SIZE(families) ? &families[n] : NULL;
}

const struct tool_family *tool_family_find(const char *gpu)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(families); n++)
        if (!strcmp(families[n].gpu, gpu))
            return &families[n];
    return NULL;
}
