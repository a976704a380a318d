/* A card whose jobs are asynchronous and run up to a gate: a test opens and shuts it, and so knows what
 * is done and what is not. */
#ifndef VITRAIL_TESTS_DRM_GATE_H
#define VITRAIL_TESTS_DRM_GATE_H

#include "tests/drm/card.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "drm/protocol.h"
#include "gpu/observe.h"

enum { GATE_SIDE = 16, GATE_GREEN = 0x0000ff00 };

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
    unsigned arrived; /* jobs that came to the gate */
    struct gpu_observer observer;
};

/* A thread that has nothing else to do. */
struct gate_worker {
    struct drm *drm;
    int stop;
    pthread_t thread;
};

static inline void *gate_work(void *data)
{
    struct gate_worker *w = data;
    while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE))
        if (!drm_work(w->drm))
            usleep(100);
    return NULL;
}

static inline void gate_worker_start(struct gate_worker *w, struct drm *drm)
{
    *w = (struct gate_worker){.drm = drm};
    assert_int_equal(pthread_create(&w->thread, NULL, gate_work, w), 0);
}

static inline void gate_worker_stop(struct gate_worker *w)
{
    __atomic_store_n(&w->stop, 1, __ATOMIC_RELEASE);
    pthread_join(w->thread, NULL);
}

static inline void *gate_pass(void *data, unsigned worker, uint32_t batch, uint32_t job)
{
    struct gate *gate = data;
    (void)worker, (void)batch, (void)job;
    pthread_mutex_lock(&gate->lock);
    gate->arrived++;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    return NULL;
}

static inline void gate_init(struct gate *gate)
{
    *gate = (struct gate){.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    gate->observer = (struct gpu_observer){.data = gate, .job = gate_pass};
}

static inline void gate_set(struct gate *gate, bool open)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = open;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

/* Until `count` jobs in all have come to the gate. */
static inline void gate_await(struct gate *gate, unsigned count)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->arrived < count)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static inline void gate_shut(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = false;
    gate->arrived = 0;
    pthread_mutex_unlock(&gate->lock);
}

static inline const struct drm_fence_page *gate_fences(const struct card *card)
{
    const void *page = mmap(NULL, GPU_PAGE, PROT_READ, MAP_SHARED, drm_fence_page_fd(card->drm), 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    return page;
}

static inline uint64_t gate_finished(const struct drm_fence_page *fences)
{
    return __atomic_load_n(&fences->finished, __ATOMIC_ACQUIRE);
}

/* Until a job is done, and until whoever ran it has unlocked the card. */
static inline void gate_wait(const struct card *card, const struct drm_fence_page *fences, uint64_t fence)
{
    while (gate_finished(fences) < fence)
        usleep(100);
    drm_frames_presented(card->drm);
}

/* A submission that clears a tile of a buffer to one colour. `handle` must stay until it is submitted. */
static inline struct drm_vc4_submit_cl gate_clear(const uint32_t *handle, uint32_t color)
{
    const struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    return (struct drm_vc4_submit_cl){
        .color_read = none,
        .zs_read = none,
        .zs_write = none,
        .msaa_color_write = none,
        .msaa_zs_write = none,
        .color_write = {.hindex = 0, .bits = 1 << 2}, /* RGBA8888, linear */
        .bo_handles = (uintptr_t)handle,
        .bo_handle_count = 1,
        .width = GATE_SIDE,
        .height = GATE_SIDE,
        .clear_color = {color, color},
        .flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR,
    };
}

#endif
