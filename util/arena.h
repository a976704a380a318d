/* Memory that is given out piece by piece and taken back as a whole: for what lives as long as one batch of
 * work. Giving out is thread-safe (but see util_arena_alone) and takes no lock but for a new chunk. */
#ifndef VITRAIL_UTIL_ARENA_H
#define VITRAIL_UTIL_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct util_arena;

#define UTIL_ARENA_ALIGN 64

/* 0 and *out, owned by the caller, or -ENOMEM. */
int util_arena_create(struct util_arena **out);
void util_arena_destroy(struct util_arena *arena); /* NULL is accepted */

/* From now on only one thread at a time takes of it, which then costs no atomic; or any number may again, as in the
 * beginning. No other thread may use the arena meanwhile. */
void util_arena_alone(struct util_arena *arena, bool alone);

/* `size` bytes, aligned to UTIL_ARENA_ALIGN, of any contents; NULL when memory is out. They live until the
 * next reset. */
void *util_arena_alloc(struct util_arena *arena, size_t size);
/* Takes everything back, and keeps for what comes as much memory as the largest of the last batches took;
 * what is not needed again fades over some dozen resets. No other thread may use the arena meanwhile. */
void util_arena_reset(struct util_arena *arena);

/* Bytes it holds, given out or not. No other thread may use the arena meanwhile. */
size_t util_arena_bytes(const struct util_arena *arena);

#endif
