/* The registers of an interrupt line as all Malis have them, one behind the other: INT_RAWSTAT, INT_CLEAR,
 * INT_MASK, INT_STAT. Who has the line calls the host (gpu/host.h). */
#ifndef VITRAIL_GPU_IRQ_H
#define VITRAIL_GPU_IRQ_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_irq {
    uint32_t raw, mask;
};

/* By byte offset from INT_RAWSTAT; what is none of them reads 0. */
enum gpu_irq_register { GPU_IRQ_RAWSTAT = 0, GPU_IRQ_CLEAR = 4, GPU_IRQ_MASK = 8, GPU_IRQ_STAT = 12 };

static inline bool gpu_irq_is_high(const struct gpu_irq *irq)
{
    return irq->raw & irq->mask;
}

static inline uint32_t gpu_irq_read(const struct gpu_irq *irq, uint32_t offset)
{
    switch (offset) {
    case GPU_IRQ_RAWSTAT: return irq->raw;
    case GPU_IRQ_MASK: return irq->mask;
    case GPU_IRQ_STAT: return irq->raw & irq->mask;
    default: return 0;
    }
}

/* A write, of a line that has the bits `all`. Returns the bits that are to be raised now: those written to
 * INT_RAWSTAT, and all that are pending when the mask changes. */
static inline uint32_t gpu_irq_write(struct gpu_irq *irq, uint32_t offset, uint32_t value, uint32_t all)
{
    switch (offset) {
    case GPU_IRQ_RAWSTAT: return value & all;
    case GPU_IRQ_CLEAR: irq->raw &= ~value; return 0;
    case GPU_IRQ_MASK: irq->mask = value & all; return irq->raw;
    default: return 0;
    }
}

/* Sets bits; whether the host is to be called. */
static inline bool gpu_irq_raise(struct gpu_irq *irq, uint32_t bits)
{
    irq->raw |= bits;
    return bits & irq->mask;
}

#endif
