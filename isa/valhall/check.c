/* The rules of rules.inc, instruction by instruction. */
#include "isa/valhall/check.h"

#include <stdlib.h>
#include <string.h>

#include "isa/valhall/asm.h"
#include "isa/valhall/lint.h"
#include "isa/valhall/names.h"
#include "isa/valhall/program.h"
#include "util/bits.h"

_Static_assert(VALHALL_RULE_COUNT <= 64, "one bit a rule");

static uint64_t rule_if(bool broken, enum valhall_rule rule)
{
    return broken ? 1ull << rule : 0;
}

/* ---- operands ---- */

/* Different values among the operands that are not registers, in three ways of counting. */
struct fau {
    unsigned words, slots, specials;
};

/* The slot of 64 bits that a uniform or special is in. */
static uint32_t slot_of(const struct valhall_source *s)
{
    return s->kind == VALHALL_UNIFORM ? s->index / 2u : 0x100u | s->index;
}

static bool same_word(const struct valhall_source *a, const struct valhall_source *b)
{
    return a->kind == b->kind && a->index == b->index && a->word == b->word;
}

static bool in_slot(const struct valhall_source *s)
{
    return s->kind == VALHALL_UNIFORM || s->kind == VALHALL_SPECIAL;
}

/* Counts operand n, unless one before it is the same. */
static void count_source(const struct valhall_insn *insn, unsigned n, struct fau *fau)
{
    const struct valhall_source *s = &insn->source[n];
    bool new_word = s->kind != VALHALL_REGISTER, new_slot = in_slot(s);
    for (unsigned k = 0; k < n; k++) {
        new_word &= !same_word(s, &insn->source[k]);
        new_slot &= !in_slot(&insn->source[k]) || slot_of(s) != slot_of(&insn->source[k]);
    }
    fau->words += new_word;
    fau->slots += new_slot;
    fau->specials += new_slot && s->kind == VALHALL_SPECIAL;
}

static bool is_odd(const struct valhall_source *s)
{
    return (s->kind == VALHALL_SPECIAL && s->word) ||
           ((s->kind == VALHALL_REGISTER || s->kind == VALHALL_UNIFORM) && s->index & 1);
}

static uint64_t check_sources(const struct valhall_insn *insn, unsigned count)
{
    struct fau fau = {0};
    bool odd = valhall_dest_is_pair(insn) && insn->dest.reg & 1, beyond = false;
    for (unsigned n = 0; n < count; n++) {
        const struct valhall_source *s = &insn->source[n];
        count_source(insn, n, &fau);
        odd |= valhall_source_bits(insn, n) == 64 && is_odd(s);
        beyond |= s->kind == VALHALL_UNIFORM && s->index >= VALHALL_UNIFORMS;
    }
    return rule_if(fau.slots > (valhall_is_message(insn->op) ? 2 : 1), VALHALL_RULE_FAU_SLOTS) |
           rule_if(fau.words > 2, VALHALL_RULE_FAU_WORDS) |
           rule_if(fau.specials > 1, VALHALL_RULE_FAU_SPECIAL) | rule_if(odd, VALHALL_RULE_PAIR) |
           rule_if(beyond, VALHALL_RULE_UNIFORM);
}

/* ---- staging registers ---- */

static bool is_half(uint8_t format)
{
    return format == VALHALL_REGISTER_FORMAT_F16 || format == VALHALL_REGISTER_FORMAT_S16 ||
           format == VALHALL_REGISTER_FORMAT_U16;
}

/* A vector of singles or halves. */
static unsigned vector_registers(const struct valhall_insn *insn)
{
    bool typed = valhall_has_field(insn->op, VALHALL_FIELD_REGISTER_FORMAT);
    bool half =
        typed ? is_half(insn->register_format) : valhall_types[valhall_info(insn->op)->type].bits == 16;
    unsigned elements = insn->vector_size + 1u;
    return half ? (elements + 1) / 2 : elements;
}

unsigned valhall_moved(const struct valhall_insn *insn)
{
    unsigned words = (valhall_types[valhall_info(insn->op)->type].bits + 31u) / 32;
    switch (insn->op) {
    case VALHALL_BLEND: return 0; /* by what the descriptor says */
    case VALHALL_LEA_BUF_IMM:
    case VALHALL_LEA_BUFFER: return 2;
    case VALHALL_LEA_ATTR_IMM:
    case VALHALL_LEA_ATTR:
    case VALHALL_LEA_TEX_IMM:
    case VALHALL_LEA_TEX: return 3;
    case VALHALL_ATEST:
    case VALHALL_ZS_EMIT: return 1;
    default: break;
    }
    if (valhall_info(insn->op)->unit > VALHALL_UNIT_LS &&
        !valhall_has_field(insn->op, VALHALL_FIELD_VECTOR_SIZE))
        return 0;
    if (valhall_has_field(insn->op, VALHALL_FIELD_VECTOR_SIZE))
        return vector_registers(insn);
    if (!valhall_is_message(insn->op))
        return 0;
    return insn->into == VALHALL_SELECT_D0 ? 2 : words;
}

static bool is_too_few(const struct valhall_insn *insn, uint8_t operands)
{
    unsigned moved = valhall_moved(insn);
    bool optional = valhall_has_field(insn->op, VALHALL_FIELD_ATOMIC_1);
    if (operands == VALHALL_ATOMIC && insn->read.count < moved * (insn->compare ? 2u : 1u))
        return true;
    if (operands == VALHALL_READS)
        return insn->read.count < moved;
    return insn->write.count < moved && !(optional && !insn->write.count);
}

static uint64_t check_run(const struct valhall_staging *s)
{
    return rule_if(s->count > 1 && s->reg & 1, VALHALL_RULE_STAGING_ODD) |
           rule_if(s->reg + s->count > VALHALL_REGISTERS, VALHALL_RULE_STAGING_END);
}

/* ---- instructions ---- */

static bool exchanges_for_nothing(const struct valhall_insn *insn)
{
    return (insn->op == VALHALL_ATOM_I32 || insn->op == VALHALL_ATOM_I64) &&
           insn->atomic == VALHALL_ATOMIC_XCHG;
}

static bool compares_integers(uint16_t op)
{
    return valhall_has_field(op, VALHALL_FIELD_RESULT) &&
           valhall_types[valhall_info(op)->type].class != VALHALL_FLOAT;
}

static bool flat_differs(const struct valhall_insn *insn)
{
    unsigned bits = valhall_types[valhall_info(insn->op)->type].bits;
    return valhall_has_field(insn->op, VALHALL_FIELD_SOURCE_FORMAT) &&
           ((insn->source_format == VALHALL_SOURCE_FORMAT_FLAT32 && bits != 32) ||
            (insn->source_format == VALHALL_SOURCE_FORMAT_FLAT16 && bits != 16));
}

uint64_t valhall_broken(const struct valhall_insn *insn)
{
    const struct valhall_info *info = valhall_info(insn->op);
    uint8_t operands = info->format->operands;
    bool barrier = insn->op == VALHALL_BARRIER, slots = valhall_has_field(insn->op, VALHALL_FIELD_SLOT);
    return check_sources(insn, valhall_sources(info)) | check_run(&insn->read) | check_run(&insn->write) |
           rule_if(operands >= VALHALL_READS && is_too_few(insn, operands), VALHALL_RULE_STAGING_COUNT) |
           rule_if(slots && barrier != (insn->slot == VALHALL_SLOT_7), VALHALL_RULE_SLOT) |
           rule_if(barrier && insn->flow != VALHALL_FLOW_WAIT, VALHALL_RULE_BARRIER_WAIT) |
           rule_if(flat_differs(insn), VALHALL_RULE_SOURCE_FORMAT) |
           rule_if(compares_integers(insn->op) && insn->condition >= VALHALL_CONDITION_GTLT,
                   VALHALL_RULE_CONDITION) |
           rule_if(exchanges_for_nothing(insn), VALHALL_RULE_EXCHANGE);
}

const char *valhall_broken_text(const struct valhall_insn *insn)
{
    uint64_t broken = valhall_broken(insn);
    uint32_t count;
    return broken ? valhall_rules(&count)[__builtin_ctzll(broken)].text : NULL;
}

/* ---- messages under way ---- */

static uint64_t run_of(unsigned reg, unsigned count)
{
    uint64_t all = count < VALHALL_REGISTERS ? (1ull << count) - 1 : ~0ull;
    return reg < VALHALL_REGISTERS ? all << reg : 0;
}

static uint64_t staged(const struct valhall_staging *s)
{
    return s->count ? run_of(s->reg, s->count) : 0;
}

static uint64_t sources_of(const struct valhall_insn *insn)
{
    uint64_t out = 0;
    for (unsigned n = 0; n < valhall_sources(valhall_info(insn->op)); n++)
        if (insn->source[n].kind == VALHALL_REGISTER)
            out |= run_of(insn->source[n].index, valhall_source_bits(insn, n) / 32);
    return out;
}

static uint64_t results_of(const struct valhall_insn *insn)
{
    uint64_t dest = insn->dest.mask ? run_of(insn->dest.reg, valhall_dest_is_pair(insn) ? 2 : 1) : 0;
    return dest | staged(&insn->write);
}

bool valhall_pending_broken(const struct valhall_pending *pending, const struct valhall_insn *insn)
{
    uint64_t uses = results_of(insn) | sources_of(insn) | staged(&insn->read), written = 0;
    for (unsigned n = 0; n < VALHALL_GENERAL_SLOTS; n++)
        written |= pending->written[n];
    return uses & written;
}

/* Slots that an instruction waits for at its end: a bit each, as values of FLOW up to `wait012` have them. */
static unsigned waits_for(uint8_t flow)
{
    const unsigned all = (1u << VALHALL_GENERAL_SLOTS) - 1;
    if (flow <= VALHALL_FLOW_WAIT012)
        return flow;
    return flow == VALHALL_FLOW_WAIT0126 || flow == VALHALL_FLOW_WAIT ? all : 0;
}

void valhall_pending_go_on(struct valhall_pending *pending, const struct valhall_insn *insn)
{
    /* ATEST has no field for its slot, which is 0 (Mesa: va_insert_flow.c, va_assign_slots) */
    if (valhall_is_message(insn->op) && insn->slot < VALHALL_GENERAL_SLOTS)
        pending->written[insn->slot] |= staged(&insn->write);
    for (unsigned n = 0; n < VALHALL_GENERAL_SLOTS; n++)
        if (waits_for(insn->flow) >> n & 1)
            pending->written[n] = 0;
}

/* ---- programs ---- */

struct check {
    struct isa_check frame;
    uint32_t size;
    uint8_t flow;     /* of the instruction before */
    uint8_t *targets; /* a bit an instruction that branches go to; NULL: any may be */
    struct valhall_pending pending;
};

static bool goes_on(const struct valhall_insn *insn)
{
    bool always = insn->op == VALHALL_BRANCHZ || insn->op == VALHALL_BRANCHZI;
    bool zero = insn->source[0].kind == VALHALL_CONSTANT && !valhall_constants[insn->source[0].index];
    return insn->flow != VALHALL_FLOW_END && !(always && insn->eq && zero);
}

/* Where a branch goes, and behind one that may come back, messages of elsewhere are under way, which is not known. */
static void check_messages(struct check *c, const struct valhall_insn *insn)
{
    if (!c->targets || c->targets[c->frame.at / 8] >> c->frame.at % 8 & 1)
        memset(&c->pending, 0, sizeof c->pending);
    isa_breach_if(&c->frame, valhall_pending_broken(&c->pending, insn), VALHALL_RULE_DEPENDENCY);
    valhall_pending_go_on(&c->pending, insn);
    if (!goes_on(insn) || insn->op == VALHALL_BRANCHZI || insn->op == VALHALL_BLEND)
        memset(&c->pending, 0, sizeof c->pending);
}

static void mark_targets(struct check *c, const uint64_t *words)
{
    struct valhall_insn insn;
    for (uint32_t at = 0; at < c->size; at++) {
        int64_t to = valhall_decode(words[at], &insn, NULL) ? -1 : valhall_goes_to(&insn, at);
        if (to >= 0 && to < c->size)
            c->targets[to / 8] |= (uint8_t)(1u << to % 8);
    }
}

static void check_one(struct check *c, const struct valhall_insn *insn)
{
    uint64_t broken = valhall_broken(insn);
    int64_t target = valhall_target(insn, c->frame.at);
    bool waits = c->flow == VALHALL_FLOW_WAIT0126 || c->flow == VALHALL_FLOW_WAIT;
    for (unsigned rule = 1; rule < VALHALL_RULE_OF_PROGRAMS; rule++)
        isa_breach_if(&c->frame, broken >> rule & 1, rule);
    isa_breach_if(&c->frame, insn->op == VALHALL_BRANCHZ && (target < 0 || target >= c->size),
                  VALHALL_RULE_TARGET);
    isa_breach_if(&c->frame, c->frame.at + 1 == c->size && goes_on(insn), VALHALL_RULE_END);
    isa_breach_if(&c->frame, insn->op == VALHALL_ATEST && !waits, VALHALL_RULE_ATEST);
    check_messages(c, insn);
    c->flow = insn->flow;
}

/* Drivers fill programs up with zeros: words that are no instruction, behind the last. */
static uint32_t without_filling(const uint64_t *words, uint32_t count)
{
    while (count && !words[count - 1])
        count--;
    return count;
}

unsigned valhall_check(const void *program, uint32_t count, isa_breach_fn found, void *data)
{
    const uint64_t *words = program;
    uint32_t rules;
    struct check c = {.frame = {.rules = valhall_rules(&rules), .found = found, .data = data},
                      .size = without_filling(words, count)};
    struct valhall_insn insn;
    c.targets = calloc(c.size / 8 + 1u, 1);
    if (c.targets)
        mark_targets(&c, words);
    for (uint32_t at = 0; at < c.size; at++) {
        isa_check_at(&c.frame, at);
        if (valhall_decode(words[at], &insn, NULL))
            isa_breach(&c.frame, VALHALL_RULE_INSTRUCTION);
        else
            check_one(&c, &insn);
    }
    free(c.targets);
    return c.frame.count;
}
