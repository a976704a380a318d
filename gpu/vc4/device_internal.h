/* What the files of gpu/vc4 share of a device. Not for users. */
#ifndef VITRAIL_GPU_VC4_DEVICE_INTERNAL_H
#define VITRAIL_GPU_VC4_DEVICE_INTERNAL_H

#include "gpu/vc4/device.h"
#include "gpu/vc4/shader_state.h"

#include <pthread.h>

#define VC4_FAULTS_MAX 64

struct vc4_device {
    struct gpu_memory *memory;
    struct vc4_options options;
    struct vc4_programs *programs;
    vc4_irq_fn irq;
    void *irq_data;
    uint32_t regs[0x1000 / 4]; /* plain storage; registers with behaviour are handled in device.c */
    uint32_t int_pending, int_enabled;
    /* Binner memory (Guide section 10: BPCA, BPCS, BPOA, BPOS). */
    uint32_t bpca, bpcs, bpoa, bpos;
    uint32_t semaphore; /* between the control threads: binner increments, renderer waits */
    struct vc4_frame frame;
    bool has_frame;
    struct vc4_counters counters;
    struct gpu_fault faults[VC4_FAULTS_MAX];
    unsigned fault_count;
    pthread_mutex_t fault_lock;
};

/* Copies a fault into the log (dropped when full), with gpu and job filled in. Thread-safe. */
void vc4_fault_add(struct vc4_device *device, const struct gpu_fault *fault);
/* Fills kind, unit, address and a printf-style text; pc and lane become UINT32_MAX. */
void vc4_fault_set(struct gpu_fault *fault, enum gpu_fault_kind kind, const char *unit, uint32_t address,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Raises interrupt bits: sets them pending and calls the callback when enabled. */
void vc4_raise(struct vc4_device *device, uint32_t bits);

#endif
