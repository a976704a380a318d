/* The PP's interpreter against what the notes say: every operation, the order of the stages, varyings,
 * memory, branches, discards, derivatives, faults. And the functions that all guests share against C's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sfu.h"
#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/interp.h"
#include "util/bits.h"
#include "util/fpenv.h"

/* Lane l of varying n is base[n] + l * step[n]; uniform n is n + 0.5. */
struct world {
    float base[8], step[8];
    struct {
        uint32_t n, lod[16], coordinates[4][16];
        bool has_lod;
    } sampled;
};

static bool varying(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                    uint32_t out[4][16], uint32_t *lane)
{
    const struct world *w = ctx;
    for (unsigned l = 0; l < 16; l++)
        for (uint32_t n = 0; n < count; n++) {
            uint32_t at = first + n + (offset ? (uint32_t)offset[l] : 0);
            *lane = l;
            if (at >= 8)
                return false;
            out[n][l] = util_f2u(w->base[at] + (float)l * w->step[at]);
        }
    return true;
}
static void fragcoord(void *ctx, uint32_t out[4][16])
{
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; n < 4; n++)
            out[n][l] = util_f2u((float)(n * 100 + l));
}
static void pointcoord(void *ctx, uint32_t out[2][16])
{
    for (unsigned l = 0; l < 16; l++)
        out[0][l] = out[1][l] = util_f2u(0.25f);
}
static void frontface(void *ctx, uint32_t out[16])
{
    for (unsigned l = 0; l < 16; l++)
        out[l] = 0x3f800000;
}
static bool sample(void *ctx, uint32_t n, const int32_t *offset, const uint32_t coordinates[4][16],
                   const uint32_t lod[16], uint16_t lanes, uint32_t out[4][16], uint32_t *lane)
{
    struct world *w = ctx;
    w->sampled.n = n;
    w->sampled.has_lod = lod;
    memcpy(w->sampled.coordinates, coordinates, sizeof w->sampled.coordinates);
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; c < 4; c++) {
            w->sampled.lod[l] = lod ? lod[l] : 0;
            out[c][l] = util_f2u((float)(c + 1) + (offset ? (float)offset[l] : 0));
        }
    return true;
}
static bool uniform(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                    uint32_t out[4][16], uint32_t *lane)
{
    for (*lane = 0; *lane < 16; ++*lane)
        for (uint32_t n = 0; n < count; n++) {
            uint32_t at = first + n + (offset ? (uint32_t)offset[*lane] : 0);
            if (at >= 64)
                return false;
            out[n][*lane] = util_f2u((float)at + 0.5f);
        }
    return true;
}
static void color(void *ctx, uint32_t out[4][16])
{
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; n < 4; n++)
            out[n][l] = util_f2u((float)n);
}
static void depth(void *ctx, uint32_t out[16])
{
    for (unsigned l = 0; l < 16; l++)
        out[l] = util_f2u(0.75f);
}

static struct utgard_pp_state state;
static enum isa_numeric numeric;

static struct utgard_pp_report run_lanes(struct world *w, const char *text, uint16_t lanes, uint32_t fuel)
{
    struct util_error error = {0};
    struct utgard_pp_report report;
    struct utgard_pp_program *p;
    uint32_t *words, count;
    if (utgard_pp_asm(text, strlen(text), &words, &count, &error))
        fail_msg("'%s': %s", text, error.text);
    if (utgard_pp_program_create(words, count, &p, &error))
        fail_msg("'%s': %s", text, error.text);
    struct utgard_pp_ports ports = {w,      varying, fragcoord, pointcoord, frontface,
                                    sample, uniform, color,     depth,      numeric};
    unsigned saved = util_fpenv_enter();
    utgard_pp_run(p, &ports, lanes, fuel, &state, &report, NULL, NULL);
    util_fpenv_leave(saved);
    utgard_pp_program_destroy(p);
    free(words);
    return report;
}

static float reg(unsigned n, unsigned c, unsigned lane)
{
    return util_u2f(state.reg[n][c][lane]);
}

/* ---- operations ---- */

/* r1 is (3, -2, 0, 0.25) and r2 (4, 5, -6, 0.75); the result is r0.x. */
#define SET "c0 3.0, -2.0, 0.0, 0.25 ; mov.v1 r1, c0\nc0 4.0, 5.0, -6.0, 0.75 ; mov.v1 r2, c0\n"
static const struct {
    const char *text;
    float out;
} operations[] = {
    {"mul.v0 r0, r1, r2", 12},
    {"mul2.v0 r0, r1, r2", 24},
    {"mul4.v0 r0, r1, r2", 48},
    {"mul8.v0 r0, r1, r2", 96},
    {"div16.v0 r0, r1, r2", 0.75f},
    {"div8.v0 r0, r1, r2", 1.5f},
    {"div4.v0 r0, r1, r2", 3},
    {"div2.v0 r0, r1, r2", 6},
    {"mul.v0 r0, -r1.yyyy, |r2.zzzz|", 12},
    {"mul.v0.sat r0, r1, r2", 1},
    {"mul.v0.sat r0, -r1, r2", 0},
    {"mul.v0.pos r0, -r1, r2", 0},
    {"mul.v0.pos r0, r1, r2", 12},
    {"mul.v0.int r0, r1.wwww, -r2.yyyy", -1},
    {"not.v0 r0, r1.zzzz", 1},
    {"not.v0 r0, r1", 0},
    {"and.v0 r0, r1, r2", 1},
    {"and.v0 r0, r1.zzzz, r2", 0},
    {"or.v0 r0, r1.zzzz, r2", 1},
    {"or.v0 r0, r1.zzzz, r1.zzzz", 0},
    {"xor.v0 r0, r1.zzzz, r2", 1},
    {"xor.v0 r0, r1, r2", 0},
    {"ne.v0 r0, r1, r2", 1},
    {"gt.v0 r0, r1, r2", 0},
    {"gt.v0 r0, r2, r1", 1},
    {"ge.v0 r0, r1, r1", 1},
    {"eq.v0 r0, r1, r1", 1},
    {"min.v0 r0, r1, r2", 3},
    {"max.v0 r0, r1, r2", 4},
    {"mov.v0 r0, -r2", -4},
    {"mul.s0 r0.x, r1.y, r2.z", 12},
    {"add.v1 r0, r1, r2", 7},
    {"fract.v1 r0, -r2.wwww", 0.25f},
    {"floor.v1 r0, -r2.wwww", -1},
    {"ceil.v1 r0, r2.wwww", 1},
    {"ne.v1 r0, r1, r1", 0},
    {"gt.v1 r0, r2, r1", 1},
    {"ge.v1 r0, r1, r2", 0},
    {"eq.v1 r0, r1, r1", 1},
    {"min.v1 r0, r1, r2", 3},
    {"max.v1 r0, r1, r2", 4},
    {"c0 0x7e00, 0x7e00, 0x7e00, 0x7e00 ; min.v0 r0, r1, c0", 3},
    {"c0 0x7e00, 0x7e00, 0x7e00, 0x7e00 ; min.v0 r0, c0, r1", 3},
    {"c0 0x7e00, 0x7e00, 0x7e00, 0x7e00 ; max.v0 r0, r1, c0", 3},
    {"c0 0x7e00, 0x7e00, 0x7e00, 0x7e00 ; max.v0 r0, c0, r1", 3},
    {"c0 0x7e00, 0x7e00, 0x7e00, 0x7e00 ; min.v1 r0, r1, c0", 3},
    {"c0 0x7e00, 0x7e00, 0x7e00, 0x7e00 ; min.v1 r0, c0, r1", 3},
    {"c0 0x7e00, 0x7e00, 0x7e00, 0x7e00 ; max.v1 r0, r1, c0", 3},
    {"c0 0x7e00, 0x7e00, 0x7e00, 0x7e00 ; max.v1 r0, c0, r1", 3},
    {"sum3.v1 r0, r2", 3},
    {"sum4.v1 r0, r2", 3.75f},
    {"add.s1 r0.x, r1.x, -r2.x", -1},
    {"gt.s0 none, r1.x, r2.x ; sel.v1 r0, r1, r2", 4},
    {"gt.s0 none, r2.x, r1.x ; sel.v1 r0, r1, r2", 3},
    {"mul.v0 r3.0, r1, r2 ; add.v1 r0, ^v0, r1", 15},
    {"mul.s0 none, r1.x, r2.x ; add.s1 r0.x, ^s0, r1.x", 15},
    {"rcp.s2 r0.x, r2.x", 0.25f},
    {"mov.s2 r0.x, r2.y", 5},
    {"sqrt.s2 r0.x, r2.x", 2},
    {"rsqrt.s2 r0.x, r2.x", 0.5f},
    {"exp2.s2 r0.x, r1.x", 8},
    {"log2.s2 r0.x, r2.x", 2},
    {"sin.s2 r0.x, r1.w", 1},
    {"cos.s2 r0.x, r1.w", 0},
    {"scale.s2 r0, -r1.x, r2", -12},
    {"atan.s2v r3.xyz, r1.x\natanpart2.s2 r0.x, r3", 1.2490458f},
    {"atan2.s2v r3.xyz, r1.x, -r2.x\nmul.s0 r3.x, r3.x, r3.y\natanpart2.s2 r0.x, r3", 2.4980915f},
    /* stages: varying, uniform, multiplier, accumulator, combiner in one instruction, each sees those before
     */
    {"uniform 1 ; mul.v0 r3, r1, uni ; add.v1 r4, r3, uni ; rcp.s2 r0.x, r4.x", 1.0f / (3 * 4.5f + 4.5f)},
    {"uniform 3.zw ; mov.v1 r0, uni.yxzw", 15.5f},
    {"uniform 3.y ; mov.v1 r0, uni", 13.5f},
    {"uniform 2+r1.x ; mov.v1 r0, uni", 20.5f},
    {"var r0.x, v1.y", 5},
    {"var r0.xy, v1", 4},
    {"var.w r0, v1", 4.0f / 7},
    {"var.z r0, r1", INFINITY},
    {"var.w r0, r1", 12},
    {"cube r0, r2", -4.0f / -6},
    {"normalize r0.xyz, r2", 0.455842f},
    {"fragcoord r3\nmov.v1 r0, r3.zzzz", 200},
    {"pointcoord r0.xy", 0.25f},
    {"frontface r0.x", 1},
    {"fbcolor r3\nmov.v1 r0, r3.wwww", 3},
    {"fbdepth r0", 0.75f},
    {"store 9, r2\ntemp 9 ; mov.v1 r0, uni.yyyy", 5},
    {"store 9.zw, r2.zw\ntemp 9 ; mov.v1 r0, uni.wwww", 0.75f},
    {"store 9.y, r2.w\ntemp 9 ; mov.v1 r0, uni.yyyy", 0.75f},
    {"store -9.y, r2.w\ntemp -9 ; mov.v1 r0, uni.yyyy", 0.75f},
    {"store -2, r2\ntemp -5+r1.x ; mov.v1 r0, uni.yyyy", 5},
    {"store -512, r2\ntemp -512 ; mov.v1 r0, uni.yyyy", 5},
    {"store 9+r1.x, r2\ntemp 12 ; mov.v1 r0, uni", 4},
    {"var coords.xy, v0.xy ; tex2d 3 ; mov.v1 r0, tex.zzzz ; sync", 3},
    {"var coords.xy, v0.xy ; tex2d 3+r1.x ; mov.v1 r0, tex ; sync", 4},
};

static void operations_compute(void **unused)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(operations); n++) {
        struct world w = {.base = {0, 1, 2, 3, 4, 5, 6, 7}};
        char text[512];
        snprintf(text, sizeof text, SET "%s\nnop ; stop\n", operations[n].text);
        struct utgard_pp_report report = run_lanes(&w, text, 0xffff, 0);
        assert_int_equal(report.fault, 0);
        float got = reg(0, 0, 0), out = operations[n].out;
        if (got != out && !(fabsf(got - out) <= 2e-6f * fmaxf(fabsf(out), 0.5f)))
            fail_msg("'%s' gives %g, expected %g", operations[n].text, got, out);
    }
}

static void masks_and_swizzles(void **unused)
{
    struct world w = {.base = {0}};
    run_lanes(&w, SET "mov.v1 r0, r2\nmul.v0 r0.yw, r1.wzyx, r2.xxxx ; stop", 0xffff, 0);
    assert_true(reg(0, 0, 3) == 4 && reg(0, 1, 3) == 0 && reg(0, 2, 3) == -6 && reg(0, 3, 3) == 12);
}

/* ---- quads ---- */

/* v0.x grows by 1 a lane: 1 to the right, 2 upward. */
static void derivatives_differ(void **unused)
{
    struct world w = {.step = {1}};
    run_lanes(&w, "var r1.x, v0.x\ndfdx.v1 r0.x, r1, -r1 ; dfdy.s1 r2.x, -r1.x, r1.x ; sync ; stop", 0xffff,
              0);
    for (unsigned l = 0; l < 16; l++)
        assert_true(reg(0, 0, l) == 1 && reg(2, 0, l) == 2);
    /* a lane that is not there counts as the first of its quad that is */
    run_lanes(&w, "var r1.x, v0.x\ndfdx.v1 r0.x, r1, -r1 ; sync ; stop", 0xfffd, 0);
    assert_true(reg(0, 0, 0) == 0 && reg(0, 0, 2) == 1 && reg(0, 0, 4) == 1);
}

static void samplers_get_whole_quads(void **unused)
{
    struct world w = {.base = {10, 20}, .step = {1, 2}};
    run_lanes(&w, "var coords.xy, v0.xy ; tex2d 1, bias r2.x ; mov.v1 r0, tex ; sync ; stop", 0xfffe, 0);
    assert_true(w.sampled.has_lod && w.sampled.n == 0);
    assert_true(util_u2f(w.sampled.coordinates[0][0]) == 11 && util_u2f(w.sampled.coordinates[1][0]) == 22);
    assert_true(util_u2f(w.sampled.coordinates[0][5]) == 15);
}

/* ---- control ---- */

static void lanes_part_and_meet(void **unused)
{
    /* lanes 0..7: r0.x = 1; others 2; all: r0.y = 9 */
    static const char text[] = "c0 7.5, 1.0, 2.0, 9.0 ; var r1.x, v0.x\n"
                               "c0 7.5, 1.0, 2.0, 9.0 ; branch.gt r1.x, c0.x, high\n"
                               "c0 7.5, 1.0, 2.0, 9.0 ; mov.s1 r0.x, c0.y ; branch both\n"
                               "high: c0 7.5, 1.0, 2.0, 9.0 ; mov.s1 r0.x, c0.z\n"
                               "both: c0 7.5, 1.0, 2.0, 9.0 ; mov.s1 r0.y, c0.w ; stop\n";
    struct world w = {.step = {1}};
    struct utgard_pp_report report = run_lanes(&w, text, 0xffff, 0);
    assert_int_equal(report.executed, 5);
    for (unsigned l = 0; l < 16; l++)
        assert_true(reg(0, 0, l) == (l < 8 ? 1 : 2) && reg(0, 1, l) == 9);
}

static void loops_cost_fuel(void **unused)
{
    /* lane l goes round l + 1 times */
    static const char text[] =
        "var r1.x, v0.x\n"
        "again: c0 1.0, 0.0, 0.0, 0.0 ; add.s1 r0.x, r0.x, c0.x\n"
        "c0 1.0, 0.0, 0.0, 0.0 ; add.s1 r1.x, r1.x, -c0.x ; branch.ge r1.x, c0.y, again\n"
        "nop ; stop\n";
    struct world w = {.step = {1}};
    assert_int_equal(run_lanes(&w, text, 0xffff, 30).fault, UTGARD_PP_OK);
    for (unsigned l = 0; l < 16; l++)
        assert_true(reg(0, 0, l) == (float)(l + 1));
    struct utgard_pp_report report = run_lanes(&w, text, 0xffff, 29);
    assert_int_equal(report.fault, UTGARD_PP_FAULT_FUEL);
    assert_int_equal(report.lane, 15);
}

static void discards_end_lanes(void **unused)
{
    static const char text[] = "c0 7.5, 1.0, 0.0, 0.0 ; var r1.x, v0.x ; branch.lt r1.x, c0.x, keep\n"
                               "discard\n"
                               "keep: c0 7.5, 1.0, 0.0, 0.0 ; mov.s1 r0.x, c0.y ; stop\n";
    struct world w = {.step = {1}};
    run_lanes(&w, text, 0xffff, 0);
    assert_int_equal(state.live, 0x00ff);
    assert_true(reg(0, 0, 7) == 1 && reg(0, 0, 8) == 0);
    run_lanes(&w, text, 0x0ff0, 0);
    assert_int_equal(state.live, 0x00f0);
}

static void faults_name_the_place(void **unused)
{
    static const struct {
        const char *text;
        enum utgard_pp_fault fault;
        uint32_t at, lane;
    } rows[] = {
        {"nop\nop18.v0 r0, r1, r1 ; stop", UTGARD_PP_FAULT_RESERVED, 1, 2},
        {"op1.v1 r0, r1, r1 ; stop", UTGARD_PP_FAULT_RESERVED, 0, 2},
        {"op12.s2 r0.x, r1.x, r1.x ; stop", UTGARD_PP_FAULT_RESERVED, 0, 2},
        {"mov.v1 c0, r1 ; stop", UTGARD_PP_FAULT_RESERVED, 0, 2},
        {"uniform 16 ; stop", UTGARD_PP_FAULT_ADDRESS, 0, 0},
        {"var r0, v2 ; stop", UTGARD_PP_FAULT_ADDRESS, 0, 0},
        {"temp 512 ; stop", UTGARD_PP_FAULT_ADDRESS, 0, 2},
        {"temp -513 ; stop", UTGARD_PP_FAULT_ADDRESS, 0, 2},
        {"c0 -1.0, 0.0, 0.0, 0.0 ; store -512+c0.x, r1 ; stop", UTGARD_PP_FAULT_ADDRESS, 0, 2},
    };
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct world w = {.base = {0}};
        struct utgard_pp_report report = run_lanes(&w, rows[n].text, 0xfffc, 0);
        if (report.fault != rows[n].fault || report.at != rows[n].at || report.lane != rows[n].lane)
            fail_msg("'%s': fault %d at %u, lane %u", rows[n].text, report.fault, report.at, report.lane);
    }
}

/* ---- functions ---- */

static void functions_are_close(void **unused)
{
    double worst[3] = {0};
    unsigned saved = util_fpenv_enter();
    for (int n = -40000; n <= 40000; n++) {
        float x = (float)n / 9973;
        worst[0] = fmax(worst[0], fabs(util_u2f(isa_sin_turns(util_f2u(x))) - sin(2 * M_PI * (double)x)));
        worst[1] = fmax(worst[1], fabs(util_u2f(isa_cos_turns(util_f2u(x))) - cos(2 * M_PI * (double)x)));
        worst[2] = fmax(worst[2], fabs(util_u2f(isa_atan(util_f2u(x * 7))) - atan((double)(x * 7))));
    }
    assert_int_equal(isa_sin_turns(0x7f800000), ISA_NAN);
    assert_int_equal(isa_atan(0x7fc00001), ISA_NAN);
    assert_int_equal(isa_atan(0xff800000), 0xbfc90fdb);
    assert_int_equal(isa_exp2(util_f2u(10.0f)), util_f2u(1024.0f));
    assert_int_equal(isa_log2(util_f2u(0.125f)), util_f2u(-3.0f));
    util_fpenv_leave(saved);
    if (worst[0] > 2e-6 || worst[1] > 2e-6 || worst[2] > 3e-7)
        fail_msg("errors %g %g %g", worst[0], worst[1], worst[2]);
}

/* ---- halves ---- */

/* Varyings v0.x = 1 + 2^-12 and v0.y = 2049 are no halves: 1 and, the tie going to even, 2048 are. */
static void registers_are_halves(void **unused)
{
    static const struct {
        const char *text;
        float single, half;
    } rows[] = {
        {"var r0.x, v0.x", 1.000244140625f, 1.0f},
        {"var r0.x, v0.y", 2049, 2048},
        {"var.w r0, v0", 1.000244140625f * (1.0f / 3), 0.33349609375f},
        {"var coords, v0 ; tex2d 0 ; mov.v1 r0, tex.wwww", 4, 4},
        {"c0 0.1, 1.0, 0.0, 0.0 ; mul.v0 r0, c0, c0", 0.00999511778355f, 0.00999450683594f},
        {"c0 2047.0, 2.5, 0.0, 0.0 ; add.s1 r0.x, c0.x, c0.y", 2049.5f, 2050},
        {"c0 2048.0, 1.0, 0.0, 0.0 ; sum3.v1 r0, c0.xyyw", 2050, 2050},
        {"c0 2048.0, 1.0, 1.0, 0.0 ; mul.v0 r1, c0, c0.yyyy ; sum3.v1 r0, ^v0", 2050, 2050},
        {"c0 3.0, 0.0, 0.0, 0.0 ; rcp.s2 r0.x, c0.x", 1.0f / 3, 0.333251953125f},
        {"c0 60000.0, 0.0, 0.0, 0.0 ; add.v1 r0, c0, c0", 120000, INFINITY},
        {"c0 0x0400, 0.5, 0.0, 0.0 ; mul.s0 r0.x, c0.x, c0.y", 0x1p-15f, 0},
        {"c0 0x0400, 0.5, 0.0, 0.0 ; mul.s0 r0.x, c0.x, c0.y ; rcp.s2 r0.x, r0.x", 32768, INFINITY},
        {"c0 0x03ff, 1.0, 0.0, 0.0 ; mov.v1 r0, c0", 0, 0},
        /* what an accumulator takes from its multiplier is whole, what either writes is not */
        {"c0 2047.0, 1.5, -3070.0, 0.0 ; mul.s0 none, c0.x, c0.y ; add.s1 r0.x, ^s0, c0.z", 0.5f, 0.5f},
        {"c0 2047.0, 1.5, 0.0, 0.0 ; mul.s0 r0.x, c0.x, c0.y", 3070.5f, 3070},
        {"c0 2047.0, 1.5, 0.0, 0.0 ; mul.v0 r1, c0.xxxx, c0.yyyy ; mov.v1 r0, ^v0", 3070.5f, 3070},
        {"c0 2047.0, 1.5, 4096.0, 0.0 ; mul.s0 none, c0.x, c0.y ; min.s1 r0.x, ^s0, c0.z", 3070.5f, 3070},
        {"c0 0x1400, 1.0, 0.0, 0.0 ; mul.v0 r1, c0.xxxx, c0.xxxx ; sum4.v1 r0, ^v0", 0x1p-18f, 0},
        {"c0 0x1c00, 1.0, 0.0, 0.0 ; mul.v0 r1, c0.xxxx, c0.xxxx ; sum4.v1 r0, ^v0", 0x1p-14f, 0x1p-14f},
        /* functions are cut, roots rounded */
        {"c0 17.0, 0.0, 0.0, 0.0 ; rcp.s2 r0.x, c0.x", 1.0f / 17, 0.058807373046875f},
        {"c0 3.0, 0.0, 0.0, 0.0 ; sqrt.s2 r0.x, c0.x", 1.73205077648f, 1.732421875f},
    };
    for (unsigned n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct world w = {.base = {1.000244140625f, 2049, 0, 3}};
        for (numeric = ISA_FAST; numeric < ISA_NUMERIC_COUNT; numeric++) {
            float expected = numeric == ISA_EXACT ? rows[n].half : rows[n].single;
            char text[256];
            snprintf(text, sizeof text, "%s ; stop", rows[n].text);
            struct utgard_pp_report report = run_lanes(&w, text, 0xffff, 0);
            if (report.fault || reg(0, 0, 0) != expected)
                fail_msg("'%s', %s: %.9g, not %.9g", rows[n].text, isa_numeric_name(numeric), reg(0, 0, 0),
                         expected);
        }
    }
    numeric = ISA_FAST;
}

/* A varying reaches the sampler as it is; by way of a register as a half. */
static void coordinates_keep_more(void **unused)
{
    struct world w = {.base = {1.000244140625f}};
    numeric = ISA_EXACT;
    run_lanes(&w, "var r0.x, v0.x ; tex2d 0 ; stop", 0xffff, 0);
    assert_float_equal(reg(0, 0, 0), 1, 0);
    assert_float_equal(util_u2f(w.sampled.coordinates[0][0]), 1.000244140625f, 0);
    run_lanes(&w, "var r0.x, v0.x\nvar coords, r0 ; tex2d 0 ; stop", 0xffff, 0);
    assert_float_equal(util_u2f(w.sampled.coordinates[0][0]), 1, 0);
    numeric = ISA_FAST;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_compute),    cmocka_unit_test(masks_and_swizzles),
        cmocka_unit_test(derivatives_differ),    cmocka_unit_test(samplers_get_whole_quads),
        cmocka_unit_test(lanes_part_and_meet),   cmocka_unit_test(loops_cost_fuel),
        cmocka_unit_test(discards_end_lanes),    cmocka_unit_test(faults_name_the_place),
        cmocka_unit_test(functions_are_close),   cmocka_unit_test(registers_are_halves),
        cmocka_unit_test(coordinates_keep_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
