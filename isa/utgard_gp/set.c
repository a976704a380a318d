/* The set's row of isa/sets.h. */
#include "isa/sets.h"
#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/lint.h"
#include "isa/utgard_gp/ports.h"
#include "isa/utgard_gp/program.h"

static uint32_t line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    utgard_gp_disasm((const uint64_t *)words + (size_t)at * UTGARD_GP_WORDS, text);
    return 1;
}

static const char *const stages[] = {"", "vertex", NULL};

const struct isa_fault_row utgard_gp_faults[UTGARD_GP_FAULT_COUNT] = {
    [UTGARD_GP_OK] = {ISA_FAULT_PROGRAM, "stopped"},
    [UTGARD_GP_FAULT_FUEL] = {ISA_FAULT_ENDLESS, "loops for too long"},
    [UTGARD_GP_FAULT_RESERVED] = {ISA_FAULT_PROGRAM, "uses a reserved operation or source"},
    [UTGARD_GP_FAULT_ADDRESS] = {ISA_FAULT_PROGRAM, "names a uniform beyond the file"},
};

static int create(const void *words, uint32_t count, void **program, struct util_error *error)
{
    struct utgard_gp_program *p = NULL;
    int status = utgard_gp_program_create(words, count, &p, error);
    *program = p;
    return status;
}

static void destroy(void *program)
{
    utgard_gp_program_destroy(program);
}

static bool repeats(const void *program)
{
    return ((const struct utgard_gp_program *)program)->repeats;
}

const struct isa_set utgard_gp_set = {
    .name = "utgard-gp",
    .description = "Mali-400 and -450 vertex processor",
    .counts = "instruction",
    .word_bytes = UTGARD_GP_WORD_BYTES,
    .syntax = &utgard_gp_syntax,
    .line = line,
    .disassemble = utgard_gp_disasm_program,
    .check = utgard_gp_check,
    .stages = stages,
    .rules = utgard_gp_rules,
    .lint = utgard_gp_lint,
    .create = create,
    .destroy = destroy,
    .repeats = repeats,
    .random = utgard_gp_random,
};
