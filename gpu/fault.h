/* A guest fault: what the guest did wrong, as data. Never a crash of ours, never silence. */
#ifndef VITRAIL_GPU_FAULT_H
#define VITRAIL_GPU_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/fault.h"

enum gpu_fault_kind {
    GPU_FAULT_NONE,
    GPU_FAULT_PACKET,      /* control list: bad or unsupported record, or field */
    GPU_FAULT_LIST,        /* control list leaves memory, loops, nests too deep */
    GPU_FAULT_MEMORY,      /* an address outside guest memory */
    GPU_FAULT_SHADER,      /* a program cannot be decoded or does something illegal */
    GPU_FAULT_TIMEOUT,     /* fuel or packet budget used up, or a list that goes round */
    GPU_FAULT_TILE_MEMORY, /* binner ran out of memory and got none */
    GPU_FAULT_UNSUPPORTED, /* documented but not done: named */
    GPU_FAULT_DEADLOCK,    /* user programs wait for one another */
};

struct gpu_fault {
    enum gpu_fault_kind kind;
    const char *gpu;   /* static string: "vc4"; NULL before a device has it (gpu/host.h) */
    const char *unit;  /* static string: "binner", "renderer", "vertex program", ... */
    uint64_t job;      /* counts from 1 on each device */
    uint32_t draw;     /* primitive list within the job, from 1; 0 when not in a draw */
    uint64_t address;  /* guest address of the record, instruction or access */
    uint32_t pc, lane; /* programs: instruction index and lane; UINT32_MAX when not in a program */
    bool write;        /* MEMORY: it was to be written */
    char text[256];    /* what, in words */
};

/* Fills kind, unit, address and a printf-style text; pc and lane become UINT32_MAX, the rest 0. Returns false,
 * for `return gpu_fault_set(`. */
bool gpu_fault_set(struct gpu_fault *fault, enum gpu_fault_kind kind, const char *unit, uint64_t address,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* None, the rest of any contents: for those of which many are made and few are set. */
static inline void gpu_fault_clear(struct gpu_fault *fault)
{
    fault->kind = GPU_FAULT_NONE;
}
/* A copy in the arena, or NULL: no memory. For things of which many are made and few fail. */
struct util_arena;
const struct gpu_fault *gpu_fault_keep(const struct gpu_fault *fault, struct util_arena *arena);
/* What a guest program's fault is among ours. */
enum gpu_fault_kind gpu_fault_kind_of(enum isa_fault_class class);
/* "vc4 job 3, binner, draw 2, at 0x00012340: ..." into `text`; returns the length. */
size_t gpu_fault_format(const struct gpu_fault *fault, char *text, size_t size);

#endif
