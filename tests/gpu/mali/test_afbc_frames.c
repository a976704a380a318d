/* Frames whose targets, depth and stencil are AFBC images: the same pixels as linear ones have, what is cleared in part,
 * what is refused. */
#include "gpu/mali/targets.h"
#include "tests/gpu/mali/afbc.h"
#include "tests/gpu/mali/late.h"

enum { HEADERS = LATE_DATA, BODIES = LATE_DATA + BODY, LINEAR = LATE_DATA + 0x180000 };

/* Headers of a row in bytes. */
static uint32_t header_row(bool wide, bool tiled)
{
    const uint32_t columns = util_div_up(WIDTH, wide ? 32 : 16);
    return (tiled ? util_div_up(columns, 8) * 64 : columns) * 16;
}

static void set_afbc(struct late *l, bool wide, bool tiled, uint32_t mode, bool transform)
{
    const uint32_t row = header_row(wide, tiled);
    late_target(l, 0, "writeback block format",
                tiled                   ? MALI_BLOCK_FORMAT_AFBC_TILED
                : l->version == MALI_V6 ? MALI_BLOCK_FORMAT_AFBC
                                        : MALI_BLOCK_FORMAT_V7_AFBC);
    late_target(l, 0, "AFBC header", HEADERS);
    late_target(l, 0, "AFBC wide block", wide);
    late_target(l, 0, "AFBC split block", transform);
    late_target(l, 0, "AFBC YUV transform enable", transform);
    late_target(l, 0, "AFBC row stride", l->version >= MALI_V9 ? row : row / 16 / (tiled ? 8 : 1));
    if (l->version >= MALI_V9) {
        late_target(l, 0, "AFBC body offset", BODIES - HEADERS);
        late_target(l, 0, "AFBC compression mode", mode);
    } else {
        late_target(l, 0, "AFBC body", BODIES);
    }
}

static struct mali_afbc target_image(const struct late *l, bool wide, bool tiled, uint8_t bytes)
{
    return (struct mali_afbc){.header = HEADERS,
                              .body = BODIES,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .block_width = wide ? 32 : 16,
                              .block_height = wide ? 8 : 16,
                              .row_bytes = header_row(wide, tiled),
                              .bytes = bytes,
                              .tiled = tiled,
                              .has_colors = l->version >= MALI_V7 && bytes == 4};
}

/* The frame's targets as they stand now. */
static void take_targets(struct late *l, struct mali_targets *out)
{
    const struct mali_reader reader = {space_of(&l->guest), l->version, "test", NULL};
    struct mali_frame *frame = calloc(1, sizeof *frame);
    struct mali_stop stop = {0};
    assert_non_null(frame);
    if (!mali_frame_read(&reader, LATE_FRAME | 1 | (l->zs ? 2 : 0) | (l->targets - 1) << 2, true, frame,
                         &stop) ||
        !mali_targets_read(reader.space, l->version, frame, out, &stop))
        fail_msg("%s", stop.fault.text);
    free(frame);
}

/* All tiles with random pixels, the same ones for each seed. */
static void store_random(const struct mali_targets *targets, uint32_t from)
{
    struct raster_tile *tile = aligned_alloc(64, util_align(sizeof *tile, 64));
    uint32_t width, height;
    assert_non_null(tile);
    raster_targets_size(&targets->tile, &width, &height);
    seed = from;
    for (uint32_t y = 0; y < HEIGHT; y += height)
        for (uint32_t x = 0; x < WIDTH; x += width) {
            tile->width = width;
            tile->height = height;
            tile->samples = targets->tile.samples;
            tile->x = (int32_t)x;
            tile->y = (int32_t)y;
            tile->targets = &targets->tile;
            mali_targets_clear(targets, tile);
            for (uint32_t n = 0; n < width * height; n++) {
                const uint32_t word[4] = {next_random() ^ next_random() << 16};
                raster_targets_put(&targets->tile, tile, 0, n % width, n / width, 0, word);
                tile->zs[raster_pixel_index(tile, n % width, n / width, 0)] = next_random() ^ next_random()
                                                                                                  << 16;
            }
            for (uint32_t n = 0; n < targets->store_count; n++)
                mali_targets_store(targets, n, tile);
        }
    free(tile);
}

/* What a target stores as AFBC reads as what it stores linearly. */
static void test_targets(void **state)
{
    (void)state;
    static const struct {
        uint32_t internal, writeback, swizzle, mode;
        uint8_t bytes;
    } formats[] = {
        {MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8A8, 0x688,
         MALI_AFBC_COMPRESSION_MODE_R8G8B8A8, 4},
        {MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8A8, 0x60a,
         MALI_AFBC_COMPRESSION_MODE_R8G8B8A8, 4},
        {MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8, 0x688,
         MALI_AFBC_COMPRESSION_MODE_R8G8B8, 3},
        {MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G6B5A0, MALI_COLOR_FORMAT_R5G6B5, 0x688,
         MALI_AFBC_COMPRESSION_MODE_R5G6B5, 2},
        {MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8, 0x688,
         MALI_AFBC_COMPRESSION_MODE_R8G8, 2},
        {MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8, 0x688,
         MALI_AFBC_COMPRESSION_MODE_R8, 1},
        {MALI_COLOR_BUFFER_INTERNAL_FORMAT_R10G10B10A2, MALI_COLOR_FORMAT_R10G10B10A2, 0x688,
         MALI_AFBC_COMPRESSION_MODE_R10G10B10A2, 4},
    };
    static uint8_t got[AREA * 4];
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(formats) * 8 * LATE_KINDS; n++) {
        const unsigned f = n / 8 / LATE_KINDS;
        const bool wide = n & 1, tiled = n & 2, transform = n & 4;
        struct mali_targets *targets = calloc(1, sizeof *targets);
        struct mali_stop stop = {0};
        struct late l;
        uint64_t end;
        late_begin(&l, late_kinds[n / 8 % LATE_KINDS], WIDTH, HEIGHT, 1, false);
        if (!tiled || l.version >= MALI_V7) {
            const struct mali_afbc image = target_image(&l, wide, tiled, formats[f].bytes);
            late_target(&l, 0, "internal format", formats[f].internal);
            late_target(&l, 0, "writeback format", formats[f].writeback);
            late_target(&l, 0, "swizzle", formats[f].swizzle);
            late_target(&l, 0, "writeback base", LINEAR);
            take_targets(&l, targets);
            store_random(targets, n);
            set_afbc(&l, wide, tiled, formats[f].mode, transform);
            take_targets(&l, targets);
            assert_int_equal(targets->shares, wide);
            store_random(targets, n);
            assert_true(
                mali_afbc_read(targets->space, &image, "test", got, WIDTH * formats[f].bytes, &end, &stop));
            for (uint32_t y = 0; y < HEIGHT; y++)
                assert_memory_equal(got + y * WIDTH * formats[f].bytes, late_at(&l, LINEAR) + y * WIDTH * 4,
                                    WIDTH * formats[f].bytes);
        }
        late_end(&l);
        free(targets);
    }
}

/* Depth with stencil, and stencil beside it that is all that is written. */
static void test_depth(void **state)
{
    (void)state;
    static uint8_t got[AREA * 4];
    for (unsigned n = 0; n < LATE_KINDS * 2; n++) {
        struct mali_targets *targets = calloc(1, sizeof *targets);
        struct mali_stop stop = {0};
        struct late l;
        uint64_t end;
        const bool stencil_alone = n & 1;
        late_begin(&l, late_kinds[n / 2], WIDTH, HEIGHT, 1, true);
        late_target(&l, 0, "write enable", 0);
        late_set(&l, "Z write enable", !stencil_alone);
        late_set(&l, "S write enable", 1);
        late_zs(&l, "ZS write format", MALI_ZS_FORMAT_D24S8);
        late_zs(&l, "ZS block format", MALI_BLOCK_FORMAT_LINEAR);
        late_zs(&l, "ZS writeback base", LINEAR);
        late_zs(&l, "ZS writeback row stride", WIDTH * 4);
        memset(late_at(&l, LINEAR), 0, AREA * 4);
        take_targets(&l, targets);
        store_random(targets, n);
        memset(l.data, 0, BODY + 0x40000);
        late_zs(&l, "ZS block format",
                l.version == MALI_V6 ? MALI_BLOCK_FORMAT_AFBC : MALI_BLOCK_FORMAT_V7_AFBC);
        if (l.version >= MALI_V9) {
            late_zs(&l, "ZS writeback base", HEADERS);
            late_zs(&l, "ZS writeback row stride", header_row(false, false));
            late_zs(&l, "ZS AFBC body offset", BODIES - HEADERS);
        } else {
            late_zs(&l, "ZS AFBC row stride", header_row(false, false) / 16);
            late_zs(&l, "ZS AFBC header", HEADERS);
            late_zs(&l, "ZS AFBC body", BODIES);
        }
        take_targets(&l, targets);
        store_random(targets, n);
        const struct mali_afbc image = target_image(&l, false, false, 4);
        assert_true(mali_afbc_read(targets->space, &image, "test", got, WIDTH * 4, &end, &stop));
        assert_memory_equal(got, late_at(&l, LINEAR), AREA * 4);
        if (stencil_alone)
            assert_true(!got[0] && !got[1] && !got[2]);
        late_end(&l);
        free(targets);
    }
}

/* A cleared frame, and one of some of its tiles: pixels of superblocks that lie across keep what they have. */
static void test_frames(void **state)
{
    (void)state;
    static uint32_t got[AREA];
    for (unsigned n = 0; n < LATE_KINDS * 4; n++) {
        const bool wide = n & 1, tiled = n & 2;
        struct mali_stop stop = {0};
        struct late l;
        uint64_t end;
        late_begin(&l, late_kinds[n / 4], WIDTH, HEIGHT, 1, false);
        if (!tiled || l.version >= MALI_V7) {
            const struct mali_afbc image = target_image(&l, wide, tiled, 4);
            set_afbc(&l, wide, tiled, MALI_AFBC_COMPRESSION_MODE_R8G8B8A8, true);
            late_target(&l, 0, "clear color 0", 0x44332211);
            late_run(&l);
            late_target(&l, 0, "clear color 0", 0x88776655);
            late_job(&l, "bound min X", 1);
            late_job(&l, "bound max X", 2);
            late_job(&l, "bound min Y", 1);
            late_job(&l, "bound max Y", 1);
            late_run(&l);
            assert_true(
                mali_afbc_read(space_of(&l.guest), &image, "test", (uint8_t *)got, WIDTH * 4, &end, &stop));
            for (uint32_t p = 0; p < AREA; p++) {
                const uint32_t x = p % WIDTH, y = p / WIDTH;
                const bool inside = x >= 16 && x < 48 && y >= 16 && y < 32;
                assert_int_equal(got[p], inside ? 0x88776655 : 0x44332211);
            }
        }
        late_end(&l);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t value;
        enum mali_version least, most;
        const char *why; /* NULL: it waits for a page */
    } cases[] = {
        {"AFBC row stride", 9, MALI_V6, MALI_V7, "does not have rows of 144"},
        {"AFBC row stride", 0, MALI_V6, MALI_V9, "does not have rows of 0"},
        {"AFBC row stride", 0xfffffff0, MALI_V9, MALI_V9, "does not have rows"},
        {"AFBC row stride", 168, MALI_V9, MALI_V9, "does not have rows of 168"},
        {"AFBC body", HEADERS - 64, MALI_V6, MALI_V7, "does not have rows"},
        {"AFBC body", 0x100000000000, MALI_V6, MALI_V7, "does not have rows"},
        {"AFBC body offset", 0xffffff00, MALI_V9, MALI_V9, "does not have rows"},
        {"AFBC body offset", LATE_BYTES - 4096, MALI_V9, MALI_V9, NULL},
        {"AFBC header", 0x100000000000, MALI_V9, MALI_V9, NULL},
        {"AFBC compression mode", MALI_AFBC_COMPRESSION_MODE_R8, MALI_V9, MALI_V9, "AFBC of this kind"},
        {"AFBC compression mode", MALI_AFBC_COMPRESSION_MODE_YUV420_6C8, MALI_V9, MALI_V9,
         "AFBC of this kind"},
        {"writeback MSAA", MALI_MSAA_LAYERED, MALI_V6, MALI_V9, "AFBC of this kind"},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases) * LATE_KINDS; n++) {
        const unsigned c = n / LATE_KINDS;
        struct late l;
        late_begin(&l, late_kinds[n % LATE_KINDS], WIDTH, HEIGHT, 1, false);
        if (l.version >= cases[c].least && l.version <= cases[c].most) {
            set_afbc(&l, false, false, MALI_AFBC_COMPRESSION_MODE_R8G8B8A8, false);
            late_target(&l, 0, cases[c].name, cases[c].value);
            late_refused(&l, cases[c].why);
        }
        late_end(&l);
    }
}

/* The same on several workers, who meet in wide superblocks. */
static void test_workers(void **state)
{
    assert_int_equal(util_pool_create_shuffled(3, 1, &late_pool), 0);
    for (unsigned n = 0; n < 4; n++)
        test_frames(state);
    util_pool_destroy(late_pool);
    late_pool = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets), cmocka_unit_test(test_depth),   cmocka_unit_test(test_frames),
        cmocka_unit_test(test_workers), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
