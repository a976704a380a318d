/* Powers of two and logarithms as every guest's "fast" arithmetic has them: a fixed sequence of IEEE single
 * operations, each rounded once, nothing fused, so that the interpreters and compiled code (jit/math.h) give
 * the same bits on every host. To be called in the guest floating-point environment (util/fpenv.h).
 *
 *   exp2(x): NaN gives NaN. x = min(max(x, -127), 128) by IEEE comparison; i = floor(x), f = x - i;
 *     p = 0x3aea67b3, then p = p*f + c for c = 0x3c16b907, 0x3d63f8a7, 0x3e75f8e0, 0x3f31721e, 0x3f800000
 * (bit patterns; each product rounded, then each sum); the result is p * 2^i, with 2^i made of its exponent
 *     bits: i <= -127 gives +0, i >= 128 +Inf. Relative error below 3e-7.
 *   log2(x), of a = |x|: NaN gives NaN; zero and denormals -Inf; Inf +Inf. Otherwise e = exponent - 127, m =
 *     significand in [1, 2); if m > 0x3fb504f3 (about sqrt 2): m = m/2, e = e + 1. t = m - 1; s = t / (2 +
 * t); s2 = s*s; p = 0x3edd0a1a, then p = p*s2 + c for c = 0x3f13a39b, 0x3f763873, 0x4038aa3b; the result is
 *     float(e) + p*s. Absolute error below 1.2e-7 near 1.
 * The NaN is 0xffc00000. */
#ifndef VITRAIL_ISA_SFU_H
#define VITRAIL_ISA_SFU_H

#include <stdint.h>

#define ISA_NAN 0xffc00000u

/* Bits in, bits out. */
uint32_t isa_exp2(uint32_t x);
uint32_t isa_log2(uint32_t x);

#endif
