/* The translator: trans.c (blocks), trans_branch.c (branches), trans_alu.c (bundles), trans_operand.c (their operands and results),
 * trans_memory.c and trans_attribute.c (loads and stores), trans_texture.c. */
#ifndef VITRAIL_ISA_MIDGARD_TRANS_INTERNAL_H
#define VITRAIL_ISA_MIDGARD_TRANS_INTERNAL_H

#include "isa/midgard/names.h"
#include "isa/midgard/trans.h"
#include "isa/trans_fault.h"
#include "isa/trans_op.h"

struct midgard_trans {
    struct jit_builder *b;
    const struct midgard_program *program;
    const struct midgard_ir_ports *ports;
    const struct midgard_ir_input *input;
    const struct midgard_block *blocks; /* the program's, or one that has all of it */
    uint32_t block_count;
    struct jit_diverge *diverge;            /* the sides' */
    bool rounds;                            /* results that are halves, at once: `exact` */
    LLVMValueRef reg[MIDGARD_REGISTERS][4]; /* i32x16, in the block at hand */
    /* Halves of them as singles (isa/trans_op.h); NULL: what they are stands in the words alone. And those that the
     * block at hand began with. */
    LLVMValueRef half[MIDGARD_REGISTERS][MIDGARD_HALVES], begun_half[MIDGARD_REGISTERS][MIDGARD_HALVES];
    bool begins_within; /* those are in their range or infinite */
    /* Words that the block at hand began with, and what they are as singles, or NULLs: so that arithmetic goes on
     * with what arithmetic of other blocks has made, whichever NaN it is. */
    LLVMValueRef begun_word[MIDGARD_REGISTERS][4], begun_single[MIDGARD_REGISTERS][4];
    LLVMValueRef argument[8][4];       /* what a port gave in the block at hand, or NULL */
    LLVMValueRef mask, left;           /* lanes in the block at hand; those that have not branched */
    LLVMValueRef helpers;              /* i1x16, or NULL: none */
    LLVMValueRef fault, fault_address; /* slots of i32, i64 */
    const struct midgard_insn *insn;
    uint32_t number;     /* of it */
    uint32_t work;       /* elements that were computed, about */
    bool ended;          /* the block faults whatever its lanes do: what follows is not reached */
    bool faults;         /* something may have been stored to `fault` */
    bool faults_at_once; /* and not only because fuel is used up */
};

/* More than this is refused: a module of it is far beyond what jit/engine.h takes. */
#define MIDGARD_TRANS_WORK 20000u

/* Ends the program for all lanes where one of `bad` (i1x16 or NULL: all) executes; the lowest of them is told, with
 * its `address` (i64x16 or NULL: 0). */
void midgard_trans_fault(struct midgard_trans *t, enum midgard_fault fault, LLVMValueRef bad,
                         LLVMValueRef address);
/* What a port returned that was asked for `lanes`. */
void midgard_trans_check(struct midgard_trans *t, LLVMValueRef missing, LLVMValueRef lanes,
                         LLVMValueRef address);
/* Lanes that are no helpers. */
LLVMValueRef midgard_trans_visible(struct midgard_trans *t, LLVMValueRef lanes);
/* The address of the instruction behind, and the thread's storage: r31 as it is read. */
void midgard_trans_counter(struct midgard_trans *t, LLVMValueRef out[4]);
/* Words of a register that `mask` lets through; an i32 stands for all lanes. */
void midgard_trans_write(struct midgard_trans *t, unsigned reg, uint8_t mask, const LLVMValueRef value[4]);
LLVMValueRef midgard_trans_lanes(struct midgard_trans *t, LLVMValueRef value);
static inline void midgard_trans_set(struct midgard_trans *t, unsigned reg, unsigned c, LLVMValueRef word)
{
    t->reg[reg][c] = word;
    t->half[reg][2 * c] = t->half[reg][2 * c + 1] = NULL;
}

static inline LLVMValueRef midgard_trans_op(struct midgard_trans *t, uint8_t op, uint8_t shape,
                                            uint8_t policy, LLVMValueRef x, LLVMValueRef y)
{
    const LLVMValueRef source[3] = {x, y, NULL};
    return isa_trans_op(t->b, (struct isa_lane_op){op, shape, (uint8_t)(policy | ISA_OP_QUIET)}, source);
}
static inline LLVMValueRef midgard_trans_band(struct midgard_trans *t, LLVMValueRef x, uint32_t bits)
{
    return LLVMBuildAnd(t->b->ir, x, jit_splat_u32(t->b, bits), "");
}
static inline LLVMValueRef midgard_trans_shift(struct midgard_trans *t, LLVMValueRef x, int left)
{
    return left > 0   ? LLVMBuildShl(t->b->ir, x, jit_splat_u32(t->b, (uint32_t)left), "")
           : left < 0 ? LLVMBuildLShr(t->b->ir, x, jit_splat_u32(t->b, (uint32_t)-left), "")
                      : x;
}

/* ---- trans_register.c ---- */

/* Slots, NULL for what the program never writes: that is as it begins, or NULL, too: 0. */
struct midgard_trans_slots {
    LLVMValueRef reg[MIDGARD_REGISTERS][4], begun[MIDGARD_REGISTERS][4];
    /* Beside `reg`, of programs of several blocks: what the words are as singles and as halves. */
    LLVMValueRef single[MIDGARD_REGISTERS][4], half[MIDGARD_REGISTERS][MIDGARD_HALVES];
    LLVMValueRef live, fuel, executed;
    LLVMValueRef running, at; /* of programs with barriers: lanes that wait at one, and what they do next */
};
/* Of `lanes`, with what they begin with; also of the translation's fault. */
void midgard_trans_make_slots(struct midgard_trans *t, struct midgard_trans_slots *s, LLVMValueRef lanes);
/* A block begins; it ends, for the lanes in it. */
void midgard_trans_load_registers(struct midgard_trans *t, const struct midgard_trans_slots *s);
/* A word that the block began with as a single, whichever NaN it is; NULL: it is none of them. */
LLVMValueRef midgard_trans_begun_single(struct midgard_trans *t, LLVMValueRef word);
/* Where a block of the program ends, halves beyond their range become infinity. */
void midgard_trans_end_halves(struct midgard_trans *t);
void midgard_trans_store_registers(struct midgard_trans *t, const struct midgard_trans_slots *s);
/* Of programs with barriers: a member of the state; all of it as the lanes leave it. */
LLVMValueRef midgard_trans_in_state(struct midgard_trans *t, size_t offset);
void midgard_trans_store_state(struct midgard_trans *t, const struct midgard_trans_slots *s);

/* ---- trans_branch.c ---- */

/* Sets of sixteen lanes, side by side if they are several. */
struct midgard_trans_sides {
    struct midgard_trans t[MIDGARD_SIDES];
    struct midgard_trans_slots slots[MIDGARD_SIDES];
    unsigned count;
    struct jit_diverge diverge; /* of masks that are joined; not begun: straight programs */
    LLVMValueRef fuel;       /* slot of i32: of several, what is left for all; of one each lane has its own */
    LLVMBasicBlockRef leave; /* where several go when it is used up */
};
/* What the branch units of the instruction at hand do. */
void midgard_trans_branches(struct midgard_trans_sides *s, const struct midgard_block *block);

/* ---- trans_operand.c ---- */

struct midgard_trans_operand {
    const struct midgard_source *source;
    LLVMValueRef *half; /* of its register, or NULL */
    LLVMValueRef word[4];
    LLVMValueRef element[16]; /* i8x16 to i64x16, or a half as a single, f32x16; NULL: not asked for yet */
};

/* A unit at work. */
struct midgard_trans_unit {
    const struct midgard_alu *alu;
    const struct midgard_alu_info *info;
    bool scalar;
    uint8_t mode;
    unsigned width, elements, first; /* first: element of r31 that goes with the first of them */
    struct midgard_trans_operand a, b;
    LLVMValueRef half; /* of what is chosen: the element's lowest half as a single, or NULL */
};

/* What a unit has to write: bits of words. */
struct midgard_trans_outcome {
    LLVMValueRef word[4];
    LLVMValueRef half[MIDGARD_HALVES]; /* as singles, or NULL; of those that are written whole */
    uint32_t bits[4];
};

/* An element as bits, whichever it is. */
LLVMValueRef midgard_trans_bits(struct midgard_trans *t, LLVMValueRef element);
/* Vector of sixteen integers. */
LLVMTypeRef midgard_trans_type(struct midgard_trans *t, unsigned width);
LLVMValueRef midgard_trans_splat(struct midgard_trans *t, unsigned width, uint64_t n);
/* Element n of a register's words. */
LLVMValueRef midgard_trans_element(struct midgard_trans *t, const LLVMValueRef *word, unsigned width,
                                   unsigned n);
/* false: RESERVED. */
bool midgard_trans_take(struct midgard_trans *t, struct midgard_trans_unit *u);
LLVMValueRef midgard_trans_a(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e);
LLVMValueRef midgard_trans_b(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e);
/* Of a or b, element e: the lowest half of what is chosen, as a single, or NULL where nothing has it as one. */
void midgard_trans_choose_half(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e,
                               LLVMValueRef takes_a);
/* Bytes of the register that are written. */
uint16_t midgard_trans_enabled(const struct midgard_trans_unit *u);
/* Whether results may be made what the instruction says. */
bool midgard_trans_may_result(const struct midgard_trans_unit *u);
/* Element e's result goes where it belongs; it is enabled. */
void midgard_trans_put(struct midgard_trans *t, const struct midgard_trans_unit *u, unsigned e,
                       LLVMValueRef value, struct midgard_trans_outcome *out);
/* Bytes of element e in a register. */
uint16_t midgard_trans_place(const struct midgard_trans_unit *u, unsigned e);
void midgard_trans_merge(struct midgard_trans *t, unsigned reg, const struct midgard_trans_outcome *out);

/* ---- the other files ---- */

void midgard_trans_bundle(struct midgard_trans *t);
void midgard_trans_load_store(struct midgard_trans *t, const struct midgard_memory *x);
void midgard_trans_texture(struct midgard_trans *t);

/* Argument registers of the load/store pipeline. */
void midgard_trans_argument(struct midgard_trans *t, uint8_t reg, LLVMValueRef out[4]);
void midgard_trans_swizzled(uint8_t swizzle, const LLVMValueRef in[4], LLVMValueRef out[4]);
struct isa_ir_number midgard_trans_component(struct midgard_trans *t, uint8_t reg, uint8_t component);
/* A component of an index register, shifted, and a number added. */
struct isa_ir_number midgard_trans_index(struct midgard_trans *t, const struct midgard_memory *x,
                                         uint32_t plus);
/* trans_attribute.c: attributes, varyings, images; specials and the tile. */
void midgard_trans_attribute(struct midgard_trans *t, const struct midgard_memory *x,
                             const struct midgard_memory_info *info);
void midgard_trans_tile(struct midgard_trans *t, const struct midgard_memory *x,
                        const struct midgard_memory_info *info);
/* Every component times the reciprocal of one, which becomes 1. */
void midgard_trans_divide(struct midgard_trans *t, unsigned by, bool halves, const LLVMValueRef in[4],
                          LLVMValueRef out[4]);
/* Of three singles or halves. */
void midgard_trans_cube(struct midgard_trans *t, bool halves, const LLVMValueRef in[4], LLVMValueRef out[4]);
/* A half, in the lower bits of i32x16, as a single, and back. */
LLVMValueRef midgard_trans_of_half(struct midgard_trans *t, LLVMValueRef half);
LLVMValueRef midgard_trans_to_half(struct midgard_trans *t, LLVMValueRef single);

#endif
