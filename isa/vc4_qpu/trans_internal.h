/* What the translation files share while one program becomes IR. See trans.h for the contract. */
#ifndef VITRAIL_ISA_VC4_QPU_TRANS_INTERNAL_H
#define VITRAIL_ISA_VC4_QPU_TRANS_INTERNAL_H

#include "isa/vc4_qpu/ports.h"
#include "isa/vc4_qpu/trans.h"

#define TRANS_MAX_INSNS (1u << 14)  /* longer programs are the interpreter's */
#define TRANS_NAN       0xffc00000u /* the one NaN (README, rule 1) */
#define TRANS_CHOICES   6           /* constants a register is known to be one of */

/* What a value has still to go through. A product of it is the same either way: what would be +0 and is a
 * NaN or -0 makes a NaN or a zero, and so +0 at last. */
enum vc4_qpu_trans_raw {
    TRANS_RAW_PRODUCT, /* what is a NaN or -0 is to be +0 */
    TRANS_RAW_NAN,     /* NaNs are to be the one NaN */
};

/* What holds of a float as far as all fits that was taken for granted. */
enum vc4_qpu_trans_sure {
    TRANS_UNSURE,
    TRANS_ORDERED, /* no NaN */
    TRANS_FINITE,
};

/* What one register holds between two writes: a node that never changes except for the views that are made of
 * it on demand. Nodes live as long as the translation; those of one block are not used in another. */
struct vc4_qpu_value {
    LLVMValueRef i;       /* i32x16; NULL until asked for */
    LLVMValueRef f;       /* f32x16, the same bits; NULL until asked for */
    LLVMValueRef scalar;  /* i32, when all lanes hold the same, else NULL */
    uint32_t uniform;     /* the scalar is the uniform of that number, counted from 1; 0: it is none */
    LLVMValueRef unorm;   /* i32x16 c in 0..255 when this is the float c / 255 of an unpack, else NULL */
    LLVMValueRef operand; /* f32x16 fit for float arithmetic; NULL until asked for */
    LLVMValueRef factor;  /* the same with any NaNs */
    LLVMValueRef raw;     /* f32x16 from which f follows when asked for, as `raw_is` says; else NULL */
    enum vc4_qpu_trans_raw raw_is;
    LLVMValueRef loose; /* trans_loose.c: f32x16 where it differs from the operand or raw; else NULL */
    enum vc4_qpu_trans_sure sure; /* of the loose view, as of what stands for it */
    bool unbounded;               /* may be infinite: a reciprocal, or a product with one */
    bool clean;                   /* holds no NaN but TRANS_NAN */
    bool opaque;                  /* LLVM cannot find out that it is a constant */
    bool positive;                /* the sign bit is known to be clear */
    bool known;                   /* all lanes hold `imm` */
    uint32_t imm;
    LLVMValueRef choice; /* i1x16: `imm` in these lanes, what `old` holds in the others; else NULL */
    struct vc4_qpu_value *old;
    unsigned depth; /* of choices upon one another */
    bool listed;    /* each lane holds one of is_imm */
    uint8_t is_count;
    uint32_t is_imm[TRANS_CHOICES];
    LLVMValueRef is[TRANS_CHOICES]; /* i1x16: the lanes that hold that constant, as far as asked for */
};

/* How the flags follow from an operation; made into masks only when something reads them. */
struct vc4_qpu_trans_flags {
    LLVMValueRef n, z, c; /* i1x16; NULL: not made yet */
    bool is_sum;          /* of floats, in fast mode: Z and N compare it with 0 */
    bool is_add;
    uint8_t op;
    struct vc4_qpu_value *result, *x, *y;
};

enum { TRANS_A = 0, TRANS_B = 32, TRANS_R = 64, TRANS_R4 = 68, TRANS_R5 = 69, TRANS_REGS = 70 };

/* What a register may hold at some point of the program. */
enum vc4_qpu_trans_fact_is {
    TRANS_NOTHING,   /* the point is never reached */
    TRANS_CONSTANTS, /* one of `imm` */
    TRANS_NUMBER,    /* any bits but NaNs other than the one NaN */
    TRANS_ANYTHING
};
struct vc4_qpu_trans_fact {
    uint8_t is, count;
    uint32_t imm[TRANS_CHOICES];
    uint32_t name; /* registers that hold the same have the same, within a block */
};

/* Where a register that holds one of few constants passes its masks from block to block. */
struct vc4_qpu_trans_slots {
    unsigned count; /* 0: it does not */
    unsigned rest;  /* this one's mask is what the others leave: it has no slot */
    uint32_t imm[TRANS_CHOICES];
    LLVMValueRef slot[TRANS_CHOICES]; /* of i1x16 */
};

/* Texture unit: the request being set up, and results not yet loaded. */
struct vc4_qpu_trans_tmu {
    LLVMValueRef reg[4]; /* S T R B as written */
    LLVMValueRef params[4];
    unsigned param_count;
    struct vc4_qpu_value *results[VC4_QPU_TMU_SLOTS];
    uint8_t slots[VC4_QPU_TMU_SLOTS]; /* that each of them takes */
    unsigned result_count, slots_taken;
};

struct vc4_qpu_trans {
    struct jit_builder *b;
    const struct vc4_qpu_program *program;
    const struct vc4_qpu_ir_start *start;
    const struct vc4_qpu_ir_ports *ports;
    struct util_error *error;
    int failed; /* first negative errno; emission goes on harmlessly */
    struct vc4_qpu_trans_chunk *chunks;
    struct vc4_qpu_value spare; /* stands in for a node when memory is out */
    struct vc4_qpu_value *zero;

    /* State at the current instruction. A NULL register is in its slot. */
    struct vc4_qpu_value *regs[TRANS_REGS];
    bool dirty[TRANS_REGS]; /* differs from the slot */
    struct vc4_qpu_trans_flags flags;
    bool flags_dirty;
    LLVMValueRef uniforms;  /* i32; NULL: in its slot */
    uint32_t uniform_bytes; /* taken since */
    uint32_t varyings;      /* read so far */
    struct vc4_qpu_trans_tmu tmu[2];
    unsigned fired[2]; /* requests of each unit by this instruction */
    bool stopped;      /* nothing after this point of the block runs */

    /* The current instruction. */
    uint32_t pc;
    const struct vc4_qpu_insn *insn;
    uint32_t uniform_word;                                        /* of the next uniform that it takes */
    struct vc4_qpu_value *uniform_read, *varying_read, *vpm_read; /* taken once an instruction */
    struct vc4_qpu_value *varying_c;                              /* for r5, before the writes */

    /* Programs of several blocks keep registers in stack slots between blocks; LLVM makes them values. */
    bool straight;               /* one block: no slots, no control flow */
    bool exact;                  /* ISA_EXACT */
    LLVMBasicBlockRef side_exit; /* vc4_qpu_ir_run's, before the first effect */
    LLVMValueRef *fit;           /* with it, of all runs: the lanes in which all fits so far */
    uint8_t *exactly;            /* with it: trans_loose.c, whose results are wanted bit by bit; or NULL */
    bool masks;                  /* values that are one of few constants are kept as masks */
    struct vc4_qpu_trans_fact *facts; /* per block TRANS_REGS, at its beginning; NULL: nothing is known */
    struct vc4_qpu_trans_slots choices[TRANS_REGS];
    uint32_t number; /* of the block at hand */
    LLVMValueRef slots[TRANS_REGS], flag_slots[3], uniforms_slot, fuel_slot, fault_slot, executed_slot;
    LLVMValueRef entry_end;                     /* terminator of the block in which slots are initialised */
    LLVMBasicBlockRef *blocks, *taken_at, exit; /* taken_at: where a block's taken branch goes on */
    bool stops;                                 /* some path ends in a fault of an instruction */
    uint32_t *varyings_at; /* per block: varyings read before it, VC4_QPU_NO_OFFSET unknown yet */
    LLVMValueRef fault;    /* straight programs: the result */
    LLVMValueRef executed; /* likewise: instructions */
    LLVMValueRef taken;    /* of the block's branch: i1, NULL for always */
    /* trans_machine.c; NULL: the program runs from its beginning to its end */
    struct vc4_qpu_trans_machine *machine;
};

/* trans_value.c */
void vc4_qpu_trans_free_values(struct vc4_qpu_trans *t);
void vc4_qpu_trans_fail(struct vc4_qpu_trans *t, int code, const char *what); /* keeps the first */
struct vc4_qpu_value *vc4_qpu_trans_new_value(struct vc4_qpu_trans *t);       /* a node of zeros */
struct vc4_qpu_value *vc4_qpu_trans_int(struct vc4_qpu_trans *t, LLVMValueRef i);
struct vc4_qpu_value *vc4_qpu_trans_float(struct vc4_qpu_trans *t, LLVMValueRef f, bool clean, bool opaque);
struct vc4_qpu_value *vc4_qpu_trans_raw(struct vc4_qpu_trans *t, LLVMValueRef raw, enum vc4_qpu_trans_raw is);
struct vc4_qpu_value *vc4_qpu_trans_scalar(struct vc4_qpu_trans *t, LLVMValueRef i32, bool opaque);
struct vc4_qpu_value *vc4_qpu_trans_imm(struct vc4_qpu_trans *t, uint32_t imm);
LLVMValueRef vc4_qpu_trans_i(struct vc4_qpu_trans *t, struct vc4_qpu_value *v);
LLVMValueRef vc4_qpu_trans_f(struct vc4_qpu_trans *t, struct vc4_qpu_value *v);
/* The value as an operand of float arithmetic: NaNs made the one NaN, and nothing that LLVM could fold. LLVM
 * would fold constants to other NaNs than the hardware makes, keep denormals that it flushes, and drop x * 1
 * or x + -0 which flush them; hiding that an operand is constant takes it the chance. */
LLVMValueRef vc4_qpu_trans_operand(struct vc4_qpu_trans *t, struct vc4_qpu_value *v);
/* The same for what makes all NaNs alike: they stay as they are. */
LLVMValueRef vc4_qpu_trans_factor(struct vc4_qpu_trans *t, struct vc4_qpu_value *v);
/* The same for a product, which takes raw values as they are. */
LLVMValueRef vc4_qpu_trans_multiplicand(struct vc4_qpu_trans *t, struct vc4_qpu_value *v);
/* What is a NaN or -0 becomes +0, whatever NaN it is: what products have to give (rule 2). */
LLVMValueRef vc4_qpu_trans_drop_nan_and_minus(struct vc4_qpu_trans *t, LLVMValueRef r);
LLVMValueRef vc4_qpu_trans_lane0(struct vc4_qpu_trans *t, struct vc4_qpu_value *v); /* i32 */
/* new where mask holds, else old; mask NULL: new */
struct vc4_qpu_value *vc4_qpu_trans_merge(struct vc4_qpu_trans *t, LLVMValueRef mask,
                                          struct vc4_qpu_value *new, struct vc4_qpu_value *old);

/* trans_facts.c: of a program of several blocks; NULL when memory is out, which is noted as a failure */
struct vc4_qpu_trans_fact *vc4_qpu_trans_facts_find(struct vc4_qpu_trans *t);
bool vc4_qpu_trans_fact_clean(const struct vc4_qpu_trans_fact *f); /* no NaN but the one NaN */

/* trans_choice.c */
/* Whether vc4_qpu_trans_is takes nothing but logic on masks. */
bool vc4_qpu_trans_is_choice(const struct vc4_qpu_value *v);
/* i1x16: the lanes that hold `imm`; those whose bit 31 is set, of a choice. */
LLVMValueRef vc4_qpu_trans_is(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, uint32_t imm);
LLVMValueRef vc4_qpu_trans_is_negative(struct vc4_qpu_trans *t, struct vc4_qpu_value *v);
/* vc4_qpu_trans_merge where both are choices; else NULL. */
struct vc4_qpu_value *vc4_qpu_trans_choose(struct vc4_qpu_trans *t, LLVMValueRef mask,
                                           struct vc4_qpu_value *new, struct vc4_qpu_value *old);
void vc4_qpu_trans_make_choices(struct vc4_qpu_trans *t); /* the slots */
void vc4_qpu_trans_store_choice(struct vc4_qpu_trans *t, unsigned reg, struct vc4_qpu_value *v);
void vc4_qpu_trans_store_choices(struct vc4_qpu_trans *t); /* to them, where a block ends */
/* Where a block begins. */
struct vc4_qpu_value *vc4_qpu_trans_load_reg(struct vc4_qpu_trans *t, unsigned reg);

/* trans_alu.c */
bool vc4_qpu_trans_add_moves(unsigned op); /* of one operand twice: it is the result */
struct vc4_qpu_value *vc4_qpu_trans_add_op(struct vc4_qpu_trans *t, unsigned op, struct vc4_qpu_value *x,
                                           struct vc4_qpu_value *y);
struct vc4_qpu_value *vc4_qpu_trans_mul_op(struct vc4_qpu_trans *t, unsigned op, struct vc4_qpu_value *x,
                                           struct vc4_qpu_value *y);
bool vc4_qpu_trans_add_reserved(unsigned op);
bool vc4_qpu_trans_add_takes_floats(unsigned op);
bool vc4_qpu_trans_add_gives_float(unsigned op);
bool vc4_qpu_trans_add_sums(unsigned op); /* floats */
/* By small-immediate code 48..63; `quads`: within each quad only. */
struct vc4_qpu_value *vc4_qpu_trans_rotate(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, unsigned code,
                                           bool quads);

/* trans_loose.c. Finds which results may be loose. */
void vc4_qpu_trans_loose_plan(struct vc4_qpu_trans *t);
/* Whether the value has a loose view that may still be used; that view, or what stands for it; the same, taken
 * for granted to be ordered (LLVMRealORD) or neither that nor zero (LLVMRealONE). */
bool vc4_qpu_trans_is_loose(const struct vc4_qpu_trans *t, const struct vc4_qpu_value *v);
LLVMValueRef vc4_qpu_trans_loose(struct vc4_qpu_trans *t, struct vc4_qpu_value *v);
LLVMValueRef vc4_qpu_trans_number(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, LLVMRealPredicate how);
/* Gives `v` its loose view where it has one: of the instruction's sum or product, of a write under a
 * condition. */
void vc4_qpu_trans_loose_op(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, LLVMOpcode op,
                            struct vc4_qpu_value *x, struct vc4_qpu_value *y);
void vc4_qpu_trans_loose_choice(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, LLVMValueRef mask,
                                struct vc4_qpu_value *new, struct vc4_qpu_value *old);

/* trans_integer.c */
struct vc4_qpu_value *vc4_qpu_trans_ftoi(struct vc4_qpu_trans *t, struct vc4_qpu_value *x);

/* trans_exit.c. Takes for granted what holds in `lanes` (i1x16); of runs that have the side exit. */
void vc4_qpu_trans_fit(struct vc4_qpu_trans *t, LLVMValueRef lanes);
/* The number of the first instruction that has an effect; that of instructions where none has. */
uint32_t vc4_qpu_trans_exit_at(const struct vc4_qpu_trans *t);
/* Between instructions of runs side by side: the test for their side exit, where the next instruction (NULL:
 * there is none) would be the first that has an effect. */
void vc4_qpu_trans_side_exit(struct vc4_qpu_trans *const *ts, unsigned count,
                             const struct vc4_qpu_insn *next);

/* trans_flags.c */
LLVMValueRef vc4_qpu_trans_flag_n(struct vc4_qpu_trans *t);
LLVMValueRef vc4_qpu_trans_flag_z(struct vc4_qpu_trans *t);
LLVMValueRef vc4_qpu_trans_flag_c(struct vc4_qpu_trans *t);
/* The lanes in which a write condition holds; NULL for always. Not for `never`. */
LLVMValueRef vc4_qpu_trans_cond_mask(struct vc4_qpu_trans *t, unsigned cond);
void vc4_qpu_trans_set_flags(struct vc4_qpu_trans *t, const struct vc4_qpu_trans_flags *flags,
                             LLVMValueRef mask);
LLVMValueRef vc4_qpu_trans_branch_cond(struct vc4_qpu_trans *t, unsigned cond); /* i1; NULL for always */

/* trans_sfu.c: the result for r4 */
struct vc4_qpu_value *vc4_qpu_trans_sfu(struct vc4_qpu_trans *t, unsigned waddr, struct vc4_qpu_value *x);

/* trans_pack.c */
struct vc4_qpu_value *vc4_qpu_trans_unpack(struct vc4_qpu_trans *t, unsigned code, bool to_float,
                                           struct vc4_qpu_value *v);
struct vc4_qpu_value *vc4_qpu_trans_pack_a(struct vc4_qpu_trans *t, unsigned code, bool is_float,
                                           struct vc4_qpu_value *v, struct vc4_qpu_value *old);
/* What a pack must know of an add or sub, i1x16. */
struct vc4_qpu_trans_overflow {
    LLVMValueRef overflow, carry; /* overflow NULL: of another operation */
};
struct vc4_qpu_trans_overflow vc4_qpu_trans_overflow_of(struct vc4_qpu_trans *t, bool minus,
                                                        struct vc4_qpu_value *x, struct vc4_qpu_value *y,
                                                        struct vc4_qpu_value *sum);
struct vc4_qpu_value *vc4_qpu_trans_pack_sum(struct vc4_qpu_trans *t, unsigned code,
                                             const struct vc4_qpu_trans_overflow *o, struct vc4_qpu_value *v,
                                             struct vc4_qpu_value *old);
struct vc4_qpu_value *vc4_qpu_trans_pack_mul(struct vc4_qpu_trans *t, unsigned code, struct vc4_qpu_value *v,
                                             struct vc4_qpu_value *old);

/* trans_exact.c, trans_exact_sfu.c, trans_exact_pack.c: exact mode, where `clean` means no NaN at all */
struct vc4_qpu_value *vc4_qpu_trans_exact_sum(struct vc4_qpu_trans *t, bool minus, struct vc4_qpu_value *x,
                                              struct vc4_qpu_value *y);
struct vc4_qpu_value *vc4_qpu_trans_exact_product(struct vc4_qpu_trans *t, struct vc4_qpu_value *x,
                                                  struct vc4_qpu_value *y);
struct vc4_qpu_value *vc4_qpu_trans_exact_itof(struct vc4_qpu_trans *t, struct vc4_qpu_value *x);
/* ftoi of a pattern, in both modes; i32x16. */
LLVMValueRef vc4_qpu_trans_shifted(struct vc4_qpu_trans *t, LLVMValueRef i);
;
struct vc4_qpu_value *vc4_qpu_trans_exact_min_max(struct vc4_qpu_trans *t, bool max, struct vc4_qpu_value *x,
                                                  struct vc4_qpu_value *y);
/* An i32x16, in signed order. */
LLVMValueRef vc4_qpu_trans_exact_rank(struct vc4_qpu_trans *t, struct vc4_qpu_value *v);
;
struct vc4_qpu_value *vc4_qpu_trans_exact_sfu(struct vc4_qpu_trans *t, unsigned waddr,
                                              struct vc4_qpu_value *x);
LLVMValueRef vc4_qpu_trans_exact_unit(struct vc4_qpu_trans *t, LLVMValueRef byte); /* the float's bits */
LLVMValueRef vc4_qpu_trans_exact_float_to_half(struct vc4_qpu_trans *t, LLVMValueRef x);

/* trans_io.c */
struct vc4_qpu_value *vc4_qpu_trans_reg(struct vc4_qpu_trans *t, unsigned reg);
void vc4_qpu_trans_set_reg(struct vc4_qpu_trans *t, unsigned reg, struct vc4_qpu_value *v);
struct vc4_qpu_value *vc4_qpu_trans_read(struct vc4_qpu_trans *t, bool file_b, unsigned raddr);
/* Everything an instruction takes from outside before it computes: uniforms, varyings, VPM words, and what
 * its signal loads (returned, NULL: nothing; it goes to r4 afterwards). A read happens by its address. */
struct vc4_qpu_value *vc4_qpu_trans_take_inputs(struct vc4_qpu_trans *t);
LLVMValueRef vc4_qpu_trans_take_uniform(struct vc4_qpu_trans *t); /* i32: the next word of the stream */

/* trans_write.c */
void vc4_qpu_trans_write(struct vc4_qpu_trans *t, bool file_b, unsigned waddr, struct vc4_qpu_value *v,
                         LLVMValueRef mask);

/* trans_insn.c: one instruction, branches apart */
void vc4_qpu_trans_insn(struct vc4_qpu_trans *t);

/* trans_machine.c: what is done differently when a program may stop and go on */
LLVMValueRef vc4_qpu_trans_link_base(struct vc4_qpu_trans *t); /* i32: what links count from; NULL: 0 */
/* Before an instruction of a block; may end the block at hand and go on in another. */
void vc4_qpu_trans_machine_insn(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block);
/* Before it is decided. */
void vc4_qpu_trans_machine_branch(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block);
;
void vc4_qpu_trans_machine_end_block(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block);
/* The instruction at hand is the interpreter's. */
void vc4_qpu_trans_machine_interpret(struct vc4_qpu_trans *t);

/* trans.c */
LLVMBasicBlockRef vc4_qpu_trans_new_block(struct vc4_qpu_trans *t, const char *name);
void vc4_qpu_trans_store_state(struct vc4_qpu_trans *t); /* to the slots, where the next block finds it */
/* At the beginning of a block: all is in the slots. */
void vc4_qpu_trans_forget_values(struct vc4_qpu_trans *t);
void vc4_qpu_trans_prepare_blocks(struct vc4_qpu_trans *t);
void vc4_qpu_trans_each_block(struct vc4_qpu_trans *t);
struct vc4_qpu_trans *vc4_qpu_trans_open(struct jit_builder *b, const struct vc4_qpu_program *program,
                                         const struct vc4_qpu_ir_run *run, struct util_error *error);
void vc4_qpu_trans_close(struct vc4_qpu_trans *t);                        /* NULL is accepted */
void vc4_qpu_trans_begin_block(struct vc4_qpu_trans *t, uint32_t number); /* the state at a block's start */
/* One instruction. */
void vc4_qpu_trans_step(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block, uint32_t pc);
;
/* The state to its slots. */
void vc4_qpu_trans_leave_block(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block);
;
void vc4_qpu_trans_count_block(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block);
/* Ends the builder's block. */
void vc4_qpu_trans_take_branch(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block);
;
void vc4_qpu_trans_fault(struct vc4_qpu_trans *t, enum vc4_qpu_fault fault, unsigned lane); /* here, always */

/* Shorthand for IR. */
static inline LLVMValueRef vc4_qpu_trans_and(struct vc4_qpu_trans *t, LLVMValueRef x, uint32_t mask)
{
    return LLVMBuildAnd(t->b->ir, x, jit_splat_u32(t->b, mask), "");
}
static inline LLVMValueRef vc4_qpu_trans_shr(struct vc4_qpu_trans *t, LLVMValueRef x, uint32_t n)
{
    return LLVMBuildLShr(t->b->ir, x, jit_splat_u32(t->b, n), "");
}
static inline LLVMValueRef vc4_qpu_trans_shl(struct vc4_qpu_trans *t, LLVMValueRef x, uint32_t n)
{
    return LLVMBuildShl(t->b->ir, x, jit_splat_u32(t->b, n), "");
}
static inline LLVMValueRef vc4_qpu_trans_binary(struct vc4_qpu_trans *t, const char *intrinsic,
                                                LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef args[2] = {x, y};
    return jit_intrinsic(t->b, intrinsic, &type, 1, args, 2);
}

#endif
