/* Which fragment programs of isa/warp write each pixel that is drawn, so that what they hide need not be shaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/mali/frag_code.h"
#include "isa/bifrost/asm.h"
#include "isa/bifrost/lower.h"

#define TEST(result, coverage)                                                                               \
    "ds(0) nbb atest td next_blend dwb(0, 6, 7) {\n*NOP t0\n+ATEST " result ":t1, " coverage                 \
    ", r3, @" result "\n}\n"
#define BLEND(coverage, n)                                                                                   \
    "blend td {\n*NOP t0\n+BLEND r48:t1, " coverage ", blend_descriptor_" n ".x, blend_descriptor_" n        \
    ".y, @r0\n}\n"
#define BEFORE(insn) "ds(0) nbb ncph dwb(0) {\n" insn "\n+NOP t1\n}\n"

static bool writes_always(const char *text)
{
    struct util_error error = {0};
    struct warp_program *program = NULL;
    void *words;
    uint32_t count;
    if (bifrost_asm(text, strlen(text), &words, &count, &error) ||
        bifrost_executable_create(words, count, &program, &error))
        fail_msg("%s\n%s", text, error.text);
    const bool writes = mali_frag_writes_always(program);
    warp_program_destroy(program);
    free(words);
    return writes;
}

static void coverage_that_is_kept(void **unused)
{
    (void)unused;
    assert_true(writes_always(TEST("r60", "r60") "ds(0) eos " BLEND("r60", "0")));
    /* Nobody asks for the samples that ATEST leaves. */
    assert_true(writes_always(TEST("r61", "r60") "ds(0) eos " BLEND("r60", "0")));
    assert_true(writes_always(TEST("r61", "r60") "ds(0) eos " BLEND("r61", "0")));
    /* It may stand elsewhere, and more than once. */
    assert_true(
        writes_always(BEFORE("*MOV.i32 r5:t0, r60") TEST("r60", "r5") "ds(0) eos " BLEND("r60", "0")));
    assert_true(writes_always(BEFORE("*MOV.i32 r5:t0, r60") BEFORE("*MOV.i32 r60:t0, r1")
                                  TEST("r6", "r5") "ds(0) eos " BLEND("r6", "0")));
}

static void coverage_that_is_not(void **unused)
{
    (void)unused;
    assert_false(
        writes_always(BEFORE("*MOV.i32 r60:t0, r1") TEST("r60", "r60") "ds(0) eos " BLEND("r60", "0")));
    assert_false(writes_always(TEST("r60", "r60") "ds(0) eos " BLEND("r61", "0")));
    assert_false(writes_always(TEST("r60", "r59") "ds(0) eos " BLEND("r60", "0")));
    assert_false(writes_always(BEFORE("*FMA.f32 r60:t0, r60, r1, #0.neg")
                                   TEST("r60", "r60") "ds(0) eos " BLEND("r60", "0")));
    /* Half a word is not the word. */
    assert_false(
        writes_always(BEFORE("*MOV.i32 r60:t0.h0, r60") TEST("r60", "r60") "ds(0) eos " BLEND("r60", "0")));
    /* Moved on before it is there. */
    assert_false(
        writes_always(BEFORE("*MOV.i32 r61:t0, r59") TEST("r60", "r61") "ds(0) eos " BLEND("r60", "0")));
}

static void colours(void **unused)
{
    (void)unused;
    assert_false(writes_always("ds(0) eos atest td {\n*NOP t0\n+ATEST r60:t1, r60, r3, @r60\n}"));
    assert_false(writes_always(
        TEST("r60", "r60") "ds(0) nbb next_blend dwb(0) " BLEND("r60", "0") "ds(0) eos " BLEND("r60", "1")));
    assert_false(
        writes_always(BEFORE("*NOP t0\n+DISCARD.f32.lt t1, r1, r2\n}\nds(0) nbb ncph dwb(0) {\n*NOP t0")
                          TEST("r60", "r60") "ds(0) eos " BLEND("r60", "0")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage_that_is_kept),
        cmocka_unit_test(coverage_that_is_not),
        cmocka_unit_test(colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
