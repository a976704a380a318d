/* What ends a job before it is done, in our words and in the hardware's; and guest memory read and written by
 * those who end so. Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_STOP_H
#define VITRAIL_GPU_MALI_STOP_H

#include "gpu/fault.h"
#include "gpu/space.h"

enum mali_exception {
#define EXCEPTION(name, code, what) MALI_##name = (code),
#include "gpu/mali/exceptions.inc"
#undef EXCEPTION
};

struct mali_stop {
    struct gpu_fault fault;
    enum mali_exception exception; /* MALI_ACTIVE: none; what has no end stays at work until it is stopped */
    bool page_fault; /* an access that no page allows: the job may go on when the host has made one */
    uint64_t address;
    uint32_t rights; /* enum gpu_right: what the access needed */
};

/* Nothing has ended, the rest of any contents: as gpu_fault_clear. */
static inline void mali_stop_clear(struct mali_stop *stop)
{
    gpu_fault_clear(&stop->fault);
    stop->page_fault = false;
}
/* A job's fault. Returns false. */
bool mali_stop_set(struct mali_stop *stop, enum mali_exception exception, enum gpu_fault_kind kind,
                   const char *unit, uint64_t address, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* A page fault: that `size` bytes of `what` may not be used so. Returns NULL. */
uint8_t *mali_not_at(const struct gpu_space *space, uint64_t address, uint64_t size, uint32_t rights,
                     const char *unit, const char *what, struct mali_stop *stop);
/* Host pointer to them; NULL and a page fault in *stop where there is none. */
static inline uint8_t *mali_at(const struct gpu_space *space, uint64_t address, uint64_t size,
                               uint32_t rights, const char *unit, const char *what, struct mali_stop *stop)
{
    uint8_t *at = gpu_space_at(space, address, size, rights);
    return at ? at : mali_not_at(space, address, size, rights, unit, what, stop);
}

const char *mali_exception_name(uint32_t code); /* static: what it means */

#endif
