/* How the fragment side of gpu/utgard reports what a guest did wrong. Internal to it. */
#ifndef VITRAIL_GPU_UTGARD_PP_FAULT_H
#define VITRAIL_GPU_UTGARD_PP_FAULT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "gpu/fault.h"

/* Fills *fault but for job and draw, which the frame knows. Returns false, for `return utgard_pp_refuse(`. */
static inline bool __attribute__((format(printf, 5, 6))) utgard_pp_refuse(struct gpu_fault *fault,
                                                                          enum gpu_fault_kind kind,
                                                                          const char *unit, uint32_t address,
                                                                          const char *format, ...)
{
    va_list args;

    *fault = (struct gpu_fault){
        .kind = kind, .gpu = "mali", .unit = unit, .address = address, .pc = UINT32_MAX, .lane = UINT32_MAX};
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    return false;
}

#endif
