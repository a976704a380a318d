/* The registers of the PPs (pixel processors): resets, interrupts, the start of a frame. Source: Linux's
 * lima_pp.c as documentation of what is polled. frame_pp.c has the work. */
#include <string.h>

#include "gpu/utgard/device_internal.h"

#define VERSION_MALI400 0xcd070101u
#define VERSION_MALI450 0xcf070000u

static bool is_active(const struct utgard_device *device, unsigned pp)
{
    uint32_t posted = utgard_posted(device, UTGARD_IP_PP0 + pp, UTGARD_PP_CTRL);
    if (device->kind == UTGARD_MALI450 && utgard_broadcast_to(device, false) >> pp & 1)
        posted |= utgard_posted(device, UTGARD_IP_PP_BCAST, UTGARD_PP_CTRL);
    return device->pp_started[pp] || posted & UTGARD_PP_CTRL_START;
}

uint32_t utgard_pp_read(const struct utgard_device *device, unsigned pp, uint32_t offset)
{
    const struct utgard_unit *unit = &device->pp_unit[pp];
    switch (offset) {
    case UTGARD_PP_VERSION: return device->kind == UTGARD_MALI450 ? VERSION_MALI450 : VERSION_MALI400;
    case UTGARD_PP_STATUS:
        return (is_active(device, pp) ? UTGARD_BIT(PP, STATUS, RENDERING_ACTIVE) : 0) |
               (unit->bus_stopped ? UTGARD_BIT(PP, STATUS, BUS_STOPPED) : 0);
    case UTGARD_PP_INT_RAWSTAT:
    case UTGARD_PP_INT_MASK:
    case UTGARD_PP_INT_STATUS: return gpu_irq_read(&unit->irq, offset - UTGARD_PP_INT_RAWSTAT);
    default: return utgard_perf_read(device, 1 + pp, offset);
    }
}

/* Afterwards the unit's registers are as at the beginning. */
static void reset(struct utgard_device *device, unsigned pp)
{
    memset(device->store[UTGARD_IP_PP0 + pp], 0, sizeof device->store[0]);
    device->pp_unit[pp] = (struct utgard_unit){0};
    utgard_perf_reset(device, 1 + pp);
    device->pp_started[pp] = false;
}

static void control(struct utgard_device *device, unsigned pp, uint32_t value)
{
    if (value & UTGARD_PP_CTRL_RESETS) {
        reset(device, pp);
        utgard_pp_raise(device, pp, UTGARD_PP_INT_RESET_COMPLETED);
        return;
    }
    if (value & UTGARD_BIT(PP, CTRL, STOP_BUS)) {
        device->pp_unit[pp].bus_stopped = true;
        utgard_pp_raise(device, pp, UTGARD_PP_INT_BUS_STOPPED);
    }
    if (value & UTGARD_PP_CTRL_START)
        device->pp_started[pp] = true;
}

/* The driver writes all bits to INT_RAWSTAT before a reset and then waits for the reset's bit alone: there they
 * are cleared. */
void utgard_pp_write(struct utgard_device *device, unsigned pp, uint32_t offset, uint32_t value)
{
    struct gpu_irq *irq = &device->pp_unit[pp].irq;
    uint32_t from = offset == UTGARD_PP_INT_RAWSTAT ? GPU_IRQ_CLEAR : offset - UTGARD_PP_INT_RAWSTAT;
    if (offset == UTGARD_PP_CTRL)
        control(device, pp, value);
    else
        utgard_pp_raise(device, pp, gpu_irq_write(irq, from, value, UTGARD_PP_INT_ALL));
}
