/* Worlds that programs of an instruction set run in, interpreted and translated, which must leave the same. A
 * world is what a program reaches through the set's ports, and what it leaves, as one structure; compiled code
 * is given a pointer to it. Each set has a row, in the file of its name; one test runs all of them
 * (tests/diff/test_programs_diff.c), one fuzzer's source is made of each (tests/fuzz/fuzz_program.c).
 *
 * Rows are static; worlds belong to the caller. Everything but world_compile is called in the guest's
 * floating-point environment (util/fpenv.h). What differs is told on standard error. */
#ifndef VITRAIL_FUZZ_WORLD_H
#define VITRAIL_FUZZ_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/sets.h"
#include "jit/builder.h"
#include "jit/engine.h"

/* Lanes that ran, and of these those that ended in a fault, or were discarded; of sets whose instructions have any number of
 * elements those that were executed and had. */
struct world_outcome {
    uint64_t lanes, faulted, discarded, vectors;
};

/* What random programs are made of and bound to. Bounds leave out a few programs, so that they hold of any
 * number (test_programs_diff.c). */
struct world_random {
    uint64_t usual;    /* programs when none are asked for */
    uint32_t capacity; /* words of a program */
    unsigned profiles[12];
    unsigned optimised; /* programs of four */
    unsigned inputs;    /* worlds that a program runs in */
    /* At most one in so many: programs with bits turned that creation refuses, of all; those that are not
     * translated, 0: none. */
    unsigned refused, skipped;
    bool discards;                                             /* some lanes must be */
    void (*turn)(void *words, uint32_t count, uint64_t *seed); /* turns some bits; NULL: any */
};

/* A part of a world that somebody else is told of, or tells: `count` elements of so many bytes. */
struct world_field {
    const char *name;
    size_t at;
    unsigned bytes, count;
    unsigned is;
};
enum { WORLD_GIVEN = 1, WORLD_LEFT = 2 }; /* before a run; behind it */
#define WORLD_FIELD(type, member, element, what)                                                             \
    {#member, offsetof(type, member), element, sizeof(((type *)0)->member) / (element), what}

struct world_set {
    const struct isa_set *isa;
    size_t bytes;                     /* of a world */
    const struct world_field *fields; /* one without a name ends them */
    const char *const *modes;         /* ways to compute and to translate, by name; NULL ends them */
    /* A world that `program` starts in; `seed` decides all of it. */
    void (*fill)(void *world, const void *program, unsigned mode, uint64_t seed);
    /* Fills what follows from the fields that are given; NULL: nothing does. */
    void (*settle)(void *world, const void *program);
    /* The interpreter. */
    void (*run)(const void *program, unsigned mode, void *world);
    /* The translation, behind which the function returns. 0, -ENOTSUP (left to the interpreter), or an error. */
    int (*emit)(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef world);
    /* Whether two worlds are the same after a run that began with `input`. */
    bool (*same)(const void *program, unsigned mode, const void *input, const void *expected,
                 const void *got);
    void (*count)(const void *world, struct world_outcome *outcome); /* of one that was run; adds */
    bool (*returns)(const void *words, uint32_t count); /* the text of each instruction gives its words */
    /* Programs that random ones hardly are, as texts, NULL behind the last; worlds for each. */
    const char *const *texts;
    unsigned text_inputs;
    struct world_random random;
};

/* fuzz/world/<set>.c */
extern const struct world_set world_vc4_qpu, world_utgard_gp, world_utgard_pp, world_midgard, world_valhall,
    world_bifrost, world_simple_v;

/* By its set's name; NULL when it has none. */
const struct world_set *world_find(const char *name);
unsigned world_modes(const struct world_set *set);

/* Programs as one module. */
struct world_batch {
    const struct world_set *set;
    void *const *programs;
    unsigned count, mode;
    bool *translated; /* out: of each */
};
typedef void (*world_fn)(uint32_t index, void *world);
/* As jit_engine_get; `key` tells batches of one engine apart. The code lives as long as the engine. */
int world_compile(struct jit_engine *engine, const struct world_batch *batch, const uint64_t key[2],
                  world_fn *out, struct util_error *error);

/* Runs both over copies of `input`, and adds what came of them; false, and a message, when they differ. */
bool world_compare(const struct world_set *set, const void *program, unsigned mode, world_fn code,
                   uint32_t index, const void *input, struct world_outcome *outcome);

/* A program alone, translated by `engine` and interpreted in `inputs` worlds of its own; `number` tells programs of
 * one engine apart. False, and messages: the first world in which they differ, or why it is not translated.
 * Not *translated: it is left to the interpreter. */
bool world_agrees(const struct world_set *set, void *program, unsigned mode, struct jit_engine *engine,
                  uint64_t number, unsigned inputs, bool *translated, struct world_outcome *outcome);

/* ---- for rows ---- */

/* Every instruction of a program as text, by the set's disassembler, and back, are the same words; `exempt` (or NULL):
 * texts of which they need not be. False, and a message. */
typedef uint32_t (*world_disasm_fn)(const void *words, uint32_t count, uint32_t at, char *text);
bool world_returns(const struct isa_set *isa, world_disasm_fn disasm, const void *words, uint32_t count,
                   bool (*exempt)(const char *text));
/* Equal, or a NaN both. */
bool world_same_float(uint32_t x, uint32_t y);
/* Prints a line; false. */
bool world_differs(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
