/* Registers and lanes between blocks: slots, what they begin with, and the state that programs with barriers go on
 * from. */
#include "isa/warp/trans_internal.h"

#include <stddef.h>
#include <string.h>

static LLVMValueRef make(struct warp_trans *t, LLVMTypeRef type, LLVMValueRef value, const char *name)
{
    LLVMValueRef slot = jit_alloca(t->b, type, name);
    LLVMBuildStore(t->b->ir, value, slot);
    return slot;
}

static LLVMValueRef in_state(struct warp_trans *t, size_t offset)
{
    return jit_offset_const(t->b, t->input->state, offset);
}
#define IN_STATE(t, field) in_state(t, offsetof(struct warp_state, field))

LLVMValueRef warp_trans_state_mask(struct warp_trans *t, size_t offset)
{
    return jit_mask_from_bits(t->b, jit_load(t->b, t->b->i16, in_state(t, offset), 2, false));
}

static size_t register_offset(unsigned n)
{
    return offsetof(struct warp_state, reg) + n * sizeof(uint32_t) * ISA_LANES;
}

static void make_registers(struct warp_trans *t)
{
    struct jit_builder *b = t->b;
    for (unsigned n = 0; n < WARP_REGISTERS; n++) {
        LLVMValueRef first = t->input->state ? NULL : t->input->reg[n];
        if (!(t->used >> n & 1))
            continue;
        if (t->input->state)
            first = jit_load(b, b->i32x16, in_state(t, register_offset(n)), 4, false);
        t->begun[n] = first ? first : jit_splat_u32(b, 0);
        if (t->written >> n & 1)
            t->slot[n] = make(t, b->i32x16, t->begun[n], "register");
    }
    warp_trans_keep_halves(t);
}

void warp_trans_make_slots(struct warp_trans *t, LLVMValueRef lanes)
{
    struct jit_builder *b = t->b;
    const bool resumes = t->input->state;
    LLVMValueRef none = LLVMConstNull(b->i1x16), live = lanes, helpers = t->input->helpers, returned = none;
    LLVMValueRef fuel =
        resumes ? jit_load(b, b->i32x16, IN_STATE(t, fuel), 4, false) : jit_splat(b, t->input->fuel);
    if (resumes) {
        live = warp_trans_state_mask(t, offsetof(struct warp_state, live));
        helpers = warp_trans_state_mask(t, offsetof(struct warp_state, helpers));
        returned = warp_trans_state_mask(t, offsetof(struct warp_state, returned));
        t->running_slot = make(t, b->i1x16, none, "running");
        t->at_slot = make(t, b->i32x16, jit_load(b, b->i32x16, IN_STATE(t, at), 4, false), "at");
    }
    if (helpers || t->program->discards)
        t->helpers_slot = make(t, b->i1x16, helpers ? helpers : none, "helpers");
    t->live_slot = make(t, b->i1x16, live, "live");
    t->returned_slot = make(t, b->i1x16, returned, "returned");
    t->fuel_slot = make(t, b->i32x16, fuel, "fuel");
    t->executed_slot = make(t, b->i64, jit_i64(b, 0), "executed");
    t->fault_slot = make(t, b->i32, jit_i32(b, 0), "fault");
    t->address_slot = make(t, b->i64, jit_i64(b, 0), "address");
    make_registers(t);
}

void warp_trans_load_registers(struct warp_trans *t)
{
    struct jit_builder *b = t->b;
    for (unsigned n = 0; n < WARP_REGISTERS; n++) {
        t->reg[n] = t->slot[n]    ? LLVMBuildLoad2(b->ir, b->i32x16, t->slot[n], "")
                    : t->begun[n] ? t->begun[n]
                                  : jit_splat_u32(b, 0);
        t->loaded[n] = t->reg[n];
    }
    memset(t->temporary, 0, sizeof t->temporary);
    warp_trans_load_halves(t);
    memset(t->special, 0, sizeof t->special);
    t->helpers = t->helpers_slot ? LLVMBuildLoad2(b->ir, b->i1x16, t->helpers_slot, "") : NULL;
}

void warp_trans_set(struct warp_trans *t, LLVMValueRef slot, LLVMValueRef value)
{
    if (t->together)
        LLVMBuildStore(t->b->ir, value, slot);
    else
        jit_diverge_set(t->b, slot, value, t->mask);
}

void warp_trans_store_registers(struct warp_trans *t)
{
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        if (t->slot[n] && t->reg[n] != t->loaded[n]) {
            warp_trans_set(t, t->slot[n], t->reg[n]);
            warp_trans_store_halves(t, n);
        }
}

void warp_trans_store_state(struct warp_trans *t, const struct warp_ir_state *s)
{
    struct jit_builder *b = t->b;
    LLVMValueRef running = jit_mask_to_bits(b, LLVMBuildLoad2(b->ir, b->i1x16, t->running_slot, ""));
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        if (t->slot[n])
            jit_store(b, s->reg[n], in_state(t, register_offset(n)), 4);
    jit_store(b, running, IN_STATE(t, running), 2);
    jit_store(b, running, IN_STATE(t, waiting), 2);
    jit_store(b, jit_mask_to_bits(b, s->live), IN_STATE(t, live), 2);
    jit_store(b, jit_mask_to_bits(b, s->returned), IN_STATE(t, returned), 2);
    jit_store(b, jit_mask_to_bits(b, t->helpers), IN_STATE(t, helpers), 2);
    jit_store(b, LLVMBuildLoad2(b->ir, b->i32x16, t->at_slot, ""), IN_STATE(t, at), 4);
    jit_store(b, LLVMBuildLoad2(b->ir, b->i32x16, t->fuel_slot, ""), IN_STATE(t, fuel), 4);
}
