/* The function of a fragment variant (raster/shader.h: raster_shader_fn) as IR: a loop over the blocks of a
 * call. A block is placed, taken up (tested, where tests come first), run and ended; where that pays several
 * stand side by side, so that the one's latencies are the others' time, and those that are left over follow
 * one after the other. What a program is, and what it meets in a block, is the family's. */
#ifndef VITRAIL_RASTER_SHADER_IR_H
#define VITRAIL_RASTER_SHADER_IR_H

#include "raster/block_ir.h"
#include "raster/shader.h"

#define RASTER_SHADER_SIDES 4u /* blocks side by side, at most */

/* Runs of the program, of one block or of several side by side. */
struct raster_shader_ir_run {
    /* In: of several blocks, where to go, before anything has been changed, to have them and those that
     * follow run one after the other; of one, NULL. */
    LLVMBasicBlockRef leave;
    /* Out: guest instructions of each, i64, of no meaning after a fault; the first fault, i32, 0 for none, or
     * NULL where the end is never one; whether the runs may end the function in a fault, here or before. */
    LLVMValueRef executed[RASTER_SHADER_SIDES];
    LLVMValueRef fault;
    bool faults;
};

struct raster_shader_ir {
    enum raster_ir_form form;
    unsigned samples, words; /* of the tile; of a sample's colour (raster_target_words) */
    unsigned
        passes; /* how often a block is taken up, run and ended (at[]->pass); 0: once. More only one block after the other */
    size_t args_bytes;  /* what the draw gives code (raster_shader.args) */
    bool hoists;        /* all of the draw's numbers are read before the loop: else the tile may be they, for
                         * all LLVM knows, and their loads stay where they are wanted */
    bool runs_rejected; /* blocks that nothing is left of run too, uncounted, where runs may fault */
    /* The family's, filled here: the blocks at hand, first of those one after the other, then of those side
     * by side. Numbers of blocks below are places in it. */
    struct raster_block_ir *at[1 + RASTER_SHADER_SIDES];
    void *ctx;
    /* The function begins: what is the same for all blocks. ptr: the draw's args; struct raster_shader_call.
     */
    void (*begin)(void *ctx, struct jit_builder *b, LLVMValueRef args, LLVMValueRef call);
    /* How many blocks stand side by side, 1 for none; `faults`: whether one block's run may. Asked of
     * optimised AVX-512 code and tiles of one sample alone: others lack the registers. */
    unsigned (*sides)(void *ctx, bool faults);
    /* NULL, or several blocks are about to be placed, and may be left as raster_shader_ir_run says. */
    void (*group)(void *ctx, struct jit_builder *b, LLVMBasicBlockRef leave);
    /* A block has been placed. Returns i1, whether anything is left of it, or NULL: it runs in any case. */
    LLVMValueRef (*take)(void *ctx, struct jit_builder *b, unsigned block);
    /* Runs the program in `count` blocks that have been taken up. 0, or a negative errno. */
    int (*run)(void *ctx, struct jit_builder *b, unsigned first, unsigned count,
               struct raster_shader_ir_run *run);
    /* A block's run has ended well. Returns guest instructions that ran behind it, i64, or NULL: none. */
    LLVMValueRef (*end)(void *ctx, struct jit_builder *b, unsigned block, LLVMValueRef executed);
};

/* Emits the function. 0, or what `run` returned. */
int raster_shader_emit(struct jit_builder *b, const struct raster_shader_ir *ir);

#endif
