/* The interpreter against values worked out by hand from the numeric policy (isa/vc4_qpu/README.md), the
 * Guide and vc4asm's addendum. Each lane of ra15 and rb15 carries one case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/isa/qpu_bench.h"

/* ---- operations ---- */

enum { Z = 1, N = 2, C = 4 };

struct op_case {
    bool mul;
    uint8_t op;
    uint32_t a, b, result, flags;
};

#define NAN_   0xffc00000u
#define INF    0x7f800000u
#define ADD(x) false, VC4_QPU_A_##x
#define MUL(x) true, VC4_QPU_M_##x

static const struct op_case op_cases[] = {
    {ADD(NOP), 1, 2, 0, Z},
    /* 1 + 2; 1 - 1; x - x gives +0; smallest normal halves away; one ulp rounding to even: 1 + 2^-24 */
    {ADD(FADD), 0x3f800000, 0x40000000, 0x40400000, C},
    {ADD(FADD), 0x3f800000, 0xbf800000, 0, Z},
    {ADD(FADD), 0x80000000, 0x80000000, 0x80000000, Z},
    {ADD(FADD), 0x3f800000, 0x33800000, 0x3f800000, C},
    {ADD(FADD), 0x3f800001, 0x33800000, 0x3f800002, C},
    {ADD(FADD), 0x00400000, 0x00400000, 0, Z}, /* denormals are zero */
    {ADD(FADD), 0x7f7fffff, 0x7f7fffff, INF, C},
    {ADD(FADD), INF, 0xff800000, NAN_, 0},
    {ADD(FADD), 0x7fc12345, 0x3f800000, NAN_, 0},
    {ADD(FADD), 0xbf800000, 0xbf800000, 0xc0000000, N},
    {ADD(FSUB), 0x3f800000, 0x40000000, 0xbf800000, N},
    {ADD(FSUB), 0x40000000, 0x3f800000, 0x3f800000, C},
    {ADD(FSUB), 0x00800000, 0x00c00000, 0x80000000, Z}, /* -2^-127 is denormal: -0, not negative */
    {ADD(FMIN), 0x3f800000, 0xbf800000, 0xbf800000, N | C},
    {ADD(FMIN), 0x80000000, 0x00000000, 0x80000000, N}, /* no sum: flags go by the pattern */
    {ADD(FMIN), 0x7fc00001, INF, INF, C},
    {ADD(FMIN), 0xffc00001, 0xff800000, 0xffc00001, N},
    {ADD(FMIN), 0x00000001, 0x00000002, 0x00000001, 0}, /* denormals pass, and are not zero */
    {ADD(FMAX), 0x3f800000, 0xbf800000, 0x3f800000, C},
    {ADD(FMAX), 0x7fc00001, INF, 0x7fc00001, C},
    {ADD(FMAX), 0x80000001, 0x80000001, 0x80000001, N},
    {ADD(FMINABS), 0xc0000000, 0x3f800000, 0x3f800000, C},
    {ADD(FMINABS), 0x80000000, 0x3f800000, 0, Z},
    {ADD(FMAXABS), 0xc0000000, 0x3f800000, 0x40000000, C},
    {ADD(FMAXABS), 0xbf800000, 0xbf800000, 0x3f800000, 0},
    {ADD(FTOI), 0x40ffffff, 0, 7, 0},          /* 7.9999995 */
    {ADD(FTOI), 0xc0ffffff, 0, 0xfffffff9, N}, /* -7 */
    {ADD(FTOI), 0x4effffff, 0, 0x7fffff80, 0},
    {ADD(FTOI), 0x4f000000, 0, 0x80000000, N},
    {ADD(FTOI), 0xcf000000, 0, 0x80000000, N},
    {ADD(FTOI), 0x4f7ffffe, 0, 0xfffffe00, N}, /* Mesa divides with it: 2^32 - 512 */
    {ADD(FTOI), 0xcf7ffffe, 0, 0x00000200, 0},
    {ADD(FTOI), 0x4fc00001, 0, 0x80000200, N}, /* 1.5 * 2^32 + 512 */
    {ADD(FTOI), 0x5a800001, 0, 0x80000000, N}, /* 2^54 + 2^31: 24 digits left by 31 */
    {ADD(FTOI), 0x7f7fffff, 0, 0x80000000, N}, /* and no further */
    {ADD(FTOI), 0x7f7ffffe, 0, 0, Z},
    {ADD(FTOI), INF, 0, 0, Z},
    {ADD(FTOI), NAN_, 0, 0, Z},
    {ADD(ITOF), 0xffffffff, 0, 0xbf800000, N},
    {ADD(ITOF), 0x01000001, 0, 0x4b800000, C}, /* 2^24 + 1 to even */
    {ADD(ITOF), 0x01000003, 0, 0x4b800002, C},
    {ADD(ITOF), 0, 0, 0, Z},
    {ADD(ADD), 0xffffffff, 1, 0, Z | C},
    {ADD(ADD), 0x7fffffff, 1, 0x80000000, N},
    {ADD(SUB), 1, 2, 0xffffffff, N | C},
    {ADD(SUB), 2, 2, 0, Z},
    {ADD(SHR), 0x80000003, 33, 0x40000001, C},
    {ADD(SHR), 0x80000001, 32, 0x80000001, N},
    {ADD(ASR), 0x80000000, 31, 0xffffffff, N},
    {ADD(ASR), 0x00000002, 2, 0, Z | C},
    {ADD(ROR), 0x00000003, 1, 0x80000001, N},
    {ADD(ROR), 0x12345678, 0, 0x12345678, 0},
    {ADD(SHL), 0xc0000000, 1, 0x80000000, N | C},
    {ADD(SHL), 0x80000000, 1, 0, Z | C},
    {ADD(SHL), 0x00000001, 31, 0x80000000, N},
    {ADD(MIN), 0xffffffff, 1, 0xffffffff, N},
    {ADD(MIN), 5, 1, 1, C},
    {ADD(MAX), 0xffffffff, 1, 1, 0},
    {ADD(MAX), 5, 1, 5, C},
    {ADD(AND), 0xff00ff00, 0x0ff00ff0, 0x0f000f00, 0},
    {ADD(OR), 0xff00ff00, 0x0ff00ff0, 0xfff0fff0, N},
    {ADD(XOR), 0xff00ff00, 0xff00ff00, 0, Z},
    {ADD(NOT), 0, 0, 0xffffffff, N},
    {ADD(CLZ), 0, 0, 32, 0},
    {ADD(CLZ), 0x80000000, 0, 0, Z},
    {ADD(CLZ), 1, 0, 31, 0},
    {ADD(V8ADDS), 0xff017f80, 0x01017f80, 0xff02feff, N},
    {ADD(V8SUBS), 0x00057f80, 0x01017f7f, 0x00040001, 0},
    {MUL(NOP), 1, 2, 0, Z},
    {MUL(FMUL), 0x40000000, 0xc0400000, 0xc0c00000, N},
    {MUL(FMUL), 0x00000000, 0xbf800000, 0, Z}, /* Mesa negates so */
    {MUL(FMUL), 0x80000000, INF, 0, Z},        /* sqrt(0) of Mesa needs it */
    {MUL(FMUL), 0x00800000, 0x3f000000, 0, Z}, /* flushed */
    {MUL(FMUL), 0x3f800001, 0x3f800001, 0x3f800002, 0},
    {MUL(FMUL), 0x7fa00000, 0x3f800000, 0, Z},
    {MUL(MUL24), 0xffffffff, 0x01000002, 0x01fffffe, 0},
    {MUL(MUL24), 0x00ffffff, 0x00ffffff, 0xfe000001, N},
    {MUL(V8MULD), 0xff80ff01, 0xff80007f, 0xff400000, N}, /* 128*128/255 = 64; (127 + 127)/255 = 0 */
    {MUL(V8MULD), 0x00000002, 0x0000007f, 0x00000001, 0}, /* (254 + 127)/255 = 1 */
    {MUL(V8MIN), 0x01ff80fe, 0x02fe7fff, 0x01fe7ffe, 0},
    {MUL(V8MAX), 0x01ff80fe, 0x02fe7fff, 0x02ff80ff, 0},
    {MUL(V8ADDS), 0xff017f80, 0x01017f80, 0xff02feff, N},
    {MUL(V8SUBS), 0x00057f80, 0x01017f7f, 0x00040001, 0},
};

static void operations(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(op_cases); i++) {
        const struct op_case *c = &op_cases[i];
        struct bench bench = {0};
        struct vc4_qpu_insn insn = c->mul ? mul_insn(c->op) : add_insn(c->op);
        insn.sf = true;
        if (!c->mul && c->op == VC4_QPU_A_NOP)
            insn.cond_mul = VC4_QPU_COND_ALWAYS; /* the flags come from the mul unit */
        for (unsigned lane = 0; lane < 16; lane++) {
            bench.start.ra15[lane] = lane & 1 ? c->a : 0;
            bench.start.rb15[lane] = lane & 1 ? c->b : 0;
        }
        emit(&bench, insn);
        emit_end(&bench);
        assert_int_equal(run(&bench), VC4_QPU_OK);
        uint32_t flags = (bench.state.z >> 1 & 1 ? Z : 0) | (bench.state.n >> 1 & 1 ? N : 0) |
                         (bench.state.c >> 1 & 1 ? C : 0);
        if (bench.state.r[0][1] != c->result || flags != c->flags)
            fail_msg("case %zu (%s op %u, 0x%08x, 0x%08x): 0x%08x flags %u, expected 0x%08x flags %u", i,
                     c->mul ? "mul" : "add", c->op, c->a, c->b, bench.state.r[0][1], flags, c->result,
                     c->flags);
    }
}

static void every_operation_has_a_case(void **state)
{
    static const struct {
        bool mul;
        uint8_t op;
        const char *name;
    } rows[] = {
#define ADD_OP(name, text, operands, float_in, float_out) {false, VC4_QPU_A_##name, text},
#define MUL_OP(name, text, operands, float_in, float_out) {true, VC4_QPU_M_##name, text},
#include "isa/vc4_qpu/insns.inc"
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        unsigned cases = 0;
        for (size_t k = 0; k < UTIL_ARRAY_SIZE(op_cases); k++)
            cases += op_cases[k].mul == rows[i].mul && op_cases[k].op == rows[i].op;
        if (!cases)
            fail_msg("no case for %s %s", rows[i].mul ? "mul" : "add", rows[i].name);
    }
}

static void reserved_operations_fault(void **state)
{
    static const uint8_t ops[] = {9, 10, 11, 25, 26, 27, 28, 29};

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(ops); i++) {
        struct bench bench = {0};
        emit(&bench, nop());
        emit(&bench, add_insn(ops[i]));
        emit_end(&bench);
        assert_int_equal(run(&bench), VC4_QPU_FAULT_RESERVED);
        assert_int_equal(bench.report.pc, 1);
    }
}

/* ---- packs and unpacks ---- */

static void unpacks(void **state)
{
    static const struct {
        uint8_t mode;
        bool to_float;
        uint32_t in, out;
    } cases[] = {{1, false, 0x1234fffe, 0xfffffffe}, {2, false, 0x1234fffe, 0x1234},
                 {1, true, 0x00003c00, 0x3f800000},  {2, true, 0xc0000000, 0xc0000000},
                 {1, true, 0x7e01, 0x7fc02000},      {1, true, 0xfc00, 0xff800000},
                 {1, true, 0x8001, 0x80002000},      {3, false, 0x5a123456, 0x5a5a5a5a},
                 {3, true, 0x3f123456, 0x3f3f3f3f},  {4, false, 0x11223344, 0x44},
                 {5, false, 0x11223344, 0x33},       {6, false, 0x11223344, 0x22},
                 {7, false, 0x11223344, 0x11},       {4, true, 0x000000ff, 0x3f800000},
                 {7, true, 0x80000000, 0x3f008081},  {5, true, 0x0000, 0}};

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        struct bench bench = {0};
        struct vc4_qpu_insn insn = add_insn(cases[i].to_float ? VC4_QPU_A_FMAX : VC4_QPU_A_OR);
        insn.add_b = VC4_QPU_MUX_A;
        insn.unpack = cases[i].mode;
        for (unsigned lane = 0; lane < 16; lane++)
            bench.start.ra15[lane] = cases[i].in;
        emit(&bench, insn);
        emit_end(&bench);
        assert_int_equal(run(&bench), VC4_QPU_OK);
        if (bench.state.r[0][3] != cases[i].out)
            fail_msg("case %zu: 0x%08x, expected 0x%08x", i, bench.state.r[0][3], cases[i].out);
    }
}

static void r4_unpacks_with_pm(void **state)
{
    struct bench bench = {0};
    struct vc4_qpu_insn insn = nop();

    emit(&bench, load_imm(VC4_QPU_W_SFU_LOG2, 0x40000000)); /* r4 = 1.0 = 0x3f800000 */
    insn.pm = 1;
    insn.unpack = 7; /* byte 3 = 0x3f */
    insn.op_add = VC4_QPU_A_OR;
    insn.add_a = insn.add_b = VC4_QPU_MUX_R4;
    insn.cond_add = VC4_QPU_COND_ALWAYS;
    insn.waddr_add = VC4_QPU_W_ACC1;
    emit(&bench, insn);
    insn.pm = 0; /* then r4 is left alone */
    insn.waddr_add = VC4_QPU_W_ACC2;
    emit(&bench, insn);
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    assert_int_equal(bench.state.r[1][0], 0x3f);
    assert_int_equal(bench.state.r[2][0], 0x3f800000);
}

static void packs_to_file_a(void **state)
{
    static const struct {
        uint8_t mode, op;
        uint32_t a, b, out; /* over 0xaabbccdd */
    } cases[] = {{0, VC4_QPU_A_OR, 0x12345678, 0, 0x12345678},
                 {1, VC4_QPU_A_OR, 0x12345678, 0, 0xaabb5678},
                 {2, VC4_QPU_A_OR, 0x12345678, 0, 0x5678ccdd},
                 {1, VC4_QPU_A_FADD, 0x3f800000, 0, 0xaabb3c00},
                 {2, VC4_QPU_A_FADD, 0xc7800000, 0, 0xfc00ccdd}, /* -65536 overflows */
                 {1, VC4_QPU_A_FMAX, 0x7fc00000, 0x7fc00000, 0xaabb7c00},
                 {1, VC4_QPU_A_FADD, 0x33800000, 0, 0xaabb0000}, /* 2^-24: denormal half */
                 {9, VC4_QPU_A_FADD, 0x3f800000, 0, 0xaabb3c00},
                 {3, VC4_QPU_A_OR, 0x12345678, 0, 0x78787878},
                 {4, VC4_QPU_A_OR, 0x12345678, 0, 0xaabbcc78},
                 {7, VC4_QPU_A_OR, 0x12345678, 0, 0x78bbccdd},
                 {8, VC4_QPU_A_ADD, 0x7fffffff, 1, 0x7fffffff},
                 {8, VC4_QPU_A_SUB, 0x80000000, 1, 0x7fffffff}, /* the bound that the carry names */
                 {8, VC4_QPU_A_SUB, 0x7fffffff, 0xffffffff, 0x80000000},
                 {1, VC4_QPU_A_ADD, 0x7fffffff, 2, 0xaabb7fff}, /* packs clamp an overflow, all of them */
                 {4, VC4_QPU_A_ADD, 0x80000000, 0x80000001, 0xaabbcc00},
                 {2, VC4_QPU_A_FMIN, 0x80000000, 0x80000000, 0x0000ccdd}, /* -0 */
                 {1, VC4_QPU_A_FADD, 0xb3800000, 0, 0xaabb0000},          /* -2^-24 */
                 {8, VC4_QPU_A_SHL, 0x40000000, 1, 0x80000000},
                 {9, VC4_QPU_A_OR, 0x00012345, 0, 0xaabb7fff},
                 {10, VC4_QPU_A_OR, 0xffff0000, 0, 0x8000ccdd},
                 {11, VC4_QPU_A_OR, 0x00000100, 0, 0xffffffff},
                 {13, VC4_QPU_A_OR, 0xffffffff, 0, 0xaabb00dd},
                 {14, VC4_QPU_A_OR, 0x00000080, 0, 0xaa80ccdd}};

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        struct bench bench = {0};
        struct vc4_qpu_insn insn = add_insn(cases[i].op);
        emit(&bench, load_imm(3, 0xaabbccdd));
        insn.waddr_add = 3;
        insn.pack = cases[i].mode;
        for (unsigned lane = 0; lane < 16; lane++) {
            bench.start.ra15[lane] = cases[i].a;
            bench.start.rb15[lane] = cases[i].b;
        }
        emit(&bench, insn);
        emit_end(&bench);
        assert_int_equal(run(&bench), VC4_QPU_OK);
        if (bench.state.a[3][5] != cases[i].out)
            fail_msg("case %zu: 0x%08x, expected 0x%08x", i, bench.state.a[3][5], cases[i].out);
    }
    /* File B takes no pack. */
    struct bench bench = {0};
    struct vc4_qpu_insn insn = load_imm(3, 0x12345678);
    insn.ws = true;
    insn.pack = 4;
    emit(&bench, insn);
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    assert_int_equal(bench.state.b[3][0], 0x12345678);
}

/* Mesa builds a colour by four partial writes of the mul unit; here to an accumulator. */
static void mul_packs_merge_bytes(void **state)
{
    static const uint32_t channel[4] = {0x3f800000, 0x3f000000, 0xbf800000,
                                        0x7fc00000}; /* 1, 0.5, -1, +NaN */
    struct bench bench = {0};

    for (unsigned i = 0; i < 4; i++) {
        emit(&bench, load_imm(VC4_QPU_W_ACC1, channel[i]));
        struct vc4_qpu_insn insn = nop();
        insn.pm = 1;
        insn.pack = (uint8_t)(4 + i);
        insn.op_mul = VC4_QPU_M_V8MIN; /* a move that keeps NaN; the result is taken as a float */
        insn.mul_a = insn.mul_b = VC4_QPU_MUX_R1;
        insn.cond_mul = VC4_QPU_COND_ALWAYS;
        insn.waddr_mul = VC4_QPU_W_ACC0;
        emit(&bench, insn);
        insn.waddr_mul = 7; /* file B */
        emit(&bench, insn);
        insn.pack = 3;
        insn.waddr_mul = VC4_QPU_W_ACC2;
        emit(&bench, insn);
    }
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    assert_int_equal(bench.state.r[0][9], 0xff0080ff); /* 127.5 + 0.5 = 128 */
    assert_int_equal(bench.state.b[7][9], 0xff0080ff);
    assert_int_equal(bench.state.r[2][9], 0xffffffff);
}

/* ---- conditions and flags ---- */

static void conditions_gate_lanes_and_flags(void **state)
{
    static const uint16_t expected[8] = {0, 0xffff, 0x00f0, 0xff0f, 0x000f, 0xfff0, 0xff00, 0x00ff};

    for (uint8_t cond = 0; cond < 8; cond++) {
        struct bench bench = {0};
        /* fsub.sf of ra15, 0: lanes 0-3 negative, 4-7 zero, 8-15 positive (C). */
        for (unsigned lane = 0; lane < 16; lane++)
            bench.start.ra15[lane] = lane < 4 ? 0xbf800000 : lane < 8 ? 0 : 0x3f800000;
        struct vc4_qpu_insn insn = add_insn(VC4_QPU_A_FSUB);
        insn.sf = true;
        emit(&bench, insn);
        insn = load_imm(5, 77);
        insn.cond_add = cond;
        insn.sf = true; /* 77 clears all three, where the condition holds */
        emit(&bench, insn);
        emit_end(&bench);
        assert_int_equal(run(&bench), VC4_QPU_OK);
        for (unsigned lane = 0; lane < 16; lane++)
            assert_int_equal(bench.state.a[5][lane], expected[cond] >> lane & 1 ? 77 : 0);
        assert_int_equal(bench.state.n, 0x000f & ~expected[cond]);
        assert_int_equal(bench.state.z, 0x00f0 & ~expected[cond]);
        assert_int_equal(bench.state.c, 0xff00 & ~expected[cond]);
    }
}

static void load_immediates(void **state)
{
    struct bench bench = {0};
    struct vc4_qpu_insn insn = load_imm(VC4_QPU_W_ACC0, 0x000f0033); /* high bits 0-3; low bits 0, 1, 4, 5 */

    insn.kind = VC4_QPU_LOAD_IMM_S2;
    insn.unpack = 1;
    emit(&bench, insn);
    insn.kind = VC4_QPU_LOAD_IMM_U2;
    insn.unpack = 3;
    insn.waddr_add = VC4_QPU_W_ACC1;
    emit(&bench, insn);
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    const uint32_t s2[8] = {0xffffffff, 0xffffffff, 0xfffffffe, 0xfffffffe, 1, 1, 0, 0};
    const uint32_t u2[8] = {3, 3, 2, 2, 1, 1, 0, 0};
    for (unsigned lane = 0; lane < 8; lane++) {
        assert_int_equal(bench.state.r[0][lane], s2[lane]);
        assert_int_equal(bench.state.r[1][lane], u2[lane]);
    }
}

/* ---- rotation and r5 ---- */

static void rotations_and_r5(void **state)
{
    struct bench bench = {0};
    struct vc4_qpu_insn element = nop(), rotate = nop();

    element.op_add = VC4_QPU_A_OR;
    element.raddr_a = VC4_QPU_R_ELEMENT_QPU;
    element.add_a = element.add_b = VC4_QPU_MUX_A;
    element.cond_add = VC4_QPU_COND_ALWAYS;
    element.waddr_add = VC4_QPU_W_ACC0;
    emit(&bench, element);
    element.waddr_add = VC4_QPU_W_ACC5; /* file A: per quad */
    emit(&bench, element);
    rotate.sig = VC4_QPU_SIG_SMALL_IMM;
    rotate.raddr_b = 48 + 3;
    rotate.op_mul = VC4_QPU_M_V8MIN;
    rotate.mul_a = rotate.mul_b = VC4_QPU_MUX_R0;
    rotate.cond_mul = VC4_QPU_COND_ALWAYS;
    rotate.waddr_mul = VC4_QPU_W_ACC1;
    emit(&bench, rotate);
    rotate.mul_a = rotate.mul_b = VC4_QPU_MUX_R5;
    rotate.raddr_b = 48 + 15;
    rotate.waddr_mul = VC4_QPU_W_ACC2;
    emit(&bench, rotate);
    struct vc4_qpu_insn five = load_imm(VC4_QPU_W_ACC5, 0x12345675);
    five.ws = true; /* file B: lane 0 everywhere */
    emit(&bench, five);
    rotate.raddr_b = 48; /* by r5: 5 */
    rotate.mul_a = rotate.mul_b = VC4_QPU_MUX_R0;
    rotate.waddr_mul = VC4_QPU_W_ACC3;
    emit(&bench, rotate);
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    for (unsigned lane = 0; lane < 16; lane++) {
        assert_int_equal(bench.state.r[1][lane], (lane + 13) % 16);
        assert_int_equal(bench.state.r[2][lane], lane & ~3u); /* r5: within quads */
        assert_int_equal(bench.state.r[3][lane], (lane + 11) % 16);
        assert_int_equal(bench.state.r[5][lane], 0x12345675);
    }
}

/* ---- special functions ---- */

static uint32_t sfu(unsigned waddr, uint32_t x)
{
    struct bench bench = {0};
    emit(&bench, load_imm(waddr, x));
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    return bench.state.r[4][0];
}

static void special_functions(void **state)
{
    assert_int_equal(sfu(VC4_QPU_W_SFU_RECIP, 0x40800000), 0x3e800000);
    assert_int_equal(sfu(VC4_QPU_W_SFU_RECIP, 0x80000000), 0xff800000);
    assert_int_equal(sfu(VC4_QPU_W_SFU_RECIP, 0x00000001), INF);
    assert_int_equal(sfu(VC4_QPU_W_SFU_RECIP, INF), 0);
    assert_int_equal(sfu(VC4_QPU_W_SFU_RECIP, 0x7f000001), 0); /* about 2^-127: denormal */
    assert_int_equal(sfu(VC4_QPU_W_SFU_RECIP, 0x7fc00001), NAN_);
    assert_int_equal(sfu(VC4_QPU_W_SFU_RSQRT, 0xc1800000), 0x3e800000);
    assert_int_equal(sfu(VC4_QPU_W_SFU_RSQRT, 0), INF);
    assert_int_equal(sfu(VC4_QPU_W_SFU_EXP2, 0x40400000), 0x41000000);
    assert_int_equal(sfu(VC4_QPU_W_SFU_EXP2, 0xc2fe0000), 0);          /* -127 */
    assert_int_equal(sfu(VC4_QPU_W_SFU_EXP2, 0xc2fc0000), 0x00800000); /* -126 */
    assert_int_equal(sfu(VC4_QPU_W_SFU_EXP2, 0x43000000), INF);
    assert_int_equal(sfu(VC4_QPU_W_SFU_EXP2, 0xff800000), 0);
    assert_int_equal(sfu(VC4_QPU_W_SFU_EXP2, 0x80000001), 0x3f800000);
    assert_int_equal(sfu(VC4_QPU_W_SFU_EXP2, 0xffc00001), NAN_);
    assert_int_equal(sfu(VC4_QPU_W_SFU_LOG2, 0x41000000), 0x40400000);
    assert_int_equal(sfu(VC4_QPU_W_SFU_LOG2, 0xbe800000), 0xc0000000); /* of |x| */
    assert_int_equal(sfu(VC4_QPU_W_SFU_LOG2, 0x80400000), 0xff800000);
    assert_int_equal(sfu(VC4_QPU_W_SFU_LOG2, 0xff800000), INF);
    assert_int_equal(sfu(VC4_QPU_W_SFU_LOG2, 0x7f800001), NAN_);
}

static void special_functions_are_accurate(void **state)
{
    for (int i = -2000; i <= 2000; i++) {
        float x = (float)i / 64.0f + 0.003f;
        double e = __builtin_exp2((double)x), got = (double)util_u2f(sfu(VC4_QPU_W_SFU_EXP2, util_f2u(x)));
        assert_true(__builtin_fabs(got / e - 1) < 3e-7);
        float y = (float)e;
        double l = (double)util_u2f(sfu(VC4_QPU_W_SFU_LOG2, util_f2u(y))), exact = __builtin_log2((double)y);
        assert_true(__builtin_fabs(l - exact) < 1.3e-7 + __builtin_fabs(exact) * 1.2e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
        cmocka_unit_test(every_operation_has_a_case),
        cmocka_unit_test(reserved_operations_fault),
        cmocka_unit_test(unpacks),
        cmocka_unit_test(r4_unpacks_with_pm),
        cmocka_unit_test(packs_to_file_a),
        cmocka_unit_test(mul_packs_merge_bytes),
        cmocka_unit_test(conditions_gate_lanes_and_flags),
        cmocka_unit_test(load_immediates),
        cmocka_unit_test(rotations_and_r5),
        cmocka_unit_test(special_functions),
        cmocka_unit_test(special_functions_are_accurate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
