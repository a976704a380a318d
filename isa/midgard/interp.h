/* The golden model: sixteen threads lane by lane, written from README.md and the documents that it names,
 * independently of the translation. */
#ifndef VITRAIL_ISA_MIDGARD_INTERP_H
#define VITRAIL_ISA_MIDGARD_INTERP_H

#include "isa/midgard/ports.h"

/* What threads begin with. */
struct midgard_input {
    const uint32_t (*uniform)[4]; /* vec4s that stand in r23, r22, ..., at most 16 */
    uint32_t uniform_count;
    uint64_t address; /* of the program's first quadword: what r31 gives counts from it */
    uint16_t lanes;   /* threads that there are */
    uint16_t helpers; /* of these fragments that no primitive covers: they write nothing but registers */
    uint32_t fuel;    /* instructions that each lane's backward branches may repeat */
};

/* Sixteen threads between two barriers. The caller's; whole programs without barriers need one only for the
 * time of midgard_run. */
struct midgard_state {
    uint32_t reg[MIDGARD_REGISTERS][4][MIDGARD_LANES];
    uint32_t at[MIDGARD_LANES]; /* number of the instruction that a lane does next */
    uint32_t fuel[MIDGARD_LANES];
    uint64_t address;
    uint16_t running; /* lanes that have not ended */
    uint16_t waiting; /* of these, at a barrier */
    uint16_t live;    /* lanes that were not discarded */
    uint16_t helpers;
};

/* Called before each instruction when tracing, with the lanes that execute it. */
typedef void (*midgard_trace_fn)(void *data, const struct midgard_insn *insn, uint16_t lanes,
                                 const struct midgard_state *state);

/* Sets *state to the program's beginning. */
void midgard_start(const struct midgard_input *input, struct midgard_state *state);
/* The same, of a state that midgard_start was called for with the same uniforms, and with which nothing but the
 * program has run since: registers that it does not write are as they were. */
void midgard_start_again(const struct midgard_program *program, const struct midgard_input *input,
                         struct midgard_state *state);
/* Runs until all lanes have ended, or wait at a barrier: then state->running is not 0, and it is to be called
 * again once all threads of the workgroup wait or have ended. The caller is in the guest floating-point
 * environment (util/fpenv.h). Returns report->fault; report->executed counts from this call on. */
enum midgard_fault midgard_run(const struct midgard_program *program, const struct midgard_ports *ports,
                               struct midgard_state *state, struct midgard_report *report,
                               midgard_trace_fn trace, void *data);

#endif
