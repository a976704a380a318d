#include "jit/background.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define NICE 10 /* a step takes what others leave; compile threads are its children, and as patient */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, rest;
    pthread_t thread;
    struct jit_background *members;
    unsigned count, generation; /* a thread of an older generation goes */
    pid_t process;              /* the thread's: a child after fork has none */
} all = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .rest = PTHREAD_COND_INITIALIZER};

/* Lock held. The member whose turn it is goes to the end of the line. */
static struct jit_background *take(void)
{
    struct jit_background **at = &all.members, *member;

    while (*at && (!(*at)->pending || (*at)->held))
        at = &(*at)->next;
    member = *at;
    if (!member)
        return NULL;
    *at = member->next;
    while (*at)
        at = &(*at)->next;
    *at = member;
    member->next = NULL;
    return member;
}

static void *thread_main(void *data)
{
    const unsigned generation = (unsigned)(uintptr_t)data;

    setpriority(PRIO_PROCESS, 0, NICE); /* of this thread alone, as Linux has it */
    pthread_mutex_lock(&all.lock);
    while (all.generation == generation) {
        struct jit_background *member = take();
        if (!member) {
            pthread_cond_wait(&all.work, &all.lock);
            continue;
        }
        member->pending = false;
        member->running = true;
        pthread_mutex_unlock(&all.lock);
        bool more = member->step(member->data);
        pthread_mutex_lock(&all.lock);
        member->running = false;
        member->pending |= more;
        pthread_cond_broadcast(&all.rest);
    }
    pthread_mutex_unlock(&all.lock);
    return NULL;
}

static bool has_thread(void)
{
    return all.process == getpid();
}

/* Who exits without leaving ends LLVM's global state: not under a step that uses it. */
static void stop_at_exit(void)
{
    if (!has_thread())
        return;
    pthread_mutex_lock(&all.lock);
    for (struct jit_background *m = all.members; m; m = m->next) {
        m->held++;
        while (m->running)
            pthread_cond_wait(&all.rest, &all.lock);
    }
    pthread_mutex_unlock(&all.lock);
}

static void register_exit(void)
{
    atexit(stop_at_exit);
}

/* Lock held. */
static bool start(void)
{
    void *generation = (void *)(uintptr_t)all.generation;

    if (pthread_create(&all.thread, NULL, thread_main, generation))
        return false;
    all.process = getpid();
    return true;
}

bool jit_background_join(struct jit_background *member, bool (*step)(void *data), void *data)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, register_exit);
    *member = (struct jit_background){.step = step, .data = data};
    pthread_mutex_lock(&all.lock);
    bool started = all.count ? has_thread() : start();
    if (started) {
        member->next = all.members;
        all.members = member;
        all.count++;
    }
    pthread_mutex_unlock(&all.lock);
    return started;
}

void jit_background_poke(struct jit_background *member)
{
    pthread_mutex_lock(&all.lock);
    member->pending = true;
    pthread_cond_signal(&all.work);
    pthread_mutex_unlock(&all.lock);
}

void jit_background_hold(struct jit_background *member)
{
    pthread_mutex_lock(&all.lock);
    member->held++;
    while (member->running && has_thread())
        pthread_cond_wait(&all.rest, &all.lock);
    pthread_mutex_unlock(&all.lock);
}

void jit_background_release(struct jit_background *member)
{
    pthread_mutex_lock(&all.lock);
    member->held--;
    pthread_cond_signal(&all.work);
    pthread_mutex_unlock(&all.lock);
}

void jit_background_wait(struct jit_background *member)
{
    pthread_mutex_lock(&all.lock);
    while ((member->pending || member->running) && has_thread())
        pthread_cond_wait(&all.rest, &all.lock);
    pthread_mutex_unlock(&all.lock);
}

void jit_background_leave(struct jit_background *member)
{
    pthread_t ended;

    jit_background_hold(member);
    pthread_mutex_lock(&all.lock);
    for (struct jit_background **at = &all.members; *at; at = &(*at)->next)
        if (*at == member) {
            *at = member->next;
            break;
        }
    bool last = !--all.count;
    if (last) {
        ended = all.thread;
        all.generation++;
        pthread_cond_broadcast(&all.work);
    }
    pthread_mutex_unlock(&all.lock);
    if (last && has_thread())
        pthread_join(ended, NULL);
}
