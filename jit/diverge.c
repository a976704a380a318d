#include "jit/diverge.h"

#include <errno.h>
#include <stdlib.h>

/* Without AVX-512 there are no registers of masks: comparisons give, and selections take, words. So masks that select
 * are words here, behind which LLVM cannot look: it would pack them to bytes and back at each step. */
static LLVMTypeRef words_of(struct jit_builder *b, LLVMTypeRef mask)
{
    return LLVMVectorType(b->i32, LLVMGetVectorSize(mask));
}

static LLVMValueRef widen(const struct jit_diverge *d, LLVMValueRef mask)
{
    struct jit_builder *b = d->b;
    return !d->words ? mask : LLVMBuildSExt(b->ir, mask, words_of(b, LLVMTypeOf(mask)), "");
}

static LLVMValueRef narrow(const struct jit_diverge *d, LLVMValueRef mask)
{
    struct jit_builder *b = d->b;
    return !d->words ? mask : LLVMBuildICmp(b->ir, LLVMIntSLT, mask, LLVMConstNull(LLVMTypeOf(mask)), "");
}

/* Lanes from `first` on of two masks, one behind the other. */
static LLVMValueRef lanes_of(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, unsigned first,
                             unsigned count)
{
    LLVMValueRef order[JIT_DIVERGE_SIDES * JIT_LANES];

    for (unsigned n = 0; n < count; n++)
        order[n] = jit_i32(b, first + n);
    return LLVMBuildShuffleVector(b->ir, x, y, LLVMConstVector(order, count), "");
}

LLVMValueRef jit_diverge_join(struct jit_builder *b, const LLVMValueRef *masks, unsigned count)
{
    return count == 1 ? masks[0] : lanes_of(b, masks[0], masks[1], 0, JIT_DIVERGE_SIDES * JIT_LANES);
}

LLVMValueRef jit_diverge_part(struct jit_builder *b, LLVMValueRef mask, unsigned count, unsigned side)
{
    return count == 1 ? mask
                      : lanes_of(b, mask, LLVMGetPoison(LLVMTypeOf(mask)), side * JIT_LANES, JIT_LANES);
}

static LLVMTypeRef slot_type(struct jit_diverge *d)
{
    LLVMTypeRef type = LLVMTypeOf(d->none);
    return !d->words ? type : LLVMVectorType(d->b->f32, LLVMGetVectorSize(type));
}

static LLVMValueRef load(struct jit_diverge *d, uint32_t block)
{
    LLVMValueRef mask = LLVMBuildLoad2(d->b->ir, slot_type(d), d->waiting[block], "");
    return !d->words ? mask : LLVMBuildBitCast(d->b->ir, mask, LLVMTypeOf(d->none), "");
}

static void store(struct jit_diverge *d, LLVMValueRef mask, uint32_t block)
{
    if (d->words)
        mask = jit_fence(d->b, LLVMBuildBitCast(d->b->ir, mask, slot_type(d), ""));
    LLVMBuildStore(d->b->ir, mask, d->waiting[block]);
}

static LLVMValueRef any(struct jit_diverge *d, LLVMValueRef mask)
{
    struct jit_builder *b = d->b;
    LLVMValueRef part[2], order[2][64];
    unsigned half = LLVMGetVectorSize(LLVMTypeOf(mask)) / 2;
    if (!d->words)
        return jit_mask_any(b, mask);
    for (unsigned n = 0; n < 2; n++) {
        for (unsigned l = 0; l < half; l++)
            order[n][l] = jit_i32(b, n * half + l);
        part[n] = LLVMBuildShuffleVector(b->ir, mask, LLVMGetPoison(LLVMTypeOf(mask)),
                                         LLVMConstVector(order[n], half), "");
    }
    return jit_mask_any(b, narrow(d, LLVMBuildOr(b->ir, part[0], part[1], "")));
}

static LLVMBasicBlockRef append(struct jit_diverge *d, const char *name)
{
    return LLVMAppendBasicBlockInContext(d->b->context, d->b->function, name);
}

void jit_diverge_abandon(struct jit_diverge *d)
{
    free(d->waiting);
    free(d->test);
    free(d->body);
    free(d->back);
    *d = (struct jit_diverge){0};
}

int jit_diverge_begin(struct jit_diverge *d, struct jit_builder *b, uint32_t count, LLVMValueRef lanes,
                      bool selects)
{
    size_t n = (size_t)count + 1;

    *d = (struct jit_diverge){.b = b, .count = count, .words = selects && b->level < JIT_AVX512};
    d->none = LLVMConstNull(LLVMTypeOf(widen(d, lanes)));
    d->waiting = calloc(n, sizeof *d->waiting);
    d->test = calloc(n, sizeof *d->test);
    d->body = calloc(n, sizeof *d->body);
    d->back = calloc(n, sizeof *d->back);
    if (!d->waiting || !d->test || !d->body || !d->back) {
        jit_diverge_abandon(d);
        return -ENOMEM;
    }
    for (uint32_t k = 0; k <= count; k++) {
        d->waiting[k] = jit_alloca(b, slot_type(d), "waiting");
        store(d, k ? d->none : widen(d, lanes), k);
        d->test[k] = append(d, "test");
        d->body[k] = k < count ? append(d, "block") : NULL;
    }
    LLVMBuildBr(b->ir, d->test[0]);
    return 0;
}

int jit_diverge_begin_together(struct jit_diverge *d, struct jit_builder *b, uint32_t count,
                               LLVMValueRef lanes)
{
    *d = (struct jit_diverge){.b = b, .count = count, .together = true, .left = lanes};
    d->body = calloc((size_t)count + 1, sizeof *d->body);
    if (!d->body)
        return -ENOMEM;
    for (uint32_t k = 0; k <= count; k++)
        d->body[k] = append(d, "block");
    LLVMBuildBr(b->ir, d->body[0]);
    return 0;
}

static LLVMValueRef open_block(struct jit_diverge *d, uint32_t block, bool tests)
{
    struct jit_builder *b = d->b;

    d->at = block;
    if (d->together) {
        LLVMPositionBuilderAtEnd(b->ir, d->body[block]);
        return d->left;
    }
    LLVMPositionBuilderAtEnd(b->ir, d->test[block]);
    if (tests)
        LLVMBuildCondBr(b->ir, any(d, load(d, block)), d->body[block], d->test[block + 1]);
    else
        LLVMBuildBr(b->ir, d->body[block]);
    LLVMPositionBuilderAtEnd(b->ir, d->body[block]);
    d->left = load(d, block);
    store(d, d->none, block);
    return narrow(d, d->left);
}

LLVMValueRef jit_diverge_block(struct jit_diverge *d, uint32_t block)
{
    return open_block(d, block, true);
}

LLVMValueRef jit_diverge_block_always(struct jit_diverge *d, uint32_t block)
{
    return open_block(d, block, false);
}

static void wait_for(struct jit_diverge *d, LLVMValueRef lanes, uint32_t target)
{
    store(d, LLVMBuildOr(d->b->ir, load(d, target), lanes, ""), target);
    d->back[target] |= target <= d->at;
}

/* Where there are no lanes none branch: so that they come to the end. */
static LLVMValueRef branch_together(struct jit_diverge *d, LLVMValueRef lanes, uint32_t target)
{
    struct jit_builder *b = d->b;
    LLVMBasicBlockRef taken = append(d, "taken");

    d->on = append(d, "on");
    d->target = target;
    LLVMBuildCondBr(b->ir, jit_mask_any(b, LLVMBuildAnd(b->ir, d->left, lanes, "")), taken, d->on);
    LLVMPositionBuilderAtEnd(b->ir, taken);
    return d->left;
}

void jit_diverge_went(struct jit_diverge *d)
{
    if (!d->on)
        return;
    LLVMBuildBr(d->b->ir, d->body[d->target]);
    LLVMPositionBuilderAtEnd(d->b->ir, d->on);
    d->on = NULL;
}

LLVMValueRef jit_diverge_branch(struct jit_diverge *d, LLVMValueRef lanes, uint32_t target)
{
    LLVMBuilderRef ir = d->b->ir;
    LLVMValueRef taken;

    if (d->together)
        return branch_together(d, lanes, target);
    lanes = widen(d, lanes);
    taken = LLVMBuildAnd(ir, d->left, lanes, "");
    wait_for(d, taken, target);
    d->left = LLVMBuildAnd(ir, d->left, LLVMBuildNot(ir, lanes, ""), "");
    return narrow(d, taken);
}

LLVMValueRef jit_diverge_left(const struct jit_diverge *d)
{
    return d->together ? d->left : narrow(d, d->left);
}

void jit_diverge_wait(struct jit_diverge *d, LLVMValueRef lanes, uint32_t block)
{
    store(d, widen(d, lanes), block);
}

/* Nobody waits before the open block but at targets of its own branches: so those are looked at, the lowest
 * first, and then what follows in program order. */
void jit_diverge_close(struct jit_diverge *d, uint32_t target)
{
    struct jit_builder *b = d->b;

    if (d->together) {
        LLVMBuildBr(b->ir, d->body[target]);
        return;
    }
    wait_for(d, d->left, target);
    for (uint32_t k = 0; k <= d->at; k++) {
        if (!d->back[k])
            continue;
        LLVMBasicBlockRef on = append(d, "on");
        LLVMBuildCondBr(b->ir, any(d, load(d, k)), d->body[k], on);
        LLVMPositionBuilderAtEnd(b->ir, on);
        d->back[k] = false;
    }
    LLVMBuildBr(b->ir, d->test[d->at + 1]);
}

LLVMBasicBlockRef jit_diverge_exit(const struct jit_diverge *d)
{
    return d->together ? d->body[d->count] : d->test[d->count];
}

void jit_diverge_end(struct jit_diverge *d)
{
    LLVMPositionBuilderAtEnd(d->b->ir, jit_diverge_exit(d));
    jit_diverge_abandon(d);
}

void jit_diverge_set(struct jit_builder *b, LLVMValueRef slot, LLVMValueRef value, LLVMValueRef mask)
{
    LLVMValueRef old = LLVMBuildLoad2(b->ir, LLVMTypeOf(value), slot, "");
    LLVMBuildStore(b->ir, jit_select(b, mask, value, old), slot);
}
