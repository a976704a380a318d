/* Sources: the kernel's Documentation/devicetree/bindings/gpu (arm,mali-utgard.yaml, arm,mali-midgard.yaml,
 * arm,mali-bifrost.yaml, brcm,bcm-v3d.yaml) and display/brcm,bcm2835-vc4.yaml; interrupt cells:
 * interrupt-controller/arm,gic.yaml. */
#include "compat.h"
#include "nodes.h"

#define CLOCK_HZ 500000000 /* drivers print it, and plan with it how long to poll */

enum { SPI = 0, LEVEL_HIGH = 4, CELLS = 3 };

static const struct binding {
    const char *name, *compatible;
    const char *clock_names; /* two, both the same clock; NULL: one without a name */
} bindings[] = {
    {"vc4", "brcm,bcm2835-v3d", NULL},        {"mali400", "arm,mali-400", "bus\0core"},
    {"mali450", "arm,mali-450", "bus\0core"}, {"t720", "arm,mali-t720", NULL},
    {"t760", "arm,mali-t760", NULL},          {"t860", "arm,mali-t860", NULL},
    {"g31", "arm,mali-bifrost", NULL},        {"g52", "arm,mali-bifrost", NULL},
    {"g72", "arm,mali-bifrost", NULL},        {"g57", "arm,mali-valhall-jm", NULL},
};
#define CLOCK_NAMES_BYTES sizeof "bus\0core"

static const struct binding *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(bindings); i++) {
        if (!strcmp(bindings[i].name, name))
            return &bindings[i];
    }
    return NULL;
}

bool nodes_known(const char *name)
{
    return find(name) != NULL;
}

/* A clock that always runs: drivers ask for one to enable. Returns its phandle. */
static uint32_t add_clock(void *fdt, uint64_t address)
{
    g_autofree char *node = g_strdup_printf("/gpu-clock-%" PRIx64, address);
    const uint32_t phandle = qemu_fdt_alloc_phandle(fdt);
    qemu_fdt_add_subnode(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible", "fixed-clock");
    qemu_fdt_setprop_cell(fdt, node, "#clock-cells", 0);
    qemu_fdt_setprop_cell(fdt, node, "clock-frequency", CLOCK_HZ);
    qemu_fdt_setprop_cell(fdt, node, "phandle", phandle);
    return phandle;
}

static void add_interrupts(void *fdt, const char *node, const struct nodes_gpu *gpu)
{
    uint32_t cells[ARRAY_SIZE(gpu->line_spis) * CELLS];
    const char *names[ARRAY_SIZE(gpu->line_names)];
    for (uint32_t i = 0; i < gpu->lines; i++) {
        cells[i * CELLS] = cpu_to_be32(SPI);
        cells[i * CELLS + 1] = cpu_to_be32(gpu->line_spis[i]);
        cells[i * CELLS + 2] = cpu_to_be32(LEVEL_HIGH);
        names[i] = gpu->line_names[i];
    }
    qemu_fdt_setprop(fdt, node, "interrupts", cells, (int)(gpu->lines * CELLS * sizeof *cells));
    qemu_fdt_setprop_string_array(fdt, node, "interrupt-names", (char **)names, (int)gpu->lines);
}

/* The kernel's vc4 is a device of several parts, a node each, of which the 3D block is one; it comes up without a
 * display when that is the only one. */
static void add_vc4_whole(void *fdt)
{
    static const char node[] = "/vc4";
    qemu_fdt_add_subnode(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible", "brcm,bcm2835-vc4");
}

void nodes_add(void *fdt, const struct nodes_gpu *gpu)
{
    const struct binding *binding = find(gpu->name);
    g_autofree char *node = g_strdup_printf("/gpu@%" PRIx64, gpu->address);
    const uint32_t clock = add_clock(fdt, gpu->address);

    qemu_fdt_add_subnode(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible", binding->compatible);
    qemu_fdt_setprop_sized_cells(fdt, node, "reg", 2, gpu->address, 2, gpu->register_bytes);
    add_interrupts(fdt, node, gpu);
    if (binding->clock_names) {
        qemu_fdt_setprop_cells(fdt, node, "clocks", clock, clock);
        qemu_fdt_setprop(fdt, node, "clock-names", binding->clock_names, CLOCK_NAMES_BYTES);
    } else {
        qemu_fdt_setprop_cells(fdt, node, "clocks", clock);
    }
    if (!strcmp(gpu->name, "vc4"))
        add_vc4_whole(fdt);
}
