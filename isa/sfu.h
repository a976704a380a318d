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
 *   sin(x), of turns: x - floor(x + 0.5) = r in [-1/2, 1/2]; r above 1/4 becomes 1/2 - r, below -1/4 it
 * becomes -1/2 - r. t = r*r; p = 0xc1664db1, then p = p*t + c for c = 0x42280a04, 0xc2996897, 0x42a335e0,
 * 0xc2255de7, 0x40c90fdb; the result is p * r. Infinities give NaN. Absolute error below 2e-7. cos(x) = sin(x
 * + 0.25). atan(x), of a = |x|: above 1, a becomes 1 / a. t = a*a; p = 0x3b354a89, then p = p*t + c for c =
 * 0xbc80ded2, 0x3d2c9880, 0xbd98b765, 0x3dd976d8, 0xbe1162ad, 0x3e4cb77e, 0xbeaaaa47, 0x3f800000; r = p * a;
 * where a was above 1 it is 0x3fc90fdb - r; with the sign of x. Absolute error below 2e-7. The NaN is
 * 0xffc00000.
 *   log2_ratio(t), log2(1 + t) / t of t in [-1/4, 1/2]: p = 0x3d9c7389, then p = p*t + c for c = 0xbe30a3fa,
 *     0x3e5d3293, 0xbe78b791, 0x3e9393bd, 0xbeb89cd6, 0x3ef638a1, 0xbf38aa4c, 0x3fb8aa3b. Relative error below 1.2e-7. */
#ifndef VITRAIL_ISA_SFU_H
#define VITRAIL_ISA_SFU_H

#include <stdint.h>

#define ISA_NAN 0xffc00000u

/* Bits in, bits out. */
uint32_t isa_exp2(uint32_t x);
uint32_t isa_log2(uint32_t x);
uint32_t isa_sin_turns(uint32_t x);
uint32_t isa_cos_turns(uint32_t x);
uint32_t isa_atan(uint32_t x);
uint32_t isa_log2_ratio(uint32_t t);

#endif
