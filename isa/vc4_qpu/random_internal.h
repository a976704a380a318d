/* Random programs: instructions (random_insn.c) and their arrangement (random.c). */
#ifndef VITRAIL_ISA_VC4_QPU_RANDOM_INTERNAL_H
#define VITRAIL_ISA_VC4_QPU_RANDOM_INTERNAL_H

#include "isa/random.h"
#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/ports.h"

struct vc4_qpu_random_gen {
    struct isa_random random;
    enum vc4_qpu_random_profile profile;
    uint64_t *words;
    uint32_t count, capacity;
    struct vc4_qpu_insn window[3]; /* the last two instructions, and a candidate */
    uint32_t kept_a, kept_b; /* file registers that hold loop counters and links: never written by chance */
    unsigned files;          /* registers of each file that may be used: 32, or 16 in a threaded program */
    bool switches;           /* a thread switch is still to come */
    bool ending;             /* in the last three instructions: no inputs, no file register */
    unsigned depth;          /* of branches and loops; what touches the world stays at depth 0 */
    unsigned iterations;     /* of the loops around: fuel is finite */
    unsigned fuel;           /* backward branches that may still be taken */
    unsigned outstanding[2]; /* texture requests without their result */
    unsigned slots[2];       /* that they take, and those of results loaded since the unit was empty */
    unsigned varyings, vpm_reads, vpm_writes; /* left */
};

/* Appends an instruction as it is; the caller has made sure that it fits. */
void vc4_qpu_random_put(struct vc4_qpu_random_gen *g, const struct vc4_qpu_insn *insn);
void vc4_qpu_random_nop(struct vc4_qpu_random_gen *g);
/* Whether the candidate may come next. */
bool vc4_qpu_random_fits(struct vc4_qpu_random_gen *g, const struct vc4_qpu_insn *insn, bool direct);

/* What an instruction has to do; the rest is chance. UINT8_MAX where nothing is asked. */
struct vc4_qpu_random_want {
    uint8_t waddr; /* one unit writes this address, 32 or above */
    uint8_t raddr; /* read through file A or B */
    uint8_t sig;
    bool direct;      /* the write is a direct texture lookup */
    bool conditional; /* the write may have a condition */
};

/* Appends one instruction that does what is asked, after at most two nops where nothing else fits. */
void vc4_qpu_random_insn(struct vc4_qpu_random_gen *g, struct vc4_qpu_random_want want);

#endif
