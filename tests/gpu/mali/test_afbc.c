/* AFBC images: where headers and bodies stand, random pixels through superblocks of each size and order, what headers may
 * say; textures that are read. */
#include "tests/gpu/mali/afbc.h"
#include "tests/gpu/mali/late_lookup.h"

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
    image.bytes = 4;
    assert_int_equal(mali_afbc_pixel_at(&image, 3, 2), 11 * 4); /* in the first subblock */
    assert_int_equal(mali_afbc_pixel_at(&image, 4, 0), 16 * 4);
    assert_int_equal(mali_afbc_pixel_at(&image, 0, 4), 4 * 16 * 4);
    image.block_width = 32;
    image.block_height = 8;
    assert_int_equal(mali_afbc_pixel_at(&image, 0, 4), 8 * 16 * 4);
    image.block_width = image.block_height = 16;
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

static void test_colors(void **state)
{
    (void)state;
    assert_true(mali_afbc_has_colors(MALI_V7, RASTER_R8G8B8A8_UNORM));
    assert_true(mali_afbc_has_colors(MALI_V9, RASTER_R8G8B8A8_SRGB));
    assert_false(mali_afbc_has_colors(MALI_V6, RASTER_R8G8B8A8_UNORM));
    assert_false(mali_afbc_has_colors(MALI_V7, RASTER_R10G10B10A2_UNORM));
    assert_false(mali_afbc_has_colors(MALI_V7, RASTER_Z24_UNORM_S8_UINT));
    assert_false(mali_afbc_has_colors(MALI_V7, RASTER_R8G8B8_UNORM));
    assert_false(mali_afbc_has_colors(MALI_V7, RASTER_ETC2_RGB8));
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
        look_begin(&l, late_kinds[n % LATE_KINDS], WIDTH, HEIGHT, MALI_FORMAT_RGBA8UI);
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
        look_refused(&l, ISA_TEXTURE_FETCH, 2, "cannot be read");
        if (l.version >= MALI_V7) {
            image.row_bytes = 144;
            look_afbc(&l, 0, &image);
            look_refused(&l, ISA_TEXTURE_FETCH, 2, "without room");
        }
        image = image_of(0, 4, false);
        look_afbc(&l, 0, &image);
        if (l.version >= MALI_V9) {
            look_plane(&l, 0, "AFBC superblock size", 3);
            look_refused(&l, ISA_TEXTURE_FETCH, 2, "no superblocks");
            look_afbc(&l, 0, &image);
        }
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
        cmocka_unit_test(test_places),  cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_headers), cmocka_unit_test(test_opened),
        cmocka_unit_test(test_colors),  cmocka_unit_test(test_textures),
        cmocka_unit_test(test_levels),  cmocka_unit_test(test_textures_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
