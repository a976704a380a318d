/* Control lists, shader records, programs and vertex data made of the fuzzer's bytes: a binning list and a
 * rendering list over one small guest memory, through registers as a hostile guest with no kernel in between
 * would do it. */
#include "gpu/vc4/device.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY     (512u << 10)
#define LISTS      0x1000u
#define TILE_ALLOC 0x40000u

static struct gpu_memory memory;

static void supply_memory(void *data, uint32_t pending)
{
    struct vc4_device *device = *(struct vc4_device **)data;
    static unsigned given;

    if (pending & VC4_INT_OUTOMEM && given++ % 3 != 2) {
        vc4_write(device, VC4_BPOA, TILE_ALLOC + 0x20000);
        vc4_write(device, VC4_BPOS, 0x8000);
    }
    vc4_write(device, VC4_INTCTL, pending);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    /* Small budgets: the fuzzer looks for crashes and escapes, not for long work. */
    struct vc4_options options = {.packet_budget = 20000, .fuel = 64, .reference = size && (bytes[0] & 1)};
    struct vc4_device *device = NULL;

    if (!memory.base && gpu_memory_create(MEMORY, &memory))
        abort();
    if (size < 4 || size > TILE_ALLOC - LISTS)
        return 0;
    memset(memory.base, 0, MEMORY);
    memcpy(memory.base + LISTS, bytes + 4, size - 4);
    if (vc4_device_create(&memory, &options, &device))
        return 0;
    uint32_t split = (uint32_t)(bytes[1] | bytes[2] << 8) % (uint32_t)(size - 3);
    vc4_device_set_irq(device, supply_memory, &device);
    vc4_write(device, VC4_INTENA, VC4_INT_FRDONE | VC4_INT_FLDONE | VC4_INT_OUTOMEM);
    vc4_write(device, VC4_BPCA, TILE_ALLOC);
    vc4_write(device, VC4_BPCS, 0x8000);
    vc4_write(device, VC4_CT0CA, LISTS);
    vc4_write(device, VC4_CT0EA, LISTS + split);
    vc4_write(device, VC4_CT1CA, LISTS + split);
    vc4_write(device, VC4_CT1EA, LISTS + (uint32_t)size - 4);
    struct gpu_fault faults[64];
    vc4_device_faults(device, faults, 64);
    vc4_device_destroy(device);
    return 0;
}
