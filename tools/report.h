/* What `vitrail verify` found: a verdict for each picture, told as text, JSON, JUnit XML and a page. A report
 * owns its strings and pictures (malloc). Reports of the same pictures are the same bytes, but for times. */
#ifndef VITRAIL_TOOLS_REPORT_H
#define VITRAIL_TOOLS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/tool.h"

/* VERDICT(id, word, exit status, kind, in words). Kinds: 'p' passed, 'f' failed, 'e' no picture could be had. */
#define REPORT_VERDICTS(VERDICT)                                                                             \
    VERDICT(SAME, "same", TOOL_OK, 'p', "the same bytes")                                                    \
    VERDICT(ACCEPTED, "accepted", TOOL_OK, 'p', "differs within its tolerance")                              \
    VERDICT(DIFFERS, "differs", TOOL_DIFFERS, 'f', "differs")                                                \
    VERDICT(SIZE, "size", TOOL_DIFFERS, 'f', "has another size")                                             \
    VERDICT(NEW, "new", TOOL_BAD_FILE, 'f', "has nothing to be compared with")                               \
    VERDICT(FAULT, "fault", TOOL_FAULT, 'f', "is as expected, but the guest did something wrong")            \
    VERDICT(FILE, "file", TOOL_BAD_FILE, 'e', "an absent or damaged file")                                   \
    VERDICT(CRASHED, "crashed", TOOL_DIFFERS, 'e', "the replay crashed")                                     \
    VERDICT(TIMEOUT, "timeout", TOOL_DIFFERS, 'e', "the replay did not end in time")                         \
    VERDICT(HOST, "host", TOOL_HOST, 'e', "this machine could not do it")
#define VERDICT(id, word, status, kind, text) REPORT_##id,
enum report_verdict { REPORT_VERDICTS(VERDICT) REPORT_VERDICT_COUNT };
#undef VERDICT
const char *report_verdict_word(enum report_verdict verdict);
const char *report_verdict_text(enum report_verdict verdict);
char report_verdict_kind(enum report_verdict verdict);

struct report_png {
    uint8_t *bytes;
    size_t size; /* 0: none */
};

/* What last wrote the worst pixel. */
struct report_writer {
    enum { REPORT_NO_WRITER, REPORT_NOTHING, REPORT_CLEAR, REPORT_DRAW } kind; /* NO_WRITER: not looked for */
    uint32_t picture,
        draw;           /* DRAW: during which picture, which draw of it, from 1; 0: a list of the tile's */
    uint32_t list;      /* then */
    uint64_t primitive; /* of the draw, from 0 */
    char what[24];      /* "triangle" */
};

/* How a picture compares; it goes between processes as it is. */
struct report_result {
    enum report_verdict verdict;
    uint32_t shown; /* the frame's number, where it is known */
    uint32_t width, height;
    uint32_t most;      /* largest difference of a channel */
    uint64_t beyond;    /* pixels beyond the tolerance */
    uint64_t differing; /* pixels that differ at all */
    double mean;
    uint32_t x, y;           /* the worst pixel, if any differs */
    uint8_t want[3], got[3]; /* there */
};

struct report_case {
    uint32_t number; /* place in the manifest, after the filter, from 0 */
    char *capture, *picture, *options, *reason;
    char *path;     /* by which the capture was opened */
    uint32_t frame; /* 0: last */
    uint32_t tolerance;
    double share;

    char gpu[16]; /* "": unknown */
    struct report_result result;
    char *detail; /* what was wrong, NULL: nothing to add */
    struct report_writer writer;
    char *explained; /* `explain` of that pixel, without its programs' instructions; NULL: none */
    struct report_png expected, drawn;
    double seconds; /* of the whole play */
};

struct report {
    char *subject, *filter, *label; /* label: what the run is called; "": none */
    char version[32];
    char started[32];       /* "2026-11-29T05:30:00Z" */
    double seconds;         /* of all plays */
    uint32_t total;         /* cases of all shards */
    uint64_t picture_room;  /* bytes of pictures that it still takes; */
    uint32_t left_out;      /* pictures that it did not */
    uint32_t shard, shards; /* from 1; 0, 0: whole */
    struct {
        struct report_case *at; /* by number */
        uint32_t count, room;
    } cases;
};

/* A copy in which what reports cannot hold - no UTF-8, control characters - is '?'; line feeds and tabs may stay. NULL
 * without memory. */
char *report_clean(const char *text, size_t length, bool lines);
void report_finish(struct report *report);
void report_case_finish(struct report_case *c);
void report_sort(struct report *report);
uint32_t report_count(const struct report *report, enum report_verdict verdict);
/* An exit status: this machine's trouble before bad files, these before differences, those before faults. */
int report_status(const struct report *report);
/* What an explained pixel was last written by. */
struct explain_result;
struct explain_pixel;
void report_writer_find(const struct explain_result *result, const struct explain_pixel *pixel,
                        struct report_writer *out);
/* "draw 5, triangle 0" and the like, of a pixel in picture `shown`; "" where nothing was looked for. */
#define REPORT_WRITER_MAX 96
void report_writer_text(const struct report_writer *w, uint32_t shown, char text[REPORT_WRITER_MAX]);
/* The figures of a difference in a sentence; "" where there are none. */
#define REPORT_FIGURES_MAX 256
void report_figures(const struct report_case *c, char text[REPORT_FIGURES_MAX]);

/* ---- telling it ---- */

/* A line for each case that did not pass (`all`: for each), and the sum. */
void report_print(FILE *out, const struct report *report, bool all);
int report_print_json(FILE *out, const struct report *report); /* 0 or -ENOMEM: it is not whole */
void report_print_junit(FILE *out, const struct report *report);
/* One page. History: earlier runs, oldest first. 0 or -ENOMEM. */
int report_print_html(FILE *out, const struct report *report, const struct report *history, uint32_t runs);
/* Pages around their data, of verify and of a capture: tools/report, made by the build. */
extern const char report_page[], report_capture_page[];
/* A page with JSON in its place. */
void report_put_page(FILE *out, const char *page, const char *json, size_t size);

/* ---- having it back ---- */

/* Of what report_print_json wrote. `pictures`: with them. TOOL_OK, or TOOL_BAD_FILE or TOOL_HOST after a message; then
 * nothing is left to finish. */
int report_read_json(const char *command, const char *path, bool pictures, struct report *out);
/* Shards of one run, all of them, into `out`, which takes their cases. As report_read_json. */
int report_merge(const char *command, struct report *shards, char *const *paths, uint32_t count,
                 struct report *out);

/* ---- base64, as pictures stand in JSON ---- */
char *report_to_base64(const uint8_t *bytes, size_t size); /* malloc'ed, NULL without memory */
/* 0, -EINVAL (no base64), -ENOMEM. */
int report_from_base64(const char *text, size_t length, struct report_png *out);

/* ---- where a command tells it ---- */
struct report_outputs {
    const char *json, *junit, *html; /* NULL: not */
    const char *label;
    struct {
        const char **at;
        uint32_t count, room;
    } history; /* `at` is the owner's to free */
    bool list;
};
extern const struct tool_option report_rows[]; /* of them */
/* Whether "-" is the standard output of at most one. TOOL_OK or TOOL_USAGE after a message. */
int report_check_outputs(const char *command, const struct report_outputs *outputs);
void report_grant(struct tool_sandbox *sandbox, const struct report_outputs *outputs);
/* Reads the history and writes all, the text to the standard output unless something else goes there. TOOL_OK, or
 * another exit status after a message. */
int report_write(const char *command, const struct report *report, const struct report_outputs *outputs);

#endif
