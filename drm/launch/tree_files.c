/* Files of a tree, by their paths in it. */
#include "drm/launch/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int drm_tree_folders(int root, const char *path)
{
    char part[256];
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] && path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdirat(root, part, 0700) && errno != EEXIST)
            return -errno;
    }
    return 0;
}

int drm_tree_file(int root, const char *path, const char *text)
{
    int fd = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    size_t size = strlen(text);
    int r = write(fd, text, size) == (ssize_t)size ? 0 : -EIO;
    close(fd);
    return r;
}

int drm_tree_link(int root, const char *path, const char *target)
{
    return symlinkat(target, root, path) ? -errno : 0;
}
