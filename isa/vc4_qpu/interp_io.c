/* What an instruction reads and writes: register files, uniforms, varyings, and everything through ports. */
#include <string.h>

#include "isa/vc4_qpu/interp_run.h"

static void fill(uint32_t out[LANES], uint32_t value)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        out[lane] = value;
}

/* ---- reads ---- */

static enum vc4_qpu_fault next_uniform(struct vc4_qpu_interp *q, uint32_t *value)
{
    q->report->address = q->uniforms;
    PORT(uniform, q->uniforms, value);
    q->report->address = 0;
    q->uniforms += 4;
    return VC4_QPU_OK;
}

static void unmapped(const struct vc4_qpu_interp *q, bool file_b, uint32_t out[LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++)
        out[lane] = file_b ? q->qpu_number : lane;
}

static enum vc4_qpu_fault read_coordinates(struct vc4_qpu_interp *q, bool file_b, bool flags,
                                           uint32_t out[LANES])
{
    uint32_t a[LANES] = {0}, b[LANES] = {0};
    void (*port)(void *, uint32_t *, uint32_t *) = flags ? q->ports->flags : q->ports->coordinates;

    if (!port)
        return vc4_qpu_interp_fail(q, VC4_QPU_FAULT_UNSUPPORTED);
    port(q->ports->ctx, a, b);
    memcpy(out, file_b ? b : a, sizeof a);
    return VC4_QPU_OK;
}

bool vc4_qpu_interp_readable(unsigned raddr)
{
    switch (raddr) {
    case VC4_QPU_R_UNIFORM:
    case VC4_QPU_R_VARYING:
    case VC4_QPU_R_ELEMENT_QPU:
    case VC4_QPU_R_NOP:
    case VC4_QPU_R_XY:
    case VC4_QPU_R_MS_REV:
    case VC4_QPU_R_VPM:
    case VC4_QPU_R_VPM_BUSY:
    case VC4_QPU_R_VPM_WAIT:
    case VC4_QPU_R_MUTEX: return true;
    default: return raddr < 32;
    }
}

static enum vc4_qpu_fault read_io(struct vc4_qpu_interp *q, struct vc4_qpu_step *step, unsigned raddr,
                                  bool file_b, uint32_t out[LANES])
{
    uint32_t value;

    switch (raddr) {
    case VC4_QPU_R_UNIFORM:
        TRY(next_uniform(q, &value));
        fill(out, value);
        return VC4_QPU_OK;
    case VC4_QPU_R_VARYING:
        PORT(varying, q->varyings_read, out, step->varying_c);
        q->varyings_read++;
        step->has_varying = true;
        return VC4_QPU_OK;
    case VC4_QPU_R_ELEMENT_QPU:
    case VC4_QPU_R_NOP: unmapped(q, file_b, out); return VC4_QPU_OK;
    case VC4_QPU_R_XY: return read_coordinates(q, file_b, false, out);
    case VC4_QPU_R_MS_REV: return read_coordinates(q, file_b, true, out);
    case VC4_QPU_R_VPM: PORT(vpm_read, out); return VC4_QPU_OK;
    case VC4_QPU_R_VPM_BUSY:
    case VC4_QPU_R_VPM_WAIT:
        PORT(dma_status, file_b, raddr == VC4_QPU_R_VPM_WAIT, &value);
        fill(out, value);
        return VC4_QPU_OK;
    default:
        PORT(mutex, true);
        unmapped(q, file_b, out);
        return VC4_QPU_OK;
    }
}

/* FIFOs give one word an instruction, even when both files name them (rule 12). */
static bool is_fifo(unsigned raddr)
{
    return raddr == VC4_QPU_R_UNIFORM || raddr == VC4_QPU_R_VARYING || raddr == VC4_QPU_R_VPM ||
           raddr == VC4_QPU_R_MUTEX;
}

enum vc4_qpu_fault vc4_qpu_interp_read(struct vc4_qpu_interp *q, struct vc4_qpu_step *step)
{
    const struct vc4_qpu_insn *insn = step->insn;

    if (insn->raddr_a < 32)
        memcpy(step->a, q->state.a[insn->raddr_a], sizeof step->a);
    else
        TRY(read_io(q, step, insn->raddr_a, false, step->a));
    if (insn->sig == VC4_QPU_SIG_SMALL_IMM)
        fill(step->b, vc4_qpu_small_imm(insn->raddr_b));
    else if (insn->raddr_b < 32)
        memcpy(step->b, q->state.b[insn->raddr_b], sizeof step->b);
    else if (insn->raddr_b == VC4_QPU_R_MUTEX && insn->raddr_a == insn->raddr_b)
        unmapped(q, true, step->b);
    else if (is_fifo(insn->raddr_b) && insn->raddr_a == insn->raddr_b)
        memcpy(step->b, step->a, sizeof step->b);
    else
        TRY(read_io(q, step, insn->raddr_b, true, step->b));
    return VC4_QPU_OK;
}

/* ---- writes ---- */

static enum vc4_qpu_fault take_slots(struct vc4_qpu_outstanding *o, bool direct)
{
    unsigned slots = vc4_qpu_tmu_slots(direct);

    if (o->taken + slots > VC4_QPU_TMU_SLOTS)
        return VC4_QPU_FAULT_TMU_FULL;
    o->slots[o->count++] = (uint8_t)slots;
    o->taken += slots;
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault free_slots(struct vc4_qpu_outstanding *o)
{
    if (!o->count)
        return VC4_QPU_FAULT_TMU_EMPTY;
    o->taken -= o->slots[0];
    memmove(o->slots, o->slots + 1, --o->count);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault write_tmu(struct vc4_qpu_interp *q, unsigned waddr, const uint32_t value[LANES])
{
    unsigned unit = waddr >= VC4_QPU_W_TMU1_S, reg = waddr & 3;
    struct vc4_qpu_request *r = &q->request[unit];

    memcpy(r->coordinate[reg], value, sizeof r->coordinate[reg]);
    r->has[reg] = true;
    if (reg != 0 || r->param_count) { /* all but a direct lookup pull a set-up word */
        if (r->param_count == 4)
            return vc4_qpu_interp_fail(q, VC4_QPU_FAULT_RESERVED);
        TRY(next_uniform(q, &r->params[r->param_count]));
        r->param_count++;
    }
    if (reg != 0)
        return VC4_QPU_OK;
    TRY(take_slots(&q->outstanding[unit], !r->param_count));
    PORT(tmu_request, unit, r->coordinate[0], r->has[1] ? r->coordinate[1] : NULL,
         r->has[2] ? r->coordinate[2] : NULL, r->has[3] ? r->coordinate[3] : NULL, r->params, r->param_count);
    memset(r, 0, sizeof *r);
    return VC4_QPU_OK;
}

/* Registers that take one word take lane 0's, when its condition holds (rule 14). */
static enum vc4_qpu_fault write_scalar(struct vc4_qpu_interp *q, unsigned waddr, bool file_b, uint32_t value)
{
    switch (waddr) {
    case VC4_QPU_W_UNIFORMS_ADDRESS: q->uniforms = value; return VC4_QPU_OK;
    case VC4_QPU_W_VPM_SETUP:
        if (file_b)
            PORT(vpm_write_setup, value);
        else
            PORT(vpm_read_setup, value);
        return VC4_QPU_OK;
    default: PORT(dma_address, file_b, value); return VC4_QPU_OK;
    }
}

static bool any_set(const uint32_t value[LANES], uint16_t lanes)
{
    bool any = false;

    for (unsigned lane = 0; lane < LANES; lane++)
        any |= (lanes >> lane & 1) && value[lane];
    return any;
}

static enum vc4_qpu_fault write_io(struct vc4_qpu_interp *q, unsigned waddr, bool file_b,
                                   const uint32_t value[LANES], uint16_t lanes)
{
    switch (waddr) {
    case VC4_QPU_W_NOP:
    case VC4_QPU_W_TMU_NOSWAP: return VC4_QPU_OK;
    case VC4_QPU_W_HOST_INT:
        if (!q->ports->host_interrupt)
            return vc4_qpu_interp_fail(q, VC4_QPU_FAULT_UNSUPPORTED);
        if (any_set(value, lanes))
            TRY(q->ports->host_interrupt(q->ports->ctx, q->report));
        return VC4_QPU_OK;
    case VC4_QPU_W_UNIFORMS_ADDRESS:
    case VC4_QPU_W_VPM_SETUP:
    case VC4_QPU_W_VPM_ADDR: return lanes & 1 ? write_scalar(q, waddr, file_b, value[0]) : VC4_QPU_OK;
    case VC4_QPU_W_MS_REV:
        if (file_b)
            return vc4_qpu_interp_fail(q, VC4_QPU_FAULT_UNSUPPORTED);
        PORT(set_ms_mask, value, lanes);
        return VC4_QPU_OK;
    case VC4_QPU_W_TLB_STENCIL: PORT(tlb_stencil, value, lanes); return VC4_QPU_OK;
    case VC4_QPU_W_TLB_Z: PORT(tlb_z, value, lanes); return VC4_QPU_OK;
    case VC4_QPU_W_TLB_COLOR_MS:
    case VC4_QPU_W_TLB_COLOR_ALL:
        PORT(color_write, waddr == VC4_QPU_W_TLB_COLOR_ALL, value, lanes);
        return VC4_QPU_OK;
    case VC4_QPU_W_TLB_ALPHA_MASK: PORT(alpha_mask, value, lanes); return VC4_QPU_OK;
    case VC4_QPU_W_VPM: PORT(vpm_write, value, lanes); return VC4_QPU_OK;
    case VC4_QPU_W_MUTEX: PORT(mutex, false); return VC4_QPU_OK;
    case VC4_QPU_W_SFU_RECIP:
    case VC4_QPU_W_SFU_RSQRT:
    case VC4_QPU_W_SFU_EXP2:
    case VC4_QPU_W_SFU_LOG2:
        for (unsigned lane = 0; lane < LANES; lane++)
            if (lanes >> lane & 1)
                q->state.r[4][lane] = vc4_qpu_sfu(q->exact, waddr, value[lane]);
        return VC4_QPU_OK;
    default:
        if (waddr >= VC4_QPU_W_TMU0_S)
            return write_tmu(q, waddr, value);
        return vc4_qpu_interp_fail(q, VC4_QPU_FAULT_UNSUPPORTED); /* QUAD_X, QUAD_Y */
    }
}

/* The register a write goes to, when it can be read back. */
static uint32_t *register_of(struct vc4_qpu_state *state, unsigned waddr, bool file_b)
{
    if (waddr < 32)
        return file_b ? state->b[waddr] : state->a[waddr];
    if (waddr >= VC4_QPU_W_ACC0 && waddr <= VC4_QPU_W_ACC3)
        return state->r[waddr - VC4_QPU_W_ACC0];
    return NULL;
}

/* The write of one unit: packed, then stored in the lanes where the condition holds. */
enum vc4_qpu_fault vc4_qpu_interp_write(struct vc4_qpu_interp *q, struct vc4_qpu_step *step, unsigned mul)
{
    const struct vc4_qpu_insn *insn = step->insn;
    unsigned waddr = mul ? insn->waddr_mul : insn->waddr_add;
    bool file_b = (bool)mul != insn->ws, branch = insn->kind == VC4_QPU_BRANCH;
    uint32_t *reg = register_of(&q->state, waddr, file_b), value[LANES];
    bool pack_mul = insn->pm && insn->pack && mul && !branch;
    bool pack_a = !insn->pm && insn->pack && !file_b && waddr < 32 && !branch;
    uint16_t lanes = step->lanes[mul];

    if (!vc4_qpu_unit_writes(insn, mul))
        return VC4_QPU_OK;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const struct vc4_qpu_result *result = &step->result[mul][lane];
        uint32_t old = reg ? reg[lane] : 0;
        value[lane] = pack_mul ? vc4_qpu_pack_mul(insn->pack, result->value, old)
                      : pack_a ? vc4_qpu_pack_a(insn->pack, result, old)
                               : result->value;
    }
    if (waddr == VC4_QPU_W_ACC5) {
        for (unsigned lane = 0; lane < LANES; lane++)
            if (lanes >> lane & 1)
                q->state.r[5][lane] = value[file_b ? 0 : lane & ~3u];
        return VC4_QPU_OK;
    }
    if (!reg)
        return write_io(q, waddr, file_b, value, lanes);
    for (unsigned lane = 0; lane < LANES; lane++)
        if (lanes >> lane & 1)
            reg[lane] = value[lane];
    return VC4_QPU_OK;
}

/* ---- signals ---- */

enum vc4_qpu_fault vc4_qpu_interp_load(struct vc4_qpu_interp *q, struct vc4_qpu_step *step)
{
    bool unit = step->insn->sig == VC4_QPU_SIG_LOAD_TMU1;

    switch (step->insn->sig) {
    case VC4_QPU_SIG_COVERAGE_LOAD: PORT(coverage_load, step->loaded); break;
    case VC4_QPU_SIG_COLOR_LOAD:
    case VC4_QPU_SIG_COLOR_LOAD_END: PORT(color_load, step->loaded); break;
    case VC4_QPU_SIG_LOAD_TMU0:
    case VC4_QPU_SIG_LOAD_TMU1:
        TRY(free_slots(&q->outstanding[unit]));
        PORT(tmu_load, unit, step->loaded);
        break;
    case VC4_QPU_SIG_ALPHA_MASK_LOAD: PORT(alpha_mask_load, step->loaded); break;
    default: return VC4_QPU_OK;
    }
    step->has_loaded = true;
    return VC4_QPU_OK;
}

/* Table 11: four conditions each on Z, N and C: all set, all clear, any set, any clear. */
