/* Between the files of the translation: trans.c (blocks, dispatch, ends), trans_plain.c (control and instructions without
 * elements), trans_way.c and trans_loop.c (how elements are walked), trans_branch.c, trans_memory.c, trans_atomic.c,
 * trans_index.c, trans_integer.c, trans_float.c, trans_half.c (what elements become), trans_element.c (the files). */
#ifndef VITRAIL_ISA_SIMPLE_V_TRANS_INTERNAL_H
#define VITRAIL_ISA_SIMPLE_V_TRANS_INTERNAL_H

#include "isa/simple_v/context.h"
#include "isa/simple_v/flow.h"
#include "isa/simple_v/trans.h"

enum { SIMPLE_V_TRANS_CHUNKS = 32 };

/* Elements that are computed at once: `count` of them, a power of two, from `first` on, as a vector, or, of one, as a scalar. */
struct simple_v_lanes {
    unsigned count;
    unsigned known;     /* the first, where `first` is NULL */
    LLVMValueRef first; /* i64; of more than one lane a multiple of SUBVL */
    unsigned sub;       /* the first's place in its sub-vector */
    LLVMValueRef mask;  /* those that are written; NULL: all */
};

/* Results: integers of `width` bits in the low bits of what may be wider; extended to what they go to. Of floats the bits in
 * the destination's format. */
struct simple_v_value {
    LLVMValueRef bits;
    unsigned width;
    bool is_signed;
};

struct simple_v_trans {
    struct jit_builder *b;
    const struct simple_v_program *program;
    const struct simple_v_ir_ports *ports;
    uint64_t stop;
    struct simple_v_flow flow;
    LLVMValueRef thread;
    LLVMBasicBlockRef dispatch, stepping, leave;
    LLVMBasicBlockRef *begin; /* by item, of those that begin a block */
    /* How many instructions of LLVM there are; the last that was counted in the block at hand, the last block. */
    unsigned insns;
    LLVMValueRef counted;
    LLVMBasicBlockRef last;
    LLVMValueRef scopes[2][2]; /* of the thread's memory, of the guest's: alias.scope, noalias */

    /* The instruction at hand. */
    const struct simple_v_item *item;
    struct simple_v_lengths now; /* that count for its elements */
    struct simple_v_context x;
    unsigned subvl;
    unsigned elements;      /* that it has: VL times SUBVL; 0: not known */
    unsigned most;          /* that it may have */
    LLVMValueRef vl;        /* i64; NULL where it is known */
    LLVMBasicBlockRef exit; /* leaves it to the interpreter, undone; NULL: nobody asked yet */
    unsigned done,
        left; /* instructions to count in INSTRET; fuel taken for the item and those behind it in the block */

    /* Of loads and stores: host addresses of memory. */
    LLVMValueRef memory; /* i64: of element 0 */
    /* With vectors of addresses, by chunk: i64 of each lane; the lanes that are asked for, NULL: all. */
    LLVMValueRef at[SIMPLE_V_TRANS_CHUNKS], live[SIMPLE_V_TRANS_CHUNKS];
    unsigned chunk; /* at hand */
};

/* trans.c */
LLVMBasicBlockRef simple_v_trans_block(struct simple_v_trans *t, const char *name);
/* Leaves the instruction to the interpreter where `condition` (i1) holds; nothing of it may have been done. */
void simple_v_trans_exit_if(struct simple_v_trans *t, LLVMValueRef condition);
/* The interpreter does the instruction, here. */
void simple_v_trans_step(struct simple_v_trans *t);
/* To an item, or where PC is `pc`, behind the instruction; ends the block. A function of the taken branch's own. */
void simple_v_trans_go(struct simple_v_trans *t, uint32_t item, uint64_t pc);
/* The same where PC (i64) is only known then. */
void simple_v_trans_go_to(struct simple_v_trans *t, LLVMValueRef pc);
/* The address of a halfword; that behind the instruction, or its VBLOCK if `of_block`. */
uint64_t simple_v_trans_address(const struct simple_v_trans *t, uint32_t halfword);
uint64_t simple_v_trans_next_pc(const struct simple_v_trans *t);

/* trans_element.c. Loads and stores of the thread's memory, and of the guest's. */
enum { SIMPLE_V_OF_THREAD, SIMPLE_V_OF_GUEST };
LLVMValueRef simple_v_trans_tag(struct simple_v_trans *t, LLVMValueRef access, unsigned whose);
LLVMValueRef simple_v_trans_load(struct simple_v_trans *t, LLVMTypeRef type, size_t offset);
void simple_v_trans_store(struct simple_v_trans *t, LLVMValueRef value, size_t offset);
#define SIMPLE_V_THREAD_AT(member) offsetof(struct simple_v_thread, member)
/* Registers of the integer file: i64. */
LLVMValueRef simple_v_trans_x(struct simple_v_trans *t, unsigned reg);
void simple_v_trans_set_x(struct simple_v_trans *t, unsigned reg, LLVMValueRef value);
/* Types and constants of so many lanes. */
LLVMTypeRef simple_v_trans_ints(struct simple_v_trans *t, unsigned width, unsigned lanes);
LLVMTypeRef simple_v_trans_floats(struct simple_v_trans *t, unsigned width, unsigned lanes);
LLVMValueRef simple_v_trans_number(LLVMTypeRef type, uint64_t n);
LLVMValueRef simple_v_trans_splat(struct simple_v_trans *t, LLVMValueRef scalar, unsigned lanes);
unsigned simple_v_trans_width(LLVMValueRef v); /* bits of an element */
unsigned simple_v_trans_count(LLVMValueRef v); /* lanes */
/* Integers of any width to those of another. */
LLVMValueRef simple_v_trans_resize(struct simple_v_trans *t, LLVMValueRef v, unsigned width, bool is_signed);
LLVMValueRef simple_v_trans_call(struct simple_v_trans *t, const char *name, LLVMTypeRef type,
                                 LLVMValueRef *args, unsigned count);
/* Whether the operand's elements up to `most` are in the file, and may be read and written by whole chunks. */
bool simple_v_trans_fits(const struct simple_v_trans *t, const struct simple_v_operand_context *o);
/* Bytes of the file that its elements have. */
void simple_v_trans_range(const struct simple_v_trans *t, const struct simple_v_operand_context *o,
                          unsigned *begin, unsigned *end);
/* Bits of elements, as wide as the stride; the same to be written where lanes->mask holds. */
LLVMValueRef simple_v_trans_read(struct simple_v_trans *t, const struct simple_v_operand_context *o,
                                 const struct simple_v_lanes *lanes);
/* Whether writes of the operand are of whole registers. */
bool simple_v_trans_is_alone(const struct simple_v_trans *t, const struct simple_v_operand_context *o);
/* `zero`: lanes that get 0 instead, NULL: none. */
void simple_v_trans_write(struct simple_v_trans *t, const struct simple_v_operand_context *o,
                          const struct simple_v_lanes *lanes, struct simple_v_value value, LLVMValueRef zero);
/* Lanes of a vector, by number. */
LLVMValueRef simple_v_trans_shuffle(struct simple_v_trans *t, LLVMValueRef v, const unsigned *lane,
                                    unsigned count);
/* First lane's number: i64. */
LLVMValueRef simple_v_trans_first(struct simple_v_trans *t, const struct simple_v_lanes *lanes);
/* Lanes whose sub-vector's bit is set in `bits` (i64): i1, or a vector. */
LLVMValueRef simple_v_trans_lane_mask(struct simple_v_trans *t, LLVMValueRef bits,
                                      const struct simple_v_lanes *lanes);

/* trans_plain.c. False: the interpreter has to do it. */
bool simple_v_trans_plain(struct simple_v_trans *t, bool *ended);
bool simple_v_trans_header(struct simple_v_trans *t);
/* Of P64: sets lengths as the instruction says. */
void simple_v_trans_vltyp(struct simple_v_trans *t);

/* trans_branch.c, trans_way.c. False: the interpreter has to do it; nothing was emitted. */
bool simple_v_trans_branch(struct simple_v_trans *t);
bool simple_v_trans_elements(struct simple_v_trans *t);

/* trans_way.c */
static inline const struct simple_v_operand_context *simple_v_trans_operand(const struct simple_v_trans *t,
                                                                            unsigned place)
{
    return &t->x.operand[place];
}
static inline bool simple_v_trans_is_memory(const struct simple_v_trans *t)
{
    return t->x.class == SIMPLE_V_LOAD || t->x.class == SIMPLE_V_STORE;
}
/* A mask as bits: i64, NULL: there is none. */
LLVMValueRef simple_v_trans_mask(struct simple_v_trans *t, unsigned which);
/* Which sides of a twin operation step: vectors, and memory of unit stride. */
void simple_v_trans_sides(const struct simple_v_trans *t, bool *source, bool *dest);
/* VL where it is not known, as t->vl. */
void simple_v_trans_ask_vl(struct simple_v_trans *t);
/* Whether elements of what is written, a vector, are read behind it in the same instruction, were they written in order. */
bool simple_v_trans_meets(const struct simple_v_trans *t, const struct simple_v_operand_context *written,
                          const struct simple_v_operand_context *read);

/* trans_loop.c. Sub-vectors as bits (i64) that are written, NULL: all; that become 0, NULL: none. */
struct simple_v_masks {
    LLVMValueRef written, zero;
};
/* How many lanes the next chunk of known elements has, from `first` on. */
unsigned simple_v_trans_chunk(const struct simple_v_trans *t, unsigned first);
void simple_v_trans_wide(struct simple_v_trans *t, const struct simple_v_masks *m);
/* The first sub-vector, or one element, whatever masks say. */
void simple_v_trans_once(struct simple_v_trans *t);
void simple_v_trans_single_in_order(struct simple_v_trans *t);
void simple_v_trans_twin_in_order(struct simple_v_trans *t);

/* Bits in which an integer operation is computed: its width, but for those of which less is wanted. */
unsigned simple_v_trans_room(const struct simple_v_trans *t);
/* Values of elements; whether they can be had so. */
bool simple_v_trans_can_integer(const struct simple_v_trans *t);
struct simple_v_value simple_v_trans_integer(struct simple_v_trans *t, const struct simple_v_lanes *from);
bool simple_v_trans_can_float(const struct simple_v_trans *t);
struct simple_v_value simple_v_trans_float(struct simple_v_trans *t, const struct simple_v_lanes *from);
/* Rounding to nearest is known for an instruction that converts without one of its own. */
bool simple_v_trans_rounds_near(const struct simple_v_trans *t);
/* Bits of floats in another format; canonical NaN. */
LLVMValueRef simple_v_trans_convert(struct simple_v_trans *t, LLVMValueRef bits, unsigned from, unsigned to);

/* trans_half.c. Of any lanes: the single of a half's bits; the bits of the half next to a single, of one NaN; the single to odd of a
 * double, of which a half is rounded as of the double; the bits of the half next to an integer; x * y + z of singles that are
 * halves, to odd. */
LLVMValueRef simple_v_trans_half_to_single(struct simple_v_trans *t, LLVMValueRef half);
LLVMValueRef simple_v_trans_single_to_half(struct simple_v_trans *t, LLVMValueRef single);
LLVMValueRef simple_v_trans_single_to_odd(struct simple_v_trans *t, LLVMValueRef d);
LLVMValueRef simple_v_trans_half_of_integer(struct simple_v_trans *t, LLVMValueRef n, bool is_signed);
LLVMValueRef simple_v_trans_half_fused(struct simple_v_trans *t, LLVMValueRef x, LLVMValueRef y,
                                       LLVMValueRef z);

/* trans_integer.c: enum isa_op, or simple_v_own, of integers of one width. */
LLVMValueRef simple_v_trans_operate(struct simple_v_trans *t, unsigned op, LLVMValueRef x, LLVMValueRef y);

/* trans_atomic.c, trans_index.c. `find` exits where an address, or an index, is none. */
bool simple_v_trans_can_atomic(const struct simple_v_trans *t);
void simple_v_trans_find_atomics(struct simple_v_trans *t);
struct simple_v_value simple_v_trans_atomic(struct simple_v_trans *t, const struct simple_v_lanes *lane);
bool simple_v_trans_can_index(const struct simple_v_trans *t);
bool simple_v_trans_index_meets(const struct simple_v_trans *t);
void simple_v_trans_find_indices(struct simple_v_trans *t);
struct simple_v_value simple_v_trans_indexed(struct simple_v_trans *t, const struct simple_v_lanes *lanes);

/* trans_memory.c */
bool simple_v_trans_can_access(const struct simple_v_trans *t);
bool simple_v_trans_gathers(const struct simple_v_trans *t); /* or scatters: addresses are a vector */
/* Finds out that all of it is there, or exits. `live`: of vectors of addresses the sub-vectors that are asked for (i64, NULL:
 * all). */
void simple_v_trans_find_memory(struct simple_v_trans *t, LLVMValueRef live);
struct simple_v_value simple_v_trans_loaded(struct simple_v_trans *t, const struct simple_v_lanes *place);
void simple_v_trans_stored(struct simple_v_trans *t, const struct simple_v_lanes *data,
                           const struct simple_v_lanes *place, LLVMValueRef zero);
#endif
