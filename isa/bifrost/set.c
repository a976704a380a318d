/* The set's row of isa/sets.h. */
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lint.h"
#include "isa/bifrost/lower.h"
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

static int create(const void *words, uint32_t count, void **program, struct util_error *error)
{
    struct warp_program *p = NULL;
    int status = bifrost_executable_create(words, count, &p, error);
    *program = p;
    return status;
}

static void destroy(void *program)
{
    warp_program_destroy(program);
}

static bool repeats(const void *program)
{
    return ((const struct warp_program *)program)->repeats;
}

static bool executes(const void *program, uint32_t n, uint32_t *at)
{
    const struct warp_program *p = program;
    *at = n < p->insn_count ? p->insns[n].at : 0;
    return n < p->insn_count;
}

const struct isa_set bifrost_set = {
    .name = "bifrost",
    .description = "Mali Bifrost: G31, G51, G52, G71, G72, G76",
    .counts = "quadword",
    .word_bytes = BIFROST_WORD_BYTES,
    .syntax = &bifrost_syntax,
    .line = line,
    .part = bifrost_disasm_part,
    .disassemble = bifrost_disasm_program,
    .check = bifrost_check,
    .stages = stages,
    .rules = bifrost_rules,
    .lint = bifrost_lint,
    .create = create,
    .destroy = destroy,
    .repeats = repeats,
    .executes = executes,
    .random = bifrost_random,
};
