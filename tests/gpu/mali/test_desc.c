/* Descriptors alone: the bits of each table, codings, values that mean nothing, attribute buffers with all
 * their divisors against plain division. */
#include "tests/gpu/mali/guest.h"

#include "gpu/mali/device_internal.h"
#include "gpu/mali/draw.h"

static uint64_t seed = 1;
static uint32_t any(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static const struct mali_desc *const all[] = {
#define BEGIN(desc, text, ...) &mali_desc_##desc,
#define FIELD(...)
#define END(desc)
#include "gpu/mali/descs.inc"
};

/* Every field lies within its descriptor and in two words, and reads the bits that it names: one bit after the
 * other is set. */
static void test_tables(void **state)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(all); n++)
        for (unsigned v = 0; v < MALI_VERSION_COUNT; v++) {
            const struct mali_desc *d = all[n];
            for (uint32_t i = 0; i < d->count[v]; i++) {
                const struct gpu_record_field *f = &d->fields[v][i];
                assert_true(f->bits && d->bytes[v]);
                assert_true(f->at + f->bits <= d->bytes[v] * 8u);
                assert_true(f->at % 32 + f->bits <= 64);
                for (uint32_t bit = 0; bit < f->bits && f->coding == GPU_RECORD_PLAIN; bit++) {
                    uint32_t words[MALI_DESC_WORDS] = {0};
                    words[(f->at + bit) / 32] = 1u << (f->at + bit) % 32;
                    assert_int_equal(gpu_record_wide(f, words), ((1ull << bit) + f->add) << f->shift);
                }
            }
        }
}

/* Code made of the rows reads, and refuses, what the rows say. */
static void test_code(void **state)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(all); n++)
        for (unsigned v = 0; v < MALI_VERSION_COUNT; v++)
            for (unsigned round = 0; round < 400; round++) {
                const struct mali_desc *d = all[n];
                uint32_t words[MALI_DESC_WORDS], copy[MALI_DESC_WORDS];
                uint8_t expected[4096] = {0}, got[4096];
                assert_true(d->size <= sizeof got);
                for (unsigned w = 0; w < MALI_DESC_WORDS; w++)
                    words[w] = round & 1 ? any() : any() & any() & any() & any();
                memset(got, 255, sizeof got);
                gpu_record_store(d->fields[v], d->count[v], words, expected);
                mali_desc_unpack(d, (enum mali_version)v, words, got);
                if (memcmp(expected, got, d->size) != 0)
                    fail_msg("%s of column %u, round %u", d->name, v, round);
                const bool valid = !mali_desc_reserved(d, (enum mali_version)v, words);
                assert_int_equal(d->is_valid[v](words), valid);
                memset(got, 255, sizeof got);
                assert_int_equal(d->take[v]((const uint8_t *)words, copy, got), valid);
                assert_memory_equal(copy, words, d->bytes[v]);
                if (valid && memcmp(expected, got, d->size) != 0)
                    fail_msg("%s of column %u, taken, round %u", d->name, v, round);
            }
}

static void test_codings(void **state)
{
    struct mali_draw draw;
    struct mali_storage storage;
    struct mali_attribute attribute;
    struct mali_surface_stride surface;
    uint32_t words[MALI_DESC_WORDS] = {0};
    words[0] = (3u << 5 | 4) << 16; /* 7 << 4 */
    words[8] = 0x12345678;
    words[9] = 0x9a;
    mali_desc_unpack(&mali_desc_draw, MALI_V5, words, &draw);
    assert_int_equal(draw.instance_size, 7 << 4);
    assert_int_equal(draw.textures, 0x9a12345678);
    memset(words, 0, sizeof words);
    words[1] = 31;
    mali_desc_unpack(&mali_desc_storage, MALI_V4, words, &storage);
    assert_int_equal(storage.wls_instances, 1u << 31);
    memset(words, 0xff, sizeof words);
    words[1] = (uint32_t)-5;
    mali_desc_unpack(&mali_desc_attribute, MALI_V5, words, &attribute);
    assert_int_equal(attribute.buffer_index, 511);
    assert_int_equal(attribute.offset, -5);
    assert_int_equal(attribute.format, 255);
    assert_int_equal(attribute.order, 0xfff);
    words[2] = (uint32_t)-64;
    mali_desc_unpack(&mali_desc_surface_stride, MALI_V5, words, &surface);
    assert_int_equal(surface.row_stride, -64);
}

/* What a version lacks is 0, whatever the words say. */
static void test_versions(void **state)
{
    struct mali_state s4, s5;
    uint32_t words[MALI_DESC_WORDS];
    memset(words, 0xff, sizeof words);
    mali_desc_unpack(&mali_desc_state, MALI_V4, words, &s4);
    mali_desc_unpack(&mali_desc_state, MALI_V5, words, &s5);
    assert_true(s4.write_enable && s4.blend_by_shader && s4.color_mask == 15 && !s4.legacy_blend_shader);
    assert_true(!s5.write_enable && !s5.blend_by_shader && !s5.color_mask && s5.legacy_blend_shader);
    assert_int_equal(mali_desc_sfb.bytes[MALI_V5] | mali_desc_target.bytes[MALI_V4], 0);
}

static void test_listing(void **state)
{
    struct gpu_field fields[MALI_DESC_FIELDS];
    uint32_t words[MALI_DESC_WORDS] = {0};
    words[4] = 7 << 1 | 1;
    unsigned count = mali_desc_list(&mali_desc_job_header, MALI_V5, words, fields);
    assert_int_equal(count, 2);
    assert_string_equal(fields[0].name, "is 64-bit");
    assert_string_equal(fields[1].word, "tiler");
    assert_null(mali_desc_reserved(&mali_desc_job_header, MALI_V5, words));
    words[4] = 33 << 1;
    assert_string_equal(mali_desc_reserved(&mali_desc_job_header, MALI_V5, words)->name, "type");
}

/* ---- attribute buffers ---- */

struct arrays {
    struct guest guest;
    struct mali_reader reader;
    struct mali_refusals refusals;
    uint8_t *records;
    uint64_t packets;
};
enum { RECORDS = 0x2000000 };

static void begin(struct arrays *a)
{
    struct mali_stop stop = {0};
    guest_create(&a->guest, &(struct mali_options){.kind = MALI_T860});
    a->records = guest_map(&a->guest, RECORDS, GPU_PAGE, RIGHT_BOTH);
    guest_flush_as(&a->guest, 0);
    a->packets = UINT64_MAX;
    assert_int_equal(util_arena_create(&a->refusals.arena), 0);
    a->refusals.count = 0;
    a->reader = (struct mali_reader){mali_as_space(a->guest.device, 0, &stop), MALI_V5, "test", &a->packets};
}

static void finish(struct arrays *a)
{
    util_arena_destroy(a->refusals.arena);
    guest_destroy(&a->guest);
}

static void record(struct arrays *a, unsigned n, uint64_t first, uint32_t third, uint32_t fourth)
{
    memcpy(a->records + n * 16, &first, 8);
    memcpy(a->records + n * 16 + 8, &third, 4);
    memcpy(a->records + n * 16 + 12, &fourth, 4);
}

/* As the driver makes it of a divisor that is no power of two (panfrost-job.h). */
static uint32_t magic(uint32_t divisor, uint32_t *shift, uint32_t *extra)
{
    *shift = 31 - (uint32_t)__builtin_clz(divisor);
    uint64_t t = 1ull << (32 + *shift), m = (t + divisor - 1) / divisor;
    *extra = t % divisor <= 1ull << *shift;
    return (uint32_t)(m - *extra) & INT32_MAX;
}

static void test_divisors(void **state)
{
    struct arrays a;
    struct mali_array array[4];
    struct mali_stop stop = {0};
    begin(&a);
    for (unsigned round = 0; round < 3000; round++) {
        uint32_t odd = any() % 8, power = any() % 12, padded = (2 * odd + 1) << power, shift, extra;
        uint32_t divisor = any() % 100000 + 3, n = any();
        if (!(divisor & (divisor - 1)))
            continue;
        uint64_t at = 0x2100000;
        record(&a, 0, at | 3 | (uint64_t)(odd << 5 | power) << 56, 16, 1000); /* modulus */
        record(&a, 1, at | 2 | (uint64_t)power << 56, 16, 1000);
        uint32_t numerator = magic(divisor, &shift, &extra);
        record(&a, 2, at | 4 | (uint64_t)(extra << 5 | shift) << 56, 16, 1000);
        record(&a, 3, 32 | (uint64_t)numerator << 32, 0, divisor);
        assert_true(mali_arrays_read(&a.reader, RECORDS, 4, &a.refusals, array, &stop));
        assert_int_equal(array[0].pointer, at);
        assert_int_equal(mali_array_element(&array[0], n), n % padded);
        assert_int_equal(mali_array_element(&array[1], n), n >> power);
        assert_int_equal(mali_array_element(&array[2], n), n / divisor);
        assert_int_equal(array[3].kind, MALI_ARRAY_NONE);
    }
    finish(&a);
}

/* VertexID and InstanceID as panfrost_vertex_id and panfrost_instance_id encode them. */
static void test_specials(void **state)
{
    struct arrays a;
    struct mali_array array[2];
    struct mali_stop stop = {0};
    begin(&a);
    record(&a, 0, 34 | (uint64_t)(4 << 5 | 31) << 56, 0, 0);
    record(&a, 1, 36 | (uint64_t)(1 << 5 | 31) << 56, INT32_MAX, 0);
    assert_true(mali_arrays_read(&a.reader, RECORDS, 2, &a.refusals, array, &stop));
    for (unsigned n = 0; n < 1000; n++) {
        uint32_t id = any() >> 1;
        assert_int_equal(mali_array_element(&array[0], id), id);
        assert_int_equal(mali_array_element(&array[1], id), 0);
    }
    for (uint32_t padded = 2; padded < 300; padded++) { /* whatever odd number times a power of two it is */
        uint32_t shift = (uint32_t)__builtin_ctz(padded), odd = padded >> (shift + 1), extra = 0,
                 numerator = 0;
        if (odd > 7)
            continue;
        record(&a, 0, 34 | (uint64_t)(odd << 5 | shift) << 56, 0, 0);
        uint32_t over = shift - 1;
        if (odd)
            numerator = magic(padded, &over, &extra);
        record(&a, 1, 36 | (uint64_t)(extra << 5 | over) << 56, numerator, 0);
        assert_true(mali_arrays_read(&a.reader, RECORDS, 2, &a.refusals, array, &stop));
        for (unsigned n = 0; n < 50; n++) {
            uint32_t id = any() >> 2;
            assert_int_equal(mali_array_element(&array[0], id), id % padded);
            assert_int_equal(mali_array_element(&array[1], id), id / padded);
        }
    }
    static const uint8_t others[] = {33, 37, 38, 97};
    for (unsigned n = 0; n < 4; n++) {
        record(&a, 0, others[n], 0, 0);
        assert_true(mali_arrays_read(&a.reader, RECORDS, 1, &a.refusals, array, &stop));
        assert_true(array[0].kind >= MALI_ARRAY_FRAG_COORD);
    }
    finish(&a);
}

static void test_images(void **state)
{
    struct arrays a;
    struct mali_array array[2];
    struct mali_stop stop = {0};
    begin(&a);
    record(&a, 0, 0x2100000 | 6, 4, 4096);
    record(&a, 1, 32 | 63 << 16 | 31ull << 32 | 2ull << 48, 1024, 65536);
    assert_true(mali_arrays_read(&a.reader, RECORDS, 2, &a.refusals, array, &stop));
    assert_int_equal(array[0].kind, MALI_ARRAY_3D_INTERLEAVED);
    assert_int_equal(array[0].extent[0], 64);
    assert_int_equal(array[0].extent[1], 32);
    assert_int_equal(array[0].extent[2], 3);
    assert_int_equal(array[0].row_stride, 1024);
    assert_int_equal(array[0].slice_stride, 65536);
    finish(&a);
}

static void test_bad_records(void **state)
{
    static const uint8_t types[] = {8, 9, 13, 31, 40};
    struct arrays a;
    struct mali_array array[2];
    struct mali_stop stop = {0};
    begin(&a);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(types); n++) {
        record(&a, 0, 0x2100000 | types[n], 4, 4096);
        assert_true(mali_arrays_read(&a.reader, RECORDS, 1, &a.refusals, array, &stop));
        assert_int_equal(array[0].refused->exception, MALI_DATA_INVALID_FAULT);
        assert_int_equal(array[0].refused->fault.address, RECORDS);
    }
    record(&a, 0, 0x2100000 | 5, 4, 4096); /* nothing continues it */
    record(&a, 1, 0x2100000 | 1, 4, 4096);
    assert_true(mali_arrays_read(&a.reader, RECORDS, 1, &a.refusals, array, &stop));
    assert_int_equal(array[0].refused->fault.kind, GPU_FAULT_PACKET);
    assert_true(mali_arrays_read(&a.reader, RECORDS + GPU_PAGE, 1, &a.refusals, array, &stop));
    assert_true(array[0].refused->page_fault);
    record(&a, 0, 0x2100000 | 1, 4, 4096);
    assert_true(mali_arrays_read(&a.reader, RECORDS, 1, &a.refusals, array, &stop));
    assert_null(array[0].refused);
    a.packets = 1; /* that is the whole job's */
    assert_false(mali_arrays_read(&a.reader, RECORDS, 2, &a.refusals, array, &stop));
    assert_int_equal(stop.fault.kind, GPU_FAULT_TIMEOUT);
    finish(&a);
}

static void test_invocations(void **state)
{
    uint64_t size[3], groups[3];
    /* 8 x 4 x 1 in 3 x 1 x 7: 3 bits, 2, 0, 2, 0, 3 */
    const struct mali_invocation v = {.invocations = 7 | 3 << 3 | 2 << 5 | 6 << 7,
                                      .size_y_shift = 3,
                                      .size_z_shift = 5,
                                      .workgroups_x_shift = 5,
                                      .workgroups_y_shift = 7,
                                      .workgroups_z_shift = 7};
    mali_invocation_sizes(&v, size, groups);
    assert_true(size[0] == 8 && size[1] == 4 && size[2] == 1);
    assert_true(groups[0] == 3 && groups[1] == 1 && groups[2] == 7);
    const struct mali_invocation all_bits = {.invocations = UINT32_MAX, .workgroups_z_shift = 32};
    mali_invocation_sizes(&all_bits, size, groups);
    assert_true(size[0] == 1 && groups[1] == 1ull << 32 && groups[2] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),      cmocka_unit_test(test_code),
        cmocka_unit_test(test_codings),     cmocka_unit_test(test_versions),
        cmocka_unit_test(test_listing),     cmocka_unit_test(test_divisors),
        cmocka_unit_test(test_specials),    cmocka_unit_test(test_images),
        cmocka_unit_test(test_bad_records), cmocka_unit_test(test_invocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
