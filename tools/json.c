#include "tools/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

static void quote(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

static void indent(const struct json *json)
{
    fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
}

static void member(struct json *json, const char *key)
{
    if (!json->depth)
        return;
    if (json->filled[json->depth - 1])
        putc(',', json->out);
    json->filled[json->depth - 1] = true;
    indent(json);
    if (key) {
        quote(json->out, key);
        fputs(": ", json->out);
    }
}

static void enter(struct json *json, const char *key, char first, char last)
{
    assert(json->depth < JSON_DEPTH);
    member(json, key);
    putc(first, json->out);
    json->filled[json->depth] = false;
    json->close[json->depth++] = last;
}

void json_begin(struct json *json, FILE *out)
{
    *json = (struct json){.out = out};
}

void json_object(struct json *json, const char *key)
{
    enter(json, key, '{', '}');
}

void json_array(struct json *json, const char *key)
{
    enter(json, key, '[', ']');
}

void json_end(struct json *json)
{
    bool filled = json->filled[--json->depth];
    if (filled)
        indent(json);
    putc(json->close[json->depth], json->out);
    if (!json->depth)
        putc('\n', json->out);
}

void json_string(struct json *json, const char *key, const char *value)
{
    member(json, key);
    quote(json->out, value);
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
    member(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_int(struct json *json, const char *key, int64_t value)
{
    member(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_double(struct json *json, const char *key, double value)
{
    member(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.9g", value);
    else
        fputs("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
    member(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_hex64(struct json *json, const char *key, uint64_t value)
{
    member(json, key);
    fprintf(json->out, "\"0x%016" PRIx64 "\"", value);
}

void json_hex(struct json *json, const char *key, uint32_t value)
{
    member(json, key);
    fprintf(json->out, "\"0x%08" PRIx32 "\"", value);
}
