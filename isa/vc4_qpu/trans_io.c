/* What an instruction reads and writes: registers, and the world through the ports. */
#include <errno.h>

#include "isa/vc4_qpu/trans_internal.h"
#include "isa/vc4_qpu/program_internal.h"

struct vc4_qpu_value *vc4_qpu_trans_reg(struct vc4_qpu_trans *t, unsigned reg)
{
    if (!t->regs[reg])
        t->regs[reg] = t->straight ? t->zero : vc4_qpu_trans_load_reg(t, reg);
    return t->regs[reg];
}

void vc4_qpu_trans_set_reg(struct vc4_qpu_trans *t, unsigned reg, struct vc4_qpu_value *v)
{
    t->regs[reg] = v;
    t->dirty[reg] = true;
}

static struct vc4_qpu_value *unsupported(struct vc4_qpu_trans *t, const char *what)
{
    vc4_qpu_trans_fail(t, -ENOTSUP, what);
    return t->zero;
}

LLVMValueRef vc4_qpu_trans_take_uniform(struct vc4_qpu_trans *t)
{
    struct jit_builder *b = t->b;

    if (!t->uniforms)
        t->uniforms = jit_load(b, b->i32, t->uniforms_slot, 4, false);
    LLVMValueRef address = t->uniforms;
    if (t->uniform_bytes)
        address = LLVMBuildAdd(b->ir, address, jit_i32(b, t->uniform_bytes), "");
    t->uniform_bytes += 4;
    uint32_t word = t->uniform_word;
    if (word != VC4_QPU_NO_OFFSET)
        t->uniform_word++;
    if (!t->ports->uniform) {
        vc4_qpu_trans_fail(t, -ENOTSUP, "no uniforms here");
        return jit_i32(b, 0);
    }
    return t->ports->uniform(t->ports->ctx, b, address, word);
}

static struct vc4_qpu_value *bits(struct vc4_qpu_trans *t, LLVMValueRef v)
{
    return LLVMTypeOf(v) == t->b->f32x16 ? vc4_qpu_trans_float(t, v, false, false) : vc4_qpu_trans_int(t, v);
}

static void take_varying(struct vc4_qpu_trans *t)
{
    LLVMValueRef vary, c;

    if (!t->ports->varying) {
        t->varying_read = t->varying_c = unsupported(t, "no varyings here");
        return;
    }
    t->ports->varying(t->ports->ctx, t->b, t->varyings++, &vary, &c);
    t->varying_read = bits(t, vary);
    t->varying_c = bits(t, c);
    t->varying_read->clean |= t->ports->clean_varyings && !t->exact;
    t->varying_c->clean |= t->ports->clean_varyings && !t->exact;
}

static struct vc4_qpu_value *take_vpm(struct vc4_qpu_trans *t)
{
    if (!t->ports->vpm_read)
        return unsupported(t, "no VPM to read here");
    return bits(t, t->ports->vpm_read(t->ports->ctx, t->b));
}

static struct vc4_qpu_value *take_result(struct vc4_qpu_trans *t, unsigned unit)
{
    struct vc4_qpu_trans_tmu *tmu = &t->tmu[unit];

    if (t->machine)
        return vc4_qpu_trans_int(t, t->ports->tmu_load(t->ports->ctx, t->b, unit));

    if (!tmu->result_count) {
        vc4_qpu_trans_fault(t, VC4_QPU_FAULT_TMU_EMPTY, 0);
        return NULL;
    }
    struct vc4_qpu_value *v = tmu->results[0];
    tmu->slots_taken -= tmu->slots[0];
    tmu->result_count--;
    for (unsigned i = 0; i < tmu->result_count; i++) {
        tmu->results[i] = tmu->results[i + 1];
        tmu->slots[i] = tmu->slots[i + 1];
    }
    return v;
}

static struct vc4_qpu_value *load(struct vc4_qpu_trans *t, LLVMValueRef (*port)(void *, struct jit_builder *))
{
    if (!port)
        return unsupported(t, "nothing to load here");
    return bits(t, port(t->ports->ctx, t->b));
}

static struct vc4_qpu_value *load_signal(struct vc4_qpu_trans *t)
{
    switch (t->insn->sig) {
    case VC4_QPU_SIG_COVERAGE_LOAD: return load(t, t->ports->coverage_load);
    case VC4_QPU_SIG_COLOR_LOAD:
    case VC4_QPU_SIG_COLOR_LOAD_END: return load(t, t->ports->color_load);
    case VC4_QPU_SIG_LOAD_TMU0: return take_result(t, 0);
    case VC4_QPU_SIG_LOAD_TMU1: return take_result(t, 1);
    case VC4_QPU_SIG_ALPHA_MASK_LOAD: return unsupported(t, "the alpha mask is not translated");
    default: return NULL;
    }
}

static bool unmapped(unsigned raddr)
{
    return raddr == 33 || raddr == 34 || raddr == 36 || raddr == 37 || raddr == 40 ||
           (raddr >= 43 && raddr <= 47) || raddr >= 52;
}

static void check_address(struct vc4_qpu_trans *t, unsigned raddr)
{
    const struct vc4_qpu_ir_ports *p = t->ports;

    if (unmapped(raddr))
        vc4_qpu_trans_fault(t, VC4_QPU_FAULT_RESERVED, 0);
    else if ((raddr == VC4_QPU_R_XY && !p->coordinates) || (raddr == VC4_QPU_R_MS_REV && !p->flags))
        vc4_qpu_trans_fail(t, -ENOTSUP, "no pixel here");
    else if (raddr > VC4_QPU_R_VPM && !t->machine)
        vc4_qpu_trans_fail(t, -ENOTSUP, "DMA and the mutex are not translated");
}

struct vc4_qpu_value *vc4_qpu_trans_take_inputs(struct vc4_qpu_trans *t)
{
    const struct vc4_qpu_insn *insn = t->insn;

    t->uniform_word = t->program->uniform_at[t->pc];
    t->uniform_read = t->varying_read = t->vpm_read = t->varying_c = NULL;
    if (insn->kind == VC4_QPU_ALU) {
        check_address(t, insn->raddr_a);
        if (insn->sig != VC4_QPU_SIG_SMALL_IMM)
            check_address(t, insn->raddr_b);
    }
    if (t->stopped)
        return NULL;
    if (vc4_qpu_reads(insn, VC4_QPU_R_UNIFORM)) {
        uint32_t word = t->uniform_word;
        t->uniform_read = vc4_qpu_trans_scalar(t, vc4_qpu_trans_take_uniform(t), true);
        if (!t->uniform_read->known)
            t->uniform_read->uniform = word + 1; /* VC4_QPU_NO_OFFSET becomes 0 */
    }
    if (vc4_qpu_reads(insn, VC4_QPU_R_VARYING))
        take_varying(t);
    if (vc4_qpu_reads(insn, VC4_QPU_R_VPM))
        t->vpm_read = take_vpm(t);
    return load_signal(t);
}

static struct vc4_qpu_value *read_payload(struct vc4_qpu_trans *t, bool file_b, unsigned raddr)
{
    const struct vc4_qpu_ir_ports *p = t->ports;
    LLVMValueRef pair[2];

    if (t->failed)
        return t->zero;
    if (raddr == VC4_QPU_R_XY)
        p->coordinates(p->ctx, t->b, &pair[0], &pair[1]);
    else
        p->flags(p->ctx, t->b, &pair[0], &pair[1]);
    return bits(t, pair[file_b]);
}

/* The lane number in file A, the QPU's in file B; also what NOP reads as, and the mutex. */
static struct vc4_qpu_value *element_or_qpu(struct vc4_qpu_trans *t, bool file_b)
{
    if (!file_b)
        return vc4_qpu_trans_int(t, jit_lane_ids(t->b));
    return t->start->qpu_number ? vc4_qpu_trans_scalar(t, t->start->qpu_number, false) : t->zero;
}

static struct vc4_qpu_value *dma_status(struct vc4_qpu_trans *t, bool store, bool wait)
{
    return vc4_qpu_trans_scalar(t, t->ports->dma_status(t->ports->ctx, t->b, store, wait), false);
}

/* Only of addresses that vc4_qpu_trans_take_inputs has let pass. */
struct vc4_qpu_value *vc4_qpu_trans_read(struct vc4_qpu_trans *t, bool file_b, unsigned raddr)
{
    if (raddr < 32)
        return vc4_qpu_trans_reg(t, (file_b ? TRANS_B : TRANS_A) + raddr);
    switch (raddr) {
    case VC4_QPU_R_UNIFORM: return t->uniform_read;
    case VC4_QPU_R_VARYING: return t->varying_read;
    case VC4_QPU_R_VPM: return t->vpm_read;
    case VC4_QPU_R_VPM_BUSY:
    case VC4_QPU_R_VPM_WAIT: return dma_status(t, file_b, raddr == VC4_QPU_R_VPM_WAIT);
    case VC4_QPU_R_XY:
    case VC4_QPU_R_MS_REV: return read_payload(t, file_b, raddr);
    default: return element_or_qpu(t, file_b);
    }
}
