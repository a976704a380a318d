/* Whole programs of a stock driver (tests/isa/midgard_programs.txt), translated and interpreted, in the worlds of
 * fuzz/world/midgard.c: every one at every vector level, quick and optimised, in two of the modes each. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/midgard/program.h"
#include "tests/diff/random.h"
#include "tests/isa/midgard_programs.h"
#include "fuzz/world/midgard.h"

enum { INPUTS = 8 };

static struct random_engines engines;
static struct world_outcome outcome;
static uint32_t number;

static void in_mode(void *program, unsigned mode, struct jit_engine *engine)
{
    bool translated;
    if (!world_agrees(&world_midgard, program, mode, engine, number, INPUTS, &translated, &outcome))
        fail_msg("program %u, level %s", number, jit_level_name(jit_engine_level(engine)));
    assert_true(translated);
}

static void one(char *gpus, const uint64_t *words, uint32_t count)
{
    const struct isa_set *isa = world_midgard.isa;
    unsigned modes = world_modes(&world_midgard);
    void *program;
    assert_int_equal(isa->create(words, count, &program, NULL), 0);
    for (unsigned n = 0; n < engines.levels * 2; n++) {
        in_mode(program, (number + n) % modes, engines.engine[n / 2][n % 2]);
        in_mode(program, (number + n + 3) % modes, engines.engine[n / 2][n % 2]);
    }
    isa->destroy(program);
    number++;
}

static void both_agree(void **unused)
{
    unsigned saved = util_fpenv_enter();
    random_start(&engines);
    midgard_programs_each(one);
    random_stop(&engines);
    util_fpenv_leave(saved);
    print_message("%u programs, %llu lanes, %llu faulted\n", number, (unsigned long long)outcome.lanes,
                  (unsigned long long)outcome.faulted);
    assert_true(outcome.faulted < outcome.lanes);
}

/* Lanes leave a loop one after the other, long before their fuel is used up: nothing makes what runs side by side be
 * run one by one. (With wrong masks it would go round until it is.) */
static void loops_stay(void **unused)
{
    static const char text[] = "mov r0, lid.x, zero.x, 0 ; nop ; next alu1\n"
                               "sadd.iand.full r1.x, r0.y, #7 ; next alu1\n"
                               "again: vadd.fadd.16 r3.xyzw, r3.rl, #0.125 ; next alu2\n"
                               "vmul.iadd.32 r4, r4, r0 ; sadd.iadd.full r1.x, r1.x, #-1 ; next alu2\n"
                               "sadd.ilt.full r31.w, r24.x, r1.x ; brx.true again, alu2 ; next alu1\n"
                               "vmul.iadd.32 r2, r4, r0 ; stop\n";
    const struct isa_set *isa = world_midgard.isa;
    unsigned saved = util_fpenv_enter();
    uint32_t count;
    void *words, *program;
    assert_int_equal(isa_assemble(isa->syntax, text, strlen(text), &words, &count, NULL), 0);
    assert_int_equal(isa->create(words, count, &program, NULL), 0);
    random_start(&engines);
    world_midgard_left = 0;
    for (unsigned n = 0; n < engines.levels * 2; n++)
        for (unsigned mode = 0; mode < world_modes(&world_midgard); mode++)
            in_mode(program, mode, engines.engine[n / 2][n % 2]);
    assert_int_equal(world_midgard_left, 0);
    random_stop(&engines);
    util_fpenv_leave(saved);
    isa->destroy(program);
    free(words);
}

/* ---- halves that are chosen stay singles ---- */

static bool adds_a_choice(LLVMValueRef function)
{
    LLVMValueRef sum = NULL;
    for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(function); k; k = LLVMGetNextBasicBlock(k))
        for (LLVMValueRef v = LLVMGetFirstInstruction(k); v; v = LLVMGetNextInstruction(v))
            sum = LLVMGetInstructionOpcode(v) == LLVMFAdd ? v : sum;
    assert_non_null(sum);
    return LLVMIsASelectInst(LLVMGetOperand(sum, 0));
}

struct looked_at {
    const void *program;
    bool adds_a_choice;
};

static int emit_looked_at(struct jit_builder *b, void *data)
{
    struct looked_at *at = data;
    jit_begin_function(b, b->void_, &b->ptr, 1);
    int status = world_midgard_emit(b, at->program, 0, jit_param(b, 0));
    LLVMBuildRetVoid(b->ir);
    at->adds_a_choice = adds_a_choice(b->function);
    return status;
}

/* Whether two halves, of which `choice` makes the lowest of r4, are added as the singles they were. */
static bool stays_single(struct jit_engine *engine, const char *choice)
{
    const struct isa_set *isa = world_midgard.isa;
    struct looked_at at = {NULL, false};
    char text[400];
    uint32_t count;
    void *words, *program, *code;
    snprintf(text, sizeof text,
             "mov r0, lid.x, zero.x, 0 ; nop ; next alu1\nvmul.fadd.16 r3.xy, r0.rl, #0.125 ; next alu2\n"
             "vmul.iand.32 r31, r0, #1 ; %s ; next alu1\nvmul.fadd.16 r5.x, r4, r3 ; stop\n",
             choice);
    assert_int_equal(isa_assemble(isa->syntax, text, strlen(text), &words, &count, NULL), 0);
    assert_int_equal(isa->create(words, count, &program, NULL), 0);
    at.program = program;
    const struct jit_request request = {.key = text,
                                        .key_size = (uint32_t)strlen(text),
                                        .name = "looked_at",
                                        .emit = emit_looked_at,
                                        .data = &at};
    assert_int_equal(jit_engine_get(engine, &request, &code, NULL), 0);
    isa->destroy(program);
    free(words);
    return at.adds_a_choice;
}

static void chosen_halves_stay(void **unused)
{
    const struct jit_options options = {.level = JIT_AVX2, .cache_dir = ""};
    struct jit_engine *engine;
    if (!jit_level_supported(JIT_AVX2))
        return; /* plain arithmetic rounds by sums, too */
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    assert_true(stays_single(engine, "smul.icsel.half r4.h0, r3.h1.zx, r3.h0"));
    assert_true(stays_single(engine, "vadd.icsel.32.lo r4.x, r3.el.zx, r3.yyyy.el.zx"));
    assert_true(stays_single(engine, "vadd.icsel.16 r4.x, r3, r3.yyyy"));
    assert_true(stays_single(engine, "vadd.fcsel.32.lo r4.x, r3.el, -|r3.yyyy.el|"));
    /* a half that is none of the source's, or less than one */
    assert_false(stays_single(engine, "smul.icsel.half r4.h0, r3.h1.shl, r3.h0.shl"));
    assert_false(stays_single(engine, "vadd.icsel.32.lo.ssat r4.x, r3.el, r3.yyyy.el"));
    jit_engine_destroy(engine);
}

/* Refused while it is translated, not when the module is there. */
static void too_much(void **unused)
{
    static const char line[] = "vadd.ichoose.8 r0, r1, r2 ; next alu1\n", end[] = "idle ; stop\n";
    enum { LINES = 8000 };
    struct jit_options options = {.max_insns = UINT32_MAX, .cache_dir = ""};
    struct jit_engine *engine;
    bool translated = false;
    const struct isa_set *isa = world_midgard.isa;
    const uint64_t key[2] = {0, 0};
    char *text = malloc(LINES * sizeof line + sizeof end);
    uint32_t count, length = 0;
    void *words, *program;
    world_fn code;
    assert_non_null(text);
    for (unsigned n = 0; n < LINES; n++, length += sizeof line - 1)
        memcpy(text + length, line, sizeof line);
    memcpy(text + length, end, sizeof end);
    assert_int_equal(isa_assemble(isa->syntax, text, strlen(text), &words, &count, NULL), 0);
    assert_int_equal(isa->create(words, count, &program, NULL), 0);
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    struct world_batch batch = {&world_midgard, &program, 1, 1, &translated};
    assert_int_equal(world_compile(engine, &batch, key, &code, NULL), -E2BIG);
    jit_engine_destroy(engine);
    isa->destroy(program);
    free(words);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_agree), cmocka_unit_test(loops_stay),
                                       cmocka_unit_test(chosen_halves_stay), cmocka_unit_test(too_much)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
