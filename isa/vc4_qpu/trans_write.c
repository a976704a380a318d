/* Writes above the register files: accumulators, special functions, texture unit, tile buffer, VPM. */
#include <errno.h>
#include <string.h>

#include "isa/vc4_qpu/program_internal.h"
#include "isa/vc4_qpu/trans_internal.h"

/* Spreads one lane of each group of `size` over the group. */
static struct vc4_qpu_value *spread(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, unsigned size)
{
    uint32_t from[JIT_LANES];

    if (v->scalar || v->known)
        return v;
    for (unsigned i = 0; i < JIT_LANES; i++)
        from[i] = i / size * size;
    LLVMValueRef i = vc4_qpu_trans_i(t, v);
    struct vc4_qpu_value *r = vc4_qpu_trans_int(
        t, LLVMBuildShuffleVector(t->b->ir, i, LLVMGetPoison(LLVMTypeOf(i)), jit_vector_u32(t->b, from), ""));
    if (!r->known) {
        r->clean = v->clean;
        r->positive = v->positive;
    }
    return r;
}

static void set_merged(struct vc4_qpu_trans *t, unsigned reg, struct vc4_qpu_value *v, LLVMValueRef mask)
{
    vc4_qpu_trans_set_reg(t, reg, mask ? vc4_qpu_trans_merge(t, mask, v, vc4_qpu_trans_reg(t, reg)) : v);
}

static void set_uniforms_address(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, LLVMValueRef mask)
{
    struct jit_builder *b = t->b;
    LLVMValueRef address = vc4_qpu_trans_lane0(t, v);

    if (mask) {
        if (!t->uniforms)
            t->uniforms = jit_load(b, b->i32, t->uniforms_slot, 4, false);
        LLVMValueRef old = LLVMBuildAdd(b->ir, t->uniforms, jit_i32(b, t->uniform_bytes), "");
        LLVMValueRef on = LLVMBuildExtractElement(b->ir, mask, jit_i32(b, 0), "");
        address = LLVMBuildSelect(b->ir, on, address, old, "");
    }
    t->uniforms = address;
    t->uniform_bytes = 0;
}

/* The request that the S write at hand fires, as analysis describes it: samples are in the order of their S
 * writes, add's before mul's. */
static const struct vc4_qpu_sample *find_sample(struct vc4_qpu_trans *t, unsigned unit, uint32_t *index)
{
    const struct vc4_qpu_program *p = t->program;
    unsigned earlier = t->fired[unit]++;
    uint32_t low = 0, high = p->sample_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->samples[middle].insn < t->pc)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < p->sample_count && p->samples[low].insn == t->pc; low++) {
        if (p->samples[low].unit == unit && !earlier--) {
            *index = low;
            return &p->samples[low];
        }
    }
    vc4_qpu_trans_fail(t, -ENOTSUP, "a texture request that analysis has not seen");
    return NULL;
}

static void fire(struct vc4_qpu_trans *t, unsigned unit)
{
    struct vc4_qpu_trans_tmu *tmu = &t->tmu[unit];
    uint32_t index;

    if (t->machine) {
        t->ports->tmu_request(t->ports->ctx, t->b, unit, tmu->reg, tmu->params, tmu->param_count);
        memset(tmu, 0, sizeof *tmu);
        return;
    }
    const struct vc4_qpu_sample *sample = find_sample(t, unit, &index);

    if (!t->ports->tmu)
        vc4_qpu_trans_fail(t, -ENOTSUP, "no textures here");
    if (!sample || t->failed)
        return;
    unsigned slots = vc4_qpu_tmu_slots(sample->direct);
    if (tmu->slots_taken + slots > VC4_QPU_TMU_SLOTS) {
        vc4_qpu_trans_fault(t, VC4_QPU_FAULT_TMU_FULL, 0);
        return;
    }
    LLVMValueRef r = t->ports->tmu(t->ports->ctx, t->b, sample, index, tmu->reg[0], tmu->reg[1], tmu->reg[2],
                                   tmu->reg[3], tmu->params);
    tmu->slots_taken += slots;
    tmu->slots[tmu->result_count] = (uint8_t)slots;
    tmu->results[tmu->result_count++] = vc4_qpu_trans_int(t, jit_as_i32(t->b, r));
    for (unsigned i = 0; i < 4; i++)
        tmu->reg[i] = tmu->params[i] = NULL;
    tmu->param_count = 0;
}

/* All lanes, whatever the condition (rule 14). */
static void write_tmu(struct vc4_qpu_trans *t, unsigned waddr, struct vc4_qpu_value *v)
{
    unsigned unit = waddr >= VC4_QPU_W_TMU1_S, reg = waddr & 3;
    struct vc4_qpu_trans_tmu *tmu = &t->tmu[unit];
    bool direct = reg == 0 && tmu->param_count == 0;

    tmu->reg[reg] = vc4_qpu_trans_i(t, v);
    if (!direct) {
        if (tmu->param_count == 4) {
            vc4_qpu_trans_fail(t, -ENOTSUP, "more than four words set up a texture request");
            return;
        }
        tmu->params[tmu->param_count++] = vc4_qpu_trans_take_uniform(t);
    }
    if (reg == 0)
        fire(t, unit);
}

static void write_masked(struct vc4_qpu_trans *t,
                         void (*port)(void *, struct jit_builder *, LLVMValueRef, LLVMValueRef),
                         struct vc4_qpu_value *v, LLVMValueRef mask)
{
    if (port)
        port(t->ports->ctx, t->b, vc4_qpu_trans_i(t, v), mask);
    else
        vc4_qpu_trans_fail(t, -ENOTSUP, "a write that has no port here");
}

/* Set-ups and DMA addresses: lane 0's word, when its condition holds. */
static void write_word(struct vc4_qpu_trans *t, unsigned waddr, bool file_b, struct vc4_qpu_value *v,
                       LLVMValueRef mask)
{
    const struct vc4_qpu_ir_ports *p = t->ports;
    LLVMValueRef word = vc4_qpu_trans_lane0(t, v);
    struct jit_if when;

    if (mask)
        jit_if_begin(t->b, &when, LLVMBuildExtractElement(t->b->ir, mask, jit_i32(t->b, 0), ""));
    if (waddr == VC4_QPU_W_VPM_ADDR)
        p->dma_address(p->ctx, t->b, file_b, word);
    else
        (file_b ? p->vpm_write_setup : p->vpm_read_setup)(p->ctx, t->b, word);
    if (mask)
        jit_if_end(t->b, &when);
}

static void write_setup(struct vc4_qpu_trans *t, bool file_b, struct vc4_qpu_value *v, LLVMValueRef mask)
{
    if (!(file_b ? t->ports->vpm_write_setup : t->ports->vpm_read_setup))
        vc4_qpu_trans_fail(t, -ENOTSUP, "no VPM here");
    else if (mask && !t->machine)
        vc4_qpu_trans_fail(t, -ENOTSUP, "a conditional VPM set-up");
    else
        write_word(t, VC4_QPU_W_VPM_SETUP, file_b, v, mask);
}

static void interrupt_host(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, LLVMValueRef mask)
{
    struct jit_builder *b = t->b;
    LLVMValueRef set = LLVMBuildICmp(b->ir, LLVMIntNE, vc4_qpu_trans_i(t, v), jit_splat_u32(b, 0), "");

    if (mask)
        set = LLVMBuildAnd(b->ir, set, mask, "");
    t->ports->host_interrupt(t->ports->ctx, b, jit_mask_any(b, set));
}

/* What concerns other programs has been done when the instruction is (trans_machine.c). */
static void write_machine(struct vc4_qpu_trans *t, bool file_b, unsigned waddr, struct vc4_qpu_value *v,
                          LLVMValueRef mask)
{
    if (t->machine && waddr == VC4_QPU_W_VPM_ADDR)
        write_word(t, waddr, file_b, v, mask);
    else if (t->machine && waddr == VC4_QPU_W_HOST_INT)
        interrupt_host(t, v, mask);
    else if (!t->machine || waddr != VC4_QPU_W_MUTEX)
        vc4_qpu_trans_fail(t, -ENOTSUP, "a register that is not translated");
}

static void write_color(struct vc4_qpu_trans *t, bool all, struct vc4_qpu_value *v, LLVMValueRef mask)
{
    if (t->ports->color_write)
        t->ports->color_write(t->ports->ctx, t->b, all, vc4_qpu_trans_i(t, v), mask);
    else
        vc4_qpu_trans_fail(t, -ENOTSUP, "no colours here");
}

void vc4_qpu_trans_write(struct vc4_qpu_trans *t, bool file_b, unsigned waddr, struct vc4_qpu_value *v,
                         LLVMValueRef mask)
{
    const struct vc4_qpu_ir_ports *p = t->ports;

    if (waddr < 32) {
        set_merged(t, (file_b ? TRANS_B : TRANS_A) + waddr, v, mask);
        return;
    }
    if (vc4_qpu_is_tmu(waddr)) {
        write_tmu(t, waddr, v);
        return;
    }
    switch (waddr) {
    case VC4_QPU_W_ACC0:
    case VC4_QPU_W_ACC1:
    case VC4_QPU_W_ACC2:
    case VC4_QPU_W_ACC3: set_merged(t, TRANS_R + waddr - VC4_QPU_W_ACC0, v, mask); break;
    case VC4_QPU_W_ACC5: set_merged(t, TRANS_R5, spread(t, v, file_b ? JIT_LANES : 4), mask); break;
    case VC4_QPU_W_SFU_RECIP:
    case VC4_QPU_W_SFU_RSQRT:
    case VC4_QPU_W_SFU_EXP2:
    case VC4_QPU_W_SFU_LOG2: set_merged(t, TRANS_R4, vc4_qpu_trans_sfu(t, waddr, v), mask); break;
    case VC4_QPU_W_NOP:
    case VC4_QPU_W_TMU_NOSWAP: break; /* one texture unit is like the other */
    case VC4_QPU_W_UNIFORMS_ADDRESS: set_uniforms_address(t, v, mask); break;
    case VC4_QPU_W_TLB_STENCIL: write_masked(t, p->tlb_stencil, v, mask); break;
    case VC4_QPU_W_TLB_Z: write_masked(t, p->tlb_z, v, mask); break;
    case VC4_QPU_W_TLB_COLOR_MS: write_color(t, false, v, mask); break;
    case VC4_QPU_W_TLB_COLOR_ALL: write_color(t, true, v, mask); break;
    case VC4_QPU_W_MS_REV: write_masked(t, file_b ? NULL : p->set_ms_mask, v, mask); break;
    case VC4_QPU_W_VPM: write_masked(t, p->vpm_write, v, mask); break;
    case VC4_QPU_W_VPM_SETUP: write_setup(t, file_b, v, mask); break;
    default: write_machine(t, file_b, waddr, v, mask); break;
    }
}
