/* AFBC images: where headers and bodies stand, random pixels through superblocks of each size and order, what headers may
 * say; frames that are written so, and textures that are read. */
#include "gpu/mali/afbc.h"
#include "gpu/mali/device_internal.h"
#include "gpu/mali/target_format.h"
#include "gpu/mali/targets.h"
#include "tests/gpu/mali/late.h"
#include "tests/gpu/mali/late_lookup.h"

enum { AT = 0x200000, BODY = 0x10000, WIDTH = 150, HEIGHT = 70, AREA = WIDTH * HEIGHT };

static uint32_t seed;

static uint32_t next_random(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static const struct gpu_space *space_of(struct guest *g)
{
    struct mali_stop stop = {0};
    return mali_as_space(g->device, 0, &stop);
}

static struct mali_afbc image_of(unsigned shape, uint8_t bytes, bool tiled)
{
    const uint32_t width = 16u << shape, columns = util_div_up(WIDTH, width);
    return (struct mali_afbc){.header = AT,
                              .body = AT + BODY,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .block_width = width,
                              .block_height = 16u >> shape,
                              .row_bytes = (tiled ? util_div_up(columns, 8) * 64 : columns) * 16,
                              .bytes = bytes,
                              .tiled = tiled};
}

/* ---- places ---- */

static void test_places(void **state)
{
    (void)state;
    struct mali_afbc image = image_of(0, 4, true);
    static const uint8_t order[8][8] = {/* of Morton: the first rows of it */
                                        {0, 1, 4, 5, 16, 17, 20, 21},
                                        {2, 3, 6, 7, 18, 19, 22, 23},
                                        {8, 9, 12, 13, 24, 25, 28, 29}};
    for (uint32_t y = 0; y < 3; y++)
        for (uint32_t x = 0; x < 8; x++)
            assert_int_equal(mali_afbc_header_at(&image, x, y), order[y][x] * 16);
    assert_int_equal(mali_afbc_header_at(&image, 8, 0), 1024);
    assert_int_equal(mali_afbc_header_at(&image, 0, 8), image.row_bytes);
    assert_int_equal(mali_afbc_header_bytes(&image), image.row_bytes);
    image.tiled = false;
    image.row_bytes = 160;
    assert_int_equal(mali_afbc_header_at(&image, 3, 2), 2 * 160 + 48);
    assert_int_equal(mali_afbc_header_bytes(&image), 4 * 160 + 160);
    static const uint32_t slots[] = {256, 512, 768, 1024};
    for (uint8_t bytes = 1; bytes <= 4; bytes++) {
        image.bytes = bytes;
        assert_int_equal(mali_afbc_slot(&image), slots[bytes - 1]);
        assert_true(mali_afbc_is_sane(&image));
    }
    image.row_bytes = 144; /* ten headers have 160 */
    assert_false(mali_afbc_is_sane(&image));
    image.row_bytes = 168;
    assert_false(mali_afbc_is_sane(&image));
    image.row_bytes = 0xfffffff0; /* bodies beyond 4 GiB */
    assert_false(mali_afbc_is_sane(&image));
    image.row_bytes = 160;
    image.bytes = 8;
    assert_false(mali_afbc_is_sane(&image));
}

/* ---- random pixels ---- */

static void fill(const struct gpu_space *space, const struct mali_afbc_target *t, uint8_t *pixels)
{
    const struct mali_afbc *i = &t->image;
    for (uint32_t y = 0; y < HEIGHT; y += i->block_height)
        for (uint32_t x = 0; x < WIDTH; x += i->block_width)
            mali_afbc_open(space, t, x / i->block_width, y / i->block_height);
    for (uint32_t n = 0; n < AREA; n++) {
        const uint32_t value = next_random();
        memcpy(pixels + n * i->bytes, &value, i->bytes);
        memcpy(mali_afbc_pixel(t, n % WIDTH, n / WIDTH), &value, i->bytes);
    }
}

static void test_round_trips(void **state)
{
    (void)state;
    static uint8_t pixels[AREA * 4], got[AREA * 4];
    struct guest g;
    guest_create(&g, &(struct mali_options){.kind = MALI_G52});
    uint8_t *memory = guest_map(&g, AT, 0x100000, RIGHT_BOTH);
    guest_flush_as(&g, 0);
    for (unsigned n = 0; n < 3 * 4 * 2; n++) {
        const struct mali_afbc_target t = {image_of(n % 3, (uint8_t)(n / 3 % 4 + 1), n / 12), memory,
                                           memory + BODY};
        struct mali_stop stop = {0};
        uint64_t end;
        seed = n;
        memset(memory, 0, 0x100000);
        fill(space_of(&g), &t, pixels);
        if (!mali_afbc_read(space_of(&g), &t.image, "test", got, WIDTH * t.image.bytes, &end, &stop))
            fail_msg("%s", stop.fault.text);
        assert_memory_equal(got, pixels, AREA * t.image.bytes);
        assert_true(end <= BODY + mali_afbc_body_bytes(&t.image));
        /* superblock (1, 2): its place in the order of headers, sixteen sizes of 1 */
        const uint64_t at = mali_afbc_header_at(&t.image, 1, 2);
        assert_int_equal(util_load32(memory + at), BODY + at / 16 * mali_afbc_slot(&t.image));
        assert_int_equal(util_load64(memory + at + 8), 0x0410410410410410);
        assert_int_equal(util_load32(memory + at + 4), 0x41041041);
    }
    guest_destroy(&g);
}

/* ---- headers ---- */

static void test_headers(void **state)
{
    (void)state;
    enum { FINE, UNKNOWN, MISSING };
    static const struct {
        uint64_t word[2];
        bool colors;
        int end;
        uint32_t pixel;
    } cases[] = {
        {{0, 0}, false, FINE, 0},
        {{0, 0}, true, FINE, 0},
        {{0, 0x44332211}, true, FINE, 0x44332211},
        {{0, 0x44332211}, false, UNKNOWN, 0},
        {{0x4104104100000400, 0x0410410410410410}, true, FINE, 0x7b7b7b7b},
        {{0x4104104200000400, 0x0410410410410410}, true, UNKNOWN, 0},
        {{0x4104104100000400, 0x0810410410410410}, true, UNKNOWN, 0},
        {{0x41041041fffffff0, 0x0410410410410410}, true, MISSING, 0},
        {{0x41041041000fff00, 0x0410410410410410}, true, MISSING, 0},
        {{UINT64_MAX, UINT64_MAX}, true, UNKNOWN, 0},
    };
    struct guest g;
    guest_create(&g, &(struct mali_options){.kind = MALI_G52});
    uint8_t *memory = guest_map(&g, AT, 0x100000, RIGHT_BOTH);
    guest_flush_as(&g, 0);
    memset(memory + 0x400, 0x7b, 0x400);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        struct mali_afbc image = image_of(0, 4, false);
        uint32_t pixels[256];
        struct mali_stop stop = {0};
        uint64_t end = 0;
        image.has_colors = cases[n].colors;
        memcpy(memory, cases[n].word, sizeof cases[n].word);
        bool read = mali_afbc_superblock(space_of(&g), &image, 0, 0, "test", (uint8_t *)pixels, &end, &stop);
        assert_int_equal(read, cases[n].end == FINE);
        assert_int_equal(stop.page_fault, cases[n].end == MISSING);
        if (cases[n].end == UNKNOWN)
            assert_non_null(strstr(stop.fault.text, "no open document"));
        for (unsigned p = 0; read && p < 256; p++)
            assert_int_equal(pixels[p], cases[n].pixel);
    }
    guest_destroy(&g);
}

/* Opened, a superblock has the pixels that it had: of one colour, elsewhere, or, where it cannot be read, zeros. */
static void test_opened(void **state)
{
    (void)state;
    static const struct {
        uint64_t word[2];
        uint32_t pixel;
    } cases[] = {{{0, 0x44332211}, 0x44332211},
                 {{0x4104104100008000, 0x0410410410410410}, 0x7b7b7b7b},
                 {{UINT64_MAX, UINT64_MAX}, 0},
                 {{0x41041041fffffff0, 0x0410410410410410}, 0}};
    struct guest g;
    guest_create(&g, &(struct mali_options){.kind = MALI_G52});
    uint8_t *memory = guest_map(&g, AT, 0x100000, RIGHT_BOTH);
    guest_flush_as(&g, 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        struct mali_afbc_target t = {image_of(0, 4, false), memory, memory + BODY};
        t.image.has_colors = true;
        memset(memory, 0xee, 0x100000);
        memset(memory + 0x8000, 0x7b, 0x400);
        memcpy(memory + 16, cases[n].word, sizeof cases[n].word); /* superblock (1, 0) */
        mali_afbc_open(space_of(&g), &t, 1, 0);
        assert_int_equal(util_load32(memory + 16), BODY + 1024);
        for (unsigned p = 0; p < 256; p++)
            assert_int_equal(util_load32(mali_afbc_pixel(&t, 16 + p % 16, p / 16)), cases[n].pixel);
        assert_int_equal(memory[0], 0xee); /* its neighbours stay as they are */
        assert_int_equal(memory[32], 0xee);
        assert_int_equal(memory[BODY + 1023], 0xee);
        assert_int_equal(memory[BODY + 2048], 0xee);
    }
    guest_destroy(&g);
}

/* ---- frames ---- */

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
        const char *why;
    } cases[] = {
        {"AFBC row stride", 9, MALI_V6, MALI_V7, "does not have rows of 144"},
        {"AFBC row stride", 0, MALI_V6, MALI_V9, "does not have rows of 0"},
        {"AFBC row stride", 0xfffffff0, MALI_V9, MALI_V9, "does not have rows"},
        {"AFBC row stride", 168, MALI_V9, MALI_V9, "does not have rows of 168"},
        {"AFBC body", HEADERS - 64, MALI_V6, MALI_V7, "does not have rows"},
        {"AFBC body", 0x100000000000, MALI_V6, MALI_V7, "does not have rows"},
        {"AFBC body offset", 0xffffff00, MALI_V9, MALI_V9, "does not have rows"},
        {"AFBC body offset", LATE_BYTES - 4096, MALI_V9, MALI_V9, ""},
        {"AFBC header", 0x100000000000, MALI_V9, MALI_V9, ""},
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
            uint32_t raw = guest_run(&l.guest, 0, LATE_JOB);
            const struct gpu_fault fault = guest_fault(&l.guest);
            const bool waits = guest_status(&l.guest, 0) == STATUS_ACTIVE;
            if (waits ? cases[c].why[0] != 0 : raw != 0x10000 || !strstr(fault.text, cases[c].why))
                fail_msg("%s %llu: %x, \"%s\"", cases[c].name, (unsigned long long)cases[c].value, raw,
                         fault.text);
        }
        late_end(&l);
    }
}

/* ---- textures ---- */

/* Surface n of the view at `header`, as descriptors name it. */
static void look_afbc(struct look *l, uint32_t n, const struct mali_afbc *image)
{
    const uint32_t flags = (image->block_width > 16 ? MALI_AFBC_SURFACE_FLAG_WIDE_BLOCK : 0) |
                           (image->tiled ? MALI_AFBC_SURFACE_FLAG_TILED_HEADER : 0) |
                           MALI_AFBC_SURFACE_FLAG_YTR;
    look_surface(l, n, image->header | (l->version >= MALI_V9 ? 0 : flags),
                 l->version == MALI_V6 ? 0 : image->row_bytes, 0);
    if (l->version < MALI_V9) {
        look_texture(l, "texel ordering", MALI_TEXTURE_LAYOUT_AFBC);
        return;
    }
    look_texture(l, "texel interleave", 1);
    look_plane(l, n, "plane type", MALI_PLANE_TYPE_AFBC);
    look_plane(l, n, "AFBC superblock size",
               image->block_width == 64   ? MALI_AFBC_SUPERBLOCK_SIZE_64X4
               : image->block_width == 32 ? MALI_AFBC_SUPERBLOCK_SIZE_32X8
                                          : MALI_AFBC_SUPERBLOCK_SIZE_16X16);
    look_plane(l, n, "AFBC tiled header", image->tiled);
    look_plane(l, n, "AFBC YTR", 1);
    look_plane(l, n, "AFBC compression mode", MALI_AFBC_COMPRESSION_MODE_R8G8B8A8);
}

static void test_textures(void **state)
{
    (void)state;
    static uint32_t pixels[AREA];
    for (unsigned n = 0; n < 3 * 3 * 2; n++) {
        const unsigned shape = n / 3 % 3;
        const bool tiled = n / 9;
        struct look l;
        look_begin(&l, late_kinds[n % 3], WIDTH, HEIGHT, MALI_FORMAT_RGBA8UI);
        const struct mali_afbc_target t = {image_of(shape, 4, tiled), l.data, l.data + BODY};
        const bool known = (shape < 2 || l.version >= MALI_V9) && (!tiled || l.version >= MALI_V7);
        seed = n;
        fill(space_of(&l.guest), &t, (uint8_t *)pixels);
        look_afbc(&l, 0, &t.image);
        for (uint32_t p = 0; known && p < 40; p++) {
            const uint32_t at[3] = {p * 37 % WIDTH, p * 29 % HEIGHT};
            const uint32_t pixel = pixels[at[1] * WIDTH + at[0]];
            uint32_t out[4];
            look_fetch(&l, 2, at, 0, 0, 0, out);
            for (unsigned c = 0; c < 4; c++)
                assert_int_equal(out[c], pixel >> 8 * c & 255);
        }
        look_end(&l);
    }
}

/* Two layers with two levels each, of one colour or, in v6, of zeros with a body in the first level. */
static void test_levels(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct look l;
        look_begin(&l, late_kinds[n], 16, 16, MALI_FORMAT_RGBA8UI);
        look_texture(&l, "array size", 2);
        look_texture(&l, "levels", 2);
        look_texture(&l, "maximum LOD", 256);
        for (uint32_t layer = 0; layer < 2; layer++)
            for (uint32_t level = 0; level < 2; level++) {
                const uint32_t place = layer * 2 + level, at = place * 0x1000;
                const struct mali_afbc_target t = {{LOOK_DATA + at, LOOK_DATA + at + 64, 16u >> level,
                                                    16u >> level, 16, 16, 16, 4, false, false},
                                                   l.data + at,
                                                   l.data + at + 64};
                mali_afbc_open(space_of(&l.guest), &t, 0, 0);
                util_store32(mali_afbc_pixel(&t, 3, 5), 70 + place);
                look_afbc(&l, place, &t.image);
            }
        for (uint32_t place = 0; place < 4; place++) {
            const uint32_t at[3] = {3, 5};
            uint32_t out[4];
            look_fetch(&l, 2, at, place / 2, place % 2, 0, out);
            assert_int_equal(out[0], 70 + place);
        }
        look_end(&l);
    }
}

static void test_textures_refused(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct look l;
        look_begin(&l, late_kinds[n], WIDTH, HEIGHT, MALI_FORMAT_RGBA8UI);
        struct mali_afbc image = image_of(0, 4, false);
        look_afbc(&l, 0, &image);
        util_store64(l.data, UINT64_MAX);
        look_refused(&l, ISA_TEXTURE_FETCH, 2, "no open document");
        image.header = LOOK_DATA + LOOK_BYTES - 64;
        look_afbc(&l, 0, &image);
        look_refused(&l, ISA_TEXTURE_FETCH, 2, "");
        if (l.version >= MALI_V7) {
            image.row_bytes = 144;
            look_afbc(&l, 0, &image);
            look_refused(&l, ISA_TEXTURE_FETCH, 2, "without room");
        }
        image = image_of(0, 4, false);
        look_afbc(&l, 0, &image);
        look_texture(&l, "width", 65536);
        look_texture(&l, "height", 65536);
        look_refused(&l, ISA_TEXTURE_FETCH, 2, "too large");
        look_texture(&l, "width", 16);
        look_texture(&l, "height", 16);
        look_texture(&l, "sample count", 4);
        for (uint32_t s = 1; s < 4; s++)
            look_afbc(&l, s, &image);
        look_refused(&l, ISA_TEXTURE_FETCH, 2, "several samples");
        look_end(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),           cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_headers),          cmocka_unit_test(test_opened),
        cmocka_unit_test(test_targets),          cmocka_unit_test(test_depth),
        cmocka_unit_test(test_frames),           cmocka_unit_test(test_refused),
        cmocka_unit_test(test_textures),         cmocka_unit_test(test_levels),
        cmocka_unit_test(test_textures_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
