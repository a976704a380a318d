/* The set's row of isa/sets.h. */
#include <string.h>

#include "isa/midgard/asm.h"
#include "isa/midgard/lint.h"
#include "isa/midgard/ports.h"
#include "isa/sets.h"
#include "util/bits.h"

/* What no text shows takes a line a quadword there: one line here. */
static uint32_t line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    uint32_t taken = midgard_disasm(words, count, at, text);
    for (char *end = text; (end = strchr(end, '\n'));)
        *end = ' ';
    return UTIL_MAX(taken, 1u);
}

static const char *const stages[] = {"", "vertex", "fragment", "compute", NULL};

const struct isa_fault_row midgard_faults[MIDGARD_FAULT_COUNT] = {
    [MIDGARD_OK] = {ISA_FAULT_PROGRAM, "stopped"},
    [MIDGARD_FAULT_FUEL] = {ISA_FAULT_ENDLESS, "loops repeat more instructions than the fuel allows"},
    [MIDGARD_FAULT_RESERVED] = {ISA_FAULT_PROGRAM, "reserved operation, mode or register"},
    [MIDGARD_FAULT_UNSUPPORTED] = {ISA_FAULT_UNSUPPORTED, "an operation that no document explains"},
    [MIDGARD_FAULT_ADDRESS] = {ISA_FAULT_MEMORY, "an address outside what the program may reach"},
    [MIDGARD_FAULT_TRAP] = {ISA_FAULT_PROGRAM, "a trap"},
};

/* As of a T860, which has all tags and registers of its own for textures. */
static int create(const void *words, uint32_t count, void **program, struct util_error *error)
{
    static const struct midgard_traits traits;
    struct midgard_program *p = NULL;
    int status = midgard_program_create(words, count, 0, &traits, &p, error);
    *program = p;
    return status;
}

static void destroy(void *program)
{
    midgard_program_destroy(program);
}

static bool repeats(const void *program)
{
    return ((const struct midgard_program *)program)->repeats;
}

const struct isa_set midgard_set = {
    .name = "midgard",
    .description = "Mali Midgard: T600, T700 and T800 series",
    .counts = "quadword",
    .word_bytes = MIDGARD_WORD_BYTES,
    .syntax = &midgard_syntax,
    .line = line,
    .disassemble = midgard_disasm_program,
    .check = midgard_check,
    .stages = stages,
    .rules = midgard_rules,
    .lint = midgard_lint,
    .create = create,
    .destroy = destroy,
    .repeats = repeats,
    .random = midgard_random,
};
