#include "isa/utgard_gp/lanes.h"

#include <string.h>

static void attribute(void *ctx, uint32_t index, uint32_t out[4])
{
    const struct utgard_gp_lanes *l = ctx;
    for (unsigned c = 0; c < 4; c++)
        out[c] = l->attribute[index][c][l->lane];
}

static void uniform(void *ctx, uint32_t index, uint32_t out[4])
{
    const struct utgard_gp_lanes *l = ctx;
    memcpy(out, l->uniform[index], 16);
}

static void varying(void *ctx, uint32_t index, uint32_t component, uint32_t value)
{
    const struct utgard_gp_lanes *l = ctx;
    l->varying[index][component][l->lane] = value;
}

struct utgard_gp_ports utgard_gp_lane_ports(struct utgard_gp_lanes *lanes)
{
    return (struct utgard_gp_ports){lanes, attribute, uniform, varying};
}

void utgard_gp_fill_file(const uint32_t (*u)[4], uint32_t (*file)[4][16])
{
    for (unsigned n = 0; n < UTGARD_GP_FILE; n++)
        for (unsigned c = 0; c < 4; c++)
            for (unsigned l = 0; l < 16; l++)
                file[n][c][l] = u[n][c];
}
