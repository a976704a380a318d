/* What was met before. */
#include "gpu/lint.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

static bool grow(struct gpu_seen *seen)
{
    struct gpu_seen larger = {.capacity = seen->capacity ? seen->capacity * 2 : 256};
    larger.keys = calloc(larger.capacity, sizeof *larger.keys);
    if (!larger.keys)
        return false;
    for (size_t i = 0; i < seen->capacity; i++) {
        size_t at = seen->keys[i] & (larger.capacity - 1);
        if (!seen->keys[i])
            continue;
        while (larger.keys[at])
            at = (at + 1) & (larger.capacity - 1);
        larger.keys[at] = seen->keys[i];
    }
    larger.count = seen->count;
    free(seen->keys);
    *seen = larger;
    return true;
}

bool gpu_seen_first(struct gpu_seen *seen, const void *bytes, size_t size, int *error)
{
    uint64_t key = XXH3_64bits(bytes, size) | 1; /* 0 marks a free place */
    if (seen->count * 2 >= seen->capacity && !grow(seen)) {
        *error = -ENOMEM;
        return false;
    }
    size_t at = key & (seen->capacity - 1);
    while (seen->keys[at] && seen->keys[at] != key)
        at = (at + 1) & (seen->capacity - 1);
    if (seen->keys[at])
        return false;
    seen->keys[at] = key;
    seen->count++;
    return true;
}

void gpu_seen_finish(struct gpu_seen *seen)
{
    free(seen->keys);
    *seen = (struct gpu_seen){0};
}
