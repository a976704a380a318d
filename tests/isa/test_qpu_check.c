/* The checker's rules: for each one a program that breaks it, in a known place and alone, and the nearest
 * program that keeps it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "isa/vc4_qpu/asm.h"
#include "util/bits.h"

enum rule {
#define RULE(name, text, source) name,
#include "isa/vc4_qpu/rules.inc"
    RULE_COUNT
};
static const char *const rule_texts[] = {
#define RULE(name, text, source) text,
#include "isa/vc4_qpu/rules.inc"
};

#define END  "nop ; thrend\nnop\nnop\n"
#define NOPS "nop\nnop\n"

struct rule_case {
    enum rule rule;
    uint32_t pc;
    const char *breaks, *keeps;
};

static const struct rule_case cases[] = {
    {RESERVED_BITS, 0, ".word 0xf1f809e700000000\nnop\nnop\nnop\n" END, "brr .+32\nnop\nnop\nnop\n" END},
    {RESERVED_MODE, 0, ".word 0xe402480000000000\n" END, "ldi ra0, 0\n" END},
    {RESERVED_ADD, 0, "op9 r0, r0, r0\n" END, "itof r0, r0\n" END},
    {RESERVED_PACK, 0, "nop ; fmul r0.c2, r1, r1\n" END, "nop ; fmul r0.c8888, r1, r1\n" END},
    {RESERVED_BRANCH, 0, "brr.br12 .+32\nnop\nnop\nnop\n" END, "brr.anycc .+32\nnop\nnop\nnop\n" END},
    {UNMAPPED_READ, 0, "mov r0, ra33\n" END, "mov r0, unif\n" END},
    {UNMAPPED_READ, 0, "nop ; read rb63\n" END, "add r0, r1, -1\n" END},
    {BOTH_WRITE, 0, "mov r0, r1 ; mov r0, r2\n" END, "mov r0, r1 ; mov.never r0, r2\n" END},
    {BOTH_WRITE, 0, "mov.zs r0, r1 ; mov.nc r0, r2\n" END, "mov.zs r0, r1 ; mov.zc r0, r2\n" END},
    {BOTH_WRITE, 0, "mov.zs vpm, r1 ; mov.zc vpm, r2\n" END, "mov.cc r3, r1 ; mov.cs r3, r2\n" END},
    {BOTH_WRITE, 0, "mov r5quad, r1 ; mov r5rep, r2\n" END, "mov vr_setup, r1 ; mov vw_setup, r2\n" END},
    {ONE_PERIPHERAL, 0, "mov recip, r1 ; mov tmu0_s, r2 ; ldtmu1\n" END, "mov recip, r1 ; mov r0, r2\n" END},
    {ONE_PERIPHERAL, 2, NOPS "mov tlb_z, r1 ; mov tlb_color, r2\n" END,
     NOPS "mov tlb_z, r1\nmov tlb_color, r2\n" END},
    {ONE_PERIPHERAL, 2, NOPS "mov tlb_z, r1 ; ldcol\n" END, NOPS "mov tlb_color_ms, r1 ; ldcol\n" END},
    {ONE_PERIPHERAL, 2, NOPS "mov tlb_z, r1 ; ldcol\n" END, NOPS "mov tlb_stencil, r1 ; ldcol\n" END},
    {ONE_PERIPHERAL, 0, "mov recip, mutex\n" END, "mov r0, mutex\n" END},
    {TMU_AND_UNIFORM, 0, "mov tmu0_t, unif\nmov tmu0_s, r0\n" END, "mov tmu0_t, r0\nmov tmu0_s, r0\n" END},
    {TMU_AND_UNIFORM, 1, "mov tmu0_t, r0\nadd tmu0_s, r0, unif\n" END,
     "mov tmu0_t, r0\nmov tmu0_s, r0\nadd tmu0_s, r0, unif\n" END},
    {SEMAPHORE_STALL, 0, "sinc recip, 1\n" END, "sinc r0, 1\n" END},
    {ROTATE_INPUT, 0, "nop ; fmul r0, r1, r4 ; rot 1\n" END, "nop ; fmul r0, r1, r3 ; rot 1\n" END},
    {ROTATE_INPUT, 0, "nop ; fmul r0, ra1, r1 ; rot r5\n" END,
     "mov r0, ra1 ; fmul r1, r1, r1 ; rot r5\n" END},
    {ROTATE_IMMEDIATE, 0, "add r0, r1, rot ; mov r2, r1 ; rot 1\n" END,
     "add r0, r1, r4 ; mov r2, r1 ; rot 1\n" END},
    {READ_AFTER_WRITE, 1, "mov ra1, r0\nmov r0, ra1\n" END, "mov ra1, r0\nnop\nmov r0, ra1\n" END},
    {READ_AFTER_WRITE, 1, "nop ; mov rb1, r0\nmov r0, rb1\n" END, "nop ; mov rb1, r0\nmov r0, ra1\n" END},
    {READ_AFTER_WRITE, 1, "ldi.zs ra1, 1\nnop ; fmul r0, ra1, r0\n" END,
     "ldi.never ra1, 1\nnop ; fmul r0, ra1, r0\n" END},
    {READ_AFTER_WRITE, 1, "mov ra1, r0\nbra 0x0+ra1\nnop\nnop\nnop\n",
     "mov rb1, r0\nbra 0x0+ra1\nnop\nnop\nnop\n"},
    {READ_AFTER_WRITE, 4, "brr.allzs end\nnop\nnop\nmov ra1, r0\nend: mov r0, ra1\n" END,
     "brr.allzs end\nnop\nmov ra1, r0\nnop\nend: mov r0, ra1\n" END},
    {READ_AFTER_WRITE, 0, "top: mov r0, ra1\nbrr.anyzc top\nnop\nnop\nmov ra1, r0\n" END,
     "top: nop\nmov r0, ra1\nbrr.anyzc top\nnop\nnop\nmov ra1, r0\n" END},
    {SFU_READ, 2, "mov recip, r0\nnop\nmov r1, r4\n" END, "mov recip, r0\nnop\nnop\nmov r1, r4\n" END},
    {SFU_READ, 1, "mov log2, r0\nnop ; fmul r1, r1, r4\n" END, "mov log2, r0\nnop ; nop r1, r1, r4\n" END},
    {SFU_WRITE, 2, "mov recip, r0\nnop\nmov rsqrt, r0\n" END, "mov recip, r0\nnop\nnop\nmov rsqrt, r0\n" END},
    {SFU_WRITE, 2, "mov recip, r0\nnop\nnop ; ldtmu0\n" END, "mov recip, r0\nnop\nnop\nnop ; ldtmu0\n" END},
    {SFU_WRITE, 3, NOPS "mov recip, r0\nnop ; ldcol\n" END,
     NOPS "mov recip, r0\nnop\nnop\nnop ; ldcol\n" END},
    {ROTATE_R5, 1, "mov r5rep, r0\nnop ; mov r0, r1 ; rot r5\n" END,
     "mov r5rep, r0\nnop ; mov r0, r1 ; rot 5\n" END},
    {ROTATE_R5, 1, "mov r2, vary\nnop ; mov r0, r1 ; rot r5\n" END,
     "mov r2, vary\nnop\nnop ; mov r0, r1 ; rot r5\n" END},
    {ROTATE_WRITTEN, 1, "mov r1, r0\nnop ; mov r0, r1 ; rot 5\n" END,
     "mov r2, r0\nnop ; mov r0, r1 ; rot 5\n" END},
    {MASK_AFTER_Z, 4, NOPS "mov tlb_z, r0\nnop\nmov r0, ms_flags\n" END,
     NOPS "mov tlb_z, r0\nnop\nnop\nmov r0, ms_flags\n" END},
    {UNIFORM_AFTER_RESET, 2, "mov unif_addr, r0\nnop\nmov r0, unif\n" END,
     "mov unif_addr, r0\nnop\nnop\nmov r0, unif\n" END},
    {UNIFORM_AFTER_RESET, 2, "mov unif_addr, r0\nnop\nmov tmu0_t, r0\nmov tmu0_s, r0\n" END,
     "mov unif_addr, r0\nnop\nmov tmu0_s, r0\n" END},
    {TMU_AFTER_NOSWAP, 2, "mov tmu_noswap, r0\nnop\nmov tmu0_s, r0\n" END,
     "mov tmu_noswap, r0\nnop\nnop\nmov tmu0_s, r0\n" END},
    {NOSWAP_LATE, 1, "mov tmu0_s, r0\nmov tmu_noswap, r0\n" END,
     "mov tmu_noswap, r0\nnop\nnop\nmov tmu0_s, r0\n" END},
    {BRANCH_IN_SLOT, 2, "brr .+32\nnop\nbrr .+32\nnop\nnop\nnop\n" END,
     "brr .+32\nnop\nnop\nnop\nbrr .+32\nnop\nnop\nnop\n" END},
    {BRANCH_IN_SLOT, 1, "nop ; thrend\nbrr .+32\nnop\nnop\nnop\n" END, END "brr .+32\n"},
    {BRANCH_OUTSIDE, 0, "brr.allzs .+80\nnop\nnop\nnop\n" END,
     "brr.allzs .+48\nnop\nnop\nnop\nnop\nnop\n" END},
    {BRANCH_OUTSIDE, 0, "brr.allzs .+36\nnop\nnop\nnop\nnop\n" END,
     "brr.allzs .+40\nnop\nnop\nnop\nnop\n" END},
    {END_WRITES_FILE, 0, "mov rb1, r0 ; thrend\nnop\nnop\n", "mov r1, r0 ; thrend\nmov rb1, r0\nnop\n"},
    {END_INPUT, 1, "nop ; thrend\nmov r0, unif\nnop\n", "mov r0, unif\n" END},
    {END_INPUT, 0, "nop ; thrend ; read vary\nnop\nnop\n", "nop ; read vary\n" END},
    {END_INPUT, 2, "nop ; thrend\nnop\nmov vpm, r0\n", "mov vpm, r0\n" END},
    {END_INPUT, 2, "mov tmu0_t, r0\nnop ; thrend\nmov tmu0_s, r0\nnop\n",
     "mov tmu0_t, r0\nmov tmu0_s, r0\n" END},
    {END_REGISTER_14, 2, "nop ; thrend\nnop\nmov r0, rb14\n", "mov r0, rb14\n" END},
    {END_REGISTER_14, 1, "nop ; thrend\nmov ra14, r0\nnop\n", "nop ; thrend\nmov ra15, r0\nnop\n"},
    {END_Z, 4, NOPS "nop ; thrend\nnop\nmov tlb_z, r0\n", NOPS "nop ; thrend\nmov tlb_z, r0\nnop\n"},
    {END_IN_SLOT, 1, "nop ; thrend\nnop ; thrend\nnop\n", END END},
    {EARLY_SCOREBOARD, 1, "nop\nnop ; sbwait\n" END, NOPS "nop ; sbwait\n" END},
    {EARLY_SCOREBOARD, 0, "mov tlb_color, r0\n" END, NOPS "mov tlb_color, r0\n" END},
    {VPM_IN_FRAGMENT, 1, "mov r0, vary\nmov r1, vpm\n" END, "mov r0, unif\nmov r1, vpm\n" END},
    {SWITCH_SLOT, 2, "nop ; thrsw\nnop\nnop ; lthrsw\n" END, "nop ; thrsw\nnop\nnop\nnop ; lthrsw\n" END},
    {SWITCH_SLOT, 1, "nop ; lthrsw\nbrr .+32\nnop\nnop\nnop\n" END,
     "nop ; lthrsw\nnop\nnop\nbrr .+32\nnop\nnop\nnop\n" END},
    {SWITCH_LAST, 0, "nop ; thrsw\nnop\nnop\n" END, "nop ; lthrsw\nnop\nnop\n" END},
    {SWITCH_REGISTERS, 3, "nop ; lthrsw\nnop\nnop\nmov ra16, r0\n" END,
     "nop ; lthrsw\nnop\nnop\nmov ra15, r0\n" END},
    {SWITCH_REGISTERS, 0, "mov r0, rb31 ; lthrsw\nnop\nnop\n" END, "mov r0, rb31\n" END},
};

struct found {
    unsigned count;
    uint32_t pc;
    char rule[200];
};

static void note(void *data, uint32_t pc, const char *rule, const char *source)
{
    struct found *found = data;
    assert_true(strlen(rule) > 10 && strlen(source) > 3);
    found->count++;
    found->pc = pc;
    snprintf(found->rule, sizeof found->rule, "%s", rule);
}

static struct found check(const char *text)
{
    struct util_error error = {0};
    struct found found = {0};
    uint64_t *words;
    uint32_t count;
    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s\nin\n%s", error.text, text);
    unsigned breaches = vc4_qpu_check(words, count, note, &found);
    assert_int_equal(breaches, found.count);
    free(words);
    return found;
}

static void rules_hold(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        const struct rule_case *c = &cases[i];
        struct found found = check(c->breaks);
        if (found.count != 1 || found.pc != c->pc || strcmp(found.rule, rule_texts[c->rule]) != 0)
            fail_msg("\n%s%u breaches, the last at %u: %s; expected one at %u: %s", c->breaks, found.count,
                     found.pc, found.rule, c->pc, rule_texts[c->rule]);
        found = check(c->keeps);
        if (found.count)
            fail_msg("\n%skeeps all rules, but %u: %s", c->keeps, found.pc, found.rule);
    }
}

static void every_rule_has_a_case(void **state)
{
    bool seen[RULE_COUNT] = {false};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++)
        seen[cases[i].rule] = true;
    for (unsigned i = 0; i < RULE_COUNT; i++)
        if (!seen[i])
            fail_msg("no case for: %s", rule_texts[i]);
}

static void broken_structures_are_breaches(void **state)
{
    struct found found = check("mov ra1, r0\nmov r0, ra1\nnop\n");
    assert_int_equal(found.count, 2); /* no end; and what the straight line shows */
    found = check("nop ; thrend\nnop\n");
    assert_int_equal(found.count, 1);
    assert_int_equal(vc4_qpu_check(NULL, 0, note, &found), 1);
}

/* Programs of Mesa's driver keep every rule: a vertex program (uniforms, VPM) and a textured fragment
 * program. */
static const char vertex_text[] =
    "mov rb4, unif\nmov ra5, unif\nldi vw_setup, 0x1a00\nnop ; fmul r0, rb4, unif\n"
    "nop ; fmul r3, ra5, b.unif\nfadd rb5, r3, r0 ; fmul r1, ra5, b.unif\n"
    "fadd r2, r0, r1 ; mov recip, r3\nnop ; fmul r1, rb4, unif\nfadd ra6, r1, r2\n"
    "nop ; fmul r3, r3, r4\nfsub r0, 2.0, r3\nftoi ra0.16a, r2 ; fmul r3, r0, ra6\n"
    "ftoi ra0.16b, r3\nldi vr_setup, 0x101a00\nmov vpm, ra0\nfadd vpm, r3, unif\n"
    "mov -, vpm\nmov vpm, 0\n" END;
static const char fragment_text[] =
    "mov r0, vary\nfadd r0, r0, r5 ; mov r1, vary\nfadd tmu0_t, r1, r5\n"
    "mov tmu0_s, r0\nnop ; lthrsw\nnop\nnop\nnop ; ldtmu0\nnop ; mov ra1.c8a, r4.8c\n"
    "mov tlb_z, rb15\nnop ; sbwait\nmov tlb_color, ra1 ; thrend\nnop\nnop ; sbdone\n";

static void driver_programs_keep_the_rules(void **state)
{
    static const char *const texts[] = {vertex_text, fragment_text};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(texts); i++) {
        struct found found = check(texts[i]);
        if (found.count)
            fail_msg("pc %u: %s", found.pc, found.rule);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_hold),
        cmocka_unit_test(every_rule_has_a_case),
        cmocka_unit_test(broken_structures_are_breaches),
        cmocka_unit_test(driver_programs_keep_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
