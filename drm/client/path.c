/* Which paths are ours. The server's tree holds real folders and files under the names that the card would
 * have, so that reading directories needs no pretence. */
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *root(void)
{
    static const char *path;
    if (!path)
        path = getenv(DRM_ENV_ROOT);
    return path;
}

/* `prefix` itself, or what stands below it. */
static bool is_below(const char *path, const char *prefix)
{
    size_t n = strlen(prefix);
    return !strncmp(path, prefix, n) && (!path[n] || path[n] == '/');
}

static bool is_ours(const char *path)
{
    return is_below(path, "/dev/dri") || is_below(path, "/sys/class/drm") ||
           is_below(path, DRM_PLATFORM_DEVICE) || !strncmp(path, "/sys/dev/char/226:", 18) ||
           !strncmp(path, "/run/udev/data/c226:", 20);
}

const char *client_path(const char *path, char buffer[CLIENT_PATH_MAX])
{
    if (!path || path[0] != '/' || !client_active() || !root() || !is_ours(path))
        return path;
    int n = snprintf(buffer, CLIENT_PATH_MAX, "%s%s", root(), path);
    return n > 0 && n < CLIENT_PATH_MAX ? buffer : path;
}

void client_visible_path(char *path)
{
    size_t n = root() ? strlen(root()) : 0;
    if (n && client_active() && !strncmp(path, root(), n) && path[n] == '/')
        memmove(path, path + n, strlen(path + n) + 1);
}

bool client_is_sysfs(int fd)
{
    char link[40], target[CLIENT_PATH_MAX];
    if (!client_active() || !root())
        return false;
    size_t n = strlen(root());
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = NEXT(readlink)(link, target, sizeof target - 1);
    if (size <= 0)
        return false;
    target[size] = 0;
    return !strncmp(target, root(), n) && is_below(target + n, "/sys");
}

static int minor_of_name(const char *name)
{
    return !strcmp(name, "card0") ? 0 : !strcmp(name, "renderD128") ? 128 : -1;
}

int client_minor_of_path(int folder, const char *path)
{
    if (!path || !client_active())
        return -1;
    if (!strncmp(path, "/dev/dri/", 9))
        return minor_of_name(path + 9);
    if (folder == AT_FDCWD || minor_of_name(path) < 0 || !root())
        return -1;
    /* A name relative to a directory that may be our /dev/dri. */
    char link[40], target[CLIENT_PATH_MAX], nodes[CLIENT_PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t n = NEXT(readlink)(link, target, sizeof target - 1);
    if (n <= 0)
        return -1;
    target[n] = 0;
    snprintf(nodes, sizeof nodes, "%s/dev/dri", root());
    return strcmp(target, nodes) ? -1 : minor_of_name(path);
}
