/* Programs of Simple-V that are longer than a translation: compiled code is left where it ends, and entered again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fuzz/world/world.h"
#include "util/fpenv.h"

enum { LONG = 3000 };

/* `begin`, a line many times over, `end`. */
static void agrees(const char *begin, const char *line, const char *end)
{
    const struct world_set *set = world_find("simple-v");
    const struct jit_options options = {.level = JIT_SSE41, .optimize = JIT_QUICK, .cache_dir = ""};
    const size_t size = strlen(begin) + LONG * strlen(line) + strlen(end);
    char *text = malloc(size + 1), *at = text;
    struct world_outcome outcome = {0};
    struct util_error error = {0};
    struct jit_engine *engine;
    bool translated = false;
    void *words, *program;
    uint32_t count;
    assert_non_null(text);
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    at = stpcpy(at, begin);
    for (unsigned n = 0; n < LONG; n++)
        at = stpcpy(at, line);
    stpcpy(at, end);
    if (isa_assemble(set->isa->syntax, text, size, &words, &count, &error))
        fail_msg("%s", error.text);
    assert_int_equal(set->isa->create(words, count, &program, NULL), 0);
    const unsigned saved = util_fpenv_enter();
    assert_true(world_agrees(set, program, 0, engine, 1, 4, &translated, &outcome));
    util_fpenv_leave(saved);
    assert_true(translated);
    set->isa->destroy(program);
    jit_engine_destroy(engine);
    free(words);
    free(text);
}

static void one_block_is_too_long(void **state)
{
    agrees("sv.setvl x0, x0, 64\n", "p48 add x32v, x32v, x48v, itype:16\n", "c.nop\n");
}

/* The first jump is to behind them, and back. */
static void blocks_are_too_many(void **state)
{
    agrees("sv.setvl x0, x0, 9\nauipc x5, 7\njalr x6, 1336(x5)\n",
           "beq x7, x8, 4\np48 lbu x32v, 0(x12), itype:8\n", "addi x9, x9, 1\njalr x0, 0(x6)\n");
}

static void nothing_but_branches(void **state)
{
    agrees("", "beq x7, x8, 4\n", "c.nop\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_block_is_too_long),
                                       cmocka_unit_test(blocks_are_too_many),
                                       cmocka_unit_test(nothing_but_branches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
