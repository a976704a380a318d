/* Programs of Valhall (warp.h). */
#include "isa/valhall/asm.h"
#include "fuzz/world/warp.h"

static bool returns(const void *words, uint32_t count)
{
    return world_returns(&valhall_set, valhall_disasm, words, count, NULL);
}

static const char *const texts[] = {
    /* loops that lanes leave at different times, round a permutation and a ballot */
    "MOV.i32 r0, lane_id\nRSHIFT_OR.i32 r0, r0, 0x3020100.b11, 0x0\nIADD_IMM.i32 r0, r0, #0x1\nback: "
    "CLPER.i32.subgroup4.xor r1, r2, 0x1000000.b3\n"
    "WMASK.subgroup8 r3, r1\nIADD.u32 r2, r2, r3\nIADD_IMM.i32 r0, r0, #0xFFFFFFFF\n"
    "BRANCHZ r0, offset:back\nNOP.end",
    /* barriers, of which some lanes pass one alone */
    "BRANCHZ.eq.reconverge lane_id, offset:on\nBARRIER.slot7.wait\non: IADD.u32 r1, r1, lane_id\n"
    "BARRIER.slot7.wait\nATOM_RETURN.i32.slot0.aadd @r4, @r1, r6, offset:0\nNOP.end",
    /* the new value first, then what is compared */
    "ATOM_RETURN.i32.slot0.compare.axchg @r10, @r2:r3, r0, offset:0\n"
    "ATOM_RETURN.i64.slot0.wait.compare.axchg @r12:r13, @r2:r3:r4:r5, r0, offset:8\nNOP.end",
    /* helpers by DISCARD, before derivatives, and behind their end */
    "DISCARD.f32.lt r0, r1\nTEX_SINGLE.slot0.f.32.2d.computed @r0:r1:r2:r3, @r4:r5, 0x0\n"
    "STORE.i32.slot0 @r1, r8, offset:4\nNOP.discard\n"
    "TEX_SINGLE.slot0.f.16.cube.array_enable.shadow.texel_offset.computed_bias @r0:r1, "
    "@r10:r11:r12:r13:r14:r15, u2\n"
    "NOP.end",
    /* a blend, its shader, and back */
    "ATEST.wait @r60, r60, r3.h1, atest_datum.w0\n"
    "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x2\n"
    "IADD_IMM.i32 r48, program_counter.w0, #0x8\nBRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n"
    "BLEND.slot0.v4.f32.end @r4:r5:r6:r7, blend_descriptor_1.w0, r60, target:0x0\n"
    "IADD_IMM.i32 r48, 0x0, #0x0\nBRANCHZI.eq.absolute 0x0, blend_descriptor_1.w1",
    /* on both halves, and elsewhere by a distance */
    "BRANCHZ.eq r1.and, offset:on\nMOV.i32 r2, r3\non: BRANCHZI r2.and, r3\nBRANCHZ r4.and, offset:out\n"
    "BRANCHZI.eq 0x0, u3\nout: NOP.end",
    /* a denormal number that is known is a zero */
    "CUBEFACE2 r0, 0x0, 0x80002000.abs, 0x0\nNOP.end",
    /* halves go round a loop that lanes leave at different times; they are compared, chosen and moved */
    "MOV.i32 r0, lane_id\nRSHIFT_OR.i32 r0, r0, 0x3020100.b11, 0x0\nIADD_IMM.i32 r0, r0, #0x1\n"
    "back: FMA.v2f16 r2, r1, r3.h10, 0x0.neg\nFROUND.v2f16.rtn r4, r2\nFADD.v2f16 r1, r2, r4.neg\n"
    "FCMP_OR.v2f16.ge.m1 r5, r1.h00, 0x38000000.h11, 0x0\nIADD.v2u16 r6, r2.h11, 0x0\n"
    "CSEL.v2u16.eq r1, r5, 0x0, r6, r1\nFCMP_OR.v2f16.lt.f1 r7, r1, r2, 0x0\n"
    "CSEL.v2f16.ge r9, r1, r8, r7, r1\nFMA.v2f16 r8, r7, r9, r8.h10\nMKVEC.v2i16 r3, r3.h11, r9.h00\n"
    "IADD_IMM.i32 r0, r0, #0xFFFFFFFF\nBRANCHZ r0, offset:back\nFADD.v2f16.clamp_0_1 r10, r8, r1.h11\n"
    "NOP.end",
    /* loops that all lanes leave at once, one in another: halves, a word, and a branch that only constants decide */
    "IADD_IMM.i32 r0, 0x0, #0x0\nIADD_IMM.i32 r8, 0x0, #0x3\nouter: IADD_IMM.i32 r1, 0x0, #0x0\n"
    "back: ICMP_OR.s32.ge.m1 r2, r1, r8, 0x0\nBRANCHZ.eq.reconverge r2.h0, offset:in\n"
    "BRANCHZ.eq 0x0, offset:out\nin: FMA.v2f16 r3, r3.h00, r4, r5\nFROUND.v2f16.rtn r6, r3\n"
    "FADD.v2f16 r3, r3, r6.neg\nIADD.u32 r7, r7, r3\nIADD_IMM.i32 r1, r1, #0x1\n"
    "BRANCHZ.eq.reconverge 0x0, offset:back\nout: IADD_IMM.i32 r0, r0, #0x1\n"
    "ICMP_OR.s32.lt.m1 r2, r0, r8, 0x0\nBRANCHZ r2, offset:outer\nNOP.end",
    /* the same without end */
    "IADD_IMM.i32 r0, 0x0, #0x0\nback: IADD.u32 r1, r1, lane_id\nBRANCHZ.eq r0, offset:back\nNOP.end",
    /* it goes back */
    "BRANCHZI.eq.absolute r1, 0x3F800000\nNOP.end",
    NULL,
};

enum { A = VALHALL_RANDOM_ARITHMETIC, S = VALHALL_RANDOM_STRAIGHT, F = VALHALL_RANDOM_FULL };

const struct world_set world_valhall = {
    .isa = &valhall_set,
    WORLD_WARP,
    .returns = returns,
    .texts = texts,
    .random = {WORLD_WARP_RANDOM, .profiles = {A, F, S, A, F, F, S, F, A, S, F, F}},
};
