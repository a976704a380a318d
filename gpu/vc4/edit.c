/* What edits ask of a VideoCore IV: its addresses are the guest's. */
#include "gpu/edit.h"
#include "gpu/vc4/regs.h"

static unsigned spaces(void *device, uint32_t offset, uint32_t value,
                       const struct gpu_space *space[GPU_EDIT_SPACES])
{
    space[0] = NULL;
    return offset == VC4_CT0EA || offset == VC4_CT1EA || offset == VC4_SRQPC;
}

const struct gpu_editor vc4_editor = {.family = "vc4", .spaces = spaces};
