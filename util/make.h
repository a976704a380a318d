/* Things that several threads want: the first to ask makes one, without any lock, and the others wait for it.
 * A thing has a status, UTIL_MAKING from when it can be found on; how things are found is their owner's
 * business. */
#ifndef VITRAIL_UTIL_MAKE_H
#define VITRAIL_UTIL_MAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum util_make_status { UTIL_MAKING, UTIL_MAKING_AWAITED, UTIL_MADE, UTIL_NOT_MADE };
typedef _Atomic int util_make_status;

/* Of many things. The lock is there for their owner's tables too, to be held for a moment only. */
struct util_maker {
    pthread_mutex_t lock;
    pthread_cond_t made;
};
void util_maker_init(struct util_maker *maker);
void util_maker_destroy(struct util_maker *maker);

/* The thing is there with all its memory, or cannot be made: whoever waits goes on. Without the lock. */
void util_make_end(struct util_maker *maker, util_make_status *status, bool made);
/* Waits until that has happened: whether it was made. Without the lock. */
bool util_make_wait(struct util_maker *maker, util_make_status *status);

#endif
