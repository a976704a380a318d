/* A frame of the Libre-SOC GPU made of the fuzzer's bytes: records, programs, attributes and texels in one small memory, started
 * through registers.
 *
 * Input: flags (1 byte), the address of the frame's record (u32), then pieces of memory: address (u32), bytes (u16), and those
 * bytes. Flags: 1 the frame is started from inside the interrupt of the one before, too; 2 memory is as the frame before has left
 * it. */
#include "gpu/libresoc/device.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

#define MEMORY (1u << 20)
#define HEADER 5u

enum { INSIDE = 1, AGAIN = 2 };

struct host {
    struct gpu_device gpu;
    uint8_t flags;
};

static void start(struct host *host)
{
    gpu_device_write(&host->gpu, LIBRESOC_COMMAND, LIBRESOC_BIT(COMMAND, START));
}

static void interrupt(void *data, uint32_t pending)
{
    struct host *host = data;
    gpu_device_write(&host->gpu, LIBRESOC_INT_CLEAR, pending);
    if (host->flags & INSIDE)
        start(host);
    host->flags &= (uint8_t)~INSIDE;
}

static void fill(uint8_t *memory, const uint8_t *at, size_t left)
{
    while (left >= 6) {
        const uint32_t place = util_load32(at) % MEMORY, size = util_load16(at + 4);
        const size_t step = UTIL_MIN((size_t)size + 6, left);
        memcpy(memory + place, at + 6, UTIL_MIN(step - 6, (size_t)(MEMORY - place)));
        at += step;
        left -= step;
    }
}

/* A fault says what and where. */
static void check(struct host *host)
{
    struct gpu_fault faults[GPU_HOST_FAULTS];
    const unsigned count = gpu_host_faults(host->gpu.host, faults, GPU_HOST_FAULTS);
    for (unsigned n = 0; n < count; n++)
        if (!faults[n].kind || !faults[n].text[0] || !faults[n].unit)
            abort();
    const bool faulted = gpu_device_read(&host->gpu, LIBRESOC_FAULT_KIND) != LIBRESOC_FAULT_NONE;
    if (faulted != !!(gpu_device_read(&host->gpu, LIBRESOC_STATUS) & LIBRESOC_BIT(STATUS, FAULTED)) ||
        (faulted && !count))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct gpu_options options = {.fuel = 200, .packet_budget = 1u << 14, .job_fuel = 1u << 16};
    struct libresoc_device *device;
    struct gpu_memory memory;
    if (size < HEADER || gpu_memory_create(MEMORY, &memory))
        return 0;
    if (!libresoc_device_create(&memory, &options, &device)) {
        struct host host = {.gpu = libresoc_device_gpu(device), .flags = bytes[0]};
        fill(memory.base, bytes + HEADER, size - HEADER);
        gpu_host_set_irq(host.gpu.host, interrupt, &host);
        gpu_device_write(&host.gpu, LIBRESOC_INT_MASK, LIBRESOC_INT_ALL);
        gpu_device_write(&host.gpu, LIBRESOC_RECORD_LOW, util_load32(bytes + 1));
        for (unsigned n = 0; n < (bytes[0] & AGAIN ? 2 : 1); n++) {
            start(&host);
            check(&host);
        }
        libresoc_device_destroy(device);
    }
    gpu_memory_destroy(&memory);
    return 0;
}
