/* The linter over a capture: every program that a binning list or the QPU scheduler names, against its shader
 * record, its uniforms and the primitives drawn with it; nothing is executed. The rules are those of
 * isa/vc4_qpu/lint.h. */
#ifndef VITRAIL_GPU_VC4_LINT_H
#define VITRAIL_GPU_VC4_LINT_H

#include "gpu/capture.h"
#include "isa/vc4_qpu/lint.h"

struct vc4_lint_finding {
    const struct vc4_qpu_rule *rule;
    const char *detail;       /* "" or more */
    enum vc4_qpu_stage stage; /* UNKNOWN: the finding is about a control record */
    uint64_t job;             /* as captures count them: writes of CT0EA and SRQPC, from 1 */
    uint32_t draw;            /* primitive list of the job, from 1; 0: none */
    uint32_t address;         /* guest address of the program, or of the record */
    uint32_t pc;              /* instruction, or UINT32_MAX */
    uint64_t word;            /* the instruction */
};
/* Valid during the call. */
typedef void (*vc4_lint_fn)(void *data, const struct vc4_lint_finding *finding);

struct vc4_lint_summary {
    uint64_t jobs, draws;
    uint64_t programs; /* that differ */
};

/* Reads the capture to its end and reports each finding where it is met first: the same program in the same
 * role is looked at once. Programs and lists that cannot be followed are findings or are passed over: what a
 * guest may do wrong there is told by running it. 0; -EBADMSG: damaged; -ENOTSUP: of another GPU; -ENOMEM. */
int vc4_lint_capture(struct capture_reader *reader, vc4_lint_fn found, void *data,
                     struct vc4_lint_summary *summary, struct util_error *error);

#endif
