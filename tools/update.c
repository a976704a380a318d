#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/verify.h"

struct options {
    struct manifest_settings settings;
    struct verify_work work;
    bool yes;
};

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"yes", NULL, "write the pictures; without it nothing is changed", .kind = TOOL_SWITCH, .at = AT(yes)},
    {0},
};

const struct tool_command tool_command_update = {
    .name = "update",
    .summary = "rewrite the pictures that captures are compared with",
    .operands = "FOLDER|MANIFEST",
    .text = "Plays captures like `vitrail verify` and says which pictures differ from the expected ones, or "
            "are not "
            "there yet, and by how much; with --yes these are written. Pictures within their tolerance stay.",
    .notes = "Exit status 1 when something differs and was not written. A picture that two lines would have "
             "different "
             "is not written.",
    .examples = "  vitrail update captures\n"
                "  vitrail update --reference --filter 't860/*' --yes refimages/MANIFEST\n",
    .options = {{rows},
                {verify_work_rows, AT(work)},
                {manifest_rows, AT(settings)},
                {tool_device_rows, AT(settings.device)}},
    .takes = {"manifest", 1, 1},
    .main = tool_update,
};

static bool has_new(const struct report_case *c)
{
    return c->drawn.size && (c->result.verdict == REPORT_DIFFERS || c->result.verdict == REPORT_SIZE ||
                             c->result.verdict == REPORT_NEW);
}

static bool same_png(const struct report_png *a, const struct report_png *b)
{
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

/* Another line has the same picture, and wants it otherwise; NULL: none. `again`: an earlier line has it already. */
static const struct report_case *find_rival(const struct manifest *m, const struct report *r,
                                            const struct report_case *c, bool *again)
{
    *again = false;
    for (uint32_t i = 0; i < r->cases.count; i++) {
        const struct report_case *other = &r->cases.at[i];
        if (other == c ||
            strcmp(m->cases.at[other->number].picture_path, m->cases.at[c->number].picture_path) != 0)
            continue;
        if (!has_new(other) || !same_png(&other->drawn, &c->drawn))
            return other;
        *again |= other < c;
    }
    return NULL;
}

/* ---- writing ---- */

static int make_folders(const char *path)
{
    char folder[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        if ((size_t)(slash - path) >= sizeof folder)
            return -ENAMETOOLONG;
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0777) && errno != EEXIST)
            return -errno;
    }
    return 0;
}

static int write_bytes(const char *path, const struct report_png *png)
{
    FILE *out = fopen(path, "wbe");
    if (!out)
        return -errno;
    errno = 0;
    const bool whole = fwrite(png->bytes, 1, png->size, out) == png->size && !fflush(out);
    const int err = whole ? 0 : errno ? -errno : -EIO;
    return fclose(out) && !err ? -errno : err;
}

/* A picture is the old one or the new one, whatever happens. */
static int write_picture(const char *path, const struct report_png *png)
{
    char aside[PATH_MAX];
    if (snprintf(aside, sizeof aside, "%s.new", path) >= (int)sizeof aside)
        return tool_error("update", TOOL_HOST, "%s: %s", path, strerror(ENAMETOOLONG));
    int err = make_folders(path);
    if (!err)
        err = write_bytes(aside, png);
    if (!err && rename(aside, path))
        err = -errno;
    if (!err)
        return TOOL_OK;
    util_remove_file(aside);
    return tool_error("update", TOOL_HOST, "%s: %s", path, strerror(-err));
}

/* ---- telling ---- */

static void print_change(const struct report_case *c, const char *what)
{
    char figures[REPORT_FIGURES_MAX];
    report_figures(c, figures);
    printf("%-8s  %s, picture ", what, c->picture);
    printf(c->frame ? "%u" : "last", c->frame);
    printf(" of %s%s%s\n", c->capture, *c->options ? " " : "", c->options);
    if (*figures)
        printf("%-8s  %s\n", "", figures);
    else if (c->detail && c->result.verdict != REPORT_NEW)
        printf("%-8s  %s\n", "", c->detail);
}

/* An exit status. */
static int update(const struct manifest *m, const struct report *r, bool yes)
{
    uint32_t changed = 0, conflicts = 0, troubles = 0;
    int code = TOOL_OK, trouble = TOOL_OK;
    for (uint32_t i = 0; !code && i < r->cases.count; i++) {
        const struct report_case *c = &r->cases.at[i], *rival;
        bool again;
        if (report_verdict_kind(c->result.verdict) == 'p' || c->result.verdict == REPORT_FAULT)
            continue;
        if (!has_new(c)) {
            troubles++;
            trouble = c->result.verdict == REPORT_HOST ? TOOL_HOST : TOOL_BAD_FILE;
            print_change(c, report_verdict_word(c->result.verdict));
            continue;
        }
        rival = find_rival(m, r, c, &again);
        print_change(c, rival ? "conflict" : c->result.verdict == REPORT_NEW ? "new" : "changed");
        if (rival)
            printf("%-8s  %s has the same picture, and draws another\n", "", rival->capture);
        conflicts += rival != NULL;
        changed += !rival && !again;
        if (yes && !rival && !again)
            code = write_picture(m->cases.at[c->number].picture_path, &c->drawn);
    }
    printf("%u pictures looked at: %u %s%s", r->cases.count, changed, yes ? "written" : "to be written",
           changed && !yes ? " (with --yes)" : "");
    if (conflicts)
        printf(", %u in conflict", conflicts);
    if (troubles)
        printf(", %u could not be drawn", troubles);
    putchar('\n');
    return code ? code : trouble ? trouble : conflicts || (changed && !yes) ? TOOL_DIFFERS : TOOL_OK;
}

static int play(const char *path, const struct options *o)
{
    struct manifest manifest = {0};
    struct report report = {0};
    const struct verify_options options = {.command = "update",
                                           .jobs = o->work.jobs,
                                           .time_limit = o->work.time_limit,
                                           .pictures = true,
                                           .picture_bytes = VERIFY_UPDATE_BYTES};
    int code = verify_read("update", path, o->work.filter, &o->settings, &manifest);
    if (!code)
        code = verify_run(&manifest, &options, &report);
    if (!code)
        code = update(&manifest, &report, o->yes);
    report_finish(&report);
    manifest_finish(&manifest);
    return code;
}

int tool_update(int argc, char **argv)
{
    struct options o = {.settings.device = TOOL_USUAL_DEVICE, .work = VERIFY_USUAL_WORK};
    struct tool_operands subject;
    int code = tool_parse(&tool_command_update, argc, argv, &o, &subject);
    if (code)
        return code < 0 ? TOOL_OK : code;
    verify_choose_jobs(&o.work, &o.settings);
    return play(subject.at[0], &o);
}
