/* The interpreter's state while a program runs, and how an instruction reads and writes beyond its own
 * arithmetic (interp_io.c). Internal to interp.c and interp_io.c. */
#ifndef VITRAIL_ISA_VC4_QPU_INTERP_RUN_H
#define VITRAIL_ISA_VC4_QPU_INTERP_RUN_H

#include "isa/vc4_qpu/interp.h"
#include "isa/vc4_qpu/interp_internal.h"

#define LANES     VC4_QPU_LANES
#define ALL_LANES 0xffffu
#define IDLE      VC4_QPU_IDLE

struct vc4_qpu_interp {
    const struct vc4_qpu_program *program;
    const struct vc4_qpu_ports *ports;
    struct vc4_qpu_report *report;
    struct vc4_qpu_state state;
    struct vc4_qpu_request request[2];
    struct vc4_qpu_outstanding outstanding[2];
    uint32_t qpu_number, uniforms, fuel, varyings_read;
    uint32_t pc;
    uint32_t branch_in, target; /* delay slots left before the jump, or IDLE */
    uint32_t end_in;            /* delay slots left before the end, or IDLE */
    uint32_t branch_pc;         /* the last branch executed, or IDLE */
    uint32_t code;              /* guest address of the program */
    bool slices;                /* the fuel is a slice: without it the program yields */
    bool exact;                 /* ISA_EXACT */
};

/* What one instruction has in hand. */
struct vc4_qpu_step {
    const struct vc4_qpu_insn *insn;
    uint32_t a[LANES], b[LANES];            /* read from file A, and file B or the small immediate */
    struct vc4_qpu_result result[2][LANES]; /* add, mul */
    uint16_t lanes[2];                      /* where the conditions hold */
    uint32_t varying_c[LANES], loaded[LANES];
    bool has_varying, has_loaded;
};

static inline enum vc4_qpu_fault vc4_qpu_interp_fail(struct vc4_qpu_interp *q, enum vc4_qpu_fault fault)
{
    q->report->fault = fault;
    return fault;
}

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        enum vc4_qpu_fault fault_ = (call);                                                                  \
        if (fault_)                                                                                          \
            return vc4_qpu_interp_fail(q, fault_);                                                           \
    } while (0)
/* Calls a port that returns a fault; an absent one is a fault of its own. */
#define PORT(name, ...)                                                                                      \
    TRY(q->ports->name ? q->ports->name(q->ports->ctx, __VA_ARGS__, q->report) : VC4_QPU_FAULT_UNSUPPORTED)

/* Whether something stands at a read address, 0..63 (rule 14). */
bool vc4_qpu_interp_readable(unsigned raddr);
/* Both files' operands, with what ports give them; of readable addresses. */
enum vc4_qpu_fault vc4_qpu_interp_read(struct vc4_qpu_interp *q, struct vc4_qpu_step *step);
/* The result of the add unit, or of the mul unit, goes where the instruction says. */
enum vc4_qpu_fault vc4_qpu_interp_write(struct vc4_qpu_interp *q, struct vc4_qpu_step *step, unsigned mul);
/* What the signal loads into r4, which it reaches after the writes. */
enum vc4_qpu_fault vc4_qpu_interp_load(struct vc4_qpu_interp *q, struct vc4_qpu_step *step);

#endif
