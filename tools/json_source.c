#include "tools/json_source.h"

#include <math.h>
#include <string.h>

#include "tools/json.h"
#include "tools/manifest.h"
#include "tools/tool.h"

struct json_object *json_source_find(struct json_source *s, const char *key, enum json_type type, bool needed)
{
    struct json_object *value = NULL;
    bool there = json_object_object_get_ex(s->at, key, &value);
    bool right = there && (json_object_is_type(value, type) ||
                           (type == json_type_double && json_object_is_type(value, json_type_int)));
    if (!right && (there || needed) && !s->wrong)
        s->wrong = key;
    return right ? value : NULL;
}

uint64_t json_source_number(struct json_source *s, const char *key, uint64_t max, bool needed)
{
    struct json_object *value = json_source_find(s, key, json_type_int, needed);
    if (!value)
        return 0;
    const int64_t low = json_object_get_int64(value);
    const uint64_t number = json_object_get_uint64(value);
    if ((low < 0 || number > max) && !s->wrong)
        s->wrong = key;
    return low < 0 || number > max ? 0 : number;
}

double json_source_double(struct json_source *s, const char *key)
{
    struct json_object *value = json_source_find(s, key, json_type_double, false);
    double number = value ? json_object_get_double(value) : 0;
    if (!isfinite(number) && !s->wrong)
        s->wrong = key;
    return isfinite(number) ? number : 0;
}

/* `lines`: line feeds and tabs may stand in it. */
static bool is_fit(const char *text, size_t length, bool lines)
{
    if (strlen(text) != length)
        return false;
    if (!lines)
        return manifest_is_text(text);
    for (const char *c = text; *c; c++)
        if ((uint8_t)*c < 0x20 && *c != '\n' && *c != '\t')
            return false;
    return true;
}

const char *json_source_text(struct json_source *s, const char *key, bool needed, bool lines)
{
    struct json_object *value = json_source_find(s, key, json_type_string, needed);
    if (!value)
        return NULL;
    const char *text = json_object_get_string(value);
    if (is_fit(text, (size_t)json_object_get_string_len(value), lines))
        return text;
    if (!s->wrong)
        s->wrong = key;
    return NULL;
}

int json_source_load(const char *command, const char *path, struct json_source *out)
{
    uint8_t *bytes;
    size_t size;
    *out = (struct json_source){0};
    if (!tool_read_file(command, path, &bytes, &size))
        return TOOL_BAD_FILE;
    struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);
    if (tokener) {
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
        out->at = json_tokener_parse_ex(tokener, (const char *)bytes, (int)size + 1); /* with its zero */
        json_tokener_free(tokener);
    }
    free(bytes);
    if (json_object_is_type(out->at, json_type_object))
        return TOOL_OK;
    json_object_put(out->at);
    return tool_error(command, TOOL_BAD_FILE,
                      "%s: not a report of `vitrail verify --json` nor `vitrail fuzz --json`", path);
}

const char *json_source_format(struct json_source *s)
{
    struct json_source peek = {.at = s->at};
    const char *format = json_source_text(&peek, "format", true, false);
    return format ? format : "";
}

int json_source_is(const char *command, const char *path, struct json_source *s, const char *format,
                   uint32_t version)
{
    if (strcmp(json_source_format(s), format) != 0)
        return tool_error(command, TOOL_BAD_FILE, "%s: not a report of `%s --json`", path, format);
    if (json_source_number(s, "format_version", UINT32_MAX, true) != version)
        return tool_error(command, TOOL_BAD_FILE, "%s: a report of another version of the format", path);
    return TOOL_OK;
}

int json_source_status(const char *command, const char *path, const struct json_source *s)
{
    if (s->out_of_memory)
        return tool_error(command, TOOL_HOST, "%s: out of memory", path);
    return s->wrong ? tool_error(command, TOOL_BAD_FILE, "%s: \"%s\" is missing, or is no such thing", path,
                                 s->wrong)
                    : TOOL_OK;
}
