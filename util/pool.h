/* A pool of worker threads that run one parallel loop at a time. Workers take indices from an atomic counter;
 * the calling thread works too. Each worker runs in the guest floating-point environment (util/fpenv.h). */
#ifndef VITRAIL_UTIL_POOL_H
#define VITRAIL_UTIL_POOL_H

#include <stdint.h>

struct util_pool;

/* One step of a loop. `worker` is 0 for the calling thread and 1..threads for the others. */
typedef void (*util_pool_fn)(void *data, uint32_t index, unsigned worker);

#define UTIL_POOL_MAX 64

/* `threads` extra threads, 0..UTIL_POOL_MAX; 0 means everything runs inline on the caller.
 * Returns 0 and sets *out (owned by the caller), or -EINVAL, -ENOMEM, -EAGAIN (no thread could be made). */
int util_pool_create(unsigned threads, struct util_pool **out);

/* For tests: a pool of `workers` (1..UTIL_POOL_MAX + 1) that runs the steps of a loop one after the other on
 * the caller, in an order and under worker numbers that `seed` decides. Steps that depend on each other, or
 * on what a worker did before, show it. Returns as util_pool_create. */
int util_pool_create_shuffled(unsigned workers, uint64_t seed, struct util_pool **out);

/* Joins the threads and frees the pool; NULL is accepted. Must not run concurrently with util_pool_run. */
void util_pool_destroy(struct util_pool *pool);

/* Number of workers, the caller included. A NULL pool counts as 1. */
unsigned util_pool_workers(const struct util_pool *pool);

/* Runs fn(data, i, worker) for i in 0..count-1, in any order, and returns when all are done. NULL runs
 * inline. What steps stored past the caches everybody sees afterwards. Not re-entrant: fn must not call
 * util_pool_run on the same pool. */
void util_pool_run(struct util_pool *pool, uint32_t count, util_pool_fn fn, void *data);

/* The same in runs of consecutive steps, a few for each worker: for steps whose neighbours share memory. A worker
 * takes its steps in their order. */
void util_pool_run_spans(struct util_pool *pool, uint32_t count, util_pool_fn fn, void *data);

#endif
