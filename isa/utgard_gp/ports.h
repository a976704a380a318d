/* What a GP program reaches outside its registers, as plain C calls: the interpreter's side of the ports. The
 * translator has the same list as IR emitters (trans.h). gpu/utgard implements both. Values are the bits of
 * IEEE singles. The caller owns `ctx`. */
#ifndef VITRAIL_ISA_UTGARD_GP_PORTS_H
#define VITRAIL_ISA_UTGARD_GP_PORTS_H

#include "isa/fault.h"
#include "isa/utgard_gp/insn.h"

/* Of several in one instruction the first is told, in the order of its work: load, multipliers, adders, pass,
 * complex, stores of x, y, z and w - in each pair what a store takes before where it goes. */
enum utgard_gp_fault {
    UTGARD_GP_OK = 0,
    UTGARD_GP_FAULT_FUEL,     /* loops too long */
    UTGARD_GP_FAULT_RESERVED, /* reserved operation or source */
    UTGARD_GP_FAULT_ADDRESS,  /* an address outside the file of UTGARD_GP_FILE vec4s */
    UTGARD_GP_FAULT_COUNT
};
extern const struct isa_fault_row utgard_gp_faults[UTGARD_GP_FAULT_COUNT];

struct utgard_gp_ports {
    void *ctx;
    /* Attribute 0..15 of the vertex. */
    void (*attribute)(void *ctx, uint32_t index, uint32_t out[4]);
    /* Vec4 `index`, 0..511, of the uniform file. */
    void (*uniform)(void *ctx, uint32_t index, uint32_t out[4]);
    /* Component 0..3 of varying 0..15; the last store counts. */
    void (*varying)(void *ctx, uint32_t index, uint32_t component, uint32_t value);
};

struct utgard_gp_report {
    enum utgard_gp_fault fault;
    uint32_t pc;
    uint64_t executed; /* instructions that ran to their end */
};

#endif
