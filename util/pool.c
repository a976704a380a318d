#include "util/pool.h"
#include "util/fpenv.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct util_pool {
    pthread_t threads[UTIL_POOL_MAX];
    unsigned thread_count;
    pthread_mutex_t lock;
    pthread_cond_t start, finished;
    uint64_t generation; /* counts loops; a change wakes the workers */
    unsigned busy;       /* workers still inside the current loop */
    bool quit;
    util_pool_fn fn;
    void *data;
    uint32_t count;
    _Atomic uint32_t next;
};

static void drain(struct util_pool *pool, unsigned worker)
{
    for (;;) {
        uint32_t i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (i >= pool->count)
            return;
        pool->fn(pool->data, i, worker);
    }
}

struct start_args {
    struct util_pool *pool;
    unsigned worker;
};

static void *worker_main(void *arg)
{
    struct start_args args = *(struct start_args *)arg;
    struct util_pool *pool = args.pool;
    uint64_t seen = 0;

    free(arg);
    util_fpenv_enter();
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->quit && pool->generation == seen)
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->quit)
            break;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->lock);
        drain(pool, args.worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

int util_pool_create(unsigned threads, struct util_pool **out)
{
    if (threads > UTIL_POOL_MAX)
        return -EINVAL;
    struct util_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return -ENOMEM;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (; pool->thread_count < threads; pool->thread_count++) {
        struct start_args *args = malloc(sizeof *args);
        if (args)
            *args = (struct start_args){pool, pool->thread_count + 1};
        if (!args || pthread_create(&pool->threads[pool->thread_count], NULL, worker_main, args)) {
            int err = args ? -EAGAIN : -ENOMEM;
            free(args);
            util_pool_destroy(pool);
            return err;
        }
    }
    *out = pool;
    return 0;
}

void util_pool_destroy(struct util_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->start);
    pthread_cond_destroy(&pool->finished);
    free(pool);
}

unsigned util_pool_workers(const struct util_pool *pool)
{
    return pool ? pool->thread_count + 1 : 1;
}

void util_pool_run(struct util_pool *pool, uint32_t count, util_pool_fn fn, void *data)
{
    unsigned saved = util_fpenv_enter();

    if (!pool || pool->thread_count == 0 || count <= 1) {
        for (uint32_t i = 0; i < count; i++)
            fn(data, i, 0);
        util_fpenv_leave(saved);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->data = data;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->busy = pool->thread_count;
    pool->generation++;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    drain(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy)
        pthread_cond_wait(&pool->finished, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    util_fpenv_leave(saved);
}
