/* Guest programs of one instruction set, decoded once: found by the place where one stands, which is compared
 * with what stands there now, and by content, so that the same words at another place are the same program
 * and a rewritten program is a new one. With each is kept what its family finds out about it.
 *
 * A guest may bring programs without end. Between jobs the cache is emptied when it holds many; a job that
 * uses far too many has a fault, whatever of it was known before. */
#ifndef VITRAIL_GPU_PROGRAM_H
#define VITRAIL_GPU_PROGRAM_H

#include <stdint.h>

#include "util/error.h"
#include "util/memo.h"

struct gpu_programs;

/* A program as its instruction set decodes it. */
struct gpu_program_decoded {
    void *program;
    uint32_t words; /* that it has, of those given */
    uint32_t insns;
};

/* What an instruction set says of its programs. */
struct gpu_program_kind {
    uint32_t word_bytes;
    uint32_t most_words;  /* that a program has */
    uint32_t first_words; /* of most programs: so much is tried before more */
    bool exact;           /* the guest says how long a program is; otherwise decoding shows it */
    uint32_t behind;      /* words of zeros that end a program and are no part of it */
    uint32_t many,
        most; /* instructions, of which each place takes GPU_PROGRAM_PLACE: when to empty; of a job */
    /* Of `count` words, which are private and borrowed. 0; -EBADMSG where the end is not among them and more
     * may help; or another negative errno. *error says why, but for -ENOMEM. */
    int (*decode)(const void *words, uint32_t count, struct gpu_program_decoded *out,
                  struct util_error *error);
    void (*destroy)(void *program);
};
#define GPU_PROGRAM_PLACE 16u

/* Never changes but for what is added to the memos, and lives until the cache is emptied. */
struct gpu_program {
    void *program;     /* the kind's */
    const void *words; /* private copy */
    size_t bytes;      /* of them */
    uint32_t insns;
    uint32_t
        conflicts; /* runs of speculation (gpu/speculation.h) that failed, in a row; its jobs' thread's */
    struct util_memo codes; /* compiled code, by what it depends on besides the program: gpu_program_code */
    struct util_memo plans; /* what else is known */
    struct gpu_programs *of;
};

/* 0 and *out, owned by the caller, or -ENOMEM. `kind` is borrowed. */
int gpu_programs_create(const struct gpu_program_kind *kind, struct gpu_programs **out);
void gpu_programs_destroy(struct gpu_programs *programs); /* NULL is accepted; none may be in use */

/* The program at `at`, guest memory of which `bytes` may be read; of an exact kind they are the program's. 0
 * and *out; or what decoding gave, -ENOMEM, or -E2BIG for a job that uses too many, with *error. Thread-safe.
 */
int gpu_programs_get(struct gpu_programs *programs, const uint8_t *at, uint64_t bytes,
                     struct gpu_program **out, struct util_error *error);

/* util_memo_get of the program's codes. Compiled code is the engine's: a cache is emptied with each engine
 * that is renewed. */
void *gpu_program_code(struct gpu_program *program, const struct util_memo_key *key, size_t size,
                       enum util_make_status *status);

/* The same of its plans: `size` bytes are held as instructions are. */
void *gpu_program_plan(struct gpu_program *program, const struct util_memo_key *key, size_t size,
                       enum util_make_status *status);

/* Another job begins: what it uses counts from now on. No other thread may use the cache; likewise below. */
void gpu_programs_begin(struct gpu_programs *programs);
/* Whether the cache holds so many programs that it should be emptied. */
bool gpu_programs_are_many(const struct gpu_programs *programs);
/* Forgets all programs: none may be in use. */
void gpu_programs_empty(struct gpu_programs *programs);

#endif
