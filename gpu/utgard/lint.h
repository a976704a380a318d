/* What the files of Utgard's linter share. Internal to gpu/utgard/lint*.c. */
#ifndef VITRAIL_GPU_UTGARD_LINT_H
#define VITRAIL_GPU_UTGARD_LINT_H

#include "gpu/lint.h"
#include "gpu/utgard/inspect.h"
#include "gpu/utgard/vertex.h"
#include "isa/utgard_gp/program.h"

enum utgard_lint_rule {
#define LINT(name, severity, text, source) UTGARD_LINT_##name,
#include "gpu/utgard/lint_rules.inc"
    UTGARD_LINT_COUNT
};

#define UTGARD_LINT_DRAWS 16384u /* of a job that are remembered for its frame */

/* A draw of the PLBU, for when the PPs start: by then the driver has brought what its state names. */
struct utgard_lint_draw {
    uint32_t state, number;
};

/* Where the vertex programs of the job store their results: arrays, and whether the program stores them. */
struct utgard_lint_array {
    uint32_t address;
    bool stored;
};

struct utgard_lint {
    struct gpu_lint lint;
    struct utgard_device *device; /* lint.device */
    /* Of the job: */
    struct utgard_lint_draw *draws; /* UTGARD_LINT_DRAWS */
    uint32_t draw_count;
    struct utgard_lint_array *arrays; /* UTGARD_LINT_DRAWS */
    uint32_t array_count;
};

/* A finding at `address`, of `place`; the same of the same place is told once. */
void utgard_lint_tell(struct utgard_lint *l, enum utgard_lint_rule rule, const char *place, uint32_t address,
                      const char *detail, ...) __attribute__((format(printf, 5, 6)));
/* gpu_lint_program of `bytes` bytes of the set's words. */
void utgard_lint_program(struct utgard_lint *l, const char *set, const char *place, uint32_t address,
                         const void *words, size_t bytes);

/* lint_gp.c: the two lists of a job that starts now; NULL: that one is not started. */
void utgard_lint_lists(struct utgard_lint *l, bool vs, bool plbu);
/* lint_pp.c: the frame of a PP that starts now; `first`: of its job. */
void utgard_lint_frame(struct utgard_lint *l, unsigned pp, bool first);

#endif
