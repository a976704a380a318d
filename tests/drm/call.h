/* Ioctls as a program in this process makes them: pointers are its own, descriptors go beside. */
#ifndef VITRAIL_TESTS_DRM_CALL_H
#define VITRAIL_TESTS_DRM_CALL_H

#include "drm/drm.h"

/* `taken`: a descriptor that goes with the call, or -1. *given: the one that comes, or -1; NULL: none may. */
static inline int call_with(struct drm_file *file, uint32_t request, void *argument, int taken, int *given)
{
    const struct drm_user user = {.size = UINT64_MAX, .taken = taken >= 0 ? &taken : NULL, .given = given};
    if (given)
        *given = -1;
    return drm_ioctl(file, request, argument, &user);
}

#define CALL(file, request, argument)               call_with(file, request, argument, -1, NULL)
#define CALL_TAKING(file, request, argument, fd)    call_with(file, request, argument, fd, NULL)
#define CALL_GIVING(file, request, argument, fd_at) call_with(file, request, argument, -1, fd_at)

#endif
