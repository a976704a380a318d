/* tools/manifest.c: lines and folders become cases; what is wrong is named by its file and line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/tools/command.h"
#include "tools/manifest.h"
#include "util/bits.h"

static const struct manifest_settings usual = {.tolerance = 1, .device = TOOL_USUAL_DEVICE};
static struct manifest manifest;

/* What it says on standard error is in the file "err". */
static int read_at(const char *path)
{
    fflush(NULL);
    int before = dup(STDERR_FILENO), file = open(command_at("err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(before >= 0 && file >= 0);
    dup2(file, STDERR_FILENO);
    int code = manifest_read("verify", path, &usual, &manifest);
    dup2(before, STDERR_FILENO);
    close(before);
    close(file);
    return code;
}

static int read_text(const char *text)
{
    command_write_text(command_at("M"), text);
    return read_at(command_at("M"));
}

static const struct manifest_case *at(uint32_t n)
{
    assert_in_range(n, 0, manifest.cases.count - 1);
    return &manifest.cases.at[n];
}

static void lines(void **state)
{
    assert_int_equal(read_text("# a comment\n\n"
                               "a.vtc a.png 1\n"
                               "\t a.vtc  b/b.png   last --tolerance 3 --share=0.5 # halves  round\r\n"
                               "\"an a.vtc\" \"b # b.png\" 0x10 --numeric exact --all --rgba #\n"
                               "[other]\n"
                               "this is for others\n"
                               "[replay ../some\xc3\xa9]\n"
                               "c.vtc /abs/c.png 2\n"
                               "[replay] \n"
                               "d.vtc d.png 4294967295"),
                     TOOL_OK);
    assert_int_equal(manifest.cases.count, 5);
    assert_string_equal(at(0)->capture, "a.vtc");
    assert_string_equal(at(0)->capture_path, command_at("a.vtc"));
    assert_string_equal(at(0)->picture_path, command_at("a.png"));
    assert_int_equal(at(0)->frame, 1);
    assert_int_equal(at(0)->line, 3);
    assert_int_equal(at(0)->settings.tolerance, 1); /* the command line's */
    assert_string_equal(at(0)->reason, "");
    assert_string_equal(at(0)->options, "");
    assert_int_equal(at(1)->frame, MANIFEST_LAST);
    assert_string_equal(at(1)->options, "--tolerance 3 --share=0.5");
    assert_string_equal(at(1)->reason, "halves  round");
    assert_int_equal(at(1)->settings.tolerance, 3);
    assert_true(at(1)->settings.share == 0.5);
    assert_string_equal(at(2)->capture, "an a.vtc");
    assert_string_equal(at(2)->picture, "b # b.png");
    assert_int_equal(at(2)->frame, 16);
    assert_int_equal(at(2)->settings.device.numeric, ISA_EXACT);
    assert_true(at(2)->settings.all && at(2)->settings.rgba);
    assert_false(at(1)->settings.all);
    assert_string_equal(at(3)->capture_path, command_at("../some\xc3\xa9/c.vtc"));
    assert_string_equal(at(3)->picture_path, "/abs/c.png");
    assert_string_equal(at(4)->capture_path, command_at("d.vtc"));
    assert_int_equal(at(4)->frame, UINT32_MAX);
    manifest_finish(&manifest);
}

static void wrong_lines(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "M: no line of it names a picture"},
        {"# nothing\n[other]\na b 1\n", "M: no line of it names a picture"},
        {"a.vtc a.png\n", "M:1: a line is CAPTURE PICTURE FRAME"},
        {"a b 1\n\na.vtc a.png 0\n", "M:3: a frame is a number from 1, or last, not '0'"},
        {"a b -1\n", "not '-1'"},
        {"a b 4294967296\n", "not '4294967296'"},
        {"a b first\n", "not 'first'"},
        {"a b 1 --tolerance 256\n", "M:1: --tolerance takes a number from 0 to 255, not '256'"},
        {"a b 1 --share 101\n", "M:1: --share takes a percentage, not '101'"},
        {"a b 1 --share nan\n", "takes a percentage, not 'nan'"},
        {"a b 1 --share -1\n", "takes a percentage, not '-1'"},
        {"a b 1 --tolerence 1\n", "M:1: unknown option '--tolerence'; did you mean '--tolerance'?"},
        {"a b 1 --no-sandbox\n", "M:1: --no-sandbox is for the command line alone"},
        {"a b 1 --version\n", "M:1: a line has no help"},
        {"a b 1 c\n", "M:1: 'c' is no option"},
        {"a b 1 -- --all\n", "M:1: '--all' is no option"},
        {"a \"b 1\n", "M:1: a quote has no end"},
        {"[replay\n", "M:1: a section is [NAME]"},
        {"[replay] a\n", "M:1: a section is [NAME]"},
        {"[replay a b]\n", "M:1: a section is [replay] or [replay FOLDER]"},
        {"a b 1\n\x01\n", "M:2: not UTF-8, or a control character"},
        {"a \xff 1\n", "M:1: not UTF-8"},
        {"a \xc0\xaf 1\n", "M:1: not UTF-8"},
        {"a \xed\xa0\x80 1\n", "M:1: not UTF-8"},
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        assert_int_equal(read_text(rows[i].text), TOOL_BAD_FILE);
        assert_true(command_has(command_at("err"), rows[i].says));
        manifest_finish(&manifest);
    }
    command_write(command_at("M"), "a b 1\na\0b", 9);
    assert_int_equal(read_at(command_at("M")), TOOL_BAD_FILE);
    assert_true(command_has(command_at("err"), "M:2: not a text"));
    manifest_finish(&manifest);
    char many[512] = "a b 1";
    for (int i = 0; i < 70; i++)
        strcat(many, " --all");
    assert_int_equal(read_text(many), TOOL_BAD_FILE);
    assert_true(command_has(command_at("err"), "M:1: too many words"));
    manifest_finish(&manifest);
    assert_int_equal(read_at(command_at("absent")), TOOL_BAD_FILE);
    assert_true(command_has(command_at("err"), "absent: No such file"));
    manifest_finish(&manifest);
}

/* Texts, and all cuts of them, are taken or refused, and never more; under the sanitizers nothing leaks. */
static void any_text(void **state)
{
    static const char text[] = "[replay \"x y\"] # z\n\"a b\" c.png last --numeric=exact # "
                               "why\n[o]\n\xe2\x82\xac\n[replay]\na b 1 --tier auto\n";
    uint32_t random = 1;
    for (size_t length = 0; length < sizeof text; length++)
        for (unsigned round = 0; round < 4; round++) {
            char bytes[sizeof text];
            memcpy(bytes, text, sizeof text);
            random = random * 1664525 + 1013904223;
            if (round && length)
                bytes[random % length] ^= (char)(1 << (random >> 20) % 8);
            command_write(command_at("M"), bytes, length);
            int code = read_at(command_at("M"));
            assert_true(code == TOOL_OK || code == TOOL_BAD_FILE);
            if (!code)
                assert_int_equal(manifest_group(&manifest), 0);
            manifest_finish(&manifest);
        }
}

/* A line a play: captures and options alike are one, in the order in which the first of each stands. */
static void groups(void **state)
{
    assert_int_equal(
        read_text("b x1 1\na x2 1\nb x3 2\na x4 1 --all\nb x5 3 --tolerance 1\na x6 last\nb x7 2\n"),
        TOOL_OK);
    assert_int_equal(manifest_group(&manifest), 0);
    static const uint32_t units[] = {0, 1, 0, 2, 3, 1, 0};
    assert_int_equal(manifest.unit_count, 4);
    for (uint32_t i = 0; i < UTIL_ARRAY_SIZE(units); i++)
        assert_int_equal(at(i)->unit, units[i]);
    static const uint32_t first[] = {0, 2, 6};
    assert_int_equal(manifest.units[0].count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(manifest.order[manifest.units[0].first + i], first[i]);
    manifest_finish(&manifest);
}

static void filters(void **state)
{
    static const struct {
        const char *pattern;
        uint32_t count;
    } rows[] = {{"", 3}, {"t860", 2}, {"t860/*", 1}, {"*.png", 3}, {"[gt]*", 2}, {"nothing", 0}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        assert_int_equal(read_text("t860/a.vtc x.png 1\nb.vtc y/t860.png 1\ng.vtc z.png 1\n"), TOOL_OK);
        manifest_filter(&manifest, rows[i].pattern);
        assert_int_equal(manifest.cases.count, rows[i].count);
        manifest_finish(&manifest);
    }
}

/* ---- folders ---- */

static void folders(void **state)
{
    static const char *const files[] = {"f/b.vtc",      "f/b.png",     "f/b.2.png",    "f/b.x.png",
                                        "f/b.02x.png",  "f/bb.png",    "f/b.0.png",    "f/in/deep.vtc",
                                        "f/in/c.1.png", "f/alone.vtc", "f/.hidden.vtc"};
    static const struct {
        const char *capture, *picture;
        uint32_t frame;
    } cases[] = {{"alone.vtc", "alone.png", MANIFEST_LAST},
                 {"b.vtc", "b.2.png", 2},
                 {"b.vtc", "b.png", MANIFEST_LAST},
                 {"in/deep.vtc", "in/deep.png", MANIFEST_LAST}};
    assert_int_equal(mkdir(command_at("f"), 0700), 0);
    assert_int_equal(mkdir(command_at("f/in"), 0700), 0);
    assert_int_equal(symlink("..", command_at("f/around")), 0);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(files); i++)
        command_write_text(command_at(files[i]), "");
    assert_int_equal(read_at(command_at("f")), TOOL_OK);
    assert_int_equal(manifest.cases.count, UTIL_ARRAY_SIZE(cases));
    for (uint32_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        assert_string_equal(at(i)->capture, cases[i].capture);
        assert_string_equal(at(i)->picture, cases[i].picture);
        assert_int_equal(at(i)->frame, cases[i].frame);
        assert_int_equal(at(i)->settings.tolerance, 1);
    }
    assert_string_equal(at(3)->capture_path, command_at("f/in/deep.vtc"));
    manifest_finish(&manifest);
    command_write_text(command_at("f/MANIFEST"), "b.vtc b.png 7\n");
    assert_int_equal(read_at(command_at("f")), TOOL_OK);
    assert_int_equal(manifest.cases.count, 1);
    assert_string_equal(at(0)->picture_path, command_at("f/b.png"));
    manifest_finish(&manifest);
}

static void wrong_folders(void **state)
{
    assert_int_equal(mkdir(command_at("w"), 0700), 0);
    assert_int_equal(read_at(command_at("w")), TOOL_BAD_FILE);
    assert_true(command_has(command_at("err"), "w: neither a MANIFEST nor captures"));
    manifest_finish(&manifest);
    command_write_text(command_at("w/a\nb.vtc"), "");
    assert_int_equal(read_at(command_at("w")), TOOL_BAD_FILE);
    assert_true(command_has(command_at("err"), "w has a file whose name is not UTF-8"));
    manifest_finish(&manifest);
    char path[COMMAND_PATH];
    snprintf(path, sizeof path, "%s", command_at("d"));
    for (unsigned i = 0; i <= MANIFEST_FOLDERS + 1; i++) {
        assert_int_equal(mkdir(path, 0700), 0);
        strcat(path, "/d");
    }
    assert_int_equal(read_at(command_at("d")), TOOL_BAD_FILE);
    assert_true(command_has(command_at("err"), "more than 32 folders deep"));
    manifest_finish(&manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),         cmocka_unit_test(wrong_lines), cmocka_unit_test(any_text),
        cmocka_unit_test(groups),        cmocka_unit_test(filters),     cmocka_unit_test(folders),
        cmocka_unit_test(wrong_folders),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
