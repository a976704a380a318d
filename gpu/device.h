/* A GPU as whoever drives it sees it - the kernel's part, a replay, a VM's device model - whatever its
 * family: registers in one window, an interrupt line, faults. Each family gives its devices such a view
 * (vc4_device_gpu, ...); gpu/families.h makes devices by name.
 *
 * Threading: a device is used by one thread at a time, but for gpu/turns.h. */
#ifndef VITRAIL_GPU_DEVICE_H
#define VITRAIL_GPU_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/host.h"
#include "gpu/state.h"

/* A part of a device that runs jobs by itself. */
enum gpu_unit_state {
    GPU_UNIT_IDLE, /* its last job is done, or there was none */
    GPU_UNIT_RUNNING,
    GPU_UNIT_WAITING, /* for another unit, for the host, for memory */
    GPU_UNIT_HALTED,  /* goes on when told to */
    GPU_UNIT_FAULTED
};
struct gpu_unit {
    const char *name; /* static */
    enum gpu_unit_state state;
    uint64_t address, end; /* where its list stands and ends, as far as registers tell */
};

/* `device` is struct gpu_device's `self`. Those that may be NULL say so. */
struct gpu_device_functions {
    void (*destroy)(void *device);
    /* Byte offsets in the family's window. Work started by a write is done, or waits for an answer, when the
     * write returns. Reading what is not there gives 0. */
    uint32_t (*read)(void *device, uint32_t offset);
    void (*write)(void *device, uint32_t offset, uint32_t value);
    /* Its interrupt lines as include/vitrail.h numbers them (VITRAIL_LINE_*): a bit for each that is high; what one is
     * called, NULL where there is none. */
    uint32_t (*lines)(const void *device);
    const char *(*line_name)(const void *device, unsigned line);
    uint32_t (*irq_pending)(const void *device); /* nonzero while the line is high */
    void (*flush)(void *device);                 /* runs what a family may put off; NULL: nothing is */
    /* With turns (gpu/turns.h): what is to be done; whether a write may be made while units work (only asked when
     * the caller may not do work); by the worker: all that can be done, with `all` what might be joined, too. */
    enum gpu_due (*due)(const void *device);
    enum gpu_when (*when)(const void *device, uint32_t offset, uint32_t value);
    void (*work)(void *device, bool all);
    /* The device's own part of gpu_device_transfer. */
    bool (*transfer)(void *device, struct gpu_state *state);
    /* In the interrupt callback: whether what is pending ends a job unless it is answered by register writes
     * before the callback returns. NULL: never; work waits as long as it must. */
    bool (*must_answer)(void *device, uint32_t pending);
    /* At most `capacity` units; how many there are. */
    unsigned (*units)(void *device, struct gpu_unit *out, unsigned capacity);
};

struct gpu_device {
    const char *name; /* static: "vc4", "mali400": what captures and `--gpu` call it */
    const struct gpu_device_functions *functions;
    void *self;
    struct gpu_host *host; /* the device's own */
};

static inline uint32_t gpu_device_read(const struct gpu_device *gpu, uint32_t offset)
{
    return gpu->functions->read(gpu->self, offset);
}

static inline void gpu_device_write(const struct gpu_device *gpu, uint32_t offset, uint32_t value)
{
    gpu->functions->write(gpu->self, offset, value);
}

static inline uint32_t gpu_device_irq_pending(const struct gpu_device *gpu)
{
    return gpu->functions->irq_pending(gpu->self);
}

static inline uint32_t gpu_device_lines(const struct gpu_device *gpu)
{
    return gpu->functions->lines(gpu->self);
}

static inline const char *gpu_device_line_name(const struct gpu_device *gpu, unsigned line)
{
    return gpu->functions->line_name(gpu->self, line);
}

static inline void gpu_device_flush(const struct gpu_device *gpu)
{
    if (gpu->functions->flush)
        gpu->functions->flush(gpu->self);
}

static inline bool gpu_device_must_answer(const struct gpu_device *gpu, uint32_t pending)
{
    return gpu->functions->must_answer && gpu->functions->must_answer(gpu->self, pending);
}

static inline unsigned gpu_device_units(const struct gpu_device *gpu, struct gpu_unit *out, unsigned capacity)
{
    return gpu->functions->units(gpu->self, out, capacity);
}

/* Turns: the worker's, and whether there is anything for it. Work that a posted write starts counts. */
static inline enum gpu_due gpu_device_due(const struct gpu_device *gpu)
{
    return gpu->host->posted_count ? GPU_DUE_NOW : gpu->functions->due(gpu->self);
}

static inline void gpu_device_work(const struct gpu_device *gpu, bool all)
{
    gpu->host->inside = true;
    gpu->functions->work(gpu->self, all);
    gpu->host->inside = false;
}

/* Saves or loads (gpu/state.h); loading is for a device that was just made. False: it is not between jobs. */
bool gpu_device_transfer(const struct gpu_device *gpu, struct gpu_state *state);

static inline void gpu_device_destroy(const struct gpu_device *gpu)
{
    if (gpu->self)
        gpu->functions->destroy(gpu->self);
}

#endif
