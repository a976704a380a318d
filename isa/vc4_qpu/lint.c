/* The linter: the checker's findings, those of single instructions, and the data flow's. */
#include "isa/vc4_qpu/lint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/lint_internal.h"
#include "util/bits.h"

#define RULE(name, text, source) +1
enum {
    CHECK_COUNT = 0
#include "isa/vc4_qpu/rules.inc"
};

static const struct isa_rule rules[] = {
#define RULE(name, text, source) {#name, ISA_ERROR, text, source},
#include "isa/vc4_qpu/rules.inc"
#define LINT(name, severity, text, source) {#name, ISA_##severity, text, source},
#include "isa/vc4_qpu/lint_rules.inc"
};

const struct vc4_qpu_lint_options vc4_qpu_lint_nothing_known = {
    .varyings = -1, .rows_in = -1, .rows_out = -1};

const struct isa_rule *vc4_qpu_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

const struct isa_rule *vc4_qpu_lint_rule(enum vc4_qpu_lint_rule rule)
{
    return &rules[CHECK_COUNT + rule];
}

const char *vc4_qpu_stage_name(enum vc4_qpu_stage stage)
{
    static const char *const names[] = {"", "fragment", "vertex", "coordinate", "user"};
    return names[stage];
}

void vc4_qpu_lint_report(struct vc4_qpu_lint *lint, uint32_t pc, enum vc4_qpu_lint_rule rule,
                         const char *detail, ...)
{
    struct isa_finding finding = {.rule = vc4_qpu_lint_rule(rule), .pc = pc};
    va_list args;
    if (!lint->report || lint->reported[pc] >> rule & 1)
        return;
    lint->reported[pc] |= 1ull << rule;
    va_start(args, detail);
    vsnprintf(finding.detail, sizeof finding.detail, detail, args);
    va_end(args);
    lint->found(lint->data, &finding);
}

void vc4_qpu_lint_found(struct vc4_qpu_lint *lint, uint32_t pc, enum vc4_qpu_lint_rule rule)
{
    vc4_qpu_lint_report(lint, pc, rule, "%s", "");
}

/* ---- the checker ---- */

static void from_checker(void *data, uint32_t pc, const char *text, const char *source)
{
    struct vc4_qpu_lint *lint = data;
    struct isa_finding finding = {.rule = vc4_qpu_lint_rule(VC4_QPU_LINT_STRUCTURE), .pc = pc};
    for (unsigned i = 0; i < CHECK_COUNT; i++)
        if (!strcmp(rules[i].text, text))
            finding.rule = &rules[i];
    if (finding.rule == vc4_qpu_lint_rule(VC4_QPU_LINT_STRUCTURE)) { /* "pc N: why" */
        const char *why = strstr(text, ": ");
        unsigned at;
        if (sscanf(text, "pc %u", &at) == 1 && at < lint->count)
            finding.pc = at;
        snprintf(finding.detail, sizeof finding.detail, "%s", why ? why + 2 : text);
    }
    lint->found(lint->data, &finding);
}

/* ---- single instructions ---- */

/* Accesses to the VPM besides a read together with a write. */
static bool crowds_vpm(const struct vc4_qpu_insn *insn)
{
    unsigned reads = 0, writes = 0, others = 0;
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
        writes += w.happens && w.waddr == VC4_QPU_W_VPM;
        others += w.happens && (w.waddr == VC4_QPU_W_VPM_SETUP || w.waddr == VC4_QPU_W_VPM_ADDR);
    }
    reads += vc4_qpu_reads(insn, VC4_QPU_R_VPM);
    for (unsigned address = VC4_QPU_R_VPM_BUSY; address <= VC4_QPU_R_VPM_WAIT; address++)
        others += (unsigned)vc4_qpu_reads_a(insn, address) + vc4_qpu_reads_b(insn, address);
    bool tmu = insn->sig == VC4_QPU_SIG_LOAD_TMU0 || insn->sig == VC4_QPU_SIG_LOAD_TMU1;
    unsigned all = reads + writes + others;
    return others ? all + tmu > 1 : tmu && all;
}

/* Guide table 9: packs 4 to 7 of the multiplier write one byte. */
static bool packs_byte_to_io(const struct vc4_qpu_insn *insn)
{
    struct vc4_qpu_write w = vc4_qpu_write_of(insn, 1);
    bool io = w.waddr > VC4_QPU_W_ACC3 && w.waddr != VC4_QPU_W_ACC5 && w.waddr != VC4_QPU_W_NOP;
    return insn->kind == VC4_QPU_ALU && insn->pm && insn->pack >= 4 && insn->pack <= 7 && w.happens && io;
}

static bool conditional_peripheral(const struct vc4_qpu_insn *insn)
{
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
        bool triggers =
            w.waddr == VC4_QPU_W_TMU0_S || w.waddr == VC4_QPU_W_TMU1_S || w.waddr == VC4_QPU_W_VPM;
        if (insn->kind != VC4_QPU_BRANCH && w.happens && !w.always && triggers)
            return true;
    }
    return false;
}

static bool fragment_only(const struct vc4_qpu_insn *insn)
{
    return vc4_qpu_reads(insn, VC4_QPU_R_VARYING) || vc4_qpu_lint_writes_tlb(insn) ||
           vc4_qpu_lint_loads_tlb(insn) || vc4_qpu_lint_writes(insn, VC4_QPU_W_TLB_STENCIL) ||
           vc4_qpu_lint_switches(insn) || insn->sig == VC4_QPU_SIG_SCOREBOARD_WAIT ||
           insn->sig == VC4_QPU_SIG_SCOREBOARD_UNLOCK;
}

static void lint_one(struct vc4_qpu_lint *lint, const struct vc4_qpu_insn *insn, uint32_t pc)
{
    uint32_t word;
    if (conditional_peripheral(insn))
        vc4_qpu_lint_found(lint, pc, VC4_QPU_LINT_CONDITIONAL_PERIPHERAL);
    if (packs_byte_to_io(insn))
        vc4_qpu_lint_found(lint, pc, VC4_QPU_LINT_BYTE_PACK_TO_IO);
    if (crowds_vpm(insn))
        vc4_qpu_lint_found(lint, pc, VC4_QPU_LINT_VPM_CONCURRENT);
    if (insn->kind == VC4_QPU_BRANCH && insn->branch_reg && insn->branch_raddr & 1)
        vc4_qpu_lint_report(lint, pc, VC4_QPU_LINT_BRANCH_SETS_FLAGS, "ra%u", insn->branch_raddr);
    if (vc4_qpu_lint_writes(insn, VC4_QPU_W_TLB_STENCIL) && vc4_qpu_lint_immediate(insn, &word) &&
        (word >> 30 == 1 || word >> 30 == 2))
        vc4_qpu_lint_report(lint, pc, VC4_QPU_LINT_STENCIL_FACING, "0x%08x", word);
    if (lint->options.stage > VC4_QPU_STAGE_FRAGMENT && fragment_only(insn))
        vc4_qpu_lint_report(lint, pc, VC4_QPU_LINT_OUTSIDE_FRAGMENT, "%s program",
                            vc4_qpu_stage_name(lint->options.stage));
}

/* ---- the program as a whole ---- */

static void lint_ends(struct vc4_qpu_lint *lint)
{
    const struct vc4_qpu_program *p = lint->program;
    for (uint32_t i = 0; i < p->block_count; i++) {
        const struct vc4_qpu_block *b = &p->blocks[i];
        if (b->branch != VC4_QPU_NO_OFFSET || b->successor[0] != VC4_QPU_NO_OFFSET || b->count < 3)
            continue;
        uint32_t end = b->first + b->count - 3;
        for (uint32_t pc = end; pc <= end + 1; pc++)
            if (vc4_qpu_lint_writes(&p->insns[pc], VC4_QPU_W_TLB_Z))
                vc4_qpu_lint_found(lint, pc, VC4_QPU_LINT_Z_NEAR_END);
    }
}

/* `seen` has a mark for each instruction that is reached. The first of each run that is not is reported. */
static void lint_unreached(struct vc4_qpu_lint *lint, const bool *seen)
{
    for (uint32_t pc = 0; pc < lint->count; pc++) {
        if (seen[pc] || (pc && !seen[pc - 1]))
            continue;
        uint32_t end = pc;
        while (end < lint->count && !seen[end])
            end++;
        vc4_qpu_lint_report(lint, pc, VC4_QPU_LINT_UNREACHABLE, "%u of them", end - pc);
    }
}

/* Two threads share the registers: each has the lower 16 of a file (Guide section 3, Thread Control). */
static void lint_threads(struct vc4_qpu_lint *lint, const bool *seen)
{
    const struct vc4_qpu_program *p = lint->program;
    for (uint32_t pc = 0; pc < p->insn_count; pc++) {
        struct vc4_qpu_lint_facts facts;
        const uint64_t upper = 0xffff0000ffff0000;
        if (!seen[pc])
            continue;
        vc4_qpu_lint_facts(&p->insns[pc], &facts);
        if (lint->options.threads == 1 && vc4_qpu_lint_switches(&p->insns[pc]))
            vc4_qpu_lint_report(lint, pc, VC4_QPU_LINT_THREADABLE,
                                "a switch, and the record says one thread");
        if (lint->options.threads == 2 && (facts.reads.bits[0] | facts.writes.bits[0]) & upper)
            vc4_qpu_lint_report(lint, pc, VC4_QPU_LINT_THREADABLE,
                                "a register above 15, and the record allows two threads");
    }
}

static int lint_program(struct vc4_qpu_lint *lint)
{
    const struct vc4_qpu_program *p = lint->program;
    bool *seen = calloc(lint->count, sizeof *seen);
    uint32_t *sample_of = malloc(lint->count * sizeof *sample_of);
    int error = seen && sample_of ? 0 : -ENOMEM;
    if (error)
        goto out;
    memset(sample_of, 0xff, lint->count * sizeof *sample_of);
    for (uint32_t i = 0; i < p->sample_count; i++)
        sample_of[p->samples[i].insn] = i;
    lint->sample_of = sample_of;
    for (uint32_t i = 0; i < p->block_count; i++)
        memset(seen + p->blocks[i].first, true, p->blocks[i].count);
    lint->report = true;
    for (uint32_t pc = 0; pc < p->insn_count; pc++) {
        if (!seen[pc])
            continue;
        lint_one(lint, &p->insns[pc], pc);
        lint->has_last |= p->insns[pc].sig == VC4_QPU_SIG_LAST_THREAD_SWITCH;
        if (p->computed_branches && p->insns[pc].kind == VC4_QPU_BRANCH && p->insns[pc].branch_reg)
            vc4_qpu_lint_found(lint, pc, VC4_QPU_LINT_COMPUTED_BRANCH);
    }
    lint_ends(lint);
    lint_threads(lint, seen);
    if (!p->computed_branches) {
        lint_unreached(lint, seen);
        lint->report = false;
        error = vc4_qpu_lint_flow(lint);
    }
out:
    lint->sample_of = NULL;
    free(seen);
    free(sample_of);
    return error;
}

int vc4_qpu_lint(const uint64_t *words, uint32_t count, const struct vc4_qpu_lint_options *options,
                 isa_lint_fn found, void *data)
{
    struct vc4_qpu_lint lint = {.options = *options, .count = count, .found = found, .data = data};
    struct vc4_qpu_program *program = NULL;
    struct util_error message = {0};
    if (count > VC4_QPU_MAX_INSNS)
        return -E2BIG;
    vc4_qpu_check(words, count, from_checker, &lint);
    int error = vc4_qpu_program_create(words, count, &program, &message);
    if (error)
        return error == -ENOMEM ? error : 0; /* the checker has said it */
    lint.program = program;
    lint.reported = calloc(count, sizeof *lint.reported);
    error = lint.reported ? lint_program(&lint) : -ENOMEM;
    free(lint.reported);
    vc4_qpu_program_destroy(program);
    return error;
}
