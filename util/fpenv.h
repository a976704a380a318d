/* The floating-point environment in which guest arithmetic runs: round to nearest even, denormal inputs and
 * results are zero (DAZ and FTZ), no exceptions. Every thread that runs guest programs, compiled or
 * interpreted, or evaluates planes for them, enters it first: that is what makes their bits agree. */
#ifndef VITRAIL_UTIL_FPENV_H
#define VITRAIL_UTIL_FPENV_H

#include <xmmintrin.h>

/* Enters the guest environment; returns the state to hand to util_fpenv_leave. */
static inline unsigned util_fpenv_enter(void)
{
    unsigned saved = _mm_getcsr();
    _mm_setcsr(0x9fc0); /* FTZ | DAZ | all exceptions masked | round to nearest */
    return saved;
}

static inline void util_fpenv_leave(unsigned saved)
{
    _mm_setcsr(saved);
}

#endif
