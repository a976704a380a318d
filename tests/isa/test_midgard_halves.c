/* Halves in both arithmetics, interpreted (isa/midgard/README.md, "Numeric policy"): where one is rounded, and where it
 * is the single that it was computed as. */
#include "tests/isa/midgard_ports.h"

/* r3 is 1 + 2^-12 in each half, which is 1 when it is rounded. */
#define KEPT    "vmul.fmov.16 r1, r24, #1.0 ; next alu1\nvmul.fadd.16 r3, r1, #0x0c00 ; next "
#define SEEN    "vadd.fadd.32 r0, r3.el, #0.0 ; stop"
#define SEEN_R4 "vadd.fadd.32 r0, r4.el, #0.0 ; stop"
/* r4 is twice the greatest half. */
#define TWICE "vmul.fmov.16 r1, r24, #0x7bff ; next alu1\nvmul.fadd.16 r4, r1, r1 ; next "

static const struct {
    const char *text;
    uint32_t exact, fast; /* what r0.x becomes */
} rows[] = {
    {KEPT "alu1\n" SEEN, 0x3f800000, 0x3f800800},
    {KEPT "alu1\nvmul.iadd.32 r0, r3, #0 ; stop", 0x3c003c00, 0x3c003c00},
    {KEPT "alu1\nsmul.fadd.full r0.x, r3.h1, #0.0 ; stop", 0x3f800000, 0x3f800800},
    {KEPT "alu1\nvadd.fadd.16 r4, r3, -r1 ; next alu1\n" SEEN_R4, 0, 0x39800000},
    {KEPT "alu1\nvmul.fdot3.16 r4, r3, r1 ; next alu1\n" SEEN_R4, 0x40400000, 0x40400c00},
    {KEPT "alu1\nvmul.fne.16 r0, r3, r1 ; stop", 0, ~0u},
    /* pi with the sign of what is no number: it has none */
    {KEPT
     "alu1\nvlut.fsqrt.16 r4, -r3, #0.0 ; next alu1\nvlut.fatan2_pt1.16 r4, -r4, -r3 ; next alu1\n" SEEN_R4,
     0x40490000, 0x40490fdb},
    /* clamped, and moved */
    {KEPT "alu1\nvmul.fmov.16.pos r4, r24, r3 ; next alu1\n" SEEN_R4, 0x3f800000, 0x3f800800},
    {KEPT "alu1\nvmul.fmov.16.sat r4, r24, r3 ; next alu1\n" SEEN_R4, 0x3f800000, 0x3f800000},
    {KEPT "alu1\nvmul.imov.16 r4, r24, r3.swap ; next alu1\n" SEEN_R4, 0x3f800000, 0x3f800800},
    {KEPT "alu1\nvmul.fmov.32 r4, r24, r3.yyyy ; next alu1\n" SEEN_R4, 0x3f800000, 0x3f800800},
    {KEPT "alu1\nsmul.imov.full r4.x, r24.x, r3.z ; next alu1\n" SEEN_R4, 0x3f800000, 0x3f800800},
    {KEPT "alu1\nvmul.imov.8 r4, r24, r3 ; next alu1\n" SEEN_R4, 0x3f800000, 0x3f800000},
    {KEPT "alu1\nvmul.fmov.16 r4, r24, -r3 ; next alu1\n" SEEN_R4, 0xbf800000, 0xbf800000},
    {KEPT "alu1\nvmul.imov.32 r26, r24, r3 ; next ldst\nmov r3, al0.x, zero.x, 0 ; nop ; next alu1\n" SEEN,
     0x3f800000, 0x3f800000},
    /* chosen */
    {KEPT "alu2\nsadd.imov.full r31.w, r24.x, #1 ; vadd.icsel.16 r4, r3, r1 ; next alu1\n" SEEN_R4,
     0x3f800000, 0x3f800800},
    {KEPT "alu2\nvmul.imov.16 r31, r24, #1 ; vadd.fcsel_v.16 r4, -r3, r1 ; next alu1\n" SEEN_R4, 0xbf800000,
     0xbf800800},
    {KEPT
     "alu2\nsadd.imov.full r31.w, r24.x, #1 ; smul.icsel.half r4.h0, r3.h1.zx, r1.h0 ; next alu1\n" SEEN_R4,
     0x3f800000, 0x3f800800},
    {KEPT "alu2\nsadd.imov.full r31.w, r24.x, #1 ; vadd.icsel.32 r4, r3, r1 ; next alu1\n" SEEN_R4,
     0x3f800000, 0x3f800000},
    /* made of singles */
    {"vmul.fmul.32.lo r4, r26, #1.0 ; const 0x3f800800, 0x0, 0x0, 0x0 ; next alu1\n" SEEN_R4, 0x3f800000,
     0x3f800800},
    {"vmul.fmov.32.lo r4, r24, r26 ; const 0x80400000, 0x0, 0x0, 0x0 ; next alu1\n" SEEN_R4, 0, 0},
    {"vmul.fmov.32.lo r4, r24, r26 ; const 0x80400000, 0x0, 0x0, 0x0 ; next alu1\nvmul.iadd.32 r0, r4, #0 ; "
     "stop",
     0x00008000, 0x00008000},
    /* beyond the greatest half, in a block and behind it, where bits are asked for, and what is no number */
    {TWICE "alu1\nvmul.fmul.16 r4, r4, #0.5 ; next alu1\n" SEEN_R4, 0x7f800000, 0x477fe000},
    {TWICE "alu1\nvmul.imov.32 r0, r24, r4 ; stop", 0x7c007c00, 0x7c007c00},
    {TWICE "alu1\njump on, alu1 ; next alu1\non: vmul.fmul.16 r4, r4, #0.5 ; next alu1\n" SEEN_R4, 0x7f800000,
     0x7f800000},
    {TWICE "alu1\njump on, alu1 ; next alu1\non: vmul.fmul.16 r4, -r4, #0.5 ; next alu1\n" SEEN_R4,
     0xff800000, 0xff800000},
    {TWICE "alu2\nvmul.imov.32 r31, r24, #0 ; discard.true +0, t0 ; next alu1\n"
           "vmul.fmul.16 r4, r4, #0.5 ; next alu1\n" SEEN_R4,
     0x7f800000, 0x477fe000},
    /* 65528, which is infinite as a half and below 2^16 */
    {"vmul.fmov.16 r1, r24, #0x7bff ; next alu1\nvmul.fadd.16 r4, r1, #24.0 ; next alu1\n"
     "jump on, alu1 ; next alu1\non: vmul.fmul.16 r4, r4, #0.5 ; next alu1\n" SEEN_R4,
     0x7f800000, 0x46fff800},
    {KEPT "alu1\njump on, alu1 ; next alu1\non: " SEEN, 0x3f800000, 0x3f800800},
    {KEPT "alu1\nvlut.fsqrt.16 r4, -r3, #0.0 ; next alu1\njump on, alu1 ; next alu1\non: " SEEN_R4,
     0x7fc00000, 0x7fc00000},
};

static void where_halves_are_rounded(void **unused)
{
    for (size_t n = 0; n < 2 * UTIL_ARRAY_SIZE(rows); n++) {
        ports.numeric = n & 1 ? ISA_FAST : ISA_EXACT;
        const uint32_t expected = n & 1 ? rows[n / 2].fast : rows[n / 2].exact;
        struct midgard_report report = run(rows[n / 2].text);
        for (unsigned l = 0; l < 16; l++)
            if (report.fault || word(0, 0, l) != expected)
                fail_msg("'%s', %s: fault %u, %08x, not %08x", rows[n / 2].text,
                         isa_numeric_name(ports.numeric), report.fault, word(0, 0, l), expected);
    }
}

/* A lane that waits has no more than bits. */
static void barriers_round(void **unused)
{
    ports.numeric = ISA_FAST;
    run(KEPT "bar\nbarrier ; next alu1\n" SEEN);
    assert_int_equal(state.waiting, 0xffff);
    again();
    assert_int_equal(word(0, 0, 0), 0x3f800000);
}

static void coordinates_are_singles(void **unused)
{
    for (unsigned n = 0; n < 2; n++) {
        ports.numeric = n ? ISA_FAST : ISA_EXACT;
        run("vmul.fmov.16 r1, r24, #1.0 ; next alu1\nvmul.fadd.16 r28, r1, #0x0c00 ; next tex\n"
            "texlod.2d.1.f out0, in0.half, 3, 1 ; stop");
        assert_int_equal(seen.texture.coordinate[0][0], n ? 0x3f800800 : 0x3f800000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_halves_are_rounded),
        cmocka_unit_test(barriers_round),
        cmocka_unit_test(coordinates_are_singles),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
