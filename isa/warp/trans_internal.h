/* The translator: trans.c (blocks, flow), trans_register.c (slots), trans_insn.c (arithmetic, other lanes),
 * trans_message.c, trans_texture.c. */
#ifndef VITRAIL_ISA_WARP_TRANS_INTERNAL_H
#define VITRAIL_ISA_WARP_TRANS_INTERNAL_H

#include "isa/trans_fault.h"
#include "isa/warp/trans.h"
#include "isa/warp/trans_alu_internal.h"
#include "jit/diverge.h"

#define WARP_SPECIALS 32u /* that a set may have */

struct warp_trans {
    struct jit_builder *b;
    const struct warp_program *program;
    const struct warp_ir_ports *ports;
    const struct warp_ir_input *input;
    const struct warp_block *blocks; /* the program's, or one that has all of it */
    uint32_t block_count;
    struct jit_diverge *diverge; /* the sides' */
    bool together;               /* lanes never part: what a block computes goes back for all */
    uint64_t used, written;      /* registers */
    /* Slots. Of registers NULL: the program never writes it, and it is as it began; `helpers` NULL: there are none. */
    LLVMValueRef slot[WARP_REGISTERS], begun[WARP_REGISTERS];
    LLVMValueRef live_slot, helpers_slot, returned_slot, fuel_slot, executed_slot, fault_slot, address_slot;
    LLVMValueRef running_slot, at_slot; /* of programs with barriers */
    /* Of registers that a block takes as halves, beside their words: bit n of kept[e], half e of register n has a slot. */
    uint64_t kept[2];
    LLVMValueRef half_slot[WARP_REGISTERS][2];
    /* In the block at hand: */
    LLVMValueRef reg[WARP_REGISTERS], loaded[WARP_REGISTERS]; /* i32x16; as it began */
    LLVMValueRef temporary[WARP_TEMPORARIES];
    /* Halves of registers, and behind them of temporaries, as singles; NULL: what they are stands in the words alone. */
    LLVMValueRef half[WARP_REGISTERS + WARP_TEMPORARIES][2];
    LLVMValueRef special[WARP_SPECIALS][2]; /* what a port gave, or NULL */
    LLVMValueRef mask, helpers;             /* lanes in the block; of these helpers, or NULL */
    LLVMValueRef leave, back;               /* of BLEND lanes that it lets go; of FAR those that stay */
    const struct warp_insn *insn;
    uint32_t number;     /* of it */
    uint32_t work;       /* instructions that were emitted, about */
    bool ended;          /* the block faults whatever its lanes do */
    bool faults;         /* something may have been stored to `fault_slot` */
    bool faults_at_once; /* and not only because fuel is used up */
};

/* Sets of sixteen lanes, side by side if they are several. */
struct warp_trans_sides {
    struct warp_trans t[WARP_SIDES];
    unsigned count;
    struct jit_diverge diverge; /* of masks that are joined; not begun: several that are straight */
    LLVMValueRef fuel;       /* slot of i32: of several, what is left for all; of one each lane has its own */
    LLVMBasicBlockRef leave; /* where several go when it is used up */
};

/* Ends the program for all lanes where one of `bad` (i1x16 or NULL: all) executes; the lowest of them is told, with its
 * `address` (i64x16 or NULL: 0). */
void warp_trans_fault(struct warp_trans *t, enum warp_fault fault, LLVMValueRef bad, LLVMValueRef address);
/* What a port returned that was asked for `lanes`. */
void warp_trans_check(struct warp_trans *t, LLVMValueRef missing, LLVMValueRef lanes, LLVMValueRef address);
/* Lanes that are no helpers. */
LLVMValueRef warp_trans_visible(struct warp_trans *t);

static inline LLVMValueRef warp_trans_lanes(struct warp_trans *t, LLVMValueRef v)
{
    return LLVMTypeOf(v) == t->b->i32 ? jit_splat(t->b, v) : v;
}

/* ---- trans_register.c ---- */

/* Of `lanes`, with what they begin with; also of the translation's fault. */
void warp_trans_make_slots(struct warp_trans *t, LLVMValueRef lanes);
/* What the block at hand has made of what a slot holds. */
void warp_trans_set(struct warp_trans *t, LLVMValueRef slot, LLVMValueRef value);
/* A block begins; it ends, for the lanes in it. */
void warp_trans_load_registers(struct warp_trans *t);
void warp_trans_store_registers(struct warp_trans *t);
/* Of programs with barriers: lanes that the state has at `offset`; all of it as they leave it. */
LLVMValueRef warp_trans_state_mask(struct warp_trans *t, size_t offset);
void warp_trans_store_state(struct warp_trans *t, const struct warp_ir_state *s);

/* ---- trans_insn.c ---- */

/* Word k of source n, i32x16; 0 beyond it. */
LLVMValueRef warp_trans_word(struct warp_trans *t, unsigned n, unsigned k);
LLVMValueRef warp_trans_pair(struct warp_trans *t, unsigned n); /* both, i64x16 */
void warp_trans_arithmetic(struct warp_trans *t);
/* Where a branch's operation is not 0, or as the instruction says: i1x16. */
LLVMValueRef warp_trans_holds(struct warp_trans *t);
void warp_trans_permute(struct warp_trans *t);
void warp_trans_ballot(struct warp_trans *t);

/* A word of the destination, of which the mask says the halves. */
void warp_trans_put_word(struct warp_trans *t, unsigned k, LLVMValueRef value);

/* ---- trans_half.c ---- */

/* Operations of halves, and the conversion of two singles: whether it was done. */
bool warp_trans_halves(struct warp_trans *t);
/* Comparisons of halves: likewise. */
bool warp_trans_test_halves(struct warp_trans *t);
bool warp_trans_to_halves(struct warp_trans *t, const LLVMValueRef single[2]);
/* Source n, a half that is known, as the single that is asked for: i32x16, or NULL. */
LLVMValueRef warp_trans_known_single(struct warp_trans *t, unsigned n);
/* What is known of halves that are moved as they are, or chosen; and that the destination has it, which was written. */
void warp_trans_moved_halves(struct warp_trans *t, LLVMValueRef half[2]);
void warp_trans_note_halves(struct warp_trans *t, const LLVMValueRef half[2]);
/* What is known of word n that is read. A word of the registers that are written, of two singles as halves, i32x16. */
void warp_trans_read_halves(struct warp_trans *t, unsigned n, LLVMValueRef half[2]);
void warp_trans_write_halves(struct warp_trans *t, unsigned n, const LLVMValueRef single[2]);
/* Slots of halves are made, as registers begin; a block begins; register n, which it has changed, goes back. */
void warp_trans_keep_halves(struct warp_trans *t);
void warp_trans_load_halves(struct warp_trans *t);
void warp_trans_store_halves(struct warp_trans *t, unsigned n);

/* ---- trans_message.c, trans_texture.c ---- */

/* Word n of the registers that are read, 0 beyond; that are written, nothing beyond. */
LLVMValueRef warp_trans_read(struct warp_trans *t, unsigned n);
void warp_trans_write(struct warp_trans *t, unsigned n, LLVMValueRef value);
void warp_trans_memory(struct warp_trans *t);
void warp_trans_message(struct warp_trans *t);
/* What a message gives that is none of those others could see; it writes no register. */
void warp_trans_ask(struct warp_trans *t, const struct warp_insn *insn, LLVMValueRef out[WARP_MESSAGE_WORDS]);
void warp_trans_texture(struct warp_trans *t);
/* FAR, of the lanes in `taken`: those that stay. */
LLVMValueRef warp_trans_far(struct warp_trans *t, LLVMValueRef taken);

#endif
