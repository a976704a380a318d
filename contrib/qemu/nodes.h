/* Device-tree nodes by which Linux finds an emulated GPU, and a display beside it. */
#ifndef VITRAIL_QEMU_NODES_H
#define VITRAIL_QEMU_NODES_H

#include <stdint.h>

/* Where the machine has a GPU. Strings are the caller's and needed only during the call. */
struct nodes_gpu {
    const char *name;        /* as vitrail_config.gpu */
    uint64_t address;        /* of its registers, guest-physical */
    uint32_t register_bytes; /* a multiple of 4096 */
    uint32_t lines;          /* how many interrupts it has, at most 32 */
    const char *line_names[32];
    uint32_t line_spis[32]; /* which of the GIC's shared peripheral interrupts each is */
    uint64_t power_address; /* of power.h's registers, guest-physical; 0: the GPU is always on */
};

/* A display (display.c): where its registers are, its interrupt, the panel's pixels. */
struct nodes_display {
    uint64_t address;
    uint32_t register_bytes;
    uint32_t spi;
    uint32_t width, height; /* 1..4096 */
};

/* Whether Linux has a driver that nodes_add has nodes for. */
bool nodes_known(const char *name);

/* Whether that driver switches the GPU's power by registers that the device has to have (power.h). */
bool nodes_switches_power(const char *name);

/* Adds the nodes of one GPU, which nodes_known, to the flattened tree of a machine whose root has 64-bit addresses
 * and a GIC as interrupt parent. QEMU's functions end the process when the tree is full. */
void nodes_add(void *fdt, const struct nodes_gpu *gpu);

/* Likewise the nodes of a display and its panel. Returns the pixel clock that they name, in Hz. */
uint64_t nodes_add_display(void *fdt, const struct nodes_display *display);

#endif
