/* A whole job of Mali-400 made of the fuzzer's bytes: page tables, command lists, programs, render state,
 * texture descriptors, vertices and texels in one small memory; first the GP, then one PP or two, started
 * through registers as a hostile kernel would do it.
 *
 * Input: flags (1 byte), the GP's 6 frame registers, the PP's 23 and its write-back units' 3 times 12, then
 * pieces of memory: physical address (u32), bytes (u16), and those bytes. The page directory stands at 0.
 * Flags: 1 the PP starts from inside the GP's interrupt; 2 it starts twice; 4 it is reset in between;
 * 8 memory changes before it starts: the last piece is written then; 16 the other PP starts, too. */
#include "gpu/utgard/device.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

#define MEMORY    (1u << 20)
#define GP_WORDS  6u
#define PP_WORDS  23u
#define WB_WORDS  12u
#define HEADER    (1 + 4 * (GP_WORDS + PP_WORDS + 3 * WB_WORDS))
#define HEAP_STEP 0x1000u
#define GP_MASK   0x707e07u
#define PP_AT     0x8000u
#define PP_MASK   0x1fffu
#define MMU_RESET 6u
#define SHARE     256u /* inputs of a device */

enum { INSIDE = 1, TWICE = 2, RESET = 4, CHANGE = 8, BOTH = 16 };

struct host {
    struct utgard_device *device;
    const uint8_t *input;
    unsigned grown;
    bool drawn;
};

static void start_pp(struct host *host, unsigned pp)
{
    const uint8_t *words = host->input + 1 + 4 * GP_WORDS;
    uint8_t flags = host->input[0];
    uint32_t mmu = 0x4000 + pp * 0x1000, base = PP_AT + pp * 0x2000;
    utgard_write(host->device, mmu + 8, 0);
    utgard_write(host->device, base + 0x1028, PP_MASK);
    for (unsigned n = 0; n < PP_WORDS + 3 * WB_WORDS; n++) {
        unsigned unit = n < PP_WORDS ? 0 : 1 + (n - PP_WORDS) / WB_WORDS,
                 word = n < PP_WORDS ? n : (n - PP_WORDS) % WB_WORDS;
        utgard_write(host->device, base + unit * 0x100 + word * 4, util_load32(words + n * 4));
    }
    utgard_write(host->device, base + 0x100c, 1 << 6);
    if (flags & RESET)
        utgard_write(host->device, base + 0x100c, 1 << 7);
    if (flags & TWICE)
        utgard_write(host->device, base + 0x100c, 1 << 6);
}

static void draw(struct host *host)
{
    host->drawn = true;
    start_pp(host, 0);
    if (host->input[0] & BOTH)
        start_pp(host, 1);
}

/* Gives heap a few times. */
static void interrupt(void *data, uint32_t lines)
{
    struct host *host = data;
    uint32_t state = utgard_read(host->device, 0x30);
    utgard_write(host->device, 0x28, state);
    utgard_write(host->device, PP_AT + 0x1024, UINT32_MAX);
    utgard_write(host->device, PP_AT + 0x3024, UINT32_MAX);
    if (state & 4 && host->grown++ < 3) {
        utgard_write(host->device, 0x10, utgard_read(host->device, 0x14));
        utgard_write(host->device, 0x14, utgard_read(host->device, 0x14) + HEAP_STEP);
        utgard_write(host->device, 0x20, 0x10);
    } else if (host->input[0] & INSIDE && !host->drawn) {
        draw(host);
    }
}

/* The pieces, all but the last, or the last alone. */
static void fill(uint8_t *memory, const uint8_t *at, size_t left, bool last)
{
    while (left >= 6) {
        uint32_t place = util_load32(at) % MEMORY, size = util_load16(at + 4);
        size_t take = UTIL_MIN(UTIL_MIN((size_t)size, left - 6), (size_t)(MEMORY - place));
        if (last == (left - 6 < (size_t)size + 6))
            memcpy(memory + place, at + 6, take);
        size_t step = UTIL_MIN((size_t)size + 6, left);
        at += step;
        left -= step;
    }
}

static void run(struct host *host, struct gpu_memory *memory, size_t size)
{
    const uint8_t *input = host->input;
    utgard_write(host->device, 0x3008, 0);
    utgard_write(host->device, 0x2c, GP_MASK);
    for (unsigned n = 0; n < GP_WORDS; n++)
        utgard_write(host->device, n * 4, util_load32(input + 1 + n * 4));
    utgard_write(host->device, 0x20, 0x10);
    utgard_write(host->device, 0x20, 3);
    if (input[0] & CHANGE)
        fill(memory->base, input + HEADER, size - HEADER, true);
    if (!host->drawn)
        draw(host);
}

/* A fault says what and where, and the device can be reset. */
static void check(struct utgard_device *device)
{
    struct gpu_fault faults[64];
    utgard_device_flush(device);
    unsigned count = gpu_host_faults(utgard_device_host(device), faults, 64);
    for (unsigned n = 0; n < count; n++)
        if (!faults[n].kind || !faults[n].text[0] || !faults[n].unit)
            abort();
    utgard_write(device, 0x20, 0x20);
    if (utgard_read(device, 0x68))
        abort();
    for (unsigned pp = 0; pp < 2; pp++) {
        uint32_t base = PP_AT + pp * 0x2000;
        utgard_write(device, base + 0x100c, 1 << 5);
        utgard_write(device, 0x4008 + pp * 0x1000, MMU_RESET);
        if (utgard_read(device, base + 0x1008) & 1)
            abort();
    }
    utgard_write(device, 0x3008, MMU_RESET);
    while (gpu_host_faults(utgard_device_host(device), faults, 64))
        ;
}

/* A device serves some inputs, one behind the other, as a kernel's does, whose reset cost less than a new
 * one: what check() leaves of the one before is what a reset leaves. */
static struct utgard_device *device_of(struct gpu_memory *memory)
{
    static const struct utgard_options options = {.name = "mali400",
                                                  .kind = UTGARD_MALI400,
                                                  .pp_count = 2,
                                                  .gpu.packet_budget = 20000,
                                                  .gpu.job_fuel = 20000,
                                                  .gpu.fuel = 200};
    static struct utgard_device *device;
    static unsigned served;
    if (served++ % SHARE == 0) {
        utgard_device_destroy(device);
        if (utgard_device_create(memory, &options, &device))
            abort();
    }
    return device;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gpu_memory memory;
    struct host host = {.input = data};
    if (size < HEADER)
        return 0;
    if (!memory.base && gpu_memory_create(MEMORY, &memory))
        abort();
    memset(memory.base, 0, MEMORY);
    fill(memory.base, data + HEADER, size - HEADER, false);
    if (!(data[0] & CHANGE))
        fill(memory.base, data + HEADER, size - HEADER, true);
    host.device = device_of(&memory);
    gpu_host_set_irq(utgard_device_host(host.device), interrupt, &host);
    run(&host, &memory, size);
    check(host.device);
    return 0;
}
