/* Midgard's arithmetic against what the documents and README.md say: operations in every mode, operands and results,
 * the order of a bundle. */
#include "tests/isa/midgard_ports.h"

/* ---- operations ---- */

/* r1 is 3, -2, 0, 0.25; r2 is 4, 5, -6, 0.75. */
#define FIRST "vmul.imov.32 r1, r24, r26 ; const 0x40400000, 0xc0000000, 0x0, 0x3e800000 ; next alu2\n"
#define SECOND                                                                                               \
    "vmul.imov.32 r2, r24, r26 ; const 0x40800000, 0x40a00000, 0xc0c00000, 0x3f400000 ; next alu1\n"

/* What r0.x becomes. */
static const struct {
    const char *text;
    float out;
} singles[] = {
    {"vadd.fadd.32 r0, r1, r2", 7},
    {"vadd.fadd.32 r0, -r1, -r2", -7},
    {"vmul.fmul.32 r0, r1, r2", 12},
    {"vmul.fmul.32 r0, -r1.yyyy, |r2.zzzz|", 12},
    {"vmul.fmul.32 r0, -|r1.yyyy|, r2", -8},
    {"vmul.fmul.32 r0, r1, -#0.5", -1.5f},
    {"vmul.fmul.32.sat r0, r1, r2", 1},
    {"vmul.fmul.32.sat1 r0, r1.yyyy, r2", -1},
    {"vmul.fmul.32.pos r0, r1.yyyy, r2", 0},
    {"vmul.fmul.32.sat r0, r1, #0x7e00", 0},
    {"vmul.fmul.32.sat1 r0, r1, #0x7e00", -1},
    {"vmul.fmin.32 r0, r1, r2", 3},
    {"vmul.fmax.32 r0, r1, r2.zzzz", 3},
    {"vmul.fmin.32 r0, r1, #0x7e00", 3},
    {"vmul.fabsmin.32 r0, r1.yyyy, r2", 2},
    {"vmul.fabsmax.32 r0, r1.yyyy, r2.zzzz", 6},
    {"vmul.fmov.32 r0, r24, -r2", -4},
    {"vadd.froundeven.32 r0, r2.wwww, r2", 1},
    {"vadd.ftrunc.32 r0, r2.wwww, r2", 0},
    {"vadd.ffloor.32 r0, -r2.wwww, r2", -1},
    {"vadd.fceil.32 r0, r2.wwww, r2", 1},
    {"vadd.froundaway.32 r0, r2.wwww, r2", 1},
    {"vlut.ffma.32 r0, r1, r2.wwww", -5.25f},
    {"vmul.fdot3.32 r0, r1, r2", 2},
    {"vmul.fdot3r.32 r0, r1, r2", 2},
    {"vmul.fdot4.32 r0, r1, r2", 2.1875f},
    {"vmul.freduce.32 r0, r2, r2", 3.75f},
    {"vlut.frcp.32 r0, r2, #0.0", 0.25f},
    {"vlut.frsqrt.32 r0, r2, #0.0", 0.5f},
    {"vlut.fsqrt.32 r0, r2, #0.0", 2},
    {"vlut.fexp2.32 r0, r1, #0.0", 8},
    {"vlut.flog2.32 r0, r2, #0.0", 2},
    {"vlut.fsinpi.32 r0, r1.zzzz, #0.0", 0},
    {"vlut.fcospi.32 r0, r1, #0.0", -1},
    {"vlut.fatan2_pt1.32 r0, -r1, r1.yyyy", -3.14159274f},
    {"vlut.fatan2_pt2.32 r0, r1, #0.0", 3},
    {"vadd.i2f_rte.32 r0, r1, r2", 1077936128.0f},
    {"vadd.u2f_rte.32 r0, r1.yyyy, r2", 3221225472.0f},
    {"sadd.fadd.full r0.x, r1.x, r2.y", 8},
    {"smul.fmul.full.sat r0.x, r1.x, r2.y", 1},
    {"smul.fmul.full r0.x, r1.x, #-0.5", -1.5f},
    {"sadd.fadd.full r0.x, r1.h1, r2.h1",
     4.375f}, /* upper halves of 3 and 4: 2.125 and 2.25: 0x4040, 0x4080 */
    {"vadd.fadd.32 r0, r1.el, r2.yyyy.el", 2.25f},
};

static void check_single(const char *text, float expected)
{
    char whole[1000];
    snprintf(whole, sizeof whole, FIRST SECOND "%s ; stop", text);
    struct midgard_report report = run(whole);
    if (report.fault || util_u2f(word(0, 0, 5)) != expected)
        fail_msg("'%s': fault %u, %.9g, not %.9g", text, report.fault, util_u2f(word(0, 0, 5)), expected);
}

static void test_singles(void **unused)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(singles); n++)
        check_single(singles[n].text, singles[n].out);
}

/* r1 is 0x00010203, 0x84858687, 0xffffffff, 0x7fff8000 and r2 2, 0x80000000, 33, 0x00ff00ff: what r0 becomes. */
#define INTS_1 "vmul.imov.32 r1, r24, r26 ; const 0x10203, 0x84858687, 0xffffffff, 0x7fff8000 ; next alu2\n"
#define INTS_2 "vmul.imov.32 r2, r24, r26 ; const 0x2, 0x80000000, 0x21, 0xff00ff ; next alu1\n"
static const struct {
    const char *text;
    uint32_t out[4];
} ints[] = {
    {"vmul.iadd.32 r0, r1, r2", {0x10205, 0x04858687, 0x20, 0x80fe80ff}},
    {"vmul.ishladd.32 r0, r1, r2", {0x20408, 0x890b0d0e, 0x1f, 0x00fe00ff}},
    {"vmul.isub.32 r0, r1, r2", {0x10201, 0x04858687, 0xffffffde, 0x7f007f01}},
    {"vmul.ishlsub.32 r0, r1, r2", {0x20404, 0x890b0d0e, 0xffffffdd, 0xfeffff01}},
    {"vadd.iaddsat.32 r0, r1, r2", {0x10205, 0x80000000, 0x20, 0x7fffffff}},
    {"vadd.uaddsat.32 r0, r1, r2", {0x10205, 0xffffffff, 0xffffffff, 0x80fe80ff}},
    {"vadd.isubsat.32 r0, r1, r2", {0x10201, 0x04858687, 0xffffffde, 0x7f007f01}},
    {"vadd.usubsat.32 r0, r2, r1", {0, 0, 0, 0}},
    {"vmul.imul.32 r0, r1, r2.xxxx", {0x20406, 0x090b0d0e, 0xfffffffe, 0xffff0000}},
    {"vmul.iwmul.32 r0, r1, r1", {0x203 * 0x203, 0x7979u * 0x7979u, 1, 0x40000000}},
    {"vmul.uwmul.32 r0, r1, r1", {0x203 * 0x203, 0x8687u * 0x8687u, 0xfffe0001, 0x40000000}},
    {"vmul.iuwmul.32 r0, r1, r1", {0x203 * 0x203, 0u - 0x7979u * 0x8687u, 0xffff0001, 0xc0000000}},
    {"vmul.imin.32 r0, r1, r2", {2, 0x80000000, 0xffffffff, 0xff00ff}},
    {"vmul.umax.32 r0, r1, r2", {0x10203, 0x84858687, 0xffffffff, 0x7fff8000}},
    {"vadd.iavg.32 r0, r1, r2", {0x8102, 0x8242c343, 16, 0x407f407f}},
    {"vadd.uravg.32 r0, r1, r2", {0x8103, 0x8242c344, 0x80000010, 0x407f4080}},
    {"vadd.iasr.32 r0, r1, r2.xxxx", {0x4080, 0xe12161a1, 0xffffffff, 0x1fffe000}},
    {"vadd.ilsr.32 r0, r1, r2", {0x4080, 0x84858687, 0x7fffffff, 0}},
    {"vadd.ishl.32 r0, r1, #4", {0x102030, 0x48586870, 0xfffffff0, 0xfff80000}},
    {"vadd.ishlsat.32 r0, r1, #4", {0x102030, 0x80000000, 0xfffffff0, 0x7fffffff}},
    {"vadd.ushlsat.32 r0, r1, #4", {0x102030, 0xffffffff, 0xffffffff, 0xffffffff}},
    {"vmul.iandnot.32 r0, r1, r2", {0x10201, 0x04858687, 0xffffffde, 0x7f008000}},
    {"vmul.inor.32 r0, r1, #0", {0xfffefdfc, 0x7b7a7978, 0, 0x80007fff}},
    {"vadd.iclz.32 r0, r1, #0", {15, 0, 0, 1}},
    {"vadd.ipopcnt.32 r0, r1, #0", {4, 12, 32, 16}},
    {"vadd.iabsdiff.32 r0, r1, r2", {0x10201, 0x04858687, 34, 0x7f007f01}},
    {"vadd.uabsdiff.32 r0, r1, r2", {0x10201, 0x04858687, 0xffffffde, 0x7f007f01}},
    {"vadd.ichoose.32 r0, r1, r2", {0xffffffff, 0x10203, 0x84858687, 0x7fff8000}},
    {"vmul.ieq.32 r0, r1, #-1", {0, 0, ~0u, 0}},
    {"vmul.ult.32 r0, r2, r1", {~0u, ~0u, ~0u, ~0u}},
    {"vmul.ilt.32 r0, r1, r2", {0, 0, ~0u, 0}},
    {"vmul.iball_eq.32 r0, r1, r1", {~0u, ~0u, ~0u, ~0u}},
    {"vmul.iball_neq.32 r0, r1, r1.xxxx", {0, 0, 0, 0}},
    {"vmul.ibany_lt.32 r0, r1, r2", {~0u, ~0u, ~0u, ~0u}},
    /* the same bits as bytes and halves */
    {"vmul.iadd.8 r0, r1, #1", {0x01020304, 0x85868788, 0, 0x80008101}},
    {"vmul.iadd.16 r0, r1, #1", {0x20204, 0x84868688, 0, 0x80008001}},
    {"vmul.iadd.64 r0, r1, #1", {0x10204, 0x84858687, 0, 0x7fff8001}},
};

static void test_ints(void **unused)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(ints); n++) {
        char text[1000];
        snprintf(text, sizeof text, INTS_1 INTS_2 "%s ; stop", ints[n].text);
        struct midgard_report report = run(text);
        for (unsigned c = 0; c < 4; c++)
            if (report.fault || word(0, c, 5) != ints[n].out[c])
                fail_msg("'%s': fault %u, %c is %08x, not %08x", ints[n].text, report.fault, "xyzw"[c],
                         word(0, c, 5), ints[n].out[c]);
    }
}

/* ---- operands and results ---- */

/* r1 has bytes 0 to 15, but 0x80 in byte 3; r0 is all ones before. */
#define BYTES                                                                                                \
    "vmul.imov.32 r1, r24, r26 ; const 0x80020100, 0x7060504, 0xb0a0908, 0xf0e0d0c ; next alu1\n"            \
    "vmul.imov.32 r0, r24, #-1 ; next alu1\n"
static const struct {
    const char *text;
    uint32_t out[4];
} moves[] = {
    {"vmul.imov.16 r0, r24, r1.yxwz", {0x01008002, 0x05040706, 0x09080b0a, 0x0d0c0f0e}},
    {"vmul.imov.16 r0, r24, r1.rl", {0x80020100, 0x07060504, 0x80020100, 0x07060504}},
    {"vmul.imov.16 r0, r24, r1.rh", {0x0b0a0908, 0x0f0e0d0c, 0x0b0a0908, 0x0f0e0d0c}},
    {"vmul.imov.16 r0, r24, r1.swap", {0x0b0a0908, 0x0f0e0d0c, 0x80020100, 0x07060504}},
    {"vmul.imov.16 r0, r24, r1.el", {0x00010000, 0xff800002, 0x00050004, 0x00070006}},
    {"vmul.imov.16 r0, r24, r1.eh.shl", {0x09000800, 0x0b000a00, 0x0d000c00, 0x0f000e00}},
    {"vmul.imov.16 r0, r24, r1.els.zx", {0x00050004, 0x00070006, 0x00010000, 0x00800002}},
    {"vmul.imov.16 r0, r24, r1.ehs.rep", {0x0d0d0c0c, 0x0f0f0e0e, 0x09090808, 0x0b0b0a0a}},
    {"vmul.imov.8 r0, r24, r1.yxwz", {0x01008002, 0x05040706, 0x09080b0a, 0x0d0c0f0e}},
    {"vmul.imov.8 r0, r24, r1.xxxx.swap", {0x09080908, 0x09080908, 0x01000100, 0x01000100}},
    {"vmul.imov.32 r0, r24, r1.el", {0x00000100, 0xffff8002, 0x00000504, 0x00000706}},
    {"vmul.imov.32 r0, r24, r1.wzyx.eh.shl", {0x0f0e0000, 0x0d0c0000, 0x0b0a0000, 0x09080000}},
    {"vmul.imov.64 r0, r24, r1.zwxy", {0x0b0a0908, 0x0f0e0d0c, 0x80020100, 0x07060504}},
    {"vmul.imov.64 r0, r24, r1.yxwz", {0x07060504, 0x80020100, 0x0f0e0d0c, 0x0b0a0908}},
    {"vmul.imov.64 r0, r24, r1.el", {0x80020100, 0xffffffff, 0x07060504, 0}},
    {"vmul.imov.64 r0, r24, r1.zwxy.eh", {0x0f0e0d0c, 0, 0x0b0a0908, 0}},
    /* masks */
    {"vmul.imov.32 r0.yw, r24, r1", {~0u, 0x07060504, ~0u, 0x0f0e0d0c}},
    {"vmul.imov.16 r0.xh, r24, r1", {0xffff0100, ~0u, ~0u, 0x0f0effff}},
    {"vmul.imov.8 r0.m81, r24, r1", {0xffff0100, ~0u, ~0u, 0x0f0effff}},
    {"vmul.imov.64 r0.y, r24, r1", {~0u, ~0u, 0x0b0a0908, 0x0f0e0d0c}},
    {"vmul.imov.32 r0.m02, r24, r1", {0x8002ffff, ~0u, ~0u, ~0u}},
    /* narrow results */
    {"vmul.imov.32.lo r0, r24, r1", {0x05040100, 0x0d0c0908, ~0u, ~0u}},
    {"vmul.imov.32.hi r0, r24, r1", {~0u, ~0u, 0x05040100, 0x0d0c0908}},
    {"vmul.imov.32.high.lo r0, r24, r1", {0x07068002, 0x0f0e0b0a, ~0u, ~0u}},
    {"vmul.imov.32.ssat.lo r0, r24, r1", {0x7fff8000, 0x7fff7fff, ~0u, ~0u}},
    {"vmul.imov.32.usat.lo r0.x, r24, r1", {0xffffffff, ~0u, ~0u, ~0u}},
    {"vmul.imov.32.lo r0.y, r24, r1", {0x0504ffff, ~0u, ~0u, ~0u}},
    {"vmul.imov.16.lo r0, r24, r1", {0x06040200, 0x0e0c0a08, ~0u, ~0u}},
    {"vmul.imov.64.high.hi r0, r24, r1", {~0u, ~0u, 0x07060504, 0x0f0e0d0c}},
    {"vmul.fmov.32.lo r0, r24, #1.5", {0x3e003e00, 0x3e003e00, ~0u, ~0u}},
    /* the upper half of a product of words */
    {"vmul.imul.64.high.lo r0, r1.el.zx, r1.el.zx", {0x40020104, 0x0031546a, ~0u, ~0u}},
    /* scalar units */
    {"smul.imov.full r0.z, r24.x, r1.y", {~0u, ~0u, 0x07060504, ~0u}},
    {"smul.imov.half r0.h1, r24.x, r1.y", {0x0504ffff, ~0u, ~0u, ~0u}},
    {"smul.imov.half.high r0.h6, r24.x, r1.x", {~0u, ~0u, ~0u, 0xffff8002}},
    {"smul.imov.full r0.x, r24.x, r1.h1", {0xffff8002, ~0u, ~0u, ~0u}},
    {"smul.imov.full r0.x, r24.x, r1.h1.zx", {0x8002, ~0u, ~0u, ~0u}},
    {"smul.imov.full r0.x, r24.x, #-5", {0xfffffffb, ~0u, ~0u, ~0u}},
    {"smul.fmov.half r0.h0, r24.x, #1.5", {0xffff3e00, ~0u, ~0u, ~0u}},
    /* immediates */
    {"vmul.imov.16 r0, r24, #-2", {0xfffefffe, 0xfffefffe, 0xfffefffe, 0xfffefffe}},
    {"vmul.imov.8 r0, r24, #258", {0x02020202, 0x02020202, 0x02020202, 0x02020202}},
    {"vmul.imov.64 r0, r24, #-2", {0xfffffffe, ~0u, 0xfffffffe, ~0u}},
    {"vmul.fmov.64 r0, r24, -#1.5", {0, 0xbff80000, 0, 0xbff80000}},
    {"vmul.fmov.16 r0, r24, #1.5", {0x3e003e00, 0x3e003e00, 0x3e003e00, 0x3e003e00}},
};

static void test_moves(void **unused)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(moves); n++) {
        char text[1000];
        snprintf(text, sizeof text, BYTES "%s ; stop", moves[n].text);
        struct midgard_report report = run(text);
        for (unsigned c = 0; c < 4; c++)
            if (report.fault || word(0, c, 5) != moves[n].out[c])
                fail_msg("'%s': fault %u, %c is %08x, not %08x", moves[n].text, report.fault, "xyzw"[c],
                         word(0, c, 5), moves[n].out[c]);
    }
}

/* Uniforms stand from r23 down; r31 is the address behind, and the thread's storage. */
static void test_registers(void **unused)
{
    run("vmul.imov.32 r0, r24, r22 ; vadd.imov.32 r2, r24, r31 ; stop");
    assert_int_equal(word(0, 1, 9), util_f2u(1.25f));
    assert_int_equal(word(2, 0, 9), 32);
    assert_int_equal(word(2, 1, 9), 1);
    assert_int_equal(word(2, 2, 9), 0x309);
    assert_int_equal(word(2, 3, 9), 0x319);
}

/* The first stage reads what was before; the second, and what r24 is. */
static void test_order(void **unused)
{
    run("vmul.imov.32 r0, r24, #1 ; next alu3\n"
        "vmul.iadd.32 r24, r0, #1 ; sadd.iadd.full r0.x, r0.x, #10 ; vadd.iadd.32 r1, r24, r0 ; "
        "smul.iadd.full r2.x, r0.x, r24.x ; next alu1\n"
        "vmul.imov.32 r3, r24, r24 ; stop");
    assert_int_equal(word(0, 0, 0), 11);
    assert_int_equal(word(1, 0, 0), 13);
    assert_int_equal(word(1, 1, 0), 3);
    assert_int_equal(word(2, 0, 0), 13);
    assert_int_equal(word(3, 0, 0), 0); /* another bundle's */
}

static void test_selections(void **unused)
{
    static const char before[] = LANES "vmul.imov.32 r1, r24, #7 ; vadd.imov.32 r2, r24, #9 ; next alu2\n";
    char text[500];
    snprintf(text, sizeof text, "%s%s", before,
             "vmul.flt.32 r31, r5, #2.25 ; vadd.icsel_v.32 r0, r1, r2 ; next alu2\n"
             "vmul.flt.32 r31, r5.xxxx, #1.5 ; vadd.fcsel.32 r3, r1, r2 ; smul.fcsel_v.full r4.y, r1.x, r2.x "
             "; stop");
    assert_int_equal(run(text).fault, MIDGARD_OK);
    assert_int_equal(word(0, 0, 15), 7); /* 1.9375 */
    assert_int_equal(word(0, 1, 3), 7);  /* 2.1875 */
    assert_int_equal(word(0, 1, 4), 9);
    assert_int_equal(word(0, 2, 0), 9);
    assert_int_equal(word(3, 3, 7), 7);
    assert_int_equal(word(3, 0, 8), 9);
    assert_int_equal(word(4, 1, 7), 7);
    snprintf(text, sizeof text, "%s%s", before,
             "vmul.imov.32 r31, r24, #12 ; vadd.icsel_v.32 r0, r1, r2 ; vlut.imov.32 r4, r24, #0 ; stop");
    run(text);
    assert_int_equal(word(0, 0, 0), (7 & 12) | (9 & ~12)); /* bit by bit */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_singles),   cmocka_unit_test(test_ints),  cmocka_unit_test(test_moves),
        cmocka_unit_test(test_registers), cmocka_unit_test(test_order), cmocka_unit_test(test_selections),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
