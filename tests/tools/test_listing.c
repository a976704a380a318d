/* tools/listing.c: items in items, written as text and as JSON; what is deeper than there is room for is left out, with
 * all that belongs to it, and what stands behind it is whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/tools/decode_text.h"
#include "tests/tools/json_reader.h"
#include "tools/listing.h"

enum { DEEPER = LISTING_DEPTH + 20 };

/* `depth` items in each other, each with a field and a line of text, and an item behind them. */
static char *nested(unsigned depth, bool json)
{
    static const struct gpu_field field = {.name = "value", .kind = GPU_FIELD_UINT, .value = 7};
    struct listing l;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    listing_begin(&l, out, json);
    for (unsigned n = 1; n <= depth; n++) {
        listing_open(&l, "item", "item %u", n);
        listing_fields(&l, &field, 1);
        listing_lines(&l, "its line");
    }
    for (unsigned n = 0; n < depth; n++)
        listing_close(&l);
    listing_line(&l, "item", "behind");
    assert_int_equal(listing_end(&l), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void as_text(void **state)
{
    static const unsigned depths[] = {1, LISTING_DEPTH, LISTING_DEPTH + 1, DEEPER};
    for (unsigned n = 0; n < sizeof depths / sizeof *depths; n++) {
        const unsigned shown = depths[n] < LISTING_DEPTH ? depths[n] : LISTING_DEPTH;
        char *text = nested(depths[n], false), last[32];
        snprintf(last, sizeof last, "item %u: value 7\n", shown);
        assert_int_equal(listing_count(text, "item "), shown);
        assert_int_equal(listing_count(text, "its line"), shown);
        assert_non_null(strstr(text, last));
        assert_non_null(strstr(text, "\nbehind\n"));
        free(text);
    }
}

static void as_json(void **state)
{
    static const unsigned depths[] = {1, LISTING_DEPTH, LISTING_DEPTH + 1, DEEPER};
    for (unsigned n = 0; n < sizeof depths / sizeof *depths; n++) {
        const unsigned shown = depths[n] < LISTING_DEPTH ? depths[n] : LISTING_DEPTH;
        struct json_object *told = json_read(nested(depths[n], true)), *item;
        unsigned depth = 0;
        assert_non_null(told);
        assert_true(json_is(told, "1/text", "behind"));
        for (item = json_at(told, "0"); item; item = json_at(item, "contents/0")) {
            assert_int_equal(json_number(item, "fields/value"), 7);
            assert_true(json_is(item, "lines/0", "its line"));
            depth++;
        }
        assert_int_equal(depth, shown);
        json_object_put(told);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_text), cmocka_unit_test(as_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
