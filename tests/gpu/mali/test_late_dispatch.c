/* Compute jobs of v9: registers, barriers and storage, atomics, buffers of tables, attributes and images, what is
 * refused. Expected values are worked out here. */
#include "tests/gpu/mali/valhall.h"

/* Of 4 by r60 in the data: r1 is its lower word, 4 * r60 + u0; r2 is 0. */
#define PLACE "LSHIFT_OR.i32 r2, r60, 0x3020100.b22, 0x0\nIADD.u32 r2, u0, r2\nMOV.i32 r3, 0x0\n"

static void test_ids(void **state)
{
    struct v9 v;
    v9_compute(&v, 24, 3,
               PLACE "U16_TO_U32 r0, r55.h00\nSTORE.i32.slot0.wait0 @r0, r2, offset:0\n"
                     "STORE.i32.slot0.wait0 @r57, r2, offset:4096\n"
                     "STORE.i32.slot0.end @r60, r2, offset:8192\n");
    v9_run(&v);
    for (uint32_t n = 0; n < 72; n++) {
        assert_int_equal(v9_word(&v, V9_DATA, n), n % 24);
        assert_int_equal(v9_word(&v, V9_DATA + 4096, n), n / 24);
        assert_int_equal(v9_word(&v, V9_DATA + 8192, n), n);
    }
    v9_end(&v);
}

/* The driver's own program for numbers handed over in a workgroup's storage. */
static const char reverses[] =
    "U16_TO_U32 r0, r55.h00\n"
    "LSHIFT_OR.i32 r1, r0, 0x3020100.b22, 0x0\n"
    "IADD.u32 r2, workgroup_local_pointer.w0, r1\n"
    "MOV.i32 r3, workgroup_local_pointer.w1\n"
    "STORE.i32.slot0.wait0 @r60, r2, offset:0\n"
    "BARRIER.slot7.wait\n"
    "ISUB.s32 r0, 0x0, r0\n"
    "LSHIFT_OR.i32 r0, r0, 0x3020100.b22, 0x0\n"
    "IADD_IMM.i32 r0, r0, #0xFC\n"
    "IADD.u32 r2, workgroup_local_pointer.w0, r0\n"
    "LOAD.i32.unsigned.slot1.wait1 @r0, r2, offset:0\n" PLACE "STORE.i32.slot2.end @r0, r2, offset:0\n";

static void test_barrier(void **state)
{
    struct v9 v;
    v9_compute(&v, 64, 3, reverses);
    util_store32(v9_at(&v, V9_STORAGE) + 4, 9 << 8); /* 256 bytes */
    v9_run(&v);
    for (uint32_t n = 0; n < 192; n++)
        assert_int_equal(v9_word(&v, V9_DATA, n), n / 64 * 64 + 63 - n % 64);
    util_store32(v9_at(&v, V9_STORAGE) + 4, 8 << 8); /* half of it */
    v9_refused(&v, "of a storage of 128");
    assert_int_equal(guest_status(&v.guest, 1), MALI_INSTR_TLS_FAULT);
    v9_end(&v);
}

/* Threads' own storage is zero for each, and its own; a counter gives each a number of its own. */
static void test_atomics(void **state)
{
    struct v9 v;
    v9_compute(&v, 1, 100,
               "MOV.i32 r0, thread_local_pointer.w0\nMOV.i32 r1, thread_local_pointer.w1\n"
               "LOAD.i32.unsigned.slot0.wait0 @r4, r0, offset:8\n"
               "IADD.u32 r4, r4, r60\nSTORE.i32.slot0.wait0 @r4, r0, offset:8\n"
               "LOAD.i32.unsigned.slot0.wait0 @r5, r0, offset:8\n" PLACE
               "STORE.i32.slot0.wait0 @r5, r2, offset:64\n"
               "MOV.i32 r8, u0\nMOV.i32 r9, 0x0\n"
               "ATOM1_RETURN.i32.ainc.slot0.end @r6, r8, offset:0\n");
    util_store32(v9_at(&v, V9_STORAGE), 0); /* 16 bytes a thread */
    v9_set(&v, V9_STORAGE, &mali_desc_storage, "TLS base pointer", 0x300000);
    v9_run(&v);
    assert_int_equal(v9_word(&v, V9_DATA, 0), 100);
    for (uint32_t n = 0; n < 100; n++)
        assert_int_equal(v9_word(&v, V9_DATA + 64, n), n);
    v9_end(&v);
}

/* Words beyond a buffer, and of one that there is not, are zeros; other things in its place are none. */
static void test_buffers(void **state)
{
    struct v9 v;
    v9_compute(&v, 1, 20,
               "LSHIFT_OR.i32 r0, r60, 0x3020100.b22, 0x0\nMOV.i32 r1, 0x0\n"
               "LD_BUFFER.i32.unsigned.slot0.wait0 @r4, r0, r1\n"
               "IADD_IMM.i32 r1, 0x0, #0x1\nLD_BUFFER.i32.unsigned.slot0.wait0 @r5, r0, r1\n" PLACE
               "STORE.i32.slot0.wait0 @r4, r2, offset:4096\nSTORE.i32.slot0.end @r5, r2, offset:8192\n");
    for (uint32_t n = 0; n < 32; n++)
        util_store32(v9_at(&v, V9_DATA + 1024) + 4 * n, 1000 + n);
    v9_buffer(&v, V9_BUFFERS, 0, V9_DATA + 1024, 42);
    v9_run(&v);
    for (uint32_t n = 0; n < 20; n++) {
        assert_int_equal(v9_word(&v, V9_DATA + 4096, n), n < 10 ? 1000 + n : 0);
        assert_int_equal(v9_word(&v, V9_DATA + 8192, n), 0);
    }
    v9_attribute(&v, 0, 0, 0);
    v9_set(&v, V9_ENTRIES, &mali_desc_buffer_v9, "type", MALI_DESCRIPTOR_TYPE_DEPTH_STENCIL);
    v9_refused(&v, "there is no buffer 0 in table 0");
    v9_end(&v);
}

/* What a program may not: streams of vertices, places that a job has not, other programs. */
static void test_refusals(void **state)
{
    static const struct {
        const char *program, *why;
    } cases[] = {
        {PLACE "STORE.i32.istream.slot0.end @r60, r2, offset:0\n", "beyond the thread's own"},
        {"LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\nNOP.end\n", "not explained"},
        {"LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store.wait0 @r0:r1, r61, index:0x0\nNOP.end\n",
         "only fragments have"},
        {"LD_ATTR_IMM.v4.f32.slot0.wait0 @r0:r1:r2:r3, r60, r61, index:0x0, table:0x1\nNOP.end\n",
         "there is no attribute 0"},
        {"BRANCHZI.eq.absolute 0x0, u0\nNOP.end\n", "another program"},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        struct v9 v;
        v9_compute(&v, 1, 3, cases[n].program);
        v9_refused(&v, cases[n].why);
        v9_end(&v);
    }
}

/* Attributes by vertex and instance, with divisors, beyond their buffers. */
static void test_attributes(void **state)
{
    struct v9 v;
    v9_compute(&v, 1, 40,
               "MOV.i32 r8, r60\nLD_ATTR_IMM.v2.u32.slot0.wait0 @r0:r1, r8, r8, index:0x0, table:0x1\n"
               "LD_ATTR_IMM.v4.f32.slot0.wait0 @r4:r5:r6:r7, r8, r8, index:0x1, table:0x1\n" PLACE
               "STORE.i32.slot0.wait0 @r0, r2, offset:4096\nSTORE.i32.slot0.wait0 @r1, r2, offset:8192\n"
               "STORE.i32.slot0.wait0 @r4, r2, offset:12288\nSTORE.i32.slot0.end @r7, r2, offset:16384\n");
    for (uint32_t n = 0; n < 64; n++)
        util_store32(v9_at(&v, V9_DATA) + 4 * n, n);
    v9_buffer(&v, V9_ATTRIBUTE_BUFFERS, 0, V9_DATA, 32 * 8);
    v9_attribute(&v, 0, MALI_FORMAT_RG32UI, 8);
    v9_buffer(&v, V9_ATTRIBUTE_BUFFERS, 1, V9_DATA, 64);
    uint32_t at = v9_attribute(&v, 1, MALI_FORMAT_R32UI, 4); /* as floats: every third instance, 4 bytes on */
    v9_set(&v, at, &mali_desc_attribute_v9, "attribute type", MALI_ATTRIBUTE_TYPE_V9_1D_NPOT_DIVISOR);
    v9_set(&v, at, &mali_desc_attribute_v9, "frequency", MALI_ATTRIBUTE_FREQUENCY_INSTANCE);
    v9_set(&v, at, &mali_desc_attribute_v9, "offset", 4);
    v9_set(&v, at, &mali_desc_attribute_v9, "divisor D", 0x2aaaaaaa);
    v9_set(&v, at, &mali_desc_attribute_v9, "divisor R", 1);
    v9_set(&v, at, &mali_desc_attribute_v9, "divisor E", 1);
    v9_run(&v);
    for (uint32_t n = 0; n < 40; n++) {
        assert_int_equal(v9_word(&v, V9_DATA + 4096, n), n < 32 ? 2 * n : 0);
        assert_int_equal(v9_word(&v, V9_DATA + 8192, n), n < 32 ? 2 * n + 1 : 0);
        const uint32_t third = n / 3 + 1;
        assert_int_equal(v9_word(&v, V9_DATA + 12288, n), util_f2u((float)third));
        assert_int_equal(v9_word(&v, V9_DATA + 16384, n), util_f2u(1.0f));
    }
    v9_set(&v, at, &mali_desc_attribute_v9, "buffer index", 1 | 1 << 24);
    v9_refused(&v, "there is no buffer 16777217 in table 2");
    v9_end(&v);
}

/* Formats as registers get them: a byte is b, of normalised formats 0 or 255 alone. Beyond the buffer are zeros. */
static void test_attribute_formats(void **state)
{
    enum { COUNT = 32, THREADS = 40 };
    static const struct {
        const char *as;
        uint32_t format, order, halves; /* of a register */
        bool integer, to_float;
    } cases[] = {{".v4.f32", MALI_FORMAT_RGBA8_UNORM, MALI_RGB_COMPONENT_ORDER_RGBA, 0, false, true},
                 {".v4.f16", MALI_FORMAT_RGBA8_UNORM, MALI_RGB_COMPONENT_ORDER_RGBA, 1, false, true},
                 {".v4.f32", MALI_FORMAT_RGBA8I, MALI_RGB_COMPONENT_ORDER_RGBA, 0, true, true},
                 {".v4.s32", MALI_FORMAT_RGBA8I, MALI_RGB_COMPONENT_ORDER_RGBA, 0, true, false},
                 {".v4.s16", MALI_FORMAT_RGBA8I, MALI_RGB_COMPONENT_ORDER_RGBA, 1, true, false},
                 {".v4.u16", MALI_FORMAT_RGBA8I, MALI_RGB_COMPONENT_ORDER_BGRA, 1, true, false}};
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(cases); k++) {
        struct v9 v;
        char text[1024];
        snprintf(text, sizeof text,
                 "MOV.i32 r8, r60\nLD_ATTR_IMM%s.slot0.wait0 @r4:r5%s, r8, r8, index:0x0, table:0x1\n" PLACE
                 "STORE.i32.slot0.wait0 @r4, r2, offset:4096\nSTORE.i32.slot0.wait0 @r5, r2, offset:8192\n"
                 "STORE.i32.slot0.wait0 @r6, r2, offset:12288\nSTORE.i32.slot0.end @r7, r2, offset:16384\n",
                 cases[k].as, cases[k].halves ? "" : ":r6:r7");
        v9_compute(&v, 1, THREADS, text);
        for (uint32_t n = 0; n < COUNT * 4; n++) /* of an integer n less 64 */
            v9_at(&v, V9_DATA)[n] = cases[k].integer ? (uint8_t)(n - 64) : n % 3 ? 255 : 0;
        v9_buffer(&v, V9_ATTRIBUTE_BUFFERS, 0, V9_DATA, COUNT * 4);
        const uint32_t at = v9_attribute(&v, 0, cases[k].format, 4);
        v9_set(&v, at, &mali_desc_attribute_v9, "order", cases[k].order);
        v9_run(&v);
        for (uint32_t n = 0; n < THREADS * 4; n++) {
            const bool swapped = cases[k].order == MALI_RGB_COMPONENT_ORDER_BGRA && n % 2 == 0;
            const uint32_t c = n % 4, from = swapped ? n ^ 2 : n;
            const int32_t whole = n >= COUNT * 4 ? 0 : cases[k].integer ? (int32_t)from - 64 : from % 3 != 0;
            uint32_t expected = cases[k].to_float ? util_f2u((float)whole) : (uint32_t)whole;
            if (cases[k].halves && cases[k].to_float)
                expected = whole ? 0x3c00 : 0;
            const uint32_t word = cases[k].halves ? c / 2 : c;
            uint32_t got = v9_word(&v, V9_DATA + 4096 * (1 + word), n / 4);
            if (cases[k].halves)
                got = got >> 16 * (c & 1) & 0xffff;
            assert_int_equal(got, cases[k].halves ? expected & 0xffff : expected);
        }
        v9_end(&v);
    }
}

/* An image of one row of 32 texels at `address`, entry 0 of its table. */
static void image(struct v9 *v, uint32_t format, uint32_t order, uint32_t address)
{
    const uint32_t at = v9_entry(v, V9_IMAGES, 0), plane = v9_entry(v, V9_IMAGES, 2);
    v9_set(v, V9_TABLES + V9_IMAGES * 16, &mali_desc_resource, "size", 32);
    v9_set(v, at, &mali_desc_texture, "type", MALI_DESCRIPTOR_TYPE_TEXTURE);
    v9_set(v, at, &mali_desc_texture, "dimension", MALI_TEXTURE_DIMENSION_2D);
    v9_set(v, at, &mali_desc_texture, "width", 32);
    v9_set(v, at, &mali_desc_texture, "format", format);
    v9_set(v, at, &mali_desc_texture, "order", order);
    v9_set(v, at, &mali_desc_texture, "swizzle", 0x688);
    v9_set(v, at, &mali_desc_texture, "surfaces", plane);
    v9_set(v, plane, &mali_desc_plane, "type", MALI_DESCRIPTOR_TYPE_PLANE);
    v9_set(v, plane, &mali_desc_plane, "plane type", MALI_PLANE_TYPE_GENERIC);
    v9_set(v, plane, &mali_desc_plane, "clump ordering", MALI_CLUMP_ORDERING_LINEAR);
    v9_set(v, plane, &mali_desc_plane, "clump format", MALI_CLUMP_FORMAT_RAW32);
    v9_set(v, plane, &mali_desc_plane, "size", 128);
    v9_set(v, plane, &mali_desc_plane, "pointer", address);
    v9_set(v, plane, &mali_desc_plane, "row stride", 128);
}

/* What is stored without a format is of the image's kind: the word of the address says none of registers. */
static void test_images(void **state)
{
    static const struct {
        uint32_t format, order, expected[2];
        const char *value;
    } cases[] = {
        {MALI_FORMAT_R32UI, MALI_RGB_COMPONENT_ORDER_RGB1, {5, 19}, "MOV.i32 r4, r60\n"},
        {MALI_FORMAT_R32I, MALI_RGB_COMPONENT_ORDER_RGB1, {5, 19}, "MOV.i32 r4, r60\n"},
        {MALI_FORMAT_R32F, MALI_RGB_COMPONENT_ORDER_RGB1, {0x40a00000, 0x41980000}, "U32_TO_F32 r4, r60\n"}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        struct v9 v;
        char text[512];
        snprintf(text, sizeof text,
                 "%s"
                 "MOV.i32 r5, r4\nMOV.i32 r6, r4\nMOV.i32 r7, r4\n"
                 "LEA_TEX_IMM.slot1.wait1 @r0:r1:r2, r60, 0x0, table:0x5, index:0x0\n"
                 "LSHIFT_OR.i32 r8, r60, 0x3020100.b22, 0x0\nIADD.u32 r8, u0, r8\nMOV.i32 r9, 0x0\n"
                 "STORE.i32.slot0.wait0 @r2, r8, offset:4096\n"
                 "ST_CVT.slot2.v4.auto.end @r4:r5:r6:r7, r0, r2, offset:0x0\n",
                 cases[n].value);
        v9_compute(&v, 1, 32, text);
        image(&v, cases[n].format, cases[n].order, V9_DATA);
        v9_run(&v);
        assert_int_equal(v9_word(&v, V9_DATA, 5), cases[n].expected[0]);
        assert_int_equal(v9_word(&v, V9_DATA, 19), cases[n].expected[1]);
        for (uint32_t k = 0; k < 32; k++)
            assert_int_equal(v9_word(&v, V9_DATA + 4096, k) >> 24, 0);
        v9_end(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ids),
                                       cmocka_unit_test(test_barrier),
                                       cmocka_unit_test(test_atomics),
                                       cmocka_unit_test(test_buffers),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_attributes),
                                       cmocka_unit_test(test_attribute_formats),
                                       cmocka_unit_test(test_images)};
    return ways_run_group_tests(tests);
}
