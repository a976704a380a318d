/* Simple-V's interpreter against the digest's worked examples and against values worked out by hand from its rules: vectors,
 * widths, masks, branches, floats, sub-vectors, lengths. */
#include "tests/isa/simple_v_run.h"
#include "util/bits.h"

/* ---- widths ---- */

/* Digest 6.1: an 8-bit add of VL 3 changes bits 23:0 alone. */
static void bytes_beyond_are_kept(void **state)
{
    begin(3);
    simple_v_set_x(&s, 6, 0xff);
    simple_v_set_x(&s, 7, 0x0302);
    runs("vblock regs(x5=x40v:8, x6=x6v:8, x7=x7v:8) { add x5, x6, x7 }");
    x_is(40, 0x2828282828000301);
    begin(5);
    runs("p48 add x32v, x64v, x48v, itype:16");
    x_is(32, 0x7070707070707070);
    x_is(33, 0x2121212121217272);
}

static void width_is_of_the_widest_source(void **state)
{
    /* 8 by 8 bits is 8, into 16, too; 8 beside 16 is 16. */
    begin(2);
    simple_v_set_x(&s, 6, 0xffff);
    simple_v_set_x(&s, 7, 0xff02);
    runs("vblock regs(x5=x40v:16, x6=x6v:8, x7=x7v:8) { add x5, x6, x7 }");
    x_is(40, 0x2828282800fe0001);
    begin(1);
    simple_v_set_x(&s, 6, 0xff);
    simple_v_set_x(&s, 7, 0x0102);
    runs("vblock regs(x5=x40v:16, x6=x6v:8, x7=x7v:16) { add x5, x6, x7 }");
    x_is(40, 0x2828282828280201);
    /* Signed operations and words extend with the sign; a scalar is a whole register. */
    begin(1);
    simple_v_set_x(&s, 6, 0xff);
    simple_v_set_x(&s, 7, 0x7f);
    runs("vblock regs(x5=x5, x6=x6v:8, x7=x7v:8) { slt x5, x6, x7 ; c.nop }");
    x_is(5, 1);
    begin(1);
    simple_v_set_x(&s, 6, 0xf0);
    runs("vblock regs(x5=x5, x6=x6v:8) { sraiw x5, x6, 2 ; c.nop }");
    x_is(5, 0xfffffffffffffffc);
    /* An immediate of 12 bits beside 8: modulo 2^12. */
    begin(1);
    simple_v_set_x(&s, 6, 5);
    runs("vblock regs(x5=x5, x6=x6v:8) { addi x5, x6, -1 ; c.nop }");
    x_is(5, 4);
    begin(1);
    simple_v_set_x(&s, 6, 5);
    runs("vblock regs(x5=x5, x6=x6v:8) { addi x5, x6, -6 ; c.nop }");
    x_is(5, 0xfff);
}

/* With a prefix, too, immediates have their twelve bits beside bytes. */
static void immediates_are_whole(void **state)
{
    begin(4);
    simple_v_set_x(&s, 20, 0x80ff7f12);
    runs("p48 slti x32v, x20v, 1466, itype:8\np48 slti x34v, x20v, -100, itype:8\n"
         "p48 sltiu x36v, x20v, -1, itype:8");
    x_is(32, 0x2020202001010101);
    x_is(34, 0x2222222201000000);
    x_is(36, 0x2424242401010101);
}

/* Of LUI there is nothing but the immediate, whose width is no operand's. */
static void lui_is_a_splat(void **state)
{
    begin(2);
    runs("p48 lui x32v, 0x12345\np48 lui x40v, 0x12345, itype:16\np48 lui x44v, 0x12345, itype:32");
    x_is(32, 0x12345000);
    x_is(33, 0x12345000);
    x_is(40, 0x2828282850005000);
    x_is(44, 0x1234500012345000);
}

static void division_has_no_faults(void **state)
{
    begin(4);
    simple_v_set_x(&s, 6, 0x80800709);
    simple_v_set_x(&s, 7, 0x00ff00fe);
    runs("p48 div x40v, x6v, x6v, itype:8");
    x_is(40, 0x2828282801010101);
    begin(4);
    simple_v_set_x(&s, 6, 0x80800709);
    simple_v_set_x(&s, 8, 0x00ff00fe);
    runs("p48 div x40v, x6v, x8v, itype:8\np48 remu x42v, x6v, x8v, itype:8");
    x_is(40, 0x28282828ff80fffc);
    x_is(42, 0x2a2a2a2a80800709);
}

/* ---- masks ---- */

static void one_mask_skips_or_zeroes(void **state)
{
    begin(4);
    simple_v_set_x(&s, 9, 5);
    runs("p48 add x32v, x0, x64v, itype:8, pred:x9");
    x_is(32, 0x2020202020402040);
    begin(4);
    simple_v_set_x(&s, 9, 5);
    runs("vblock regs(x5=x32v:8, x6=x64v:8), preds(x5=!x9.z) { add x5, x6, x0 }");
    x_is(32, 0x2020202040004000);
    /* A scalar takes the first that is not masked out. */
    begin(4);
    simple_v_set_x(&s, 9, 12);
    simple_v_set_x(&s, 64, 0x04030201);
    runs("vblock regs(x5=x5, x6=x64v:8), preds(x5=x9) { add x5, x6, x0 }");
    x_is(5, 3);
}

static void two_masks_step_apart(void **state)
{
    static const struct {
        const char *text;
        uint64_t out;
    } rows[] = {
        {"vblock regs(x5=x32v:8, x6=x64v:8) { c.mv x5, x6 ; c.nop }", 0x2020202004030201},
        {"vblock regs(x5=x32v:8, x6=x64v:8), preds(x6=x9) { c.mv x5, x6 }",
         0x2020202020200402}, /* compress */
        {"vblock regs(x5=x32v:8, x6=x64v:8), preds(x5=x9) { c.mv x5, x6 }", 0x2020202002200120}, /* expand */
        {"vblock regs(x5=x32v:8, x6=x64v:8), preds(x5=x9.z) { c.mv x5, x6 }", 0x2020202004000200}, /* zero */
        {"vblock regs(x5=x32v:8, x6=x64:8), preds(x5=x9) { c.mv x5, x6 }", 0x2020202001200120},    /* splat */
        {"vblock regs(x5=x32:8, x6=x64v:8), preds(x6=x9) { c.mv x5, x6 }", 2}, /* extract */
        {"vblock regs(x5=x32v:8, x6=x64v:8), preds(x5=x9, x6=x10) { c.mv x5, x6 }", 0x2020202003200220},
    };
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        begin(4);
        simple_v_set_x(&s, 64, 0x04030201);
        simple_v_set_x(&s, 9, 10);
        simple_v_set_x(&s, 10, 6);
        runs(rows[n].text);
        if (simple_v_x(&s, 32) != rows[n].out)
            fail_msg("%s: %016" PRIx64, rows[n].text, simple_v_x(&s, 32));
    }
}

/* ---- branches ---- */

static void branches_need_all(void **state)
{
    static const char text[] = "vblock regs(x5=x32v:8), preds(x5=x9, x0=x10) { bne x5, x0, 18 ; c.nop }\n"
                               "addi x12, x0, 1\nc.nop";
    begin(4);
    simple_v_set_x(&s, 12, 0);
    simple_v_set_x(&s, 9, 11);
    simple_v_set_x(&s, 10, 0xf0);
    simple_v_set_x(&s, 32, 0x01000101);
    runs(text);
    x_is(10, 0xfb); /* element 2 is masked out, and what was there stays */
    x_is(12, 0);
    begin(4);
    simple_v_set_x(&s, 9, 15);
    simple_v_set_x(&s, 10, 0);
    simple_v_set_x(&s, 32, 0x01000101);
    runs(text);
    x_is(10, 11);
    x_is(12, 1);
}

/* ---- floats ---- */

static void floats_are_packed_or_boxed(void **state)
{
    begin(2);
    simple_v_set_f(&s, 64, 0x400000003f800000);
    simple_v_set_f(&s, 8, 0xffffffff40400000);
    runs("p48 fmul.s f32v, f64v, f8");
    f_is(32, 0x40c0000040400000);
    begin(2);
    simple_v_set_f(&s, 64, 0xffffffff3f800000);
    simple_v_set_f(&s, 65, 0x000000003f800000); /* without its box */
    runs("vblock regs(f5=f32v, f6=f64v) { fadd.s f5, f6, f6 ; c.nop }");
    f_is(32, 0xffffffff40000000);
    f_is(33, 0xffffffff7fc00000);
    begin(1);
    assert_int_equal(run("vblock regs(f5=f40v:8) { fadd.s f1, f5, f2 ; c.nop }"), SIMPLE_V_FAULT_ILLEGAL);
    begin(2);
    simple_v_set_x(&s, 32, 0xff03);
    runs("p48 fcvt.s.wu f32v, x32v, itype:8");
    f_is(32, 0x437f000040400000);
}

/* Zftrans' functions of doubles, in a register and packed. */
static void functions_are_of_doubles_too(void **state)
{
    begin(2);
    simple_v_set_f(&s, 2, 0xc03b000000000000); /* -27 */
    simple_v_set_f(&s, 32, 0x4020000000000000);
    simple_v_set_f(&s, 33, 0x3ff0000000000000);
    runs("fcbrt.d f1, f2\np48 flog2.d f40v, f32v");
    f_is(1, 0xc008000000000000); /* -3 */
    f_is(40, 0x4008000000000000);
    f_is(41, 0);
}

/* ---- sub-vectors, moves ---- */

static void swizzles_and_indices(void **state)
{
    begin(2);
    simple_v_set_x(&s, 64, 0x0807060504030201);
    runs("p48 mv.swizzle x64v, x64v, wzyx, itype:8, svlen:4");
    x_is(64, 0x0506070801020304);
    begin(3);
    simple_v_set_x(&s, 64, 0x0807060504030201);
    simple_v_set_x(&s, 66, 0x000702);
    runs("p48 mv.x x32v, x64v, x66v, itype:8");
    x_is(32, 0x2020202020010803);
    begin(1);
    simple_v_set_x(&s, 66, 0xffff);
    assert_int_equal(run("p48 mv.x x32v, x64v, x66v"), SIMPLE_V_FAULT_OVERRUN);
}

/* ---- lengths ---- */

static void lengths_are_set(void **state)
{
    begin(1);
    simple_v_set_x(&s, 12, 40);
    runs("sv.setvl x5, x12, 32\ncsrrs x6, state, x0\ncsrrwi x7, vl, 7\ncsrrs x8, vl, x0\ncsrrwi x10, mvl, 3");
    x_is(5, 32);
    x_is(6, 31 | 31 << 6);
    x_is(7, 8);
    x_is(8, 8);
    x_is(10, 32);
    assert_int_equal(s.vl, 4);
    begin(8);
    runs("vblock vl:64, to:x5, subvl:3 { c.nop ; c.nop ; c.nop }\np64 add x32v, x0, x64v, itype:8, mvl:2, "
         "to:x6");
    x_is(5, 8);
    x_is(6, 2);
    assert_int_equal(s.subvl, 3);
    x_is(32, 0x2020404040404040);
    begin(1);
    simple_v_set_x(&s, 12, 0);
    assert_int_equal(run("sv.setvl x5, x12, 32"), SIMPLE_V_FAULT_LENGTH);
    begin(1);
    assert_int_equal(run("csrrwi x0, subvl, 5"), SIMPLE_V_FAULT_LENGTH);
}

/* SVSAT: sums are exact, what is beyond an element its end; of scalar operations nothing changes. */
static void results_saturate(void **state)
{
    begin(3);
    simple_v_set_x(&s, 64, 0x80f0ff);
    simple_v_set_x(&s, 66, 0x802001);
    runs("csrrwi x0, svsat, 1\np48 add x32v, x64v, x66v, itype:8\np48 sub x34v, x66v, x64v, itype:8\ncsrrs "
         "x5, svsat, "
         "x0");
    x_is(32, 0x2020202020ffffff);
    x_is(34, 0x2222222222000000);
    x_is(5, 1);
    begin(3);
    simple_v_set_x(&s, 64, 0x8070ff);
    simple_v_set_x(&s, 66, 0x802001);
    runs("csrrwi x0, svsat, 2\np48 add x32v, x64v, x66v, itype:8\naddi x6, x0, -1\nslli x6, x6, "
         "63\naddi x6, x6, -1");
    x_is(32, 0x2020202020807f00);
    x_is(6, 0x7fffffffffffffff);
    /* Into what is narrower, of other operations, too; into what is wider exactly. */
    begin(2);
    simple_v_set_x(&s, 64, 0xff0001ff);
    simple_v_set_x(&s, 66, 0x00fffe);
    runs("csrrwi x0, svsat, 2\nvblock regs(x5=x32v:8, x6=x64v:16), preds(x5=!x0) { c.mv x5, x6 ; c.nop }\n"
         "vblock regs(x5=x34v:16, x6=x66v:8, x7=x64v:8) { mul x5, x6, x7 }");
    x_is(32, 0x202020202020807f);
    x_is(34, 0x22222222ffff0002);
    begin(1);
    assert_int_equal(run("csrrwi x0, svsat, 3"), SIMPLE_V_FAULT_LENGTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_beyond_are_kept),
                                       cmocka_unit_test(width_is_of_the_widest_source),
                                       cmocka_unit_test(immediates_are_whole),
                                       cmocka_unit_test(lui_is_a_splat),
                                       cmocka_unit_test(division_has_no_faults),
                                       cmocka_unit_test(one_mask_skips_or_zeroes),
                                       cmocka_unit_test(two_masks_step_apart),
                                       cmocka_unit_test(branches_need_all),
                                       cmocka_unit_test(floats_are_packed_or_boxed),
                                       cmocka_unit_test(functions_are_of_doubles_too),
                                       cmocka_unit_test(swizzles_and_indices),
                                       cmocka_unit_test(lengths_are_set),
                                       cmocka_unit_test(results_saturate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
