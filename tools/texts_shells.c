/* The completion for fish and zsh, which show what commands and options are for; bash's is in texts.c. */
#include "tools/texts.h"

#include <string.h>

#include "tools/tool.h"

/* The first sentence or part of it, as one line between quotes: `escaped` bytes get a backslash, a quote ends the quotes
 * for itself. */
static void put_quoted(const char *text, const char *escaped, FILE *out)
{
    for (const char *c = text; *c && strncmp(c, "; ", 2) != 0; c++) {
        if (*c == '\'')
            fputs("'\\''", out);
        else if (strchr(escaped, *c))
            fprintf(out, "\\%c", *c);
        else
            putc(*c == '\n' ? ' ' : *c, out);
    }
}

/* Whether another command before the n-th begins with its first word. */
static bool begun_before(unsigned n)
{
    const char *name = tool_command_at(n)->name;
    const size_t length = strcspn(name, " ") + 1;
    for (unsigned i = 0; i < n; i++)
        if (!strncmp(tool_command_at(i)->name, name, length))
            return true;
    return false;
}

static void put_words(const struct tool_option *row, FILE *out)
{
    const char *word;
    for (unsigned n = 0; (word = row->word(n)); n++)
        fprintf(out, "%s%s", n ? " " : "", word);
}

/* ---- fish ---- */

static void fish_command(const struct tool_command *c, bool begun, FILE *out)
{
    const int first = (int)strcspn(c->name, " ");
    if (!c->name[first]) {
        fprintf(out, "complete -c vitrail -n __vitrail_first -a %s -d '", c->name);
    } else {
        if (!begun)
            fprintf(out,
                    "complete -c vitrail -n __vitrail_first -a %.*s\n"
                    "complete -c vitrail -n '__vitrail_second %.*s' -f\n",
                    first, c->name, first, c->name);
        fprintf(out, "complete -c vitrail -n '__vitrail_second %.*s' -a %s -d '", first, c->name,
                c->name + first + 1);
    }
    put_quoted(c->summary, "\\", out);
    fputs("'\n", out);
}

static void fish_option(const struct tool_command *c, const struct tool_option *row, FILE *out)
{
    char help[TOOL_HELP_MAX];
    tool_option_help(row, help);
    fprintf(out, "complete -c vitrail -n '__vitrail_is %s' %s %s", c->name, row->name[1] ? "-l" : "-s",
            row->name);
    if (row->word) {
        fputs(" -x -a '", out);
        put_words(row, out);
        putc('\'', out);
    } else if (row->value) {
        fputs(row->kind == TOOL_FILE     ? " -r -F"
              : row->kind == TOOL_FOLDER ? " -x -a '(__fish_complete_directories)'"
                                         : " -x",
              out);
    }
    fputs(" -d '", out);
    put_quoted(help, "\\", out);
    fputs("'\n", out);
}

void texts_fish(FILE *out)
{
    const struct tool_command *c;
    const struct tool_option *row;
    fprintf(out,
            "# fish completion for vitrail %s, made by `vitrail --generate fish`\n"
            "function __vitrail_first\n"
            "    test (count (commandline -opc)) -eq 1\n"
            "end\n"
            "function __vitrail_second\n"
            "    set -l words (commandline -opc)\n"
            "    test (count $words) -eq 2; and test $words[2] = $argv[1]\n"
            "end\n"
            "# The command, of one or two words; behind a program's `--` options are its own.\n"
            "function __vitrail_is\n"
            "    set -l words (commandline -opc)\n"
            "    set -l last (math (count $argv) + 1)\n"
            "    test (count $words) -ge $last; or return 1\n"
            "    not contains -- -- $words; and test \"$words[2..$last]\" = \"$argv\"\n"
            "end\n"
            "complete -c vitrail -n __vitrail_first -f\n",
            VITRAIL_VERSION);
    for (unsigned n = 0; (c = tool_command_at(n)); n++) {
        fish_command(c, begun_before(n), out);
        for (unsigned k = 0; (row = tool_option_at(c, k)); k++)
            fish_option(c, row, out);
    }
}

/* ---- zsh ---- */

#define ZSH_ESCAPED "\\[]:"

static void zsh_option(const struct tool_option *row, FILE *out)
{
    char help[TOOL_HELP_MAX];
    tool_option_help(row, help);
    fprintf(out, "            '%s%s%s[", row->name[1] ? "--" : "-", row->name,
            !row->value    ? ""
            : row->name[1] ? "="
                           : "+");
    put_quoted(help, ZSH_ESCAPED, out);
    putc(']', out);
    if (row->value) {
        fprintf(out, ":%s:", row->value);
        if (row->word) {
            putc('(', out);
            put_words(row, out);
            putc(')', out);
        } else {
            fputs(row->kind == TOOL_FILE ? "_files" : row->kind == TOOL_FOLDER ? "_files -/" : " ", out);
        }
    }
    fputs("' \\\n", out);
}

static void zsh_command(const struct tool_command *c, FILE *out)
{
    const struct tool_option *row;
    fprintf(out, "    '%s')\n        _arguments \\\n", c->name);
    for (unsigned k = 0; (row = tool_option_at(c, k)); k++)
        zsh_option(row, out);
    fprintf(out, "            '*::%s:%s' ;;\n", c->takes.noun ? c->takes.noun : "program",
            c->takes.noun ? "_files" : "_normal");
}

/* A list of names and what they are for: first words, or the second ones behind `first`. */
static void zsh_names(const char *first, FILE *out)
{
    const struct tool_command *c;
    const size_t length = first ? strlen(first) : 0;
    for (unsigned n = 0; (c = tool_command_at(n)); n++) {
        const int word = (int)strcspn(c->name, " ");
        if (first ? strncmp(c->name, first, length) != 0 || c->name[length] != ' ' : begun_before(n))
            continue;
        if (first)
            fprintf(out, " '%s:", c->name + length + 1);
        else
            fprintf(out, " '%.*s:", word, c->name);
        put_quoted(!first && c->name[word] ? "commands of two words" : c->summary, ZSH_ESCAPED, out);
        putc('\'', out);
    }
}

static void zsh_second_words(FILE *out)
{
    const struct tool_command *c;
    for (unsigned n = 0; (c = tool_command_at(n)); n++) {
        char first[32];
        const int length = (int)strcspn(c->name, " ");
        if (!c->name[length] || begun_before(n))
            continue;
        snprintf(first, sizeof first, "%.*s", length, c->name);
        fprintf(out,
                "    %s)\n"
                "        names=(",
                first);
        zsh_names(first, out);
        fputs(" )\n"
              "        if (( CURRENT == 3 )); then _describe command names; return; fi\n"
              "        command+=\" $words[3]\"; words[1,2]=(); (( CURRENT -= 2 )) ;;\n",
              out);
    }
}

void texts_zsh(FILE *out)
{
    const struct tool_command *c;
    fprintf(out,
            "#compdef vitrail\n"
            "# zsh completion for vitrail %s, made by `vitrail --generate zsh`\n"
            "_vitrail() {\n"
            "    local -a names\n"
            "    names=(",
            VITRAIL_VERSION);
    zsh_names(NULL, out);
    fputs(" )\n"
          "    if (( CURRENT == 2 )); then _describe command names; return; fi\n"
          "    local command=$words[2]\n"
          "    case $command in\n",
          out);
    zsh_second_words(out);
    fputs("    *) words[1]=(); (( CURRENT -= 1 )) ;;\n"
          "    esac\n"
          "    case $command in\n",
          out);
    for (unsigned n = 0; (c = tool_command_at(n)); n++)
        zsh_command(c, out);
    fputs("    esac\n"
          "}\n"
          "_vitrail \"$@\"\n",
          out);
}
