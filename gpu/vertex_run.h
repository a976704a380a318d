/* A draw's vertices in batches of 16, from attribute arrays through a program to varying arrays: by compiled
 * code (vertex_ir.h) or an interpreter, in parallel where their order does not show.
 *
 * A family's stage begins with struct gpu_vertex_stage, so that what its program reaches stands behind it.
 * The stage and all that it names are borrowed and do not change while it runs. */
#ifndef VITRAIL_GPU_VERTEX_RUN_H
#define VITRAIL_GPU_VERTEX_RUN_H

#include <stddef.h>

#include "gpu/array.h"
#include "gpu/host.h"
#include "jit/engine.h"
#include "util/pool.h"

/* What a draw's arrays hold; format NONE: the program does not use it, or there is none. */
struct gpu_vertex_layout {
    struct gpu_array_form attribute[GPU_ARRAYS], varying[GPU_ARRAYS];
};

struct gpu_vertex_stage {
    struct jit_function *function;                               /* a gpu_vertex_fn; NULL: interpret */
    uint32_t fuel;                                               /* instructions that each lane may repeat */
    uint32_t insn_count;                                         /* of the program */
    struct gpu_vertex_layout layout;                             /* by which its code is looked up */
    struct gpu_array attribute[GPU_ARRAYS], varying[GPU_ARRAYS]; /* that the layout has */
};

/* What compiled code is given beside the stage. */
struct gpu_vertex_args {
    void *own;          /* a worker's memory (struct gpu_vertex_draw) */
    uint32_t fault[16]; /* of each lane: 0, or of isa_fault_pack */
    uint32_t fuel;
    /* Quick code has arrays fetched and stored by these, through the two tables. */
    void (*fetch)(const struct gpu_vertex_stage *stage, uint32_t first, uint32_t lanes,
                  uint32_t (*in)[4][16]);
    void (*store)(const struct gpu_vertex_stage *stage, uint32_t first, uint32_t lanes,
                  const uint32_t (*out)[4][16]);
    uint32_t (*in)[4][16], (*out)[4][16];
};
/* Shades `batches` batches of 16 vertices from `first` on. Lanes beyond `last` are that one's vertex again.
 * Returns how many ended well; the next one has fault[]. */
typedef uint32_t (*gpu_vertex_fn)(struct gpu_vertex_args *args, const struct gpu_vertex_stage *stage,
                                  uint32_t first, uint32_t batches, uint32_t last);

struct gpu_vertex_draw {
    const struct gpu_vertex_stage *stage;
    const struct gpu_host *host;
    struct util_pool *pool; /* NULL: on the caller */
    uint32_t vertices;
    /* Shades one batch without code: `in` to `out`, which begins as zeros, and *fault a lane. */
    void (*interpret)(const struct gpu_vertex_stage *stage, const uint32_t (*in)[4][16], uint32_t lanes,
                      uint32_t (*out)[4][16], uint32_t fault[16]);
    /* Memory that each worker's code has for itself, on 64 bytes, filled before each batch; 0: none. */
    size_t own_bytes;
    void (*fill)(const struct gpu_vertex_stage *stage, void *own);
    /* Afterwards, of -EFAULT: the first vertex that faulted, and its fault as it is packed. Batches behind it
     * may be shaded or not. */
    uint32_t faulted, fault;
};

/* 0, -EFAULT or -ENOMEM. Ends early, with 0, when the host is cancelled. */
int gpu_vertex_run(struct gpu_vertex_draw *draw);

#endif
