#include "gpu/setup.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/families.h"
#include "util/list.h"

static void forget(struct gpu_setup *setup, uint32_t offset, uint32_t value, bool any_value)
{
    for (uint32_t n = setup->count; n-- > 0;) {
        struct gpu_setup_write *write = &setup->at[n];
        if (write->offset != offset || (!any_value && write->value != value))
            continue;
        setup->count--;
        memmove(write, write + 1, (setup->count - n) * sizeof *write);
        return; /* there is one at most */
    }
}

void gpu_setup_note(struct gpu_setup *setup, uint32_t offset, uint32_t value)
{
    const enum gpu_write_kind kind = gpu_write_kind(setup->gpu, offset, value);
    const struct gpu_setup_write write = {offset, value};
    if (kind == GPU_WRITE_WORK || setup->lost)
        return;
    forget(setup, offset, value, kind == GPU_WRITE_STATE);
    if (setup->count == GPU_SETUP_MAX || !UTIL_LIST_ADD(*setup, write))
        setup->lost = true;
}

void gpu_setup_finish(struct gpu_setup *setup)
{
    free(setup->at);
    *setup = (struct gpu_setup){0};
}
