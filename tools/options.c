#include "tools/options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"
#include "util/bits.h"

#define MAX_OPTIONS 40u
#define MAX_WORDS   400u  /* bytes of a list of words */
#define FIRST_KEY   0x100 /* above all letters: of the rows in order */

const struct tool_option tool_common_options[] = {
    {"help", NULL, "show this help", .kind = TOOL_SWITCH},
    {"usage", NULL, "show the options in short", .kind = TOOL_SWITCH},
    {"version", NULL, "show the version", .kind = TOOL_SWITCH},
    {0},
};

/* ---- rows ---- */

/* The n-th row, and where in the command's options its structure stands. */
static const struct tool_option *find_row(const struct tool_command *command, unsigned n, size_t *at)
{
    for (unsigned part = 0; part <= TOOL_PARTS; part++) {
        bool own = part < TOOL_PARTS;
        *at = own ? command->options[part].at : 0;
        const struct tool_option *row = own ? command->options[part].rows : tool_common_options;
        for (; row && row->name; row++)
            if (!n--)
                return row;
    }
    return NULL;
}

const struct tool_option *tool_option_at(const struct tool_command *command, unsigned n)
{
    size_t at;
    return find_row(command, n, &at);
}

/* The words with commas between: "a (default), b, c", or "a, b or c" where none is the default. */
static void list_words(const struct tool_option *option, bool first_is_default, char out[MAX_WORDS])
{
    size_t used = 0;
    const char *word;
    *out = 0;
    for (unsigned n = 0; (word = option->word(n)) && used < MAX_WORDS; n++) {
        const char *before = !n ? "" : !first_is_default && !option->word(n + 1) ? " or " : ", ";
        used += (size_t)snprintf(out + used, MAX_WORDS - used, "%s%s%s", before, word,
                                 first_is_default && !n ? " (default)" : "");
    }
}

void tool_option_help(const struct tool_option *option, char text[TOOL_HELP_MAX])
{
    const char *place = strstr(option->help, "%s");
    char words[MAX_WORDS] = "";
    if (place)
        list_words(option, option->first, words);
    int before = place ? (int)(place - option->help) : (int)strlen(option->help);
    snprintf(text, TOOL_HELP_MAX, "%.*s%s%s", before, option->help, words, place ? place + 2 : "");
}

static const char *dashes(const char *name)
{
    return name[1] ? "--" : "-";
}

static int key_of(const struct tool_option *row, unsigned n)
{
    if (row == &tool_common_options[0])
        return 'h'; /* it has a letter, too */
    return row->name[1] ? FIRST_KEY + (int)n : row->name[0];
}

/* ---- the tables of argp ---- */

struct table {
    struct argp_option options[MAX_OPTIONS + 1];
    char help[MAX_OPTIONS][TOOL_HELP_MAX];
    char doc[4096], usage[64];
    struct argp argp;
};

static void fill(struct table *t, const struct tool_command *command, argp_parser_t parser)
{
    const struct tool_option *row;
    *t = (struct table){.argp = {t->options, parser, command->operands, t->doc}};
    for (unsigned n = 0; (row = tool_option_at(command, n)) && n < MAX_OPTIONS; n++) {
        tool_option_help(row, t->help[n]);
        t->options[n] = (struct argp_option){.name = row->name[1] ? row->name : NULL,
                                             .key = key_of(row, n),
                                             .arg = row->value,
                                             .doc = t->help[n],
                                             .group = (int)n + 1}; /* else they are sorted by letters */
    }
    snprintf(t->doc, sizeof t->doc, "\n%s%s%s", command->text, command->notes ? "\v" : "",
             command->notes ? command->notes : "");
    snprintf(t->usage, sizeof t->usage, "vitrail%s%s", command->name ? " " : "",
             command->name ? command->name : "");
}

/* The examples' lines are too long to be wrapped, and are not argp's. */
static void print_help(struct table *t, const struct tool_command *command, FILE *out)
{
    argp_help(&t->argp, out, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, t->usage);
    fprintf(out, "\nExamples:\n%s", command->examples);
}

void tool_help(const struct tool_command *command, FILE *out)
{
    struct table table;
    fill(&table, command, NULL);
    print_help(&table, command, out);
}

/* ---- values ---- */

bool tool_number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    char *end;
    errno = 0;
    if (*text == '-' || !*text)
        return false;
    unsigned long long v = strtoull(text, &end, 0);
    if (errno || *end || v < min || v > max)
        return false;
    *out = v;
    return true;
}

bool tool_size(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    static const char letters[] = "kKmMgG";
    char number[32];
    size_t length = strlen(text);
    const char *letter = length ? strchr(letters, text[length - 1]) : NULL;
    unsigned shift = letter ? 10 * (unsigned)((letter - letters) / 2 + 1) : 0;
    uint64_t size;
    length -= letter != NULL;
    if (!length || length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = 0;
    if (!tool_number(number, 0, max >> shift, &size) || size << shift < min)
        return false;
    *out = size << shift;
    return true;
}

static bool take_percent(const char *text, double *out)
{
    char *end;
    double v = strtod(text, &end);
    if (*end || end == text || !(v >= 0 && v <= 100))
        return false;
    *out = v;
    return true;
}

/* The number that stands in the first `length` bytes; where there are none, `none`. */
static bool take_end(const char *text, size_t length, uint64_t none, uint64_t min, uint64_t max,
                     uint64_t *out)
{
    char number[24];
    *out = none;
    if (!length)
        return true;
    if (length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = 0;
    return tool_number(number, min, max, out);
}

bool tool_shard(const char *text, uint64_t *shard, uint64_t *shards)
{
    const char *slash = strchr(text, '/');
    char first[24];
    if (!slash || (size_t)(slash - text) >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    return tool_number(slash + 1, 1, 1000000, shards) && tool_number(first, 1, *shards, shard);
}

bool tool_range(const char *text, uint64_t min, uint64_t max, struct tool_range *out)
{
    const char *dots = strstr(text, ".."), *sign = dots ? dots : strchr(text, '-');
    const size_t length = sign ? (size_t)(sign - text) : strlen(text);
    const char *behind = sign ? sign + (dots ? 2 : 1) : NULL;
    struct tool_range range;
    /* An end is left out at dots alone, and one of the two stays. */
    if ((!length && !(dots && *behind)) || (behind && !*behind && !dots) ||
        !take_end(text, length, min, min, max, &range.first))
        return false;
    range.last = range.first;
    if (behind && !take_end(behind, strlen(behind), max, range.first, max, &range.last))
        return false;
    *out = range;
    return true;
}

static bool take_word(const struct tool_option *row, const char *value, void *at)
{
    const char *word;
    for (unsigned n = 0; (word = row->word(n)); n++) {
        if (strcmp(word, value) != 0)
            continue;
        if (row->kind == TOOL_NAME)
            memcpy(at, &word, sizeof word);
        else
            memcpy(at, &n, sizeof n);
        return true;
    }
    word = row->unlisted ? row->unlisted(value) : NULL;
    if (word)
        memcpy(at, &word, sizeof word);
    return word;
}

static int refuse_value(const char *name, const struct tool_option *row, const char *value)
{
    char range[MAX_WORDS] = "";
    if (row->takes)
        snprintf(range, sizeof range, "%s", row->takes);
    else if (row->kind == TOOL_PERCENT)
        snprintf(range, sizeof range, "a percentage");
    else if (row->word)
        list_words(row, false, range);
    else if (row->kind == TOOL_RANGE)
        snprintf(range, sizeof range, "A..B, A.., ..B or A, numbers from %llu to %llu",
                 (unsigned long long)row->min, (unsigned long long)row->max);
    else
        snprintf(range, sizeof range, "a number from %llu to %llu", (unsigned long long)row->min,
                 (unsigned long long)row->max);
    return tool_error(name, TOOL_USAGE, "%s%s takes %s, not '%s'", dashes(row->name), row->name, range,
                      value);
}

static int take_value(const char *name, const struct tool_option *row, void *options, const char *value)
{
    void *at = (char *)options + row->at;
    int code = TOOL_OK;
    switch (row->kind) {
    case TOOL_SWITCH: *(bool *)at = true; break;
    case TOOL_NUMBER: code = tool_number(value, row->min, row->max, at) ? TOOL_OK : -1; break;
    case TOOL_SIZE: code = tool_size(value, row->min, row->max, at) ? TOOL_OK : -1; break;
    case TOOL_PERCENT: code = take_percent(value, at) ? TOOL_OK : -1; break;
    case TOOL_RANGE: code = tool_range(value, row->min, row->max, at) ? TOOL_OK : -1; break;
    case TOOL_WORD:
    case TOOL_NAME: code = take_word(row, value, at) ? TOOL_OK : -1; break;
    case TOOL_FILE:
    case TOOL_FOLDER: memcpy(at, &value, sizeof value); break;
    case TOOL_OWN: code = row->take(options, value); break;
    }
    return code < 0 ? refuse_value(name, row, value) : code;
}

/* ---- taking the words ---- */

struct parse {
    const struct tool_command *command;
    struct table table;
    void *options;
    struct tool_operands *operands;
    int next; /* word behind those that were taken */
    int code;
};

static const char *option_name(const void *command, unsigned n)
{
    const struct tool_option *row = tool_option_at(command, n);
    return row ? row->name : NULL;
}

/* What argp did not take: an option that there is not, or one with a value too few or too many. */
static int refuse_option(const struct tool_command *command, const char *word)
{
    unsigned lines = word[0] == '-' && word[1] == '-' ? 2 : 1;
    const struct tool_option *row;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + lines, "="), word + lines);
    for (unsigned n = 0; (row = tool_option_at(command, n)); n++)
        if (!strcmp(row->name, name) && strlen(dashes(name)) == lines)
            return tool_error(command->name, TOOL_USAGE, "%s%s %s", dashes(name), name,
                              row->value ? "needs a value" : "takes no value");
    const char *nearest = tool_nearest(name, option_name, command);
    if (nearest)
        return tool_error(command->name, TOOL_USAGE, "unknown option '%s'; did you mean '%s%s'?", word,
                          dashes(nearest), nearest);
    return tool_error(command->name, TOOL_USAGE, "unknown option '%s'; see `vitrail%s%s --help`", word,
                      command->name ? " " : "", command->name ? command->name : "");
}

static int take_operand(struct parse *p, char *word)
{
    const struct tool_command *c = p->command;
    struct tool_operands *o = p->operands;
    if (!c->takes.max)
        return tool_error(c->name, TOOL_USAGE, "unknown argument '%s'; see `vitrail %s --help`", word,
                          c->name);
    if (o->count == c->takes.max)
        return tool_error(c->name, TOOL_USAGE, "one %s at a time: '%s' and '%s'", c->takes.noun,
                          o->at[o->count - 1], word);
    o->at[o->count++] = word;
    return TOOL_OK;
}

/* --help, --usage, --version. */
static int answer(struct parse *p, const struct tool_option *row)
{
    if (row == &tool_common_options[0])
        print_help(&p->table, p->command, stdout);
    else if (row == &tool_common_options[1])
        argp_help(&p->table.argp, stdout, ARGP_HELP_USAGE, p->table.usage);
    else
        puts("vitrail " VITRAIL_VERSION);
    return -1;
}

static int take_option(struct parse *p, int key, char *value, const struct argp_state *state)
{
    const char *word = state->argv[state->next - 1];
    const struct tool_option *row;
    size_t at;
    for (unsigned n = 0; (row = find_row(p->command, n, &at)) && key_of(row, n) != key; n++)
        ;
    if (value && value == word) /* in a word of its own, behind the option's */
        word = state->argv[state->next - 2];
    else if (value && !row->name[1] && *value == '=')
        value++;
    size_t length = strcspn(word, "=");
    if (word[1] == '-' && (length != strlen(row->name) + 2 || strncmp(word + 2, row->name, length - 2) != 0))
        return refuse_option(p->command, word); /* an abbreviation */
    if (row >= tool_common_options && row < tool_common_options + UTIL_ARRAY_SIZE(tool_common_options))
        return answer(p, row);
    return take_value(p->command->name, row, (char *)p->options + at, value);
}

/* A word in which getopt found nothing is still the next; one that it went through is not. */
static const char *culprit(const struct parse *p, const struct argp_state *state)
{
    return state->argv[state->next == p->next ? state->next : state->next - 1];
}

static error_t take(int key, char *value, struct argp_state *state)
{
    struct parse *p = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (!p->command->takes.noun)
            return ARGP_ERR_UNKNOWN; /* and gets it with all that follow */
        p->code = take_operand(p, value);
        break;
    case ARGP_KEY_ARGS:
        *p->operands =
            (struct tool_operands){state->argv + state->next, (unsigned)(state->argc - state->next)};
        break;
    case ARGP_KEY_ERROR:
        if (!p->code)
            p->code = refuse_option(p->command, culprit(p, state));
        return 0;
    default:
        if (key <= 0 || key >= FIRST_KEY + (int)MAX_OPTIONS)
            return ARGP_ERR_UNKNOWN;
        p->code = take_option(p, key, value, state);
    }
    p->next = state->next;
    return p->code ? ECANCELED : 0;
}

int tool_parse(const struct tool_command *command, int argc, char **argv, void *options,
               struct tool_operands *operands)
{
    struct parse p = {.command = command, .options = options, .operands = operands, .next = 1};
    const struct tool_command *c = command;
    *operands = (struct tool_operands){.at = argv + 1};
    fill(&p.table, command, take);
    error_t error = argp_parse(&p.table.argp, argc, argv,
                               ARGP_IN_ORDER | ARGP_NO_HELP | ARGP_NO_ERRS | ARGP_NO_EXIT, NULL, &p);
    if (error && !p.code)
        return tool_error(c->name, TOOL_HOST, "%s", strerror(error));
    if (!p.code && c->takes.noun && operands->count < c->takes.min)
        return tool_error(c->name, TOOL_USAGE, "no %s given; see `vitrail %s --help`", c->takes.noun,
                          c->name);
    return p.code;
}
