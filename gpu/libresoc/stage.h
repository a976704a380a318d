/* A stage of a draw - its vertex, fragment or blend program - and its launches: a program run once for up to 64 vertices or for a
 * tile of 8x8 pixels, by the ABI of SIMPLE_V.md 12.2 as README.md of this folder has it.
 *
 * What a launch has for itself is its own memory: a stack, a table that it reads and one that it writes, at addresses beyond all
 * guest memory. It may read guest memory, but for what the frame writes; it stores to its own memory alone. So launches do not
 * depend on each other, and any number of threads run them. A stage is immutable; a launch and its memory are the caller's. */
#ifndef VITRAIL_GPU_LIBRESOC_STAGE_H
#define VITRAIL_GPU_LIBRESOC_STAGE_H

#include <stdalign.h>

#include "gpu/libresoc/records.h"
#include "gpu/observe.h"
#include "gpu/program.h"
#include "isa/simple_v/interp.h"
#include "jit/engine.h"

#define LIBRESOC_LANES   64u
#define LIBRESOC_STREAMS 64u /* of a table, at most: each a number for every lane */
#define LIBRESOC_STACK   4096u

/* Addresses of a launch's own memory (ours). */
#define LIBRESOC_STACK_AT (1ull << 32)
#define LIBRESOC_IN_AT    (LIBRESOC_STACK_AT + 0x10000)
#define LIBRESOC_OUT_AT   (LIBRESOC_STACK_AT + 0x20000)
#define LIBRESOC_EXIT     (LIBRESOC_STACK_AT + 0x30000) /* what x1 is: who goes there is done */

typedef uint32_t libresoc_stream[LIBRESOC_LANES];

struct libresoc_local {
    alignas(64) uint8_t stack[LIBRESOC_STACK]; /* zero where a launch begins */
    alignas(64) libresoc_stream in[LIBRESOC_STREAMS];
    alignas(64) libresoc_stream out[LIBRESOC_STREAMS];
};

/* Guest memory that a frame writes: its images and its heap. */
#define LIBRESOC_WRITTEN 3u
struct libresoc_written {
    struct {
        uint64_t from, to;
    } span[LIBRESOC_WRITTEN]; /* empty ones: from == to */
};
/* Whether any of [address, address + size) is. */
bool libresoc_is_written(const struct libresoc_written *written, uint64_t address, uint64_t size);

/* Guest memory that programs may read: what is left, in pieces by address; those that there are not begin at the end of all numbers. */
#define LIBRESOC_READABLE (LIBRESOC_WRITTEN + 1)
struct libresoc_readable {
    uint64_t from[LIBRESOC_READABLE], to[LIBRESOC_READABLE];
};

struct libresoc_stage {
    enum libresoc_stage_kind kind;
    const struct gpu_memory *memory;
    const struct libresoc_written *written;
    struct libresoc_readable readable; /* of `memory` */
    struct simple_v_program program;   /* where it stands; its arrays are the cache's */
    const struct gpu_program *cached;
    struct jit_function *code; /* NULL: it is interpreted */
    uint64_t entry, uniforms;
    uint64_t
        fuel; /* of a launch: instructions, of which those with elements count more (isa/simple_v/context.h) */
    const struct gpu_host *host; /* who may cancel it; NULL: nobody */
};

struct libresoc_launch {
    struct libresoc_local *local;
    uint32_t in_bytes, out_bytes; /* of the tables, that the program may reach */
    uint64_t number;              /* x4 */
    uint64_t lanes, mask;         /* x12, x9 */
    uint64_t place, flags;        /* x16, x17 */
    uint64_t fuel;                /* the stage's bound holds, too */
    simple_v_trace_fn trace;      /* NULL: none */
    void *trace_data;
    const struct simple_v_watch *watch; /* beside a trace; NULL: none */
    /* Of the run: */
    uint64_t left;            /* x9 */
    uint64_t executed, burnt; /* instructions; fuel */
};

/* Programs of the set, for gpu_programs_create. */
extern const struct gpu_program_kind libresoc_program_kind;

/* The stage of a program's record; the rest of *out is the caller's. `engine`: NULL to interpret. False and *fault. Thread-safe. */
bool libresoc_stage_take(struct gpu_programs *programs, struct jit_engine *engine,
                         const struct libresoc_program_record *record, struct libresoc_stage *out,
                         struct gpu_fault *fault);

/* Its program, told. */
struct gpu_observed_program libresoc_stage_observed(const struct libresoc_stage *stage);

/* Runs a launch. Its tables are filled; the stack is made zero here. False and *fault: the program did something wrong; what it has
 * left is nobody's. */
bool libresoc_stage_run(const struct libresoc_stage *stage, struct libresoc_launch *launch,
                        struct gpu_fault *fault);

#endif
