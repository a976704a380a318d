/* The set's row of isa/sets.h. */
#include <string.h>

#include "isa/sets.h"
#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/lint.h"
#include "isa/utgard_pp/ports.h"
#include "util/bits.h"

/* The lengths of the instructions that may follow say nothing of this one. */
static void drop_lengths(char text[ISA_LINE_MAX], const char *before)
{
    size_t name = strlen(before);
    for (char *part = text; (part = strstr(part, before));) {
        size_t length = name + strspn(part + name, "0123456789");
        memmove(part, part + length, strlen(part + length) + 1);
    }
}

/* What no text shows takes a line a word there: one line here. */
static uint32_t line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    uint32_t taken = utgard_pp_disasm(words, count, at, text);
    for (char *end = text; (end = strchr(end, '\n'));)
        *end = ' ';
    drop_lengths(text, " ; next ");
    drop_lengths(text, ", next ");
    return UTIL_MAX(taken, 1u);
}

static const char *const stages[] = {"", "fragment", NULL};

const struct isa_fault_row utgard_pp_faults[UTGARD_PP_FAULT_COUNT] = {
    [UTGARD_PP_OK] = {ISA_FAULT_PROGRAM, "stopped"},
    [UTGARD_PP_FAULT_FUEL] = {ISA_FAULT_ENDLESS, "loops repeat more instructions than the fuel allows"},
    [UTGARD_PP_FAULT_RESERVED] = {ISA_FAULT_PROGRAM, "reserved operation, register or source"},
    [UTGARD_PP_FAULT_ADDRESS] = {ISA_FAULT_PROGRAM, "an address outside what the program may reach"},
};

static int create(const void *words, uint32_t count, void **program, struct util_error *error)
{
    struct utgard_pp_program *p = NULL;
    int status = utgard_pp_program_create(words, count, &p, error);
    *program = p;
    return status;
}

static void destroy(void *program)
{
    utgard_pp_program_destroy(program);
}

static bool repeats(const void *program)
{
    return ((const struct utgard_pp_program *)program)->repeats;
}

const struct isa_set utgard_pp_set = {
    .name = "utgard-pp",
    .description = "Mali-400 and -450 fragment processor",
    .counts = "word",
    .word_bytes = UTGARD_PP_WORD_BYTES,
    .syntax = &utgard_pp_syntax,
    .line = line,
    .disassemble = utgard_pp_disasm_program,
    .check = utgard_pp_check,
    .stages = stages,
    .rules = utgard_pp_rules,
    .lint = utgard_pp_lint,
    .create = create,
    .destroy = destroy,
    .repeats = repeats,
    .random = utgard_pp_random,
};
