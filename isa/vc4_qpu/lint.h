/* The linter: everything known to be wrong, or suspicious, in a program without running it. It finds what the
 * checker (asm.h) finds - the Guide's restrictions on neighbouring instructions - and what needs the flow of
 * data over the whole program: registers nobody wrote, accumulators lost in a thread switch, queues of the
 * texture unit and of the vertex memory that run empty or over, tile-buffer order, DMA, mutex; and what
 * vc4asm's author measured on silicon.
 *
 * The data-flow rules never cry wolf for want of knowledge: what a path-insensitive analysis cannot tell (a
 * set-up word that was computed, a branch to a register) is taken to be right. */
#ifndef VITRAIL_ISA_VC4_QPU_LINT_H
#define VITRAIL_ISA_VC4_QPU_LINT_H

#include <stdint.h>

#include "isa/rule.h"
#include "isa/vc4_qpu/program.h"

/* All rules, of the checker, of the linter and of captures (gpu/lint.h); *count of them. */
const struct isa_rule *vc4_qpu_rules(uint32_t *count);

/* Numbers of those rules that others report. */
enum vc4_qpu_lint_rule {
#define LINT(name, severity, text, source) VC4_QPU_LINT_##name,
#include "isa/vc4_qpu/lint_rules.inc"
    VC4_QPU_LINT_COUNT
};
const struct isa_rule *vc4_qpu_lint_rule(enum vc4_qpu_lint_rule rule);

/* What a program is for. It decides what is there at its start, and what it may touch. */
enum vc4_qpu_stage {
    VC4_QPU_STAGE_UNKNOWN, /* nothing is held against it that is right in some stage */
    VC4_QPU_STAGE_FRAGMENT,
    VC4_QPU_STAGE_VERTEX,
    VC4_QPU_STAGE_COORDINATE,
    VC4_QPU_STAGE_USER,
};
const char *vc4_qpu_stage_name(enum vc4_qpu_stage stage); /* "fragment", ... "" when unknown */

/* What the shader record says that the program must keep to; -1: not known. */
struct vc4_qpu_lint_options {
    enum vc4_qpu_stage stage;
    int varyings; /* fragment: that are set up for it, those of points and lines included */
    int rows_in;  /* vertex, coordinate: 32-bit rows that the attributes take in the VPM */
    int rows_out; /* rows that it must write at least */
    int threads;  /* fragment: 1, or 2 when the record does not say single-threaded */
};
extern const struct vc4_qpu_lint_options vc4_qpu_lint_nothing_known;

/* Calls `found` for each finding, a rule at most once an instruction, those of the checker first. Returns 0,
 * or -E2BIG, -ENOMEM. A program whose structure is broken (see vc4_qpu_program_create) has that as a finding,
 * and only the rules about neighbours are applied. */
int vc4_qpu_lint(const uint64_t *words, uint32_t count, const struct vc4_qpu_lint_options *options,
                 isa_lint_fn found, void *data);

#endif
