/* Midgard's interpreter against what the documents and README.md say: loads and stores, textures, branches, barriers,
 * faults. */
#include "tests/isa/midgard_ports.h"

/* ---- loads and stores ---- */

static void test_attributes(void **unused)
{
    run("vmul.imov.32 r26, r24, #2 ; next ldst\n"
        "ld_attr_32 r0.xz/wzyx, al0.x.64, al0.y.s32<<1, 3:511 ; st_vary_16 al1/xxyy, zero.x, zero.x.u32, 7:0 "
        "; stop");
    assert_int_equal(word(0, 0, 0), util_f2u(4));
    assert_int_equal(word(0, 1, 0), 0);
    assert_int_equal(word(0, 2, 0), util_f2u(2));
    assert_int_equal(seen.attribute.index[4], 7);
    assert_true(seen.attribute.secondary && !seen.attribute.any_type && seen.attribute.uniform);
    run("vmul.imov.32 r26, r24, #2 ; next ldst\nld_attr_32 r0, al0.x.64, al0.y.s32<<1, 3:511 ; stop");
    assert_int_equal(seen.attribute.index[4], 7);
    assert_true(seen.attribute.other_vertex && seen.attribute.any_type && seen.attribute.secondary);
    assert_int_equal(seen.attribute.vertex[4], 1);
    assert_false(seen.attribute.uniform);
    run("vmul.imov.32 r26, r24, #-2 ; next ldst\nld_image_32u r0, al0.x, zero.x, 1:0 ; next ldst\n"
        "lea_image r1.xy, al0.z.64, zero.x, 2:0 ; stop");
    assert_int_equal(seen.attribute.coordinate[0][3], 0xfffe);
    assert_int_equal(seen.attribute.coordinate[3][3], 0xffff);
    assert_int_equal(word(1, 0, 3), 0x1000);
    assert_int_equal(word(1, 1, 3), 3);
}

static void test_varyings(void **unused)
{
    run("ld_vary_32 r0, zero.x, zero.x.u32, 3:88 ; ld_vary_32 r1, zero.x, zero.x.u32, 3:3 ; stop");
    assert_int_equal(seen.attribute.index[0], 3);
    assert_int_equal(word(1, 3, 0), util_f2u(1));
    assert_int_equal(word(1, 1, 0), util_f2u(0.5f));
    assert_false(seen.attribute.at_position);
    run("vmul.imov.32 r26, r24, #0x4300 ; next ldst\nld_vary_32 r0.xy, al0.x, zero.x.u32, 3:92 ; stop");
    assert_true(seen.attribute.at_position);
    assert_int_equal(seen.attribute.position[2], 0x43);
    assert_int_equal(seen.attribute.interpolation,
                     ISA_INTERPOLATE_FLAT | ISA_INTERPOLATE_PERSPECTIVE | ISA_INTERPOLATE_SAMPLE);
    assert_int_equal(word(0, 0, 4), util_f2u(3.25f)); /* a cube's */
    assert_int_equal(word(0, 1, 4), util_f2u(2.25f));
    struct midgard_report report = run("ld_vary_32 r0, zero.x, zero.x.u32, 3:5 ; stop");
    assert_int_equal(report.fault, MIDGARD_FAULT_RESERVED);
}

static void test_memory(void **unused)
{
    for (unsigned n = 0; n < sizeof seen.memory; n++)
        seen.memory[n] = (uint8_t)(n ^ 0x80);
    run(LANES "vadd.f2i_rtz.32 r26, r5, r5 ; next ldst\n"
              "ld_32 r0, zero.x.64, al0.x.u32<<2, 4 ; ld_i8 r1, storage.z.64, al0.y.s32, 0 ; next ldst\n"
              "ld_64_bswap2 r2, al0.x, zero.x, 7 ; ld_u16_be r3, pc.z.64, al0.x.u32<<3, 0 ; stop");
    assert_int_equal(word(0, 0, 3), 0x8b8a8988);
    assert_int_equal(word(0, 1, 3), 0);
    assert_int_equal(word(1, 0, 3), 0xffffff82);
    assert_int_equal(word(2, 0, 3), 0x8a8b8889);
    assert_int_equal(word(2, 1, 3), 0x8e8f8c8d);
    assert_int_equal(word(3, 0, 3), 0x8889);
    assert_int_equal(seen.access.space, ISA_SPACE_THREAD);
    run("vmul.imov.32 r27, r24, #0x1234 ; next ldst\n"
        "st_32 al1.xz/yyyy, zero.x.64, zero.x, 16 ; st_u16 al1, storage.z.64, zero.x, 32 ; next ldst\n"
        "st_32_bswap4 al1, storage.x.64, zero.x, 48 ; st_128 al1.y, zero.x.64, zero.x, 64 ; stop");
    assert_int_equal(seen.memory[16], 0x34);
    assert_int_equal(seen.memory[17], 17 ^ 0x80);
    assert_int_equal(seen.memory[18], 0);
    assert_int_equal(seen.memory[33], 0x12);
    assert_int_equal(seen.memory[34], 34 ^ 0x80);
    assert_int_equal(seen.memory[51], 0x34);
    assert_int_equal(seen.memory[68], 0x34);
    assert_int_equal(seen.memory[64], 64 ^ 0x80);
    assert_int_equal(seen.access.enable, 0xf0);
    helpers = 0x00f0;
    run("vmul.imov.32 r27, r24, #1 ; next ldst\nst_32 al1, zero.x.64, zero.x, 16 ; stop");
    assert_int_equal(seen.lanes, 0xff0f);
    run("vmul.imov.32 r27, r24, #1 ; next ldst\nst_32 al1, storage.x.64, zero.x, 16 ; stop");
    helpers = 0;
    assert_int_equal(seen.lanes, 0xffff); /* what they keep for themselves */
    run("lea r0.xy, storage.x.64, zero.x, -1 ; lea r1.xy, storage.x, zero.x, 1 ; stop");
    assert_int_equal(word(0, 0, 2), 0x301);
    assert_int_equal(word(0, 1, 2), 0x312);
    assert_int_equal(word(1, 0, 2), 0x303);
    assert_int_equal(word(1, 1, 2), 0);
}

static void test_atomics(void **unused)
{
    memset(seen.memory, 0, sizeof seen.memory);
    run("vmul.imov.32 r27, r24, #3 ; next ldst\natomic_add r0, zero.x.64, zero.x, 8, al1.y ; stop");
    assert_int_equal(word(0, 0, 0), 0);
    assert_int_equal(word(0, 0, 5), 15); /* lane after lane */
    assert_int_equal(word(0, 1, 5), 15);
    assert_int_equal(seen.memory[8], 48);
    run("vmul.imov.32 r27, r24, #48 ; next ldst\natomic_cmpxchg r0, zero.x.64, al1.x, 8, zero.x ; stop");
    assert_int_equal(word(0, 0, 0), 48);
    assert_int_equal(word(0, 0, 1), 0);
    helpers = 0xfffe;
    run("vmul.imov.32 r27, r24, #3 ; next ldst\n"
        "atomic_add r0, zero.x.64, zero.x, 8, al1.y ; st_32 al1, zero.x.64, zero.x, 12 ; stop");
    helpers = 0;
    assert_int_equal(seen.memory[8], 3);
    assert_int_equal(seen.lanes, 1);
}

static void test_uniforms(void **unused)
{
    run("vmul.imov.32 r26, r24, #3 ; next ldst\n"
        "ld_ubo_128 r0.yw/xyzw, storage.y.64, al0.x.u64<<2, -4:0 ; ld_ubo_i8 r1, al0.x, zero.x, 8:1 ; stop");
    assert_int_equal(word(0, 0, 1), 0);
    assert_int_equal(word(0, 1, 1), 0x88878685);
    assert_int_equal(word(1, 0, 1), 0xffffff81);
    assert_int_equal(seen.buffer[7], 3);
    assert_int_equal(seen.offset[7], 8);
    run("vmul.imov.32 r26, r24, #3 ; next ldst\nld_ubo_32 r0, storage.y.64, al0.x.u64<<2, -4:0 ; stop");
    assert_int_equal(seen.buffer[7], 1 | 3 << 2 | 1 << 5 | 1 << 6);
    assert_int_equal(seen.offset[7], 8);
}

static void test_tile(void **unused)
{
    run("ld_tile_raw r0, al0.y, al0.w, 0 ; ld_special_32u r1, zero.x, zero.x, 97:0 ; stop");
    assert_int_equal(seen.form, MIDGARD_TILE_RAW);
    assert_int_equal(seen.target, 3);
    assert_int_equal(seen.sample[0], 1);
    assert_int_equal(seen.selector[0], 97);
    run("ld_tile_32f r0, lid.x, storage.z, 1 ; stop");
    assert_int_equal(seen.target, 14);
    assert_int_equal(seen.sample[6], 0x406);
    traits.tile_by_special = true;
    run("ld_special_16 r0, zero.x, zero.x, 1:0 ; stop");
    assert_int_equal(seen.form, MIDGARD_TILE_F16);
    assert_int_equal(seen.target, 0);
    assert_int_equal(word(0, 0, 0), util_f2u(20));
    assert_true(program->reads_tile);
    run("ld_special_32u r0, zero.x, zero.x, 16:0 ; stop");
    assert_int_equal(seen.form, MIDGARD_TILE_RAW);
    traits.tile_by_special = false;
    assert_int_equal(run("st_special_32 al0, zero.x, zero.x, 1:0 ; stop").fault, MIDGARD_FAULT_UNSUPPORTED);
}

static void test_registers_to_registers(void **unused)
{
    run(LANES "vadd.imov.32 r26, r24, r5 ; next ldst\n"
              "mov r0.xyz/zyxw, gid.x, zero.x, 0 ; div_w r1, al0.x.64, zero.x, 0 ; next ldst\n"
              "cubemap r2, al0.x.64, zero.x, 0 ; unpack_f32 r3, lid.x, zero.x<<5, 3 ; stop");
    assert_int_equal(word(0, 0, 1), 0x521);
    assert_int_equal(word(0, 3, 1), 0);
    assert_int_equal(word(1, 3, 0), util_f2u(1));
    assert_int_equal(word(1, 1, 0), util_f2u(0.5f));
    assert_int_equal(word(2, 0, 0), util_f2u(3));
    assert_int_equal(seen.format, 3 << 4 | 5);
    assert_int_equal(word(3, 0, 1), 0x402);
}

/* ---- textures ---- */

static void test_requests(void **unused)
{
    static const char coordinates[] =
        LANES "vadd.imov.32 r28, r24, r5 ; vlut.imov.32 r29, r24, #3 ; next tex\n";
    char text[500];
    snprintf(text, sizeof text, "%s%s", coordinates,
             "tex.2d.5.f.sat out1.xw/yyyx, in0.yxzw, 7, in1.z ; lod -1.5 ; offset 1, -2, 7 ; next alu1\n"
             "vmul.imov.32 r0, r24, r29 ; stop");
    lanes_given = 0x0ffe; /* the first lane of a quad, and a quad, are away */
    assert_int_equal(run(text).fault, MIDGARD_OK);
    lanes_given = 0xffff;
    assert_true(seen.texture.derivatives && seen.texture.has_lod && seen.texture.has_offset &&
                !seen.texture.uniform);
    assert_int_equal(seen.texture.texture[5], 7);
    assert_int_equal(seen.texture.sampler[5], 3);
    assert_int_equal(seen.texture.lod[5], util_f2u(-1.5f));
    assert_int_equal(seen.texture.offset[1][5], -2);
    assert_int_equal(seen.texture.offset[2][5], 7);
    assert_int_equal(seen.texture.coordinate[0][5], util_f2u(2.3125f));
    assert_int_equal(seen.texture.coordinate[0][0], seen.texture.coordinate[0][1]);
    assert_int_equal(seen.lanes, 0x0ffe);
    assert_int_equal(word(0, 0, 5), util_f2u(1)); /* 1.3125, clamped */
    assert_int_equal(word(0, 1, 5), 0);
    assert_int_equal(word(0, 3, 5), util_f2u(0.3125f));
    snprintf(text, sizeof text, "%s%s", coordinates,
             "texfetch.3d.1.i out0.half.upper.x, in1.half, 1, 1 ; lod in1.x.half ; as vtex ; stop");
    run(text);
    assert_int_equal(seen.texture.lod[0], 3);
    assert_int_equal(seen.texture.coordinate[0][0], 3);
    assert_int_equal(seen.texture.coordinate[1][0], 0);
    assert_true(seen.texture.uniform && !seen.texture.derivatives);
    assert_int_equal(state.reg[MIDGARD_R_RESULT][2][0] & 0xffff, 0);
}

/* Of GPUs that share registers. */
static void test_shared_registers(void **unused)
{
    traits.shared_registers = true;
    run(LANES "vadd.imov.32 r27, r24, r5 ; next tex\ntex.2d.1.f out1, in1, 0, 0 ; stop");
    traits.shared_registers = false;
    assert_int_equal(seen.texture.coordinate[2][0], util_f2u(3));
    assert_int_equal(word(1, 2, 0), util_f2u(2));
}

static void test_derivatives(void **unused)
{
    run(LANES
        "vadd.fmul.32 r28, r5, r5 ; next alu1\nvmul.fmul.32 r28, r5, r5 ; next tex\n"
        "derivative.2d.0.f out0, in0.yxzw, 0, 0 ; next tex\nderivative.2d.1.f out1.xy, in0, 0, 0 ; stop");
    assert_int_equal(state.reg[MIDGARD_R_RESULT][0][4], state.reg[MIDGARD_R_RESULT][0][5]);
    assert_int_equal(state.reg[MIDGARD_R_RESULT][0][0], util_f2u(2.0625f * 2.0625f - 4));
    assert_int_equal(state.reg[MIDGARD_R_RESULT + 1][0][1], util_f2u(1.1875f * 1.1875f - 1.0625f * 1.0625f));
    assert_int_equal(state.reg[MIDGARD_R_RESULT][2][0], 0);
}

/* ---- control ---- */

/* Lanes loop as often as their number modulo 4, plus one. */
static void test_loops(void **unused)
{
    static const char text[] = "mov r26, storage.x, zero.x, 0 ; mov r0, zero.x, zero.x, 0 ; next alu1\n"
                               "sadd.iand.full r1.x, r27.x, #3 ; next alu2\n"
                               "again: sadd.iadd.full r0.x, r0.x, #1 ; next alu2\n"
                               "    sadd.ilt.full r31.w, r0.x, #3 ; br.true again, alu1 ; next alu1\n"
                               "    vmul.imov.32 r2, r24, r0 ; stop\n";
    struct midgard_report report = run(text);
    assert_int_equal(report.fault, MIDGARD_OK);
    assert_int_equal(word(2, 0, 0), 3);
    assert_int_equal(report.executed, 2 + 6 + 1);
    report = run("again: idle ; next alu1\njump again, alu1 ; next alu1\n");
    assert_int_equal(report.fault, MIDGARD_FAULT_FUEL);
    assert_int_equal(report.at, 1);
}

static void test_branches(void **unused)
{
    run(LANES "vmul.flt.32 r31, r5, #1.5 ; br.false +1, alu1 ; next alu1\n"
              "vmul.imov.32 r0, r24, #1 ; next alu1\nvmul.iadd.32 r0, r0, #2 ; stop");
    assert_int_equal(word(0, 0, 0), 2); /* r31.w: 4 is not below */
    run(LANES "vmul.flt.32 r31, r5.xxxx, #1.5 ; br.false +1, alu1 ; next alu1\n"
              "vmul.imov.32 r0, r24, #1 ; next alu1\nvmul.iadd.32 r0, r0, #2 ; stop");
    assert_int_equal(word(0, 0, 7), 3);
    assert_int_equal(word(0, 0, 8), 2);
    /* a table: the lower half of w and not the lower of x */
    run("sadd.imov.full r31.w, r24.x, #1 ; brx.lut0a0a +1, alu1 ; next alu1\n"
        "vmul.imov.32 r0, r24, #1 ; next alu1\nvmul.iadd.32 r0, r0, #2 ; stop");
    assert_int_equal(word(0, 0, 0), 2);
    run("sadd.imov.full r31.x, r24.x, #1 ; brx.lut0a0a +1, alu1 ; next alu1\n"
        "vmul.imov.32 r0, r24, #1 ; next alu1\nvmul.iadd.32 r0, r0, #2 ; stop");
    assert_int_equal(word(0, 0, 0), 3);
    assert_int_equal(run("jump.call +0, alu1 ; next alu1\nidle ; stop").fault, MIDGARD_FAULT_UNSUPPORTED);
    assert_int_equal(run("tilewait.always -1, alu1 ; stop").fault, MIDGARD_OK);
}

static void test_ends(void **unused)
{
    seen.writeouts = 0;
    run(LANES
        "vmul.flt.32 r31, r5.xxxx, #1.5 ; discard.true +2, t0 ; next alu2\n"
        "vmul.imov.32 r0, r24, r5 ; vadd.imov.32 r1.xz, r24, #0x103 ; writex.always +0, alu2 ; next alu1\n"
        "vmul.imov.32 r1, r24, #-1 ; next alu1\nwritex.always +0, alu1 ; stop");
    assert_int_equal(state.live, 0xff00);
    assert_int_equal(seen.writeouts, 2);
    assert_int_equal(seen.lanes, 0xff00);
    assert_false(seen.writeout.has_depth || seen.writeout.has_select);
    assert_int_equal(seen.writeout.select[9], 0);
    assert_int_equal(seen.writeout.color[1][9], util_f2u(2.5625f));
    helpers = 0x00f0;
    run("vmul.imov.32 r1.xz, r24, #0x103 ; writex.always +0, alu2 ; stop");
    helpers = 0;
    assert_true(seen.writeout.has_depth && !seen.writeout.has_stencil && seen.writeout.has_select);
    assert_int_equal(seen.writeout.select[0], 0x103);
    assert_int_equal(seen.lanes, 0xff0f);
}

/* Some lanes come to the barrier by another path. */
static void test_barriers(void **unused)
{
    struct midgard_report report =
        run(LANES "vmul.flt.32 r31, r5.xxxx, #1.5 ; br.true +1, bar ; next alu1\n"
                  "vmul.imov.32 r0, r24, #1 ; next bar\nbarrier ; next alu1\nvmul.iadd.32 r0, r0, #2 ; stop");
    assert_int_equal(report.fault, MIDGARD_OK);
    assert_int_equal(state.running, 0xffff);
    assert_int_equal(state.waiting, 0xffff);
    assert_int_equal(word(0, 0, 8), 1);
    report = again();
    assert_int_equal(report.fault, MIDGARD_OK);
    assert_int_equal(state.running, 0);
    assert_int_equal(report.executed, 1);
    assert_int_equal(word(0, 0, 8), 3);
    assert_int_equal(word(0, 0, 7), 2);
}

static void test_helpers_end(void **unused)
{
    helpers = 0x000f;
    run("tex.2d.1.f out0, in0, 0, 0 ; exec kill ; next alu1\nvmul.imov.32 r0, r24, #1 ; stop");
    helpers = 0;
    assert_int_equal(word(0, 0, 3), 0);
    assert_int_equal(word(0, 0, 4), 1);
    assert_int_equal(state.live, 0xffff);
}

/* ---- faults ---- */

static const struct {
    const char *text;
    enum midgard_fault fault;
} faults[] = {
    {"vmul.op0.32 r0, r1, r2", MIDGARD_FAULT_RESERVED},
    {"vmul.fmul.8 r0, r1, r2", MIDGARD_FAULT_RESERVED},
    {"vlut.frcp.64 r0, r1, r2", MIDGARD_FAULT_RESERVED},
    {"vmul.iadd.32 r0, r1.rl, r2", MIDGARD_FAULT_RESERVED},
    {"vmul.iadd.8 r0, r1, r2.el", MIDGARD_FAULT_RESERVED},
    {"vmul.iadd.64 r0, r1, r2.els", MIDGARD_FAULT_RESERVED},
    {"vmul.fmul.16 r0, r1.el, r2", MIDGARD_FAULT_RESERVED},
    {"vmul.fmul.16.lo r0, r1, r2", MIDGARD_FAULT_RESERVED},
    {"vmul.iadd.8.lo r0, r1, r2", MIDGARD_FAULT_RESERVED},
    {"vmul.iadd.32.sh3 r0, r1, r2", MIDGARD_FAULT_RESERVED},
    {"vmul.iwmul.8 r0, r1, r2", MIDGARD_FAULT_RESERVED},
    {"vlut.fpow_pt1.32 r0, r1, r2", MIDGARD_FAULT_UNSUPPORTED},
    {"op3.always +0, alu1", MIDGARD_FAULT_RESERVED},
    {"ldop0 r0, al0.x, al0.x, 0", MIDGARD_FAULT_RESERVED},
    {"ld_32 r0, zero.x.64, al0.x, 0", MIDGARD_FAULT_RESERVED},
    {"st_32 r8, zero.x.64, zero.x, 0", MIDGARD_FAULT_RESERVED},
    {"st_vary_32 r31, zero.x, zero.x, 0:0", MIDGARD_FAULT_RESERVED},
    {"ld_attr_32 r0, zero.x, zero.x, 8:0", MIDGARD_FAULT_ADDRESS},
    {"ld_32 r0, zero.x.64, zero.x, 253", MIDGARD_FAULT_ADDRESS},
    {"ld_128 r0, zero.x.64, zero.x, -1", MIDGARD_FAULT_ADDRESS},
    {"trap r0, al0.x, al0.x, 5", MIDGARD_FAULT_TRAP},
    {"texop3.2d.1.f out0, in0, 0, 0", MIDGARD_FAULT_RESERVED},
    {"tex.2d.2.f out0, in0, 0, 0", MIDGARD_FAULT_RESERVED},
    {"tex.2d.1.t0 out0, in0, 0, 0", MIDGARD_FAULT_RESERVED},
    {"derivative.2d.2.f out0, in0, 0, 0", MIDGARD_FAULT_RESERVED},
    {"dergrad.2d.1.f out0, in0, 0, 0", MIDGARD_FAULT_UNSUPPORTED},
    {"coordgrad.2d.1.f out0, in0, 0, 0", MIDGARD_FAULT_UNSUPPORTED},
};

static void test_faults(void **unused)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(faults); n++) {
        char text[200];
        snprintf(text, sizeof text, "%s ; stop", faults[n].text);
        struct midgard_report report = run(text);
        if (report.fault != faults[n].fault)
            fail_msg("'%s': %u", text, report.fault);
    }
    struct midgard_report report = run("idle ; next ldst\nld_attr_32 r0, zero.x, zero.x, 8:0 ; stop");
    assert_int_equal(report.at, 1);
    assert_int_equal(report.place.lane, 3);
    assert_true(report.place.address == 0x123456789a);
    assert_int_equal(report.executed, 1);
    traits.no_writeout_tags = true;
    assert_int_equal(run("idle ; writeout ; stop").fault, MIDGARD_FAULT_RESERVED);
    traits.no_writeout_tags = false;
    assert_int_equal(run("idle ; writeout ; stop").fault, MIDGARD_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_varyings),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_uniforms),
        cmocka_unit_test(test_tile),
        cmocka_unit_test(test_registers_to_registers),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_shared_registers),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_helpers_end),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
