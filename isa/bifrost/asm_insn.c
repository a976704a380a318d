/* One instruction's text, and which encoding it is. */
#include <errno.h>
#include <string.h>

#include "isa/bifrost/asm_internal.h"
#include "isa/bifrost/names.h"
#include "isa/bifrost/table.h"
#include "util/bits.h"

/* ---- words ---- */

static int words(struct isa_assembler *as, struct bifrost_asm_words *out)
{
    while (isa_scan_glued(&as->scan, '.')) {
        struct isa_token token = isa_scan_word(&as->scan);
        uint32_t word;
        if (!isa_name_value(&bifrost_lists[BIFROST_WORDS], token.text, token.length, &word))
            return isa_asm_fail(as, token, "this is no modifier");
        if (out->count == BIFROST_ASM_WORDS)
            return isa_asm_fail(as, token, "there are too many modifiers");
        out->word[out->count++] = (uint8_t)word;
    }
    return 0;
}

/* The longest operation that is here: part of a name may look like a modifier. */
static int operation(struct isa_assembler *as, uint16_t *op, struct isa_token *where)
{
    const struct isa_names *list = &bifrost_lists[BIFROST_OPS];
    size_t longest = 0;
    isa_scan_space(&as->scan);
    const char *start = as->scan.at;
    *where = isa_scan_word(&as->scan);
    for (size_t n = 0; n < list->count; n++) {
        size_t length = strlen(list->names[n].text);
        if (length <= longest || length > (size_t)(as->scan.end - start) ||
            memcmp(start, list->names[n].text, length) != 0)
            continue;
        struct isa_scan behind = as->scan;
        behind.at = start + length;
        if (behind.at < behind.end && *behind.at != '.' && *behind.at != ' ' && *behind.at != '\n')
            continue;
        longest = length;
        *op = (uint16_t)list->names[n].value;
    }
    as->scan.at = start + longest;
    return longest ? 0 : isa_asm_fail(as, *where, "unknown operation");
}

/* ---- operands ---- */

static int result(struct isa_assembler *as, enum bifrost_unit unit, struct bifrost_result *out)
{
    struct isa_token token = isa_scan_word(&as->scan);
    uint32_t reg = 0;
    bool has = isa_token_numbered(token, "r", &reg) && reg < BIFROST_REGISTERS;
    if (has) {
        int err =
            isa_scan_glued(&as->scan, ':') ? 0 : isa_scan_fail(&as->scan, as->scan.at, "':' is expected");
        if (err)
            return err;
        token = isa_scan_word(&as->scan);
        *out = (struct bifrost_result){(uint8_t)reg, 3};
    }
    if (!isa_token_is(token, unit == BIFROST_FMA ? "t0" : "t1"))
        return isa_asm_fail(as, token,
                            unit == BIFROST_FMA ? "the result of FMA is t0" : "the result of ADD is t1");
    if (!has || !isa_scan_glued(&as->scan, '.'))
        return 0;
    token = isa_scan_word(&as->scan);
    out->halves = isa_token_is(token, "h0") ? 1 : 2;
    return out->halves == 1 || isa_token_is(token, "h1") ? 0
                                                         : isa_asm_fail(as, token, "h0 or h1 is expected");
}

/* ".x" or ".y", ".w0" or ".w1". */
static int word_of_two(struct isa_assembler *as, const char *first, const char *second, bool *upper)
{
    if (!isa_scan_glued(&as->scan, '.'))
        return isa_scan_fail(&as->scan, as->scan.at, "which of the two words is expected");
    struct isa_token token = isa_scan_word(&as->scan);
    *upper = isa_token_is(token, second);
    return *upper || isa_token_is(token, first)
               ? 0
               : isa_asm_fail(as, token, "which of the two words is expected");
}

/* "#0" is the unit's own, "#0.x" what the tuple selects. */
static int zero(struct isa_assembler *as, struct bifrost_source *s, bool *fau)
{
    struct isa_token token = isa_scan_word(&as->scan);
    struct isa_scan before = as->scan;
    s->from = BIFROST_FROM_ZERO;
    if (!isa_token_is(token, "0"))
        return isa_asm_fail(as, token, "0 is expected");
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    token = isa_scan_word(&as->scan);
    s->upper = isa_token_is(token, "y");
    *fau = s->upper || isa_token_is(token, "x");
    if (!*fau)
        as->scan = before;
    return 0;
}

static int named_source(struct isa_assembler *as, struct isa_token token, struct bifrost_source *s)
{
    uint32_t number = 0;
    if (isa_token_numbered(token, "r", &number) && number < BIFROST_REGISTERS) {
        s->from = BIFROST_FROM_REGISTER;
        s->reg = (uint8_t)number;
        return 0;
    }
    if (isa_token_is(token, "t") || isa_token_is(token, "t0") || isa_token_is(token, "t1")) {
        s->from = token.length == 1      ? BIFROST_FROM_FMA
                  : token.text[1] == '0' ? BIFROST_FROM_FMA_LAST
                                         : BIFROST_FROM_ADD_LAST;
        return 0;
    }
    if (isa_token_numbered(token, "u", &number) && number < 1u << BIFROST_FAU_UNIFORM_BITS) {
        int err = word_of_two(as, "w0", "w1", &s->upper);
        s->from = BIFROST_FROM_UNIFORM;
        s->index = (uint16_t)(number * 2 + s->upper);
        return err;
    }
    if (isa_name_value(&bifrost_lists[BIFROST_SPECIALS], token.text, token.length, &number)) {
        s->from = BIFROST_FROM_SPECIAL;
        s->index = (uint16_t)number;
        return word_of_two(as, "x", "y", &s->upper);
    }
    s->from = BIFROST_FROM_RELATIVE;
    int err = token.length ? bifrost_asm_place(as, token, &s->offset)
                           : isa_asm_fail(as, token, "a source is expected");
    s->offset *= 16;
    struct isa_scan before = as->scan;
    s->upper = !err && isa_scan_glued(&as->scan, ':') && isa_token_is(isa_scan_word(&as->scan), "hi");
    if (!s->upper)
        as->scan = before;
    return err;
}

static int source(struct isa_assembler *as, struct bifrost_asm_insn *out)
{
    unsigned n = out->insn.source_count;
    int err;
    if (n == BIFROST_SOURCES)
        return isa_scan_fail(&as->scan, as->scan.at, "an instruction has at most four sources");
    struct bifrost_source *s = &out->insn.source[out->insn.source_count++];
    if (isa_scan_take(&as->scan, '#')) {
        err = zero(as, s, &out->fau_zero[n]);
    } else if (isa_scan_at_number(&as->scan)) {
        s->from = BIFROST_FROM_CONSTANT;
        err = isa_scan_number(&as->scan, &s->value);
    } else {
        err = named_source(as, isa_scan_word(&as->scan), s);
    }
    return err ? err : words(as, &out->source_words[n]);
}

static int staging(struct isa_assembler *as, struct bifrost_asm_clause *a, struct bifrost_asm_insn *out)
{
    struct isa_token token = isa_scan_word(&as->scan);
    uint32_t reg = 0;
    if (!isa_token_numbered(token, "r", &reg) || reg >= BIFROST_REGISTERS)
        return isa_asm_fail(as, token, "a register is expected");
    if (a->has_staging && a->clause.staging != reg)
        return isa_asm_fail(as, token, "a clause has one staging register");
    a->has_staging = out->staged = true;
    a->clause.staging = (uint8_t)reg;
    return 0;
}

/* "name:number"; sources have no colon. */
static bool immediate(struct isa_assembler *as, struct bifrost_asm_insn *out, int *err)
{
    struct isa_scan before = as->scan;
    struct isa_token token = isa_scan_word(&as->scan);
    uint32_t which, value = 0;
    if (!isa_name_value(&bifrost_lists[BIFROST_IMMEDIATES], token.text, token.length, &which) ||
        !isa_scan_glued(&as->scan, ':')) {
        as->scan = before;
        return false;
    }
    *err = bifrost_asm_number(as, 32, &value);
    out->insn.immediate[which] = (uint8_t)value;
    return true;
}

int bifrost_asm_insn(struct isa_assembler *as, enum bifrost_unit unit, struct bifrost_asm_clause *a,
                     struct bifrost_asm_insn *out)
{
    int err = operation(as, &out->insn.op, &out->where);
    if (!err)
        err = words(as, &out->words);
    if (!err)
        err = result(as, unit, &out->insn.result);
    while (!err && isa_scan_take(&as->scan, ','))
        if (isa_scan_take(&as->scan, '@'))
            err = staging(as, a, out);
        else if (!immediate(as, out, &err))
            err = source(as, out);
    bool stages = !err && bifrost_op_info(out->insn.op)->staging != BIFROST_STAGING_NONE;
    if (!err && stages != out->staged)
        err = isa_asm_fail(as, out->where,
                           stages ? "a staging register is expected: @r0"
                                  : "this operation has no staging register");
    return err;
}

/* ---- encodings ---- */

static bool joint_has(uint8_t joint, unsigned column, uint8_t word)
{
    for (size_t n = 0; n < bifrost_code_count; n++)
        if (bifrost_codes[n].joint == joint && bifrost_codes[n].word[column] == word)
            return true;
    return false;
}

/* Whether some joint piece of the row may give the place that word. */
static bool row_joins(const struct bifrost_row *row, uint8_t place, uint8_t word)
{
    for (unsigned n = 0; n < BIFROST_PIECES; n++)
        for (unsigned k = 0; k < BIFROST_COLUMNS && row->piece[n].what == BIFROST_PIECE_JOINT; k++)
            if (bifrost_joint_columns(row->piece[n].list)[k] == place &&
                joint_has(row->piece[n].list, k, word))
                return true;
    return false;
}

static bool may_be(const struct bifrost_row *row, const struct bifrost_piece *p, uint8_t word)
{
    uint32_t code;
    switch (p->what) {
    case BIFROST_PIECE_CODE: return word == p->standard || bifrost_list_code(p->list, word, &code);
    case BIFROST_PIECE_IS: return word == p->word;
    case BIFROST_PIECE_OF: return row_joins(row, p->place, word);
    default: return false;
    }
}

/* Gives each word the first place of that source (-1: of the instruction) that may be it and has none yet. */
static bool place_words(const struct bifrost_row *row, const struct bifrost_asm_words *w, int source,
                        bool *placed, struct bifrost_insn *insn)
{
    for (unsigned k = 0; k < w->count; k++) {
        unsigned n = 0;
        while (n < BIFROST_PIECES && (placed[n] || row->piece[n].what < BIFROST_PIECE_CODE ||
                                      row->piece[n].what > BIFROST_PIECE_OF ||
                                      bifrost_place_source(row->piece[n].place) != source ||
                                      !may_be(row, &row->piece[n], w->word[k])))
            n++;
        if (n == BIFROST_PIECES)
            return false;
        placed[n] = true;
        *bifrost_place(insn, row->piece[n].place) = w->word[k];
    }
    return true;
}

static bool fits_row(const struct bifrost_row *row, const struct bifrost_asm_insn *in,
                     struct bifrost_insn *insn)
{
    bool placed[BIFROST_PIECES] = {false};
    bool fits = place_words(row, &in->words, -1, placed, insn);
    for (int n = 0; n < BIFROST_SOURCES && fits; n++)
        fits = place_words(row, &in->source_words[n], n, placed, insn);
    for (unsigned n = 0; n < BIFROST_PIECES && fits; n++) {
        const struct bifrost_piece *p = &row->piece[n];
        if (placed[n] || p->what < BIFROST_PIECE_CODE || p->what > BIFROST_PIECE_OF)
            continue;
        fits = p->standard != BIFROST_ALWAYS;
        *bifrost_place(insn, p->place) = p->standard;
    }
    return fits;
}

static int find_encoding(struct isa_assembler *as, enum bifrost_unit unit, const struct bifrost_asm_insn *in,
                         struct bifrost_insn *out)
{
    bool known = false;
    for (size_t n = 0; n < bifrost_row_count; n++) {
        const struct bifrost_row *row = &bifrost_rows[n];
        uint32_t bits;
        if (row->unit != unit || row->op != in->insn.op)
            continue;
        known = true;
        struct bifrost_insn insn = *out;
        if (!fits_row(row, in, &insn) || bifrost_insn_encode(unit, &insn, &bits))
            continue;
        *out = insn;
        return 0;
    }
    return isa_asm_fail(as, in->where,
                        known ? "no encoding has these modifiers and sources together"
                              : "the other unit has this operation");
}

int bifrost_asm_settle(struct isa_assembler *as, struct bifrost_asm_clause *a, unsigned tuple,
                       enum bifrost_unit unit)
{
    const struct bifrost_asm_insn *in = &a->tuple[tuple].insn[unit];
    struct bifrost_insn *out = &a->clause.tuple[tuple].insn[unit];
    *out = in->insn;
    for (unsigned n = 0; n < in->insn.source_count; n++)
        if (!bifrost_asm_select(&a->clause, &a->clause.tuple[tuple].ports, unit, in, n,
                                &out->source[n].select))
            return isa_asm_fail(as, in->where, "a source is neither in the ports nor among the constants");
    return find_encoding(as, unit, in, out);
}
