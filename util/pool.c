#include "util/pool.h"
#include "util/fpenv.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include <smmintrin.h>

/* How long a worker that has found work looks for more before it sleeps, and the caller waits for the last
 * worker before it does: some 10 microseconds, less than going to sleep and being woken costs both sides. */
#define SPINS 500u

/* The state of the loop in one word. Workers join while it is open, in any number and at any time; who comes
 * late finds it closed and has no part in it, so that a loop never waits for a worker to wake up. */
#define OPEN       1ull
#define INSIDE     2ull /* one worker in the loop */
#define GENERATION (1ull << 16)
#define INSIDE_ALL (GENERATION - INSIDE)

struct util_pool {
    pthread_t threads[UTIL_POOL_MAX];
    unsigned thread_count, workers;
    bool shuffled;
    uint64_t random;
    pthread_mutex_t lock;
    pthread_cond_t start, finished;
    _Atomic unsigned sleepers; /* workers at `start`, or on the way there */
    bool quit;
    _Atomic uint64_t state;
    /* Of the loop: written while it is closed and nobody is inside. */
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
            break;
        pool->fn(pool->data, i, worker);
    }
    _mm_sfence();
}

/* ---- workers ---- */

/* Joins the loop if it is open and not the one seen last. */
static bool join(struct util_pool *pool, uint64_t *seen)
{
    uint64_t state = atomic_load(&pool->state);
    while (state / GENERATION != *seen && state & OPEN)
        if (atomic_compare_exchange_weak(&pool->state, &state, state + INSIDE)) {
            *seen = state / GENERATION;
            return true;
        }
    return false;
}

static void leave(struct util_pool *pool)
{
    uint64_t left = atomic_fetch_sub(&pool->state, INSIDE) - INSIDE;
    if (left & (OPEN | INSIDE_ALL))
        return;
    pthread_mutex_lock(&pool->lock); /* the caller may be asleep, or about to be */
    pthread_cond_signal(&pool->finished);
    pthread_mutex_unlock(&pool->lock);
}

/* Waits for a loop and joins it; false when the pool ends. */
static bool sleep_until_joined(struct util_pool *pool, uint64_t *seen)
{
    bool joined = false;
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1); /* before it looks: util_pool_run opens, then reads this */
    while (!pool->quit && !(joined = join(pool, seen)))
        pthread_cond_wait(&pool->start, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
    return joined;
}

static bool spin_until_joined(struct util_pool *pool, uint64_t *seen)
{
    for (unsigned i = 0; i < SPINS; i++) {
        if (join(pool, seen))
            return true;
        _mm_pause();
    }
    return false;
}

struct start_args {
    struct util_pool *pool;
    unsigned worker;
};

static void *worker_main(void *arg)
{
    struct start_args args = *(struct start_args *)arg;
    uint64_t seen = 0;

    free(arg);
    util_fpenv_enter();
    while (sleep_until_joined(args.pool, &seen))
        do {
            drain(args.pool, args.worker);
            leave(args.pool);
        } while (spin_until_joined(args.pool, &seen));
    return NULL;
}

/* ---- the caller ---- */

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
    pool->workers = threads + 1;
    *out = pool;
    return 0;
}

int util_pool_create_shuffled(unsigned workers, uint64_t seed, struct util_pool **out)
{
    if (workers == 0 || workers > UTIL_POOL_MAX + 1)
        return -EINVAL;
    int err = util_pool_create(0, out);
    if (err)
        return err;
    (*out)->workers = workers;
    (*out)->shuffled = true;
    (*out)->random = seed;
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
    return pool ? pool->workers : 1;
}

/* Opens the loop, and wakes as many sleepers as there are steps for. */
static void open_loop(struct util_pool *pool)
{
    atomic_fetch_add(&pool->state, GENERATION | OPEN);
    unsigned sleepers = atomic_load(&pool->sleepers);
    if (!sleepers)
        return;
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < sleepers && i < pool->count - 1; i++)
        pthread_cond_signal(&pool->start);
    pthread_mutex_unlock(&pool->lock);
}

/* Closes the loop, and returns when the last worker has left it. */
static void close_loop(struct util_pool *pool)
{
    uint64_t state = atomic_fetch_sub(&pool->state, OPEN) - OPEN;
    for (unsigned i = 0; state & INSIDE_ALL && i < SPINS; i++) {
        _mm_pause();
        state = atomic_load(&pool->state);
    }
    if (!(state & INSIDE_ALL))
        return;
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->state) & INSIDE_ALL)
        pthread_cond_wait(&pool->finished, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static uint32_t random_below(struct util_pool *pool, uint32_t n)
{
    pool->random = pool->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((pool->random >> 32) * n >> 32);
}

/* Which worker has a step, by chance. */
static unsigned worker_of(uint64_t chance, uint32_t step, unsigned workers)
{
    uint64_t mixed = (chance ^ (step + 1ull) * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
    return (unsigned)((mixed >> 32) * workers >> 32);
}

static bool coprime(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

/* Steps of a loop by worker, each of which takes its own in their order; who goes on is chance. */
static void run_shuffled_workers(struct util_pool *pool, uint32_t count, util_pool_fn fn, void *data)
{
    uint64_t chance = pool->random;
    uint32_t left = count, next[UTIL_POOL_MAX + 1] = {0};
    while (left) {
        unsigned worker = random_below(pool, pool->workers);
        uint32_t *at = &next[worker];
        while (*at < count && worker_of(chance, *at, pool->workers) != worker)
            ++*at;
        if (*at == count)
            continue;
        fn(data, (*at)++, worker);
        left--;
    }
    _mm_sfence();
}

/* Once around the steps from anywhere, some number of them at a time; backwards is one such way. */
static void run_shuffled(struct util_pool *pool, uint32_t count, util_pool_fn fn, void *data)
{
    uint32_t stride, at = random_below(pool, count);
    do
        stride = 1 + random_below(pool, count);
    while (!coprime(count, stride));
    for (uint32_t i = 0; i < count; i++) {
        fn(data, at, random_below(pool, pool->workers));
        at = (uint32_t)(((uint64_t)at + stride) % count);
    }
    _mm_sfence();
}

void util_pool_run(struct util_pool *pool, uint32_t count, util_pool_fn fn, void *data)
{
    unsigned saved = util_fpenv_enter();

    if (pool && pool->shuffled && count) {
        run_shuffled(pool, count, fn, data);
        util_fpenv_leave(saved);
        return;
    }
    if (!pool || pool->thread_count == 0 || count <= 1) {
        for (uint32_t i = 0; i < count; i++)
            fn(data, i, 0);
        _mm_sfence();
        util_fpenv_leave(saved);
        return;
    }
    pool->fn = fn;
    pool->data = data;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    open_loop(pool);
    drain(pool, 0);
    close_loop(pool);
    util_fpenv_leave(saved);
}

/* ---- spans ---- */

#define SPANS 4u /* a worker: it may come late, and others then do more */

struct spans {
    util_pool_fn fn;
    void *data;
    uint32_t count, spans;
};

static void run_span(void *data, uint32_t number, unsigned worker)
{
    const struct spans *s = data;
    uint32_t end = (uint32_t)((number + 1ull) * s->count / s->spans);
    for (uint32_t i = (uint32_t)((uint64_t)number * s->count / s->spans); i < end; i++)
        s->fn(s->data, i, worker);
}

void util_pool_run_spans(struct util_pool *pool, uint32_t count, util_pool_fn fn, void *data)
{
    uint32_t most = util_pool_workers(pool) * SPANS;
    struct spans s = {fn, data, count, count < most ? count : most};
    if (pool && pool->shuffled && count) {
        unsigned saved = util_fpenv_enter();
        run_shuffled_workers(pool, s.spans, run_span, &s);
        util_fpenv_leave(saved);
        return;
    }
    util_pool_run(pool, s.spans, run_span, &s);
}
