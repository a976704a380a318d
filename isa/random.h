/* The numbers of random programs: a seed decides all of them, on every machine. */
#ifndef VITRAIL_ISA_RANDOM_H
#define VITRAIL_ISA_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct isa_random {
    uint64_t state; /* the seed, at first: any number */
};

uint64_t isa_random_next(struct isa_random *r);
/* 0..n-1; n >= 1. */
uint32_t isa_random_below(struct isa_random *r, uint32_t n);
/* True once in n. */
bool isa_random_one_in(struct isa_random *r, uint32_t n);

#endif
