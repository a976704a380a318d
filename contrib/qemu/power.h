/* Power of a VideoCore IV's 3D block, as BCM2835's power manager switches it: the register by which its supply comes and
 * goes and its reset is held, and the two bridges between it and the rest of the chip. Linux puts the block to sleep with
 * them when it has no work, and wakes a block that hangs. The rest of the power manager is not here: its registers read
 * as zero.
 *
 * Source: the kernel's drivers/soc/bcm/bcm2835-power.c. */
#ifndef VITRAIL_QEMU_POWER_H
#define VITRAIL_QEMU_POWER_H

#include <stdbool.h>
#include <stdint.h>

/* Both windows of registers, one behind the other. */
#define POWER_MANAGER_BYTES 0x1000u
#define POWER_BRIDGES_BYTES 0x1000u
#define POWER_BYTES         (POWER_MANAGER_BYTES + POWER_BRIDGES_BYTES)

/* Zeroed: as after the machine's start, without power. The fields are saved states' and nobody else's. */
struct power {
    uint32_t grafx;      /* PM_GRAFX as it was written */
    uint32_t running[2]; /* of the bridges from and to the block: 1: lets accesses through */
};

/* A 32-bit access at `offset`, below POWER_BYTES and a multiple of 4. */
uint32_t power_read(const struct power *power, uint32_t offset);
void power_write(struct power *power, uint32_t offset, uint32_t value);

/* Whether the block keeps its state: it is supplied, and not held in reset. */
bool power_keeps_state(const struct power *power);

/* Whether the block's registers can be reached. */
bool power_lets_through(const struct power *power);

#endif
