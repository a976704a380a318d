/* A user program computes in the device's numeric mode, interpreted and compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/gpu/vc4/user_guest.h"

#define CODE     0x1000u
#define UNIFORMS 0x8000u
#define OUT      0x20000u

/* 1 - 2^-126, recip(2) and 1 + 2^-23 as a half, in rows 0 to 2 of 16 words each. */
static const char program[] = "mov r0, unif\n"
                              "fsub r1, 1.0, r0\n"
                              "mov recip, 2.0\n"
                              "ldi r2, 0x3f800001\n"
                              "fmax ra0.16a, r2, r2\n"
                              "ldi vw_setup, 0x1a00\n"
                              "mov vpm, r1\n"
                              "mov vpm, r4\n"
                              "mov vpm, ra0\n"
                              "ldi vw_setup, 0x81904000\n"
                              "mov vw_addr, unif\n"
                              "mov -, vpm_st_wait\n" USER_END;

static void run(struct user_guest *g, bool compile, enum isa_numeric numeric)
{
    user_open(g, (struct user_guest_options){.compile = compile});
    vc4_device_destroy(g->device);
    struct gpu_options device = {.engine = g->engine, .numeric = numeric};
    assert_int_equal(vc4_device_create(&g->memory, &device, &g->device), 0);
    vc4_write(g->device, VC4_VPMBASE, 16);
    vc4_write(g->device, VC4_SRQUL, 1024);
    user_program(g, CODE, program);
    user_words(g, UNIFORMS)[0] = 0x00800000;
    user_words(g, UNIFORMS)[1] = OUT;
    user_request(g, CODE, UNIFORMS);
    assert_int_equal(user_completed(g), 1);
    user_no_fault(g);
}

static void test_modes(void **state)
{
    static const uint32_t expected[ISA_NUMERIC_COUNT][3] = {
        [ISA_FAST] = {0x3f800000, 0x3f000000, 0x3c00},
        [ISA_EXACT] = {0x3f7fffff, 0x3effff00, 0x3c01},
    };

    for (unsigned i = 0; i < 2 * ISA_NUMERIC_COUNT; i++) {
        struct user_guest g;
        run(&g, i & 1, i / 2);
        for (unsigned row = 0; row < 3; row++)
            for (unsigned lane = 0; lane < 16; lane++)
                assert_int_equal(user_words(&g, OUT)[16 * row + lane], expected[i / 2][row]);
        user_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
