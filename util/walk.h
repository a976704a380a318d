/* The walk through a list that a guest made: finds lists that have no end. Such a list's flow has no
 * conditions, so one that jumps to the same place with the same return addresses twice goes round for ever
 * (Brent's algorithm finds that within three rounds), and one that repeats nothing has no more records than
 * memory has bytes. What a list holds is walked to its end, however much it is. */
#ifndef VITRAIL_UTIL_WALK_H
#define VITRAIL_UTIL_WALK_H

#include <stdbool.h>
#include <stdint.h>

#define UTIL_WALK_NOWHERE UINT32_MAX /* in place of a return address that is not there */

/* Where a jump leads: the target, and the addresses that are still to be returned to. */
struct util_walk_place {
    uint32_t at, back[2];
};

struct util_walk {
    uint64_t left; /* records, or codes, that may still come: the walker counts them down */
    struct util_walk_place mark;
    uint64_t jumps, renew; /* since the mark was set; when it is set again. renew 0: there is none */
};

static inline struct util_walk util_walk_begin(uint64_t memory_bytes)
{
    return (struct util_walk){.left = memory_bytes};
}

/* What was walked through may be another list now: a host, or another list, had its turn. */
static inline void util_walk_forget(struct util_walk *walk)
{
    walk->renew = walk->jumps = 0;
}

/* A jump. Whether the walk has been there. */
static inline bool util_walk_returns(struct util_walk *walk, struct util_walk_place to)
{
    const struct util_walk_place *m = &walk->mark;

    if (walk->renew && m->at == to.at && m->back[0] == to.back[0] && m->back[1] == to.back[1])
        return true;
    if (walk->jumps++ == walk->renew) {
        walk->mark = to;
        walk->renew = walk->renew ? 2 * walk->renew : 1;
        walk->jumps = 0;
    }
    return false;
}

#endif
