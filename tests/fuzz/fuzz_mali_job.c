/* Chains of jobs of a Mali made of the fuzzer's bytes: page tables, headers, descriptors and what they
 * lead to in one small memory, started through registers as a hostile kernel would do it.
 *
 * Input: flags (1 byte), the chains of slots 1, 0 and 2 (u64 each, 0: none), JS_CONFIG's upper 28 bits (u32),
 * then pieces of memory: physical address (u32), bytes (u16), and those bytes. The root of the page tables
 * stands at 0. Flags: 3 the GPU (T720, T760, T860; 3: one since Bifrost, which the lowest bits of JS_CONFIG
 * choose); 4 page faults are answered by a flush, three times; 8 the last piece is written at the first of them;
 * 16 the space is switched off then; 32 chains are stopped softly from inside an interrupt; 64 all slots start before any works; 128 programs are compiled. */
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "util/bits.h"

#define MEMORY (1u << 20)
#define HEADER (1 + 3 * 8 + 4)
#define SHARE  256u /* inputs of a device */

enum { KIND = 3, ANSWER = 4, CHANGE = 8, OFF = 16, STOP = 32, TOGETHER = 64, COMPILED = 128 };
enum { GPU_COMMAND = 0x30, JOB_CLEAR = 0x1004, JOB_MASK = 0x1008, MMU_CLEAR = 0x2004, MMU_MASK = 0x2008 };
enum { AS_TRANSTAB = 0x2400, AS_COMMAND = 0x2418, AS_UPDATE = 1, AS_FLUSH_PT = 4 };

struct host {
    struct mali_device *device;
    struct gpu_memory *memory;
    const uint8_t *input;
    size_t size;
    unsigned answers;
};

static uint32_t slot_at(unsigned slot)
{
    return 0x1800 + slot * 0x80;
}

static void write64(struct mali_device *device, uint32_t offset, uint64_t value)
{
    mali_write(device, offset, (uint32_t)value);
    mali_write(device, offset + 4, (uint32_t)(value >> 32));
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

static void interrupt(void *data, uint32_t lines)
{
    struct host *host = data;
    uint8_t flags = host->input[0];
    mali_write(host->device, JOB_CLEAR, UINT32_MAX);
    if (flags & STOP)
        for (unsigned slot = 0; slot < 3; slot++)
            mali_write(host->device, slot_at(slot) + 0x20, 2);
    if (!(lines & MALI_LINE_MMU))
        return;
    mali_write(host->device, MMU_CLEAR, UINT32_MAX);
    if (flags & CHANGE && !host->answers)
        fill(host->memory->base, host->input + HEADER, host->size - HEADER, true);
    if (flags & OFF)
        write64(host->device, AS_TRANSTAB, 0);
    if (flags & (ANSWER | OFF) && host->answers++ < 3)
        mali_write(host->device, AS_COMMAND, flags & OFF ? AS_UPDATE : AS_FLUSH_PT);
}

static void start(struct mali_device *device)
{
    mali_write(device, 0x1a0, UINT32_MAX);
    mali_write(device, 0x190, UINT32_MAX);
    mali_write(device, 0x180, UINT32_MAX);
    mali_write(device, JOB_MASK, UINT32_MAX);
    mali_write(device, MMU_MASK, UINT32_MAX);
    write64(device, AS_TRANSTAB, 7);
    mali_write(device, AS_COMMAND, AS_UPDATE);
}

static void run(struct host *host)
{
    static const unsigned slots[] = {1, 0, 2};
    uint32_t config = util_load32(host->input + 25) & ~0xfu;
    for (unsigned n = 0; n < 3; n++) {
        uint32_t at = slot_at(slots[n]);
        uint64_t chain = util_load64(host->input + 1 + n * 8);
        write64(host->device, at + 0x40, chain);
        write64(host->device, at + 0x50, UINT64_MAX);
        mali_write(host->device, at + 0x58, config);
        if (chain && !(host->input[0] & TOGETHER))
            mali_write(host->device, at + 0x60, 1);
    }
    for (unsigned n = 0; n < 3 && host->input[0] & TOGETHER; n++)
        mali_write(host->device, slot_at(slots[n]) + 0x60, 1);
}

/* A fault says what and where, a chain can be stopped, and the device reset. */
static void check(struct mali_device *device)
{
    struct gpu_fault faults[64];
    for (unsigned slot = 0; slot < 3; slot++) {
        mali_write(device, slot_at(slot) + 0x60, 0);
        mali_write(device, slot_at(slot) + 0x20, 3);
        if (mali_read(device, slot_at(slot) + 0x24) == 8)
            abort();
    }
    unsigned count = gpu_host_faults(mali_device_host(device), faults, 64);
    for (unsigned n = 0; n < count; n++)
        if (!faults[n].kind || !faults[n].text[0] || !faults[n].unit)
            abort();
    gpu_host_set_irq(mali_device_host(device), NULL, NULL);
    mali_write(device, GPU_COMMAND, 1);
    if (mali_read(device, 0x34) || mali_read(device, 0x1010) || mali_device_lines(device))
        abort();
    while (gpu_host_faults(mali_device_host(device), faults, 64))
        ;
}

/* A device serves some inputs, one behind the other, as a kernel's does: what check() leaves of the one before
 * is what a reset leaves. */
static struct mali_device *device_of(struct gpu_memory *memory, enum mali_kind kind, bool compiled)
{
    static const char *const names[MALI_KIND_COUNT] = {"t720", "t760", "t860", "g72", "g31", "g52", "g57"};
    static struct served {
        struct mali_device *device;
        struct jit_engine *engine; /* of those that compile */
        unsigned inputs;
    } all[MALI_KIND_COUNT][2];
    const struct jit_options jit = {.level = -1, .optimize = JIT_QUICK, .cache_dir = ""};
    struct served *s = &all[kind][compiled];
    if (s->inputs++ % SHARE == 0) {
        mali_device_destroy(s->device);
        jit_engine_destroy(s->engine);
        s->engine = NULL;
        if (compiled && jit_engine_create(&jit, &s->engine, NULL))
            abort();
        const struct mali_options options = {.name = names[kind],
                                             .kind = kind,
                                             .gpu.engine = s->engine,
                                             .gpu.packet_budget = 20000,
                                             .gpu.job_fuel = 5000,
                                             .gpu.fuel = 200};
        if (mali_device_create(memory, &options, &s->device))
            abort();
    }
    return s->device;
}

/* The first job of a chain with everything that it leads to, as linters read it: chains leave lists that nobody
 * uses. */
static void look(struct mali_device *device, uint64_t chain)
{
    static struct util_arena *arena;
    static union mali_payload payload;
    struct mali_stop stop = {0};
    struct mali_job_header header;
    uint64_t packets = 5000;
    const struct mali_reader reader = {mali_as_space(device, 0, &stop), device->version, "fuzzer", &packets};
    if (!arena && util_arena_create(&arena))
        abort();
    util_arena_reset(arena);
    if (!reader.space || !mali_desc_read(&reader, &mali_desc_job_header, chain, &header, &stop))
        return;
    mali_job_header_settle(device->version, &header);
    stop = (struct mali_stop){0};
    if (!mali_payload_read(&reader, chain, &header, arena, &payload, &stop) && !stop.fault.text[0])
        abort();
}

static enum mali_kind kind_of(const uint8_t *data)
{
    const uint32_t later = util_load32(data + 25) % (MALI_KIND_COUNT - MALI_G72);
    return (data[0] & KIND) == KIND ? MALI_G72 + (enum mali_kind)later : (enum mali_kind)(data[0] & KIND);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gpu_memory memory;
    if (size < HEADER)
        return 0;
    if (!memory.base && gpu_memory_create(MEMORY, &memory))
        abort();
    struct host host = {.memory = &memory, .input = data, .size = size};
    memset(memory.base, 0, MEMORY);
    fill(memory.base, data + HEADER, size - HEADER, false);
    if (!(data[0] & CHANGE))
        fill(memory.base, data + HEADER, size - HEADER, true);
    host.device = device_of(&memory, kind_of(data), data[0] & COMPILED);
    gpu_host_set_irq(mali_device_host(host.device), interrupt, &host);
    start(host.device);
    for (unsigned n = 0; n < 3; n++)
        look(host.device, util_load64(data + 1 + n * 8));
    run(&host);
    check(host.device);
    return 0;
}
