/* Jobs in the order they were submitted, run one at a time by whoever has time; and what tells that they are
 * done: the timeline (a fence is the number of a job), its page that programs look at, its sync files. */
#include "drm/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drm/protocol.h"

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
static int make_page(struct drm_queue *q)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
    char path[40];
    int fd = memfd_create("vitrail-fences", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    int r = ftruncate(fd, GPU_PAGE) ? -errno : 0;
    void *at = r ? MAP_FAILED : mmap(NULL, GPU_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!r && at == MAP_FAILED)
        r = -errno;
    if (!r && fcntl(fd, F_ADD_SEALS, seals | F_SEAL_FUTURE_WRITE) && fcntl(fd, F_ADD_SEALS, seals))
        r = -errno;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    q->page_fd = r ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (!r && q->page_fd < 0)
        r = -errno;
    if (r && at != MAP_FAILED)
        munmap(at, GPU_PAGE);
    else if (!r)
        q->page = at;
    close(fd);
    return r;
}

static void publish(struct drm_queue *q)
{
    __atomic_store_n(&q->page->finished, q->finished, __ATOMIC_RELEASE);
    __atomic_add_fetch(&q->page->turn, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &q->page->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int drm_fence_page_fd(const struct drm *drm)
{
    return drm->queue.page_fd;
}

/* ---- fences ---- */

bool drm_fence_done(const struct drm *drm, uint64_t fence)
{
    return fence <= drm->queue.finished;
}

static int make_sync_file(struct drm_queue *q, uint64_t fence)
{
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
    if (fd < 0 || fstat(fd, &st) || fcntl(ends[1], F_SETFL, O_NONBLOCK)) {
        int r = -errno;
        close(ends[0]);
        close(ends[1]);
        if (fd >= 0)
            close(fd);
        free(file);
        return r;
    }
    *file = (struct drm_sync_file){ends[0], ends[1], st.st_dev, st.st_ino, fence, q->sync_files};
    q->sync_files = file;
    return fd;
}

int drm_fence_fd(struct drm *drm, uint64_t fence)
{
    if (!drm_fence_done(drm, fence))
        return make_sync_file(&drm->queue, fence);
    int fd = eventfd(1, EFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Makes those readable whose fence is signalled. */
static void signal_sync_files(struct drm *drm)
{
    for (struct drm_sync_file **at = &drm->queue.sync_files; *at;) {
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
    }
}

int drm_fence_of_fd(struct drm *drm, const int *fd, uint64_t *fence)
{
    struct stat st;
    char path[40], target[32] = "";
    *fence = 0;
    if (!fd)
        return -EINVAL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", *fd); /* of any file this asks the kernel alone */
    if (readlink(path, target, sizeof target - 1) <= 0)
        return -EINVAL;
    if (!strcmp(target, "anon_inode:[eventfd]"))
        return 0;
    if (strncmp(target, "pipe:", 5) != 0 || fstat(*fd, &st))
        return -EINVAL;
    for (const struct drm_sync_file *file = drm->queue.sync_files; file; file = file->next) {
        if (file->inode == st.st_ino && file->device == st.st_dev) {
            *fence = file->fence;
            return 0;
        }
    }
    struct pollfd readable = {*fd, POLLIN, 0};
    return poll(&readable, 1, 0) == 1 ? 0 : -EINVAL;
}

/* ---- jobs ---- */

/* A job that was run; the card is locked. */
static void finish(struct drm *drm, struct drm_job *job)
{
    struct drm_queue *q = &drm->queue;
    uint64_t seqno = job->seqno;
    job->done(job);
    q->finished = seqno;
    q->count--;
    publish(q);
    signal_sync_files(drm);
    drm_kms_jobs_done(drm);
    pthread_cond_broadcast(&q->changed);
}

/* Runs the next job; the card is locked before and after. */
static void run_next(struct drm *drm)
{
    struct drm_queue *q = &drm->queue;
    struct drm_job *job = q->first;
    q->first = job->next;
    q->running = true;
    if (q->asynchronous)
        pthread_mutex_unlock(&drm->lock);
    job->run(job);
    if (q->asynchronous)
        pthread_mutex_lock(&drm->lock);
    q->running = false;
    finish(drm, job);
}

/* Until something has changed. Whoever waits works, when nobody does. */
static void wait_change(struct drm *drm)
{
    struct drm_queue *q = &drm->queue;
    if (q->first && !q->running)
        run_next(drm);
    else
        pthread_cond_wait(&q->changed, &drm->lock);
}

bool drm_has_work(struct drm *drm)
{
    pthread_mutex_lock(&drm->lock);
    bool has = drm->queue.first && !drm->queue.running;
    pthread_mutex_unlock(&drm->lock);
    return has;
}

bool drm_is_busy(struct drm *drm)
{
    pthread_mutex_lock(&drm->lock);
    bool busy = drm->queue.running;
    pthread_mutex_unlock(&drm->lock);
    return busy;
}

bool drm_work(struct drm *drm)
{
    bool worked = false;
    pthread_mutex_lock(&drm->lock);
    uint64_t last = drm->queue.emitted; /* not for ever, when others submit all the time */
    for (; drm->queue.first && drm->queue.first->seqno <= last && !drm->queue.running; worked = true)
        run_next(drm);
    pthread_mutex_unlock(&drm->lock);
    return worked;
}

void drm_fence_wait(struct drm *drm, uint64_t fence)
{
    while (!drm_fence_done(drm, fence) && fence <= drm->queue.emitted)
        wait_change(drm);
}

void drm_queue_wait_room(struct drm *drm)
{
    while (drm->queue.count >= DRM_QUEUE_DEPTH)
        wait_change(drm);
}

uint64_t drm_queue_push(struct drm *drm, struct drm_job *job)
{
    struct drm_queue *q = &drm->queue;
    uint64_t seqno = job->seqno = ++q->emitted;
    struct drm_job **last = &q->first;
    while (*last)
        last = &(*last)->next;
    job->next = NULL;
    *last = job;
    q->count++;
    if (!q->asynchronous)
        run_next(drm);
    return seqno;
}

int drm_queue_init(struct drm *drm, bool asynchronous)
{
    struct drm_queue *q = &drm->queue;
    q->page_fd = -1;
    q->asynchronous = asynchronous;
    pthread_cond_init(&q->changed, NULL);
    return make_page(q);
}

void drm_queue_finish(struct drm *drm)
{
    struct drm_queue *q = &drm->queue;
    if (q->page)
        munmap(q->page, GPU_PAGE);
    if (q->page_fd >= 0)
        close(q->page_fd);
    pthread_cond_destroy(&q->changed);
}
