/* Zftrans of doubles, in binary128, which compilers have in integers: the same on every host. The result is a double's to half a unit
 * of the last place and some 2^-40 more. */
#include <string.h>

#include "isa/simple_v/function.h"
#include "util/bits.h"

typedef __float128 quad;
typedef unsigned __int128 wide;
#define REAL quad

enum {
    POWER_TERMS = 26,
    LESS_1_TERMS = 28,
    RATIO_TERMS = 47,
    SINE_TERMS = 32,
    COSINE_TERMS = 34,
    ARC_TERMS = 57
};
enum { BEYOND_2 = 1200, BEYOND_E = 800, BEYOND_10 = 400 };
enum { PLACES = 112, BIAS = 16383 };
static const quad WHOLE_FROM = 0x1p112Q, EVEN_FROM = 0x1p53Q; /* of doubles */

static const quad ln_2 = 0x1.62e42fefa39ef35793c7673007e6p-1Q, ln_2_high = 0x1.62e42fefa39ef35793c7673p-1Q,
                  ln_2_low = 0x1.f97b57a079a193394c5b16c5068cp-103Q;
static const quad log2_e = 0x1.71547652b82fe1777d0ffda0d23ap+0Q,
                  log10_e = 0x1.bcb7b1526e50e32a6ab7555f5a68p-2Q,
                  ln_10 = 0x1.26bb1bbb5551582dd4adac5705a6p+1Q, root_2 = 0x1.6a09e667f3bcdp+0Q;
static const quad pi = 0x1.921fb54442d18469898cc51701b8p+1Q, atan_half = 0x1.dac670561bb4f68adfc88bd97875p-2Q;

static wide to_wide(quad q)
{
    wide bits;
    memcpy(&bits, &q, sizeof bits);
    return bits;
}

static quad from_wide(wide bits)
{
    quad q;
    memcpy(&q, &bits, sizeof q);
    return q;
}

static bool is_negative(quad x)
{
    return to_wide(x) >> 127;
}

static quad power_of_two(int n)
{
    return from_wide((wide)(n + BIAS) << PLACES);
}

/* Of a normal quad, as all are that doubles become. */
static quad significand_of(quad x, int *exponent)
{
    const wide bits = to_wide(x);
    *exponent = (int)(bits >> PLACES & 0x7fff) - BIAS;
    return from_wide((bits & (((wide)1 << PLACES) - 1)) | (wide)BIAS << PLACES);
}

/* From the host's root of the significand on, by three of Newton's steps; what is exact stays so. */
static quad root_of(quad x)
{
    int exponent;
    if (!(x > 0) || x == (quad)__builtin_inf())
        return x == 0 || x > 0 ? x : (quad)__builtin_nan("");
    quad m = significand_of(x, &exponent);
    if (exponent & 1) {
        m *= 2;
        exponent--;
    }
    quad y = (quad)__builtin_sqrt((double)m);
    for (unsigned n = 0; n < 3; n++)
        y = (y + m / y) / 2;
    return y * power_of_two(exponent / 2);
}

/* 2/pi, from its first binary place on: of the largest double's exponent, and 192 places more. */
static const uint64_t two_by_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/* Places at + 1 to at + 64; before the first there are zeros. */
static uint64_t places(int at)
{
    if (at <= -64)
        return 0;
    if (at < 0)
        return two_by_pi[0] >> -at;
    const unsigned word = (unsigned)at / 64, shift = (unsigned)at % 64;
    return shift ? two_by_pi[word] << shift | two_by_pi[word + 1] >> (64 - shift) : two_by_pi[word];
}

/* An angle's quadrant, and the rest, at most pi/4. Doubles come no nearer to a quadrant's end than 2^-61 of it. */
static quad turned(quad x, unsigned *quadrant)
{
    const wide bits = to_wide(x);
    const int exponent = (int)(bits >> PLACES & 0x7fff) - BIAS - 52;
    const uint64_t m = (uint64_t)(bits >> (PLACES - 52) & ((1ull << 52) - 1)) | 1ull << 52;
    *quadrant = 0;
    if (x < 0.78Q && x > -0.78Q)
        return x;
    /* Places whose product with the number is a multiple of 4 do not matter; then come 2 of quadrants, and 190 of the rest. */
    const wide low = (wide)places(exponent + 126) * m, middle = (wide)places(exponent + 62) * m + (low >> 64);
    wide high = ((wide)(places(exponent - 2) * m + (uint64_t)(middle >> 64)) << 64) | (uint64_t)middle;
    const wide rounded = high + ((wide)1 << 125);
    *quadrant = (unsigned)(rounded >> 126);
    high -= rounded >> 126 << 126;
    const quad angle = ((quad)(__int128)high * 0x1p-126Q + (quad)(uint64_t)low * 0x1p-190Q) * (pi / 2);
    if (x > 0)
        return angle;
    *quadrant = (4 - *quadrant) & 3;
    return -angle;
}

#include "isa/simple_v/function_series.h"

#include "isa/simple_v/function_special.h"

/* By the bits: the host's environment may take denormals as 0. */
static quad from_double(struct isa_ieee *e, uint64_t bits)
{
    const uint64_t size = bits & ~0ull >> 1;
    const int exponent = (int)(size >> 52);
    const bool quiet = size >> 51 & 1;
    if (isa_ieee_is_nan(64, bits)) {
        e->exceptions |= quiet ? 0 : ISA_IEEE_INVALID;
        return (quad)__builtin_nan("");
    }
    quad q = (quad)(int64_t)(exponent ? (size & ((1ull << 52) - 1)) | 1ull << 52 : size);
    q = exponent == 2047 ? (quad)__builtin_inf() : q * power_of_two((exponent ? exponent : 1) - 1075);
    return bits >> 63 ? -q : q;
}

static uint64_t to_double(struct isa_ieee *e, quad q)
{
    const uint64_t sign = is_negative(q) ? 1ull << 63 : 0;
    const wide bits = to_wide(q) & ~(wide)0 >> 1;
    if (is_nan(q))
        return isa_ieee_nan(64);
    if (is_infinite(q) || bits >> PLACES == 0) /* less than any double is nothing */
        return sign | (bits >> PLACES ? 0x7ffull << 52 : 0);
    return isa_ieee_round(e, 64, sign, (bits & (((wide)1 << PLACES) - 1)) | (wide)1 << PLACES,
                          (int)(bits >> PLACES) - BIAS - PLACES);
}

uint64_t simple_v_function_quad(struct isa_ieee *e, enum simple_v_float op, uint64_t bits)
{
    return to_double(e, function_of_one(e, op, from_double(e, bits)));
}

uint64_t simple_v_function_of_two_quad(struct isa_ieee *e, enum simple_v_float op, uint64_t bits,
                                       uint64_t other)
{
    const bool whole = op == SIMPLE_V_FLOAT_pown || op == SIMPLE_V_FLOAT_rootn;
    const quad x = from_double(e, bits), y = whole ? 0 : from_double(e, other);
    return to_double(e, function_of_two(e, op, x, y, (int64_t)other));
}
