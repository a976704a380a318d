/* The tables of descriptors: what each row says of each version, apart from what desc.c makes of it; bits that fields
 * share; how many fields the sources know; where sections of jobs and frames stand. */
#include "tests/gpu/mali/guest.h"

#include "gpu/mali/payload.h"

/* ---- rows ---- */

enum how { HOW_FIELD, HOW_OVER, HOW_ALSO };
enum { NONE = -1 };
#define W(word, low) ((word) * 32 + (low))

struct row {
    const struct mali_desc *desc;
    const char *member, *text;
    enum how how;
    size_t to;
    uint32_t bits;
    int32_t at[MALI_VERSION_COUNT];
};

static const struct row rows[] = {
#define ROW(how, desc, member, text, width, ...)                                                             \
    {&mali_desc_##desc, #member, text, how, offsetof(struct mali_##desc, member), width, {__VA_ARGS__}},
#define BEGIN(desc, text, ...)
#define FIELD(desc, member, text, kind, width, ...) ROW(HOW_FIELD, desc, member, text, width, __VA_ARGS__)
#define OVER(desc, member, text, kind, width, ...)  ROW(HOW_OVER, desc, member, text, width, __VA_ARGS__)
#define ALSO(desc, member, text, kind, width, ...)  ROW(HOW_ALSO, desc, member, text, width, __VA_ARGS__)
#define END(desc)
#include "gpu/mali/descs.inc"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct {
    const struct mali_desc *desc;
    uint32_t fields[MALI_VERSION_COUNT];
} counts[] = {
#define COUNT(desc, ...) {&mali_desc_##desc, {__VA_ARGS__}},
#include "tests/gpu/mali/desc_counts.inc"
#undef COUNT
};

static bool has(const struct row *r, unsigned version)
{
    return r->at[version] != NONE;
}

/* The row that declares a member: ALSO stands right behind it. */
static const struct row *declares(const struct row *r)
{
    const struct row *first = r;
    while (first->how == HOW_ALSO)
        first--;
    assert_true(first >= rows && first->desc == r->desc && first->to == r->to);
    return first;
}

/* desc.c's tables are the rows that have bits, in their order. */
static void test_rows(void **state)
{
    for (unsigned c = 0; c < UTIL_ARRAY_SIZE(counts); c++)
        for (unsigned v = 0; v < MALI_VERSION_COUNT; v++) {
            const struct mali_desc *d = counts[c].desc;
            uint32_t n = 0;
            for (const struct row *r = rows; r < rows + ROWS; r++) {
                if (r->desc != d || !has(r, v))
                    continue;
                assert_true(n < d->count[v]);
                const struct gpu_record_field *f = &d->fields[v][n++];
                assert_string_equal(f->name, r->text);
                assert_int_equal(f->at, r->at[v]);
                assert_int_equal(f->bits, r->bits);
                assert_int_equal(f->to, r->to);
            }
            assert_int_equal(n, d->count[v]);
        }
}

/* A row is of some version; a member has bits once in each. */
static void test_members(void **state)
{
    for (const struct row *r = rows; r < rows + ROWS; r++) {
        unsigned versions = 0;
        for (unsigned v = 0; v < MALI_VERSION_COUNT; v++) {
            versions += has(r, v);
            for (const struct row *before = declares(r); has(r, v) && before < r; before++)
                if (has(before, v))
                    fail_msg("%s: %s twice in version %u", r->desc->name, r->text, v);
        }
        if (!versions)
            fail_msg("%s: %s is of no version", r->desc->name, r->text);
    }
}

/* Rows share bits where one is OVER, and a row that is OVER shares some. */
static void test_shared_bits(void **state)
{
    static bool shares[ROWS];
    for (const struct row *a = rows; a < rows + ROWS; a++)
        for (const struct row *b = a + 1; b < rows + ROWS && b->desc == a->desc; b++)
            for (unsigned v = 0; v < MALI_VERSION_COUNT; v++) {
                if (!has(a, v) || !has(b, v) || a->at[v] >= b->at[v] + (int32_t)b->bits ||
                    b->at[v] >= a->at[v] + (int32_t)a->bits)
                    continue;
                shares[declares(a) - rows] = shares[declares(b) - rows] = true;
                if (declares(a)->how != HOW_OVER && declares(b)->how != HOW_OVER)
                    fail_msg("%s: %s and %s share bits in version %u", a->desc->name, a->text, b->text, v);
            }
    for (unsigned n = 0; n < ROWS; n++)
        if (rows[n].how == HOW_OVER && !shares[n])
            fail_msg("%s: %s shares no bits", rows[n].desc->name, rows[n].text);
}

static void test_counts(void **state)
{
    unsigned descriptors = 0;
#define BEGIN(desc, text, ...) descriptors++;
#define FIELD(...)
#define END(desc)
#include "gpu/mali/descs.inc"
    assert_int_equal(descriptors, UTIL_ARRAY_SIZE(counts));
    for (unsigned c = 0; c < UTIL_ARRAY_SIZE(counts); c++)
        for (unsigned v = 0; v < MALI_VERSION_COUNT; v++)
            if (counts[c].fields[v] != counts[c].desc->count[v] ||
                !counts[c].fields[v] != !counts[c].desc->bytes[v])
                fail_msg("%s has %u fields in version %u, the sources know %u", counts[c].desc->name,
                         counts[c].desc->count[v], v, counts[c].fields[v]);
}

/* ---- versions ---- */

/* A list has in each version what the version knows. */
static void test_values(void **state)
{
    static const struct {
        uint32_t type;
        bool known[MALI_VERSION_COUNT];
    } types[] = {{MALI_JOB_TYPE_COMPUTE, {1, 1, 1, 1, 1}},
                 {MALI_JOB_TYPE_VERTEX, {1, 1, 1, 1, 0}},
                 {MALI_JOB_TYPE_INDEXED_VERTEX, {0, 0, 1, 1, 1}},
                 {MALI_JOB_TYPE_MALLOC_VERTEX, {0, 0, 0, 0, 1}}};
    uint32_t words[MALI_DESC_WORDS] = {0};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(types); n++)
        for (unsigned v = 0; v < MALI_VERSION_COUNT; v++) {
            words[4] = types[n].type << 1;
            assert_int_equal(mali_desc_job_header.is_valid[v](words), types[n].known[v]);
        }
    struct gpu_field fields[MALI_DESC_FIELDS];
    memset(words, 0, sizeof words);
    words[0] = MALI_BLOCK_FORMAT_V7_AFBC << 4;
    unsigned count = mali_desc_list(&mali_desc_zs_crc, MALI_V9, words, fields);
    assert_true(count > 1);
    assert_string_equal(fields[0].word, "AFBC");
    words[0] = MALI_BLOCK_FORMAT_AFBC << 4;
    assert_string_equal(mali_desc_reserved(&mali_desc_zs_crc, MALI_V9, words)->name, "ZS block format");
    words[0] = 0;
    words[3] = MALI_BLOCK_FORMAT_AFBC << 4;
    assert_null(mali_desc_reserved(&mali_desc_zs_crc, MALI_V6, words));
}

static void test_lacking(void **state)
{
    struct mali_reader reader = {.version = MALI_V5, .unit = "test"};
    struct mali_stop stop = {0};
    struct mali_plane plane;
    assert_false(mali_desc_read(&reader, &mali_desc_plane, 0x2000000, &plane, &stop));
    assert_int_equal(stop.fault.kind, GPU_FAULT_UNSUPPORTED);
    assert_non_null(strstr(stop.fault.text, "plane"));
    static const uint32_t unknown[] = {MALI_JOB_TYPE_FUSED, MALI_JOB_TYPE_INDEXED_VERTEX};
    union mali_payload payload;
    reader.version = MALI_V9;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(unknown); n++) {
        const struct mali_job_header header = {.is_64b = true, .type = unknown[n]};
        assert_false(mali_payload_read(&reader, 0x2000000, &header, NULL, &payload, &stop));
        assert_int_equal(stop.fault.kind, GPU_FAULT_UNSUPPORTED);
        assert_false(mali_payload_read_brief(&reader, 0x2000000, &header, NULL, &payload, &stop));
        assert_int_equal(stop.fault.kind, GPU_FAULT_UNSUPPORTED);
    }
}

/* Sections of a job follow each other, each of its descriptor's size. */
static void test_sections(void **state)
{
    static const struct mali_desc *const of[MALI_SECTION_COUNT] = {
        [MALI_SECTION_PAYLOAD] = &mali_desc_fragment,
        [MALI_SECTION_INVOCATION] = &mali_desc_invocation,
        [MALI_SECTION_PARAMETERS] = &mali_desc_compute,
        [MALI_SECTION_PRIMITIVE] = &mali_desc_primitive,
        [MALI_SECTION_PRIMITIVE_SIZE] = &mali_desc_primitive_size,
        [MALI_SECTION_TILER] = &mali_desc_tiler_pointer,
        [MALI_SECTION_DRAW] = &mali_desc_draw,
        [MALI_SECTION_VERTEX_DRAW] = &mali_desc_draw,
        [MALI_SECTION_INSTANCE_COUNT] = &mali_desc_count,
        [MALI_SECTION_VERTEX_COUNT] = &mali_desc_count,
        [MALI_SECTION_ALLOCATION] = &mali_desc_allocation,
        [MALI_SECTION_SCISSOR] = &mali_desc_scissor,
        [MALI_SECTION_INDICES] = &mali_desc_indices,
        [MALI_SECTION_ENVIRONMENT] = &mali_desc_environment,
        [MALI_SECTION_POSITION] = &mali_desc_environment,
        [MALI_SECTION_VARYING] = &mali_desc_environment,
    };
    for (unsigned type = 0; type <= MALI_JOB_TYPE_MALLOC_VERTEX + 1; type++)
        for (unsigned v = 0; v < MALI_VERSION_COUNT; v++) {
            bool taken[512] = {0};
            for (unsigned n = 0; n < MALI_SECTION_COUNT; n++) {
                uint32_t at = mali_section_at((enum mali_version)v, type, (enum mali_section)n);
                const struct mali_desc *d =
                    n == MALI_SECTION_DRAW && v == MALI_V9 ? &mali_desc_draw_v9 : of[n];
                assert_true(!at || (at >= mali_desc_job_header.bytes[v] && d->bytes[v]));
                for (uint32_t byte = at; at && byte < at + d->bytes[v]; byte++) {
                    assert_false(taken[byte]);
                    taken[byte] = true;
                }
            }
        }
    assert_int_equal(mali_section_at(MALI_V5, MALI_JOB_TYPE_VERTEX, MALI_SECTION_DRAW), 64);
    assert_int_equal(mali_section_at(MALI_V7, MALI_JOB_TYPE_INDEXED_VERTEX, MALI_SECTION_VERTEX_DRAW), 256);
    assert_int_equal(mali_section_at(MALI_V9, MALI_JOB_TYPE_MALLOC_VERTEX, MALI_SECTION_VARYING), 320);
    assert_int_equal(mali_frame_at(MALI_V9, MALI_FRAME_BEHIND), 128);
    assert_int_equal(mali_frame_at(MALI_V6, MALI_FRAME_TILER), MALI_FRAME_LACKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_members), cmocka_unit_test(test_shared_bits),
        cmocka_unit_test(test_counts),   cmocka_unit_test(test_values),  cmocka_unit_test(test_lacking),
        cmocka_unit_test(test_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
