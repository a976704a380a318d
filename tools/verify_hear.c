#include "tools/verify_hear.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (64u << 10)

int verify_hear_begin(struct verify_heard *h, const struct manifest *manifest,
                      const struct manifest_unit *unit, struct report *report, const uint32_t *case_at)
{
    *h = (struct verify_heard){.manifest = manifest, .unit = unit, .report = report, .case_at = case_at};
    h->told = calloc(unit->count, sizeof *h->told);
    return h->told ? 0 : -ENOMEM;
}

void verify_hear_end(struct verify_heard *h)
{
    free(h->told);
    free(h->bytes);
    h->told = NULL;
    h->bytes = NULL;
}

static struct report_case *case_of(const struct verify_heard *h, uint32_t index)
{
    return &h->report->cases.at[h->case_at[h->manifest->order[h->unit->first + index]]];
}

/* ---- messages ---- */

static bool take_result(struct report_case *c, const void *bytes, size_t size)
{
    struct report_result r;
    if (size != sizeof r)
        return false;
    memcpy(&r, bytes, sizeof r);
    if ((unsigned)r.verdict >= REPORT_VERDICT_COUNT || r.most > 255 || !isfinite(r.mean))
        return false;
    c->result = r;
    return true;
}

static bool take_writer(struct report_case *c, const void *bytes, size_t size)
{
    struct report_writer w;
    if (size != sizeof w)
        return false;
    memcpy(&w, bytes, sizeof w);
    if ((unsigned)w.kind > REPORT_DRAW)
        return false;
    char *what = report_clean(w.what, sizeof w.what - 1, false);
    if (!what)
        return false;
    c->writer = w;
    snprintf(c->writer.what, sizeof c->writer.what, "%s", what);
    free(what);
    return true;
}

static bool take_text(char **out, const void *bytes, size_t size, bool lines)
{
    free(*out);
    *out = size <= VERIFY_TEXT_MAX ? report_clean(bytes, size, lines) : NULL;
    return *out != NULL;
}

static bool take_png(struct report *r, struct report_png *out, const void *bytes, size_t size)
{
    static const uint8_t magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    if (size > r->picture_room) {
        r->left_out++;
        return true;
    }
    uint8_t *copy = size >= sizeof magic && !memcmp(bytes, magic, sizeof magic) ? malloc(size) : NULL;
    if (!copy)
        return false;
    r->picture_room -= size;
    free(out->bytes);
    memcpy(copy, bytes, size);
    *out = (struct report_png){copy, size};
    return true;
}

static void take_gpu(const struct verify_heard *h, const void *bytes, size_t size)
{
    char *name = report_clean(bytes, size, false);
    for (uint32_t i = 0; name && i < h->unit->count; i++)
        snprintf(case_of(h, i)->gpu, sizeof case_of(h, i)->gpu, "%s", name);
    free(name);
}

static bool take(struct verify_heard *h, const struct verify_head *head, const void *bytes)
{
    struct report_case *c = case_of(h, head->index);
    switch (head->kind) {
    case VERIFY_GPU: take_gpu(h, bytes, head->size); return head->size < sizeof c->gpu;
    case VERIFY_RESULT: h->told[head->index] = true; return take_result(c, bytes, head->size);
    case VERIFY_DETAIL: return take_text(&c->detail, bytes, head->size, false);
    case VERIFY_EXPECTED: return take_png(h->report, &c->expected, bytes, head->size);
    case VERIFY_DRAWN: return take_png(h->report, &c->drawn, bytes, head->size);
    case VERIFY_WRITER: return take_writer(c, bytes, head->size);
    case VERIFY_EXPLAINED: return take_text(&c->explained, bytes, head->size, true);
    case VERIFY_END: h->ended = true; return false;
    default: return false;
    }
}

/* ---- the stream ---- */

static bool make_room(struct verify_heard *h)
{
    if (h->room - h->used >= CHUNK)
        return true;
    size_t more = h->room * 2 + CHUNK;
    uint8_t *bigger = realloc(h->bytes, more);
    if (!bigger)
        return false;
    h->bytes = bigger;
    h->room = more;
    return true;
}

/* All messages that are whole. */
static bool take_messages(struct verify_heard *h)
{
    size_t at = 0;
    bool more = true;
    while (more && h->used - at >= sizeof(struct verify_head)) {
        struct verify_head head;
        memcpy(&head, h->bytes + at, sizeof head);
        if (head.index >= h->unit->count || head.size > VERIFY_PNG_MAX)
            return false;
        if (h->used - at - sizeof head < head.size)
            break;
        more = take(h, &head, h->bytes + at + sizeof head);
        at += sizeof head + head.size;
    }
    memmove(h->bytes, h->bytes + at, h->used - at);
    h->used -= at;
    return more;
}

bool verify_hear(struct verify_heard *h, int pipe)
{
    if (!make_room(h))
        return false;
    ssize_t n = read(pipe, h->bytes + h->used, CHUNK);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    h->used += (size_t)n;
    return n && take_messages(h);
}

void verify_hear_lost(struct verify_heard *h, enum report_verdict verdict, const char *detail)
{
    bool any = false, passed = true;
    for (uint32_t i = 0; i < h->unit->count; i++) {
        any |= !h->told[i];
        passed &= report_verdict_kind(case_of(h, i)->result.verdict) == 'p';
    }
    /* Where each has a result and one failed, what failed says enough; else it would pass for well. */
    if (!any && passed)
        h->told[h->unit->count - 1] = false;
    for (uint32_t i = 0; i < h->unit->count; i++) {
        struct report_case *c = case_of(h, i);
        if (h->told[i])
            continue;
        c->result.verdict = verdict;
        free(c->detail);
        c->detail = report_clean(detail, strlen(detail), false);
    }
}

void verify_hear_seconds(struct verify_heard *h, double seconds)
{
    for (uint32_t i = 0; i < h->unit->count; i++)
        case_of(h, i)->seconds = seconds;
    h->report->seconds += seconds;
}
