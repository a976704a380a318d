/* The set's row of isa/sets.h. */
#include "isa/sets.h"
#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/lint.h"
#include "isa/vc4_qpu/ports.h"
#include "isa/vc4_qpu/program.h"

static uint32_t line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    vc4_qpu_disasm(((const uint64_t *)words)[at], at, text);
    return 1;
}

/* By enum vc4_qpu_stage. */
static const char *const stages[] = {"", "fragment", "vertex", "coordinate", "user", NULL};

static int lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data)
{
    struct vc4_qpu_lint_options options = vc4_qpu_lint_nothing_known;
    options.stage = (enum vc4_qpu_stage)stage;
    return vc4_qpu_lint(words, count, &options, found, data);
}

const struct isa_fault_row vc4_qpu_faults[VC4_QPU_FAULT_COUNT] = {
    [VC4_QPU_OK] = {ISA_FAULT_PROGRAM, "stopped"},
    [VC4_QPU_FAULT_FUEL] = {ISA_FAULT_ENDLESS, "loops repeat more instructions than the fuel allows"},
    [VC4_QPU_FAULT_PC] = {ISA_FAULT_PROGRAM, "branch outside the program"},
    [VC4_QPU_FAULT_UNIFORM] = {ISA_FAULT_MEMORY, "uniform read outside memory"},
    [VC4_QPU_FAULT_MEMORY] = {ISA_FAULT_MEMORY, "lookup outside memory"},
    [VC4_QPU_FAULT_TMU_EMPTY] = {ISA_FAULT_PROGRAM, "texture result loaded without a request"},
    [VC4_QPU_FAULT_TMU_FULL] = {ISA_FAULT_PROGRAM, "too many texture requests outstanding"},
    [VC4_QPU_FAULT_VPM] = {ISA_FAULT_PROGRAM, "VPM access without a set-up, or past its block"},
    [VC4_QPU_FAULT_RESERVED] = {ISA_FAULT_PROGRAM, "reserved operation, signal or register"},
    [VC4_QPU_FAULT_UNSUPPORTED] = {ISA_FAULT_UNSUPPORTED, "an access that such programs do not have"},
};

static int create(const void *words, uint32_t count, void **program, struct util_error *error)
{
    struct vc4_qpu_program *p = NULL;
    int status = vc4_qpu_program_create(words, count, &p, error);
    *program = p;
    return status;
}

static void destroy(void *program)
{
    vc4_qpu_program_destroy(program);
}

static bool repeats(const void *program)
{
    return ((const struct vc4_qpu_program *)program)->repeats;
}

const struct isa_set vc4_qpu_set = {
    .name = "vc4-qpu",
    .description = "VideoCore IV QPU",
    .counts = "instruction",
    .word_bytes = VC4_QPU_WORD_BYTES,
    .syntax = &vc4_qpu_syntax,
    .line = line,
    .disassemble = vc4_qpu_disasm_program,
    .check = vc4_qpu_check,
    .stages = stages,
    .rules = vc4_qpu_rules,
    .lint = lint,
    .create = create,
    .destroy = destroy,
    .repeats = repeats,
    .random = vc4_qpu_random,
};
