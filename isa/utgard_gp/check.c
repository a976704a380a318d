/* The rules of rules.inc, instruction by instruction. */
#include <string.h>

#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/names.h"

enum rule {
#define RULE(name, text, source) RULE_##name,
#include "isa/utgard_gp/rules.inc"
};
static const struct {
    const char *text, *source;
} rules[] = {
#define RULE(name, text, source) {text, source},
#include "isa/utgard_gp/rules.inc"
};

struct check {
    isa_breach_fn found;
    void *data;
    unsigned count;
    uint32_t pc;
};

static void breach(struct check *c, enum rule rule)
{
    c->count++;
    if (c->found)
        c->found(c->data, c->pc, rules[rule].text, rules[rule].source);
}

enum { SOURCES = 10 };

static void sources_of(const struct utgard_gp_insn *i, uint8_t out[SOURCES])
{
    const uint8_t src[SOURCES] = {i->mul_a[0], i->mul_b[0], i->mul_a[1], i->mul_b[1],    i->acc_a[0],
                                  i->acc_b[0], i->acc_a[1], i->acc_b[1], i->complex_src, i->pass_src};
    memcpy(out, src, sizeof src);
}

/* Source 22 as a second operand is a constant. */
static bool is_result(const uint8_t src[SOURCES], unsigned n)
{
    bool second = n < 8 && n % 2 == 1;
    return (src[n] >= UTGARD_GP_SRC_ACC0_1 && src[n] != UTGARD_GP_SRC_NONE) &&
           !(second && src[n] == UTGARD_GP_SRC_COMPLEX_1);
}

static bool reads_two_back(uint8_t src)
{
    return src >= UTGARD_GP_SRC_PASS_2 && src <= UTGARD_GP_SRC_MUL1_2;
}

static void check_sources(struct check *c, const struct utgard_gp_insn *i)
{
    uint8_t src[SOURCES];
    bool unknown = false, early = false, loads = i->pass_op == UTGARD_GP_PASS_CLAMP;
    sources_of(i, src);
    for (unsigned n = 0; n < SOURCES; n++) {
        unknown |= !utgard_gp_name(UTGARD_GP_SRCS, src[n]);
        early |= is_result(src, n) && (c->pc == 0 || (c->pc == 1 && reads_two_back(src[n])));
        loads |= src[n] >= UTGARD_GP_SRC_LOAD_X && src[n] <= UTGARD_GP_SRC_LOAD_X + 3;
    }
    if (unknown)
        breach(c, RULE_SOURCE);
    if (early)
        breach(c, RULE_FIRST);
    if (loads && i->load_offset != UTGARD_GP_OFFSET_NONE && (i->load_offset < 1 || i->load_offset > 3))
        breach(c, RULE_OFFSET);
}

static void check_operations(struct check *c, const struct utgard_gp_insn *i)
{
    bool mul = i->mul_a[0] != UTGARD_GP_SRC_NONE || i->mul_a[1] != UTGARD_GP_SRC_NONE;
    bool acc = i->acc_a[0] != UTGARD_GP_SRC_NONE || i->acc_a[1] != UTGARD_GP_SRC_NONE;
    if (mul && !utgard_gp_name(UTGARD_GP_MUL_OPS, i->mul_op))
        breach(c, RULE_MUL_OP);
    if (acc && !utgard_gp_name(UTGARD_GP_ACC_OPS, i->acc_op))
        breach(c, RULE_ACC_OP);
    if (i->complex_op != UTGARD_GP_COMPLEX_NOP && !utgard_gp_name(UTGARD_GP_COMPLEX_OPS, i->complex_op))
        breach(c, RULE_COMPLEX_OP);
    if (i->pass_src != UTGARD_GP_SRC_NONE && !utgard_gp_name(UTGARD_GP_PASS_OPS, i->pass_op))
        breach(c, RULE_PASS_OP);
    if (i->unknown != utgard_gp_mark(i))
        breach(c, RULE_MARK);
}

static void check_stores(struct check *c, const struct utgard_gp_insn *i)
{
    bool reserved = false, complex1 = false, both = false;
    for (unsigned n = 0; n < 4; n++) {
        uint8_t src = i->store_src[n / 2][n % 2];
        reserved |= src == UTGARD_GP_STORE_RESERVED;
        complex1 |= src == UTGARD_GP_STORE_MUL0 && i->mul_op == UTGARD_GP_MUL_COMPLEX1;
        both |= i->store_varying[n / 2] && i->store_temporary[n / 2];
    }
    if (reserved)
        breach(c, RULE_STORE);
    if (complex1)
        breach(c, RULE_COMPLEX1_STORE);
    if (both)
        breach(c, RULE_STORE_BOTH);
}

static void check_delay(struct check *c, const struct utgard_gp_insn *i, const struct utgard_gp_insn *before)
{
    uint8_t src[SOURCES];
    bool reads = false;
    sources_of(i, src);
    for (unsigned n = 0; n < SOURCES; n++)
        reads |= src[n] == UTGARD_GP_SRC_MUL0_1;
    if (reads && before->mul_op == UTGARD_GP_MUL_COMPLEX1 && before->mul_a[0] != UTGARD_GP_SRC_NONE)
        breach(c, RULE_COMPLEX1_EARLY);
}

unsigned utgard_gp_check(const void *program, uint32_t count, isa_breach_fn found, void *data)
{
    const uint64_t *words = program;
    struct check c = {.found = found, .data = data};
    struct utgard_gp_insn before = utgard_gp_nop;
    if (!count || count > UTGARD_GP_MAX_INSNS)
        breach(&c, RULE_LENGTH);
    for (; c.pc < count; c.pc++) {
        struct utgard_gp_insn insn;
        utgard_gp_decode(&words[(size_t)c.pc * UTGARD_GP_WORDS], &insn);
        check_sources(&c, &insn);
        check_operations(&c, &insn);
        check_stores(&c, &insn);
        check_delay(&c, &insn, &before);
        if (insn.branch && utgard_gp_target(&insn) > count)
            breach(&c, RULE_TARGET);
        before = insn;
    }
    return c.count;
}
