/* What programs of Valhall do beside arithmetic, as README.md of isa/warp and of isa/valhall say it: flow, other lanes,
 * memory, order of staging registers, blends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/valhall/asm.h"
#include "isa/valhall/lint.h"
#include "isa/valhall/names.h"
#include "isa/valhall/program.h"
#include "tests/isa/warp_run.h"

/* With bits added to one word, as no text says them. */
static void run_with(const char *text, unsigned word, uint64_t bits)
{
    struct util_error error = {0};
    struct warp_program *program = NULL;
    void *words;
    uint32_t count;
    if (valhall_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    ((uint64_t *)words)[word] += bits;
    if (valhall_program_create(words, count, &program, &error))
        fail_msg("%s", error.text);
    run_program(program);
    warp_program_destroy(program);
    free(words);
}

static void run(const char *text)
{
    run_with(text, 0, 0);
}

/* ---- flow ---- */

static void test_branches(void **unused)
{
    /* as often round as the lane says, and once more */
    run("MOV.i32 r1, lane_id\nMOV.i32 r2, 0x0\nback: IADD_IMM.i32 r2, r2, #0x1\nMOV.i32 r3, r1\n"
        "IADD_IMM.i32 r1, r1, #0xFFFFFFFF\nBRANCHZ.reconverge r3, offset:back\nNOP.end");
    for (unsigned l = 0; l < 16; l++)
        assert_int_equal(state.reg[2][l], l + 1);
    /* on halves of a register */
    run("IADD_IMM.i32 r1, 0x0, #0x10000\nBRANCHZ.eq r1.h0, offset:on\nMOV.i32 r2, 0x0\n"
        "on: BRANCHZ r1.h1, offset:out\nMOV.i32 r3, 0x0\nout: NOP.end");
    assert_int_equal(state.reg[2][3], 35);
    assert_int_equal(state.reg[3][3], 51);
    /* on both of them together */
    run("IADD_IMM.i32 r1, 0x0, #0x10003\nBRANCHZ r1.and, offset:on\nMOV.i32 r2, 0x0\non: BRANCHZ.eq r1.and, "
        "offset:out\nMOV.i32 r3, 0x0\nout: IADD_IMM.i32 r1, 0x0, #0x10002\nBRANCHZ.eq r1.and, offset:end\n"
        "MOV.i32 r4, 0x0\nend: NOP.end");
    assert_int_equal(state.reg[2][3], 35);
    assert_int_equal(state.reg[3][3], 0);
    assert_int_equal(state.reg[4][3], 67);
    run("BRANCHZ r1.lowbits, offset:out\nout: NOP.end");
    assert_int_equal(report.fault, WARP_FAULT_UNSUPPORTED);
    run("MOV.i32 r1, lane_id\nback: BRANCHZ r1, offset:back\nNOP.end");
    assert_int_equal(report.fault, WARP_FAULT_FUEL);
    assert_int_equal(report.place.lane, 1);
    assert_int_equal(report.at, 1);
    run("FSINCOS_OFFSET.u6 r1, r2\nNOP.end");
    assert_int_equal(report.fault, WARP_FAULT_UNSUPPORTED);
    assert_string_equal(report.name, "FSINCOS_OFFSET.u6");
}

static void test_discard(void **unused)
{
    /* lanes below eight become helpers: they go on, but nobody sees what they store; then they end */
    run("U32_TO_F32 r1, lane_id\nIADD_IMM.i32 r2, 0x0, #0x41000000\nDISCARD.f32.lt r1, r2\n"
        "STORE.i32.slot0 @r1, r4, offset:4\nMOV.i32.discard r5, 0x0\nMOV.i32 r6, 0x0\nNOP.end");
    assert_int_equal(report.fault, WARP_OK);
    assert_int_equal(state.live, 0xff00);
    assert_int_equal(seen.stored, 0xff00);
    assert_int_equal(state.reg[5][7], 0);
    assert_int_equal(state.reg[6][7], 96 + 7);
    assert_int_equal(state.reg[6][8], 0);
}

static void test_helpers(void **unused)
{
    helpers_of_all = 0x000f;
    run("STORE.i32.slot0 @r1, r4, offset:4\nMOV.i32.discard r5, 0x0\nMOV.i32 r6, 0x0\nNOP.end");
    helpers_of_all = 0;
    assert_int_equal(seen.stored, 0xfff0);
    assert_int_equal(seen.access.address[4], (68ull | 84ull << 32) + 4);
    assert_int_equal(state.reg[5][0], 0);
    assert_int_equal(state.reg[6][0], 96); /* ended before */
    assert_int_equal(state.reg[6][4], 0);
    /* what only the lane itself looks at is stored in all */
    helpers_of_all = 0x000f;
    run("STORE.i32.force.slot0 @r1, r4, offset:4\nNOP.end");
    helpers_of_all = 0;
    assert_int_equal(seen.stored, 0xffff);
}

static void test_barriers(void **unused)
{
    run("BRANCHZ.eq.reconverge lane_id, offset:on\nBARRIER.slot7.wait\nMOV.i32 r1, 0x0\non: NOP.end");
    assert_int_equal(report.fault, WARP_OK);
    assert_int_equal(state.reg[1][0], 16);
    assert_int_equal(state.reg[1][1], 0);
}

static void test_far(void **unused)
{
    seen.back = 0x00ff;
    run("IADD_IMM.i32 r1, 0x0, #0x2000\nBRANCHZI.eq.absolute 0x0, r1\nMOV.i32 r2, program_counter\nNOP.end");
    assert_int_equal(seen.far.target[5], 0x500002000); /* in the program's 4 GB */
    assert_int_equal(seen.far.back, 0x500001010);
    assert_int_equal(state.reg[0][9], 77);
    assert_int_equal(state.reg[2][3], 0x1018);
    assert_int_equal(state.reg[2][9], 41);                                  /* ended there */
    run("IADD_IMM.i32 r1, 0x0, #0xFFFFFFF8\nBRANCHZI.eq 0x0, r1\nNOP.end"); /* from the next on */
    assert_int_equal(seen.far.target[5], 0x500001008);
    back_of_all = 0x500002000;
    run("IADD_IMM.i32 r1, 0x0, #0x2000\nBRANCHZI.eq.absolute lane_id, r1\nNOP.end");
    back_of_all = 0;
    assert_int_equal(state.returned, 0x0001);
}

/* ---- other lanes ---- */

static void test_permute(void **unused)
{
    lanes_of_all = 0xfffd;
    run("CLPER.i32.subgroup4.xor r1, r2, 0x1000000.b3\nCLPER.i32.umax r3, r2, 0x1000000.b3\nWMASK.subgroup4 "
        "r4, lane_id\n"
        "CLPER.s32.subgroup8 r5, r2, r2\nNOP.end");
    lanes_of_all = 0xffff;
    assert_int_equal(state.reg[1][0], 0); /* lane 1 does not execute */
    assert_int_equal(state.reg[1][6], 32 + 7);
    assert_int_equal(state.reg[3][6], 0xffffffff);
    assert_int_equal(state.reg[4][2], 0xc); /* lanes 0 and 1 of the subgroup: zero, and not there */
    assert_int_equal(state.reg[4][9], 0xf);
    assert_int_equal(state.reg[5][13], 32 + 8 + 5);
}

/* 0x1_00000005 < 0x1_00000006, and not the other way: the lower words' result decides where the upper are equal. */
static void test_wide_comparisons(void **unused)
{
    run("IADD_IMM.i32 r0, 0x0, #0x5\nIADD_IMM.i32 r1, 0x0, #0x6\nICMP_OR.u32.lt.u1 r2, r0, r1, 0x0\n"
        "ICMP_MULTI.s32.lt.m1 r3, 0x1000000, 0x1000000, r2\nICMP_OR.u32.lt.u1 r4, r1, r0, 0x0\n"
        "ICMP_MULTI.s32.lt.m1 r5, 0x1000000, 0x1000000, r4\nNOP.end");
    assert_int_equal(state.reg[3][0], 0xffffffff);
    assert_int_equal(state.reg[5][0], 0);
}

/* ---- memory ---- */

static void test_loads(void **unused)
{
    for (unsigned n = 0; n < MEMORY; n++)
        seen.memory[n] = (uint8_t)(0xf0 + n);
    run("MOV.i32 r0, 0x0\nMOV.i32 r1, 0x0\nLOAD.i8.b2.slot0 @r2, r0, offset:1\nLOAD.i16.w0.slot0 @r3, r0, "
        "offset:2\n"
        "LOAD.i16.d0.unsigned.slot0 @r4:r5, r0, offset:2\nLOAD.i96.slot0 @r6:r7:r8, r0, offset:4\nNOP.end");
    assert_int_equal(report.fault, WARP_OK);
    assert_int_equal(state.reg[2][1], 33 | 0xf1 << 16);
    assert_int_equal(state.reg[3][0], 0xfffff3f2);
    assert_int_equal(state.reg[4][0], 0xf3f2);
    assert_int_equal(state.reg[5][0], 0);
    assert_int_equal(state.reg[8][0], 0xfffefdfc);
    run("LOAD.i32.slot0 @r2, r0, offset:1\nNOP.end");
    assert_int_equal(report.fault, WARP_FAULT_ADDRESS);
    assert_int_equal(report.place.address, 1 + (16ull << 32));
}

static void test_atomics(void **unused)
{
    run("ATOM_RETURN.i32.slot0.aadd @r10, @r2, r0, offset:0\n"
        "ATOM1_RETURN.i32.slot0.adec @r11, r0, offset:0\nNOP.end");
    assert_int_equal(state.reg[10][1], 33 + 100);
    assert_int_equal(state.reg[11][1], 99);
    run("ATOM_RETURN.i32.slot0.compare.axchg @r10, @r2:r3, r0, offset:0\nNOP.end");
    assert_int_equal(seen.access.op, ISA_ATOMIC_COMPARE_EXCHANGE);
    assert_int_equal(state.reg[10][1], 33 + 100);
    assert_int_equal(seen.value[0], 2 * 16 + 1); /* the new value comes first */
    assert_int_equal(seen.compare[0], 3 * 16 + 1);
    run("ATOM_RETURN.i64.slot0.compare.axchg @r10:r11, @r2:r3:r4:r5, r0, offset:0\nNOP.end");
    for (unsigned n = 0; n < 2; n++) {
        assert_int_equal(seen.value[n], (2 + n) * 16 + 1);
        assert_int_equal(seen.compare[n], (4 + n) * 16 + 1);
    }
}

/* ---- textures, messages ---- */

static void test_staging(void **unused)
{
    run("IADD_IMM.i32 r0, 0x0, #0x28031805\nIADD_IMM.i32 r8, 0x0, #0x05FE01\nIADD_IMM.i32 r9, 0x0, #0xFF80\n"
        "TEX_SINGLE.slot0.f.32.gb.2d.array_enable.texel_offset.shadow.explicit @r20:r21, @r4:r5:r6:r7:r8:r9, "
        "r0\n"
        "NOP.end");
    assert_int_equal(report.fault, WARP_OK);
    const struct isa_texture_request *r = &seen.texture;
    assert_int_equal(r->sampler[0], 3 << 24 | 5);
    assert_int_equal(r->texture[0], 5 << 24 | 3);
    assert_int_equal(r->op, ISA_TEXTURE_LOD);
    assert_int_equal(r->mode, ISA_TEXTURE_SHADOW);
    for (unsigned c = 0; c < 2; c++)
        assert_int_equal(r->coordinate[c][0], (4 + c) * 16);
    assert_int_equal(r->coordinate[3][0], 6 * 16); /* the layer */
    assert_int_equal(r->coordinate[2][0], 7 * 16); /* the reference */
    assert_int_equal(r->offset[0][0], 1);
    assert_int_equal(r->offset[1][0], -2);
    assert_int_equal(r->offset[2][0], 5);
    assert_int_equal(r->lod[0], util_f2u(-0.5f));
    assert_int_equal(state.reg[20][0], util_f2u(2)); /* g, b alone */
    assert_int_equal(state.reg[21][0], util_f2u(3));
    run("TEX_SINGLE.slot0.f.16.rgb.2d.zero @r20:r21, @r4:r5, r0\nNOP.end");
    assert_int_equal(state.reg[20][0], 0x40003c00);
    assert_int_equal(state.reg[21][0], 0x4200);
}

/* Byte 2 is the sample, byte 3 the level of fetches; a gather at texels has neither. */
static void test_texels(void **unused)
{
    run("IADD_IMM.i32 r0, 0x0, #0x0\nIADD_IMM.i32 r6, 0x0, #0x0703FE01\n"
        "TEX_FETCH.slot0.f.32.2d.texel_offset @r20:r21:r22:r23, @r4:r5:r6, r0\nNOP.end");
    assert_int_equal(seen.texture.op, ISA_TEXTURE_FETCH);
    assert_int_equal(seen.texture.coordinate[2][0], 3);
    assert_int_equal(seen.texture.lod[0], 7);
    assert_int_equal(seen.texture.offset[1][0], -2);
    run("TEX_GATHER.slot0.f.32.2d.integer_coordinates.gather4_b @r20:r21:r22:r23, @r4:r5, r0\nNOP.end");
    assert_int_equal(seen.texture.op, ISA_TEXTURE_FETCH);
    assert_int_equal(seen.texture.mode, ISA_TEXTURE_GATHER + 2);
    assert_int_equal(seen.texture.coordinate[1][2], 5 * 16 + 2);
}

/* Handles that a block makes of constants are these, but where something has been written since: r0 is behind r63. */
static void test_handles(void **unused)
{
    seen.gives[0] = 7, seen.gives[1] = 0x28031805;
    run("IADD_IMM.i32 r0, 0x0, #0x28041806\nIADD_IMM.i32 r1, 0x0, #0x1\n"
        "TEX_SINGLE.slot0.f.32.2d.zero @r20:r21:r22:r23, @r4:r5, r0\nNOP.end");
    assert_int_equal(seen.texture.texture[0], 5 << 24 | 4);
    assert_true(seen.texture.uniform);
    run_with("IADD_IMM.i32 r0, 0x0, #0x28041806\n"
             "LD_VAR_IMM.slot0.v2.f32.center.store @r62:r63, r61, table:0x2, index:0x5\n"
             "TEX_SINGLE.slot0.f.32.2d.zero @r20:r21:r22:r23, @r4:r5, r0\nNOP.end",
             1, UINT64_C(1) << VALHALL_REG_AT);
    assert_int_equal(state.reg[63][3], 7);
    assert_int_equal(seen.texture.texture[0], 5 << 24 | 3);
    assert_int_equal(seen.texture.sampler[0], 3 << 24 | 5);
    assert_false(seen.texture.uniform);
}

/* Two at the same place: handles word by word, results one behind the other. */
static void test_two_textures(void **unused)
{
    run("IADD_IMM.i32 r0, 0x0, #0x28031805\nIADD_IMM.i32 r1, 0x0, #0x28041806\n"
        "TEX_DUAL.slot0.f.16.32.rgb.2d.zero @r20:r21:r22:r23:r24, @r4:r5, r0\nNOP.end");
    assert_int_equal(report.fault, WARP_OK);
    assert_int_equal(seen.texture.texture[0], 5 << 24 | 4); /* the last */
    assert_int_equal(seen.texture.sampler[0], 3 << 24 | 6);
    assert_int_equal(state.reg[20][0], 0x40003c00);
    assert_int_equal(state.reg[21][0], 0x4200);
    assert_int_equal(state.reg[22][0], util_f2u(1));
    assert_int_equal(state.reg[24][0], util_f2u(3));
    run("TEX_DUAL.slot0.f.16.32.2d.wide_indices.zero @r20:r21, @r4:r5, r0\nNOP.end");
    assert_int_equal(report.fault, WARP_FAULT_UNSUPPORTED);
}

static void test_gradients(void **unused)
{
    run("TEX_GRADIENT.slot0.u.32.rg.2d.derivative_enable.lod_clamp_disable @r6:r7, @r4:r5:r6:r7, r0\n"
        "TEX_SINGLE.slot0.f.32.2d.grdesc @r30:r31:r32:r33, @r4:r5:r6:r7, r0\nNOP.end");
    assert_int_equal(state.reg[6][0], 256); /* 1 in 8.8 */
    assert_int_equal(state.reg[7][0], 0);
    assert_int_equal(seen.texture.op, ISA_TEXTURE_LOD);
    assert_int_equal(seen.texture.lod[0], util_f2u(1));
    run("TEX_GRADIENT.slot0.u.32.rg.2d.derivative_enable.lod_clamp_disable @r20:r21, @r4:r5:r6:r7, "
        "r0\nNOP.end");
    const struct isa_texture_request *r = &seen.texture;
    assert_int_equal(r->op, ISA_TEXTURE_LEVEL);
    assert_false(r->derivatives);
    assert_true(r->no_clamp && !r->no_bias);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(r->gradient[n & 1][n / 2][0], (4 + n) * 16);
    run("TEX_GRADIENT.slot0.u.32.r.3d.force_delta_enable @r20, @r4:r5:r6, r0\nNOP.end");
    assert_true(r->derivatives);
    assert_int_equal(r->coordinate[2][3], 6 * 16 + 3);
    run("TEX_GRADIENT.slot0.u.32.r.2d @r20, @r4:r5, r0\nNOP.end");
    assert_int_equal(report.fault, WARP_FAULT_UNSUPPORTED);
}

/* Coordinates are what the varying's message gives. */
static void test_textures_of_varyings(void **unused)
{
    seen.gives[0] = util_f2u(0.5f), seen.gives[1] = util_f2u(0.25f);
    run("IADD_IMM.i32 r2, 0x0, #0x1000003\n"
        "VAR_TEX_SINGLE.slot0.center_store.f.32.2d.computed @r20:r21:r22:r23, r0, r2\nNOP.end");
    assert_int_equal(report.fault, WARP_OK);
    assert_int_equal(seen.message.asked.message, WARP_VARYING);
    assert_int_equal(seen.message.asked.words, 2);
    assert_int_equal(seen.message.asked.type, ISA_TYPE_F32);
    assert_int_equal(seen.message.operand[1][0][0], 1 << 24 | 3);
    assert_int_equal(seen.texture.coordinate[1][0], util_f2u(0.25f));
    assert_true(seen.texture.derivatives);
    assert_int_equal(state.reg[23][0], util_f2u(4));
    run("VAR_TEX_BUF_DUAL.slot0.center_clobber.f.16.32.2d.zero @r20:r21:r22:r23:r24:r25, r0, r2\nNOP.end");
    assert_int_equal(seen.message.asked.message, WARP_VARYING_BYTES);
    assert_int_equal(seen.texture.texture[1], (17 >> 11) << 24);
    assert_int_equal(state.reg[21][0], 0x44004200);
    assert_int_equal(state.reg[22][0], util_f2u(1));
    run("VAR_TEX_GRADIENT.slot0.center_store.u.32.2d @r20:r21, r0, r2\nNOP.end");
    assert_int_equal(seen.texture.op, ISA_TEXTURE_LEVEL);
    assert_int_equal(state.reg[20][0], 256);
    run("VAR_TEX_SINGLE.slot0.center_store.f.32.cube.computed @r20:r21:r22:r23, r0, r2\nNOP.end");
    assert_int_equal(report.fault, WARP_FAULT_UNSUPPORTED);
}

static void test_quads(void **unused)
{
    lanes_of_all = 0x0006; /* of a quad lanes 1 and 2 */
    run("TEX_SINGLE.slot0.f.32.2d.computed @r20:r21:r22:r23, @r4:r5, r0\nNOP.end");
    lanes_of_all = 0xffff;
    assert_true(seen.texture.derivatives);
    assert_int_equal(seen.texture.coordinate[0][0], 64 + 1); /* beside it */
    assert_int_equal(seen.texture.coordinate[0][3], 64 + 2);
}

static void test_varyings(void **unused)
{
    seen.gives[0] = 5, seen.gives[1] = 6, seen.gives[2] = 7;
    run("LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store @r0:r1, r61, index:0x10\n"
        "LD_ATTR_IMM.v2.f32.slot0 @r2:r3, r60, r61, index:0x3, table:0x1\nNOP.end");
    assert_int_equal(state.reg[1][2], 6);
    assert_int_equal(seen.message.asked.message, WARP_ATTRIBUTE);
    assert_int_equal(seen.message.operand[2][0][0], 1 << 24 | 3);
    assert_int_equal(seen.message.operand[0][0][1], 60 * 16 + 1);
    assert_int_equal(seen.message.asked.components, 2);
}

/* As requests of isa/ports.h. */
static void test_requests(void **unused)
{
    struct isa_attribute a;
    uint32_t instance[16];
    run("LD_ATTR.v4.u16.slot0 @r0:r1, r60, r61, r2\nNOP.end");
    assert_true(warp_message_attribute(&seen.message, &a, instance));
    assert_int_equal(a.type, ISA_TYPE_U32);
    assert_int_equal(a.index[1], 33);
    assert_int_equal(a.vertex[2], 60 * 16 + 2);
    assert_int_equal(instance[3], 61 * 16 + 3);
    run("IADD_IMM.i32 r4, 0x0, #0x50003\nLD_TEX.v4.auto.slot0 @r0:r1:r2:r3, r4, r5, r2\nNOP.end");
    assert_true(warp_message_attribute(&seen.message, &a, instance));
    assert_true(a.any_type);
    assert_int_equal(a.coordinate[0][0], 3);
    assert_int_equal(a.coordinate[1][0], 5);
    assert_int_equal(a.coordinate[2][1], 81);
    run("LD_VAR_IMM.slot0.v4.f32.centroid.store @r0:r1:r2:r3, r61, table:0x2, index:0x5\nNOP.end");
    assert_true(warp_message_attribute(&seen.message, &a, instance));
    assert_true(a.secondary);
    assert_int_equal(a.index[7], 2 << 24 | 5);
    assert_int_equal(a.interpolation, ISA_INTERPOLATE_PERSPECTIVE | ISA_INTERPOLATE_CENTROID);
    run("ZS_EMIT.z.stencil.slot0 @r60, r1, r2, r60\nNOP.end");
    assert_false(warp_message_attribute(&seen.message, &a, instance));
    assert_true(seen.message.asked.z && seen.message.asked.stencil);
}

#define BLENDS                                                                                               \
    "BLEND.slot0.v4.f32%s @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x1\nMOV.i32 r4, 0x0\nMOV.i32 "   \
    "r5, 0x0\nNOP.end"

static void test_blends(void **unused)
{
    char text[300];
    for (unsigned end = 0; end < 2; end++) {
        snprintf(text, sizeof text, BLENDS, end ? ".end" : "");
        seen.leave = 0x0ff0; /* the others want a blend shader, and go on */
        helpers_of_all = 0x0010;
        run(text);
        helpers_of_all = 0;
        assert_int_equal(report.fault, WARP_OK);
        assert_int_equal(seen.lanes, 0xffef);
        assert_int_equal(seen.message.operand[0][1][0], VALHALL_SPECIAL_BLEND_0 + 1000);
        assert_int_equal(seen.message.operand[1][0][2], 60 * 16 + 2);
        assert_int_equal(seen.message.value[3][1], 49);
        assert_int_equal(state.reg[4][0], 0);
        assert_int_equal(state.reg[4][4], 68); /* skipped, or ended */
        assert_int_equal(state.reg[5][4], end ? 84 : 0);
    }
    seen.gives[0] = 9;
    run("IADD_IMM.i32 r3, 0x0, #0x3C000000\nATEST.wait @r60, r60, r3.h1, atest_datum.w0\nNOP.end");
    assert_int_equal(seen.message.operand[1][0][0], 0x3f800000); /* a single */
    assert_int_equal(state.reg[60][0], 9);
}

static void take_note(void *data, const struct isa_finding *finding)
{
    char *all = data;
    if (!strcmp(finding->rule->name, "UNEXPLAINED"))
        snprintf(all + strlen(all), 200 - strlen(all), "%u %s|", finding->pc, finding->detail);
}

/* The linter tells what would fault, and of what would not nothing. */
static void unexplained_is_told(void **unused)
{
    static const char *const texts[][2] = {
        {"FADD.f32 r0, r1, r2\nFPCLASS.f32 r3, r0\nNOP.end\n", "1 FPCLASS.f32|"},
        {"BRANCHZ.eq r0.lowbits, offset:to\nto: NOP.end\n", "0 a branch on .lowbits|"},
        {"FADD.f32 r0, r1, r2\nNOP.end\n", ""},
        {"NOP\n", ""}, /* not a program */
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(texts); n++) {
        char found[200] = "";
        struct util_error error = {0};
        void *words;
        uint32_t count;
        if (valhall_asm(texts[n][0], strlen(texts[n][0]), &words, &count, &error))
            fail_msg("%s", error.text);
        assert_int_equal(valhall_lint(words, count, 0, take_note, found), 0);
        assert_string_equal(found, texts[n][1]);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unexplained_is_told),
                                       cmocka_unit_test(test_branches),
                                       cmocka_unit_test(test_discard),
                                       cmocka_unit_test(test_helpers),
                                       cmocka_unit_test(test_barriers),
                                       cmocka_unit_test(test_far),
                                       cmocka_unit_test(test_permute),
                                       cmocka_unit_test(test_loads),
                                       cmocka_unit_test(test_atomics),
                                       cmocka_unit_test(test_staging),
                                       cmocka_unit_test(test_quads),
                                       cmocka_unit_test(test_varyings),
                                       cmocka_unit_test(test_requests),
                                       cmocka_unit_test(test_blends),
                                       cmocka_unit_test(test_wide_comparisons),
                                       cmocka_unit_test(test_texels),
                                       cmocka_unit_test(test_handles),
                                       cmocka_unit_test(test_two_textures),
                                       cmocka_unit_test(test_gradients),
                                       cmocka_unit_test(test_textures_of_varyings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
