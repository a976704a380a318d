/* User programs that meet: semaphores, the mutex, shared memory and VPM; the same at any number of threads;
 * deadlocks say who waits for whom (Guide section 3, Inter-Processor Synchronisation). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "tests/gpu/vc4/user_guest.h"

#define SHARED 0x10000u
#define QPUS   12u

/* Uniforms of program q: its number, where it puts its result, the shared row, how often. */
static void set_uniforms(struct user_guest *g, uint32_t q, uint32_t times)
{
    uint32_t *u = user_words(g, UNIFORMS + q * 64);
    u[0] = q;
    u[1] = OUT + q * 64;
    u[2] = SHARED;
    u[3] = times;
}

/* Adds its number plus one to each word of the shared row, under the mutex, through row 0 of the VPM, `times`
 * times; then stores how often it did. */
static const char under_mutex[] = "or rb0, unif, unif\n"
                                  "or ra1, unif, unif\n"
                                  "or ra2, unif, unif\n"
                                  "or ra3, unif, unif\n"
                                  "ldi r3, 0\n"
                                  "again: or -, mutex, mutex\n"
                                  "ldi vr_setup, 0x83011000\n" /* one row of memory to row 0 */
                                  "or vr_addr, ra2, ra2\n"
                                  "or -, vpm_ld_wait, vpm_ld_wait\n"
                                  "ldi vr_setup, 0x101a00\n"
                                  "ldi vw_setup, 0x1a00\n"
                                  "nop\nnop\n"
                                  "or r0, vpm, vpm\n"
                                  "add r0, r0, rb0\n"
                                  "add vpm, r0, 1\n"
                                  "ldi vw_setup, 0xc0000000\n"
                                  "ldi vw_setup, 0x80904000\n"
                                  "or vw_addr, ra2, ra2\n"
                                  "or -, vpm_st_wait, vpm_st_wait\n"
                                  "ldi mutex, 0\n"
                                  "add r3, r3, 1\n"
                                  "sub.sf -, r3, ra3\n"
                                  "brr.anyzc again\n"
                                  "nop\nnop\nnop\n"
                                  "or -, mutex, mutex\n"
                                  "ldi vw_setup, 0x1a00\n"
                                  "or vpm, r3, r3\n"
                                  "ldi vw_setup, 0x80904000\n"
                                  "or vw_addr, ra1, ra1\n"
                                  "or -, vpm_st_wait, vpm_st_wait\n"
                                  "ldi mutex, 0\n" USER_END;

static void twelve_under_the_mutex(void **state)
{
    static const int threads[] = {0, 1, 2, 7};
    for (unsigned i = 0; i < 8; i++) {
        struct user_guest g;
        user_open(&g, (struct user_guest_options){.threads = threads[i % 4], .compile = i >= 4});
        user_program(&g, CODE, under_mutex);
        for (uint32_t q = 0; q < QPUS; q++) {
            set_uniforms(&g, q, 10 + q);
            user_request(&g, CODE, UNIFORMS + q * 64);
        }
        uint32_t completed = user_completed(&g), sum = 0;
        user_no_fault(&g);
        assert_int_equal(completed, QPUS);
        for (uint32_t q = 0; q < QPUS; q++) {
            assert_int_equal(user_words(&g, OUT + q * 64)[5], 10 + q);
            sum += (q + 1) * (10 + q);
        }
        for (unsigned lane = 0; lane < 16; lane++)
            assert_int_equal(user_words(&g, SHARED)[lane], sum);
        user_close(&g);
    }
}

/* A ring: program q waits for semaphore q and passes on to q + 1 modulo 12, in as many programs; who has the
 * turn counts in a row of the VPM that all share. Nobody begins, and there is no QPU for a thirteenth who
 * would. */
static void ring_program(char text[1024], uint32_t q, uint32_t turns)
{
    snprintf(text, 1024,
             "or ra1, unif, unif\n"
             "ldi r3, %u\n"
             "again: sdec -, %u\n"
             "ldi vr_setup, 0x101a05\n" /* row 5: the turns so far, in all lanes */
             "ldi vw_setup, 0x1a05\n"
             "nop\nnop\n"
             "or r0, vpm, vpm\n"
             "nop ; mul24 r1, r0, 12\n"
             "add r0, r0, 1\n"
             "or vpm, r0, r0\n"
             "sub.sf r3, r3, 1\n"
             "sinc -, %u\n"
             "brr.anyzc again\n"
             "nop\nnop\nnop\n"
             "ldi vw_setup, 0x%x\n"
             "or vpm, r0, r0\n"
             "ldi vw_setup, 0x%x\n"
             "or vw_addr, ra1, ra1\n"
             "nop\n" USER_END,
             turns, q, (q + 1) % QPUS, 0x1a00 + 16 + q, 0x80904000 | (16 + q) << 7);
}

static void ring_without_a_beginning(void **state)
{
    enum { TURNS = 40 };
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        char text[1024];
        user_open(&g, (struct user_guest_options){.threads = 1, .compile = compile});
        for (uint32_t q = 0; q < QPUS; q++) {
            ring_program(text, q, TURNS);
            user_program(&g, CODE + q * 1024, text);
            user_words(&g, UNIFORMS + q * 64)[0] = OUT + q * 64;
            user_request(&g, CODE + q * 1024, UNIFORMS + q * 64);
        }
        assert_int_equal(user_completed(&g), 0); /* all wait */
        struct gpu_fault waits[QPUS + 1];
        assert_int_equal(gpu_host_faults(vc4_device_host(g.device), waits, QPUS + 1), QPUS);
        vc4_write(g.device, VC4_SRQCS, 0x10100);
        user_program(&g, CODE + QPUS * 1024, "sinc -, 0\n" USER_END);
        user_request(&g, CODE + QPUS * 1024, 0); /* no QPU is free: it waits in the queue */
        assert_int_equal(vc4_read(g.device, VC4_SRQCS) & 0x3f, 1);
        user_close(&g);
    }
}

/* The same, the twelfth beginning. */
static void ring_that_turns(void **state)
{
    static const int threads[] = {0, 1, 2, 7};
    enum { TURNS = 40 };
    for (unsigned i = 0; i < 8; i++) {
        struct user_guest g;
        char text[1024];
        user_open(&g, (struct user_guest_options){.threads = threads[i % 4], .compile = i >= 4});
        for (uint32_t q = 0; q < QPUS - 1; q++) {
            ring_program(text, q, TURNS);
            user_program(&g, CODE + q * 1024, text);
            user_words(&g, UNIFORMS + q * 64)[0] = OUT + q * 64;
            user_request(&g, CODE + q * 1024, UNIFORMS + q * 64);
        }
        ring_program(text, QPUS - 1, TURNS);
        snprintf(text + strlen(text), sizeof text - strlen(text), "nop\n");
        char first[1100];
        snprintf(first, sizeof first, "sinc -, 0\n%s", text); /* the twelfth begins */
        user_program(&g, CODE + (QPUS - 1) * 1024, first);
        user_words(&g, UNIFORMS + (QPUS - 1) * 64)[0] = OUT + (QPUS - 1) * 64;
        user_request(&g, CODE + (QPUS - 1) * 1024, UNIFORMS + (QPUS - 1) * 64);
        uint32_t completed = user_completed(&g);
        user_no_fault(&g);
        assert_int_equal(completed, QPUS);
        for (uint32_t q = 0; q < QPUS; q++) /* each saw the number of its last turn */
            assert_int_equal(user_words(&g, OUT + q * 64)[7], (TURNS - 1) * QPUS + q + 1);
        user_close(&g);
    }
}

/* Programs that do not synchronise at all: nobody says what comes out, but it is always the same. */
static const char racing[] = "or rb0, unif, unif\n"
                             "or ra1, unif, unif\n"
                             "or ra2, unif, unif\n"
                             "or ra3, unif, unif\n"
                             "ldi r3, 0\n"
                             "shl r1, elem_num, 2\n"
                             "again: add tmu0_s, r1, ra2\n"
                             "ldi vw_setup, 0x1a00\n"
                             "ldi vr_setup, 0x101a00\n"
                             "nop ; nop ; ldtmu0\n"
                             "nop\n"
                             "or r0, vpm, vpm\n"
                             "add r0, r0, r4\n"
                             "add vpm, r0, rb0\n"
                             "ldi vw_setup, 0x80904000\n"
                             "or vw_addr, ra2, ra2\n"
                             "add r3, r3, 1\n"
                             "sub.sf -, r3, ra3\n"
                             "brr.anyzc again\n"
                             "nop\nnop\nnop\n" USER_END;

static void races_are_deterministic(void **state)
{
    static const int threads[] = {0, 1, 2, 7};
    uint32_t first[16] = {0};
    for (unsigned i = 0; i < 8; i++) {
        struct user_guest g;
        user_open(&g, (struct user_guest_options){.threads = threads[i % 4], .compile = i >= 4});
        user_program(&g, CODE, racing);
        for (uint32_t q = 0; q < QPUS; q++) {
            set_uniforms(&g, q, 5000 + q * 100);
            user_request(&g, CODE, UNIFORMS + q * 64);
        }
        uint32_t completed = user_completed(&g);
        user_no_fault(&g);
        assert_int_equal(completed, QPUS);
        if (!i)
            memcpy(first, user_words(&g, SHARED), sizeof first);
        assert_true(first[3] != 0);
        assert_memory_equal(user_words(&g, SHARED), first, sizeof first);
        user_close(&g);
    }
}

/* ---- who waits for whom ---- */

static void planted_deadlock(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        struct gpu_fault fault[4];
        user_open(&g, (struct user_guest_options){.threads = 2, .compile = compile});
        user_program(&g, CODE, "or -, mutex, mutex\nsdec -, 3\nldi mutex, 0\nsinc -, 4\n" USER_END);
        user_program(&g, CODE + 0x100, "nop\nor -, mutex, mutex\nsinc -, 3\nldi mutex, 0\n" USER_END);
        user_program(&g, CODE + 0x200, "nop\nnop\nsdec -, 9\n" USER_END);
        for (unsigned i = 0; i < 3; i++)
            user_request(&g, CODE + i * 0x100, 0);
        assert_int_equal(user_completed(&g), 0);
        assert_int_equal(gpu_host_faults(vc4_device_host(g.device), fault, 4), 3);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(fault[i].kind, GPU_FAULT_DEADLOCK);
            assert_int_equal(fault[i].job, i + 1);
            assert_int_equal(fault[i].pc, i == 2 ? 2 : 1);
            assert_int_equal(fault[i].address, CODE + i * 0x100 + fault[i].pc * 8);
        }
        assert_string_equal(fault[0].text, "QPU 0 waits to decrement semaphore 3, which is 0, for QPU "
                                           "1, which waits too");
        assert_string_equal(fault[1].text,
                            "QPU 1 waits for the mutex, which QPU 0 holds (job 1), which waits too");
        assert_string_equal(fault[2].text,
                            "QPU 2 waits to decrement semaphore 9, which is 0, for nobody that is there");
        assert_int_equal(user_completed(&g), 0); /* reported once */
        user_no_fault(&g);
        user_program(&g, CODE + 0x300,
                     "sinc -, 3\nsinc -, 9\n" USER_END); /* and the silicon would go on, too */
        user_request(&g, CODE + 0x300, 0);
        assert_int_equal(user_completed(&g), 4);
        user_no_fault(&g);
        user_close(&g);
    }
}

/* "Stalls if it is attempting to ... increment it above 15." */
static void semaphore_saturates(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        user_open(&g, (struct user_guest_options){.compile = compile});
        user_program(
            &g, CODE,
            "ldi r0, 16\nagain: sinc -, 15\nsub.sf r0, r0, 1\nbrr.anyzc again\nnop\nnop\nnop\n" USER_END);
        user_request(&g, CODE, 0);
        assert_int_equal(user_completed(&g), 0);
        struct gpu_fault fault = user_fault(&g);
        assert_non_null(strstr(fault.text, "to increment semaphore 15, which is 15"));
        user_program(&g, CODE + 0x100, "sdec -, 15\n" USER_END);
        user_request(&g, CODE + 0x100, 0);
        assert_int_equal(user_completed(&g), 2);
        user_no_fault(&g);
        user_close(&g);
    }
}

/* A program that ends with the mutex takes it along; that is said. */
static void mutex_of_the_dead(void **state)
{
    struct user_guest g;
    user_open(&g, (struct user_guest_options){0});
    user_program(&g, CODE, "or -, mutex, mutex\n" USER_END);
    user_request(&g, CODE, 0);
    user_request(&g, CODE, 0);
    assert_int_equal(user_completed(&g), 1);
    struct gpu_fault fault = user_fault(&g);
    assert_non_null(strstr(fault.text, "the mutex, which QPU 0 holds (job 1), which has ended"));
    user_close(&g);
}

/* One program that spins on memory until the other has written there: slices let both go on. */
static void spinning(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        user_open(&g, (struct user_guest_options){.threads = 1, .compile = compile});
        user_program(&g, CODE,
                     "ldi r1, 0x10000\nagain: or tmu0_s, r1, r1\nnop\nnop ; nop ; ldtmu0\nor.sf -, r4, r4\n"
                     "brr.anyzs again\nnop\nnop\nnop\n" USER_END);
        user_program(
            &g, CODE + 0x100,
            "ldi r0, 100000\nwait: sub.sf r0, r0, 1\nbrr.anyzc wait\nnop\nnop\nnop\n"
            "ldi vw_setup, 0x1a00\nldi vpm, 1\nldi vw_setup, 0x80904000\nldi vw_addr, 0x10000\n" USER_END);
        user_request(&g, CODE, 0);
        user_request(&g, CODE + 0x100, 0);
        assert_int_equal(user_completed(&g), 2);
        user_no_fault(&g);
        user_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_under_the_mutex), cmocka_unit_test(ring_without_a_beginning),
        cmocka_unit_test(ring_that_turns),        cmocka_unit_test(races_are_deterministic),
        cmocka_unit_test(planted_deadlock),       cmocka_unit_test(semaphore_saturates),
        cmocka_unit_test(mutex_of_the_dead),      cmocka_unit_test(spinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
