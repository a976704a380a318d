/* Instructions that never have elements, and whose registers are their own: the manual; sv.setvl: the digest, section 7. */
#include "isa/simple_v/interp_internal.h"

static bool jump_and_link(struct simple_v_machine *m, uint64_t target)
{
    const struct simple_v_insn *i = m->insn;
    const uint64_t behind = m->state->pc + 2u * i->length;
    if (m->block && i->rd)
        return simple_v_machine_illegal(m, "a VBLOCK does not call");
    if (!simple_v_machine_jump(m, target))
        return false;
    simple_v_set_x(m->state, (unsigned)i->rd, behind);
    return true;
}

static bool aligned(struct simple_v_machine *m, uint64_t address)
{
    const unsigned bytes = m->x.row->bits / 8u;
    return address % bytes == 0 || simple_v_machine_fault_at(m, SIMPLE_V_FAULT_MISALIGNED, address);
}

static bool load_reserved(struct simple_v_machine *m)
{
    struct simple_v_state *s = m->state;
    const uint64_t address = simple_v_x(s, (unsigned)m->insn->rs1);
    const unsigned bits = m->x.row->bits;
    uint64_t value;
    if (!aligned(m, address))
        return false;
    if (!m->run->ports->load(m->run->ports->ctx, address, bits / 8, &value))
        return simple_v_machine_fault_at(m, SIMPLE_V_FAULT_LOAD, address);
    s->reserved = true;
    s->reserved_at = address;
    simple_v_set_x(s, (unsigned)m->insn->rd, simple_v_extend(value, bits, true));
    return true;
}

/* Of one thread: it fails where nothing is reserved. */
static bool store_conditional(struct simple_v_machine *m)
{
    struct simple_v_state *s = m->state;
    const uint64_t address = simple_v_x(s, (unsigned)m->insn->rs1),
                   value = simple_v_x(s, (unsigned)m->insn->rs2);
    const bool stores = s->reserved && s->reserved_at == address;
    if (!aligned(m, address))
        return false;
    if (stores && !m->run->ports->store(m->run->ports->ctx, address, m->x.row->bits / 8, value))
        return simple_v_machine_fault_at(m, SIMPLE_V_FAULT_STORE, address);
    s->reserved = false;
    simple_v_set_x(s, (unsigned)m->insn->rd, !stores);
    return true;
}

static bool call(struct simple_v_machine *m)
{
    const struct simple_v_ports *ports = m->run->ports;
    const enum simple_v_called called =
        ports->call ? ports->call(ports->ctx, m->state) : SIMPLE_V_UNKNOWN_CALL;
    if (called == SIMPLE_V_UNKNOWN_CALL)
        return simple_v_machine_fault(m, SIMPLE_V_FAULT_CALL);
    m->ended = called == SIMPLE_V_END;
    return true;
}

bool simple_v_machine_plain(struct simple_v_machine *m)
{
    const struct simple_v_insn *i = m->insn;
    struct simple_v_state *s = m->state;
    const uint64_t a = simple_v_x(s, (unsigned)i->rs1), imm = (uint64_t)(int64_t)i->imm;
    const unsigned rd = (unsigned)i->rd;
    switch (m->x.row->as) {
    case SIMPLE_V_LUI: simple_v_set_x(s, rd, imm << 12); return true;
    case SIMPLE_V_AUIPC: simple_v_set_x(s, rd, s->pc + (imm << 12)); return true;
    case SIMPLE_V_ADDI: simple_v_set_x(s, rd, a + imm); return true; /* C.NOP, of the stack pointer */
    case SIMPLE_V_JAL: return jump_and_link(m, s->pc + imm);
    case SIMPLE_V_JALR: return jump_and_link(m, (a + imm) & ~1ull);
    case SIMPLE_V_FENCE:
    case SIMPLE_V_FENCE_TSO:
    case SIMPLE_V_FENCE_I: /* code does not change */
    case SIMPLE_V_WFI: return true;
    case SIMPLE_V_ECALL: return call(m);
    case SIMPLE_V_EBREAK: return simple_v_machine_fault(m, SIMPLE_V_FAULT_BREAK);
    case SIMPLE_V_LR_W:
    case SIMPLE_V_LR_D: return load_reserved(m);
    case SIMPLE_V_SC_W:
    case SIMPLE_V_SC_D: return store_conditional(m);
    case SIMPLE_V_SETVL: return simple_v_machine_setvl(m, rd, (unsigned)i->rs1, (unsigned)i->imm);
    default: return simple_v_machine_csr(m);
    }
}
