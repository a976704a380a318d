/* MV.SWIZZLE and MV.X: the digest, section 7. */
#include "isa/simple_v/interp_internal.h"
#include "util/bits.h"

static bool put(struct simple_v_machine *m, unsigned index, uint64_t bits)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD],
                                          *rs1 = &m->x.operand[SIMPLE_V_RS1];
    if (rd->integer)
        return simple_v_write_integer(m, rd, index, bits, rs1->width, false);
    return simple_v_convert(m, rs1->width, rd->width, &bits) && simple_v_write_float(m, rd, index, bits);
}

/* The whole source is read first. A sub-vector of one is moved as it is. */
bool simple_v_swizzled(struct simple_v_machine *m, unsigned i, unsigned j)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD],
                                          *rs1 = &m->x.operand[SIMPLE_V_RS1];
    uint64_t bits[SIMPLE_V_SUBVL_MAX];
    for (unsigned s = 0; s < m->subvl; s++) {
        const unsigned from = m->subvl > 1 ? (unsigned)m->insn->imm >> 2 * s & 3 : 0;
        if (!simple_v_read(m, rs1, simple_v_index(m, rs1, i, from), &bits[s]))
            return false;
    }
    const uint8_t had = m->state->fflags;
    for (unsigned s = 0; s < m->subvl; s++)
        if (!put(m, simple_v_index(m, rd, j, s), bits[s])) {
            m->state->fflags = had;
            return false;
        }
    return true;
}

/* Elements of rs1, counted from where it begins, whether it steps or not. */
bool simple_v_indexed(struct simple_v_machine *m, unsigned i, unsigned s, bool *zero)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD],
                                          *rs1 = &m->x.operand[SIMPLE_V_RS1],
                                          *rs2 = &m->x.operand[SIMPLE_V_RS2];
    uint64_t index, bits;
    if (!simple_v_read(m, rs2, simple_v_index(m, rs2, i, s), &index))
        return false;
    if (index >= SIMPLE_V_FILE_BYTES)
        return simple_v_machine_fault(m, SIMPLE_V_FAULT_OVERRUN);
    if (!simple_v_read(m, rs1, (unsigned)index, &bits))
        return false;
    *zero = !simple_v_extend(bits, UTIL_MIN(rs1->width, rd->width), false);
    return put(m, simple_v_index(m, rd, i, s), bits);
}
