/* `vitrail verify` and `vitrail update`: captures are played in processes of their own, several side by side,
 * each behind its sandbox; what they tell comes through a pipe and is believed no further than it can be
 * checked. A capture that crashes or hangs its process has that for a result. */
#ifndef VITRAIL_TOOLS_VERIFY_H
#define VITRAIL_TOOLS_VERIFY_H

#include "tools/manifest.h"
#include "tools/report.h"

#define VERIFY_JOBS_MAX 256u

struct verify_options {
    const char *command;    /* whose messages these are */
    uint64_t jobs;          /* processes side by side */
    uint64_t time_limit;    /* seconds that a capture may take */
    bool explain;           /* of differences, what last wrote the worst pixel */
    bool pictures;          /* of what did not pass, the pictures, */
    uint64_t picture_bytes; /* so many bytes of them; the others are left out, and a message says so */
    uint32_t shard, shards; /* from 1; 0, 0: all */
};

/* Plays the units of a grouped manifest, those of the shard, and fills `out`, the caller's to finish in either case.
 * TOOL_OK, or TOOL_HOST after a message. */
int verify_run(const struct manifest *manifest, const struct verify_options *options, struct report *out);

/* What both commands do before: manifest, filter, groups. TOOL_OK, or an exit status after a message. */
int verify_read(const char *command, const char *path, const char *filter,
                const struct manifest_settings *settings, struct manifest *out);

/* How much of it, and how much at once. */
struct verify_work {
    uint64_t jobs; /* 0: not said */
    uint64_t time_limit;
    const char *filter;
};
#define VERIFY_USUAL_WORK {.time_limit = 300, .filter = ""}
extern const struct tool_option verify_work_rows[]; /* of them */
/* Where the command line names none: a process a processor; and, without --threads, none beside the calling thread of
 * each where there are several processes. */
void verify_choose_jobs(struct verify_work *work, struct manifest_settings *settings);

/* Reports are read again, as base64, by tool_read_file; pictures that are to be written are held until then. */
#define VERIFY_REPORT_BYTES (128u << 20)
#define VERIFY_UPDATE_BYTES (1u << 30)

/* ---- between the processes ---- */

enum verify_kind {
    VERIFY_GPU,       /* its name */
    VERIFY_RESULT,    /* struct report_result */
    VERIFY_DETAIL,    /* text */
    VERIFY_EXPECTED,  /* PNG */
    VERIFY_DRAWN,     /* PNG */
    VERIFY_WRITER,    /* struct report_writer */
    VERIFY_EXPLAINED, /* text */
    VERIFY_END,       /* all was told */
    VERIFY_KINDS,
};

#define VERIFY_TEXT_MAX (256u << 10) /* bytes of a text */
#define VERIFY_PNG_MAX  (64u << 20)  /* and of a picture */

struct verify_head {
    uint32_t kind, index; /* index: of the unit's cases */
    uint64_t size;        /* of what follows */
};

/* In a process that was forked for it: plays a unit and tells it through `pipe`. */
void verify_play(const struct manifest *manifest, const struct manifest_unit *unit,
                 const struct verify_options *options, int pipe);

#endif
