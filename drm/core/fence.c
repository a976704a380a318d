/* What tells that jobs are done: the timeline (a fence is the number of a job), its page that programs look
 * at, its sync files. */
#include "drm/core/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drm/core/card.h"
#include "drm/core/log.h"
#include "drm/protocol.h"
#include "util/files.h"

/* A sync file of a fence that is not signalled yet: a pipe that becomes readable. The card holds both ends,
 * so that writing never meets a pipe without a reader. */
struct drm_sync_file {
    int read, write;
    uint64_t device, inode;
    uint64_t fence;
    struct drm_sync_file *next;
};

/* ---- the page ---- */

/* Sealed: a program that cut the file short would kill us, and where the kernel can, nobody else writes. */
static int make_page(struct drm_timeline *t)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
    int fd = memfd_create("vitrail-fences", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    int r = ftruncate(fd, GPU_PAGE) ? -errno : 0;
    void *at = r ? MAP_FAILED : mmap(NULL, GPU_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!r && at == MAP_FAILED)
        r = -errno;
    if (!r && fcntl(fd, F_ADD_SEALS, seals | F_SEAL_FUTURE_WRITE) && fcntl(fd, F_ADD_SEALS, seals))
        r = -errno;
    t->page_fd = r ? -1 : util_reopen(fd, O_RDONLY);
    if (!r && t->page_fd < 0)
        r = t->page_fd;
    if (r && at != MAP_FAILED)
        munmap(at, GPU_PAGE);
    else if (!r)
        t->page = at;
    close(fd);
    return r;
}

static void publish(struct drm_timeline *t)
{
    __atomic_store_n(&t->page->finished, t->finished, __ATOMIC_RELEASE);
    __atomic_add_fetch(&t->page->turn, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &t->page->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int drm_fence_page_fd(const struct drm *drm)
{
    return drm->timeline.page_fd;
}

/* ---- fences ---- */

bool drm_fence_done(const struct drm *drm, uint64_t fence)
{
    return fence <= drm->timeline.finished;
}

int drm_fence_ask(const struct drm *drm, uint64_t fence)
{
    return drm_fence_done(drm, fence) ? 0 : -ETIME;
}

static int make_sync_file(struct drm *drm, uint64_t fence)
{
    struct drm_timeline *t = &drm->timeline;
    int ends[2];
    struct stat st;
    struct drm_sync_file *file = malloc(sizeof *file);
    if (!file)
        return -ENOMEM;
    if (pipe2(ends, O_CLOEXEC)) {
        free(file);
        return -errno;
    }
    int fd = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
    int r = fd < 0 ? -errno : util_fstat(fd, &st);
    if (!r && fcntl(ends[1], F_SETFL, O_NONBLOCK))
        r = -errno;
    if (r) {
        close(ends[0]);
        close(ends[1]);
        if (fd >= 0)
            close(fd);
        free(file);
        return r;
    }
    *file = (struct drm_sync_file){ends[0], ends[1], st.st_dev, st.st_ino, fence, t->sync_files};
    t->sync_files = file;
    return fd;
}

/* Readable, and without anybody who writes: for good. */
static int make_signalled(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    ssize_t written = write(ends[1], "", 1);
    (void)written; /* the end alone is enough for poll */
    close(ends[1]);
    return ends[0];
}

int drm_fence_fd(struct drm *drm, uint64_t fence)
{
    if (drm_fence_done(drm, fence))
        return make_signalled();
    int r = drm_charge(drm, DRM_SYNC_FILES, 1);
    if (!r && (r = make_sync_file(drm, fence)) < 0)
        drm_uncharge(drm, DRM_SYNC_FILES, 1);
    return r;
}

/* Makes those readable whose fence is signalled. */
static void signal_sync_files(struct drm *drm)
{
    for (struct drm_sync_file **at = &drm->timeline.sync_files; *at;) {
        struct drm_sync_file *file = *at;
        if (!drm_fence_done(drm, file->fence)) {
            at = &file->next;
            continue;
        }
        *at = file->next;
        if (write(file->write, "", 1) < 0) /* full: the program wrote into it, so it is readable */
            drm_log(drm, "a sync file was written to");
        close(file->read);
        close(file->write);
        free(file);
        drm_uncharge(drm, DRM_SYNC_FILES, 1);
    }
}

int drm_fence_of_fd(struct drm *drm, const int *fd, uint64_t *fence)
{
    struct stat st;
    *fence = 0;
    /* Only pipes have a size, and whether they do is answered without a file system. */
    if (!fd || fcntl(*fd, F_GETPIPE_SZ) < 0 || util_fstat(*fd, &st))
        return -EINVAL;
    for (const struct drm_sync_file *file = drm->timeline.sync_files; file; file = file->next) {
        if (file->inode == st.st_ino && file->device == st.st_dev) {
            *fence = file->fence;
            return 0;
        }
    }
    struct pollfd readable = {*fd, POLLIN, 0};
    return poll(&readable, 1, 0) == 1 ? 0 : -EINVAL;
}

/* ---- the timeline ---- */

int drm_timeline_init(struct drm *drm)
{
    drm->timeline.page_fd = -1;
    return make_page(&drm->timeline);
}

void drm_timeline_finish(struct drm *drm)
{
    struct drm_timeline *t = &drm->timeline;
    if (t->page)
        munmap(t->page, GPU_PAGE);
    if (t->page_fd >= 0)
        close(t->page_fd);
}

void drm_timeline_reach(struct drm *drm, uint64_t seqno)
{
    drm->timeline.finished = seqno;
    publish(&drm->timeline);
    signal_sync_files(drm);
}
