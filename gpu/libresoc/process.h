/* A statically linked Linux program of RV64GC and Simple-V, loaded and run: memory, a stack as the ABI has it, system calls
 * (calls.h). One thread.
 *
 * Sources: the System V ABI and RISC-V's psABI; Linux' fs/binfmt_elf.c for what stands on the stack. Ours: addresses are those of
 * guest memory, from 0 on, of which page 0 is never mapped; the heap begins behind the last segment, the stack ends with memory,
 * mmap goes downwards from below the stack. The environment is empty, and AT_RANDOM's bytes are always the same: a program's run
 * depends on its file, its arguments and its memory's size alone. */
#ifndef VITRAIL_GPU_LIBRESOC_PROCESS_H
#define VITRAIL_GPU_LIBRESOC_PROCESS_H

#include "gpu/fault.h"
#include "gpu/libresoc/process_code.h"
#include "isa/simple_v/interp.h"

#define LIBRESOC_ARGUMENTS 4096u /* of a program, at most */

struct libresoc_process_options {
    uint64_t memory;             /* bytes, up to 4 GiB */
    uint64_t fuel;               /* instructions, and what system calls do (calls.h) */
    const char *const *argument; /* argv; borrowed while it is created */
    uint32_t arguments;
    /* What the program writes to its descriptors 1 and 2. 0 or -errno, which it gets. NULL: it goes nowhere. */
    int (*write)(void *data, int descriptor, const void *bytes, uint64_t size);
    void *data;
    struct jit_engine
        *engine;    /* what the program does often is compiled by it; borrowed. NULL: all is interpreted */
    uint64_t after; /* of struct libresoc_process_code; 0: the usual */
};

struct libresoc_process {
    struct libresoc_process_options options;
    struct libresoc_pages pages;
    struct simple_v_program *program;   /* owned: all that executes */
    struct libresoc_process_code *code; /* owned; NULL: without engine */
    struct simple_v_state state;
    uint64_t heap, brk;        /* where it begins, where it ends now */
    uint64_t stack, top;       /* its lowest byte; mmap stays below that */
    uint64_t work;             /* what calls have taken of the fuel */
    bool endless;              /* they took all */
    int status;                /* that it exited with, 0 to 255 */
    struct util_error refused; /* the call that ended it */
};

/* Loads an ELF file. 0 and *out, which the caller destroys; -EBADMSG: the file, with header and field in error; -E2BIG: it,
 * its arguments or its code do not fit; -EINVAL: memory's size; -ENOMEM or -errno. */
int libresoc_process_create(const uint8_t *elf, uint64_t size, const struct libresoc_process_options *options,
                            struct libresoc_process **out, struct util_error *error);
void libresoc_process_destroy(struct libresoc_process *process); /* takes NULL */

/* Who looks on, at what the interpreter does alone; each may be NULL. */
struct libresoc_watch {
    simple_v_trace_fn trace;
    void *trace_data;
    const struct simple_v_watch *elements;
};

/* Runs it to its end: true, and process->status. False: *fault says what it did. `watch` may be NULL. */
bool libresoc_process_run(struct libresoc_process *process, const struct libresoc_watch *watch,
                          struct gpu_fault *fault);

#endif
