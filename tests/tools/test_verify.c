/* `vitrail verify`, `vitrail update` and `vitrail merge` on captures of stock drivers: a planted bit is found, and who drew
 * it; captures that crash, hang or are damaged are results; shards are the whole. And what a process tells that has been
 * taken over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>

#include "tests/gpu/captures.h"
#include "tests/tools/command.h"
#include "tests/tools/json_reader.h"
#include "tools/verify.h"
#include "tools/verify_hear.h"
#include "util/bits.h"
#include "util/image.h"

static int run(int (*tool)(int, char **), const char *const *words)
{
    return command_run(tool, words, command_at("out"), command_at("err"));
}
#define RUN(command, ...) run(tool_##command, (const char *const[]){#command, __VA_ARGS__, NULL})

static bool says(const char *text)
{
    return command_has(command_at("out"), text);
}

static struct json_object *read_report(const char *name)
{
    size_t size;
    struct json_object *document = json_read(command_read(command_at(name), &size));
    assert_non_null(document);
    return document;
}

/* One bit of a channel. */
static void plant(const char *path, uint32_t x, uint32_t y, unsigned channel, unsigned bit)
{
    struct util_image image;
    assert_int_equal(util_image_read_png(&image, path), 0);
    image.pixels[4 * ((size_t)y * image.width + x) + channel] ^= (uint8_t)(1u << bit);
    assert_int_equal(util_image_write_png(&image, path, 0), 0);
    util_image_finish(&image);
}

/* A folder of its own with "a.vtc", the GPU's gltest, and its second picture (a triangle in the middle) made by update. */
static const char *begin(const char *name, const char *gpu)
{
    static char folder[COMMAND_PATH];
    char capture[CAPTURES_PATH], place[64];
    snprintf(folder, sizeof folder, "%s", command_at(name));
    captures_need(gpu, "gltest", capture);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(place, sizeof place, "%s/a.vtc", name);
    command_copy(capture, command_at(place));
    snprintf(place, sizeof place, "%s/MANIFEST", name);
    command_write_text(command_at(place), "a.vtc made/2.png 2\n");
    assert_int_equal(RUN(update, "--interpreter", folder), TOOL_DIFFERS);
    assert_true(
        says("new       made/2.png, picture 2 of a.vtc\n1 pictures looked at: 1 to be written (with --yes)"));
    assert_int_equal(RUN(verify, "--interpreter", folder), TOOL_BAD_FILE);
    assert_true(says("new"));
    assert_int_equal(RUN(update, "--interpreter", "--yes", folder), TOOL_OK);
    assert_int_equal(RUN(verify, "--interpreter", folder), TOOL_OK);
    assert_true(says("1 picture: 1 same\n"));
    return folder;
}

/* ---- differences ---- */

static void check_planted(const char *gpu, const char *folder, const char *picture, uint32_t x, uint32_t y,
                          const char *kind)
{
    plant(picture, x, y, 1, 0);
    assert_int_equal(
        RUN(verify, "--interpreter", "--json", command_at("r.json"), "--html", command_at("r.html"), folder),
        TOOL_DIFFERS);
    struct json_object *r = read_report("r.json");
    assert_true(json_is(r, "cases/0/verdict", "differs"));
    assert_true(json_is(r, "cases/0/gpu", gpu));
    assert_int_equal(json_number(r, "cases/0/differing"), 1);
    assert_int_equal(json_number(r, "cases/0/most"), 1);
    assert_int_equal(json_number(r, "cases/0/x"), x);
    assert_int_equal(json_number(r, "cases/0/y"), y);
    assert_int_equal((int)json_number(r, "cases/0/want/1") ^ (int)json_number(r, "cases/0/got/1"), 1);
    assert_true(json_is(r, "cases/0/writer/kind", kind));
    if (!strcmp(kind, "draw")) {
        assert_int_equal(json_number(r, "cases/0/writer/draw"), 1);
        assert_int_equal(json_number(r, "cases/0/writer/picture"), 2);
        assert_true(json_is(r, "cases/0/writer/what", "triangle"));
    }
    assert_non_null(json_at(r, "cases/0/explained"));
    assert_true(command_has(command_at("r.html"), json_object_get_string(json_at(r, "cases/0/drawn_png"))));
    assert_true(
        command_has(command_at("r.html"), json_object_get_string(json_at(r, "cases/0/expected_png"))));
    json_object_put(r);
    plant(picture, x, y, 1, 0);
}

static void planted(void **state)
{
    const struct gpu_info *gpu;
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++) {
        if (!gpu->driver)
            continue; /* its gltest is no GL program */
        const char *folder = begin(gpu->name, gpu->name);
        char picture[COMMAND_PATH];
        struct util_image image;
        snprintf(picture, sizeof picture, "%s/made/2.png", folder);
        assert_int_equal(util_image_read_png(&image, picture), 0);
        const uint32_t x = image.width / 2, y = image.height / 2;
        util_image_finish(&image);
        check_planted(gpu->name, folder, picture, x, y, "draw");
        check_planted(gpu->name, folder, picture, 1, 1, "clear");
        assert_int_equal(RUN(verify, "--interpreter", folder), TOOL_OK);
    }
}

static void tolerated(void **state)
{
    const char *folder = begin("tolerated", "vc4");
    char picture[COMMAND_PATH];
    snprintf(picture, sizeof picture, "%s", command_at("tolerated/made/2.png"));
    plant(picture, 3, 4, 0, 2);
    plant(picture, 5, 4, 0, 0);
    assert_int_equal(RUN(verify, "--interpreter", folder), TOOL_DIFFERS);
    assert_true(says("2 of 65536 pixels differ, 2 by more than 0; most: 4 at (3, 4)"));
    assert_int_equal(RUN(verify, "--interpreter", "--tolerance", "3", folder), TOOL_DIFFERS);
    assert_true(says("2 of 65536 pixels differ, 1 by more than 3; most: 4 at (3, 4)"));
    assert_int_equal(RUN(verify, "--interpreter", "--tolerance", "4", folder), TOOL_OK);
    assert_true(says("1 picture: 0 same, 1 accepted"));
    assert_int_equal(RUN(verify, "--interpreter", "--share", "0.002", folder), TOOL_DIFFERS); /* of 0.003 */
    command_write_text(command_at("tolerated/MANIFEST"), "a.vtc made/2.png 2 --share 0.0031 # two pixels\n");
    assert_int_equal(RUN(verify, "--interpreter", "--list", folder), TOOL_OK);
    assert_true(says("accepted"));
    assert_int_equal(RUN(update, "--interpreter", "--yes", folder), TOOL_OK);
    assert_true(says("0 written"));
    command_write_text(command_at("tolerated/MANIFEST"), "a.vtc made/2.png 1\na.vtc made/2.png 2\n");
    assert_int_equal(RUN(update, "--interpreter", "--yes", folder), TOOL_DIFFERS);
    assert_true(says("has the same picture, and draws another"));
    assert_true(says("0 written, 2 in conflict"));
}

/* ---- what cannot be drawn ---- */

static void troubles(void **state)
{
    static const char manifest[] = "a.vtc made/2.png 2\n"
                                   "a.vtc made/2.png 99\n"
                                   "absent.vtc made/2.png 2\n"
                                   "cut.vtc made/2.png last\n"
                                   "turned.vtc made/2.png last\n"
                                   "a.vtc noise.png 2\n"
                                   "a.vtc small.png 2\n";
    static const char *const verdicts[] = {"same", "file", "file", "file", "file", "file", "size"};
    const char *folder = begin("troubles", "vc4");
    struct util_image image;
    size_t size;
    char *bytes = command_read(command_at("troubles/a.vtc"), &size), path[32];
    command_write(command_at("troubles/cut.vtc"), bytes, size / 2);
    bytes[size / 3] ^= 4;
    command_write(command_at("troubles/turned.vtc"), bytes, size);
    command_write(command_at("troubles/noise.png"), bytes, 100);
    free(bytes);
    assert_int_equal(util_image_init(&image, 3, 2), 0);
    assert_int_equal(util_image_write_png(&image, command_at("troubles/small.png"), 0), 0);
    util_image_finish(&image);
    command_write_text(command_at("troubles/MANIFEST"), manifest);
    assert_int_equal(RUN(verify, "--interpreter", "--json", command_at("r.json"), folder), TOOL_BAD_FILE);
    struct json_object *r = read_report("r.json");
    assert_int_equal(json_count(r, "cases"), UTIL_ARRAY_SIZE(verdicts));
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(verdicts); i++) {
        snprintf(path, sizeof path, "cases/%zu/verdict", i);
        if (!json_is(r, path, verdicts[i]))
            fail_msg("line %zu is not %s", i + 1, verdicts[i]);
    }
    assert_true(json_is(r, "cases/1/detail", "the capture has 4 pictures, and not this one"));
    assert_true(json_is(r, "cases/6/detail", "expected 3x2, got 256x256"));
    json_object_put(r);
}

/* Kills the first child of the process that is no file of a sandbox, as a crash would. */
static void kill_child_of(pid_t parent)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
    for (int i = 0; i < 1000; i++) {
        FILE *children = fopen(path, "r");
        int pid;
        bool found = children && fscanf(children, "%d", &pid) == 1;
        if (children)
            fclose(children);
        if (found && !kill(pid, SIGABRT))
            return;
        usleep(10000);
    }
}

/* A pipe that nobody writes is a capture without end. */
static void endless(void **state)
{
    assert_int_equal(mkdir(command_at("endless"), 0700), 0);
    assert_int_equal(mkfifo(command_at("endless/a.vtc"), 0600), 0);
    assert_int_equal(RUN(verify, "--interpreter", "--time-limit", "1", command_at("endless")), TOOL_DIFFERS);
    assert_true(says("timeout"));
    assert_true(says("no end after 1 s"));
    fflush(NULL);
    pid_t tool = fork();
    if (!tool)
        _exit(RUN(verify, "--interpreter", "--jobs", "1", "--time-limit", "60", command_at("endless")));
    /* RUN has a process of its own, and that one the capture's. */
    char path[64];
    int inner = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", tool, tool);
    for (int i = 0; i < 1000 && !inner; i++, usleep(10000)) {
        FILE *children = fopen(path, "r");
        if (children && fscanf(children, "%d", &inner) != 1)
            inner = 0;
        if (children)
            fclose(children);
    }
    kill_child_of(inner);
    int status;
    assert_int_equal(waitpid(tool, &status, 0), tool);
    assert_int_equal(WEXITSTATUS(status), TOOL_DIFFERS);
    assert_true(says("crashed"));
    assert_true(says("its process ended by signal 6 (Aborted)"));
}

/* ---- shards ---- */

/* Without the lines of times. */
static char *timeless(const char *name)
{
    size_t size;
    char *text = command_read(command_at(name), &size), *to = text;
    for (char *line = text, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        end += *end != 0;
        if (strstr(line, "\"seconds\":") && strstr(line, "\"seconds\":") < end)
            continue;
        if (strstr(line, "\"started\":") && strstr(line, "\"started\":") < end)
            continue;
        memmove(to, line, (size_t)(end - line));
        to += end - line;
    }
    *to = 0;
    return text;
}

static void shards(void **state)
{
    const char *folder = begin("shards", "vc4");
    command_copy(command_at("shards/made/2.png"), command_at("shards/other.png"));
    plant(command_at("shards/other.png"), 128, 128, 0, 7);
    command_copy(command_at("shards/a.vtc"), command_at("shards/b.vtc"));
    command_write_text(command_at("shards/MANIFEST"),
                       "a.vtc made/2.png 2\nb.vtc other.png 2 # why\na.vtc made/2.png 2 --all\n"
                       "b.vtc made/2.png 2\na.vtc absent.png 1\n");
    assert_int_equal(RUN(verify, "--interpreter", "--json", command_at("whole.json"), folder), TOOL_BAD_FILE);
    assert_int_equal(RUN(verify, "--interpreter", "--shard", "1/2", "--json", command_at("1.json"), folder),
                     TOOL_BAD_FILE);
    assert_true(says("(shard 1 of 2, 5 in all)"));
    assert_int_equal(
        RUN(verify, "--interpreter", "--shard", "2/2", "--jobs", "1", "--json", command_at("2.json"), folder),
        TOOL_DIFFERS);
    assert_int_equal(RUN(merge, command_at("2.json"), command_at("1.json"), "--json",
                         command_at("merged.json"), "--html", command_at("merged.html"), "--junit",
                         command_at("merged.xml"), "--history", command_at("whole.json")),
                     TOOL_BAD_FILE);
    assert_true(says("5 pictures: 3 same, 1 differs, 1 new\n"));
    char *whole = timeless("whole.json"), *merged = timeless("merged.json");
    assert_string_equal(merged, whole);
    free(whole);
    free(merged);
    assert_int_equal(RUN(merge, command_at("1.json")), TOOL_BAD_FILE);
    assert_true(command_has(command_at("err"), "1 shards of 2: some are missing"));
    assert_int_equal(RUN(merge, command_at("1.json"), command_at("whole.json")), TOOL_BAD_FILE);
    assert_int_equal(RUN(verify, "--filter", "b.vtc", "--interpreter", "--shard", "2/2", folder),
                     TOOL_OK); /* has none */
    assert_true(says("0 pictures (shard 2 of 2, 2 in all)"));
}

static void misuse(void **state)
{
    static const struct {
        int (*tool)(int, char **);
        const char *words[8];
        int exit;
    } rows[] = {
        {tool_verify, {"verify"}, TOOL_USAGE},
        {tool_verify, {"verify", "a", "b"}, TOOL_USAGE},
        {tool_verify, {"verify", "/nowhere"}, TOOL_BAD_FILE},
        {tool_verify, {"verify", "--shard", "0/2", "a"}, TOOL_USAGE},
        {tool_verify, {"verify", "--shard", "3/2", "a"}, TOOL_USAGE},
        {tool_verify, {"verify", "--shard", "1", "a"}, TOOL_USAGE},
        {tool_verify, {"verify", "--jobs", "0", "a"}, TOOL_USAGE},
        {tool_verify, {"verify", "--time-limit", "0", "a"}, TOOL_USAGE},
        {tool_verify, {"verify", "--json", "-", "--html", "-", "a"}, TOOL_USAGE},
        {tool_verify, {"verify", "--filter", "no such", SOURCE_DIR "/refimages/MANIFEST"}, TOOL_USAGE},
        {tool_update, {"update", "--html", "a", "b"}, TOOL_USAGE},
        {tool_merge, {"merge"}, TOOL_USAGE},
        {tool_merge, {"merge", "/nowhere"}, TOOL_BAD_FILE},
        {tool_merge, {"merge", SOURCE_DIR "/README.md"}, TOOL_BAD_FILE},
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        if (run(rows[i].tool, rows[i].words) != rows[i].exit)
            fail_msg("row %zu does not end with %d", i, rows[i].exit);
}

/* ---- what a process tells ---- */

struct ear {
    struct manifest manifest;
    struct manifest_unit unit;
    struct manifest_case cases[2];
    uint32_t order[2], case_at[2];
    struct report_case told[2];
    struct report report;
    struct verify_heard heard;
    int pipe[2];
};

static void ear_open(struct ear *e)
{
    *e = (struct ear){.unit = {0, 2}, .order = {1, 0}, .case_at = {0, 1}};
    e->manifest.cases.at = e->cases;
    e->manifest.cases.count = 2;
    e->manifest.order = e->order;
    e->report.cases.at = e->told;
    e->report.cases.count = 2;
    e->report.picture_room = 100;
    assert_int_equal(verify_hear_begin(&e->heard, &e->manifest, &e->unit, &e->report, e->case_at), 0);
    assert_int_equal(pipe(e->pipe), 0);
}

static void ear_close(struct ear *e)
{
    close(e->pipe[0]);
    close(e->pipe[1]);
    verify_hear_end(&e->heard);
    report_case_finish(&e->told[0]);
    report_case_finish(&e->told[1]);
}

/* Whether more may come. */
static bool tell(struct ear *e, uint32_t kind, uint32_t index, const void *bytes, uint64_t size, size_t sent)
{
    const struct verify_head head = {kind, index, size};
    assert_int_equal(write(e->pipe[1], &head, sizeof head), sizeof head);
    assert_int_equal(write(e->pipe[1], bytes, sent), sent);
    return verify_hear(&e->heard, e->pipe[0]);
}

static void told_well(void **state)
{
    const struct report_result result = {.verdict = REPORT_DIFFERS, .most = 3, .x = 4, .beyond = 5};
    const struct report_writer writer = {REPORT_DRAW,
                                         1,
                                         2,
                                         0,
                                         3,
                                         "tri\x01"
                                         "angle"};
    static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 9};
    struct ear e;
    ear_open(&e);
    assert_true(tell(&e, VERIFY_GPU, 0, "vc4", 3, 3));
    assert_true(tell(&e, VERIFY_RESULT, 1, &result, sizeof result, sizeof result));
    assert_true(tell(&e, VERIFY_DETAIL, 1, "a\x1b[31m", 6, 2)); /* in parts */
    assert_int_equal(write(e.pipe[1], "[31m", 4), 4);
    assert_true(verify_hear(&e.heard, e.pipe[0]));
    assert_true(tell(&e, VERIFY_DRAWN, 1, png, sizeof png, sizeof png));
    assert_true(tell(&e, VERIFY_WRITER, 1, &writer, sizeof writer, sizeof writer));
    assert_false(tell(&e, VERIFY_END, 0, "", 0, 0));
    assert_true(e.heard.ended);
    assert_string_equal(e.told[0].gpu, "vc4");
    assert_int_equal(e.told[0].result.verdict,
                     REPORT_DIFFERS); /* the unit's second is the manifest's first */
    assert_int_equal(e.told[0].result.beyond, 5);
    assert_string_equal(e.told[0].detail, "a?[31m");
    assert_int_equal(e.told[0].drawn.size, sizeof png);
    assert_string_equal(e.told[0].writer.what, "tri?angle");
    ear_close(&e);
}

/* As many bytes of pictures as there is room for. */
static void full(void **state)
{
    uint8_t png[60] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    struct ear e;
    ear_open(&e);
    assert_true(tell(&e, VERIFY_DRAWN, 1, png, sizeof png, sizeof png));
    assert_true(tell(&e, VERIFY_EXPECTED, 1, png, sizeof png, sizeof png));
    assert_true(tell(&e, VERIFY_EXPECTED, 0, png, 40, 40));
    assert_int_equal(e.told[0].drawn.size, 60);
    assert_int_equal(e.told[0].expected.size, 0);
    assert_int_equal(e.told[1].expected.size, 40);
    assert_int_equal(e.report.left_out, 1);
    ear_close(&e);
}

static void told_badly(void **state)
{
    struct report_result result = {.verdict = REPORT_VERDICT_COUNT};
    const struct report_writer writer = {.kind = 9};
    static const char no_png[16] = "GIF89a";
    const struct {
        uint32_t kind, index;
        const void *bytes;
        uint64_t size;
        size_t sent;
    } rows[] = {
        {VERIFY_KINDS, 0, "", 0, 0},
        {VERIFY_RESULT, 2, &result, sizeof result, sizeof result},
        {VERIFY_RESULT, 0, &result, sizeof result, sizeof result},
        {VERIFY_RESULT, 0, &result, 4, 4},
        {VERIFY_WRITER, 0, &writer, sizeof writer, sizeof writer},
        {VERIFY_DRAWN, 0, no_png, sizeof no_png, sizeof no_png},
        {VERIFY_DRAWN, 0, "", 0, 0},
        {VERIFY_DRAWN, 0, "", (uint64_t)VERIFY_PNG_MAX + 1, 0},
        {VERIFY_DETAIL, 0, "", UINT64_MAX, 0},
        {VERIFY_GPU, 0, "a GPU of a name too long", 24, 24},
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        struct ear e;
        ear_open(&e);
        if (tell(&e, rows[i].kind, rows[i].index, rows[i].bytes, rows[i].size, rows[i].sent))
            fail_msg("row %zu is heard", i);
        assert_false(e.heard.ended);
        ear_close(&e);
    }
}

/* What has no result is lost; and where all have passed, the last is, as a crash must show. */
static void lost(void **state)
{
    const struct report_result same = {.verdict = REPORT_SAME}, differs = {.verdict = REPORT_DIFFERS};
    for (int results = 0; results < 3; results++)
        for (int passed = 0; passed < 2; passed++) {
            struct ear e;
            ear_open(&e);
            for (int i = 0; i < results; i++)
                assert_true(tell(&e, VERIFY_RESULT, (uint32_t)i, passed ? &same : &differs, sizeof same,
                                 sizeof same));
            verify_hear_lost(&e.heard, REPORT_CRASHED, "gone");
            const enum report_verdict first = e.told[1].result.verdict, second = e.told[0].result.verdict;
            assert_int_equal(first, results ? passed ? REPORT_SAME : REPORT_DIFFERS : REPORT_CRASHED);
            assert_int_equal(second, results < 2 || passed ? REPORT_CRASHED : REPORT_DIFFERS);
            ear_close(&e);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted),   cmocka_unit_test(tolerated), cmocka_unit_test(troubles),
        cmocka_unit_test(endless),   cmocka_unit_test(shards),    cmocka_unit_test(misuse),
        cmocka_unit_test(told_well), cmocka_unit_test(full),      cmocka_unit_test(told_badly),
        cmocka_unit_test(lost),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
