#include "tools/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/manifest.h"
#include "util/bits.h"

static const struct {
    const char *word, *text;
    int status;
    char kind;
} verdicts[] = {
#define VERDICT(id, word, status, kind, text) {word, text, status, kind},
    REPORT_VERDICTS(VERDICT)
#undef VERDICT
};

const char *report_verdict_word(enum report_verdict verdict)
{
    return verdicts[verdict].word;
}

const char *report_verdict_text(enum report_verdict verdict)
{
    return verdicts[verdict].text;
}

char report_verdict_kind(enum report_verdict verdict)
{
    return verdicts[verdict].kind;
}

char *report_clean(const char *text, size_t length, bool lines)
{
    char *copy = strndup(text, length), *shown = NULL;
    for (char *c = copy; c && *c; c++)
        if ((uint8_t)*c < 0x20 || *c == 0x7f)
            *c = lines && (*c == '\n' || *c == '\t') ? *c : '?';
    /* What may stay is left out of the question whether all is UTF-8. */
    shown = copy && lines ? strdup(copy) : NULL;
    for (char *c = shown; c && *c; c++)
        *c = (uint8_t)*c < 0x20 ? ' ' : *c;
    const bool clean = copy && manifest_is_text(shown ? shown : copy);
    free(shown);
    for (char *c = copy; !clean && c && *c; c++)
        *c = (uint8_t)*c < 0x80 ? *c : '?';
    return copy;
}

void report_case_finish(struct report_case *c)
{
    free(c->capture);
    free(c->path);
    free(c->picture);
    free(c->options);
    free(c->reason);
    free(c->detail);
    free(c->explained);
    free(c->expected.bytes);
    free(c->drawn.bytes);
    *c = (struct report_case){0};
}

void report_finish(struct report *r)
{
    for (uint32_t i = 0; i < r->cases.count; i++)
        report_case_finish(&r->cases.at[i]);
    free(r->cases.at);
    free(r->subject);
    free(r->filter);
    free(r->label);
    *r = (struct report){0};
}

static int by_number(const void *a, const void *b)
{
    const struct report_case *first = a, *second = b;
    return (first->number > second->number) - (first->number < second->number);
}

void report_sort(struct report *r)
{
    if (r->cases.count)
        qsort(r->cases.at, r->cases.count, sizeof *r->cases.at, by_number);
}

uint32_t report_count(const struct report *r, enum report_verdict verdict)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->cases.count; i++)
        n += r->cases.at[i].result.verdict == verdict;
    return n;
}

int report_status(const struct report *r)
{
    static const int order[] = {TOOL_HOST, TOOL_BAD_FILE, TOOL_DIFFERS, TOOL_FAULT};
    bool met[TOOL_UNUSED + 1] = {false};
    for (uint32_t i = 0; i < r->cases.count; i++)
        met[verdicts[r->cases.at[i].result.verdict].status] = true;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(order); i++)
        if (met[order[i]])
            return order[i];
    return TOOL_OK;
}

void report_figures(const struct report_case *c, char text[REPORT_FIGURES_MAX])
{
    *text = 0;
    if (!c->result.differing)
        return;
    snprintf(text, REPORT_FIGURES_MAX,
             "%" PRIu64 " of %" PRIu64 " pixels differ, %" PRIu64
             " by more than %u; most: %u at (%u, %u), expected %u,%u,%u, got %u,%u,%u",
             c->result.differing, (uint64_t)c->result.width * c->result.height, c->result.beyond,
             c->tolerance, c->result.most, c->result.x, c->result.y, c->result.want[0], c->result.want[1],
             c->result.want[2], c->result.got[0], c->result.got[1], c->result.got[2]);
}

/* ---- text ---- */

static void print_case(FILE *out, const struct report_case *c, int width)
{
    char text[REPORT_FIGURES_MAX], writer[REPORT_WRITER_MAX], frame[16] = "last";
    if (c->frame)
        snprintf(frame, sizeof frame, "%u", c->frame);
    fprintf(out, "%-8s  %-*s  %5s  %s%s%s\n", report_verdict_word(c->result.verdict), width, c->picture,
            frame, c->capture, *c->options ? " " : "", c->options);
    report_figures(c, text);
    if (*text)
        fprintf(out, "%-8s  %s\n", "", text);
    report_writer_text(&c->writer, c->result.shown, writer);
    if (*writer)
        fprintf(out, "%-8s  that pixel was last written by %s\n", "", writer);
    if (c->detail)
        fprintf(out, "%-8s  %s\n", "", c->detail);
}

static void print_sum(FILE *out, const struct report *r)
{
    fprintf(out, "%u picture%s", r->cases.count, r->cases.count == 1 ? "" : "s");
    if (r->shards)
        fprintf(out, " (shard %u of %u, %u in all)", r->shard, r->shards, r->total);
    for (unsigned v = 0; v < REPORT_VERDICT_COUNT; v++) {
        uint32_t n = report_count(r, v);
        if (n || v == REPORT_SAME)
            fprintf(out, "%s %u %s", v == REPORT_SAME ? ":" : ",", n, report_verdict_word(v));
    }
    putc('\n', out);
}

void report_print(FILE *out, const struct report *r, bool all)
{
    int width = 7;
    for (uint32_t i = 0; i < r->cases.count; i++) {
        const struct report_case *c = &r->cases.at[i];
        const int length = (int)strlen(c->picture);
        if ((all || report_verdict_kind(c->result.verdict) != 'p') && length > width)
            width = length > 48 ? 48 : length;
    }
    bool headed = false;
    for (uint32_t i = 0; i < r->cases.count; i++) {
        const struct report_case *c = &r->cases.at[i];
        if (!all && report_verdict_kind(c->result.verdict) == 'p')
            continue;
        if (!headed)
            fprintf(out, "%-8s  %-*s  %5s  %s\n", "verdict", width, "picture", "frame", "capture");
        headed = true;
        print_case(out, c, width);
    }
    print_sum(out, r);
}
