/* The worlds of sixteen vertices as arrays, the way compiled code sees them, for the interpreter: one vertex
 * of them at a time. */
#ifndef VITRAIL_ISA_UTGARD_GP_LANES_H
#define VITRAIL_ISA_UTGARD_GP_LANES_H

#include "isa/utgard_gp/ports.h"

/* Borrowed from the caller. */
struct utgard_gp_lanes {
    const uint32_t (*uniform)[4];       /* UTGARD_GP_FILE of them */
    const uint32_t (*attribute)[4][16]; /* attribute[n][component][lane] */
    uint32_t (*varying)[4][16];
    uint32_t lane; /* the one that the ports are of */
};

/* Ports of lanes->lane, which may change between runs. */
struct utgard_gp_ports utgard_gp_lane_ports(struct utgard_gp_lanes *lanes);

/* What compiled code begins with that stores temporaries (struct utgard_gp_temporaries): the file in every
 * lane. */
void utgard_gp_fill_file(const uint32_t (*uniform)[4], uint32_t (*file)[4][16]);

#endif
