/* tools/report*.c: each form of a report has what was put in, whatever is in its texts; JSON comes back as it was, and what
 * is no report is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "tests/tools/command.h"
#include "tests/tools/json_reader.h"
#include "tools/report.h"
#include "util/bits.h"

#define HOSTILE "</script><b>\"&amp;'\\ \xe2\x82\xac"

static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 1, 2, 3};

static struct report_png a_png(void)
{
    struct report_png copy = {malloc(sizeof png), sizeof png};
    assert_non_null(copy.bytes);
    memcpy(copy.bytes, png, sizeof png);
    return copy;
}

static void add(struct report *r, uint32_t number, enum report_verdict verdict)
{
    char name[32];
    snprintf(name, sizeof name, "c%u.vtc", number);
    struct report_case *c = &r->cases.at[r->cases.count++];
    *c = (struct report_case){.number = number,
                              .capture = strdup(name),
                              .picture = strdup(HOSTILE),
                              .options = strdup(number % 2 ? "--all" : ""),
                              .reason = strdup(HOSTILE),
                              .path = strdup("/x"),
                              .frame = number,
                              .tolerance = 2,
                              .share = 0.1,
                              .result.verdict = verdict,
                              .gpu = "t860",
                              .result.shown = 7,
                              .result.width = 8,
                              .result.height = 4,
                              .seconds = 0.125};
    if (verdict == REPORT_SAME)
        return;
    c->detail = strdup(HOSTILE);
    if (verdict != REPORT_DIFFERS)
        return;
    c->result.differing = 5;
    c->result.beyond = 3;
    c->result.most = 200;
    c->result.mean = 1.0 / 3;
    c->result.x = 6;
    c->result.y = 1;
    memcpy(c->result.want, (uint8_t[]){255, 0, 1}, 3);
    memcpy(c->result.got, (uint8_t[]){55, 0, 1}, 3);
    c->writer = (struct report_writer){REPORT_DRAW, 7, 12, 0, UINT64_MAX, "triangle"};
    c->explained = strdup("one\n\ttwo " HOSTILE "\n");
    c->expected = a_png();
    c->drawn = a_png();
}

/* Of one case of each verdict, those with number % shards == shard - 1; shards 0: all. */
static struct report make(uint32_t shard, uint32_t shards)
{
    struct report r = {.subject = strdup(HOSTILE),
                       .filter = strdup(""),
                       .label = strdup("main"),
                       .version = "1.2",
                       .started = "2026-11-29T05:30:00Z",
                       .total = REPORT_VERDICT_COUNT,
                       .shard = shard,
                       .shards = shards};
    r.cases.at = calloc(REPORT_VERDICT_COUNT, sizeof *r.cases.at);
    assert_non_null(r.cases.at);
    for (uint32_t v = 0; v < REPORT_VERDICT_COUNT; v++)
        if (!shards || v % shards == shard - 1) {
            add(&r, v, v);
            r.seconds += 0.125;
        }
    return r;
}

enum form { JSON, JUNIT, HTML, TEXT };

static char *told(const struct report *r, enum form form)
{
    static char *text; /* GCC 12 takes what fclose leaves in a local one for a pointer to it */
    static size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    switch (form) {
    case JSON: assert_int_equal(report_print_json(out, r), 0); break;
    case JUNIT: report_print_junit(out, r); break;
    case HTML: assert_int_equal(report_print_html(out, r, r, 1), 0); break;
    case TEXT: report_print(out, r, false); break;
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

static unsigned count(const char *text, const char *word)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

/* ---- JSON ---- */

static void json_and_back(void **state)
{
    struct report r = make(0, 0), back;
    char *text = told(&r, JSON);
    command_write_text(command_at("r.json"), text);
    assert_int_equal(report_read_json("merge", command_at("r.json"), true, &back), TOOL_OK);
    char *again = told(&back, JSON);
    assert_string_equal(text, again);
    free(again);
    assert_true(back.cases.at[REPORT_DIFFERS].writer.primitive == UINT64_MAX);
    assert_int_equal(back.cases.at[REPORT_DIFFERS].drawn.size, sizeof png);
    assert_memory_equal(back.cases.at[REPORT_DIFFERS].drawn.bytes, png, sizeof png);
    report_finish(&back);
    assert_int_equal(report_read_json("merge", command_at("r.json"), false, &back), TOOL_OK);
    assert_int_equal(back.cases.at[REPORT_DIFFERS].drawn.size, 0);
    assert_null(back.cases.at[REPORT_DIFFERS].explained);
    report_finish(&back);
    struct json_object *document = json_read(text);
    assert_non_null(document);
    assert_true(json_is(document, "cases/2/verdict", "differs"));
    assert_true(json_is(document, "cases/2/picture", HOSTILE));
    assert_int_equal(json_number(document, "cases/2/beyond"), 3);
    assert_int_equal(json_number(document, "cases/2/want/0"), 255);
    assert_true(json_is(document, "cases/2/writer/what", "triangle"));
    assert_null(json_at(document, "shard"));
    json_object_put(document);
    report_finish(&r);
}

/* Each member in turn is gone, or another thing; every cut and turned bit is refused or read, and never more. */
static void damaged_json(void **state)
{
    static const char *const swaps[][2] = {
        {"\"number\": 2", "\"number\": -2"},
        {"\"number\": 2", "\"number\": 4294967296"},
        {"\"verdict\": \"differs\"", "\"verdict\": \"dances\""},
        {"\"verdict\": \"differs\"", "\"verdict\": 3"},
        {"\"gpu\": \"t860\"", "\"gpu\": \"a GPU of a long name\""},
        {"\"most\": 200", "\"most\": 256"},
        {"\"mean\": 0.333333333", "\"mean\": 1e999"},
        {"\"want\": [", "\"want\": [ 1, "},
        {"\"got\": [ 55", "\"got\": [ 256"},
        {"\"kind\": \"draw\"", "\"kind\": \"drew\""},
        {"\"what\": \"triangle\"", "\"what\": \"a triangle and much more of it\""},
        {"\"expected_png\": \"iVBO", "\"expected_png\": \"iVB"},
        {"\"expected_png\": \"iVBO", "\"expected_png\": \"jVBO"},
        {"\"capture\": \"c2.vtc\"", "\"capture\": \"c\\n.vtc\""},
        {"\"capture\": \"c2.vtc\"", "\"capture\": \"c\\u0000.vtc\""},
        {"\"capture\": \"c2.vtc\"", "\"captur\": \"c.vtc\""},
        {"\"cases\": [", "\"cases\": [ 1, "},
        {"\"format\": \"vitrail verify\"", "\"format\": \"other\""},
        {"\"format_version\": 1", "\"format_version\": 2"},
        {"\"started\": \"2026", "\"started\": \"20262026202620262026"},
    };
    struct report r = make(0, 0), back;
    char *text = told(&r, JSON), *other = malloc(strlen(text) + 256);
    const size_t length = strlen(text);
    assert_non_null(other);
    assert_non_null(freopen("/dev/null", "w", stderr));
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(swaps); i++) {
        const char *place = strstr(text, swaps[i][0]);
        if (!place)
            fail_msg("there is no %s", swaps[i][0]);
        sprintf(other, "%.*s%s%s", (int)(place - text), text, swaps[i][1], place + strlen(swaps[i][0]));
        command_write_text(command_at("r.json"), other);
        if (report_read_json("merge", command_at("r.json"), true, &back) != TOOL_BAD_FILE)
            fail_msg("%s is taken", swaps[i][1]);
    }
    for (size_t i = 0; i < length; i += 13) {
        memcpy(other, text, length);
        other[i] ^= (char)(1 << i % 8);
        command_write(command_at("r.json"), other, i % 2 ? length : i);
        int code = report_read_json("merge", command_at("r.json"), true, &back);
        assert_true(i % 2 ? code == TOOL_OK || code == TOOL_BAD_FILE : code == TOOL_BAD_FILE);
        if (!code)
            report_finish(&back);
    }
    free(other);
    free(text);
    report_finish(&r);
}

/* RFC 4648, section 10. */
static void base64(void **state)
{
    static const char *const rows[][2] = {{"f", "Zg=="},         {"fo", "Zm8="},
                                          {"foo", "Zm9v"},       {"foob", "Zm9vYg=="},
                                          {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    static const char *const wrong[] = {"", "Zg=", "Z===", "Zg==Zg==", "Zm9*", "====", "Zm=v"};
    struct report_png bytes;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        char *text = report_to_base64((const uint8_t *)rows[i][0], strlen(rows[i][0]));
        assert_string_equal(text, rows[i][1]);
        assert_int_equal(report_from_base64(text, strlen(text), &bytes), 0);
        assert_int_equal(bytes.size, strlen(rows[i][0]));
        assert_memory_equal(bytes.bytes, rows[i][0], bytes.size);
        free(bytes.bytes);
        free(text);
    }
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(wrong); i++)
        assert_int_equal(report_from_base64(wrong[i], strlen(wrong[i]), &bytes), -EINVAL);
}

/* ---- merging ---- */

static int merge(const uint32_t (*parts)[2], uint32_t n, struct report *whole)
{
    struct report shards[4];
    char *paths[4] = {(char *)"1", (char *)"2", (char *)"3", (char *)"4"};
    for (uint32_t i = 0; i < n; i++)
        shards[i] = make(parts[i][0], parts[i][1]);
    int code = report_merge("merge", shards, paths, n, whole);
    for (uint32_t i = 0; i < n; i++)
        report_finish(&shards[i]);
    return code;
}

static void merged(void **state)
{
    struct report r = make(0, 0), whole;
    char *expected = told(&r, JSON);
    assert_int_equal(merge((const uint32_t[][2]){{2, 3}, {3, 3}, {1, 3}}, 3, &whole), TOOL_OK);
    char *got = told(&whole, JSON);
    assert_string_equal(got, expected);
    free(got);
    free(expected);
    report_finish(&whole);
    report_finish(&r);
    assert_int_equal(merge((const uint32_t[][2]){{1, 1}}, 1, &whole), TOOL_OK);
    report_finish(&whole);
}

static void not_merged(void **state)
{
    struct report whole;
    assert_int_equal(merge((const uint32_t[][2]){{1, 2}}, 1, &whole), TOOL_BAD_FILE);
    assert_int_equal(merge((const uint32_t[][2]){{1, 2}, {1, 2}}, 2, &whole), TOOL_BAD_FILE);
    assert_int_equal(merge((const uint32_t[][2]){{1, 2}, {2, 3}}, 2, &whole), TOOL_BAD_FILE);
    assert_int_equal(merge((const uint32_t[][2]){{0, 0}}, 1, &whole), TOOL_BAD_FILE);
    assert_int_equal(merge((const uint32_t[][2]){{3, 2}, {2, 2}}, 2, &whole), TOOL_BAD_FILE);
    struct report pair[] = {make(1, 2), make(2, 2)};
    char *paths[] = {(char *)"1", (char *)"2"};
    pair[1].cases.at[0].number = 0; /* twice, and 1 nowhere */
    assert_int_equal(report_merge("merge", pair, paths, 2, &whole), TOOL_BAD_FILE);
    report_finish(&pair[0]);
    report_finish(&pair[1]);
}

/* ---- the other forms ---- */

static void junit(void **state)
{
    struct report r = make(0, 0);
    char *text = told(&r, JUNIT);
    assert_non_null(strstr(text, "tests=\"10\" failures=\"4\" errors=\"4\" time=\"1.250\""));
    assert_int_equal(count(text, "<testcase "), REPORT_VERDICT_COUNT);
    assert_int_equal(count(text, "<failure "), 4);
    assert_int_equal(count(text, "<error "), 4);
    assert_int_equal(count(text, "<b>"), 0);
    assert_non_null(strstr(
        text, "message=\"5 of 32 pixels differ, 3 by more than 2; most: 200 at (6, 1), expected 255,0,1, got "
              "55,0,1\">that pixel was last written by draw 12, triangle 18446744073709551615"));
    assert_non_null(strstr(text, "&lt;/script&gt;&lt;b&gt;&quot;&amp;amp;"));
    command_write_text(command_at("r.xml"), text);
    char line[COMMAND_PATH];
    snprintf(line, sizeof line,
             "python3 -c 'import sys,xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' %s",
             command_at("r.xml"));
    assert_int_equal(system(line), 0);
    free(text);
    report_finish(&r);
}

/* Nothing of the data is markup, and nothing is asked of any network. */
static void page(void **state)
{
    struct report r = make(0, 0);
    char *text = told(&r, HTML);
    assert_int_equal(count(text, "</script>"), 2); /* the page's own: its data's and its script's */
    assert_int_equal(count(text, "<b>"), 0);
    assert_int_equal(count(text, "@DATA@"), 0);
    assert_int_equal(count(text, "innerHTML"), 0);
    static const char *const outside[] = {
        "http:", "https:", "src=", "href=", "@import", "url(", "fetch(", "import("};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(outside); i++)
        assert_int_equal(count(text, outside[i]), 0);
    static const char begins[] = "<script type=\"application/json\" id=\"data\">";
    char *data = strstr(text, begins);
    assert_non_null(data);
    data += strlen(begins);
    *strstr(data, "</script>") = 0;
    struct json_object *document = json_read(strdup(data));
    assert_non_null(document);
    assert_int_equal(json_count(document, "report/cases"), REPORT_VERDICT_COUNT);
    assert_true(json_is(document, "report/cases/2/picture", HOSTILE));
    assert_true(json_is(document, "history/runs/0/label", "main"));
    assert_int_equal(json_count(document, "history/cases"), REPORT_VERDICT_COUNT);
    assert_true(json_is(document, "history/cases/2/0/0", "differs"));
    assert_int_equal(json_number(document, "history/cases/2/0/1"), 3);
    assert_int_equal(json_count(document, "verdicts"), REPORT_VERDICT_COUNT);
    json_object_put(document);
    free(text);
    report_finish(&r);
}

static void text(void **state)
{
    struct report r = make(0, 0);
    char *said = told(&r, TEXT);
    assert_int_equal(count(said, "c0.vtc"), 0);
    assert_int_equal(count(said, "c2.vtc"), 1);
    assert_non_null(strstr(said, "that pixel was last written by draw 12, triangle 18446744073709551615\n"));
    assert_non_null(strstr(
        said, "10 pictures: 1 same, 1 accepted, 1 differs, 1 size, 1 new, 1 fault, 1 file, 1 crashed"));
    free(said);
    report_finish(&r);
}

/* This machine's trouble before bad files, these before differences, those before faults. */
static void statuses(void **state)
{
    static const int order[][2] = {{REPORT_HOST, TOOL_HOST},       {REPORT_FILE, TOOL_BAD_FILE},
                                   {REPORT_NEW, TOOL_BAD_FILE},    {REPORT_DIFFERS, TOOL_DIFFERS},
                                   {REPORT_SIZE, TOOL_DIFFERS},    {REPORT_CRASHED, TOOL_DIFFERS},
                                   {REPORT_TIMEOUT, TOOL_DIFFERS}, {REPORT_FAULT, TOOL_FAULT},
                                   {REPORT_ACCEPTED, TOOL_OK},     {REPORT_SAME, TOOL_OK}};
    struct report r = make(0, 0);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(order); i++) {
        assert_int_equal(report_status(&r), order[i][1]);
        r.cases.at[order[i][0]].result.verdict = REPORT_SAME;
    }
    report_finish(&r);
}

static void cleaned(void **state)
{
    static const struct {
        const char *text, *plain, *lines;
    } rows[] = {{"a b", "a b", "a b"},
                {"a\n\tb\x1b[0m\x7f", "a??b?[0m?", "a\n\tb?[0m?"},
                {"\xe2\x82\xac", "\xe2\x82\xac", "\xe2\x82\xac"},
                {"a\xff", "a?", "a?"}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        for (int lines = 0; lines < 2; lines++) {
            char *got = report_clean(rows[i].text, strlen(rows[i].text), lines);
            assert_string_equal(got, lines ? rows[i].lines : rows[i].plain);
            free(got);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_and_back), cmocka_unit_test(base64),  cmocka_unit_test(merged),
        cmocka_unit_test(junit),         cmocka_unit_test(page),    cmocka_unit_test(text),
        cmocka_unit_test(statuses),      cmocka_unit_test(cleaned), cmocka_unit_test(not_merged),
        cmocka_unit_test(damaged_json),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
