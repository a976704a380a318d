/* Compiled programs leave what the interpreter leaves: all of guest memory, of the stock
 * driver's submissions, at every vector level, quick and optimised. */
#include <stdio.h>

#include "gpu/mali/device_internal.h"
#include "tests/gpu/mali/scene.h"

static const struct {
    const char *folder;
    enum mali_kind kind;
} scenes[] = {{"t720/triangle", MALI_T720},
              {"t720/cube", MALI_T720},
              {"t760/triangle", MALI_T760},
              {"t860/triangle", MALI_T860},
              {"t860/cube", MALI_T860}};

static void play(struct scene *s, unsigned n, struct jit_engine *engine)
{
    const struct mali_options options = {.kind = scenes[n].kind, .gpu.engine = engine};
    scene_load(s, scenes[n].folder, &options);
    guest_run(&s->guest, 1, s->chain[1]);
    guest_run(&s->guest, 0, s->chain[0]);
    guest_expect_no_fault(&s->guest);
}

static void check(unsigned n, int level, unsigned tier)
{
    const struct jit_options options = {.level = level, .optimize = tier, .cache_dir = ""};
    struct jit_engine *engine;
    struct jit_stats stats;
    struct scene plain, coded;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    play(&plain, n, NULL);
    play(&coded, n, engine);
    jit_engine_stats(engine, &stats);
    assert_true(stats.compiled > 0);
    for (uint32_t at = 0; at < GUEST_BYTES; at += 4)
        if (memcmp(plain.guest.memory.base + at, coded.guest.memory.base + at, 4) != 0)
            fail_msg("%s, %s, tier %u: physical 0x%x is %08x, expected %08x", scenes[n].folder,
                     jit_level_name((enum jit_level)level), tier, at,
                     util_load32(coded.guest.memory.base + at), util_load32(plain.guest.memory.base + at));
    guest_destroy(&plain.guest);
    guest_destroy(&coded.guest);
    jit_engine_destroy(engine);
}

static void test_recorded(void **state)
{
    (void)state;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(scenes); n++)
        for (int level = 0; level < JIT_LEVEL_COUNT; level++)
            if (jit_level_supported((enum jit_level)level))
                for (unsigned tier = JIT_QUICK; tier <= JIT_OPTIMISED; tier += JIT_OPTIMISED - JIT_QUICK)
                    check(n, level, tier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
