/* 32-bit programs built with 64-bit times call functions of other names, with another struct stat. Compiled
 * so too, this file defines and finds them under those names. Empty on 64-bit machines. */
#if __SIZEOF_LONG__ == 4
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS        64
#include "drm/client/client.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static void patch(struct stat *st, int device)
{
    if (device < 0)
        return;
    st->st_mode = S_IFCHR | 0660;
    st->st_rdev = makedev(CLIENT_MAJOR(device), CLIENT_MINOR(device));
}

typedef int (*stat_fn)(const char *, struct stat *);
typedef int (*fstat_fn)(int, struct stat *);
typedef int (*fstatat_fn)(int, const char *, struct stat *, int);
typedef int (*fcntl_fn)(int, int, ...);

CLIENT_EXPORT int __stat64_time64(const char *path, struct stat *st);
CLIENT_EXPORT int __lstat64_time64(const char *path, struct stat *st);
CLIENT_EXPORT int __fstat64_time64(int fd, struct stat *st);
CLIENT_EXPORT int __fstatat64_time64(int folder, const char *path, struct stat *st, int flags);
CLIENT_EXPORT int __fcntl_time64(int fd, int command, ...);
CLIENT_EXPORT int __ioctl_time64(int fd, unsigned long request, ...);

int __stat64_time64(const char *path, struct stat *st)
{
    char buffer[CLIENT_PATH_MAX];
    int r = ((stat_fn)client_next("__stat64_time64"))(client_path(path, buffer), st);
    if (!r)
        patch(st, client_device_of_path(AT_FDCWD, path));
    return r;
}

int __lstat64_time64(const char *path, struct stat *st)
{
    char buffer[CLIENT_PATH_MAX];
    int r = ((stat_fn)client_next("__lstat64_time64"))(client_path(path, buffer), st);
    if (!r)
        patch(st, client_device_of_path(AT_FDCWD, path));
    return r;
}

int __fstat64_time64(int fd, struct stat *st)
{
    int r = ((fstat_fn)client_next("__fstat64_time64"))(fd, st);
    if (!r)
        patch(st, client_device_of(fd));
    return r;
}

int __fstatat64_time64(int folder, const char *path, struct stat *st, int flags)
{
    char buffer[CLIENT_PATH_MAX];
    int r = ((fstatat_fn)client_next("__fstatat64_time64"))(folder, client_path(path, buffer), st, flags);
    if (!r)
        patch(st, path && !*path ? client_device_of(folder) : client_device_of_path(folder, path));
    return r;
}

int __fcntl_time64(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    int r = ((fcntl_fn)client_next("__fcntl_time64"))(fd, command, argument);
    if (r >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
        client_duplicated(fd, r);
    if (r >= 0 && command == F_GETFL && client_device_of(fd) >= 0)
        r = (r & ~O_ACCMODE) | O_RDWR;
    return r;
}

int __ioctl_time64(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *argument = va_arg(args, void *);
    va_end(args);
    return client_ioctl_hook(fd, request, argument);
}
#else
typedef int client_has_no_time64;
#endif
