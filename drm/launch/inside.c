/* Files of a root before it is one: what a program there will find. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "drm/launch/mounts.h"

int drm_root_open_in(const char *folder, const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -errno;
    int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    int r = fd < 0 ? -errno : fd;
    close(root);
    return r;
}

/* Below what is bound at `inside`: what follows of the path, or NULL. */
static const char *rest_below(const char *path, const char *inside, size_t n)
{
    return !strncmp(path, inside, n) && (!path[n] || path[n] == '/') ? path + n : NULL;
}

int drm_root_open(const struct drm_root *root, const char *path)
{
    for (unsigned i = 0; i < root->binds; i++) {
        const char *bind = root->bind[i];
        size_t n = strcspn(bind, ":");
        const char *inside = bind[n] ? bind + n + 1 : bind;
        const char *rest = rest_below(path, inside, bind[n] ? strlen(inside) : n);
        char host[DRM_LAUNCH_PATH];
        if (!rest || snprintf(host, sizeof host, "%.*s%s", (int)n, bind, rest) >= (int)sizeof host)
            continue;
        int fd = open(host, O_RDONLY | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
    }
    return drm_root_open_in(root->folder, path);
}
