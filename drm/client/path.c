/* Which paths are ours. The server's tree holds real folders and files under the names that the card would
 * have, so that reading directories needs no pretence. */
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <fcntl.h>
#include <limits.h>
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

#define CLASSES "/sys/class"
#define CHAR    "/sys/dev/char/"
#define UDEV    "/run/udev/data/"

static bool is_ours(const char *path)
{
    static const char *const folders[] = {"/dev/dri",         "/dev/input",        "/sys/class/drm",
                                          "/sys/class/input", DRM_PLATFORM_DEVICE, DRM_INPUT_DEVICES};
    static const char *const begins[] = {
        CHAR DRM_AS_TEXT(DRM_NODE_MAJOR) ":", CHAR DRM_AS_TEXT(DRM_INPUT_MAJOR) ":",
        UDEV "c" DRM_AS_TEXT(DRM_NODE_MAJOR) ":", UDEV "c" DRM_AS_TEXT(DRM_INPUT_MAJOR) ":", UDEV "+input:"};
    /* Who asks which classes there are is told of ours: this machine may have no card, and so no class for it. */
    if (!strcmp(path, CLASSES) || !strcmp(path, CLASSES "/"))
        return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (is_below(path, folders[i]))
            return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(path, begins[i], strlen(begins[i])))
            return true;
    return false;
}

const char *client_path(const char *path, char buffer[CLIENT_PATH_MAX])
{
    if (!path || path[0] != '/' || !client_active() || !root() || !is_ours(path))
        return path;
    int n = snprintf(buffer, CLIENT_PATH_MAX, "%s%s", root(), path);
    return n > 0 && n < CLIENT_PATH_MAX ? buffer : path;
}

static bool path_of(int fd, char path[CLIENT_PATH_MAX])
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = NEXT(readlink)(link, path, CLIENT_PATH_MAX - 1);
    path[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* To an emulator that is the sysroot, for what opens it; statx, which tells 32-bit programs of "/", may say what this
 * machine's is. */
static bool is_root(int folder)
{
    char here[CLIENT_PATH_MAX], top[CLIENT_PATH_MAX];
    int fd = NEXT(openat)(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool same = fd >= 0 && path_of(folder, here) && path_of(fd, top) && !strcmp(here, top);
    if (fd >= 0)
        NEXT(close)(fd);
    return same;
}

/* Where a folder is that stands under /sys, as the program sees it, or "" for the root, for what leads to /sys from there.
 * False: elsewhere. */
static bool is_at(int folder, const char *name, char at[CLIENT_PATH_MAX])
{
    if (!strcmp(name, "sys")) {
        *at = 0;
        return is_root(folder);
    }
    if (!path_of(folder, at))
        return false;
    client_visible_path(at);
    return is_below(at, "/sys");
}

const char *client_path_at(int folder, const char *path, char buffer[CLIENT_PATH_MAX])
{
    char at[CLIENT_PATH_MAX], joined[CLIENT_PATH_MAX];
    if (!path || folder == AT_FDCWD || path[0] == '/')
        return client_path(path, buffer);
    if (!*path || !strcmp(path, ".") || !strcmp(path, "..") || strlen(path) > NAME_MAX || !client_active() ||
        !root() || !is_at(folder, path, at))
        return path;
    int n = snprintf(joined, sizeof joined, "%s/%s", at, path);
    if (n < 0 || n >= CLIENT_PATH_MAX)
        return path;
    if (!is_ours(joined) && !NEXT(faccessat)(AT_FDCWD, joined, F_OK, AT_SYMLINK_NOFOLLOW))
        return memcpy(buffer, joined, (size_t)n + 1);
    n = snprintf(buffer, CLIENT_PATH_MAX, "%s%s", root(), joined);
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
    char target[CLIENT_PATH_MAX];
    if (!client_active() || !root() || !path_of(fd, target))
        return false;
    size_t n = strlen(root());
    return !strncmp(target, root(), n) && is_below(target + n, "/sys");
}

static int device_of_node(const char *name)
{
    return !strcmp(name, "card0")        ? CLIENT_DEVICE(DRM_NODE_MAJOR, (int)DRM_MINOR_CARD)
           : !strcmp(name, "renderD128") ? CLIENT_DEVICE(DRM_NODE_MAJOR, (int)DRM_MINOR_RENDER)
                                         : -1;
}

static int device_of_event(const char *name)
{
    unsigned number;
    char more;
    if (sscanf(name, "event%1u%c", &number, &more) != 1 || number >= DRM_INPUT_COUNT)
        return -1;
    return CLIENT_DEVICE(DRM_INPUT_MAJOR, DRM_INPUT_MINOR + (int)number);
}

static const struct {
    const char *folder;
    int (*device)(const char *name);
} folders_of_devices[] = {{"/dev/dri", device_of_node}, {"/dev/input", device_of_event}};

int client_device_of_path(int folder, const char *path)
{
    char target[CLIENT_PATH_MAX];
    const char *below = path;
    if (!path || !client_active())
        return -1;
    if (path[0] != '/') { /* a name relative to a directory that may be one of ours */
        if (folder == AT_FDCWD || !root() || (device_of_node(path) < 0 && device_of_event(path) < 0) ||
            !path_of(folder, target))
            return -1;
        size_t n = strlen(target);
        if (n + strlen(path) + 2 > sizeof target)
            return -1;
        snprintf(target + n, sizeof target - n, "/%s", path);
        client_visible_path(target);
        below = target;
    }
    for (size_t i = 0; i < sizeof folders_of_devices / sizeof *folders_of_devices; i++) {
        size_t n = strlen(folders_of_devices[i].folder);
        if (!strncmp(below, folders_of_devices[i].folder, n) && below[n] == '/')
            return folders_of_devices[i].device(below + n + 1);
    }
    return -1;
}
