/* What programs of Bifrost and Valhall meet. */
#include "gpu/mali/world_internal.h"

void mali_threads_registers(const struct mali_threads *t, uint32_t reg[WARP_REGISTERS][ISA_LANES])
{
    (void)t;
    (void)reg;
}

void mali_threads_begin_warp(struct mali_threads *t)
{
    t->warp = (struct warp_ports){.ctx = t};
}
