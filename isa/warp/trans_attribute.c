/* Messages as requests that other sets make, too (attribute.c). */
#include "isa/warp/trans_internal.h"

struct isa_ir_number warp_ir_number(LLVMValueRef lanes)
{
    LLVMValueRef first = LLVMIsConstant(lanes) ? LLVMGetAggregateElement(lanes, 0) : NULL;
    const uint32_t value = first && LLVMIsAConstantInt(first) ? (uint32_t)LLVMConstIntGetZExtValue(first) : 0;
    if (first && lanes == warp_trans_number(LLVMTypeOf(lanes), value))
        return (struct isa_ir_number){NULL, value};
    return (struct isa_ir_number){lanes, 0};
}

static LLVMValueRef half(struct jit_builder *b, LLVMValueRef word, unsigned n)
{
    return n ? LLVMBuildLShr(b->ir, word, jit_splat_u32(b, 16), "")
             : LLVMBuildAnd(b->ir, word, jit_splat_u32(b, 0xffff), "");
}

bool warp_ir_message_attribute(struct jit_builder *b, const struct warp_ir_message *m,
                               struct isa_ir_attribute *out, LLVMValueRef *instance)
{
    const struct warp_asked asked = warp_asked_of(m->insn);
    *out = (struct isa_ir_attribute){.type = (enum isa_type)asked.type, .any_type = asked.any_type};
    *instance = NULL;
    switch (asked.message) {
    case WARP_ATTRIBUTE:
    case WARP_LEA_ATTRIBUTE:
        out->vertex = m->operand[0][0];
        *instance = m->operand[1][0];
        out->index = warp_ir_number(m->operand[2][0]);
        return true;
    case WARP_IMAGE:
    case WARP_LEA_IMAGE:
        for (unsigned c = 0; c < 4; c++)
            out->coordinate[c] = half(b, m->operand[c / 2][0], c & 1);
        out->index = warp_ir_number(m->operand[2][0]);
        return true;
    case WARP_VARYING:
    case WARP_VARYING_FLAT:
        out->secondary = true;
        out->interpolation = warp_interpolation(&asked);
        out->index = warp_ir_number(m->operand[1][0]);
        return true;
    default: return false;
    }
}
