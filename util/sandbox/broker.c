#include "util/sandbox/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/bits.h"
#include "util/files_broker.h"
#include "util/message.h"

/* ---- what was granted ---- */

struct granted {
    const struct util_grant *grants;
    uint32_t count;
    int *folders; /* of grants with a pattern: held open, so that they stay the ones they were */
};

/* Where a granted path is: `name` in `folder`, which may be AT_FDCWD. */
struct place {
    int folder;
    const char *name;
    bool is_folder; /* a granted folder itself */
};

static bool hold_folders(struct granted *g)
{
    g->folders = calloc(g->count ? g->count : 1, sizeof *g->folders);
    for (uint32_t i = 0; g->folders && i < g->count; i++) {
        const struct util_grant *grant = &g->grants[i];
        int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (grant->no_link ? O_NOFOLLOW : 0);
        g->folders[i] = grant->pattern ? open(grant->path, flags) : -1;
    }
    return g->folders;
}

/* The name of a file of the folder, or NULL. */
static const char *plain_name(const struct util_grant *grant, const char *path)
{
    size_t length = strlen(grant->path);
    if (strncmp(path, grant->path, length) != 0 || path[length] != '/')
        return NULL;
    const char *name = path + length + 1;
    bool plain = *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    return plain && !fnmatch(grant->pattern, name, 0) ? name : NULL;
}

static bool find(const struct granted *g, const char *path, unsigned rights, struct place *out)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const struct util_grant *grant = &g->grants[i];
        if ((grant->rights & rights) != rights || (grant->pattern && g->folders[i] < 0))
            continue;
        if (!strcmp(path, grant->path)) {
            *out = grant->pattern ? (struct place){g->folders[i], ".", true}
                                  : (struct place){AT_FDCWD, path, false};
            return true;
        }
        const char *name = grant->pattern ? plain_name(grant, path) : NULL;
        if (name) {
            *out = (struct place){g->folders[i], name, false};
            return true;
        }
    }
    return false;
}

/* ---- what is asked ---- */

static int open_granted(const struct granted *g, const struct util_files_request *r, int *fd)
{
    const int known =
        O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
    const int listing = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    unsigned rights = 0;
    struct place at;
    switch (r->flags & O_ACCMODE) {
    case O_RDONLY: rights = UTIL_GRANT_READ; break;
    case O_WRONLY: rights = UTIL_GRANT_WRITE; break;
    case O_RDWR: rights = UTIL_GRANT_READ | UTIL_GRANT_WRITE; break;
    default: return -EINVAL;
    }
    if (r->flags & (O_CREAT | O_TRUNC))
        rights |= UTIL_GRANT_WRITE;
    if (r->flags & ~known)
        return -EINVAL;
    if (!find(g, r->path, rights, &at))
        return -EACCES;
    if (at.is_folder && r->flags != listing)
        return -EISDIR;
    *fd = openat(at.folder, at.name, r->flags | O_CLOEXEC, r->mode & 0666);
    return *fd < 0 ? -errno : 0;
}

static int remove_granted(const struct granted *g, const struct util_files_request *r)
{
    struct place at;
    if (!find(g, r->path, UTIL_GRANT_WRITE, &at) || at.is_folder)
        return -EACCES;
    return util_files_remove_at(at.folder, at.name);
}

/* Within one folder. */
static int rename_granted(const struct granted *g, const struct util_files_request *r)
{
    char path[UTIL_FILES_PATH + UTIL_FILES_NAME];
    struct place from, to;
    const char *slash = strrchr(r->path, '/');
    if (!slash)
        return -EACCES;
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - r->path), r->path, r->to);
    if (!find(g, r->path, UTIL_GRANT_WRITE, &from) || !find(g, path, UTIL_GRANT_WRITE, &to) ||
        from.is_folder || to.is_folder || from.folder != to.folder)
        return -EACCES;
    return renameat(from.folder, from.name, to.folder, to.name) ? -errno : 0;
}

/* One of the process's own memory files: it has no name in any folder. Another descriptor, though the process
 * may have it, was perhaps opened for reading alone. */
static bool is_memory_file(int fd)
{
    static const char prefix[] = "/memfd:vitrail-";
    char path[40], target[64] = "";
    struct stat status;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return fcntl(fd, F_GET_SEALS) >= 0 && !fstat(fd, &status) && !status.st_nlink &&
           readlink(path, target, sizeof target - 1) > 0 && !strncmp(target, prefix, strlen(prefix));
}

static int reopen_granted(const struct util_files_request *r, int given, int *fd)
{
    if (given < 0 || (r->flags != O_RDONLY && r->flags != O_RDWR))
        return -EINVAL;
    if (!is_memory_file(given))
        return -EACCES;
    *fd = util_files_reopen(given, r->flags);
    return *fd < 0 ? *fd : 0;
}

static int answer(const struct granted *g, const struct util_files_request *r, int given, int *fd)
{
    switch (r->what) {
    case UTIL_FILES_OPEN: return open_granted(g, r, fd);
    case UTIL_FILES_REMOVE: return remove_granted(g, r);
    case UTIL_FILES_RENAME: return rename_granted(g, r);
    case UTIL_FILES_REOPEN: return reopen_granted(r, given, fd);
    default: return -ENOSYS;
    }
}

/* True at an orderly end, false when the other end is gone. */
static bool serve(const struct granted *g, int socket)
{
    struct util_files_request request;
    int given;
    while (util_message_receive(socket, &request, sizeof request, &given)) {
        struct util_files_reply reply;
        int fd = -1;
        request.path[sizeof request.path - 1] = request.to[sizeof request.to - 1] = 0;
        if (request.what == UTIL_FILES_END)
            return true;
        reply.result = answer(g, &request, given, &fd);
        bool sent = util_message_send(socket, &reply, sizeof reply, fd);
        if (fd >= 0)
            close(fd);
        if (given >= 0)
            close(given);
        if (!sent)
            break;
    }
    return false;
}

/* ---- its life ---- */

int util_broker_start(const struct util_grant *grants, uint32_t count, void (*at_end)(void *data), void *data,
                      struct util_broker *out)
{
    struct granted granted = {grants, count, NULL};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return -errno;
    fflush(NULL);
    pid_t process = fork();
    if (!process) {
        close(ends[0]);
        prctl(PR_SET_NAME, "vitrail-files");
        prctl(PR_SET_DUMPABLE, 0);
        if (hold_folders(&granted) && serve(&granted, ends[1]) && at_end)
            at_end(data);
        _exit(0);
    }
    int r = process < 0 ? -errno : 0;
    close(ends[1]);
    if (r) {
        close(ends[0]);
        return r;
    }
    *out = (struct util_broker){ends[0], process};
    util_files_ask(out->socket);
    return 0;
}

void util_broker_end(struct util_broker *broker)
{
    static const struct util_files_request end = {.what = UTIL_FILES_END};
    util_message_send(broker->socket, &end, sizeof end, -1);
    util_files_ask(-1);
    close(broker->socket);
    while (waitpid(broker->process, NULL, 0) < 0 && errno == EINTR)
        ;
    *broker = (struct util_broker){-1, -1};
}
