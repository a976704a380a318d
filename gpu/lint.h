/* The linter over captures, whatever the GPU: jobs followed and looked at, nothing executed. */
#ifndef VITRAIL_GPU_LINT_H
#define VITRAIL_GPU_LINT_H

#include "gpu/capture.h"
#include "isa/rule.h"

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

/* What a family has. */
struct gpu_linter {
    /* Its rules about captures, or NULL when those of its instruction sets have them. */
    const struct isa_rule *(*rules)(uint32_t *count);
    /* Reads the capture to its end and reports each finding where it is met first: the same thing in the same
     * role is looked at once. Lists that cannot be followed are findings or are passed over: what a guest may
     * do wrong there is told by running it. 0; -EBADMSG: damaged; -ENOTSUP: of another GPU; -ENOMEM. */
    int (*capture)(struct capture_reader *reader, gpu_lint_fn found, void *data,
                   struct gpu_lint_summary *summary, struct util_error *error);
};
extern const struct gpu_linter vc4_linter, utgard_linter;

/* Keys that were met before: an open table that grows. A zeroed one is empty. */
struct gpu_seen {
    uint64_t *keys;
    size_t count, capacity; /* a power of two */
};
/* Whether the bytes are met for the first time; without memory false and *error -ENOMEM. */
bool gpu_seen_first(struct gpu_seen *seen, const void *bytes, size_t size, int *error);
void gpu_seen_finish(struct gpu_seen *seen);

#endif
