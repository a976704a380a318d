#include "tools/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/against.h"
#include "tools/program.h"
#include "util/bits.h"

#define AT(member) offsetof(struct fuzz_options, member)

static const char *world_word(unsigned n)
{
    const struct isa_set *set;
    for (unsigned i = 0; (set = isa_set_at(i)); i++)
        if (world_find(set->name) && !n--)
            return set->name;
    return NULL;
}

static int take_shard(void *options, const char *text)
{
    struct fuzz_options *o = options;
    return tool_shard(text, &o->shard, &o->shards) ? TOOL_OK : -1;
}

static const struct tool_option rows[] = {
    {"isa", "NAME", "programs of this instruction set: %s", .kind = TOOL_NAME, .at = AT(set),
     .word = world_word},
    {"against", "COMMAND",
     "compare the interpreter with what COMMAND, run by the shell, answers through a pipe (docs/FUZZ.md), "
     "not with the "
     "compiler",
     .kind = TOOL_FILE, .at = AT(against)},
    {"time", "SECONDS", "how long (default: 60; 0: until it is interrupted)", .kind = TOOL_NUMBER,
     .at = AT(seconds), .min = 0, .max = 100000000},
    {"cases", "N", "at most about so many, in this run", .kind = TOOL_NUMBER, .at = AT(cases), .min = 1,
     .max = UINT64_MAX},
    {"jobs", "N", "processes side by side (default: processors)", .kind = TOOL_NUMBER, .at = AT(jobs),
     .min = 1, .max = FUZZ_JOBS_MAX},
    {"seed", "N", "what the cases are made of (default 1)", .kind = TOOL_NUMBER, .at = AT(seed), .min = 0,
     .max = UINT64_MAX},
    {"corpus", "DIR",
     "where everything is kept, and what a run goes on with (default: fuzz-NAME in the current folder)",
     .kind = TOOL_FOLDER, .at = AT(folder)},
    {"case-time", "SECONDS",
     "of processor time that a case may take before it counts as one that hangs (default 60); by the clock "
     "ten "
     "times as long, but with --against not more",
     .kind = TOOL_NUMBER, .at = AT(case_seconds), .min = 1, .max = 100000},
    {"until-found", NULL, "end with the first finding", .kind = TOOL_SWITCH, .at = AT(until_found)},
    {"shard", "I/N", "only the cases of the I-th of N parts, counted from 1", .kind = TOOL_OWN,
     .take = take_shard, .takes = "I/N, I from 1 to N"},
    {"json", "FILE", "the totals as JSON, too", .kind = TOOL_FILE, .at = AT(json)},
    {"again", "FILE", "try this program or capture alone, in every way, and keep nothing", .kind = TOOL_FILE,
     .at = AT(again)},
    {"answer", NULL,
     "be the other side of --against: answer on standard output what is asked on standard input, compiled "
     "unless "
     "--interpreter is given",
     .kind = TOOL_SWITCH, .at = AT(answers)},
    {"interpreter", NULL, "with --answer: run programs in the interpreter", .kind = TOOL_SWITCH,
     .at = AT(device.interpreter)},
    {0},
};

const struct tool_command tool_command_fuzz = {
    .name = "fuzz",
    .summary = "try programs and captures that nobody wrote; find, reduce and explain",
    .operands = "--isa NAME\nCAPTURE\n[--isa NAME] --again FILE",
    .text = "Of an instruction set (--isa): makes random programs, and changes those that have shown "
            "something new; "
            "interprets each, and executes it another way, which must leave the same: compiled at every "
            "vector level, or "
            "by a process of yours. Of a CAPTURE, of any GPU: changes commands, descriptors, programs, "
            "textures and "
            "register writes, and plays it compiled, now and then interpreted or in order, too, which must "
            "give the same "
            "pictures and faults.\n\n"
            "Each process that tries them has a sandbox of its own: a crash or an endless case is a finding, "
            "not the end. "
            "Every finding is named by what differs, made as small as it gets, and listed with the command "
            "that shows it "
            "again. A run goes on where the last one with the same folder ended, however that was stopped.",
    .notes = "docs/FUZZ.md has what is compared, the folder's files and the protocol of --against. Exit "
             "status: 0 nothing "
             "found, 1 findings, 2 wrong options, 4 bad file, 5 this machine cannot do it.",
    .examples = "  vitrail fuzz --isa midgard --time 600\n"
                "  vitrail fuzz --isa utgard-pp --against './my-simulator --pipe' --corpus pp\n"
                "  vitrail fuzz cube.vtc --time 3600 --json totals.json\n"
                "  vitrail fuzz --isa midgard --again fuzz-midgard/findings/NAME.bin\n",
    .options = {{rows}, {tool_sandbox_rows, AT(device.no_sandbox)}},
    .takes = {"capture", 0, 1},
    .main = tool_fuzz,
};

static int parse(struct fuzz_options *o, int argc, char **argv)
{
    struct tool_operands capture;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *o = (struct fuzz_options){.seconds = 60,
                               .jobs = processors < 1 ? 1 : UTIL_MIN((uint64_t)processors, FUZZ_JOBS_MAX),
                               .seed = 1,
                               .case_seconds = 60,
                               .device = TOOL_USUAL_DEVICE};
    const int code = tool_parse(&tool_command_fuzz, argc, argv, o, &capture);
    if (code || o->answers)
        return code;
    if (capture.count)
        o->capture = capture.at[0];
    if (!o->set && o->again && !o->capture)
        o->capture = o->again;
    if (!o->set == !o->capture || (o->again && capture.count))
        return tool_error("fuzz", TOOL_USAGE,
                          "one of --isa NAME and CAPTURE says what is fuzzed; see `vitrail fuzz --help`");
    if (o->against && !o->set)
        return tool_error("fuzz", TOOL_USAGE, "--against is for programs (--isa)");
    return tool_check_output("fuzz", o->json);
}

static int answer(const struct fuzz_options *o)
{

    struct tool_sandbox sandbox = {.name = "fuzz", .off = o->device.no_sandbox};
    const int code = tool_sandbox_enter(&sandbox);

    if (code)
        return code;
    const int err = fuzz_against_serve(stdin, stdout, !o->device.interpreter);
    return err ? tool_error("fuzz", err == -EPROTO ? TOOL_BAD_FILE : TOOL_HOST, "standard input: %s",
                            err == -EPROTO ? "no question of `vitrail fuzz --against`" : strerror(-err))
               : TOOL_OK;
}

static int write_json(const struct fuzz_campaign *c)
{
    const char *path = c->options->json;
    FILE *out = path ? strcmp(path, "-") ? fopen(path, "w") : stdout : NULL;
    if (!path)
        return TOOL_OK;
    if (!out)
        return tool_error("fuzz", TOOL_HOST, "%s: %s", path, strerror(errno));
    fuzz_put_json(c, out);
    return out == stdout ? TOOL_OK : tool_close_output("fuzz", path, out);
}

/* And the folder that it has where none is named. */
static void name_subject(struct fuzz_campaign *c, char folder[256])
{
    const struct fuzz_options *o = c->options;
    if (o->set) {
        snprintf(c->subject, sizeof c->subject, "programs of %s%s", o->set,
                 o->against ? ", against another" : "");
        snprintf(folder, 256, "fuzz-%s", o->set);
        return;
    }
    const char *slash = strrchr(o->capture, '/'), *name = slash ? slash + 1 : o->capture;
    snprintf(c->subject, sizeof c->subject, "capture %.200s", o->capture);
    snprintf(folder, 256, "fuzz-%.*s", (int)strcspn(name, "."), name);
}

static int run(const struct fuzz_options *o)
{
    struct fuzz_campaign c = {.options = o, .lock = -1};
    struct fuzz_options own = *o;
    char folder[256];
    name_subject(&c, folder);
    if (!own.folder && !own.again)
        own.folder = folder;
    c.options = &own;
    int code = own.again ? fuzz_try_again(&c) : fuzz_folder_open(&c);
    if (!code && !own.again) {
        code = fuzz_run(&c);
        if (!code)
            code = write_json(&c);
        if (!code && c.findings.count)
            code = TOOL_DIFFERS;
    }
    fuzz_campaign_finish(&c);
    return code;
}

int tool_fuzz(int argc, char **argv)
{
    struct fuzz_options o;
    const int code = parse(&o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    return o.answers ? answer(&o) : run(&o);
}
