/* Jobs of v6 and v7 that shade the vertices that they draw, into the draw's own arrays: which vertices are shaded, with
 * restarts, base vertices and instances; pages that come later; what is refused, by name. Expected values are worked
 * out here. */
#include "tests/gpu/mali/bifrost.h"
#include "util/half.h"

enum { SIDE = 128, TYPE = MALI_JOB_TYPE_INDEXED_VERTEX, HEAP = 0x1000000, HEAP_BYTES = 0x100000 };
enum { INDICES = BIF_DATA, VARYINGS = BIF_DATA + 0x10000, POSITIONS = 0x400000 };
enum { STRIDE = 16, VARYING_AT = 8, UNTOUCHED = 0xa5 };
enum { SIZE = 3 << 5, PADDED = 1 << 5 | 5 }; /* of an instance, and as its field has it: (2 * 1 + 1) << 5 */

/* Vertex n's position is (n, instance, 0.5, 1), its varyings n and instance. %x: the word that converts to a position. */
static const char position_program[] =
    "ds(0) nbb next_store {\n*NOP t0\n+U32_TO_F32 r0:t1, r61\n*NOP t0\n+U32_TO_F32 r1:t1, r62\n"
    "*MOV.i32 r2:t0, 0x3f000000\n+NOP t1\n*MOV.i32 r3:t0, 0x3f800000\n+NOP t1\n"
    "const 0x0, 0x3f000000\nconst 0x0, 0x3f800000\n}\n"
    "ds(0) eos store {\n*NOP t0\n+ST_CVT.v4 t1, r58, r59, 0x%08x, @r0\nconst 0x0, 0x%x\n}";
static const char varying_program[] =
    "ds(0) nbb next_attr {\n*MOV.i32 r0:t0, r61\n+NOP t1\n*MOV.i32 r1:t0, r62\n+NOP t1\n}\n"
    "ds(0) nbb attr next_store {\n*NOP t0\n+LEA_ATTR_IMM.auto t1, r61, r62, attribute_index:1, @r4\n}\n"
    "ds(0) eos store dwb(0) {\n*NOP t0\n+ST_CVT.v2 t1, r4, r5, r6, @r0\n}";

static uint32_t section(const struct bif *b, enum mali_section s)
{
    return bif_section(b, TYPE, s);
}

static void set_primitive(struct bif *b, const char *name, uint64_t value)
{
    bif_set(b, section(b, MALI_SECTION_PRIMITIVE), &mali_desc_primitive, name, value);
}

static void set_positions(struct bif *b)
{
    const uint32_t conversion = MALI_REGISTER_FILE_FORMAT_F32 << 24 | MALI_FORMAT_SNAP_4 << 12 | bif_order(b);
    char text[1024];
    snprintf(text, sizeof text, position_program, conversion, conversion);
    bif_program(b, 0, text);
}

static void set_frame(struct bif *b)
{
    bif_set(b, section(b, MALI_SECTION_TILER), &mali_desc_tiler_pointer, "address", BIF_CONTEXT);
    bif_set(b, BIF_VIEWPORT, &mali_desc_viewport, "scissor maximum X", SIDE - 1);
    bif_set(b, BIF_VIEWPORT, &mali_desc_viewport, "scissor maximum Y", SIDE - 1);
    bif_set(b, BIF_CONTEXT, &mali_desc_tiler_v6, "FB width", SIDE);
    bif_set(b, BIF_CONTEXT, &mali_desc_tiler_v6, "FB height", SIDE);
    bif_set(b, BIF_CONTEXT, &mali_desc_tiler_v6, "heap", BIF_HEAP_AT);
    bif_set(b, BIF_HEAP_AT, &mali_desc_tiler_heap, "size", HEAP_BYTES);
    bif_set(b, BIF_HEAP_AT, &mali_desc_tiler_heap, "base", HEAP);
    bif_set(b, BIF_HEAP_AT, &mali_desc_tiler_heap, "bottom", HEAP);
    bif_set(b, BIF_HEAP_AT, &mali_desc_tiler_heap, "top", HEAP + HEAP_BYTES);
    guest_map(&b->guest, HEAP, 0x8000, RIGHT_BOTH);
}

/* Without the positions' pages. */
static void begin(struct bif *b, enum mali_kind kind, uint32_t mode, uint32_t count, uint32_t instances)
{
    bif_begin(b, kind, TYPE, MALI_SECTION_VERTEX_DRAW);
    const uint32_t vertices = section(b, MALI_SECTION_VERTEX_DRAW), fragments = section(b, MALI_SECTION_DRAW);
    bif_invocations(b, 1, instances);
    set_primitive(b, "draw mode", mode);
    set_primitive(b, "index count", count);
    set_primitive(b, "indices", INDICES);
    set_primitive(b, "secondary shader", 1);
    bif_set(b, vertices, &mali_desc_draw, "instance size", instances > 1 ? PADDED : 0);
    bif_set(b, fragments, &mali_desc_draw, "instance size", instances > 1 ? PADDED : 0);
    bif_set(b, fragments, &mali_desc_draw, "position", POSITIONS);
    bif_set(b, fragments, &mali_desc_draw, "state", BIF_FRAGMENTS);
    bif_set(b, fragments, &mali_desc_draw, "viewport", BIF_VIEWPORT);
    bif_set(b, fragments, &mali_desc_draw, "thread storage", BIF_STORAGE);
    bif_set(b, BIF_STATE, &mali_desc_state, "varying count", 2);
    bif_set(b, BIF_VARYINGS + 8, &mali_desc_attribute, "format", MALI_FORMAT_RG32UI);
    bif_set(b, BIF_VARYINGS + 8, &mali_desc_attribute, "order", bif_order(b));
    bif_set(b, BIF_VARYINGS + 8, &mali_desc_attribute, "offset", VARYING_AT);
    bif_buffer(b, BIF_VARYING_BUFFERS, VARYINGS, STRIDE, BIF_DATA_BYTES - 0x10000);
    memset(bif_at(b, VARYINGS), UNTOUCHED, BIF_DATA_BYTES - 0x10000);
    set_frame(b);
    set_positions(b);
    bif_program(b, 1, varying_program);
}

static uint8_t *map_positions(struct bif *b, uint32_t address, uint32_t bytes)
{
    uint8_t *at = guest_map(&b->guest, address, bytes, RIGHT_BOTH);
    memset(at, UNTOUCHED, bytes);
    guest_flush_as(&b->guest, 0);
    return at;
}

static void set_indices(struct bif *b, const uint16_t *index, uint32_t count)
{
    memcpy(bif_at(b, INDICES), index, count * sizeof *index);
    set_primitive(b, "index type", MALI_INDEX_TYPE_UINT16);
    set_primitive(b, "index count", count);
}

/* Number n of the arrays has the position of vertex `vertex` of `instance`, or none. */
static void expect_position(const uint8_t *positions, uint32_t n, uint32_t vertex, uint32_t instance,
                            bool shaded)
{
    const uint32_t position[4] = {util_f2u((float)vertex), util_f2u((float)instance), util_f2u(0.5f),
                                  util_f2u(1.0f)};
    for (unsigned c = 0; c < 4; c++)
        assert_int_equal(util_load32(positions + n * 16 + c * 4),
                         shaded ? position[c] : UNTOUCHED * 0x01010101u);
}

/* The same of varyings. */
static void expect_varyings(struct bif *b, uint32_t n, uint32_t vertex, uint32_t instance, bool shaded)
{
    const uint32_t untouched = UNTOUCHED * 0x01010101u;
    const uint32_t varying[4] = {untouched, untouched, vertex, instance};
    for (unsigned c = 0; c < 4; c++)
        assert_int_equal(bif_word(b, VARYINGS + n * STRIDE, c), shaded ? varying[c] : untouched);
}

static void expect(struct bif *b, const uint8_t *positions, uint32_t n, uint32_t vertex, uint32_t instance,
                   bool shaded)
{
    expect_position(positions, n, vertex, instance, shaded);
    expect_varyings(b, n, vertex, instance, shaded);
}

static uint64_t shaded(const struct bif *b)
{
    return mali_device_host(b->guest.device)->counters.vertices;
}

/* All vertices of all instances, whose arrays stand so many vertices apart. */
static void test_instances(void **state)
{
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(bif_kinds); k++) {
        struct bif b;
        begin(&b, bif_kinds[k], MALI_DRAW_MODE_TRIANGLES, 90, 3);
        set_primitive(&b, "base vertex offset", 7); /* of indices, which there are none of */
        const uint8_t *positions = map_positions(&b, POSITIONS, 0x2000);
        bif_run(&b);
        for (uint32_t n = 0; n < 3 * SIZE; n++)
            expect(&b, positions, n, n % SIZE, n / SIZE, n % SIZE < 90);
        assert_int_equal(shaded(&b), 270);
        assert_int_equal(mali_device_host(b.guest.device)->counters.primitives_in, 90);
        bif_end(&b);
    }
}

/* Those that indices name, with the base vertex on top, without restarts. */
static void test_indices(void **state)
{
    static const uint16_t index[] = {1000, 1050, 1003, 77, 1003, 1040, 1001, 1050};
    static const struct {
        uint32_t base, least;
    } cases[] = {{(uint32_t)-1000, 0}, {(uint32_t)-990, 10}};
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(bif_kinds) * UTIL_ARRAY_SIZE(cases); k++) {
        const uint32_t least = cases[k / 2].least;
        struct bif b;
        begin(&b, bif_kinds[k % 2], MALI_DRAW_MODE_LINE_STRIP, 1, 2);
        bif_set(&b, section(&b, MALI_SECTION_PRIMITIVE_SIZE), &mali_desc_primitive_size, "constant",
                util_f2u(1.0f));
        set_indices(&b, index, UTIL_ARRAY_SIZE(index));
        set_primitive(&b, "primitive restart", MALI_PRIMITIVE_RESTART_EXPLICIT);
        set_primitive(&b, "primitive restart index", 77);
        set_primitive(&b, "base vertex offset", cases[k / 2].base);
        const uint8_t *positions = map_positions(&b, POSITIONS, 0x2000);
        bif_run(&b);
        for (uint32_t n = 0; n < 2 * SIZE; n++) {
            const uint32_t at = n % SIZE - least;
            expect(&b, positions, n, n % SIZE, n / SIZE, at < 2 || at == 3 || at == 40 || at == 50);
        }
        assert_int_equal(shaded(&b), 10);
        assert_int_equal(mali_device_host(b.guest.device)->counters.primitives_in, 2 * (2 + 3));
        bif_end(&b);
    }
}

/* A job whose positions' pages come one by one shades each vertex once in the end, and draws the same: lines, of which
 * those beside the frame need no varyings. */
static void test_pages(void **state)
{
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(bif_kinds); k++) {
        enum { COUNT = 900, PAGES = 4 };
        struct bif b;
        uint8_t *page[PAGES] = {NULL};
        begin(&b, bif_kinds[k], MALI_DRAW_MODE_LINES, COUNT, 1);
        bif_set(&b, section(&b, MALI_SECTION_PRIMITIVE_SIZE), &mali_desc_primitive_size, "constant",
                util_f2u(1.0f));
        guest_flush_as(&b.guest, 0);
        guest_submit(&b.guest, 1, BIF_JOB, 0x83300);
        for (unsigned times = 0; mali_read(b.guest.device, MMU_RAW); times++) {
            const uint64_t at = guest_read64(&b.guest, guest_as(0, AS_FAULT_AT)) & ~(uint64_t)(GPU_PAGE - 1);
            assert_true(times < PAGES && at >= POSITIONS && at < POSITIONS + PAGES * GPU_PAGE);
            mali_write(b.guest.device, MMU_CLEAR, UINT32_MAX);
            page[(at - POSITIONS) / GPU_PAGE] = map_positions(&b, (uint32_t)at, GPU_PAGE);
        }
        guest_expect_no_fault(&b.guest);
        assert_int_equal(mali_read(b.guest.device, JOB_RAW), 2);
        for (uint32_t n = 0; n < COUNT; n++) {
            const uint8_t *in = page[n * 16 / GPU_PAGE];
            assert_non_null(in);
            expect_position(in - n * 16 / GPU_PAGE * GPU_PAGE, n, n, 0, true);
            expect_varyings(&b, n, n, 0, n < SIDE + 16); /* a line touches the edge */
        }
        assert_int_equal(shaded(&b), COUNT);
        assert_int_equal(mali_device_host(b.guest.device)->counters.primitives_in, COUNT / 2);
        bif_end(&b);
    }
}

/* Varyings of a format, of registers of another, and how many vertices' the buffer has. %s: the registers' format. */
static void test_varyings(void **state)
{
    static const char program[] =
        "ds(0) nbb next_attr {\n*NOP t0\n+U32_TO_F32 r0:t1, r61\n*NOP t0\n+U32_TO_F32 r1:t1, r62\n}\n"
        "ds(0) nbb attr next_store {\n*NOP t0\n+LEA_ATTR_IMM.%s t1, r61, r62, attribute_index:1, @r4\n}\n"
        "ds(0) eos store dwb(0) {\n*NOP t0\n+ST_CVT.v2 t1, r4, r5, r6, @r0\n}";
    static const struct {
        const char *as;
        uint32_t format, count;
    } cases[] = {{"auto", MALI_FORMAT_RG32F, 90}, {"f32", MALI_FORMAT_RG16F, 90},
                 {"f32", MALI_FORMAT_RG32UI, 90}, {"u32", MALI_FORMAT_RG16UI, 90},
                 {"f16", MALI_FORMAT_RG32F, 90},  {"f32", MALI_FORMAT_CONSTANT, 90},
                 {"auto", MALI_FORMAT_RG32F, 50}};
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(bif_kinds) * UTIL_ARRAY_SIZE(cases); k++) {
        const uint32_t format = cases[k / 2].format, count = cases[k / 2].count;
        const bool halves = !strcmp(cases[k / 2].as, "f16");
        struct bif b;
        char text[1024];
        begin(&b, bif_kinds[k % 2], MALI_DRAW_MODE_TRIANGLES, 90, 1);
        map_positions(&b, POSITIONS, 0x2000);
        snprintf(text, sizeof text, program, cases[k / 2].as);
        bif_program(&b, 1, text);
        bif_set(&b, BIF_VARYINGS + 8, &mali_desc_attribute, "format", format);
        bif_buffer(&b, BIF_VARYING_BUFFERS, VARYINGS, STRIDE, count * STRIDE);
        bif_run(&b);
        for (uint32_t n = 0; n < 90; n++) {
            const uint32_t untouched = UNTOUCHED * 0x01010101u, single = util_f2u((float)n);
            const uint32_t half = util_float_to_half((float)n);
            uint32_t expected[2] = {single, 0};
            if (format == MALI_FORMAT_CONSTANT || n >= count) {
                expected[0] = expected[1] = untouched;
            } else if (format == MALI_FORMAT_RG16F) {
                expected[0] = half;
                expected[1] = untouched;
            } else if (format == MALI_FORMAT_RG16UI) { /* the single's bits, as far as they go */
                expected[0] = UTIL_MIN(single, 0xffffu);
                expected[1] = untouched;
            } else if (format == MALI_FORMAT_RG32UI) {
                expected[0] = n;
            } else if (halves) { /* the first register has both */
                expected[0] = util_f2u(util_half_to_float((uint16_t)single));
                expected[1] = util_f2u(util_half_to_float((uint16_t)(single >> 16)));
            }
            assert_int_equal(bif_word(&b, VARYINGS + n * STRIDE, 2), expected[0]);
            assert_int_equal(bif_word(&b, VARYINGS + n * STRIDE, 3), expected[1]);
        }
        bif_end(&b);
    }
}

/* Nothing to draw is no fault; without a second program, or where the job does not ask for it, there are no varyings. */
static void test_nothing(void **state)
{
    static const uint16_t restarts[] = {UINT16_MAX, UINT16_MAX};
    for (unsigned n = 0; n < 2 * 3; n++) {
        struct bif b;
        begin(&b, bif_kinds[n % 2], MALI_DRAW_MODE_TRIANGLES, 3, 1);
        map_positions(&b, POSITIONS, 0x1000);
        if (n / 2 == 0) {
            set_indices(&b, restarts, 2);
            set_primitive(&b, "primitive restart", MALI_PRIMITIVE_RESTART_IMPLICIT);
        } else if (n / 2 == 1) {
            bif_set(&b, BIF_STATE, &mali_desc_state, "secondary shader", 0);
        } else {
            set_primitive(&b, "secondary shader", 0);
        }
        bif_run(&b);
        assert_int_equal(shaded(&b), n / 2 ? 3 : 0);
        assert_int_equal(bif_word(&b, VARYINGS, 2), UNTOUCHED * 0x01010101u);
        bif_end(&b);
    }
}

#define ALONE(flags, insn) "ds(0) eos " flags " {\n*NOP t0\n+" insn "\n}"

static void test_refusals(void **state)
{
    static const struct {
        const char *program, *why;
    } cases[] = {
        {NULL, "more than 2^24 vertices"},
        {NULL, "without a program"},
        {ALONE("attr", "LD_ATTR_IMM.f32.v4 t1, r61, r62, attribute_index:0, @r0"),
         "an attribute that there is not (0)"},
        {ALONE("vary", "LD_VAR.v4.store.f32.center t1, r61, r62, @r0"), "only fragments have"},
        {"ds(0) nbb next_attr {\n*MOV.i32 r4:t0, 0x02000000\n+NOP t1\nconst 0x0, 0x02000000\n}\n" ALONE(
             "attr", "LD_ATTR.f32.v4 t1, r61, r62, r4, @r0"),
         "neither attributes nor varyings"},
        {ALONE("load", "LD_CVT.v4 t1, r58, r59, r0, @r0"), "by a conversion word are not done"}};
    for (unsigned n = 0; n < 2 * UTIL_ARRAY_SIZE(cases); n++) {
        struct bif b;
        begin(&b, bif_kinds[n % 2], MALI_DRAW_MODE_TRIANGLES, 3, 1);
        map_positions(&b, POSITIONS, 0x1000);
        if (cases[n / 2].program) {
            bif_program(&b, 0, cases[n / 2].program);
        } else if (n / 2) {
            bif_set(&b, BIF_STATE, &mali_desc_state, "shader", 0);
        } else {
            util_store32(bif_at(&b, INDICES), 5);
            util_store32(bif_at(&b, INDICES) + 4, 5 + (1 << 24));
            set_primitive(&b, "index type", MALI_INDEX_TYPE_UINT32);
            set_primitive(&b, "index count", 2);
        }
        bif_refused(&b, cases[n / 2].why);
        bif_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_instances), cmocka_unit_test(test_indices),
                                       cmocka_unit_test(test_pages),     cmocka_unit_test(test_varyings),
                                       cmocka_unit_test(test_nothing),   cmocka_unit_test(test_refusals)};
    return ways_run_group_tests(tests);
}
