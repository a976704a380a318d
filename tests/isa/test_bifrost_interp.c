/* What programs of Bifrost do beside arithmetic, as README.md of isa/bifrost says it: when results are written,
 * temporaries, constants, branches; and what faults. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/bifrost/lint.h"
#include "isa/bifrost/names.h"
#include "tests/isa/bifrost_run.h"

/* ---- results ---- */

/* They are written while the tuple behind executes: it reads what was there; of the last tuple before anything else. */
static void results_come_late(void **unused)
{
    run("ds(0) nbb {\n*MOV.i32 r1:t0, r2\n+NOP t1\n*MOV.i32 r3:t0, r1\n+NOP t1\n*MOV.i32 r4:t0, r1\n+MOV.i32 "
        "r1:t1, r5\n*NOP t0\n+NOP t1\n}\nds(0) eos {\n*MOV.i32 r6:t0, r1\n+NOP t1\n}");
    has(3, 2, 16 + 2);
    has(4, 2, 32 + 2);
    has(6, 2, 80 + 2);
    /* two of one tuple, and halves */
    run("ds(0) eos {\n*MOV.i32 r1:t0.h1, r2\n+MOV.i32 r3:t1.h0, r4\n" NOTHING "}");
    has(1, 3, 16 + 3);
    has(3, 3, 64 + 3);
    run("ds(0) eos {\n*SHADDXL.i64 r2:t0, r1, r2, shift:0\n+SHADDXH.i32 r3:t1, r1, #0.x\n" NOTHING "}");
    has(3, 1, 17);
    /* port 3 of the last tuple, where the header says so */
    run("ds(0) we {\n*MOV.i32 r1:t0, r2\n+MOV.i32 t1, r2\n}\n" END);
    has(1, 0, 16);
    run("ds(0) bb {\n*MOV.i32 r1:t0, r2\n+MOV.i32 t1, r2\n}\n" END);
    has(1, 0, 32);
}

static void temporaries_go_on(void **unused)
{
    run("ds(0) eos {\n*IADDC.i32 t0, r1, r2, #0\n+IADD.u32 t1, t, r3\n*IADDC.i32 r4:t0, t0, t1, "
        "#0\n+IADD.u32 r5:t1, t1, t\n" NOTHING "}");
    has(4, 1, 17 + 33 + (17 + 33 + 49));
    has(5, 1, 2 * (17 + 33 + 49) + 17 + 33);
    faults("ds(0) eos {\n*MOV.i32 r1:t0, t1\n+NOP t1\n}", "t0 or t1 in the first tuple of a clause");
    faults("ds(0) eos {\n*NOP t0\n+MOV.i32 r1:t1, t\n}", "t of an operation that gives none");
    faults("ds(0) eos {\n*NOP t0\n+NOP t1\n*MOV.i32 r1:t0, t1\n+NOP t1\n}",
           "t0 or t1 of an operation that gives none");
    faults("ds(0) eos {\n*NOP r1:t0\n+NOP t1\n}", "a result of an operation that gives none");
}

static void constants_are_words(void **unused)
{
    run("ds(0) eos {\n*MOV.i32 r1:t0, 0x12345678\n+MOV.i32 r2:t1, 0x9abcdef0\n*MOV.i32 r3:t0, u5.w1\n+NOP "
        "t1\n*MOV.i32 r4:t0, pc+2\n+NOP t1\n*NOP t0\n+NOP t1\nconst 0x0, pc+2\nconst 0x12345678, "
        "0x9abcdef0\n}");
    has(1, 0, 0x12345678);
    has(2, 0, 0x9abcdef0);
    has(3, 0, 0); /* beyond the uniforms that there are */
    has(4, 0, (uint32_t)PROGRAM_ADDRESS + 32);
    run("ds(0) eos {\n*MOV.i32 r5:t0, sample.y\n+NOP t1\n*MOV.i32 r6:t0, lane_id.x\n+NOP t1\n}");
    has(5, 0, BIFROST_SPECIAL_SAMPLE + 1000);
    has(6, 9, 9);
}

/* ---- branches ---- */

static void branches_go(void **unused)
{
    static const struct {
        const char *what;
        uint16_t taken;
    } each[] = {
        {"BRANCHZ.i32.eq t1, r1, to", 0},
        {"BRANCHZ.i32.ne t1, r1, to", 0xffff},
        {"BRANCHZ.i32.eq t1, lane_id.x, to", 1},
        {"BRANCHZ.s32.gt t1, lane_id.x, to", 0xfffe},
        {"BRANCHZ.u32.le t1, lane_id.x, to", 1},
        {"BRANCHZ.i16.eq t1, r0.h1, to", 0xffff},
        {"BRANCHZ.f32.ge t1, lane_id.x, to", 0xffff},
        {"JUMP t1, to", 0xffff},
        {"BRANCH.u32.lt t1, t, r1, to", 0xffff},
        {"BRANCH.s32.ge t1, r0, r1, to", 0},
        {"BRANCH.i32.eq t1, r0, r0, to", 0xffff},
        {"BRANCH.f16.eq t1, r0.h1, r1.h0, to", 0},
        {"BRANCH.s16.lt t1, r0.h0, r1.h0, to", 0xffff},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(each); n++) {
        char text[400];
        const bool lane = strstr(each[n].what, "lane_id");
        char what[100];
        snprintf(what, sizeof what, "%s", each[n].what);
        if (lane) /* one selector a tuple: by way of a register */
            memcpy(strstr(what, "lane_id.x"), "r9       ", 9);
        snprintf(text, sizeof text,
                 "ds(0) nbb {\n*MOV.i32 r9:t0, lane_id.x\n+NOP t1\n}\nds(0) nbb {\n*MOV.i32 t0, "
                 "r0\n+%s\nconst 0x0, to\n}\nds(0) nbb {\n*MOV.i32 r2:t0, #0\n+NOP t1\n}\nto: " END,
                 what);
        run(text);
        for (unsigned l = 0; l < 16; l++)
            if (state.reg[2][l] != (each[n].taken >> l & 1 ? 32 + l : 0))
                fail_msg("%s: lane %u", each[n].what, l);
    }
}

static void branches_repeat(void **unused)
{
    run("ds(0) nbb {\n*MOV.i32 r1:t0, lane_id.x\n+NOP t1\n*MOV.i32 r2:t0, #0\n+NOP t1\n}\nback: ds(0) nbb "
        "{\n*IADDC.i32 r2:t0, r2, 0x1, #0\n+NOP t1\n*NOP t0\n+ISUB.u32 r1:t1, r1, 0x1\n*NOP t0\n+NOP "
        "t1\n*NOP t0\n+BRANCHZ.s32.ge t1, r1, back\nconst 0x0, back\nconst 0x1, 0x0\n}\n" END);
    for (unsigned l = 0; l < 16; l++)
        has(2, l, l + 1);
    run("back: ds(0) nbb {\n*NOP t0\n+JUMP t1, back\nconst 0x0, back\n}\n" END);
    assert_int_equal(report.fault, WARP_FAULT_FUEL);
}

/* The condition is of what stands there before the clause's own results; where they go to 0, they end. */
static void branches_end(void **unused)
{
    run("ds(0) nbb {\n*MOV.i32 r1:t0, #0\n+NOP t1\n*MOV.i32 r1:t0, r2\n+BRANCHZ.i32.eq t1, r1, "
        "#0.x\n}\nds(0) eos {\n*MOV.i32 r3:t0, #0\n+NOP t1\n}");
    has(1, 0, 32);
    has(3, 0, 0); /* r1 of the tuple before is not yet there */
    run("ds(0) nbb {\n*MOV.i32 r1:t0, #0\n+NOP t1\n*NOP t0\n+NOP t1\n*MOV.i32 r1:t0, r2\n+BRANCHZ.i32.eq t1, "
        "r1, #0.x\n}\nds(0) eos {\n*MOV.i32 r3:t0, #0\n+NOP t1\n}");
    has(1, 0, 32);
    has(3, 0, 48);
    /* to the address that a register has: back, elsewhere, or nowhere */
    back_of_all = PROGRAM_ADDRESS + 0xfff;
    run("ds(0) nbb {\n*MOV.i32 r5:t0, 0x1fff\n+NOP t1\nconst 0x1fff, 0x0\n}\nds(0) nbb {\n*NOP t0\n+JUMP t1, "
        "r5\n}");
    back_of_all = 0;
    assert_int_equal(state.returned, 0xffff);
    seen.back = 0;
    run("ds(0) nbb {\n*NOP t0\n+JUMP t1, r0\n}"); /* lane 0 has 0 */
    assert_int_equal(seen.lanes, 0xfffe);
    assert_int_equal(seen.far.target[3], 0x500000003);
    faults("ds(0) nbb {\n*NOP t0\n+BRANCHZ.i32.eq t1, r0, r1\n}\n" END, "BRANCHZ.i32");
}

static void lanes_are_discarded(void **unused)
{
    /* below eight: they go on as helpers, and end where the header says so */
    run("ds(0) nbb {\n*NOP t0\n+U32_TO_F32 r1:t1, lane_id.x\n}\nds(0) nbb next_store {\n*NOP "
        "t0\n+DISCARD.f32.lt t1, r1, 0x41000000\nconst 0x41000000, 0x0\n}\nds(0) nbb store {\n*MOV.i32 "
        "r5:t0, #0\n+STORE.i32 t1, r1, r2, @r8\n}\nds(0) eos td {\n*MOV.i32 r6:t0, #0\n+NOP t1\n}");
    assert_int_equal(state.live, 0xff00);
    assert_int_equal(seen.stored, 0xff00);
    has(5, 7, 0);
    has(6, 7, 96 + 7);
    has(6, 8, 0);
    /* what they keep for themselves they store */
    run("ds(0) nbb {\n*NOP t0\n+U32_TO_F32 r1:t1, lane_id.x\n}\nds(0) nbb next_store {\n*NOP "
        "t0\n+DISCARD.f32.lt t1, r1, 0x41000000\nconst 0x41000000, 0x0\n}\nds(0) eos store {\n*NOP t0\n"
        "+STORE.i32.tl t1, r1, r2, @r8\n}");
    assert_int_equal(seen.stored, 0xffff);
}

/* ---- arithmetic of its own ---- */

static void units_do_it_together(void **unused)
{
    run("ds(0) eos {\n*SHADDXL.u32 r2:t0, 0xfffffff0, r1, shift:2\n+SHADDXH.i32 r3:t1, r5, r5\n" NOTHING
        "const 0xfffffff0, 0x0\n}");
    has(2, 1, 17 * 4 - 16);
    has(3, 1, 81 + 1);
    run("ds(0) eos {\n*SEG_ADD.wls r2:t0, r1\n+SEG_ADD.wls r3:t1, r5\n" NOTHING "}");
    has(2, 1, 17 + BIFROST_SPECIAL_WORKGROUP);
    has(3, 1, 81 + BIFROST_SPECIAL_WORKGROUP + 1000);
    run("ds(0) eos {\n*CUBEFACE1 r2:t0, 0x40000000, 0xc0400000, #0\n+CUBEFACE2 r3:t1, t\n" NOTHING
        "const 0x40000000, 0xc0400000\n}");
    has(2, 0, 0x40400000);
    has(3, 0, 3u << 29); /* -y */
    faults("ds(0) eos {\n*SHADDXL.u32 r2:t0, r1, r1, shift:2\n+NOP t1\n" NOTHING "}", "SHADDXL.u32");
    faults("ds(0) eos {\n*NOP t0\n+SHADDXH.i32 r2:t1, r1, r1\n" NOTHING "}", "SHADDXH.i32");
}

static void words_are_shifted_together(void **unused)
{
    static const struct {
        const char *what;
        uint32_t result;
    } each[] = {
        {"LSHIFT_DOUBLE.i32 r2:t0, r0, r1, r3", 0x23456780},
        {"LSHIFT_DOUBLE.i32.w1 r2:t0, r0, r1, r3", 0x9abcdef1},
        {"RSHIFT_DOUBLE.i32 r2:t0, r0, r1, r3", 0xf1234567},
        {"RSHIFT_DOUBLE.i32.w1 r2:t0, r0, r1, r3", 0x089abcde},
        {"ARSHIFT_DOUBLE.i32.w1 r2:t0, r0, r1, r3", 0xf89abcde},
        {"LROT_DOUBLE.i32 r2:t0, r0, r1, r3", 0x23456788},
        {"RROT_DOUBLE.i32.w1 r2:t0, r0, r1, r3", 0x889abcde},
        {"FLSHIFT_DOUBLE.i32 r2:t0, r0, r1, r3", 0x9abcdef1},
        {"FRSHIFT_DOUBLE.i32 r2:t0, r0, r1, r3", 0xf1234567},
        {"LSHIFT_DOUBLE.i32.w1 r2:t0, r0, r1, r3.bytes2", 0x12345678},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(each); n++) {
        char text[400];
        snprintf(text, sizeof text,
                 "ds(0) nbb {\n*MOV.i32 r0:t0, 0x12345678\n+MOV.i32 r1:t1, 0x89abcdef\n*MOV.i32 r3:t0, "
                 "0x4\n+NOP t1\n" NOTHING
                 "const 0x12345678, 0x89abcdef\nconst 0x4, 0x0\n}\nds(0) eos {\n*%s\n+NOP t1\n}",
                 each[n].what);
        run(text);
        if (report.fault || state.reg[2][0] != each[n].result)
            fail_msg("%s: %08x", each[n].what, state.reg[2][0]);
    }
}

static void others_are_made_of_more(void **unused)
{
    run("ds(0) eos {\n*MKVEC.v4i8 r2:t0, r1, 0x12345678.b2, r3, #0\n+NOP t1\n" NOTHING
        "const 0x12345678, 0x0\n}");
    has(2, 1, 0x00313411);
    run("ds(0) eos {\n*FREXPE.f32 r2:t0, 0x41000000.neg\n+FREXPE.f32 r3:t1, 0x41000000\n" NOTHING
        "const 0x41000000, 0x0\n}");
    has(2, 0, (uint32_t)-4);
    has(3, 0, 4);
    run("ds(0) eos {\n*IDP.v4i8 r2:t0, 0xff.zext, 0xff.sext\n+NOP t1\n" NOTHING "const 0xff, 0x0\n}");
    has(2, 0, (uint32_t)-255);
    run("ds(0) eos {\n*NOP t0\n+F32_TO_S32.rtna r2:t1, 0x40200000\n*NOP t0\n+F32_TO_S32 r3:t1, "
        "0x40200000\nconst 0x40200000, 0x0\n}");
    has(2, 0, 3);
    has(3, 0, 2);
    run("ds(0) eos {\n*NOP t0\n+FADD_RSCALE.f32 r2:t1, 0x3f800000, 0xc0000000, r0\n" NOTHING
        "const 0x3f800000, 0xc0000000\n}");
    has(2, 2, 0xc0800000);
    run("ds(0) eos {\n*NOP t0\n+CLPER_OLD.i32 r2:t1, r1, 0x2\n" NOTHING "const 0x2, 0x0\n}");
    has(2, 5, 16 + 6);
    run("ds(0) eos {\n*NOP t0\n+CLPER.i32.xor.subgroup16.zero r2:t1, r1, 0xf\n" NOTHING "const 0xf, 0x0\n}");
    has(2, 5, 16 + 10);
}

/* What Mesa writes for a G71 (bi_lower_frcp_32, bi_lower_frsq_32, bi_lower_fexp2_32, bi_lower_flog2_32), of 272 and on. */
static void tables_come_near(void **unused)
{
#define BEGIN "ds(0) nbb {\n*NOP t0\n+U32_TO_F32 r0:t1, r17\n}\n"
    run(BEGIN "ds(0) eos {\n*FREXPM.f32 r1:t0, r0\n+FRCP_APPROX.f32 r2:t1, r0\n"
              "*FMA_RSCALE.f32.n r4:t0, t0, t1.neg, 0x3f800000, #0\n+FREXPE.f32 r3:t1, r0.neg\n" NOTHING
              "*FMA_RSCALE.f32 r5:t0, r4, r2, r2, r3\n+NOP t1\nconst 0x3f800000, 0x0\n}");
    for (unsigned l = 0; l < 16; l++)
        assert_true(fabs(util_u2f(state.reg[5][l]) * (272.0 + l) - 1) < 3e-7);
    run(BEGIN "ds(0) eos {\n*FREXPM.f32.sqrt r1:t0, r0\n+FRSQ_APPROX.f32 r2:t1, r0\n"
              "*FMA.f32 t0, t1, t1, #0.neg\n+FREXPE.f32.sqrt r3:t1, r0.neg\n"
              "*FMA_RSCALE.f32.n r4:t0, r1, t0.neg, 0x3f800000, 0xffffffff\n+NOP t1\n" NOTHING
              "*FMA_RSCALE.f32.n r5:t0, r4, r2, r2, r3\n+NOP t1\n" NOTHING "const 0x3f800000, 0xffffffff\n}");
    for (unsigned l = 0; l < 16; l++)
        assert_true(fabs(util_u2f(state.reg[5][l]) * sqrt(272.0 + l) - 1) < 3e-7);
    /* x1 = e + xt, y = a1 * r1 - 1, the logarithm x1 + y (1 - y / 2) / ln 2 */
    run(BEGIN
        "ds(0) nbb {\n*FREXPM.f32.log r1:t0, r0\n+FREXPE.f32.log r2:t1, r0\n*NOP t0\n+S32_TO_F32 r2:t1, t1\n"
        "*NOP t0\n+FLOG_TABLE.f32.red r3:t1, r0\n*NOP t0\n+FLOG_TABLE.f32.base2 r4:t1, r0\n" NOTHING "}\n"
        "ds(0) eos {\n*FADD.f32 r5:t0, r2, r4\n+NOP t1\n*FMA.f32 r6:t0, r1, r3, 0xbf800000\n+NOP t1\n"
        "*FMA.f32 t0, t0, 0xbf000000, 0x3f800000\n+NOP t1\n*FMA.f32 t0, r6, t0, #0.neg\n+NOP t1\n"
        "*FMA.f32 r7:t0, t0, 0x3fb8aa3b, r5\n+NOP t1\nconst 0x0, 0x0\nconst 0xbf000000, 0xbf800000\nconst "
        "0x3f800000, 0xbf000000\nconst 0x3fb8aa3b, 0xb0000000\nconst 0x0, 0xb0000000\n}");
    for (unsigned l = 0; l < 16; l++)
        assert_true(fabs(util_u2f(state.reg[7][l]) - log2(272.0 + l)) < 3e-5);
#undef BEGIN
}

static void what_is_suppressed_faults(void **unused)
{
    faults("ds(0) nbb inf_suppress {\n" NOTHING "}\n" END, "inf_suppress");
    faults("ds(0) nbb nan_suppress {\n" NOTHING "}\n" END, "nan_suppress");
}

static void count_unexplained(void *data, const struct isa_finding *finding)
{
    unsigned *found = data;
    assert_string_equal(finding->rule->name, "UNEXPLAINED");
    assert_string_equal(finding->detail, *found ? "KABOOM" : "FSINCOS_OFFSET.u6");
    assert_int_equal(finding->pc, *found);
    ++*found;
}

/* The linter tells it beforehand. */
static void the_linter_tells(void **unused)
{
    static const char text[] = "ds(0) nbb next_job {\n*NOP t0\n+FSINCOS_OFFSET.u6 r1:t1, r2\n}\n"
                               "ds(0) eos job {\n*NOP t0\n+KABOOM t1, r2\n}";
    struct util_error error = {0};
    unsigned found = 0;
    void *words;
    uint32_t count;
    assert_int_equal(bifrost_asm(text, strlen(text), &words, &count, &error), 0);
    assert_int_equal(bifrost_lint(words, count, 0, count_unexplained, &found), 0);
    assert_int_equal(found, 2);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_late),
        cmocka_unit_test(temporaries_go_on),
        cmocka_unit_test(constants_are_words),
        cmocka_unit_test(branches_go),
        cmocka_unit_test(branches_repeat),
        cmocka_unit_test(branches_end),
        cmocka_unit_test(lanes_are_discarded),
        cmocka_unit_test(units_do_it_together),
        cmocka_unit_test(words_are_shifted_together),
        cmocka_unit_test(others_are_made_of_more),
        cmocka_unit_test(tables_come_near),
        cmocka_unit_test(what_is_suppressed_faults),
        cmocka_unit_test(the_linter_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
