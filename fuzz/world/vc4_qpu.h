/* The world of a QPU's programs: arrays that its ports read, and what it leaves. */
#ifndef VITRAIL_FUZZ_WORLD_VC4_QPU_H
#define VITRAIL_FUZZ_WORLD_VC4_QPU_H

#include "isa/vc4_qpu/interp.h"
#include "fuzz/world/world.h"

struct world_of_qpu {
    uint32_t uniforms[256];
    uint32_t varying[16][16], varying_c[16][16];
    uint32_t x[16], y[16], ms[16], rev[16], ra15[16], rb15[16];
    uint32_t loads[8][16]; /* colours, coverage, VPM words, in turn */
    uint32_t qpu, fuel;
    /* changed by a run */
    uint32_t log[16], taken;
    uint32_t fifo[2][VC4_QPU_TMU_SLOTS][16], waiting[2]; /* the interpreter's texture results */
    struct vc4_qpu_state state;
    uint32_t fault; /* as isa_fault_pack has it */
};

#endif
