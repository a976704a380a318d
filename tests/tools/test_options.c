/* tools/options.c: how words are taken, and what is said of those that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"
#include "util/bits.h"

/* ---- a command ---- */

struct deep {
    bool on;
    const char *name;
};

struct options {
    bool json;
    uint64_t number, size;
    double percent;
    unsigned word;
    const char *file, *folder;
    char own[8];
    struct deep deep;
};

static const char *word(unsigned n)
{
    static const char *const words[] = {"red", "green", "blue"};
    return n < UTIL_ARRAY_SIZE(words) ? words[n] : NULL;
}

/* A colour that no list has. */
static const char *unlisted(const char *text)
{
    return strcmp(text, "mauve") ? NULL : "mauve";
}

static int take_own(void *options, const char *value)
{
    struct options *o = options;
    if (!strcmp(value, "wrong"))
        return -1;
    snprintf(o->own, sizeof o->own, "%s", value);
    return strcmp(value, "full") ? TOOL_OK : tool_error("paint", TOOL_HOST, "it is full");
}

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"json", NULL, "for tools", .kind = TOOL_SWITCH, .at = AT(json)},
    {"number", "N", "a number", .kind = TOOL_NUMBER, .at = AT(number), .min = 1, .max = 20},
    {"size", "SIZE", "a size", .kind = TOOL_SIZE, .at = AT(size), .min = 1024, .max = 4ull << 30},
    {"percent", "P", "a percentage", .kind = TOOL_PERCENT, .at = AT(percent)},
    {"colour", "NAME", "a colour: %s", .kind = TOOL_WORD, .at = AT(word), .word = word, .first = true},
    {"o", "FILE", "a file", .kind = TOOL_FILE, .at = AT(file)},
    {"folder", "DIR", "a folder", .kind = TOOL_FOLDER, .at = AT(folder)},
    {"own", "TEXT", "its own", .kind = TOOL_OWN, .take = take_own, .takes = "what is right"},
    {0},
};

static const struct tool_option deep_rows[] = {
    {"deep", NULL, "a switch of others", .kind = TOOL_SWITCH, .at = offsetof(struct deep, on)},
    {"deep-name", "NAME", "a word of others", .kind = TOOL_NAME, .at = offsetof(struct deep, name),
     .word = word, .unlisted = unlisted},
    {0},
};

static struct tool_command command = {
    .name = "paint",
    .operands = "PICTURE",
    .text = "Paints.",
    .notes = "Notes.",
    .examples = "  vitrail paint a\n",
    .options = {{rows}, {deep_rows, AT(deep)}},
};

/* ---- one call ---- */

static struct options told;
static struct tool_operands operands;
static char said[4096]; /* on standard error, or output */

/* Takes the words, parted by spaces, and gives what tool_parse did. */
static int parse(const char *line)
{
    static char words[256];
    static char *argv[32];
    int argc = 1;
    char *next = words, *text = NULL;
    size_t size;
    snprintf(words, sizeof words, "%s", line);
    argv[0] = (char *)"paint";
    for (char *one; *line && (one = strsep(&next, " "));)
        argv[argc++] = one;
    argv[argc] = NULL;
    memset(&told, 0, sizeof told);
    FILE *out = open_memstream(&text, &size), *real_error = stderr, *real_output = stdout;
    assert_non_null(out);
    stderr = stdout = out;
    int code = tool_parse(&command, argc, argv, &told, &operands);
    stderr = real_error;
    stdout = real_output;
    assert_int_equal(fclose(out), 0);
    snprintf(said, sizeof said, "%s", text);
    free(text);
    return code;
}

static void takes(const char *line)
{
    int code = parse(line);
    if (code || *said)
        fail_msg("'%s': %d, %s", line, code, said);
}

/* One sentence, with exactly these words behind the command's name. */
static void refuses(const char *line, int expected, const char *sentence)
{
    char whole[512];
    int code = parse(line);
    snprintf(whole, sizeof whole, "vitrail paint: %s\n", sentence);
    if (code != expected || strcmp(said, whole) != 0)
        fail_msg("'%s': %d and '%s', not %d and '%s'", line, code, said, expected, whole);
}

static void operands_are(unsigned count, const char *first, const char *last)
{
    assert_int_equal(operands.count, count);
    assert_string_equal(operands.at[0], first);
    assert_string_equal(operands.at[count - 1], last);
}

/* ---- tests ---- */

static void values(void **state)
{
    command.takes.noun = "picture";
    command.takes.min = command.takes.max = 1;
    takes("a --json --number 7 --size=3k --colour green -o x --folder=y --own z --deep --deep-name=blue");
    operands_are(1, "a", "a");
    assert_true(told.json && told.deep.on);
    assert_int_equal(told.number, 7);
    assert_int_equal(told.size, 3072);
    assert_int_equal(told.word, 1);
    assert_string_equal(told.file, "x");
    assert_string_equal(told.folder, "y");
    assert_string_equal(told.own, "z");
    assert_string_equal(told.deep.name, "blue");
    takes("--deep-name mauve a");
    assert_string_equal(told.deep.name, "mauve");
    takes("--number 1 a --number 0x10"); /* the last counts */
    assert_int_equal(told.number, 16);
    takes("-ox a");
    assert_string_equal(told.file, "x");
    takes("-o=x a"); /* as --folder=y */
    assert_string_equal(told.file, "x");
    takes("-o =x a");
    assert_string_equal(told.file, "=x");
    takes("--folder --json a"); /* a value looks as it likes */
    assert_string_equal(told.folder, "--json");
    assert_false(told.json);
    takes("--folder= a");
    assert_string_equal(told.folder, "");
    takes("--percent 0.25 a");
    assert_true(told.percent == 0.25);
    takes("--percent 100 a");
    assert_true(told.percent == 100);
    takes("--size 4G a");
    assert_true(told.size == 4ull << 30);
}

static void places(void **state)
{
    command.takes.noun = "picture";
    command.takes.min = 1;
    command.takes.max = 3;
    takes("a --json b --number 3 c");
    operands_are(3, "a", "c");
    takes("a --json -- --number 3");
    operands_are(3, "a", "3");
    assert_int_equal(told.number, 0);
    takes("-");
    operands_are(1, "-", "-");
    setenv("POSIXLY_CORRECT", "1", 1);
    takes("a --json b");
    unsetenv("POSIXLY_CORRECT");
    operands_are(2, "a", "b");
    assert_true(told.json);
    refuses("a b c d", TOOL_USAGE, "one picture at a time: 'c' and 'd'");
    refuses("--json", TOOL_USAGE, "no picture given; see `vitrail paint --help`");
}

/* What a program is given is the program's. */
static void programs(void **state)
{
    command.takes.noun = NULL;
    takes("--json -- prog --number 99 -- --help");
    operands_are(5, "prog", "--help");
    assert_true(told.json);
    takes("--json prog --number 99 -x");
    operands_are(4, "prog", "-x");
    takes("-- -- prog");
    operands_are(2, "--", "prog");
    takes("--json --");
    assert_int_equal(operands.count, 0);
}

static void refusals(void **state)
{
    command.takes.noun = "picture";
    command.takes.min = command.takes.max = 1;
    refuses("--number 0 a", TOOL_USAGE, "--number takes a number from 1 to 20, not '0'");
    refuses("--number=21 a", TOOL_USAGE, "--number takes a number from 1 to 20, not '21'");
    refuses("--number -1 a", TOOL_USAGE, "--number takes a number from 1 to 20, not '-1'");
    refuses("--number 2k a", TOOL_USAGE, "--number takes a number from 1 to 20, not '2k'");
    refuses("--number= a", TOOL_USAGE, "--number takes a number from 1 to 20, not ''");
    refuses("--size 5G a", TOOL_USAGE, "--size takes a number from 1024 to 4294967296, not '5G'");
    refuses("--size k a", TOOL_USAGE, "--size takes a number from 1024 to 4294967296, not 'k'");
    refuses("--size 99999999999999999999 a", TOOL_USAGE,
            "--size takes a number from 1024 to 4294967296, not '99999999999999999999'");
    refuses("--percent 100.5 a", TOOL_USAGE, "--percent takes a percentage, not '100.5'");
    refuses("--percent nan a", TOOL_USAGE, "--percent takes a percentage, not 'nan'");
    refuses("--percent -0.1 a", TOOL_USAGE, "--percent takes a percentage, not '-0.1'");
    refuses("--percent 1x a", TOOL_USAGE, "--percent takes a percentage, not '1x'");
    refuses("--percent= a", TOOL_USAGE, "--percent takes a percentage, not ''");
    refuses("--colour pink a", TOOL_USAGE, "--colour takes red, green or blue, not 'pink'");
    refuses("--deep-name pink a", TOOL_USAGE, "--deep-name takes red, green or blue, not 'pink'");
    refuses("--own wrong a", TOOL_USAGE, "--own takes what is right, not 'wrong'");
    refuses("--own full a", TOOL_HOST, "it is full");
    refuses("a --number", TOOL_USAGE, "--number needs a value");
    refuses("a -o", TOOL_USAGE, "-o needs a value");
    refuses("--json=1 a", TOOL_USAGE, "--json takes no value");
    refuses("--dance a", TOOL_USAGE, "unknown option '--dance'; see `vitrail paint --help`");
    refuses("--dance=3 a", TOOL_USAGE, "unknown option '--dance=3'; see `vitrail paint --help`");
    refuses("a -x", TOOL_USAGE, "unknown option '-x'; see `vitrail paint --help`");
    refuses("--folder -q -xyz a", TOOL_USAGE, "unknown option '-xyz'; see `vitrail paint --help`");
    refuses("--color red a", TOOL_USAGE, "unknown option '--color'; did you mean '--colour'?");
    refuses("--numbre 1 a", TOOL_USAGE, "unknown option '--numbre'; did you mean '--number'?");
    refuses("-json a", TOOL_USAGE, "unknown option '-json'; did you mean '--json'?");
    refuses("--o x a", TOOL_USAGE, "unknown option '--o'; did you mean '-o'?");
    /* Abbreviations, though getopt knows one option alone that begins so. */
    refuses("--num 1 a", TOOL_USAGE, "unknown option '--num'; did you mean '--number'?");
    refuses("--num=1 a", TOOL_USAGE, "unknown option '--num=1'; did you mean '--number'?");
    refuses("--js a", TOOL_USAGE, "unknown option '--js'; did you mean '--json'?");
    refuses("--hel", TOOL_USAGE, "unknown option '--hel'; did you mean '--help'?");
    refuses("--de a", TOOL_USAGE, "unknown option '--de'; did you mean '--deep'?"); /* of two */
    assert_int_equal(parse("--deep a"), TOOL_OK);
    command.takes.min = command.takes.max = 0;
    refuses("a", TOOL_USAGE, "unknown argument 'a'; see `vitrail paint --help`");
}

static void answers(void **state)
{
    command.takes.noun = "picture";
    command.takes.min = command.takes.max = 1;
    static const char *const calls[] = {"--help", "-h", "--json --help --dance"};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(calls); n++) {
        assert_int_equal(parse(calls[n]), -1);
        assert_non_null(strstr(said, "Usage: vitrail paint [OPTION...] PICTURE\n\nPaints.\n\n"));
        assert_non_null(strstr(said, "a colour: red (default), green, blue\n"));
        assert_non_null(strstr(said, "\n\nNotes.\n\nExamples:\n  vitrail paint a\n"));
    }
    assert_int_equal(parse("--usage"), -1);
    assert_non_null(strstr(said, "[--number=N]"));
    assert_int_equal(parse("--version"), -1);
    assert_string_equal(said, "vitrail " VITRAIL_VERSION "\n");
}

static const char *candidate(const void *data, unsigned n)
{
    return ((const char *const *)data)[n];
}

static void nearest(void **state)
{
    static const char *const words[] = {"run", "record", "replay", "decode", "gpus", "qpu", "explain", NULL};
    const struct {
        const char *text, *meant;
    } of[] = {{"recrod", "record"},
              {"rpelay", "replay"},
              {"reply", "replay"},
              {"rum", "run"},
              {"rn", NULL},
              {"dance", NULL},
              {"gpu", "gpus"},
              {"exp", "explain"},
              {"", NULL},
              {"r", NULL},
              {"explian", "explain"},
              {"recoooord", NULL},
              {"a-word-that-is-longer-than-any-command", NULL}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(of); n++) {
        const char *found = tool_nearest(of[n].text, candidate, words);
        if (!found != !of[n].meant || (found && strcmp(found, of[n].meant) != 0))
            fail_msg("'%s': '%s', not '%s'", of[n].text, found, of[n].meant);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values),   cmocka_unit_test(places),
                                       cmocka_unit_test(programs), cmocka_unit_test(refusals),
                                       cmocka_unit_test(answers),  cmocka_unit_test(nearest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
