/* The platform bus of QEMU's machine `virt`: a window of addresses and some interrupts, of which a device takes what is free. */
#ifndef VITRAIL_QEMU_BUS_H
#define VITRAIL_QEMU_BUS_H

#include "compat.h"

/* The machine's, or NULL with an error: it has none, or no device tree to tell the guest of devices. */
PlatformBusDevice *bus_find(Error **errp);

/* Puts `registers` where the bus has room for them, `bytes` (a multiple of 4096) long in the guest's eyes. Returns their
 * guest-physical address; 0 with an error: there is no room. */
uint64_t bus_add_registers(PlatformBusDevice *bus, MemoryRegion *registers, uint64_t bytes, Error **errp);

/* Takes an interrupt of the bus, *spi of the GIC's shared ones. False with an error: none is left. */
bool bus_take_interrupt(PlatformBusDevice *bus, qemu_irq *irq, uint32_t *spi, Error **errp);

#endif
