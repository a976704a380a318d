/* The PP's fast mode against its exact mode: of operands that are halves, exact's result is fast's, made a
 * half once, to nearest or, of functions, toward zero; in no operation anything else, at the edges or
 * between. Halves are made here by arithmetic on doubles. Translated code is held to the interpreter
 * elsewhere (tests/diff/test_pp_diff.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/interp.h"
#include "tests/diff/random.h"
#include "util/half.h"

struct operands {
    uint32_t at[2][16];
};

static bool varying(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                    uint32_t out[4][16], uint32_t *lane)
{
    const struct operands *o = ctx;

    for (uint32_t n = 0; n < count; n++)
        memcpy(out[n], o->at[(first + n) % 2], sizeof out[n]);
    return true;
}

/* To a half, to nearest even or toward zero; below the least normal one zero. */
static uint32_t halved(float f, bool cut)
{
    int exponent;

    if (isnan(f) || isinf(f))
        return util_f2u(f);
    (void)frexpf(f, &exponent); /* f = 0.1xxx * 2^exponent: eleven digits */
    double scaled = ldexp(f, 11 - exponent), whole = cut ? trunc(scaled) : nearbyint(scaled);
    double half = ldexp(whole, exponent - 11);
    if (fabsf(f) < 0x1p-14f) /* before it is rounded */
        half = copysignf(0, f);
    if (fabs(half) >= 65536)
        half = copysignf(INFINITY, f);
    return util_f2u((float)half);
}

static void run(const struct utgard_pp_program *program, struct operands *o, enum isa_numeric numeric,
                uint32_t out[16])
{
    const struct utgard_pp_ports ports = {.ctx = o, .varying = varying, .numeric = numeric};
    static struct utgard_pp_state state;
    struct utgard_pp_report report;

    assert_int_equal(utgard_pp_run(program, &ports, 0xffff, 0, &state, &report, NULL, NULL), UTGARD_PP_OK);
    memcpy(out, state.reg[0][0], sizeof state.reg[0][0]);
}

static void compare(const char *text, const struct utgard_pp_program *program, struct operands *o, bool cut)
{
    uint32_t fast[16], exact[16];

    run(program, o, ISA_FAST, fast);
    run(program, o, ISA_EXACT, exact);
    for (unsigned l = 0; l < 16; l++) {
        uint32_t expected = halved(util_u2f(fast[l]), cut);
        if (isnan(util_u2f(expected)) ? !isnan(util_u2f(exact[l])) : exact[l] != expected)
            fail_msg("%s of %08x and %08x: fast gives %08x, exact %08x and not %08x", text, o->at[0][l],
                     o->at[1][l], fast[l], exact[l], expected);
    }
}

static uint32_t single(uint32_t half)
{
    return util_f2u(util_half_to_float(util_half_flushed((uint16_t)half)));
}

/* Zeros, ones, infinities, a NaN, the least and greatest halves, whole numbers and their neighbours. */
static const uint16_t edges[] = {0x0000, 0x0400, 0x0401, 0x07ff, 0x0800, 0x1400, 0x2e66, 0x3555,
                                 0x37ff, 0x3800, 0x3801, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000,
                                 0x4248, 0x4900, 0x57ff, 0x5800, 0x5801, 0x5bf8, 0x63ff, 0x6400,
                                 0x6401, 0x6800, 0x7000, 0x77ff, 0x7800, 0x7bff, 0x7c00, 0x7e00};
enum { EDGES = 2 * UTIL_ARRAY_SIZE(edges), RANDOM_RUNS = 4096 };

static uint32_t edge(unsigned n)
{
    return single(edges[n / 2] | (n & 1) << 15);
}

/* One instruction: r1.x and r1.y are the operands, r0.x the result. */
static void each(const char *instruction, bool cut)
{
    struct util_error error = {0};
    struct utgard_pp_program *program;
    struct operands o;
    uint32_t *words, count;
    uint64_t state = 1;
    char text[128];

    snprintf(text, sizeof text, "var r1.xy, v0.xy ; %s ; stop\n", instruction);
    if (utgard_pp_asm(text, strlen(text), &words, &count, &error) ||
        utgard_pp_program_create(words, count, &program, &error))
        fail_msg("'%s': %s", text, error.text);
    for (unsigned n = 0; n < EDGES * EDGES / 16; n++) {
        for (unsigned l = 0; l < 16; l++) {
            o.at[0][l] = edge((n * 16 + l) / EDGES);
            o.at[1][l] = edge((n * 16 + l) % EDGES);
        }
        compare(instruction, program, &o, cut);
    }
    for (unsigned n = 0; n < RANDOM_RUNS; n++) {
        for (unsigned l = 0; l < 16; l++)
            for (unsigned k = 0; k < 2; k++)
                o.at[k][l] = single(random_next(&state) & 0xffff);
        compare(instruction, program, &o, cut);
    }
    utgard_pp_program_destroy(program);
    free(words);
}

static void test_units(void **state)
{
    static const struct {
        const char *name;
        unsigned operands, unit;
    } operations[] = {
#define MUL_OP(value, text, operands, lane_op, shape) {(text), (operands), 0},
#define ADD_OP(value, text, operands, lane_op, shape) {(text), (operands), 1},
#include "isa/utgard_pp/insns.inc"
    };
    static const char *const mods[] = {"", ".sat", ".pos", ".int"};

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(operations); i++) {
        char text[64];
        snprintf(text, sizeof text, "%s.v%u r0, r1.xyxy%s", operations[i].name, operations[i].unit,
                 operations[i].operands == 2 ? ", r1.yxyx" : "");
        each(text, false);
    }
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(mods); i++) {
        char text[64];
        snprintf(text, sizeof text, "mov.s1%s r0.x, r1.x", mods[i]);
        each(text, false);
    }
}

static void test_functions(void **state)
{
    static const char *const cut[] = {"rcp", "rsqrt", "exp2", "log2", "sin", "cos"};
    char text[64];

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cut); i++) {
        snprintf(text, sizeof text, "%s.s2 r0.x, r1.x", cut[i]);
        each(text, true);
    }
    each("sqrt.s2 r0.x, r1.x", false);
    each("mov.s2 r0.x, r1.x", false);
}

static unsigned saved;

static int enter(void **state)
{
    saved = util_fpenv_enter();
    return 0;
}

static int leave(void **state)
{
    util_fpenv_leave(saved);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_functions)};
    return cmocka_run_group_tests(tests, enter, leave);
}
