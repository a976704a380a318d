/* Reads JSON strictly, for tests of what tools write. Values are found by a path: "stages/0/x". */
#ifndef VITRAIL_TESTS_TOOLS_JSON_READER_H
#define VITRAIL_TESTS_TOOLS_JSON_READER_H

#include <json-c/json.h>
#include <json-c/json_visit.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* json-c's strictness lets NaN and Infinity pass, which JSON lacks. */
static inline int json_is_finite(struct json_object *value, int flags, struct json_object *parent,
                                 const char *key, size_t *index, void *data)
{
    bool none = json_object_is_type(value, json_type_double) && !isfinite(json_object_get_double(value));
    return none ? JSON_C_VISIT_RETURN_ERROR : JSON_C_VISIT_RETURN_CONTINUE;
}

/* Frees the text. The document, the caller's to put; NULL when the text is not one JSON value and nothing
 * else. */
static inline struct json_object *json_read(char *text)
{
    struct json_tokener *tokener = json_tokener_new();
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *read = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
    json_tokener_free(tokener);
    free(text);
    if (read && json_c_visit(read, 0, json_is_finite, NULL) < 0) {
        json_object_put(read);
        read = NULL;
    }
    return read;
}

/* NULL when there is none. */
static inline struct json_object *json_at(struct json_object *document, const char *path)
{
    struct json_object *found = NULL;
    char pointer[256];
    snprintf(pointer, sizeof pointer, "/%s", path);
    return json_pointer_get(document, pointer, &found) ? NULL : found;
}

static inline double json_number(struct json_object *document, const char *path)
{
    struct json_object *it = json_at(document, path);
    return json_object_is_type(it, json_type_int) || json_object_is_type(it, json_type_double)
               ? json_object_get_double(it)
               : -1e300;
}

static inline bool json_is(struct json_object *document, const char *path, const char *value)
{
    struct json_object *it = json_at(document, path);
    return json_object_is_type(it, json_type_string) && !strcmp(json_object_get_string(it), value);
}

static inline bool json_is_true(struct json_object *document, const char *path)
{
    struct json_object *it = json_at(document, path);
    return json_object_is_type(it, json_type_boolean) && json_object_get_boolean(it);
}

/* Members of the array at the path. */
static inline size_t json_count(struct json_object *document, const char *path)
{
    struct json_object *it = json_at(document, path);
    return json_object_is_type(it, json_type_array) ? json_object_array_length(it) : 0;
}

#endif
