/* What every block of a fragment variant begins with: W, depth, and the test of the payload's depth. */
#include "gpu/vc4/frag_emit.h"
#include "raster/zs_ir.h"

void vc4_frag_block_payload(struct vc4_frag_emit *e, struct jit_builder *b)
{
    e->w = raster_block_ir_w(&e->at, b);
    e->depth = raster_block_ir_depth(&e->at, b);
}

void vc4_frag_block_begin(struct vc4_frag_emit *e, struct jit_builder *b)
{
    vc4_frag_block_payload(e, b);
    for (unsigned k = 0; k < e->variant->samples; k++)
        jit_store(b, e->at.covered[k], e->live[k], 2);
}

LLVMValueRef vc4_frag_test_early(struct vc4_frag_emit *e, struct jit_builder *b)
{
    LLVMValueRef any = LLVMConstNull(b->i1x16);

    for (unsigned k = 0; k < e->variant->samples; k++) {
        LLVMValueRef changed;

        e->early_stored[k] = raster_block_ir_load(b, e->at.zs, k);
        e->early_pass[k] = raster_zs_ir(b, &e->variant->zs, raster_block_ir_reverse(&e->at, b), NULL,
                                        e->at.covered[k], e->depth, e->early_stored[k], &e->early_word[k]);
        any = LLVMBuildOr(b->ir, any, e->early_pass[k], "");
        if (e->variant->zs.face[0].enable || e->variant->zs.face[1].enable) {
            changed = LLVMBuildICmp(b->ir, LLVMIntNE, e->early_word[k], e->early_stored[k], "");
            any = LLVMBuildOr(b->ir, any, changed, "");
        }
    }
    e->tested_early = true;
    return jit_mask_any(b, any);
}
