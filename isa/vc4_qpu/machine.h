/* A QPU in the middle of a program: what a run that may stop and go on again keeps. The interpreter and
 * compiled code share this layout, so that either can go on where the other stopped. Plain data; the caller
 * owns it. */
#ifndef VITRAIL_ISA_VC4_QPU_MACHINE_H
#define VITRAIL_ISA_VC4_QPU_MACHINE_H

#include <stdalign.h>

#include "isa/vc4_qpu/ports.h"

#define VC4_QPU_IDLE UINT32_MAX

/* The registers, for tests and traces too. */
struct vc4_qpu_state {
    uint32_t a[32][16], b[32][16]; /* register files */
    uint32_t r[6][16];             /* accumulators */
    uint16_t n, z, c;              /* flags, one bit a lane */
};

/* A texture request in the making: what has been written to T, R, B, and the set-up words pulled. */
struct vc4_qpu_request {
    uint32_t coordinate[4][16]; /* S T R B */
    bool has[4];
    uint32_t params[4];
    unsigned param_count;
};

/* Requests whose result is not loaded yet: the slots that each takes. */
struct vc4_qpu_outstanding {
    uint8_t slots[VC4_QPU_TMU_SLOTS];
    unsigned count, taken;
};

struct vc4_qpu_machine {
    alignas(64) struct vc4_qpu_state state;
    struct vc4_qpu_request request[2];
    struct vc4_qpu_outstanding outstanding[2];
    uint32_t pc;                /* of the next instruction, its index */
    uint32_t branch_in, target; /* delay slots left before the jump, or VC4_QPU_IDLE */
    uint32_t end_in;            /* delay slots left before the end, or VC4_QPU_IDLE */
    uint32_t branch_pc;         /* the last branch executed, or VC4_QPU_IDLE */
    uint32_t uniforms;          /* guest address of the next uniform */
    uint32_t qpu_number;        /* 0..15 */
    uint32_t code;              /* guest address of instruction 0: links and absolute branches count from 0 */
    uint32_t slice;             /* instructions that backward branches may still repeat before a yield */
    uint32_t varyings_read;
    uint64_t executed; /* instructions that ran to their end */
    enum isa_numeric numeric;
};

/* Why a run stopped. All but the first two can go on. */
enum vc4_qpu_stop {
    VC4_QPU_STOP_END,       /* the program is over */
    VC4_QPU_STOP_FAULT,     /* see the report */
    VC4_QPU_STOP_YIELD,     /* the slice is used up: just behind a jump back */
    VC4_QPU_STOP_GATE,      /* before the instruction at `pc`, as the gate asked */
    VC4_QPU_STOP_INTERPRET, /* compiled code only: the interpreter should do the instruction at `pc` */
};

/* A program about to begin: everything zero but what is given. */
static inline void vc4_qpu_machine_begin(struct vc4_qpu_machine *machine, uint32_t code, uint32_t uniforms,
                                         uint32_t qpu_number)
{
    *machine = (struct vc4_qpu_machine){.code = code,
                                        .uniforms = uniforms,
                                        .qpu_number = qpu_number,
                                        .branch_in = VC4_QPU_IDLE,
                                        .end_in = VC4_QPU_IDLE,
                                        .branch_pc = VC4_QPU_IDLE};
}

/* What an instruction does that concerns other QPUs: bits of enum vc4_qpu_sync. */
enum vc4_qpu_sync {
    VC4_QPU_SYNC_UP = 1,   /* increments a semaphore */
    VC4_QPU_SYNC_DOWN = 2, /* decrements it */
    VC4_QPU_SYNC_TAKE = 4, /* acquires the mutex */
    VC4_QPU_SYNC_GIVE = 8  /* releases it */
};
/* A branch that links to one of these registers has none: it faults when it is taken. */
unsigned vc4_qpu_sync_of(const struct vc4_qpu_insn *insn);
/* Whether compiled code can go on with the machine: at the beginning of a block, or, `granted`, at the
 * instruction before which the program stopped. */
struct vc4_qpu_program;
bool vc4_qpu_can_enter(const struct vc4_qpu_program *program, const struct vc4_qpu_machine *machine,
                       bool granted);
/* Whether a block begins at instruction `pc`. */
bool vc4_qpu_is_leader(const struct vc4_qpu_program *program, uint32_t pc);
/* Whether it may write the address of a DMA transfer, which starts it. */
bool vc4_qpu_starts_dma(const struct vc4_qpu_insn *insn);

#endif
