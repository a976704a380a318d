#include "isa/trans_fault.h"

LLVMValueRef isa_trans_where_any(struct jit_builder *b, LLVMValueRef lanes, LLVMBasicBlockRef *on)
{
    LLVMBasicBlockRef here = LLVMAppendBasicBlockInContext(b->context, b->function, "fault");
    *on = LLVMAppendBasicBlockInContext(b->context, b->function, "on");
    LLVMValueRef bits = jit_mask_to_bits(b, lanes);
    LLVMValueRef none = LLVMBuildICmp(b->ir, LLVMIntEQ, bits, LLVMConstNull(b->i16), "");
    jit_likely(b, LLVMBuildCondBr(b->ir, none, *on, here));
    LLVMPositionBuilderAtEnd(b->ir, here);
    return bits;
}

void isa_trans_store_fault(struct jit_builder *b, const struct isa_trans_end *end, uint32_t kind, uint32_t at,
                           LLVMValueRef lanes, LLVMValueRef address)
{
    LLVMValueRef args[2] = {lanes, LLVMConstInt(b->i1, 1, false)}, word;
    if (end->named) {
        LLVMValueRef named = LLVMBuildAnd(b->ir, lanes, jit_mask_to_bits(b, end->named), "");
        LLVMValueRef any = LLVMBuildICmp(b->ir, LLVMIntNE, named, LLVMConstNull(b->i16), "");
        args[0] = LLVMBuildSelect(b->ir, any, named, lanes, "");
    }
    LLVMValueRef first = jit_intrinsic(b, "llvm.cttz", &b->i16, 1, args, 2);
    first = LLVMBuildZExt(b->ir, first, b->i32, "");
    word = LLVMBuildShl(b->ir, first, jit_i32(b, ISA_FAULT_LANE), "");
    word = LLVMBuildOr(b->ir, word, jit_i32(b, isa_fault_pack(kind, 0, at)), "");
    LLVMBuildStore(b->ir, word, end->fault);
    if (address)
        LLVMBuildStore(b->ir, LLVMBuildExtractElement(b->ir, address, first, ""), end->address);
}

void isa_trans_pay_together(struct jit_builder *b, LLVMValueRef fuel, uint32_t cost, LLVMBasicBlockRef leave)
{
    LLVMValueRef left = LLVMBuildLoad2(b->ir, b->i32, fuel, ""), price = jit_i32(b, cost);
    LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(b->context, b->function, "paid");
    LLVMValueRef enough = LLVMBuildICmp(b->ir, LLVMIntUGE, left, price, "");
    jit_likely(b, LLVMBuildCondBr(b->ir, enough, on, leave));
    LLVMPositionBuilderAtEnd(b->ir, on);
    LLVMBuildStore(b->ir, LLVMBuildSub(b->ir, left, price, ""), fuel);
}
