/* Programs of a stock driver (tests/isa/valhall_programs.txt), interpreted and translated. Random ones are
 * test_programs_diff.c's. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz/world/warp.h"
#include "util/fpenv.h"

enum { MOST = 512, INPUTS = 4 };

static void agrees(struct jit_engine *engine, const uint64_t *words, uint32_t count, uint64_t number)
{
    const struct world_set *set = world_find("valhall");
    struct world_outcome outcome = {0};
    void *program = NULL;
    assert_int_equal(set->isa->create(words, count, &program, NULL), 0);
    for (unsigned mode = 0; mode < world_modes(set); mode++) {
        bool translated = false;
        if (!world_agrees(set, program, mode, engine, number * 8 + mode, INPUTS, &translated, &outcome))
            fail_msg("program %llu", (unsigned long long)number);
        assert_true(translated);
    }
    set->isa->destroy(program);
}

static void test_programs(void **state)
{
    static uint64_t words[MOST];
    const struct jit_options options = {.level = -1, .cache_dir = ""};
    struct jit_engine *engine = NULL;
    struct util_error error = {0};
    char line[300];
    uint32_t count = 0;
    uint64_t number = 0;
    FILE *file = fopen(SOURCE_DIR "/tests/isa/valhall_programs.txt", "r");
    if (!file)
        abort();
    assert_int_equal(jit_engine_create(&options, &engine, &error), 0);
    const unsigned saved = util_fpenv_enter();
    while (fgets(line, sizeof line, file)) {
        if (line[0] == 'm' && count)
            agrees(engine, words, count, ++number);
        if (line[0] == 'm')
            count = 0;
        else if (line[0] != '#')
            words[count++] = strtoull(line, NULL, 16);
    }
    agrees(engine, words, count, ++number);
    util_fpenv_leave(saved);
    fclose(file);
    jit_engine_destroy(engine);
    assert_true(number > 20);
}

/* A loop whose fuel suffices side by side, too: it is left for no run alone. Lanes go round up to four times. */
static void test_sides(void **state)
{
    static const char text[] =
        "MOV.i32 r1, lane_id\nRSHIFT_OR.i32 r1, r1, 0x3020100.b22, 0x0\nback: MOV.i32 r2, r1\n"
        "FMA.v2f16 r4, r4, r5.h10, r6\nIADD_IMM.i32 r1, r1, #0xFFFFFFFF\n"
        "BRANCHZ r2, offset:back\nMOV.i32.discard r3, r2\nNOP.end";
    const struct world_set *set = world_find("valhall");
    void *words;
    uint32_t count;
    assert_int_equal(isa_assemble(set->isa->syntax, text, strlen(text), &words, &count, NULL), 0);
    world_warp_sides = world_warp_left = 0;
    for (unsigned tier = 0; tier < 2; tier++) {
        const struct jit_options options = {
            .level = -1, .cache_dir = "", .optimize = tier ? JIT_OPTIMISED : JIT_QUICK};
        struct jit_engine *engine = NULL;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        const unsigned saved = util_fpenv_enter();
        agrees(engine, words, count, 1000 + tier);
        util_fpenv_leave(saved);
        jit_engine_destroy(engine);
    }
    assert_int_equal(world_warp_sides, 4); /* two modes, quick and optimised */
    assert_int_equal(world_warp_left, 0);
    free(words);
}

/* So many loads that no engine would compile them, and a branch behind: that is said. */
static void test_long(void **state)
{
    enum { LOADS = 2000, LINE = 80 };
    static char text[LOADS * LINE];
    const struct world_set *set = world_find("valhall");
    const struct jit_options options = {.level = -1, .cache_dir = ""};
    const uint64_t key[2] = {0};
    struct jit_engine *engine = NULL;
    void *words, *program;
    uint32_t count;
    bool translated = true;
    world_fn code;
    size_t length = 0;
    for (unsigned n = 0; n < LOADS; n++)
        length += (size_t)snprintf(text + length, sizeof text - length, "LOAD.i32.slot0 @r2, r0, offset:0\n");
    snprintf(text + length, sizeof text - length, "BRANCHZ r0, offset:out\nNOP\nout: NOP.end");
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    assert_int_equal(isa_assemble(set->isa->syntax, text, strlen(text), &words, &count, NULL), 0);
    assert_int_equal(set->isa->create(words, count, &program, NULL), 0);
    const struct world_batch batch = {set, &program, 1, 0, &translated};
    assert_int_equal(world_compile(engine, &batch, key, &code, NULL), -E2BIG);
    set->isa->destroy(program);
    free(words);
    jit_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs), cmocka_unit_test(test_sides),
                                       cmocka_unit_test(test_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
