/* Free ranges of addresses, of a memory file or of a GPU, in a list sorted by address; the first that fits is
 * taken. */
#include "drm/core/ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "util/bits.h"

struct drm_hole {
    uint64_t offset, size;
    struct drm_hole *next;
};

int drm_ranges_init(struct drm_ranges *ranges, uint64_t start, uint64_t size)
{
    ranges->first = malloc(sizeof *ranges->first);
    if (!ranges->first)
        return -ENOMEM;
    *ranges->first = (struct drm_hole){start, size, NULL};
    return 0;
}

void drm_ranges_finish(struct drm_ranges *ranges)
{
    while (ranges->first) {
        struct drm_hole *next = ranges->first->next;
        free(ranges->first);
        ranges->first = next;
    }
}

/* Takes `size` bytes out of a hole; what is left before and behind stays free. 0, -ENOMEM. */
int drm_ranges_take(struct drm_ranges *ranges, uint64_t size, uint64_t align, uint64_t *out)
{
    for (struct drm_hole **at = &ranges->first; *at; at = &(*at)->next) {
        struct drm_hole *hole = *at;
        uint64_t start = util_align(hole->offset, align), end = hole->offset + hole->size;
        if (start > end || size > end - start)
            continue;
        uint64_t before = start - hole->offset, after = end - start - size;
        if (before && after) {
            struct drm_hole *tail = malloc(sizeof *tail);
            if (!tail)
                return -ENOMEM;
            *tail = (struct drm_hole){start + size, after, hole->next};
            hole->next = tail;
            hole->size = before;
        } else if (before) {
            hole->size = before;
        } else if (after) {
            hole->offset = start + size;
            hole->size = after;
        } else {
            *at = hole->next;
            free(hole);
        }
        *out = start;
        return 0;
    }
    return -ENOMEM;
}

/* Returns a range to the list and joins it with its neighbours. When there is no memory for a node the range
 * is lost, never handed out twice. */
void drm_ranges_give(struct drm_ranges *ranges, uint64_t offset, uint64_t size)
{
    struct drm_hole **at = &ranges->first, *previous = NULL;
    while (*at && (*at)->offset < offset) {
        previous = *at;
        at = &previous->next;
    }
    struct drm_hole *next = *at;
    if (previous && previous->offset + previous->size == offset) {
        previous->size += size;
        if (next && offset + size == next->offset) {
            previous->size += next->size;
            previous->next = next->next;
            free(next);
        }
    } else if (next && offset + size == next->offset) {
        next->offset = offset;
        next->size += size;
    } else {
        struct drm_hole *hole = malloc(sizeof *hole);
        if (!hole)
            return;
        *hole = (struct drm_hole){offset, size, next};
        *at = hole;
    }
}
