/* panfrost's ioctls for the client: pointers and waits. */
#include <errno.h>

#include "drm/client/client.h"
#include "drm/panfrost/abi.h"

static const struct client_pointer pointers[] = {
    CLIENT_ROW(PANFROST_IOCTL_SUBMIT, panfrost_submit, in_syncs, in_sync_count, sizeof(uint32_t), IN),
    CLIENT_ROW(PANFROST_IOCTL_SUBMIT, panfrost_submit, bo_handles, bo_handle_count, sizeof(uint32_t), IN),
    {PANFROST_IOCTL_PERFCNT_DUMP, offsetof(struct panfrost_perfcnt_dump, buffer), PANFROST_PERFCNT_MOST, 0, 1,
     CLIENT_OUT},
    {0},
};

static const struct client_wait waits[] = {
    {PANFROST_IOCTL_WAIT_BO, offsetof(struct panfrost_wait_bo, timeout), .relative = false},
    {0},
};

const struct client_driver client_panfrost_driver = {pointers, waits, -EBUSY, -ETIMEDOUT};
