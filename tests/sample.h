/* How many of the cases of a long test are tried. The long tests take all of them by themselves; where each takes
 * many times as long, as under a sanitizer, VITRAIL_SAMPLE=N asks for every Nth. */
#ifndef VITRAIL_TESTS_SAMPLE_H
#define VITRAIL_TESTS_SAMPLE_H

#include <stdlib.h>

/* From one case to the next: 1, or what VITRAIL_SAMPLE says. */
static inline unsigned sample_step(void)
{
    const char *text = getenv("VITRAIL_SAMPLE");
    int step = text ? atoi(text) : 1;
    return step > 1 ? (unsigned)step : 1;
}

#endif
