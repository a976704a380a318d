/* What an instruction of Midgard is said to read and write: what was put into it; and in random programs nothing else
 * changes, and nothing else matters. */
#include "isa/midgard/uses.h"
#include "isa/random.h"
#include "tests/isa/midgard_ports.h"

enum { X = 1, Y = 2, Z = 4, W = 8, XY = 3, ALL = 15 };

static const struct {
    const char *text;
    uint8_t read[4], written[4]; /* of r0 to r3 */
} rows[] = {
    {"vmul.fmul.32 r1.xz, r0, r2.wwww ; stop", {X | Z, 0, W}, {0, X | Z}},
    {"vmul.imov.32 r0, r1, r2.xxyy ; stop", {0, 0, XY}, {ALL}},
    {"vmul.imov.16 r0.xe, r24, r2.rh ; stop", {0, 0, Z}, {X | Z}},
    {"vmul.imov.8 r0.m01, r24, r2.yxxx ; stop", {0, 0, X}, {X}},
    {"vmul.imov.64 r0.y, r24, r2 ; stop", {0, 0, Z | W}, {Z | W}},
    {"vmul.imov.64 r0.x, r24, r2.eh ; stop", {0, 0, Z}, {XY}},
    {"vmul.imov.32.hi r0.x, r24, r2.el ; stop", {0, 0, X}, {Z}},
    {"vmul.fdot3.32 r0.w, r1, r2 ; stop", {0, X | Y | Z, X | Y | Z}, {W}},
    {"vlut.ffma.32 r0.z, r1.zwww, r2 ; stop", {0, Z | W, Z}, {Z}},
    {"vlut.fsqrt.32 r0.z, r1, r2 ; stop", {0, Z}, {Z}},
    {"sadd.iadd.full r0.y, r1.w, r2.h3 ; stop", {0, W, Y}, {Y}},
    {"sadd.iadd.half r0.h5, r1.w, #1 ; stop", {0, W}, {Z}},
    /* the second stage reads what the first has written; in part, what stood there as well */
    {"vmul.iadd.32 r0, r1, r1 ; vadd.iadd.32 r2, r0, r3 ; stop", {0, ALL, 0, ALL}, {ALL, 0, ALL}},
    {"smul.imov.full r3.x, r24.x, r0.x ; stop", {X}, {0, 0, 0, X}},
    {"sadd.imov.half r0.h0, r24.x, #1 ; vadd.imov.32 r2.x, r24, r0 ; stop", {X}, {X, 0, X}},
    {"writex.always +0, alu1 ; stop", {ALL, 0, ALL}, {0}},
    {"ld_attr_32 r1.xw/yyyy, zero.x, zero.x, 0:0 ; mov r2.x, gid.x, zero.x, 0 ; stop", {0}, {0, X | W, X}},
};

static void rows_hold(void **unused)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct midgard_uses uses;
        assert_int_equal(run(rows[n].text).fault, MIDGARD_OK);
        midgard_uses(&program->insns[0], &traits, &uses);
        for (unsigned r = 0; r < 4; r++)
            if (uses.read[r] != rows[n].read[r] || uses.written[r] != rows[n].written[r])
                fail_msg("%s: of r%u it reads 0x%x and writes 0x%x", rows[n].text, r, uses.read[r],
                         uses.written[r]);
    }
}

/* ---- random instructions ---- */

static bool is_own(unsigned reg)
{
    return reg == MIDGARD_R_FORWARD || reg == MIDGARD_R_FORWARD + 1 || reg == MIDGARD_R_SELECT;
}

/* One instruction from random registers; `changed`: some word that it does not read is another. */
static struct midgard_report run_alone(uint64_t seed, const struct midgard_uses *uses, bool changed)
{
    struct isa_random r = {seed};
    struct midgard_input input = {.lanes = 0xffff, .fuel = 10};
    midgard_start(&input, &state);
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            for (unsigned l = 0; l < 16; l++) {
                uint32_t x = (uint32_t)isa_random_next(&r) & 0x3fffffff;
                bool may = changed && !(uses->read[n] >> c & 1) && !is_own(n);
                state.reg[n][c][l] = may ? ~x : x;
            }
    memset(seen.memory, 0x5a, sizeof seen.memory);
    return again();
}

/* Of a word that is written: what it became, but for bytes that were left as they stood. */
static bool is_same(uint32_t changed, uint32_t became, uint32_t stood)
{
    for (unsigned n = 0; n < 32; n += 8) {
        uint8_t x = (uint8_t)(changed >> n), y = (uint8_t)(became >> n), z = (uint8_t)(stood >> n);
        if (x != y && !(y == z && (x ^ z) == 0xff))
            return false;
    }
    return true;
}

static void compare(uint64_t seed, const struct midgard_uses *uses)
{
    static struct midgard_state before, first;
    if (run_alone(seed, uses, false).fault)
        return;
    first = state;
    struct isa_random r = {seed};
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            for (unsigned l = 0; l < 16; l++)
                before.reg[n][c][l] = (uint32_t)isa_random_next(&r) & 0x3fffffff;
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            if (!is_own(n) && !(uses->written[n] >> c & 1))
                assert_memory_equal(before.reg[n][c], first.reg[n][c], sizeof before.reg[n][c]);
    assert_int_equal(run_alone(seed, uses, true).fault, MIDGARD_OK);
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            for (unsigned l = 0; !is_own(n) && uses->written[n] >> c & 1 && l < 16; l++)
                assert_true(is_same(state.reg[n][c][l], first.reg[n][c][l], before.reg[n][c][l]));
}

static void nothing_else_matters(void **unused)
{
    static uint64_t words[2048];
    unsigned tried = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        uint32_t count = midgard_random(seed, (unsigned)(seed % 2), words, 1024), length;
        for (uint32_t at = 0; at < count; at += length) {
            struct midgard_insn insn;
            struct midgard_uses uses;
            uint64_t alone[MIDGARD_QUADS * 2];
            length = midgard_decode(words, count, at, &insn);
            if (insn.tag == MIDGARD_TAG_BARRIER)
                continue;
            insn.next = MIDGARD_TAG_STOP;
            midgard_encode(&insn, alone);
            midgard_program_destroy(program);
            program = NULL;
            assert_int_equal(midgard_program_create(alone, length, 0, &traits, &program, NULL), 0);
            midgard_uses(&program->insns[0], &traits, &uses);
            compare(seed * 1000 + at, &uses);
            tried++;
        }
    }
    assert_true(tried > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(nothing_else_matters),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
