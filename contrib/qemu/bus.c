#include "bus.h"

/* Of hw/arm/virt.c: the platform bus's interrupts are the GIC's shared ones from this number on. */
#define PLATFORM_BUS_SPI 112

PlatformBusDevice *bus_find(Error **errp)
{
    Object *bus = object_resolve_path_type("", TYPE_PLATFORM_BUS_DEVICE, NULL);
    if (bus && MACHINE(qdev_get_machine())->fdt)
        return PLATFORM_BUS_DEVICE(bus);
    error_setg(errp, "needs a machine with a platform bus and a device tree: virt");
    return NULL;
}

uint64_t bus_add_registers(PlatformBusDevice *bus, MemoryRegion *registers, uint64_t bytes, Error **errp)
{
    const uint64_t aligned = pow2ceil(bytes);
    hwaddr offset = 0;
    while (offset + aligned <= bus->mmio_size) {
        /* Other devices of the bus, which come later, find the place taken. */
        MemoryRegionSection there = memory_region_find(&bus->mmio, offset, aligned);
        if (!there.mr) {
            memory_region_add_subregion(&bus->mmio, offset, registers);
            return bus->mmio.addr + offset;
        }
        memory_region_unref(there.mr);
        offset += aligned;
    }
    error_setg(errp, "the platform bus has no room for registers");
    return 0;
}

bool bus_take_interrupt(PlatformBusDevice *bus, qemu_irq *irq, uint32_t *spi, Error **errp)
{
    const unsigned long number = find_first_zero_bit(bus->used_irqs, bus->num_irqs);
    if (number >= bus->num_irqs) {
        error_setg(errp, "the platform bus has too few interrupts left");
        return false;
    }
    set_bit((long)number, bus->used_irqs);
    *irq = bus->irqs[number];
    *spi = PLATFORM_BUS_SPI + (uint32_t)number;
    return true;
}
