/* Blocks and flow. Registers stand in slots between blocks; inside a block they are plain values, computed for all
 * lanes, of which the block's own go back into the slots. A fault leaves the program at once. */
#include "isa/warp/trans_internal.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* More than this is refused: a module of it is far beyond what jit/engine.h takes. */
#define WORK_MOST 20000u

/* ---- what an instruction asks of all ---- */

static void leave_by_fault(struct warp_trans *t, enum warp_fault fault, LLVMValueRef lanes,
                           LLVMValueRef address)
{
    const struct isa_trans_end end = {t->fault_slot, t->address_slot};
    isa_trans_store_fault(t->b, &end, fault, t->insn->at, lanes, address);
    LLVMBuildBr(t->b->ir, jit_diverge_exit(&t->diverge));
}

void warp_trans_fault(struct warp_trans *t, enum warp_fault fault, LLVMValueRef bad, LLVMValueRef address)
{
    struct jit_builder *b = t->b;
    LLVMBasicBlockRef on;
    t->faults = true;
    if (!bad) {
        on = LLVMAppendBasicBlockInContext(b->context, b->function, "on");
        leave_by_fault(t, fault, jit_mask_to_bits(b, t->mask), address);
        t->ended = true;
    } else {
        LLVMValueRef lanes = isa_trans_where_any(b, LLVMBuildAnd(b->ir, bad, t->mask, ""), &on);
        leave_by_fault(t, fault, lanes, address);
    }
    LLVMPositionBuilderAtEnd(b->ir, on);
}

void warp_trans_check(struct warp_trans *t, LLVMValueRef missing, LLVMValueRef lanes, LLVMValueRef address)
{
    if (missing)
        warp_trans_fault(t, WARP_FAULT_ADDRESS, LLVMBuildAnd(t->b->ir, missing, lanes, ""), address);
}

LLVMValueRef warp_trans_visible(struct warp_trans *t)
{
    return t->helpers ? LLVMBuildAnd(t->b->ir, t->mask, LLVMBuildNot(t->b->ir, t->helpers, ""), "") : t->mask;
}

/* ---- slots ---- */

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

static LLVMValueRef state_mask(struct warp_trans *t, size_t offset)
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
}

static void make_slots(struct warp_trans *t, LLVMValueRef lanes)
{
    struct jit_builder *b = t->b;
    const bool resumes = t->input->state;
    LLVMValueRef none = LLVMConstNull(b->i1x16), live = lanes, helpers = t->input->helpers, returned = none;
    LLVMValueRef fuel =
        resumes ? jit_load(b, b->i32x16, IN_STATE(t, fuel), 4, false) : jit_splat(b, t->input->fuel);
    if (resumes) {
        live = state_mask(t, offsetof(struct warp_state, live));
        helpers = state_mask(t, offsetof(struct warp_state, helpers));
        returned = state_mask(t, offsetof(struct warp_state, returned));
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

static void load_registers(struct warp_trans *t)
{
    struct jit_builder *b = t->b;
    for (unsigned n = 0; n < WARP_REGISTERS; n++) {
        t->reg[n] = t->slot[n]    ? LLVMBuildLoad2(b->ir, b->i32x16, t->slot[n], "")
                    : t->begun[n] ? t->begun[n]
                                  : jit_splat_u32(b, 0);
        t->loaded[n] = t->reg[n];
    }
    memset(t->temporary, 0, sizeof t->temporary);
    memset(t->special, 0, sizeof t->special);
    t->helpers = t->helpers_slot ? LLVMBuildLoad2(b->ir, b->i1x16, t->helpers_slot, "") : NULL;
}

static void store_registers(struct warp_trans *t)
{
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        if (t->slot[n] && t->reg[n] != t->loaded[n])
            jit_diverge_set(t->b, t->slot[n], t->reg[n], t->mask);
}

/* ---- instructions ---- */

static void emit_insn(struct warp_trans *t)
{
    const uint8_t kind = t->insn->kind;
    t->work += kind >= WARP_PERMUTE ? 16 : 1;
    switch (kind) {
    case WARP_COMPUTE: warp_trans_arithmetic(t); break;
    case WARP_UNSUPPORTED: warp_trans_fault(t, WARP_FAULT_UNSUPPORTED, NULL, NULL); break;
    case WARP_PERMUTE: warp_trans_permute(t); break;
    case WARP_BALLOT: warp_trans_ballot(t); break;
    case WARP_LOAD:
    case WARP_STORE:
    case WARP_ATOMIC:
    case WARP_BUFFER: warp_trans_memory(t); break;
    case WARP_TEXTURE: warp_trans_texture(t); break;
    case WARP_MESSAGE: warp_trans_message(t); break;
    case WARP_BRANCH:
    case WARP_KILL: t->leave = warp_trans_holds(t); break;
    case WARP_FAR:
        t->leave = LLVMBuildAnd(t->b->ir, warp_trans_holds(t), t->mask, "");
        t->back = warp_trans_far(t, t->leave);
        break;
    default: break;
    }
}

/* Lanes that branch backward pay for it; when one cannot, the program stops. */
static void pay(struct warp_trans *t, LLVMValueRef taken, uint32_t cost)
{
    struct jit_builder *b = t->b;
    LLVMValueRef left = LLVMBuildLoad2(b->ir, b->i32x16, t->fuel_slot, ""), price = jit_splat_u32(b, cost);
    LLVMValueRef less = LLVMBuildICmp(b->ir, LLVMIntULT, left, price, "");
    warp_trans_fault(t, WARP_FAULT_FUEL, LLVMBuildAnd(b->ir, taken, less, ""), NULL);
    jit_diverge_set(b, t->fuel_slot, LLVMBuildSub(b->ir, left, price, ""), taken);
}

static void branch(struct warp_trans *t, const struct warp_block *block)
{
    const uint32_t first = t->blocks[block->target].first;
    LLVMValueRef taken = jit_diverge_branch(&t->diverge, t->leave, block->target);
    if (first <= t->number)
        pay(t, taken, t->number + 1 - first);
}

static void kill(struct warp_trans *t)
{
    struct jit_builder *b = t->b;
    LLVMValueRef taken = LLVMBuildAnd(b->ir, t->leave, t->mask, "");
    jit_diverge_set(b, t->helpers_slot, LLVMConstAllOnes(b->i1x16), taken);
    jit_diverge_set(b, t->live_slot, LLVMConstNull(b->i1x16), taken);
    t->helpers = LLVMBuildOr(b->ir, t->helpers, taken, "");
}

/* What becomes of the lanes behind block k's last instruction. */
static void leave(struct warp_trans *t, const struct warp_block *block, uint32_t k)
{
    const struct warp_insn *i = &t->program->insns[block->first + block->count - 1];
    const bool ends = (i->flow == WARP_END && !warp_blends(i)) || k + 1 == t->block_count;
    if (t->ended) {
        jit_diverge_close(&t->diverge, t->block_count);
        return;
    }
    if (warp_blends(i) && t->input->fixed_blends) {
        jit_diverge_close(&t->diverge, i->flow == WARP_END ? t->block_count : block->target);
        return;
    }
    if (warp_blends(i) && i->flow == WARP_END)
        jit_diverge_branch(&t->diverge, t->leave, t->block_count);
    else if (block->target != WARP_NO_BLOCK)
        branch(t, block);
    else if (i->kind == WARP_FAR)
        jit_diverge_branch(&t->diverge,
                           LLVMBuildAnd(t->b->ir, t->leave, LLVMBuildNot(t->b->ir, t->back, ""), ""),
                           t->block_count);
    else if (i->kind == WARP_KILL)
        kill(t);
    if (i->flow == WARP_END_HELPERS && t->helpers)
        jit_diverge_branch(&t->diverge, t->helpers, t->block_count);
    if (i->kind == WARP_BARRIER && !ends) {
        LLVMValueRef left = jit_diverge_left(&t->diverge);
        jit_diverge_set(t->b, t->running_slot, LLVMConstAllOnes(t->b->i1x16), left);
        jit_diverge_set(t->b, t->at_slot, jit_splat_u32(t->b, t->number + 1), left);
        jit_diverge_close(&t->diverge, t->block_count);
        return;
    }
    jit_diverge_close(&t->diverge, ends ? t->block_count : k + 1);
}

static void emit_block(struct warp_trans *t, uint32_t k)
{
    struct jit_builder *b = t->b;
    const struct warp_block *block = &t->blocks[k];
    t->mask = jit_diverge_block(&t->diverge, k);
    if (t->input->fixed_blends && !block->fixed) { /* nobody comes here */
        jit_diverge_close(&t->diverge, t->block_count);
        return;
    }
    if (t->block_count == 1 && !t->input->state)
        t->mask = t->input->lanes;
    t->ended = false;
    t->work += 16; /* for its registers */
    load_registers(t);
    for (uint32_t n = 0; n < block->count && !t->ended && t->work < WORK_MOST; n++) {
        t->number = block->first + n;
        t->insn = &t->program->insns[t->number];
        emit_insn(t);
    }
    store_registers(t);
    LLVMValueRef before = LLVMBuildLoad2(b->ir, b->i64, t->executed_slot, "");
    LLVMBuildStore(b->ir, LLVMBuildAdd(b->ir, before, jit_i64(b, block->count), ""), t->executed_slot);
    leave(t, block, k);
}

/* ---- the program ---- */

/* Lanes begin, or go on behind the barriers that they wait at. */
static int begin(struct warp_trans *t, LLVMValueRef lanes)
{
    struct jit_builder *b = t->b;
    const struct warp_program *p = t->program;
    int status = jit_diverge_begin(&t->diverge, b, t->block_count, lanes, !p->loads && !p->stores);
    if (status || !t->input->state)
        return status;
    LLVMPositionBuilderBefore(b->ir, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(b->ir)));
    LLVMValueRef at = LLVMBuildLoad2(b->ir, b->i32x16, t->at_slot, "");
    for (uint32_t k = 0; k < p->block_count; k++) {
        if (k && p->insns[p->blocks[k].first - 1].kind != WARP_BARRIER)
            continue;
        LLVMValueRef here = LLVMBuildICmp(b->ir, LLVMIntEQ, at, jit_splat_u32(b, p->blocks[k].first), "");
        jit_diverge_wait(&t->diverge, LLVMBuildAnd(b->ir, lanes, here, ""), k);
    }
    return 0;
}

static void store_state(struct warp_trans *t, const struct warp_ir_state *s)
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

static void finish(struct warp_trans *t, LLVMValueRef *fault, struct warp_ir_state *s)
{
    struct jit_builder *b = t->b;
    load_registers(t);
    *s = (struct warp_ir_state){.faults = t->faults};
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        s->reg[n] = t->used >> n & 1 ? t->reg[n] : NULL;
    s->live = LLVMBuildLoad2(b->ir, b->i1x16, t->live_slot, "");
    s->returned = LLVMBuildLoad2(b->ir, b->i1x16, t->returned_slot, "");
    s->executed = LLVMBuildLoad2(b->ir, b->i64, t->executed_slot, "");
    s->fault_address = LLVMBuildLoad2(b->ir, b->i64, t->address_slot, "");
    *fault = LLVMBuildLoad2(b->ir, b->i32, t->fault_slot, "");
    if (t->input->state)
        store_state(t, s);
}

int warp_translate(struct jit_builder *b, const struct warp_program *program,
                   const struct warp_ir_ports *ports, const struct warp_ir_input *input, LLVMValueRef *fault,
                   struct warp_ir_state *state)
{
    /* Where the same lanes run all of it, registers stay values from end to end. */
    const bool fixed = input->fixed_blends && program->fixed_count;
    const struct warp_block one = {0, fixed ? program->fixed_count : program->insn_count, WARP_NO_BLOCK,
                                   true};
    const bool whole = (program->straight || fixed) && !input->state;
    const bool far = input->fixed_blends ? program->fixed_far : program->far;
    struct warp_trans t = {.b = b,
                           .program = program,
                           .ports = ports,
                           .input = input,
                           .blocks = whole ? &one : program->blocks,
                           .block_count = whole ? 1 : program->block_count,
                           .used = far ? UINT64_MAX : program->read | program->written,
                           .written = far ? UINT64_MAX : program->written};
    LLVMValueRef lanes = input->lanes;
    if (program->barriers && !input->state)
        return -EINVAL;
    if (input->state)
        lanes = state_mask(&t, offsetof(struct warp_state, running));
    make_slots(&t, lanes);
    int status = begin(&t, lanes);
    for (uint32_t k = 0; !status && k < t.block_count; k++) {
        emit_block(&t, k);
        if (t.work >= WORK_MOST) {
            jit_diverge_abandon(&t.diverge);
            return -E2BIG;
        }
    }
    if (status)
        return status;
    jit_diverge_end(&t.diverge);
    finish(&t, fault, state);
    return 0;
}
