#include "tools/listing.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#define LINE_MAX_BYTES 512

/* The array of all, an object for each item, an array for what all but the innermost hold, and lines. */
_Static_assert(2 * LISTING_DEPTH + 1 <= JSON_DEPTH, "JSON is as deep as a listing");

/* Nothing of the innermost item is written. */
static bool is_hidden(const struct listing *l)
{
    return l->muted || l->depth > LISTING_DEPTH;
}

static void end_line(struct listing *l)
{
    if (l->line_open)
        fputc('\n', l->out);
    l->line_open = false;
}

static void begin_line(struct listing *l)
{
    end_line(l);
    fprintf(l->out, "%*s", (int)(2 * l->depth), "");
    l->line_open = true;
}

void listing_begin(struct listing *l, FILE *out, bool as_json)
{
    *l = (struct listing){.out = out, .as_json = as_json};
    json_begin(&l->json, out);
    if (as_json)
        json_open_array(&l->json, NULL);
}

int listing_end(struct listing *l)
{
    assert(!l->depth);
    if (l->as_json)
        return json_end(&l->json);
    end_line(l);
    return 0;
}

static void open_item(struct listing *l, const char *kind, const char *text)
{
    if (l->depth >= LISTING_DEPTH) {
        l->depth++;
        return;
    }
    if (l->as_json && !l->muted) {
        if (l->depth && !l->holds[l->depth - 1])
            json_open_array(&l->json, "contents");
        json_open_object(&l->json, NULL);
        json_string(&l->json, "kind", kind);
        json_string(&l->json, "text", text);
    } else if (!l->muted) {
        begin_line(l);
        fputs(text, l->out);
    }
    if (l->depth)
        l->holds[l->depth - 1] = true;
    l->holds[l->depth++] = false;
}

void listing_open(struct listing *l, const char *kind, const char *format, ...)
{
    char text[LINE_MAX_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    open_item(l, kind, text);
}

void listing_close(struct listing *l)
{
    bool hidden = is_hidden(l);
    l->depth--;
    if (!l->as_json || hidden)
        return;
    if (l->holds[l->depth])
        json_end(&l->json);
    json_end(&l->json);
}

void listing_line(struct listing *l, const char *kind, const char *format, ...)
{
    char text[LINE_MAX_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    open_item(l, kind, text);
    listing_close(l);
}

static void field_json(struct json *json, const struct gpu_field *f)
{
    switch (f->kind) {
    case GPU_FIELD_INT: json_int(json, f->name, (int64_t)f->value); break;
    case GPU_FIELD_HEX: json_hex(json, f->name, (uint32_t)f->value); break;
    case GPU_FIELD_BOOL:
    case GPU_FIELD_FLAG: json_boolean(json, f->name, f->value != 0); break;
    case GPU_FIELD_FLOAT: json_double(json, f->name, f->number); break;
    case GPU_FIELD_NAME:
        if (f->word) {
            json_string(json, f->name, f->word);
            break;
        }
        json_uint(json, f->name, f->value);
        break;
    default: json_uint(json, f->name, f->value);
    }
}

static void fields_json(struct json *json, const struct gpu_field *fields, unsigned count)
{
    json_hold_object(json, "fields");
    for (unsigned i = 0; i < count; i++)
        field_json(json, &fields[i]);
    json_end(json);
}

void listing_fields(struct listing *l, const struct gpu_field *fields, unsigned count)
{
    if (is_hidden(l) || !count)
        return;
    if (l->as_json)
        fields_json(&l->json, fields, count);
    else
        gpu_fields_print(l->out, fields, count);
}

void listing_table(struct listing *l, const struct gpu_field *fields, unsigned count)
{
    if (l->as_json) {
        listing_fields(l, fields, count);
        return;
    }
    for (unsigned i = 0; i < count && !is_hidden(l); i++) {
        begin_line(l);
        fprintf(l->out, "%-18s ", fields[i].name);
        gpu_field_print(l->out, &fields[i]);
        if (fields[i].what && *fields[i].what)
            fprintf(l->out, " (%s)", fields[i].what);
    }
}

void listing_lines(struct listing *l, const char *text)
{
    if (is_hidden(l))
        return;
    if (l->as_json)
        json_open_array(&l->json, "lines");
    while (*text) {
        char line[LINE_MAX_BYTES * 2];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (l->as_json) {
            json_string(&l->json, NULL, line);
        } else {
            begin_line(l);
            fputs(line, l->out);
        }
        text += length + (text[length] == '\n');
    }
    if (l->as_json)
        json_end(&l->json);
}
