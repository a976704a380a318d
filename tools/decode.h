/* `vitrail decode`: what its part that knows no GPU (decode.c) and the families' parts (decode_NAME.c) share.
 */
#ifndef VITRAIL_TOOLS_DECODE_H
#define VITRAIL_TOOLS_DECODE_H

#include "gpu/capture.h"
#include "gpu/memory.h"
#include "tools/listing.h"

#define DECODE_RECORDS_MAX 1000000u /* in one list: a list that loops ends here */

/* What a family is given; it lists what it finds. */
struct decode {
    struct listing listing;
    struct gpu_memory memory; /* as it is before the event at hand */
    const char *gpu;
    bool programs, tiles; /* what is wanted */
    uint64_t job;         /* at hand, from 1; 0: none yet */
    uint64_t picture;     /* in the making, from 1 */
    bool shown;           /* pictures are those that are shown on a display */
    struct decode_seen *seen;
};

struct decode_family {
    /* *self becomes the family's. 0 or -errno. */
    int (*create)(struct decode *decode, void **self);
    void (*destroy)(void *self); /* NULL is accepted */
    /* Whether a job begins with this register write: `job` counts it then. */
    bool (*begins)(const void *self, uint32_t offset, uint32_t value);
    /* A write: listed, and followed to what it starts. `reply`: in answer to an interrupt. */
    void (*write)(void *self, uint32_t offset, uint32_t value, bool reply);
};
extern const struct decode_family decode_vc4, decode_utgard, decode_mali, decode_libresoc;

/* A program's lines, or where they were listed before; `hash` tells programs apart. `print` writes it to a
 * stream. */
typedef int (*decode_print_fn)(FILE *out, const void *program);
void decode_program(struct decode *decode, uint64_t hash, decode_print_fn print, const void *program);

/* The command's work. Returns an exit code, after a message. */
struct decode_options {
    const char *path;
    uint64_t job, frame; /* 0: all */
    bool no_programs, tiles, pages, json;
};
int decode_capture(const struct decode_options *options, FILE *out);
/* The same of a reader that is open already, for who has changed what it reads; messages call it by the options' path. */
int decode_reader(const struct decode_options *options, struct capture_reader *reader, FILE *out);

#endif
