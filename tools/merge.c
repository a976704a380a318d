#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fuzz.h"
#include "tools/json_source.h"
#include "tools/report.h"

struct options {
    struct report_outputs outputs;
    bool no_sandbox;
};

#define AT(member) offsetof(struct options, member)

const struct tool_command tool_command_merge = {
    .name = "merge",
    .summary = "make one report of the shards of vitrail verify or vitrail fuzz",
    .operands = "SHARD.json...",
    .text = "Makes one report of those of all shards (`vitrail verify --shard I/N --json FILE`): the same "
            "bytes as "
            "without shards, but for times. Of the totals of a campaign's shards (`vitrail fuzz --shard I/N "
            "--json FILE`) it adds "
            "cases, faults and times, and lists all findings, as text and --json. The exit status is that of "
            "the whole.",
    .examples = "  vitrail merge --html report.html 1.json 2.json\n"
                "  vitrail merge --json whole.json --junit whole.xml shards/*.json\n"
                "  vitrail merge --json totals.json fuzz-1.json fuzz-2.json\n",
    .options = {{report_rows, AT(outputs)}, {tool_sandbox_rows, AT(no_sandbox)}},
    .takes = {"report", 1, UINT_MAX},
    .main = tool_merge,
};

static int merge(const struct options *o, const struct tool_operands *paths)
{
    struct report *shards = calloc(paths->count, sizeof *shards), whole = {0};
    int code = shards ? TOOL_OK : tool_error("merge", TOOL_HOST, "out of memory");
    for (unsigned i = 0; !code && i < paths->count; i++)
        code = report_read_json("merge", paths->at[i], true, &shards[i]);
    if (!code)
        code = report_merge("merge", shards, paths->at, paths->count, &whole);
    if (!code)
        code = report_write("merge", &whole, &o->outputs);
    if (!code)
        code = report_status(&whole);
    report_finish(&whole);
    for (unsigned i = 0; shards && i < paths->count; i++)
        report_finish(&shards[i]);
    free(shards);
    return code;
}

/* What the first is: all must be of one kind. */
static int merge_any(const struct options *o, const struct tool_operands *paths)
{
    struct json_source first;
    int code = json_source_load("merge", paths->at[0], &first);
    if (code)
        return code;
    const bool fuzz = !strcmp(json_source_format(&first), FUZZ_FORMAT);
    json_object_put(first.at);
    if (!fuzz)
        return merge(o, paths);
    if (o->outputs.junit || o->outputs.html || o->outputs.history.count || o->outputs.list ||
        *o->outputs.label)
        return tool_error("merge", TOOL_USAGE, "totals of `vitrail fuzz` are told as text and --json alone");
    return fuzz_merge(paths->at, paths->count, o->outputs.json);
}

int tool_merge(int argc, char **argv)
{
    struct options o = {.outputs.label = ""};
    struct tool_operands paths;
    int code = tool_parse(&tool_command_merge, argc, argv, &o, &paths);
    if (!code)
        code = report_check_outputs("merge", &o.outputs);
    if (!code) {
        struct tool_sandbox sandbox = {.name = "merge", .off = o.no_sandbox};
        for (unsigned i = 0; i < paths.count; i++)
            tool_sandbox_reads(&sandbox, paths.at[i]);
        report_grant(&sandbox, &o.outputs);
        code = tool_sandbox_enter(&sandbox);
    }
    if (!code)
        code = merge_any(&o, &paths);
    free(o.outputs.history.at);
    return code < 0 ? TOOL_OK : code;
}
