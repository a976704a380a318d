/* Reads JSON strictly (RFC 8259), for tests of what tools write. Values are found by a path: "stages.0.x". */
#ifndef VITRAIL_TESTS_UNIT_JSON_READER_H
#define VITRAIL_TESTS_UNIT_JSON_READER_H

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Skips the value at `at`; NULL when it is none. */
static const char *json_skip(const char *at);

static inline const char *json_space(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
        at++;
    return at;
}

static inline const char *json_skip_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20)
            return NULL;
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u') {
            for (int i = 0; i < 4; i++)
                if (!isxdigit((unsigned char)*++at))
                    return NULL;
        } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
            return NULL;
        }
    }
    return at + 1;
}

static inline const char *json_digits(const char *at)
{
    if (!isdigit((unsigned char)*at))
        return NULL;
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

static inline const char *json_skip_number(const char *at)
{
    at += *at == '-';
    at = *at == '0' ? at + 1 : json_digits(at);
    if (at && *at == '.')
        at = json_digits(at + 1);
    if (at && (*at == 'e' || *at == 'E')) {
        at++;
        at += *at == '+' || *at == '-';
        at = json_digits(at);
    }
    return at;
}

/* The members of an object or array; stops at member `wanted` (by name, or by number) and returns its value's
 * place in *found. */
static inline const char *json_members(const char *at, const char *wanted, size_t length, const char **found)
{
    bool object = *at == '{';
    char close = object ? '}' : ']';
    unsigned long n = 0;
    at = json_space(at + 1);
    if (*at == close)
        return at + 1;
    for (;; n++) {
        const char *name = at;
        if (object) {
            at = json_skip_string(at);
            if (!at || *(at = json_space(at)) != ':')
                return NULL;
            at = json_space(at + 1);
        }
        bool match = wanted && (object ? !strncmp(name + 1, wanted, length) && name[1 + length] == '"'
                                       : strtoul(wanted, NULL, 10) == n);
        if (match && found)
            *found = at;
        at = json_skip(at);
        if (!at)
            return NULL;
        at = json_space(at);
        if (*at == close)
            return at + 1;
        if (*at != ',')
            return NULL;
        at = json_space(at + 1);
    }
}

static inline const char *json_skip(const char *at)
{
    switch (*at) {
    case '{':
    case '[': return json_members(at, NULL, 0, NULL);
    case '"': return json_skip_string(at);
    case 't': return strncmp(at, "true", 4) ? NULL : at + 4;
    case 'f': return strncmp(at, "false", 5) ? NULL : at + 5;
    case 'n': return strncmp(at, "null", 4) ? NULL : at + 4;
    default: return json_skip_number(at);
    }
}

/* Whether the text is one JSON value and nothing else. */
static inline bool json_valid(const char *text)
{
    const char *end = json_skip(json_space(text));
    return end && !*json_space(end);
}

/* The value at the path; NULL when there is none. */
static inline const char *json_at(const char *text, const char *path)
{
    const char *at = json_space(text);
    while (at && *path) {
        size_t length = strcspn(path, ".");
        const char *found = NULL;
        if ((*at != '{' && *at != '[') || !json_members(at, path, length, &found))
            return NULL;
        at = found;
        path += length + (path[length] == '.');
    }
    return at;
}

static inline double json_number(const char *text, const char *path)
{
    const char *at = json_at(text, path);
    return at && (*at == '-' || isdigit((unsigned char)*at)) ? strtod(at, NULL) : -1e300;
}

static inline bool json_is(const char *text, const char *path, const char *value)
{
    const char *at = json_at(text, path);
    size_t length = strlen(value);
    return at && *at == '"' && !strncmp(at + 1, value, length) && at[1 + length] == '"';
}

static inline bool json_is_true(const char *text, const char *path)
{
    const char *at = json_at(text, path);
    return at && !strncmp(at, "true", 4);
}

/* Members of the array or object at the path. */
static inline unsigned json_count(const char *text, const char *path)
{
    const char *at = json_at(text, path);
    unsigned n = 0;
    if (!at)
        return 0;
    at = json_space(at + 1);
    while (*at != '}' && *at != ']') {
        if (*at == '"' && *json_space(json_skip_string(at)) == ':')
            at = json_space(json_space(json_skip_string(at)) + 1);
        at = json_space(json_skip(at));
        n++;
        if (*at == ',')
            at = json_space(at + 1);
    }
    return n;
}

#endif
