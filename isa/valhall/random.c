/* Random programs that the checker accepts: instructions of the table with any operands, made again until no
 * rule is broken. */
#include <string.h>

#include "isa/random.h"
#include "isa/valhall/asm.h"
#include "isa/valhall/check.h"
#include "isa/valhall/names.h"
#include "isa/valhall/program.h"
#include "util/bits.h"

enum { INSNS_MAX = 60 };

struct maker {
    struct isa_random random;
    unsigned profile;
    uint64_t *words;
    uint32_t at, count; /* words written, and all that there will be */
    bool waited;        /* the last of them waits for slots 0, 1, 2 and 6 */
    struct valhall_pending pending;
};

static uint32_t below(struct maker *m, uint32_t n)
{
    return isa_random_below(&m->random, n);
}

static bool one_in(struct maker *m, uint32_t n)
{
    return isa_random_one_in(&m->random, n);
}

/* ---- operands ---- */

static uint8_t some_select(struct maker *m, enum valhall_picks list)
{
    uint8_t select = 0;
    while (!valhall_pick(list, below(m, 16), &select))
        ;
    return select;
}

/* A special of the page; on page 2 there are none. */
static void make_special(struct maker *m, uint8_t page, struct valhall_source *s)
{
    s->kind = VALHALL_SPECIAL;
    s->word = (uint8_t)below(m, 2);
    do
        s->index = (uint8_t)below(m, VALHALL_SPECIAL_COUNT);
    while (valhall_specials[s->index].page != page);
}

static void make_source(struct maker *m, struct valhall_insn *insn, unsigned n)
{
    const struct valhall_info *info = valhall_info(insn->op);
    enum valhall_form form = (enum valhall_form)info->format->form[n];
    const struct valhall_form_info *f = &valhall_forms[form];
    struct valhall_source *s = &insn->source[n];
    uint32_t kind = below(m, 10);
    if (kind < 6) {
        s->index = (uint8_t)below(m, VALHALL_REGISTERS);
        s->last = one_in(m, 3);
    } else if (kind < 8) {
        s->kind = VALHALL_CONSTANT;
        s->index = (uint8_t)below(m, 32);
    } else if (kind < 9 && insn->page < 2) {
        s->kind = VALHALL_UNIFORM;
        s->index = (uint8_t)(insn->page * VALHALL_PAGE + below(m, VALHALL_PAGE));
    } else {
        make_special(m, insn->page, s);
    }
    if (f->signs == VALHALL_SIGNS_FLOAT) {
        s->negate = one_in(m, 3);
        s->absolute = one_in(m, 3);
    }
    s->invert = f->signs == VALHALL_SIGNS_INVERT && one_in(m, 2);
    if (f->count)
        s->select = some_select(m, valhall_picks_of(form, (enum valhall_type)info->type));
}

/* As many registers as it takes, or more. */
static void make_staging(struct maker *m, struct valhall_staging *s, unsigned least, unsigned most)
{
    unsigned more = one_in(m, 4) ? below(m, 8) : 0;
    s->count = (uint8_t)UTIL_MIN(UTIL_MAX(least, 1u) + more, most);
    s->reg = (uint8_t)below(m, VALHALL_REGISTERS + 1u - s->count);
    s->reg &= s->count > 1 ? (uint8_t)~1 : 0xff;
}

static void make_registers(struct maker *m, struct valhall_insn *insn)
{
    uint8_t operands = valhall_info(insn->op)->format->operands;
    unsigned moved = valhall_moved(insn);
    if (operands == VALHALL_DEST) {
        insn->dest.reg = (uint8_t)below(m, VALHALL_REGISTERS);
        insn->dest.mask = (uint8_t)(one_in(m, 4) ? 1 + below(m, 2) : 3);
    }
    if (valhall_writes_staging(operands))
        make_staging(m, &insn->write, moved, operands >= VALHALL_ATOMIC ? 8 : 7);
    if (valhall_reads_staging(operands))
        make_staging(m, &insn->read, moved * (insn->compare ? 2u : 1u), 7);
    if (valhall_has_field(insn->op, VALHALL_FIELD_ATOMIC_1) && one_in(m, 3)) {
        insn->write = (struct valhall_staging){0};
        insn->marked = one_in(m, 2);
    }
}

/* ---- fields ---- */

static void make_field(struct maker *m, struct valhall_insn *insn, enum valhall_field f)
{
    const struct valhall_field_info *field = &valhall_fields[f];
    const struct isa_names *list = &valhall_lists[field->list];
    uint32_t bits = (uint32_t)isa_random_next(&m->random), value;
    unsigned unused = 32u - field->row.count;
    switch (field->kind) {
    case VALHALL_KIND_CHOICE: value = list->names[below(m, (uint32_t)list->count)].value; break;
    case VALHALL_KIND_FLAG: value = one_in(m, 3); break;
    case VALHALL_KIND_INTO: value = some_select(m, (enum valhall_picks)field->list); break;
    case VALHALL_KIND_SIGNED: value = (uint32_t)((int32_t)bits >> unused); break;
    default: value = bits >> unused; break;
    }
    if (f ==
        VALHALL_FIELD_BRANCH_OFFSET) /* to an instruction behind it; of a few before it, as long as fuel lasts */
        value = m->at && one_in(m, 3) ? (uint32_t)-(int32_t)(1 + below(m, UTIL_MIN(m->at, 8u)))
                                      : below(m, m->count - m->at - 1);
    if (f == VALHALL_FIELD_TARGET)
        value = below(m, UTIL_MIN(m->count - m->at - 1, 256u));
    valhall_field_set(f, value, insn);
}

/* Neither an end, which only the last instruction has, nor what waits for other lanes. */
static uint8_t some_flow(struct maker *m)
{
    const struct isa_names *list = &valhall_lists[VALHALL_LIST_FLOW];
    uint8_t flow = (uint8_t)(one_in(m, 3) ? list->names[below(m, (uint32_t)list->count)].value : 0);
    return flow == VALHALL_FLOW_END ? VALHALL_FLOW_NONE : flow;
}

/* Most textures at a varying are such as can be executed: few combinations of their fields are. */
static void settle_varying(struct maker *m, struct valhall_insn *insn)
{
    const bool dual = insn->op == VALHALL_VAR_TEX_DUAL || insn->op == VALHALL_VAR_TEX_BUF_DUAL;
    if (!valhall_has_field(insn->op, VALHALL_FIELD_SAMPLE_UPDATE) || one_in(m, 2))
        return;
    insn->sample_update =
        one_in(m, 2) ? VALHALL_SAMPLE_UPDATE_CENTER_STORE : VALHALL_SAMPLE_UPDATE_CENTER_CLOBBER;
    insn->array = insn->shadow = false;
    insn->dimension &= 1;
    insn->lod_mode &= VALHALL_LOD_MODE_COMPUTED;
    if (dual && insn->vartex_width == VALHALL_VARTEX_WIDTH_32)
        insn->vartex_width = VALHALL_VARTEX_WIDTH_16;
    if (!dual)
        insn->vartex_width &= 1;
}

/* ---- instructions ---- */

/* Whether the profile has it. Nobody knows where an indirect branch goes. */
static bool has_op(const struct maker *m, uint16_t op)
{
    bool branch = op == VALHALL_BRANCHZ || op == VALHALL_BLEND;
    if (op == VALHALL_BRANCHZI || (op == VALHALL_ATEST && !m->waited))
        return false;
    if (m->profile == VALHALL_RANDOM_ARITHMETIC)
        return !valhall_is_message(op) && !branch;
    return m->profile == VALHALL_RANDOM_FULL || !branch;
}

static void make_any(struct maker *m, struct valhall_insn *insn)
{
    const struct valhall_info *info;
    *insn = (struct valhall_insn){0};
    do
        insn->op = (uint16_t)below(m, VALHALL_OP_COUNT);
    while (!has_op(m, insn->op));
    if (m->profile == VALHALL_RANDOM_FULL && one_in(m, 12))
        insn->op = VALHALL_BRANCHZ;
    info = valhall_info(insn->op);
    uint8_t page = (uint8_t)below(m, 3);
    insn->page = page == 2 ? 3 : page;
    insn->flow = insn->op == VALHALL_BARRIER ? VALHALL_FLOW_WAIT : some_flow(m);
    for (unsigned n = 0; n < valhall_fields_of(info); n++)
        make_field(m, insn, (enum valhall_field)info->format->field[n]);
    settle_varying(m, insn);
    for (unsigned n = 0; n < valhall_sources(info); n++)
        make_source(m, insn, n);
    make_registers(m, insn);
}

/* The page says something only where an operand is on it. */
static void settle_page(struct valhall_insn *insn)
{
    bool used = false;
    for (unsigned n = 0; n < valhall_sources(valhall_info(insn->op)); n++)
        used |= insn->source[n].kind == VALHALL_UNIFORM || insn->source[n].kind == VALHALL_SPECIAL;
    if (!used)
        insn->page = 0;
}

static void emit(struct maker *m, const struct valhall_insn *insn)
{
    m->waited = insn->flow == VALHALL_FLOW_WAIT0126 || insn->flow == VALHALL_FLOW_WAIT;
    valhall_pending_go_on(&m->pending, insn);
    m->words[m->at++] = valhall_encode(insn);
}

/* What cannot be executed ends a program: few are to end so. */
static bool ends_it(const struct valhall_insn *insn)
{
    struct warp_insn lowered;
    valhall_lower(insn, 0, &lowered);
    return lowered.kind == WARP_UNSUPPORTED;
}

uint32_t valhall_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity)
{
    struct maker m = {.random = {seed}, .profile = profile, .words = words};
    struct valhall_insn insn;
    m.count = 4 + below(&m, 1 + below(&m, INSNS_MAX)); /* short ones are many more */
    m.count = UTIL_MIN(m.count, capacity);
    while (m.at + 1 < m.count) {
        do
            make_any(&m, &insn);
        while (valhall_broken(&insn) || (ends_it(&insn) && !one_in(&m, 6)));
        settle_page(&insn);
        if (valhall_pending_broken(&m.pending, &insn))
            insn = (struct valhall_insn){.op = VALHALL_NOP, .flow = VALHALL_FLOW_WAIT012};
        emit(&m, &insn);
    }
    emit(&m, &(struct valhall_insn){.op = VALHALL_NOP, .flow = VALHALL_FLOW_END});
    return m.at;
}
