/* `vitrail fuzz`: cases (fuzz/subject.h) are made and tried by processes of their own, several side by side, each behind
 * its sandbox; one that crashes or does not end is a finding. What they tell comes through a pipe and is believed no
 * further than it can be checked. */
#ifndef VITRAIL_TOOLS_FUZZ_H
#define VITRAIL_TOOLS_FUZZ_H

#include <stdatomic.h>

#include "fuzz/subject.h"
#include "fuzz/world/world.h"
#include "tools/tool.h"

#define FUZZ_FORMAT      "vitrail fuzz" /* of totals as JSON */
#define FUZZ_FORMAT_NOW  1u
#define FUZZ_JOBS_MAX    64u
#define FUZZ_CORPUS_MAX  4096u /* cases */
#define FUZZ_FAULT_KINDS 256u
#define FUZZ_FINDINGS_MAX                                                                                    \
    64u /* that are kept; the others are counted with the first of their cause, or left out */
#define FUZZ_VARIANTS 4u /* findings of one cause that are kept: it may be several */

struct fuzz_options {
    const char *set, *against, *again, *capture, *folder, *json;
    uint64_t seconds, cases, jobs, seed, case_seconds, shard, shards;
    bool answers, until_found; /* --answer, --until-found */
    struct tool_device_options device;
};

/* What is fuzzed, in words that are the same in every run: "midgard", "capture of t860 NAME". */
#define FUZZ_SUBJECT_MAX 256

struct fuzz_kind_count {
    char name[FUZZ_NAME_MAX];
    uint64_t count;
};

/* Work done. */
struct fuzz_counts {
    uint64_t cases, refused, runs, faulted;
};

struct fuzz_finding {
    char name[FUZZ_NAME_MAX], text[FUZZ_TEXT_MAX];
    char cause[FUZZ_NAME_MAX]; /* the name as cases give it; the first few of one have names of their own */
    char explained[FUZZ_TEXT_MAX]; /* a line that explain or lint say of it; "": nothing */
    uint64_t count;                /* times that it was met */
    uint32_t parts_before, parts;  /* parts of its case as it was found, and now */
    bool reduced, reducing;
    struct fuzz_case *found; /* owned */
};

/* Hashes of what was met: an open table that grows. A zeroed one is empty. */
struct fuzz_features {
    uint64_t *at;
    uint32_t count, room; /* a power of two */
};
bool fuzz_features_add(struct fuzz_features *features, uint64_t hash); /* true: it is new */

struct fuzz_campaign {
    const struct fuzz_options *options;
    char subject[FUZZ_SUBJECT_MAX];
    struct fuzz_counts counts;
    double seconds; /* of all runs, times processes */
    uint64_t next;  /* slice: the next one's cases are of its number and the seed */
    struct fuzz_features features;
    struct {
        struct fuzz_case **at;
        uint32_t count, room;
    } corpus;
    struct {
        struct fuzz_finding *at;
        uint32_t count, room;
    } findings;
    struct fuzz_kind_count faults[FUZZ_FAULT_KINDS];
    uint32_t fault_count;
    int lock; /* descriptor of the folder's lock, or -1 */
};

/* ---- the folder (fuzz_folder.c) ---- */

/* Makes it or goes on with it. TOOL_OK, or an exit status after a message. */
int fuzz_folder_open(struct fuzz_campaign *c);
int fuzz_folder_keep_totals(const struct fuzz_campaign *c); /* whole or not at all */
void fuzz_folder_keep_case(const struct fuzz_campaign *c, const struct fuzz_case *one);
void fuzz_folder_keep_finding(const struct fuzz_campaign *c, const struct fuzz_finding *f);
/* DIR/findings/NAME.END into `path`. */
const char *fuzz_folder_finding(const struct fuzz_campaign *c, const struct fuzz_finding *f, const char *end,
                                char path[4096]);
const char *fuzz_file_end(const struct fuzz_options *o); /* of what other tools read: "bin", "vtc" */
void fuzz_campaign_finish(struct fuzz_campaign *c);

/* ---- telling (fuzz_tell.c) ---- */

const char *fuzz_run_noun(const struct fuzz_campaign *c); /* what is compared: "lanes", "pictures" */
void fuzz_tell(const struct fuzz_campaign *c, const struct fuzz_counts *before, double seconds);
void fuzz_put_json(const struct fuzz_campaign *c, FILE *out);
/* The command that shows a finding again. */
void fuzz_again_command(const struct fuzz_campaign *c, const struct fuzz_finding *f, char *text, size_t size);
const char *fuzz_part_noun(const struct fuzz_campaign *c); /* "words", "parts" */
/* What other commands say of a finding, in processes of their own, into its .txt; a line of it into `f->explained`
 * (fuzz_explain.c). */
void fuzz_explain(const struct fuzz_campaign *c, struct fuzz_finding *f);

/* ---- shards (fuzz_merge.c) ---- */

/* The totals of all shards of one campaign, as JSON to `json` (NULL: not; "-": the standard output) and as text. TOOL_OK,
 * TOOL_DIFFERS (there are findings), or another exit status after a message. */
int fuzz_merge(char *const *paths, uint32_t count, const char *json);

/* ---- the processes (fuzz_crew.c, fuzz_hear.c, fuzz_worker.c) ---- */

/* What a worker shares with who looks after it. */
struct fuzz_slot {
    _Atomic uint32_t step; /* odd while a case is tried */
    _Atomic bool stop;
    struct fuzz_counts counts;
    struct fuzz_kind_count faults[FUZZ_FAULT_KINDS];
    uint32_t fault_count;
    char crash[FUZZ_NAME_MAX]; /* by the handler of its signals */
    struct fuzz_case now;      /* the one that is tried */
    /* Making a case smaller: where it stands. */
    struct {
        char name[FUZZ_NAME_MAX];
        struct fuzz_case best;
        uint32_t chunk, at, parts, before;
        bool begun, reproduced, done;
    } reduce;
};

enum fuzz_message_kind { FUZZ_NOTABLE, FUZZ_FOUND, FUZZ_FAILED, FUZZ_MESSAGES };
struct fuzz_message {
    uint32_t kind, case_bytes, features, status; /* status: of a failure, that the command ends with */
    char name[FUZZ_NAME_MAX], text[FUZZ_TEXT_MAX];
}; /* then the case's bytes, then the features */

#define FUZZ_MESSAGE_MAX                                                                                     \
    (sizeof(struct fuzz_message) + FUZZ_CASE_BYTES + FUZZ_FEATURES_MAX * sizeof(uint64_t))

/* What was heard of a message that is not whole yet; `failed`: the exit status that ends the work, if a message said so. */
struct fuzz_heard {
    uint8_t *bytes; /* FUZZ_MESSAGE_MAX of them, owned */
    size_t used;
    int failed;
};
/* Takes what is there to read. False: nothing more will come, or should. */
bool fuzz_hear(struct fuzz_campaign *c, struct fuzz_heard *heard, int pipe);
/* Leaves printable ASCII and newlines, as what is told goes to files and terminals. */
void fuzz_hear_clean(char *text);
/* 0, or TOOL_HOST after a message. */
int fuzz_hear_finding(struct fuzz_campaign *c, const char *cause, const char *text,
                      const struct fuzz_case *one);

enum {
    FUZZ_EXIT_DONE = 0,
    FUZZ_EXIT_CRASHED = 101,
    FUZZ_EXIT_BROKEN = 102 /* the other side has ended: another process goes on */
};

enum fuzz_task { FUZZ_TASK_SLICE, FUZZ_TASK_REDUCE, FUZZ_TASK_AGAIN };
/* In a process that was forked for it; does not return. `slice`: its number; of a finding: `found`, whose file is written to
 * `path` when it is as small as it gets. */
struct fuzz_order {
    const struct fuzz_campaign *campaign;
    enum fuzz_task task;
    uint64_t slice;
    const char *path;
    struct fuzz_slot *slot;
    int pipe;
};
_Noreturn void fuzz_work(const struct fuzz_order *order);

/* Until time or cases are over, or it is interrupted. TOOL_OK, or TOOL_HOST after a message. */
int fuzz_run(struct fuzz_campaign *c);
/* One case that somebody names, in a process of its own: TOOL_OK, TOOL_DIFFERS or another exit status, after a message. */
int fuzz_try_again(struct fuzz_campaign *c);

#endif
