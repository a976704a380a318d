/* The folder of a run: its socket and the card's files. Whoever uses it holds a lock on it (flock), which
 * ends with the last process that does, however that comes about. Folders of ours that nobody holds are left
 * from runs that were killed, and the next run removes them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "drm/protocol.h"
#include "tools/run.h"

#define PREFIX "vitrail-run-"
#define UNIQUE "XXXXXX"

/* A folder of our user, not a link to one, held from now on; or -1. */
static int hold(int place, const char *name, int kind)
{
    struct stat st;
    int folder = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return -1;
    if (!fstat(folder, &st) && st.st_uid == geteuid() && !(st.st_mode & 077) &&
        !flock(folder, kind | LOCK_NB))
        return folder;
    close(folder);
    return -1;
}

/* Whether it still stands where it was found: who holds it may have removed it before. */
static bool stands(int folder, int place, const char *name)
{
    struct stat here, there;
    return !fstat(folder, &here) && !fstatat(place, name, &there, AT_SYMLINK_NOFOLLOW) &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

static void sweep(const char *place)
{
    DIR *all = opendir(place);
    int at = all ? dirfd(all) : -1;
    if (at < 0)
        return;
    for (const struct dirent *entry; (entry = readdir(all));) {
        char path[DRM_LAUNCH_PATH];
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
            strlen(entry->d_name) != strlen(PREFIX UNIQUE))
            continue;
        int folder = hold(at, entry->d_name, LOCK_EX);
        if (folder < 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
        if (stands(folder, at, entry->d_name))
            drm_tree_remove(path);
        close(folder);
    }
    closedir(all);
}

/* A new folder, held. Another run may take it for one that was left, between its making and its lock: then
 * there is another. */
static int make(struct run *run, const char *place)
{
    sweep(place);
    int r = -EBUSY;
    for (unsigned tries = 0; r == -EBUSY && tries < 100; tries++) {
        snprintf(run->folder, sizeof run->folder, "%s/" PREFIX UNIQUE, place);
        if (!mkdtemp(run->folder)) {
            r = -errno;
            break;
        }
        run->lock = hold(AT_FDCWD, run->folder, LOCK_SH);
        if (run->lock >= 0 && stands(run->lock, AT_FDCWD, run->folder))
            return 0;
        if (run->lock >= 0)
            close(run->lock);
    }
    run->folder[0] = 0;
    return r;
}

int run_folder_make(struct run *run)
{
    /* Programs of 32 bits find everything in folders of a tmpfs; places in those of ext4 may be too large for them. */
    const char *places[] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm", "/tmp"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[sizeof address.sun_path];
    int r = -ENOENT;
    for (size_t i = 0; i < sizeof places / sizeof *places && r; i++)
        if (places[i] && strlen(places[i]) <= 60)
            r = make(run, places[i]);
    if (r)
        return r;
    snprintf(path, sizeof path, "%s/root", run->folder);
    r = mkdir(path, 0700) ? -errno : drm_tree_create(path, run->gpu);
    if (r)
        return r;
    setenv(DRM_ENV_ROOT, path, 1);
    snprintf(path, sizeof path, "%s/server", run->folder);
    setenv(DRM_ENV_SOCKET, path, 1);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    run->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (run->listener < 0 || bind(run->listener, (struct sockaddr *)&address, sizeof address) ||
        listen(run->listener, 16))
        return -errno;
    return 0;
}

void run_folder_remove(struct run *run)
{
    if (run->folder[0])
        drm_tree_remove(run->folder);
}
