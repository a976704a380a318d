#include "isa/utgard_gp/trans_internal.h"

#include "isa/sfu.h"

static LLVMValueRef result(struct utgard_gp_trans *t, const struct utgard_gp_trans_results *r, uint8_t src)
{
    switch (src) {
    case UTGARD_GP_STORE_ACC0: return r->acc[0];
    case UTGARD_GP_STORE_ACC1: return r->acc[1];
    case UTGARD_GP_STORE_MUL0: return r->mul[0];
    case UTGARD_GP_STORE_MUL1: return r->mul[1];
    case UTGARD_GP_STORE_PASS: return r->pass;
    case UTGARD_GP_STORE_COMPLEX: return r->complex;
    default: return jit_splat_u32(t->b, 0);
    }
}

/* Every NaN that leaves the program is the one NaN. */
static LLVMValueRef visible(struct utgard_gp_trans *t, LLVMValueRef x)
{
    LLVMValueRef f = jit_as_f32(t->b, x);
    return jit_select(t->b, LLVMBuildFCmp(t->b->ir, LLVMRealUNO, f, f, ""), jit_splat_u32(t->b, ISA_NAN), x);
}

void utgard_gp_trans_fault(struct utgard_gp_trans *t, LLVMValueRef bad, enum utgard_gp_fault fault,
                           uint32_t pc)
{
    struct jit_builder *b = t->b;
    LLVMValueRef had = LLVMBuildLoad2(b->ir, b->i32x16, t->fault, "");
    LLVMValueRef lanes = LLVMBuildICmp(b->ir, LLVMIntEQ, had, jit_splat_u32(b, 0), "");
    lanes = LLVMBuildAnd(b->ir, lanes, t->mask, "");
    if (bad)
        lanes = LLVMBuildAnd(b->ir, lanes, bad, "");
    had = jit_select(b, lanes, jit_splat_u32(b, isa_fault_pack(fault, 0, pc)), had);
    LLVMBuildStore(b->ir, had, t->fault);
    t->faults = true;
}

/* ---- temporaries ---- */

/* Byte offsets of a component in the file: i32x16. */
static LLVMValueRef offsets(struct utgard_gp_trans *t, LLVMValueRef place, unsigned component)
{
    struct jit_builder *b = t->b;
    LLVMValueRef lanes = LLVMBuildShl(b->ir, jit_lane_ids(b), jit_splat_u32(b, 2), "");
    LLVMValueRef at = LLVMBuildShl(b->ir, place, jit_splat_u32(b, 8), "");
    at = LLVMBuildAdd(b->ir, at, jit_splat_u32(b, component * sizeof(uint32_t) * JIT_LANES), "");
    return LLVMBuildAdd(b->ir, at, lanes, "");
}

void utgard_gp_trans_arrive(struct utgard_gp_trans *t)
{
    const struct utgard_gp_trans_late due = t->now.late[0];
    for (unsigned c = 0; due.place && c < 4; c++)
        if (due.value[c])
            jit_scatter_u32(t->b, t->ports->temporaries, offsets(t, due.place, c), due.value[c], due.mask);
    for (unsigned n = 0; n + 1 < TRANS_MEMORY_DELAY; n++)
        t->now.late[n] = t->now.late[n + 1];
    t->now.late[TRANS_MEMORY_DELAY - 1] = (struct utgard_gp_trans_late){0};
}

void utgard_gp_trans_load_file(struct utgard_gp_trans *t, LLVMValueRef index, LLVMValueRef value[4])
{
    for (unsigned c = 0; c < 4; c++)
        value[c] = jit_gather_u32(t->b, t->ports->temporaries, offsets(t, index, c), t->mask);
}

/* The place that address register 0 names, for the lanes in which it is one. */
static void temporary(struct utgard_gp_trans *t, const struct utgard_gp_insn *i, unsigned pair, uint32_t pc,
                      const struct utgard_gp_trans_results *r)
{
    struct jit_builder *b = t->b;
    struct utgard_gp_trans_late *late = &t->now.late[TRANS_MEMORY_DELAY - 1];
    LLVMValueRef place = t->now.addr[0].at[0];
    LLVMValueRef inside = LLVMBuildICmp(b->ir, LLVMIntULT, place, jit_splat_u32(b, UTGARD_GP_FILE), "");
    utgard_gp_trans_fault(t, LLVMBuildNot(b->ir, inside, ""), UTGARD_GP_FAULT_ADDRESS, pc);
    late->place = LLVMBuildAnd(b->ir, place, jit_splat_u32(b, UTGARD_GP_FILE - 1), "");
    late->mask = LLVMBuildAnd(b->ir, inside, t->mask, "");
    for (unsigned c = 0; c < 2; c++)
        if (i->store_src[pair][c] != UTGARD_GP_STORE_NONE)
            late->value[pair * 2 + c] = result(t, r, i->store_src[pair][c]);
}

void utgard_gp_trans_stores(struct utgard_gp_trans *t, const struct utgard_gp_insn *i, uint32_t pc,
                            const struct utgard_gp_trans_results *r)
{
    for (unsigned pair = 0; pair < 2; pair++) {
        if (!utgard_gp_stores(i, pair))
            continue;
        for (unsigned c = 0; c < 2; c++) {
            uint8_t src = i->store_src[pair][c];
            if (src == UTGARD_GP_STORE_RESERVED)
                utgard_gp_trans_fault(t, NULL, UTGARD_GP_FAULT_RESERVED, pc);
            else if (src != UTGARD_GP_STORE_NONE && i->store_varying[pair] && !i->store_temporary[pair])
                t->ports->varying(t->ports->ctx, t->b, i->store_addr[pair], pair * 2 + c,
                                  visible(t, result(t, r, src)), t->whole ? NULL : t->mask);
        }
        if (i->store_temporary[pair])
            temporary(t, i, pair, pc, r);
    }
}
