/* Checked arithmetic for sizes that a guest or a file can influence. Each returns false on overflow and then
 * leaves *out unspecified. Header only. */
#ifndef VITRAIL_UTIL_CHECKED_H
#define VITRAIL_UTIL_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool util_add(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}
static inline bool util_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* Whether [at, at + size) lies inside [0, limit). */
static inline bool util_in_range(uint64_t at, uint64_t size, uint64_t limit)
{
    return at <= limit && size <= limit - at;
}

#endif
