#include "isa/sets.h"

#include <assert.h>
#include <string.h>

#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/lint.h"
#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/lint.h"
#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/lint.h"
#include "util/bits.h"

/* Each set's own functions, over bytes: `unit` bytes an element of `type`. */
#define SET(prefix, type, unit)                                                                              \
    static int prefix##_set_assemble(const char *text, size_t length, void **out, size_t *size,              \
                                     struct util_error *error)                                               \
    {                                                                                                        \
        type *words;                                                                                         \
        uint32_t count;                                                                                      \
        int err = prefix##_asm(text, length, &words, &count, error);                                         \
        if (err)                                                                                             \
            return err;                                                                                      \
        *out = words;                                                                                        \
        *size = (size_t)count * (unit);                                                                      \
        return 0;                                                                                            \
    }                                                                                                        \
    static int prefix##_set_disassemble(FILE *out, const void *bytes, size_t size)                           \
    {                                                                                                        \
        return prefix##_disasm_program(out, bytes, (uint32_t)(size / (unit)));                               \
    }                                                                                                        \
    static unsigned prefix##_set_check(const void *bytes, size_t size, isa_breach_fn found, void *data)      \
    {                                                                                                        \
        return prefix##_check(bytes, (uint32_t)(size / (unit)), found, data);                                \
    }

SET(vc4_qpu, uint64_t, 8)
SET(utgard_gp, uint64_t, 16)
SET(utgard_pp, uint32_t, 4)

/* ---- single instructions ---- */

static_assert(VC4_QPU_TEXT_MAX <= ISA_LINE_MAX && UTGARD_GP_TEXT_MAX <= ISA_LINE_MAX &&
                  UTGARD_PP_TEXT_MAX <= ISA_LINE_MAX,
              "a line holds any instruction");

static uint32_t vc4_qpu_line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    vc4_qpu_disasm(((const uint64_t *)words)[at], at, text);
    return 1;
}

static uint32_t utgard_gp_line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    utgard_gp_disasm((const uint64_t *)words + (size_t)at * UTGARD_GP_WORDS, text);
    return 1;
}

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
static uint32_t utgard_pp_line(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX])
{
    uint32_t taken = utgard_pp_disasm(words, count, at, text);
    for (char *line = text; (line = strchr(line, '\n'));)
        *line = ' ';
    drop_lengths(text, " ; next ");
    drop_lengths(text, ", next ");
    return UTIL_MAX(taken, 1u);
}

/* ---- linters ---- */

static int vc4_qpu_set_lint(const void *bytes, size_t size, unsigned stage, isa_lint_fn found, void *data)
{
    struct vc4_qpu_lint_options options = vc4_qpu_lint_nothing_known;
    options.stage = (enum vc4_qpu_stage)stage;
    return vc4_qpu_lint(bytes, (uint32_t)(size / 8), &options, found, data);
}

static int utgard_gp_set_lint(const void *bytes, size_t size, unsigned stage, isa_lint_fn found, void *data)
{
    return utgard_gp_lint(bytes, (uint32_t)(size / 16), found, data);
}

static int utgard_pp_set_lint(const void *bytes, size_t size, unsigned stage, isa_lint_fn found, void *data)
{
    return utgard_pp_lint(bytes, (uint32_t)(size / 4), found, data);
}

static const char *const vc4_qpu_stages[] = {"", "fragment", "vertex", "coordinate", "user", NULL};
static const char *const utgard_gp_stages[] = {"", "vertex", NULL};
static const char *const utgard_pp_stages[] = {"", "fragment", NULL};

#define ROW(prefix, name, description, counts, bytes)                                                        \
    {name,                                                                                                   \
     description,                                                                                            \
     counts,                                                                                                 \
     bytes,                                                                                                  \
     prefix##_line,                                                                                          \
     prefix##_set_assemble,                                                                                  \
     prefix##_set_disassemble,                                                                               \
     prefix##_set_check,                                                                                     \
     prefix##_stages,                                                                                        \
     prefix##_rules,                                                                                         \
     prefix##_set_lint}

static const struct isa_set sets[] = {
    ROW(vc4_qpu, "vc4-qpu", "VideoCore IV QPU", "instruction", 8),
    ROW(utgard_gp, "utgard-gp", "Mali-400 and -450 vertex processor", "instruction", 16),
    ROW(utgard_pp, "utgard-pp", "Mali-400 and -450 fragment processor", "word", 4),
};

const struct isa_set *isa_set_at(unsigned n)
{
    return n < UTIL_ARRAY_SIZE(sets) ? &sets[n] : NULL;
}

const struct isa_set *isa_set_find(const char *name)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(sets); n++)
        if (strcmp(name, sets[n].name) == 0)
            return &sets[n];
    return NULL;
}
