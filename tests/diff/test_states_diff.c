/* Programs that keep the state of their lanes in registers, as drivers do where control flow diverges:
 * registers of few constants, written under conditions, compared, branched upon and passed from block to
 * block, in loops too. Interpreter against translated code at every vector level, in both numeric modes.
 *   VITRAIL_DIFF_PROGRAMS=n  programs (default 192)
 *   VITRAIL_DIFF_SEED=s      seed of the first one (default 1) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/vc4_qpu/asm.h"
#include "tests/diff/random.h"
#include "fuzz/world/vc4_qpu.h"

#define INPUTS 24
#define BATCH  32
#define BLOCKS 7

static struct jit_engine *engines[JIT_LEVEL_COUNT];

struct text {
    char bytes[16384];
    size_t length;
    uint64_t random;
    const char *states[8];
    unsigned state_count;
};

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

static unsigned one_of(struct text *t, unsigned count)
{
    return (unsigned)(random_next(&t->random) >> 33) % count;
}

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    t->length += (size_t)vsnprintf(t->bytes + t->length, sizeof t->bytes - t->length, format, args);
    va_end(args);
    assert_true(t->length < sizeof t->bytes);
}

static const char *reg(struct text *t)
{
    static const char *const regs[] = {"ra0", "ra1", "rb0", "r2"};
    return regs[one_of(t, UTIL_ARRAY_SIZE(regs))];
}

static const char *state(struct text *t)
{
    return t->states[one_of(t, t->state_count)];
}

static const char *condition(struct text *t)
{
    static const char *const conditions[] = {"", ".zs", ".zc", ".ns", ".nc", ".cs", ".cc"};
    return conditions[one_of(t, UTIL_ARRAY_SIZE(conditions))];
}

static void put_step(struct text *t)
{
    static const char *const floats[] = {"fadd%s rb1, ra5, r3", "fsub%s r3, r3, ra5",
                                         "nop ; fmul%s r3, r3, ra5", "add%s ra5, ra5, r3"};
    const char *a = reg(t);

    switch (one_of(t, 9)) {
    case 0: put(t, "mov ra14, %s\n sub.sf -, ra14, %s\n", a, state(t)); break;
    case 1: put(t, "mov.sf -, %s\n", a); break;
    case 2: put(t, "or.sf -, %s, r2\n", a); break;
    case 3: put(t, "mov%s %s, ra14\n", condition(t), a); break;
    case 4: put(t, "sub.sf -, elem_num, b.unif\n"); break;
    case 5:
        if (one_of(t, 4))
            put(t, "add%s r1, r1, 1\n", condition(t));
        else
            put(t, floats[one_of(t, UTIL_ARRAY_SIZE(floats))], condition(t)), put(t, "\n");
        break;
    case 6: put(t, "sub%s.sf -, ra14, %s\n", condition(t), state(t)); break;
    default: put(t, "mov%s %s, %s\n", condition(t), a, state(t)); break;
    }
}

/* Blocks whose branches go to any other: what loops for ever runs out of fuel on both sides. */
static void make_text(struct text *t, uint64_t seed)
{
    static const char *const all[] = {"0", "1", "2", "4", "7", "-1", "12", "0.5", "-16", "3"};
    static const char *const branches[] = {".allzs", ".allzc", ".anyzs", ".anyzc", ".allns", ".anync", ""};

    *t = (struct text){.random = seed};
    t->state_count = 2 + one_of(t, one_of(t, 3) ? 3 : 7);
    for (unsigned i = 0; i < t->state_count; i++)
        t->states[i] = all[one_of(t, UTIL_ARRAY_SIZE(all))];
    put(t, "mov ra5, unif\n sub.sf -, elem_num, b.unif\n mov r3, rb15\n");
    for (unsigned block = 0; block < BLOCKS; block++) {
        put(t, "b%u:\n", block);
        for (unsigned n = one_of(t, 9); n; n--)
            put_step(t);
        put(t, "add ra3, ra3, 1\n brr%s b%u\n nop\n nop\n", branches[one_of(t, UTIL_ARRAY_SIZE(branches))],
            one_of(t, BLOCKS + 1));
        put(t, one_of(t, 3) ? "nop\n" : "mov%s ra0, 2\n", condition(t));
    }
    put(t, "b%u:\n mov.zs rb2, 1\n nop ; thrend\n nop\n nop\n", BLOCKS);
}

static struct vc4_qpu_program *make_program(uint64_t seed)
{
    static struct text t;
    struct vc4_qpu_program *program = NULL;
    struct util_error error = {0};
    uint64_t *words;
    uint32_t count;

    make_text(&t, seed);
    if (vc4_qpu_asm(t.bytes, t.length, &words, &count, &error) ||
        vc4_qpu_program_create(words, count, &program, &error))
        fail_msg("%s", error.text);
    free(words);
    return program;
}

static unsigned compare_batch(enum jit_level level, enum isa_numeric numeric, uint64_t first,
                              struct vc4_qpu_program **programs)
{
    const struct world_set *set = &world_vc4_qpu;
    bool translated[BATCH];
    struct world_batch batch = {set, (void *const *)programs, BATCH, numeric, translated};
    uint64_t key[2] = {first, numeric};
    struct world_outcome outcome = {0};
    struct util_error error = {0};
    unsigned compared = 0;
    world_fn code;

    if (world_compile(engines[level], &batch, key, &code, &error))
        fail_msg("%s: %s", jit_level_name(level), error.text);
    unsigned saved = util_fpenv_enter();
    for (unsigned i = 0; i < BATCH; i++) {
        compared += translated[i];
        for (unsigned k = 0; translated[i] && k < INPUTS; k++) {
            struct world_of_qpu world;
            set->fill(&world, programs[i], numeric, (first + i) * INPUTS + k);
            for (unsigned u = 0; u < UTIL_ARRAY_SIZE(world.uniforms); u++)
                world.uniforms[u] = u % 3 ? world.uniforms[u] % 17 : world.uniforms[u];
            if (!world_compare(set, programs[i], numeric, code, i, &world, &outcome)) {
                util_fpenv_leave(saved);
                fail_msg("%s, %s, seed %llu, input %u", jit_level_name(level), isa_numeric_name(numeric),
                         (unsigned long long)(first + i), k);
            }
        }
    }
    util_fpenv_leave(saved);
    return compared;
}

static void test_lane_states(void **unused)
{
    uint64_t first = setting("VITRAIL_DIFF_SEED", 1), count = setting("VITRAIL_DIFF_PROGRAMS", 192);
    unsigned compared = 0, tried = 0;

    for (uint64_t at = first; at < first + count; at += BATCH) {
        struct vc4_qpu_program *programs[BATCH];
        for (unsigned i = 0; i < BATCH; i++)
            programs[i] = make_program(at + i);
        for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
            if (!engines[level])
                continue;
            for (unsigned m = 0; m < ISA_NUMERIC_COUNT; m++) /* one mode in two */
                if (((at - first) / BATCH + level) % ISA_NUMERIC_COUNT == m) {
                    compared += compare_batch(level, (enum isa_numeric)m, at, programs);
                    tried += BATCH;
                }
        }
        for (unsigned i = 0; i < BATCH; i++)
            vc4_qpu_program_destroy(programs[i]);
    }
    print_message("states: %u of %u programs compared\n", compared, tried);
    assert_true(tried > 0);
    assert_int_equal(compared, tried);
}

static int start_engines(void **unused)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {.level = (int)level,
                                      .optimize = JIT_OPTIMISED,
                                      .cache_dir = "",
                                      .max_insns = 4000000,
                                      .deadline_ms = 600000};
        if (jit_level_supported(level) && jit_engine_create(&options, &engines[level], NULL))
            return -1;
    }
    return 0;
}

static int stop_engines(void **unused)
{
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++)
        jit_engine_destroy(engines[level]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lane_states)};

    return cmocka_run_group_tests(tests, start_engines, stop_engines);
}
