/* The golden model: a scalar interpreter, lane by lane, written from the Guide's words (section 3) and the
 * numeric policy in README.md, independently of the translator. */
#ifndef VITRAIL_ISA_VC4_QPU_INTERP_H
#define VITRAIL_ISA_VC4_QPU_INTERP_H

#include "isa/vc4_qpu/machine.h"
#include "isa/vc4_qpu/program.h"

/* Called before each instruction when tracing; may read the state. */
typedef void (*vc4_qpu_trace_fn)(void *data, uint32_t pc, const struct vc4_qpu_insn *insn,
                                 const struct vc4_qpu_state *state);

/* Runs `program` from its first instruction to its program end. The caller is in the guest floating-point
 * environment (util/fpenv.h). `state` (may be NULL) receives the final registers. Returns report->fault;
 * report is always filled. */
enum vc4_qpu_fault vc4_qpu_interp(const struct vc4_qpu_program *program, const struct vc4_qpu_start *start,
                                  const struct vc4_qpu_ports *ports, struct vc4_qpu_state *state,
                                  vc4_qpu_trace_fn trace, void *trace_data, struct vc4_qpu_report *report);

/* The same for a program that may stop on its way: runs from machine->pc on until one of the reasons of enum
 * vc4_qpu_stop, and leaves in *machine all that is needed to go on. `gate` (may be NULL) is asked before each
 * instruction and returns true to stop there; the first call of a run may be about the instruction at which
 * the last one stopped. `report` is filled when the program faults. */
typedef bool (*vc4_qpu_gate_fn)(void *data, uint32_t pc, const struct vc4_qpu_insn *insn);
enum vc4_qpu_stop vc4_qpu_interp_on(const struct vc4_qpu_program *program, struct vc4_qpu_machine *machine,
                                    const struct vc4_qpu_ports *ports, vc4_qpu_gate_fn gate, void *gate_data,
                                    vc4_qpu_trace_fn trace, void *trace_data, struct vc4_qpu_report *report);

#endif
