/* Random instructions: bits of a row, again until what its tuple gives and takes fits, and isa/warp has it. */
#include <stdlib.h>
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lower.h"
#include "isa/bifrost/names.h"
#include "isa/bifrost/random_internal.h"
#include "isa/bifrost/table.h"
#include "isa/bifrost/texture.h"

enum { ATTEMPTS = 24, AGAIN = 6, ANY = 0xffff };

/* Two units that do something together. */
static const struct {
    uint16_t fma, add;
} partners[] = {
    {BIFROST_OP_SHADDXL_I64, BIFROST_OP_SHADDXH_I32}, {BIFROST_OP_SHADDXL_S32, BIFROST_OP_SHADDXH_I32},
    {BIFROST_OP_SHADDXL_U32, BIFROST_OP_SHADDXH_I32}, {BIFROST_OP_SEG_ADD, BIFROST_OP_SEG_ADD},
    {BIFROST_OP_SEG_SUB, BIFROST_OP_SEG_SUB},         {BIFROST_OP_CUBEFACE1, BIFROST_OP_CUBEFACE2},
    {BIFROST_OP_ATOM_C_I32, BIFROST_OP_ATOM_CX},      {BIFROST_OP_ATOM_C_RETURN_I32, BIFROST_OP_ATOM_CX},
    {BIFROST_OP_ATOM_C1_I32, BIFROST_OP_ATOM_CX},     {BIFROST_OP_ATOM_C1_RETURN_I32, BIFROST_OP_ATOM_CX},
    {BIFROST_OP_ATOM_C_I64, BIFROST_OP_ATOM_CX},      {BIFROST_OP_ATOM_C1_I64, BIFROST_OP_ATOM_CX},
    {BIFROST_OP_DTSEL_IMM, BIFROST_OP_LD_ATTR},       {BIFROST_OP_DTSEL_IMM, BIFROST_OP_LD_ATTR_IMM},
    {BIFROST_OP_DTSEL_IMM, BIFROST_OP_LEA_ATTR_TEX},
};

/* ---- which ---- */

static bool is_message(uint16_t op)
{
    return bifrost_op_info(op)->message != BIFROST_MESSAGE_NONE || op == BIFROST_OP_DISCARD_F32;
}

/* What is in v6 or v7 alone (Mesa: bi_quirks.h). */
static bool is_of_version(const struct bifrost_maker *m, uint16_t op)
{
    switch (op) {
    case BIFROST_OP_CLPER_I32: return m->profile & BIFROST_RANDOM_V7;
    case BIFROST_OP_CLPER_OLD_I32:
    case BIFROST_OP_FRCP_APPROX_F32:
    case BIFROST_OP_FRSQ_APPROX_F32:
    case BIFROST_OP_FEXP_TABLE_U4:
    case BIFROST_OP_FLOG_TABLE_F32: return !(m->profile & BIFROST_RANDOM_V7);
    default: return true;
    }
}

/* Branches and textures with a descriptor have their places. */
static bool is_wanted(const struct bifrost_maker *m, uint16_t op)
{
    const bool arithmetic = bifrost_profile(m) == BIFROST_RANDOM_ARITHMETIC;
    return !(arithmetic && is_message(op)) && !(bifrost_op_info(op)->flags & BIFROST_OP_BRANCH) &&
           op != BIFROST_OP_TEXC && is_of_version(m, op);
}

static const struct bifrost_row *some_row(struct bifrost_maker *m, unsigned unit, uint16_t op)
{
    for (;;) {
        const struct bifrost_row *row = &bifrost_rows[bifrost_below(m, (uint32_t)bifrost_row_count)];
        if (row->unit == unit && (op == ANY ? is_wanted(m, row->op) : row->op == op))
            return row;
    }
}

static bool some_insn(struct bifrost_maker *m, unsigned unit, uint16_t op, struct bifrost_insn *out)
{
    const struct bifrost_row *row = some_row(m, unit, op);
    const uint32_t all = (1u << (unit == BIFROST_FMA ? BIFROST_FMA_BITS : BIFROST_ADD_BITS)) - 1;
    const uint32_t bits = ((uint32_t)isa_random_next(&m->random) & all & ~row->mask) | row->value;
    return !bifrost_insn_decode((enum bifrost_unit)unit, bits, out, NULL) &&
           (op != ANY || is_wanted(m, out->op));
}

/* Its last source is the upper word of what the tuple selects; a blend descriptor's lower word stands before. */
static void take_selected(const struct bifrost_maker *m, struct bifrost_insn *insn)
{
    const bool whole = insn->op == BIFROST_OP_BLEND;
    if ((bifrost_branches(insn) && !m->returns) || insn->op == BIFROST_OP_TEXC || whole)
        insn->source[insn->source_count - 1].select = BIFROST_SELECT_HIGH;
    if (whole)
        insn->source[1].select = BIFROST_SELECT_LOW;
}

static uint16_t some_branch(struct bifrost_maker *m)
{
    for (;;) {
        const uint16_t op = (uint16_t)bifrost_below(m, BIFROST_OP_COUNT);
        const bool rare = op == BIFROST_OP_JUMP || op == BIFROST_OP_JUMP_EX;
        if (bifrost_op_info(op)->flags & BIFROST_OP_BRANCH && op != BIFROST_OP_JUMP_EX &&
            (!rare || bifrost_one_in(m, 8)))
            return op;
    }
}

/* ---- whether it fits ---- */

static bool is_supported(struct bifrost_maker *m)
{
    struct bifrost_clause whole = *m->clause;
    uint32_t target = m->branches ? 0 : BIFROST_NO_CLAUSE;
    const struct bifrost_program program = {
        .clauses = &whole, .clause_count = 1, .quad_count = 1, .targets = &target};
    struct warp_program *lowered;
    bool known = true;
    whole.flow = BIFROST_FLOW_END;
    if (bifrost_lower(&program, &lowered, NULL))
        return false;
    for (uint32_t n = 0; n < lowered->insn_count; n++)
        known &= lowered->insns[n].kind != WARP_UNSUPPORTED;
    warp_program_destroy(lowered);
    return known;
}

/* With what is there already; behind it nothing is done yet. */
static bool fits(struct bifrost_maker *m)
{
    struct bifrost_clause *c = m->clause;
    c->message = BIFROST_MESSAGE_NONE;
    c->slot = 0;
    for (unsigned n = 0; n < c->tuple_count * 2u; n++) {
        const struct bifrost_insn *i = &c->tuple[n / 2].insn[n % 2];
        const uint8_t message = bifrost_message_of(i);
        if (!message)
            continue;
        c->message = message;
        c->slot = i->op == BIFROST_OP_BARRIER                                ? 7
                  : i->op == BIFROST_OP_ATEST || i->op == BIFROST_OP_ZS_EMIT ? 0
                                                                             : 3;
    }
    return !bifrost_resolve(c, NULL) && !bifrost_broken(c) && (m->faults || is_supported(m));
}

void bifrost_random_moves(struct bifrost_clause *c)
{
    for (unsigned n = 0; n < c->tuple_count * 2u; n++) {
        struct bifrost_insn *out = &c->tuple[n / 2].insn[n % 2];
        *out = (struct bifrost_insn){.op = BIFROST_OP_MOV_I32, .source_count = 1};
        out->source[0].select = BIFROST_SELECT_LOW;
    }
}

/* An operation for ADD: where a branch or a texture has its place that, or FMA's partner. */
static uint16_t add_of(struct bifrost_maker *m, unsigned n, uint16_t partner)
{
    if (m->branches && n + 1 == m->clause->tuple_count)
        return some_branch(m);
    if (m->returns && n + 1 == m->clause->tuple_count)
        return BIFROST_OP_JUMP;
    if (m->blends && n + 1 == m->clause->tuple_count)
        return BIFROST_OP_BLEND;
    if (m->descriptor != BIFROST_NO_CONSTANT && m->descriptor_tuple == n)
        return BIFROST_OP_TEXC;
    return partner == ANY && bifrost_one_in(m, 16) && is_wanted(m, BIFROST_OP_DISCARD_F32)
               ? BIFROST_OP_DISCARD_F32
               : partner;
}

static bool put_fma(struct bifrost_maker *m, unsigned n, uint16_t op)
{
    struct bifrost_insn *out = &m->clause->tuple[n].insn[BIFROST_FMA];
    const struct bifrost_insn kept = *out;
    if (some_insn(m, BIFROST_FMA, op, out) && (op != ANY || fits(m))) /* partners are looked at together */
        return true;
    *out = kept;
    return false;
}

static bool put_add(struct bifrost_maker *m, unsigned n, uint16_t op)
{
    struct bifrost_insn *out = &m->clause->tuple[n].insn[BIFROST_ADD];
    const struct bifrost_insn kept = *out;
    if (some_insn(m, BIFROST_ADD, op, out)) {
        if (op != ANY)
            take_selected(m, out);
        if (fits(m))
            return true;
    }
    *out = kept;
    return false;
}

void bifrost_random_tuple(struct bifrost_maker *m, unsigned n)
{
    const struct bifrost_tuple moves = m->clause->tuple[n];
    const unsigned p = bifrost_below(m, (uint32_t)UTIL_ARRAY_SIZE(partners));
    const bool plan = bifrost_one_in(m, 6);
    bool done = false;
    m->faults = bifrost_one_in(m, 200);
    for (unsigned attempt = 0; attempt < ATTEMPTS && !done; attempt++) {
        const bool pairs = plan && attempt < ATTEMPTS * 3 / 4 && is_wanted(m, partners[p].add);
        const uint16_t add = add_of(m, n, pairs ? partners[p].add : ANY);
        m->clause->tuple[n] = moves;
        if (!put_fma(m, n, pairs && add == partners[p].add ? partners[p].fma : ANY))
            continue;
        for (unsigned again = 0; again < AGAIN && !done; again++)
            done = put_add(m, n, add);
    }
    if (!done)
        m->clause->tuple[n] = moves;
    fits(m);
}

/* ---- textures ---- */

#define PUT(word, form, name, value) with(word, TEXC_##form##_##name##_AT, TEXC_##form##_##name##_BITS, value)
static uint32_t with(uint32_t word, unsigned at, unsigned bits, uint32_t value)
{
    return (word & ~(((1u << bits) - 1) << at)) | value << at;
}

uint32_t bifrost_random_descriptor(struct bifrost_maker *m)
{
    static const uint8_t formats[] = {
#define FORMAT(value, name, type, halves, clamp) value,
#include "isa/bifrost/texture.inc"
    };
    uint32_t d = (uint32_t)isa_random_next(&m->random);
    if (bifrost_one_in(m, 4)) {
        d = PUT(d, DUAL, RESERVED, 0);
        return PUT(d, SINGLE, IS_DUAL, TEXC_DUAL_LOOKUPS);
    }
    d = PUT(d, SINGLE, ZERO, 0);
    d = PUT(d, SINGLE, FORMAT, formats[bifrost_below(m, UTIL_ARRAY_SIZE(formats))]);
    d = PUT(d, SINGLE, OP, bifrost_one_in(m, 3) ? TEXC_OP_FETCH : TEXC_OP_TEXTURE);
    d = PUT(d, SINGLE, LEVEL, TEXC_GET(d, SINGLE, LEVEL) | TEXC_LEVEL_GIVEN); /* levels, or gathers */
    if (TEXC_GET(d, SINGLE, OP) == TEXC_OP_FETCH && bifrost_one_in(m, 2))
        d = PUT(d, SINGLE, LEVEL, TEXC_FETCH_TEXEL);
    return TEXC_GET(d, SINGLE, IMMEDIATE) ? d : PUT(d, SINGLE, IS_DUAL, TEXC_ONE_LOOKUP);
}
