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
    assert_true(json_object_object_get_ex(first, "explained", &value));
    assert_ptr_equal(strstr(json_object_get_string(value), "lint: "), json_object_get_string(value));
    assert_true(command_has(command_at("out"), json_object_get_string(value)));
    assert_true(
        command_has(command_at("ends/findings/answer-it-has-ended.txt"), "What `vitrail lint` says:"));
    json_object_put(all);
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

/* ---- shards ---- */

static void write_totals(const char *name, const char *shard, const char *findings, const char *faults)
{
    FILE *out = fopen(command_at(name), "w");
    assert_non_null(out);
    fprintf(out,
            "{\"format\": \"vitrail fuzz\", \"format_version\": 1, \"version\": \"0\", \"subject\": \"s\", "
            "\"seed\": 1, %s, "
            "\"cases\": 10, \"refused\": 1, \"runs\": 30, \"faulted\": 2, \"process_seconds\": 2.5, "
            "\"features\": 7, "
            "\"corpus\": 3, \"findings\": [%s], \"faults\": [%s]}\n",
            shard, findings, faults);
    assert_int_equal(fclose(out), 0);
}

static int merge(const char *json, const char *const *names)
{
    const char *words[8] = {"merge"};
    unsigned n = 1;
    char *kept[8];
    for (; *names; names++)
        words[n++] = strdup(command_at(*names));
    for (unsigned i = 1; i < n; i++)
        kept[i] = (char *)(uintptr_t)words[i];
    const unsigned files = n;
    if (json) {
        words[n++] = "--json";
        words[n++] = json;
    }
    const int code = command_run(tool_merge, words, command_at("out"), command_at("err"));
    for (unsigned i = 1; i < files; i++)
        free(kept[i]);
    return code;
}
#define MERGE(json, ...) merge(json, (const char *const[]){__VA_ARGS__, NULL})
#define FINDING(name, cause, count)                                                                          \
    "{\"name\": \"" name "\", \"cause\": \"" cause "\", \"text\": \"t\\nmore\", \"count\": " #count          \
    ", \"explained\": \"lint: e\", \"again\": \"a\"}"
#define FAULT(name, count) "{\"name\": \"" name "\", \"count\": " #count "}"

static uint64_t number_at(struct json_object *all, const char *list, size_t n, const char *key)
{
    struct json_object *at;
    assert_true(json_object_object_get_ex(all, list, &at));
    assert_true(n < json_object_array_length(at));
    return number(json_object_array_get_idx(at, n), key);
}

/* Totals are added, whichever file is named first; what one cause has found stands together. */
static void merged(void **state)
{
    char *json = strdup(command_at("whole.json")), *first, *second;
    size_t size;
    write_totals("1.json", "\"shard\": 1, \"shards\": 2", FINDING("x", "x", 4),
                 FAULT("b", 3) ", " FAULT("a", 3));
    write_totals("2.json", "\"shard\": 2, \"shards\": 2", FINDING("y", "y", 9) ", " FINDING("x-2", "x", 6),
                 FAULT("c", 7) ", " FAULT("a", 3));
    assert_int_equal(MERGE(json, "1.json", "2.json"), TOOL_DIFFERS);
    first = command_read(json, &size);
    assert_int_equal(MERGE(json, "2.json", "1.json"), TOOL_DIFFERS);
    second = command_read(json, &size);
    assert_string_equal(first, second);
    free(first);
    free(second);
    struct json_object *all = totals_of(json), *seconds;
    assert_int_equal(number(all, "cases"), 20);
    assert_int_equal(number(all, "runs"), 60);
    assert_int_equal(number(all, "features_least"), 7);
    assert_int_equal(number(all, "features_most"), 14);
    assert_true(json_object_object_get_ex(all, "cases_a_second", &seconds));
    assert_true(json_object_get_double(seconds) == 4);
    assert_int_equal(number_at(all, "causes", 0, "count"), 10); /* x */
    assert_int_equal(number_at(all, "causes", 0, "findings"), 2);
    assert_int_equal(number_at(all, "findings", 2, "shard"), 2);
    assert_true(command_has(command_at("out"), "    lint: e\n    again: a\n"));
    assert_true(command_has(json, "\"explained\": \"lint: e\""));
    const uint64_t faults[] = {7, 6, 3}; /* c, a, b */
    for (size_t n = 0; n < 3; n++)
        assert_int_equal(number_at(all, "faults", n, "count"), faults[n]);
    json_object_put(all);
    free(json);
}

static void not_merged(void **state)
{
    write_totals("1.json", "\"shard\": 1, \"shards\": 2", "", "");
    write_totals("2.json", "\"shard\": 2, \"shards\": 2", "", "");
    write_totals("3.json", "\"shard\": 2, \"shards\": 3", "", "");
    write_totals("whole.json", "\"next\": 1", "", "");
    assert_int_equal(MERGE(NULL, "1.json", "2.json"), TOOL_OK);
    assert_int_equal(MERGE(NULL, "1.json"), TOOL_BAD_FILE);
    assert_int_equal(MERGE(NULL, "1.json", "1.json"), TOOL_BAD_FILE);
    assert_int_equal(MERGE(NULL, "1.json", "3.json"), TOOL_BAD_FILE);
    assert_int_equal(MERGE(NULL, "whole.json"), TOOL_BAD_FILE);
    static const char *const wrong[] = {FAULT("a", -1), FAULT("a", "x"), "3", "{\"count\": 1}",
                                        FAULT("a\\u0007", 1)};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        write_totals("2.json", "\"shard\": 2, \"shards\": 2", "", wrong[n]);
        assert_int_equal(MERGE(NULL, "1.json", "2.json"), TOOL_BAD_FILE);
    }
    write_totals("2.json", "\"shard\": 2, \"shards\": 2", "{\"name\": \"x\", \"cause\": \"x\"}", "");
    assert_int_equal(MERGE(NULL, "1.json", "2.json"), TOOL_BAD_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs),  cmocka_unit_test(seeds),
                                       cmocka_unit_test(findings),  cmocka_unit_test(captures),
                                       cmocka_unit_test(refusals),  cmocka_unit_test(merged),
                                       cmocka_unit_test(not_merged)};
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
