/* JUnit XML, as CI systems take it: a test case for each picture. */
#include <string.h>

#include "tools/report.h"

/* `text` is UTF-8 without control characters, or has line feeds and tabs. */
static void put(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++)
        switch (*c) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\n': fputs("&#10;", out); break;
        case '\t': fputs("&#9;", out); break;
        default: putc(*c, out);
        }
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    put(out, text);
    putc('"', out);
}

static void put_case(FILE *out, const struct report_case *c)
{
    char name[64] = "last picture", figures[REPORT_FIGURES_MAX], writer[REPORT_WRITER_MAX];
    const char kind = report_verdict_kind(c->result.verdict);
    if (c->frame)
        snprintf(name, sizeof name, "picture %u", c->frame);
    fputs("    <testcase", out);
    put_attribute(out, "classname", c->capture);
    fprintf(out, " name=\"%s: ", name);
    put(out, c->picture);
    if (*c->options) {
        putc(' ', out);
        put(out, c->options);
    }
    fprintf(out, "\" time=\"%.3f\"", c->seconds);
    if (kind == 'p') {
        fputs("/>\n", out);
        return;
    }
    const char *element = kind == 'f' ? "failure" : "error";
    report_figures(c, figures);
    report_writer_text(&c->writer, c->result.shown, writer);
    fprintf(out, ">\n      <%s", element);
    put_attribute(out, "type", report_verdict_word(c->result.verdict));
    put_attribute(out, "message", *figures ? figures : report_verdict_text(c->result.verdict));
    putc('>', out);
    if (*writer)
        fprintf(out, "that pixel was last written by %s\n", writer);
    if (c->detail)
        put(out, c->detail);
    fprintf(out, "</%s>\n    </testcase>\n", element);
}

void report_print_junit(FILE *out, const struct report *r)
{
    unsigned failures = 0, errors = 0;
    char counts[128];
    for (uint32_t i = 0; i < r->cases.count; i++) {
        failures += report_verdict_kind(r->cases.at[i].result.verdict) == 'f';
        errors += report_verdict_kind(r->cases.at[i].result.verdict) == 'e';
    }
    snprintf(counts, sizeof counts, " tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"%.3f\"",
             r->cases.count, failures, errors, r->seconds);
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites%s>\n  <testsuite", counts);
    put_attribute(out, "name", r->subject);
    fprintf(out, "%s", counts);
    put_attribute(out, "timestamp", r->started);
    fputs(">\n", out);
    for (uint32_t i = 0; i < r->cases.count; i++)
        put_case(out, &r->cases.at[i]);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
