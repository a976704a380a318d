/* Shards of one run become its report. */
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"

static int fail(const char *command, const char *path, const char *what)
{
    return tool_error(command, TOOL_BAD_FILE, "%s: %s", path, what);
}

/* All shards, each once, of the same pictures. */
static int check(const char *command, const struct report *shards, char *const *paths, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct report *s = &shards[i], *first = &shards[0];
        if (!s->shards)
            return fail(command, paths[i], "a whole report, not that of a shard");
        if (s->shards != first->shards || s->total != first->total ||
            strcmp(s->subject, first->subject) != 0 || strcmp(s->filter, first->filter) != 0 ||
            strcmp(s->version, first->version) != 0)
            return fail(command, paths[i], "of another run than the first");
        if (!s->shard || s->shard > s->shards)
            return fail(command, paths[i], "\"shard\" is missing, or is no such thing");
        for (uint32_t k = 0; k < i; k++)
            if (shards[k].shard == s->shard)
                return tool_error(command, TOOL_BAD_FILE, "%s and %s are both shard %u", paths[k], paths[i],
                                  s->shard);
    }
    if (count != shards[0].shards)
        return tool_error(command, TOOL_BAD_FILE, "%u shards of %u: some are missing", count,
                          shards[0].shards);
    return TOOL_OK;
}

/* The numbers of all are 0 to total - 1. */
static int check_cases(const char *command, const struct report *r)
{
    for (uint32_t i = 0; i < r->cases.count; i++)
        if (r->cases.at[i].number != i)
            return tool_error(command, TOOL_BAD_FILE, "the shards have picture %u %s", i,
                              r->cases.at[i].number > i ? "nowhere" : "twice");
    if (r->cases.count != r->total)
        return tool_error(command, TOOL_BAD_FILE, "the shards have %u pictures of %u", r->cases.count,
                          r->total);
    return TOOL_OK;
}

int report_merge(const char *command, struct report *shards, char *const *paths, uint32_t count,
                 struct report *out)
{
    int code = check(command, shards, paths, count);
    uint64_t cases = 0;
    *out = (struct report){0};
    if (code)
        return code;
    for (uint32_t i = 0; i < count; i++)
        cases += shards[i].cases.count;
    out->cases.at = cases <= UINT32_MAX ? malloc((cases + 1) * sizeof *out->cases.at) : NULL;
    out->subject = strdup(shards[0].subject);
    out->filter = strdup(shards[0].filter);
    out->label = strdup(shards[0].label);
    if (!out->cases.at || !out->subject || !out->filter || !out->label) {
        report_finish(out);
        return tool_error(command, TOOL_HOST, "out of memory");
    }
    memcpy(out->version, shards[0].version, sizeof out->version);
    memcpy(out->started, shards[0].started, sizeof out->started);
    out->total = shards[0].total;
    out->cases.room = (uint32_t)cases;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(shards[i].started, out->started) < 0)
            memcpy(out->started, shards[i].started, sizeof out->started);
        out->seconds += shards[i].seconds;
        if (shards[i].cases.count)
            memcpy(out->cases.at + out->cases.count, shards[i].cases.at,
                   shards[i].cases.count * sizeof *out->cases.at);
        out->cases.count += shards[i].cases.count;
        shards[i].cases.count = 0; /* they are the whole's now */
    }
    report_sort(out);
    code = check_cases(command, out);
    if (code)
        report_finish(out);
    return code;
}
