/* The checker's findings, and the program taken whole. */
#include "isa/bifrost/lint.h"

#include <errno.h>
#include <stdio.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lower.h"
#include "util/bits.h"

static const struct isa_rule rules[] = {
    {"STRUCTURE", ISA_ERROR, "the program cannot be followed", "Mesa: disassemble.c (disassemble_bifrost)"},
#define RULE(name, text, source) {#name, ISA_ERROR, text, source},
#include "isa/bifrost/rules.inc"
    {"HALF_RESULTS", ISA_WARNING,
     "both results of a clause's last tuple are written by their lower halves: whole ones have no encoding "
     "there, "
     "and who encodes them gets these",
     "Mesa: bi_schedule.c (bi_instr_schedulable), bi_pack.c (bi_pack_registers)"},
    {"UNEXPLAINED", ISA_NOTE, "it faults when it is executed: no document explains it",
     "README.md, Execution"},
};
enum { UNEXPLAINED = UTIL_ARRAY_SIZE(rules) - 1, HALF_RESULTS = UNEXPLAINED - 1 };

const struct isa_rule *bifrost_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

static int take(const void *words, uint32_t count, struct util_error *error)
{
    struct bifrost_program *program;
    int status = bifrost_program_create(words, count, &program, error);

    if (!status)
        bifrost_program_destroy(program);
    return status;
}

static bool has_half_results(const struct bifrost_clause *clause)
{
    const struct bifrost_insn *insn = clause->tuple[clause->tuple_count - 1].insn;
    return insn[BIFROST_FMA].result.halves == 1 && insn[BIFROST_ADD].result.halves == 1;
}

/* The register block that has the last tuple's results is the first tuple's, which keeps four of five bits of its mode. */
static void tell_half_results(const void *words, uint32_t count, isa_lint_fn found, void *data)
{
    struct bifrost_clause clause;
    for (uint32_t at = 0, length; at < count; at += length ? length : 1) {
        length = bifrost_decode(words, count, at, &clause, NULL);
        if (!length || !has_half_results(&clause))
            continue;
        const struct bifrost_insn *insn = clause.tuple[clause.tuple_count - 1].insn;
        struct isa_finding finding = {.rule = &rules[HALF_RESULTS], .pc = at};
        snprintf(finding.detail, sizeof finding.detail, "r%u and r%u", insn[BIFROST_FMA].result.reg,
                 insn[BIFROST_ADD].result.reg);
        found(data, &finding);
    }
}

/* What would fault. */
static int tell_unexplained(const void *words, uint32_t count, isa_lint_fn found, void *data)
{
    struct warp_program *program = NULL;
    int status = bifrost_executable_create(words, count, &program, NULL);
    if (!status)
        warp_tell_unsupported(program, &rules[UNEXPLAINED], found, data);
    warp_program_destroy(program);
    return status == -EBADMSG ? 0 : status;
}

int bifrost_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data)
{
    static const struct isa_checked set = {rules, UTIL_ARRAY_SIZE(rules), bifrost_check, take};

    (void)stage;
    int status = isa_lint_checked(&set, words, count, found, data);
    if (status)
        return status;
    tell_half_results(words, count, found, data);
    return tell_unexplained(words, count, found, data);
}
