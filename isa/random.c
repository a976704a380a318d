#include "isa/random.h"

/* splitmix64 */
uint64_t isa_random_next(struct isa_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t isa_random_below(struct isa_random *r, uint32_t n)
{
    return (uint32_t)((isa_random_next(r) >> 32) * n >> 32);
}

bool isa_random_one_in(struct isa_random *r, uint32_t n)
{
    return isa_random_below(r, n) == 0;
}
