/* The golden model: sixteen threads lane by lane, written from README.md and the documents that it names,
 * independently of the translation. */
#ifndef VITRAIL_ISA_WARP_INTERP_H
#define VITRAIL_ISA_WARP_INTERP_H

#include "isa/warp/ports.h"

/* What threads begin with. */
struct warp_input {
    const uint32_t *uniform; /* words; outlive the threads. Those beyond are 0 */
    uint32_t uniform_count;
    uint64_t address;        /* of the program's first word */
    uint64_t back;           /* lanes that branch far to it have returned; 0: there is none */
    uint16_t lanes, helpers; /* threads that there are; of these fragments that no primitive covers */
    uint32_t fuel;           /* instructions that each lane's backward branches may repeat */
};

/* Sixteen threads between two barriers. The caller's. */
struct warp_state {
    uint32_t reg[WARP_REGISTERS][ISA_LANES];
    uint32_t at[ISA_LANES]; /* number of the instruction that a lane does next */
    uint32_t fuel[ISA_LANES];
    const uint32_t *uniform;
    uint32_t uniform_count;
    uint64_t address, back;
    uint16_t running;  /* lanes that have not ended */
    uint16_t waiting;  /* of these, at a barrier */
    uint16_t live;     /* lanes that were not discarded */
    uint16_t helpers;  /* they write nothing but registers; discarded lanes become helpers */
    uint16_t returned; /* lanes that have ended by going back */
};

/* Sets *state to the program's beginning, but for the registers, which the caller sets. */
void warp_start(const struct warp_input *input, struct warp_state *state);
/* Runs until all lanes have ended, or wait at a barrier: then state->running is not 0, and it is to be called again
 * once all threads of the workgroup wait or have ended. The caller is in the guest floating-point environment
 * (util/fpenv.h). Returns report->fault; report->executed counts from this call on. */
enum warp_fault warp_run(const struct warp_program *program, const struct warp_ports *ports,
                         struct warp_state *state, struct warp_report *report);
/* The same, and `trace` is told of each instruction before it is executed, in `lanes`. Temporaries are those of the
 * lanes that execute; they live during the call only. */
typedef void (*warp_trace_fn)(void *data, const struct warp_insn *insn, uint16_t lanes,
                              const struct warp_state *state, const uint32_t temporary[][ISA_LANES]);
enum warp_fault warp_run_traced(const struct warp_program *program, const struct warp_ports *ports,
                                struct warp_state *state, struct warp_report *report, warp_trace_fn trace,
                                void *data);

#endif
