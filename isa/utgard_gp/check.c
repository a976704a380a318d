/* The rules of rules.inc, instruction by instruction. */
#include <string.h>

#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/lint.h"
#include "isa/utgard_gp/names.h"

/* As utgard_gp_rules numbers them. */
enum rule {
    RULE_STRUCTURE,
#define RULE(name, text, source) RULE_##name,
#include "isa/utgard_gp/rules.inc"
    RULE_COUNT
};
_Static_assert(RULE_COUNT <= 64, "one bit a rule");

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

static void check_sources(struct isa_check *c, const struct utgard_gp_insn *i)
{
    uint8_t src[SOURCES];
    bool unknown = false, early = false, loads = i->pass_op == UTGARD_GP_PASS_CLAMP;
    sources_of(i, src);
    for (unsigned n = 0; n < SOURCES; n++) {
        unknown |= !utgard_gp_name(UTGARD_GP_SRCS, src[n]);
        early |= is_result(src, n) && (c->at == 0 || (c->at == 1 && reads_two_back(src[n])));
        loads |= src[n] >= UTGARD_GP_SRC_LOAD_X && src[n] <= UTGARD_GP_SRC_LOAD_X + 3;
    }
    isa_breach_if(c, unknown, RULE_SOURCE);
    isa_breach_if(c, early, RULE_FIRST);
    isa_breach_if(
        c, loads && i->load_offset != UTGARD_GP_OFFSET_NONE && (i->load_offset < 1 || i->load_offset > 3),
        RULE_OFFSET);
}

static void check_operations(struct isa_check *c, const struct utgard_gp_insn *i)
{
    bool mul = i->mul_a[0] != UTGARD_GP_SRC_NONE || i->mul_a[1] != UTGARD_GP_SRC_NONE;
    bool acc = i->acc_a[0] != UTGARD_GP_SRC_NONE || i->acc_a[1] != UTGARD_GP_SRC_NONE;
    isa_breach_if(c, mul && !utgard_gp_name(UTGARD_GP_MUL_OPS, i->mul_op), RULE_MUL_OP);
    isa_breach_if(c, acc && !utgard_gp_name(UTGARD_GP_ACC_OPS, i->acc_op), RULE_ACC_OP);
    isa_breach_if(
        c, i->complex_op != UTGARD_GP_COMPLEX_NOP && !utgard_gp_name(UTGARD_GP_COMPLEX_OPS, i->complex_op),
        RULE_COMPLEX_OP);
    isa_breach_if(c, i->pass_src != UTGARD_GP_SRC_NONE && !utgard_gp_name(UTGARD_GP_PASS_OPS, i->pass_op),
                  RULE_PASS_OP);
    isa_breach_if(c, i->unknown != utgard_gp_mark(i), RULE_MARK);
}

static void check_stores(struct isa_check *c, const struct utgard_gp_insn *i)
{
    bool reserved = false, complex1 = false, both = false;
    for (unsigned n = 0; n < 4; n++) {
        uint8_t src = i->store_src[n / 2][n % 2];
        reserved |= src == UTGARD_GP_STORE_RESERVED;
        complex1 |= src == UTGARD_GP_STORE_MUL0 && i->mul_op == UTGARD_GP_MUL_COMPLEX1;
        both |= i->store_varying[n / 2] && i->store_temporary[n / 2];
    }
    isa_breach_if(c, reserved, RULE_STORE);
    isa_breach_if(c, complex1, RULE_COMPLEX1_STORE);
    isa_breach_if(c, both, RULE_STORE_BOTH);
}

static void check_delay(struct isa_check *c, const struct utgard_gp_insn *i,
                        const struct utgard_gp_insn *before)
{
    uint8_t src[SOURCES];
    bool reads = false;
    sources_of(i, src);
    for (unsigned n = 0; n < SOURCES; n++)
        reads |= src[n] == UTGARD_GP_SRC_MUL0_1;
    isa_breach_if(c,
                  reads && before->mul_op == UTGARD_GP_MUL_COMPLEX1 && before->mul_a[0] != UTGARD_GP_SRC_NONE,
                  RULE_COMPLEX1_EARLY);
}

unsigned utgard_gp_check(const void *program, uint32_t count, isa_breach_fn found, void *data)
{
    const uint64_t *words = program;
    uint32_t rules;
    struct isa_check c = {.rules = utgard_gp_rules(&rules), .found = found, .data = data};
    struct utgard_gp_insn before = utgard_gp_nop;
    isa_breach_if(&c, !count || count > UTGARD_GP_MAX_INSNS, RULE_LENGTH);
    for (uint32_t pc = 0; pc < count; pc++) {
        isa_check_at(&c, pc);
        struct utgard_gp_insn insn;
        utgard_gp_decode(&words[(size_t)pc * UTGARD_GP_WORDS], &insn);
        check_sources(&c, &insn);
        check_operations(&c, &insn);
        check_stores(&c, &insn);
        check_delay(&c, &insn, &before);
        isa_breach_if(&c, insn.branch && utgard_gp_target(&insn) > count, RULE_TARGET);
        before = insn;
    }
    return c.count;
}
