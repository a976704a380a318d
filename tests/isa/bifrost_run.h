/* Texts of Bifrost run by tests. */
#ifndef VITRAIL_TESTS_ISA_BIFROST_RUN_H
#define VITRAIL_TESTS_ISA_BIFROST_RUN_H

#include <stdlib.h>
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lower.h"
#include "tests/isa/warp_run.h"

static void run(const char *text)
{
    struct util_error error = {0};
    struct warp_program *program = NULL;
    void *words;
    uint32_t count;
    if (bifrost_asm(text, strlen(text), &words, &count, &error) ||
        bifrost_executable_create(words, count, &program, &error))
        fail_msg("%s\n%s", text, error.text);
    run_program(program);
    warp_program_destroy(program);
    free(words);
}

#define NOTHING "*NOP t0\n+NOP t1\n"
#define END     "ds(0) eos {\n" NOTHING "}"

/* Register n of lane l. */
static inline void has(unsigned n, unsigned l, uint32_t value)
{
    assert_int_equal(report.fault, WARP_OK);
    assert_int_equal(state.reg[n][l], value);
}

static inline void faults(const char *text, const char *name)
{
    run(text);
    assert_int_equal(report.fault, WARP_FAULT_UNSUPPORTED);
    assert_string_equal(report.name, name);
}

#endif
