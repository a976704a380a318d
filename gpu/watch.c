#include "gpu/watch.h"

#include <stdlib.h>

void gpu_lane_finish(struct gpu_lane *lane)
{
    free(lane->varyings.at);
    free(lane->lookups.at);
    free(lane->tests.at);
    free(lane->trace.at);
    *lane = (struct gpu_lane){0};
}
