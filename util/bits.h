/* Bit fields, type punning and alignment: the vocabulary every decoder uses. Header only, no state. */
#ifndef VITRAIL_UTIL_BITS_H
#define VITRAIL_UTIL_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* `count` bits of `word` from bit `lo`; count 1..64, lo + count <= 64. */
static inline uint64_t util_bits(uint64_t word, unsigned lo, unsigned count)
{
    return (word >> lo) & (count >= 64 ? ~0ull : (1ull << count) - 1);
}

/* The low `count` bits of `value` as a two's complement number; count 1..32. */
static inline int32_t util_sext(uint32_t value, unsigned count)
{
    return (int32_t)(value << (32 - count)) >> (32 - count);
}

static inline float util_u2f(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint32_t util_f2u(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* Unaligned little-endian loads and stores (hosts are x86, so guests and hosts agree). */
static inline uint16_t util_load16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t util_load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t util_load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void util_store32(void *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void util_store64(void *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

#define UTIL_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define UTIL_MIN(a, b)     ((a) < (b) ? (a) : (b))
#define UTIL_MAX(a, b)     ((a) > (b) ? (a) : (b))

/* Rounds up to a multiple of `align`, a power of two; the caller guarantees no overflow. */
static inline uint64_t util_align(uint64_t v, uint64_t align)
{
    return (v + align - 1) & ~(align - 1);
}
static inline uint32_t util_div_up(uint32_t n, uint32_t d)
{
    return n / d + (n % d != 0);
}
static inline unsigned util_log2(uint32_t v)
{
    return 31u - (unsigned)__builtin_clz(v | 1u);
}
static inline uint32_t util_next_pow2(uint32_t v)
{
    return v <= 1 ? 1 : 1u << (util_log2(v - 1) + 1);
}

#endif
