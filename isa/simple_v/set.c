/* The set's row of isa/sets.h. */
#include "isa/sets.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/lint.h"
#include "isa/simple_v/ports.h"
#include "isa/simple_v/program.h"

static uint32_t line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    return simple_v_disasm(words, count, at, text);
}

static const char *const stages[] = {"", "vertex", "fragment", NULL};

const struct isa_fault_row simple_v_faults[SIMPLE_V_FAULT_COUNT] = {
    [SIMPLE_V_OK] = {ISA_FAULT_PROGRAM, "stopped"},
    [SIMPLE_V_FAULT_FUEL] = {ISA_FAULT_ENDLESS, "loops for too long"},
    [SIMPLE_V_FAULT_ILLEGAL] = {ISA_FAULT_PROGRAM, "executes an illegal instruction"},
    [SIMPLE_V_FAULT_FETCH] = {ISA_FAULT_MEMORY, "goes where no code is"},
    [SIMPLE_V_FAULT_LOAD] = {ISA_FAULT_MEMORY, "loads from where nothing is"},
    [SIMPLE_V_FAULT_STORE] = {ISA_FAULT_MEMORY, "stores to where nothing may be stored"},
    [SIMPLE_V_FAULT_MISALIGNED] = {ISA_FAULT_PROGRAM, "uses an address that is not aligned"},
    [SIMPLE_V_FAULT_OVERRUN] = {ISA_FAULT_PROGRAM, "has a vector beyond the register file"},
    [SIMPLE_V_FAULT_LENGTH] = {ISA_FAULT_PROGRAM, "sets a vector length out of range"},
    [SIMPLE_V_FAULT_CALL] = {ISA_FAULT_UNSUPPORTED, "makes a call that nobody takes"},
    [SIMPLE_V_FAULT_BREAK] = {ISA_FAULT_PROGRAM, "stops at a breakpoint"},
};

/* Programs by themselves stand somewhere. */
enum { ADDRESS = 0x10000 };

static int create(const void *words, uint32_t count, void **program, struct util_error *error)
{
    struct simple_v_program *p = NULL;
    const int status = simple_v_program_create(words, count, ADDRESS, &p, error);
    *program = p;
    return status;
}

static void destroy(void *program)
{
    simple_v_program_destroy(program);
}

static bool repeats(const void *program)
{
    return ((const struct simple_v_program *)program)->repeats;
}

const struct isa_set simple_v_set = {
    .name = "simple-v",
    .description = "Libre-SOC: RV64GC with Simple-V",
    .counts = "halfword",
    .word_bytes = SIMPLE_V_WORD_BYTES,
    .syntax = &simple_v_syntax,
    .line = line,
    .disassemble = simple_v_disasm_program,
    .check = simple_v_check,
    .stages = stages,
    .rules = simple_v_rules,
    .lint = simple_v_lint,
    .create = create,
    .destroy = destroy,
    .repeats = repeats,
    .random = simple_v_random,
};
