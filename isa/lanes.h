/* Sixteen lanes on paths of their own: those of the lowest instruction run first, so that lanes which went different
 * ways meet again where the ways do. What interpreters of such sets share. */
#ifndef VITRAIL_ISA_LANES_H
#define VITRAIL_ISA_LANES_H

#include <stdint.h>

/* Of the lanes in `may`, those with the least at[], which *lowest becomes; UINT32_MAX and none of no lanes. */
static inline uint16_t isa_lowest_lanes(uint16_t may, const uint32_t at[16], uint32_t *lowest)
{
    uint16_t lanes = 0;
    *lowest = UINT32_MAX;
    for (unsigned l = 0; l < 16; l++)
        if (may >> l & 1 && at[l] < *lowest)
            *lowest = at[l];
    for (unsigned l = 0; l < 16; l++)
        lanes |= (uint16_t)((may >> l & 1 && at[l] == *lowest) << l);
    return lanes;
}

#endif
