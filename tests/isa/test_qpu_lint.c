/* The linter's rules: for each one a program that breaks it, in a known place and alone, and the nearest
 * program that keeps it. Rules about uniforms and control lists are in tests/gpu/vc4/test_lint.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/lint.h"
#include "util/bits.h"

#define END  "nop ; thrend\nnop\nnop\n"
#define FEND "nop ; thrend\nnop\nnop ; sbdone\n"
#define NOPS "nop\nnop\n"
/* Generic VPM writes and reads of whole 32-bit rows. */
#define VW     "ldi vw_setup, 0x1a00\n"
#define VR(n)  "ldi vr_setup, 0x" #n "01a00\n"
#define SWITCH "nop ; lthrsw\nnop\nnop\n"

enum {
    U = VC4_QPU_STAGE_UNKNOWN,
    F = VC4_QPU_STAGE_FRAGMENT,
    V = VC4_QPU_STAGE_VERTEX,
    G = VC4_QPU_STAGE_USER
};

/* The last four are the shader record's; 0 stands for "not known". */
struct rule_case {
    enum vc4_qpu_lint_rule rule;
    int stage;
    uint32_t pc;
    const char *breaks, *keeps;
    int varyings, rows_in, rows_out, threads;
};

#define CASE(name, stage_, pc_, breaks_, keeps_, ...)                                                        \
    {.rule = VC4_QPU_LINT_##name, .stage = stage_, .pc = pc_, .breaks = breaks_, .keeps = keeps_, __VA_ARGS__}
static const struct rule_case cases[] = {
    CASE(STRUCTURE, U, 1, "mov r0, 1\nnop\n", "mov r0, 1\n" END),
    CASE(STRUCTURE, U, 1, "brr.allzs .+32\nnop ; thrend\nnop\nnop\n", "mov r0, 1\n" END),
    CASE(UNREACHABLE, U, 4, "brr end\nnop\nnop\nnop\nmov r0, 1\nend: nop\n" END,
         "and.sf -, 1, 1\nbrr.allzs end\nnop\nnop\nnop\nmov r0, 1\nend: nop\n" END),
    CASE(UNREACHABLE, U, 3, END "nop\n", END),
    CASE(COMPUTED_BRANCH, U, 2, "mov ra2, 1\nnop\nbra 0x0+ra2\nnop\nnop\nnop\n" END,
         "mov ra2, 1\nnop\nbrr .+32\nnop\nnop\nnop\n" END),

    CASE(UNWRITTEN, U, 0, "mov r0, r1\n" END, "mov r1, 0\nmov r0, r1\n" END),
    CASE(UNWRITTEN, U, 0, "mov r0, ra3\n" END, "mov ra3, 0\nnop\nmov r0, ra3\n" END),
    CASE(UNWRITTEN, U, 0, "mov r0, rb3\n" END, "mov -, rb3\nxor r0, r0, r0\nmov r1, r0\n" END),
    CASE(UNWRITTEN, U, 1, "mov r1, 1\nmov.zs r0, r1\n" END, "mov.sf r1, 1\nmov.zs r0, r1\n" END),
    CASE(UNWRITTEN, U, 0, "mov r0, r4\n" END, "mov recip, 1.0\nnop\nnop\nmov r0, r4\n" END),
    CASE(UNWRITTEN, U, 0, "mov r0, r5\n" END, "mov r0, vary\nmov r0, r5\n" END),
    CASE(UNWRITTEN, V, 0, "mov r0, ra15\n" END, "mov ra15, 1\nnop\nmov r0, ra15\n" END),
    CASE(UNWRITTEN, F, 0, "mov r0, ra16\n" END, "mov r0, ra15\n" END),
    CASE(UNWRITTEN, U, 0, "brr.anyzs end\nnop\nnop\nnop\nend: nop\n" END,
         "mov.sf -, 1\nbrr.anyzs end\nnop\nnop\nnop\nend: nop\n" END),
    CASE(PARTLY_UNWRITTEN, U, 6,
         "mov.sf -, 1\nbrr.anyzs end\nnop\nnop\nnop\nmov r2, 1\nend: mov r0, r2\n" END,
         "mov.sf r2, 1\nbrr.anyzs end\nnop\nnop\nnop\nmov r2, 1\nend: mov r0, r2\n" END),
    CASE(LOST_IN_SWITCH, F, 3, "mov r0, rb15 ; lthrsw\n" NOPS "mov ra0, r0\n" END,
         "mov r0, rb15 ; lthrsw\nnop\nmov ra0, r0\n" END),
    CASE(LOST_IN_SWITCH, F, 3, "mov.sf -, rb15 ; lthrsw\n" NOPS "mov.zs ra0, 1\n" END,
         "nop ; lthrsw\nnop\nnop\nmov.sf -, 1\nmov.zs ra0, 1\n" END),

    CASE(TMU_EMPTY, U, 0, "nop ; ldtmu0\n" END, "mov tmu0_s, 1\nnop ; ldtmu0\n" END),
    CASE(TMU_EMPTY, U, 1, "mov tmu0_s, 1\nnop ; ldtmu1\nnop ; ldtmu0\n" END,
         "mov tmu1_s, 1\nnop ; ldtmu1\n" END),
    CASE(TMU_EMPTY, U, 2, "mov tmu0_s, 1\nnop ; ldtmu0\nnop ; ldtmu0\n" END,
         "mov tmu0_t, 1\nmov tmu0_s, 1\nnop ; ldtmu0\nnop ; ldtmu0\n" END),
    CASE(TMU_LEFT, U, 4, "mov tmu0_s, 1\nmov r0, 1\n" END, "mov tmu0_s, 1\nnop ; ldtmu0\n" END),
#define TEXEL(n) "mov tmu0_t, 1\nmov tmu0_s, " #n "\n"
#define FETCH    "nop ; ldtmu0\n"
    CASE(TMU_OVERFLOW, U, 9, TEXEL(1) TEXEL(2) TEXEL(3) TEXEL(4) TEXEL(5) FETCH FETCH FETCH FETCH FETCH END,
         TEXEL(1) TEXEL(2) TEXEL(3) TEXEL(4) FETCH TEXEL(5) FETCH FETCH FETCH FETCH END),
    CASE(TMU_OVERFLOW, F, 5, TEXEL(1) TEXEL(2) TEXEL(3) SWITCH FETCH FETCH FETCH END,
         TEXEL(1) TEXEL(2) SWITCH FETCH FETCH END),
#define LOOKUP "mov tmu1_s, 1\n"
#define FETCH1 "nop ; ldtmu1\n"
    CASE(TMU_DIRECT_DEPTH, U, 4, LOOKUP LOOKUP LOOKUP LOOKUP LOOKUP FETCH1 FETCH1 FETCH1 FETCH1 FETCH1 END,
         LOOKUP LOOKUP LOOKUP LOOKUP FETCH1 LOOKUP FETCH1 FETCH1 FETCH1 FETCH1 END),
    CASE(TMU_NO_SWITCH, F, 5, SWITCH TEXEL(1) FETCH END, TEXEL(1) SWITCH FETCH END),

    CASE(Z_AFTER_COLOR, F, 3, NOPS "mov tlb_color, 1\nmov tlb_z, rb15\nnop\n" FEND,
         NOPS "mov tlb_z, rb15\nmov tlb_color, 1\nnop\n" FEND),
    CASE(AFTER_UNLOCK, F, 3, NOPS "nop ; sbdone\nmov tlb_color, 1\n" END,
         NOPS "mov tlb_color, 1\nnop ; sbdone\n" END),
    CASE(NO_UNLOCK, F, 5, NOPS "mov tlb_color, 1\n" END, NOPS "mov tlb_color, 1\n" FEND),
    CASE(Z_NEAR_END, F, 2, NOPS "mov tlb_z, rb15 ; thrend\nnop\nnop ; sbdone\n",
         NOPS "mov tlb_z, rb15\n" FEND),
    CASE(STENCIL_FACING, F, 2, NOPS "ldi tlb_stencil, 0x40000000\nmov tlb_z, rb15\n" FEND,
         NOPS "ldi tlb_stencil, 0xc0000000\nmov tlb_z, rb15\n" FEND),
    CASE(OUTSIDE_FRAGMENT, G, 0, "mov r0, vary\n" END, "mov r0, unif\n" END),
    CASE(OUTSIDE_FRAGMENT, V, 0, "nop ; sbdone\n" END, "mov r0, unif\n" END),

    CASE(VPM_READ_EARLY, V, 2, VR(2) "nop\nmov r0, vpm\nmov r0, vpm\n" END,
         VR(2) NOPS "mov r0, vpm\nmov r0, vpm\n" END),
    CASE(VPM_READ_EMPTY, V, 4, VR(1) NOPS "mov r0, vpm\nmov r0, vpm\n" END,
         VR(2) NOPS "mov r0, vpm\nmov r0, vpm\n" END),
    CASE(VPM_READ_EMPTY, G, 0, "mov r0, vpm\n" END, "mov r0, 1\nmov vr_setup, r0\n" NOPS "mov r0, vpm\n" END),
    CASE(VPM_LEFT, V, 6, VR(2) NOPS "mov r0, vpm\n" END, VR(1) NOPS "mov r0, vpm\n" END),
    CASE(VPM_SETUP_BUSY, V, 1, VR(2) VR(1) NOPS "mov r0, vpm\nmov r0, vpm\nmov r0, vpm\n" END,
         VR(1) VR(2) NOPS "mov r0, vpm\nmov r0, vpm\nmov r0, vpm\n" END),
    CASE(VPM_WRITE_UNSET, V, 0, "mov vpm, 1\n" END, VW "mov vpm, 1\n" END),
    CASE(VPM_WRITE_UNSET, V, 6, "mov.sf -, 1\nbrr.allzs end\nnop\nnop\nnop\n" VW "end: mov vpm, 1\n" END,
         "mov.sf -, 1\n" VW "brr.allzs end\nnop\nnop\nnop\nmov vpm, 2\nend: mov vpm, 1\n" END),
    CASE(VPM_SETUP_RESERVED, V, 0, "ldi vw_setup, 0x1b00\n" END, VW END),
    CASE(VPM_SETUP_RESERVED, G, 0, "ldi vw_setup, 0x80004001\n" END, "ldi vw_setup, 0x80004002\n" END),
    CASE(VPM_SETUP_RESERVED, G, 0, "ldi vr_setup, 0x101b00\n" NOPS "mov r0, vpm\n" END,
         VR(1) NOPS "mov r0, vpm\n" END),
    CASE(VPM_UPPER_ROWS, G, 0, "ldi vw_setup, 0x80006000\n" END, "ldi vw_setup, 0x80005f80\n" END),
    CASE(VPM_CONCURRENT, G, 3, VR(1) NOPS "mov r0, vpm ; mov vw_setup, 1\n" END,
         VR(1) VW "nop\nmov vpm, vpm\n" END),
    CASE(VPM_CONCURRENT, G, 4, VR(1) "mov tmu0_s, 1\n" NOPS "mov r0, vpm ; ldtmu0\n" END,
         VR(1) "mov tmu0_s, 1\nnop ; ldtmu0\nnop\nmov r0, vpm\n" END),
    CASE(DMA_UNSET, G, 0, "mov vr_addr, 1\n" END, "ldi vr_setup, 0x83010000\nmov vr_addr, 1\n" END),
    CASE(DMA_UNSET, G, 1, VW "mov vw_addr, 1\n" END, "ldi vw_setup, 0x80004000\nmov vw_addr, 1\n" END),
    CASE(DMA_BUSY, G, 2, "ldi vr_setup, 0x83010000\nmov vr_addr, 1\nmov vr_addr, 2\n" END,
         "ldi vr_setup, 0x83010000\nmov vr_addr, 1\nmov -, vpm_ld_wait\nmov vr_addr, 2\n" END),
    CASE(DMA_BUSY, G, 2, "ldi vw_setup, 0x80004000\nmov vw_addr, 1\nmov vw_addr, 2\n" END,
         "ldi vw_setup, 0x80004000\nmov vw_addr, 1\nmov -, vpm_st_busy\nmov vw_addr, 2\n" END),

    CASE(SWITCH_AFTER_LAST, F, 3, SWITCH "nop ; lthrsw\nnop\nnop\n" END,
         "nop ; thrsw\nnop\nnop\n" SWITCH END),
    CASE(NO_LAST_SWITCH, F, 11, "mov.sf -, 1\nbrr.allzs end\nnop\nnop\nnop\n" SWITCH "nop\nend: " END,
         "mov.sf -, 1\nbrr.allzs end\nnop\nnop\nnop\nnop\nend: " SWITCH END),
    CASE(MUTEX_TWICE, G, 1, "mov -, mutex\nmov -, mutex\nmov mutex, 1\n" END,
         "mov -, mutex\nmov mutex, 1\nmov -, mutex\nmov mutex, 1\n" END),
    CASE(MUTEX_NOT_HELD, G, 0, "mov mutex, 1\n" END, "mov -, mutex\nmov mutex, 1\n" END),
    CASE(MUTEX_LEFT, G, 3, "mov -, mutex\n" END, "mov -, mutex\nmov mutex, 1\n" END),

    CASE(CONDITIONAL_PERIPHERAL, U, 1, "mov.sf -, 1\nmov.zs tmu0_s, 1\nnop ; ldtmu0\n" END,
         "mov.sf -, 1\nmov.zs r0, 1\nmov tmu0_s, 1\nnop ; ldtmu0\n" END),
    CASE(CONDITIONAL_PERIPHERAL, V, 2, VW "mov.sf -, 1\nmov.zs vpm, 1\n" END,
         VW "mov.sf -, 1\nmov vpm, 1\n" END),
    CASE(BYTE_PACK_TO_IO, V, 1, VW "nop ; fmul vpm.c8a, 1.0, 1.0\n" END,
         VW "nop ; fmul vpm.c8888, 1.0, 1.0\n" END),
    CASE(BYTE_PACK_TO_IO, V, 0, "nop ; fmul tmu0_s.c8d, 1.0, 1.0\nnop ; ldtmu0\n" END,
         "nop ; fmul r0.c8d, 1.0, 1.0\n" END),

    CASE(VARYINGS_LEFT, F, 3, "mov r0, vary\n" END, "mov r0, vary\nmov r0, vary\n" END, .varyings = 2),
    CASE(VARYINGS_EXCESS, F, 4, "mov r0, vary\nmov r0, vary\n" END, "mov r0, vary\n" END, .varyings = 1),
    CASE(ROWS_IN, V, 7, VR(2) NOPS "mov r0, vpm\nmov r0, vpm\n" END, VR(1) NOPS "mov r0, vpm\n" END,
         .rows_in = 1),
    CASE(ROWS_OUT, V, 4, VW "mov vpm, 1\n" END, VW "mov vpm, 1\nmov vpm, 1\n" END, .rows_out = 2),
    CASE(THREADABLE, F, 0, SWITCH END, NOPS END, .threads = 1),
    CASE(THREADABLE, F, 0, "mov ra16, 1\n" END, "mov ra15, 1\n" END, .threads = 2),
};
#undef CASE

/* Reported for captures only; BRANCH_SETS_FLAGS always comes with COMPUTED_BRANCH and has a test of its own.
 */
static const enum vc4_qpu_lint_rule elsewhere[] = {
    VC4_QPU_LINT_UNIFORMS_OUTSIDE, VC4_QPU_LINT_CHILD_IMAGE_2048,  VC4_QPU_LINT_RASTER_NPOT,
    VC4_QPU_LINT_POINT_SIZE_ZERO,  VC4_QPU_LINT_BRANCH_SETS_FLAGS,
};

struct found {
    unsigned count;
    struct isa_finding finding[16];
};

static void keep(void *data, const struct isa_finding *finding)
{
    struct found *found = data;
    assert_true(found->count < UTIL_ARRAY_SIZE(found->finding));
    found->finding[found->count++] = *finding;
}

static struct found lint(const char *text, const struct vc4_qpu_lint_options *options)
{
    struct util_error error = {0};
    struct found found = {0};
    uint64_t *words;
    uint32_t count;
    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s\nin\n%s", error.text, text);
    assert_int_equal(vc4_qpu_lint(words, count, options, keep, &found), 0);
    free(words);
    return found;
}

static struct vc4_qpu_lint_options options_of(const struct rule_case *c)
{
    return (struct vc4_qpu_lint_options){
        .stage = (enum vc4_qpu_stage)c->stage,
        .varyings = c->varyings ? c->varyings : -1,
        .rows_in = c->rows_in ? c->rows_in : -1,
        .rows_out = c->rows_out ? c->rows_out : -1,
        .threads = c->threads ? c->threads : -1,
    };
}

static void rules_hold(void **state)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        const struct rule_case *c = &cases[i];
        const struct isa_rule *rule = vc4_qpu_lint_rule(c->rule);
        struct vc4_qpu_lint_options options = options_of(c);
        struct found found = lint(c->breaks, &options);
        const struct isa_finding *f = &found.finding[0];
        if (found.count != 1 || f->rule != rule || f->pc != c->pc) {
            print_error("\n%s%u findings, first at %u: %s %s; expected one at %u: %s\n", c->breaks,
                        found.count, f->pc, found.count ? f->rule->name : "none", f->detail, c->pc,
                        rule->name);
            wrong++;
        }
        found = lint(c->keeps, &options);
        if (found.count) {
            print_error("\n%sis right about %s, but: %u: %s %s\n", c->keeps, rule->name, f->pc, f->rule->name,
                        f->detail);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void every_rule_has_a_case(void **state)
{
    bool seen[VC4_QPU_LINT_COUNT] = {false};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++)
        seen[cases[i].rule] = true;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(elsewhere); i++)
        seen[elsewhere[i]] = true;
    for (unsigned i = 0; i < VC4_QPU_LINT_COUNT; i++)
        if (!seen[i])
            fail_msg("no case for %s", vc4_qpu_lint_rule((enum vc4_qpu_lint_rule)i)->name);
}

static void rules_have_sources(void **state)
{
    uint32_t count;
    const struct isa_rule *rules = vc4_qpu_rules(&count);
    assert_true(count > VC4_QPU_LINT_COUNT + 25);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(strlen(rules[i].text) > 10 && strlen(rules[i].source) > 3);
        for (uint32_t k = 0; k < i; k++) {
            assert_string_not_equal(rules[i].name, rules[k].name);
            assert_string_not_equal(rules[i].text, rules[k].text);
        }
    }
}

/* What the checker finds comes with its name, place and severity. */
static void the_checker_is_included(void **state)
{
    struct found found = lint("mov ra1, 1\nmov r0, ra1\n" END, &vc4_qpu_lint_nothing_known);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.finding[0].rule->name, "READ_AFTER_WRITE");
    assert_int_equal(found.finding[0].rule->severity, ISA_ERROR);
    assert_int_equal(found.finding[0].pc, 1);
}

static void branches_to_odd_registers(void **state)
{
    static const char text[] = "mov ra1, 1\nnop\nbra 0x0+ra1\nnop\nnop\nnop\n" END;
    struct found found = lint(text, &vc4_qpu_lint_nothing_known);
    assert_int_equal(found.count, 2);
    assert_ptr_equal(found.finding[0].rule, vc4_qpu_lint_rule(VC4_QPU_LINT_BRANCH_SETS_FLAGS));
    assert_ptr_equal(found.finding[1].rule, vc4_qpu_lint_rule(VC4_QPU_LINT_COMPUTED_BRANCH));
}

/* Loops: what is counted widens and the analysis ends; what is right in every turn is right. */
static void loops(void **state)
{
    static const char right[] = "mov r1, 8\nmov r2, 0\n"
                                "top: mov tmu0_s, r2\nadd r2, r2, 4\nsub.sf r1, r1, 1\nnop ; ldtmu0\n"
                                "brr.anyzc top\nnop\nnop\nmov r0, r4\n" END;
    static const char wrong[] = "mov r1, 8\n"
                                "top: nop\nsub.sf r1, r1, 1\nmov tmu0_s, r1\n"
                                "brr.anyzc top\nnop\nnop\nnop\n" END;
    struct found found = lint(right, &vc4_qpu_lint_nothing_known);
    if (found.count)
        fail_msg("%u: %s", found.finding[0].pc, found.finding[0].rule->name);
    found = lint(wrong, &vc4_qpu_lint_nothing_known);
    assert_int_equal(found.count, 1);
    assert_ptr_equal(found.finding[0].rule, vc4_qpu_lint_rule(VC4_QPU_LINT_TMU_LEFT));
    assert_string_equal(found.finding[0].detail, "TMU0: at least 1");
}

static void count_findings(void *data, const struct isa_finding *finding)
{
    unsigned *count = data;
    assert_true(finding->pc < 64 && finding->rule);
    ++*count;
}

/* Any words at all: the linter ends, and stays inside (sanitizers). */
static void hostile_words(void **state)
{
    uint64_t seed = 1, words[64];
    unsigned findings = 0;
    for (unsigned i = 0; i < 3000; i++) {
        for (unsigned k = 0; k < 64; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            words[k] = seed ^ seed >> 29;
            if (k % 8 == 7)
                words[k] = (words[k] & ~(0xfull << 60)) | (uint64_t)(seed >> 33 & 1 ? 15 : 3) << 60;
        }
        for (unsigned n = 1; n <= 64; n += 21) {
            struct vc4_qpu_lint_options options = vc4_qpu_lint_nothing_known;
            options.stage = (enum vc4_qpu_stage)(i % 5);
            assert_int_equal(vc4_qpu_lint(words, n, &options, count_findings, &findings), 0);
        }
    }
    assert_true(findings > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_hold),
        cmocka_unit_test(every_rule_has_a_case),
        cmocka_unit_test(rules_have_sources),
        cmocka_unit_test(the_checker_is_included),
        cmocka_unit_test(branches_to_odd_registers),
        cmocka_unit_test(loops),
        cmocka_unit_test(hostile_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
