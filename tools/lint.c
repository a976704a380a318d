#include "tools/lint.h"

#include "gpu/lint.h"
#include "isa/sets.h"
#include "tools/family.h"
#include "tools/json.h"
#include "tools/program.h"
#include "tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `vitrail lint`: what is wrong with programs and jobs, without running them. */

struct options {
    const char *input, *stage; /* stage: NULL, or a name */
    const char *set;           /* its name */
    const struct isa_set *isa;
    unsigned severity; /* enum isa_severity */
    bool json, rules, no_sandbox;
};

struct output {
    const struct options *options;
    uint64_t count[3];
    const uint8_t *words; /* of a program; NULL for a capture */
    uint32_t word_count;
    struct json json;
    struct gpu_lint_summary summary;
};

/* ---- printing ---- */

static void print_json(struct output *o, const struct gpu_lint_finding *f)
{
    struct json *json = &o->json;
    json_hold_object(json, NULL);
    json_string(json, "rule", f->rule->name);
    json_string(json, "severity", isa_severity_name(f->rule->severity));
    if (f->place)
        json_string(json, "place", f->place);
    if (!o->words) {
        json_uint(json, "job", f->job);
        json_uint(json, "draw", f->draw);
        json_hex(json, "address", f->address);
    }
    if (f->pc != UINT32_MAX) {
        json_uint(json, "pc", f->pc);
        json_string(json, "instruction", f->line);
    }
    json_string(json, "text", f->rule->text);
    if (*f->detail)
        json_string(json, "detail", f->detail);
    json_string(json, "source", f->rule->source);
    json_end(json);
}

/* program:pc: severity: what (detail) [RULE], the line, the source */
static void print_text(const struct output *o, const struct gpu_lint_finding *f)
{
    printf("%s", o->options->input);
    if (!o->words && f->draw)
        printf(": job %" PRIu64 ", draw %u, %s at 0x%08" PRIx64, f->job, f->draw, f->place, f->address);
    else if (!o->words)
        printf(": job %" PRIu64 ", %s at 0x%08" PRIx64, f->job, f->place, f->address);
    if (f->pc != UINT32_MAX)
        printf(": pc %u", f->pc);
    printf(": %s: %s%s%s%s [%s]\n", isa_severity_name(f->rule->severity), f->rule->text,
           *f->detail ? " (" : "", f->detail, *f->detail ? ")" : "", f->rule->name);
    if (f->pc != UINT32_MAX)
        printf("    %s\n", f->line);
    printf("    %s\n", f->rule->source);
}

static void print_finding(void *data, const struct gpu_lint_finding *f)
{
    struct output *o = data;
    if (f->rule->severity < o->options->severity)
        return;
    o->count[f->rule->severity]++;
    if (o->options->json)
        print_json(o, f);
    else
        print_text(o, f);
}

static void print_program_finding(void *data, const struct isa_finding *finding)
{
    struct output *o = data;
    char line[ISA_LINE_MAX] = "";
    struct gpu_lint_finding f = {.rule = finding->rule,
                                 .detail = finding->detail,
                                 .place = o->options->stage,
                                 .pc = finding->pc,
                                 .line = line};
    if (f.pc < o->word_count)
        o->options->isa->line(o->words, o->word_count, f.pc, line);
    print_finding(o, &f);
}

static void print_rules(struct json *json, const char *of, const struct isa_rule *rules, uint32_t count,
                        bool as_json)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *severity = isa_severity_name(rules[i].severity);
        if (!as_json) {
            printf("%-10s %-22s %-8s %s\n%43s%s\n", of, rules[i].name, severity, rules[i].text, "",
                   rules[i].source);
            continue;
        }
        json_hold_object(json, NULL);
        json_string(json, "of", of);
        json_string(json, "rule", rules[i].name);
        json_string(json, "severity", severity);
        json_string(json, "text", rules[i].text);
        json_string(json, "source", rules[i].source);
        json_end(json);
    }
}

/* Those of each instruction set, then of each family's captures. */
static int list_rules(bool as_json)
{
    const struct isa_set *set;
    const struct tool_family *family;
    uint32_t count;
    struct json json;
    json_begin(&json, stdout);
    if (as_json)
        json_open_array(&json, NULL);
    for (unsigned n = 0; (set = isa_set_at(n)); n++) {
        const struct isa_rule *rules = set->rules(&count);
        print_rules(&json, set->name, rules, count, as_json);
    }
    for (unsigned n = 0; (family = tool_family_at(n)); n++)
        if (family->lint->rules) {
            const struct isa_rule *rules = family->lint->rules(&count);
            print_rules(&json, family->name, rules, count, as_json);
        }
    if (as_json && json_end(&json))
        return tool_error("lint", TOOL_HOST, "out of memory");
    return fflush(stdout) ? tool_error("lint", TOOL_HOST, "standard output cannot be written") : TOOL_OK;
}

/* ---- what is looked at ---- */

static int lint_capture(struct output *o)
{
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_info info;
    const char *path = o->options->input;
    int err = capture_reader_open(path, &reader, &error);
    if (!err) {
        capture_reader_info(reader, &info);
        const struct tool_family *family = tool_family_of(info.gpu);
        err = family ? gpu_lint_capture(family->lint, reader, print_finding, o, &o->summary, &error)
                     : util_fail(&error, -ENOTSUP, "a capture of '%s', which this version does not know",
                                 info.gpu);
        capture_reader_close(reader);
    }
    if (!err)
        return TOOL_OK;
    return tool_error("lint", err == -ENOMEM ? TOOL_HOST : TOOL_BAD_FILE, "%s: %s", path,
                      error.code ? error.text : strerror(-err));
}

/* The stage's number in the set, 0 without a name, -1 when the set has none of it. */
static int stage_of(const struct isa_set *set, const char *name)
{
    for (int n = 1; name && set->stages[n]; n++)
        if (!strcmp(set->stages[n], name))
            return n;
    return name ? -1 : 0;
}

static int lint_program(struct output *o)
{
    const struct isa_set *set = o->options->isa;
    unsigned stage = (unsigned)stage_of(set, o->options->stage);
    uint8_t *words;
    size_t size;
    int code = tool_read_program("lint", set, o->options->input, &words, &size);
    if (code)
        return code;
    o->words = words;
    o->word_count = (uint32_t)(size / set->word_bytes);
    int err = set->lint(words, o->word_count, stage, print_program_finding, o);
    free(words);
    return err ? tool_error("lint", err == -E2BIG ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s", o->options->input,
                            strerror(-err))
               : TOOL_OK;
}

/* A capture is told by its first bytes; standard input is a program. */
static bool is_capture(const char *path)
{
    char magic[8] = {0};
    FILE *file = strcmp(path, "-") ? util_fopen(path, "rb") : NULL;
    bool found =
        file && fread(magic, 1, sizeof magic, file) == sizeof magic && !memcmp(magic, "VITRAIL\n", 8);
    if (file)
        fclose(file);
    return found;
}

/* 0, or -ENOMEM: JSON is not whole. */
static int print_summary(struct output *o, bool capture)
{
    const uint64_t *n = o->count;
    if (o->options->json) {
        struct json *json = &o->json;
        json_end(json);
        json_uint(json, "notes", n[ISA_NOTE]);
        json_uint(json, "warnings", n[ISA_WARNING]);
        json_uint(json, "errors", n[ISA_ERROR]);
        return json_end(json);
    }
    if (capture)
        printf("%s: %" PRIu64 " programs, %" PRIu64 " draws, %" PRIu64 " jobs: ", o->options->input,
               o->summary.programs, o->summary.draws, o->summary.jobs);
    else
        printf("%s: %u %ss: ", o->options->input, o->word_count, o->options->isa->counts);
    printf("%" PRIu64 " errors, %" PRIu64 " warnings, %" PRIu64 " notes\n", n[ISA_ERROR], n[ISA_WARNING],
           n[ISA_NOTE]);
    return 0;
}

static void begin_json(struct output *o, FILE *out)
{
    json_begin(&o->json, out);
    if (!o->options->json)
        return;
    json_open_object(&o->json, NULL);
    json_string(&o->json, "file", o->options->input);
    json_open_array(&o->json, "findings");
}

int lint_capture_json(const char *path, FILE *out)
{
    const struct options options = {.input = path, .json = true};
    struct output o = {.options = &options};
    begin_json(&o, out);
    const int code = lint_capture(&o);
    return print_summary(&o, true) ? tool_error("lint", TOOL_HOST, "out of memory") : code;
}

static int lint(const struct options *options)
{
    struct output o = {.options = options};
    bool capture = is_capture(options->input);
    begin_json(&o, stdout);
    int code = capture ? lint_capture(&o) : lint_program(&o);
    if ((!code || options->json) && print_summary(&o, capture))
        code = tool_error("lint", TOOL_HOST, "out of memory");
    if (!code && fflush(stdout))
        code = tool_error("lint", TOOL_HOST, "standard output cannot be written");
    return code ? code : o.count[ISA_WARNING] + o.count[ISA_ERROR] ? TOOL_DIFFERS : TOOL_OK;
}

/* ---- options ---- */

static bool has_stage(const struct isa_set *set, const char *stage)
{
    unsigned n = 1;
    while (set->stages[n] && strcmp(set->stages[n], stage) != 0)
        n++;
    return set->stages[n];
}

/* Of all sets, each once. */
static const char *stage_word(unsigned n)
{
    const struct isa_set *set;
    for (unsigned i = 0; (set = isa_set_at(i)); i++)
        for (unsigned k = 1; set->stages[k]; k++) {
            unsigned first = 0;
            while (!has_stage(isa_set_at(first), set->stages[k]))
                first++;
            if (first == i && !n--)
                return set->stages[k];
        }
    return NULL;
}

static const char *severity_word(unsigned n)
{
    return n <= ISA_ERROR ? isa_severity_name((enum isa_severity)n) : NULL;
}

#define AT(member) offsetof(struct options, member)

static const struct tool_option rows[] = {
    {"isa", "NAME", "a program's instruction set: %s", .kind = TOOL_NAME, .at = AT(set),
     .word = tool_set_word, .first = true},
    {"stage", "NAME", "what it is for: %s (default: what is right for any of them)", .kind = TOOL_NAME,
     .at = AT(stage), .word = stage_word},
    {"severity", "NAME", "leave out what is less: %s", .kind = TOOL_WORD, .at = AT(severity),
     .word = severity_word, .first = true},
    {"json", NULL, "one JSON document instead of text", .kind = TOOL_SWITCH, .at = AT(json)},
    {"rules", NULL, "list all rules with their sources", .kind = TOOL_SWITCH, .at = AT(rules)},
    {0},
};

const struct tool_command tool_command_lint = {
    .name = "lint",
    .summary = "find what is wrong with programs, without running them",
    .operands = "PROGRAM|CAPTURE\n--rules [--json]",
    .text =
        "Finds what is wrong with guest programs and jobs, without running them: hazards, breaches of the "
        "documents' rules, errata, registers nobody wrote, queues that run empty or over; in a capture also "
        "disagreement between programs and the records that name them, arrays and textures outside memory, "
        "states that contradict themselves. A PROGRAM is binary words, hexadecimal words as text, or "
        "assembler text; - is the standard input. Of a CAPTURE all jobs are looked at. Each finding has its "
        "place, severity, rule, the instruction and the rule's source.",
    .notes =
        "Exit status: 0 nothing found, or notes alone, 1 warnings or errors, 2 wrong options, 4 bad file.",
    .examples = "  vitrail lint blend.qpu\n"
                "  vitrail lint --stage user --severity warning sum.bin\n"
                "  echo 'var r0, v0 ; stop' | vitrail lint --isa utgard-pp -\n"
                "  vitrail lint --json cube.vtc | jq '.findings[].rule'\n",
    .options = {{rows}, {tool_sandbox_rows, AT(no_sandbox)}},
    .takes = {"file", 0, 1},
    .main = tool_lint,
};

static int refuse_stage(const struct isa_set *set, const char *stage)
{
    char names[64] = "";
    for (unsigned n = 1; set->stages[n]; n++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", n > 1 ? ", " : "",
                 set->stages[n]);
    return tool_error("lint", TOOL_USAGE, "--stage takes %s for %s programs, not '%s'", names, set->name,
                      stage);
}

static int parse(struct options *o, int argc, char **argv)
{
    struct tool_operands file;
    int code = tool_parse(&tool_command_lint, argc, argv, o, &file);
    if (code)
        return code;
    o->isa = isa_set_find(o->set);
    o->input = file.count ? file.at[0] : NULL;
    if (!o->input && !o->rules)
        return tool_error("lint", TOOL_USAGE, "no file given; see `vitrail lint --help`");
    if (o->input && o->rules)
        return tool_error("lint", TOOL_USAGE, "--rules takes no file");
    if (stage_of(o->isa, o->stage) < 0)
        return refuse_stage(o->isa, o->stage);
    return TOOL_OK;
}

int tool_lint(int argc, char **argv)
{
    struct options o = {.set = tool_set_word(0)};
    int code = parse(&o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    if (o.rules)
        return list_rules(o.json);
    struct tool_sandbox sandbox = {.name = "lint", .off = o.no_sandbox};
    tool_sandbox_reads(&sandbox, o.input);
    code = tool_sandbox_enter(&sandbox);
    return code ? code : lint(&o);
}
