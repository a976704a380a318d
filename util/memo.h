/* Things made once and found by the bytes of a key. Finding one takes no lock; the first to ask for one makes
 * it outside any lock, and whoever asks meanwhile waits. Things live until the memo is cleared as a whole. */
#ifndef VITRAIL_UTIL_MEMO_H
#define VITRAIL_UTIL_MEMO_H

#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/make.h"

struct util_memo_table;
struct util_memo_entry;

#define UTIL_MEMO_RECENT 5

/* Both are borrowed, and may serve several memos: `maker`, whose lock is held to add a thing; and `arena`,
 * which has things, keys and tables. */
struct util_memo {
    struct util_maker *maker;
    struct util_arena *arena;
    _Atomic(struct util_memo_table *) table;
    struct util_memo_entry *first, *last; /* in the order in which they were added; under the lock */
    _Atomic uintptr_t recent[1 << UTIL_MEMO_RECENT]; /* entries with a tag */
    uint32_t slots; /* of the first table: what held the things of before. A power of two; of a memo without
                     * things its owner may set it to what another had */
    bool recalls;   /* its owner's: what was found is often asked for again, and is looked for among the
                     * recent things before any hash: one for each hash of a key's first four bytes */
};
void util_memo_init(struct util_memo *memo, struct util_maker *maker, struct util_arena *arena);
/* Forgets all things, but not how many there were; the arena's next reset takes their memory. No other thread
 * may use the memo. */
void util_memo_clear(struct util_memo *memo);

/* The bytes of one part behind those of the other. All of them count: no padding of any contents. Sizes below
 * 4 GiB; size 0: NULL is accepted. Two keys of one memo are equal when both of their parts are. */
struct util_memo_key {
    const void *head;
    size_t head_size;
    const void *tail;
    size_t tail_size;
};

/* What must be aligned more than this does not go into a thing. */
#define UTIL_MEMO_ALIGN 16

/* The thing of that key, and in *status
 *   UTIL_MAKING    it is the caller's to make: `size` bytes of zero. util_memo_end has to follow, with or
 *                  without success, for others wait for it;
 *   UTIL_MADE      it is there;
 *   UTIL_NOT_MADE  who had it to make could not; what was left in it may be read.
 * NULL, and UTIL_NOT_MADE: no memory for it. Thread-safe. */
void *util_memo_get(struct util_memo *memo, const struct util_memo_key *key, size_t size,
                    enum util_make_status *status);
/* The thing is as it will stay. Returns UTIL_MADE or UTIL_NOT_MADE. */
enum util_make_status util_memo_end(struct util_memo *memo, void *thing, bool made);

/* The first part of the thing's key, as long as the thing lives. */
const void *util_memo_head(const void *thing);

/* Whether nothing was ever asked for, as far as this thread has heard. */
bool util_memo_is_empty(const struct util_memo *memo);

/* The thing added behind `thing` (NULL: the first), or NULL; *made: util_memo_end was told so. While nobody
 * asks for things. */
void *util_memo_next(const struct util_memo *memo, const void *thing, bool *made);

#endif
