/* A listing: items in items, each with a line of text, named values and maybe what it holds; written as
 * indented text or as JSON, an array of objects with "kind", "text", "fields", "lines" and "contents". Errors
 * of the stream are the caller's to look for. */
#ifndef VITRAIL_TOOLS_LISTING_H
#define VITRAIL_TOOLS_LISTING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu/field.h"
#include "tools/json.h"

/* Items in items. Listers open so many only as their functions are within each other, whatever a capture says: nine
 * are the most (a plane, of a texture, in a table, of an environment, of a draw, of a frame, of a job, in a chain, of
 * a register write). What is deeper is left out. */
#define LISTING_DEPTH 14

struct listing {
    FILE *out;
    bool as_json;
    bool muted; /* the caller's: nothing is written while it is set; items end as they began */
    struct json json;
    unsigned depth;
    bool holds[LISTING_DEPTH]; /* the item has "contents" */
    bool line_open;            /* of text */
};

void listing_begin(struct listing *listing, FILE *out, bool as_json);
int listing_end(struct listing *listing); /* 0, or -ENOMEM: JSON is not whole */
/* `kind` is static: "register", "command"; the format makes the item's line. */
void listing_open(struct listing *listing, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void listing_close(struct listing *listing);
/* An item with nothing but its line. */
void listing_line(struct listing *listing, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Of the innermost item, before what it holds, once: values on its line, or on a line each with what they
 * are. */
void listing_fields(struct listing *listing, const struct gpu_field *fields, unsigned count);
void listing_table(struct listing *listing, const struct gpu_field *fields, unsigned count);
/* Likewise lines of its own, separated by newlines. */
void listing_lines(struct listing *listing, const char *text);

#endif
