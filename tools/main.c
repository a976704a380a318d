#include "tools/tool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/texts.h"

/* With the list of commands, which is not to be wrapped; the caller's to free. NULL without memory. */
static char *describe(void)
{
    const struct tool_command *c;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("A GPU made of software: runs what real drivers hand to tile-based GPUs.\n\nCommands:\n", out);
    for (unsigned n = 0; (c = tool_command_at(n)); n++)
        fprintf(out, "  %-15s %s\n", c->name, c->summary);
    fputs("\n`vitrail help COMMAND` has the options and examples of a command.", out);
    if (!fclose(out))
        return text;
    free(text);
    return NULL;
}

static const struct tool_command vitrail = {
    .operands = "COMMAND [ARGS]",
    .notes = "Exit status: 0 done, 1 a verification differs, 2 wrong options, 3 guest fault, 4 bad file, "
             "5 this machine cannot do it; `run` and `record` pass on the program's, or 6: it never used "
             "the GPU; `libresoc run` passes on the program's, too.",
    .examples = "  vitrail run --gpu vc4 -- glmark2-es2-drm -b texture\n"
                "  vitrail record -o frame.vtc -- kmscube -c 1\n"
                "  vitrail replay frame.vtc --png frame.png\n",
};

/* What was printed counts only when it arrived. */
static int finish(const char *name, int code)
{
    util_sandbox_leave();
    if ((fflush(stdout) || ferror(stdout)) && (code == TOOL_OK || code == TOOL_DIFFERS))
        return tool_error(name, TOOL_HOST, "standard output: %s", strerror(errno ? errno : EIO));
    return code;
}

static const char *command_name(const void *data, unsigned n)
{
    const struct tool_command *c = tool_command_at(n);
    return c ? c->name : NULL;
}

/* The second word of a command whose first is `word`, "" if it has none; NULL: it begins otherwise. */
static const char *second_word(const struct tool_command *c, const char *word)
{
    const size_t length = strcspn(c->name, " ");
    if (strncmp(c->name, word, length) != 0 || word[length])
        return NULL;
    return c->name[length] ? c->name + length + 1 : "";
}

/* Where the second word is missing, or is none: the help of all commands that begin so, if asked for. */
static int ask_for_second(const char *first, const char *word)
{
    const struct tool_command *c;
    const bool help = word && (!strcmp(word, "--help") || !strcmp(word, "-h"));
    char all[256] = "";
    for (unsigned n = 0, found = 0; (c = tool_command_at(n)); n++) {
        if (!second_word(c, first))
            continue;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s`vitrail %s`", *all ? ", " : "", c->name);
        if (help && found++)
            putchar('\n');
        if (help)
            tool_help(c, stdout);
    }
    if (help)
        return finish(first, TOOL_OK);
    return tool_error(first, TOOL_USAGE, "%s%s%swhat to do? %s; see `vitrail %s --help`", word ? "'" : "",
                      word ? word : "", word ? "': " : "", all, first);
}

static int refuse_command(const char *word)
{
    const char *nearest = tool_nearest(word, command_name, NULL);
    if (nearest)
        return tool_error(NULL, TOOL_USAGE, "unknown command '%s'; did you mean '%s'?", word, nearest);
    return tool_error(NULL, TOOL_USAGE, "unknown command '%s'; `vitrail --help` lists them", word);
}

static int run_command(int argc, char **argv)
{
    const struct tool_command *c;
    bool begun = false;
    for (unsigned n = 0; (c = tool_command_at(n)); n++) {
        const char *second = second_word(c, argv[0]);
        begun |= second != NULL;
        if (second && !*second)
            return finish(c->name, c->main(argc, argv));
        if (second && argc > 1 && !strcmp(argv[1], second))
            return finish(c->name, c->main(argc - 1, argv + 1));
    }
    if (begun)
        return ask_for_second(argv[0], argc > 1 ? argv[1] : NULL);
    return refuse_command(argv[0]);
}

/* `vitrail help COMMAND`, of one or two words; of none the list. */
static int help(const struct tool_command *self, int argc, char **argv)
{
    const struct tool_command *c;
    for (unsigned n = 0; argc && (c = tool_command_at(n)); n++) {
        const char *second = second_word(c, argv[0]);
        if (!second || (*second && (argc < 2 || strcmp(argv[1], second) != 0)))
            continue;
        if (argc > 1 + (*second != 0))
            break;
        tool_help(c, stdout);
        return finish(c->name, TOOL_OK);
    }
    if (!argc) {
        tool_help(self, stdout);
        return finish(NULL, TOOL_OK);
    }
    for (unsigned n = 0; (c = tool_command_at(n)); n++)
        if (second_word(c, argv[0]))
            return argc == 1 ? ask_for_second(argv[0], "--help")
                             : tool_error("help", TOOL_USAGE, "no command '%s %s'; see `vitrail --help`",
                                          argv[0], argv[1]);
    return refuse_command(argv[0]);
}

/* For the build, not for people: `vitrail --generate bash` (or fish, zsh), `vitrail --generate man <PAGE`. */
static int generate(const char *what)
{
    if (!strcmp(what, "bash"))
        texts_bash(stdout);
    else if (!strcmp(what, "fish"))
        texts_fish(stdout);
    else if (!strcmp(what, "zsh"))
        texts_zsh(stdout);
    else if (!strcmp(what, "man"))
        texts_man(stdin, stdout);
    else
        return TOOL_USAGE;
    return finish(NULL, TOOL_OK);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of the write, and is told as such */
    if (argc == 3 && !strcmp(argv[1], "--generate"))
        return generate(argv[2]);
    struct tool_command self = vitrail;
    struct tool_operands words;
    char *text = describe();
    if (!text)
        return tool_error(NULL, TOOL_HOST, "out of memory");
    self.text = text;
    int code = tool_parse(&self, argc, argv, NULL, &words);
    if (code) {
        free(text);
        return finish(NULL, code < 0 ? TOOL_OK : code);
    }
    if (words.count && !strcmp(words.at[0], "help"))
        code = help(&self, (int)words.count - 1, words.at + 1);
    else if (!words.count)
        tool_help(&self, stderr);
    free(text);
    if (words.count && !strcmp(words.at[0], "help"))
        return code;
    return words.count ? run_command((int)words.count, words.at) : TOOL_USAGE;
}
