/* A process' program as host code: parts, each compiled from where the interpreter came often enough, and what is found from there
 * on. Results are the interpreter's, faults and fuel too. One thread at a time.
 *
 * Which parts there are depends on the program's run alone; so does what the counters say. */
#ifndef VITRAIL_GPU_LIBRESOC_PROCESS_CODE_H
#define VITRAIL_GPU_LIBRESOC_PROCESS_CODE_H

#include "gpu/libresoc/pages.h"
#include "isa/simple_v/interp.h"
#include "jit/engine.h"

#define LIBRESOC_PARTS 256u /* at most */

/* What there is of compiled code, and what had none. */
struct libresoc_process_code {
    struct jit_engine *engine; /* the caller's */
    uint64_t after;  /* instructions that the interpreter does until what it does often is compiled */
    uint32_t count;  /* halfwords of the program, and of what follows; owned: */
    uint16_t *part;  /* by halfword, that which may be entered there, plus 1; 0: none */
    uint8_t *known;  /* by halfword: what is known of it */
    uint32_t *steps; /* by halfword, of a VBLOCK its first: what the interpreter did there */
    struct jit_function *parts[LIBRESOC_PARTS];
    uint32_t part_count;
    uint64_t interpreted, then; /* instructions; and when the last part was compiled */
    struct util_error refused;  /* why a part could not be compiled; code 0: all could */
};

/* 0, -ENOMEM. `after` 0: the usual. */
int libresoc_process_code_create(const struct simple_v_program *program, struct jit_engine *engine,
                                 uint64_t after, struct libresoc_process_code **out);
void libresoc_process_code_destroy(struct libresoc_process_code *code); /* takes NULL */

/* simple_v_run, whose memory ports have to be copies from and to the pages. */
enum simple_v_fault libresoc_process_code_run(struct libresoc_process_code *code,
                                              const struct libresoc_pages *pages,
                                              const struct simple_v_run *run, struct simple_v_state *state,
                                              struct simple_v_report *report);

#endif
