/* The page: what is in tools/report, with the report as JSON in it. Nothing in the data can end its element, as '<'
 * is written as an escape; all else is up to page.js, which makes text of it and never markup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/json.h"
#include "tools/report.h"

#define PLACE "@DATA@"

static const struct report_case *same_case(const struct report *r, const struct report_case *c)
{
    for (uint32_t i = 0; i < r->cases.count; i++) {
        const struct report_case *other = &r->cases.at[i];
        if (other->frame == c->frame && !strcmp(other->picture, c->picture) &&
            !strcmp(other->capture, c->capture) && !strcmp(other->options, c->options))
            return other;
    }
    return NULL;
}

/* Of each case of the report in turn, and of each run: [verdict, pixels beyond], or null. */
static int put_history(FILE *out, const struct report *r, const struct report *history, uint32_t runs)
{
    struct json j;
    json_begin(&j, out);
    json_open_object(&j, NULL);
    json_open_array(&j, "runs");
    for (uint32_t i = 0; i < runs; i++) {
        json_hold_object(&j, NULL);
        json_string(&j, "label", history[i].label);
        json_string(&j, "started", history[i].started);
        json_end(&j);
    }
    json_end(&j);
    json_open_array(&j, "cases");
    for (uint32_t i = 0; i < r->cases.count; i++) {
        json_hold_array(&j, NULL);
        for (uint32_t k = 0; k < runs; k++) {
            const struct report_case *c = same_case(&history[k], &r->cases.at[i]);
            json_hold_array(&j, NULL);
            if (c) {
                json_string(&j, NULL, report_verdict_word(c->result.verdict));
                json_uint(&j, NULL, c->result.beyond);
            }
            json_end(&j);
        }
        json_end(&j);
    }
    json_end(&j);
    return json_end(&j);
}

static int put_verdicts(FILE *out)
{
    struct json j;
    json_begin(&j, out);
    json_open_array(&j, NULL);
    for (unsigned v = 0; v < REPORT_VERDICT_COUNT; v++) {
        const char kind[] = {report_verdict_kind(v), 0};
        json_hold_object(&j, NULL);
        json_string(&j, "word", report_verdict_word(v));
        json_string(&j, "kind", kind);
        json_string(&j, "text", report_verdict_text(v));
        json_end(&j);
    }
    return json_end(&j);
}

void report_put_page(FILE *out, const char *page, const char *json, size_t size)
{
    const char *place = strstr(page, PLACE);
    fwrite(page, 1, (size_t)(place - page), out);
    for (size_t i = 0; i < size; i++)
        if (json[i] == '<')
            fputs("\\u003c", out);
        else
            putc(json[i], out);
    fputs(place + strlen(PLACE), out);
}

int report_print_html(FILE *out, const struct report *r, const struct report *history, uint32_t runs)
{
    char *data = NULL;
    size_t size = 0;
    FILE *json = open_memstream(&data, &size);
    if (!json)
        return -ENOMEM;
    fputs("{\"verdicts\": ", json);
    int err = put_verdicts(json);
    fputs(", \"history\": ", json);
    err = err ? err : put_history(json, r, history, runs);
    fputs(", \"report\": ", json);
    err = err ? err : report_print_json(json, r);
    putc('}', json);
    if (fclose(json) && !err)
        err = -ENOMEM;
    if (!err)
        report_put_page(out, report_page, data, size);
    free(data);
    return err;
}
