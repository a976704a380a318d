/* GP jobs of the stock driver, recorded in tests/data/mali400 as its submit ioctls handed them over:
 * interpreted and compiled programs must leave the same bytes, and window positions and tile lists must be
 * what the scenes are. */
#include "tests/gpu/utgard/job.h"

#include "gpu/bin.h"
#include "tests/gpu/engine.h"
#include "tiler/list.h"

struct scene {
    struct guest guest;
    uint8_t *memory; /* of GPU address FIRST on */
    uint32_t frame[6];
};

static void load(struct scene *s, const char *name, struct jit_engine *with)
{
    struct utgard_options options = {.kind = UTGARD_MALI400, .gpu.engine = with};
    char folder[64];
    snprintf(folder, sizeof folder, "mali400/%s", name);
    guest_create(&s->guest, &options);
    s->memory = guest_map(&s->guest, FIRST, BYTES, RIGHT_BOTH);
    assert_int_equal(recorded_file(folder, "frame.bin", s->frame, sizeof s->frame), sizeof s->frame);
    load_buffers(s->memory, folder, "index.txt");
}

static const uint8_t *at(const struct scene *s, uint32_t address)
{
    return s->memory + (address - FIRST);
}

/* What the lists of a frame of 16 x 16 blocks hold. */
struct found {
    uint32_t entries[16], blocks; /* by kind; lists that are not empty */
    bool listed[256];
    struct gpu_bin_state state; /* the last one seen */
};

static void read_list(const struct scene *s, uint32_t address, struct found *found, uint32_t block)
{
    for (uint32_t n = 0; n < 10000; n++) {
        struct tiler_entry e;
        uint64_t word[2];
        memcpy(word, at(s, address), sizeof word);
        tiler_entry_decode(word, &e);
        found->entries[e.kind]++;
        if (e.kind == TILER_ENTRY_END)
            return;
        if (e.kind == TILER_ENTRY_STATE)
            memcpy(&found->state, at(s, e.place), sizeof found->state);
        else if (e.kind != TILER_ENTRY_NEXT)
            found->listed[block] = true;
        address = e.kind == TILER_ENTRY_NEXT ? e.place : address + 8 * tiler_entry_words(word[0]);
    }
    fail_msg("a list does not end");
}

/* The array of blocks stands in the head of the PLBU list: its fifth command. */
static void read_lists(const struct scene *s, struct found *found)
{
    uint32_t array = util_load32(at(s, s->frame[2] + 32));
    memset(found, 0, sizeof *found);
    for (uint32_t n = 0; n < 256; n++) {
        read_list(s, util_load32(at(s, array + n * 4)), found, n);
        found->blocks += found->listed[n];
    }
}

/* Runs the scene interpreted and compiled; leaves the compiled one in *s. */
static void run_both(struct scene *s, const char *name, struct found *found)
{
    struct scene reference;
    load(&reference, name, NULL);
    load(s, name, engine);
    uint32_t expected = 2 | (s->frame[0] != s->frame[1]);
    assert_int_equal(guest_run(&reference.guest, reference.frame), expected);
    assert_int_equal(guest_run(&s->guest, s->frame), expected);
    guest_expect_no_fault(&reference.guest);
    guest_expect_no_fault(&s->guest);
    assert_memory_equal(reference.memory, s->memory, BYTES);
    guest_destroy(&reference.guest);
    read_lists(s, found);
}

/* Vertex `n` of the draw whose state the lists name. */
static void position(const struct scene *s, const struct found *f, uint32_t n, float out[4])
{
    memcpy(out, at(s, f->state.positions + 16 * n), 16);
}

static void test_clear(void **data)
{
    (void)data;
    struct scene s;
    struct found f;
    run_both(&s, "clear", &f);
    assert_int_equal(f.entries[TILER_ENTRY_END], 256);
    assert_int_equal(f.blocks, 0);
    guest_destroy(&s.guest);
}

static void test_triangle(void **data)
{
    (void)data;
    struct scene s;
    struct found f;
    struct gpu_counters counters;
    float v[4];
    run_both(&s, "triangle", &f);
    counters = utgard_device_host(s.guest.device)->counters;
    assert_int_equal(counters.vertices, 3);
    assert_int_equal(counters.primitives_binned, 1);
    assert_true(f.entries[TILER_ENTRY_TRIANGLE] == f.blocks && f.blocks > 20 && f.blocks < 256);
    for (uint32_t n = 0; n < 3; n++) {
        const float x[] = {25.6f, 230.4f, 128}, y[] = {25.6f, 25.6f, 230.4f};
        position(&s, &f, n, v);
        assert_float_equal(v[0], x[n], 1e-4f);
        assert_float_equal(v[1], y[n], 1e-4f);
        assert_float_equal(v[2], 0.5f, 1e-6f);
        assert_true(v[3] == 1 && f.listed[(uint32_t)y[n] / 16 * 16 + (uint32_t)x[n] / 16]);
    }
    guest_destroy(&s.guest);
}

static void test_cube(void **data)
{
    (void)data;
    struct scene s;
    struct found f;
    struct gpu_counters counters;
    run_both(&s, "cube", &f);
    counters = utgard_device_host(s.guest.device)->counters;
    assert_int_equal(counters.vertices, 24);
    assert_int_equal(counters.primitives_in, 12);
    assert_true(f.entries[TILER_ENTRY_TRIANGLE] > 12 && f.blocks > 20 && f.blocks < 256);
    for (uint32_t n = 0; n < 24; n++) {
        float v[4];
        position(&s, &f, n, v);
        assert_true(v[0] >= 0 && v[0] <= 256 && v[1] >= 0 && v[1] <= 256 && v[2] > 0 && v[2] < 1);
        assert_true(v[3] > 0);
    }
    guest_destroy(&s.guest);
}

static void test_loop(void **data)
{
    (void)data;
    struct scene s;
    struct found f;
    run_both(&s, "loop", &f);
    assert_true(f.entries[TILER_ENTRY_TRIANGLE] > 0 && f.blocks > 0);
    guest_destroy(&s.guest);
}

/* Without a thread in the background the next job optimises what has run much. */
static void test_optimises(void **data)
{
    (void)data;
    const struct jit_options options = {
        .level = -1, .optimize = JIT_AUTOMATIC, .hot_runs = 1, .cache_dir = ""};
    struct jit_engine *own;
    struct jit_stats stats;
    struct scene s;
    assert_int_equal(jit_engine_create(&options, &own, NULL), 0);
    for (unsigned n = 0; n < 2; n++) {
        load(&s, "loop", own);
        guest_run(&s.guest, s.frame);
        jit_engine_stats(own, &stats);
        assert_true(n ? stats.optimised > 0 : stats.compiled > 0 && !stats.optimised);
        guest_destroy(&s.guest);
    }
    jit_engine_destroy(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clear), cmocka_unit_test(test_triangle),
                                       cmocka_unit_test(test_cube), cmocka_unit_test(test_loop),
                                       cmocka_unit_test(test_optimises)};
    return cmocka_run_group_tests(tests, start_engine, stop_engine);
}
