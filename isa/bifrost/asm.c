/* Text to words. A clause is its header and, in braces, instructions and constants, a line each or between
 * semicolons. */
#include "isa/bifrost/asm.h"

#include <errno.h>
#include <string.h>

#include "isa/bifrost/asm_internal.h"
#include "isa/bifrost/names.h"
#include "isa/bifrost/table.h"
#include "util/bits.h"

int bifrost_asm_number(struct isa_assembler *as, uint32_t limit, uint32_t *value)
{
    isa_scan_space(&as->scan);
    const char *start = as->scan.at;
    if (!isa_scan_at_number(&as->scan))
        return isa_scan_fail(&as->scan, start, "a number is expected");
    int err = isa_scan_number(&as->scan, value);
    return err || *value < limit ? err : isa_scan_fail(&as->scan, start, "this number is too large");
}

int bifrost_asm_take(struct isa_assembler *as, char c)
{
    char expected[] = "'x' is expected";
    expected[1] = c;
    return isa_scan_take(&as->scan, c) ? 0 : isa_scan_fail(&as->scan, as->scan.at, expected);
}

int bifrost_asm_place(struct isa_assembler *as, struct isa_token token, int64_t *quads)
{
    uint32_t number = 0;
    if (!isa_token_is(token, "pc")) {
        int err = isa_asm_label(as, token, &number);
        *quads = as->labels_known ? (int64_t)(number / 16) - (int64_t)(as->at / 16) : 0;
        return err;
    }
    bool back = isa_scan_glued(&as->scan, '-');
    if (!back && !isa_scan_glued(&as->scan, '+'))
        return isa_scan_fail(&as->scan, as->scan.at, "+ or - is expected");
    int err = bifrost_asm_number(as, 1u << 23, &number);
    *quads = back ? -(int64_t)number : number;
    return err;
}

/* ---- headers ---- */

static int slots(struct isa_assembler *as, uint8_t *mask)
{
    int err = bifrost_asm_take(as, '(');
    do {
        uint32_t slot = 0;
        if (!err)
            err = bifrost_asm_number(as, 8, &slot);
        *mask |= (uint8_t)(1u << slot);
    } while (!err && isa_scan_take(&as->scan, ','));
    return err ? err : bifrost_asm_take(as, ')');
}

/* "bb", or "bb r_uncond": the longest name that is here. */
static bool flow(struct isa_assembler *as, struct isa_token token, uint8_t *out)
{
    char name[32];
    struct isa_scan before = as->scan;
    struct isa_token second = isa_scan_word(&as->scan);
    uint32_t value;
    if (token.length + second.length + 2 > sizeof name)
        return false;
    memcpy(name, token.text, token.length);
    name[token.length] = ' ';
    memcpy(name + token.length + 1, second.text, second.length);
    bool two = isa_name_value(&bifrost_lists[BIFROST_FLOWS], name, token.length + 1 + second.length, &value);
    if (!two) {
        as->scan = before;
        if (!isa_name_value(&bifrost_lists[BIFROST_FLOWS], token.text, token.length, &value))
            return false;
    }
    *out = (uint8_t)value;
    return true;
}

static bool flag(struct isa_token token, struct bifrost_clause *c)
{
    const struct {
        const char *word;
        bool *out;
    } flags[] = {{"osrb", &c->staging_barrier},
                 {"td", &c->terminate},
                 {"ncph", &c->prefetch},
                 {"inf_suppress", &c->suppress_inf},
                 {"nan_suppress", &c->suppress_nan}};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(flags); n++)
        if (isa_token_is(token, flags[n].word))
            return *flags[n].out = true;
    return false;
}

/* A name of the list behind the first `skip` characters; "" is not written. */
static bool named(struct isa_token token, size_t skip, enum bifrost_list list, uint8_t *out)
{
    uint32_t value;
    if (token.length <= skip ||
        !isa_name_value(&bifrost_lists[list], token.text + skip, token.length - skip, &value))
        return false;
    *out = (uint8_t)value;
    return true;
}

static int header_word(struct isa_assembler *as, struct isa_token token, struct bifrost_clause *c,
                       bool *has_flow)
{
    static const char next[] = "next_";
    bool follows = token.length > strlen(next) && !memcmp(token.text, next, strlen(next));
    if (isa_token_is(token, "dwb"))
        return slots(as, &c->wait);
    if (!*has_flow && flow(as, token, &c->flow)) {
        *has_flow = true;
        return 0;
    }
    if (flag(token, c) || named(token, 0, BIFROST_FLUSHES, &c->flush) ||
        named(token, 0, BIFROST_EXCEPTIONS, &c->exceptions) ||
        named(token, follows ? strlen(next) : 0, BIFROST_MESSAGES, follows ? &c->next_message : &c->message))
        return 0;
    return isa_asm_fail(as, token, "this is no part of a clause's header");
}

static int header(struct isa_assembler *as, struct isa_token mnemonic, struct bifrost_clause *c)
{
    uint32_t slot = 0;
    bool has_flow = false;
    if (!isa_token_is(mnemonic, "ds"))
        return isa_asm_fail(as, mnemonic, "a clause begins with ds(slot)");
    int err = bifrost_asm_take(as, '(');
    if (!err)
        err = bifrost_asm_number(as, 8, &slot);
    if (!err)
        err = bifrost_asm_take(as, ')');
    c->slot = (uint8_t)slot;
    while (!err && !isa_scan_take(&as->scan, '{'))
        err = header_word(as, isa_scan_word(&as->scan), c, &has_flow);
    return err || has_flow ? err
                           : isa_asm_fail(as, mnemonic, "the header does not say where execution goes on");
}

/* ---- constants ---- */

static int constant(struct isa_assembler *as, struct bifrost_asm_clause *a, struct isa_token where)
{
    unsigned n = a->clause.constant_count;
    uint32_t low = 0, high = 0;
    if (n == BIFROST_CONSTANTS)
        return isa_asm_fail(as, where, "a clause has no more constants");
    a->clause.constant_count++;
    int err = bifrost_asm_number(as, UINT32_MAX, &low);
    if (!err)
        err = bifrost_asm_take(as, ',');
    if (!err && isa_scan_at_number(&as->scan)) {
        err = isa_scan_number(&as->scan, &high);
    } else if (!err) {
        int64_t quads = 0;
        err = bifrost_asm_place(as, isa_scan_word(&as->scan), &quads);
        high = BIFROST_GET((uint64_t)quads * 16, RELATIVE_WORD);
        a->relative[n] = true;
    }
    a->clause.constant[n].value = low | (uint64_t)high << 32;
    return err;
}

static int way(struct isa_assembler *as, struct bifrost_clause *c)
{
    uint32_t first = 0, second = 0;
    int err = bifrost_asm_number(as, 16, &first);
    if (!err)
        err = bifrost_asm_take(as, ',');
    if (!err)
        err = bifrost_asm_number(as, 16, &second);
    c->way[0] = (uint8_t)first;
    c->way[1] = (uint8_t)second;
    return err;
}

/* Makes those relative that are written so: by the way beside tuples, else by the highest four bits of a pair. */
static int relate_constants(struct isa_assembler *as, struct bifrost_asm_clause *a, struct isa_token where)
{
    struct bifrost_clause *c = &a->clause;
    unsigned beside = bifrost_constants_beside(c->tuple_count);
    if (c->constant_count > beside && (c->constant_count - beside) % 2)
        c->constant_count++;
    for (unsigned n = 0; n < c->constant_count; n++) {
        if (!a->relative[n])
            continue;
        if (n < beside && !bifrost_has_way(c->tuple_count))
            return isa_asm_fail(as, where, "the first constant of so many tuples cannot be relative");
        if (n < beside)
            c->way[0] = BIFROST_WAY_HIGH;
        else if ((n - beside) % 2)
            return isa_asm_fail(as, where, "a relative constant is the first of its pair");
        else
            c->constant[n].value |= (uint64_t)(BIFROST_GET(c->constant[n + 1].value, WAY) + BIFROST_WAY_HIGH)
                                    << BIFROST_WAY_AT;
    }
    c->constant_count = (uint8_t)UTIL_MAX(c->constant_count, beside);
    return bifrost_constants_fit(c->tuple_count, c->constant_count)
               ? 0
               : isa_asm_fail(as, where, "so many tuples cannot have as many constants");
}

/* ---- clauses ---- */

static int ports(struct isa_assembler *as, struct bifrost_ports *out)
{
    struct isa_token digits = isa_scan_word(&as->scan);
    uint64_t bits = 0;
    bool good = digits.length > 2 && digits.length <= 2 + 9 && digits.text[0] == '0' && digits.text[1] == 'x';
    for (size_t n = 2; n < digits.length && good; n++) {
        char c = digits.text[n];
        good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        bits = bits << 4 | (uint64_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
    }
    if (!good || bits >> BIFROST_FMA_AT)
        return isa_asm_fail(as, digits, "0x and up to 35 bits are expected");
    bifrost_ports_take(bits, out);
    return 0;
}

/* How many instructions there are; FMA and ADD take turns. */
struct progress {
    unsigned insns;
    bool ports; /* for the tuple that comes */
};

static int one_insn(struct isa_assembler *as, struct bifrost_asm_clause *a, enum bifrost_unit unit,
                    struct progress *p)
{
    unsigned n = p->insns / 2;
    if (p->insns % 2 != (unsigned)unit)
        return isa_scan_fail(&as->scan, as->scan.at, "instructions of FMA (*) and ADD (+) take turns");
    if (n == BIFROST_TUPLES)
        return isa_scan_fail(&as->scan, as->scan.at, "a clause has at most eight tuples");
    a->tuple[n].has_ports |= p->ports;
    a->clause.tuple_count = (uint8_t)(n + 1);
    p->insns++;
    p->ports = false;
    return bifrost_asm_insn(as, unit, a, &a->tuple[n].insn[unit]);
}

static int part(struct isa_assembler *as, struct bifrost_asm_clause *a, struct progress *p)
{
    if (isa_scan_take(&as->scan, '*'))
        return one_insn(as, a, BIFROST_FMA, p);
    if (isa_scan_take(&as->scan, '+'))
        return one_insn(as, a, BIFROST_ADD, p);
    struct isa_token word = isa_scan_word(&as->scan);
    if (isa_token_is(word, "const"))
        return constant(as, a, word);
    if (isa_token_is(word, "way"))
        return way(as, &a->clause);
    if (!isa_token_is(word, "ports"))
        return isa_asm_fail(as, word, "an instruction, const, way, ports or } is expected");
    if (p->insns % 2 || p->insns / 2 == BIFROST_TUPLES)
        return isa_asm_fail(as, word, "ports stand before a tuple");
    p->ports = true;
    return ports(as, &a->clause.tuple[p->insns / 2].ports);
}

/* Over ends of lines and semicolons to a part or the brace. */
static bool more_parts(struct isa_assembler *as)
{
    for (;;) {
        if (isa_scan_line_over(&as->scan) && as->scan.at < as->scan.end)
            isa_scan_next_line(&as->scan);
        else if (!isa_scan_take(&as->scan, ';'))
            return as->scan.at < as->scan.end && *as->scan.at != '}';
    }
}

/* Register blocks may be given, and then have to say the results that the text says. */
static int check_results(struct isa_assembler *as, const struct bifrost_asm_clause *a)
{
    struct bifrost_clause resolved = a->clause;
    struct util_error error = {0};
    if (bifrost_resolve(&resolved, &error))
        return isa_asm_fail(as, a->tuple[0].insn[0].where, error.text);
    for (unsigned n = 0; n < resolved.tuple_count * 2u; n++) {
        const struct bifrost_result *is = &resolved.tuple[n / 2].insn[n % 2].result;
        const struct bifrost_asm_insn *asked = &a->tuple[n / 2].insn[n % 2];
        if (is->halves != asked->insn.result.halves || is->reg != asked->insn.result.reg)
            return isa_asm_fail(as, asked->where, "the ports of the tuple behind say another result");
    }
    return 0;
}

static int finish(struct isa_assembler *as, struct bifrost_asm_clause *a, struct isa_token where)
{
    uint64_t words[BIFROST_QUADS * 2];
    struct util_error error = {0};
    int err = relate_constants(as, a, where);
    if (!err)
        err = bifrost_asm_ports(as, a);
    for (unsigned n = 0; n < a->clause.tuple_count && !err; n++) {
        err = bifrost_asm_settle(as, a, n, BIFROST_FMA);
        if (!err)
            err = bifrost_asm_settle(as, a, n, BIFROST_ADD);
    }
    if (!err)
        err = check_results(as, a);
    if (err)
        return err;
    uint32_t quads = bifrost_encode(&a->clause, words, &error);
    return quads ? isa_asm_emit(as, words, quads * (size_t)16) : isa_asm_fail(as, where, error.text);
}

static int clause(struct isa_assembler *as, struct isa_token mnemonic)
{
    struct bifrost_asm_clause a = {0};
    struct progress progress = {0};
    int err = header(as, mnemonic, &a.clause);
    while (!err && more_parts(as)) {
        err = part(as, &a, &progress);
        if (!err && !isa_scan_line_over(&as->scan) && !isa_scan_comes(&as->scan, ';') &&
            !isa_scan_comes(&as->scan, '}'))
            err = isa_scan_fail(&as->scan, as->scan.at, "unexpected text");
    }
    if (!err)
        err = bifrost_asm_take(as, '}');
    if (!err && (progress.insns % 2 || !progress.insns))
        err = isa_asm_fail(as, mnemonic, "a clause is pairs of instructions of FMA (*) and ADD (+)");
    if (!err && !isa_scan_line_over(&as->scan))
        err = isa_scan_fail(&as->scan, as->scan.at, "unexpected text");
    return err ? err : finish(as, &a, mnemonic);
}

const struct isa_syntax bifrost_syntax = {.word_bytes = BIFROST_WORD_BYTES, .instruction = clause};
