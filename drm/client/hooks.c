/* The functions that stand in for libc's: descriptors and mappings. Each does what is ours and leaves the
 * rest to the next definition. */
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>

/* ---- open ---- */

/* The mode argument is there only when a file may be created. */
#define MODE_OF(flags)                                                                                       \
    ({                                                                                                       \
        mode_t mode_ = 0;                                                                                    \
        if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                             \
            va_list args_;                                                                                   \
            va_start(args_, flags);                                                                          \
            mode_ = (mode_t)va_arg(args_, int);                                                              \
            va_end(args_);                                                                                   \
        }                                                                                                    \
        mode_;                                                                                               \
    })

#define OPEN(function, folder, path, flags, mode)                                                            \
    ({                                                                                                       \
        char buffer_[CLIENT_PATH_MAX];                                                                       \
        int device_ = client_device_of_path(folder, path);                                                   \
        device_ >= 0 ? client_open(device_, flags)                                                           \
                     : NEXT(function)(folder, client_path_at(folder, path, buffer_), flags, mode);           \
    })

CLIENT_EXPORT int open(const char *path, int flags, ...)
{
    return OPEN(openat, AT_FDCWD, path, flags, MODE_OF(flags));
}
CLIENT_EXPORT int open64(const char *path, int flags, ...)
{
    return OPEN(openat64, AT_FDCWD, path, flags, MODE_OF(flags));
}
CLIENT_EXPORT int openat(int folder, const char *path, int flags, ...)
{
    return OPEN(openat, folder, path, flags, MODE_OF(flags));
}
CLIENT_EXPORT int openat64(int folder, const char *path, int flags, ...)
{
    return OPEN(openat64, folder, path, flags, MODE_OF(flags));
}

/* What fortified programs call. */
CLIENT_EXPORT int __open_2(const char *path, int flags);
CLIENT_EXPORT int __open64_2(const char *path, int flags);
CLIENT_EXPORT int __openat_2(int folder, const char *path, int flags);
CLIENT_EXPORT int __openat64_2(int folder, const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return OPEN(openat, AT_FDCWD, path, flags, 0);
}
int __open64_2(const char *path, int flags)
{
    return OPEN(openat64, AT_FDCWD, path, flags, 0);
}
int __openat_2(int folder, const char *path, int flags)
{
    return OPEN(openat, folder, path, flags, 0);
}
int __openat64_2(int folder, const char *path, int flags)
{
    return OPEN(openat64, folder, path, flags, 0);
}

/* ---- close and duplicates ---- */

CLIENT_EXPORT int close(int fd)
{
    if (wire_owns(fd)) {
        errno = EBADF;
        return -1;
    }
    struct client_node *last = client_forget((unsigned)fd, (unsigned)fd);
    int r = NEXT(close)(fd);
    client_release(last);
    return r;
}

/* Our own descriptors stay open. */
static int close_around_ours(unsigned first, unsigned last, int flags)
{
    unsigned from = first;
    for (unsigned fd = first; fd <= last && fd < 65536; fd++) {
        if (!wire_owns((int)fd))
            continue;
        if (fd > from && NEXT(close_range)(from, fd - 1, flags))
            return -1;
        from = fd + 1;
    }
    return from <= last ? NEXT(close_range)(from, last, flags) : 0;
}

CLIENT_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    if (flags & CLOSE_RANGE_CLOEXEC)
        return NEXT(close_range)(first, last, flags);
    struct client_node *nodes = client_forget(first, last);
    int r = close_around_ours(first, last, flags);
    client_release(nodes);
    return r;
}

CLIENT_EXPORT void closefrom(int first)
{
    close_range(first > 0 ? (unsigned)first : 0, ~0u, 0);
}

CLIENT_EXPORT int dup(int fd)
{
    int copy = NEXT(dup)(fd);
    if (copy >= 0)
        client_duplicated(fd, copy);
    return copy;
}

CLIENT_EXPORT int dup2(int fd, int to)
{
    if (fd == to || wire_owns(to))
        return NEXT(dup2)(fd, fd == to ? to : -1);
    int copy = NEXT(dup2)(fd, to);
    if (copy >= 0) {
        client_release(client_forget((unsigned)copy, (unsigned)copy));
        client_duplicated(fd, copy);
    }
    return copy;
}

CLIENT_EXPORT int dup3(int fd, int to, int flags)
{
    int copy = NEXT(dup3)(fd, wire_owns(to) ? -1 : to, flags);
    if (copy >= 0) {
        client_release(client_forget((unsigned)copy, (unsigned)copy));
        client_duplicated(fd, copy);
    }
    return copy;
}

#define FCNTL(function, fd, command)                                                                         \
    ({                                                                                                       \
        va_list args_;                                                                                       \
        va_start(args_, command);                                                                            \
        void *argument_ = va_arg(args_, void *);                                                             \
        va_end(args_);                                                                                       \
        int r_ = NEXT(function)(fd, command, argument_);                                                     \
        if (r_ >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))                                   \
            client_duplicated(fd, r_);                                                                       \
        if (r_ >= 0 && command == F_GETFL && client_device_of(fd) >= 0)                                      \
            r_ = (r_ & ~O_ACCMODE) | O_RDWR; /* not the pipe's */                                            \
        r_;                                                                                                  \
    })

CLIENT_EXPORT int fcntl(int fd, int command, ...)
{
    return FCNTL(fcntl, fd, command);
}
CLIENT_EXPORT int fcntl64(int fd, int command, ...)
{
    return FCNTL(fcntl64, fd, command);
}

/* ---- ioctl ---- */

int client_ioctl_hook(int fd, unsigned long request, void *argument)
{
    struct client_node node;
    bool devices = _IOC_TYPE(request) == DRM_IOCTL_BASE || _IOC_TYPE(request) == 'E';
    enum client_kind kind = devices ? client_adopt(fd, &node) : client_kind_of(fd, &node);
    if (kind == CLIENT_NONE && _IOC_TYPE(request) == 'b' && client_is_dmabuf(fd))
        kind = CLIENT_DMABUF; /* it came from another process */
    return kind == CLIENT_NONE ? NEXT(ioctl)(fd, request, argument)
                               : client_ioctl(kind, fd, &node, request, argument);
}

CLIENT_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *argument = va_arg(args, void *);
    va_end(args);
    return client_ioctl_hook(fd, request, argument);
}

/* ---- mmap ---- */

static bool maps_ours(int fd, int flags)
{
    struct client_node node;
    if (fd < 0 || flags & MAP_ANONYMOUS)
        return false;
    enum client_kind kind = client_kind_of(fd, &node);
    if (kind == CLIENT_NONE)
        return (flags & MAP_TYPE) != MAP_PRIVATE && client_is_dmabuf(fd);
    return kind == CLIENT_DRM || kind == CLIENT_DMABUF;
}

CLIENT_EXPORT void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return maps_ours(fd, flags) ? client_mmap(address, size, protection, flags, fd, (uint64_t)offset)
                                : NEXT(mmap)(address, size, protection, flags, fd, offset);
}

CLIENT_EXPORT void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return maps_ours(fd, flags) ? client_mmap(address, size, protection, flags, fd, (uint64_t)offset)
                                : NEXT(mmap64)(address, size, protection, flags, fd, offset);
}
