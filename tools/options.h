/* Options of the commands as rows. glibc's argp takes them and writes their help; the man page and the
 * completion are written from the same rows (texts.h). */
#ifndef VITRAIL_TOOLS_OPTIONS_H
#define VITRAIL_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum tool_kind {
    TOOL_SWITCH,  /* bool: set */
    TOOL_NUMBER,  /* uint64_t of [min, max], decimal or 0x */
    TOOL_SIZE,    /* the same, K, M or G perhaps behind it */
    TOOL_PERCENT, /* double of [0, 100] */
    TOOL_WORD,    /* unsigned: which of the words */
    TOOL_NAME,    /* const char *: the word itself */
    TOOL_RANGE,   /* struct tool_range of numbers in [min, max] */
    TOOL_FILE,    /* const char *: as it stands; */
    TOOL_FOLDER,  /* likewise */
    TOOL_OWN,     /* `take` looks at it */
};

/* "A..B", "A-B", "A..", "..B" or "A"; zeroed: was not given. */
struct tool_range {
    uint64_t first, last;
};

struct tool_option {
    const char *name;  /* without dashes; of one letter: with one */
    const char *value; /* its value's name in the help; NULL for switches */
    const char *help;  /* a sentence; "%s" in it stands for the words */
    enum tool_kind kind;
    size_t at; /* where in the command's options it goes */
    uint64_t min, max;
    const char *(*word)(unsigned n); /* NULL past the last */
    /* Of TOOL_NAME: a word that is taken, too, though it is in no list; NULL: it is none, or there are none. */
    const char *(*unlisted)(const char *text);
    bool first; /* the first word is the default */
    /* TOOL_OK, an exit status after a message, or -1: the value is no such thing. */
    int (*take)(void *options, const char *value);
    const char *takes; /* says what its value is; NULL: what the kind says */
};

#define TOOL_PARTS 5

/* A command: how it is called, what it says of itself, what it takes. Strings are static; paragraphs of
 * texts are parted by empty lines and wrapped where they are shown. */
struct tool_command {
    const char *name;     /* "replay", or of two words: "qpu run"; NULL: vitrail itself */
    const char *summary;  /* its line in the list of commands */
    const char *operands; /* "CAPTURE" */
    const char *text;     /* what it does */
    const char *notes;    /* behind the options; NULL: nothing */
    const char *examples; /* lines, shown as they stand */
    struct {
        const struct tool_option *rows; /* one without a name ends them; NULL: no more */
        size_t at;                      /* where in the command's options the structure of these stands */
    } options[TOOL_PARTS];
    struct {
        const char *noun; /* "capture"; NULL: the first ends the options, with all that follows */
        unsigned min, max;
    } takes;
    int (*main)(int argc, char **argv); /* argv[0] is the name; an exit status */
};

/* What is no option, in order; in place of words of argv. */
struct tool_operands {
    char **at;
    unsigned count;
};

/* Takes the words of a command over what `options` has. TOOL_OK; TOOL_USAGE or another exit status after a
 * message; -1 when help, usage or version was asked for and printed. Options are written out, so that no
 * later one makes a script's ambiguous; they and operands may be mixed; behind "--" all are operands. */
int tool_parse(const struct tool_command *command, int argc, char **argv, void *options,
               struct tool_operands *operands);
void tool_help(const struct tool_command *command, FILE *out);

/* The n-th row, those that all commands have behind its own; NULL past the last. */
const struct tool_option *tool_option_at(const struct tool_command *command, unsigned n);
extern const struct tool_option tool_common_options[]; /* --help, --usage, --version */
#define TOOL_HELP_MAX 1024
void tool_option_help(const struct tool_option *option, char text[TOOL_HELP_MAX]); /* with its words */

/* A whole decimal or 0x number in [min, max]; false otherwise. tool_size takes K, M or G behind it. */
bool tool_number(const char *text, uint64_t min, uint64_t max, uint64_t *out);
bool tool_size(const char *text, uint64_t min, uint64_t max, uint64_t *out);
/* "I/N", I from 1 to N: a part of a run. */
bool tool_shard(const char *text, uint64_t *shard, uint64_t *shards);
/* Both ends are in [min, max], which are what is left out; the first is not above the last. */
bool tool_range(const char *text, uint64_t min, uint64_t max, struct tool_range *out);

/* Of the words, the one that `text` may have been meant for: it begins so, or is a letter or two away; NULL
 * when there is none. `word` is called with `data` and 0, 1, ... until it gives NULL. */
const char *tool_nearest(const char *text, const char *(*word)(const void *data, unsigned n),
                         const void *data);

#endif
