/* QPU programs as LLVM IR over 16 lanes. The meaning is README.md's; the world is reached through IR ports.
 * Registers become SSA values; every uniform read goes through the port, which may fold what it knows of the
 * draw. */
#ifndef VITRAIL_ISA_VC4_QPU_TRANS_H
#define VITRAIL_ISA_VC4_QPU_TRANS_H

#include "isa/vc4_qpu/numeric.h"
#include "isa/vc4_qpu/program.h"
#include "jit/builder.h"

/* A number for the keys of compiled code: another one whenever a program becomes other code than before. */
#define VC4_QPU_TRANS_VERSION 4

/* IR emitters. Lane values are i32x16 unless said otherwise; `mask` is i1x16 (lanes whose write condition
 * holds), NULL when unconditional. A NULL port makes vc4_qpu_translate return -ENOTSUP when the program needs
 * it. */
struct vc4_qpu_ir_ports {
    void *ctx;
    /* Scalar i32: the uniform word. `address` is i32, the guest byte address (used when the position is
     * dynamic); `word` is its index in the stream when analysis knows it, else VC4_QPU_NO_OFFSET. */
    LLVMValueRef (*uniform)(void *ctx, struct jit_builder *b, LLVMValueRef address, uint32_t word);
    /* The word at that place of the stream as float arithmetic takes it: 0xffc00000 if it is any NaN (README,
     * rule 1). Scalar i32. May be NULL: then code makes it of the word, as it does in exact mode. */
    LLVMValueRef (*uniform_number)(void *ctx, struct jit_builder *b, uint32_t word);
    void (*varying)(void *ctx, struct jit_builder *b, uint32_t n, LLVMValueRef *vary, LLVMValueRef *c);
    /* The caller promises that what `varying` returns, and ra15, hold no NaN other than 0xffc00000 (planes
     * made of such numbers by float arithmetic do not): saves two instructions a sum. */
    bool clean_varyings;
    void (*coordinates)(void *ctx, struct jit_builder *b, LLVMValueRef *x, LLVMValueRef *y);
    void (*flags)(void *ctx, struct jit_builder *b, LLVMValueRef *ms_mask, LLVMValueRef *rev_flag);
    void (*set_ms_mask)(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask);
    /* `sample` is the program's description (its param words are uniform indices); params are scalars i32.
     * Returns the i32x16 result at once; the translator keeps the FIFO order. */
    LLVMValueRef (*tmu)(void *ctx, struct jit_builder *b, const struct vc4_qpu_sample *sample,
                        uint32_t sample_index, LLVMValueRef s, LLVMValueRef t, LLVMValueRef r,
                        LLVMValueRef bias, LLVMValueRef *params);
    void (*tlb_stencil)(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask);
    void (*tlb_z)(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask);
    bool idle_zs; /* neither of these two changes anything: a side exit may stand behind them */
    void (*color_write)(void *ctx, struct jit_builder *b, bool all, LLVMValueRef value, LLVMValueRef mask);
    LLVMValueRef (*color_load)(void *ctx, struct jit_builder *b);
    LLVMValueRef (*coverage_load)(void *ctx, struct jit_builder *b);
    /* value: i32 scalar of lane 0 as written to the set-up register */
    void (*vpm_read_setup)(void *ctx, struct jit_builder *b, LLVMValueRef value);
    void (*vpm_write_setup)(void *ctx, struct jit_builder *b, LLVMValueRef value);
    LLVMValueRef (*vpm_read)(void *ctx, struct jit_builder *b);
    void (*vpm_write)(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask);
    /* Only for vc4_qpu_translate_machine, whose ports may end the function by a return (see there). */
    void (*at)(void *ctx, uint32_t pc); /* the instruction that is translated next */
    /* A request as the interpreter's port has it; registers that were not written are NULL. */
    void (*tmu_request)(void *ctx, struct jit_builder *b, unsigned unit, const LLVMValueRef reg[4],
                        const LLVMValueRef *params, unsigned param_count);
    LLVMValueRef (*tmu_load)(void *ctx, struct jit_builder *b, unsigned unit);
    void (*dma_address)(void *ctx, struct jit_builder *b, bool store, LLVMValueRef value);
    LLVMValueRef (*dma_status)(void *ctx, struct jit_builder *b, bool store, bool wait); /* i32 */
    void (*host_interrupt)(void *ctx, struct jit_builder *b, LLVMValueRef on);           /* i1 */
    LLVMValueRef (*dma_waits)(void *ctx, struct jit_builder *b); /* i1: stop before a DMA is started */
};

struct vc4_qpu_ir_start {
    LLVMValueRef uniforms;   /* i32 guest address of the stream */
    LLVMValueRef ra15, rb15; /* i32x16 or NULL (zero) */
    LLVMValueRef fuel;       /* i32 instructions that backward branches may repeat (README rule 13) */
    LLVMValueRef qpu_number; /* i32, or NULL (zero) */
    enum isa_numeric numeric;
};

/* Emits the program at the builder's position and leaves the builder after its end. *fault becomes an i32
 * value: 0, or a fault as isa_fault_pack has it (FUEL, PC and faults found during translation that depend on
 * the path). 0, -ENOTSUP (a port or feature is absent: run it in the interpreter), -ENOMEM. */
int vc4_qpu_translate(struct jit_builder *b, const struct vc4_qpu_program *program,
                      const struct vc4_qpu_ir_start *start, const struct vc4_qpu_ir_ports *ports,
                      LLVMValueRef *fault, struct util_error *error);

/* One of several runs of a program that stand side by side. */
struct vc4_qpu_ir_run {
    const struct vc4_qpu_ir_start *start;
    const struct vc4_qpu_ir_ports *ports;
    /* NULL, or (in all runs of a straight program the same) where they go, before the first effect of any of
     * them, when values turn up that code side by side leaves to that of one run. */
    LLVMBasicBlockRef side_exit;
    LLVMValueRef fault;    /* result, as *fault above */
    LLVMValueRef executed; /* result, i64: instructions from start to end; of no meaning after a fault */
    bool stops;            /* result: some path ends in a fault other than a branch's */
};

/* Whether the program is one block: every run of it executes the same instructions. */
bool vc4_qpu_is_straight(const struct vc4_qpu_program *program);

/* Emits `count` runs of the program that do not depend on one another. Those of a straight program are
 * emitted instruction by instruction in turn, so that one run's latencies are another's time; others one
 * after the other. Returns as vc4_qpu_translate does; the ports of all runs are called in program order, and
 * the calls for an instruction in the order of the runs. */
int vc4_qpu_translate_runs(struct jit_builder *b, const struct vc4_qpu_program *program,
                           struct vc4_qpu_ir_run *runs, unsigned count, struct util_error *error);

/* Emits a program that may stop and go on (machine.h), in the arithmetic of `numeric`: the body of a function
 * that takes a pointer to a struct vc4_qpu_machine and an i1 `granted`, and returns an i32: enum
 * vc4_qpu_stop, and for a fault enum vc4_qpu_fault << 8. It goes on at machine->pc, which must be where
 * vc4_qpu_can_enter says so. It stops before each instruction that vc4_qpu_sync_of names, and before those
 * that start a DMA while ports->dma_waits holds; when the program stands at such a one, `granted` says that
 * the instruction is to be done now, all that it does to others being done already. A port that finds a fault
 * stores machine->pc and returns from the function; the registers of the machine are then not those of that
 * moment. 0, -ENOTSUP, -ENOMEM. */
int vc4_qpu_translate_machine(struct jit_builder *b, const struct vc4_qpu_program *program,
                              LLVMValueRef machine, LLVMValueRef granted, enum isa_numeric numeric,
                              const struct vc4_qpu_ir_ports *ports, struct util_error *error);

/* Two runs of a program with loops, instruction by instruction in turn for as long as their branches agree;
 * where they part, the first goes on alone to its end, then the second. */
struct vc4_qpu_ir_pair {
    struct vc4_qpu_ir_run run[2]; /* start and ports of each; the starts have one fuel, uniforms, number */
    const struct vc4_qpu_ir_ports *alone; /* the ports of whichever goes on alone */
    void *ctx;
    /* Emits what makes `alone` stand for a run from here on: what the run has changed is passed on. */
    void (*adopt)(void *ctx, struct jit_builder *b, unsigned run);
    /* Emitted once, after every adoption and before the ports of `alone` are called. */
    void (*resume)(void *ctx, struct jit_builder *b);
    LLVMValueRef fault; /* result: the first run's, then the second's; `executed` is in the runs */
};

/* Whether a pair of runs ends as one run after the other does: nothing is written to the tile before the last
 * branch that may run out of fuel, and nothing but that faults, if vc4_qpu_ir_run's `stops` is false too. */
bool vc4_qpu_may_pair(const struct vc4_qpu_program *program);

/* Returns as vc4_qpu_translate does. */
int vc4_qpu_translate_pair(struct jit_builder *b, const struct vc4_qpu_program *program,
                           struct vc4_qpu_ir_pair *pair, struct util_error *error);

/* The final registers, for differential tests: when not NULL, filled with i32x16 values (files a and b,
 * r0..r5) and i1x16 flags, valid at the builder's final position. */
struct vc4_qpu_ir_state {
    LLVMValueRef a[32], b[32], r[6], n, z, c;
};
int vc4_qpu_translate_state(struct jit_builder *b, const struct vc4_qpu_program *program,
                            const struct vc4_qpu_ir_start *start, const struct vc4_qpu_ir_ports *ports,
                            LLVMValueRef *fault, struct vc4_qpu_ir_state *state, struct util_error *error);

#endif
