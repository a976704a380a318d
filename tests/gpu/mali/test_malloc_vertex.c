/* Jobs of v9 that shade the vertices that they draw: where positions, sizes and varyings come to stand, which vertices are
 * shaded, heaps that grow, what hostile jobs come to. Expected values are worked out here. */
#include "gpu/bin.h"
#include "gpu/mali/tile_lists.h"
#include "gpu/mali/vertices.h"
#include "tests/gpu/mali/valhall.h"

enum { SIDE = 128, LISTS = 4, TYPE = MALI_JOB_TYPE_MALLOC_VERTEX };
/* Behind the lists of a frame's first draw. */
enum { ARRAYS = V9_HEAP + ((LISTS * (24 + 256) + 63) & ~63) };
enum { INDICES = V9_DATA + 0x8000, STRIDE = 32 };

/* Vertex n's position is (n, instance, 0.5, 1), its size as a half 0x4000 + n, its varyings n and instance. */
static const char position_program[] =
    "MOV.i32 r0, r60\nU32_TO_F32 r0, r0\nMOV.i32 r1, r61\nU32_TO_F32 r1, r1\n"
    "IADD_IMM.i32 r2, 0x0, #0x3F000000\nMOV.i32 r3, 0x3F800000\n"
    "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
    "STORE.i128.istream.slot2.end @r0:r1:r2:r3, r4, offset:0\n";
static const char point_program[] =
    "MOV.i32 r0, r60\nU32_TO_F32 r0, r0\nMOV.i32 r1, r61\nU32_TO_F32 r1, r1\n"
    "IADD_IMM.i32 r2, 0x0, #0x3F000000\nMOV.i32 r3, 0x3F800000\n"
    "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
    "STORE.i128.istream.slot2.wait0126 @r0:r1:r2:r3, r4, offset:0\n"
    "IADD_IMM.i32 r6, r59, #0x4\nLEA_BUF_IMM.slot1.wait1 @r4:r5, r6, table:0xD, index:0x0\n"
    "IADD_IMM.i32 r6, r60, #0x4000\nSTORE.i16.istream.slot2.end @r6, r4, offset:0\n";
static const char varying_program[] =
    "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
    "MOV.i32 r0, r60\nMOV.i32 r1, r61\nSTORE.i64.estream.slot2.end @r0:r1, r4, offset:16\n";

static uint32_t section(enum mali_section s)
{
    return v9_section(TYPE, s);
}

static void set_primitive(struct v9 *v, const char *name, uint64_t value)
{
    v9_set(v, section(MALI_SECTION_PRIMITIVE), &mali_desc_primitive, name, value);
}

static void set_instances(struct v9 *v, uint32_t count)
{
    util_store32(v9_at(v, section(MALI_SECTION_INSTANCE_COUNT)), count);
}

/* Without the heap's pages. */
static void begin(struct v9 *v, uint32_t mode, uint32_t count)
{
    v9_begin(v, TYPE);
    set_primitive(v, "draw mode", mode);
    set_primitive(v, "index count", count);
    set_primitive(v, "secondary shader", 1);
    set_instances(v, 1);
    v9_set(v, section(MALI_SECTION_ALLOCATION), &mali_desc_allocation, "vertex packet stride", STRIDE + 16);
    v9_set(v, section(MALI_SECTION_ALLOCATION), &mali_desc_allocation, "vertex attribute stride", STRIDE);
    v9_set(v, section(MALI_SECTION_TILER), &mali_desc_tiler_pointer, "address", V9_CONTEXT);
    v9_set(v, section(MALI_SECTION_SCISSOR), &mali_desc_scissor, "scissor maximum X", SIDE - 1);
    v9_set(v, section(MALI_SECTION_SCISSOR), &mali_desc_scissor, "scissor maximum Y", SIDE - 1);
    v9_set(v, section(MALI_SECTION_INDICES), &mali_desc_indices, "address", INDICES);
    v9_set(v, V9_CONTEXT, &mali_desc_tiler_v6, "FB width", SIDE);
    v9_set(v, V9_CONTEXT, &mali_desc_tiler_v6, "FB height", SIDE);
    v9_set(v, V9_CONTEXT, &mali_desc_tiler_v6, "heap", V9_HEAP_AT);
    v9_set(v, V9_HEAP_AT, &mali_desc_tiler_heap, "size", V9_HEAP_BYTES);
    v9_set(v, V9_HEAP_AT, &mali_desc_tiler_heap, "base", V9_HEAP);
    v9_set(v, V9_HEAP_AT, &mali_desc_tiler_heap, "bottom", V9_HEAP);
    v9_set(v, V9_HEAP_AT, &mali_desc_tiler_heap, "top", V9_HEAP + V9_HEAP_BYTES);
    v9_program(v, 0, section(MALI_SECTION_POSITION), position_program);
    v9_program(v, 1, section(MALI_SECTION_VARYING), varying_program);
}

static uint8_t *map_heap(struct v9 *v, uint32_t bytes)
{
    uint8_t *heap = guest_map(&v->guest, V9_HEAP, bytes, RIGHT_BOTH);
    guest_flush_as(&v->guest, 0);
    return heap;
}

static void set_indices(struct v9 *v, const uint16_t *index, uint32_t count)
{
    memcpy(v9_at(v, INDICES), index, count * sizeof *index);
    set_primitive(v, "index type", MALI_INDEX_TYPE_UINT16);
    set_primitive(v, "index count", count);
}

static uint32_t number_at(const uint8_t *heap, uint32_t address, uint32_t n)
{
    return util_load32(heap + (address - V9_HEAP) + 4 * n);
}

/* Number `n` of the arrays has the varyings of vertex `vertex` of `instance`, or none. `all`: vertices that have room. */
static void expect_varyings(const uint8_t *heap, uint32_t all, uint32_t n, uint32_t vertex, uint32_t instance,
                            bool shaded)
{
    const uint32_t varying = ((ARRAYS + all * 16 + 63) & ~63u) + n * STRIDE;
    assert_int_equal(number_at(heap, varying, 4), shaded ? vertex : 0);
    assert_int_equal(number_at(heap, varying, 5), shaded ? instance : 0);
    assert_int_equal(number_at(heap, varying, 0), 0);
}

/* The same of its position. */
static void expect_position(const uint8_t *heap, uint32_t n, uint32_t vertex, uint32_t instance, bool shaded)
{
    const uint32_t position = ARRAYS + n * 16;
    assert_int_equal(number_at(heap, position, 0), shaded ? util_f2u((float)vertex) : 0);
    assert_int_equal(number_at(heap, position, 1), shaded ? util_f2u((float)instance) : 0);
    assert_int_equal(number_at(heap, position, 2), shaded ? util_f2u(0.5f) : 0);
    assert_int_equal(number_at(heap, position, 3), shaded ? util_f2u(1.0f) : 0);
}

static void expect(const uint8_t *heap, uint32_t all, uint32_t n, uint32_t vertex, uint32_t instance,
                   bool shaded)
{
    expect_position(heap, n, vertex, instance, shaded);
    expect_varyings(heap, all, n, vertex, instance, shaded);
}

/* The record of a list's first draw. */
static struct gpu_bin_state record(const uint8_t *heap, uint32_t list)
{
    struct gpu_bin_state s;
    memcpy(&s, heap + number_at(heap, V9_HEAP + list * 24, 4) - V9_HEAP, sizeof s);
    return s;
}

/* Lines from one vertex to the next: those of vertex SIDE and on lie beside the frame. */
static void begin_lines(struct v9 *v, uint32_t count)
{
    begin(v, MALI_DRAW_MODE_LINES, count);
    v9_set(v, section(MALI_SECTION_PRIMITIVE_SIZE), &mali_desc_primitive_size, "constant", util_f2u(1.0f));
}

/* All have positions; varyings those of lines in lists, and who is shaded together with these. */
static void test_vertices(void **state)
{
    struct v9 v;
    begin_lines(&v, 300);
    set_primitive(&v, "base vertex offset", 7);
    set_instances(&v, 3);
    uint8_t *heap = map_heap(&v, 0x20000);
    v9_run(&v);
    for (uint32_t n = 0; n < 900; n++) {
        expect_position(heap, n, 7 + n % 300, n / 300, true);
        expect_varyings(heap, 900, n, 7 + n % 300, n / 300, n % 300 < SIDE);
    }
    assert_int_equal(mali_device_host(v.guest.device)->counters.vertices, 900);
    assert_int_equal(mali_device_host(v.guest.device)->counters.primitives_in, 450);
    v9_end(&v);
}

/* Fragments of a program whose pixels may not be killed may store: the frame is told. */
static void test_stores(void **state)
{
    for (uint32_t may_be_killed = 0; may_be_killed < 2; may_be_killed++) {
        struct v9 v;
        begin(&v, MALI_DRAW_MODE_TRIANGLES, 3);
        v9_program(&v, 2, section(MALI_SECTION_ENVIRONMENT), "NOP.end\n");
        v9_set(&v, section(MALI_SECTION_DRAW), &mali_desc_draw_v9, "allow forward pixel to be killed",
               may_be_killed);
        map_heap(&v, 0x20000);
        v9_run(&v);
        struct mali_stop stop;
        struct mali_lists_header header;
        const struct gpu_space *space = mali_as_space(v.guest.device, 0, &stop);
        const struct mali_reader reader = {.space = space, .version = MALI_V9, .unit = "test"};
        struct mali_tiler_context context;
        assert_true(mali_tiler_context_read(&reader, V9_CONTEXT, &context, &stop));
        const struct mali_lists_place place = mali_lists_of_context(MALI_V9, &context);
        assert_true(mali_lists_header_read(space, &place, "test", &header, &stop));
        assert_int_equal(header.alone, !may_be_killed);
        v9_end(&v);
    }
}

/* Those that indices name, without restarts; their records say where the entries' vertices stand. */
static void test_indices(void **state)
{
    static const uint16_t index[] = {1000, 1090, 1003, UINT16_MAX, 1003, 1050, 1001, 1090};
    struct v9 v;
    begin(&v, MALI_DRAW_MODE_LINE_STRIP, 0);
    v9_set(&v, section(MALI_SECTION_PRIMITIVE_SIZE), &mali_desc_primitive_size, "constant", util_f2u(1.0f));
    set_indices(&v, index, UTIL_ARRAY_SIZE(index));
    set_primitive(&v, "primitive restart", 1);
    set_primitive(&v, "base vertex offset", (uint32_t)-1000);
    set_instances(&v, 2);
    uint8_t *heap = map_heap(&v, 0x10000);
    v9_run(&v);
    for (uint32_t n = 0; n < 182; n++) {
        const uint32_t at = n % 91;
        expect(heap, 182, n, at, n / 91, at < 2 || at == 3 || at == 50 || at == 90);
    }
    assert_int_equal(mali_device_host(v.guest.device)->counters.vertices, 10);
    const struct gpu_bin_state s = record(heap, 0);
    assert_int_equal(s.state, V9_JOB);
    assert_int_equal(s.positions, ARRAYS);
    assert_int_equal(s.first, 0);
    assert_int_equal(s.varyings, (ARRAYS + 182 * 16 + 63) & ~63u);
    struct mali_allocation layout = {.vertex_attribute_stride = STRIDE};
    uint64_t address;
    assert_true(mali_vertex_varying(s.varyings, &layout, 94, 16, 8, &address));
    assert_int_equal(number_at(heap, (uint32_t)address, 0), 3);
    assert_false(mali_vertex_varying(s.varyings, &layout, 0, 28, 8, &address));
    assert_false(mali_vertex_varying(0, &layout, 0, 0, 4, &address));
    v9_end(&v);
}

static void test_points(void **state)
{
    struct v9 v;
    begin(&v, MALI_DRAW_MODE_POINTS, 40);
    set_primitive(&v, "point size array format", MALI_POINT_SIZE_ARRAY_FORMAT_FP16);
    set_primitive(&v, "secondary shader", 0);
    v9_set(&v, section(MALI_SECTION_ALLOCATION), &mali_desc_allocation, "vertex attribute stride", 0);
    v9_program(&v, 0, section(MALI_SECTION_POSITION), point_program);
    uint8_t *heap = map_heap(&v, 0x10000);
    v9_run(&v);
    for (uint32_t n = 0; n < 40; n++) {
        assert_int_equal(number_at(heap, ARRAYS + n * 16, 0), util_f2u((float)n));
        assert_int_equal(util_load16(heap + (ARRAYS + 40 * 16 - V9_HEAP) + 2 * n), 0x4000 + n);
    }
    const struct gpu_bin_state s = record(heap, 0);
    assert_true(s.half_sizes && s.point_sizes == ARRAYS + 40 * 16 && !s.varyings);
    v9_end(&v);
}

/* What Mesa spills goes to the thread's storage, "force" (va_pack_memory_access). */
static void test_spills(void **state)
{
    struct v9 v;
    begin_lines(&v, 300);
    v9_set(&v, V9_STORAGE, &mali_desc_storage, "TLS size", 1);
    v9_set(&v, V9_STORAGE, &mali_desc_storage, "TLS base pointer",
           V9_DATA); /* not where it is: only that it is */
    v9_program(&v, 1, section(MALI_SECTION_VARYING),
               "STORE.i32.force.slot0.wait0 @r60, thread_local_pointer.w0, offset:4\n"
               "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\nMOV.i32 r60, 0x0\n"
               "LOAD.i32.unsigned.slot0.wait0 @r0, thread_local_pointer.w0, offset:4\nMOV.i32 r1, r61\n"
               "STORE.i64.estream.slot2.end @r0:r1, r4, offset:16\n");
    uint8_t *heap = map_heap(&v, 0x20000);
    v9_run(&v);
    for (uint32_t n = 0; n < 300; n++) {
        expect_position(heap, n, n, 0, true);
        expect_varyings(heap, 300, n, n, 0, n < SIDE + 16); /* a line touches the edge */
    }
    v9_end(&v);
}

/* A heap whose pages come one by one has the same bytes in the end as one that is there. */
static void test_growth(void **state)
{
    enum { BYTES = 0x18000 };
    struct v9 whole, v;
    begin_lines(&whole, 1500);
    const uint8_t *expected = map_heap(&whole, BYTES);
    v9_run(&whole);
    expect_varyings(expected, 1500, 100, 100, 0, true);
    begin_lines(&v, 1500);
    guest_submit(&v.guest, 1, V9_JOB, 0x83300);
    static uint8_t grown[BYTES];
    uint8_t *page[BYTES / GPU_PAGE] = {0};
    unsigned times = 0;
    while (mali_read(v.guest.device, MMU_RAW)) {
        const uint64_t at = guest_read64(&v.guest, guest_as(0, AS_FAULT_AT)) & ~(uint64_t)(GPU_PAGE - 1);
        assert_true(at >= V9_HEAP && at < V9_HEAP + BYTES && ++times <= BYTES / GPU_PAGE);
        page[(at - V9_HEAP) / GPU_PAGE] = guest_map(&v.guest, at, GPU_PAGE, RIGHT_BOTH);
        mali_write(v.guest.device, MMU_CLEAR, UINT32_MAX);
        guest_flush_as(&v.guest, 0);
    }
    guest_expect_no_fault(&v.guest);
    assert_int_equal(mali_read(v.guest.device, JOB_RAW), 2);
    assert_true(times > 3);
    for (unsigned n = 0; n < BYTES / GPU_PAGE; n++)
        if (page[n])
            memcpy(grown + n * GPU_PAGE, page[n], GPU_PAGE);
    assert_memory_equal(grown, expected, BYTES);
    v9_end(&whole);
    v9_end(&v);
}

/* Nothing to draw is no fault, and touches no heap. */
static void test_nothing(void **state)
{
    static const uint16_t restarts[] = {UINT16_MAX, UINT16_MAX};
    for (unsigned n = 0; n < 3; n++) {
        struct v9 v;
        begin(&v, MALI_DRAW_MODE_TRIANGLES, n ? 3 : 0);
        if (n == 1)
            set_instances(&v, 0);
        if (n == 2) {
            set_indices(&v, restarts, 2);
            set_primitive(&v, "primitive restart", 1);
        }
        map_heap(&v, 0x10000);
        v9_run(&v);
        assert_int_equal(mali_device_host(v.guest.device)->counters.vertices, 0);
        v9_end(&v);
    }
}

static void test_refusals(void **state)
{
    static const char *const why[] = {"more than 2^24 vertices",
                                      "has no room for",
                                      "without a program",
                                      "beyond the thread's own",
                                      "beyond the thread's own",
                                      "beyond the thread's storage",
                                      "as singles"};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(why); n++) {
        struct v9 v;
        begin(&v, MALI_DRAW_MODE_TRIANGLES, 3);
        map_heap(&v, 0x10000);
        if (n == 0) {
            util_store32(v9_at(&v, INDICES), 5);
            util_store32(v9_at(&v, INDICES) + 4, 5 + (1 << 24));
            set_primitive(&v, "index type", MALI_INDEX_TYPE_UINT32);
            set_primitive(&v, "index count", 2);
        } else if (n == 1) {
            set_instances(&v, UINT32_MAX);
        } else if (n == 2) {
            v9_set(&v, section(MALI_SECTION_POSITION), &mali_desc_environment, "shader", 0);
        } else if (n == 3) { /* the vertex behind */
            v9_program(&v, 0, section(MALI_SECTION_POSITION),
                       "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
                       "STORE.i128.istream.slot2.end @r0:r1:r2:r3, r4, offset:4\n");
        } else if (n == 4) {
            v9_program(&v, 1, section(MALI_SECTION_VARYING),
                       "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
                       "STORE.i128.istream.slot2.end @r0:r1:r2:r3, r4, offset:0\n");
        } else if (n == 5) {
            v9_program(&v, 1, section(MALI_SECTION_VARYING),
                       "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
                       "STORE.i64.force.slot2.end @r0:r1, r4, offset:0\n");
        } else {
            set_primitive(&v, "point size array format", MALI_POINT_SIZE_ARRAY_FORMAT_FP32);
        }
        v9_refused(&v, why[n]);
        v9_end(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vertices), cmocka_unit_test(test_stores),
                                       cmocka_unit_test(test_indices),  cmocka_unit_test(test_points),
                                       cmocka_unit_test(test_spills),   cmocka_unit_test(test_growth),
                                       cmocka_unit_test(test_nothing),  cmocka_unit_test(test_refusals)};
    return ways_run_group_tests(tests);
}
