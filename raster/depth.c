#include "raster/depth.h"

uint32_t raster_depth_coarse(double *a, double *b, double *c, double reach)
{
    double most = fabs(*a) + fabs(*b);
    int exponent;
    if (!(most < RASTER_DEPTH_REACH * 0x1p23 && reach < RASTER_DEPTH_REACH * 0x1p23)) {
        *a = *b = 0.0;
        *c = raster_depth_clamp(*c);
        return 0;
    }
    frexp(most > reach ? most : reach, &exponent); /* most < 2^exponent */
    exponent -= 29;
    *a = ldexp(*a, -exponent);
    *b = ldexp(*b, -exponent);
    *c = ldexp(*c, -exponent);
    return (uint32_t)exponent;
}
