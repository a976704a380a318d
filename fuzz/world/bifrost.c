/* Programs of Bifrost, v6 and v7 (warp.h). */
#include "isa/bifrost/asm.h"
#include "fuzz/world/warp.h"

static bool returns(const void *words, uint32_t count)
{
    return world_returns(&bifrost_set, bifrost_disasm, words, count, NULL);
}

#define END "ds(0) eos {\n*NOP t0\n+NOP t1\n}"
static const char *const texts[] = {
    /* denormal constants, which compilers compare, too */
    "ds(0) eos {\n*CUBEFACE1 r8:t0, #0.neg, 0x0000001e.neg, 0x00000004.neg\n+CUBEFACE2 r9:t1, t\n"
    "*FCMP.f32.gt r1:t0, 0x0000001e, #0\n+FCMP.f32.gtlt.m1 r2:t1, 0x0000001e, 0x00000004\n"
    "*CSEL.f32.gt r3:t0, 0x0000001e, #0, 0x0000001e, r9\n+FMAX.f32 r4:t1, 0x0000001e, 0x00000004\n"
    "*FADD.f32 r5:t0, 0x0000001e, #0\n+MUX.i32.fp_zero r6:t1, r1, r2, 0x0000001e\n"
    "*FMA.f32.rtp r7:t0, 0x0000001e, 0x0000001e, #0\n+FMIN.f32 r10:t1, 0x0000001e, 0x00000004\n"
    "*NOP t0\n+NOP t1\nconst 0x1e, 0x4\n}",
    /* halves go round a loop that lanes leave at different times; they are compared, chosen and moved */
    "ds(0) nbb {\n*MOV.i32 r5:t0, lane_id.x\n+NOP t1\n}\n"
    "back: ds(0) nbb {\n*FCMP.v2f16.ge.m1 t0, r0.h00, 0x00003800.h00\n+MUX.v2i16 r0:t1, r2, r1, t\n"
    "*FMA.v2f16 t0, 0x42004000, t1.h00, #0.neg\n+FROUND.v2f16.rtn t1, t\n"
    "*FADD.v2f16 r1:t0, t0, t1.neg\n+SWZ.v2i16 t1, t.h11\n"
    "*FCMP.v2f16.ge.m1 t0, r0.h00, 0x00003800.h00\n+MUX.v2i16.neg r2:t1, t1, r1, t\n"
    "*NOP t0\n+NOP t1\nconst 0x3800, 0x42004000\n}\n"
    "ds(0) nbb {\n*CSEL.v2i16.eq r3:t0, r0, #0, r2, r1\n+NOP t1\n"
    "*NOP t0\n+MKVEC.v2i16 r4:t1, r3, r1.h1\n*NOP t0\n+NOP t1\n}\n"
    "ds(0) nbb {\n*NOP t0\n+ISUB.u32 r5:t1, r5, 0x4\n*NOP t0\n+BRANCHZ.s32.gt t1, t1, back\n"
    "const 0x0, back\nconst 0x4, 0x0\n}\n" END,
    /* loops that lanes leave at different times, round a permutation and a ballot */
    "ds(0) nbb {\n*MOV.i32 r0:t0, lane_id.x\n+NOP t1\n}\n"
    "back: ds(0) nbb {\n*RSHIFT_OR.i32 t0, r0, #0, #0\n+CLPER.i32.xor.subgroup4.zero r1:t1, r2, t\n"
    "*NOP t0\n+WMASK.subgroup8 r3:t1, r1, fill:0\n*IADDC.i32 r2:t0, r2, t1, #0\n+ISUB.u32 r0:t1, r0, 0x1\n"
    "*NOP t0\n+BRANCHZ.s32.gt t1, t1, back\nconst 0x0, back\nconst 0x1, 0x0\n}\n" END,
    /* barriers, of which some lanes pass one alone */
    "ds(0) nbb {\n*MOV.i32 r0:t0, lane_id.x\n+NOP t1\n}\n"
    "ds(0) nbb dwb(0, 1, 2, 3, 4, 5) {\n*NOP t0\n+BRANCHZ.i32.eq t1, r0, on\nconst 0x0, on\n}\n"
    "ds(7) nbb barrier dwb(0, 1, 2, 3, 4, 5, 7) {\n*NOP t0\n+BARRIER t1\n}\n"
    "on: ds(0) nbb next_barrier dwb(0, 1, 2, 3, 4, 5) {\n*IADDC.i32 r1:t0, r1, r0, #0\n+NOP t1\n}\n"
    "ds(7) nbb barrier next_atomic dwb(7) {\n*MOV.i32 t0, r1\n+NOP t1\n*NOP t0\n+BARRIER t1\n}\n"
    "ds(0) eos atomic {\n*ATOM_C_RETURN.i32.aadd t0, r1, r2, r6\n+ATOM_CX t1, r1, r2, r6, @r6\n}",
    /* the new value first, then what is compared */
    "ds(0) nbb atomic next_atomic dwb(0) {\n*NOP t0\n+ACMPXCHG.i32 t1, r1, r2, @r4\n}\n"
    "ds(0) eos atomic {\n*NOP t0\n+ACMPXCHG.i64 t1, r1, r2, @r8\n}",
    /* helpers by DISCARD, before derivatives, and behind their end */
    "ds(0) nbb next_tex {\n*NOP t0\n+DISCARD.f32.lt t1, r0, r1\n}\n"
    "ds(0) nbb tex next_store {\n*MOV.i32 r9:t0, r0\n+TEXS_2D.f32 t1, r4, r5, texture_index:1, "
    "sampler_index:2, @r0\n}\n"
    "ds(1) nbb store dwb(0) {\n*NOP t0\n+STORE.i32 t1, r1, r2, @r8\n}\n"
    "ds(0) nbb td next_tex {\n*NOP t0\n+BRANCHZ.f32.lt t1, r2, on\nconst 0x0, on\n}\n"
    "ds(0) nbb td tex {\n*NOP t0\n+TEXC t1, r10, r11, 0x345bf852, @r12\nconst 0x345bf852, 0x0\n}\n"
    "on: " END,
    /* a blend, its shader, and back; another that ends */
    "ds(0) nbb next_atest dwb(0, 6, 7) {\n*NOP t0\n+NOP t1\n}\n"
    "ds(0) nbb atest next_blend dwb(0, 6, 7) {\n*NOP t0\n+ATEST r59:t1, r60, r3.h1, @r60\n}\n"
    "ds(0) nbb blend next_blend dwb(0, 6, 7) {\n*NOP t0\n+BLEND r48:t1, r60, blend_descriptor_0.x, "
    "blend_descriptor_0.y, @r0\n}\n"
    "ds(0) eos blend {\n*MOV.i32 r4:t0, r48\n+NOP t1\n*NOP t0\n+BLEND r48:t1, r60, blend_descriptor_1.x, "
    "blend_descriptor_1.y, @r4\n}",
    /* a blend shader, which goes back to r48, or nowhere */
    "ds(0) nbb dwb(7) next_tile {\n*NOP t0\n+NOP t1\n}\n"
    "ds(0) nbb tile {\n*NOP t0\n+ST_TILE.v4 t1, r2, r60, 0x77, @r0\n*MOV.i32 r48:t0, r4\n+NOP t1\n*NOP t0\n"
    "+JUMP t1, r48\nconst 0x77, 0x0\n}",
    NULL,
};
#undef END

enum {
    A = BIFROST_RANDOM_ARITHMETIC,
    S = BIFROST_RANDOM_STRAIGHT,
    F = BIFROST_RANDOM_FULL,
    A7 = A | BIFROST_RANDOM_V7,
    S7 = S | BIFROST_RANDOM_V7,
    F7 = F | BIFROST_RANDOM_V7
};

const struct world_set world_bifrost = {
    .isa = &bifrost_set,
    WORLD_WARP,
    .returns = returns,
    .texts = texts,
    .random = {WORLD_WARP_RANDOM, .profiles = {A, F7, S, A7, F, F7, S7, F, F7, S, F, F7}, .discards = true},
};
