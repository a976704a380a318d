/* Midgard programs as LLVM IR, sixteen threads at a time, each on a path of its own. The meaning is README.md's;
 * the world is reached through IR ports, which mirror ports.h.
 *
 * Values are LLVMValueRef, of the function that the builder stands in: words i32x16, masks i1x16. Places and
 * numbers that are known while a program is translated are plain numbers, beside a value that is NULL then. */
#ifndef VITRAIL_ISA_MIDGARD_TRANS_H
#define VITRAIL_ISA_MIDGARD_TRANS_H

#include "isa/midgard/interp.h"
#include "isa/trans_ports.h"
#include "jit/diverge.h"

/* A writeout, as struct midgard_writeout has it: of `write`, which knows what is known of its target. */
struct midgard_ir_writeout {
    const struct midgard_write *write;
    LLVMValueRef color[4], depth, stencil, select, second[4];
};

/* IR emitters. `mask`: the lanes that execute, and of stores, atomics and writeouts are no helpers; loads may
 * do more, what is stored is for these only. They emit at the builder's position, and may leave it in another
 * block.
 *
 * Those that give a value return the lanes (i1x16) for which there is nothing, or NULL for none: of these the
 * lowest in `mask` faults. *address, NULL before, may become i64x16: guest addresses for the report.
 * What is loaded, out[], may be i32 instead of i32x16: the same for all lanes. */
struct midgard_ir_ports {
    void *ctx;
    enum isa_numeric numeric;
    LLVMValueRef (*attribute)(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                              LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address);
    LLVMValueRef (*varying)(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                            LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address);
    LLVMValueRef (*store_varying)(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                  LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address);
    LLVMValueRef (*image)(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                          LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address);
    LLVMValueRef (*store_image)(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address);
    LLVMValueRef (*image_address)(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                  LLVMValueRef mask, LLVMValueRef *i64x16, LLVMValueRef *address);
    isa_ir_uniform_fn uniform;
    isa_ir_load_fn load;
    isa_ir_store_fn store;
    isa_ir_atomic_fn atomic;
    /* MIDGARD_A_STORAGE to MIDGARD_A_GLOBAL_ID; out[] as of loads. */
    void (*argument)(void *ctx, struct jit_builder *b, enum midgard_argument which, LLVMValueRef out[4]);
    LLVMValueRef (*special)(void *ctx, struct jit_builder *b, struct isa_ir_number selector,
                            enum isa_type type, LLVMValueRef mask, LLVMValueRef out[4],
                            LLVMValueRef *address);
    LLVMValueRef (*tile)(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                         struct isa_ir_number sample, LLVMValueRef mask, LLVMValueRef out[4],
                         LLVMValueRef *address);
    LLVMValueRef (*store_tile)(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                               struct isa_ir_number sample, LLVMValueRef mask, const LLVMValueRef value[4],
                               LLVMValueRef *address);
    LLVMValueRef (*pack)(void *ctx, struct jit_builder *b, bool unpack, enum isa_type type, uint32_t format,
                         const LLVMValueRef in[4], LLVMValueRef mask, LLVMValueRef out[4],
                         LLVMValueRef *address);
    void (*cube)(void *ctx, struct jit_builder *b, const LLVMValueRef direction[3], LLVMValueRef out[2]);
    isa_ir_texture_fn texture;
    LLVMValueRef (*writeout)(void *ctx, struct jit_builder *b, const struct midgard_ir_writeout *what,
                             LLVMValueRef mask, LLVMValueRef *address);
    /* Component c of vec4 n of the uniforms that stand in r23 - n: i32, or i32x16. Asked at the program's
     * beginning, once for each that it names. */
    LLVMValueRef (*uniform_register)(void *ctx, struct jit_builder *b, uint32_t n, unsigned c);
};

#define MIDGARD_IR_GIVEN 3u
/* What threads begin with. */
struct midgard_ir_input {
    uint32_t uniform_count; /* vec4s that uniform_register has, at most 16 */
    LLVMValueRef address;   /* i64: of the program's first quadword */
    LLVMValueRef lanes;     /* i1x16, threads that there are; a constant of ones is cheapest */
    LLVMValueRef helpers;   /* i1x16, or NULL: none */
    LLVMValueRef named;     /* i1x16: lanes that a report of a fault names before others; NULL: none */
    /* i32x16: what r0 to r2 begin with, as blend shaders find colours there; NULL: 0. Not with `state`. */
    LLVMValueRef reg[MIDGARD_IR_GIVEN][4];
    LLVMValueRef fuel; /* i32: instructions that each lane's backward branches may repeat */
    /* Of programs with barriers: ptr to a struct midgard_state, from which the lanes go on and to which they
     * leave what they are at when all have ended or wait, as midgard_run does; midgard_start begins it. The
     * other members but `address` are not looked at then. NULL for all other programs. */
    LLVMValueRef state;
};

/* How threads ended. r24, r25 and r31, which are each bundle's own, are not among the registers: NULL, as are
 * components that the program does not name. */
struct midgard_ir_state {
    LLVMValueRef reg[MIDGARD_REGISTERS][4]; /* i32x16 */
    LLVMValueRef live;                      /* i1x16: were not discarded */
    LLVMValueRef executed;                  /* i64: instructions, for whatever lanes */
    LLVMValueRef fault_address;             /* i64: of a fault, or 0 */
    bool faults;                            /* the program can end in one */
    bool faults_at_once;                    /* likewise, without having gone round until fuel is used up */
};

/* Emits the program at the builder's position and leaves the builder behind its end. *fault becomes an i32: 0,
 * or a fault as isa_fault_pack has it, of the quadword at which the instruction stands. 0, -ENOMEM, -E2BIG
 * (a program that no engine would compile), -EINVAL (one with barriers, and no state): what was emitted is to be
 * thrown away then. */
int midgard_translate(struct jit_builder *b, const struct midgard_program *program,
                      const struct midgard_ir_ports *ports, const struct midgard_ir_input *input,
                      LLVMValueRef *fault, struct midgard_ir_state *state);

#define MIDGARD_SIDES           4u
#define MIDGARD_BRANCHING_SIDES JIT_DIVERGE_SIDES
/* The same in `count` sets of sixteen lanes side by side, instruction by instruction, so that one's latencies are the
 * others' time: of straight programs 1 to MIDGARD_SIDES, without helpers; of others 1 to MIDGARD_BRANCHING_SIDES,
 * whose code goes to the block `leave` where fuel may be used up, so that they are run one by one. Each set has
 * ports, input and state of its own; fuel is the first one's. 0; -EINVAL: not of such a program (it has barriers)
 * or input; -ENOTSUP: it could fault otherwise, or is too long: what was emitted is to be thrown away then. */
int midgard_translate_sides(struct jit_builder *b, const struct midgard_program *program,
                            const struct midgard_ir_ports *ports, const struct midgard_ir_input *input,
                            unsigned count, LLVMBasicBlockRef leave, struct midgard_ir_state *states);

#endif
