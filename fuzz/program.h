/* Random and changed programs of an instruction set, as cases (subject.h): printed, assembled back, checked, linted,
 * interpreted, and executed another way, which must leave the same in the set's world (world/world.h): compiled, or by
 * somebody else (against.h). */
#ifndef VITRAIL_FUZZ_PROGRAM_H
#define VITRAIL_FUZZ_PROGRAM_H

#include "fuzz/subject.h"
#include "fuzz/world/world.h"

enum { FUZZ_PROGRAM_BYTES = 16384, FUZZ_PROGRAM_INPUTS = 256 };

/* What a case of programs begins with; then words. */
struct fuzz_program_head {
    uint16_t mode;            /* of the world; FUZZ_PROGRAM_ALL: each in turn */
    uint8_t level, optimised; /* of the host's levels; both FUZZ_PROGRAM_ALL: each */
    uint8_t first, inputs;    /* worlds, by their seeds; inputs 0: 256 */
    uint8_t changed;          /* not as a generator makes it */
    uint8_t reserved;
};
#define FUZZ_PROGRAM_ALL 0xff

struct fuzz_against;
/* `against` NULL: the translation; borrowed. 0, -ENOMEM, -EIO: LLVM does not start. */
int fuzz_program_create(const struct world_set *set, struct fuzz_against *against, struct fuzz_subject **out,
                        struct util_error *error);
/* A program that somebody wrote, tried in every way. -E2BIG, -EINVAL: no whole words. */
int fuzz_program_case(const struct world_set *set, const void *words, size_t bytes, struct fuzz_case *out);

/* What needs no execution: text and back, checker, linter (`stage` as isa_set's `lint` has it). NULL, or what is wrong: "" after a
 * message on standard error. */
const char *fuzz_program_look(const struct world_set *set, const void *words, uint32_t count, unsigned stage,
                              unsigned *breaches);

/* Turns bits of a program: the set's own way, or any. */
void fuzz_program_turn(const struct world_set *set, void *words, uint32_t count, uint64_t *seed);

#endif
