/* Where `vitrail verify` and `vitrail merge` tell what was found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"
#include "util/list.h"

static int take_history(void *options, const char *value)
{
    struct report_outputs *o = options;
    return UTIL_LIST_ADD(o->history, value) ? TOOL_OK : tool_error(NULL, TOOL_HOST, "out of memory");
}

#define AT(member) offsetof(struct report_outputs, member)

const struct tool_option report_rows[] = {
    {"json", "FILE", "write the report as JSON, with the pictures that differ (-: to the standard output)",
     .kind = TOOL_FILE, .at = AT(json)},
    {"junit", "FILE", "write it as JUnit XML", .kind = TOOL_FILE, .at = AT(junit)},
    {"html", "FILE", "write it as one page that needs nothing else", .kind = TOOL_FILE, .at = AT(html)},
    {"history", "FILE",
     "a report of an earlier run (--json), for the page; may be given several times, oldest first",
     .kind = TOOL_OWN, .take = take_history, .takes = "a file"},
    {"label", "TEXT", "what this run is called in later histories, a commit perhaps", .kind = TOOL_FILE,
     .at = AT(label)},
    {"list", NULL, "list the pictures that passed, too", .kind = TOOL_SWITCH, .at = AT(list)},
    {0},
};

static bool is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

int report_check_outputs(const char *command, const struct report_outputs *o)
{
    if (is_stdout(o->json) + is_stdout(o->junit) + is_stdout(o->html) > 1)
        return tool_error(command, TOOL_USAGE, "only one report can go to the standard output");
    return TOOL_OK;
}

void report_grant(struct tool_sandbox *sandbox, const struct report_outputs *o)
{
    for (uint32_t i = 0; i < o->history.count; i++)
        tool_sandbox_reads(sandbox, o->history.at[i]);
    tool_sandbox_writes(sandbox, o->json);
    tool_sandbox_writes(sandbox, o->junit);
    tool_sandbox_writes(sandbox, o->html);
}

enum form { FORM_JSON, FORM_JUNIT, FORM_HTML };

static int print(FILE *out, enum form form, const struct report *r, const struct report *history,
                 uint32_t runs)
{
    if (form == FORM_JSON)
        return report_print_json(out, r);
    if (form == FORM_HTML)
        return report_print_html(out, r, history, runs);
    report_print_junit(out, r);
    return 0;
}

static int write_form(const char *command, const char *path, enum form form, const struct report *r,
                      const struct report *history, uint32_t runs)
{
    if (!path)
        return TOOL_OK;
    FILE *out = is_stdout(path) ? stdout : util_fopen(path, "w");
    if (!out)
        return tool_error(command, TOOL_HOST, "%s: %s", path, strerror(errno));
    int err = print(out, form, r, history, runs);
    int code = out == stdout ? TOOL_OK : tool_close_output(command, path, out);
    if (!err)
        return code;
    if (out != stdout)
        util_remove_file(path);
    return tool_error(command, TOOL_HOST, "%s: %s", path, strerror(-err));
}

int report_write(const char *command, const struct report *r, const struct report_outputs *o)
{
    const uint32_t runs = o->history.count;
    struct report *history = calloc(runs + 1, sizeof *history);
    if (!history)
        return tool_error(command, TOOL_HOST, "out of memory");
    int code = TOOL_OK;
    for (uint32_t i = 0; !code && i < runs; i++)
        code = report_read_json(command, o->history.at[i], false, &history[i]);
    if (!code)
        code = write_form(command, o->json, FORM_JSON, r, history, runs);
    if (!code)
        code = write_form(command, o->junit, FORM_JUNIT, r, history, runs);
    if (!code)
        code = write_form(command, o->html, FORM_HTML, r, history, runs);
    for (uint32_t i = 0; i < runs; i++)
        report_finish(&history[i]);
    free(history);
    if (!code && !is_stdout(o->json) && !is_stdout(o->junit) && !is_stdout(o->html))
        report_print(stdout, r, o->list);
    return code;
}
