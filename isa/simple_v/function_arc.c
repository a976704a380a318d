/* Zftrans' arcs, hyperbolic functions and cube root.
 *
 *   atan(t), 0 <= t <= 1: of c = 0, 1/2 or 1 the nearest to t, atan(c) + u - u^3/3 + ... + u^27/27, u = (t - c) / (1 + tc).
 *     Beyond 1 it is what 1/t leaves of a quarter turn.
 *   asin, acos: the angle of (sqrt(1 - x^2), x), of (x, sqrt(1 - x^2)), with 1 - x^2 as (1 - x)(1 + x).
 *   sinh, cosh, tanh by expm1; asinh, acosh, atanh by logp1.
 *   cbrt: exp(log(x) / 3), and a step of Newton's. */
#include <math.h>

#include "isa/simple_v/function.h"

static const double pi = SIMPLE_V_PI, atan_half = 0x1.dac670561bb4fp-2;

/* ---- arcs ---- */

static double series(double u)
{
    const double z = u * u;
    double sum = 0;
    for (int k = 27; k > 1; k -= 2)
        sum = (1.0 / k - sum) * z;
    return u - u * sum;
}

/* 0 to 1. */
static double arc_tangent(double t)
{
    if (t < 0.25)
        return series(t);
    if (t < 0.75)
        return atan_half + series((t - 0.5) / (1 + t / 2));
    return pi / 4 + series((t - 1) / (1 + t));
}

double simple_v_angle(double y, double x)
{
    const double a = fabs(x), b = fabs(y);
    double angle;
    if (b == 0)
        angle = 0;
    else if (isinf(a) && isinf(b))
        angle = pi / 4;
    else
        angle = b <= a ? arc_tangent(b / a) : pi / 2 - arc_tangent(a / b);
    if (signbit(x))
        angle = pi - angle;
    return copysign(angle, y);
}

double simple_v_arc(enum simple_v_float op, double x)
{
    switch (op) {
    case SIMPLE_V_FLOAT_asin:
    case SIMPLE_V_FLOAT_asinpi: return simple_v_angle(x, sqrt((1 - x) * (1 + x)));
    case SIMPLE_V_FLOAT_acos:
    case SIMPLE_V_FLOAT_acospi: return simple_v_angle(sqrt((1 - x) * (1 + x)), x);
    default: return simple_v_angle(x, 1);
    }
}

/* ---- hyperbolic ---- */

double simple_v_hyperbolic(enum simple_v_float op, double x)
{
    const double a = fabs(x);
    double y;
    switch (op) {
    case SIMPLE_V_FLOAT_sinh:
        y = simple_v_expm1(a);
        y = (y + y / (y + 1)) / 2;
        break;
    case SIMPLE_V_FLOAT_cosh: y = simple_v_exp(a); return (y + 1 / y) / 2;
    case SIMPLE_V_FLOAT_tanh:
        y = simple_v_expm1(2 * a);
        y = y / (y + 2);
        break;
    case SIMPLE_V_FLOAT_asinh: y = simple_v_logp1(a + a * a / (1 + sqrt(a * a + 1))); break;
    case SIMPLE_V_FLOAT_acosh: return simple_v_logp1((x - 1) + sqrt((x - 1) * (x + 1)));
    default: y = simple_v_logp1(2 * a / (1 - a)) / 2; break;
    }
    return copysign(y, x);
}

double simple_v_cube_root(double x)
{
    const double a = fabs(x), y = simple_v_exp(simple_v_log(a) / 3);
    return copysign(y - (y * y * y - a) / (3 * y * y), x);
}
