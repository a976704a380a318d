/* How a device works, whatever its family. Everything pointed to is borrowed and must outlive the device. */
#ifndef VITRAIL_GPU_OPTIONS_H
#define VITRAIL_GPU_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/numeric.h"
#include "jit/engine.h"
#include "util/pool.h"

struct gpu_observer;

struct gpu_options {
    struct util_pool *pool;    /* NULL: everything inline */
    struct jit_engine *engine; /* NULL: interpreter only */
    bool reference;            /* scalar reference path everywhere: interpreter, coverage, textures */
    bool in_order; /* hidden pixels are shaded too, each in its turn; the same bytes (raster/visible.h) */
    /* Bounds of a job, from the write that starts it; past one of them it ends with GPU_FAULT_TIMEOUT, at the
     * same place whatever the number of threads. 0: the family's. */
    uint64_t packet_budget; /* records or commands of a list, and what costs as much; 64 Mi */
    uint64_t job_fuel;      /* instructions of programs, for 16 lanes each; 4 Gi */
    uint32_t
        fuel; /* those that a program's loops may repeat for one batch of 16 lanes; vc4 1 Mi, Mali 64 Ki */
    enum isa_numeric numeric;            /* how programs compute; ISA_USUAL: as the family says */
    const struct gpu_observer *observer; /* NULL: nobody looks on (gpu/observe.h) */
};

#endif
