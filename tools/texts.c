#include "tools/texts.h"

#include <string.h>

#include "gpu/families.h"
#include "isa/sets.h"
#include "tools/tool.h"
#include "util/bits.h"

/* ---- completion ---- */

static void put_words(const char *(*word)(unsigned n), FILE *out)
{
    const char *text;
    for (unsigned n = 0; (text = word(n)); n++)
        fprintf(out, "%s%s", n ? " " : "", text);
}

static void put_name(const struct tool_option *row, FILE *out)
{
    fprintf(out, "%s%s", row->name[1] ? "--" : "-", row->name);
}

/* Behind an option, what its value may be; nothing is offered where that cannot be told. */
static void complete_value(const char *command, const struct tool_option *row, FILE *out)
{
    if (!row->value)
        return;
    fprintf(out, "    '%s ", command);
    put_name(row, out);
    fprintf(out, "') ");
    if (row->word) {
        fprintf(out, "words='");
        put_words(row->word, out);
        fprintf(out, "' ;;\n");
    } else {
        fprintf(out, "files=%s ;;\n",
                row->kind == TOOL_FILE     ? "-f"
                : row->kind == TOOL_FOLDER ? "-d"
                                           : "none");
    }
}

static void put_options_of(const struct tool_command *c, FILE *out)
{
    const struct tool_option *row;
    for (unsigned n = 0; (row = tool_option_at(c, n)); n++) {
        fprintf(out, "%s", n ? " " : "");
        put_name(row, out);
    }
}

static void complete_command(const struct tool_command *c, FILE *out)
{
    const struct tool_option *row;
    for (unsigned n = 0; (row = tool_option_at(c, n)); n++)
        complete_value(c->name, row, out);
    if (!c->takes.noun) /* a program */
        fprintf(out, "    '%s --') files=-c ;;\n", c->name);
    fprintf(out, "    '%s '*) files=%s words='", c->name, c->takes.noun && !c->takes.max ? "none" : "-f");
    put_options_of(c, out);
    fprintf(out, "%s' ;;\n", c->takes.noun ? "" : " --");
}

/* What follows the first word of a command of two: all second words. Once for all that begin so. */
static void complete_second(unsigned number, FILE *out)
{
    const struct tool_command *c = tool_command_at(number), *other;
    const int length = (int)strcspn(c->name, " ");
    if (!c->name[length])
        return;
    for (unsigned n = 0; n < number; n++)
        if (!strncmp(tool_command_at(n)->name, c->name, (size_t)length + 1))
            return;
    fprintf(out, "    '%.*s %.*s') words='", length, c->name, length, c->name);
    for (unsigned n = number; (other = tool_command_at(n)); n++)
        if (!strncmp(other->name, c->name, (size_t)length + 1))
            fprintf(out, "%s%s", n == number ? "" : " ", other->name + length + 1);
    fprintf(out, "' ;;\n");
}

/* The names of two words, as a pattern of the shell. */
static void put_long_names(FILE *out)
{
    const struct tool_command *c;
    bool any = false;
    for (unsigned n = 0; (c = tool_command_at(n)); n++)
        if (strchr(c->name, ' ')) {
            fprintf(out, "%s'%s'", any ? " | " : "", c->name);
            any = true;
        }
}

static void put_first_words(FILE *out)
{
    const struct tool_command *c, *before = NULL;
    for (unsigned n = 0; (c = tool_command_at(n)); before = c, n++) {
        const size_t length = strcspn(c->name, " ");
        if (!before || strncmp(before->name, c->name, length + 1) != 0)
            fprintf(out, "%.*s ", (int)length, c->name);
    }
}

void texts_bash(FILE *out)
{
    const struct tool_command *c;
    fprintf(out,
            "# bash completion for vitrail %s, made by `vitrail --generate bash`\n"
            "_vitrail() {\n"
            "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
            "    local command=${COMP_WORDS[1]} words= files=none\n"
            "    # bash takes --option=value apart\n"
            "    if [ \"$cur\" = '=' ]; then cur=; elif [ \"$prev\" = '=' ]; then "
            "prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
            "    [ \"$COMP_CWORD\" -gt 1 ] || command=\n"
            "    [ \"$COMP_CWORD\" -gt 2 ] && case \"$command ${COMP_WORDS[2]}\" in\n"
            "    ",
            VITRAIL_VERSION);
    put_long_names(out);
    fprintf(out, ") command+=\" ${COMP_WORDS[2]}\" ;;\n"
                 "    esac\n"
                 "    case \"$command $prev\" in\n");
    for (unsigned n = 0; (c = tool_command_at(n)); n++) {
        complete_second(n, out);
        complete_command(c, out);
    }
    fprintf(out, "    ' '*) words='");
    put_first_words(out);
    for (const struct tool_option *row = tool_common_options; row->name; row++)
        fprintf(out, "--%s%s", row->name, row[1].name ? " " : "");
    fprintf(out, "' ;;\n"
                 "    esac\n"
                 "    case \"$files$cur\" in\n"
                 "    none* | -f-*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
                 "    *) mapfile -t COMPREPLY < <(compgen \"$files\" -- \"$cur\") ;;\n"
                 "    esac\n"
                 "}\n"
                 "complete -F _vitrail vitrail\n");
}

/* ---- man page ---- */

/* Running text: empty lines part paragraphs, what stands in `these` is bold. */
static void put_text(const char *text, FILE *out)
{
    bool bold = false;
    for (const char *c = text; *c; c++) {
        bool first = c == text || c[-1] == '\n';
        if (first && (*c == '.' || *c == '\''))
            fputs("\\&", out);
        if (*c == '`') {
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", out);
        } else if (c[0] == '\n' && c[1] == '\n') {
            fputs("\n.PP\n", out);
            c++;
        } else if (*c == '-' || *c == '\\') {
            fputs(*c == '-' ? "\\-" : "\\e", out);
        } else {
            putc(*c, out);
        }
    }
    putc('\n', out);
}

static void put_option(const struct tool_option *row, FILE *out)
{
    char help[TOOL_HELP_MAX], name[64];
    snprintf(name, sizeof name, "%s%s", row->name[1] ? "--" : "-", row->name);
    fputs(".TP\n\\fB", out);
    for (const char *c = name; *c; c++)
        fprintf(out, "%s%c", *c == '-' ? "\\" : "", *c);
    fputs("\\fR", out);
    if (row->value)
        fprintf(out, " \\fI%s\\fR", row->value);
    putc('\n', out);
    tool_option_help(row, help);
    put_text(help, out);
}

static void put_options(const struct tool_option *rows, FILE *out)
{
    for (; rows && rows->name; rows++)
        put_option(rows, out);
}

/* "EXPECTED.png GOT.png" and the like; a line a way to call it. */
static void put_synopsis(const struct tool_command *c, FILE *out)
{
    char operands[128];
    snprintf(operands, sizeof operands, "%s", c->operands ? c->operands : "");
    char *next = operands, *line;
    for (unsigned n = 0; (line = strsep(&next, "\n")); n++) {
        fprintf(out, "%s\n\\fB%s\\fR [\\fIOPTION\\fR...] ", n ? ".TQ" : ".TP", c->name);
        put_text(line, out);
    }
}

/* Those of all devices and the sandbox have sections of their own. */
static bool is_own(const struct tool_option *rows)
{
    return rows && rows != tool_device_rows && rows != tool_sandbox_rows;
}

static bool takes_device(const struct tool_command *c)
{
    unsigned part = 0;
    while (part < TOOL_PARTS && is_own(c->options[part].rows))
        part++;
    return part < TOOL_PARTS && c->options[part].rows == tool_device_rows;
}

static void put_command(const struct tool_command *c, FILE *out)
{
    put_synopsis(c, out);
    put_text(c->text, out);
    fputs(".RS\n", out);
    for (unsigned part = 0; part < TOOL_PARTS && is_own(c->options[part].rows); part++)
        put_options(c->options[part].rows, out);
    if (c->notes) {
        fputs(".PP\n", out);
        put_text(c->notes, out);
    }
    fputs(".RE\n", out);
}

static void put_commands(FILE *out)
{
    const struct tool_command *c;
    for (unsigned n = 0; (c = tool_command_at(n)); n++)
        put_command(c, out);
}

static void put_device_options(FILE *out)
{
    const struct tool_command *c;
    char names[256] = "";
    for (unsigned n = 0; (c = tool_command_at(n)); n++)
        if (takes_device(c))
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s`%s`", *names ? ", " : "",
                     c->name);
    put_text(names, out);
    fputs("take these. Every combination of them gives the same bytes, but for\n.BR \\-\\-numeric .\n", out);
    put_options(tool_device_rows, out);
}

static void put_common_options(FILE *out)
{
    put_options(tool_common_options, out);
}

static void put_gpus(FILE *out)
{
    const struct gpu_info *gpu;
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++)
        fprintf(out, ".TP\n\\fB%s\\fR\n%s, %s%s\n", gpu->name, gpu->title,
                gpu->driver ? "driven by Mesa's " : "which no driver drives: ",
                gpu->driver ? gpu->driver : "for `libresoc draw` and captures");
}

static void put_sets(FILE *out)
{
    const struct isa_set *set;
    for (unsigned n = 0; (set = isa_set_at(n)); n++) {
        fprintf(out, ".TP\n\\fB");
        for (const char *c = set->name; *c; c++)
            fprintf(out, "%s%c", *c == '-' ? "\\" : "", *c);
        fprintf(out, "\\fR\n");
        put_text(set->description, out);
    }
}

static bool is_new_driver(unsigned n)
{
    const char *driver = gpu_info_driven_at(n)->driver;
    unsigned first = 0;
    while (strcmp(gpu_info_driven_at(first)->driver, driver) != 0)
        first++;
    return first == n;
}

static void put_drivers(FILE *out)
{
    for (unsigned n = 0; gpu_info_driven_at(n); n++)
        if (is_new_driver(n))
            fprintf(out, "%s%s", n ? "," : "", gpu_info_driven_at(n)->driver);
}

static void put_version(FILE *out)
{
    fputs(VITRAIL_VERSION, out);
}

static const struct place {
    const char *name;
    void (*put)(FILE *out);
} lines[] = {{"@COMMANDS@\n", put_commands},
             {"@DEVICE_OPTIONS@\n", put_device_options},
             {"@COMMON_OPTIONS@\n", put_common_options},
             {"@GPUS@\n", put_gpus},
             {"@SETS@\n", put_sets}},
  words[] = {{"@VERSION@", put_version}, {"@DRIVERS@", put_drivers}};

static void put_line(const char *line, FILE *out)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(lines); n++)
        if (!strcmp(line, lines[n].name)) {
            lines[n].put(out);
            return;
        }
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(words); n++) {
        const char *place = strstr(line, words[n].name);
        if (!place)
            continue;
        fwrite(line, 1, (size_t)(place - line), out);
        words[n].put(out);
        put_line(place + strlen(words[n].name), out);
        return;
    }
    fputs(line, out);
}

void texts_man(FILE *page, FILE *out)
{
    char line[1024];
    while (fgets(line, sizeof line, page))
        put_line(line, out);
}
