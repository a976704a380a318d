/* IEEE half floats (binary16), with round-to-nearest-even; NaNs keep their sign and become quiet. */
#ifndef VITRAIL_UTIL_HALF_H
#define VITRAIL_UTIL_HALF_H

#include <stdint.h>

float util_half_to_float(uint16_t h);
uint16_t util_float_to_half(float f);

#endif
