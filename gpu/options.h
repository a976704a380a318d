/* How a device works, whatever its family. Everything pointed to is borrowed and must outlive the device. */
#ifndef VITRAIL_GPU_OPTIONS_H
#define VITRAIL_GPU_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/numeric.h"
#include "jit/engine.h"
#include "util/pool.h"

struct gpu_observer;

#define GPU_FUEL      (1u << 20)
#define GPU_UNBOUNDED (UINT64_MAX >> 8) /* more than any work takes; a few of them can be added */

struct gpu_options {
    struct util_pool *pool;    /* NULL: everything inline */
    struct jit_engine *engine; /* NULL: interpreter only */
    bool reference;            /* scalar reference path everywhere: interpreter, coverage, textures */
    bool in_order; /* hidden pixels are shaded too, each in its turn; the same bytes (raster/deferred.h) */
    /* Where work ends with GPU_FAULT_TIMEOUT, at the same place whatever the number of threads, and however
     * programs are executed. `fuel`: instructions that a program's loops may repeat for one batch of 16
     * lanes; 0: 1 Mi. The other two bound a job from the write that starts it, for who wants to; 0: no bound.
     */
    uint32_t fuel;
    uint64_t packet_budget; /* records or commands of its lists, and what costs as much */
    uint64_t job_fuel; /* instructions of programs, for 16 lanes each; user programs, each: 4 Gi if it is 0 */
    enum isa_numeric numeric;            /* how programs compute; ISA_USUAL: as the family says */
    const struct gpu_observer *observer; /* NULL: nobody looks on (gpu/observe.h) */
};

/* As a device works with them: each 0 is what it stands for, ISA_USUAL is `usual`, and the reference path has
 * no engine. */
struct gpu_options gpu_options_resolve(const struct gpu_options *options, enum isa_numeric usual);

#endif
