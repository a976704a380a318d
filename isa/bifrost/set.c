/* The set's row of isa/sets.h. */
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lint.h"
#include "isa/bifrost/program.h"
#include "isa/sets.h"
#include "util/bits.h"

/* What no text shows takes a line a quadword there: one line here. */
static uint32_t line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    uint32_t taken = bifrost_disasm(words, count, at, text);
    for (char *end = text; (end = strchr(end, '\n'));)
        *end = ' ';
    return UTIL_MAX(taken, 1u);
}

static const char *const stages[] = {"", "vertex", "fragment", "compute", NULL};

/* Text and rules: it does not execute yet, and has no random programs. */
const struct isa_set bifrost_set = {
    .name = "bifrost",
    .description = "Mali Bifrost: G31, G51, G52, G71, G72, G76",
    .counts = "quadword",
    .word_bytes = BIFROST_WORD_BYTES,
    .syntax = &bifrost_syntax,
    .line = line,
    .disassemble = bifrost_disasm_program,
    .check = bifrost_check,
    .stages = stages,
    .rules = bifrost_rules,
    .lint = bifrost_lint,
};
