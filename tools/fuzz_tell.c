/* What `vitrail fuzz` says: totals as text and JSON. */
#include <string.h>

#include "tools/fuzz.h"
#include "tools/json.h"

void fuzz_again_command(const struct fuzz_campaign *c, const struct fuzz_finding *f, char *text, size_t size)
{
    const struct fuzz_options *o = c->options;
    char path[4096];
    fuzz_folder_finding(c, f, fuzz_file_end(o), path);
    if (o->capture)
        snprintf(text, size, "vitrail fuzz --again %s", path);
    else
        snprintf(text, size, "vitrail fuzz --isa %s%s%s%s --again %s", o->set,
                 o->against ? " --against '" : "", o->against ? o->against : "", o->against ? "'" : "", path);
}

const char *fuzz_part_noun(const struct fuzz_campaign *c)
{
    return c->options->capture ? "parts" : "words";
}

/* ---- JSON ---- */

static void put_findings(const struct fuzz_campaign *c, struct json *j)
{
    char text[8192];
    json_open_array(j, "findings");
    for (uint32_t n = 0; n < c->findings.count; n++) {
        const struct fuzz_finding *f = &c->findings.at[n];
        json_open_object(j, NULL);
        json_string(j, "name", f->name);
        json_string(j, "cause", f->cause);
        json_string(j, "text", f->text);
        if (*f->explained)
            json_string(j, "explained", f->explained);
        json_uint(j, "count", f->count);
        json_boolean(j, "reduced", f->reduced);
        json_uint(j, "parts_found", f->parts_before);
        json_uint(j, "parts", f->parts);
        fuzz_again_command(c, f, text, sizeof text);
        json_string(j, "again", text);
        json_end(j);
    }
    json_end(j);
}

static void put_faults(const struct fuzz_campaign *c, struct json *j)
{
    json_open_array(j, "faults");
    for (uint32_t n = 0; n < c->fault_count; n++) {
        json_hold_object(j, NULL);
        json_string(j, "name", c->faults[n].name);
        json_uint(j, "count", c->faults[n].count);
        json_end(j);
    }
    json_end(j);
}

void fuzz_put_json(const struct fuzz_campaign *c, FILE *out)
{
    struct json j;
    json_begin(&j, out);
    json_open_object(&j, NULL);
    json_string(&j, "format", FUZZ_FORMAT);
    json_uint(&j, "format_version", FUZZ_FORMAT_NOW);
    json_string(&j, "version", VITRAIL_VERSION);
    json_string(&j, "subject", c->subject);
    json_uint(&j, "seed", c->options->seed);
    if (c->options->shards) {
        json_uint(&j, "shard", c->options->shard);
        json_uint(&j, "shards", c->options->shards);
    }
    json_uint(&j, "cases", c->counts.cases);
    json_uint(&j, "refused", c->counts.refused);
    json_uint(&j, "runs", c->counts.runs);
    json_uint(&j, "faulted", c->counts.faulted);
    json_double(&j, "process_seconds", c->seconds);
    json_uint(&j, "next", c->next);
    json_uint(&j, "features", c->features.count);
    json_uint(&j, "corpus", c->corpus.count);
    put_findings(c, &j);
    put_faults(c, &j);
    json_end(&j);
}

/* ---- text ---- */

static void print_finding(const struct fuzz_campaign *c, const struct fuzz_finding *f)
{
    char text[8192];
    printf("\n%s, %llu times", f->name, (unsigned long long)f->count);
    if (f->reduced)
        printf(", made smaller: %u of %u %s", f->parts, f->parts_before, fuzz_part_noun(c));
    printf("\n    %.*s\n", (int)strcspn(f->text, "\n"), f->text);
    if (*f->explained)
        printf("    %s\n", f->explained);
    fuzz_again_command(c, f, text, sizeof text);
    printf("    again: %s\n    more:  %s\n", text, fuzz_folder_finding(c, f, "txt", (char[4096]){0}));
}

const char *fuzz_run_noun(const struct fuzz_campaign *c)
{
    return c->options->capture ? "pictures" : "lanes";
}

void fuzz_tell(const struct fuzz_campaign *c, const struct fuzz_counts *before, double seconds)
{
    const struct fuzz_counts *n = &c->counts;
    const uint64_t now = n->cases - before->cases;
    printf("%s: %llu cases in %.0f s, %.1f a second (in all %llu); %llu refused\n", c->subject,
           (unsigned long long)now, seconds, (double)now / (seconds + 1e-6), (unsigned long long)n->cases,
           (unsigned long long)(n->refused - before->refused));
    printf("%llu %s, %llu %s a guest fault; %u features, %u cases in the corpus, %u "
           "findings\n",
           (unsigned long long)(n->runs - before->runs), fuzz_run_noun(c),
           (unsigned long long)(n->faulted - before->faulted),
           c->options->capture ? "plays with" : "of them ended by", c->features.count, c->corpus.count,
           c->findings.count);
    if (c->fault_count)
        printf("\nguest faults, of %u kinds:\n", c->fault_count);
    for (uint32_t k = 0; k < c->fault_count; k++)
        printf("%10llu  %s\n", (unsigned long long)c->faults[k].count, c->faults[k].name);
    for (uint32_t k = 0; k < c->findings.count; k++)
        print_finding(c, &c->findings.at[k]);
}
