/* What edits ask of a Mali with a job manager: the address space of the chain that begins. */
#include "gpu/edit.h"
#include "gpu/mali/inspect.h"

static unsigned spaces(void *device, uint32_t offset, uint32_t value,
                       const struct gpu_space *space[GPU_EDIT_SPACES])
{
    const struct mali_start start = mali_device_starts(device, offset, value);
    struct gpu_fault fault;
    space[0] = start.starts ? mali_device_space(device, start.as, &fault) : NULL;
    return space[0] != NULL;
}

const struct gpu_editor mali_editor = {.family = "mali", .spaces = spaces};
