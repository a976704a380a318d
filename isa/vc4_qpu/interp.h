/* The golden model: a scalar interpreter, lane by lane, written from the Guide's words (section 3) and the
 * numeric policy in README.md, independently of the translator. */
#ifndef VITRAIL_ISA_VC4_QPU_INTERP_H
#define VITRAIL_ISA_VC4_QPU_INTERP_H

#include "isa/vc4_qpu/ports.h"
#include "isa/vc4_qpu/program.h"

/* The registers after the program, for tests and traces. */
struct vc4_qpu_state {
    uint32_t a[32][16], b[32][16]; /* register files */
    uint32_t r[6][16];             /* accumulators */
    uint16_t n, z, c;              /* flags, one bit a lane */
};

/* Called before each instruction when tracing; may read the state. */
typedef void (*vc4_qpu_trace_fn)(void *data, uint32_t pc, const struct vc4_qpu_insn *insn,
                                 const struct vc4_qpu_state *state);

/* Runs `program` from its first instruction to its program end. The caller is in the guest floating-point
 * environment (util/fpenv.h). `state` (may be NULL) receives the final registers. Returns report->fault;
 * report is always filled. */
enum vc4_qpu_fault vc4_qpu_interp(const struct vc4_qpu_program *program, const struct vc4_qpu_start *start,
                                  const struct vc4_qpu_ports *ports, struct vc4_qpu_state *state,
                                  vc4_qpu_trace_fn trace, void *trace_data, struct vc4_qpu_report *report);

#endif
