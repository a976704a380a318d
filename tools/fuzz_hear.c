/* What the processes of `vitrail fuzz` tell, as it arrives. One may have been taken over by its capture: what is no message ends the
 * hearing, sizes are checked, names and texts are cleaned, and what a case means is looked at nowhere here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/fuzz.h"
#include "util/bits.h"
#include "util/list.h"

/* The first few of a cause are kept, each under a name of its own; the others are counted with the first. */
int fuzz_hear_finding(struct fuzz_campaign *c, const char *cause, const char *text,
                      const struct fuzz_case *one)
{
    struct fuzz_finding fresh = {.count = 1}, *first = NULL;
    uint32_t variants = 0;
    for (uint32_t n = 0; n < c->findings.count; n++)
        if (!strcmp(c->findings.at[n].cause, cause)) {
            first = first ? first : &c->findings.at[n];
            variants++;
        }
    if (variants == FUZZ_VARIANTS || c->findings.count >= FUZZ_FINDINGS_MAX) {
        if (first)
            first->count++;
        return 0;
    }
    snprintf(fresh.cause, sizeof fresh.cause, "%s", cause);
    if (variants)
        snprintf(fresh.name, sizeof fresh.name, "%.*s-%u", FUZZ_NAME_MAX - 12, cause, variants + 1);
    else
        snprintf(fresh.name, sizeof fresh.name, "%s", cause);
    snprintf(fresh.text, sizeof fresh.text, "%s", text);
    fresh.found = malloc(sizeof *one);
    if (!fresh.found || !UTIL_LIST_ADD(c->findings, fresh)) {
        free(fresh.found);
        return tool_error("fuzz", TOOL_HOST, "out of memory");
    }
    *fresh.found = *one;
    fuzz_folder_keep_finding(c, &fresh);
    return 0;
}

static void add_notable(struct fuzz_campaign *c, const struct fuzz_case *one, const uint8_t *features,
                        uint32_t count)
{
    bool new = false;
    for (uint32_t n = 0; n < count; n++)
        new |= fuzz_features_add(&c->features, util_load64(features + 8 * (size_t)n));
    if (!new || c->corpus.count == FUZZ_CORPUS_MAX)
        return;
    struct fuzz_case *copy = malloc(offsetof(struct fuzz_case, bytes) + one->size);
    if (!copy)
        return;
    memcpy(copy, one, offsetof(struct fuzz_case, bytes) + one->size);
    if (UTIL_LIST_ADD(c->corpus, copy))
        fuzz_folder_keep_case(c, copy);
    else
        free(copy);
}

/* Names become files': nothing but what fuzz_name makes of them. */
static void clean_name(const char *from, char to[FUZZ_NAME_MAX])
{
    char text[FUZZ_NAME_MAX];
    snprintf(text, sizeof text, "%.*s", FUZZ_NAME_MAX - 1, from);
    for (char *at = text; *at; at++)
        if (!((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || *at == '-'))
            *at = '-';
    snprintf(to, FUZZ_NAME_MAX, "%s", *text && *text != '-' ? text : "finding");
}

void fuzz_hear_clean(char *text)
{
    for (char *at = text; *at; at++)
        if (((unsigned char)*at < 32 && *at != '\n') || (unsigned char)*at > 126)
            *at = '?';
}

static void clean_text(char text[FUZZ_TEXT_MAX])
{
    text[FUZZ_TEXT_MAX - 1] = 0;
    fuzz_hear_clean(text);
    for (size_t length = strlen(text); length && text[length - 1] == '\n';)
        text[--length] = 0;
}

/* 0, or the exit status that ends the work. */
static int take_message(struct fuzz_campaign *c, const struct fuzz_message *m, const uint8_t *rest)
{
    static struct fuzz_case one;
    char name[FUZZ_NAME_MAX], text[FUZZ_TEXT_MAX];
    memcpy(text, m->text, sizeof text);
    clean_name(m->name, name);
    clean_text(text);
    one.size = m->case_bytes;
    memcpy(one.bytes, rest, m->case_bytes);
    if (m->kind == FUZZ_FOUND)
        return fuzz_hear_finding(c, name, text, &one);
    if (m->kind == FUZZ_NOTABLE) {
        add_notable(c, &one, rest + m->case_bytes, m->features);
        return 0;
    }
    if (*text)
        tool_error("fuzz", 0, "%s", text);
    return m->status == TOOL_BAD_FILE ? TOOL_BAD_FILE : TOOL_HOST;
}

bool fuzz_hear(struct fuzz_campaign *c, struct fuzz_heard *h, int pipe)
{
    const ssize_t n = read(pipe, h->bytes + h->used, FUZZ_MESSAGE_MAX - h->used);
    if (n <= 0)
        return n < 0 && (errno == EINTR || errno == EAGAIN);
    h->used += (size_t)n;
    for (;;) {
        struct fuzz_message m;
        if (h->used < sizeof m)
            return true;
        memcpy(&m, h->bytes, sizeof m);
        if (m.kind >= FUZZ_MESSAGES || m.case_bytes > FUZZ_CASE_BYTES || m.features > FUZZ_FEATURES_MAX)
            return false;
        const size_t whole = sizeof m + m.case_bytes + (size_t)m.features * 8;
        if (h->used < whole)
            return true;
        const int failed = take_message(c, &m, h->bytes + sizeof m);
        h->failed = h->failed ? h->failed : failed;
        memmove(h->bytes, h->bytes + whole, h->used - whole);
        h->used -= whole;
    }
}
