#include "jit/diverge.h"

#include <errno.h>
#include <stdlib.h>

static LLVMValueRef load(struct jit_diverge *d, uint32_t block)
{
    return LLVMBuildLoad2(d->b->ir, LLVMTypeOf(d->none), d->waiting[block], "");
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

int jit_diverge_begin(struct jit_diverge *d, struct jit_builder *b, uint32_t count, LLVMValueRef lanes)
{
    size_t n = (size_t)count + 1;

    *d = (struct jit_diverge){.b = b, .count = count, .none = LLVMConstNull(LLVMTypeOf(lanes))};
    d->waiting = calloc(n, sizeof *d->waiting);
    d->test = calloc(n, sizeof *d->test);
    d->body = calloc(n, sizeof *d->body);
    d->back = calloc(n, sizeof *d->back);
    if (!d->waiting || !d->test || !d->body || !d->back) {
        jit_diverge_abandon(d);
        return -ENOMEM;
    }
    for (uint32_t k = 0; k <= count; k++) {
        d->waiting[k] = jit_alloca(b, LLVMTypeOf(lanes), "waiting");
        LLVMBuildStore(b->ir, k ? d->none : lanes, d->waiting[k]);
        d->test[k] = append(d, "test");
        d->body[k] = k < count ? append(d, "block") : NULL;
    }
    LLVMBuildBr(b->ir, d->test[0]);
    return 0;
}

static LLVMValueRef open_block(struct jit_diverge *d, uint32_t block, bool tests)
{
    struct jit_builder *b = d->b;

    d->at = block;
    LLVMPositionBuilderAtEnd(b->ir, d->test[block]);
    if (tests)
        LLVMBuildCondBr(b->ir, jit_mask_any(b, load(d, block)), d->body[block], d->test[block + 1]);
    else
        LLVMBuildBr(b->ir, d->body[block]);
    LLVMPositionBuilderAtEnd(b->ir, d->body[block]);
    d->left = load(d, block);
    LLVMBuildStore(b->ir, d->none, d->waiting[block]);
    return d->left;
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
    LLVMBuildStore(d->b->ir, LLVMBuildOr(d->b->ir, load(d, target), lanes, ""), d->waiting[target]);
    d->back[target] |= target <= d->at;
}

void jit_diverge_branch(struct jit_diverge *d, LLVMValueRef lanes, uint32_t target)
{
    LLVMBuilderRef ir = d->b->ir;

    wait_for(d, LLVMBuildAnd(ir, d->left, lanes, ""), target);
    d->left = LLVMBuildAnd(ir, d->left, LLVMBuildNot(ir, lanes, ""), "");
}

/* Nobody waits before the open block but at targets of its own branches: so those are looked at, the lowest
 * first, and then what follows in program order. */
void jit_diverge_close(struct jit_diverge *d, uint32_t target)
{
    struct jit_builder *b = d->b;

    wait_for(d, d->left, target);
    for (uint32_t k = 0; k <= d->at; k++) {
        if (!d->back[k])
            continue;
        LLVMBasicBlockRef on = append(d, "on");
        LLVMBuildCondBr(b->ir, jit_mask_any(b, load(d, k)), d->body[k], on);
        LLVMPositionBuilderAtEnd(b->ir, on);
        d->back[k] = false;
    }
    LLVMBuildBr(b->ir, d->test[d->at + 1]);
}

LLVMBasicBlockRef jit_diverge_exit(const struct jit_diverge *d)
{
    return d->test[d->count];
}

void jit_diverge_end(struct jit_diverge *d)
{
    LLVMPositionBuilderAtEnd(d->b->ir, d->test[d->count]);
    jit_diverge_abandon(d);
}

void jit_diverge_set(struct jit_builder *b, LLVMValueRef slot, LLVMValueRef value, LLVMValueRef mask)
{
    LLVMValueRef old = LLVMBuildLoad2(b->ir, LLVMTypeOf(value), slot, "");
    LLVMBuildStore(b->ir, jit_select(b, mask, value, old), slot);
}
