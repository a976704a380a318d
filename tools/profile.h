/* Where a capture's time goes. It is played once to count - draws, primitives, pixels, instructions - which
 * also compiles its programs, and then to be timed, with nothing in the way but a clock read where a tile
 * goes on to another draw. Of several timed plays each number is the smallest met.
 *
 * A segment is what one draw does in one tile; sums of segments are draws, tiles and programs. Times are
 * those of workers, so with threads they add up to more than the wall's. */
#ifndef VITRAIL_TOOLS_PROFILE_H
#define VITRAIL_TOOLS_PROFILE_H

#include <pthread.h>
#include <stdio.h>

#include "gpu/replay.h"
#include "gpu/observe.h"
#include "tools/codes.h"
#include "util/image.h"

#define PROFILE_NONE   UINT32_MAX
#define PROFILE_FAULTS 16u

enum profile_stage { PROFILE_FRAGMENT, PROFILE_VERTEX, PROFILE_COORDINATE };

/* A program, by its content and its use. */
struct profile_program {
    uint64_t hash;
    uint32_t address; /* where it was met first */
    enum profile_stage stage;
    bool branches; /* counts of fragment programs with branches were made by interpreting them */
    bool by_pc;    /* `count` is known: not of vertex and coordinate programs with branches */
    bool sampled;  /* `count` was scaled up from some of the primitives */
    uint32_t insn_count, word_count;
    const struct isa_set *set;
    uint8_t *words;  /* owned */
    uint64_t *count; /* owned: how often the instruction at a word was executed (16 lanes at once) */
    uint64_t executed;
    uint64_t ns; /* spent on primitives that it shades, or on vertices shaded by themselves; 0: not known */
};

struct profile_draw {
    uint32_t picture, number; /* from 1; number 0: a list that stands in the rendering list */
    struct gpu_observed_bin bin;
    uint64_t vertices, primitives, binned, pixels, blocks;
    uint64_t coordinate_instructions, vertex_instructions, fragment_instructions;
    uint64_t bin_ns, vertex_ns, fragment_ns;
};

/* Vertices shaded by themselves, before the draw that uses them; in the order of the play. */
struct profile_shading {
    uint32_t draw, program; /* or PROFILE_NONE */
    bool counts;            /* its picture does */
    uint64_t vertices, instructions, ns;
};

struct profile_segment {
    uint64_t first; /* the job's primitives before it */
    uint32_t draw, program;
    uint64_t primitives, pixels, blocks, instructions;
    uint64_t ns, vertex_ns; /* ns: without vertices */
};

/* A tile job. */
struct profile_job {
    uint32_t picture, batch, number;
    uint32_t x, y, size, samples; /* pixels */
    uint32_t width, height;       /* of the frame it draws */
    uint64_t move_ns;             /* clears, loads and stores */
    struct {
        struct profile_segment *at;
        uint32_t count, room;
    } segments;
};

struct profile {
    uint32_t first, last; /* pictures that count */
    uint32_t pictures;    /* that were played */
    uint32_t loops;
    uint32_t width, height; /* of the last picture */
    /* Of the device, over the pictures that count, in the fastest timed play: on the clock, of processors. */
    double wall_ms, cpu_ms;
    uint64_t vertices, vertex_instructions;
    struct gpu_fault faults[PROFILE_FAULTS]; /* the guest's, the first ones */
    unsigned fault_count;
    struct {
        struct profile_draw *at;
        uint32_t count, room;
    } draws;
    struct {
        struct profile_shading *at;
        uint32_t count, room;
    } shadings;
    struct {
        struct profile_program *at;
        uint32_t count, room;
    } programs;
    struct {
        struct profile_job *at; /* by batch and number */
        uint32_t count, room;
    } jobs;
};

/* Plays the capture 1 + loops times; `first` and `last` of *out say which pictures count (last 0: to the
 * end). 0 or a negative errno with a message; -ERANGE when there is no such picture. profile_finish in any
 * case. */
struct profile_request {
    const char *capture;
    const struct gpu_options *options;
    bool all;          /* the end of every rendering job is a picture */
    bool instructions; /* count those of fragment programs with branches, by interpreting them: all of a
                          small capture's primitives, fewer and fewer of a large one's */
    uint32_t loops;
    struct util_image *picture; /* receives the last picture that counts, where there is one; may be NULL */
    void (*progress)(void *data, uint64_t position, uint64_t size); /* may be NULL */
    void *progress_data;
};
int profile_run(const struct profile_request *request, struct profile *out, struct util_error *error);
void profile_finish(struct profile *profile);

/* ---- sums ---- */

uint64_t profile_job_ns(const struct profile_job *job);
uint64_t profile_job_instructions(const struct profile_job *job);
uint64_t profile_job_pixels(
    const struct profile_job *job); /* that its primitives cover: a pixel of two layers is two */
uint64_t profile_draw_ns(const struct profile_draw *draw);

/* One hot instruction. */
struct profile_hot {
    uint32_t program, pc;
    uint64_t count;
};
/* The instructions of all programs, most executed first; malloc'ed; NULL when memory is out or there is none.
 */
struct profile_hot *profile_hottest(const struct profile *profile, uint32_t *count);
/* Indices of the draws, costliest first; likewise. */
uint32_t *profile_costliest(const struct profile *profile);

/* ---- showing it ---- */

void profile_print(FILE *out, const struct profile *profile, const char *capture, bool all_draws,
                   bool all_instructions);
int profile_print_json(FILE *out, const struct profile *profile, const char *capture); /* 0, -ENOMEM */

/* The tiles of jobs that draw frames of the pictures' size, by cost: time, or instructions of fragment
 * programs. `picture` (may be NULL) stands dimmed behind. 0, -ENOENT when no tile counts, -ENOMEM. */
int profile_heat(const struct profile *profile, bool instructions, const char *capture,
                 const struct util_image *picture, struct util_image *out);

#endif
