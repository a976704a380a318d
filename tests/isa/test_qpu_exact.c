/* Exact mode against what was measured on silicon: rows of the tables that VC4C's author recorded on hardware
 * (doe300/VC4C, test/opcode_test.h, opcode_pack_test.h, unpack_test.h), his special function samples
 * (sfu_accuracy.txt), the reciprocals and roots in two articles by ysugi on qiita.com (items
 * e3118ada915d2a6485eb and a24ac7c65db95f0a0a54, a Raspberry Pi 2), and an example in VC4CL's wiki; and cases
 * worked out by hand from the rules that these follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/vc4_qpu/insn.h"
#include "isa/vc4_qpu/interp_internal.h"
#include "isa/vc4_qpu/numeric.h"
#include "util/bits.h"

struct row {
    unsigned op;
    uint32_t a, b, result;
    const char *flags; /* those set, of "nzc" */
};

static void check_row(const struct row *row)
{
    struct vc4_qpu_result r = vc4_qpu_add_op(true, row->op, row->a, row->b);
    bool n = strchr(row->flags, 'n'), z = strchr(row->flags, 'z'), c = strchr(row->flags, 'c');

    if (r.value != row->result || vc4_qpu_flag_n(&r) != n || vc4_qpu_flag_z(&r) != z || r.c != c)
        fail_msg("operation %u of %08x and %08x: %08x%s%s%s, but silicon gives %08x %s", row->op, row->a,
                 row->b, r.value, vc4_qpu_flag_n(&r) ? " n" : "", vc4_qpu_flag_z(&r) ? " z" : "",
                 r.c ? " c" : "", row->result, row->flags);
}

static void test_measured_sums(void **state)
{
    static const struct row rows[] = {
        {VC4_QPU_A_FADD, 0x80000000, 0x80000000, 0x00000000, "z"},
        {VC4_QPU_A_FADD, 0x80000000, 0x7fffffff, 0x7f800000, "c"},
        {VC4_QPU_A_FADD, 0x80000000, 0xffffffff, 0xff800000, "n"},
        {VC4_QPU_A_FADD, 0x7fffffff, 0xffffffff, 0xff800000, "n"},
        {VC4_QPU_A_FADD, 0xffffffff, 0x7fffffff, 0x7f800000, "c"},
        {VC4_QPU_A_FADD, 0xffffffff, 0x3f800000, 0xff800000, "n"},
        {VC4_QPU_A_FADD, 0x00007fff, 0x00008000, 0x00000000, "z"},
        {VC4_QPU_A_FADD, 0x00008000, 0x3f800000, 0x3f800000, "c"},
        {VC4_QPU_A_FADD, 0x70000000, 0x70000000, 0x70800000, "c"},
        {VC4_QPU_A_FADD, 0x70000000, 0x90000000, 0x6fffffff, "c"},
        {VC4_QPU_A_FADD, 0x90000000, 0x90000000, 0x90800000, "n"},
        {VC4_QPU_A_FADD, 0x90000000, 0x3f800000, 0x3f7fffff, "c"},
        {VC4_QPU_A_FADD, 0x90000000, 0xbf800000, 0xbf800000, "n"},
        {VC4_QPU_A_FADD, 0xbf800000, 0x3f800000, 0x00000000, "z"},
        {VC4_QPU_A_FSUB, 0x80000000, 0x7fffffff, 0xff800000, "n"},
        {VC4_QPU_A_FSUB, 0x7fffffff, 0x7fffffff, 0xff800000, "n"},
        {VC4_QPU_A_FSUB, 0x80000000, 0x80000000, 0x00000000, "z"},
        {VC4_QPU_A_FSUB, 0x80000000, 0x90000000, 0x10000000, "c"},
        {VC4_QPU_A_FSUB, 0x3f800000, 0x70000000, 0xefffffff, "n"},
        {VC4_QPU_A_FSUB, 0x90000000, 0xbf800000, 0x3f7fffff, "c"},
        {VC4_QPU_A_FSUB, 0xbf800000, 0x90000000, 0xbf7fffff, "n"},
        {VC4_QPU_A_FSUB, 0x43b35547, 0x40433789, 0x43b1ced7, "c"}, /* VC4CL's wiki; to nearest: ...d8 */
        {VC4_QPU_A_ITOF, 0x80000000, 0, 0xcf000000, "n"},
        {VC4_QPU_A_ITOF, 0x7fffffff, 0, 0x4effffff, "c"},
        {VC4_QPU_A_ITOF, 0x00000000, 0, 0x00000000, "z"},
        {VC4_QPU_A_ITOF, 0xffffffff, 0, 0xbf800000, "n"},
        {VC4_QPU_A_ITOF, 0x00007fff, 0, 0x46fffe00, "c"},
        {VC4_QPU_A_FTOI, 0x7fffffff, 0, 0x00000000, "z"},
        {VC4_QPU_A_FTOI, 0x70000000, 0, 0x00000000, "z"},
        {VC4_QPU_A_FTOI, 0xf0000000, 0, 0x00000000, "z"},
        {VC4_QPU_A_FTOI, 0xbf800000, 0, 0xffffffff, "n"},
        {VC4_QPU_A_FTOI, 0x00007fff, 0, 0x00000000, "z"},
        {VC4_QPU_A_FTOI, 0x4f000000, 0, 0x80000000, "n"}, /* this and the next two: VC4C, OpCodes.h */
        {VC4_QPU_A_FTOI, 0x7f7fffff, 0, 0x80000000, "n"},
        {VC4_QPU_A_FTOI, 0xff7fffff, 0, 0x80000000, "n"},
        {VC4_QPU_A_FTOI, 0x7f800000, 0, 0x00000000, "z"},
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        check_row(&rows[i]);
}

static void test_measured_extremes(void **state)
{
    static const struct row rows[] = {
        {VC4_QPU_A_FMIN, 0x80000000, 0x80000000, 0x80000000, "n"},
        {VC4_QPU_A_FMIN, 0x00000000, 0x80000000, 0x00000000, "z"},
        {VC4_QPU_A_FMIN, 0x80000000, 0x00000000, 0x80000000, "n"},
        {VC4_QPU_A_FMIN, 0x00000001, 0x80000000, 0x80000000, "nc"},
        {VC4_QPU_A_FMIN, 0x80000000, 0xffffffff, 0xffffffff, "nc"},
        {VC4_QPU_A_FMIN, 0x80000000, 0x90000000, 0x90000000, "nc"},
        {VC4_QPU_A_FMIN, 0x7fffffff, 0x80000000, 0x80000000, "nc"},
        {VC4_QPU_A_FMIN, 0x7fffffff, 0x00008000, 0x00008000, "c"},
        {VC4_QPU_A_FMIN, 0xffffffff, 0x80000000, 0xffffffff, "n"},
        {VC4_QPU_A_FMIN, 0x00008000, 0x7fffffff, 0x00008000, ""},
        {VC4_QPU_A_FMAX, 0x00000000, 0x80000000, 0x80000000, "n"},
        {VC4_QPU_A_FMAX, 0x80000000, 0x00000000, 0x00000000, "z"},
        {VC4_QPU_A_FMAX, 0x80000000, 0x7fffffff, 0x7fffffff, ""},
        {VC4_QPU_A_FMAX, 0x80000000, 0xffffffff, 0x80000000, "nc"},
        {VC4_QPU_A_FMAX, 0x80000000, 0x00008000, 0x00008000, ""},
        {VC4_QPU_A_FMAX, 0xffffffff, 0x90000000, 0x90000000, "n"},
        {VC4_QPU_A_FMAX, 0x90000000, 0xffffffff, 0x90000000, "nc"},
        {VC4_QPU_A_FMAX, 0x00008000, 0x80000000, 0x00008000, "c"},
        {VC4_QPU_A_FMINABS, 0x7fffffff, 0x80000000, 0x00000000, "cz"},
        {VC4_QPU_A_FMINABS, 0x7fffffff, 0x90000000, 0x10000000, "c"},
        {VC4_QPU_A_FMINABS, 0x90000000, 0x7fffffff, 0x10000000, ""},
        {VC4_QPU_A_FMAXABS, 0xffffffff, 0x7fffffff, 0x7fffffff, ""},
        {VC4_QPU_A_FMAXABS, 0x80000000, 0x90000000, 0x10000000, ""},
        {VC4_QPU_A_FMAXABS, 0x90000000, 0x80000000, 0x10000000, "c"},
        {VC4_QPU_A_FMAXABS, 0x80000000, 0x80000000, 0x00000000, "z"},
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        check_row(&rows[i]);
}

static void test_measured_products(void **state)
{
    static const uint32_t rows[][3] = {
        {0x80000000, 0x80000000, 0x00000000}, {0x80000000, 0x7fffffff, 0x00000000},
        {0x7fffffff, 0x00008000, 0x00000000}, {0x7fffffff, 0x7fffffff, 0x7f800000},
        {0x7fffffff, 0xffffffff, 0xff800000}, {0xffffffff, 0xbf800000, 0x7f800000},
        {0x70000000, 0x70000000, 0x7f800000}, {0x70000000, 0xf0000000, 0xff800000},
        {0x70000000, 0x90000000, 0xc0800000}, {0x90000000, 0x90000000, 0x00000000},
        {0x90000000, 0xbf800000, 0x10000000}, {0x3f800000, 0xbf800000, 0xbf800000},
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        assert_int_equal(vc4_qpu_mul_op(true, VC4_QPU_M_FMUL, rows[i][0], rows[i][1]).value, rows[i][2]);
}

enum { PACK_16A = 1, PACK_8A = 4, SATURATING = 8 };

/* Result and the packs 32s, 16as, 16a, 8as, 8a; in both modes. */
static void test_measured_integer_packs(void **state)
{
    static const struct {
        unsigned op;
        uint32_t a, b, saturated, half_s, half, byte_s, byte;
    } rows[] = {
        {VC4_QPU_A_ADD, 0x80000000, 0x80000000, 0x80000000, 0x8000, 0x8000, 0x00, 0x00},
        {VC4_QPU_A_ADD, 0x80000000, 0x7fffffff, 0xffffffff, 0xffff, 0xffff, 0x00, 0xff},
        {VC4_QPU_A_ADD, 0x80000000, 0xffffffff, 0x80000000, 0x0000, 0x8000, 0x00, 0x00},
        {VC4_QPU_A_ADD, 0x80000000, 0x00000001, 0x80000001, 0x8000, 0x0001, 0x00, 0x01},
        {VC4_QPU_A_ADD, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fff, 0x7fff, 0x00, 0xff},
        {VC4_QPU_A_ADD, 0x7fffffff, 0x00000001, 0x7fffffff, 0x0000, 0x7fff, 0x00, 0xff},
        {VC4_QPU_A_ADD, 0x00007fff, 0x00007fff, 0x0000fffe, 0x7fff, 0xfffe, 0xff, 0xfe},
        {VC4_QPU_A_ADD, 0x0000007f, 0x00000080, 0x000000ff, 0x00ff, 0x00ff, 0xff, 0xff},
        {VC4_QPU_A_SUB, 0x80000000, 0x7fffffff, 0x7fffffff, 0x7fff, 0x7fff, 0xff, 0xff},
        {VC4_QPU_A_SUB, 0x80000000, 0x00000001, 0x7fffffff, 0x7fff, 0x7fff, 0xff, 0xff},
        {VC4_QPU_A_SUB, 0x7fffffff, 0x80000000, 0x80000000, 0x8000, 0x8000, 0x00, 0x00},
        {VC4_QPU_A_SUB, 0x00000000, 0x80000000, 0x80000000, 0x8000, 0x8000, 0x00, 0x00},
        {VC4_QPU_A_SUB, 0x7fffffff, 0x00000001, 0x7ffffffe, 0x7fff, 0xfffe, 0xff, 0xfe},
        {VC4_QPU_A_SUB, 0x0000007f, 0x00000080, 0xffffffff, 0xffff, 0xffff, 0x00, 0xff},
    };

    for (size_t k = 0; k < 2 * UTIL_ARRAY_SIZE(rows); k++) {
        size_t i = k / 2;
        struct vc4_qpu_result r = vc4_qpu_add_op(k % 2, rows[i].op, rows[i].a, rows[i].b);
        assert_int_equal(vc4_qpu_pack_a(SATURATING, &r, 0), rows[i].saturated);
        assert_int_equal(vc4_qpu_pack_a(SATURATING | PACK_16A, &r, 0), rows[i].half_s);
        assert_int_equal(vc4_qpu_pack_a(PACK_16A, &r, 0x12340000), 0x12340000 | rows[i].half);
        assert_int_equal(vc4_qpu_pack_a(SATURATING | PACK_8A, &r, 0), rows[i].byte_s);
        assert_int_equal(vc4_qpu_pack_a(PACK_8A, &r, 0), rows[i].byte);
    }
}

/* Measured: NaN, zero, overflow, denormal halves; by hand from "always away from zero": the others. */
static void test_halves_out(void **state)
{
    static const uint32_t rows[][2] = {
        {0x7fffffff, 0x7c00}, {0xffffffff, 0xfc00}, {0x80000000, 0x0000}, {0x00008000, 0x0000},
        {0x90000000, 0x0000}, {0x70000000, 0x7c00}, {0xf0000000, 0xfc00}, {0x3f800000, 0x3c00},
        {0xbf800000, 0xbc00}, {0x3f800001, 0x3c01}, {0xbf800001, 0xbc01}, {0x3f801fff, 0x3c01},
        {0x3f802000, 0x3c01}, {0x3f802001, 0x3c02}, {0x3f7fffff, 0x3c00}, {0x387fc000, 0x0000},
        {0x387fe001, 0x0400}, {0x38800000, 0x0400}, {0x477fe000, 0x7bff}, {0x477fe001, 0x7c00},
        {0xc77fe000, 0xfbff},
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        struct vc4_qpu_result r = vc4_qpu_add_op(true, VC4_QPU_A_FMIN, rows[i][0], rows[i][0]);
        assert_int_equal(vc4_qpu_pack_a(PACK_16A, &r, 0), rows[i][1]);
    }
}

static void test_measured_unpacks(void **state)
{
    static const uint32_t halves[][2] = {
        {0x0000, 0x00000000}, {0x8000, 0x80000000}, {0x7fff, 0x7fffe000}, {0xffff, 0xffffe000},
        {0x0001, 0x00002000}, {0x007f, 0x000fe000}, {0x7000, 0x46000000}, {0x9000, 0xba000000},
        {0x3f80, 0x3ff00000}, {0x4000, 0x40000000},
    };
    static const uint32_t bytes[][2] = {
        {0x00, 0x00000000}, {0x01, 0x3b808080}, {0x3f, 0x3e7cfcfc}, {0x40, 0x3e808080},
        {0x70, 0x3ee0e0e0}, {0x7f, 0x3efefefe}, {0x80, 0x3f008080}, {0x90, 0x3f109090},
        {0xbf, 0x3f3fbfbf}, {0xf0, 0x3f70f0f0}, {0xff, 0x3f800000},
    };

    for (size_t i = 0; i < 2 * UTIL_ARRAY_SIZE(halves); i++)
        assert_int_equal(vc4_qpu_unpack(i % 2, 1, true, halves[i / 2][0]), halves[i / 2][1]);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(bytes); i++)
        assert_int_equal(vc4_qpu_unpack(true, 4, true, bytes[i][0]), bytes[i][1]);
}

/* A byte that becomes a float and is packed again is the same byte. */
static void test_bytes_return(void **state)
{
    for (uint32_t c = 0; c < 256; c++)
        assert_int_equal(vc4_qpu_pack_mul(3, vc4_qpu_unpack(true, 7, true, c << 24), 0), c * 0x01010101u);
}

/* ---- by hand ---- */

static void test_cut_off(void **state)
{
    static const struct row rows[] = {
        {VC4_QPU_A_FADD, 0x3f800000, 0x33ffffff, 0x3f800000, "c"}, /* 1 + just below 2^-23 */
        {VC4_QPU_A_FADD, 0x3f800000, 0x34000000, 0x3f800001, "c"}, /* 1 + 2^-23 */
        {VC4_QPU_A_FSUB, 0x3f800000, 0x00800000, 0x3f7fffff, "c"}, /* 1 - 2^-126 */
        {VC4_QPU_A_FSUB, 0x3f800000, 0x007fffff, 0x3f800000, "c"}, /* 1 - 0 */
        {VC4_QPU_A_FSUB, 0x3f800001, 0x3f7fffff, 0x34400000, "c"}, /* 3 * 2^-24: exact */
        {VC4_QPU_A_FSUB, 0x3f800000, 0x3f000001, 0x3efffffe, "c"}, /* 0.5 - 2^-24: exact */
        {VC4_QPU_A_FSUB, 0x40000000, 0x3f7fffff, 0x3f800000, "c"}, /* 1 + 2^-24 */
        {VC4_QPU_A_FADD, 0x7f7fffff, 0x73000000, 0x7f7fffff, "c"}, /* half a digit above the greatest */
        {VC4_QPU_A_FADD, 0x7f7fffff, 0x73800000, 0x7f800000, "c"}, /* 2^128 */
        {VC4_QPU_A_FSUB, 0x00800001, 0x00800000, 0x00000000, "z"}, /* denormal */
        {VC4_QPU_A_FSUB, 0x80800001, 0x80800000, 0x00000000, "z"},
        {VC4_QPU_A_FTOI, 0xbfffffff, 0, 0xffffffff, "n"}, /* -1.99 */
        {VC4_QPU_A_FTOI, 0x4effffff, 0, 0x7fffff80, ""},
        {VC4_QPU_A_FTOI, 0xcf000000, 0, 0x80000000, "n"},
        {VC4_QPU_A_ITOF, 0x01ffffff, 0, 0x4bffffff, "c"}, /* 2^25 - 1 */
        {VC4_QPU_A_ITOF, 0xfe000001, 0, 0xcbffffff, "n"},
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        check_row(&rows[i]);
    /* (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46; (2 - 2^-23)^2 = 4 - 2^-21 + 2^-46; 3 * float(1/3), below 1 */
    assert_int_equal(vc4_qpu_exact_product(0x3f800001, 0x3f800001).value, 0x3f800002);
    assert_int_equal(vc4_qpu_exact_product(0x3fffffff, 0x3fffffff).value, 0x407ffffe);
    assert_int_equal(vc4_qpu_exact_product(0x40400000, 0x3eaaaaaa).value, 0x3f7fffff);
    /* just below 2^-126 is zero, of whatever sign; just below 2^128 is finite */
    assert_int_equal(vc4_qpu_exact_product(0x00ffffff, 0xbeffffff).value, 0);
    assert_int_equal(vc4_qpu_exact_product(0x5f7fffff, 0x5f800000).value, 0x7f7fffff);
}

/* ---- special functions ---- */

static uint32_t sfu(unsigned waddr, uint32_t x)
{
    return vc4_qpu_sfu(true, waddr, x);
}

static uint32_t twice(unsigned first, unsigned second, uint32_t x)
{
    return sfu(second, sfu(first, x));
}

/* ysugi's samples: twelve of sixteen reciprocals (the copy at hand ends within the twelfth, whose last two
 * digits are taken to be 00 as everywhere), sixteen roots. */
static void test_measured_hex(void **state)
{
    static const uint32_t recips[][2] = {
        {0x71ae7e4b, 0x0d3bcb00}, {0x6ade3b69, 0x14137400}, {0x77c35720, 0x0727c000},
        {0x1129289c, 0x6dc1b800}, {0x391c8cd0, 0x45d15100}, {0x55b1d5a5, 0x29384400},
        {0x47384718, 0x37b1d200}, {0x5b09a410, 0x23ee1200}, {0x311bc955, 0x4dd25700},
        {0x2bd53d28, 0x5319ac00}, {0x3c492ac2, 0x42a2e500}, {0x61f48c2a, 0x1d05ff00},
    };
    static const uint32_t roots[][2] = {
        {0x303f0346, 0x47143000}, {0x4ce817b2, 0x38be1f00}, {0x70ef3918, 0x26bb4200},
        {0x302adb0e, 0x471cb000}, {0x3db9455d, 0x4054cb00}, {0x283c7108, 0x4b153000},
        {0x7d644504, 0x20878d00}, {0x6b804de1, 0x297fb100}, {0x65f82de2, 0x2c37dc00},
        {0x324553ac, 0x4611cc00}, {0x674afaeb, 0x2b8fc000}, {0x4e613483, 0x38087900},
        {0x237f0fe7, 0x4d803d00}, {0x509d743f, 0x36e6d000}, {0x651bdd15, 0x2ca40b00},
        {0x11bf2e63, 0x56517800},
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(recips); i++)
        assert_int_equal(sfu(VC4_QPU_W_SFU_RECIP, recips[i][0]), recips[i][1]);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(roots); i++)
        assert_int_equal(sfu(VC4_QPU_W_SFU_RSQRT, roots[i][0]), roots[i][1]);
}

static void expect_text(const char *what, float x, uint32_t got, const char *expected)
{
    char text[32];
    snprintf(text, sizeof text, "%.6e", util_u2f(got));
    if (strcmp(text, expected) != 0)
        fail_msg("%s of %g: %s, but silicon gives %s", what, x, text, expected);
}

/* VC4C's, as it prints them: seven digits. Columns: recip of recip, exp2 of log2, the square of recip of
 * rsqrt, exp2, log2. */
static void test_measured_decimal(void **state)
{
    static const struct {
        float x;
        const char *recip, *exp_log, *root, *exp2, *log2;
    } rows[] = {
        {0, "0.000000e+00", "0.000000e+00", "0.000000e+00", "1.000031e+00", "-inf"},
        {1, "1.000000e+00", "1.000031e+00", "1.000183e+00", "2.000061e+00", "0.000000e+00"},
        {2, "2.000183e+00", "2.000061e+00", "2.000263e+00", "4.000122e+00", "1.000000e+00"},
        {3.1415927f, "3.141602e+00", "3.141541e+00", "3.141401e+00", "8.825195e+00", "1.651428e+00"},
        {2.7182817f, "2.718323e+00", "2.718262e+00", "2.718352e+00", "6.581055e+00", "1.442627e+00"},
        {100, "1.000039e+02", "1.000020e+02", "1.000000e+02", "1.267689e+30", "6.643829e+00"},
        {1000, "9.999844e+02", "9.999531e+02", "9.999553e+02", "inf", "9.965729e+00"},
        {1e5f, "1.000000e+05", "9.999600e+04", "9.999923e+04", "inf", "1.660959e+01"},
        {.5f, "5.000458e-01", "5.000153e-01", "5.000658e-01", "1.414246e+00", "-9.999847e-01"},
        {.25f, "2.500229e-01", "2.500076e-01", "2.500458e-01", "1.189240e+00", "-1.999985e+00"},
        {.125f, "1.250114e-01", "1.250038e-01", "1.250165e-01", "1.090546e+00", "-2.999985e+00"},
        {-1, "-1.000000e+00", "1.000031e+00", "1.000183e+00", "4.999847e-01", "0.000000e+00"},
        {-2, "-2.000183e+00", "2.000061e+00", "2.000263e+00", "2.499924e-01", "1.000000e+00"},
        {-.5f, "-5.000458e-01", "5.000153e-01", "5.000658e-01", "7.071075e-01", "-9.999847e-01"},
        {-1e5f, "-1.000000e+05", "9.999600e+04", "9.999923e+04", "0.000000e+00", "1.660959e+01"},
        {-3.1415927f, "-3.141602e+00", "3.141541e+00", "3.141401e+00", "1.133175e-01", "1.651428e+00"},
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        uint32_t x = util_f2u(rows[i].x);
        uint32_t root = twice(VC4_QPU_W_SFU_RSQRT, VC4_QPU_W_SFU_RECIP, x);
        expect_text("recip of recip", rows[i].x, twice(VC4_QPU_W_SFU_RECIP, VC4_QPU_W_SFU_RECIP, x),
                    rows[i].recip);
        expect_text("exp2 of log2", rows[i].x, twice(VC4_QPU_W_SFU_LOG2, VC4_QPU_W_SFU_EXP2, x),
                    rows[i].exp_log);
        expect_text("root squared", rows[i].x, vc4_qpu_exact_product(root, root).value, rows[i].root);
        expect_text("exp2", rows[i].x, sfu(VC4_QPU_W_SFU_EXP2, x), rows[i].exp2);
        expect_text("log2", rows[i].x, sfu(VC4_QPU_W_SFU_LOG2, x), rows[i].log2);
    }
}

/* Where functions end, and how far from the truth they may be: py-videocore's tests accept 1e-4 on hardware.
 */
static void test_special_bounds(void **state)
{
    static const uint32_t rows[][3] = {
        {VC4_QPU_W_SFU_RECIP, 0x00000000, 0x7f800000}, {VC4_QPU_W_SFU_RECIP, 0x007fffff, 0x7f800000},
        {VC4_QPU_W_SFU_RECIP, 0x7f800000, 0x00000000}, {VC4_QPU_W_SFU_RECIP, 0x7fc00000, 0x00000000},
        {VC4_QPU_W_SFU_RECIP, 0x7e800000, 0x00000000}, {VC4_QPU_W_SFU_RECIP, 0x7e000000, 0x00ffff00},
        {VC4_QPU_W_SFU_RSQRT, 0x80000000, 0x7f800000}, {VC4_QPU_W_SFU_RSQRT, 0xff800000, 0x00000000},
        {VC4_QPU_W_SFU_EXP2, 0x42ffffff, 0x7f7ffe00},  {VC4_QPU_W_SFU_EXP2, 0x43000000, 0x7f800000},
        {VC4_QPU_W_SFU_EXP2, 0xc2fc0000, 0x00000000},  {VC4_QPU_W_SFU_EXP2, 0xc2fa0000, 0x00fffe00},
        {VC4_QPU_W_SFU_EXP2, 0x80000001, 0x3f800100},  {VC4_QPU_W_SFU_EXP2, 0x7fc00000, 0x7f800000},
        {VC4_QPU_W_SFU_EXP2, 0xff800000, 0x00000000},  {VC4_QPU_W_SFU_LOG2, 0x80000001, 0xff800000},
        {VC4_QPU_W_SFU_LOG2, 0xffffffff, 0x7f800000},
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        assert_int_equal(sfu(rows[i][0], rows[i][1]), rows[i][2]);
    for (uint32_t x = 0x3e800000; x < 0x41000000; x += 1021) { /* 0.25 to 8 */
        float f = util_u2f(x), root = util_u2f(sfu(VC4_QPU_W_SFU_RSQRT, x));
        float error = util_u2f(sfu(VC4_QPU_W_SFU_RECIP, x)) * f - 1;
        assert_true(error < 1e-4f && error > -1e-4f);
        error = root * root * f - 1; /* twice the root's */
        assert_true(error < 2e-4f && error > -2e-4f);
        error = util_u2f(twice(VC4_QPU_W_SFU_LOG2, VC4_QPU_W_SFU_EXP2, x)) / f - 1;
        assert_true(error < 2e-4f && error > -2e-4f);
    }
}

static void test_names(void **state)
{
    enum isa_numeric numeric = ISA_FAST;

    assert_true(isa_numeric_parse("exact", &numeric));
    assert_int_equal(numeric, ISA_EXACT);
    assert_true(isa_numeric_parse("fast", &numeric));
    assert_int_equal(numeric, ISA_FAST);
    assert_false(isa_numeric_parse("", &numeric));
    assert_string_equal(isa_numeric_name(ISA_EXACT), "exact");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_sums),     cmocka_unit_test(test_measured_extremes),
        cmocka_unit_test(test_measured_products), cmocka_unit_test(test_measured_integer_packs),
        cmocka_unit_test(test_halves_out),        cmocka_unit_test(test_measured_unpacks),
        cmocka_unit_test(test_bytes_return),      cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_measured_hex),      cmocka_unit_test(test_measured_decimal),
        cmocka_unit_test(test_special_bounds),    cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
