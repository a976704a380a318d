/* Midgard jobs whose results could depend on threads, and whose bounds could grow: the order of programs' side
 * effects, positions of odd numbers, long chains. */
#include "tests/hostile/mali_job.h"

/* ---- the order of side effects ---- */

static const unsigned threads[] = {0, 1, 2, 7};
/* Each fragment takes a number and becomes it: the picture shows in which order they ran. */
static const char tickets[] =
    "vmul.imov.32 r26.xy, r24.xxxx, r26.xyyy ; const 0x30000000, 0, 0, 0 ; next alu1\n"
    "vmul.imov.32 r27.x, r24.xxxx, #1 ; next ldst\n"
    "atomic_add r2.x, al0.x.64, zero.x, 0, al1.x ; nop ; next alu2\n"
    "vmul.iand.32 r3.xyz, r2.xxxx, r26.xyzz ; const 0xff, 0xff00, 0xff0000, 0 ; next alu1\n"
    "vmul.u2f_rte.32 r4.xyz, r3.xyzz, r24.xxxx ; next alu2\n"
    "vmul.fmul.32 r0.xyz, r4.xyzz, r26.xyzz ; const 0x3b808081, 0x37808081, 0x33808081, 0 ; "
    "writex.always +0, alu1 ; stop\n";

static uint64_t number_fragments(struct ways *w, unsigned way, struct util_pool *pool)
{
    struct mali_options options = options_of(w, way & 1);
    struct job j;
    options.gpu.pool = pool;
    open_job(&j, &options);
    put_program(&j, tiler_job(&j), tickets);
    uint8_t *flags = at(&j, state(&j, tiler_job(&j)) + STATE_FLAGS);
    util_store32(flags, util_load32(flags) | SIDE_EFFECTS);
    start(&j, 1);
    start(&j, 0);
    guest_expect_no_fault(&j.s.guest);
    assert_in_range(util_load32(j.more), 20000, 21500); /* no fragment twice, and no helper */
    uint64_t hash = picture(&j) + util_load32(j.more);
    close_job(&j);
    return hash;
}

static void test_sequence(void **state_)
{
    struct ways *w = *state_;
    uint64_t right = 0;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(threads); n++) {
        struct util_pool *pool = NULL;
        assert_int_equal(util_pool_create(threads[n], &pool), 0);
        for (unsigned way = 0; way < 2; way++) {
            uint64_t hash = number_fragments(w, way, pool);
            right = right ? right : hash;
            assert_int_equal(hash, right);
        }
        util_pool_destroy(pool);
    }
}

/* Submissions as they are: all of guest memory, tile lists too. */
static uint64_t play(unsigned scene, const struct ways *w, unsigned way, struct util_pool *pool)
{
    static const char *const folders[] = {"t720/cube", "t760/triangle", "t860/cube"};
    static const enum mali_kind gpus[] = {MALI_T720, MALI_T760, MALI_T860};
    struct mali_options options = {
        .kind = gpus[scene], .gpu.engine = way ? w->engine : NULL, .gpu.pool = pool};
    struct scene s;
    scene_load(&s, folders[scene], &options);
    assert_int_equal(guest_run(&s.guest, 1, s.chain[1]), 2);
    assert_int_equal(guest_run(&s.guest, 0, s.chain[0]), 1);
    guest_expect_no_fault(&s.guest);
    uint64_t hash = XXH3_64bits(s.guest.memory.base, s.guest.pages);
    guest_destroy(&s.guest);
    return hash;
}

static void test_threads(void **state_)
{
    struct ways *w = *state_;
    uint64_t right[3] = {0};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(threads); n++) {
        struct util_pool *pool = NULL;
        assert_int_equal(util_pool_create(threads[n], &pool), 0);
        for (unsigned scene = 0; scene < UTIL_ARRAY_SIZE(right); scene++)
            for (unsigned way = 0; way < 2; way++) {
                uint64_t hash = play(scene, w, way, pool);
                right[scene] = right[scene] ? right[scene] : hash;
                assert_int_equal(hash, right[scene]);
            }
        util_pool_destroy(pool);
    }
}

/* ---- odd numbers ---- */

/* Positions that no vertex program should give; the tiler job is done once more over them. */
static uint64_t draw_odd(struct ways *w, unsigned way, uint32_t seed)
{
    static const uint32_t odd[] = {0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff,
                                   0x00000001, 0x80000000, 0x4f000000, 0xcf000000, 0x46800000, 0x43000000,
                                   0xc3000000, 0x3f800000, 0x7f800001, 0x5f000000};
    const struct mali_options options = options_of(w, way);
    struct job j;
    open_job(&j, &options);
    start(&j, 1);
    uint8_t *positions = at(&j, word_at(&j, tiler_job(&j) + AT_POSITION));
    for (unsigned n = 0; n < 12; n++) {
        seed = seed * 1664525 + 1013904223;
        if (seed >> 30)
            util_store32(positions + n * 4, odd[seed >> 20 & 15]);
    }
    j.s.chain[1] = tiler_job(&j);
    start(&j, 1);
    start(&j, 0);
    guest_expect_no_fault(&j.s.guest);
    uint64_t hash = picture(&j);
    close_job(&j);
    return hash;
}

static void test_odd_numbers(void **state_)
{
    for (uint32_t seed = 0; seed < 24; seed++) {
        uint64_t right = draw_odd(*state_, 0, seed);
        for (unsigned way = 1; way < 4; way++)
            assert_int_equal(draw_odd(*state_, way, seed), right);
    }
}

/* ---- bounds of a chain ---- */

/* The same frame again and again: bounds are the chain's, however little of them each job needs. */
static void test_long_chains(void **state_)
{
    struct ways *w = *state_;
    for (unsigned way = 0; way < 8; way++) {
        struct mali_options options = options_of(w, way & 3);
        struct job j;
        char text[512];
        options.gpu.packet_budget = way & 4 ? 5000 : UINT64_MAX;
        options.gpu.job_fuel = way & 4 ? UINT64_MAX : 200000;
        open_job(&j, &options);
        start(&j, 1);
        const uint64_t first = ODD + 0x2000;
        for (unsigned n = 0; n < 128; n++) {
            uint8_t *copy = at(&j, first + n * 64);
            memcpy(copy, at(&j, j.s.chain[0]), 64);
            util_store64(copy + AT_NEXT, n < 127 ? first + (n + 1) * 64 : 0);
        }
        j.s.chain[0] = first;
        start(&j, 0);
        report_of(&j, text, sizeof text);
        if (!strstr(text, "timeout: "))
            fail_msg("way %u: %s", way, text);
        close_job(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sequence), cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_odd_numbers),
                                       cmocka_unit_test(test_long_chains)};
    return cmocka_run_group_tests(tests, begin, end);
}
