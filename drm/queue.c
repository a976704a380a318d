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
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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
static int make_page(struct drm_queue *q)
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
    q->page_fd = r ? -1 : util_reopen(fd, O_RDONLY);
    if (!r && q->page_fd < 0)
        r = q->page_fd;
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

static int make_sync_file(struct drm *drm, uint64_t fence)
{
    struct drm_queue *q = &drm->queue;
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
    *file = (struct drm_sync_file){ends[0], ends[1], st.st_dev, st.st_ino, fence, q->sync_files};
    q->sync_files = file;
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

/* Puts a job on the device, or takes it away; whether it is to be run. */
static bool set_running(struct drm *drm, struct drm_job *job)
{
    struct drm_queue *q = &drm->queue;
    pthread_mutex_lock(&q->stop_lock);
    if (job)
        job->cancelled |= q->stopped || (job->file && job->file->abandoned && !q->asynchronous);
    q->running = job;
    bool goes = job && !job->cancelled;
    gpu_host_cancel(drm->options.gpu.host, false);
    pthread_mutex_unlock(&q->stop_lock);
    return goes;
}

/* Runs the next job; the card is locked before and after. */
static void run_next(struct drm *drm)
{
    struct drm_queue *q = &drm->queue;
    struct drm_job *job = q->first;
    q->first = job->next;
    bool goes = set_running(drm, job);
    if (q->asynchronous)
        pthread_mutex_unlock(&drm->lock);
    if (goes)
        job->run(job);
    if (q->asynchronous)
        pthread_mutex_lock(&drm->lock);
    set_running(drm, NULL);
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
    bool busy = drm->queue.running != NULL;
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

/* ---- jobs that nobody wants ---- */

/* Not while recording: a capture has whole jobs. The queue's stop_lock is held. */
static void cancel(struct drm *drm, struct drm_job *job)
{
    if (drm->options.capture)
        return;
    __atomic_store_n(&job->cancelled, true, __ATOMIC_RELAXED); /* whoever runs it looks at it */
    if (job == drm->queue.running)
        gpu_host_cancel(drm->options.gpu.host, true);
}

bool drm_job_cancelled(const struct drm_job *job)
{
    return __atomic_load_n(&job->cancelled, __ATOMIC_RELAXED);
}

/* Says of every buffer how many handles the file has to it. A program may have named very many, so each is
 * looked at once. The card is locked. */
static void count_handles(struct drm *drm, const struct drm_file *file)
{
    for (struct drm_bo *bo = drm->bos; bo; bo = bo->next)
        bo->counted = 0;
    for (uint32_t i = 1; i < file->handles.count; i++)
        if (file->handles.slot[i])
            ((struct drm_bo *)file->handles.slot[i])->counted++;
    drm_export_reap(drm, false);
    drm_kms_count_shown(drm, file);
}

/* Whether somebody else than the file, whose handles were counted, can see what the job does. */
static bool is_wanted(struct drm *drm, const struct drm_job *job)
{
    struct drm_bo *bo;
    if (job->seqno <= drm_kms_awaits(drm))
        return true;
    for (uint32_t n = 0; (bo = job->buffer(job, n)); n++)
        if (bo->exported || bo->handles != bo->counted)
            return true;
    return false;
}

static void cancel_unwanted(struct drm *drm, struct drm_job *job, const struct drm_file *file)
{
    if (job->file != file || is_wanted(drm, job))
        return;
    pthread_mutex_lock(&drm->queue.stop_lock);
    cancel(drm, job);
    pthread_mutex_unlock(&drm->queue.stop_lock);
}

/* Jobs that run inside their submits do so with the card locked: there is one at most, and nobody else has
 * been told of it. */
void drm_abandon(struct drm_file *file)
{
    if (!file)
        return;
    struct drm *drm = file->drm;
    struct drm_queue *q = &drm->queue;
    pthread_mutex_lock(&q->stop_lock);
    file->abandoned = true;
    if (!q->asynchronous && q->running && q->running->file == file)
        cancel(drm, q->running);
    pthread_mutex_unlock(&q->stop_lock);
    if (!q->asynchronous)
        return;
    pthread_mutex_lock(&drm->lock);
    if (q->count)
        count_handles(drm, file);
    if (q->running)
        cancel_unwanted(drm, q->running, file);
    for (struct drm_job *job = q->first; job; job = job->next)
        cancel_unwanted(drm, job, file);
    pthread_mutex_unlock(&drm->lock);
}

void drm_cancel(struct drm *drm)
{
    struct drm_queue *q = &drm->queue;
    pthread_mutex_lock(&q->stop_lock);
    q->stopped = !drm->options.capture;
    if (q->running)
        cancel(drm, q->running);
    pthread_mutex_unlock(&q->stop_lock);
}

void drm_queue_close_file(struct drm *drm, const struct drm_file *file)
{
    struct drm_queue *q = &drm->queue;
    pthread_mutex_lock(&q->stop_lock);
    if (q->running && q->running->file == file)
        q->running->file = NULL;
    for (struct drm_job *job = q->first; job; job = job->next)
        if (job->file == file)
            job->file = NULL;
    pthread_mutex_unlock(&q->stop_lock);
}

int drm_queue_init(struct drm *drm, bool asynchronous)
{
    struct drm_queue *q = &drm->queue;
    q->page_fd = -1;
    q->asynchronous = asynchronous;
    pthread_cond_init(&q->changed, NULL);
    pthread_mutex_init(&q->stop_lock, NULL);
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
    pthread_mutex_destroy(&q->stop_lock);
}
