/* A GP job of Mali-400 made of the fuzzer's bytes: command lists, tables, programs, vertex data and indices
 * in one small address space, started through registers as a hostile kernel would do it.
 *
 * Input: flags (1 byte: bit 0: the second half of the image may only be read), then four u16: in words, where
 * in the image the VS list begins and ends, where the PLBU list does; then the image. */
#include "gpu/utgard/device.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

#define MEMORY  (512u << 10)
#define TABLE   0x1000u /* page directory at 0, its one table here */
#define IMAGE   0x4000u /* physical, and as the GPU sees it */
#define END     0x60000u
#define HEADER  9u
#define HALVES  ((IMAGE + END) / 2)
#define GP_MASK 0x707e07u

struct host {
    struct utgard_device *device;
    unsigned given;
};

/* Gives heap a few times, from the end of the image. */
static void interrupt(void *data, uint32_t lines)
{
    struct host *host = data;
    uint32_t state = utgard_read(host->device, 0x30);

    utgard_write(host->device, 0x28, state);
    if (!(state & 4) || host->given++ == 3)
        return;
    utgard_write(host->device, 0x10, utgard_read(host->device, 0x14));
    utgard_write(host->device, 0x14, utgard_read(host->device, 0x14) + 0x1000);
    utgard_write(host->device, 0x20, 0x10);
}

static void make_tables(uint8_t *memory, bool read_only)
{
    const uint32_t directory = TABLE | 1;

    memcpy(memory, &directory, sizeof directory);
    for (uint32_t at = IMAGE; at < END; at += GPU_PAGE) {
        uint32_t entry = at | (read_only && at >= HALVES ? 3 : 7);
        memcpy(memory + TABLE + at / GPU_PAGE * 4, &entry, sizeof entry);
    }
}

static void run(struct utgard_device *device, const uint8_t *header)
{
    utgard_write(device, 0x3008, 0);
    utgard_write(device, 0x2c, GP_MASK);
    for (uint32_t n = 0; n < 4; n++)
        utgard_write(device, n * 4, IMAGE + util_load16(header + 1 + n * 2) * 4u);
    utgard_write(device, 0x10, END - 0x4000);
    utgard_write(device, 0x14, END - 0x3000);
    utgard_write(device, 0x20, 0x10);
    utgard_write(device, 0x20, 3);
}

/* A fault says what and where, and the device can be reset. */
static void check(struct utgard_device *device)
{
    struct gpu_fault faults[64];
    unsigned count = utgard_device_faults(device, faults, 64);

    for (unsigned n = 0; n < count; n++)
        if (!faults[n].kind || !faults[n].text[0] || !faults[n].unit)
            abort();
    utgard_write(device, 0x20, 0x20);
    if (utgard_read(device, 0x68))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct utgard_options options = {
        .kind = UTGARD_MALI400, .pp_count = 1, .packet_budget = 20000, .job_fuel = 20000, .fuel = 200};
    struct gpu_memory memory;
    struct host host = {0};

    if (size < HEADER || gpu_memory_create(MEMORY, &memory))
        return 0;
    make_tables(memory.base, data[0] & 1);
    memcpy(memory.base + IMAGE, data + HEADER, UTIL_MIN(size - HEADER, (size_t)(END - IMAGE)));
    if (!utgard_device_create(&memory, &options, &host.device)) {
        utgard_device_set_irq(host.device, interrupt, &host);
        run(host.device, data);
        check(host.device);
        utgard_device_destroy(host.device);
    }
    gpu_memory_destroy(&memory);
    return 0;
}
