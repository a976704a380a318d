/* The power of a vc4 in a virtual machine, switched as Linux's bcm2835-power.c does. */
#include "power.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { GRAFX = 0x10c, BRIDGE_S = 0x1008, BRIDGE_M = 0x100c, BRIDGE_ID = 0x1020 };
enum { POWUP = 1, POWOK = 2, ISPOW = 4, MEMREP = 8, MRDONE = 16, ISFUNC = 32, V3DRSTN = 64 };
enum { REQ_STOP = 1, ACK = 2 };
#define PASSWORD 0x5a000000u

/* As PM_WRITE(reg, (PM_READ(reg) & ~clear) | set). */
static void change(struct power *power, uint32_t offset, uint32_t clear, uint32_t set)
{
    power_write(power, offset, PASSWORD | (power_read(power, offset) & ~clear) | set);
}

static void switch_on(struct power *power)
{
    change(power, GRAFX, 0, POWUP);
    assert_true(power_read(power, GRAFX) & POWOK);
    change(power, GRAFX, 0, ISPOW);
    change(power, GRAFX, 0, MEMREP);
    assert_true(power_read(power, GRAFX) & MRDONE);
    change(power, GRAFX, 0, ISFUNC);
    assert_false(power_keeps_state(power)); /* its reset is still held */
    change(power, GRAFX, 0, V3DRSTN);
    assert_true(power_keeps_state(power));
    for (uint32_t bridge = BRIDGE_M; bridge >= BRIDGE_S; bridge -= 4) {
        assert_false(power_lets_through(power));
        change(power, bridge, REQ_STOP, 0);
        assert_false(power_read(power, bridge) & ACK);
    }
    assert_true(power_lets_through(power));
}

static void sleeps_and_wakes(void **state)
{
    struct power power = {0};
    assert_int_equal(power_read(&power, BRIDGE_ID), 0x62726467);
    assert_false(power_keeps_state(&power) || power_lets_through(&power));
    for (unsigned times = 0; times < 2; times++) {
        switch_on(&power);
        for (uint32_t bridge = BRIDGE_S; bridge <= BRIDGE_M; bridge += 4) {
            change(&power, bridge, 0, REQ_STOP);
            assert_true(power_read(&power, bridge) & ACK);
            assert_false(power_lets_through(&power));
            assert_true(power_keeps_state(&power));
        }
        change(&power, GRAFX, V3DRSTN, 0);
        assert_false(power_keeps_state(&power));
        change(&power, GRAFX, ISFUNC, 0);
        change(&power, GRAFX, ISPOW, 0);
        change(&power, GRAFX, POWUP, 0);
        assert_int_equal(power_read(&power, GRAFX) & (POWUP | POWOK | ISPOW | MRDONE | ISFUNC | V3DRSTN), 0);
    }
}

/* A block that hangs is reset without its supply's going away. */
static void resets(void **state)
{
    struct power power = {0};
    switch_on(&power);
    change(&power, GRAFX, V3DRSTN, 0);
    assert_false(power_keeps_state(&power) || power_lets_through(&power));
    change(&power, GRAFX, 0, V3DRSTN);
    assert_true(power_keeps_state(&power) && power_lets_through(&power));
}

/* Writes without the password, of read-only bits and of registers that are not here change nothing. */
static void foreign_writes(void **state)
{
    struct power power = {0}, before;
    switch_on(&power);
    before = power;
    power_write(&power, GRAFX, 0);
    power_write(&power, BRIDGE_S, REQ_STOP);
    change(&power, GRAFX, POWOK | MRDONE, 0);
    for (uint32_t offset = 0; offset < POWER_BYTES; offset += 4) {
        if (offset != GRAFX && offset != BRIDGE_S && offset != BRIDGE_M)
            power_write(&power, offset, PASSWORD | 0xffffff);
        if (offset != GRAFX && offset != BRIDGE_S && offset != BRIDGE_M && offset != BRIDGE_ID)
            assert_int_equal(power_read(&power, offset), 0);
    }
    assert_memory_equal(&power, &before, sizeof power);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeps_and_wakes),
        cmocka_unit_test(resets),
        cmocka_unit_test(foreign_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
