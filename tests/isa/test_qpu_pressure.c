/* The pressure of programs whose live values can be counted by eye. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/pressure.h"

#define END "nop ; thrend\nnop\nnop\n"

static unsigned pressure(const char *text)
{
    struct util_error error = {0};
    struct vc4_qpu_program *program = NULL;
    uint64_t *words;
    uint32_t count;
    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s\nin\n%s", error.text, text);
    assert_int_equal(vc4_qpu_program_create(words, count, &program, &error), 0);
    unsigned most = vc4_qpu_pressure(program);
    vc4_qpu_program_destroy(program);
    free(words);
    return most;
}

static void test_pressure(void **state)
{
    assert_int_equal(pressure(END), 0);
    assert_int_equal(pressure("mov r0, unif\nmov vpm, r0\n" END), 1);
    /* A chain keeps one value; a register that nobody reads again is free. */
    assert_int_equal(pressure("mov r0, unif\nfadd r1, r0, r0\nfadd r2, r1, r1\nmov vpm, r2\n" END), 1);
    /* Both files and accumulators count, each file by itself. */
    assert_int_equal(pressure("mov ra1, unif\nmov rb1, unif\nmov r1, unif\n"
                              "fadd r1, ra1, r1\nfadd vpm, rb1, r1\n" END),
                     3);
    /* A small immediate is no register. */
    assert_int_equal(pressure("mov r0, unif\nfadd vpm, r0, 1.0\n" END), 1);
    /* A conditional write and a packed one leave something of what was there. */
    assert_int_equal(pressure("mov r1, unif\nmov r0, unif\nmov.zs r0, r1\nmov vpm, r0\n" END), 2);
    assert_int_equal(pressure("mov ra2, unif\nmov r1, unif\nftoi ra2.16a, r1\nmov vpm, ra2\n" END), 2);
    /* r4 lives from the function's request on. */
    assert_int_equal(pressure("mov r0, unif\nmov recip, r0\nnop\nnop\nmov vpm, r4\n" END), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pressure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
