/* Control lists: the records of a driver's binning list and of a kernel's rendering list, field by field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/vc4/cl.h"
#include "util/bits.h"

/* A textured, depth-tested draw as Mesa's driver submits it: configuration, prefix state, one indexed draw.
 */
static const uint8_t binning[] = {
    0x70, 0x00, 0x10, 0x0a, 0x02, 0x00, 0x00, 0x08, 0x00, 0x00, 0x40, 0x0b, 0x02, 0x04, 0x03, 0x55, /* 112 */
    0x06, 0x38, 0x12,                                                                   /* 6, 56 */
    0x66, 0x00, 0x00, 0x10, 0x00, 0x00, 0x01, 0x60, 0x01,                               /* 102 */
    0x60, 0x0b, 0x90, 0x03, 0x65, 0x00, 0xc0, 0x80, 0x3f,                               /* 96, 101 */
    0x62, 0x00, 0x00, 0x80, 0x3f, 0x63, 0x00, 0x00, 0x00, 0x40,                         /* 98, 99 */
    0x69, 0x00, 0x00, 0x00, 0x45, 0x00, 0x00, 0x00, 0xc5,                               /* 105 */
    0x6a, 0x00, 0x00, 0x00, 0x3f, 0x00, 0x00, 0x00, 0x3f,                               /* 106 */
    0x67, 0x00, 0x08, 0xf8, 0xff,                                                       /* 103 */
    0x61, 0x05, 0x00, 0x00, 0x80, 0x40, 0x23, 0x12, 0x34, 0x56,                         /* 97, 64 */
    0x20, 0x14, 0x24, 0x00, 0x00, 0x00, 0x78, 0x56, 0x34, 0x12, 0xcb, 0x00, 0x00, 0x00, /* 32 */
    0x21, 0x05, 0x04, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00,                         /* 33 */
    0x07, 0x04,                                                                         /* 7, 4 */
};

/* A rendering list as the kernel builds it: clear colours, configuration, a tile loaded, drawn and stored. */
static const uint8_t rendering[] = {
    0x72, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0xff, 0xff, 0xfe, 0x5a, 0xa5, /* 114 */
    0x71, 0x00, 0x20, 0x40, 0x01, 0x00, 0x01, 0xf0, 0x00, 0x45, 0x08,                   /* 113 */
    0x73, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,                         /* 115, 28 */
    0x1d, 0x11, 0x02, 0x10, 0x32, 0x54, 0x76,                                           /* 29 */
    0x1b, 0x03, 0x40, 0x30, 0x20,                                                       /* 27 */
    0x73, 0x03, 0x02, 0x08, 0x11, 0x60, 0x10, 0x0a, 0x02,                               /* 115, 8, 17 */
    0x1a, 0x0e, 0x40, 0x30, 0x20,                                                       /* 26 */
    0x1c, 0x52, 0xf1, 0x1f, 0x32, 0x54, 0x76,                                           /* 28 */
    0x18, 0x19, 0x12, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, /* 24, 25, 18, 16, 0, 1 */
};

/* Records that no such list holds. */
static const uint8_t others[] = {
    0x05,                                                                   /* 5 */
    0x29, 0x15, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00,             /* 41 */
    0x2a, 0x13, 0x30, 0x31, 0x45, 0x23, 0x01, 0x00,                         /* 42, 48, 49 */
    0x41, 0x10, 0x00, 0x00, 0x02, 0x42, 0x20, 0x00, 0x00, 0x02,             /* 65, 66 */
    0x43, 0x09, 0x10, 0x00, 0x02, 0x00, 0x30, 0x00, 0x02,                   /* 67 */
    0x64, 0xfe, 0xff, 0x68, 0x00, 0x00, 0x80, 0x3e, 0x00, 0x00, 0x40, 0x3f, /* 100, 104 */
};

struct expected {
    uint8_t id, size, field_count;
    uint64_t field[VC4_CL_MAX_FIELDS];
};

static const struct expected binning_records[] = {
    {112, 16, VC4_BIN_DOUBLE_BUFFER + 1, {0x020a1000, 0x00080000, 0x020b4000, 4, 3, 1, 0, 1, 2, 2, 0}},
    {6, 1, 0, {0}},
    {56, 2, VC4_FORMAT_DATA + 1, {2, 1}},
    {102, 9, VC4_CLIP_HEIGHT + 1, {0, 16, 256, 352}},
    {96, 4, VC4_CONFIG_EARLY_Z_UPDATES + 1, {1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}},
    {101, 5, VC4_OFFSET_UNITS + 1, {0xc000, 0x3f80}},
    {98, 5, VC4_VALUE + 1, {0x3f800000}},
    {99, 5, VC4_VALUE + 1, {0x40000000}},
    {105, 9, VC4_XY_HALF_HEIGHT + 1, {0x45000000, 0xc5000000}},
    {106, 9, VC4_Z_OFFSET + 1, {0x3f000000, 0x3f000000}},
    {103, 5, VC4_VIEWPORT_Y + 1, {0x0800, 0xfff8}},
    {97, 5, VC4_VALUE + 1, {0x80000005}},
    {64, 5, VC4_SHADER_ADDRESS + 1, {3, 0, 0x56341220}},
    {32, 14, VC4_INDEXED_MAX + 1, {4, 1, 36, 0x12345678, 203}},
    {33, 10, VC4_ARRAY_FIRST + 1, {5, 4, 7}},
    {7, 1, 0, {0}},
    {4, 1, 0, {0}},
};

static const struct expected rendering_records[] = {
    {114, 14, VC4_CLEAR_STENCIL + 1, {0x44332211, 0x88776655, 0xfeffff, 0x5a, 0xa5}},
    {113, 11, VC4_RENDER_DOUBLE_BUFFER + 1, {0x01402000, 256, 240, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0}},
    {115, 3, VC4_TILE_Y + 1, {0, 0}},
    {28, 7, VC4_GENERAL_ADDRESS + 1, {0}},
    {29, 7, VC4_GENERAL_ADDRESS + 1, {1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0x76543210}},
    {27, 5, VC4_FULL_RES_ADDRESS + 1, {1, 1, 0, 0, 0x20304000}},
    {115, 3, VC4_TILE_Y + 1, {3, 2}},
    {8, 1, 0, {0}},
    {17, 5, VC4_BRANCH_ADDRESS + 1, {0x020a1060}},
    {26, 5, VC4_FULL_RES_ADDRESS + 1, {0, 1, 1, 1, 0x20304000}},
    {28, 7, VC4_GENERAL_ADDRESS + 1, {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0x76543210}},
    {24, 1, 0, {0}},
    {25, 1, 0, {0}},
    {18, 1, 0, {0}},
    {16, 5, VC4_BRANCH_ADDRESS + 1, {0}},
    {0, 1, 0, {0}},
    {1, 1, 0, {0}},
};

static const struct expected other_records[] = {
    {5, 1, 0, {0}},
    {41, 10, 4, {5, 1, 3, 0x00100000}},
    {42, 2, 2, {3, 1}},
    {48, 1, 0, {0}},
    {49, 5, VC4_CLIPPED_ADDRESS + 1, {5, 0x00012340}},
    {65, 5, VC4_SHADER_ADDRESS + 1, {0, 0, 0x02000010}},
    {66, 5, VC4_SHADER_ADDRESS + 1, {0, 0, 0x02000020}},
    {67, 9, 3, {1, 0x02001008, 0x02003000}},
    {100, 3, VC4_VALUE + 1, {0xfffe}},
    {104, 9, VC4_ZCLIP_MAX + 1, {0x3e800000, 0x3f400000}},
};

static void check_list(const uint8_t *bytes, size_t size, const struct expected *expected, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        struct vc4_cl_record r;
        assert_true(at < size);
        assert_int_equal(vc4_cl_decode(bytes + at, size - at, &r), VC4_CL_OK);
        assert_int_equal(r.id, expected[i].id);
        assert_int_equal(r.size, expected[i].size);
        assert_int_equal(r.field_count, expected[i].field_count);
        for (unsigned f = 0; f < r.field_count; f++)
            if (r.field[f] != expected[i].field[f])
                fail_msg("record %u (%s), field %u: 0x%llx instead of 0x%llx", r.id, vc4_cl_name(r.id), f,
                         (unsigned long long)r.field[f], (unsigned long long)expected[i].field[f]);
        at += r.size;
    }
    assert_int_equal(at, size);
}

static void decodes_lists(void **state)
{
    check_list(binning, sizeof binning, binning_records, UTIL_ARRAY_SIZE(binning_records));
    check_list(rendering, sizeof rendering, rendering_records, UTIL_ARRAY_SIZE(rendering_records));
    check_list(others, sizeof others, other_records, UTIL_ARRAY_SIZE(other_records));
}

/* Every record the table knows occurs above; every other id is refused. */
static void knows_every_id(void **state)
{
    bool seen[256] = {false};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(binning_records); i++)
        seen[binning_records[i].id] = true;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rendering_records); i++)
        seen[rendering_records[i].id] = true;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(other_records); i++)
        seen[other_records[i].id] = true;
    for (unsigned id = 0; id < 256; id++) {
        uint8_t bytes[16] = {(uint8_t)id};
        struct vc4_cl_record r;
        assert_int_equal(vc4_cl_decode(bytes, sizeof bytes, &r), seen[id] ? VC4_CL_OK : VC4_CL_UNKNOWN);
        assert_int_equal(vc4_cl_name(id) != NULL, seen[id]);
        assert_int_equal(vc4_cl_allowed(id, false) || vc4_cl_allowed(id, true), seen[id]);
    }
    assert_null(vc4_cl_name(256));
    assert_false(vc4_cl_allowed(256, true));
}

/* In exactly sized memory, so that a sanitizer sees a byte read too many. */
static void refuses_truncated(void **state)
{
    for (unsigned id = 0; id < 256; id++) {
        uint8_t bytes[16] = {(uint8_t)id};
        struct vc4_cl_record r;
        if (vc4_cl_decode(bytes, sizeof bytes, &r) != VC4_CL_OK)
            continue;
        unsigned whole = r.size;
        for (unsigned size = 1; size <= whole; size++) {
            uint8_t *exact = malloc(size);
            assert_non_null(exact);
            memset(exact, 0xff, size);
            exact[0] = (uint8_t)id;
            assert_int_equal(vc4_cl_decode(exact, size, &r), size < whole ? VC4_CL_TRUNCATED : VC4_CL_OK);
            free(exact);
        }
    }
}

static void knows_the_lists(void **state)
{
    static const uint8_t only_binning[] = {4, 5, 6, 105, 106, 112};
    static const uint8_t only_rendering[] = {24, 25, 26, 27, 28, 29, 48, 49, 113, 114, 115};
    for (size_t i = 0; i < sizeof only_binning; i++) {
        assert_true(vc4_cl_allowed(only_binning[i], false));
        assert_false(vc4_cl_allowed(only_binning[i], true));
    }
    for (size_t i = 0; i < sizeof only_rendering; i++) {
        assert_false(vc4_cl_allowed(only_rendering[i], false));
        assert_true(vc4_cl_allowed(only_rendering[i], true));
    }
    assert_true(vc4_cl_allowed(VC4_CL_CONFIGURATION_BITS, false));
    assert_true(vc4_cl_allowed(VC4_CL_CONFIGURATION_BITS, true));
    assert_true(vc4_cl_allowed(VC4_CL_PRIMITIVE_LIST_FORMAT, false)); /* Mesa's binning lists have it */
    assert_true(vc4_cl_allowed(VC4_CL_PRIMITIVE_LIST_FORMAT, true));
}

static char *print(const uint8_t *bytes, size_t size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    for (size_t at = 0; at < size;) {
        struct vc4_cl_record r;
        assert_int_equal(vc4_cl_decode(bytes + at, size - at, &r), VC4_CL_OK);
        vc4_cl_print(out, 0x1000 + (uint32_t)at, &r);
        at += r.size;
    }
    fclose(out);
    return text;
}

static void prints_listings(void **state)
{
    static const uint8_t some[] = {0x06, 0x67, 0x00, 0x08, 0xf8, 0xff, 0x65, 0x00, 0xc0, 0x80,
                                   0x3f, 0x1c, 0x52, 0xf1, 0x1f, 0x32, 0x54, 0x76, 0x21, 0x07,
                                   0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    char *text = print(some, sizeof some);
    assert_string_equal(
        text, "00001000    6  Start tile binning\n"
              "00001001  103  Viewport offset: x 128, y -0.5\n"
              "00001006  101  Depth offset: factor -2, units 1\n"
              "0000100b   28  Store tile buffer general: buffer Z/stencil, layout T, mode x4, color format "
              "bgr565 dithered, no double-buffer swap, no color clear, no Z/stencil clear, no VG-mask clear, "
              "no color dump, no Z/stencil dump, no VG-mask dump, last tile, address 0x76543210\n"
              "00001012   33  Vertex array primitives: mode reserved 7, length 3, first vertex 0\n");
    free(text);
    /* All the rest prints a line each, and any value of a field. */
    static const struct {
        const uint8_t *bytes;
        size_t size, records;
    } lists[] = {{binning, sizeof binning, UTIL_ARRAY_SIZE(binning_records)},
                 {rendering, sizeof rendering, UTIL_ARRAY_SIZE(rendering_records)},
                 {others, sizeof others, UTIL_ARRAY_SIZE(other_records)}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(lists); i++) {
        size_t lines = 0;
        text = print(lists[i].bytes, lists[i].size);
        for (const char *c = text; *c; c++)
            lines += *c == '\n';
        assert_int_equal(lines, lists[i].records);
        free(text);
    }
    for (unsigned id = 0; id < 256; id++) {
        uint8_t bytes[16];
        struct vc4_cl_record r;
        memset(bytes, 0xff, sizeof bytes);
        bytes[0] = (uint8_t)id;
        if (vc4_cl_decode(bytes, sizeof bytes, &r) == VC4_CL_OK) {
            text = print(bytes, r.size);
            assert_non_null(strstr(text, vc4_cl_name(id)));
            free(text);
        }
    }
}

static void reads_floats(void **state)
{
    static const uint8_t offset[] = {0x65, 0x00, 0xc0, 0x80, 0x3f}, size[] = {0x62, 0x00, 0x00, 0x20, 0x41};
    struct vc4_cl_record r;
    assert_int_equal(vc4_cl_decode(offset, sizeof offset, &r), VC4_CL_OK);
    assert_true(vc4_cl_float187(&r, VC4_OFFSET_FACTOR) == -2.0f);
    assert_true(vc4_cl_float187(&r, VC4_OFFSET_UNITS) == 1.0f);
    assert_int_equal(vc4_cl_decode(size, sizeof size, &r), VC4_CL_OK);
    assert_true(vc4_cl_float(&r, VC4_VALUE) == 10.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_lists),     cmocka_unit_test(knows_every_id),
        cmocka_unit_test(refuses_truncated), cmocka_unit_test(knows_the_lists),
        cmocka_unit_test(prints_listings),   cmocka_unit_test(reads_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
