/* Help, man page and completion: none lacks an option, a GPU, a driver or an instruction set, whatever the
 * terminal is. What is looked for comes from the tables; where, from the texts alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/families.h"
#include "isa/sets.h"
#include "tools/texts.h"
#include "tools/tool.h"
#include "util/bits.h"

static char *man, *completion, *fish, *zsh;

/* ---- texts ---- */

static char *help_of(const struct tool_command *c)
{
    static char *text; /* GCC 12 takes what fclose leaves in a local one for a pointer to it */
    static size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    tool_help(c, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static int make(void **state)
{
    size_t size;
    FILE *page = fopen(SOURCE_DIR "/man/vitrail.1.in", "r"), *out = open_memstream(&man, &size);
    if (!page || !out)
        return -1;
    texts_man(page, out);
    fclose(page);
    fclose(out);
    out = open_memstream(&completion, &size);
    texts_bash(out);
    fclose(out);
    out = open_memstream(&fish, &size);
    texts_fish(out);
    fclose(out);
    out = open_memstream(&zsh, &size);
    texts_zsh(out);
    return fclose(out);
}

static int drop(void **state)
{
    free(man);
    free(completion);
    free(fish);
    free(zsh);
    return 0;
}

/* Whether the word stands in the text, and in no longer word. */
static bool has_word(const char *text, const char *end, const char *word)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyz0123456789-\\";
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) && at + length <= end; at++)
        if ((at == text || !strchr(inside, at[-1]) || !strncmp(at - 2, "\\f", 2)) &&
            (!at[length] || at[length] == '\\' || !strchr(inside, at[length])))
            return true;
    return false;
}

/* As the man page writes it. */
static const char *in_man(const char *text)
{
    static char out[128];
    char *to = out;
    for (; *text; text++) {
        if (*text == '-')
            *to++ = '\\';
        *to++ = *text;
    }
    *to = 0;
    return out;
}

/* ---- tests ---- */

static const char *spelling(const struct tool_option *row)
{
    static char text[64];
    snprintf(text, sizeof text, "%s%s", row->name[1] ? "--" : "-", row->name);
    return text;
}

/* A command's part of the page, up to the next one's. */
static const char *part_of_man(const struct tool_command *c, const char **end)
{
    char head[64];
    snprintf(head, sizeof head, ".TP\n\\fB%s\\fR [", c->name);
    const char *at = strstr(man, head);
    assert_non_null(at);
    *end = strstr(at, "\n.RE\n");
    assert_non_null(*end);
    return at;
}

/* Options of every command; those of a device, the sandbox and all commands have their parts of the page. */
static void options(void **state)
{
    const struct tool_command *c;
    const struct tool_option *row;
    unsigned count = 0;
    const char *device = strstr(man, ".SH DEVICE OPTIONS"), *common = strstr(man, ".SH OPTIONS OF ALL");
    for (unsigned n = 0; (c = tool_command_at(n)); n++) {
        char line[64], *help = help_of(c);
        const char *end, *part = part_of_man(c, &end);
        snprintf(line, sizeof line, "\n    '%s '*) ", c->name);
        const char *offered = strstr(completion, line);
        assert_non_null(offered);
        for (unsigned k = 0; (row = tool_option_at(c, k)); k++, count++) {
            const char *name = spelling(row);
            if (!has_word(help, help + strlen(help), name))
                fail_msg("the help of %s lacks %s", c->name, name);
            if (!has_word(offered, strchr(offered + 1, '\n'), name))
                fail_msg("the completion of %s lacks %s", c->name, name);
            name = in_man(name);
            if (!has_word(part, end, name) && !has_word(device, common, name) &&
                !has_word(common, strstr(common, "\n.PP"), name))
                fail_msg("the man page lacks %s of %s", name, c->name);
        }
        free(help);
    }
    assert_true(count > 150);
}

/* Each shell has every option of every command, and what may stand behind it. */
static void shells(void **state)
{
    const struct tool_command *c;
    const struct tool_option *row;
    for (unsigned n = 0; (c = tool_command_at(n)); n++) {
        char line[128];
        snprintf(line, sizeof line, "\n    '%s')\n", c->name);
        const char *part = strstr(zsh, line), *end = part ? strstr(part, ";;\n") : NULL;
        assert_non_null(end);
        for (unsigned k = 0; (row = tool_option_at(c, k)); k++) {
            const char *word;
            snprintf(line, sizeof line, "-n '__vitrail_is %s' %s %s ", c->name, row->name[1] ? "-l" : "-s",
                     row->name);
            const char *at = strstr(fish, line);
            snprintf(line, sizeof line, "\n            '%s%s[", spelling(row),
                     !row->value    ? ""
                     : row->name[1] ? "="
                                    : "+");
            const char *other = strstr(part, line);
            if (!at || !other || other > end)
                fail_msg("%s of %s is not offered", spelling(row), c->name);
            for (unsigned w = 0; row->word && (word = row->word(w)); w++)
                if (!has_word(at, strchr(at, '\n'), word) || !has_word(other, strchr(other + 1, '\n'), word))
                    fail_msg("%s is not offered behind %s of %s", word, spelling(row), c->name);
        }
    }
}

/* The word must be in the help of the option, in the man page, and offered behind the option. */
static void offered(const struct tool_command *c, const char *option, const char *word)
{
    char line[64], *help = help_of(c);
    const char *end, *part = part_of_man(c, &end);
    snprintf(line, sizeof line, "\n    '%s %s') words='", c->name, option);
    const char *at = strstr(completion, line), *described = strstr(help, option);
    if (!at || !has_word(at, strchr(at + 1, '\n'), word))
        fail_msg("the completion of %s %s lacks %s", c->name, option, word);
    if (!described || !has_word(described, help + strlen(help), word))
        fail_msg("the help of %s %s lacks %s", c->name, option, word);
    if (!has_word(part, end, in_man(word)))
        fail_msg("the man page lacks %s of %s %s", word, c->name, option);
    free(help);
}

static void gpus(void **state)
{
    const struct gpu_info *gpu;
    const char *list = strstr(man, ".SH GPUS"), *end = strstr(list, ".SH INSTRUCTION SETS");
    const char *mesa = strstr(man, "\\-Dgallium\\-drivers=");
    unsigned n = 0;
    for (; (gpu = gpu_info_at(n)); n++) {
        assert_true(has_word(list, end, gpu->name));
        if (!gpu->driver)
            continue;
        offered(&tool_command_run, "--gpu", gpu->name);
        offered(&tool_command_record, "--gpu", gpu->name);
        assert_true(has_word(list, end, gpu->driver));
        assert_true(has_word(mesa, strchr(mesa, ' '), gpu->driver));
    }
    assert_true(n >= 3);
}

static void sets(void **state)
{
    const struct isa_set *set;
    const char *list = strstr(man, ".SH INSTRUCTION SETS");
    unsigned n = 0;
    for (; (set = isa_set_at(n)); n++) {
        offered(&tool_command_asm, "--isa", set->name);
        offered(&tool_command_dis, "--isa", set->name);
        offered(&tool_command_lint, "--isa", set->name);
        for (unsigned k = 1; set->stages[k]; k++)
            offered(&tool_command_lint, "--stage", set->stages[k]);
        assert_true(has_word(list, strstr(list, ".PP"), in_man(set->name)));
    }
    assert_true(n >= 3);
}

/* Words that are chosen from a list: the help names each. */
static void words(void **state)
{
    const struct tool_command *c;
    const struct tool_option *row;
    for (unsigned n = 0; (c = tool_command_at(n)); n++)
        for (unsigned k = 0; (row = tool_option_at(c, k)); k++) {
            char help[TOOL_HELP_MAX];
            tool_option_help(row, help);
            for (unsigned w = 0; row->word && row->word(w); w++)
                if (!has_word(help, help + strlen(help), row->word(w)))
                    fail_msg("the help of %s --%s lacks %s", c->name, row->name, row->word(w));
        }
}

/* Of 79 columns but for the examples, without blanks at line ends, whatever COLUMNS is. */
static void lines(void **state)
{
    const struct tool_command *c;
    for (unsigned n = 0; (c = tool_command_at(n)); n++) {
        static const char *const columns[] = {"20", "400", "x", ""};
        unsetenv("COLUMNS");
        char *help = help_of(c);
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(columns); i++) {
            setenv("COLUMNS", columns[i], 1);
            char *again = help_of(c);
            assert_string_equal(help, again);
            free(again);
        }
        assert_non_null(strstr(help, "\nExamples:\n"));
        char *next = help;
        for (char *line; (line = strsep(&next, "\n"));) {
            if (!strcmp(line, "Examples:"))
                break;
            size_t length = strlen(line);
            if (length > 79 || (length && line[length - 1] == ' '))
                fail_msg("the help of %s: '%s'", c->name, line);
        }
        free(help);
    }
}

static void page(void **state)
{
    for (const char *at = man; (at = strchr(at, '@')); at++)
        fail_msg("the man page has a place left: %.20s", at);
    assert_non_null(strstr(man, "\"vitrail " VITRAIL_VERSION "\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options), cmocka_unit_test(shells), cmocka_unit_test(gpus), cmocka_unit_test(sets),
        cmocka_unit_test(words),   cmocka_unit_test(lines),  cmocka_unit_test(page)};
    return cmocka_run_group_tests(tests, make, drop);
}
