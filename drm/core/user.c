/* Memory of the caller of an ioctl: each piece is copied once and never looked at again. */
#include "drm/core/user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "util/checked.h"

static uint8_t *user_at(const struct drm_user *user, uint64_t at, uint64_t size)
{
    if (!at || !util_in_range(at, size, user->size))
        return NULL;
    return (uint8_t *)((uintptr_t)user->base + (uintptr_t)at);
}

int drm_copy_in(const struct drm_user *user, void *to, uint64_t from, uint64_t size)
{
    if (!size)
        return 0;
    const uint8_t *bytes = user_at(user, from, size);
    if (!bytes)
        return -EFAULT;
    memcpy(to, bytes, size);
    return 0;
}

int drm_copy_out(const struct drm_user *user, uint64_t to, const void *from, uint64_t size)
{
    if (!size)
        return 0;
    uint8_t *bytes = user_at(user, to, size);
    if (!bytes)
        return -EFAULT;
    memcpy(bytes, from, size);
    if (user->written)
        *user->written = UTIL_MAX(*user->written, to + size);
    return 0;
}

int drm_copy_array(const struct drm_user *user, void **out, uint64_t from, uint64_t count, uint64_t size)
{
    uint64_t bytes;
    *out = NULL;
    if (!util_mul(count, size, &bytes))
        return -EINVAL;
    if (!bytes)
        return 0;
    if (!user_at(user, from, bytes))
        return -EFAULT;
    void *copy = malloc(bytes);
    if (!copy)
        return -ENOMEM;
    int r = drm_copy_in(user, copy, from, bytes);
    if (r)
        free(copy);
    else
        *out = copy;
    return r;
}
