#include "raster/texture/cube.h"

#include <math.h>

#include "util/bits.h"

static float smaller(float x, float y)
{
    return x < y ? x : y;
}

/* How far at least the quad's three points reach to lane 0's side. */
static float reach(const float c[3])
{
    uint32_t side = util_f2u(c[0]) & 0x80000000;
    float c1 = util_u2f(util_f2u(c[1]) ^ side), c2 = util_u2f(util_f2u(c[2]) ^ side);
    return smaller(smaller(fabsf(c[0]), c1), c2);
}

void raster_cube_plane(const float s[3], const float t[3], const float r[3], float out[3][3])
{
    float x = reach(s), y = reach(t), z = reach(r);
    const float *major = z >= x && z >= y ? r : y >= x ? t : s;

    for (unsigned n = 0; n < 3; n++) {
        out[0][n] = s[n] / major[n];
        out[1][n] = t[n] / major[n];
        out[2][n] = r[n] / major[n];
    }
}
