/* Random numbers of the kinds that guests' programs meet. A state decides all that follow, on every machine. */
#ifndef VITRAIL_FUZZ_RANDOM_H
#define VITRAIL_FUZZ_RANDOM_H

#include <stdint.h>

#include "isa/random.h"
#include "util/bits.h"

static inline uint64_t random_next(uint64_t *state)
{
    struct isa_random r = {*state};
    uint64_t n = isa_random_next(&r);
    *state = r.state;
    return n;
}

/* Numbers of all kinds but denormals, which the ports of Mali's processors never give. */
static inline uint32_t random_normal(uint64_t *state)
{
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0x40000000,
                                       0x00800000, 0x7f7fffff, 0x3f000000, 0x40400000};
    uint32_t kind = random_next(state) % 8, x = (uint32_t)random_next(state);
    if (kind == 0)
        return special[x % UTIL_ARRAY_SIZE(special)];
    if (kind < 6)
        x = (x & 0x807fffff) | (120 + x % 16) << 23;
    return x & 0x7f800000 ? x : x & 0x80000000;
}

/* Singles of all kinds, pairs of halves, and any bits: denormals of every width. */
static inline uint32_t random_word(uint64_t *state)
{
    uint32_t kind = random_next(state) % 8, x = (uint32_t)random_next(state);
    return kind == 0   ? x
           : kind == 1 ? x & 0x807fffff
           : kind == 2 ? x & 0x83ff83ff
           : kind == 3 ? (x & 0x83ff83ff) | (12 + x % 8) << 10 | (12 + x / 8 % 8) << 26
                       : random_normal(state);
}

/* How many bits of a program are turned: a few, or so many that several things are wrong at once. */
static inline uint32_t random_turned(uint64_t *state)
{
    uint32_t most = random_next(state) % 8 ? 4 : 64;
    return 1 + random_next(state) % most;
}

#endif
