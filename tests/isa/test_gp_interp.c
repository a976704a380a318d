/* The GP's interpreter against what the notes say: every operation, delays, branches, address registers,
 * faults; and a vertex program of the stock driver against the same sums in C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/interp.h"
#include "util/bits.h"
#include "util/fpenv.h"

struct world {
    float attribute[16][4], uniform[UTGARD_GP_FILE][4];
    uint32_t varying[16][4];
    unsigned attributes_read;
};

static void attribute(void *ctx, uint32_t index, uint32_t out[4])
{
    struct world *w = ctx;
    w->attributes_read |= 1u << index;
    memcpy(out, w->attribute[index], 16);
}
static void uniform(void *ctx, uint32_t index, uint32_t out[4])
{
    const struct world *w = ctx;
    memcpy(out, w->uniform[index], 16);
}
static void varying(void *ctx, uint32_t index, uint32_t component, uint32_t value)
{
    struct world *w = ctx;
    w->varying[index][component] = value;
}

static struct utgard_gp_report run_program(struct world *w, const char *text, uint32_t fuel,
                                           struct utgard_gp_state *state)
{
    struct util_error error = {0};
    struct utgard_gp_report report;
    struct utgard_gp_program *p;
    uint64_t *words;
    uint32_t count;
    if (utgard_gp_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    assert_int_equal(utgard_gp_program_create(words, count, &p, &error), 0);
    struct utgard_gp_ports ports = {w, attribute, uniform, varying};
    unsigned saved = util_fpenv_enter();
    utgard_gp_run(p, &ports, fuel, state, &report, NULL, NULL);
    util_fpenv_leave(saved);
    utgard_gp_program_destroy(p);
    free(words);
    return report;
}

static float got(const struct world *w, unsigned index, unsigned component)
{
    return util_u2f(w->varying[index][component]);
}

/* ---- operations ---- */

/* `text` computes with attribute 0 (a, b, c, d) and stores its result to v0.x in the last instruction. */
static const struct {
    const char *text;
    float in[4], out;
} operations[] = {
    {"attr 0 ; mul.0 f0.x, f0.y ; store.xy v0, mul0, none", {3, 4}, 12},
    {"attr 0 ; mul.1 -f0.x, f0.y ; store.xy v0, mul1, none", {3, 4}, -12},
    {"attr 0 ; mul.0 f0.x, 1 ; store.xy v0, mul0, none", {3, 4}, 3},
    {"attr 0 ; complex2.0 f0.x, f0.x ; store.xy v0, mul0, none", {3}, 9},
    {"attr 0 ; select.0 f0.x, f0.y ; select.1 f0.z, none ; store.xy v0, mul0, none", {3, 1, 5}, 5},
    {"attr 0 ; select.0 f0.x, f0.y ; select.1 f0.z, none ; store.xy v0, mul0, none", {3, 0, 5}, 3},
    {"attr 0 ; select.0 f0.x, f0.y ; select.1 f0.z, none ; store.xy v0, mul0, none", {3, -0.0f, 5}, 3},
    {"attr 0 ; complex1.0 f0.x, f0.y ; complex1.1 f0.x, f0.y\nnop\npass ^^mul0 ; store.xy v0, pass, none",
     {3, 4},
     3},
    {"attr 0 ; add.0 f0.x, f0.y ; store.xy v0, acc0, none", {3, 4}, 7},
    {"attr 0 ; add.1 -f0.x, f0.y ; store.xy v0, acc1, none", {3, 4}, 1},
    {"attr 0 ; add.0 f0.x, -0 ; store.xy v0, acc0, none", {3, 4}, 3},
    {"attr 0 ; floor.0 f0.x, f0.y ; store.xy v0, acc0, none", {-1.25f}, -2},
    {"attr 0 ; sign.0 f0.x, f0.y ; store.xy v0, acc0, none", {-7}, -1},
    {"attr 0 ; sign.0 f0.x, f0.y ; store.xy v0, acc0, none", {0}, 0},
    {"attr 0 ; sign.0 f0.x, f0.y ; store.xy v0, acc0, none", {0.5f}, 1},
    {"attr 0 ; ge.0 f0.x, f0.y ; store.xy v0, acc0, none", {4, 4}, 1},
    {"attr 0 ; ge.0 f0.x, f0.y ; store.xy v0, acc0, none", {3, 4}, 0},
    {"attr 0 ; lt.0 f0.x, f0.y ; store.xy v0, acc0, none", {3, 4}, 1},
    {"attr 0 ; lt.0 f0.x, f0.y ; store.xy v0, acc0, none", {4, 4}, 0},
    {"attr 0 ; min.0 f0.x, f0.y ; store.xy v0, acc0, none", {3, 4}, 3},
    {"attr 0 ; max.0 f0.x, f0.y ; store.xy v0, acc0, none", {3, 4}, 4},
    {"attr 0 ; max.0 f0.x, -f0.x ; store.xy v0, acc0, none", {-3}, 3},
    {"attr 0 ; exp2 f0.x ; store.xy v0, complex, none", {5}, 32},
    {"attr 0 ; log2 f0.x ; store.xy v0, complex, none", {32}, 5},
    {"attr 0 ; rsqrt f0.x ; store.xy v0, complex, none", {0.25f}, 2},
    {"attr 0 ; rcp f0.x ; store.xy v0, complex, none", {0.25f}, 4},
    {"attr 0 ; cpass f0.x ; store.xy v0, complex, none", {0.25f}, 0.25f},
    {"attr 0 ; pass f0.x ; store.xy v0, pass, none", {0.25f}, 0.25f},
    {"attr 0 ; preexp2 f0.x ; store.xy v0, pass, none", {0.25f}, 0.25f},
    {"attr 0 ; postlog2 f0.x ; store.xy v0, pass, none", {0.25f}, 0.25f},
    /* uniform 7 is (2, -1, ..) : at most 2, at least -1 */
    {"attr 0 ; load 7 ; clamp f0.x ; store.xy v0, pass, none", {5}, 2},
    {"attr 0 ; load 7 ; clamp f0.x ; store.xy v0, pass, none", {-5}, -1},
    {"attr 0 ; load 7 ; clamp f0.x ; store.xy v0, pass, none", {0.5f}, 0.5f},
    {"load 7 ; add.0 load.x, load.y ; store.xy v0, acc0, none", {0}, 1},
    /* bypasses: one and two instructions back, and what the one before fetched */
    {"attr 0 ; mul.0 f0.x, f0.y ; mul.1 f0.z, f0.w\nadd.0 ^mul0, ^mul1 ; store.xy v0, acc0, none",
     {2, 3, 4, 5},
     26},
    {"attr 0 ; add.0 f0.x, f0.y ; add.1 f0.z, f0.w\nnop\nmul.0 ^^acc0, ^^acc1 ; store.xy v0, mul0, none",
     {2, 3, 4, 5},
     45},
    {"attr 0 ; pass f0.x\npass ^pass\nadd.0 ^^pass, ^pass ; store.xy v0, acc0, none", {2}, 4},
    {"attr 0\npass ^f0.z ; store.xy v0, pass, none", {1, 2, 3, 4}, 3},
    {"attr 0 ; rcp f0.x\nmul.0 ^complex, f0.y ; attr 0 ; store.xy v0, mul0, none", {4, 2}, 0.5f},
};

static void operations_compute(void **state)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(operations); n++) {
        struct world w = {.uniform[7] = {2, -1}};
        memcpy(w.attribute[0], operations[n].in, 16);
        struct utgard_gp_report report = run_program(&w, operations[n].text, 0, NULL);
        assert_int_equal(report.fault, 0);
        if (fabsf(got(&w, 0, 0) - operations[n].out) > 1e-6f * fabsf(operations[n].out))
            fail_msg("'%s' gives %g, expected %g", operations[n].text, got(&w, 0, 0), operations[n].out);
    }
}

static void every_nan_is_one(void **state)
{
    struct world w = {.attribute[0] = {INFINITY, 0}};
    run_program(&w, "attr 0 ; mul.0 f0.x, f0.y ; add.0 f0.x, -f0.x ; store.xy v0, mul0, acc0", 0, NULL);
    assert_int_equal(w.varying[0][0], 0xffc00000);
    assert_int_equal(w.varying[0][1], 0xffc00000);
}

/* ---- delays ---- */

/* A register's old value can be read for two more instructions, the new one in the third. */
static void registers_take_three(void **state)
{
    struct world w = {.attribute[0] = {1, 2}};
    struct utgard_gp_state end;
    struct utgard_gp_report report = run_program(&w,
                                                 "attr 0 ; pass f0.x ; store.zw r3, none, pass\n"
                                                 "nop\nnop\nnop\n"
                                                 "attr 0 ; pass f0.y ; store.zw r3, none, pass\n"
                                                 "reg1 3 ; pass f1.w ; store.xy v0, pass, none\n"
                                                 "reg1 3 ; pass f1.w ; store.xy v0, none, pass\n"
                                                 "reg1 3 ; pass f1.w ; store.zw v0, pass, none\n",
                                                 0, &end);
    assert_int_equal(report.executed, 8);
    assert_true(got(&w, 0, 0) == 1 && got(&w, 0, 1) == 1 && got(&w, 0, 2) == 2);
    assert_true(util_u2f(end.reg[3][3]) == 2);
}

/* Temporaries and address registers 1 to 3 take four; address register 0 is there at once. */
static void memory_takes_four(void **state)
{
    struct world w = {
        .attribute[0] = {20, 5}, .uniform[20] = {7, 8}, .uniform[10] = {100}, .uniform[15] = {101}};
    run_program(&w,
                "attr 0 ; addr0 f0.x ; pass f0.y ; store.xy t0, pass, none\n"
                "nop\n"
                "nop\n"
                "load 20 ; add.0 load.x, load.y ; store.xy v0, acc0, none\n"
                "load 20 ; add.0 load.x, load.y ; store.xy v0, none, acc0\n"
                "attr 0 ; addr2 f0.y\n"
                "nop\nnop\n"
                "load 10+addr2 ; pass load.x ; store.xy v1, pass, none\n"
                "load 10+addr2 ; pass load.x ; store.xy v1, none, pass\n",
                0, NULL);
    assert_true(got(&w, 0, 0) == 15 && got(&w, 0, 1) == 13);
    assert_true(got(&w, 1, 0) == 100 && got(&w, 1, 1) == 101);
}

/* ---- branches ---- */

static void loops_count(void **state)
{
    /* r0.x = 5; do v0.x = (r0.x -= 1) while (r0.x); */
    static const char text[] = "load 1 ; add.0 load.x, -0 ; store.xy r0, acc0, none\n"
                               "nop\nnop\n"
                               "again: reg0 0 ; load 1 ; add.0 f0.x, -load.y ; store.xy r0, acc0, none\n"
                               "pass ^acc0 ; store.xy v0, pass, none\n"
                               "pass ^pass ; branch again\n"
                               "load 1 ; pass load.z ; store.xy v0, none, pass\n";
    struct world w = {.uniform[1] = {5, 1, 9}};
    struct utgard_gp_report report = run_program(&w, text, 100, NULL);
    assert_int_equal(report.fault, 0);
    assert_int_equal(report.executed, 3 + 5 * 3 + 1);
    assert_true(got(&w, 0, 0) == 0 && got(&w, 0, 1) == 9);
    /* four jumps back over three instructions */
    assert_int_equal(run_program(&w, text, 12, NULL).fault, UTGARD_GP_OK);
    report = run_program(&w, text, 11, NULL);
    assert_int_equal(report.fault, UTGARD_GP_FAULT_FUEL);
    assert_int_equal(report.pc, 5);
}

/* ---- faults ---- */

static void faults_name_the_place(void **state)
{
    static const struct {
        const char *text;
        enum utgard_gp_fault fault;
        uint32_t pc;
    } rows[] = {
        {"nop\nmul.0 src9, none", UTGARD_GP_FAULT_RESERVED, 1},
        {"accop3.1 f0.x, none", UTGARD_GP_FAULT_RESERVED, 0},
        {"mulop7.0 f0.x, none", UTGARD_GP_FAULT_RESERVED, 0},
        {"cop8 f0.x", UTGARD_GP_FAULT_RESERVED, 0},
        {"passop3 f0.x", UTGARD_GP_FAULT_RESERVED, 0},
        {"pass f0.x ; store.zw r0, s5, none", UTGARD_GP_FAULT_RESERVED, 0},
        {"load 0+off5 ; pass load.x", UTGARD_GP_FAULT_RESERVED, 0},
        {"attr 0 ; addr1 f0.x\nnop\nnop\nnop\nload 511+addr1 ; pass load.x", UTGARD_GP_FAULT_ADDRESS, 4},
        {"attr 0 ; addr1 f0.y\nnop\nnop\nnop\nload 1+addr1 ; pass load.x", UTGARD_GP_FAULT_ADDRESS, 4},
        {"attr 0 ; addr0 f0.z ; pass f0.x ; store.xy t0, pass, none", UTGARD_GP_FAULT_ADDRESS, 0},
        /* of several the first in the order of the work */
        {"attr 0 ; addr1 f0.y\nnop\nnop\nnop\nload 1+addr1 ; pass load.x ; cop8 f0.x",
         UTGARD_GP_FAULT_ADDRESS, 4},
        {"attr 0 ; addr0 f0.z ; passop3 f0.x ; store.xy t0, acc0, none", UTGARD_GP_FAULT_RESERVED, 0},
        {"attr 0 ; addr0 f0.z ; pass f0.x ; store.xy t0, pass, s5", UTGARD_GP_FAULT_RESERVED, 0},
        {"attr 0 ; addr0 f0.z ; store.xy t0, acc0, none ; store.zw t0, s5, none", UTGARD_GP_FAULT_ADDRESS, 0},
    };
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct world w = {.attribute[0] = {1, -2, 1e30f}};
        struct utgard_gp_report report = run_program(&w, rows[n].text, 100, NULL);
        if (report.fault != rows[n].fault || report.pc != rows[n].pc)
            fail_msg("'%s': fault %d at %u", rows[n].text, report.fault, report.pc);
    }
}

static void programs_are_refused(void **state)
{
    struct util_error error = {0};
    struct utgard_gp_program *p;
    static uint64_t words[(UTGARD_GP_MAX_INSNS + 1) * UTGARD_GP_WORDS];
    struct utgard_gp_insn insn = utgard_gp_nop;
    assert_int_equal(utgard_gp_program_create(words, 0, &p, &error), -EBADMSG);
    assert_int_equal(utgard_gp_program_create(words, UTGARD_GP_MAX_INSNS + 1, &p, &error), -E2BIG);
    error = (struct util_error){0};
    insn.branch = true;
    insn.branch_target = 3;
    insn.branch_low = true;
    utgard_gp_encode(&insn, words);
    assert_int_equal(utgard_gp_program_create(words, 2, &p, &error), -EBADMSG);
    assert_non_null(strstr(error.text, "instruction 0 branches to 3"));
}

/* ---- a program of the stock driver ---- */

/* position + uniform 0, divided by w, to the window; attribute 1 is passed on. */
static const char triangle[] =
    "attr 0 ; add.0 f0.w, load.w\n"
    "complex2.0 ^acc0, ^acc0 ; add.0 ^acc0, -0 ; rcp ^acc0\n"
    "complex1.0 ^complex, ^mul0 ; complex1.1 ^complex, ^acc0\n"
    "attr 0 ; add.0 f0.y, load.y ; add.1 f0.z, load.z\n"
    "attr 0 ; mul.0 ^acc1, ^^mul0 ; mul.1 ^acc0, ^^mul0 ; add.0 f0.x, load.x ; add.1 ^^mul0, -0\n"
    "attr 1 ; load 1 ; mul.0 ^acc0, ^acc1 ; mul.1 ^mul0, load.z ; add.0 load.x, -0 ; add.1 load.y, -0 ; "
    "cpass f0.w ; pass ^acc1 ; store.zw v1, none, complex\n"
    "attr 1 ; load 2 ; mul.0 ^^mul1, ^acc1 ; mul.1 ^mul0, ^acc0 ; add.0 ^mul1, load.z ; add.1 f0.x, -0 ; "
    "cpass f0.z ; pass f0.y ; store.xy v1, acc1, pass ; store.zw v1, complex, none\n"
    "load 2 ; mul.0 ^^pass, 1 ; mul.1 ^acc0, 1 ; add.0 ^mul1, load.x ; add.1 ^mul0, load.y ; "
    "store.xy v0, acc0, acc1 ; store.zw v0, mul1, mul0\n";

static void driver_program_transforms(void **state)
{
    static const float scale[3] = {128, 64, 0.5f}, translate[3] = {130, 70, 0.25f};
    struct world w = {.attribute = {{0.5f, -0.25f, 0.75f, 1.5f}, {1, 2, 3, 4}},
                      .uniform = {{0.25f, 0.5f, -0.25f, 0.5f}, {128, 64, 0.5f}, {130, 70, 0.25f}}};
    assert_int_equal(run_program(&w, triangle, 0, NULL).fault, 0);
    float inverse = 1.0f / (1.5f + 0.5f);
    for (unsigned c = 0; c < 3; c++) {
        float ndc = (w.attribute[0][c] + w.uniform[0][c]) * inverse;
        assert_true(got(&w, 0, c) == ndc * scale[c] + translate[c]);
    }
    assert_true(got(&w, 0, 3) == inverse);
    for (unsigned c = 0; c < 4; c++)
        assert_true(got(&w, 1, c) == w.attribute[1][c]);
    assert_int_equal(w.attributes_read, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_compute),   cmocka_unit_test(every_nan_is_one),
        cmocka_unit_test(registers_take_three), cmocka_unit_test(memory_takes_four),
        cmocka_unit_test(loops_count),          cmocka_unit_test(faults_name_the_place),
        cmocka_unit_test(programs_are_refused), cmocka_unit_test(driver_program_transforms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
