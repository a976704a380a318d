/* Text to words. An instruction is a line of parts between semicolons, each of which says something about it
 * once; what no part says is as in a nop. */
#include "isa/utgard_gp/asm.h"

#include <string.h>

#include "isa/assembler.h"
#include "isa/utgard_gp/names.h"

enum { UNSAID = -1 };

/* What was said so far. */
struct draft {
    struct utgard_gp_insn insn;
    int mul_op, acc_op;
    bool mul[2], acc[2], complex, pass, fetch0, fetch1, load, store[2];
};

typedef int (*part_fn)(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t value);

static int once(struct isa_assembler *as, struct isa_token name, bool *said)
{
    if (*said)
        return isa_asm_fail(as, name, "this is said twice");
    *said = true;
    return 0;
}

static int comma(struct isa_assembler *as)
{
    return isa_scan_take(&as->scan, ',') ? 0 : isa_scan_fail(&as->scan, as->scan.at, "a comma is expected");
}

static int number(struct isa_assembler *as, uint32_t limit, uint32_t *value)
{
    isa_scan_space(&as->scan);
    const char *where = as->scan.at;
    int err = isa_scan_number(&as->scan, value);
    return err ? err : *value < limit ? 0 : isa_scan_fail(&as->scan, where, "this number is too large");
}

/* ---- operands ---- */

/* Carets, a word, and a component: one name. */
static struct isa_token operand(struct isa_scan *s)
{
    isa_scan_space(s);
    struct isa_token token = {s->at, 0};
    while (isa_scan_glued(s, '^'))
        ;
    while (s->at < s->end && (*s->at == '.' || *s->at == '_' || (*s->at >= 'a' && *s->at <= 'z') ||
                              (*s->at >= '0' && *s->at <= '9')))
        s->at++;
    token.length = (size_t)(s->at - token.text);
    return token;
}

static int source(struct isa_assembler *as, struct isa_token token, uint8_t *out)
{
    uint32_t value;
    bool known =
        utgard_gp_named(UTGARD_GP_SRCS, token.text, token.length, &value) ||
        (isa_token_numbered(token, "src", &value) && value < 32 && !utgard_gp_name(UTGARD_GP_SRCS, value));
    if (!known)
        return isa_asm_fail(as, token, "a source is expected");
    *out = (uint8_t)value;
    return 0;
}

static int first(struct isa_assembler *as, bool *negative, uint8_t *out)
{
    *negative = isa_scan_take(&as->scan, '-');
    return source(as, operand(&as->scan), out);
}

/* The second operand of an accumulator or multiplier, which may be 0 or 1. */
static int second(struct isa_assembler *as, const char *identity, bool *negative, uint8_t *out)
{
    int err = comma(as);
    if (err)
        return err;
    *negative = isa_scan_take(&as->scan, '-');
    struct isa_token token = operand(&as->scan);
    if (isa_token_is(token, identity)) {
        *out = UTGARD_GP_SRC_COMPLEX_1;
        return 0;
    }
    if (isa_token_is(token, "^complex"))
        return isa_asm_fail(as, token, "the complex unit's result cannot be a second operand");
    return source(as, token, out);
}

/* The unit behind the point of an operation's name. */
static int unit_number(struct isa_assembler *as, uint32_t *n)
{
    if (!isa_scan_glued(&as->scan, '.'))
        return isa_scan_fail(&as->scan, as->scan.at, "the unit is expected: .0 or .1");
    return number(as, 2, n);
}

/* ---- parts ---- */

static int say_op(struct isa_assembler *as, struct isa_token name, int *said, uint32_t op)
{
    if (*said != UNSAID && *said != (int)op)
        return isa_asm_fail(as, name, "both units of a kind do the same operation");
    *said = (int)op;
    return 0;
}

static int mul_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t op)
{
    uint32_t n = 0;
    bool negative;
    int err = unit_number(as, &n);
    if (!err)
        err = once(as, name, &d->mul[n]);
    if (!err)
        err = say_op(as, name, &d->mul_op, op);
    if (!err)
        err = first(as, &d->insn.mul_neg[n], &d->insn.mul_a[n]);
    const char *where = as->scan.at;
    if (!err)
        err = second(as, "1", &negative, &d->insn.mul_b[n]);
    return !err && negative ? isa_scan_fail(&as->scan, where, "a product is negated before its first operand")
                            : err;
}

static int acc_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t op)
{
    uint32_t n = 0;
    int err = unit_number(as, &n);
    if (!err)
        err = once(as, name, &d->acc[n]);
    if (!err)
        err = say_op(as, name, &d->acc_op, op);
    if (!err)
        err = first(as, &d->insn.acc_a_neg[n], &d->insn.acc_a[n]);
    return err ? err : second(as, "0", &d->insn.acc_b_neg[n], &d->insn.acc_b[n]);
}

static int complex_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t op)
{
    d->insn.complex_op = (uint8_t)op;
    int err = once(as, name, &d->complex);
    return err ? err : source(as, operand(&as->scan), &d->insn.complex_src);
}

static int pass_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t op)
{
    d->insn.pass_op = (uint8_t)op;
    int err = once(as, name, &d->pass);
    return err ? err : source(as, operand(&as->scan), &d->insn.pass_src);
}

static int fetch_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t which)
{
    uint32_t value = 0;
    int err = once(as, name, which == 2 ? &d->fetch1 : &d->fetch0);
    if (!err)
        err = number(as, UTGARD_GP_REGISTERS, &value);
    if (which == 2)
        d->insn.fetch1 = (uint8_t)value;
    else
        d->insn.fetch0 = (uint8_t)value, d->insn.fetch0_attribute = which == 0;
    return err;
}

static int load_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t unused)
{
    (void)unused;
    uint32_t value = 0, offset;
    int err = once(as, name, &d->load);
    if (!err)
        err = number(as, UTGARD_GP_FILE, &value);
    d->insn.load_addr = (uint16_t)value;
    if (err || !isa_scan_take(&as->scan, '+'))
        return err;
    struct isa_token token = isa_scan_word(&as->scan);
    bool known = (isa_token_numbered(token, "addr", &offset) && offset >= 1 && offset <= 3) ||
                 (isa_token_numbered(token, "off", &offset) && (offset == 0 || (offset >= 4 && offset <= 6)));
    if (!known)
        return isa_asm_fail(as, token, "addr1, addr2 or addr3 is expected");
    d->insn.load_offset = (uint8_t)offset;
    return 0;
}

static int stored(struct isa_assembler *as, uint8_t *out)
{
    uint32_t value;
    int err = comma(as);
    if (err)
        return err;
    struct isa_token token = isa_scan_word(&as->scan);
    bool known = utgard_gp_named(UTGARD_GP_STORES, token.text, token.length, &value);
    if (!known && !isa_token_is(token, "s5"))
        return isa_asm_fail(as, token, "a unit is expected");
    *out = known ? (uint8_t)value : UTGARD_GP_STORE_RESERVED;
    return 0;
}

static int store_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t unused)
{
    (void)unused;
    struct isa_scan *s = &as->scan;
    if (!isa_scan_glued(s, '.'))
        return isa_scan_fail(s, s->at, "the components are expected: .xy or .zw");
    struct isa_token components = isa_scan_word(s);
    unsigned n = isa_token_is(components, "zw");
    if (!n && !isa_token_is(components, "xy"))
        return isa_asm_fail(as, components, "the components are expected: .xy or .zw");
    int err = once(as, name, &d->store[n]);
    if (err)
        return err;
    struct isa_token place = isa_scan_word(s);
    uint32_t address = UTGARD_GP_REGISTERS;
    bool temporary = isa_token_numbered(place, "t", &address) || isa_token_numbered(place, "tv", &address);
    bool varying = isa_token_numbered(place, "v", &address) || isa_token_numbered(place, "tv", &address);
    if ((!temporary && !varying && !isa_token_numbered(place, "r", &address)) ||
        address >= UTGARD_GP_REGISTERS)
        return isa_asm_fail(as, place, "a place is expected: r, v or t and 0..15");
    d->insn.store_temporary[n] = temporary;
    d->insn.store_varying[n] = varying;
    d->insn.store_addr[n] = (uint8_t)address;
    err = stored(as, &d->insn.store_src[n][0]);
    return err ? err : stored(as, &d->insn.store_src[n][1]);
}

static int branch_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t unused)
{
    (void)unused;
    uint32_t target = 0;
    int err = once(as, name, &d->insn.branch);
    if (err)
        return err;
    if (isa_scan_at_number(&as->scan)) {
        err = number(as, UTGARD_GP_MAX_INSNS, &target);
    } else {
        struct isa_token label = isa_scan_word(&as->scan);
        err = isa_asm_label(as, label, &target);
        target /= UTGARD_GP_WORDS * sizeof(uint64_t);
        if (!err && target >= UTGARD_GP_MAX_INSNS)
            err = isa_asm_fail(as, label, "branches reach instructions 0 to 511");
    }
    d->insn.branch_target = target & 255;
    d->insn.branch_low = target < 256;
    return err;
}

static int nop_part(struct isa_assembler *as, struct draft *d, struct isa_token name, uint32_t unused)
{
    (void)as, (void)d, (void)name, (void)unused;
    return 0;
}

/* ---- instructions ---- */

static const struct {
    const char *name;
    part_fn fn;
    uint32_t value;
} words[] = {
    {"attr", fetch_part, 0},  {"reg0", fetch_part, 1},    {"reg1", fetch_part, 2}, {"load", load_part, 0},
    {"store", store_part, 0}, {"branch", branch_part, 0}, {"nop", nop_part, 0},
};
static const struct {
    enum utgard_gp_list list;
    const char *stem;
    uint32_t limit;
    part_fn fn;
} operations[] = {
    {UTGARD_GP_MUL_OPS, "mulop", 8, mul_part},
    {UTGARD_GP_ACC_OPS, "accop", 8, acc_part},
    {UTGARD_GP_COMPLEX_OPS, "cop", 16, complex_part},
    {UTGARD_GP_PASS_OPS, "passop", 8, pass_part},
};

static int part(struct isa_assembler *as, struct draft *d, struct isa_token name)
{
    uint32_t value;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (isa_token_is(name, words[i].name))
            return words[i].fn(as, d, name, words[i].value);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (utgard_gp_named(operations[i].list, name.text, name.length, &value) ||
            (isa_token_numbered(name, operations[i].stem, &value) && value < operations[i].limit &&
             !utgard_gp_name(operations[i].list, value)))
            return operations[i].fn(as, d, name, value);
    return isa_asm_fail(as, name, "unknown operation");
}

static int instruction(struct isa_assembler *as, struct isa_token mnemonic)
{
    struct draft d = {.insn = utgard_gp_nop, .mul_op = UNSAID, .acc_op = UNSAID};
    uint64_t word[UTGARD_GP_WORDS];
    int err = part(as, &d, mnemonic);
    while (!err && isa_scan_take(&as->scan, ';'))
        err = part(as, &d, isa_scan_word(&as->scan));
    if (!err && !isa_scan_line_over(&as->scan))
        err = isa_scan_fail(&as->scan, as->scan.at, "unexpected text");
    if (err)
        return err;
    d.insn.mul_op = d.mul_op == UNSAID ? 0 : (uint8_t)d.mul_op;
    d.insn.acc_op = d.acc_op == UNSAID ? 0 : (uint8_t)d.acc_op;
    d.insn.unknown = utgard_gp_mark(&d.insn);
    utgard_gp_encode(&d.insn, word);
    return isa_asm_emit(as, word, sizeof word);
}

const struct isa_syntax utgard_gp_syntax = {.word_bytes = UTGARD_GP_WORD_BYTES, .instruction = instruction};
