#include <inttypes.h>
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/names.h"
#include "isa/bifrost/program.h"
#include "isa/bifrost/table.h"
#include "isa/disasm.h"
#include "isa/text.h"
#include "util/bits.h"

/* How a clause is shown. */
struct manner {
    const char *begin, *between, *end; /* around and between the parts in braces */
    bool ports;                        /* register blocks stand before tuples, whole */
    const char *label;                 /* of `target`; NULL: there is none */
    int64_t target;
};

static const struct manner one_line = {" { ", " ; ", " }", false, NULL, 0};

/* ---- headers ---- */

static void put_word(struct isa_text *t, bool shown, const char *word)
{
    if (shown)
        isa_put(t, " %s", word);
}

/* A value of a list; "" is not shown. */
static void put_named(struct isa_text *t, enum bifrost_list list, uint8_t value)
{
    const char *text = isa_name_text(&bifrost_lists[list], value);
    put_word(t, *text, text);
}

static void put_header(struct isa_text *t, const struct bifrost_clause *c)
{
    isa_put(t, "ds(%u)", c->slot);
    put_word(t, c->staging_barrier, "osrb");
    put_named(t, BIFROST_FLOWS, c->flow);
    put_word(t, c->suppress_inf, "inf_suppress");
    put_word(t, c->suppress_nan, "nan_suppress");
    put_named(t, BIFROST_FLUSHES, c->flush);
    put_named(t, BIFROST_EXCEPTIONS, c->exceptions);
    put_named(t, BIFROST_MESSAGES, c->message);
    put_word(t, c->terminate, "td");
    put_word(t, c->prefetch, "ncph");
    if (c->next_message)
        isa_put(t, " next_%s", isa_name_text(&bifrost_lists[BIFROST_MESSAGES], c->next_message));
    for (unsigned n = 0, any = 0; n < 8; n++)
        if (c->wait >> n & 1)
            isa_put(t, "%s%u", any++ ? ", " : " dwb(", n);
    isa_put(t, "%s", c->wait ? ")" : "");
}

/* ---- operands ---- */

static void put_relative(struct isa_text *t, const struct bifrost_clause *c, const struct manner *m,
                         int64_t offset)
{
    if (offset % 16)
        isa_put(t, "pc?"); /* no text says that */
    else if (m->label && c->at + offset / 16 == m->target)
        isa_put(t, "%s", m->label);
    else
        isa_put(t, "pc%s%" PRId64, offset < 0 ? "" : "+", offset / 16);
}

static void put_source(struct isa_text *t, const struct bifrost_clause *c, const struct manner *m,
                       const struct bifrost_source *s)
{
    bool word = s->select == BIFROST_SELECT_HIGH;
    switch (s->from) {
    case BIFROST_FROM_REGISTER: isa_put(t, "r%u", s->reg); break;
    case BIFROST_FROM_ZERO:
        isa_put(t, "#0%s", s->select == BIFROST_SELECT_STAGE ? "" : word ? ".y" : ".x");
        break;
    case BIFROST_FROM_CONSTANT: isa_put(t, "0x%08" PRIx32, s->value); break;
    case BIFROST_FROM_RELATIVE:
        put_relative(t, c, m, s->offset);
        isa_put(t, "%s", s->upper ? ":hi" : "");
        break;
    case BIFROST_FROM_UNIFORM: isa_put(t, "u%u.w%u", s->index / 2u, s->index % 2u); break;
    case BIFROST_FROM_SPECIAL:
        isa_put(t, "%s.%c", isa_name_text(&bifrost_lists[BIFROST_SPECIALS], s->index), word ? 'y' : 'x');
        break;
    case BIFROST_FROM_FMA: isa_put(t, "t"); break;
    case BIFROST_FROM_FMA_LAST: isa_put(t, "t0"); break;
    default: isa_put(t, "t1"); break;
    }
}

/* The modifiers of the source, or of the instruction: -1. */
static void put_mods(struct isa_text *t, const struct bifrost_row *row, const struct bifrost_insn *insn,
                     int source)
{
    for (unsigned n = 0; n < BIFROST_PIECES; n++) {
        const struct bifrost_piece *p = &row->piece[n];
        if (p->what != BIFROST_PIECE_CODE && p->what != BIFROST_PIECE_IS && p->what != BIFROST_PIECE_OF)
            continue;
        uint8_t word = *bifrost_place((struct bifrost_insn *)insn, p->place);
        if (bifrost_place_source(p->place) == source && word != p->standard)
            isa_put(t, ".%s", bifrost_word(word));
    }
}

static void put_immediates(struct isa_text *t, const struct bifrost_row *row, const struct bifrost_insn *insn)
{
    for (unsigned n = 0; n < BIFROST_PIECES; n++)
        if (row->piece[n].what == BIFROST_PIECE_IMMEDIATE)
            isa_put(t, ", %s:%u", isa_name_text(&bifrost_lists[BIFROST_IMMEDIATES], row->piece[n].place),
                    insn->immediate[row->piece[n].place]);
}

static void put_result(struct isa_text *t, enum bifrost_unit unit, const struct bifrost_result *r)
{
    static const char *const halves[4] = {"", ".h0", ".h1", ""};
    isa_put(t, " ");
    if (r->halves)
        isa_put(t, "r%u:", r->reg);
    isa_put(t, "%s%s", unit == BIFROST_FMA ? "t0" : "t1", halves[r->halves]);
}

static void put_insn(struct isa_text *t, const struct bifrost_clause *c, const struct manner *m,
                     enum bifrost_unit unit, const struct bifrost_insn *insn)
{
    const struct bifrost_row *row = &bifrost_rows[insn->row];
    const struct bifrost_op_info *info = bifrost_op_info(insn->op);
    isa_put(t, "%c%s", unit == BIFROST_FMA ? '*' : '+', info->text);
    put_mods(t, row, insn, -1);
    put_result(t, unit, &insn->result);
    for (unsigned n = 0; n < insn->source_count; n++) {
        isa_put(t, ", ");
        put_source(t, c, m, &insn->source[n]);
        put_mods(t, row, insn, (int)n);
    }
    put_immediates(t, row, insn);
    if (info->staging)
        isa_put(t, ", @r%u", c->staging);
}

/* ---- constants ---- */

/* The first of a pair, or the one beside tuples, whose upper word alone is relative, as `pc` says it. */
static bool is_plain_relative(const struct bifrost_clause *c, unsigned n)
{
    unsigned beside = bifrost_constants_beside(c->tuple_count);
    int64_t offset = util_sext((uint32_t)(c->constant[n].value >> 32), BIFROST_RELATIVE_WORD_BITS);
    if (c->constant[n].relative != BIFROST_RELATIVE_HIGH || offset % 16)
        return false;
    if (n < beside)
        return c->way[0] == BIFROST_WAY_HIGH && !c->way[1] && !BIFROST_GET(c->constant[n].value, WAY);
    return (n - beside) % 2 == 0 && n + 1 < c->constant_count &&
           c->constant[n + 1].relative == BIFROST_RELATIVE_NONE;
}

/* The four bits below a constant, of the first tuple that names it. */
static uint8_t lowest_bits(const struct bifrost_clause *c, unsigned constant)
{
    if (constant >= BIFROST_NAMED)
        return 0;
    for (unsigned n = 0; n < c->tuple_count; n++)
        if (c->tuple[n].ports.fau >> BIFROST_FAU_NAME_AT == bifrost_constant_name(constant))
            return (uint8_t)BIFROST_GET(c->tuple[n].ports.fau, FAU_LOW);
    return 0;
}

/* Zeros at the end need no text, as far as there stays one of each pair. */
static unsigned shown_constants(const struct bifrost_clause *c)
{
    unsigned shown = c->constant_count, beside = bifrost_constants_beside(c->tuple_count);
    if (shown > beside && !c->constant[shown - 1].value && !lowest_bits(c, shown - 1))
        shown--;
    if (shown == beside && shown && !c->constant[0].value && !lowest_bits(c, 0) && !c->way[0] && !c->way[1])
        shown = 0;
    return shown;
}

static void put_constants(struct isa_text *t, const struct bifrost_clause *c, const struct manner *m)
{
    unsigned shown = shown_constants(c);
    bool way = c->way[0] || c->way[1];
    for (unsigned n = 0; n < shown; n++) {
        uint64_t value = c->constant[n].value;
        isa_put(t, "%sconst 0x%" PRIx32 ", ", m->between, (uint32_t)value | lowest_bits(c, n));
        if (is_plain_relative(c, n)) {
            put_relative(t, c, m, util_sext((uint32_t)(value >> 32), BIFROST_RELATIVE_WORD_BITS));
            way = way && n;
        } else {
            isa_put(t, "0x%" PRIx32, (uint32_t)(value >> 32));
        }
    }
    if (way && bifrost_constants_beside(c->tuple_count))
        isa_put(t, "%sway %u, %u", m->between, c->way[0], c->way[1]);
}

/* ---- clauses ---- */

static void put_clause(struct isa_text *t, const struct bifrost_clause *c, const struct manner *m)
{
    put_header(t, c);
    for (unsigned n = 0; n < c->tuple_count; n++) {
        const struct bifrost_tuple *tuple = &c->tuple[n];
        isa_put(t, "%s", n ? m->between : m->begin);
        if (m->ports)
            isa_put(t, "ports 0x%09" PRIx64 "%s", bifrost_ports_bits(&tuple->ports), m->between);
        put_insn(t, c, m, BIFROST_FMA, &tuple->insn[BIFROST_FMA]);
        isa_put(t, "%s", m->between);
        put_insn(t, c, m, BIFROST_ADD, &tuple->insn[BIFROST_ADD]);
    }
    put_constants(t, c, m);
    isa_put(t, "%s", m->end);
}

static void put_raw(struct isa_text *t, const uint8_t *bytes, uint32_t quads)
{
    for (uint32_t n = 0; n < quads; n++) {
        uint64_t quad[2];
        memcpy(quad, bytes + n * (size_t)16, sizeof quad);
        isa_put(t, "%s.word 0x%016" PRIx64 "%016" PRIx64, n ? "\n" : "", quad[1], quad[0]);
    }
}

/* Shown as `m` has it, with register blocks if nothing else says all. */
static uint32_t disassemble(const void *words, uint32_t count, uint32_t at, struct manner m, char *out)
{
    const uint8_t *bytes = (const uint8_t *)words + (size_t)at * 16;
    struct bifrost_clause clause;
    struct isa_text t = {.at = out, .capacity = BIFROST_TEXT_MAX};
    uint32_t length = bifrost_decode(words, count, at, &clause, NULL);
    bool all = false;
    out[0] = 0;
    if (at >= count)
        return 0;
    for (unsigned tries = 0; length && tries < 2 && !all; tries++) {
        struct manner plain = one_line;
        plain.ports = m.ports = tries == 1;
        t = (struct isa_text){.at = out, .capacity = BIFROST_TEXT_MAX};
        put_clause(&t, &clause, &plain);
        all = isa_assembles_to(&bifrost_syntax, t.at, t.length, bytes, length);
    }
    t = (struct isa_text){.at = out, .capacity = BIFROST_TEXT_MAX};
    if (all)
        put_clause(&t, &clause, &m);
    else
        put_raw(&t, bytes, UTIL_MAX(length, 1u));
    return UTIL_MAX(length, 1u);
}

uint32_t bifrost_disasm(const void *words, uint32_t count, uint32_t at, char text[BIFROST_TEXT_MAX])
{
    return disassemble(words, count, at, one_line, text);
}

bool bifrost_disasm_part(const void *words, uint32_t count, uint32_t at, uint8_t part,
                         char text[BIFROST_TEXT_MAX])
{
    struct bifrost_clause clause;
    struct isa_text t = {.at = text, .capacity = BIFROST_TEXT_MAX};
    text[0] = 0;
    if (at >= count || !bifrost_decode(words, count, at, &clause, NULL) || part > clause.tuple_count * 2u)
        return false;
    if (!part) {
        put_header(&t, &clause);
        return true;
    }
    const enum bifrost_unit unit = (part - 1u) % 2 ? BIFROST_ADD : BIFROST_FMA;
    put_insn(&t, &clause, &one_line, unit, &clause.tuple[(part - 1u) / 2].insn[unit]);
    return true;
}

/* ---- programs ---- */

static uint32_t targets_of(const void *words, uint32_t count, uint32_t at, int64_t targets[ISA_TARGETS])
{
    struct bifrost_clause clause;
    uint32_t length = bifrost_decode(words, count, at, &clause, NULL);
    const struct bifrost_insn *branch = length ? bifrost_branch_of(&clause) : NULL;
    int64_t target;
    targets[0] = branch && bifrost_target(&clause, branch, &target) ? target : -1;
    targets[1] = -1;
    return length;
}

static uint32_t text_of(const void *words, uint32_t count, uint32_t at, isa_label_text labels[ISA_TARGETS],
                        char text[ISA_LINE_MAX])
{
    int64_t targets[ISA_TARGETS];
    struct manner lines = {" {\n    ", "\n    ", "\n}", false, labels[0][0] ? labels[0] : NULL, 0};
    targets_of(words, count, at, targets);
    lines.target = targets[0];
    return disassemble(words, count, at, lines, text);
}

static const struct isa_disassembler disassembler = {targets_of, text_of};
_Static_assert(BIFROST_TEXT_MAX <= ISA_LINE_MAX, "a line holds any clause");

int bifrost_disasm_program(FILE *out, const void *words, uint32_t count)
{
    return isa_disasm_program(out, &disassembler, words, count);
}
