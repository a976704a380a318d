/* Random programs: random.c (structure), random_alu.c (bundles), random_memory.c (loads, stores, textures). */
#ifndef VITRAIL_ISA_MIDGARD_RANDOM_INTERNAL_H
#define VITRAIL_ISA_MIDGARD_RANDOM_INTERNAL_H

#include "isa/midgard/asm.h"
#include "isa/random.h"

/* r15 counts loops; of the others mostly few are used, so that what is written is read. */
enum { MIDGARD_RANDOM_COUNTER = 15, MIDGARD_RANDOM_FREE = 6 };

struct midgard_maker {
    struct isa_random random;
    unsigned profile;
    uint8_t *words;
    uint32_t at, limit; /* quadwords written, and that may be */
    uint32_t last;      /* where the instruction before stands; `at` when there is none */
    uint32_t left;      /* instructions to come */
    uint32_t branches;  /* still to come, at most: each parts the program, which costs a compiler most */
    /* A skip whose target is not known yet: where it stands, and how many instructions more it skips. */
    uint32_t skip_at, skips;
};

static inline uint32_t midgard_below(struct midgard_maker *m, uint32_t n)
{
    return isa_random_below(&m->random, n);
}
static inline bool midgard_one_in(struct midgard_maker *m, uint32_t n)
{
    return isa_random_one_in(&m->random, n);
}
/* One that may be written: 0 to 14. */
uint8_t midgard_some_register(struct midgard_maker *m);
/* A bundle of any units; `condition`: one of the first stage writes r31.w. */
void midgard_make_bundle(struct midgard_maker *m, struct midgard_insn *i, bool condition);
void midgard_make_memory(struct midgard_maker *m, struct midgard_insn *i);
void midgard_make_texture(struct midgard_maker *m, struct midgard_insn *i);
/* Gives the instruction its tag and writes it. */
void midgard_emit(struct midgard_maker *m, struct midgard_insn *i);

#endif
