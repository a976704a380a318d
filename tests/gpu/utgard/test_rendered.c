/* Submissions of the stock driver, recorded in tests/data/mali400 and mali450: each scene's GP job and then
 * its PP job on both pixel processors, as the kernel's driver starts them. Compiled and interpreted, on one
 * thread and several, the pictures are the same, and what the scenes show. VITRAIL_UTGARD_PICTURES names a
 * folder for them as PNG. */
#include "tests/gpu/utgard/job.h"

#include "gpu/picture.h"
#include "raster/texture/texture.h"
#include "util/image.h"

static struct jit_engine *engine;
static struct util_pool *pool;

/* All PPs through the broadcast unit, tiles from the DLBU, as lima_pp_task_run does on Mali-450. */
static void start_all(struct guest *g, const uint32_t frame[WORDS])
{
    uint32_t count = frame[FRAME_WORDS], all = (1u << count) - 1, dlbu = guest_base(g, UTGARD_IP_DLBU);
    uint32_t base = guest_base(g, UTGARD_IP_PP_BCAST);
    assert_int_equal(frame[LISTS], 1); /* the DLBU is used */
    for (unsigned n = 0; n < count; n++)
        guest_start_mmu(g, (enum utgard_ip)(UTGARD_IP_PPMMU0 + n));
    utgard_write(g->device, dlbu + 4, 0xfff00000);
    for (unsigned n = 0; n < 4; n++)
        utgard_write(g->device, dlbu + 8 + 4 * n, frame[LISTS + 2 + n]);
    utgard_write(g->device, dlbu + 0x18, all);
    utgard_write(g->device, guest_base(g, UTGARD_IP_BCAST), all << 16 | all);
    write_frame(g, base, frame, 0xfff00000);
    utgard_write(g->device, base + PP_CTRL, PP_START);
    guest_expect_no_fault(g);
    for (unsigned n = 0; n < count; n++)
        assert_int_equal(
            utgard_read(g->device, guest_base(g, (enum utgard_ip)(UTGARD_IP_PP0 + n)) + PP_RAW) & 1, 1);
}

/* Starts PP n as lima_pp_task_run does on Mali-400. */
static void start_pp(struct guest *g, unsigned n, const uint32_t frame[WORDS])
{
    enum utgard_ip ip = (enum utgard_ip)(UTGARD_IP_PP0 + n), mmu = (enum utgard_ip)(UTGARD_IP_PPMMU0 + n);
    uint32_t base = guest_base(g, ip);
    guest_start_mmu(g, mmu);
    write_frame(g, base, frame, frame[LISTS + n]);
    utgard_write(g->device, base + PP_CTRL, PP_START);
}

static void expect_end(struct guest *g, unsigned n)
{
    assert_int_equal(utgard_read(g->device, guest_base(g, (enum utgard_ip)(UTGARD_IP_PP0 + n)) + PP_RAW) & 1,
                     1);
    guest_expect_no_fault(g);
}

/* One after the other, or (`together`) all before anybody looks. */
static void start_each(struct guest *g, const uint32_t frame[WORDS], bool together)
{
    uint32_t count = frame[FRAME_WORDS];
    for (unsigned n = 0; n < count; n++) {
        start_pp(g, n, frame);
        if (!together)
            expect_end(g, n);
    }
    for (unsigned n = 0; n < count; n++)
        expect_end(g, n);
}

static void save(const char *name, const uint32_t *pixels)
{
    char path[1024];
    const char *folder = getenv("VITRAIL_UTGARD_PICTURES");
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s.png", folder, strchr(name, '/') + 1);
    struct util_image image;
    assert_int_equal(util_image_init(&image, SIDE, SIDE), 0);
    memcpy(image.pixels, pixels, SIDE * SIDE * 4);
    assert_int_equal(util_image_write_png(&image, path, 0), 0);
    util_image_finish(&image);
}

/* The picture of a scene: SIDE x SIDE pixels, red in the low byte, as linear rows. */
static void render(const char *name, const struct utgard_options *options, bool together, uint32_t *out)
{
    struct guest g;
    uint32_t gp[6], pp[WORDS];
    guest_create(&g, options);
    uint8_t *memory = guest_map(&g, FIRST, BYTES, RIGHT_BOTH);
    load_job(memory, name, gp, pp);
    guest_run(&g, gp);
    guest_expect_no_fault(&g);
    if (options->kind == UTGARD_MALI450)
        start_all(&g, pp);
    else
        start_each(&g, pp, together);
    const uint8_t *tiles = memory + (pp[FRAME_WORDS + 2] - FIRST);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            memcpy(&out[y * SIDE + x],
                   tiles + raster_texel_offset(RASTER_UTGARD_TILED, 4, pp[FRAME_WORDS + 6], x, y), 4);
    struct capture_frame frame;
    struct util_image shown;
    assert_true(gpu_host_frame(utgard_device_host(g.device), &frame));
    assert_int_equal(gpu_picture(&g.memory, &frame, &shown), 0);
    assert_memory_equal(shown.pixels, out, SIDE * SIDE * 4);
    util_image_finish(&shown);
    guest_destroy(&g);
}

static uint32_t picture[SIDE * SIDE], other[SIDE * SIDE];

/* Compiled on several threads, each processor's tiles alone; then those of both together: compiled on one
 * thread, interpreted and compiled on several. */
static void render_all(const char *name)
{
    bool m450 = strncmp(name, "mali450", 7) == 0;
    struct utgard_options options = {.kind = m450 ? UTGARD_MALI450 : UTGARD_MALI400,
                                     .pp_count = m450 ? 6 : 2,
                                     .gpu.engine = engine,
                                     .gpu.pool = pool};
    render(name, &options, false, picture);
    save(name, picture);
    options.gpu.pool = NULL;
    render(name, &options, true, other);
    assert_memory_equal(picture, other, sizeof picture);
    options.gpu.pool = pool;
    options.gpu.engine = NULL;
    render(name, &options, true, other);
    assert_memory_equal(picture, other, sizeof picture);
    options.gpu.engine = engine;
    render(name, &options, true, other);
    assert_memory_equal(picture, other, sizeof picture);
}

/* The picture beside llvmpipe's of the same program, whose rows come from the bottom up. A pixel here and
 * there may lie on the other side of a texel's edge. */
static void test_scene(void **data)
{
    const char *name = (const char *)*data;
    struct util_image mine, theirs;
    struct util_image_diff diff;
    char path[1024];
    render_all(name);
    snprintf(path, sizeof path, "%s/tests/data/%s/llvmpipe.png", SOURCE_DIR, name);
    assert_int_equal(util_image_read_png(&theirs, path), 0);
    assert_int_equal(util_image_init(&mine, SIDE, SIDE), 0);
    for (uint32_t y = 0; y < SIDE; y++)
        memcpy(mine.pixels + y * SIDE * 4, picture + (SIDE - 1 - y) * SIDE, SIDE * 4);
    assert_int_equal(util_image_compare(&mine, &theirs, strcmp(name, "mali400/cube") ? 1 : 16, 0, &diff), 0);
    assert_int_equal(diff.total, SIDE * SIDE);
    assert_true(diff.beyond <= (strcmp(name, "mali400/cube") ? 0 : 4));
    util_image_finish(&mine);
    util_image_finish(&theirs);
}

/* Bits that change between the GP's job and the PPs' end in pictures or in faults, never in anything else. */
static void test_flips(void **data)
{
    struct utgard_options options = {
        .kind = UTGARD_MALI400, .pp_count = 2, .gpu.engine = engine, .gpu.pool = pool};
    uint32_t seed = 7, faults = 0;
    (void)data;
    for (unsigned round = 0; round < 10; round++) {
        struct guest g;
        uint32_t gp[6], pp[WORDS];
        const char *name = round & 1 ? "mali400/cube" : "mali400/loop";
        guest_create(&g, &options);
        uint8_t *memory = guest_map(&g, FIRST, BYTES, RIGHT_BOTH);
        load_job(memory, name, gp, pp);
        guest_run(&g, gp);
        for (uint32_t at = 0, left = 40; left; at = (at + 1) % (BYTES / 4)) {
            seed = seed * 1664525 + 1013904223;
            if (util_load32(memory + at * 4ull) && seed >> 22 == 0) {
                memory[at * 4ull + (seed & 3)] ^= (uint8_t)(1u << (seed >> 2 & 7));
                left--;
            }
        }
        for (unsigned n = 0; n < 2; n++) {
            uint32_t base = guest_base(&g, (enum utgard_ip)(UTGARD_IP_PP0 + n));
            struct gpu_fault fault = {0};
            guest_start_mmu(&g, (enum utgard_ip)(UTGARD_IP_PPMMU0 + n));
            write_frame(&g, base, pp, pp[LISTS + n]);
            utgard_write(g.device, base + PP_CTRL, PP_START);
            utgard_device_flush(g.device);
            fault = guest_fault(&g);
            faults += fault.kind != GPU_FAULT_NONE;
            assert_true(fault.kind != GPU_FAULT_NONE || utgard_read(g.device, base + PP_RAW) & 1);
        }
        guest_destroy(&g);
    }
    assert_true(faults > 0);
}

/* What is to be stored where no page is: a page fault of writing. */
static void test_store_nowhere(void **data)
{
    enum { NOWHERE = 0x08000000, FAULT_OF_WRITING = 0x22 };
    struct utgard_options options = {
        .kind = UTGARD_MALI400, .pp_count = 1, .gpu.engine = engine, .gpu.pool = pool};
    uint32_t gp[6], pp[WORDS], mmu;
    struct guest g;
    (void)data;
    guest_create(&g, &options);
    uint8_t *memory = guest_map(&g, FIRST, BYTES, RIGHT_BOTH);
    load_job(memory, "mali400/loop", gp, pp);
    guest_run(&g, gp);
    pp[FRAME_WORDS + 2] = NOWHERE;
    start_pp(&g, 0, pp);
    utgard_device_flush(g.device);
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_MEMORY);
    mmu = guest_base(&g, UTGARD_IP_PPMMU0);
    assert_int_equal(utgard_read(g.device, mmu + MMU_FAULT_AT), NOWHERE);
    assert_int_equal(utgard_read(g.device, mmu + MMU_STATUS) & FAULT_OF_WRITING, FAULT_OF_WRITING);
    guest_destroy(&g);
}

/* A processor whose frame others may join waits for them: until it is wanted, or all tiles are there. */
static void test_waiting(void **data)
{
    struct utgard_options options = {
        .kind = UTGARD_MALI400, .pp_count = 2, .gpu.engine = engine, .gpu.pool = pool};
    (void)data;
    for (unsigned way = 0; way < 4; way++) {
        struct gpu_counters work;
        struct guest g;
        uint32_t gp[6], pp[WORDS];
        guest_create(&g, &options);
        uint8_t *memory = guest_map(&g, FIRST, BYTES, RIGHT_BOTH);
        load_job(memory, "mali400/cube", gp, pp);
        guest_run(&g, gp);
        guest_start_mmu(&g, UTGARD_IP_PPMMU1); /* of its own it would be somebody else's access */
        start_pp(&g, 0, pp);
        work = utgard_device_host(g.device)->counters;
        assert_int_equal(work.tiles, 0);
        if (way == 0)
            utgard_device_flush(g.device);
        if (way == 1)
            utgard_read(g.device, guest_base(&g, UTGARD_IP_GP));
        if (way == 2)
            utgard_write(g.device, guest_base(&g, UTGARD_IP_PP0) + 0x1024, 0);
        if (way == 3) {
            uint32_t base = guest_base(&g, UTGARD_IP_PP1);
            write_frame(&g, base, pp, pp[LISTS + 1]);
            utgard_write(g.device, base + PP_CTRL, PP_START);
        }
        work = utgard_device_host(g.device)->counters;
        assert_int_equal(work.tiles, way == 3 ? SIDE / 16 * SIDE / 16 : SIDE / 16 * SIDE / 32);
        expect_end(&g, 0);
        guest_destroy(&g);
    }
}

static int start(void **data)
{
    (void)data;
    struct jit_options options = {.level = -1, .cache_dir = ""};
    return jit_engine_create(&options, &engine, NULL) || util_pool_create_shuffled(3, 7, &pool);
}

static int finish(void **data)
{
    (void)data;
    util_pool_destroy(pool);
    jit_engine_destroy(engine);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"clear", test_scene, NULL, NULL, "mali400/clear"},
        {"triangle", test_scene, NULL, NULL, "mali400/triangle"},
        {"cube", test_scene, NULL, NULL, "mali400/cube"},
        {"loop", test_scene, NULL, NULL, "mali400/loop"},
        {"dlbu", test_scene, NULL, NULL, "mali450/triangle"},
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_store_nowhere),
        cmocka_unit_test(test_waiting),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
