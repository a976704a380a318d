/* The display's clock, where there is one (drm_options.rate): a vblank every so often, at which what was committed is
 * shown and those who asked for it are told. Without one all of that happens at once.
 *
 * A thread of its own delivers; it sleeps while nothing is asked for. Vblanks are counted by the time that has passed, so that
 * nobody need wake for those that nobody asked for. */
#include "drm/kms/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "drm/core/event.h"

#define SECOND 1000000000ull

/* Somebody who is to be told of a vblank; the event has its place already. */
struct drm_kms_wish {
    struct drm_file *file;
    uint64_t sequence, user_data;
    bool of_crtc; /* asked by CRTC_QUEUE_SEQUENCE */
    struct drm_kms_wish *next;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static uint64_t time_of(const struct drm_kms_clock *c, uint64_t sequence)
{
    return c->start + sequence / c->rate * SECOND + sequence % c->rate * SECOND / c->rate;
}

/* The last vblank that has been. */
static uint64_t sequence_at(const struct drm_kms_clock *c, uint64_t ns)
{
    uint64_t passed = ns - c->start, whole = passed / SECOND;
    uint64_t sequence = whole * c->rate + passed % SECOND * c->rate / SECOND;
    return time_of(c, sequence + 1) <= ns ? sequence + 1 : sequence;
}

struct drm_kms_vblank drm_kms_last_vblank(const struct drm_kms *kms)
{
    uint64_t now = now_ns();
    if (!kms->clock.rate)
        return (struct drm_kms_vblank){kms->sequence, now};
    uint64_t sequence = sequence_at(&kms->clock, now);
    return (struct drm_kms_vblank){sequence, time_of(&kms->clock, sequence)};
}

/* ---- what is due ---- */

bool drm_kms_clock_defers(struct drm_kms *kms)
{
    struct drm_kms_clock *c = &kms->clock;
    if (!c->rate)
        return false;
    if (!c->flip_due)
        c->flip_due = sequence_at(c, now_ns()) + 1;
    pthread_cond_signal(&c->wake);
    return true;
}

/* The next vblank that something happens at; 0: none. */
static uint64_t next_due(const struct drm_kms_clock *c)
{
    uint64_t next = c->flip_due;
    for (const struct drm_kms_wish *w = c->wishes; w; w = w->next)
        if (!next || w->sequence < next)
            next = w->sequence;
    return next;
}

static void deliver(struct drm *drm, const struct drm_kms_vblank *at)
{
    struct drm_kms_clock *c = &drm->kms->clock;
    if (c->flip_due && c->flip_due <= at->sequence) {
        c->flip_due = 0;
        drm_kms_show(drm, at);
    }
    for (struct drm_kms_wish **link = &c->wishes; *link;) {
        struct drm_kms_wish *w = *link;
        if (w->sequence > at->sequence) {
            link = &w->next;
            continue;
        }
        *link = w->next;
        drm_kms_tell_vblank(w->file, at, w->of_crtc, w->user_data);
        free(w);
    }
    pthread_cond_broadcast(&c->ticked);
}

static void *run(void *data)
{
    struct drm *drm = data;
    struct drm_kms_clock *c = &drm->kms->clock;
    pthread_mutex_lock(&drm->lock);
    while (!c->stopping) {
        uint64_t due = next_due(c), at = due ? time_of(c, due) : 0, now = now_ns();
        const struct timespec until = {(time_t)(at / SECOND), (long)(at % SECOND)};
        if (!due)
            pthread_cond_wait(&c->wake, &drm->lock);
        else if (now < at)
            pthread_cond_timedwait(&c->wake, &drm->lock, &until);
        else
            deliver(drm, &(struct drm_kms_vblank){due, at});
    }
    pthread_mutex_unlock(&drm->lock);
    return NULL;
}

/* ---- who asks ---- */

int drm_kms_wish_vblank(struct drm_file *file, uint64_t sequence, bool of_crtc, uint64_t user_data)
{
    struct drm_kms_clock *c = &file->drm->kms->clock;
    struct drm_kms_wish *w = malloc(sizeof *w);
    if (!w)
        return -ENOMEM;
    *w = (struct drm_kms_wish){file, sequence, user_data, of_crtc, NULL};
    struct drm_kms_wish **last = &c->wishes; /* those of one vblank are told in the order they asked */
    while (*last)
        last = &(*last)->next;
    *last = w;
    pthread_cond_signal(&c->wake);
    return 0;
}

int drm_kms_await_vblank(struct drm *drm, uint64_t sequence)
{
    struct drm_kms_clock *c = &drm->kms->clock;
    uint64_t at = time_of(c, sequence), now = now_ns();
    if (at > now + DRM_KMS_PATIENCE * SECOND)
        at = now + DRM_KMS_PATIENCE * SECOND;
    const struct timespec until = {(time_t)(at / SECOND), (long)(at % SECOND)};
    while (!c->stopping && now_ns() < at)
        pthread_cond_timedwait(&c->ticked, &drm->lock, &until);
    return drm_kms_last_vblank(drm->kms).sequence < sequence ? -EBUSY : 0;
}

void drm_kms_await_shown(struct drm *drm)
{
    pthread_cond_wait(&drm->kms->clock.ticked, &drm->lock);
}

void drm_kms_clock_forget(struct drm_kms *kms, const struct drm_file *file)
{
    for (struct drm_kms_wish **link = &kms->clock.wishes; *link;) {
        struct drm_kms_wish *w = *link;
        if (w->file != file) {
            link = &w->next;
            continue;
        }
        *link = w->next;
        free(w);
    }
}

/* ---- begin and end ---- */

int drm_kms_clock_begin(struct drm *drm, uint32_t rate)
{
    struct drm_kms_clock *c = &drm->kms->clock;
    pthread_condattr_t monotonic;
    if (!rate)
        return 0;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&c->wake, &monotonic);
    pthread_cond_init(&c->ticked, &monotonic);
    pthread_condattr_destroy(&monotonic);
    c->rate = rate;
    c->start = now_ns();
    c->running = !pthread_create(&c->thread, NULL, run, drm);
    return c->running ? 0 : -EAGAIN;
}

void drm_kms_clock_end(struct drm *drm)
{
    struct drm_kms_clock *c = &drm->kms->clock;
    if (!c->rate)
        return;
    pthread_mutex_lock(&drm->lock);
    c->stopping = true;
    pthread_cond_signal(&c->wake);
    pthread_cond_broadcast(&c->ticked);
    pthread_mutex_unlock(&drm->lock);
    if (c->running)
        pthread_join(c->thread, NULL);
    for (struct drm_kms_wish *w = c->wishes, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    pthread_cond_destroy(&c->wake);
    pthread_cond_destroy(&c->ticked);
}
