/* Reports as JSON, and back. What is read may be anybody's file: every member is checked. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/json.h"
#include "tools/json_source.h"
#include "tools/manifest.h"
#include "tools/report.h"
#include "util/bits.h"
#include "util/list.h"

#define FORMAT     "vitrail verify"
#define FORMAT_NOW 1u

/* ---- base64 ---- */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *report_to_base64(const uint8_t *bytes, size_t size)
{
    char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        *to++ = alphabet[three >> 18];
        *to++ = alphabet[three >> 12 & 63];
        *to++ = left > 1 ? alphabet[three >> 6 & 63] : '=';
        *to++ = left > 2 ? alphabet[three & 63] : '=';
    }
    *to = 0;
    return text;
}

int report_from_base64(const char *text, size_t length, struct report_png *out)
{
    *out = (struct report_png){0};
    if (length % 4 || !length)
        return -EINVAL;
    const size_t padding = (text[length - 1] == '=') + (text[length - 2] == '=' && text[length - 1] == '=');
    uint8_t *bytes = malloc(length / 4 * 3);
    if (!bytes)
        return -ENOMEM;
    size_t size = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        const char *place = i < length - padding && text[i] ? strchr(alphabet, text[i]) : NULL;
        if (!place && i < length - padding) {
            free(bytes);
            return -EINVAL;
        }
        bits = bits << 6 | (place ? (uint32_t)(place - alphabet) : 0);
        if (i % 4 == 3)
            for (int shift = 16; shift >= 0; shift -= 8)
                bytes[size++] = (uint8_t)(bits >> shift);
    }
    *out = (struct report_png){bytes, size - padding};
    return 0;
}

/* ---- writing ---- */

static void put_rgb(struct json *j, const char *key, const uint8_t rgb[3])
{
    json_hold_array(j, key);
    for (int i = 0; i < 3; i++)
        json_uint(j, NULL, rgb[i]);
    json_end(j);
}

static void put_png(struct json *j, const char *key, const struct report_png *png)
{
    if (!png->size)
        return;
    char *text = report_to_base64(png->bytes, png->size);
    if (text)
        json_string(j, key, text);
    j->failed |= !text;
    free(text);
}

static const char *const writers[] = {
    [REPORT_NO_WRITER] = "", [REPORT_NOTHING] = "nothing", [REPORT_CLEAR] = "clear", [REPORT_DRAW] = "draw"};

static void put_writer(struct json *j, const struct report_writer *w)
{
    if (w->kind == REPORT_NO_WRITER)
        return;
    json_hold_object(j, "writer");
    json_string(j, "kind", writers[w->kind]);
    json_uint(j, "picture", w->picture);
    json_uint(j, "draw", w->draw);
    json_uint(j, "list", w->list);
    json_uint(j, "primitive", w->primitive);
    json_string(j, "what", w->what);
    json_end(j);
}

static void put_difference(struct json *j, const struct report_case *c)
{
    json_uint(j, "differing", c->result.differing);
    json_uint(j, "beyond", c->result.beyond);
    json_uint(j, "most", c->result.most);
    json_double(j, "mean", c->result.mean);
    json_uint(j, "x", c->result.x);
    json_uint(j, "y", c->result.y);
    put_rgb(j, "want", c->result.want);
    put_rgb(j, "got", c->result.got);
}

static void put_case(struct json *j, const struct report_case *c)
{
    json_open_object(j, NULL);
    json_uint(j, "number", c->number);
    json_string(j, "capture", c->capture);
    json_string(j, "path", c->path);
    json_string(j, "picture", c->picture);
    json_uint(j, "frame", c->frame);
    json_string(j, "options", c->options);
    json_uint(j, "tolerance", c->tolerance);
    json_double(j, "share", c->share);
    json_string(j, "reason", c->reason);
    json_string(j, "gpu", c->gpu);
    json_string(j, "verdict", report_verdict_word(c->result.verdict));
    json_uint(j, "shown", c->result.shown);
    json_uint(j, "width", c->result.width);
    json_uint(j, "height", c->result.height);
    if (c->result.differing)
        put_difference(j, c);
    if (c->detail)
        json_string(j, "detail", c->detail);
    put_writer(j, &c->writer);
    if (c->explained)
        json_string(j, "explained", c->explained);
    put_png(j, "expected_png", &c->expected);
    put_png(j, "drawn_png", &c->drawn);
    json_double(j, "seconds", c->seconds);
    json_end(j);
}

int report_print_json(FILE *out, const struct report *r)
{
    struct json j;
    json_begin(&j, out);
    json_open_object(&j, NULL);
    json_string(&j, "format", FORMAT);
    json_uint(&j, "format_version", FORMAT_NOW);
    json_string(&j, "version", r->version);
    json_string(&j, "subject", r->subject);
    json_string(&j, "filter", r->filter);
    json_string(&j, "label", r->label);
    json_string(&j, "started", r->started);
    json_double(&j, "seconds", r->seconds);
    json_uint(&j, "total", r->total);
    if (r->shards) {
        json_uint(&j, "shard", r->shard);
        json_uint(&j, "shards", r->shards);
    }
    json_open_array(&j, "cases");
    for (uint32_t i = 0; i < r->cases.count; i++)
        put_case(&j, &r->cases.at[i]);
    json_end(&j);
    return json_end(&j);
}

/* ---- reading ---- */

static char *get_copy(struct json_source *s, const char *key, bool needed, bool lines)
{
    const char *text = json_source_text(s, key, needed, lines);
    char *copy = text || needed ? strdup(text ? text : "") : NULL;
    s->out_of_memory |= (text || needed) && !copy;
    return copy;
}

static void get_word(struct json_source *s, const char *key, char *to, size_t size)
{
    const char *text = json_source_text(s, key, true, false);
    const size_t length = text ? strlen(text) : 0;
    if (length >= size && !s->wrong)
        s->wrong = key;
    memset(to, 0, size);
    memcpy(to, text ? text : "", length < size ? length : 0);
}

static void get_png(struct json_source *s, const char *key, struct report_png *out)
{
    static const uint8_t magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    struct json_object *value = json_source_find(s, key, json_type_string, false);
    if (!value)
        return;
    int err =
        report_from_base64(json_object_get_string(value), (size_t)json_object_get_string_len(value), out);
    s->out_of_memory |= err == -ENOMEM;
    if (!err && out->size >= sizeof magic && !memcmp(out->bytes, magic, sizeof magic))
        return;
    if (!s->wrong)
        s->wrong = key;
}

static void get_rgb(struct json_source *s, const char *key, uint8_t rgb[3])
{
    struct json_object *value = json_source_find(s, key, json_type_array, false);
    if (!value)
        return;
    for (size_t i = 0; i < 3; i++) {
        struct json_object *channel =
            json_object_array_length(value) == 3 ? json_object_array_get_idx(value, i) : NULL;
        int64_t number = json_object_is_type(channel, json_type_int) ? json_object_get_int64(channel) : -1;
        if ((number < 0 || number > 255) && !s->wrong)
            s->wrong = key;
        rgb[i] = (uint8_t)number;
    }
}

static void get_writer(struct json_source *s, struct report_writer *w)
{
    struct json_source inner = {.at = json_source_find(s, "writer", json_type_object, false)};
    if (!inner.at)
        return;
    const char *kind = json_source_text(&inner, "kind", true, false);
    unsigned n = 0;
    while (n < UTIL_ARRAY_SIZE(writers) && (!kind || strcmp(writers[n], kind) != 0))
        n++;
    w->picture = (uint32_t)json_source_number(&inner, "picture", UINT32_MAX, true);
    w->draw = (uint32_t)json_source_number(&inner, "draw", UINT32_MAX, true);
    w->list = (uint32_t)json_source_number(&inner, "list", UINT32_MAX, true);
    w->primitive = json_source_number(&inner, "primitive", UINT64_MAX, true);
    get_word(&inner, "what", w->what, sizeof w->what);
    if ((inner.wrong || n == UTIL_ARRAY_SIZE(writers)) && !s->wrong)
        s->wrong = "writer";
    w->kind = n < UTIL_ARRAY_SIZE(writers) ? n : REPORT_NO_WRITER;
}

static enum report_verdict get_verdict(struct json_source *s)
{
    const char *word = json_source_text(s, "verdict", true, false);
    for (unsigned v = 0; word && v < REPORT_VERDICT_COUNT; v++)
        if (!strcmp(word, report_verdict_word(v)))
            return v;
    if (!s->wrong)
        s->wrong = "verdict";
    return REPORT_HOST;
}

static void get_case(struct json_source *s, bool pictures, struct report_case *c)
{
    c->number = (uint32_t)json_source_number(s, "number", UINT32_MAX, true);
    c->capture = get_copy(s, "capture", true, false);
    c->path = get_copy(s, "path", true, false);
    c->picture = get_copy(s, "picture", true, false);
    c->options = get_copy(s, "options", true, false);
    c->reason = get_copy(s, "reason", true, false);
    c->frame = (uint32_t)json_source_number(s, "frame", UINT32_MAX, true);
    c->tolerance = (uint32_t)json_source_number(s, "tolerance", 255, true);
    c->share = json_source_double(s, "share");
    get_word(s, "gpu", c->gpu, sizeof c->gpu);
    c->result.verdict = get_verdict(s);
    c->result.shown = (uint32_t)json_source_number(s, "shown", UINT32_MAX, true);
    c->result.width = (uint32_t)json_source_number(s, "width", UINT32_MAX, true);
    c->result.height = (uint32_t)json_source_number(s, "height", UINT32_MAX, true);
    c->result.differing = json_source_number(s, "differing", UINT64_MAX, false);
    c->result.beyond = json_source_number(s, "beyond", UINT64_MAX, false);
    c->result.most = (uint32_t)json_source_number(s, "most", 255, false);
    c->result.mean = json_source_double(s, "mean");
    c->result.x = (uint32_t)json_source_number(s, "x", UINT32_MAX, false);
    c->result.y = (uint32_t)json_source_number(s, "y", UINT32_MAX, false);
    get_rgb(s, "want", c->result.want);
    get_rgb(s, "got", c->result.got);
    get_writer(s, &c->writer);
    c->detail = get_copy(s, "detail", false, false);
    c->seconds = json_source_double(s, "seconds");
    if (!pictures)
        return;
    c->explained = get_copy(s, "explained", false, true);
    get_png(s, "expected_png", &c->expected);
    get_png(s, "drawn_png", &c->drawn);
}

static void get_report(struct json_source *s, bool pictures, struct report *r)
{
    get_word(s, "version", r->version, sizeof r->version);
    r->subject = get_copy(s, "subject", true, false);
    r->filter = get_copy(s, "filter", true, false);
    r->label = get_copy(s, "label", true, false);
    get_word(s, "started", r->started, sizeof r->started);
    r->seconds = json_source_double(s, "seconds");
    r->total = (uint32_t)json_source_number(s, "total", UINT32_MAX, true);
    r->shard = (uint32_t)json_source_number(s, "shard", UINT32_MAX, false);
    r->shards = (uint32_t)json_source_number(s, "shards", UINT32_MAX, false);
    struct json_object *cases = json_source_find(s, "cases", json_type_array, true);
    for (size_t i = 0; !s->wrong && !s->out_of_memory && i < json_object_array_length(cases); i++) {
        struct json_source one = {.at = json_object_array_get_idx(cases, i)};
        struct report_case c = {0};
        if (!json_object_is_type(one.at, json_type_object))
            one.wrong = "cases";
        else
            get_case(&one, pictures, &c);
        s->wrong = one.wrong;
        s->out_of_memory = one.out_of_memory;
        if (!UTIL_LIST_ADD(r->cases, c)) {
            s->out_of_memory = true;
            report_case_finish(&c);
        }
    }
    report_sort(r);
}

int report_read_json(const char *command, const char *path, bool pictures, struct report *out)
{
    struct json_source s;
    *out = (struct report){0};
    int code = json_source_load(command, path, &s);
    if (code)
        return code;
    code = json_source_is(command, path, &s, FORMAT, FORMAT_NOW);
    if (!code) {
        get_report(&s, pictures, out);
        code = json_source_status(command, path, &s);
    }
    json_object_put(s.at);
    if (code)
        report_finish(out);
    return code;
}
