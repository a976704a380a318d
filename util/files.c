#include "util/files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/files_broker.h"
#include "util/message.h"

/* ---- asking ---- */

static struct {
    pthread_mutex_t lock; /* a request and its reply belong together */
    int socket;           /* -1: this process opens its files itself */
} broker = {PTHREAD_MUTEX_INITIALIZER, -1};

void util_files_ask(int socket)
{
    pthread_mutex_lock(&broker.lock);
    broker.socket = socket;
    pthread_mutex_unlock(&broker.lock);
}

static bool has_broker(void)
{
    pthread_mutex_lock(&broker.lock);
    bool has = broker.socket >= 0;
    pthread_mutex_unlock(&broker.lock);
    return has;
}

/* What the broker answered: a descriptor where one is due, 0, or -errno. */
static int ask(struct util_files_request *request, int fd)
{
    struct util_files_reply reply;
    int got = -1;
    bool gives = request->what == UTIL_FILES_OPEN || request->what == UTIL_FILES_REOPEN;
    pthread_mutex_lock(&broker.lock);
    bool ok = util_message_send(broker.socket, request, sizeof *request, fd) &&
              util_message_receive(broker.socket, &reply, sizeof reply, &got);
    pthread_mutex_unlock(&broker.lock);
    if (!ok)
        return -EIO;
    if (!reply.result && gives)
        return got < 0 ? -EMFILE : got; /* it came, and found no free number here */
    if (got >= 0)
        close(got);
    return reply.result;
}

/* The path is `folder`/`name`, or `name` alone. */
static int ask_for(enum util_files_what what, const char *folder, const char *name, const char *to, int flags,
                   unsigned mode)
{
    struct util_files_request request = {.what = what, .flags = flags, .mode = mode};
    int n =
        snprintf(request.path, sizeof request.path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    int m = snprintf(request.to, sizeof request.to, "%s", to ? to : "");
    if (n < 0 || m < 0 || (size_t)n >= sizeof request.path || (size_t)m >= sizeof request.to)
        return -ENAMETOOLONG;
    return ask(&request, -1);
}

/* ---- files ---- */

int util_files_remove_at(int folder, const char *name)
{
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return -errno;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    return unlinkat(folder, name, 0) ? -errno : 0;
}

int util_files_reopen(int fd, int flags)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, flags | O_CLOEXEC);
    return again < 0 ? -errno : again;
}

int util_open(const char *path, int flags, unsigned mode)
{
    if (has_broker())
        return ask_for(UTIL_FILES_OPEN, NULL, path, NULL, flags, mode);
    int fd = open(path, flags | O_CLOEXEC, mode);
    return fd < 0 ? -errno : fd;
}

FILE *util_fopen(const char *path, const char *mode)
{
    int flags = mode[0] == 'r'   ? O_RDONLY
                : mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                                 : O_WRONLY | O_CREAT | O_APPEND;
    int fd = util_open(path, flags, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, mode) : NULL;
    if (fd < 0)
        errno = -fd;
    else if (!file)
        close(fd);
    return file;
}

int util_remove_file(const char *path)
{
    return has_broker() ? ask_for(UTIL_FILES_REMOVE, NULL, path, NULL, 0, 0)
                        : util_files_remove_at(AT_FDCWD, path);
}

int util_reopen(int fd, int flags)
{
    struct util_files_request request = {.what = UTIL_FILES_REOPEN, .flags = flags};
    return has_broker() ? ask(&request, fd) : util_files_reopen(fd, flags);
}

int util_fstat(int fd, struct stat *out)
{
    return syscall(SYS_fstat, fd, out) < 0 ? -errno : 0;
}

/* ---- folders ---- */

int util_folder_open(const char *path, struct util_folder *out)
{
    *out = (struct util_folder){-1, strdup(path)};
    if (!out->path)
        return -ENOMEM;
    out->fd = util_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    int r = out->fd < 0 ? out->fd : 0;
    if (r)
        util_folder_close(out);
    return r;
}

void util_folder_close(struct util_folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    free(folder->path);
    *folder = (struct util_folder){-1, NULL};
}

int util_folder_file(const struct util_folder *folder, const char *name, int flags, unsigned mode)
{
    if (has_broker())
        return ask_for(UTIL_FILES_OPEN, folder->path, name, NULL, flags, mode);
    int fd = openat(folder->fd, name, flags | O_CLOEXEC, mode);
    return fd < 0 ? -errno : fd;
}

int util_folder_rename(const struct util_folder *folder, const char *from, const char *to)
{
    if (has_broker())
        return ask_for(UTIL_FILES_RENAME, folder->path, from, to, 0, 0);
    return renameat(folder->fd, from, folder->fd, to) ? -errno : 0;
}

int util_folder_remove(const struct util_folder *folder, const char *name)
{
    return has_broker() ? ask_for(UTIL_FILES_REMOVE, folder->path, name, NULL, 0, 0)
                        : util_files_remove_at(folder->fd, name);
}
