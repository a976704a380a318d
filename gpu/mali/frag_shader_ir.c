/* Blend shaders of programs of isa/warp as IR: they stand in the code where programs branch to them, over the same
 * registers, and do to the tile what these do (frag_blend_warp.c). */
#include <string.h>

#include "gpu/mali/frag_fault.h"
#include "gpu/mali/frag_ir.h"

static LLVMValueRef at_shader(const struct mali_frag_ir *e, struct jit_builder *b, uint32_t t,
                              LLVMValueRef target)
{
    const size_t at = offsetof(struct mali_frag_args, shader) + t * sizeof(uint64_t);
    LLVMValueRef address = jit_splat(b, mali_frag_of_args(e, b, b->i64, at));
    return LLVMBuildICmp(b->ir, LLVMIntEQ, target, address, "");
}

/* Blend shaders go nowhere but back: a fault, with the target whose shader they mean. */
static LLVMValueRef refuse_far(void *ctx, struct jit_builder *b, const struct warp_ir_far *to,
                               LLVMValueRef mask, LLVMValueRef reg[WARP_REGISTERS], LLVMValueRef *back,
                               LLVMValueRef *address)
{
    const struct mali_frag_ir *e = ctx;
    *address = jit_splat(b, jit_i64(b, mali_frag_fault_far(MALI_TARGETS)));
    for (uint32_t t = MALI_TARGETS; t-- > 0;)
        if (e->forms->shaders >> t & 1)
            *address = jit_select(b, at_shader(e, b, t, to->target),
                                  jit_splat(b, jit_i64(b, mali_frag_fault_far(t))), *address);
    (void)reg;
    *back = LLVMConstNull(b->i1x16);
    return mask;
}

/* The lane of a shader's fault (i32, 0: none), as a mask. */
static LLVMValueRef lane_of(struct jit_builder *b, LLVMValueRef fault)
{
    LLVMValueRef lane = LLVMBuildLShr(b->ir, fault, jit_i32(b, ISA_FAULT_LANE), "");
    lane = LLVMBuildAnd(b->ir, lane, jit_i32(b, ISA_FAULT_LANE_MAX), "");
    lane = LLVMBuildShl(b->ir, jit_i32(b, 1), lane, "");
    LLVMValueRef is = LLVMBuildICmp(b->ir, LLVMIntNE, fault, jit_i32(b, 0), "");
    lane = LLVMBuildSelect(b->ir, is, lane, jit_i32(b, 0), "");
    return jit_mask_from_bits(b, LLVMBuildTrunc(b->ir, lane, b->i16, ""));
}

/* mali_frag_fault_inner */
static LLVMValueRef inner_fault(struct jit_builder *b, uint32_t t, LLVMValueRef fault, LLVMValueRef address)
{
    LLVMValueRef code = LLVMBuildZExt(b->ir, fault, b->i64, "");
    code = LLVMBuildOr(b->ir, code, jit_i64(b, mali_frag_fault_inner(t, 0, 0) >> 32), "");
    LLVMValueRef far = LLVMBuildLShr(b->ir, address, jit_i64(b, MALI_FRAG_FAULT_FAR_AT), "");
    far = LLVMBuildShl(b->ir, far, jit_i64(b, MALI_FRAG_FAULT_INNER_FAR_AT), "");
    code = LLVMBuildOr(b->ir, LLVMBuildShl(b->ir, code, jit_i64(b, 32), ""), far, "");
    address = LLVMBuildAnd(b->ir, address, jit_i64(b, UINT32_MAX), "");
    return jit_splat(b, LLVMBuildOr(b->ir, code, address, ""));
}

/* Runs target t's shader in `lanes`; those of a fault, with what is told of it. */
static LLVMValueRef run_shader(struct mali_frag_ir *e, struct jit_builder *b, uint32_t t,
                               const struct warp_ir_far *to, LLVMValueRef lanes,
                               LLVMValueRef reg[WARP_REGISTERS], LLVMValueRef *back, LLVMValueRef *address)
{
    const struct warp_program *p = e->variant->shader[t]->warp;
    struct warp_ir_ports ports;
    struct warp_ir_input input = {
        .address =
            mali_frag_of_args(e, b, b->i64, offsetof(struct mali_frag_args, shader) + t * sizeof(uint64_t)),
        .back = to->back,
        .lanes = lanes,
        .helpers = to->helpers ? LLVMBuildAnd(b->ir, to->helpers, lanes, "") : NULL,
        .fuel = mali_frag_of_args(e, b, b->i32, offsetof(struct mali_frag_args, fuel))};
    struct warp_ir_state end;
    LLVMValueRef fault;
    mali_frag_ir_warp_ports(e, &ports);
    ports.far = refuse_far;
    memcpy(input.reg, reg, sizeof input.reg);
    if (warp_translate(b, p, &ports, &input, &fault, &end)) {
        e->refused = true;
        return NULL;
    }
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        if (p->written >> n & 1)
            reg[n] = jit_select(b, lanes, end.reg[n], reg[n]);
    *back = LLVMBuildOr(b->ir, *back, LLVMBuildAnd(b->ir, end.returned, lanes, ""), "");
    LLVMValueRef ran = LLVMBuildSelect(b->ir, jit_mask_any(b, lanes), end.executed, jit_i64(b, 0), "");
    ran = LLVMBuildAdd(b->ir, jit_load(b, b->i64, e->now.ran, 8, false), ran, "");
    jit_store(b, ran, e->now.ran, 8);
    if (!end.faults)
        return NULL;
    *address = inner_fault(b, t, fault, end.fault_address);
    return lane_of(b, fault);
}

LLVMValueRef mali_frag_ir_far(void *ctx, struct jit_builder *b, const struct warp_ir_far *to,
                              LLVMValueRef mask, LLVMValueRef reg[WARP_REGISTERS], LLVMValueRef *back,
                              LLVMValueRef *address)
{
    struct mali_frag_ir *e = ctx;
    LLVMValueRef left = mask, bad = LLVMConstNull(b->i1x16);
    *address = jit_splat(b, jit_i64(b, mali_frag_fault_far(MALI_TARGETS)));
    *back = LLVMConstNull(b->i1x16);
    for (uint32_t t = 0; t < e->forms->tile.count && !e->refused; t++) {
        if (!(e->forms->shaders >> t & 1))
            continue;
        LLVMValueRef these = LLVMBuildAnd(b->ir, left, at_shader(e, b, t, to->target), ""), at = NULL;
        left = LLVMBuildAnd(b->ir, left, LLVMBuildNot(b->ir, these, ""), "");
        LLVMValueRef fails = run_shader(e, b, t, to, these, reg, back, &at);
        if (!fails)
            continue;
        bad = LLVMBuildOr(b->ir, bad, fails, "");
        *address = jit_select(b, fails, at, *address);
    }
    return LLVMBuildOr(b->ir, bad, left, "");
}
