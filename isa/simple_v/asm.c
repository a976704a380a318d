/* Instructions from text. */
#include "isa/simple_v/asm.h"

#include <errno.h>
#include <string.h>

#include "isa/simple_v/asm_internal.h"
#include "util/bits.h"

/* ---- registers and numbers ---- */

/* RISC-V calling convention: name, first and last number behind it, first register. */
static const struct {
    const char *stem;
    uint8_t first, last, reg;
    bool integer;
} conventions[] = {
    {"a", 0, 7, 10, true},  {"s", 0, 1, 8, true},     {"s", 2, 11, 18, true}, {"t", 0, 2, 5, true},
    {"t", 3, 6, 28, true},  {"fa", 0, 7, 10, false},  {"fs", 0, 1, 8, false}, {"fs", 2, 11, 18, false},
    {"ft", 0, 7, 0, false}, {"ft", 8, 11, 28, false}, {"x", 0, 127, 0, true}, {"f", 0, 127, 0, false},
};
static const struct isa_name alone[] = {{0, "zero"}, {1, "ra"}, {2, "sp"}, {3, "gp"}, {4, "tp"}, {8, "fp"}};

static bool is_register(struct isa_token word, struct simple_v_written *out)
{
    static const struct isa_names names = ISA_NAMES(alone);
    uint32_t number;
    if (isa_name_value(&names, word.text, word.length, &number)) {
        *out = (struct simple_v_written){.integer = true, .reg = (int32_t)number};
        return true;
    }
    out->vector = word.length > 2 && word.text[word.length - 1] == 'v';
    word.length -= out->vector;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(conventions); n++)
        if (isa_token_numbered(word, conventions[n].stem, &number) && number >= conventions[n].first &&
            number <= conventions[n].last) {
            out->integer = conventions[n].integer;
            out->reg = (int32_t)(number - conventions[n].first + conventions[n].reg);
            return true;
        }
    return false;
}

int simple_v_asm_register(struct isa_assembler *as, struct simple_v_written *out)
{
    struct isa_token word = isa_scan_word(&as->scan);
    return is_register(word, out) ? 0 : isa_asm_fail(as, word, "a register is expected");
}

int simple_v_asm_integer(struct isa_assembler *as, int32_t least, int32_t most, int32_t *out)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    struct simple_v_written r = {0};
    int err = simple_v_asm_register(as, &r);
    if (!err && (!r.integer || r.vector || r.reg < least || r.reg > most))
        err = isa_scan_fail(&as->scan, where, "this register cannot stand here");
    *out = r.reg;
    return err;
}

int simple_v_asm_number(struct isa_assembler *as, int64_t least, int64_t most, int32_t *out)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    bool negative = where < as->scan.end && *where == '-';
    uint32_t bits = 0;
    if (isa_scan_number(&as->scan, &bits))
        return -EINVAL;
    const int64_t value = negative ? (int64_t)(int32_t)bits : (int64_t)bits;
    if (memchr(where, '.', (size_t)(as->scan.at - where)))
        return isa_scan_fail(&as->scan, where, "this number is not whole");
    if (value < least || value > most)
        return isa_scan_fail(&as->scan, where, "this number is too large");
    *out = (int32_t)value;
    return 0;
}

/* ---- operands ---- */

static int reg(struct isa_assembler *as, const struct simple_v_operand *o, struct simple_v_insn *insn)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    struct simple_v_written r = {0};
    int32_t least, most, step;
    int err = simple_v_asm_register(as, &r);
    if (err)
        return err;
    simple_v_range(o, &least, &most, &step);
    if (r.integer != (o->kind != SIMPLE_V_KIND_F))
        return isa_scan_fail(&as->scan, where, "this is a register of the other file");
    if (r.vector && !insn->prefix)
        return isa_scan_fail(&as->scan, where, "only p48 and p64 have vectors here");
    if (insn->prefix ? r.reg >= SIMPLE_V_REGISTERS : r.reg < least || r.reg > most)
        return isa_scan_fail(&as->scan, where, "this register cannot stand here");
    simple_v_put(o, insn, r.reg);
    switch (o->member) {
    case offsetof(struct simple_v_insn, rd): insn->vd = r.vector; break;
    case offsetof(struct simple_v_insn, rs1): insn->vs1 = r.vector; break;
    case offsetof(struct simple_v_insn, rs2): insn->vs2 = r.vector; break;
    default: insn->vs3 = r.vector; break;
    }
    return 0;
}

static int number(struct isa_assembler *as, const struct simple_v_operand *o, struct simple_v_insn *insn)
{
    const bool upper = o->kind == SIMPLE_V_KIND_UPPER;
    int32_t least, most, step, value = 0;
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    simple_v_range(o, &least, &most, &step);
    int err = simple_v_asm_number(as, upper ? 0 : least, upper ? 0xfffff : most, &value);
    if (err)
        return err;
    if (upper) {
        value = util_sext((uint32_t)value, 20);
        if (value < least || value > most)
            return isa_scan_fail(&as->scan, where, "this number is too large");
    }
    if (value & (step - 1))
        return isa_scan_fail(&as->scan, where, "this number is not a multiple of what it counts");
    simple_v_put(o, insn, value);
    return 0;
}

/* A branch's distance from the instruction, or from its VBLOCK. */
static int target(struct isa_assembler *as, const struct simple_v_operand *o, struct simple_v_insn *insn)
{
    int32_t least, most, step;
    uint32_t at;
    if (isa_scan_at_number(&as->scan))
        return number(as, o, insn);
    struct isa_token word = isa_scan_word(&as->scan);
    if (!word.length)
        return isa_asm_fail(as, word, "a number or a label is expected");
    int err = isa_asm_label(as, word, &at);
    const int64_t distance = as->labels_known ? (int64_t)at - (int64_t)as->at : 0;
    simple_v_range(o, &least, &most, &step);
    if (!err && (distance < least || distance > most))
        err = isa_asm_fail(as, word, "this label is too far away");
    simple_v_put(o, insn, (int32_t)distance);
    return err;
}

static int name_of_list(struct isa_assembler *as, const struct isa_names *names, const char *what,
                        int32_t *out)
{
    uint32_t value;
    struct isa_token word = isa_scan_word(&as->scan);
    if (!isa_name_value(names, word.text, word.length, &value))
        return isa_asm_fail(as, word, what);
    *out = (int32_t)value;
    return 0;
}

/* Letters of "iorw", in this order. */
static int fence_set(struct isa_assembler *as, int32_t *set)
{
    static const char letters[] = "iorw";
    struct isa_token word = isa_scan_word(&as->scan);
    unsigned at = 0;
    *set = 0;
    if (isa_token_is(word, "0"))
        return 0;
    for (size_t n = 0; n < word.length; n++, at++) {
        while (at < 4 && letters[at] != word.text[n])
            at++;
        if (at == 4)
            return isa_asm_fail(as, word, "letters of iorw are expected, in this order");
        *set |= 8 >> at;
    }
    return word.length ? 0 : isa_asm_fail(as, word, "letters of iorw are expected, in this order");
}

static int fence(struct isa_assembler *as, struct simple_v_insn *insn)
{
    int32_t before = 0, behind = 0;
    int err = fence_set(as, &before);
    if (!err && !isa_scan_take(&as->scan, ','))
        err = isa_scan_fail(&as->scan, as->scan.at, "a comma is expected");
    if (!err)
        err = fence_set(as, &behind);
    insn->imm = before << 4 | behind;
    return err;
}

static int swizzle(struct isa_assembler *as, struct simple_v_insn *insn)
{
    struct isa_token word = isa_scan_word(&as->scan);
    const char *letter = NULL;
    insn->imm = 0;
    for (size_t n = 0; n < 4 && word.length == 4; n++) {
        letter = memchr("xyzw", word.text[n], 4);
        if (!letter)
            break;
        insn->imm |= (int32_t)(strchr("xyzw", *letter) - strchr("xyzw", 'x')) << 2 * n;
    }
    return letter ? 0 : isa_asm_fail(as, word, "four of x, y, z, w are expected");
}

static int base(struct isa_assembler *as, const struct simple_v_operand *o, struct simple_v_insn *insn)
{
    if (!isa_scan_take(&as->scan, '('))
        return isa_scan_fail(&as->scan, as->scan.at, "a register in parentheses is expected");
    int err = reg(as, o, insn);
    if (!err && !isa_scan_take(&as->scan, ')'))
        err = isa_scan_fail(&as->scan, as->scan.at, "a closing parenthesis is expected");
    return err;
}

static int csr(struct isa_assembler *as, const struct simple_v_operand *o, struct simple_v_insn *insn)
{
    if (isa_scan_at_number(&as->scan))
        return number(as, o, insn);
    return name_of_list(as, &simple_v_csrs, "a number or a name of a register is expected", &insn->imm);
}

static int operand(struct isa_assembler *as, const struct simple_v_operand *o, struct simple_v_insn *insn)
{
    switch (o->kind) {
    case SIMPLE_V_KIND_X:
    case SIMPLE_V_KIND_F: return reg(as, o, insn);
    case SIMPLE_V_KIND_BASE: return base(as, o, insn);
    case SIMPLE_V_KIND_TARGET: return target(as, o, insn);
    case SIMPLE_V_KIND_RM:
    case SIMPLE_V_KIND_RM_EXACT:
        return name_of_list(as, &simple_v_rounding, "a rounding mode is expected", &insn->rm);
    case SIMPLE_V_KIND_FENCE: return fence(as, insn);
    case SIMPLE_V_KIND_CSR: return csr(as, o, insn);
    case SIMPLE_V_KIND_SWIZZLE: return swizzle(as, insn);
    default: return number(as, o, insn);
    }
}

/* Whether a comma stands here with an operand behind it, not an option of a prefix ("pred:"). */
static bool another(const struct isa_assembler *as)
{
    struct isa_scan ahead = as->scan;
    if (!isa_scan_take(&ahead, ','))
        return false;
    isa_scan_word(&ahead);
    return !isa_scan_comes(&ahead, ':');
}

static int operands(struct isa_assembler *as, struct simple_v_insn *insn)
{
    const struct simple_v_format *f = &simple_v_formats[simple_v_rows[insn->op].format];
    bool begun = false, glued = false;
    for (unsigned n = 0; n < f->count; n++) {
        const struct simple_v_operand *o = &simple_v_operands[f->operand[n]];
        const bool optional = o->kind == SIMPLE_V_KIND_RM || o->kind == SIMPLE_V_KIND_RM_EXACT;
        if (o->kind == SIMPLE_V_KIND_HIDDEN || o->kind == SIMPLE_V_KIND_ORDER)
            continue;
        if (optional && !another(as)) {
            insn->rm = o->kind == SIMPLE_V_KIND_RM ? SIMPLE_V_RM_DYNAMIC : 0;
            continue;
        }
        if (begun && !glued && !isa_scan_take(&as->scan, ','))
            return isa_scan_fail(&as->scan, as->scan.at, "a comma and an operand are expected");
        isa_scan_space(&as->scan);
        const char *where = as->scan.at;
        int err = operand(as, o, insn);
        const char *broken = err ? NULL : simple_v_value_broken(o, simple_v_get(o, insn));
        /* While labels are not known, a branch goes to itself. */
        if (broken && (o->kind != SIMPLE_V_KIND_TARGET || as->labels_known))
            return isa_scan_fail(&as->scan, where, broken);
        if (err)
            return err;
        begun = true;
        glued = o->kind == SIMPLE_V_KIND_OFFSET || o->kind == SIMPLE_V_KIND_PLACE;
    }
    return 0;
}

/* ---- lines ---- */

/* The row of the longest name that is written here: names have points in them. Leaves the scan behind it. */
static uint16_t row_of(struct isa_assembler *as, struct isa_token name)
{
    struct isa_scan ahead = as->scan;
    uint16_t found = SIMPLE_V_OP_COUNT;
    struct isa_token whole = name;
    for (;;) {
        const uint16_t op = simple_v_op_named(whole.text, whole.length);
        if (op < SIMPLE_V_OP_COUNT) {
            found = op;
            as->scan = ahead;
        }
        if (!isa_scan_glued(&ahead, '.'))
            return found;
        struct isa_token part = isa_scan_word(&ahead);
        if (part.text != whole.text + whole.length + 1)
            return found;
        whole.length = (size_t)(part.text + part.length - whole.text);
    }
}

static int order(struct isa_assembler *as, struct simple_v_insn *insn)
{
    static const struct isa_name orders[] = {{1, "rl"}, {2, "aq"}, {3, "aqrl"}};
    static const struct isa_names names = ISA_NAMES(orders);
    const struct simple_v_format *f = &simple_v_formats[simple_v_rows[insn->op].format];
    if (!isa_scan_glued(&as->scan, '.'))
        return 0;
    if (!f->count || simple_v_operands[f->operand[0]].kind != SIMPLE_V_KIND_ORDER)
        return isa_scan_fail(&as->scan, as->scan.at, "the instruction has no such modifier");
    return name_of_list(as, &names, "aq, rl or aqrl is expected", &insn->order);
}

/* p48 or p64 before the name. */
static unsigned prefix_of(struct isa_assembler *as, struct isa_token *name)
{
    const unsigned prefix = isa_token_is(*name, "p48") ? 48 : isa_token_is(*name, "p64") ? 64 : 0;
    if (prefix)
        *name = isa_scan_word(&as->scan);
    return prefix;
}

int simple_v_asm_insn(struct isa_assembler *as, struct isa_token name, uint16_t code[4], unsigned *length)
{
    struct simple_v_insn insn = {.prefix = (uint8_t)prefix_of(as, &name)};
    struct util_error why = {0};
    insn.op = row_of(as, name);
    if (insn.op == SIMPLE_V_OP_COUNT)
        return isa_asm_fail(as, name, "unknown instruction");
    if (insn.prefix && simple_v_form_of(insn.op) == SIMPLE_V_FORM_NONE)
        return isa_asm_fail(as, name, "this instruction has no prefix");
    insn.length = insn.prefix ? insn.prefix / 16 : (simple_v_rows[insn.op].match & 3) == 3 ? 2 : 1;
    *length = insn.length;
    int err = order(as, &insn);
    if (!err)
        err = operands(as, &insn);
    while (!err && insn.prefix && isa_scan_comes(&as->scan, ','))
        err = simple_v_asm_option(as, &insn);
    if (err)
        return err;
    return simple_v_encode(&insn, code, &why) ? isa_asm_fail(as, name, why.text) : 0;
}

static int instruction(struct isa_assembler *as, struct isa_token name)
{
    uint16_t code[4];
    unsigned length = 0;
    if (isa_token_is(name, "vblock"))
        return simple_v_asm_block(as);
    int err = simple_v_asm_insn(as, name, code, &length);
    if (!err && !isa_scan_line_over(&as->scan))
        err = isa_scan_fail(&as->scan, as->scan.at, "unexpected text");
    return err ? err : isa_asm_emit(as, code, length * sizeof *code);
}

const struct isa_syntax simple_v_syntax = {.word_bytes = SIMPLE_V_WORD_BYTES, .instruction = instruction};
