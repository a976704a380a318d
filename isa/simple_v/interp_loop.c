/* The loops over elements: the digest, sections 6.2 and 6.3. */
#include "isa/simple_v/interp_internal.h"
#include "util/bits.h"

uint64_t simple_v_machine_mask(const struct simple_v_machine *m, unsigned which)
{
    const struct simple_v_mask_context *mask = &m->x.mask[which];
    if (!mask->there)
        return ~0ull;
    const uint64_t bits = simple_v_x(m->state, mask->reg);
    return mask->invert ? ~bits : bits;
}

void simple_v_machine_clear_offsets(struct simple_v_machine *m)
{
    m->state->srcoffs = m->state->destoffs = m->state->suboffs = 0;
}

/* Fail-first: VL becomes what it is of. */
static void cut_to(struct simple_v_machine *m, unsigned vl)
{
    m->state->vl = (uint8_t)vl;
    m->cut = true;
}

/* ---- one mask ---- */

static bool compute(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s, bool *zero)
{
    switch (m->x.class) {
    case SIMPLE_V_AMO: return simple_v_atomic(m, i, s, zero);
    case SIMPLE_V_MVX: return simple_v_indexed(m, i, s, zero);
    default:
        return m->x.row->is_float ? simple_v_element_float(m, i, j, s, zero)
                                  : simple_v_element_integer(m, i, j, s, zero);
    }
}

/* One that faults has raised nothing. */
static bool element(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s, bool *zero)
{
    const uint8_t had = m->state->fflags;
    const bool ok = compute(m, i, j, s, zero);
    if (!ok)
        m->state->fflags = had;
    return ok;
}

/* A sub-vector, from where a fault left it. *zero: one of its elements is 0. */
static bool sub_vector(struct simple_v_machine *m, unsigned i, bool zeroed, bool *zero)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD];
    struct simple_v_state *s = m->state;
    *zero = zeroed;
    while (s->suboffs < m->subvl) {
        bool none = false;
        simple_v_note_element(m, false);
        const bool ok = zeroed ? simple_v_write_zero(m, rd, simple_v_index(m, rd, i, s->suboffs))
                               : element(m, i, i, s->suboffs, &none);
        if (!ok)
            return false;
        *zero |= none;
        s->suboffs++;
    }
    s->suboffs = 0;
    return true;
}

/* For who looks on: a sub-vector that the mask leaves out. */
static void leave_out(const struct simple_v_machine *m, unsigned i)
{
    for (unsigned s = 0; m->run->watch && s < m->subvl; s++) {
        simple_v_note_element(m, true);
        for (unsigned n = SIMPLE_V_RD; n < SIMPLE_V_PLACES; n++)
            simple_v_note_left_out(m, n, i, s);
    }
}

static bool single(struct simple_v_machine *m)
{
    const struct simple_v_mask_context *mask = &m->x.mask[SIMPLE_V_DEST];
    const bool steps = m->x.operand[SIMPLE_V_RD].vector;
    const uint64_t bits = simple_v_machine_mask(m, SIMPLE_V_DEST);
    struct simple_v_state *s = m->state;
    for (; s->srcoffs < s->vl; s->srcoffs++) {
        const bool on = bits >> s->srcoffs & 1;
        bool zero = false;
        if (!on && !mask->zero) {
            leave_out(m, s->srcoffs);
            continue;
        }
        if (!sub_vector(m, s->srcoffs, !on, &zero))
            return false;
        if (mask->ffirst && zero) {
            cut_to(m, s->srcoffs);
            break;
        }
        if (on && !steps)
            break;
    }
    simple_v_machine_clear_offsets(m);
    return true;
}

/* ---- two masks ---- */

/* Which sides of a twin operation step: vectors, and memory of unit stride. */
static void sides(const struct simple_v_machine *m, bool *source, bool *dest)
{
    const struct simple_v_operand_context *o = m->x.operand;
    *source = o[SIMPLE_V_RS1].vector;
    *dest = o[SIMPLE_V_RD].vector;
    if (m->x.class == SIMPLE_V_LOAD)
        *source |= *dest;
    if (m->x.class == SIMPLE_V_STORE) {
        *source = o[SIMPLE_V_RS2].vector;
        *dest = o[SIMPLE_V_RS1].vector || *source;
    }
}

static bool twin_sub_vector(struct simple_v_machine *m, unsigned i, unsigned j, bool zeroed, bool *zero)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD];
    struct simple_v_state *s = m->state;
    const bool memory = m->x.class == SIMPLE_V_LOAD || m->x.class == SIMPLE_V_STORE;
    *zero = zeroed;
    if (m->x.class == SIMPLE_V_SWIZZLE && !zeroed) {
        simple_v_note_element(m, false);
        return simple_v_swizzled(m, i, j);
    }
    while (s->suboffs < m->subvl && !m->cut) {
        bool none = false, ok;
        simple_v_note_element(m, false);
        if (memory)
            ok = m->x.class == SIMPLE_V_LOAD ? simple_v_access(m, j, i, s->suboffs, zeroed)
                                             : simple_v_access(m, i, j, s->suboffs, zeroed);
        else
            ok = zeroed ? simple_v_write_zero(m, rd, simple_v_index(m, rd, j, s->suboffs))
                        : element(m, i, j, s->suboffs, &none);
        if (!ok)
            return false;
        *zero |= none;
        s->suboffs++;
    }
    s->suboffs = 0;
    return true;
}

/* To the next whose bit is set. `place`: the operand that steps there. */
static uint8_t skip(const struct simple_v_machine *m, unsigned place, uint8_t at, uint64_t mask)
{
    const uint8_t vl = m->state->vl;
    for (; at < vl && !(mask >> at & 1); at++)
        for (unsigned s = 0; m->run->watch && s < m->subvl; s++) {
            simple_v_note_element(m, true);
            simple_v_note_left_out(m, place, at, s);
        }
    return at;
}

static bool twin(struct simple_v_machine *m)
{
    const struct simple_v_mask_context *dest = &m->x.mask[SIMPLE_V_DEST],
                                       *source = &m->x.mask[SIMPLE_V_SOURCE];
    const uint64_t ps = simple_v_machine_mask(m, SIMPLE_V_SOURCE),
                   pd = simple_v_machine_mask(m, SIMPLE_V_DEST);
    const bool memory = m->x.class == SIMPLE_V_LOAD || m->x.class == SIMPLE_V_STORE;
    /* Of what is stored, and of where to. */
    const unsigned from = m->x.class == SIMPLE_V_STORE ? SIMPLE_V_RS2 : SIMPLE_V_RS1,
                   to = m->x.class == SIMPLE_V_STORE ? SIMPLE_V_RS1 : SIMPLE_V_RD;
    struct simple_v_state *s = m->state;
    bool source_steps, dest_steps, zero = false;
    sides(m, &source_steps, &dest_steps);
    while (s->srcoffs < s->vl && s->destoffs < s->vl) {
        if (source_steps && !source->zero)
            s->srcoffs = skip(m, from, s->srcoffs, ps);
        if (dest_steps && !dest->zero)
            s->destoffs = skip(m, to, s->destoffs, pd);
        if (s->srcoffs >= s->vl || s->destoffs >= s->vl)
            break;
        const bool zeroed =
            (dest_steps && !(pd >> s->destoffs & 1)) || (source_steps && !(ps >> s->srcoffs & 1));
        if (!twin_sub_vector(m, s->srcoffs, s->destoffs, zeroed, &zero))
            return false;
        if (dest->ffirst && zero && !memory)
            cut_to(m, s->destoffs);
        if (m->cut || !dest_steps)
            break;
        s->srcoffs += source_steps;
        s->destoffs++;
    }
    simple_v_machine_clear_offsets(m);
    return true;
}

/* ---- all ---- */

/* Bytes of rd that the instruction writes at most, against a mask's. */
static bool covers(const struct simple_v_machine *m, const struct simple_v_mask_context *mask)
{
    const struct simple_v_operand_context *rd = &m->x.operand[SIMPLE_V_RD];
    const unsigned elements = rd->vector ? m->state->vl * m->subvl : rd->tagged ? m->subvl : 1;
    const unsigned bytes = UTIL_MAX(elements * simple_v_stride(rd) / 8, rd->vector ? 0 : 8);
    const unsigned begin = rd->reg * 8u, mask_begin = mask->reg * 8u;
    return mask->there && mask->reg && rd->there && rd->integer && begin < mask_begin + 8 &&
           mask_begin < begin + bytes;
}

static bool is_twin(const struct simple_v_machine *m)
{
    const enum simple_v_class class = m->x.class;
    return class == SIMPLE_V_TWIN || class == SIMPLE_V_LOAD || class == SIMPLE_V_STORE ||
           class == SIMPLE_V_SWIZZLE;
}

/* An operation alone: neither VL nor SUBVL counts. */
static bool once(struct simple_v_machine *m)
{
    bool zero;
    simple_v_note_element(m, false);
    switch (m->x.class) {
    case SIMPLE_V_LOAD:
    case SIMPLE_V_STORE: return simple_v_access(m, 0, 0, 0, false);
    case SIMPLE_V_SWIZZLE: return simple_v_swizzled(m, 0, 0);
    default: return element(m, 0, 0, 0, &zero);
    }
}

bool simple_v_machine_elements(struct simple_v_machine *m)
{
    if (!m->x.loops)
        return once(m);
    if (covers(m, &m->x.mask[SIMPLE_V_DEST]) || covers(m, &m->x.mask[SIMPLE_V_SOURCE]))
        return simple_v_machine_illegal(m, "it writes its own mask");
    return is_twin(m) ? twin(m) : single(m);
}
