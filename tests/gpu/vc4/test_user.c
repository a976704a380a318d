/* User programs through the QPU scheduler's registers: requests, uniforms, VPM, DMA, lookups, interrupts,
 * faults (Guide sections 3, 7 and 10). Everything is done interpreted and compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/gpu/turns.h"
#include "tests/gpu/vc4/user_guest.h"

static void lane_numbers(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        user_run(&g,
                 "or ra0, unif, unif\n"
                 "or r1, unif, unif\n"
                 "or r0, elem_num, elem_num\n"
                 "add r0, r0, unif\n"
                 "ldi vw_setup, 0x1a00\n"
                 "or vpm, r0, r0\n" STORE_ROWS,
                 1000);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(user_words(&g, OUT)[i], 1000 + i);
        user_close(&g);
    }
}

/* ---- requests ---- */

static const char idle[] = USER_END;

static void counts_of_requests(void **state)
{
    struct user_guest g;
    open_guest(&g, false);
    user_program(&g, CODE, idle);
    for (unsigned i = 0; i < 300; i++)
        user_request(&g, CODE, 0);
    uint32_t status = vc4_read(g.device, VC4_SRQCS);
    user_no_fault(&g);
    assert_int_equal(status, (300 & 0xff) << 16 | (300 & 0xff) << 8);
    vc4_write(g.device, VC4_SRQCS, 1u << 8);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), (300 & 0xff) << 16);
    vc4_write(g.device, VC4_SRQCS, 1u << 16);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 0);
    user_close(&g);
}

/* Who resets the counts and waits for new programs does not see those of before while the device's worker is at a frame,
 * also where the reset must wait for an earlier write. */
static void counts_while_working(void **state)
{
    enum { RENDERER = 1 /* its unit */, RESET = 1 << 16 | 1 << 8 };
    for (int waits = 0; waits < 2; waits++) {
        struct user_guest g;
        user_open(&g, (struct user_guest_options){0});
        struct gpu_device gpu = vc4_device_gpu(g.device);
        user_program(&g, CODE, USER_END);
        user_request(&g, CODE, 0);
        assert_int_equal(user_completed(&g), 1);
        turns_begin(&gpu, 1 << RENDERER);
        if (waits)
            gpu_device_post(&gpu, VC4_VPMBASE, 16);
        gpu_device_post(&gpu, VC4_SRQCS, RESET);
        assert_int_equal(gpu.host->posted_count, waits ? 2 : 0);
        assert_int_equal(vc4_read(g.device, VC4_SRQCS), 0);
        gpu_device_post(&gpu, VC4_SRQPC, CODE);
        assert_int_equal(user_completed(&g), 0);
        turns_end(&gpu);
        assert_int_equal(vc4_read(g.device, VC4_SRQCS), 1 << 16 | 1 << 8);
        user_no_fault(&g);
        user_close(&g);
    }
}

/* With all QPUs reserved nothing runs: sixteen requests wait, the next is an error, and what follows it is
 * ignored until the error is cleared. */
static void reservations_and_queue(void **state)
{
    struct user_guest g;
    open_guest(&g, false);
    user_program(&g, CODE, idle);
    vc4_write(g.device, VC4_SQRSV0, 0x11111111);
    vc4_write(g.device, VC4_SQRSV1, 0x11111111);
    for (unsigned i = 0; i < 16; i++)
        user_request(&g, CODE, 0);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 16 << 8 | 16);
    user_request(&g, CODE, 0);
    user_request(&g, CODE, 0);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 18 << 8 | 0x80 | 16);
    vc4_write(g.device, VC4_SRQCS, 0x80);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 18 << 8 | 16);
    vc4_write(g.device, VC4_SRQCS, 1);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 18 << 8);
    vc4_write(g.device, VC4_SQRSV1, 0x11110111); /* QPU 11 */
    user_request(&g, CODE, 0);
    assert_int_equal(vc4_read(g.device, VC4_SRQCS), 1 << 16 | 19 << 8);
    user_close(&g);
}

/* A program finds the number of the QPU that the reservations leave. */
static void qpu_number(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        vc4_write(g.device, VC4_SQRSV0, 0x11111111);
        vc4_write(g.device, VC4_SQRSV1, 0x1); /* 9 is the first free one */
        user_run(&g,
                 "or ra0, unif, unif\n"
                 "ldi vw_setup, 0x1a00\n"
                 "or vpm, qpu_num, qpu_num\n" STORE_ROWS,
                 0);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(user_words(&g, OUT)[i], 9);
        user_close(&g);
    }
}

/* ---- uniforms ---- */

static void uniforms_pointer(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        user_words(&g, IN)[0] = 77;
        user_words(&g, IN)[1] = 78;
        /* Lane 0 has the new address, the others nonsense. */
        user_run(&g,
                 "or ra0, unif, unif\n"
                 "nop ; mul24 r1, elem_num, elem_num\n"
                 "nop\n"
                 "nop ; mul24 r1, r1, 15\n"
                 "add unif_addr, r1, unif\n"
                 "nop\n"
                 "nop\n"
                 "ldi vw_setup, 0x1a00\n"
                 "or vpm, unif, unif\n"
                 "or vpm, unif, unif\n" STORE_ROWS,
                 0);
        assert_int_equal(user_words(&g, OUT)[3], 77);
        assert_int_equal(user_words(&g, OUT)[16 + 9], 78);
        user_close(&g);
    }
}

static struct gpu_fault fault_of(struct user_guest *g, const char *text)
{
    user_program(g, CODE, text);
    user_request(g, CODE, UNIFORMS);
    assert_int_equal(user_completed(g), 0);
    return user_fault(g);
}

static void uniforms_length(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        const char *three = "or r0, unif, unif\nor r0, unif, unif\nor r0, unif, unif\n" USER_END;
        vc4_write(g.device, VC4_SRQUL, 2);
        struct gpu_fault f = fault_of(&g, three);
        assert_int_equal(f.kind, GPU_FAULT_MEMORY);
        assert_int_equal(f.pc, 2);
        assert_int_equal(f.address, UNIFORMS + 8);
        vc4_write(g.device, VC4_SRQUL, 0); /* disabled */
        assert_int_equal(fault_of(&g, three).pc, 0);
        vc4_write(g.device, VC4_SRQUL, 3);
        user_run(&g, three, 0);
        user_close(&g);
    }
}

/* ---- lookups ---- */

/* Eight requests ahead, over the turns of a loop; the low bits of addresses do not count. */
static void lookups(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        for (unsigned i = 0; i < 1024; i++)
            user_words(&g, IN)[i] = i * 3;
        user_run(&g,
                 "or ra0, unif, unif\n"
                 "or r1, unif, unif\n"
                 "shl r0, elem_num, 2\n"
                 "add r0, r0, r1\n"
                 "ldi r2, 64\n"
                 "or tmu0_s, r0, r0\n"
                 "add r0, r0, r2\n"
                 "add tmu0_s, r0, 3\n"
                 "ldi r3, 8\n"
                 "ldi vw_setup, 0x1a00\n"
                 "again: add r0, r0, r2\n"
                 "or tmu0_s, r0, r0\n"
                 "nop ; nop ; ldtmu0\n"
                 "or vpm, r4, r4\n"
                 "sub.sf r3, r3, 1\n"
                 "brr.anyzc again\n"
                 "nop\nnop\nnop\n"
                 "nop ; nop ; ldtmu0\n"
                 "nop ; nop ; ldtmu0\n" STORE_ROWS,
                 0);
        for (unsigned i = 0; i < 8 * 16; i++)
            assert_int_equal(user_words(&g, OUT)[i], i * 3);
        user_close(&g);
    }
}

/* ---- calls: links and computed branches ---- */

static void calls(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        user_run(&g,
                 "or ra0, unif, unif\n"
                 "ldi vw_setup, 0x1a00\n"
                 "ldi r0, 5\n"
                 "brr ra9, -, twice\n"
                 "nop\nnop\nnop\n"
                 "or vpm, r0, r0\n"
                 "brr ra9, -, twice\n"
                 "nop\nnop\nnop\n"
                 "or vpm, r0, r0\n"
                 "brr out\n"
                 "nop\nnop\nnop\n"
                 "twice: bra 0 + ra9\n"
                 "add r0, r0, r0\n"
                 "nop\nnop\n"
                 "out:\n" STORE_ROWS,
                 0);
        assert_int_equal(user_words(&g, OUT)[0], 10);
        assert_int_equal(user_words(&g, OUT)[16], 20);
        user_close(&g);
    }
}

/* ---- the host's interrupt ---- */

static void on_irq(void *data, uint32_t pending)
{
    *(uint32_t *)data |= pending;
}

static void host_interrupt(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        uint32_t seen = 0;
        gpu_host_set_irq(vc4_device_host(g.device), on_irq, &seen);
        user_program(&g, CODE, "or host_int, unif, unif\n" USER_END);
        user_words(&g, UNIFORMS)[0] = 1;
        user_request(&g, CODE, UNIFORMS);
        assert_int_equal(vc4_read(g.device, VC4_DBQITC), 0); /* not enabled */
        vc4_write(g.device, VC4_DBQITE, 0xffff);
        vc4_write(g.device, VC4_SQRSV0, 0x1);
        user_request(&g, CODE, UNIFORMS); /* runs at once: a host may sleep now */
        assert_int_equal(seen, VC4_INT_QPU(1));
        assert_int_equal(vc4_read(g.device, VC4_DBQITC), 2);
        vc4_write(g.device, VC4_DBQITC, 2);
        assert_int_equal(vc4_read(g.device, VC4_DBQITC), 0);
        user_words(&g, UNIFORMS)[0] = 0; /* zero does nothing (vc4asm's addendum) */
        user_request(&g, CODE, UNIFORMS);
        assert_int_equal(vc4_read(g.device, VC4_DBQITC), 0);
        user_no_fault(&g);
        user_close(&g);
    }
}

/* ---- faults ---- */

static void faults(void **state)
{
    for (int compile = 0; compile < 2; compile++) {
        struct user_guest g;
        open_guest(&g, compile);
        struct gpu_fault f =
            fault_of(&g, "ldi r0, 0x7fffff00\nnop\nshl r1, elem_num, 5\nadd tmu0_s, r1, r0\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_MEMORY);
        assert_int_equal(f.pc, 3);
        assert_int_equal(f.lane, 0);
        assert_int_equal(f.address, 0x7fffff00);
        assert_int_equal(f.job, 1);
        assert_string_equal(f.unit, "user program");
        f = fault_of(&g, "nop ; nop ; ldtmu1\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_SHADER);
        assert_int_equal(f.pc, 0);
        f = fault_of(&g, "nop\nor r0, vpm, vpm\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_SHADER);
        assert_int_equal(f.pc, 1);
        f = fault_of(&g, "ldi vw_setup, 0x88104000\nldi vw_addr, 0xfffff000\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_MEMORY);
        assert_int_equal(f.address, 0xfffff000);
        f = fault_of(&g, "ldi vw_addr, 0x1000\n" USER_END);
        assert_non_null(strstr(f.text, "without a set-up"));
        f = fault_of(&g, "ldi vr_setup, 0x1a00\nldi vr_setup, 0x1a00\nldi vr_setup, 0x1a00\n" USER_END);
        assert_int_equal(f.pc, 2);
        f = fault_of(&g, "or tlb_z, r0, r0\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_UNSUPPORTED);
        f = fault_of(&g, "nop\nbra 0 + ra3\nnop\nnop\nnop\n" USER_END); /* to address 0: not in the program */
        assert_int_equal(f.kind, GPU_FAULT_SHADER);
        assert_int_equal(f.pc, 1);
        user_close(&g);
    }
}

/* Interpreted, compiled, and refused by the compiler: one fuel. */
static const struct user_guest_options all_means[] = {{0}, {.compile = true}, {.refuse = true}};

static void fuel(void **state)
{
    uint64_t executed = 0;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(all_means); n++) {
        struct user_guest_options options = all_means[n];
        struct user_guest g;
        options.job_fuel = 1u << 20;
        user_open(&g, options);
        struct gpu_fault f = fault_of(&g, "again: brr again\nnop\nnop\nnop\n" USER_END);
        assert_int_equal(f.kind, GPU_FAULT_TIMEOUT);
        assert_string_equal(f.text, "QPU 0: more instructions than a program's fuel allows");
        uint64_t took = vc4_device_host(g.device)->counters.instructions;
        executed = n ? executed : took;
        assert_int_equal(took, executed);
        assert_in_range(took, 1u << 20, (1u << 20) + (1u << 17));
        user_program(&g, CODE, idle); /* and the QPU is free again */
        user_request(&g, CODE, 0);
        assert_int_equal(user_completed(&g), 1);
        user_close(&g);
    }
}

/* Each program has its own: twelve that take nine tenths of it all end. */
static void fuel_is_each_ones_own(void **state)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(all_means); n++) {
        struct user_guest_options options = all_means[n];
        struct user_guest g;
        options.job_fuel = 1000000;
        user_open(&g, options);
        user_program(&g, CODE,
                     "ldi r0, 180000\nagain: sub.sf r0, r0, 1\nbrr.anyzc again\nnop\nnop\nnop\n" USER_END);
        for (unsigned i = 0; i < 12; i++)
            user_request(&g, CODE, 0);
        assert_int_equal(user_completed(&g), 12);
        user_no_fault(&g);
        user_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lane_numbers),
        cmocka_unit_test(counts_of_requests),
        cmocka_unit_test(counts_while_working),
        cmocka_unit_test(qpu_number),
        cmocka_unit_test(reservations_and_queue),
        cmocka_unit_test(uniforms_pointer),
        cmocka_unit_test(uniforms_length),

        cmocka_unit_test(lookups),
        cmocka_unit_test(calls),
        cmocka_unit_test(host_interrupt),
        cmocka_unit_test(faults),
        cmocka_unit_test(fuel),
        cmocka_unit_test(fuel_is_each_ones_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
