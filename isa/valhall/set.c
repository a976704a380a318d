/* The set's row of isa/sets.h. */
#include "isa/sets.h"
#include "isa/valhall/asm.h"
#include "isa/valhall/lint.h"
#include "isa/valhall/program.h"

static uint32_t line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    valhall_disasm(words, count, at, text);
    return 1;
}

static const char *const stages[] = {"", "vertex", "fragment", "compute", NULL};

static int create(const void *words, uint32_t count, void **program, struct util_error *error)
{
    struct warp_program *p = NULL;
    int status = valhall_program_create(words, count, &p, error);
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
    .create = create,
    .destroy = destroy,
    .repeats = repeats,
    .random = valhall_random,
};
