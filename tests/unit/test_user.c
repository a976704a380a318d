/* User programs through the QPU scheduler's registers: requests, uniforms, VPM, DMA, lookups, faults (Guide
 * sections 3, 7 and 10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/user_guest.h"

#define CODE     0x1000u
#define UNIFORMS 0x8000u
#define IN       0x10000u
#define OUT      0x20000u

static void lane_numbers(void **state)
{
    struct user_guest g;
    user_open(&g, (struct user_guest_options){0});
    user_program(&g, CODE,
                 "or ra0, unif, unif\n"
                 "or r1, unif, unif\n"
                 "or r0, elem_num, elem_num\n"
                 "add r0, r0, r1\n"
                 "ldi vw_setup, 0x1a00\n"
                 "or vpm, r0, r0\n"
                 "ldi vw_setup, 0x80904000\n"
                 "or vw_addr, ra0, ra0\n"
                 "or -, vpm_st_wait, vpm_st_wait\n" USER_END);
    user_words(&g, UNIFORMS)[0] = OUT;
    user_words(&g, UNIFORMS)[1] = 1000;
    user_request(&g, CODE, UNIFORMS);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 1 << 16 | 1 << 8);
    user_no_fault(&g);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(user_words(&g, OUT)[i], 1000 + i);
    user_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lane_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
