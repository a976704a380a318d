/* Programs of stages as host code (isa/simple_v/trans.h): what a launch runs, and what it reaches. Internal to gpu/libresoc. */
#ifndef VITRAIL_GPU_LIBRESOC_STAGE_CODE_H
#define VITRAIL_GPU_LIBRESOC_STAGE_CODE_H

#include "gpu/libresoc/stage.h"
#include "jit/engine.h"

/* Host memory that compiled code reaches: at guest address `at`, `size` bytes from `host` on. */
struct libresoc_reach {
    uint64_t at, size, host;
};

/* Its own by number: (address - LIBRESOC_STACK_AT) / LIBRESOC_OWN_STEP. */
enum libresoc_reached {
    LIBRESOC_OWN_STACK,
    LIBRESOC_OWN_IN,
    LIBRESOC_OWN_OUT,
    LIBRESOC_OWN,
    LIBRESOC_GUEST = LIBRESOC_OWN,
    LIBRESOC_REACHED
};
#define LIBRESOC_OWN_STEP 0x10000u

/* A launch as compiled code has it: begins with the thread. */
struct libresoc_thread {
    struct simple_v_thread thread;
    struct libresoc_reach reach[LIBRESOC_REACHED];
    struct libresoc_readable readable;
};
typedef void (*libresoc_stage_fn)(struct libresoc_thread *thread);

/* The code of a program that stands at `address` and begins `entry` bytes behind it; NULL: it cannot be compiled, and is
 * interpreted. Thread-safe. */
struct jit_function *libresoc_stage_code(struct gpu_program *program, uint64_t address, uint64_t entry,
                                         struct jit_engine *engine);

#endif
