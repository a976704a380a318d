/* `vitrail fuzz`: what is counted and kept, that a run goes on, findings from one that ends when it is asked, and what is
 * refused. That defects of the translator are found, tests/fuzz/planted tries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/tools/command.h"
#include "tests/tools/json_reader.h"
#include "tools/tool.h"

static const char kmscube[] = SOURCE_DIR "/tests/captures/kmscube.vtc",
                  mali400[] = SOURCE_DIR "/tests/captures/mali400/kmscube.vtc",
                  readme[] = SOURCE_DIR "/README.md";

static int fuzz(const char *const *words)
{
    return command_run(tool_fuzz, words, command_at("out"), command_at("err"));
}
#define FUZZ(...) fuzz((const char *const[]){"fuzz", __VA_ARGS__, NULL})

static struct json_object *totals_of(const char *path)
{
    struct json_object *all = json_object_from_file(path);
    assert_non_null(all);
    return all;
}

static uint64_t number(struct json_object *all, const char *key)
{
    struct json_object *value;
    assert_true(json_object_object_get_ex(all, key, &value));
    return json_object_get_uint64(value);
}

static bool exists(const char *name)
{
    return access(command_at(name), R_OK) == 0;
}

static void programs(void **state)
{
    const char *folder = strdup(command_at("simple")), *json = strdup(command_at("totals.json"));
    assert_int_equal(
        FUZZ("--isa", "simple-v", "--cases", "6", "--jobs", "2", "--corpus", folder, "--json", json),
        TOOL_OK);
    struct json_object *all = totals_of(json);
    const uint64_t cases = number(all, "cases"), features = number(all, "features");
    assert_true(cases >= 6 && number(all, "runs") > 0 && features > 10 && number(all, "corpus") > 0);
    json_object_put(all);
    /* It goes on, with what it knows. */
    assert_int_equal(
        FUZZ("--isa", "simple-v", "--cases", "3", "--jobs", "1", "--corpus", folder, "--json", json),
        TOOL_OK);
    all = totals_of(json);
    assert_true(number(all, "cases") >= cases + 3 && number(all, "features") >= features);
    json_object_put(all);
    /* But not as something else. */
    assert_int_equal(FUZZ("--isa", "midgard", "--cases", "3", "--corpus", folder), TOOL_USAGE);
    free((void *)(uintptr_t)folder);
    free((void *)(uintptr_t)json);
}

/* One seed, one process: the same cases, as long as none is timed. */
static void seeds(void **state)
{
    uint64_t features[3];
    for (unsigned n = 0; n < 3; n++) {
        char name[16];
        snprintf(name, sizeof name, "seed%u", n);
        const char *folder = strdup(command_at(name)), *json = strdup(command_at("seed.json"));
        assert_int_equal(FUZZ("--isa", "utgard-gp", "--cases", "300", "--jobs", "1", "--seed",
                              n == 2 ? "8" : "7", "--against",
                              "while read line; do [ \"$line\" != run ] || echo decline; done", "--corpus",
                              folder, "--json", json),
                         TOOL_OK);
        struct json_object *all = totals_of(json);
        assert_int_equal(number(all, "refused"), number(all, "cases"));
        features[n] = number(all, "features");
        json_object_put(all);
        free((void *)(uintptr_t)folder);
        free((void *)(uintptr_t)json);
    }
    assert_int_equal(features[0], features[1]);
    assert_int_not_equal(features[0], features[2]);
}

/* Who ends when it is asked is a finding, which gets smaller, is written down, and shows again. */
static void findings(void **state)
{
    const char *folder = strdup(command_at("ends")), *json = strdup(command_at("ends.json"));
    assert_int_equal(FUZZ("--isa", "vc4-qpu", "--against", "head -c 9 >&2", "--until-found", "--jobs", "1",
                          "--corpus", folder, "--json", json),
                     TOOL_DIFFERS);
    struct json_object *all = totals_of(json), *list, *first, *value;
    assert_true(json_object_object_get_ex(all, "findings", &list) && json_object_array_length(list) >= 1);
    first = json_object_array_get_idx(list, 0);
    assert_true(json_object_object_get_ex(first, "name", &value));
    assert_string_equal(json_object_get_string(value), "answer-it-has-ended");
    assert_int_equal(number(first, "parts"), 3); /* an end, and what its delay executes */
    json_object_put(all);
    assert_true(exists("ends/findings/answer-it-has-ended.txt"));
    const char *program = strdup(command_at("ends/findings/answer-it-has-ended.bin"));
    assert_int_equal(FUZZ("--isa", "vc4-qpu", "--against", "head -c 9 >&2", "--again", program),
                     TOOL_DIFFERS);
    assert_int_equal(FUZZ("--isa", "vc4-qpu", "--again", program), TOOL_OK);
    free((void *)(uintptr_t)program);
    free((void *)(uintptr_t)folder);
    free((void *)(uintptr_t)json);
}

static void captures(void **state)
{
    const char *folder = strdup(command_at("capture")), *json = strdup(command_at("capture.json"));
    assert_int_equal(FUZZ(kmscube, "--cases", "12", "--jobs", "1", "--corpus", folder, "--json", json),
                     TOOL_OK);
    struct json_object *all = totals_of(json);
    assert_true(number(all, "cases") >= 12 && number(all, "runs") > 0 && number(all, "features") > 20);
    json_object_put(all);
    assert_int_equal(FUZZ("--again", mali400), TOOL_OK);
    free((void *)(uintptr_t)folder);
    free((void *)(uintptr_t)json);
}

static void refusals(void **state)
{
    const char *folder = strdup(command_at("refused"));
    assert_int_equal(FUZZ("--time", "1"), TOOL_USAGE);
    assert_int_equal(FUZZ("--isa", "midgard", kmscube), TOOL_USAGE);
    assert_int_equal(FUZZ("--shard", "3/2", "--isa", "midgard"), TOOL_USAGE);
    assert_int_equal(FUZZ("--against", "true", kmscube), TOOL_USAGE);
    assert_int_equal(FUZZ("--again", readme), TOOL_BAD_FILE);
    assert_int_equal(FUZZ("--isa", "midgard", "--again", readme), TOOL_BAD_FILE);
    assert_int_equal(FUZZ("--corpus", folder, readme), TOOL_BAD_FILE);
    assert_int_equal(FUZZ("--corpus", "/nowhere/at/all", "--isa", "midgard"), TOOL_HOST);
    free((void *)(uintptr_t)folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs), cmocka_unit_test(seeds),
                                       cmocka_unit_test(findings), cmocka_unit_test(captures),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
