/* What `vitrail fuzz` keeps in its folder: totals.json, features, corpus/, findings/. A run goes on with what is there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "tools/fuzz.h"
#include "util/bits.h"
#include "util/list.h"

bool fuzz_features_add(struct fuzz_features *f, uint64_t hash)
{
    hash += !hash; /* 0 is an empty place */
    if (f->count >= f->room / 2) {
        struct fuzz_features bigger = {.room = f->room ? f->room * 2 : 4096};
        bigger.at = calloc(bigger.room, sizeof *bigger.at);
        if (!bigger.at)
            return false;
        for (uint32_t n = 0; n < f->room; n++)
            if (f->at[n])
                fuzz_features_add(&bigger, f->at[n]);
        free(f->at);
        *f = bigger;
    }
    uint32_t at = (uint32_t)hash & (f->room - 1);
    while (f->at[at] && f->at[at] != hash)
        at = (at + 1) & (f->room - 1);
    if (f->at[at])
        return false;
    f->at[at] = hash;
    f->count++;
    return true;
}

static const char *path_of(const struct fuzz_campaign *c, const char *name, char path[4096])
{
    snprintf(path, 4096, "%s/%s", c->options->folder, name);
    return path;
}

const char *fuzz_file_end(const struct fuzz_options *o)
{
    return o->capture ? "vtc" : "bin";
}

const char *fuzz_folder_finding(const struct fuzz_campaign *c, const struct fuzz_finding *f, const char *end,
                                char path[4096])
{
    snprintf(path, 4096, "%s/findings/%s.%s", c->options->folder, f->name, end);
    return path;
}

/* ---- writing ---- */

/* Whole or not at all: another name first. */
static int write_file(const char *path, const void *bytes, size_t size)
{
    char part[4200];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "wb");
    if (!file)
        return -errno;
    const bool bad = size && fwrite(bytes, 1, size, file) != size;
    int err = fclose(file) || bad ? -EIO : 0;
    if (!err && rename(part, path))
        err = -errno;
    if (err)
        unlink(part);
    return err;
}

int fuzz_folder_keep_totals(const struct fuzz_campaign *c)
{
    char path[4096], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return tool_error("fuzz", TOOL_HOST, "out of memory");
    fuzz_put_json(c, out);
    int err = fclose(out) ? -ENOMEM : write_file(path_of(c, "totals.json", path), text, size);
    free(text);
    if (!err)
        err = write_file(path_of(c, "features", path), c->features.at,
                         c->features.room * sizeof *c->features.at);
    return err ? tool_error("fuzz", TOOL_HOST, "%s: %s", path, strerror(-err)) : TOOL_OK;
}

void fuzz_folder_keep_case(const struct fuzz_campaign *c, const struct fuzz_case *one)
{
    char name[64], path[4096];
    snprintf(name, sizeof name, "corpus/%016llx.case",
             (unsigned long long)XXH3_64bits(one->bytes, one->size));
    if (write_file(path_of(c, name, path), one->bytes, one->size))
        tool_error("fuzz", 0, "%s cannot be written", path);
}

void fuzz_folder_keep_finding(const struct fuzz_campaign *c, const struct fuzz_finding *f)
{
    char path[4096];
    if (!c->options->folder)
        return; /* tried again, and kept already */
    if (write_file(fuzz_folder_finding(c, f, "case", path), f->found->bytes, f->found->size))
        tool_error("fuzz", 0, "%s cannot be written", path);
}

/* ---- reading ---- */

/* Of at most FUZZ_CASE_BYTES, as no case is larger; NULL: it cannot be read, or is none. */
static struct fuzz_case *read_case(const char *path, bool whole_room)
{
    static struct fuzz_case one;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    one.size = (uint32_t)fread(one.bytes, 1, sizeof one.bytes, file);
    const bool good = !ferror(file) && one.size;
    fclose(file);
    const size_t size = whole_room ? sizeof one : offsetof(struct fuzz_case, bytes) + one.size;
    struct fuzz_case *copy = good ? malloc(size) : NULL;
    if (copy)
        memcpy(copy, &one, size);
    return copy;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_case(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 5 && length < 200 && !strcmp(entry->d_name + length - 5, ".case");
}

static void read_corpus(struct fuzz_campaign *c)
{
    char path[4096], name[300];
    struct dirent **entries;
    const int count = scandir(path_of(c, "corpus", path), &entries, is_case, by_name);
    for (int n = 0; n < count; n++) {
        snprintf(name, sizeof name, "corpus/%s", entries[n]->d_name);
        struct fuzz_case *one =
            c->corpus.count < FUZZ_CORPUS_MAX ? read_case(path_of(c, name, path), false) : NULL;
        if (one && !UTIL_LIST_ADD(c->corpus, one))
            free(one);
        free(entries[n]);
    }
    if (count >= 0)
        free(entries);
}

static void read_features(struct fuzz_campaign *c)
{
    char path[4096];
    uint64_t hash;
    FILE *file = fopen(path_of(c, "features", path), "rb");
    while (file && fread(&hash, sizeof hash, 1, file) == 1)
        if (hash)
            fuzz_features_add(&c->features, hash);
    if (file)
        fclose(file);
}

static uint64_t number_of(struct json_object *object, const char *key)
{
    struct json_object *value;
    return json_object_object_get_ex(object, key, &value) ? json_object_get_uint64(value) : 0;
}

static void text_of(struct json_object *object, const char *key, char *to, size_t room)
{
    struct json_object *value;
    *to = 0;
    if (json_object_object_get_ex(object, key, &value) && json_object_is_type(value, json_type_string))
        snprintf(to, room, "%s", json_object_get_string(value));
}

/* Of the array's members that have names of their own; names of findings are files'. */
static void read_finding(struct fuzz_campaign *c, struct json_object *object)
{
    struct fuzz_finding f = {.count = number_of(object, "count"),
                             .parts_before = (uint32_t)number_of(object, "parts_found"),
                             .parts = (uint32_t)number_of(object, "parts")};
    struct json_object *value;
    char path[4096];
    text_of(object, "name", f.name, sizeof f.name);
    text_of(object, "cause", f.cause, sizeof f.cause);
    text_of(object, "text", f.text, sizeof f.text);
    text_of(object, "explained", f.explained, sizeof f.explained);
    f.reduced = json_object_object_get_ex(object, "reduced", &value) && json_object_get_boolean(value);
    if (!*f.name || strspn(f.name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(f.name))
        return;
    f.found = read_case(fuzz_folder_finding(c, &f, "case", path), true);
    if (f.found && !UTIL_LIST_ADD(c->findings, f))
        free(f.found);
}

static int read_totals(struct fuzz_campaign *c)
{
    char path[4096], subject[FUZZ_SUBJECT_MAX];
    struct json_object *list;
    path_of(c, "totals.json", path);
    if (access(path, F_OK))
        return TOOL_OK;
    struct json_object *all = json_object_from_file(path);
    if (!json_object_is_type(all, json_type_object)) {
        json_object_put(all);
        return tool_error("fuzz", TOOL_BAD_FILE, "%s: no totals of `vitrail fuzz`", path);
    }
    text_of(all, "subject", subject, sizeof subject);
    if (strcmp(subject, c->subject) != 0) {
        json_object_put(all);
        return tool_error("fuzz", TOOL_USAGE,
                          "%s is the folder of '%s', not of '%s'; name another with --corpus",
                          c->options->folder, subject, c->subject);
    }
    c->counts = (struct fuzz_counts){number_of(all, "cases"), number_of(all, "refused"),
                                     number_of(all, "runs"), number_of(all, "faulted")};
    c->next = number_of(all, "next");
    if (json_object_object_get_ex(all, "process_seconds", &list))
        c->seconds = json_object_get_double(list);
    if (json_object_object_get_ex(all, "findings", &list) && json_object_is_type(list, json_type_array))
        for (size_t n = 0; n < json_object_array_length(list); n++)
            read_finding(c, json_object_array_get_idx(list, n));
    if (json_object_object_get_ex(all, "faults", &list) && json_object_is_type(list, json_type_array))
        for (size_t n = 0; n < json_object_array_length(list) && c->fault_count < FUZZ_FAULT_KINDS; n++) {
            struct fuzz_kind_count *k = &c->faults[c->fault_count++];
            text_of(json_object_array_get_idx(list, n), "name", k->name, sizeof k->name);
            k->count = number_of(json_object_array_get_idx(list, n), "count");
        }
    json_object_put(all);
    return TOOL_OK;
}

int fuzz_folder_open(struct fuzz_campaign *c)
{
    static const char *const folders[] = {"", "corpus", "findings"};
    char path[4096];
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(folders); n++)
        if (mkdir(path_of(c, folders[n], path), 0777) && errno != EEXIST)
            return tool_error("fuzz", TOOL_HOST, "%s: %s", path, strerror(errno));
    c->lock = open(path_of(c, "lock", path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (c->lock < 0)
        return tool_error("fuzz", TOOL_HOST, "%s: %s", path, strerror(errno));
    if (flock(c->lock, LOCK_EX | LOCK_NB))
        return tool_error("fuzz", TOOL_USAGE, "another `vitrail fuzz` works in %s", c->options->folder);
    const int code = read_totals(c);
    if (!code) {
        read_corpus(c);
        read_features(c);
    }
    return code;
}

void fuzz_campaign_finish(struct fuzz_campaign *c)
{
    for (uint32_t n = 0; n < c->corpus.count; n++)
        free(c->corpus.at[n]);
    for (uint32_t n = 0; n < c->findings.count; n++)
        free(c->findings.at[n].found);
    free(c->corpus.at);
    free(c->findings.at);
    free(c->features.at);
    if (c->lock >= 0)
        close(c->lock);
}
