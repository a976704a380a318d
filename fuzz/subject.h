/* What is fuzzed - programs of an instruction set (program.h), a capture (capture.h) - as whoever tries cases, keeps them and
 * makes them smaller sees it. A case is bytes that decide everything that is tried, so that it can be kept in memory of
 * another process, written down and tried again; what they mean is the subject's, and any bytes are taken.
 *
 * A subject is used by one thread. Everything but `smaller`, `steps` and `parts` may crash or not end where what is tried has a
 * defect: it belongs in a process of its own. */
#ifndef VITRAIL_FUZZ_SUBJECT_H
#define VITRAIL_FUZZ_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/random.h"
#include "util/error.h"

enum {
    FUZZ_CASE_BYTES = 48 << 10,
    FUZZ_NAME_MAX = 96,
    FUZZ_TEXT_MAX = 512,
    FUZZ_FEATURES_MAX = 16384, /* of a case */
    FUZZ_FAULTS_MAX = 16,
};

struct fuzz_case {
    uint32_t size;
    _Alignas(8) uint8_t bytes[FUZZ_CASE_BYTES];
};

/* Cases that have shown something new, oldest first; borrowed. */
struct fuzz_corpus {
    const struct fuzz_case *const *at;
    uint32_t count;
};

enum fuzz_verdict {
    FUZZ_AGREES,
    FUZZ_REFUSED, /* nothing was executed: no program, or the other side cannot execute it */
    FUZZ_FINDING, /* a defect: `name` and `text` say which */
};

/* What came of a case. */
struct fuzz_result {
    enum fuzz_verdict verdict;
    char name[FUZZ_NAME_MAX]; /* of a finding: the same of all that have one cause, as far as can be told */
    char text[FUZZ_TEXT_MAX];
    uint64_t runs, faulted; /* executions that were compared; those that a guest fault ended */
    /* What it met, a hash each: rows of tables, states, kinds of faults. `overflow`: there were more. */
    uint32_t feature_count;
    uint64_t features[FUZZ_FEATURES_MAX];
    /* Guest faults by kind, in words. */
    uint32_t fault_count;
    char faults[FUZZ_FAULTS_MAX][FUZZ_NAME_MAX];
};

struct fuzz_subject;
struct fuzz_functions {
    void (*destroy)(struct fuzz_subject *subject);
    /* A new case, of `random` alone or of cases in the corpus. */
    void (*make)(struct fuzz_subject *subject, struct isa_random *random, const struct fuzz_corpus *corpus,
                 struct fuzz_case *out);
    /* Tries it. Features are filled in only if `features`. */
    void (*attempt)(struct fuzz_subject *subject, const struct fuzz_case *c, bool features,
                    struct fuzz_result *out);
    /* Steps that may make it smaller; the case after steps first to first + count - 1: fewer steps are left, or as many. False: it
     * would be none, or the same. */
    uint32_t (*steps)(const struct fuzz_subject *subject, const struct fuzz_case *c);
    bool (*smaller)(const struct fuzz_subject *subject, const struct fuzz_case *c, uint32_t first,
                    uint32_t count, struct fuzz_case *out);
    /* How large it is, for people: words; pages and writes. */
    uint32_t (*parts)(const struct fuzz_subject *subject, const struct fuzz_case *c);
    /* A file of it that other tools read. 0 or -errno. */
    int (*save)(struct fuzz_subject *subject, const struct fuzz_case *c, const char *path,
                struct util_error *error);
};

struct fuzz_subject {
    const struct fuzz_functions *functions;
};

static inline void fuzz_feature(struct fuzz_result *r, uint64_t hash)
{
    if (r->feature_count < FUZZ_FEATURES_MAX)
        r->features[r->feature_count++] = hash;
}
/* Of a line of text whose numbers do not count; `kind` tells lines of different sources apart. */
void fuzz_feature_of_line(struct fuzz_result *r, uint64_t kind, const char *line, size_t length);
/* A finding named by a text whose numbers do not count: "KIND: TEXT" becomes "kind-text". */
void fuzz_name(char name[FUZZ_NAME_MAX], const char *kind, const char *text);
bool fuzz_find(struct fuzz_result *r, const char *kind, const char *text); /* true */
/* A guest fault, which is no defect: in words, without numbers. */
void fuzz_note_fault(struct fuzz_result *r, const char *text);

#endif
