/* The linter over captures, whatever the GPU: jobs followed and looked at, nothing executed. */
#ifndef VITRAIL_GPU_LINT_H
#define VITRAIL_GPU_LINT_H

#include "gpu/capture.h"
#include "gpu/device.h"
#include "gpu/memory.h"
#include "isa/rule.h"

struct isa_set;

/* Valid during the call. */
struct gpu_lint_finding {
    const struct isa_rule *rule;
    const char *detail; /* "" or more */
    const char *place;  /* static: what stands at `address`: "fragment program", "texture" */
    uint64_t job;       /* as the family counts them, from 1 */
    uint32_t draw;      /* of the job, from 1; 0: none */
    uint64_t address;   /* the GPU's */
    uint32_t pc;        /* instruction or word of a program, or UINT32_MAX */
    const char *line;   /* the instruction as text; "" */
};
typedef void (*gpu_lint_fn)(void *data, const struct gpu_lint_finding *finding);

struct gpu_lint_summary {
    uint64_t jobs, draws;
    uint64_t programs; /* that differ */
};

/* Keys that were met before: an open table that grows. A zeroed one is empty. */
struct gpu_seen {
    uint64_t *keys;
    size_t count, capacity; /* a power of two */
};
/* Whether the bytes are met for the first time; without memory false and *error -ENOMEM. */
bool gpu_seen_first(struct gpu_seen *seen, const void *bytes, size_t size, int *error);
void gpu_seen_finish(struct gpu_seen *seen);

struct gpu_lint_program;

/* A linter at work: what a family's own state begins with. */
struct gpu_lint {
    struct gpu_memory memory; /* the guest's, as it is at the write at hand */
    struct gpu_seen looked_at, found_before;
    struct gpu_lint_summary *summary; /* `jobs` and `draws` are the family's to count */
    struct gpu_device device;         /* over `memory`; zeroed when the family wants none */
    gpu_lint_fn found;                /* NULL: nobody hears of findings */
    void *data;
    /* Given: programs are told as they are met, and not looked at. */
    void (*program)(void *data, const struct gpu_lint_program *program);
    struct capture_counts frames; /* frame marks before the write at hand */
    int error;                    /* what ends the work: -ENOMEM */
    uint32_t draw;                /* at hand, of the job; 0: none */
};

/* What a family has. */
struct gpu_linter {
    const char *family; /* of struct gpu_info: whose captures it reads */
    /* Its rules about captures, or NULL when those of its instruction sets have them. */
    const struct isa_rule *(*rules)(uint32_t *count);
    size_t bytes;     /* of its state, zeroed */
    bool with_device; /* its registers are those that `write` leaves */
    /* Before the first write: 0 or negative errno. `end` is called in any case. */
    int (*begin)(struct gpu_lint *lint, const struct capture_info *info);
    void (*write)(struct gpu_lint *lint, uint32_t offset, uint32_t value); /* `draw` is 0 */
    void (*end)(struct gpu_lint *lint);
};
extern const struct gpu_linter vc4_linter, utgard_linter, mali_linter, libresoc_linter;

/* Reads the capture to its end and reports each finding where it is met first: the same thing in the same
 * role is looked at once. Lists that cannot be followed are findings or are passed over: what a guest may
 * do wrong there is told by running it. 0; -EBADMSG: damaged; -ENOTSUP: of another GPU; -ENOMEM. */
int gpu_lint_capture(const struct gpu_linter *linter, struct capture_reader *reader, gpu_lint_fn found,
                     void *data, struct gpu_lint_summary *summary, struct util_error *error);

/* Calls `met` for each program that a job names, as often as one does; the same walk, in which nothing is looked at. Its
 * `lint` says in which job, and after how many pictures. Codes as gpu_lint_capture. */
int gpu_lint_programs(const struct gpu_linter *linter, struct capture_reader *reader,
                      void (*met)(void *data, const struct gpu_lint_program *program), void *data,
                      struct util_error *error);

/* A finding of which job and draw are filled in here. The same rule about the same `what` - an address, a
 * program's hash - at the same pc and place is told once. */
void gpu_lint_tell(struct gpu_lint *lint, const struct gpu_lint_finding *finding, uint64_t what);

/* A program that is looked at. */
struct gpu_lint_program {
    struct gpu_lint *lint;
    const struct isa_set *set;
    const char *place;
    uint64_t address, what; /* what: of gpu_lint_tell */
    const void *words;
    uint32_t count;
};
/* An isa_lint_fn: `program` is a struct gpu_lint_program. */
void gpu_lint_found(void *program, const struct isa_finding *finding);
/* What the set's linter finds in it, whatever it is for, where its words are met for the first time. */
void gpu_lint_program(const struct gpu_lint_program *program);

#endif
