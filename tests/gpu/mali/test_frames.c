/* Frames of the stock driver, drawn: recorded submissions (tests/data) through tiler and fragment jobs, as
 * they are and changed in one place. */
#include "tests/gpu/mali/scene.h"

#include "gpu/mali/device_internal.h"
#include "raster/texture/texture.h"

enum { SIDE = 256, BACKGROUND = 0xff000000 };
/* Where things stand in the driver's tiler job (desc_job.inc, sections.inc). */
enum {
    AT_INVOCATION = 32,
    AT_PRIMITIVE = 40,
    AT_DRAW = 64,
    AT_VIEWPORT = AT_DRAW + 96,
    AT_STATE = AT_DRAW + 56
};
enum { CULL_BOTH = 3 << 6 };
enum { INDICES_AT = 0x20000000, QUERY_AT = 0x20100000 };

static const enum mali_kind kinds[] = {MALI_T720, MALI_T760, MALI_T860};
static const char *const triangles[] = {"t720/triangle", "t760/triangle", "t860/triangle"};
enum { KINDS = UTIL_ARRAY_SIZE(kinds) };

static void load(struct scene *s, const char *folder, enum mali_kind kind)
{
    scene_load(s, folder, &(struct mali_options){.kind = kind});
}

static void run(struct scene *s)
{
    for (int slot = 1; slot >= 0; slot--)
        if (s->chain[slot]) {
            uint32_t raw = guest_run(&s->guest, (unsigned)slot, s->chain[slot]);
            guest_expect_no_fault(&s->guest);
            assert_int_equal(raw, 1 << slot);
        }
}

static uint8_t *at(struct scene *s, uint64_t address)
{
    return scene_at(s, address);
}

static uint64_t tiler_job(struct scene *s)
{
    return scene_tiler_job(s);
}

static uint32_t pixel(struct scene *s, uint32_t x, uint32_t y)
{
    struct capture_frame f;
    assert_true(gpu_host_frame(mali_device_host(s->guest.device), &f));
    assert_int_equal(f.width, SIDE);
    assert_int_equal(f.height, SIDE);
    assert_int_equal(f.layout, RASTER_UTGARD_TILED);
    size_t offset = (size_t)raster_texel_offset(RASTER_UTGARD_TILED, 1, f.stride, x, y) * 4;
    return util_load32(s->guest.memory.base + f.address + offset);
}

static void take_picture(struct scene *s, uint32_t out[SIDE][SIDE])
{
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            out[y][x] = pixel(s, x, y);
}

/* Whether a pixel's channels lie within 1 of these. */
static bool is_near(uint32_t pixel_, const float color[3])
{
    for (unsigned c = 0; c < 3; c++)
        if (abs((int)(pixel_ >> 8 * c & 255) - (int)(color[c] * 255 + 0.5f)) > 1)
            return false;
    return true;
}

/* Weights of (-0.8, -0.8), (0.8, -0.8) and (0, 0.8), whose colours are red, green and blue, at a pixel. */
static bool weights(uint32_t x, uint32_t y, float out[3])
{
    float px = ((float)x + 0.5f) / 128 - 1, py = ((float)y + 0.5f) / 128 - 1;
    out[2] = (py + 0.8f) / 1.6f;
    out[1] = (px + 0.8f - 0.8f * out[2]) / 1.6f;
    out[0] = 1 - out[1] - out[2];
    return out[0] > 0.001f && out[1] > 0.001f && out[2] > 0.001f;
}

static void expect_triangle(struct scene *s)
{
    unsigned inside = 0;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            float color[3];
            uint32_t got = pixel(s, x, y);
            if (weights(x, y, color)) {
                inside++;
                if (!is_near(got, color))
                    fail_msg("pixel (%u, %u) is 0x%08x", x, y, got);
            } else if (color[0] < -0.001f || color[1] < -0.001f || color[2] < -0.001f) {
                assert_int_equal(got, BACKGROUND);
            }
        }
    assert_in_range(inside, 20000, 21500);
}

static void expect_empty(struct scene *s)
{
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            assert_int_equal(pixel(s, x, y), BACKGROUND);
}

/* ---- as they are ---- */

static void test_clear(void **state)
{
    static const struct {
        const char *folder;
        enum mali_kind kind;
    } of[] = {{"t720/clear", MALI_T720},
              {"t860/clear", MALI_T860},
              {"g52/clear", MALI_G52},
              {"g57/clear", MALI_G57}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(of); n++) {
        struct scene s;
        load(&s, of[n].folder, of[n].kind);
        run(&s);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++)
                assert_int_equal(pixel(&s, x, y), 0xffbf8040);
        guest_destroy(&s.guest);
    }
}

static void test_triangle(void **state)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct scene s;
        load(&s, triangles[n], kinds[n]);
        run(&s);
        expect_triangle(&s);
        guest_destroy(&s.guest);
    }
}

/* Textured, with depth: both versions of the hardware draw it alike, but for roundings of their programs. */
static void test_cube(void **state)
{
    static uint32_t first[SIDE][SIDE], second[SIDE][SIDE];
    struct scene s;
    unsigned drawn = 0, apart = 0;
    load(&s, "t720/cube", MALI_T720);
    run(&s);
    take_picture(&s, first);
    guest_destroy(&s.guest);
    load(&s, "t860/cube", MALI_T860);
    run(&s);
    take_picture(&s, second);
    guest_destroy(&s.guest);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            drawn += first[y][x] != first[0][0];
            apart += first[y][x] != second[y][x];
        }
    assert_in_range(drawn, 17500, 18500);
    assert_in_range(apart, 0, 4); /* on edges of texels */
}

/* ---- changed ---- */

static void test_culled(void **state)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct scene s;
        load(&s, triangles[n], kinds[n]);
        uint8_t *draw = at(&s, tiler_job(&s) + AT_DRAW);
        util_store32(draw, util_load32(draw) | CULL_BOTH);
        run(&s);
        expect_empty(&s);
        guest_destroy(&s.guest);
    }
}

static void test_scissor(void **state)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct scene s;
        load(&s, triangles[n], kinds[n]);
        uint8_t *viewport = at(&s, util_load64(at(&s, tiler_job(&s) + AT_VIEWPORT)));
        util_store32(viewport + 24, 100 | 110 << 16);
        util_store32(viewport + 28, 139 | 129 << 16); /* inclusive */
        run(&s);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                float color[3];
                bool inside = x >= 100 && x < 140 && y >= 110 && y < 130 && weights(x, y, color);
                assert_int_equal(pixel(&s, x, y) != BACKGROUND, inside);
            }
        guest_destroy(&s.guest);
    }
}

/* The triangle by indices of each width, as a strip that restarts: what a restart leaves unfinished draws
 * nothing, and vertex 0's index is not 0. */
static void set_indices(struct scene *s, unsigned log2, bool explicit)
{
    static const uint32_t names[] = {5, 6, UINT32_MAX, UINT32_MAX, 5, 6, 7, UINT32_MAX, 6};
    uint8_t *primitive = at(s, tiler_job(s) + AT_PRIMITIVE),
            *out = guest_map(&s->guest, INDICES_AT, GPU_PAGE, RIGHT_BOTH);
    guest_flush_as(&s->guest, 0);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(names); i++) {
        uint32_t value = names[i] == UINT32_MAX && explicit ? 99 : names[i];
        memcpy(out + (i << log2), &value, (size_t)1 << log2);
    }
    util_store32(primitive,
                 (util_load32(primitive) & ~0x1807ffu) | 10 | (log2 + 1) << 8 | (explicit ? 3u : 2u) << 19);
    util_store32(primitive + 4, (uint32_t)-5);
    util_store32(primitive + 8, 99);
    util_store32(primitive + 12, UTIL_ARRAY_SIZE(names) - 1);
    util_store64(primitive + 16, INDICES_AT);
}

static void test_indices(void **state)
{
    for (unsigned n = 0; n < 2 * 3 * KINDS; n++) {
        struct scene s;
        load(&s, triangles[n / 6], kinds[n / 6]);
        set_indices(&s, n % 3, n / 3 % 2);
        run(&s);
        expect_triangle(&s);
        guest_destroy(&s.guest);
    }
}

/* The word of the renderer state, or of target 0's blending behind it (v5), that holds the equation. */
static uint8_t *equation(struct scene *s, enum mali_kind kind)
{
    uint64_t state = util_load64(at(s, tiler_job(s) + AT_STATE));
    return at(s, state + (kind == MALI_T720 ? 56 : 64 + 8));
}

static void test_mask(void **state)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct scene s;
        load(&s, triangles[n], kinds[n]);
        uint8_t *word = equation(&s, kinds[n]);
        util_store32(word, (util_load32(word) & 0x0fffffff) | 5u << 28); /* red and blue */
        run(&s);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                float color[3];
                bool inside = weights(x, y, color);
                color[1] = 0;
                if (inside && !is_near(pixel(&s, x, y), color))
                    fail_msg("pixel (%u, %u) is 0x%08x", x, y, pixel(&s, x, y));
            }
        guest_destroy(&s.guest);
    }
}

/* a + b * c, as destination + source * constant: half of each colour over the black that was there. */
static void test_blend(void **state)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct scene s;
        load(&s, triangles[n], kinds[n]);
        uint8_t *word = equation(&s, kinds[n]);
        const float half = 0.5f;
        util_store32(word, 0xf0723723); /* a 3, b 2, c 7, of colours and of alpha */
        memcpy(word + 4, &half, sizeof half);
        run(&s);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                float color[3];
                if (!weights(x, y, color))
                    continue;
                for (unsigned c = 0; c < 3; c++)
                    color[c] *= 0.5f;
                if (!is_near(pixel(&s, x, y), color))
                    fail_msg("pixel (%u, %u) is 0x%08x", x, y, pixel(&s, x, y));
            }
        guest_destroy(&s.guest);
    }
}

/* Of a pixel with one sample a counter counts four; predicates are one. */
static void test_queries(void **state)
{
    for (unsigned n = 0; n < 2 * KINDS; n++) {
        struct scene s;
        uint64_t drawn = 0;
        bool counts = n & 1;
        load(&s, triangles[n / 2], kinds[n / 2]);
        uint8_t *result = guest_map(&s.guest, QUERY_AT, GPU_PAGE, RIGHT_BOTH);
        guest_flush_as(&s.guest, 0);
        uint8_t *draw = at(&s, tiler_job(&s) + AT_DRAW);
        util_store32(draw, util_load32(draw) | (counts ? 3u : 1u) << 3);
        util_store64(draw + 104, QUERY_AT);
        util_store64(result, counts ? 1000 : 0);
        run(&s);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++)
                drawn += pixel(&s, x, y) != BACKGROUND;
        assert_int_equal(util_load64(result), counts ? 1000 + 4 * drawn : 1);
        guest_destroy(&s.guest);
    }
}

static void test_never(void **state)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct scene s;
        load(&s, triangles[n], kinds[n]);
        uint8_t *misc = at(&s, util_load64(at(&s, tiler_job(&s) + AT_STATE)) + 32);
        util_store32(misc, util_load32(misc) & ~(7u << 24)); /* the depth function: never */
        run(&s);
        expect_empty(&s);
        guest_destroy(&s.guest);
    }
}

/* Memory of the heap comes when it is asked for, and the job goes on. */
static void test_heap(void **state)
{
    for (unsigned n = 0; n < KINDS; n++) {
        struct scene s;
        unsigned faults = 0;
        load(&s, triangles[n], kinds[n]);
        uint64_t fbd = util_load64(at(&s, tiler_job(&s) + AT_DRAW + 112)) & ~63ull;
        uint64_t heap = util_load64(
            at(&s, fbd + mali_frame_at(kinds[n] == MALI_T720 ? MALI_V4 : MALI_V5, MALI_FRAME_TILER) + 24));
        for (unsigned page = 0; page < SCENE_HEAP_PAGES; page++)
            *guest_entry(&s.guest, heap + page * GPU_PAGE) = 0;
        guest_flush_as(&s.guest, 0);
        guest_submit(&s.guest, 1, s.chain[1], 0x83300);
        for (; guest_status(&s.guest, 1) == STATUS_ACTIVE && faults < SCENE_HEAP_PAGES; faults++) {
            uint64_t where = guest_read64(&s.guest, guest_as(0, AS_FAULT_AT));
            assert_in_range(where, heap, heap + SCENE_HEAP_PAGES * GPU_PAGE - 1);
            guest_map(&s.guest, where & ~(GPU_PAGE - 1ull), GPU_PAGE, RIGHT_BOTH);
            mali_write(s.guest.device, MMU_CLEAR, 1);
            guest_flush_as(&s.guest, 0);
        }
        assert_in_range(faults, 1, 4);
        assert_int_equal(mali_read(s.guest.device, JOB_RAW), 2);
        mali_write(s.guest.device, JOB_CLEAR, 2);
        s.chain[1] = 0;
        run(&s);
        expect_triangle(&s);
        guest_destroy(&s.guest);
    }
}

/* Lists with anything in them: a picture or a fault, and nothing else. */
static void test_scribbled(void **state)
{
    uint32_t seed = 1;
    for (unsigned n = 0; n < 60; n++) {
        struct scene s;
        load(&s, triangles[n % KINDS], kinds[n % KINDS]);
        assert_int_equal(guest_run(&s.guest, 1, s.chain[1]), 2);
        uint64_t fbd = util_load64(at(&s, tiler_job(&s) + AT_DRAW + 112)) & ~63ull;
        uint64_t tiler = fbd + mali_frame_at(n % KINDS ? MALI_V5 : MALI_V4, MALI_FRAME_TILER);
        uint64_t place = util_load64(at(&s, tiler + (n & 1 ? 24 : 8)));
        for (unsigned word = 0; word < (n & 1 ? 2048 : 8); word++) {
            seed = seed * 1664525 + 1013904223;
            if (seed >> 28 == 0 || !(n & 1))
                util_store32(at(&s, place + word * 4), n & 2 ? seed : (uint32_t)place + (seed >> 16 & ~3u));
        }
        guest_run(&s.guest, 0, s.chain[0]);
        guest_run(&s.guest, 1, tiler_job(&s));
        guest_destroy(&s.guest);
    }
}

/* Descriptors with a word changed here and there: a picture or a fault, and an end. */
static void test_mutated(void **state)
{
    static const char *const folders[] = {"t720/cube", "t860/cube", "t760/triangle"};
    static const enum mali_kind of[] = {MALI_T720, MALI_T860, MALI_T760};
    const char *many = getenv("VITRAIL_MALI_MUTATIONS");
    uint32_t seed = 7;
    for (unsigned n = 0; n < (many ? (unsigned)atoi(many) : 150); n++) {
        struct scene s;
        struct mali_options options = {
            .kind = of[n % 3], .gpu.job_fuel = 1u << 20, .gpu.packet_budget = 1u << 20};
        scene_load(&s, folders[n % 3], &options);
        uint64_t job = tiler_job(&s);
        const uint64_t places[] = {job, util_load64(at(&s, job + AT_DRAW + 112)) & ~63ull,
                                   util_load64(at(&s, job + AT_STATE)), s.chain[0]};
        for (unsigned k = 0; k <= n % 4; k++) {
            seed = seed * 1664525 + 1013904223;
            uint64_t place = places[seed >> 30] + (seed >> 12) % 48 * 4;
            uint32_t bit = 1u << (seed >> 4 & 31);
            uint8_t *word = at(&s, place);
            util_store32(word, seed >> 9 & 1 ? util_load32(word) ^ bit : seed);
        }
        guest_run(&s.guest, 1, s.chain[1]);
        guest_run(&s.guest, 0, s.chain[0]);
        guest_destroy(&s.guest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear),   cmocka_unit_test(test_triangle), cmocka_unit_test(test_cube),
        cmocka_unit_test(test_culled),  cmocka_unit_test(test_scissor),  cmocka_unit_test(test_indices),
        cmocka_unit_test(test_mask),    cmocka_unit_test(test_blend),    cmocka_unit_test(test_queries),
        cmocka_unit_test(test_never),   cmocka_unit_test(test_heap),     cmocka_unit_test(test_scribbled),
        cmocka_unit_test(test_mutated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
