/* Random programs: random.c (programs, clauses, ports, constants), random_insn.c (instructions). */
#ifndef VITRAIL_ISA_BIFROST_RANDOM_INTERNAL_H
#define VITRAIL_ISA_BIFROST_RANDOM_INTERNAL_H

#include "isa/bifrost/asm.h"
#include "isa/bifrost/insn.h"
#include "isa/random.h"

#define BIFROST_NO_CONSTANT 255

/* A program under way. */
struct bifrost_maker {
    struct isa_random random;
    unsigned profile;
    struct bifrost_clause *clause; /* at hand */
    /* Of it: its last tuple has a branch, whose place is constant 0; a tuple with a texture's descriptor, and the constant
     * that has it. */
    bool branches;
    uint8_t descriptor_tuple, descriptor;
    bool blends;  /* its last tuple has BLEND */
    bool returns; /* a JUMP to where anything says */
    bool faults;  /* what faults will do, in the tuple at hand */
};

static inline uint32_t bifrost_below(struct bifrost_maker *m, uint32_t n)
{
    return isa_random_below(&m->random, n);
}
static inline bool bifrost_one_in(struct bifrost_maker *m, uint32_t n)
{
    return isa_random_one_in(&m->random, n);
}
/* The profile without the version. */
static inline unsigned bifrost_profile(const struct bifrost_maker *m)
{
    return m->profile & ~(unsigned)BIFROST_RANDOM_V7;
}

/* What does nothing that could be wrong: moves of what each tuple selects. */
void bifrost_random_moves(struct bifrost_clause *clause);
/* Fills both instructions of tuple n, whose ports and constants are there, beside moves. */
void bifrost_random_tuple(struct bifrost_maker *m, unsigned n);
/* A texture's descriptor, that nearly always is one. */
uint32_t bifrost_random_descriptor(struct bifrost_maker *m);

#endif
