/* Simple-V's interpreter against the digest's worked examples and against values worked out by hand from its rules: vectors,
 * widths, masks, memory, fail-first, branches, lengths, faults that are run on from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ieee.h"
#include "isa/random.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/interp.h"
#include "util/bits.h"

enum { CODE = 0x1000, MEMORY = 0x8000, MEMORY_BYTES = 0x1000 };

static struct simple_v_state s;
static struct simple_v_report report;
static uint8_t memory[MEMORY_BYTES];
static uint64_t limit; /* bytes that there are */

static bool there(uint64_t address, unsigned bytes)
{
    return address >= MEMORY && address - MEMORY + bytes <= limit;
}

static bool load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    *out = 0;
    if (there(address, bytes))
        memcpy(out, memory + (address - MEMORY), bytes);
    return there(address, bytes);
}

static bool store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    if (there(address, bytes))
        memcpy(memory + (address - MEMORY), &value, bytes);
    return there(address, bytes);
}

static const struct simple_v_ports ports = {NULL, load, store, NULL};

/* Registers hold their numbers in each byte, memory its address. */
static void begin(unsigned vl)
{
    simple_v_start(&s, CODE);
    for (unsigned n = 8; n < SIMPLE_V_FILE_BYTES; n++)
        s.x[n] = s.f[n] = (uint8_t)(n / 8);
    for (unsigned n = 0; n < MEMORY_BYTES; n++)
        memory[n] = (uint8_t)n;
    s.mvl = s.vl = (uint8_t)vl;
    limit = MEMORY_BYTES;
}

/* Runs the text to its end, from s.pc. */
static enum simple_v_fault run(const char *text)
{
    struct util_error error = {0};
    struct simple_v_program *program;
    void *words;
    uint32_t count;
    if (simple_v_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s: %s", text, error.text);
    assert_int_equal(simple_v_program_create(words, count, CODE, &program, NULL), 0);
    const struct simple_v_run r = {
        .program = program, .ports = &ports, .stop = CODE + 2 * count, .fuel = 10000};
    simple_v_run(&r, &s, &report);
    simple_v_program_destroy(program);
    free(words);
    return report.fault;
}

static void runs(const char *text)
{
    if (run(text))
        fail_msg("%s: %s: %s %s", text, report.name, simple_v_faults[report.fault].text, report.why.text);
}

static void x_is(unsigned reg, uint64_t value)
{
    if (simple_v_x(&s, reg) != value)
        fail_msg("x%u is %016" PRIx64 ", not %016" PRIx64, reg, simple_v_x(&s, reg), value);
}
static void f_is(unsigned reg, uint64_t value)
{
    if (simple_v_f(&s, reg) != value)
        fail_msg("f%u is %016" PRIx64 ", not %016" PRIx64, reg, simple_v_f(&s, reg), value);
}

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
    assert_int_equal(run("fcbrt.d f1, f2"), SIMPLE_V_FAULT_UNSUPPORTED);
    assert_string_equal(report.name, "fcbrt.d");
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(immediates_are_whole),    cmocka_unit_test(lui_is_a_splat),
        cmocka_unit_test(bytes_beyond_are_kept),   cmocka_unit_test(width_is_of_the_widest_source),
        cmocka_unit_test(division_has_no_faults),  cmocka_unit_test(one_mask_skips_or_zeroes),
        cmocka_unit_test(two_masks_step_apart),    cmocka_unit_test(addresses_share_words),
        cmocka_unit_test(unit_stride_and_gathers), cmocka_unit_test(fail_first_ends_before_a_fault),
        cmocka_unit_test(faults_are_run_on_from),  cmocka_unit_test(faults_raise_nothing),
        cmocka_unit_test(branches_need_all),       cmocka_unit_test(floats_are_packed_or_boxed),
        cmocka_unit_test(swizzles_and_indices),    cmocka_unit_test(lengths_are_set),
        cmocka_unit_test(results_saturate),        cmocka_unit_test(faults_name_what_they_are_of),
        cmocka_unit_test(any_program_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
