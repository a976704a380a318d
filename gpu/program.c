#include "gpu/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

/* Where something was found to be a program; the key is the host's address. */
struct place {
    _Atomic(struct gpu_program *) program; /* what stood there last, or NULL */
    _Atomic uint64_t job;                  /* the last that used it */
};

#define NEAR_BITS 5
#define NEAR                                                                                                 \
    (1u                                                                                                      \
     << NEAR_BITS) /* places found before all others: a draw's programs are often those of the one before */

struct gpu_programs {
    const struct gpu_program_kind *kind;
    struct util_maker maker;
    struct util_arena *arena;
    struct util_memo places, content; /* content: struct gpu_program by words */
    /* Instructions: held; and of all places that the job has used, whether they were known or not, for a
     * job's end must not depend on what is cached. */
    _Atomic uint64_t held, used;
    uint64_t job;
};

int gpu_programs_create(const struct gpu_program_kind *kind, struct gpu_programs **out)
{
    struct gpu_programs *p = calloc(1, sizeof *p);
    if (!p || util_arena_create(&p->arena)) {
        free(p);
        return -ENOMEM;
    }
    p->kind = kind;
    p->job = 1;
    util_maker_init(&p->maker);
    util_memo_init(&p->places, &p->maker, p->arena);
    util_memo_init(&p->content, &p->maker, p->arena);
    p->places.recalls = true;
    *out = p;
    return 0;
}

void gpu_programs_begin(struct gpu_programs *programs)
{
    programs->job++;
    atomic_store_explicit(&programs->used, 0, memory_order_relaxed);
}

bool gpu_programs_are_many(const struct gpu_programs *programs)
{
    return atomic_load_explicit(&programs->held, memory_order_relaxed) > programs->kind->many;
}

void gpu_programs_empty(struct gpu_programs *programs)
{
    bool made;
    for (struct gpu_program *p = NULL; (p = util_memo_next(&programs->content, p, &made));)
        programs->kind->destroy(p->program);
    util_memo_clear(&programs->places);
    util_memo_clear(&programs->content);
    util_arena_reset(programs->arena);
    atomic_store_explicit(&programs->held, 0, memory_order_relaxed);
    gpu_programs_begin(programs);
}

void gpu_programs_destroy(struct gpu_programs *programs)
{
    if (!programs)
        return;
    gpu_programs_empty(programs);
    util_arena_destroy(programs->arena);
    util_maker_destroy(&programs->maker);
    free(programs);
}

static void hold(struct gpu_programs *p, uint64_t insns)
{
    atomic_fetch_add_explicit(&p->held, insns, memory_order_relaxed);
}

/* ---- content ---- */

/* The program of these words; what was decoded of them is its own, or is destroyed. */
static int keep(struct gpu_programs *p, const void *words, const struct gpu_program_decoded *decoded,
                struct gpu_program **out)
{
    const struct util_memo_key key = {.head = words, .head_size = decoded->words * p->kind->word_bytes};
    enum util_make_status status;
    struct gpu_program *program = util_memo_get(&p->content, &key, sizeof *program, &status);

    if (status != UTIL_MAKING) {
        p->kind->destroy(decoded->program);
        *out = program;
        return program ? 0 : -ENOMEM;
    }
    program->program = decoded->program;
    program->words = util_memo_head(program);
    program->bytes = key.head_size;
    program->insns = decoded->insns;
    program->of = p;
    util_memo_init(&program->codes, &p->maker, p->arena);
    util_memo_init(&program->plans, &p->maker, p->arena);
    program->codes.recalls = program->plans.recalls = true; /* draws that follow one another share them */
    util_memo_end(&p->content, program, true);
    hold(p, decoded->insns + GPU_PROGRAM_PLACE);
    *out = program;
    return 0;
}

/* A program's length shows only when it is decoded, so growing copies are tried. */
static int take(struct gpu_programs *p, const uint8_t *at, uint64_t bytes, struct gpu_program **out,
                struct util_error *error)
{
    const struct gpu_program_kind *kind = p->kind;
    uint64_t there = UTIL_MIN(bytes / kind->word_bytes, (uint64_t)kind->most_words);
    struct gpu_program_decoded decoded;
    uint64_t count = UTIL_MIN(there, (uint64_t)kind->first_words);
    int status;

    for (;; count = UTIL_MIN(there, count * 16)) {
        void *words = malloc(count * kind->word_bytes);
        *error = (struct util_error){0};
        if (!words)
            return -ENOMEM;
        memcpy(words, at, count * kind->word_bytes);
        status = kind->decode(words, (uint32_t)count, &decoded, error);
        if (!status)
            status = keep(p, words, &decoded, out);
        free(words);
        if (status != -EBADMSG || count == there)
            return status;
    }
}

/* ---- places ---- */

static bool stands_at(const struct gpu_programs *p, const struct gpu_program *program, const uint8_t *at,
                      uint64_t bytes)
{
    return (p->kind->exact ? program->bytes == bytes : program->bytes <= bytes) &&
           !memcmp(at, program->words, program->bytes);
}

static struct place *place_of(struct gpu_programs *p, const uint8_t *at)
{
    const struct util_memo_key key = {.head = &at, .head_size = sizeof at};
    enum util_make_status status;
    struct place *place = util_memo_get(&p->places, &key, sizeof *place, &status);

    if (status == UTIL_MAKING) {
        hold(p, GPU_PROGRAM_PLACE);
        util_memo_end(&p->places, place, true);
    }
    return place;
}

/* Whether the job had not used the program at that place: of several threads one is told so. */
static bool is_new(struct place *place, struct gpu_program *program, uint64_t job)
{
    struct gpu_program *before = atomic_exchange(&place->program, program);
    return atomic_exchange(&place->job, job) != job || (before && before != program);
}

int gpu_programs_get(struct gpu_programs *p, const uint8_t *at, uint64_t bytes, struct gpu_program **out,
                     struct util_error *error)
{
    struct place *place = place_of(p, at);
    if (!place)
        return -ENOMEM;
    struct gpu_program *program = atomic_load_explicit(&place->program, memory_order_acquire);
    if (program && !stands_at(p, program, at, bytes))
        program = NULL;
    if (!program || atomic_load_explicit(&place->job, memory_order_relaxed) != p->job) {
        if (atomic_load_explicit(&p->used, memory_order_relaxed) > p->kind->most)
            return util_fail(error, -E2BIG, "a job with more than %u instructions of programs",
                             p->kind->most);
        int status = program ? 0 : take(p, at, bytes, &program, error);
        if (status)
            return status;
        if (is_new(place, program, p->job))
            atomic_fetch_add_explicit(&p->used, program->insns + GPU_PROGRAM_PLACE, memory_order_relaxed);
    }
    *out = program;
    return 0;
}

#define INSN_BYTES 256u /* of the host's, about */

void *gpu_program_plan(struct gpu_program *program, const struct util_memo_key *key, size_t size,
                       enum util_make_status *status)
{
    void *plan = util_memo_get(&program->plans, key, size, status);
    if (*status == UTIL_MAKING)
        hold(program->of, GPU_PROGRAM_PLACE + size / INSN_BYTES);
    return plan;
}

void *gpu_program_code(struct gpu_program *program, const struct util_memo_key *key, size_t size,
                       enum util_make_status *status)
{
    void *code = util_memo_get(&program->codes, key, size, status);
    if (*status == UTIL_MAKING)
        hold(program->of, GPU_PROGRAM_PLACE);
    return code;
}
