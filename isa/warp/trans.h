/* Programs of Bifrost and Valhall as LLVM IR, sixteen threads at a time, each on a path of its own. The meaning is
 * README.md's; the world is reached through IR ports, which mirror ports.h; isa/trans_ports.h has the requests that
 * other sets make, too, and what values are. */
#ifndef VITRAIL_ISA_WARP_TRANS_H
#define VITRAIL_ISA_WARP_TRANS_H

#include "isa/trans_ports.h"
#include "isa/warp/interp.h"
#include "jit/diverge.h"

/* As struct warp_message has it: i32x16. `half`: the halves of value[] that are known as singles, f32x16, their NaNs of any
 * bits (isa/trans_op.h); the others are NULL. */
struct warp_ir_message {
    const struct warp_insn *insn;
    LLVMValueRef operand[3][2], value[WARP_MESSAGE_WORDS], half[WARP_MESSAGE_WORDS][2];
};

/* What all lanes have, where that is a constant; else `lanes`. */
struct isa_ir_number warp_ir_number(LLVMValueRef lanes);
/* The same as warp_message_attribute. */
bool warp_ir_message_attribute(struct jit_builder *b, const struct warp_ir_message *m,
                               struct isa_ir_attribute *out, LLVMValueRef *instance);

/* What a texture instruction asks for, of the first texture or of two the second, as far as that is no value of lanes:
 * handles where they are constants. */
void warp_texture_request(const struct warp_insn *insn, unsigned n, struct isa_ir_texture *out);

struct warp_ir_far {
    LLVMValueRef target;  /* i64x16 */
    LLVMValueRef back;    /* i64 */
    LLVMValueRef helpers; /* i1x16, or NULL: none */
};

/* *leave, of BLEND: the lanes that execute; may become fewer (ports.h). */
typedef LLVMValueRef (*warp_ir_message_fn)(void *ctx, struct jit_builder *b, const struct warp_ir_message *m,
                                           LLVMValueRef mask, LLVMValueRef out[WARP_MESSAGE_WORDS],
                                           LLVMValueRef *leave, LLVMValueRef *address);

/* IR emitters. `mask`: the lanes that execute, and of what others could see are no helpers; loads may do more, what is
 * stored is for these only. They emit at the builder's position, and may leave it in another block.
 *
 * Those that give a value return the lanes (i1x16) for which there is nothing, or NULL for none: of these the lowest in
 * `mask` faults. *address, NULL before, may become i64x16: guest addresses for the report. What is loaded, out[], may be
 * i32 instead of i32x16: the same for all lanes; it begins as zeros. */
struct warp_ir_ports {
    void *ctx;
    isa_ir_load_fn load;
    isa_ir_store_fn store;
    isa_ir_atomic_fn atomic;
    isa_ir_uniform_fn uniform;
    isa_ir_texture_fn texture;
    /* By the set's number. Asked once a block for each. */
    void (*special)(void *ctx, struct jit_builder *b, unsigned which, LLVMValueRef out[2]);
    warp_ir_message_fn message;
    /* Changes reg[] for the lanes of `mask`; *back becomes those that come back. */
    LLVMValueRef (*far)(void *ctx, struct jit_builder *b, const struct warp_ir_far *to, LLVMValueRef mask,
                        LLVMValueRef reg[WARP_REGISTERS], LLVMValueRef *back, LLVMValueRef *address);
    /* Word n of the uniforms: i32, or i32x16. */
    LLVMValueRef (*uniform_word)(void *ctx, struct jit_builder *b, uint32_t n);
};

/* What threads begin with. */
struct warp_ir_input {
    LLVMValueRef address; /* i64: of the program's first word */
    LLVMValueRef back;    /* i64: as struct warp_input has it; NULL: none */
    LLVMValueRef lanes;   /* i1x16, threads that there are; a constant of ones is cheapest */
    LLVMValueRef helpers; /* i1x16, or NULL: none */
    LLVMValueRef named;   /* i1x16: lanes that a report of a fault names before others; NULL: none */
    LLVMValueRef reg[WARP_REGISTERS]; /* i32x16, or NULL: 0. Not with `state` */
    /* No BLEND's descriptor asks for a blend shader: the port need not set *leave, and what is behind a BLEND is not
     * translated. */
    bool fixed_blends;
    LLVMValueRef fuel; /* i32: instructions that each lane's backward branches may repeat */
    /* Of programs with barriers: ptr to a struct warp_state, from which the lanes go on and to which they leave what
     * they are at when all have ended or wait, as warp_run does. The other members but `address` and `back` are not
     * looked at then. NULL for all other programs. */
    LLVMValueRef state;
};

/* How threads ended. Registers that the program does not name are NULL. */
struct warp_ir_state {
    LLVMValueRef reg[WARP_REGISTERS]; /* i32x16 */
    LLVMValueRef live, returned;      /* i1x16: were not discarded; went back */
    LLVMValueRef executed;            /* i64: instructions, for whatever lanes */
    LLVMValueRef fault_address;       /* i64: of a fault, or 0 */
    bool faults;                      /* the program can end in one */
    bool faults_at_once;              /* likewise, without having gone round until fuel is used up */
};

/* Emits the program at the builder's position and leaves the builder behind its end. *fault becomes an i32: 0, or a
 * fault as isa_fault_pack has it, of the word at which the instruction stands. 0, -ENOMEM, -E2BIG (a program that no
 * engine would compile), -EINVAL (one with barriers, and no state): what was emitted is to be thrown away then. */
int warp_translate(struct jit_builder *b, const struct warp_program *program,
                   const struct warp_ir_ports *ports, const struct warp_ir_input *input, LLVMValueRef *fault,
                   struct warp_ir_state *state);

#define WARP_SIDES           4u
#define WARP_BRANCHING_SIDES JIT_DIVERGE_SIDES
/* The same in `count` sets of sixteen lanes side by side, instruction by instruction, so that one's latencies are the
 * others' time: of programs that are straight (warp_is_straight) 1 to WARP_SIDES; of others 1 to WARP_BRANCHING_SIDES,
 * whose code goes to the block `leave` where fuel may be used up, so that they are run one by one. Each set has
 * ports, input and state of its own, all with helpers or none, with the same `fixed_blends` and the same uniforms; fuel
 * is the first one's. 0; -EINVAL: not of such inputs, or of a program that has barriers or goes elsewhere; -ENOTSUP: it could fault
 * otherwise, or is too long: what was emitted is to be thrown away then. */
int warp_translate_sides(struct jit_builder *b, const struct warp_program *program,
                         const struct warp_ir_ports *ports, const struct warp_ir_input *input, unsigned count,
                         LLVMBasicBlockRef leave, struct warp_ir_state *states);

#endif
