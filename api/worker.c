/* A context's own threads: the worker, which has the device while there is work, and the teller. */
#include <errno.h>
#include <time.h>

#include "api/internal.h"

/* Programs and processors that the host starts one after the other, to run together, are waited for so long after the
 * last register write, and in all. */
#define JOIN_NS      1000000
#define JOIN_MOST_NS 10000000

/* ---- the device's turns (gpu/turns.h) ---- */

static void note_untold(struct vitrail_context *context)
{
    api_note_missed(context);
    if (api_untold(context))
        pthread_cond_signal(&context->told_of);
}

static void leave(void *data)
{
    struct vitrail_context *context = data;
    note_untold(context);
    pthread_mutex_unlock(&context->lock);
}

static void enter(void *data)
{
    struct vitrail_context *context = data;
    pthread_mutex_lock(&context->lock);
}

static bool rest(void *data)
{
    struct vitrail_context *context = data;
    note_untold(context);
    context->resting = true;
    pthread_cond_broadcast(&context->changed);
    while (context->resting && !context->stopping)
        pthread_cond_wait(&context->wake, &context->lock);
    context->resting = false;
    return !context->stopping;
}

/* ---- the worker ---- */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Until the host has written nothing for a while. False: it has, or there is another reason to look again. */
static bool nobody_joins(struct vitrail_context *context, int64_t since)
{
    const int64_t until = now_ns() + JOIN_NS;
    const struct timespec deadline = {until / 1000000000, until % 1000000000};
    const uint64_t written = context->written;
    if (context->hurry || now_ns() - since > JOIN_MOST_NS)
        return true;
    const int code = pthread_cond_timedwait(&context->wake, &context->lock, &deadline);
    return code == ETIMEDOUT && written == context->written;
}

static void work(struct vitrail_context *context, bool all)
{
    context->working = true;
    gpu_device_work(&context->device, all);
    context->working = false;
    note_untold(context);
    pthread_cond_broadcast(&context->changed);
}

static bool may_run(const struct vitrail_context *context)
{
    return context->device.self && !context->stopping && !context->player;
}

static void *run_worker(void *data)
{
    struct vitrail_context *context = data;
    int64_t since = 0; /* when there was first something to be joined; 0: there is nothing */
    pthread_mutex_lock(&context->lock);
    while (!context->quit) {
        const enum gpu_due due = may_run(context) ? gpu_device_due(&context->device) : GPU_DUE_NOTHING;
        if (due == GPU_DUE_NOTHING) {
            since = 0;
            pthread_cond_broadcast(&context->changed);
            pthread_cond_wait(&context->wake, &context->lock);
        } else if (due == GPU_DUE_NOW) {
            work(context, context->hurry != 0);
        } else {
            since = since ? since : now_ns();
            if (!nobody_joins(context, since) || !may_run(context))
                continue;
            since = 0;
            work(context, true);
        }
    }
    pthread_mutex_unlock(&context->lock);
    return NULL;
}

static void *run_teller(void *data)
{
    struct vitrail_context *context = data;
    pthread_mutex_lock(&context->lock);
    while (!context->quit) {
        if (!context->player && !context->telling && api_untold(context)) /* who plays has the registers */
            api_tell(context);
        else
            pthread_cond_wait(&context->told_of, &context->lock);
    }
    pthread_mutex_unlock(&context->lock);
    return NULL;
}

int api_threads_create(struct vitrail_context *context)
{
    context->turns = (struct gpu_turns){leave, enter, rest, context};
    if (pthread_create(&context->worker, NULL, run_worker, context))
        return -EAGAIN;
    if (pthread_create(&context->teller, NULL, run_teller, context)) {
        pthread_mutex_lock(&context->lock);
        context->quit = true;
        pthread_cond_signal(&context->wake);
        pthread_mutex_unlock(&context->lock);
        pthread_join(context->worker, NULL);
        return -EAGAIN;
    }
    context->threads_made = true;
    return 0;
}

void api_threads_destroy(struct vitrail_context *context)
{
    if (!context->threads_made)
        return;
    pthread_mutex_lock(&context->lock);
    api_stop(context);
    context->quit = true;
    pthread_cond_signal(&context->wake);
    pthread_cond_signal(&context->told_of);
    pthread_mutex_unlock(&context->lock);
    pthread_join(context->worker, NULL);
    pthread_join(context->teller, NULL);
}

/* ---- for calls ---- */

static bool is_idle(struct vitrail_context *context)
{
    if (context->resting || !may_run(context))
        return true;
    return !context->working && gpu_device_due(&context->device) == GPU_DUE_NOTHING;
}

static void wait_for(struct vitrail_context *context, bool told)
{
    context->hurry++;
    context->inside++;
    pthread_cond_signal(&context->wake);
    note_untold(context);
    while (!is_idle(context) || (told && (context->telling || api_untold(context))))
        pthread_cond_wait(&context->changed, &context->lock);
    context->inside--;
    context->hurry--;
}

void api_wait(struct vitrail_context *context)
{
    wait_for(context, true);
}

void api_wait_for_jobs(struct vitrail_context *context)
{
    wait_for(context, false);
}

void api_stop(struct vitrail_context *context)
{
    context->stopping = true;
    if (context->device.self)
        gpu_turns_stop(context->device.host);
    pthread_cond_signal(&context->wake);
    while (context->working)
        pthread_cond_wait(&context->changed, &context->lock);
}

void api_go_on(struct vitrail_context *context)
{
    context->stopping = false;
    pthread_cond_signal(&context->wake);
}

void api_write(struct vitrail_context *context, uint32_t offset, uint32_t value)
{
    gpu_device_post(&context->device, offset, value);
    context->written++;
    if (context->resting) {
        context->resting = false;
        pthread_cond_signal(&context->wake);
    }
}
