#include "gpu/vc4/lint.h"
#include "isa/vc4_qpu/asm.h"
#include "tools/json.h"
#include "tools/program.h"
#include "tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `vitrail lint`: what is wrong with programs, without running them. */

static const char help[] =
    "Usage: vitrail lint [OPTIONS] PROGRAM|CAPTURE\n"
    "       vitrail lint --rules [--json]\n"
    "\n"
    "Finds what is wrong with guest programs, without running them: hazards, breaches of\n"
    "the Guide's rules and its errata, registers nobody wrote, queues that run empty or\n"
    "over, disagreement with the shader record. A PROGRAM is binary words, hexadecimal\n"
    "words as text, or assembler text; - is the standard input. Of a CAPTURE all programs\n"
    "are looked at, with their shader records and uniforms.\n"
    "\n"
    "  --stage NAME     what a program is for: fragment, vertex, coordinate or user\n"
    "                   (default: what is right for any of them)\n"
    "  --severity NAME  leave out what is less: note, warning or error (default: note)\n"
    "  --json           one JSON document instead of text\n"
    "  --rules          list all rules with their sources\n"
    "\n"
    "Exit status: 0 nothing found, 1 findings, 2 wrong options, 4 bad file.\n"
    "\n"
    "Examples:\n"
    "  vitrail lint blend.qpu\n"
    "  vitrail lint --stage user --severity warning sum.bin\n"
    "  vitrail lint --json cube.vtc | jq '.findings[].rule'\n";

struct options {
    const char *input;
    enum vc4_qpu_stage stage;
    enum vc4_qpu_severity severity;
    bool json, rules;
};

struct output {
    const struct options *options;
    uint64_t count[3];
    const uint64_t *words; /* of a program; NULL for a capture */
    uint32_t word_count;
    struct json json;
    struct vc4_lint_summary summary;
};

/* ---- printing ---- */

static void print_json(struct output *o, const struct vc4_lint_finding *f, const char *line)
{
    struct json *json = &o->json;
    json_object(json, NULL);
    json_string(json, "rule", f->rule->name);
    json_string(json, "severity", vc4_qpu_severity_name(f->rule->severity));
    if (f->stage)
        json_string(json, "stage", vc4_qpu_stage_name(f->stage));
    if (!o->words) {
        json_uint(json, "job", f->job);
        json_uint(json, "draw", f->draw);
        json_hex(json, "address", f->address);
    }
    if (f->pc != UINT32_MAX) {
        json_uint(json, "pc", f->pc);
        json_string(json, "instruction", line);
    }
    json_string(json, "text", f->rule->text);
    if (*f->detail)
        json_string(json, "detail", f->detail);
    json_string(json, "source", f->rule->source);
    json_end(json);
}

/* program:pc: severity: what (detail) [RULE], the line, the source */
static void print_text(const struct output *o, const struct vc4_lint_finding *f, const char *line)
{
    printf("%s", o->options->input);
    if (!o->words && f->stage)
        printf(": job %" PRIu64 ", draw %u, %s program at 0x%08x", f->job, f->draw,
               vc4_qpu_stage_name(f->stage), f->address);
    else if (!o->words)
        printf(": job %" PRIu64 ", draw %u, record at 0x%08x", f->job, f->draw, f->address);
    if (f->pc != UINT32_MAX)
        printf(": pc %u", f->pc);
    printf(": %s: %s%s%s%s [%s]\n", vc4_qpu_severity_name(f->rule->severity), f->rule->text,
           *f->detail ? " (" : "", f->detail, *f->detail ? ")" : "", f->rule->name);
    if (f->pc != UINT32_MAX)
        printf("    %s\n", line);
    printf("    %s\n", f->rule->source);
}

static void print_finding(void *data, const struct vc4_lint_finding *f)
{
    struct output *o = data;
    char line[VC4_QPU_TEXT_MAX] = "";
    if (f->rule->severity < o->options->severity)
        return;
    o->count[f->rule->severity]++;
    if (f->pc != UINT32_MAX)
        vc4_qpu_disasm(f->word, f->pc, line);
    if (o->options->json)
        print_json(o, f, line);
    else
        print_text(o, f, line);
}

static void print_program_finding(void *data, const struct vc4_qpu_finding *finding)
{
    struct output *o = data;
    struct vc4_lint_finding f = {.rule = finding->rule,
                                 .detail = finding->detail,
                                 .stage = o->options->stage,
                                 .pc = finding->pc,
                                 .word = finding->pc < o->word_count ? o->words[finding->pc] : 0};
    print_finding(o, &f);
}

static int list_rules(bool as_json)
{
    uint32_t count;
    struct json json;
    const struct vc4_qpu_rule *rules = vc4_qpu_rules(&count);
    json_begin(&json, stdout);
    if (as_json)
        json_array(&json, NULL);
    for (uint32_t i = 0; i < count; i++) {
        const char *severity = vc4_qpu_severity_name(rules[i].severity);
        if (!as_json) {
            printf("%-22s %-8s %s\n%32s%s\n", rules[i].name, severity, rules[i].text, "", rules[i].source);
            continue;
        }
        json_object(&json, NULL);
        json_string(&json, "rule", rules[i].name);
        json_string(&json, "severity", severity);
        json_string(&json, "text", rules[i].text);
        json_string(&json, "source", rules[i].source);
        json_end(&json);
    }
    if (as_json)
        json_end(&json);
    return fflush(stdout) ? tool_error("lint", TOOL_HOST, "standard output cannot be written") : TOOL_OK;
}

/* ---- what is looked at ---- */

static int lint_capture(struct output *o)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    const char *path = o->options->input;
    int err = capture_reader_open(path, &reader, &error);
    if (!err) {
        err = vc4_lint_capture(reader, print_finding, o, &o->summary, &error);
        capture_reader_close(reader);
    }
    if (!err)
        return TOOL_OK;
    return tool_error("lint", err == -ENOMEM ? TOOL_HOST : TOOL_BAD_FILE, "%s: %s", path,
                      error.code ? error.text : strerror(-err));
}

static int lint_program(struct output *o)
{
    struct vc4_qpu_lint_options options = vc4_qpu_lint_nothing_known;
    uint64_t *words;
    options.stage = o->options->stage;
    int code = tool_read_program("lint", o->options->input, &words, &o->word_count);
    if (code)
        return code;
    o->words = words;
    int err = vc4_qpu_lint(words, o->word_count, &options, print_program_finding, o);
    free(words);
    return err ? tool_error("lint", err == -E2BIG ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s", o->options->input,
                            strerror(-err))
               : TOOL_OK;
}

/* A capture is told by its first bytes; standard input is a program. */
static bool is_capture(const char *path)
{
    char magic[8] = {0};
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    bool found =
        file && fread(magic, 1, sizeof magic, file) == sizeof magic && !memcmp(magic, "VITRAIL\n", 8);
    if (file)
        fclose(file);
    return found;
}

static void print_summary(struct output *o, bool capture)
{
    const uint64_t *n = o->count;
    if (o->options->json) {
        struct json *json = &o->json;
        json_end(json);
        json_uint(json, "notes", n[VC4_QPU_NOTE]);
        json_uint(json, "warnings", n[VC4_QPU_WARNING]);
        json_uint(json, "errors", n[VC4_QPU_ERROR]);
        json_end(json);
        return;
    }
    if (capture)
        printf("%s: %" PRIu64 " programs, %" PRIu64 " draws, %" PRIu64 " jobs: ", o->options->input,
               o->summary.programs, o->summary.draws, o->summary.jobs);
    else
        printf("%s: %u instructions: ", o->options->input, o->word_count);
    printf("%" PRIu64 " errors, %" PRIu64 " warnings, %" PRIu64 " notes\n", n[VC4_QPU_ERROR],
           n[VC4_QPU_WARNING], n[VC4_QPU_NOTE]);
}

static int lint(const struct options *options)
{
    struct output o = {.options = options};
    bool capture = is_capture(options->input);
    json_begin(&o.json, stdout);
    if (options->json) {
        json_object(&o.json, NULL);
        json_string(&o.json, "file", options->input);
        json_array(&o.json, "findings");
    }
    int code = capture ? lint_capture(&o) : lint_program(&o);
    if (!code || options->json)
        print_summary(&o, capture);
    if (!code && fflush(stdout))
        code = tool_error("lint", TOOL_HOST, "standard output cannot be written");
    return code ? code : o.count[0] + o.count[1] + o.count[2] ? TOOL_DIFFERS : TOOL_OK;
}

/* ---- options ---- */

/* The value of `text` among names(0..count-1); -1 when it is none of them. */
static int named(const char *text, const char *(*name)(unsigned value), unsigned first, unsigned count)
{
    for (unsigned i = first; i < count; i++)
        if (!strcmp(text, name(i)))
            return (int)i;
    return -1;
}

static const char *stage_name(unsigned value)
{
    return vc4_qpu_stage_name((enum vc4_qpu_stage)value);
}

static const char *severity_name(unsigned value)
{
    return vc4_qpu_severity_name((enum vc4_qpu_severity)value);
}

/* 1 when argv[*index] was one with a value, 0 when not, -1 after a message. */
static int parse_value(struct options *o, int argc, char **argv, int *index)
{
    const char *value;
    int got = tool_value("lint", "--stage", argc, argv, index, &value), number;
    if (got > 0) {
        number = named(value, stage_name, VC4_QPU_STAGE_FRAGMENT, VC4_QPU_STAGE_USER + 1);
        if (number < 0) {
            tool_error("lint", 0, "--stage takes fragment, vertex, coordinate or user, not '%s'", value);
            return -1;
        }
        o->stage = (enum vc4_qpu_stage)number;
    }
    if (got)
        return got;
    got = tool_value("lint", "--severity", argc, argv, index, &value);
    if (got > 0) {
        number = named(value, severity_name, VC4_QPU_NOTE, VC4_QPU_ERROR + 1);
        if (number < 0) {
            tool_error("lint", 0, "--severity takes note, warning or error, not '%s'", value);
            return -1;
        }
        o->severity = (enum vc4_qpu_severity)number;
    }
    return got;
}

static int parse(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int got = 0;
        if (!strcmp(argv[i], "--json"))
            o->json = true;
        else if (!strcmp(argv[i], "--rules"))
            o->rules = true;
        else if ((got = parse_value(o, argc, argv, &i)) < 0)
            return TOOL_USAGE;
        else if (got)
            continue;
        else if (argv[i][0] == '-' && argv[i][1])
            return tool_error("lint", TOOL_USAGE, "unknown option '%s'; see `vitrail lint --help`", argv[i]);
        else if (o->input)
            return tool_error("lint", TOOL_USAGE, "one file at a time: '%s' and '%s'", o->input, argv[i]);
        else
            o->input = argv[i];
    }
    if (!o->input && !o->rules)
        return tool_error("lint", TOOL_USAGE, "no file given; see `vitrail lint --help`");
    if (o->input && o->rules)
        return tool_error("lint", TOOL_USAGE, "--rules takes no file");
    return TOOL_OK;
}

int tool_lint(int argc, char **argv)
{
    struct options o = {0};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return TOOL_OK;
        }
    }
    int code = parse(&o, argc, argv);
    if (code)
        return code;
    return o.rules ? list_rules(o.json) : lint(&o);
}
