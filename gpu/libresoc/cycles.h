/* What a core would need for a program: the operations of operations.h through a scoreboard, with what is worth printing of it. */
#ifndef VITRAIL_GPU_LIBRESOC_CYCLES_H
#define VITRAIL_GPU_LIBRESOC_CYCLES_H

#include "gpu/libresoc/operations.h"

/* Of one instruction of the program. */
struct libresoc_cost {
    uint64_t times, ops;
    uint64_t cycles; /* from the issue of what came before it to its own: the sum of all is the last issue */
};

struct libresoc_cycles {
    struct libresoc_core core;
    struct libresoc_scoreboard *board;      /* owned */
    const struct simple_v_program *program; /* borrowed */
    struct libresoc_cost *cost;             /* owned; by halfword of the program */
    uint64_t kinds[LIBRESOC_KINDS];
    uint64_t issued[LIBRESOC_ISSUE +
                    1];        /* cycles by the operations that were issued in them, up to the last issue */
    uint64_t last, last_count; /* cycle of the last issue, and operations in it */
    uint64_t instruction, instructions; /* the last that issued, plus 1; how many */
};

/* 0; -EINVAL: a parameter is out of range; -ENOMEM. The caller finishes it. */
int libresoc_cycles_init(struct libresoc_cycles *cycles, const struct libresoc_core *core,
                         const struct simple_v_program *program);
void libresoc_cycles_finish(struct libresoc_cycles *cycles);

/* The next operation, and when it does what. */
struct libresoc_when libresoc_cycles_take(struct libresoc_cycles *cycles, const struct libresoc_op *op,
                                          const struct libresoc_origin *origin);
/* After the last: the cycles of `issued` are complete. */
void libresoc_cycles_end(struct libresoc_cycles *cycles);

/* "integer", "load" */
const char *libresoc_kind_name(enum libresoc_kind kind);

#endif
