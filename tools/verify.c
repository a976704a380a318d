#include "tools/verify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct manifest_settings settings;
    struct verify_work work;
    struct report_outputs outputs;
    uint64_t shard, shards;
    bool no_explain;
};

#define AT(member) offsetof(struct verify_work, member)

const struct tool_option verify_work_rows[] = {
    {"filter", "PATTERN", "only captures and pictures that have it in their name, or match it (*, ?, [...])",
     .kind = TOOL_FILE, .at = AT(filter)},
    {"jobs", "N", "captures that are played side by side, each in a process of its own (default: processors)",
     .kind = TOOL_NUMBER, .at = AT(jobs), .min = 1, .max = VERIFY_JOBS_MAX},
    {"time-limit", "SECONDS", "that a capture may take (default 300)", .kind = TOOL_NUMBER,
     .at = AT(time_limit), .min = 1, .max = 1000000},
    {0},
};

static int take_shard(void *options, const char *text)
{
    struct options *o = options;
    return tool_shard(text, &o->shard, &o->shards) ? TOOL_OK : -1;
}

#undef AT
#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"shard", "I/N",
     "only the I-th of N parts, counted from 1; `vitrail merge` makes one report of their --json",
     .kind = TOOL_OWN, .take = take_shard, .takes = "I/N, I from 1 to N"},
    {"no-explain", NULL, "do not look for what last wrote the worst pixel of a picture that differs",
     .kind = TOOL_SWITCH, .at = AT(no_explain)},
    {0},
};

const struct tool_command tool_command_verify = {
    .name = "verify",
    .summary = "compare many captures with their pictures; reports",
    .operands = "FOLDER|MANIFEST",
    .text =
        "Plays every capture of a manifest, or of a folder, and compares each picture with the one that is "
        "expected, to the bit unless the manifest accepts a difference with a reason. Captures are played "
        "side by "
        "side, each in a sandbox and a process of its own: one that crashes or hangs is a result like "
        "others.",
    .notes =
        "docs/VERIFY.md has the format of manifests. Without one NAME.vtc is compared with NAME.png (its "
        "last "
        "picture) and NAME.N.png (its N-th). Exit status 1 when a picture differs, or a replay crashed or "
        "did not "
        "end, 3 when a guest did something wrong, 4 when a file is absent or damaged; the report says which.",
    .examples = "  vitrail verify refimages/MANIFEST\n"
                "  vitrail verify captures --html report.html --junit report.xml\n"
                "  vitrail verify captures --filter 't860/*' --jobs 4 --list\n"
                "  vitrail verify captures --shard 1/2 --json 1.json; vitrail verify captures --shard 2/2 "
                "--json 2.json\n",
    .options = {{report_rows, AT(outputs)},
                {verify_work_rows, AT(work)},
                {rows},
                {manifest_rows, AT(settings)},
                {tool_device_rows, AT(settings.device)}},
    .takes = {"manifest", 1, 1},
    .main = tool_verify,
};

int verify_read(const char *command, const char *path, const char *filter,
                const struct manifest_settings *settings, struct manifest *out)
{
    int code = manifest_read(command, path, settings, out);
    if (code)
        return code;
    manifest_filter(out, filter);
    if (!out->cases.count)
        return tool_error(command, TOOL_USAGE, "no capture and no picture of %s has '%s' in its name", path,
                          filter);
    return manifest_group(out) ? tool_error(command, TOOL_HOST, "out of memory") : TOOL_OK;
}

void verify_choose_jobs(struct verify_work *work, struct manifest_settings *settings)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!work->jobs)
        work->jobs =
            processors<1 ? 1 : processors>(long) VERIFY_JOBS_MAX ? VERIFY_JOBS_MAX : (uint64_t)processors;
    if (work->jobs > 1 && settings->device.threads == TOOL_USUAL_THREADS)
        settings->device.threads = 0;
}

static int parse(struct options *o, struct tool_operands *subject, int argc, char **argv)
{
    *o = (struct options){
        .settings.device = TOOL_USUAL_DEVICE, .work = VERIFY_USUAL_WORK, .outputs.label = ""};
    int code = tool_parse(&tool_command_verify, argc, argv, o, subject);
    if (!code)
        code = report_check_outputs("verify", &o->outputs);
    verify_choose_jobs(&o->work, &o->settings);
    return code;
}

/* What the report says of the command line. */
static int describe(struct report *r, const char *subject, const struct options *o)
{
    free(r->subject);
    free(r->filter);
    free(r->label);
    r->subject = report_clean(subject, strlen(subject), false);
    r->filter = report_clean(o->work.filter, strlen(o->work.filter), false);
    r->label = report_clean(o->outputs.label, strlen(o->outputs.label), false);
    return r->subject && r->filter && r->label ? TOOL_OK : tool_error("verify", TOOL_HOST, "out of memory");
}

/* All processes have ended; what is left reads foreign JSON at most. */
static int tell(const struct report *r, const struct options *o)
{
    struct tool_sandbox sandbox = {.name = "verify", .off = o->settings.device.no_sandbox};
    report_grant(&sandbox, &o->outputs);
    int code = tool_sandbox_enter(&sandbox);
    return code ? code : report_write("verify", r, &o->outputs);
}

static int verify(const char *path, const struct options *o)
{
    struct manifest manifest = {0};
    struct report report = {0};
    const struct verify_options options = {.command = "verify",
                                           .jobs = o->work.jobs,
                                           .time_limit = o->work.time_limit,
                                           .explain = !o->no_explain,
                                           .pictures = o->outputs.json || o->outputs.html,
                                           .picture_bytes = VERIFY_REPORT_BYTES,
                                           .shard = (uint32_t)o->shard,
                                           .shards = (uint32_t)o->shards};
    int code = verify_read("verify", path, o->work.filter, &o->settings, &manifest);
    if (!code)
        code = verify_run(&manifest, &options, &report);
    if (!code)
        code = describe(&report, path, o);
    if (!code)
        code = tell(&report, o);
    if (!code)
        code = report_status(&report);
    report_finish(&report);
    manifest_finish(&manifest);
    return code;
}

int tool_verify(int argc, char **argv)
{
    struct options o;
    struct tool_operands subject;
    int code = parse(&o, &subject, argc, argv);
    if (!code)
        code = verify(subject.at[0], &o);
    free(o.outputs.history.at);
    return code < 0 ? TOOL_OK : code;
}
