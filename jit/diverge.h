/* Lanes that branch apart: the blocks of a guest program whose lanes each follow a path of their own.
 *
 * Every block has a set of lanes that wait for it. The first block in program order with a lane waiting runs,
 * for all that wait there; at its end each goes to wait elsewhere. So lanes that parted meet again at the
 * first block that both reach, and with lanes that never part only one comparison a block is paid. This is
 * the order in which a guest with a program counter a thread may run them, lowest first.
 *
 *   jit_diverge_begin(&d, b, count, lanes, true);        lanes stand before block 0
 *   for (k = 0; k < count; k++) {
 *       mask = jit_diverge_block(&d, k);             the builder stands in block k
 *       ...                                          registers: jit_diverge_set, or what the mask guards
 *       jit_diverge_branch(&d, taken, target);       any number of times: those lanes leave for `target`;
 *                                                    jit_diverge_went(&d) where lanes may be together
 *       jit_diverge_close(&d, next);                 the others leave for `next`
 *   }
 *   jit_diverge_end(&d);                             the builder stands behind the program
 *
 * Masks are i1x16, or wider: the lanes of several sets of registers that stand side by side, each of which
 * runs a block as it would alone, whenever one of them does.
 *
 * Blocks are numbered in program order; `count` as a target is the end. A backward branch makes a loop that
 * nothing here bounds: the caller counts fuel before it branches, and lets lanes out that have none left. */
#ifndef VITRAIL_JIT_DIVERGE_H
#define VITRAIL_JIT_DIVERGE_H

#include "jit/builder.h"

/* Sets of lanes that stand side by side: their masks, of one or so many sets, as one; and one set's part of it. */
#define JIT_DIVERGE_SIDES 2u
LLVMValueRef jit_diverge_join(struct jit_builder *b, const LLVMValueRef *masks, unsigned count);
LLVMValueRef jit_diverge_part(struct jit_builder *b, LLVMValueRef mask, unsigned count, unsigned side);

struct jit_diverge {
    struct jit_builder *b;
    uint32_t count, at;      /* blocks; the one being filled */
    LLVMValueRef *waiting;   /* slots of masks, one a block and one for the end */
    LLVMBasicBlockRef *test; /* block k: whether anybody waits; count: behind the program */
    LLVMBasicBlockRef *body; /* block k, with somebody waiting */
    LLVMValueRef none;       /* a mask of no lanes, as slots have it */
    LLVMValueRef left;       /* lanes of the open block that have not branched yet, likewise */
    bool words;              /* slots and `left` are words, not masks */
    bool together;           /* nobody waits: all are in one block at a time */
    LLVMBasicBlockRef on;    /* together, at a branch: behind it, or NULL; */
    uint32_t target;         /* and where it goes */
    bool *back;              /* targets at or before the open block that were branched to */
};

/* `lanes`: a mask. `selects`: masks mostly select values; else they are mostly asked whether they have lanes that
 * others have too, as those of programs that access memory. 0, or -ENOMEM with nothing to end. Emits into the builder's function. */
int jit_diverge_begin(struct jit_diverge *d, struct jit_builder *b, uint32_t count, LLVMValueRef lanes,
                      bool selects);
/* The same of lanes that never part, or of none, where blocks are closed for later ones alone: whoever is left in a block,
 * all or none of them branch. What jit_diverge_branch returns are all, and the builder stands where they have branched
 * until jit_diverge_went is called. */
int jit_diverge_begin_together(struct jit_diverge *d, struct jit_builder *b, uint32_t count,
                               LLVMValueRef lanes);
/* Blocks are opened once each, in order. Returns the lanes that run it, at least one. */
LLVMValueRef jit_diverge_block(struct jit_diverge *d, uint32_t block);
/* The same for a block that may as well run when no lane waits for it, in program order: its lanes may be
 * none. For what costs less than a branch that the processor cannot foretell. */
LLVMValueRef jit_diverge_block_always(struct jit_diverge *d, uint32_t block);
/* The lanes of the open block that have not branched yet. */
LLVMValueRef jit_diverge_left(const struct jit_diverge *d);
/* Before any block is opened, at the builder's position: these lanes wait for it and no others. */
void jit_diverge_wait(struct jit_diverge *d, LLVMValueRef lanes, uint32_t block);
/* Of the lanes left in the open block those in `lanes` leave for `target`, 0..count. Returns them. */
LLVMValueRef jit_diverge_branch(struct jit_diverge *d, LLVMValueRef lanes, uint32_t target);
/* Behind each jit_diverge_branch, and what is done for those that branch. */
void jit_diverge_went(struct jit_diverge *d);
/* All lanes left leave for `target`; the block is closed. */
void jit_diverge_close(struct jit_diverge *d, uint32_t target);
/* Where jit_diverge_end leaves the builder: for a caller who ends the program for all lanes at once. */
LLVMBasicBlockRef jit_diverge_exit(const struct jit_diverge *d);
/* Every block was closed. Frees what begin allocated. */
void jit_diverge_end(struct jit_diverge *d);
/* What begin allocated, when the translation is given up. */
void jit_diverge_abandon(struct jit_diverge *d);

/* Writes the lanes of `mask` of a slot (jit_alloca of value's type). */
void jit_diverge_set(struct jit_builder *b, LLVMValueRef slot, LLVMValueRef value, LLVMValueRef mask);

#endif
