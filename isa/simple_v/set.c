/* The set's row of isa/sets.h. It has an interpreter (interp.h), but no translation yet, and so no program that tools would
 * compile. */
#include "isa/sets.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/lint.h"

static uint32_t line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    return simple_v_disasm(words, count, at, text);
}

static const char *const stages[] = {"", "vertex", "fragment", NULL};

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
};
