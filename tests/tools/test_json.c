/* tools/json.c: what it prints is read again, and json-c's refusals are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "tests/tools/json_reader.h"
#include "tests/wrap.h"
#include "tools/json.h"

/* ---- requests of json-c, through the linker's --wrap (tests/CMakeLists.txt) ---- */

static long left = -1; /* that are still granted; below 0: all */

static bool refused(void)
{
    return left >= 0 && !left--;
}

WRAP(struct json_object *, json_object_new_object, NULL, (void))
WRAP(struct json_object *, json_object_new_array, NULL, (void))
WRAP(struct json_object *, json_object_new_string, NULL, (const char *text), text)
WRAP(struct json_object *, json_object_new_uint64, NULL, (uint64_t value), value)
WRAP(int, json_object_object_add, -1, (struct json_object * to, const char *key, struct json_object *value),
     to, key, value)
WRAP(int, json_object_array_add, -1, (struct json_object * to, struct json_object *value), to, value)
/* Text that could not grow is cut. */
WRAP(const char *, json_object_to_json_string_ext, (errno = ENOMEM, "{"),
     (struct json_object * value, int flags), value, flags)

/* ---- tests ---- */

static int write_all(FILE *out)
{
    struct json j;
    json_begin(&j, out);
    json_open_object(&j, NULL);
    json_string(&j, "text", "\"\\/\b\n\x01\x7f\xc3\xa9");
    json_uint(&j, "most", UINT64_MAX);
    json_int(&j, "least", INT64_MIN);
    json_hex(&j, "hex", 0xabcd);
    json_hex64(&j, "hex64", 0xabcd);
    json_open_array(&j, "none");
    json_end(&j);
    json_open_array(&j, "records");
    for (unsigned i = 0; i < 2; i++) {
        json_hold_object(&j, NULL);
        json_boolean(&j, "odd", i & 1);
        json_hold_array(&j, "doubles");
        json_double(&j, NULL, 1.0f / 3);
        json_double(&j, NULL, (double)INFINITY);
        json_double(&j, NULL, (double)NAN);
        json_end(&j);
        json_uint(&j, "behind", i);
        json_end(&j);
    }
    json_end(&j);
    json_hold_array(&j, "held");
    json_end(&j);
    return json_end(&j);
}

/* What is printed, which the caller frees. */
static char *written(int *status)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    *status = write_all(out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void values(void **state)
{
    int status;
    char *text = written(&status);
    assert_int_equal(status, 0);
    assert_non_null(strstr(text, "\"doubles\": [ 0.333333343, null, null ]"));
    struct json_object *told = json_read(text);
    assert_non_null(told);
    assert_true(json_is(told, "text", "\"\\/\b\n\x01\x7f\xc3\xa9"));
    assert_true(json_object_get_uint64(json_at(told, "most")) == UINT64_MAX);
    assert_true(json_object_get_int64(json_at(told, "least")) == INT64_MIN);
    assert_true(json_is(told, "hex", "0x0000abcd"));
    assert_true(json_is(told, "hex64", "0x000000000000abcd"));
    assert_true(json_object_is_type(json_at(told, "none"), json_type_array));
    assert_int_equal(json_count(told, "records"), 2);
    assert_true(json_is_true(told, "records/1/odd"));
    assert_int_equal(json_number(told, "records/1/behind"), 1);
    assert_true(json_object_is_type(json_at(told, "held"), json_type_array));
    json_object_put(told);
}

/* The reader takes JSON and nothing else. */
static void reader(void **state)
{
    static const char *const foreign[] = {
        "[NaN]",   "[Infinity]", "[-Infinity]", "NaN",   "{\"a\": [0, {\"b\": NaN}]}",
        "[1e999]", "[nan]",      "[1,]",        "['a']", "[01]",
        "[1] 2",   "[1",         "[\"\xff\"]",  "",      "[tru]",
        "[/**/1]", "{\"a\"}",    "[1] // a"};
    static const char *const good[] = {"[1.5, -2, 1e300, null, true, \"NaN\"]", "{\"NaN\": {\"a\": []}}"};
    for (size_t n = 0; n < sizeof foreign / sizeof *foreign; n++) {
        struct json_object *read = json_read(strdup(foreign[n]));
        if (read)
            fail_msg("'%s' was taken", foreign[n]);
    }
    for (size_t n = 0; n < sizeof good / sizeof *good; n++) {
        struct json_object *read = json_read(strdup(good[n]));
        assert_non_null(read);
        json_object_put(read);
    }
}

/* Whichever request is refused, it is told at the end, and under the sanitizers nothing leaks. */
static void no_memory(void **state)
{
    unsigned requests = 0;
    for (int status = -1; status; requests++) {
        left = requests;
        free(written(&status));
        bool all_granted = left >= 0;
        left = -1;
        assert_int_equal(status, all_granted ? 0 : -ENOMEM);
    }
    assert_true(requests > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(reader),
                                       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
