/* The golden model: sixteen fragments lane by lane, written from the notes and README.md, independently of
 * the translator. */
#ifndef VITRAIL_ISA_UTGARD_PP_INTERP_H
#define VITRAIL_ISA_UTGARD_PP_INTERP_H

#include "isa/utgard_pp/ports.h"

struct utgard_pp_state {
    uint32_t reg[UTGARD_PP_REGISTERS][4][16];
    uint16_t live; /* lanes that were not discarded */
};

/* Called before each instruction when tracing, with the lanes that execute it. */
typedef void (*utgard_pp_trace_fn)(void *data, const struct utgard_pp_insn *insn, uint16_t lanes,
                                   const struct utgard_pp_state *state);

/* Runs the program for the fragments in `lanes`. The caller is in the guest floating-point environment
 * (util/fpenv.h). `fuel`: instructions that each lane's backward branches may repeat. *state gets the final
 * registers, of which RSW word 8 names the colour. Returns report->fault. */
enum utgard_pp_fault utgard_pp_run(const struct utgard_pp_program *program,
                                   const struct utgard_pp_ports *ports, uint16_t lanes, uint32_t fuel,
                                   struct utgard_pp_state *state, struct utgard_pp_report *report,
                                   utgard_pp_trace_fn trace, void *data);

#endif
