/* Entries encoded and read; what is no tile list, but is read as one: links that go round, lists that leave
 * memory, garbage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/tiler/list_memory.h"

enum { SMALL = 0x4000 };

static void put_word(uint8_t *memory, uint32_t place, uint64_t word)
{
    memcpy(memory + place, &word, 8);
}

/* Reads to the end or an error, by `next` alone and with triangles taken between; both come to the same. */
static enum tiler_read read_all(const uint8_t *memory, uint32_t size, uint32_t list,
                                struct tiler_read_error *error)
{
    const struct tiler_list_memory m = reader(memory, &size);
    enum tiler_read got[2];
    struct tiler_read_error errors[2];
    for (unsigned way = 0; way < 2; way++) {
        struct tiler_cursor c = tiler_list_begin(list);
        struct tiler_item item;
        uint32_t index[16][3];
        uint64_t items = 0;
        memset(&errors[way], 0, sizeof errors[way]);
        do {
            while (way && (items += tiler_list_triangles(&m, &c, index, 16)) > 1000000)
                fail_msg("a list of %u bytes does not end", size);
            got[way] = tiler_list_next(&m, &c, &item, &errors[way]);
            assert_true(items++ < 1000000);
        } while (got[way] == TILER_READ_ITEM && item.kind != TILER_ITEM_END);
    }
    assert_int_equal(got[0], got[1]);
    if (got[0] != TILER_READ_ITEM && got[0] != TILER_READ_ROUND) /* a circle is found at any of its links */
        assert_memory_equal(&errors[0], &errors[1], sizeof errors[0]);
    *error = errors[0];
    return got[0];
}

static void test_circles(void **data)
{
    (void)data;
    uint8_t *memory = calloc(1, SMALL);
    const uint32_t index[3] = {1, 2, 3};
    uint64_t triangle[2];
    struct tiler_read_error error;
    tiler_entry_encode(TILER_ENTRY_TRIANGLE, index, triangle);
    for (uint32_t before = 0; before < 6; before++)
        for (uint32_t circle = 1; circle < 20; circle++)
            for (unsigned filled = 0; filled < 2; filled++) {
                uint32_t blocks = before + circle;
                memset(memory, 0, SMALL);
                for (uint32_t n = 0; n < blocks; n++) {
                    uint32_t to = n + 1 < blocks ? n + 1 : before;
                    if (filled)
                        put_word(memory, n * 16, triangle[0]);
                    put_word(memory, n * 16 + filled * 8, tiler_entry_place(TILER_ENTRY_NEXT, to * 16));
                }
                assert_int_equal(read_all(memory, SMALL, 0, &error), TILER_READ_ROUND);
                put_word(memory, (blocks - 1) * 16 + filled * 8, 0);
                assert_int_equal(read_all(memory, SMALL, 0, &error), TILER_READ_ITEM);
            }
    put_word(memory, 0, tiler_entry_place(TILER_ENTRY_NEXT, 8));
    put_word(memory, 8, 0);
    const uint32_t size = SMALL;
    const struct tiler_list_memory m = reader(memory, &size);
    struct tiler_cursor c = tiler_list_begin(0);
    struct tiler_item item;
    assert_int_equal(tiler_list_resolve(&m, 0), 8);
    assert_int_equal(tiler_list_resolve(&m, 8), 8);
    assert_int_equal(tiler_list_resolve(&m, SMALL), SMALL);
    c.walk.left = 0;
    assert_int_equal(tiler_list_next(&m, &c, &item, &error), TILER_READ_LONG);
    assert_int_equal(error.place, 0);
    free(memory);
}

static void test_truncated(void **data)
{
    (void)data;
    uint8_t *memory = calloc(1, SMALL);
    const uint32_t far[3] = {5, 0xffffff, 70};
    struct tiler_read_error error;
    uint64_t word[2];
    assert_int_equal(read_all(memory, SMALL, SMALL, &error), TILER_READ_MEMORY);
    assert_true(error.place == SMALL && error.size == 8);
    assert_int_equal(read_all(memory, SMALL, UINT32_MAX - 7, &error), TILER_READ_MEMORY);
    assert_int_equal(read_all(memory, SMALL, SMALL - 4, &error), TILER_READ_MEMORY);
    assert_int_equal(tiler_entry_encode(TILER_ENTRY_TRIANGLE, far, word), 2);
    put_word(memory, SMALL - 8, word[0]);
    assert_int_equal(read_all(memory, SMALL, SMALL - 8, &error), TILER_READ_MEMORY);
    assert_true(error.place == SMALL - 8 && error.size == 16);
    put_word(memory, 0, tiler_entry_place(TILER_ENTRY_CLIPPED_LINE, SMALL - 95));
    assert_int_equal(read_all(memory, SMALL, 0, &error), TILER_READ_MEMORY);
    assert_true(error.place == SMALL - 95 && error.size == 96);
    put_word(memory, 0, tiler_entry_place(TILER_ENTRY_CLIPPED_LINE, SMALL - 96));
    assert_int_equal(read_all(memory, SMALL, 0, &error), TILER_READ_ITEM);
    for (uint64_t kind = 0; kind < 32; kind++) { /* of a word, then of a LONG one */
        uint64_t entry = kind < 16 ? kind << 60 : (uint64_t)TILER_ENTRY_LONG << 60 | (kind & 15) << 24;
        uint64_t inner = kind & 15;
        bool broken = kind < 16 ? kind > TILER_ENTRY_LONG : inner > TILER_ENTRY_NEXT;
        bool outside = kind > 16 && (inner == TILER_ENTRY_NEXT || inner == TILER_ENTRY_CLIPPED_TRIANGLE ||
                                     inner == TILER_ENTRY_CLIPPED_LINE); /* its bits make the place */
        enum tiler_read expected = broken ? TILER_READ_BROKEN : outside ? TILER_READ_MEMORY : TILER_READ_ITEM;
        put_word(memory, 0, entry | (kind % 16 == TILER_ENTRY_NEXT ? 16 : 0));
        put_word(memory, 8, 0);
        put_word(memory, 16, 0);
        assert_int_equal(read_all(memory, SMALL, 0, &error), expected);
        if (broken)
            assert_true(error.word == entry && error.place == 0);
    }
    free(memory);
}

static void test_garbage(void **data)
{
    (void)data;
    uint8_t *memory = malloc(SMALL);
    unsigned ends[TILER_READ_LONG + 1] = {0};
    seed = 31;
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t words = 1 + below(round & 1 ? 12 : SMALL / 8), kinds = 4 + below(13);
        for (uint32_t n = 0; n < words; n++) {
            uint64_t kind = below(kinds) >= (round & 1 ? 1 : 3) ? TILER_ENTRY_NEXT : below(below(8) ? 9 : 16);
            put_word(memory, n * 8,
                     kind << 60 | (uint64_t)below(1u << 24) << 28 | below(words + (round & 1 ? 0 : 3)) * 8);
        }
        struct tiler_read_error error;
        ends[read_all(memory, words * 8, below(words) * 8, &error)]++;
    }
    for (unsigned n = 0; n < TILER_READ_LONG; n++)
        if (ends[n] < 100)
            fail_msg("%u lists of 20000 end by %u", ends[n], n);
    free(memory);
}

/* What is encoded comes back, in one word or two. */
static void test_indices(void **data)
{
    (void)data;
    static const enum tiler_entry_kind kinds[] = {TILER_ENTRY_TRIANGLE, TILER_ENTRY_RECTANGLE,
                                                  TILER_ENTRY_LINE, TILER_ENTRY_POINT};
    static const unsigned indices[] = {3, 3, 2, 1};
    static const uint32_t size = SMALL;
    uint8_t *memory = calloc(1, SMALL);
    const struct tiler_list_memory m = reader(memory, &size);
    unsigned words[3] = {0};
    seed = 5;
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t reach = 1u << (4 + below(21)), first = below(TILER_INDEX_MAX - reach / 2), kind = below(4);
        uint32_t index[3];
        for (unsigned k = 0; k < 3; k++)
            index[k] = k < indices[kind] ? (first + below(reach)) & TILER_INDEX_MAX : 0;
        uint64_t word[2];
        unsigned count = tiler_entry_encode(kinds[kind], index, word);
        memcpy(memory + 16, word, 8 * count);
        put_word(memory, 16 + 8 * count, 0);
        words[count]++;
        struct tiler_cursor c = tiler_list_begin(16);
        struct tiler_item item;
        struct tiler_read_error error;
        assert_int_equal(tiler_list_next(&m, &c, &item, &error), TILER_READ_ITEM);
        assert_int_equal(item.place, 16);
        assert_memory_equal(item.index, index, indices[kind] * sizeof *index);
        assert_int_equal(tiler_list_next(&m, &c, &item, &error), TILER_READ_ITEM);
        assert_int_equal(item.kind, TILER_ITEM_END);
    }
    assert_true(words[1] > 1000 && words[2] > 1000);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_circles),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
