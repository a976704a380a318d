/* Submissions of the stock driver, recorded in tests/data/mali400: each scene's GP job and then its PP job on
 * both pixel processors, as the kernel's driver starts them. Compiled and interpreted, on one thread and
 * several, the pictures are the same, and what the scenes show. VITRAIL_UTGARD_PICTURES names a folder for
 * them as PNG. */
#include "utgard_guest.h"

#include <stdio.h>

#include "raster/texture.h"
#include "util/image.h"

enum { FIRST = 0x02000000, BYTES = 0x02300000, SIDE = 256 };
enum { PP_RAW = 0x1020, PP_CTRL = 0x100c, PP_START = 0x40, MALI400_WORDS = 68, FRAME_WORDS = 23, LISTS = 60 };

static struct jit_engine *engine;
static struct util_pool *pool;

static uint32_t read_file(const char *scene, const char *name, void *out, size_t room)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/mali400/%s/%s", SOURCE_DIR, scene, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot read %s", path);
    size_t n = fread(out, 1, room, f);
    fclose(f);
    return (uint32_t)n;
}

/* The buffers that an index names, where they stood. */
static void load_buffers(uint8_t *memory, const char *scene, const char *index_name)
{
    char index[8192] = "", file_name[128];
    read_file(scene, index_name, index, sizeof index - 1);
    for (char *line = strtok(index, "\n"); line; line = strtok(NULL, "\n")) {
        uint32_t address;
        const char *file = strstr(line, "file=");
        if (sscanf(line, "bo %*u handle=%*u gpu=%x", &address) == 1 && file &&
            sscanf(file, "file=%127s", file_name) == 1 && strcmp(file_name, "ZERO"))
            read_file(scene, file_name, memory + (address - FIRST), 1u << 20);
    }
}

/* Starts PP n as lima_pp_task_run does. */
static void start_pp(struct guest *g, unsigned n, const uint32_t frame[MALI400_WORDS])
{
    enum utgard_ip ip = (enum utgard_ip)(UTGARD_IP_PP0 + n), mmu = (enum utgard_ip)(UTGARD_IP_PPMMU0 + n);
    uint32_t base = guest_base(g, ip);
    guest_start_mmu(g, mmu);
    for (uint32_t w = 0; w < FRAME_WORDS; w++)
        utgard_write(g->device, base + 4 * w, w ? frame[w] : frame[LISTS + n]);
    for (uint32_t unit = 0; unit < 3; unit++)
        for (uint32_t w = 0; w < 12; w++)
            utgard_write(g->device, base + 0x100 * (unit + 1) + 4 * w,
                         frame[FRAME_WORDS + 1 + 12 * unit + w]);
    utgard_write(g->device, base + PP_CTRL, PP_START);
    guest_expect_no_fault(g);
    assert_int_equal(utgard_read(g->device, base + PP_RAW) & 1, 1);
}

static void save(const char *name, const uint32_t *pixels)
{
    char path[1024];
    const char *folder = getenv("VITRAIL_UTGARD_PICTURES");
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s.png", folder, name);
    struct util_image image;
    assert_int_equal(util_image_init(&image, SIDE, SIDE), 0);
    memcpy(image.pixels, pixels, SIDE * SIDE * 4);
    assert_int_equal(util_image_write_png(&image, path, 0), 0);
    util_image_finish(&image);
}

/* The picture of a scene: SIDE x SIDE pixels, red in the low byte, as linear rows. */
static void render(const char *name, const struct utgard_options *options, uint32_t *out)
{
    struct guest g;
    uint32_t gp[6], pp[MALI400_WORDS];
    guest_create(&g, options);
    uint8_t *memory = guest_map(&g, FIRST, BYTES, RIGHT_BOTH);
    load_buffers(memory, name, "index.txt");
    load_buffers(memory, name, "pp-index.txt");
    assert_int_equal(read_file(name, "frame.bin", gp, sizeof gp), sizeof gp);
    assert_int_equal(read_file(name, "pp-frame.bin", pp, sizeof pp), sizeof pp);
    guest_run(&g, gp);
    guest_expect_no_fault(&g);
    for (unsigned n = 0; n < pp[FRAME_WORDS]; n++)
        start_pp(&g, n, pp);
    const uint8_t *tiles = memory + (pp[FRAME_WORDS + 2] - FIRST);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            memcpy(&out[y * SIDE + x],
                   tiles + raster_texel_offset(RASTER_UTGARD_TILED, 4, pp[FRAME_WORDS + 6], x, y), 4);
    guest_destroy(&g);
}

static uint32_t picture[SIDE * SIDE], other[SIDE * SIDE];

/* Compiled on several threads; then compiled on one, and interpreted on several. */
static void render_all(const char *name)
{
    struct utgard_options options = {.kind = UTGARD_MALI400, .pp_count = 2, .engine = engine, .pool = pool};
    render(name, &options, picture);
    save(name, picture);
    options.pool = NULL;
    render(name, &options, other);
    assert_memory_equal(picture, other, sizeof picture);
    options.pool = pool;
    options.engine = NULL;
    render(name, &options, other);
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
    snprintf(path, sizeof path, "%s/tests/data/mali400/%s/llvmpipe.png", SOURCE_DIR, name);
    assert_int_equal(util_image_read_png(&theirs, path), 0);
    assert_int_equal(util_image_init(&mine, SIDE, SIDE), 0);
    for (uint32_t y = 0; y < SIDE; y++)
        memcpy(mine.pixels + y * SIDE * 4, picture + (SIDE - 1 - y) * SIDE, SIDE * 4);
    assert_int_equal(util_image_compare(&mine, &theirs, strcmp(name, "cube") ? 1 : 16, 0, &diff), 0);
    assert_int_equal(diff.total, SIDE * SIDE);
    assert_true(diff.beyond <= (strcmp(name, "cube") ? 0 : 4));
    util_image_finish(&mine);
    util_image_finish(&theirs);
}

static int start(void **data)
{
    (void)data;
    struct jit_options options = {.level = -1, .cache_dir = ""};
    return jit_engine_create(&options, &engine, NULL) || util_pool_create(2, &pool);
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
        {"clear", test_scene, NULL, NULL, "clear"},
        {"triangle", test_scene, NULL, NULL, "triangle"},
        {"cube", test_scene, NULL, NULL, "cube"},
        {"loop", test_scene, NULL, NULL, "loop"},
    };
    return cmocka_run_group_tests(tests, start, finish);
}
