/* y += a * x against scalar code. */
#include "program.h"

void saxpy(const float *x, float *y, long count, float a);

static float x[103], y[103];

int main(void)
{
    for (int i = 0; i < 103; i++) {
        x[i] = (float)i / 4;
        y[i] = (float)(100 - i);
    }
    saxpy(x, y, 100, 2.5f);
    saxpy(x, y, 0, 2.5f);
    for (int i = 0; i < 103; i++) {
        const float before = (float)(100 - i);
        if (y[i] != (i < 100 ? fused(x[i], 2.5f, before) : before))
            return 1;
    }
    return 0;
}
