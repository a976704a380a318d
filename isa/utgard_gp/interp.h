/* The golden model: one vertex at a time, written from the notes and README.md, independently of the
 * translator. */
#ifndef VITRAIL_ISA_UTGARD_GP_INTERP_H
#define VITRAIL_ISA_UTGARD_GP_INTERP_H

#include "isa/utgard_gp/ports.h"
#include "isa/utgard_gp/program.h"

/* What the units gave, and what was fetched, in one instruction. */
struct utgard_gp_results {
    uint32_t acc[2], mul[2], pass, complex, fetch0[4];
};

/* The registers at the end, for tests and traces. */
struct utgard_gp_state {
    uint32_t reg[UTGARD_GP_REGISTERS][4];
    int32_t addr[4];
    struct utgard_gp_results last; /* of the last instruction */
};

/* Called before each instruction when tracing. */
typedef void (*utgard_gp_trace_fn)(void *data, uint32_t pc, const struct utgard_gp_insn *insn,
                                   const struct utgard_gp_state *state);

/* Runs the program for one vertex. The caller is in the guest floating-point environment (util/fpenv.h).
 * `fuel`: instructions that backward branches may repeat. `state`, when not NULL, gets the final registers.
 * Returns report->fault. */
enum utgard_gp_fault utgard_gp_run(const struct utgard_gp_program *program,
                                   const struct utgard_gp_ports *ports, uint32_t fuel,
                                   struct utgard_gp_state *state, struct utgard_gp_report *report,
                                   utgard_gp_trace_fn trace, void *data);

#endif
