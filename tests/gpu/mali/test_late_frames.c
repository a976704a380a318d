/* Frames of v6 and later without draws: targets, depth and stencil in each format and order, what is cleared, what
 * clean tiles leave, samples, and what is refused. */
#include "gpu/mali/device_internal.h"
#include "gpu/mali/format.h"
#include "raster/texture/texture.h"
#include "tests/gpu/mali/late.h"

enum { SIDE = 80 }; /* tiles stick out of no power of two */

#define EACH_KIND(l, targets, zs)                                                                            \
    for (unsigned k = 0; k < LATE_KINDS && (late_begin(l, late_kinds[k], SIDE, SIDE, targets, zs), true);    \
         late_end(l), k++)

/* ---- colours ---- */

static void test_cleared(void **state)
{
    (void)state;
    struct late l;
    EACH_KIND(&l, 3, false)
    {
        for (uint32_t n = 0; n < 3; n++)
            late_target(&l, n, "clear color 0", 0x80402010 + n);
        late_run(&l);
        for (uint32_t n = 0; n < 3 * SIDE * SIDE; n++)
            assert_int_equal(util_load32(l.data + n * 4), 0x80402010 + n / (SIDE * SIDE));
    }
}

/* What a pixel of each format becomes of its packed clear value: one row a format. */
static const struct {
    const char *name;
    uint32_t internal, writeback, swizzle, clear[4];
    bool srgb;
    uint32_t bytes;
    uint8_t pixel[16];
} formats[] = {
    {"BGRA",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8,
     MALI_COLOR_FORMAT_R8G8B8A8,
     0x60a,
     {0x44332211},
     false,
     4,
     {0x33, 0x22, 0x11, 0x44}},
    {"BGR0",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8,
     MALI_COLOR_FORMAT_R8G8B8A8,
     0x80a,
     {0x44332211},
     false,
     4,
     {0x33, 0x22, 0x11, 0}},
    {"ARGB",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8,
     MALI_COLOR_FORMAT_R8G8B8A8,
     0x443,
     {0x44332211},
     false,
     4,
     {0x44, 0x11, 0x22, 0x33}},
    {"0BGR",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8,
     MALI_COLOR_FORMAT_R8G8B8A8,
     0x054,
     {0x44332211},
     false,
     4,
     {0, 0x33, 0x22, 0x11}},
    {"sRGB",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8,
     MALI_COLOR_FORMAT_R8G8B8A8,
     0x688,
     {0x44332211},
     true,
     4,
     {0x11, 0x22, 0x33, 0x44}},
    {"R8",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8,
     MALI_COLOR_FORMAT_R8,
     0x688,
     {0x44332211},
     false,
     1,
     {0x11}},
    {"R8G8",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8,
     MALI_COLOR_FORMAT_R8G8,
     0x688,
     {0x44332211},
     false,
     2,
     {0x11, 0x22}},
    {"R8G8B8",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8,
     MALI_COLOR_FORMAT_R8G8B8,
     0x688,
     {0x44332211},
     false,
     3,
     {0x11, 0x22, 0x33}},
    /* each channel's bits above those of its fraction */
    {"R5G6B5",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G6B5A0,
     MALI_COLOR_FORMAT_R5G6B5,
     0x688,
     {3u << 5 | 5u << 14 | 7u << 25},
     false,
     2,
     {0xa3, 0x38}},
    {"R4G4B4A4",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R4G4B4A4,
     MALI_COLOR_FORMAT_R4G4B4A4,
     0x688,
     {1u << 4 | 2u << 12 | 3u << 20 | 4u << 28},
     false,
     2,
     {0x21, 0x43}},
    {"R5G5B5A1",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G5B5A1,
     MALI_COLOR_FORMAT_R5G5B5A1,
     0x688,
     {3u << 5 | 5u << 15 | 7u << 25 | 1u << 31},
     false,
     2,
     {0xa3, 0x9c}},
    {"R10G10B10A2",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_R10G10B10A2,
     MALI_COLOR_FORMAT_R10G10B10A2,
     0x688,
     {0x9abcdef1},
     false,
     4,
     {0xf1, 0xde, 0xbc, 0x9a}},
    {"raw 8",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW8,
     MALI_COLOR_FORMAT_RAW8,
     0x688,
     {0x5a5a5a5a},
     false,
     1,
     {0x5a}},
    {"raw 48",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW64,
     MALI_COLOR_FORMAT_RAW48,
     0x688,
     {0x44332211, 0x88776655},
     false,
     6,
     {0x11, 0x22, 0x33, 0x44, 0x55, 0x66}},
    {"raw 16 of 32",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW32,
     MALI_COLOR_FORMAT_RAW16,
     0x688,
     {0x44332211},
     false,
     2,
     {0x11, 0x22}},
    {"raw 128",
     MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW128,
     MALI_COLOR_FORMAT_RAW128,
     0x688,
     {0x44332211, 0x88776655, 0xccbbaa99, 0x00ffeedd},
     false,
     16,
     {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0}},
};

static void set_format(struct late *l, unsigned n)
{
    static const char *const clear[] = {"clear color 0", "clear color 1", "clear color 2", "clear color 3"};
    late_target(l, 0, "internal format", formats[n].internal);
    late_target(l, 0, "writeback format", formats[n].writeback);
    late_target(l, 0, "swizzle", formats[n].swizzle);
    late_target(l, 0, "sRGB", formats[n].srgb);
    for (unsigned c = 0; c < 4; c++)
        late_target(l, 0, clear[c], formats[n].clear[c]);
}

static void expect_pixel(const struct late *l, const char *name, uint64_t at, const uint8_t *pixel,
                         uint32_t bytes)
{
    if (memcmp(l->data + at, pixel, bytes) != 0)
        fail_msg("%s: byte %llu on is %02x %02x", name, (unsigned long long)at, l->data[at], l->data[at + 1]);
}

static void test_formats(void **state)
{
    (void)state;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(formats); n++) {
        struct late l;
        EACH_KIND(&l, 1, false)
        {
            const uint32_t bytes = formats[n].bytes;
            set_format(&l, n);
            late_target(&l, 0, "writeback row stride", SIDE * bytes);
            late_run(&l);
            for (uint32_t p = 0; p < SIDE * SIDE; p++)
                expect_pixel(&l, formats[n].name, p * bytes, formats[n].pixel, bytes);
        }
    }
}

static void test_tiled(void **state)
{
    (void)state;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(formats); n++) {
        struct late l;
        EACH_KIND(&l, 1, false)
        {
            const uint32_t bytes = formats[n].bytes;
            set_format(&l, n);
            late_target(&l, 0, "writeback block format", late_tiled(&l));
            late_target(&l, 0, "writeback row stride", SIDE * 16 * bytes);
            late_run(&l);
            for (uint32_t p = 0; p < SIDE * SIDE; p++)
                expect_pixel(&l, formats[n].name, p * bytes, formats[n].pixel, bytes);
        }
    }
}

/* ---- depth and stencil ---- */

static const struct {
    enum mali_version last; /* that has the format */
    uint32_t internal, zs, s;
    bool both;
    uint32_t bytes;
    uint8_t pixel[8];
} depths[] = {
    {MALI_V9, MALI_Z_INTERNAL_FORMAT_D16, MALI_ZS_FORMAT_D16, 0, false, 2, {0, 0x80}},
    {MALI_V9, MALI_Z_INTERNAL_FORMAT_D24, MALI_ZS_FORMAT_D24X8, 0, false, 4, {0, 0, 0x80, 0xee}},
    {MALI_V9, MALI_Z_INTERNAL_FORMAT_D24, MALI_ZS_FORMAT_D24S8, 0, true, 4, {0, 0, 0x80, 0x5a}},
    {MALI_V7, MALI_Z_INTERNAL_FORMAT_D24, MALI_ZS_FORMAT_S8D24, 0, true, 4, {0x5a, 0, 0, 0x80}},
    {MALI_V9, MALI_Z_INTERNAL_FORMAT_D32, MALI_ZS_FORMAT_D32, 0, false, 4, {0, 0, 0, 0x3f}},
    {MALI_V7,
     MALI_Z_INTERNAL_FORMAT_D32,
     MALI_ZS_FORMAT_D32_X8X24,
     0,
     false,
     8,
     {0, 0, 0, 0x3f, 0xee, 0xee, 0xee, 0xee}},
    {MALI_V7, MALI_Z_INTERNAL_FORMAT_D32, MALI_ZS_FORMAT_D32_S8X24, 0, true, 8, {0, 0, 0, 0x3f, 0x5a}},
    {MALI_V9, MALI_Z_INTERNAL_FORMAT_D24, 0, MALI_S_FORMAT_S8, true, 1, {0x5a}},
    {MALI_V9, MALI_Z_INTERNAL_FORMAT_D24, 0, MALI_S_FORMAT_X24S8, true, 4, {0xee, 0xee, 0xee, 0x5a}},
};

static void expect_depth(struct late *l, unsigned n, bool clean)
{
    enum { AT = 0x100000 };
    const bool depth = depths[n].zs, stencil = depths[n].both;
    const uint32_t bytes = depths[n].bytes;
    const uint8_t untouched[8] = {0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee};
    const char *const own[2][4] = {
        {"S write format", "S block format", "S writeback base", "S writeback row stride"},
        {"ZS write format", "ZS block format", "ZS writeback base", "ZS writeback row stride"}};
    late_set(l, "Z internal format", depths[n].internal);
    late_set(l, "Z write enable", depth);
    late_set(l, "S write enable", stencil);
    late_set(l, "Z clear", 0x3f000000);
    late_set(l, "S clear", 0x5a);
    late_zs(l, own[depth][0], depth ? depths[n].zs : depths[n].s);
    late_zs(l, own[depth][1], MALI_BLOCK_FORMAT_LINEAR);
    late_zs(l, own[depth][2], LATE_DATA + AT);
    late_zs(l, own[depth][3], SIDE * bytes);
    late_zs(l, "ZS clean pixel write enable", clean);
    memset(l->data + AT, 0xee, 0x20000);
    late_run(l);
    for (uint32_t p = 0; p < SIDE * SIDE; p++)
        expect_pixel(l, "depth or stencil", AT + p * bytes, clean ? depths[n].pixel : untouched,
                     depths[n].zs == MALI_ZS_FORMAT_D32_S8X24 && clean ? 5 : bytes);
}

static void test_depths(void **state)
{
    (void)state;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(depths) * 2; n++) {
        struct late l;
        EACH_KIND(&l, 1, true)
        {
            if (l.version <= depths[n / 2].last)
                expect_depth(&l, n / 2, n & 1);
        }
    }
}

/* ---- clean tiles ---- */

/* Nothing is drawn: targets keep what they have unless they are to be written, also those whose pixels of three bytes
 * take a tile; one beside the other. */
static void test_clean(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 16; n++) {
        struct late l;
        EACH_KIND(&l, 2, false)
        {
            const bool all = n & 8, first = n & 1 || all, second = n & 2 || all, three = n & 4;
            memset(l.data, 0xee, 2 * SIDE * SIDE * 4);
            late_target(&l, 0, "clear color 0", 0x11111111);
            late_target(&l, 1, "clear color 0", 0x22222222);
            late_set(&l, "empty tile write enable", all);
            late_target(&l, 0, "clean pixel write enable", n & 1);
            late_target(&l, 1, "clean pixel write enable", n >> 1 & 1);
            if (three) {
                late_target(&l, 1, "writeback format", MALI_COLOR_FORMAT_R8G8B8);
                late_target(&l, 1, "writeback row stride", SIDE * 3);
            }
            late_run(&l);
            for (uint32_t p = 0; p < SIDE * SIDE * 4; p++)
                assert_int_equal(l.data[p], first ? 0x11 : 0xee);
            for (uint32_t p = 0; p < SIDE * SIDE * (three ? 3 : 4); p++)
                assert_int_equal(l.data[SIDE * SIDE * 4 + p], second ? 0x22 : 0xee);
        }
    }
}

/* Only tiles within the job's bounds. */
static void test_bounds(void **state)
{
    (void)state;
    struct late l;
    EACH_KIND(&l, 1, false)
    {
        late_target(&l, 0, "clear color 0", 0x11111111);
        late_job(&l, "bound min X", 1);
        late_job(&l, "bound min Y", 2);
        late_job(&l, "bound max X", 3);
        late_job(&l, "bound max Y", 3);
        late_run(&l);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                const bool inside = x >= 16 && x < 64 && y >= 32 && y < 64;
                assert_int_equal(util_load32(l.data + (y * SIDE + x) * 4), inside ? 0x11111111 : 0);
            }
    }
}

/* Of those, the tiles whose squares of 32 pixels the map has, row by row. */
static void test_map(void **state)
{
    static const uint8_t map[3] = {0x02, 0x05, 0x04};
    (void)state;
    struct late l;
    EACH_KIND(&l, 1, false)
    {
        const uint64_t at = LATE_DATA + SIDE * SIDE * 4 + 3, stride = 65;
        late_target(&l, 0, "clear color 0", 0x11111111);
        late_job(&l, "bound min Y", 1);
        late_job(&l, "has tile enable map", 1);
        late_job(&l, "tile enable map", at);
        late_job(&l, "tile enable map row stride", stride);
        for (uint32_t n = 0; n < 3; n++)
            *late_at(&l, at + n * stride) = map[n];
        late_run(&l);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                const bool enabled = y >= 16 && map[y / 32] >> x / 32 & 1;
                assert_int_equal(util_load32(l.data + (y * SIDE + x) * 4), enabled ? 0x11111111 : 0);
            }
    }
}

/* Its last byte may be the last of what is mapped. */
static void test_map_ends(void **state)
{
    (void)state;
    struct late l;
    EACH_KIND(&l, 1, false)
    {
        late_job(&l, "has tile enable map", 1);
        late_job(&l, "tile enable map", LATE_DATA + LATE_BYTES - 3);
        late_job(&l, "tile enable map row stride", 1);
        late_run(&l);
        assert_int_equal(util_load32(l.data), 0);
        late_job(&l, "tile enable map", LATE_DATA + LATE_BYTES - 2);
        late_refused(&l, NULL);
    }
}

/* A target without blocks is not written (since v7). */
static void test_unwritten(void **state)
{
    (void)state;
    struct late l;
    EACH_KIND(&l, 1, false)
    {
        late_target(&l, 0, "clear color 0", 0x11111111);
        late_target(&l, 0, "write enable", l.version == MALI_V6 ? 0 : 1);
        late_target(&l, 0, "writeback block format", MALI_BLOCK_FORMAT_NO_WRITE);
        late_run(&l);
        assert_int_equal(util_load32(l.data), 0);
    }
}

/* ---- samples ---- */

static void test_samples(void **state)
{
    (void)state;
    static const uint32_t counts[] = {4, 8, 16};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(counts) * 2; n++) {
        struct late l;
        EACH_KIND(&l, 1, false)
        {
            const uint32_t samples = counts[n / 2], planes = n & 1 ? samples : 1;
            late_samples(&l, samples);
            late_target(&l, 0, "clear color 0", 0x40302010);
            late_target(&l, 0, "writeback MSAA", n & 1 ? MALI_MSAA_LAYERED : MALI_MSAA_AVERAGE);
            late_target(&l, 0, "writeback surface stride", n & 1 ? SIDE * SIDE * 4 : 0);
            late_run(&l);
            for (uint32_t p = 0; p < planes * SIDE * SIDE; p++)
                assert_int_equal(util_load32(l.data + p * 4), 0x40302010);
            assert_int_equal(util_load32(l.data + planes * SIDE * SIDE * 4), 0);
        }
    }
}

/* A table with one of them elsewhere, and one that is not in memory. */
static void test_locations(void **state)
{
    (void)state;
    struct late l;
    EACH_KIND(&l, 1, false)
    {
        late_samples(&l, 8);
        util_store32(late_at(&l, LATE_LOCATIONS) + 7 * 4, 0x00f000e0);
        late_refused(&l, "samples elsewhere");
        late_set(&l, "sample locations", 0x7000000);
        late_refused(&l, NULL);
    }
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        enum { FRAME, TARGET, JOB } where;
        const char *name;
        uint64_t value;
        enum mali_version least, most;
        const char *why; /* NULL: it waits for a page */
    } cases[] = {
        {TARGET, "YUV enable", 1, MALI_V6, MALI_V9, "YUV"},
        {TARGET, "internal format", 7, MALI_V6, MALI_V9, "internal format 7"},
        {TARGET, "writeback format", MALI_COLOR_FORMAT_NATIVE, MALI_V6, MALI_V9, "write-back format"},
        {TARGET, "writeback format", MALI_COLOR_FORMAT_RAW192, MALI_V6, MALI_V9, "write-back format"},
        {TARGET, "swizzle", 0x123, MALI_V6, MALI_V9, "write-back format"},
        {TARGET, "writeback block format", MALI_BLOCK_FORMAT_TILED_LINEAR, MALI_V6, MALI_V6, "blocks"},
        {TARGET, "writeback MSAA", MALI_MSAA_MULTIPLE, MALI_V6, MALI_V9, "mode 2"},
        {TARGET, "writeback base", 0x100000000000, MALI_V6, MALI_V9, NULL},
        {TARGET, "writeback base", LATE_DATA + LATE_BYTES - 4096, MALI_V6, MALI_V9, NULL},
        {TARGET, "writeback row stride", 16, MALI_V6, MALI_V9, "does not have rows of 16"},
        {TARGET, "writeback row stride", 0xfffffff0, MALI_V6, MALI_V9, "does not have rows of 4294967280"},
        {FRAME, "sample count", 32, MALI_V6, MALI_V9, "samples of another number"},
        {FRAME, "sample count", 2, MALI_V6, MALI_V9, "samples of another number"},
        {FRAME, "sample count", 4, MALI_V6, MALI_V9, "samples of another number"},
        {FRAME, "X downsampling scale", 1, MALI_V6, MALI_V7, "smaller"},
        {FRAME, "downscale geometry", 1, MALI_V9, MALI_V9, "smaller"},
        {FRAME, "internal layer index", 1, MALI_V9, MALI_V9, "layers"},
        {FRAME, "Z preload enable", 1, MALI_V6, MALI_V9, "loads or stores its tiles itself"},
        {FRAME, "S unload enable", 1, MALI_V6, MALI_V9, "loads or stores its tiles itself"},
        {FRAME, "height", 8193, MALI_V6, MALI_V9, "more than 8192 pixels a side"},
        {JOB, "has tile enable map", 1, MALI_V6, MALI_V9, NULL},
        {JOB, "bound min X", 6, MALI_V6, MALI_V9, "bounds are empty"},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        struct late l;
        EACH_KIND(&l, 1, false)
        {
            if (l.version < cases[n].least || l.version > cases[n].most)
                continue;
            if (cases[n].where == TARGET)
                late_target(&l, 0, cases[n].name, cases[n].value);
            else
                (cases[n].where == FRAME ? late_set : late_job)(&l, cases[n].name, cases[n].value);
            late_refused(&l, cases[n].why);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cleared), cmocka_unit_test(test_formats),   cmocka_unit_test(test_tiled),
        cmocka_unit_test(test_depths),  cmocka_unit_test(test_clean),     cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_map),     cmocka_unit_test(test_map_ends),  cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_samples), cmocka_unit_test(test_locations), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
