/* What edits ask of a Libre-SOC: its addresses are the guest's. */
#include "gpu/edit.h"
#include "gpu/libresoc/regs.h"

static unsigned spaces(void *device, uint32_t offset, uint32_t value,
                       const struct gpu_space *space[GPU_EDIT_SPACES])
{
    space[0] = NULL;
    return offset == LIBRESOC_COMMAND && value & LIBRESOC_BIT(COMMAND, START);
}

const struct gpu_editor libresoc_editor = {.family = "libresoc", .spaces = spaces};
