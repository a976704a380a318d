/* The set's row of isa/sets.h: text and rules. It does not execute yet. */
#include "isa/sets.h"
#include "isa/valhall/asm.h"
#include "isa/valhall/lint.h"

static uint32_t line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    valhall_disasm(words, count, at, text);
    return 1;
}

static const char *const stages[] = {"", "vertex", "fragment", "compute", NULL};

const struct isa_set valhall_set = {
    .name = "valhall",
    .description = "Mali Valhall v9: G57",
    .counts = "instruction",
    .word_bytes = VALHALL_WORD_BYTES,
    .syntax = &valhall_syntax,
    .line = line,
    .disassemble = valhall_disasm_program,
    .check = valhall_check,
    .stages = stages,
    .rules = valhall_rules,
    .lint = valhall_lint,
    .random = valhall_random,
};
