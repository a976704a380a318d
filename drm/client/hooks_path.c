/* The functions that stand in for libc's: everything with a path, and what is asked of a file's status. The
 * nodes themselves exist in the server's tree as empty files; their status is patched to that of a device. */
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#define NODE_MODE (S_IFCHR | 0660)

/* ---- paths that are only replaced ---- */

#define WITH_PATH_AT(folder, path, call)                                                                     \
    ({                                                                                                       \
        char buffer_[CLIENT_PATH_MAX];                                                                       \
        const char *there = client_path_at(folder, path, buffer_);                                           \
        call;                                                                                                \
    })
#define WITH_PATH(path, call) WITH_PATH_AT(AT_FDCWD, path, call)

CLIENT_EXPORT FILE *fopen(const char *path, const char *mode)
{
    return WITH_PATH(path, NEXT(fopen)(there, mode));
}
CLIENT_EXPORT FILE *fopen64(const char *path, const char *mode)
{
    return WITH_PATH(path, NEXT(fopen64)(there, mode));
}
CLIENT_EXPORT DIR *opendir(const char *path)
{
    return WITH_PATH(path, NEXT(opendir)(there));
}
#if __SIZEOF_LONG__ > 4 /* else hooks_dirent.c */
CLIENT_EXPORT int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
                          int (*compare)(const struct dirent **, const struct dirent **))
{
    return WITH_PATH(path, NEXT(scandir)(there, list, filter, compare));
}
#endif
CLIENT_EXPORT int scandir64(const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *),
                            int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    return WITH_PATH(path, NEXT(scandir64)(there, list, filter, compare));
}
CLIENT_EXPORT int access(const char *path, int mode)
{
    return WITH_PATH(path, NEXT(access)(there, mode));
}
CLIENT_EXPORT int euidaccess(const char *path, int mode)
{
    return WITH_PATH(path, NEXT(euidaccess)(there, mode));
}
CLIENT_EXPORT int eaccess(const char *path, int mode)
{
    return WITH_PATH(path, NEXT(eaccess)(there, mode));
}
CLIENT_EXPORT int faccessat(int folder, const char *path, int mode, int flags)
{
    return WITH_PATH_AT(folder, path, NEXT(faccessat)(folder, there, mode, flags));
}
CLIENT_EXPORT ssize_t readlink(const char *path, char *out, size_t size)
{
    return WITH_PATH(path, NEXT(readlink)(there, out, size));
}
CLIENT_EXPORT ssize_t readlinkat(int folder, const char *path, char *out, size_t size)
{
    return WITH_PATH_AT(folder, path, NEXT(readlinkat)(folder, there, out, size));
}

CLIENT_EXPORT ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room);
ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room)
{
    if (size > room)
        abort();
    return readlink(path, out, size);
}

CLIENT_EXPORT char *realpath(const char *restrict path, char *restrict out)
{
    char *found = WITH_PATH(path, NEXT(realpath)(there, out));
    if (found)
        client_visible_path(found);
    return found;
}

CLIENT_EXPORT char *__realpath_chk(const char *path, char *out, size_t room);
char *__realpath_chk(const char *path, char *out, size_t room)
{
    if (out && room < PATH_MAX)
        abort();
    return realpath(path, out);
}

CLIENT_EXPORT char *canonicalize_file_name(const char *path)
{
    return realpath(path, NULL);
}

/* ---- status ---- */

#define PATCH(status, device)                                                                                \
    ((void)((status)->st_mode = NODE_MODE,                                                                   \
            (status)->st_rdev = makedev(CLIENT_MAJOR(device), CLIENT_MINOR(device))))

/* The device that a call names by path, or by descriptor with an empty path; -1 else. */
static int device_of(int folder, const char *path, int flags)
{
    int device = path && !*path && flags & AT_EMPTY_PATH ? client_device_of(folder) : -1;
    return device >= 0 ? device : client_device_of_path(folder, path);
}

/* Asks the next function and patches what it says of a device. */
#define STATUS(status, device, call)                                                                         \
    ({                                                                                                       \
        int r_ = call, device_ = device;                                                                     \
        if (!r_ && device_ >= 0)                                                                             \
            PATCH(status, device_);                                                                          \
        r_;                                                                                                  \
    })
#define STATUS_AT(status, folder, path, flags, call)                                                         \
    STATUS(status, device_of(folder, path, flags), WITH_PATH_AT(folder, path, call))

CLIENT_EXPORT int stat(const char *restrict path, struct stat *restrict st)
{
    return STATUS_AT(st, AT_FDCWD, path, 0, NEXT(stat)(there, st));
}
CLIENT_EXPORT int lstat(const char *restrict path, struct stat *restrict st)
{
    return STATUS_AT(st, AT_FDCWD, path, 0, NEXT(lstat)(there, st));
}
CLIENT_EXPORT int fstat(int fd, struct stat *st)
{
    return STATUS(st, client_device_of(fd), NEXT(fstat)(fd, st));
}
CLIENT_EXPORT int fstatat(int folder, const char *restrict path, struct stat *restrict st, int flags)
{
    return STATUS_AT(st, folder, path, flags, NEXT(fstatat)(folder, there, st, flags));
}
CLIENT_EXPORT int stat64(const char *restrict path, struct stat64 *restrict st)
{
    return STATUS_AT(st, AT_FDCWD, path, 0, NEXT(stat64)(there, st));
}
CLIENT_EXPORT int lstat64(const char *restrict path, struct stat64 *restrict st)
{
    return STATUS_AT(st, AT_FDCWD, path, 0, NEXT(lstat64)(there, st));
}
CLIENT_EXPORT int fstat64(int fd, struct stat64 *st)
{
    return STATUS(st, client_device_of(fd), NEXT(fstat64)(fd, st));
}
CLIENT_EXPORT int fstatat64(int folder, const char *restrict path, struct stat64 *restrict st, int flags)
{
    return STATUS_AT(st, folder, path, flags, NEXT(fstatat64)(folder, there, st, flags));
}

CLIENT_EXPORT int statx(int folder, const char *restrict path, int flags, unsigned mask,
                        struct statx *restrict st)
{
    int r = WITH_PATH_AT(folder, path, NEXT(statx)(folder, there, flags, mask, st)),
        device = device_of(folder, path, flags);
    if (!r && device >= 0) {
        st->stx_mode = NODE_MODE;
        st->stx_rdev_major = CLIENT_MAJOR(device);
        st->stx_rdev_minor = CLIENT_MINOR(device);
    }
    return r;
}

/* ---- file systems ---- */

/* sd-device(3) looks whether what it opened is on a sysfs. */
CLIENT_EXPORT int fstatfs(int fd, struct statfs *st)
{
    int r = NEXT(fstatfs)(fd, st);
    if (!r && client_is_sysfs(fd))
        st->f_type = SYSFS_MAGIC;
    return r;
}
CLIENT_EXPORT int fstatfs64(int fd, struct statfs64 *st)
{
    int r = NEXT(fstatfs64)(fd, st);
    if (!r && client_is_sysfs(fd))
        st->f_type = SYSFS_MAGIC;
    return r;
}

/* What programs built against glibc before 2.33 call. The version is that of struct stat; there is one. */
CLIENT_EXPORT int __xstat(int version, const char *path, struct stat *st);
CLIENT_EXPORT int __lxstat(int version, const char *path, struct stat *st);
CLIENT_EXPORT int __fxstat(int version, int fd, struct stat *st);
CLIENT_EXPORT int __fxstatat(int version, int folder, const char *path, struct stat *st, int flags);
CLIENT_EXPORT int __xstat64(int version, const char *path, struct stat64 *st);
CLIENT_EXPORT int __lxstat64(int version, const char *path, struct stat64 *st);
CLIENT_EXPORT int __fxstat64(int version, int fd, struct stat64 *st);
CLIENT_EXPORT int __fxstatat64(int version, int folder, const char *path, struct stat64 *st, int flags);
int __xstat(int version, const char *path, struct stat *st)
{
    return STATUS_AT(st, AT_FDCWD, path, 0, NEXT(__xstat)(version, there, st));
}
int __lxstat(int version, const char *path, struct stat *st)
{
    return STATUS_AT(st, AT_FDCWD, path, 0, NEXT(__lxstat)(version, there, st));
}
int __fxstat(int version, int fd, struct stat *st)
{
    return STATUS(st, client_device_of(fd), NEXT(__fxstat)(version, fd, st));
}
int __fxstatat(int version, int folder, const char *path, struct stat *st, int flags)
{
    return STATUS_AT(st, folder, path, flags, NEXT(__fxstatat)(version, folder, there, st, flags));
}
int __xstat64(int version, const char *path, struct stat64 *st)
{
    return STATUS_AT(st, AT_FDCWD, path, 0, NEXT(__xstat64)(version, there, st));
}
int __lxstat64(int version, const char *path, struct stat64 *st)
{
    return STATUS_AT(st, AT_FDCWD, path, 0, NEXT(__lxstat64)(version, there, st));
}
int __fxstat64(int version, int fd, struct stat64 *st)
{
    return STATUS(st, client_device_of(fd), NEXT(__fxstat64)(version, fd, st));
}
int __fxstatat64(int version, int folder, const char *path, struct stat64 *st, int flags)
{
    return STATUS_AT(st, folder, path, flags, NEXT(__fxstatat64)(version, folder, there, st, flags));
}
