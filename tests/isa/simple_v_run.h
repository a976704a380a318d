/* A thread of Simple-V in the interpreter, for tests: some memory, and programs in text. Included by one file a test. */
#ifndef VITRAIL_TESTS_ISA_SIMPLE_V_RUN_H
#define VITRAIL_TESTS_ISA_SIMPLE_V_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"
#include "isa/simple_v/interp.h"

enum { CODE = 0x1000, MEMORY = 0x8000, MEMORY_BYTES = 0x1000 };

static struct simple_v_state s;
static struct simple_v_report report;
static uint8_t memory[MEMORY_BYTES];
static uint64_t limit; /* bytes that there are */

static inline bool there(uint64_t address, unsigned bytes)
{
    return address >= MEMORY && address - MEMORY + bytes <= limit;
}

static inline bool load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    *out = 0;
    if (there(address, bytes))
        memcpy(out, memory + (address - MEMORY), bytes);
    return there(address, bytes);
}

static inline bool store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    if (there(address, bytes))
        memcpy(memory + (address - MEMORY), &value, bytes);
    return there(address, bytes);
}

static const struct simple_v_ports ports = {NULL, load, store, NULL};

/* Registers hold their numbers in each byte, memory its address. */
static inline void begin(unsigned vl)
{
    simple_v_start(&s, CODE);
    for (unsigned n = 8; n < SIMPLE_V_FILE_BYTES; n++)
        s.x[n] = s.f[n] = (uint8_t)(n / 8);
    for (unsigned n = 0; n < MEMORY_BYTES; n++)
        memory[n] = (uint8_t)n;
    s.mvl = s.vl = (uint8_t)vl;
    limit = MEMORY_BYTES;
}

/* Runs the text to its end, from s.pc. */
static inline enum simple_v_fault run(const char *text)
{
    struct util_error error = {0};
    struct simple_v_program *program;
    void *words;
    uint32_t count;
    if (simple_v_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s: %s", text, error.text);
    assert_int_equal(simple_v_program_create(words, count, CODE, &program, NULL), 0);
    const struct simple_v_run r = {
        .program = program, .ports = &ports, .stop = CODE + 2 * count, .fuel = 10000};
    simple_v_run(&r, &s, &report);
    simple_v_program_destroy(program);
    free(words);
    return report.fault;
}

static inline void runs(const char *text)
{
    if (run(text))
        fail_msg("%s: %s: %s %s", text, report.name, simple_v_faults[report.fault].text, report.why.text);
}

static inline void x_is(unsigned reg, uint64_t value)
{
    if (simple_v_x(&s, reg) != value)
        fail_msg("x%u is %016" PRIx64 ", not %016" PRIx64, reg, simple_v_x(&s, reg), value);
}
static inline void f_is(unsigned reg, uint64_t value)
{
    if (simple_v_f(&s, reg) != value)
        fail_msg("f%u is %016" PRIx64 ", not %016" PRIx64, reg, simple_v_f(&s, reg), value);
}

#endif
