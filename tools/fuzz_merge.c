/* Totals of the shards of one campaign of `vitrail fuzz` become a report: cases, faults and rates are added, findings put
 * side by side. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fuzz.h"
#include "tools/json.h"
#include "tools/json_source.h"
#include "tools/report.h"
#include "util/list.h"

struct shard {
    struct json_source source;
    const char *path, *version, *subject; /* the source's */
    uint64_t seed, number, count;
};

struct sum {
    const char *name;
    uint64_t count, found; /* found: by how many shards */
};

struct sums {
    struct sum *at;
    uint32_t count, room;
};

struct whole {
    struct shard *shards;
    uint32_t count;
    uint64_t cases, refused, runs, faulted, corpus;
    uint64_t features_least, features_most;
    double seconds;
    struct sums faults, causes;
    uint32_t findings;
};

static int read_shard(const char *path, struct shard *s)
{
    s->path = path;
    int code = json_source_load("merge", path, &s->source);
    if (code) {
        s->source.at = NULL;
        return code;
    }
    code = json_source_is("merge", path, &s->source, FUZZ_FORMAT, FUZZ_FORMAT_NOW);
    if (code)
        return code;
    s->version = json_source_text(&s->source, "version", true, false);
    s->subject = json_source_text(&s->source, "subject", true, false);
    s->seed = json_source_number(&s->source, "seed", UINT64_MAX, true);
    s->number = json_source_number(&s->source, "shard", UINT32_MAX, false);
    s->count = json_source_number(&s->source, "shards", UINT32_MAX, false);
    return json_source_status("merge", path, &s->source);
}

static int by_number(const void *a, const void *b)
{
    const struct shard *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* All shards, each once, of one campaign; in their order from then on. */
static int check(struct whole *w)
{
    qsort(w->shards, w->count, sizeof *w->shards, by_number);
    for (uint32_t i = 0; i < w->count; i++) {
        const struct shard *s = &w->shards[i], *first = &w->shards[0];
        if (!s->count || !s->number || s->number > s->count)
            return tool_error("merge", TOOL_BAD_FILE,
                              "%s: the totals of a whole campaign, not those of a shard", s->path);
        if (s->count != first->count || s->seed != first->seed || strcmp(s->subject, first->subject) != 0 ||
            strcmp(s->version, first->version) != 0)
            return tool_error("merge", TOOL_BAD_FILE, "%s: of another campaign than %s", s->path,
                              first->path);
        if (i && s->number == s[-1].number)
            return tool_error("merge", TOOL_BAD_FILE, "%s and %s are both shard %llu", s[-1].path, s->path,
                              (unsigned long long)s->number);
    }
    if (w->count != w->shards[0].count)
        return tool_error("merge", TOOL_BAD_FILE, "%u shards of %llu: some are missing", w->count,
                          (unsigned long long)w->shards[0].count);
    return TOOL_OK;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static bool add_named(struct sums *sums, const char *name, uint64_t count)
{
    for (uint32_t i = 0; i < sums->count; i++)
        if (!strcmp(sums->at[i].name, name)) {
            sums->at[i].count = add(sums->at[i].count, count);
            sums->at[i].found++;
            return true;
        }
    return UTIL_LIST_ADD(*sums, ((struct sum){name, count, 1}));
}

static int most_first(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->name, y->name);
}

/* The n-th member of an array that has at most so many; the source is wrong when it has more. */
static bool next(struct json_source *s, const char *key, size_t n, size_t most, struct json_source *out)
{
    struct json_object *list = json_source_find(s, key, json_type_array, true);
    const size_t length = list ? json_object_array_length(list) : 0;
    *out = (struct json_source){.at = n < length ? json_object_array_get_idx(list, n) : NULL};
    if (length > most || (n < length && !json_object_is_type(out->at, json_type_object))) {
        s->wrong = s->wrong ? s->wrong : key;
        return false;
    }
    return n < length;
}

static bool add_shard(struct whole *w, struct shard *shard)
{
    struct json_source *s = &shard->source, one;
    w->cases = add(w->cases, json_source_number(s, "cases", UINT64_MAX, true));
    w->refused = add(w->refused, json_source_number(s, "refused", UINT64_MAX, true));
    w->runs = add(w->runs, json_source_number(s, "runs", UINT64_MAX, true));
    w->faulted = add(w->faulted, json_source_number(s, "faulted", UINT64_MAX, true));
    w->corpus = add(w->corpus, json_source_number(s, "corpus", UINT32_MAX, true));
    const uint64_t features = json_source_number(s, "features", UINT32_MAX, true);
    w->features_least = features > w->features_least ? features : w->features_least;
    w->features_most = add(w->features_most, features);
    w->seconds += json_source_double(s, "process_seconds");
    bool good = true;
    for (size_t n = 0; next(s, "faults", n, FUZZ_FAULT_KINDS, &one); n++) {
        const char *name = json_source_text(&one, "name", true, false);
        good &= !name || add_named(&w->faults, name, json_source_number(&one, "count", UINT64_MAX, true));
        s->wrong = s->wrong ? s->wrong : one.wrong;
    }
    for (size_t n = 0; next(s, "findings", n, FUZZ_FINDINGS_MAX, &one); n++, w->findings++) {
        const char *cause = json_source_text(&one, "cause", true, false);
        json_source_text(&one, "name", true, false);
        json_source_text(&one, "text", true, true);
        json_source_text(&one, "explained", false, false);
        json_source_text(&one, "again", true, false);
        good &= !cause || add_named(&w->causes, cause, json_source_number(&one, "count", UINT64_MAX, true));
        s->wrong = s->wrong ? s->wrong : one.wrong;
    }
    return good;
}

static double rate(const struct whole *w)
{
    return w->seconds > 0 ? (double)w->cases / w->seconds : 0;
}

/* Calls with each finding of each shard, in order. */
static void each_finding(const struct whole *w,
                         void (*call)(void *data, const struct shard *, struct json_source *), void *data)
{
    struct json_source one;
    for (uint32_t i = 0; i < w->count; i++)
        for (size_t n = 0; next(&w->shards[i].source, "findings", n, FUZZ_FINDINGS_MAX, &one); n++)
            call(data, &w->shards[i], &one);
}

/* ---- JSON ---- */

static void put_sums(struct json *j, const char *key, const struct sums *sums, bool shards)
{
    json_open_array(j, key);
    for (uint32_t i = 0; i < sums->count; i++) {
        json_hold_object(j, NULL);
        json_string(j, "name", sums->at[i].name);
        json_uint(j, "count", sums->at[i].count);
        if (shards)
            json_uint(j, "findings", sums->at[i].found);
        json_end(j);
    }
    json_end(j);
}

static void put_finding(void *data, const struct shard *s, struct json_source *one)
{
    struct json *j = data;
    json_open_object(j, NULL);
    json_uint(j, "shard", s->number);
    json_string(j, "name", json_source_text(one, "name", true, false));
    json_string(j, "cause", json_source_text(one, "cause", true, false));
    json_string(j, "text", json_source_text(one, "text", true, true));
    const char *explained = json_source_text(one, "explained", false, false);
    if (explained)
        json_string(j, "explained", explained);
    json_uint(j, "count", json_source_number(one, "count", UINT64_MAX, true));
    json_string(j, "again", json_source_text(one, "again", true, false));
    json_end(j);
}

static int put_json(const struct whole *w, FILE *out)
{
    struct json j;
    json_begin(&j, out);
    json_open_object(&j, NULL);
    json_string(&j, "format", FUZZ_FORMAT);
    json_uint(&j, "format_version", FUZZ_FORMAT_NOW);
    json_string(&j, "version", w->shards[0].version);
    json_string(&j, "subject", w->shards[0].subject);
    json_uint(&j, "seed", w->shards[0].seed);
    json_uint(&j, "shards", w->count);
    json_uint(&j, "cases", w->cases);
    json_uint(&j, "refused", w->refused);
    json_uint(&j, "runs", w->runs);
    json_uint(&j, "faulted", w->faulted);
    json_double(&j, "process_seconds", w->seconds);
    json_double(&j, "cases_a_second", rate(w));
    json_uint(&j, "features_least", w->features_least);
    json_uint(&j, "features_most", w->features_most);
    json_uint(&j, "corpus", w->corpus);
    put_sums(&j, "causes", &w->causes, true);
    json_open_array(&j, "findings");
    each_finding(w, put_finding, &j);
    json_end(&j);
    put_sums(&j, "faults", &w->faults, false);
    return json_end(&j);
}

static int write_json(const struct whole *w, const char *path)
{
    FILE *out = strcmp(path, "-") ? util_fopen(path, "w") : stdout;
    if (!out)
        return tool_error("merge", TOOL_HOST, "%s: %s", path, strerror(errno));
    const int err = put_json(w, out);
    const int code = out == stdout ? TOOL_OK : tool_close_output("merge", path, out);
    return err ? tool_error("merge", TOOL_HOST, "%s: %s", path, strerror(-err)) : code;
}

/* ---- text ---- */

static void print_finding(void *data, const struct shard *s, struct json_source *one)
{
    const char *text = json_source_text(one, "text", true, true),
               *explained = json_source_text(one, "explained", false, false);
    printf("\n%s, %llu times, of shard %llu\n    %.*s\n", json_source_text(one, "name", true, false),
           (unsigned long long)json_source_number(one, "count", UINT64_MAX, true),
           (unsigned long long)s->number, (int)strcspn(text, "\n"), text);
    if (explained)
        printf("    %s\n", explained);
    printf("    again: %s\n", json_source_text(one, "again", true, false));
}

static void print(const struct whole *w)
{
    printf("%s: %llu cases of %u shards in %.0f s of processes, %.1f a second; %llu refused\n",
           w->shards[0].subject, (unsigned long long)w->cases, w->count, w->seconds, rate(w),
           (unsigned long long)w->refused);
    printf("%llu runs, %llu with a guest fault; %llu to %llu features, %llu cases in corpora, %u findings of "
           "%u causes\n",
           (unsigned long long)w->runs, (unsigned long long)w->faulted, (unsigned long long)w->features_least,
           (unsigned long long)w->features_most, (unsigned long long)w->corpus, w->findings, w->causes.count);
    if (w->faults.count)
        printf("\nguest faults, of %u kinds:\n", w->faults.count);
    for (uint32_t i = 0; i < w->faults.count; i++)
        printf("%10llu  %s\n", (unsigned long long)w->faults.at[i].count, w->faults.at[i].name);
    each_finding(w, print_finding, NULL);
}

/* ---- all of it ---- */

static int sum_up(struct whole *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        if (!add_shard(w, &w->shards[i]))
            return tool_error("merge", TOOL_HOST, "out of memory");
        const int code = json_source_status("merge", w->shards[i].path, &w->shards[i].source);
        if (code)
            return code;
    }
    if (w->faults.count)
        qsort(w->faults.at, w->faults.count, sizeof *w->faults.at, most_first);
    if (w->causes.count)
        qsort(w->causes.at, w->causes.count, sizeof *w->causes.at, most_first);
    return TOOL_OK;
}

int fuzz_merge(char *const *paths, uint32_t count, const char *json)
{
    struct whole w = {.shards = calloc(count, sizeof *w.shards), .count = count};
    int code = w.shards ? TOOL_OK : tool_error("merge", TOOL_HOST, "out of memory");
    for (uint32_t i = 0; !code && i < count; i++)
        code = read_shard(paths[i], &w.shards[i]);
    if (!code)
        code = check(&w);
    if (!code)
        code = sum_up(&w);
    if (!code && json)
        code = write_json(&w, json);
    if (!code && !(json && !strcmp(json, "-")))
        print(&w);
    for (uint32_t i = 0; w.shards && i < count; i++)
        json_object_put(w.shards[i].source.at);
    free(w.shards);
    free(w.faults.at);
    free(w.causes.at);
    return code ? code : w.findings ? TOOL_DIFFERS : TOOL_OK;
}
