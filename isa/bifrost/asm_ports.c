/* Register blocks: ports as the sources of a tuple and the results of the one before need them, in the order in which
 * Mesa's compiler takes them, so that its programs come out as they were. */
#include <string.h>

#include "isa/bifrost/asm_internal.h"
#include "isa/bifrost/table.h"
#include "util/bits.h"

/* ---- sources ---- */

static bool same_source(const struct bifrost_source *a, const struct bifrost_source *b)
{
    if (a->from != b->from)
        return false;
    switch (a->from) {
    case BIFROST_FROM_REGISTER: return a->reg == b->reg;
    case BIFROST_FROM_ZERO: return a->upper == b->upper;
    case BIFROST_FROM_CONSTANT: return a->value == b->value;
    case BIFROST_FROM_RELATIVE: return a->offset == b->offset && a->upper == b->upper;
    case BIFROST_FROM_UNIFORM: return a->index == b->index;
    case BIFROST_FROM_SPECIAL: return a->index == b->index && a->upper == b->upper;
    default: return true;
    }
}

bool bifrost_asm_select(const struct bifrost_clause *c, const struct bifrost_ports *ports,
                        enum bifrost_unit unit, const struct bifrost_asm_insn *insn, unsigned source,
                        uint8_t *select)
{
    for (*select = 0; *select < 8; (*select)++) {
        struct bifrost_source probe = {.select = *select};
        bool fau = *select == BIFROST_SELECT_LOW || *select == BIFROST_SELECT_HIGH;
        if (bifrost_resolve_source(c, ports, unit, &probe, NULL) ||
            !same_source(&probe, &insn->insn.source[source]))
            continue;
        if (probe.from != BIFROST_FROM_ZERO || fau == insn->fau_zero[source])
            return true;
    }
    return false;
}

/* ---- the selected uniform, special value or constant ---- */

static bool is_selected(const struct bifrost_asm_insn *insn, unsigned n)
{
    uint8_t from = insn->insn.source[n].from;
    return from == BIFROST_FROM_CONSTANT || from == BIFROST_FROM_RELATIVE || from == BIFROST_FROM_UNIFORM ||
           from == BIFROST_FROM_SPECIAL || (from == BIFROST_FROM_ZERO && insn->fau_zero[n]);
}

/* Whether those of both units that are selected come out with these eight bits. */
static bool selects_all(const struct bifrost_clause *c, const struct bifrost_asm_tuple *t, uint8_t fau)
{
    struct bifrost_ports ports = {.fau = fau};
    uint8_t select;
    for (unsigned unit = 0; unit < 2; unit++)
        for (unsigned n = 0; n < t->insn[unit].insn.source_count; n++)
            if (is_selected(&t->insn[unit], n) &&
                !bifrost_asm_select(c, &ports, (enum bifrost_unit)unit, &t->insn[unit], n, &select))
                return false;
    return true;
}

/* The first constant that will do as it is written, or else with the lowest four bits that the source has. */
static bool find_constant(const struct bifrost_asm_clause *a, const struct bifrost_asm_tuple *t,
                          uint32_t value, uint8_t *fau)
{
    unsigned count = UTIL_MIN(a->clause.constant_count, (unsigned)BIFROST_NAMED);
    for (unsigned n = 0; n < count * 2; n++) {
        uint64_t low = n < count ? a->clause.constant[n].value : value;
        *fau = (uint8_t)(bifrost_constant_name(n % count) << BIFROST_FAU_NAME_AT | BIFROST_GET(low, FAU_LOW));
        if (selects_all(&a->clause, t, *fau))
            return true;
    }
    return false;
}

static bool find_fau(const struct bifrost_asm_clause *a, const struct bifrost_asm_tuple *t, uint8_t *fau)
{
    for (unsigned unit = 0; unit < 2; unit++)
        for (unsigned n = 0; n < t->insn[unit].insn.source_count; n++) {
            const struct bifrost_source *s = &t->insn[unit].insn.source[n];
            if (!is_selected(&t->insn[unit], n))
                continue;
            if (s->from == BIFROST_FROM_CONSTANT || s->from == BIFROST_FROM_RELATIVE)
                return find_constant(a, t, s->value, fau);
            *fau = s->from == BIFROST_FROM_UNIFORM ? (uint8_t)(1 << BIFROST_FAU_IS_UNIFORM_AT | s->index / 2)
                                                   : (uint8_t)s->index;
            return selects_all(&a->clause, t, *fau);
        }
    /* ATEST reads its datum without a source that says so. */
    *fau =
        t->insn[BIFROST_ADD].insn.op == BIFROST_OP_ATEST ? BIFROST_SPECIAL_ATEST_DATUM : BIFROST_SPECIAL_ZERO;
    return true;
}

/* ---- ports ---- */

static bool reads(struct bifrost_ports *p, uint8_t reg)
{
    for (unsigned n = 0; n < 3; n++) {
        if (p->use[n] == BIFROST_PORT_IDLE) {
            p->use[n] = BIFROST_PORT_READ;
            p->reg[n] = reg;
        }
        if (p->use[n] == BIFROST_PORT_READ && p->reg[n] == reg)
            return true;
    }
    return false;
}

static bool take_sources(struct bifrost_ports *p, const struct bifrost_asm_tuple *t)
{
    for (unsigned unit = 0; unit < 2; unit++)
        for (unsigned n = 0; n < t->insn[unit].insn.source_count; n++) {
            const struct bifrost_source *s = &t->insn[unit].insn.source[n];
            if (s->from == BIFROST_FROM_REGISTER && !reads(p, s->reg))
                return false;
        }
    return true;
}

static bool writes(struct bifrost_ports *p, unsigned port, struct bifrost_result r)
{
    if (p->use[port] != BIFROST_PORT_IDLE)
        return false;
    p->use[port] = BIFROST_PORT_WRITE;
    p->reg[port] = r.reg;
    p->halves[port] = r.halves;
    return true;
}

/* ADD's result by port 3, FMA's by that one too, or else by port 2. */
static bool take_results(struct bifrost_ports *p, const struct bifrost_asm_tuple *before)
{
    struct bifrost_result fma = before->insn[BIFROST_FMA].insn.result,
                          add = before->insn[BIFROST_ADD].insn.result;
    if (add.halves && !writes(p, 3, add))
        return false;
    p->fma_3 = fma.halves && !add.halves;
    return !fma.halves || writes(p, add.halves ? 2 : 3, fma);
}

static bool mode_fits(const struct bifrost_mode *m, const struct bifrost_ports *p, bool first)
{
    bool both = p->use[2] && p->use[3], idle = !p->use[2] && !p->use[3];
    if (memcmp(m->use, &p->use[2], 2) != 0 || memcmp(m->halves, &p->halves[2], 2) != 0 ||
        (!idle && p->use[3] && m->fma_3 != p->fma_3))
        return false;
    if (first || idle)
        return first != BIFROST_GET(m->value, MODE_3);
    return !BIFROST_GET(m->value, MODE_4) == (both && p->reg[2] != p->reg[3]);
}

/* Ports 2 and 3 have the same number when one of them is idle. */
static bool put_mode(struct bifrost_ports *p, bool first, uint8_t *control)
{
    if (!p->use[2])
        p->reg[2] = p->reg[3];
    if (!p->use[3])
        p->reg[3] = p->reg[2];
    p->raw[2] = p->reg[2];
    p->raw[3] = p->reg[3];
    for (size_t n = 0; n < bifrost_mode_count; n++)
        if (mode_fits(&bifrost_modes[n], p, first)) {
            unsigned value = bifrost_modes[n].value, top = first ? BIFROST_MODE_4_AT : BIFROST_MODE_3_AT;
            *control = (uint8_t)(BIFROST_GET(value, MODE_LOW) | (value >> top & 1) << BIFROST_MODE_3_AT);
            return true;
        }
    return false;
}

static void put_numbers(struct bifrost_ports *p, uint8_t control)
{
    uint8_t low = UTIL_MIN(p->reg[0], p->reg[1]), high = UTIL_MAX(p->reg[0], p->reg[1]);
    if (!p->use[1]) {
        p->raw[0] = p->use[0] ? (uint8_t)BIFROST_GET(p->reg[0], NARROW_LOW) : 0;
        p->raw[1] =
            (uint8_t)(control << BIFROST_NARROW_CONTROL_AT |
                      (p->use[0] ? p->reg[0] >> BIFROST_NARROW_LOW_BITS : 1 << BIFROST_NARROW_IDLE_AT));
        return;
    }
    p->control = control;
    p->raw[0] = low > 31 ? (uint8_t)(63 - low) : low;
    p->raw[1] = low > 31 ? (uint8_t)(63 - high) : high;
}

static int one_block(struct isa_assembler *as, struct bifrost_asm_clause *a, unsigned n)
{
    unsigned before = n ? n - 1 : a->clause.tuple_count - 1u;
    const struct bifrost_asm_tuple *t = &a->tuple[n];
    struct bifrost_ports p = {0};
    uint8_t control;
    if (!find_fau(a, t, &p.fau))
        return isa_asm_fail(as, t->insn[0].where,
                            "a tuple takes words of one uniform, special value or constant of the clause");
    if (!take_sources(&p, t))
        return isa_asm_fail(as, t->insn[0].where, "a tuple reads at most three registers");
    if (!take_results(&p, &a->tuple[before]) || !put_mode(&p, n == 0, &control))
        return isa_asm_fail(as, t->insn[0].where,
                            "the ports cannot carry what this tuple reads and the one before writes");
    put_numbers(&p, control);
    a->clause.tuple[n].ports = p;
    return 0;
}

int bifrost_asm_ports(struct isa_assembler *as, struct bifrost_asm_clause *a)
{
    struct util_error error = {0};
    int err = 0;
    if (bifrost_resolve_constants(&a->clause, &error))
        return isa_asm_fail(as, a->tuple[0].insn[0].where, error.text);
    for (unsigned n = 0; n < a->clause.tuple_count && !err; n++) {
        if (!a->tuple[n].has_ports)
            err = one_block(as, a, n);
        if (!err && bifrost_resolve_ports(&a->clause.tuple[n].ports, n == 0, &error))
            err = isa_asm_fail(as, a->tuple[n].insn[0].where, error.text);
    }
    return err;
}
