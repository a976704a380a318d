/* Performance counters (Guide tables 82 to 86): thirty sources, counted all the time or while a counter wants
 * them, and sixteen counters that follow the sources they are mapped to while they are enabled. README.md
 * says what each source counts in this model. Internal to gpu/vc4.
 *
 * Threading: used by the thread that writes the registers; workers count for themselves and are added up when
 * a batch is done, so counts are the same at any number of threads. */
#ifndef VITRAIL_GPU_VC4_PERF_H
#define VITRAIL_GPU_VC4_PERF_H

#include <stdbool.h>
#include <stdint.h>

enum vc4_event {
    VC4_EVENT_FEP_EMPTY_PRIMITIVES,
    VC4_EVENT_FEP_PRIMITIVES,
    VC4_EVENT_FEP_CLIPPED_QUADS,
    VC4_EVENT_FEP_QUADS,
    VC4_EVENT_TLB_STENCIL_FAIL,
    VC4_EVENT_TLB_ZS_FAIL,
    VC4_EVENT_TLB_ZS_PASS,
    VC4_EVENT_TLB_NO_COVERAGE,
    VC4_EVENT_TLB_COVERAGE,
    VC4_EVENT_TLB_COLOR,
    VC4_EVENT_PTB_OUTSIDE,
    VC4_EVENT_PTB_CLIPPED,
    VC4_EVENT_PSE_REVERSED,
    VC4_EVENT_QPU_IDLE,
    VC4_EVENT_QPU_VERTEX,
    VC4_EVENT_QPU_FRAGMENT,
    VC4_EVENT_QPU_VALID,
    VC4_EVENT_QPU_TMU_STALL,
    VC4_EVENT_QPU_SCOREBOARD_STALL,
    VC4_EVENT_QPU_VARYING_STALL,
    VC4_EVENT_ICACHE_HITS,
    VC4_EVENT_ICACHE_MISSES,
    VC4_EVENT_UNIFORM_HITS,
    VC4_EVENT_UNIFORM_MISSES,
    VC4_EVENT_TMU_QUADS,
    VC4_EVENT_TMU_MISSES,
    VC4_EVENT_VDW_STALL,
    VC4_EVENT_VCD_STALL,
    VC4_EVENT_L2_HITS,
    VC4_EVENT_L2_MISSES,
    VC4_EVENT_COUNT
};

/* Sources that the front end and the tile buffer are asked for only while a counter follows one of them; for
 * the second set fragment programs are interpreted. */
#define VC4_EVENTS_FEP                                                                                       \
    (1u << VC4_EVENT_FEP_EMPTY_PRIMITIVES | 1u << VC4_EVENT_FEP_PRIMITIVES |                                 \
     1u << VC4_EVENT_FEP_CLIPPED_QUADS | 1u << VC4_EVENT_FEP_QUADS | 1u << VC4_EVENT_PSE_REVERSED)
#define VC4_EVENTS_TLB                                                                                       \
    (1u << VC4_EVENT_TLB_STENCIL_FAIL | 1u << VC4_EVENT_TLB_ZS_FAIL | 1u << VC4_EVENT_TLB_ZS_PASS |          \
     1u << VC4_EVENT_TLB_NO_COVERAGE | 1u << VC4_EVENT_TLB_COVERAGE | 1u << VC4_EVENT_TLB_COLOR |            \
     1u << VC4_EVENT_TMU_QUADS)

#define VC4_PERF_COUNTERS 16u
#define VC4_PERF_CYCLES   4u /* of an instruction: 16 lanes, four at a time (Guide section 3) */

struct vc4_perf {
    uint64_t event[VC4_EVENT_COUNT];                     /* since the device was made */
    uint32_t enabled;                                    /* PCTRE */
    uint32_t wanted;                                     /* events that enabled counters follow, a bit each */
    uint64_t code_misses, uniform_misses, uniform_reads; /* of the list that runs */
    struct {
        uint8_t source;
        uint32_t value;
        uint64_t seen; /* the source's count that `value` includes */
    } counter[VC4_PERF_COUNTERS];
};

struct vc4_device;
struct vc4_qpu_program;

/* The registers PCTRC, PCTRE, PCTRn and PCTRSn, at their byte offsets. */
void vc4_perf_show(const struct vc4_device *device,
                   uint32_t values[VC4_PERF_COUNTERS]); /* all as they are now */
uint32_t vc4_perf_read(const struct vc4_device *device, uint32_t offset);
void vc4_perf_write(struct vc4_device *device, uint32_t offset, uint32_t value);

/* What a list's run took: `instructions` that the device counted in it. */
void vc4_perf_ran(struct vc4_device *device, uint64_t instructions);
/* A draw of it brings a program with its uniforms into the caches of the slices. */
void vc4_perf_program(struct vc4_device *device, const struct vc4_qpu_program *program);
/* The draw's programs read uniforms. */
static inline void vc4_perf_uniforms(struct vc4_perf *perf, uint64_t reads)
{
    perf->uniform_reads += reads;
}

#endif
