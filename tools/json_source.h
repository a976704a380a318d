/* Reading JSON that a command of ours wrote once, and anybody may have changed since: members by name, checked. */
#ifndef VITRAIL_TOOLS_JSON_SOURCE_H
#define VITRAIL_TOOLS_JSON_SOURCE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* An object being read; the first thing that is wrong is kept. */
struct json_source {
    struct json_object *at;
    const char *wrong; /* a member's name; NULL: all right so far */
    bool out_of_memory;
};

/* A file's object, `at` is the caller's to put. TOOL_OK, or TOOL_BAD_FILE after a message. */
int json_source_load(const char *command, const char *path, struct json_source *out);
/* Its member "format", "" without one. */
const char *json_source_format(struct json_source *source);
/* Whether it is of this format and its version, and whether all was right that was read: TOOL_OK, or TOOL_BAD_FILE or
 * TOOL_HOST after a message. */
int json_source_is(const char *command, const char *path, struct json_source *source, const char *format,
                   uint32_t version);
int json_source_status(const char *command, const char *path, const struct json_source *source);

/* A member: NULL, 0 or 0.0 where it is not there or wrong. */
struct json_object *json_source_find(struct json_source *source, const char *key, enum json_type type,
                                     bool needed);
uint64_t json_source_number(struct json_source *source, const char *key, uint64_t max, bool needed);
double json_source_double(struct json_source *source, const char *key);
/* UTF-8 without control characters; `lines`: but line feeds and tabs. The object's. */
const char *json_source_text(struct json_source *source, const char *key, bool needed, bool lines);

#endif
