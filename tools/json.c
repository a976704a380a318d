#include "tools/json.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <json-c/json_object.h>
#include <math.h>

/* The place of a member of what is open. Keys are ours, with nothing to escape. */
static void place(struct json *json, const char *key)
{
    if (json->open)
        fprintf(json->out, "%s\n%*s", json->filled ? "," : "", (int)(2 * json->open), "");
    if (key)
        fprintf(json->out, "\"%s\": ", key);
    json->filled = true;
}

/* json-c does not say when its text could not grow; errno does. */
static void print(struct json *json, const char *key, struct json_object *value)
{
    errno = 0;
    const char *text =
        json_object_to_json_string_ext(value, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
    json->failed = !text || errno == ENOMEM;
    if (json->failed)
        return;
    place(json, key);
    fputs(text, json->out);
}

/* Takes `value`, NULL when there was no memory for it. */
static void add(struct json *json, const char *key, struct json_object *value)
{
    struct json_object *in = json->held ? json->at[json->held - 1] : NULL;
    json->failed |= !value;
    if (!json->failed && in) {
        json->failed = key ? json_object_object_add(in, key, value) : json_object_array_add(in, value);
        if (!json->failed)
            return;
    } else if (!json->failed) {
        print(json, key, value);
    }
    json_object_put(value);
}

static void hold(struct json *json, const char *key, struct json_object *value)
{
    assert(json->held < JSON_DEPTH);
    if (json->held) {
        add(json, key, value);
    } else {
        json->key = key;
        json->failed |= !value;
    }
    json->at[json->held++] = value;
}

static void open_value(struct json *json, const char *key, char first, char last)
{
    assert(json->open < JSON_DEPTH && !json->held);
    if (!json->failed) {
        place(json, key);
        putc(first, json->out);
    }
    json->filled = false;
    json->close[json->open++] = last;
}

void json_begin(struct json *json, FILE *out)
{
    *json = (struct json){.out = out};
}

void json_open_object(struct json *json, const char *key)
{
    open_value(json, key, '{', '}');
}

void json_open_array(struct json *json, const char *key)
{
    open_value(json, key, '[', ']');
}

void json_hold_object(struct json *json, const char *key)
{
    hold(json, key, json_object_new_object());
}

void json_hold_array(struct json *json, const char *key)
{
    hold(json, key, json_object_new_array());
}

int json_end(struct json *json)
{
    if (json->held > 1) {
        json->held--;
    } else if (json->held) {
        json->held = 0;
        add(json, json->key, json->at[0]);
    } else {
        char last = json->close[--json->open];
        if (!json->failed && json->filled)
            fprintf(json->out, "\n%*s", (int)(2 * json->open), "");
        if (!json->failed)
            fprintf(json->out, "%c%s", last, json->open ? "" : "\n");
        json->filled = true;
    }
    return json->failed ? -ENOMEM : 0;
}

void json_string(struct json *json, const char *key, const char *value)
{
    add(json, key, json_object_new_string(value));
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
    add(json, key, json_object_new_uint64(value));
}

void json_int(struct json *json, const char *key, int64_t value)
{
    add(json, key, json_object_new_int64(value));
}

void json_double(struct json *json, const char *key, double value)
{
    char text[32] = "null";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.9g", value);
    add(json, key, json_object_new_double_s(value, text));
}

void json_boolean(struct json *json, const char *key, bool value)
{
    add(json, key, json_object_new_boolean(value));
}

void json_hex64(struct json *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, value);
    json_string(json, key, text);
}

void json_hex(struct json *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%08" PRIx64, value);
    json_string(json, key, text);
}
