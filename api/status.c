/* What became of the work: status, units, faults, counters. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/internal.h"
#include "util/bits.h"

int vitrail_get_status(struct vitrail_context *context, struct vitrail_status *out)
{
    int code = api_enter(context);
    if (code)
        return code;
    api_fetch_faults(context);
    const struct vitrail_status status = {.jobs = context->device.host->counters.jobs,
                                          .faults = context->fault_total,
                                          .faults_kept = context->fault_count,
                                          .lines = gpu_device_lines(&context->device),
                                          .units = gpu_device_units(&context->device, NULL, 0)};
    code = out ? api_give(out, &status, sizeof status, sizeof status)
               : api_fail(context, -EINVAL, "out is NULL");
    api_leave(context);
    return code;
}

#define UNITS_MAX 16u

static unsigned list_units(const struct gpu_device *device, struct vitrail_unit *out, uint32_t capacity)
{
    static const uint8_t states[] = {[GPU_UNIT_IDLE] = VITRAIL_UNIT_IDLE,
                                     [GPU_UNIT_RUNNING] = VITRAIL_UNIT_RUNNING,
                                     [GPU_UNIT_WAITING] = VITRAIL_UNIT_WAITING,
                                     [GPU_UNIT_HALTED] = VITRAIL_UNIT_HALTED,
                                     [GPU_UNIT_FAULTED] = VITRAIL_UNIT_FAULTED};
    struct gpu_unit units[UNITS_MAX];
    unsigned count = gpu_device_units(device, units, UNITS_MAX);
    for (unsigned n = 0; n < UTIL_MIN(UTIL_MIN(count, UNITS_MAX), capacity); n++)
        out[n] = (struct vitrail_unit){units[n].name, states[units[n].state], units[n].address, units[n].end};
    return count;
}

int vitrail_units(struct vitrail_context *context, struct vitrail_unit *out, uint32_t capacity)
{
    int code = api_enter(context);
    if (code)
        return code;
    if (!out && capacity) {
        code = api_fail(context, -EINVAL, "out is NULL");
    } else {
        code = (int)list_units(&context->device, out, capacity);
    }
    api_leave(context);
    return code;
}

/* ---- faults ---- */

static uint32_t public_kind(enum gpu_fault_kind kind)
{
    switch (kind) {
    case GPU_FAULT_NONE: return VITRAIL_FAULT_NONE;
    case GPU_FAULT_PACKET: return VITRAIL_FAULT_PACKET;
    case GPU_FAULT_LIST: return VITRAIL_FAULT_LIST;
    case GPU_FAULT_MEMORY: return VITRAIL_FAULT_MEMORY;
    case GPU_FAULT_SHADER: return VITRAIL_FAULT_SHADER;
    case GPU_FAULT_TIMEOUT: return VITRAIL_FAULT_TIMEOUT;
    case GPU_FAULT_TILE_MEMORY: return VITRAIL_FAULT_TILE_MEMORY;
    case GPU_FAULT_UNSUPPORTED: return VITRAIL_FAULT_UNSUPPORTED;
    case GPU_FAULT_DEADLOCK: return VITRAIL_FAULT_DEADLOCK;
    }
    return VITRAIL_FAULT_OTHER;
}

static enum gpu_fault_kind inner_kind(uint32_t kind)
{
    for (int k = GPU_FAULT_NONE; k <= GPU_FAULT_DEADLOCK; k++)
        if (public_kind((enum gpu_fault_kind)k) == kind)
            return (enum gpu_fault_kind)k;
    return (enum gpu_fault_kind) - 1; /* gpu_fault_format says "fault" */
}

int vitrail_next_fault(struct vitrail_context *context, struct vitrail_fault *out)
{
    int code = api_enter(context);
    if (code)
        return code;
    const struct gpu_fault *from = context->faults;
    struct vitrail_fault fault = {.size = sizeof fault};
    api_fetch_faults(context);
    if (!out) {
        code = api_fail(context, -EINVAL, "out is NULL");
        goto out;
    }
    if (!context->fault_count)
        goto out;
    fault = (struct vitrail_fault){.kind = public_kind(from->kind),
                                   .draw = from->draw,
                                   .gpu = from->gpu,
                                   .unit = from->unit,
                                   .job = from->job,
                                   .address = from->address,
                                   .pc = from->pc,
                                   .lane = from->lane};
    memcpy(fault.text, from->text, sizeof fault.text);
    fault.text[sizeof fault.text - 1] = 0;
    code = api_give(out, &fault, sizeof fault, sizeof fault);
    if (!code) {
        context->fault_count--;
        memmove(context->faults, context->faults + 1, context->fault_count * sizeof *context->faults);
        code = 1;
    }
out:
    api_leave(context);
    return code;
}

int vitrail_fault_text(const struct vitrail_fault *fault, char *text, size_t size)
{
    struct vitrail_fault known = {0};
    if (!fault || !text || !size)
        return api_fail(NULL, -EINVAL, "%s", !fault ? "fault is NULL" : !text ? "text is NULL" : "size is 0");
    if (fault->size < sizeof known)
        return api_fail(NULL, -EINVAL, "fault->size is too small");
    memcpy(&known, fault, sizeof known);
    struct gpu_fault inner = {.kind = inner_kind(known.kind),
                              .gpu = known.gpu,
                              .unit = known.unit,
                              .job = known.job,
                              .draw = known.draw,
                              .address = known.address,
                              .pc = known.pc,
                              .lane = known.lane};
    memcpy(inner.text, known.text, sizeof inner.text);
    return (int)gpu_fault_format(&inner, text, UTIL_MIN(size, (size_t)4096));
}

/* ---- counters ---- */

static const struct {
    const char *name, *what;
    size_t offset;
} counter_table[] = {
    {"jobs", "lists, frames and programs started", offsetof(struct gpu_counters, jobs)},
    {"draws", "draws of binning lists", offsetof(struct gpu_counters, draws)},
    {"vertices", "vertices shaded", offsetof(struct gpu_counters, vertices)},
    {"primitives_in", "primitives assembled", offsetof(struct gpu_counters, primitives_in)},
    {"primitives_binned", "primitives left after clipping and culling",
     offsetof(struct gpu_counters, primitives_binned)},
    {"tiles", "tiles rendered", offsetof(struct gpu_counters, tiles)},
    {"blocks_shaded", "batches of 16 fragments shaded", offsetof(struct gpu_counters, blocks_shaded)},
    {"instructions", "instructions executed, for 16 lanes each", offsetof(struct gpu_counters, instructions)},
    {"bytes_tile_lists", "bytes of tile lists written", offsetof(struct gpu_counters, bytes_tile_lists)},
};

static uint32_t list_counters(const struct gpu_device *device, struct vitrail_counter *out, uint32_t capacity)
{
    const struct gpu_counters values = *gpu_host_counters(device->host);
    for (uint32_t i = 0; i < UTIL_MIN(capacity, (uint32_t)UTIL_ARRAY_SIZE(counter_table)); i++) {
        const char *value = (const char *)&values + counter_table[i].offset;
        out[i] = (struct vitrail_counter){
            .name = counter_table[i].name, .what = counter_table[i].what, .value = *(const uint64_t *)value};
    }
    return UTIL_ARRAY_SIZE(counter_table);
}

/* The compiler's, after the GPU's own. */
static uint32_t host_counters(struct vitrail_context *context, struct vitrail_counter *out, uint32_t capacity)
{
    struct jit_stats stats = {0};
    if (context->engine)
        jit_engine_stats(context->engine, &stats);
    const struct vitrail_counter all[] = {
        {"compiled", "functions compiled since open", stats.compiled},
        {"cache_hits", "functions found in the disk cache since open", stats.disk_hits},
        {"compile_ns", "nanoseconds of compilation since open", stats.compile_ns},
        {"code_bytes", "bytes of host code", stats.code_bytes},
    };
    for (uint32_t i = 0; i < UTIL_MIN(capacity, (uint32_t)UTIL_ARRAY_SIZE(all)); i++)
        out[i] = all[i];
    return UTIL_ARRAY_SIZE(all);
}

int vitrail_counters(struct vitrail_context *context, struct vitrail_counter *out, uint32_t capacity)
{
    int code = api_enter(context);
    if (code)
        return code;
    if (!out && capacity) {
        code = api_fail(context, -EINVAL, "out is NULL");
    } else {
        uint32_t gpu = list_counters(&context->device, out, capacity);
        uint32_t at = UTIL_MIN(gpu, capacity);
        code = (int)(gpu + host_counters(context, out ? out + at : NULL, capacity - at));
    }
    api_leave(context);
    return code;
}
