#include "tools/family.h"

#include <stddef.h>
#include <string.h>

#include "gpu/edit.h"
#include "gpu/families.h"
#include "gpu/lint.h"
#include "tools/decode.h"
#include "util/bits.h"

static const struct tool_family families[] = {
    {"vc4", &decode_vc4, &vc4_linter, &vc4_editor},
    {"utgard", &decode_utgard, &utgard_linter, &utgard_editor},
    {"mali", &decode_mali, &mali_linter, &mali_editor},
    {"libresoc", &decode_libresoc, &libresoc_linter, &libresoc_editor},
};

const struct tool_family *tool_family_at(unsigned n)
{
    return n < UTIL_ARRAY_SIZE(families) ? &families[n] : NULL;
}

const struct tool_family *tool_family_of(const char *gpu)
{
    const struct gpu_info *info = gpu_info_find(gpu);
    for (unsigned n = 0; info && n < UTIL_ARRAY_SIZE(families); n++)
        if (!strcmp(families[n].name, info->family))
            return &families[n];
    return NULL;
}
