/* Simple-V's interpreter where memory, or an instruction, is not there: accesses, fail-first, faults that are run on from, any bytes. */
#include "isa/ieee.h"
#include "isa/random.h"
#include "tests/isa/simple_v_run.h"
#include "util/bits.h"

/* ---- memory ---- */

/* Digest 6.4: LD x8,(x5), 16 bits in memory, 32 in registers, VL 7. */
static void addresses_share_words(void **state)
{
    begin(7);
    simple_v_set_x(&s, 5, MEMORY + 0x10);
    simple_v_set_x(&s, 6, MEMORY + 0x40);
    runs("vblock regs(x5=x5v:16, x8=x8v:32) { ld x8, 0(x5) ; c.nop }");
    x_is(8, 0x0000131200001110);
    x_is(9, 0x0000171600001514);
    x_is(10, 0x0000434200004140);
    x_is(11, 0x0b0b0b0b00004544);
}

static void unit_stride_and_gathers(void **state)
{
    begin(8);
    simple_v_set_x(&s, 12, MEMORY + 3);
    runs("p48 lbu x32v, 0(x12), itype:16");
    x_is(32, 0x0006000500040003);
    x_is(33, 0x000a000900080007);
    begin(2);
    simple_v_set_x(&s, 64, MEMORY + 7);
    simple_v_set_x(&s, 65, MEMORY + 1);
    runs("p48 lbu x32v, 1(x64v), itype:8");
    x_is(32, 0x2020202020200208);
    /* A store under a mask packs what is chosen. */
    begin(4);
    simple_v_set_x(&s, 9, 9);
    simple_v_set_x(&s, 32, 0x04030201);
    simple_v_set_x(&s, 13, MEMORY);
    runs("p48 sb x32v, 0(x13), itype:8, src:x9");
    assert_int_equal(util_load32(memory), 0x03020401);
    /* Floats of another width are converted: 1.5 as a half. */
    begin(2);
    simple_v_set_x(&s, 12, MEMORY);
    util_store64(memory, 0xc00000003fc00000);
    runs("vblock regs(f5=f40v:16) { flw f5, 0(x12) ; c.nop }");
    f_is(40, 0x28282828c0003e00);
}

/* The text's end is beyond a page that is not there: digest, T2. */
static void fail_first_ends_before_a_fault(void **state)
{
    begin(8);
    simple_v_set_x(&s, 12, MEMORY + 0x100 - 5);
    limit = 0x100;
    runs("vblock regs(x5=x32v:8, x12=x12), preds(x5=!x0.ff) { lbu x5, 0(x12) }");
    assert_int_equal(s.vl, 5);
    x_is(32, 0x202020fffefdfcfb);
    assert_int_equal(s.srcoffs, 0);
    begin(8);
    simple_v_set_x(&s, 12, MEMORY + 0x100);
    limit = 0x100;
    assert_int_equal(run("vblock regs(x5=x32v:8), preds(x5=!x0.ff) { lbu x5, 0(x12) }"), SIMPLE_V_FAULT_LOAD);
    /* By a result: the element is written, VL is its number. */
    begin(4);
    simple_v_set_x(&s, 64, 0x04000201);
    runs("vblock regs(x5=x32v:8, x6=x64v:8), preds(x5=!x0.ff) { add x5, x6, x0 }");
    assert_int_equal(s.vl, 2);
    x_is(32, 0x2020202020000201);
}

/* Digest, T9: the element that faults stands in STATE; with the page there, the rest is done. */
static void faults_are_run_on_from(void **state)
{
    static const char text[] = "vblock regs(x6=x64v, x5=x32v) { c.nop ; lbu x5, 0(x6) }";
    begin(4);
    for (unsigned n = 0; n < 4; n++)
        simple_v_set_x(&s, 64 + n, MEMORY + 0x20 * (n + 1));
    limit = 0x50;
    assert_int_equal(run(text), SIMPLE_V_FAULT_LOAD);
    assert_int_equal(report.address, MEMORY + 0x60);
    assert_int_equal(report.pc, CODE);
    assert_int_equal(report.at, 1);
    assert_string_equal(report.name, "lbu");
    assert_int_equal(simple_v_pack_state(&s), 3 | 3 << 6 | 2 << 12 | 2 << 18);
    x_is(33, 0x40);
    x_is(34, 0x2222222222222222);
    simple_v_set_x(&s, 32, 7); /* is not done again */
    limit = MEMORY_BYTES;
    runs(text);
    x_is(32, 7);
    x_is(34, 0x60);
    x_is(35, 0x80);
    assert_int_equal(s.srcoffs | s.destoffs, 0);
}

/* What is not done has raised no flag: an element beyond the file, a store's where nothing is. */
static void faults_raise_nothing(void **state)
{
    begin(3);
    simple_v_set_f(&s, 20, 0x3f800001ull << 32 | 0x3f800000);
    simple_v_set_f(&s, 21, 0x3f800001);
    assert_int_equal(run("p48 fmul.s f126v, f20v, f20v"), SIMPLE_V_OK);
    assert_int_equal(s.fflags, ISA_IEEE_INEXACT);
    begin(5);
    for (unsigned n = 20; n < 23; n++)
        simple_v_set_f(&s, n, 0x3f800000ull << 32 | 0x3f800000);
    simple_v_set_f(&s, 22, 0x3f800001);
    assert_int_equal(run("p48 fmul.s f126v, f20v, f20v"), SIMPLE_V_FAULT_OVERRUN);
    assert_int_equal(s.srcoffs, 4);
    assert_int_equal(s.fflags, 0);
    begin(2);
    simple_v_set_f(&s, 20, 0x3f800001ull << 32 | 0x3f800000);
    simple_v_set_x(&s, 12, MEMORY + 2);
    limit = 4;
    runs("vblock regs(f1=f20v:32, x12=x12), preds(f1=!x0.ff) { fsh f1, 0(x12) ; c.nop }");
    assert_int_equal(s.vl, 1);
    assert_int_equal(s.fflags, 0);
}

/* ---- what is no instruction ---- */

static void faults_name_what_they_are_of(void **state)
{
    begin(64);
    assert_int_equal(run("p48 add x126v, x2v, x4v"), SIMPLE_V_FAULT_OVERRUN);
    x_is(126, 0x0606060606060606); /* those before are done */
    assert_int_equal(s.srcoffs, 2);
    begin(2);
    assert_int_equal(run("p48 fcvt.w.s x10v, f12v, dst:x10"), SIMPLE_V_FAULT_ILLEGAL);
    assert_non_null(strstr(report.why.text, "its own mask"));
    begin(1);
    assert_int_equal(run(".word 0x005f\nc.nop"), SIMPLE_V_FAULT_ILLEGAL);
    begin(1);
    assert_int_equal(run("vblock { c.jalr x5 ; c.nop ; c.nop ; c.nop }"), SIMPLE_V_FAULT_ILLEGAL);
    begin(1);
    assert_int_equal(run("c.j 0"), SIMPLE_V_FAULT_FUEL);
    begin(1);
    assert_int_equal(run("ecall"), SIMPLE_V_FAULT_CALL);
    begin(1);
    assert_int_equal(run("c.ebreak"), SIMPLE_V_FAULT_BREAK);
    begin(1);
    simple_v_set_x(&s, 5, MEMORY + 2);
    assert_int_equal(run("amoadd.w x6, x7, (x5)"), SIMPLE_V_FAULT_MISALIGNED);
    begin(1);
    assert_int_equal(run("c.j 64"), SIMPLE_V_FAULT_FETCH);
    begin(8);
    runs("p48 add x0v, x0v, x64v, itype:8"); /* x0 stays as it is */
    x_is(0, 0);
}

/* ---- any bytes ---- */

/* A random row with random operands, alone, behind a prefix of any bits, or with a VBLOCK's header before it. */
static void some_code(struct isa_random *r, uint16_t *code, unsigned count)
{
    for (unsigned at = 0; at < count;) {
        const struct simple_v_row *row = &simple_v_rows[isa_random_below(r, SIMPLE_V_OP_COUNT)];
        const uint32_t word = ((uint32_t)isa_random_next(r) & ~row->mask) | row->match;
        const unsigned prefix = isa_random_below(r, 4), length = (row->match & 3) == 3 ? 2 : 1;
        uint64_t bits = isa_random_next(r);
        if (prefix == 3)
            code[at++] = (uint16_t)(0xff | (bits & 0xb300)); /* tables of random entries, short ones */
        else if (prefix && length == 2)
            bits = (bits & 0x00ff00000003ff80) | (uint64_t)(word >> 2) << 18 | (prefix == 1 ? 0x1f : 0x3f);
        for (unsigned n = 0; n < 4 && at < count; n++) {
            if (prefix == 0 || length == 1 || prefix == 3)
                bits = word;
            if (n < (prefix == 3 || !prefix ? length : length == 1 ? 1 : prefix + 2))
                code[at++] = (uint16_t)(bits >> 16 * n);
        }
    }
}

/* Instructions of random rows and prefixes, and blocks, over any state: each ends, and no register is where it must not be. */
static void any_program_ends(void **state)
{
    struct isa_random r = {7};
    unsigned ends[SIMPLE_V_FAULT_COUNT] = {0};
    uint64_t executed = 0;
    for (unsigned n = 0; n < 30000; n++) {
        uint16_t code[24];
        struct simple_v_program *program;
        some_code(&r, code, UTIL_ARRAY_SIZE(code));
        begin(1 + isa_random_below(&r, 64));
        simple_v_unpack_state(&s, (uint32_t)isa_random_next(&r));
        s.frm = (uint8_t)isa_random_below(&r, 6);
        for (unsigned k = 1; k < 16; k++)
            simple_v_set_x(
                &s, k, isa_random_one_in(&r, 2) ? MEMORY + isa_random_below(&r, 256) : isa_random_next(&r));
        assert_int_equal(simple_v_program_create(code, UTIL_ARRAY_SIZE(code), CODE, &program, NULL), 0);
        const struct simple_v_run run_of = {
            .program = program, .ports = &ports, .stop = CODE + sizeof code, .fuel = 60};
        ends[simple_v_run(&run_of, &s, &report)]++;
        executed += s.executed;
        simple_v_program_destroy(program);
        assert_int_equal(simple_v_x(&s, 0), 0);
        assert_in_range(s.mvl, 1, 64);
        assert_in_range(s.vl, 0, s.mvl);
        assert_in_range(s.subvl, 1, 4);
    }
    assert_true(executed > 5000);
    assert_true(ends[SIMPLE_V_FAULT_ILLEGAL] > 1000 && ends[SIMPLE_V_FAULT_OVERRUN] > 50);
    assert_true(ends[SIMPLE_V_FAULT_LOAD] > 50 && ends[SIMPLE_V_FAULT_STORE] > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(addresses_share_words),
                                       cmocka_unit_test(unit_stride_and_gathers),
                                       cmocka_unit_test(fail_first_ends_before_a_fault),
                                       cmocka_unit_test(faults_are_run_on_from),
                                       cmocka_unit_test(faults_raise_nothing),
                                       cmocka_unit_test(faults_name_what_they_are_of),
                                       cmocka_unit_test(any_program_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
