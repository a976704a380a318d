/* Messages of Bifrost: when they take what, and what ports are asked for; descriptors of textures (README.md of
 * isa/bifrost, "Execution"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/isa/bifrost_run.h"

/* Staging registers have what the tuple before wrote, not what its own did; what comes is there behind the clause. */
static void messages_take_in_time(void **unused)
{
    run("ds(0) eos store {\n*MOV.i32 r8:t0, r2\n+NOP t1\n*MOV.i32 r9:t0, #0\n+STORE.i64 t1, r1, r3, "
        "@r8\n*MOV.i32 r1:t0, #0\n+NOP t1\n" NOTHING "}");
    assert_int_equal(seen.value[0], 33);
    assert_int_equal(seen.value[1], 9 * 16 + 1);
    assert_int_equal(seen.access.address[1], 17 | (uint64_t)49 << 32);
    memset(seen.memory, 0x5a, sizeof seen.memory);
    run("ds(0) eos load {\n*MOV.i32 r9:t0, #0\n+LOAD.i8.b2 t1, 0x10, 0x0, @r9\n*MOV.i32 r4:t0, r9\n+NOP "
        "t1\nconst 0x10, 0x0\n}");
    has(9, 1, 0x5a0000);
    has(4, 1, 9 * 16 + 1);
}

static void loads_go_into_parts(void **unused)
{
    static const struct {
        const char *what;
        uint32_t low, high;
    } each[] = {
        {"LOAD.i8", 0x391, 0x3d0},
        {"LOAD.i8.b3", 0x910003c0, 0x3d0},
        {"LOAD.i8.h1.zext", 0x009103c0, 0x3d0},
        {"LOAD.i8.w0.sext", 0xffffff91, 0x3d0},
        {"LOAD.i8.d0.sext", 0xffffff91, 0xffffffff},
        {"LOAD.i16.h1", 0x929103c0, 0x3d0},
        {"LOAD.i24", 0x00939291, 0x3d0},
        {"LOAD.i48", 0x94939291, 0x00009695},
        {"LOAD.i32.d0.sext", 0x94939291, 0xffffffff},
    };
    for (unsigned n = 0; n < 64; n++)
        seen.memory[n] = (uint8_t)(0x91 + n);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(each); n++) {
        char text[200];
        snprintf(text, sizeof text, "ds(0) eos load {\n*NOP t0\n+%s t1, #0.x, #0.x, @r60\n}", each[n].what);
        run(text);
        if (report.fault || state.reg[60][0] != each[n].low || state.reg[61][0] != each[n].high)
            fail_msg("%s: %08x %08x", each[n].what, state.reg[60][0], state.reg[61][0]);
    }
    run("ds(0) eos load {\n*NOP t0\n+LOAD.i32.wls t1, #0.x, #0.x, @r12\n}");
    assert_int_equal(seen.access.space, ISA_SPACE_WORKGROUP);
    run("ds(0) eos store {\n*NOP t0\n+STORE.i32.tl t1, #0.x, #0.x, @r12\n}");
    assert_int_equal(seen.access.space, ISA_SPACE_THREAD);
    run("ds(0) eos attr {\n*NOP t0\n+LOAD.i32.ubo t1, r1, 0x5, @r12\nconst 0x5, 0x0\n}");
    has(12, 2, 5 << 16 | 18);
}

static void atomics_have_halves(void **unused)
{
    run("ds(0) eos atomic {\n*ATOM_C_RETURN.i32.asmax t0, r1, r2, r4\n+ATOM_CX t1, r1, r2, r4, @r4\n}");
    assert_int_equal(seen.access.op, ISA_ATOMIC_IMAX);
    assert_int_equal(seen.access.address[1], 17 | (uint64_t)33 << 32);
    has(4, 1, 65 + 100);
    has(5, 1, 0); /* nothing is left to do for ATOM_POST */
    run("ds(0) eos atomic {\n*ATOM_C1_RETURN.i32.adec t0, r1, r2\n+ATOM_CX t1, r1, r2, r4, @r4\n}");
    assert_int_equal(seen.access.op, ISA_ATOMIC_ADD);
    has(4, 1, 99);
    run("ds(0) eos atomic {\n*ATOM_C.i32.axor t0, r1, r2, r4\n+ATOM_CX t1, r1, r2, r4, @r4\n}");
    has(4, 1, 65);
    run("ds(0) eos atomic {\n*NOP t0\n+AXCHG.i64.wls t1, r1, r2, @r4\n}");
    assert_int_equal(seen.access.op, ISA_ATOMIC_EXCHANGE);
    assert_int_equal(seen.access.bytes, 8);
    faults("ds(0) eos atomic {\n*ATOM_C_RETURN.i64.aadd t0, r1, r2, r4\n+ATOM_CX t1, r1, r2, r4, @r4\n}",
           "ATOM_C_RETURN.i64");
}

/* What is compared stands behind the new value (Mesa: bi_emit_acmpxchg_to). */
static void atomics_compare(void **unused)
{
    run("ds(0) eos atomic {\n*NOP t0\n+ACMPXCHG.i32 t1, r1, r2, @r4\n}");
    assert_int_equal(seen.access.op, ISA_ATOMIC_COMPARE_EXCHANGE);
    assert_int_equal(seen.value[0], 4 * 16 + 1);
    assert_int_equal(seen.compare[0], 5 * 16 + 1);
    has(4, 1, 65 + 100);
    run("ds(0) eos atomic {\n*NOP t0\n+ACMPXCHG.i64 t1, r1, r2, @r4\n}");
    for (unsigned n = 0; n < 2; n++) {
        assert_int_equal(seen.value[n], (4 + n) * 16 + 1);
        assert_int_equal(seen.compare[n], (6 + n) * 16 + 1);
        has(4 + n, 1, (4 + n) * 16 + 1 + 100);
    }
    run("ds(0) eos atomic {\n*NOP t0\n+ACMPSTORE.i32 t1, r1, r2, @r4\n}");
    assert_int_equal(seen.value[0], 4 * 16 + 1);
    assert_int_equal(seen.compare[0], 5 * 16 + 1);
    has(4, 1, 65);
}

static void descriptors_are_numbers(void **unused)
{
    run("ds(0) eos attr {\n*DTSEL_IMM.attribute_2 t0, r60\n+LD_ATTR.u16.v4 t1, t, r61, r2, @r8\n}");
    assert_int_equal(seen.message.asked.message, WARP_ATTRIBUTE);
    assert_int_equal(seen.message.operand[0][0][1], 961);
    assert_int_equal(seen.message.operand[2][0][1], BIFROST_TABLE_VARYINGS << 24 | 33);
    assert_true(seen.message.asked.halves);
    run("ds(0) eos attr {\n*NOP t0\n+LEA_ATTR_IMM.f32 t1, r60, r61, attribute_index:3, @r8\n}");
    assert_int_equal(seen.message.operand[2][0][0], BIFROST_TABLE_VARYINGS << 24 | 3);
    assert_int_equal(seen.message.asked.words, 3);
    run("ds(0) eos vary {\n*NOP t0\n+LD_VAR_SPECIAL.point.v2.clobber.f32.center t1, r61, @r8\n}");
    assert_int_equal(seen.message.operand[1][0][0], 1); /* the second of two */
    run("ds(0) eos vary {\n*NOP t0\n+LD_VAR_IMM.v3.store.f32.centroid t1, r61, index:7, @r8\n}");
    assert_int_equal(seen.message.asked.sample, WARP_SAMPLE_CENTROID);
    assert_int_equal(seen.message.operand[1][0][0], 7);
    run("ds(0) eos store {\n*NOP t0\n+ST_CVT.v4 t1, r1, r2, 0x77, @r8\nconst 0x77, 0x0\n}");
    assert_int_equal(seen.message.operand[0][1][1], 33);
    assert_int_equal(seen.message.operand[1][0][1], 0x77);
    assert_int_equal(seen.message.value[3][1], 11 * 16 + 1);
}

static void pixels_are_written(void **unused)
{
    memset(seen.gives, 0, sizeof seen.gives);
    seen.gives[0] = 9;
    run("ds(0) eos atest {\n*NOP t0\n+ATEST r3:t1, r60, r1.h1, @r60\n}");
    has(60, 0, 9);
    has(3, 0, 9);
    assert_int_equal(seen.message.operand[2][0][0], BIFROST_SPECIAL_ATEST_DATUM);
    /* lanes that want a blend shader get the address behind, go there, and come back */
    seen.leave = 0x0ff0;
    seen.back = 0xffff;
    run("ds(0) nbb blend {\n*NOP t0\n+BLEND r48:t1, r60, blend_descriptor_2.x, blend_descriptor_2.y, "
        "@r4\n}\nds(0) eos {\n*MOV.i32 r9:t0, #0\n+NOP t1\n}");
    assert_int_equal(seen.message.operand[0][1][0], BIFROST_SPECIAL_BLEND_2 + 1000);
    assert_int_equal(seen.message.value[3][1], 7 * 16 + 1);
    has(48, 0, (uint32_t)PROGRAM_ADDRESS + 16);
    assert_int_equal(seen.far.back, PROGRAM_ADDRESS + 16);
    assert_int_equal((uint32_t)seen.far.target[0], BIFROST_SPECIAL_BLEND_2 + 1000);
    assert_int_equal(seen.lanes, 0xf00f);
    has(9, 0, 0);
    has(9, 5, 0);
    run("ds(0) eos blend {\n*NOP t0\n+BLEND r48:t1, r60, blend_descriptor_0.x, blend_descriptor_0.y, @r4\n}");
    has(48, 0, 0);
    faults("ds(0) eos blend {\n*NOP t0\n+BLEND r48:t1, r60, r1, r2, @r4\n}", "BLEND");
}

#define LD_TILE(conversion)                                                                                  \
    "ds(0) eos tile {\n*NOP t0\n+LD_TILE.v3 t1, r1, r60, " conversion ", @r8\nconst " conversion ", 0x0\n}"

/* A conversion word says from bit 24 on what registers have: of halves a pixel has as many words less. */
static void pixels_come_as_the_conversion_says(void **unused)
{
    static const char *const halves[] = {LD_TILE("0x000ed000"), LD_TILE("0x040ed000"), LD_TILE("0x050ed000")},
                             *const words[] = {LD_TILE("0x010ed000"), LD_TILE("0x020ed000"),
                                               LD_TILE("0x030ed000")};
    for (unsigned n = 0; n < WARP_MESSAGE_WORDS; n++)
        seen.gives[n] = 0x70 + n;
    for (unsigned n = 0; n < 3; n++) {
        run(halves[n]);
        assert_int_equal(seen.message.asked.message, WARP_TILE);
        has(8, 1, 0x70);
        has(9, 1, 0x71);
        has(10, 1, 10 * 16 + 1);
        run(words[n]);
        has(9, 1, 0x71);
        has(10, 1, 0x72);
        has(11, 1, 11 * 16 + 1);
    }
    /* each lane by its own, formats 0 to 7 */
    run("ds(0) nbb {\n*LSHIFT_OR.i32 r4:t0, r3, #0, 0x00000018\n+NOP t1\nconst 0x18, 0x0\n}\n"
        "ds(0) eos tile {\n*NOP t0\n+LD_TILE.v4 t1, r1, r60, r4, @r8\n}");
    for (unsigned l = 0; l < 16; l++) {
        const uint32_t format = l & 7;
        has(9, l, 0x71);
        has(10, l, format == 0 || format == 4 || format == 5 ? 10 * 16 + l : 0x72);
        has(11, l, format == 0 || format == 4 || format == 5 ? 11 * 16 + l : 0x73);
    }
}

/* ---- textures ---- */

#define TEXC(descriptor)                                                                                     \
    "ds(0) eos tex {\n*NOP t0\n+TEXC t1, r1, r2, " descriptor ", @r8\nconst " descriptor ", 0x0\n}"

static void textures_have_descriptors(void **unused)
{
    const struct isa_texture_request *r = &seen.texture;
    /* sampler 2, texture 5, of two dimensions, the level computed */
    run(TEXC("0xf4787852"));
    assert_int_equal(r->op, ISA_TEXTURE_SAMPLE);
    assert_true(r->derivatives);
    assert_int_equal(r->dimensions, 2);
    assert_int_equal(r->sampler[1], 2);
    assert_int_equal(r->texture[1], 5);
    assert_int_equal(r->coordinate[0][1], 17);
    assert_int_equal(r->coordinate[1][1], 33);
    has(11, 0, 0x40800000);
    /* an array with a reference and offsets, a bias: r8 the bias, r9 the reference, r10 the layer, r11 the offsets */
    run(TEXC("0x345bf852"));
    assert_int_equal(r->mode, ISA_TEXTURE_SHADOW);
    assert_int_equal(r->lod[1], util_f2u(129 / 256.0f));
    assert_int_equal(r->coordinate[2][1], 9 * 16 + 1);
    assert_int_equal(r->coordinate[3][1], 10 * 16 + 1);
    assert_int_equal(r->offset[0][1], (int8_t)177);
    has(9, 1, 0x40000000);
    has(10, 1, 10 * 16 + 1); /* two components are wanted */
    /* three dimensions, both numbers in registers: r8 z, r9 the sampler, r10 the texture */
    run(TEXC("0xf47c700f"));
    assert_int_equal(r->dimensions, 3);
    assert_int_equal(r->coordinate[2][1], 8 * 16 + 1);
    assert_int_equal(r->sampler[1], 9 * 16 + 1);
    assert_int_equal(r->texture[1], 10 * 16 + 1);
    /* the sampler's alone, texture 6; then the texture's, sampler 6; then both 6 */
    run(TEXC("0xf478706e"));
    assert_int_equal(r->sampler[1], 8 * 16 + 1);
    assert_int_equal(r->texture[1], 6);
    run(TEXC("0xf478706d"));
    assert_int_equal(r->sampler[1], 6);
    assert_int_equal(r->texture[1], 8 * 16 + 1);
    run(TEXC("0xf478706c"));
    assert_int_equal(r->sampler[1], 6);
    assert_int_equal(r->texture[1], 6);
}

#define TEXC_BY(word) "+TEXC t1, r1, r2, " word ", @r8\n"

/* As Mesa moves them where a tuple has a uniform already (bi_lower_fau): in the clause, from one before, by a result. */
static void descriptors_are_moved(void **unused)
{
    static const char move[] = "*NOP t0\n+MOV.i32 r5:t1, 0xf4787852\n", end[] = "const 0xf4787852, 0x0\n}\n";
    char text[1024];
    const struct isa_texture_request *r = &seen.texture;
    for (unsigned n = 0; n < 4; n++) {
        snprintf(text, sizeof text,
                 n == 0   ? "ds(0) eos tex {\n%s*NOP t0\n+NOP t1\n*NOP t0\n" TEXC_BY("r5") "%s"
                 : n == 1 ? "ds(0) nbb {\n%s%sds(0) eos tex {\n*NOP t0\n" TEXC_BY("r5") "}\n"
                 : n == 2
                     ? "ds(0) eos tex {\n%s*NOP t0\n" TEXC_BY("t1") "%s"
                     : "ds(0) nbb {\n%s%sds(0) nbb {\n*MOV.i32 r6:t0, r5\n+NOP t1\n}\nds(0) eos tex {\n*NOP "
                       "t0\n" TEXC_BY("r6") "}\n",
                 move, end);
        memset(&seen.texture, 0, sizeof seen.texture);
        run(text);
        assert_int_equal(r->dimensions, 2);
        assert_int_equal(r->sampler[1], 2);
        assert_int_equal(r->texture[1], 5);
    }
    /* what it is depends on where one comes from, or on what is computed */
    snprintf(
        text, sizeof text,
        "ds(0) nbb {\n%s%sds(0) nbb {\n*NOP t0\n+BRANCHZ.i32.ne t1, r1, to\nconst 0x0, to\n}\n"
        "ds(0) nbb {\n*MOV.i32 r5:t0, #0\n+NOP t1\n}\nto: ds(0) eos tex {\n*NOP t0\n" TEXC_BY("r5") "}\n",
        move, end);
    faults(text, "TEXC");
    faults("ds(0) eos tex {\n*NOP t0\n" TEXC_BY("r5") "}\n", "TEXC");
}

static void textures_are_fetched(void **unused)
{
    const struct isa_texture_request *r = &seen.texture;
    /* whole coordinates, the level in r8 from bit 8 on, offsets and sample in r9, integers of 16 bits */
    run("ds(0) nbb {\n*MOV.i32 r8:t0, 0x300\n+MOV.i32 r9:t1, 0x7000001\n*NOP t0\n+NOP t1\nconst 0x300, "
        "0x7000001\n}\n" TEXC("0xfc18e852"));
    assert_int_equal(r->op, ISA_TEXTURE_FETCH);
    assert_int_equal(r->sampler_type, ISA_SAMPLER_UNSIGNED);
    assert_int_equal(r->lod[0], 3);
    assert_int_equal(r->offset[0][0], 1);
    assert_int_equal(r->coordinate[2][0], 7);
    /* the third component of four texels */
    run(TEXC("0xf4686852"));
    assert_int_equal(r->mode, ISA_TEXTURE_GATHER + 2);
    assert_int_equal(r->op, ISA_TEXTURE_LOD);
    run(TEXC("0xf4496852"));
    assert_int_equal(r->mode, ISA_TEXTURE_GATHER_SHADOW);
    /* clamped to 1 */
    run(TEXC("0xf7787852"));
    has(11, 0, 0x3f800000);
    run(TEXC("0xf3787852"));
    has(9, 0, 0x3c003c00);
    faults(TEXC("0xf4106852"), "TEXC"); /* from a cube */
    faults("ds(0) eos tex {\n*NOP t0\n+TEXC t1, r1, r2, r3, @r8\n}", "TEXC");
}

/* Descriptors of gradients, and lookups by them. */
static void levels_are_told(void **unused)
{
    const struct isa_texture_request *r = &seen.texture;
    /* of given derivatives: r1 and r2 along x, r8 and r9 along y; without the sampler's bias and limits */
    run(TEXC("0xf409c852"));
    assert_int_equal(r->op, ISA_TEXTURE_LEVEL);
    assert_true(r->no_bias && r->no_clamp && !r->derivatives && !r->has_offset);
    assert_int_equal(r->sampler[1], 2);
    assert_int_equal(r->texture[1], 5);
    assert_int_equal(r->gradient[0][0][1], 17);
    assert_int_equal(r->gradient[0][1][1], 33);
    assert_int_equal(r->gradient[1][0][1], 8 * 16 + 1);
    assert_int_equal(r->gradient[1][1][1], 9 * 16 + 1);
    has(8, 0, 256); /* 1 in 8.8 */
    has(9, 0, 0);
    /* of three dimensions, with bias and limits: r8 z's along x, r9 to r11 along y */
    run(TEXC("0xf40c4852"));
    assert_true(!r->no_bias && !r->no_clamp);
    assert_int_equal(r->gradient[0][2][1], 8 * 16 + 1);
    for (unsigned c = 0; c < 3; c++)
        assert_int_equal(r->gradient[1][c][1], (9 + c) * 16 + 1);
    /* of the quad's coordinates */
    run(TEXC("0x140dd852"));
    assert_int_equal(r->op, ISA_TEXTURE_LEVEL);
    assert_true(r->no_bias && r->no_clamp && r->derivatives);
    assert_int_equal(r->coordinate[1][1], 33);
    assert_int_equal(r->coordinate[2][1], 8 * 16 + 1);
    has(8, 0, 256);
    has(9, 1, 9 * 16 + 1); /* one word is wanted */
    /* by a descriptor in r8 and r9, whose first half is the level; the reference behind it */
    run(TEXC("0xf4397852"));
    assert_int_equal(r->op, ISA_TEXTURE_LOD);
    assert_int_equal(r->lod[1], util_f2u(129 / 256.0f));
    assert_int_equal(r->coordinate[2][1], 10 * 16 + 1);
    faults(TEXC("0xf4185852"), "TEXC"); /* with a level */
    faults(TEXC("0xf00dd852"), "TEXC"); /* as halves */
    faults(TEXC("0xf40a5852"), "TEXC"); /* of a layer */
    faults(TEXC("0xf4014852"), "TEXC"); /* given ones of a cube */
}

/* Two at once: sampler 1 and texture 2 to r8, sampler 3 and texture 0 to r20. */
static void textures_are_two(void **unused)
{
    run(TEXC("0xf9e140e5"));
    assert_int_equal(seen.texture.sampler[0], 3);
    assert_int_equal(seen.texture.texture[0], 0);
    has(8, 0, 0x3f800000);
    has(11, 0, 0x40800000);
    has(20, 0, 0x40003c00);
    has(21, 0, 0x44004200);
    has(22, 0, 22 * 16);
}

static void textures_without_descriptors(void **unused)
{
    const struct isa_texture_request *r = &seen.texture;
    run("ds(0) eos tex {\n*NOP t0\n+TEXS_2D.f16.zero_lod t1, r1, r2, texture_index:3, sampler_index:5, "
        "@r8\n}");
    assert_int_equal(r->op, ISA_TEXTURE_LOD);
    assert_int_equal(r->texture[0], 3);
    assert_int_equal(r->sampler[0], 5);
    has(9, 0, 0x44004200);
    run("ds(0) eos tex {\n*NOP t0\n+TEXS_CUBE.f32 t1, r1, r2, 0xa0000000, sampler_index:1, texture_index:2, "
        "@r8\nconst 0xa0000000, 0x0\n}");
    assert_int_equal(r->dimensions, 0);
    assert_int_equal(r->coordinate[0][1], 0xa0000011);
    assert_int_equal(r->coordinate[1][1], 33);
    run("ds(0) eos vartex {\n*NOP t0\n+VAR_TEX.f32.store.computed_lod.center t1, varying_index:3, "
        "texture_index:2, @r8\n}");
    assert_int_equal(seen.message.asked.message, WARP_VARYING);
    assert_int_equal(seen.message.operand[1][0][0], 3);
    assert_int_equal(r->sampler[0], 2);
    assert_int_equal(r->texture[0], 2);
}

/* Positions as a driver's program makes them (tests/captures/g31/gltest.vtc): over w, into the viewport. */
static void a_program_of_a_driver(void **unused)
{
    static const float uniforms[] = {128, 128, 128, 128, 0.5f, 0.5f}, given[] = {1, 2, 4, 2};
    static const float out[] = {0.5f * 128 + 128, 1 * 128 + 128, 2 * 0.5f + 0.5f, 0.5f};
    memcpy(uniforms_of_all, uniforms, sizeof uniforms);
    memcpy(seen.gives, given, sizeof given);
    run("ds(0) nbb attr ncph dwb(0) {\n*NOP t0\n+LD_ATTR_IMM.f32.v4 t1, r61, r62, attribute_index:0, @r0\n}\n"
        "ds(0) nbb ncph next_store dwb(0) {\n*NOP t0\n+FADD.f32 r3:t1, r3, u4.w1\n}\n"
        "ds(0) eos store {\n*FADD.f32 t0, r0, u3.w0\n+FRCP.f32 r3:t1, r3\n*FMA.f32 r0:t0, t0, t1, #0.neg\n"
        "+FADD.f32 t1, r1, u3.w1\n*FMA.f32 r1:t0, t1, r3, #0.neg\n+FADD.f32 t1, r2, u4.w0\n"
        "*FMA.f32 r2:t0, t1, r3, #0.neg\n+NOP t1\n*FMA.f32 r0:t0, r0, u0.w0, u0.w1\n+NOP t1\n"
        "*FMA.f32 r1:t0, r1, u1.w0, u1.w1\n+NOP t1\n*FMA.f32 r2:t0, r2, u2.w0, u2.w1\n+NOP t1\n*NOP t0\n"
        "+ST_CVT.v4 t1, r58, r59, 0x0105e000, @r0\nconst 0x0, 0x105e000\n}");
    memset(uniforms_of_all, 0, sizeof uniforms_of_all);
    assert_int_equal(seen.message.asked.message, WARP_STORE_CONVERT);
    assert_int_equal(seen.message.operand[1][0][5], 0x0105e000);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(seen.message.value[n][5], util_f2u(out[n]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_take_in_time),     cmocka_unit_test(loads_go_into_parts),
        cmocka_unit_test(atomics_have_halves),       cmocka_unit_test(atomics_compare),
        cmocka_unit_test(descriptors_are_numbers),   cmocka_unit_test(pixels_are_written),
        cmocka_unit_test(textures_have_descriptors), cmocka_unit_test(descriptors_are_moved),
        cmocka_unit_test(textures_are_fetched),      cmocka_unit_test(levels_are_told),
        cmocka_unit_test(textures_are_two),          cmocka_unit_test(textures_without_descriptors),
        cmocka_unit_test(a_program_of_a_driver),     cmocka_unit_test(pixels_come_as_the_conversion_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
