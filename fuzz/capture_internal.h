/* What the files of the captures' subject share: its units (capture_units.c), changes to them (capture_edit.c), playing
 * (capture.c). */
#ifndef VITRAIL_FUZZ_CAPTURE_INTERNAL_H
#define VITRAIL_FUZZ_CAPTURE_INTERNAL_H

#include "fuzz/capture.h"
#include "gpu/options.h"
#include "isa/sets.h"

enum {
    FUZZ_EDIT_BYTES = 16,
    FUZZ_EDITS_MAX = 64,
    FUZZ_DROPS_MAX = 4096,
    FUZZ_FRAMES_MAX = 64, /* pictures of a play */
};

/* What a capture is made of: a page, a register write or a frame mark. */
struct fuzz_unit {
    uint32_t event;       /* its number in the file */
    uint8_t type;         /* enum capture_event_type */
    uint64_t address;     /* of a page; offset of a register */
    uint32_t value;       /* of a register */
    const uint8_t *bytes; /* of a page that is not all zero; else NULL */
};

/* 16 bytes of a page that are not all zero. */
struct fuzz_line {
    uint32_t unit;
    uint16_t offset;
};

/* A program, where its bytes stand in the pages. */
struct fuzz_region {
    const struct isa_set *set;
    uint32_t unit;
    uint16_t offset, bytes; /* those in this page */
};

struct fuzz_units {
    struct fuzz_unit *at;
    uint32_t count, room;
    uint32_t *first; /* unit of each event; one more at the end */
    uint32_t events, event_room;
    struct {
        struct fuzz_line *at;
        uint32_t count, room;
    } lines;
    struct {
        struct fuzz_region *at;
        uint32_t count, room;
    } regions;
    struct {
        uint32_t *at; /* of register writes */
        uint32_t count, room;
    } registers;
};
/* Reads the whole capture, and rewinds it. 0, -EBADMSG, -ENOMEM, -E2BIG. */
int fuzz_units_read(struct fuzz_units *units, struct capture_reader *reader, struct util_error *error);
/* Where these words of a program stand. 0 or -ENOMEM. */
int fuzz_units_find(struct fuzz_units *units, const struct isa_set *set, const uint8_t *words, size_t bytes);
void fuzz_units_finish(struct fuzz_units *units);

/* A change: other bytes of a page; of a register's write, its value. */
struct fuzz_edit {
    uint32_t unit;
    uint16_t offset, size;
    uint8_t bytes[FUZZ_EDIT_BYTES];
};
/* Units that are left out. */
struct fuzz_drop {
    uint32_t first, count;
};
enum fuzz_way { FUZZ_WAY_INTERPRETED = 1, FUZZ_WAY_PLAIN = 2 /* narrow vectors, everything in its order */ };
const char *fuzz_way_name(unsigned way);
/* What a case begins with; then its edits, then its drops. */
struct fuzz_capture_head {
    uint32_t edits, drops;
    uint32_t units; /* of the capture */
    uint32_t ways;  /* enum fuzz_way: bits */
};
/* What of a case can be taken at its word; anything else is left out. */
struct fuzz_changes {
    struct fuzz_capture_head head;
    struct fuzz_edit edit[FUZZ_EDITS_MAX];
    struct fuzz_drop drop[FUZZ_DROPS_MAX];
};
void fuzz_changes_get(const struct fuzz_case *c, struct fuzz_changes *out);
bool fuzz_changes_put(const struct fuzz_changes *changes, struct fuzz_case *out); /* false: no room */

void fuzz_changes_make(const struct fuzz_units *units, struct isa_random *random,
                       const struct fuzz_corpus *corpus, struct fuzz_changes *out);
uint32_t fuzz_changes_steps(const struct fuzz_case *c);
bool fuzz_changes_smaller(const struct fuzz_case *c, uint32_t first, uint32_t count, struct fuzz_case *out);
uint32_t fuzz_changes_parts(const struct fuzz_case *c);

/* Pictures of two ways of playing one file, as fuzz_capture_difference: all but `way`. */
struct fuzz_difference;
int fuzz_capture_compare(const char *path, const struct gpu_options ways[2], struct fuzz_difference *out,
                         struct util_error *error);

/* Edits what a reader hands out. */
struct fuzz_editor {
    const struct fuzz_units *units;
    const struct fuzz_changes *changes;
    struct capture_page pages[CAPTURE_PAGES_MAX];
    uint8_t bytes[FUZZ_EDITS_MAX][GPU_PAGE]; /* of pages that are changed */
    uint32_t used;
};
bool fuzz_edit_event(void *editor, uint64_t number, struct capture_event *event);

#endif
