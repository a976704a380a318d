/* Loads, stores and atomics of one element: the digest, section 6.4. */
#include "isa/simple_v/interp_internal.h"
#include "util/bits.h"

/* Number of the element in memory. */
static unsigned memory_index(const struct simple_v_machine *m, unsigned place, unsigned s)
{
    return place * m->subvl + s;
}

/* With a vector of addresses each has a word of the opcode's width, of as many elements as there is room for. Addresses are
 * whole registers. */
static bool address_of(struct simple_v_machine *m, unsigned index, uint64_t *out)
{
    struct simple_v_operand_context base = m->x.operand[SIMPLE_V_RS1];
    const unsigned opcode = m->x.row->bits, bytes = m->x.memory / 8u;
    const unsigned per = UTIL_MAX(1u, opcode / m->x.memory);
    uint64_t offset = (uint64_t)index * bytes;
    unsigned at = 0;
    if (base.vector) {
        at = index / per;
        offset = (uint64_t)(index % per) * bytes;
    }
    if (!simple_v_read(m, &base, at, out))
        return false;
    *out += (uint64_t)(int64_t)m->insn->imm + offset;
    return true;
}

/* A port says no. Fail-first ends the vector before the element, unless that is the first. */
static bool nothing_there(struct simple_v_machine *m, unsigned place, enum simple_v_fault fault,
                          uint64_t address)
{
    const bool first = m->x.mask[SIMPLE_V_DEST].ffirst || m->x.mask[SIMPLE_V_SOURCE].ffirst;
    if (!first || !place)
        return simple_v_machine_fault_at(m, fault, address);
    m->state->vl = (uint8_t)place;
    m->cut = true;
    return true;
}

static bool loaded(struct simple_v_machine *m, unsigned data, unsigned s, uint64_t value, unsigned bits)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD];
    const unsigned index = simple_v_index(m, rd, data, s);
    if (rd->integer)
        return simple_v_write_integer(m, rd, index, value, bits, m->x.row->signed_1);
    return simple_v_convert(m, bits, rd->width, &value) && simple_v_write_float(m, rd, index, value);
}

static bool load(struct simple_v_machine *m, unsigned data, unsigned place, unsigned s, unsigned bits)
{
    const struct simple_v_ports *ports = m->run->ports;
    uint64_t address, value = 0;
    if (!address_of(m, memory_index(m, place, s), &address))
        return false;
    if (!ports->load(ports->ctx, address, bits / 8, &value))
        return nothing_there(m, place, SIMPLE_V_FAULT_LOAD, address);
    return loaded(m, data, s, value, bits);
}

/* An integer's low bits, or, into wider memory, with zeros. */
static bool store(struct simple_v_machine *m, unsigned data, unsigned place, unsigned s, unsigned bits,
                  bool zeroed)
{
    const struct simple_v_operand_context *rs2 = &m->x.operand[SIMPLE_V_RS2];
    const struct simple_v_ports *ports = m->run->ports;
    uint64_t address, value = 0;
    if (!zeroed && !simple_v_read(m, rs2, simple_v_index(m, rs2, data, s), &value))
        return false;
    if (!rs2->integer && !simple_v_convert(m, rs2->width, bits, &value))
        return false;
    if (!address_of(m, memory_index(m, place, s), &address))
        return false;
    if (m->state->reserved && m->state->reserved_at - address < bits / 8)
        m->state->reserved = false;
    return ports->store(ports->ctx, address, bits / 8, value) ||
           nothing_there(m, place, SIMPLE_V_FAULT_STORE, address);
}

bool simple_v_access(struct simple_v_machine *m, unsigned data, unsigned place, unsigned s, bool zeroed)
{
    /* Of wider memory elements the opcode reads and writes no more than its own bits. */
    const unsigned bits = UTIL_MIN(m->x.memory, m->x.row->bits);
    const uint8_t had = m->state->fflags;
    bool ok;
    if (m->x.class == SIMPLE_V_STORE)
        ok = store(m, data, place, s, bits, zeroed);
    else
        ok = zeroed ? loaded(m, data, s, 0, bits) : load(m, data, place, s, bits);
    if (!ok || m->cut) /* it is not done, and has raised nothing */
        m->state->fflags = had;
    return ok;
}

bool simple_v_atomic(struct simple_v_machine *m, unsigned i, unsigned s, bool *zero)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD],
                                          *rs1 = &m->x.operand[SIMPLE_V_RS1],
                                          *rs2 = &m->x.operand[SIMPLE_V_RS2];
    const struct simple_v_ports *ports = m->run->ports;
    const unsigned bits = m->x.row->bits, bytes = bits / 8;
    uint64_t address, old, value;
    if (!simple_v_read(m, rs1, simple_v_index(m, rs1, i, s), &address) ||
        !simple_v_read(m, rs2, simple_v_index(m, rs2, i, s), &value))
        return false;
    if (address % bytes)
        return simple_v_machine_fault_at(m, SIMPLE_V_FAULT_MISALIGNED, address);
    if (!ports->load(ports->ctx, address, bytes, &old))
        return simple_v_machine_fault_at(m, SIMPLE_V_FAULT_STORE, address);
    value = simple_v_integer(m->x.row->op, bits, old, simple_v_extend(value, bits, false));
    if (!ports->store(ports->ctx, address, bytes, value))
        return simple_v_machine_fault_at(m, SIMPLE_V_FAULT_STORE, address);
    *zero = !simple_v_extend(old, UTIL_MIN(bits, rd->width), false);
    return simple_v_write_integer(m, rd, simple_v_index(m, rd, i, s), old, bits, true);
}
