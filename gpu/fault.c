/* Guest faults in words. */
#include "gpu/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/arena.h"
#include "util/bits.h"

static const char *const kind_names[] = {
    [GPU_FAULT_NONE] = "no fault",
    [GPU_FAULT_PACKET] = "bad record",
    [GPU_FAULT_LIST] = "bad list",
    [GPU_FAULT_MEMORY] = "address outside memory",
    [GPU_FAULT_SHADER] = "bad program",
    [GPU_FAULT_TIMEOUT] = "timeout",
    [GPU_FAULT_TILE_MEMORY] = "out of tile memory",
    [GPU_FAULT_UNSUPPORTED] = "unsupported",
    [GPU_FAULT_DEADLOCK] = "deadlock",
};

enum gpu_fault_kind gpu_fault_kind_of(enum isa_fault_class class)
{
    static const enum gpu_fault_kind kinds[] = {
        [ISA_FAULT_PROGRAM] = GPU_FAULT_SHADER,
        [ISA_FAULT_ENDLESS] = GPU_FAULT_TIMEOUT,
        [ISA_FAULT_MEMORY] = GPU_FAULT_MEMORY,
        [ISA_FAULT_UNSUPPORTED] = GPU_FAULT_UNSUPPORTED,
    };
    return kinds[class];
}

const struct gpu_fault *gpu_fault_keep(const struct gpu_fault *fault, struct util_arena *arena)
{
    struct gpu_fault *kept = util_arena_alloc(arena, sizeof *kept);
    if (kept)
        *kept = *fault;
    return kept;
}

bool gpu_fault_set(struct gpu_fault *fault, enum gpu_fault_kind kind, const char *unit, uint64_t address,
                   const char *format, ...)
{
    va_list args;
    *fault = (struct gpu_fault){
        .kind = kind, .unit = unit, .address = address, .pc = UINT32_MAX, .lane = UINT32_MAX};
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    return false;
}

/* Appends to text[0..size), always terminated; returns the new length, at most size - 1. */
static size_t __attribute__((format(printf, 4, 5))) append(char *text, size_t size, size_t at,
                                                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + at, size - at, format, args);
    va_end(args);
    return n < 0 ? at : UTIL_MIN(at + (size_t)n, size - 1);
}

size_t gpu_fault_format(const struct gpu_fault *fault, char *text, size_t size)
{
    if (!size)
        return 0;
    const char *kind =
        (unsigned)fault->kind < UTIL_ARRAY_SIZE(kind_names) ? kind_names[fault->kind] : "fault";
    size_t at = append(text, size, 0, "%s job %llu, %s", fault->gpu ? fault->gpu : "gpu",
                       (unsigned long long)fault->job, fault->unit ? fault->unit : "device");
    if (fault->draw)
        at = append(text, size, at, ", draw %u", fault->draw);
    at = append(text, size, at, ", at 0x%08" PRIx64, fault->address);
    if (fault->pc != UINT32_MAX)
        at = append(text, size, at, ", pc %u", fault->pc);
    if (fault->lane != UINT32_MAX)
        at = append(text, size, at, ", lane %u", fault->lane);
    at = append(text, size, at, ": %s", kind);
    if (fault->text[0])
        at = append(text, size, at, ": %.*s", (int)sizeof fault->text, fault->text);
    return at;
}
