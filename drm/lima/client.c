/* lima's ioctls for the client: pointers and waits. */
#include <errno.h>

#include "drm/client/client.h"
#include "drm/lima/abi.h"

static const struct client_pointer pointers[] = {
    CLIENT_ROW(LIMA_IOCTL_GEM_SUBMIT, lima_gem_submit, buffers, buffer_count,
               sizeof(struct lima_submit_buffer), IN),
    CLIENT_ROW(LIMA_IOCTL_GEM_SUBMIT, lima_gem_submit, frame, frame_size, 1, IN),
    {0},
};

static const struct client_wait waits[] = {
    {LIMA_IOCTL_GEM_WAIT, offsetof(struct lima_gem_wait, timeout), .relative = false},
    {0},
};

const struct client_driver client_lima_driver = {pointers, waits, -EBUSY, -ETIMEDOUT};
