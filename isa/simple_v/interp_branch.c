/* Branches: the digest, section 6.5. */
#include "isa/simple_v/interp_internal.h"

static bool value_of(struct simple_v_machine *m, unsigned place, unsigned i, unsigned s, uint64_t *out)
{
    const struct simple_v_operand_context *o = &m->x.operand[place];
    if (!simple_v_read(m, o, simple_v_index(m, o, i, s), out))
        return false;
    *out = simple_v_extend(*out, o->width, m->x.row->signed_1);
    return true;
}

/* Of a sub-vector all elements hold. Values are extended, so that 64 bits compare as their widths would. */
static bool holds(struct simple_v_machine *m, unsigned i, bool *out)
{
    *out = true;
    for (unsigned s = 0; s < m->subvl; s++) {
        uint64_t a, b;
        simple_v_note_element(m, false);
        if (!value_of(m, SIMPLE_V_RS1, i, s, &a) || !value_of(m, SIMPLE_V_RS2, i, s, &b))
            return false;
        *out &= simple_v_integer(m->x.row->op, 64, a, b) != 0;
    }
    return true;
}

static bool ordinary(struct simple_v_machine *m)
{
    bool taken;
    if (!holds(m, 0, &taken))
        return false;
    return !taken || simple_v_machine_jump(m, m->state->pc + (uint64_t)(int64_t)m->insn->imm);
}

bool simple_v_machine_branch(struct simple_v_machine *m)
{
    const struct simple_v_mask_context *source = &m->x.mask[SIMPLE_V_SOURCE],
                                       *dest = &m->x.mask[SIMPLE_V_DEST];
    struct simple_v_state *s = m->state;
    if (!m->x.operand[SIMPLE_V_RS1].vector && !m->x.operand[SIMPLE_V_RS2].vector)
        return ordinary(m);
    const uint64_t all = s->vl ? ~0ull >> (64 - s->vl) : 0;
    const uint64_t mask = simple_v_machine_mask(m, SIMPLE_V_SOURCE) & all;
    /* Behind a fault the results so far are in the register. */
    const bool begun = s->srcoffs && dest->there;
    uint64_t results = dest->there && (!source->zero || begun) ? simple_v_x(s, dest->reg) : all;
    for (; s->srcoffs < s->vl; s->srcoffs++) {
        const uint64_t bit = 1ull << s->srcoffs;
        bool yes = false;
        if (!(mask & bit) && !source->zero)
            continue;
        if (mask & bit && !holds(m, s->srcoffs, &yes)) {
            if (dest->there)
                simple_v_set_x(s, dest->reg, results);
            else
                s->srcoffs = 0;
            return false;
        }
        results = yes ? results | bit : results & ~bit;
        if (source->ffirst && !yes && mask & bit) {
            s->vl = s->srcoffs;
            break;
        }
    }
    if (dest->there) {
        simple_v_set_x(s, dest->reg, results);
        simple_v_note_element(m, false);
        simple_v_note_write(m, true, dest->reg * 8u, 8);
    }
    simple_v_machine_clear_offsets(m);
    return (results & mask) != mask || simple_v_machine_jump(m, s->pc + (uint64_t)(int64_t)m->insn->imm);
}
