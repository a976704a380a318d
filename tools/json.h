/* Writing JSON: values in the order of the calls, two blanks a level, escaped as RFC 8259 wants. Inside an
 * object every value has a key; inside an array `key` is NULL. Numbers that JSON lacks (infinities, NaN)
 * become null. Errors of the stream are the caller's to look for. */
#ifndef VITRAIL_TOOLS_JSON_H
#define VITRAIL_TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
    FILE *out;
    unsigned depth;
    bool filled[JSON_DEPTH]; /* the object or array has a member already */
    char close[JSON_DEPTH];
};

void json_begin(struct json *json, FILE *out); /* then one value: an object or array with key NULL */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json); /* of the innermost object or array; the outermost ends the line too */
void json_string(struct json *json, const char *key, const char *value);
void json_uint(struct json *json, const char *key, uint64_t value);
void json_int(struct json *json, const char *key, int64_t value);
void json_double(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_hex(struct json *json, const char *key, uint32_t value);   /* a string: "0x0000abcd" */
void json_hex64(struct json *json, const char *key, uint64_t value); /* of 16 digits */

#endif
