/* Fragments of Valhall's programs: registers that they begin with, varyings, samples, depth, blending by each mode, blend
 * shaders, the tile; and what is refused by name. Each is drawn by the interpreter and, where it can be, compiled. */
#include "tests/gpu/mali/whole.h"

#define BLEND_RAW "BLEND.slot0.v4.u32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n"
#define BLEND_F32 "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n"
#define COLOR(at) "MOV.i32 r0, u" #at "\nMOV.i32 r1, u1\nMOV.i32 r2, u2\nMOV.i32 r3, u3\n"
#define ATEST     "ATEST @r60, r60, r3, atest_datum.w0\n"

enum { SIDE = WHOLE_FRAME_SIDE };

static void color(struct whole *w, float r, float g, float b, float a)
{
    const float all[4] = {r, g, b, a};
    for (unsigned n = 0; n < 4; n++)
        whole_uniform(w, n, util_f2u(all[n]));
}

static void draw(struct whole *w, const char *text)
{
    whole_program(w, WHOLE_CODE, text);
    late_run(&w->late);
}

static void expect_all(struct whole *w, unsigned target, uint32_t value)
{
    for (uint32_t n = 0; n < SIDE * SIDE; n++)
        if (whole_pixel(w, target, n % SIDE, n / SIDE) != value)
            fail_msg("pixel %u, %u of target %u is %08x, not %08x", n % SIDE, n / SIDE, target,
                     whole_pixel(w, target, n % SIDE, n / SIDE), value);
}

/* Where a lane is, which samples it has, which way it faces. */
static void test_registers(void **unused)
{
    static const char *const texts[] = {"MOV.i32 r0, r59\n" BLEND_RAW, "MOV.i32 r0, r60\n" BLEND_RAW,
                                        "MOV.i32 r0, r61\n" BLEND_RAW, "MOV.i32 r0, r57\n" BLEND_RAW,
                                        "MOV.i32 r0, framebuffer_size.w0\n" BLEND_RAW};
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(texts); k++) {
        struct whole w;
        whole_begin(&w, 1);
        whole_raw(&w, 0);
        draw(&w, texts[k]);
        for (uint32_t n = 0; n < SIDE * SIDE; n++) {
            const uint32_t x = n % SIDE, y = n / SIDE;
            const uint32_t expected[] = {x | y << 16, 1, 1, 0, SIDE | SIDE << 16};
            assert_int_equal(whole_pixel(&w, 0, x, y), expected[k]);
        }
        whole_end(&w);
    }
}

/* A varying behind a descriptor is that of the pixel's centre; flat, of the vertex that provokes. */
static void test_varyings(void **unused)
{
    static const char *const texts[] = {
        "LD_VAR_IMM.slot0.v4.f32.center.store.wait0 @r0:r1:r2:r3, r61, table:0x1, index:0x0\n"
        "FADD.f32 r0, r0, r1\n" BLEND_RAW,
        "LD_VAR_FLAT_IMM.slot0.v4.u32.wait0 @r0:r1:r2:r3, table:0x1, index:0x0\n" BLEND_RAW,
        "LD_VAR_SPECIAL.v2.f32.center.clobber.slot0.wait0 @r0:r1, r61, index:0x2\n" BLEND_RAW};
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(texts); k++) {
        struct whole w;
        whole_begin(&w, 1);
        whole_raw(&w, 0);
        draw(&w, texts[k]);
        for (uint32_t n = 0; n < SIDE * SIDE; n++) {
            const uint32_t x = n % SIDE, y = n / SIDE;
            const float flat = x + y < SIDE ? 0 : x + y > SIDE ? (float)SIDE : -1;
            const float expected[] = {(float)x + (float)y + 1, flat, 1};
            if (k != 1 || (x + y != SIDE && x + y + 1 != SIDE))
                assert_float_equal(util_u2f(whole_pixel(&w, 0, x, y)), expected[k], 0.001);
        }
        whole_end(&w);
    }
}

/* Opaque, fixed, off; masks; constants; alpha to one. */
static void test_blends(void **unused)
{
    static const struct {
        const char *name[3];
        uint64_t value[3];
        uint32_t expected;
    } cases[] = {
        {{NULL}, {0}, 0x8000ff80},
        {{"mode"}, {MALI_BLEND_MODE_OFF}, 0x40404040},
        {{"enable"}, {0}, 0x40404040},
        {{"alpha to one"}, {1}, 0xff00ff80},
        {{"mode", "color mask"}, {MALI_BLEND_MODE_FIXED_FUNCTION, 5}, 0x40004080},
        {{"mode", "color mask", "RGB c"},
         {MALI_BLEND_MODE_FIXED_FUNCTION, 15, MALI_BLEND_OPERAND_C_CONSTANT},
         0x8020a060}, /* of red 255 * (64/255 + (1/2 - 64/255) * 128/255) = 95.9 */
    };
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(cases); k++) {
        struct whole w;
        whole_begin(&w, 1);
        late_target(&w.late, 0, "clear color 0", 0x40404040);
        color(&w, 0.5f, 1, 0, 0.5f);
        whole_blend(&w, 0, "RGB a", MALI_BLEND_OPERAND_A_SRC);
        whole_blend(&w, 0, "RGB b", MALI_BLEND_OPERAND_B_SRC_MINUS_DEST);
        whole_blend(&w, 0, "RGB c", MALI_BLEND_OPERAND_C_ZERO);
        whole_blend(&w, 0, "alpha a", MALI_BLEND_OPERAND_A_SRC);
        whole_blend(&w, 0, "alpha b", MALI_BLEND_OPERAND_B_SRC);
        whole_blend(&w, 0, "alpha c", MALI_BLEND_OPERAND_C_ZERO);
        whole_blend(&w, 0, "constant unorm", 0x8000);
        for (unsigned n = 0; n < 3 && cases[k].name[n]; n++)
            whole_blend(&w, 0, cases[k].name[n], cases[k].value[n]);
        if (k == 5) { /* destination + (source - destination) * constant */
            whole_blend(&w, 0, "RGB a", MALI_BLEND_OPERAND_A_DEST);
            whole_blend(&w, 0, "RGB b", MALI_BLEND_OPERAND_B_SRC_MINUS_DEST);
        }
        draw(&w, COLOR(0) ATEST BLEND_F32);
        expect_all(&w, 0, cases[k].expected);
        whole_end(&w);
    }
}

/* Several targets; halves; a target whose place a program leaves out stays. */
static void test_targets(void **unused)
{
    struct whole w;
    whole_begin(&w, 3);
    color(&w, 1, 0, 1, 1);
    draw(&w, COLOR(0) "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n"
                      "V2F32_TO_V2F16.rte r0, r0, r1\nV2F32_TO_V2F16.rte r1, r2, r3\n"
                      "BLEND.slot0.v4.f16.end @r0:r1, blend_descriptor_2.w0, r60, target:0x0\n");
    expect_all(&w, 0, 0xffff00ff);
    expect_all(&w, 1, 0);
    expect_all(&w, 2, 0xffff00ff);
    whole_end(&w);
}

/* Discarded lanes and those that ATEST is given no sample of leave nothing. */
static void test_discards(void **unused)
{
    static const char *const texts[] = {
        "U16_TO_F32 r4, r59\nFADD.f32 r5, r4, u4.neg\nDISCARD.f32.lt r5, 0x0\n" COLOR(0) ATEST BLEND_F32,
        "U16_TO_F32 r4, r59\nFCMP_OR.f32.ge.m1 r5, r4, u4, 0x0\nLSHIFT_AND.i32 r60, r5, 0x0.b00, r60\n" COLOR(
            0) ATEST BLEND_F32};
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(texts); k++) {
        struct whole w;
        whole_begin(&w, 1);
        color(&w, 1, 1, 1, 1);
        whole_uniform(&w, 4, util_f2u(13));
        draw(&w, texts[k]);
        for (uint32_t n = 0; n < SIDE * SIDE; n++)
            assert_int_equal(whole_pixel(&w, 0, n % SIDE, n / SIDE), n % SIDE < 13 ? 0 : 0xffffffff);
        whole_end(&w);
    }
}

/* Before the draw, one like it whose program is `below`. */
static void draw_over(struct whole *w, const char *below, const char *text)
{
    const uint32_t bytes = mali_desc_draw_v9.bytes[MALI_V9] + mali_desc_environment.bytes[MALI_V9];
    const uint32_t program = WHOLE_PROGRAM + mali_desc_program.bytes[MALI_V9];
    memcpy(late_at(&w->late, WHOLE_DRAW + bytes), late_at(&w->late, WHOLE_DRAW), bytes);
    memcpy(late_at(&w->late, program), late_at(&w->late, WHOLE_PROGRAM), mali_desc_program.bytes[MALI_V9]);
    whole_set(w, program, &mali_desc_program, "binary", WHOLE_SHADER);
    whole_set(w, WHOLE_ENVIRONMENT, &mali_desc_environment, "shader", program);
    late_set(&w->late, "pre frame 1", MALI_PRE_POST_FRAME_SHADER_MODE_ALWAYS);
    whole_program(w, WHOLE_SHADER, below);
    draw(w, text);
}

/* What a draw leaves out, one before it has drawn: it hides that one where it draws alone. That one is of so many
 * instructions that it waits to be hidden (raster/deferred.h). */
static void test_hidden(void **unused)
{
    static const char below[] = "FADD.f32 r0, u0, u1\nFADD.f32 r0, r0, u1\nFADD.f32 r0, r0, u1\nMOV.i32 r0, "
                                "0x0\nMOV.i32 r1, 0x0\nMOV.i32 r2, 0x0\nMOV.i32 r3, u3\n" ATEST BLEND_F32;
    static const char *const texts[] = {
        COLOR(0) ATEST BLEND_F32,
        "U16_TO_F32 r4, r59\nFADD.f32 r5, r4, u4.neg\nDISCARD.f32.lt r5, 0x0\n" COLOR(0) ATEST BLEND_F32,
        "U16_TO_F32 r4, r59\nFCMP_OR.f32.ge.m1 r5, r4, u4, 0x0\nLSHIFT_AND.i32 r60, r5, 0x0.b00, r60\n" COLOR(
            0) ATEST BLEND_F32};
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(texts); k++) {
        const uint32_t from = k ? 13 : 0; /* the first column that is drawn */
        struct whole w;
        whole_begin(&w, 1);
        color(&w, 1, 1, 1, 1);
        whole_uniform(&w, 4, util_f2u(13));
        draw_over(&w, below, texts[k]);
        for (uint32_t n = 0; n < SIDE * SIDE; n++)
            assert_int_equal(whole_pixel(&w, 0, n % SIDE, n / SIDE),
                             n % SIDE < from ? 0xff000000 : 0xffffffff);
        whole_end(&w);
    }
}

/* Depth that a program gives is tested behind it, against what a draw before has left; early, what it gives does not
 * count. */
static void test_depth(void **unused)
{
    for (unsigned late = 0; late < 2; late++) {
        struct whole w;
        whole_begin(&w, 1);
        late_set(&w.late, "Z clear", util_f2u(0.5f));
        color(&w, 1, 1, 1, 1);
        whole_uniform(&w, 4, util_f2u(1.0f / SIDE));
        whole_depth(&w, "depth function", MALI_FUNC_LESS);
        whole_depth(&w, "depth source", MALI_DEPTH_SOURCE_SHADER);
        whole_depth(&w, "depth write enable", 1);
        if (late) {
            whole_draw(&w, "pixel kill operation", MALI_PIXEL_KILL_FORCE_LATE);
            whole_draw(&w, "ZS update operation", MALI_PIXEL_KILL_FORCE_LATE);
        }
        draw(&w, "U16_TO_F32 r4, r59\nFMA.f32 r4, r4, u4, 0x0.neg\n"
                 "ZS_EMIT.z.slot0.wait0 @r60, r4, 0x0, r60\n" COLOR(0) ATEST BLEND_F32);
        for (uint32_t n = 0; n < SIDE * SIDE; n++)
            assert_int_equal(whole_pixel(&w, 0, n % SIDE, n / SIDE),
                             !late || n % SIDE < SIDE / 2 ? 0xffffffff : 0);
        whole_end(&w);
    }
}

/* A program that gives no depth though its draw says so: the primitive's counts, whichever way it is tested. */
static void test_depth_not_given(void **unused)
{
    for (unsigned late = 0; late < 2; late++) {
        struct whole w;
        whole_begin(&w, 1);
        late_set(&w.late, "Z clear", util_f2u(0.75f));
        color(&w, 1, 1, 1, 1);
        whole_depth(&w, "depth function", late ? MALI_FUNC_LESS : MALI_FUNC_ALWAYS);
        whole_depth(&w, "depth source", MALI_DEPTH_SOURCE_SHADER);
        if (late)
            whole_draw(&w, "ZS update operation", MALI_PIXEL_KILL_FORCE_LATE);
        draw(&w, COLOR(0) ATEST BLEND_F32);
        expect_all(&w, 0, 0xffffffff);
        whole_end(&w);
    }
}

/* Samples that pass are counted one by one, of pixels that have one, too; discarded ones are not. */
static void test_queries(void **unused)
{
    static const struct {
        uint32_t mode, before, after;
    } cases[] = {{MALI_OCCLUSION_MODE_COUNTER, 1000, 1000 + SIDE * (SIDE - 13)},
                 {MALI_OCCLUSION_MODE_PREDICATE, 0, 1},
                 {MALI_OCCLUSION_MODE_DISABLED, 7, 7}};
    enum { COUNT = WHOLE_DRAW + 0xa00 };
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(cases); k++) {
        struct whole w;
        whole_begin(&w, 1);
        color(&w, 1, 1, 1, 1);
        whole_uniform(&w, 4, util_f2u(13));
        whole_draw(&w, "occlusion query", cases[k].mode);
        whole_draw(&w, "occlusion", COUNT);
        whole_draw(&w, "ZS update operation", MALI_PIXEL_KILL_FORCE_LATE);
        util_store32(late_at(&w.late, COUNT), cases[k].before);
        draw(&w, "U16_TO_F32 r4, r59\nFADD.f32 r5, r4, u4.neg\nDISCARD.f32.lt r5, 0x0\n" COLOR(0)
                     ATEST BLEND_F32);
        assert_int_equal(util_load32(late_at(&w.late, COUNT)), cases[k].after);
        whole_end(&w);
    }
}

/* A lane leaves for the program that its descriptor names, with its colour, and comes back: that program reads the tile,
 * and what it writes is blended no more. */
static void test_shaders(void **unused)
{
    static const char shader[] =
        "IADD_IMM.i32 r8, 0x0, #0xFF000000\nIADD_IMM.i32 r9, 0x0, #0x010ED000\n"
        "LD_TILE.v4.f32.slot0.wait0 @r4:r5:r6:r7, r8, r60, r9\n"
        "FADD.f32 r0, r0, r4\nFADD.f32 r1, r1, r5\nFADD.f32 r2, r2, r6\nFADD.f32 r3, r3, r7\n"
        "IADD_IMM.i32 r10, 0x0, #0x00000019\nIADD_IMM.i32 r11, 0x0, #0x010ED000\n"
        "BLEND.slot0.v4.f32 @r0:r1:r2:r3, r10, r60, target:0x0\n"
        "BRANCHZI.absolute r48, r48\nNOP.end\n";
    struct whole w;
    whole_begin(&w, 2);
    late_target(&w.late, 0, "clear color 0", 0x01020304);
    color(&w, 0.25f, 0.4f, 0, 0.2f);
    whole_blend(&w, 0, "mode", MALI_BLEND_MODE_SHADER);
    whole_blend(&w, 0, "shader PC", WHOLE_SHADER);
    whole_program(&w, WHOLE_SHADER, shader);
    draw(&w, COLOR(0) ATEST "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x2\n"
                            "IADD_IMM.i32 r48, program_counter.w0, #0x8\n"
                            "BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\n"
                            "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_1.w0, r60, target:0x0\n");
    expect_all(&w, 0, 0x34026944);
    expect_all(&w, 1, 0x34026944);
    whole_end(&w);
}

/* Of four samples a program writes those that it says; shaded sample by sample, each with its own number. */
static void test_samples(void **unused)
{
    for (unsigned each = 0; each < 2; each++) {
        struct whole w;
        whole_begin(&w, 1);
        late_samples(&w.late, 4);
        late_target(&w.late, 0, "writeback MSAA", MALI_MSAA_AVERAGE);
        whole_draw(&w, "multisample enable", 1);
        whole_draw(&w, "evaluate per-sample", each);
        color(&w, 1, 1, 1, 1);
        whole_uniform(&w, 4, each ? 1 : 3);
        whole_uniform(&w, 5, 16);
        /* samples 0 and 1; or those whose number has the lowest bit */
        draw(&w, each ? "RSHIFT_AND.i32 r4, r61, u5.b00, u4\nICMP_OR.u32.eq.m1 r5, r4, u4, 0x0\n"
                        "LSHIFT_AND.i32 r60, r5, 0x0.b00, r60\n" COLOR(0) ATEST BLEND_F32
                      : "LSHIFT_AND.i32 r60, r60, 0x0.b00, u4\n" COLOR(0) ATEST BLEND_F32);
        expect_all(&w, 0, 0x80808080);
        whole_end(&w);
    }
}

/* Lanes of quads that nothing covers do not execute: on the diagonal between the draw's two triangles each has a block of
 * which one quad is none of its. */
static void test_lanes(void **unused)
{
    static const char *const texts[] = {"IADD_IMM.i32 r1, 0x0, #0x1\nWMASK.subgroup8 r0, r1\n" BLEND_RAW,
                                        "IADD_IMM.i32 r1, 0x0, #0x1\nIADD_IMM.i32 r2, 0x0, "
                                        "#0x4\nCLPER.i32.subgroup8.xor r0, r1, r2.b0\n" BLEND_RAW};
    static const uint32_t all[] = {0xff, 1}, upper[] = {0x0f, 0}, lower[] = {0xf0, 0};
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(texts); k++) {
        struct whole w;
        whole_begin(&w, 1);
        whole_raw(&w, 0);
        draw(&w, texts[k]);
        for (uint32_t n = 0; n < SIDE * SIDE; n++) {
            const uint32_t x = n % SIDE, y = n / SIDE;
            const bool parted = x / 4 + y / 4 == SIDE / 4 - 1, left = x % 4 < 2, top = y % 4 < 2;
            const uint32_t expected = !parted || left == top ? all[k]
                                      : left && x + y < SIDE - 1
                                          ? upper[k] /* beside the quad that is not there */
                                      : top && x + y > SIDE - 1 ? lower[k]
                                                                : all[k];
            if (x + y != SIDE - 1)
                assert_int_equal(whole_pixel(&w, 0, x, y), expected);
        }
        whole_end(&w);
    }
}

/* A draw without colours whose program stores: each pixel's word is there, and is added to where programs count. */
static void test_stores(void **unused)
{
    enum { COUNT = LATE_DATA + 0x100000 };
    for (unsigned late = 0; late < 2; late++) {
        struct whole w;
        whole_begin(&w, 1);
        whole_allow_stores(&w);
        whole_blend(&w, 0, "mode", MALI_BLEND_MODE_OFF);
        whole_uniform(&w, 4, COUNT);
        whole_uniform(&w, 5, 0);
        if (late)
            whole_draw(&w, "pixel kill operation", MALI_PIXEL_KILL_FORCE_LATE);
        draw(&w, "IADD_IMM.i32 r1, 0x0, #0x2\nMOV.i32 r4, u4\nMOV.i32 r5, u5\n"
                 "ATOM.i32.slot0.aadd.wait0 @r1, r4, offset:0\nSTORE.i32.slot0.wait0 @r59, r4, "
                 "offset:4\n" COLOR(0) ATEST BLEND_F32);
        assert_int_equal(util_load32(late_at(&w.late, COUNT)), 2 * SIDE * SIDE);
        assert_int_not_equal(util_load32(late_at(&w.late, COUNT + 4)), 0);
        expect_all(&w, 0, 0);
        whole_end(&w);
    }
}

/* Targets of bits have no alpha that could be one. */
static void test_raw_alpha(void **unused)
{
    struct whole w;
    whole_begin(&w, 1);
    whole_wide(&w, 0);
    whole_blend(&w, 0, "alpha to one", 1);
    for (unsigned n = 0; n < 4; n++)
        whole_uniform(&w, n, 100 + n);
    draw(&w, COLOR(0) ATEST BLEND_RAW);
    for (uint32_t n = 0; n < SIDE * SIDE * 4; n++)
        assert_int_equal(util_load32(w.late.data + 4 * n), 100 + n % 4);
    whole_end(&w);
}

/* What is not done ends the job by name. */
static void test_refused(void **unused)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"IADD_IMM.i32 r8, 0x0, #0x00000000\nLD_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, r8, r60, "
         "r8\n" BLEND_F32,
         "the tile is not read so"},
        {"MOV.i32 r48, 0x0\nBRANCHZI.eq.absolute 0x0, u0\n" BLEND_F32, "no blend shader"},
        {"BLEND.slot0.v4.u32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n", "no colours"},
        {"LD_VAR_IMM.slot0.v4.f32.center.store.wait0 @r0:r1:r2:r3, r61, table:0x1, index:0x7\n" BLEND_F32,
         "descriptor 7 of table 1"},
        {"LD_VAR_BUF_IMM.f16.slot0.v4.src_f16.center.store.wait0 @r0:r1, r61, index:0x0\n" BLEND_F32,
         "a varying at byte 0"},
        {"LD_VAR_IMM.slot0.v4.f32.center.retrieve.wait0 @r0:r1:r2:r3, r61, table:0x1, index:0x0\n" BLEND_F32,
         "where the one before was taken is not done"},
        {"U16_TO_F32 r4, r59\nFADD.f32 r5, r4, u0\nBRANCHZ.eq r59.lowbits, offset:out\nout: MOV.i32 r1, "
         "0x0\n" BLEND_F32,
         "a branch on .lowbits"},
        {"IADD_IMM.i32 r8, 0x0, #0xFF000000\nIADD.u32 r8, r8, r59\nLD_TILE.v4.f32.slot0.wait0 @r0:r1:r2:r3, "
         "r8, "
         "r60, r8\n" BLEND_F32,
         "the tile is not read so, pixel 4278255616"}};
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(cases); k++) {
        struct whole w;
        whole_begin(&w, 1);
        whole_program(&w, WHOLE_CODE, cases[k].text);
        late_refused(&w.late, cases[k].why);
        whole_end(&w);
    }
}

#define TESTS                                                                                                \
    cmocka_unit_test(test_registers), cmocka_unit_test(test_varyings), cmocka_unit_test(test_blends),        \
        cmocka_unit_test(test_targets), cmocka_unit_test(test_discards), cmocka_unit_test(test_hidden),      \
        cmocka_unit_test(test_depth), cmocka_unit_test(test_depth_not_given),                                \
        cmocka_unit_test(test_queries), cmocka_unit_test(test_shaders), cmocka_unit_test(test_samples),      \
        cmocka_unit_test(test_lanes), cmocka_unit_test(test_stores), cmocka_unit_test(test_raw_alpha),       \
        cmocka_unit_test(test_refused)

/* Programs that are compiled, of the tests above; the others are interpreted with an engine, too. */
enum { COMPILED_LEAST = 48 };

int main(void)
{
    const struct CMUnitTest tests[] = {TESTS};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int level = 0; level < JIT_LEVEL_COUNT; level++) {
        const struct jit_options options = {.level = level, .cache_dir = ""};
        struct jit_stats stats;
        if (!jit_level_supported((enum jit_level)level))
            continue;
        if (jit_engine_create(&options, &whole_engine, NULL))
            return 1;
        failed += cmocka_run_group_tests_name(jit_level_name((enum jit_level)level), tests, NULL, NULL);
        jit_engine_stats(whole_engine, &stats);
        failed += stats.compiled < COMPILED_LEAST;
        jit_engine_destroy(whole_engine);
    }
    return failed;
}
