/* Vector instructions of Simple-V three ways: the interpreter, the translation, and what the instructions are defined as, which
 * qemu-riscv64 runs (tests/riscv/unroll.h). Random programs, with several inputs each; registers, memory and, of the interpreter, FCSR are the same in the
 * end. Environment: VITRAIL_DIFF_PROGRAMS=n, VITRAIL_DIFF_SEED=s the first one, VITRAIL_DIFF_LEVEL as in random.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/simple_v/asm.h"
#include "tests/diff/random.h"
#include "tests/riscv/unroll.h"
#include "fuzz/world/world.h"
#include "util/bits.h"

enum { PROGRAMS = 40, INPUTS = 4 };

static struct world_outcome outcome;

/* What programs are is too long for fail_msg. */
static void stop(const char *text, uint64_t seed, const char *why)
{
    fputs(text, stderr);
    fprintf(stderr, "again: VITRAIL_DIFF_SEED=%" PRIu64 " VITRAIL_DIFF_PROGRAMS=1\n", seed);
    fail_msg("%s", why);
}

/* Registers and memory, as the image has them to begin with. */
static void begin(struct world_simple_v *world, const struct simple_v_program *program)
{
    world_simple_v_begin(world, program);
    memcpy(world->thread.state.x, qemu_at(QEMU_DATA + UNROLL_FILES), sizeof world->thread.state.x);
    memcpy(world->thread.state.f, qemu_at(QEMU_DATA + UNROLL_FILES + UNROLL_F), sizeof world->thread.state.f);
    memcpy(world->memory, qemu_at(QEMU_MEMORY), sizeof world->memory);
}

static bool same_bytes(const char *name, uint64_t at, const uint8_t *expected, const uint8_t *got,
                       unsigned bytes, unsigned unit)
{
    for (unsigned n = 0; n < bytes; n += 8)
        if (memcmp(got + n, expected + n, 8) != 0)
            return world_differs("%s%" PRIx64 " is %016" PRIx64 ", but of qemu %016" PRIx64, name,
                                 at + n / unit, util_load64(got + n), util_load64(expected + n));
    return true;
}

/* What the interpreter has left, and what qemu has. */
static bool same(const struct world_simple_v *got, const uint8_t *expected)
{
    const struct simple_v_state *s = &got->thread.state;
    const uint64_t fcsr = s->fflags | (uint64_t)s->frm << 5, of_qemu = util_load64(expected + UNROLL_FCSR);
    if (got->thread.report.fault)
        return world_differs("%s %s", got->thread.report.name,
                             simple_v_faults[got->thread.report.fault].text);
    if (fcsr != of_qemu)
        return world_differs("fcsr is %" PRIx64 ", but of qemu %" PRIx64, fcsr, of_qemu);
    return same_bytes("x0x", 0, expected + UNROLL_FILES, s->x, sizeof s->x, 8) &&
           same_bytes("f0x", 0, expected + UNROLL_FILES + UNROLL_F, s->f, sizeof s->f, 8) &&
           same_bytes("memory ", QEMU_MEMORY, expected + QEMU_MEMORY - QEMU_DATA, got->memory,
                      sizeof got->memory, 1);
}

/* With what the image has in registers and memory. */
static void compare(const char *text, uint64_t seed, void *program, world_fn code)
{
    static uint8_t expected[UNROLL_RESULT];
    static struct world_simple_v input, got;
    const struct world_set *set = world_find("simple-v");
    begin(&input, program);
    qemu_emulate(expected, UNROLL_RESULT);
    got = input;
    set->run(program, 0, &got);
    if (!same(&got, expected))
        stop(text, seed, "the interpreter is not qemu");
    if (!world_compare(set, program, 0, code, 0, &input, &outcome))
        stop(text, seed, "the translation is not the interpreter");
}

static void attempt(const struct random_turn *turn, void *data)
{
    const struct world_set *set = world_find("simple-v");
    const char *const text = unroll_random(turn->number);
    struct util_error error = {0};
    bool translated;
    void *words, *program = NULL;
    uint32_t count;
    if (simple_v_asm(text, strlen(text), &words, &count, &error) ||
        set->isa->create(words, count, &program, &error))
        stop(text, turn->number, error.text);
    free(words);
    const struct world_batch batch = {set, &program, 1, 0, &translated};
    const uint64_t key[2] = {turn->number, 0};
    world_fn code;
    if (world_compile(turn->engine, &batch, key, &code, &error))
        stop(text, turn->number, error.text);
    for (unsigned n = 0; n < INPUTS; n++) {
        compare(text, turn->number, program, code);
        unroll_fill();
    }
    set->isa->destroy(program);
}

static void vectors_are_their_elements(void **state)
{
    const uint64_t first = random_number_of("VITRAIL_DIFF_SEED", 1),
                   count = random_number_of("VITRAIL_DIFF_PROGRAMS", PROGRAMS);
    random_programs(first, count, 1, attempt, NULL);
    print_message("%" PRIu64 " vector instructions\n", outcome.vectors);
    assert_true(outcome.vectors > count * INPUTS * 20); /* of 32 in a program some are of scalars alone */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_are_their_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
