/* The rules of rules.inc, instruction by instruction. */
#include <stdlib.h>

#include "isa/midgard/asm.h"
#include "isa/midgard/flow.h"
#include "isa/midgard/lint.h"
#include "isa/midgard/names.h"

/* As midgard_rules numbers them. */
enum rule {
    RULE_STRUCTURE,
#define RULE(name, text, source) RULE_##name,
#include "isa/midgard/rules.inc"
    RULE_COUNT
};
_Static_assert(RULE_COUNT <= 64, "one bit a rule");

struct check {
    struct isa_check frame;
    const uint8_t *tags; /* of the instruction that begins at each quadword, 0: none does */
    uint32_t size;
};

/* ---- bundles ---- */

static bool selects(const struct midgard_alu_info *info)
{
    return info && (info->form == MIDGARD_FORM_SELECT || info->form == MIDGARD_FORM_SELECT_EACH ||
                    info->form == MIDGARD_FORM_SELECT_BITS);
}

/* Which of r24, r25, r31 the first stage writes: bits 0, 1, 2; and of r31 any unit. */
static uint8_t forwarded(const struct midgard_insn *i, bool first_stage)
{
    uint8_t written = 0;
    for (unsigned u = 0; u < (first_stage ? MIDGARD_VADD : MIDGARD_ALU_UNITS); u++) {
        uint8_t dest = i->alu[u].dest;
        if (midgard_has(i, (enum midgard_unit)u))
            written |= dest == MIDGARD_R_FORWARD       ? 1
                       : dest == MIDGARD_R_FORWARD + 1 ? 2
                       : dest == MIDGARD_R_SELECT      ? 4
                                                       : 0;
    }
    return written;
}

static bool mode_is_wrong(uint8_t mode, uint8_t expand)
{
    bool repeats = expand >= MIDGARD_REPEAT_LOW && expand <= MIDGARD_SWAP;
    return (repeats && mode > MIDGARD_MODE_16) || (expand >= MIDGARD_EXPAND_LOW && mode == MIDGARD_MODE_8) ||
           (expand >= MIDGARD_EXPAND_LOW_SWAP && mode != MIDGARD_MODE_16);
}

/* What an operand reads of the bundle itself. Moves have r24 for what they do not read. */
static void check_operand(struct check *c, const struct midgard_insn *i, unsigned unit,
                          const struct midgard_source *s)
{
    uint8_t written = unit < MIDGARD_VADD ? 0 : forwarded(i, true);
    isa_breach_if(&c->frame, s->reg == MIDGARD_R_CONSTANT && !i->has_constants, RULE_CONSTANT);
    isa_breach_if(&c->frame, s->reg == MIDGARD_R_FORWARD && !(written & 1), RULE_FORWARD);
    isa_breach_if(&c->frame, s->reg == MIDGARD_R_FORWARD + 1 && !(written & 2), RULE_FORWARD);
}

static bool reads_a(const struct midgard_alu_info *info)
{
    return !info || info->form != MIDGARD_FORM_MOVE;
}

static bool reads_b(const struct midgard_alu_info *info)
{
    if (!info)
        return true;
    switch (info->form) {
    case MIDGARD_FORM_ONE:
    case MIDGARD_FORM_CONVERT:
    case MIDGARD_FORM_SUM4:
    case MIDGARD_FORM_EXP2:
    case MIDGARD_FORM_LOG2:
    case MIDGARD_FORM_SIN:
    case MIDGARD_FORM_COS: return false;
    default: return true;
    }
}

static bool expands(const struct midgard_alu *u)
{
    return u->a.expand >= MIDGARD_EXPAND_LOW || (!u->immediate && u->b.expand >= MIDGARD_EXPAND_LOW);
}

static void check_unit(struct check *c, const struct midgard_insn *i, unsigned n)
{
    const struct midgard_alu *u = &i->alu[n];
    const struct midgard_alu_info *info = midgard_alu_info(u->op);
    bool scalar = midgard_is_scalar((enum midgard_unit)n), integers = info && !info->float_out;
    uint8_t mode = scalar ? MIDGARD_MODE_32 : u->mode;
    bool narrow = scalar ? !u->full : u->shrink != MIDGARD_SHRINK_NONE;
    isa_breach_if(&c->frame, !info || !(info->units >> n & 1), RULE_ALU_OP);
    isa_breach_if(&c->frame, info && !info->modes[mode], RULE_MODE);
    isa_breach_if(
        &c->frame,
        !scalar && (mode_is_wrong(mode, u->a.expand) || (!u->immediate && mode_is_wrong(mode, u->b.expand))),
        RULE_MODE);
    isa_breach_if(&c->frame, !scalar && (u->shrink == 3 || (narrow && mode == MIDGARD_MODE_8)), RULE_MODE);
    isa_breach_if(&c->frame, narrow && info && info->float_out && mode == MIDGARD_MODE_16, RULE_MODE);
    isa_breach_if(&c->frame, info && info->float_in && mode == MIDGARD_MODE_16 && expands(u), RULE_MODE);
    isa_breach_if(&c->frame, integers && !narrow && u->outmod != MIDGARD_LOW_HALF, RULE_OUTMOD);
    isa_breach_if(&c->frame,
                  scalar &&
                      (u->reserved || (u->full && u->component & 1) || (u->a.full && u->a.component & 1) ||
                       (u->b.full && u->b.component & 1) || u->b.swizzle),
                  RULE_SCALAR);
    if (reads_a(info))
        check_operand(c, i, n, &u->a);
    if (reads_b(info) && !u->immediate)
        check_operand(c, i, n, &u->b);
    isa_breach_if(&c->frame, selects(info) && (n < MIDGARD_VADD || !(forwarded(i, true) & 4)),
                  RULE_CONDITION);
}

/* A writeout's target is where it waits for the tile, which need not be among the words at hand. */
static void check_target(struct check *c, const struct midgard_insn *i, unsigned n)
{
    int64_t target = midgard_target(i, n);
    bool inside = target >= 0 && target < c->size;
    bool branches = midgard_branches(i, n) && !midgard_branch_stops(i, n);
    bool waits = i->jump[n].op == MIDGARD_WRITEOUT && inside;
    isa_breach_if(&c->frame,
                  (branches && !inside) ||
                      ((branches || waits) && c->tags[inside ? target : 0] != i->jump[n].tag),
                  RULE_TARGET);
}

static void check_jump(struct check *c, const struct midgard_insn *i, unsigned n)
{
    const struct midgard_jump *j = &i->jump[n];
    bool known = j->op == MIDGARD_JUMP || j->op == MIDGARD_BRANCH_IF || j->op == MIDGARD_DISCARD ||
                 j->op == MIDGARD_TILE_PENDING || j->op == MIDGARD_WRITEOUT;
    bool jumps = !n && j->op == MIDGARD_JUMP;
    bool asks = !jumps && j->condition && j->condition != (n ? 0xffff : MIDGARD_IF_ALWAYS);
    isa_breach_if(&c->frame, !known || j->call > MIDGARD_CALL_NONE, RULE_BRANCH);
    isa_breach_if(&c->frame, asks && !(forwarded(i, false) & 4), RULE_CONDITION);
    check_target(c, i, n);
}

static void check_bundle(struct check *c, const struct midgard_insn *i)
{
    isa_breach_if(&c->frame, i->unknown_0 || i->unknown_1, RULE_CONTROL);
    for (unsigned u = 0; u < MIDGARD_ALU_UNITS; u++)
        if (midgard_has(i, (enum midgard_unit)u))
            check_unit(c, i, u);
    for (unsigned n = 0; n < 2; n++)
        if (midgard_has(i, (enum midgard_unit)(MIDGARD_BRANCH + n)))
            check_jump(c, i, n);
}

/* ---- loads and stores ---- */

static void check_memory(struct check *c, const struct midgard_memory *m)
{
    const struct midgard_memory_info *info = midgard_memory_info(m->op);
    enum midgard_class class = info ? info->class : MIDGARD_NOTHING;
    bool addressed = class == MIDGARD_LOAD || class == MIDGARD_STORE || class == MIDGARD_ADDRESS ||
                     (class == MIDGARD_ATOMIC && info->atomic != ISA_ATOMIC_COMPARE_EXCHANGE);
    isa_breach_if(&c->frame, !info, RULE_MEMORY_OP);
    isa_breach_if(&c->frame, addressed && m->index_reg != MIDGARD_A_ZERO && !m->index_format, RULE_INDEX);
    isa_breach_if(&c->frame, midgard_is_store(class) && m->reg > MIDGARD_A_ZERO, RULE_STORED);
    isa_breach_if(&c->frame, class == MIDGARD_ATOMIC && m->swizzle >> 5, RULE_STORED);
}

/* ---- textures ---- */

static bool mode_is_known(const struct midgard_texture *x)
{
    if (x->op == MIDGARD_TEX_DERIVATIVE)
        return x->mode < 2;
    if (x->op > MIDGARD_TEX_FETCH)
        return true;
    return x->mode == MIDGARD_TEX_PLAIN || x->mode == MIDGARD_TEX_SHADOW ||
           x->mode == MIDGARD_TEX_GATHER_SHADOW || (x->mode >= MIDGARD_TEX_GATHER && x->mode < 12);
}

static void check_texture(struct check *c, const struct midgard_insn *i)
{
    const struct midgard_texture *x = &i->texture;
    bool barrier = x->op == MIDGARD_TEX_BARRIER, moves = x->op == MIDGARD_TEX_MOV;
    isa_breach_if(&c->frame, !midgard_texture_name(x->op) || !mode_is_known(x), RULE_TEXTURE_OP);
    isa_breach_if(&c->frame,
                  x->unknown_0 || x->unknown_1 || !x->exec || (x->in.full && x->in.upper) ||
                      (x->out_full && x->out_upper) || (!barrier && !moves && !x->sampler_type),
                  RULE_TEXTURE);
    isa_breach_if(&c->frame,
                  (x->sampler_register && x->sampler >> 5) || (x->texture_register && x->texture >> 5) ||
                      (x->lod_register && (x->lod >> 5 || x->lod_whole)) ||
                      (x->offset_register && x->offset >> 11),
                  RULE_TEXTURE);
    isa_breach_if(&c->frame, barrier != (i->tag == MIDGARD_TAG_BARRIER), RULE_TEXTURE_TAG);
    isa_breach_if(&c->frame, x->op == MIDGARD_TEX_DERIVATIVE && i->tag != MIDGARD_TAG_TEXTURE,
                  RULE_TEXTURE_TAG);
}

/* ---- programs ---- */

static void check_one(struct check *c, const struct midgard_insn *i, uint32_t length)
{
    uint32_t behind = c->frame.at + length;
    bool last = behind >= c->size;
    isa_breach_if(&c->frame, !midgard_leaves(i) && (last || c->tags[behind] != i->next), RULE_NEXT);
    isa_breach_if(&c->frame, !midgard_leaves(i) && last, RULE_END);
    switch (midgard_kind_of(i->tag)) {
    case MIDGARD_ALU: check_bundle(c, i); break;
    case MIDGARD_LOAD_STORE:
        check_memory(c, &i->memory[0]);
        check_memory(c, &i->memory[1]);
        break;
    default: check_texture(c, i); break;
    }
}

unsigned midgard_check(const void *words, uint32_t count, isa_breach_fn found, void *data)
{
    uint8_t *tags = calloc((size_t)count + 1, 1);
    uint32_t rules;
    struct check c = {
        .frame = {.rules = midgard_rules(&rules), .found = found, .data = data}, .tags = tags, .size = count};
    struct midgard_insn insn;
    uint32_t length;
    isa_breach_if(&c.frame, !tags, RULE_INSTRUCTION);
    for (uint32_t at = 0; tags && at < count; at += length ? length : 1) {
        length = midgard_decode(words, count, at, &insn);
        tags[at] = length ? insn.tag : 0;
    }
    for (uint32_t at = 0; tags && at < count; at += length ? length : 1) {
        isa_check_at(&c.frame, at);
        length = midgard_decode(words, count, at, &insn);
        isa_breach_if(&c.frame, !length, RULE_INSTRUCTION);
        if (length)
            check_one(&c, &insn, length);
    }
    free(tags);
    return c.frame.count;
}
