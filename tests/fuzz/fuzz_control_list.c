/* Control lists, shader records, programs and vertex data made of the fuzzer's bytes: a binning list and a
 * rendering list over one small guest memory, through registers as a hostile guest with no kernel in between
 * would do it.
 *
 * Input: flags (1 byte: bit 0 reference path), then four u24: where in memory the binning list begins and
 * ends, where the rendering list does; then what stands in memory from IMAGE on. */
#include "gpu/vc4/device.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

/* A program that never ends is read to the end of memory: a small one keeps executions short. */
#define MEMORY     0x18000u
#define IMAGE      0x1000u
#define TILE_ALLOC 0x8000u
#define SUPPLY     0x1000u
#define HEADER     13u

static void supply_memory(void *data, uint32_t pending)
{
    struct vc4_device *device = *(struct vc4_device **)data;
    static unsigned given;

    if (pending & VC4_INT_OUTOMEM && given++ % 3 != 2) {
        vc4_write(device, VC4_BPOA, TILE_ALLOC + SUPPLY);
        vc4_write(device, VC4_BPOS, SUPPLY);
    }
    vc4_write(device, VC4_INTCTL, pending);
}

static uint32_t u24(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
}

/* A fault says where it happened, and the device can be used again. */
static void check_faults(struct vc4_device *device)
{
    struct gpu_fault faults[64];
    unsigned count = gpu_host_faults(vc4_device_host(device), faults, 64);
    for (unsigned i = 0; i < count; i++)
        if (faults[i].kind == GPU_FAULT_NONE || !faults[i].gpu || !faults[i].unit || !faults[i].text[0])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct gpu_memory memory;
    /* Small budgets: the fuzzer looks for crashes and escapes, not for long work. */
    struct gpu_options options = {
        .packet_budget = 20000, .job_fuel = 1 << 24, .fuel = 64, .reference = size && (bytes[0] & 1)};
    struct vc4_device *device = NULL;

    if (!memory.base && gpu_memory_create(MEMORY, &memory))
        abort();
    if (size < HEADER || size - HEADER > TILE_ALLOC - IMAGE)
        return 0;
    memset(memory.base, 0, MEMORY);
    memcpy(memory.base + IMAGE, bytes + HEADER, size - HEADER);
    if (vc4_device_create(&memory, &options, &device))
        return 0;
    gpu_host_set_irq(vc4_device_host(device), supply_memory, &device);
    vc4_write(device, VC4_INTENA, VC4_INT_FRDONE | VC4_INT_FLDONE | VC4_INT_OUTOMEM);
    vc4_write(device, VC4_BPCA, TILE_ALLOC);
    vc4_write(device, VC4_BPCS, SUPPLY);
    vc4_write(device, VC4_CT0CA, u24(bytes + 1));
    vc4_write(device, VC4_CT0EA, u24(bytes + 4));
    vc4_write(device, VC4_CT1CA, u24(bytes + 7));
    vc4_write(device, VC4_CT1EA, u24(bytes + 10));
    check_faults(device);
    vc4_device_destroy(device);
    return 0;
}
