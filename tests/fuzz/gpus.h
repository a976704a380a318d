/* GPUs by a number of the input: its place in the families' table, as often as it goes round. */
#ifndef VITRAIL_TESTS_FUZZ_GPUS_H
#define VITRAIL_TESTS_FUZZ_GPUS_H

#include "gpu/families.h"

static inline const char *fuzz_gpu(unsigned n)
{
    unsigned count = 0;
    while (gpu_info_at(count))
        count++;
    return gpu_info_at(n % count)->name;
}

/* Likewise of those that a driver drives. */
static inline const char *fuzz_driven_gpu(unsigned n)
{
    unsigned count = 0;
    while (gpu_info_driven_at(count))
        count++;
    return gpu_info_driven_at(n % count)->name;
}

#endif
