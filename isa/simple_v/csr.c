/* Control and status registers: the manual, chapters Zicsr, F, Zicntr; the digest, section 3.1. */
#include "isa/simple_v/interp_internal.h"
#include "util/bits.h"

static bool get(struct simple_v_machine *m, unsigned csr, uint64_t *out)
{
    const struct simple_v_state *s = m->state;
    switch (csr) {
    case SIMPLE_V_CSR_FFLAGS: *out = s->fflags; return true;
    case SIMPLE_V_CSR_FRM: *out = s->frm; return true;
    case SIMPLE_V_CSR_FCSR: *out = (uint64_t)s->frm << 5 | s->fflags; return true;
    case SIMPLE_V_CSR_MVL: *out = s->mvl; return true;
    case SIMPLE_V_CSR_VL: *out = s->vl; return true;
    case SIMPLE_V_CSR_SUBVL: *out = s->subvl; return true;
    case SIMPLE_V_CSR_STATE: *out = simple_v_pack_state(s); return true;
    case SIMPLE_V_CSR_PCVBLK: *out = simple_v_pack_pcvblk(s, m->block, m->vl_block); return true;
    case SIMPLE_V_CSR_CYCLE: /* an instruction is a cycle, and a tick */
    case SIMPLE_V_CSR_TIME:
    case SIMPLE_V_CSR_INSTRET: *out = s->executed; return true;
    case SIMPLE_V_CSR_SVSAT: *out = s->saturate; return true;
    default: return simple_v_machine_illegal(m, "there is no such register");
    }
}

static bool length(struct simple_v_machine *m, uint64_t value, unsigned most, uint8_t *out)
{
    if (!value || value > most)
        return simple_v_machine_fault(m, SIMPLE_V_FAULT_LENGTH);
    *out = (uint8_t)value;
    return true;
}

/* Jumps inside the VBLOCK. */
static bool set_opptr(struct simple_v_machine *m, uint64_t value)
{
    if (!m->block || value >= (uint64_t)m->block->length - m->block->head)
        return simple_v_machine_illegal(m, "PCVBLK is written outside a VBLOCK, or to a place beyond it");
    m->state->opptr = (uint8_t)value;
    m->jumped = true;
    return true;
}

static bool set(struct simple_v_machine *m, unsigned csr, uint64_t value)
{
    struct simple_v_state *s = m->state;
    uint8_t vl = 0;
    switch (csr) {
    case SIMPLE_V_CSR_FFLAGS: s->fflags = value & 31; return true;
    case SIMPLE_V_CSR_FRM: s->frm = value & 7; return true;
    case SIMPLE_V_CSR_FCSR:
        s->fflags = value & 31;
        s->frm = value >> 5 & 7;
        return true;
    case SIMPLE_V_CSR_MVL:
        if (!length(m, value, SIMPLE_V_VL_MAX, &s->mvl))
            return false;
        s->vl = UTIL_MIN(s->vl, s->mvl);
        return true;
    case SIMPLE_V_CSR_VL:
        if (!length(m, value, SIMPLE_V_VL_MAX, &vl))
            return false;
        s->vl = UTIL_MIN(vl, s->mvl);
        simple_v_machine_clear_offsets(m);
        return true;
    case SIMPLE_V_CSR_SUBVL: return length(m, value, SIMPLE_V_SUBVL_MAX, &s->subvl);
    case SIMPLE_V_CSR_SVSAT:
        if (value > SIMPLE_V_SATURATE_SIGNED)
            return simple_v_machine_fault(m, SIMPLE_V_FAULT_LENGTH);
        s->saturate = (uint8_t)value;
        return true;
    case SIMPLE_V_CSR_STATE: simple_v_unpack_state(s, (uint32_t)value); return true;
    case SIMPLE_V_CSR_PCVBLK: return set_opptr(m, value);
    default: return simple_v_machine_illegal(m, "the register is read-only");
    }
}

/* Immediates of MVL and VL are written less one; SUBVL's is not (G 5). */
static uint64_t immediate(unsigned csr, uint64_t value)
{
    return value + (csr == SIMPLE_V_CSR_MVL || csr == SIMPLE_V_CSR_VL);
}

bool simple_v_machine_csr(struct simple_v_machine *m)
{
    const struct simple_v_insn *i = m->insn;
    const unsigned csr = (unsigned)i->imm;
    const bool writes = i->op == SIMPLE_V_CSRRW || i->op == SIMPLE_V_CSRRWI;
    const bool number = i->op >= SIMPLE_V_CSRRWI;
    const uint64_t operand = number ? (uint64_t)i->rs1 : simple_v_x(m->state, (unsigned)i->rs1);
    /* With x0 VL is only read: so is GETVL written. */
    const bool reads_only = !i->rs1 && (!writes || (csr == SIMPLE_V_CSR_VL && !number));
    uint64_t old = 0, value;
    if (!get(m, csr, &old))
        return false;
    if (writes)
        value = number ? immediate(csr, operand) : operand;
    else
        value = i->op == SIMPLE_V_CSRRS || i->op == SIMPLE_V_CSRRSI ? old | operand : old & ~operand;
    if (!reads_only && !set(m, csr, value))
        return false;
    /* Of VL the new value. */
    simple_v_set_x(m->state, (unsigned)i->rd, csr == SIMPLE_V_CSR_VL ? m->state->vl : old);
    return true;
}
