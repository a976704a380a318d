/* Sources: the kernel's Documentation/devicetree/bindings/gpu (arm,mali-utgard.yaml, arm,mali-midgard.yaml,
 * arm,mali-bifrost.yaml, brcm,bcm-v3d.yaml), display/brcm,bcm2835-vc4.yaml, soc/bcm/brcm,bcm2835-pm.yaml,
 * display/fsl,lcdif.yaml, display/panel/panel-dpi.yaml; interrupt cells: interrupt-controller/arm,gic.yaml. */
#include "compat.h"
#include "nodes.h"
#include "power.h"

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

static bool is_vc4(const char *name)
{
    return !strcmp(name, "vc4");
}

bool nodes_switches_power(const char *name)
{
    return is_vc4(name);
}

/* A node that others refer to: returns its phandle. */
static uint32_t add_referred(void *fdt, const char *node)
{
    const uint32_t phandle = qemu_fdt_alloc_phandle(fdt);
    qemu_fdt_add_subnode(fdt, node);
    qemu_fdt_setprop_cell(fdt, node, "phandle", phandle);
    return phandle;
}

/* A clock that always runs, of the device at `address`: drivers ask for one to enable. Returns its phandle. */
static uint32_t add_clock(void *fdt, uint64_t address, uint32_t hz)
{
    g_autofree char *node = g_strdup_printf("/clock-%" PRIx64, address);
    const uint32_t phandle = add_referred(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible", "fixed-clock");
    qemu_fdt_setprop_cell(fdt, node, "#clock-cells", 0);
    qemu_fdt_setprop_cell(fdt, node, "clock-frequency", hz);
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

/* BCM2835's power manager, of which the GPU at `gpu` is domain GRAFX_V3D (dt-bindings/soc/bcm2835-pm.h). */
static void add_power(void *fdt, const char *gpu, uint64_t address, uint32_t clock)
{
    enum { GRAFX_V3D = 1 };
    g_autofree char *node = g_strdup_printf("/power@%" PRIx64, address);
    const uint32_t phandle = add_referred(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible", "brcm,bcm2835-pm");
    qemu_fdt_setprop_sized_cells(fdt, node, "reg", 2, address, 2, (uint64_t)POWER_MANAGER_BYTES, 2,
                                 address + POWER_MANAGER_BYTES, 2, (uint64_t)POWER_BRIDGES_BYTES);
    qemu_fdt_setprop_cells(fdt, node, "clocks", clock);
    qemu_fdt_setprop_string(fdt, node, "clock-names", "v3d");
    qemu_fdt_setprop_cell(fdt, node, "#power-domain-cells", 1);
    qemu_fdt_setprop_cell(fdt, node, "#reset-cells", 1);
    qemu_fdt_setprop_cells(fdt, gpu, "power-domains", phandle, GRAFX_V3D);
}

void nodes_add(void *fdt, const struct nodes_gpu *gpu)
{
    const struct binding *binding = find(gpu->name);
    g_autofree char *node = g_strdup_printf("/gpu@%" PRIx64, gpu->address);
    const uint32_t clock = add_clock(fdt, gpu->address, CLOCK_HZ);

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
    if (is_vc4(gpu->name))
        add_vc4_whole(fdt);
    if (gpu->power_address)
        add_power(fdt, node, gpu->power_address, clock);
}

/* Pixels and lines around a picture's, as monitors have it (VESA CVT, reduced blanking). */
enum { H_FRONT = 48, H_SYNC = 32, H_BACK = 80, V_FRONT = 3, V_SYNC = 6, V_BACK = 14, FRAMES_A_SECOND = 60 };

static void add_timing(void *fdt, const char *panel, const struct nodes_display *display, uint32_t hz)
{
    g_autofree char *node = g_strdup_printf("%s/panel-timing", panel);
    const struct {
        const char *name;
        uint32_t value;
    } fields[] = {
        {"clock-frequency", hz},   {"hactive", display->width}, {"hfront-porch", H_FRONT},
        {"hsync-len", H_SYNC},     {"hback-porch", H_BACK},     {"vactive", display->height},
        {"vfront-porch", V_FRONT}, {"vsync-len", V_SYNC},       {"vback-porch", V_BACK},
        {"de-active", 1},          {"pixelclk-active", 1},
    };
    qemu_fdt_add_subnode(fdt, node);
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        qemu_fdt_setprop_cell(fdt, node, fields[i].name, fields[i].value);
}

uint64_t nodes_add_display(void *fdt, const struct nodes_display *display)
{
    const uint32_t hz = (display->width + H_FRONT + H_SYNC + H_BACK) *
                        (display->height + V_FRONT + V_SYNC + V_BACK) * FRAMES_A_SECOND;
    g_autofree char *node = g_strdup_printf("/display@%" PRIx64, display->address);
    g_autofree char *panel = g_strdup_printf("/panel-%" PRIx64, display->address);
    char *ends[] = {g_strdup_printf("%s/port/endpoint", node), g_strdup_printf("%s/port/endpoint", panel)};
    const uint32_t clock = add_clock(fdt, display->address, hz);
    uint32_t referred[2];

    qemu_fdt_add_subnode(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible", "fsl,imx28-lcdif");
    qemu_fdt_setprop_sized_cells(fdt, node, "reg", 2, display->address, 2, (uint64_t)display->register_bytes);
    qemu_fdt_setprop_cells(fdt, node, "interrupts", SPI, display->spi, LEVEL_HIGH);
    qemu_fdt_setprop_cells(fdt, node, "clocks", clock);

    qemu_fdt_add_subnode(fdt, panel);
    qemu_fdt_setprop_string(fdt, panel, "compatible", "panel-dpi");
    add_timing(fdt, panel, display, hz);
    for (int i = 0; i < 2; i++) {
        g_autofree char *port = g_path_get_dirname(ends[i]);
        qemu_fdt_add_subnode(fdt, port);
        referred[i] = add_referred(fdt, ends[i]);
    }
    for (int i = 0; i < 2; i++) {
        qemu_fdt_setprop_cell(fdt, ends[i], "remote-endpoint", referred[!i]);
        g_free(ends[i]);
    }
    return hz;
}
