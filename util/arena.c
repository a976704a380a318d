#include "util/arena.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define CHUNK_BYTES ((size_t)256 << 10)
#define KEPT_BYTES  ((size_t)16 << 20) /* by a reset, at least */
#define FADING      16 /* of what is kept beyond, so much of it goes with each smaller batch */

struct chunk {
    struct chunk *next;
    size_t size; /* of `bytes` */
    _Atomic size_t used;
    _Alignas(UTIL_ARENA_ALIGN) uint8_t bytes[];
};

struct util_arena {
    _Atomic(struct chunk *) now; /* the chunk that gives out; those before it are full */
    struct chunk *first;
    bool alone;           /* one thread takes */
    size_t kept;          /* bytes that a reset keeps: what the largest of the last batches took */
    pthread_mutex_t lock; /* for going on to another chunk */
};

static struct chunk *chunk_make(size_t size)
{
    size_t whole = (sizeof(struct chunk) + size + UTIL_ARENA_ALIGN - 1) & ~(size_t)(UTIL_ARENA_ALIGN - 1);
    struct chunk *chunk = size < whole ? aligned_alloc(UTIL_ARENA_ALIGN, whole) : NULL;
    if (!chunk)
        return NULL;
    chunk->next = NULL;
    chunk->size = size;
    atomic_init(&chunk->used, 0);
    return chunk;
}

int util_arena_create(struct util_arena **out)
{
    struct util_arena *arena = malloc(sizeof *arena);
    struct chunk *chunk = arena ? chunk_make(CHUNK_BYTES) : NULL;
    if (!chunk || pthread_mutex_init(&arena->lock, NULL)) {
        free(chunk);
        free(arena);
        return -ENOMEM;
    }
    arena->first = chunk;
    arena->kept = KEPT_BYTES;
    arena->alone = false;
    atomic_init(&arena->now, chunk);
    *out = arena;
    return 0;
}

void util_arena_destroy(struct util_arena *arena)
{
    if (!arena)
        return;
    for (struct chunk *chunk = arena->first, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    pthread_mutex_destroy(&arena->lock);
    free(arena);
}

void util_arena_alone(struct util_arena *arena, bool alone)
{
    arena->alone = alone;
}

/* A full chunk's `used` may stand beyond its size: whoever fails leaves it there. An atomic addition waits for all stores
 * before it, which are many where what was taken last was filled. */
static void *chunk_take(struct chunk *chunk, size_t size, bool alone)
{
    size_t at;
    if (size > chunk->size)
        return NULL;
    if (alone) {
        at = atomic_load_explicit(&chunk->used, memory_order_relaxed);
        atomic_store_explicit(&chunk->used, at + size, memory_order_relaxed);
    } else {
        at = atomic_fetch_add_explicit(&chunk->used, size, memory_order_relaxed);
    }
    return at <= chunk->size - size ? chunk->bytes + at : NULL;
}

/* Goes on from `full`, unless another thread has: the next chunk that holds `size`, or a new one. */
static struct chunk *chunk_after(struct util_arena *arena, struct chunk *full, size_t size)
{
    pthread_mutex_lock(&arena->lock);
    struct chunk *now = atomic_load_explicit(&arena->now, memory_order_acquire);
    if (now == full) {
        struct chunk *next = full->next;
        if (!next || next->size < size) {
            struct chunk *made = chunk_make(size > CHUNK_BYTES ? size : CHUNK_BYTES);
            if (made)
                made->next = next;
            next = made;
        }
        if (next) {
            full->next = next;
            atomic_store_explicit(&arena->now, next, memory_order_release);
        }
        now = next;
    }
    pthread_mutex_unlock(&arena->lock);
    return now;
}

void *util_arena_alloc(struct util_arena *arena, size_t size)
{
    size_t whole = (size + UTIL_ARENA_ALIGN - 1) & ~(size_t)(UTIL_ARENA_ALIGN - 1);
    struct chunk *chunk = atomic_load_explicit(&arena->now, memory_order_acquire);
    if (whole < size)
        return NULL;
    while (chunk) {
        void *bytes = chunk_take(chunk, whole, arena->alone);
        if (bytes)
            return bytes;
        chunk = chunk_after(arena, chunk, whole);
    }
    return NULL;
}

/* Bytes of the chunks that the batch has reached. */
static size_t bytes_used(const struct util_arena *arena)
{
    const struct chunk *now = atomic_load_explicit(&arena->now, memory_order_relaxed);
    size_t used = 0;
    for (const struct chunk *chunk = arena->first; chunk != now; chunk = chunk->next)
        used += chunk->size;
    return used + now->size;
}

/* Memory given back to the host comes again page by page, each by a fault: a batch like the last ones must
 * not pay that. */
void util_arena_reset(struct util_arena *arena)
{
    size_t used = bytes_used(arena), faded = arena->kept - arena->kept / FADING, kept = 0;
    struct chunk **link = &arena->first;

    arena->kept = used > faded ? used : faded;
    if (arena->kept < KEPT_BYTES)
        arena->kept = KEPT_BYTES;
    while (*link) {
        struct chunk *chunk = *link;
        if (chunk != arena->first && kept + chunk->size > arena->kept) {
            *link = chunk->next;
            free(chunk);
            continue;
        }
        kept += chunk->size;
        atomic_store_explicit(&chunk->used, 0, memory_order_relaxed);
        link = &chunk->next;
    }
    atomic_store_explicit(&arena->now, arena->first, memory_order_release);
}

size_t util_arena_bytes(const struct util_arena *arena)
{
    size_t bytes = 0;
    for (const struct chunk *chunk = arena->first; chunk; chunk = chunk->next)
        bytes += chunk->size;
    return bytes;
}
