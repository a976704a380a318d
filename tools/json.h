/* Writing JSON with json-c, in the order of the calls. What may be long is opened and printed as it comes, a
 * member a line; what is held is short, and printed whole at its end. Inside an object every value has a
 * key; inside an array `key` is NULL. Numbers that JSON lacks (infinities, NaN) become null. Errors of the
 * stream are the caller's to look for. */
#ifndef VITRAIL_TOOLS_JSON_H
#define VITRAIL_TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 32

struct json {
    FILE *out;
    bool failed; /* out of memory: nothing more is printed */
    bool filled; /* the innermost that is open has a member already */
    unsigned open, held;
    char close[JSON_DEPTH];             /* what is open, outermost first */
    struct json_object *at[JSON_DEPTH]; /* what is held; the first owns the others */
    const char *key;                    /* of the first */
};

void json_begin(struct json *json, FILE *out); /* then one value is opened, with key NULL */
void json_open_object(struct json *json, const char *key);
void json_open_array(struct json *json, const char *key);
void json_hold_object(struct json *json, const char *key); /* nothing is opened in what is held */
void json_hold_array(struct json *json, const char *key);
/* Of the innermost that is open or held; the outermost ends the line too. 0, or -ENOMEM: now or before. */
int json_end(struct json *json);
void json_string(struct json *json, const char *key, const char *value);
void json_uint(struct json *json, const char *key, uint64_t value);
void json_int(struct json *json, const char *key, int64_t value);
void json_double(struct json *json, const char *key, double value); /* of 9 digits */
void json_boolean(struct json *json, const char *key, bool value);
void json_hex(struct json *json, const char *key,
              uint64_t value); /* a string: "0x0000abcd", longer where it is */
void json_hex64(struct json *json, const char *key, uint64_t value); /* of 16 digits */

#endif
