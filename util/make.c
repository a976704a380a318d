#include "util/make.h"

#include <smmintrin.h>

/* Most things are made within a microsecond, some compile first. These are some 10 microseconds: going to
 * sleep and being woken costs more. */
#define SPINS 500u

void util_maker_init(struct util_maker *maker)
{
    maker->lock = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    pthread_cond_init(&maker->made, NULL);
}

void util_maker_destroy(struct util_maker *maker)
{
    pthread_cond_destroy(&maker->made);
    pthread_mutex_destroy(&maker->lock);
}

void util_make_end(struct util_maker *maker, util_make_status *status, bool made)
{
    if (atomic_exchange(status, made ? UTIL_MADE : UTIL_NOT_MADE) != UTIL_MAKING_AWAITED)
        return;
    pthread_mutex_lock(&maker->lock);
    pthread_cond_broadcast(&maker->made);
    pthread_mutex_unlock(&maker->lock);
}

static bool has_ended(int status)
{
    return status != UTIL_MAKING && status != UTIL_MAKING_AWAITED;
}

bool util_make_wait(struct util_maker *maker, util_make_status *status)
{
    int now = atomic_load_explicit(status, memory_order_acquire);

    for (unsigned i = 0; !has_ended(now) && i < SPINS; i++) {
        _mm_pause();
        now = atomic_load_explicit(status, memory_order_acquire);
    }
    if (has_ended(now))
        return now == UTIL_MADE;
    pthread_mutex_lock(&maker->lock);
    /* Who ends it finds it awaited, and cannot broadcast before the wait has begun. */
    now = UTIL_MAKING;
    atomic_compare_exchange_strong(status, &now, UTIL_MAKING_AWAITED);
    while (!has_ended(now = atomic_load(status)))
        pthread_cond_wait(&maker->made, &maker->lock);
    pthread_mutex_unlock(&maker->lock);
    return now == UTIL_MADE;
}
