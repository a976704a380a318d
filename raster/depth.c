#include "raster/depth.h"

uint32_t raster_depth_coarse(double *a, double *b, double *c, double reach)
{
    double most = fabs(*a) + fabs(*b);
    int shift;
    const double limit = ldexp(RASTER_DEPTH_REACH, RASTER_DEPTH_SHIFT);
    if (!(most < limit && reach < limit)) {
        *a = *b = 0.0;
        *c = raster_depth_clamp(*c);
        return 0;
    }
    frexp((most > reach ? most : reach) / RASTER_DEPTH_REACH, &shift); /* less than 2^shift of them */
    *a = ldexp(*a, -shift);
    *b = ldexp(*b, -shift);
    *c = ldexp(*c, -shift);
    return (uint32_t)shift;
}
