/* What edits ask of a Mali-400: the address spaces of the processors that begin. */
#include "gpu/edit.h"
#include "gpu/utgard/inspect.h"

_Static_assert(1 + UTGARD_MAX_PP <= GPU_EDIT_SPACES, "a space each");

static unsigned add(struct utgard_device *device, unsigned processor, unsigned count,
                    const struct gpu_space *space[GPU_EDIT_SPACES])
{
    struct gpu_fault fault;
    space[count] = utgard_device_space(device, processor, &fault);
    for (unsigned n = 0; n < count; n++)
        if (space[n] == space[count])
            return count;
    return count + (space[count] != NULL);
}

static unsigned spaces(void *device, uint32_t offset, uint32_t value,
                       const struct gpu_space *space[GPU_EDIT_SPACES])
{
    const struct utgard_work work = utgard_device_starts(device, offset, value);
    unsigned count = work.vs || work.plbu ? add(device, 0, 0, space) : 0;
    for (unsigned pp = 0; pp < UTGARD_MAX_PP; pp++)
        if (work.pps >> pp & 1)
            count = add(device, 1 + pp, count, space);
    return count;
}

const struct gpu_editor utgard_editor = {.family = "utgard", .spaces = spaces};
