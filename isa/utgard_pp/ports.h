/* What a PP program reaches outside its registers, as plain C calls: the interpreter's side of the ports. The
 * translator has the same list as IR emitters (trans.h). gpu/utgard implements both. Values are the bits of
 * IEEE singles, sixteen fragments at a time: four quads of 2x2, bit 0 of a lane's number is x, bit 1 y, with
 * y growing as gl_FragCoord.y does. The caller owns `ctx`. */
#ifndef VITRAIL_ISA_UTGARD_PP_PORTS_H
#define VITRAIL_ISA_UTGARD_PP_PORTS_H

#include "isa/fault.h"
#include "isa/numeric.h"
#include "isa/utgard_pp/program.h"

enum utgard_pp_fault {
    UTGARD_PP_OK = 0,
    UTGARD_PP_FAULT_FUEL,     /* loops too long */
    UTGARD_PP_FAULT_RESERVED, /* reserved operation, register or source */
    UTGARD_PP_FAULT_ADDRESS,  /* an address outside what the program may reach */
    UTGARD_PP_FAULT_COUNT
};
extern const struct isa_fault_row utgard_pp_faults[UTGARD_PP_FAULT_COUNT];

struct utgard_pp_ports {
    void *ctx;
    /* `count` components from component `first` of the varyings on, interpolated with perspective; `offset`,
     * if not NULL, is added to `first` (components). False: outside the varyings, in lane *lane of `lanes`.
     */
    bool (*varying)(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                    uint32_t out[4][16], uint32_t *lane);
    void (*fragcoord)(void *ctx, uint32_t out[4][16]); /* x, y, z, w, of which programs take 1/w */
    void (*pointcoord)(void *ctx, uint32_t out[2][16]);
    void (*frontface)(void *ctx, uint32_t out[16]); /* 1.0 or 0.0 */
    /* Texture request `n` of program->samples; `offset` as above, to the sampler's number. `lod`, if not
     * NULL, is added to the level, or is the level, as the sample says. */
    bool (*sample)(void *ctx, uint32_t n, const int32_t *offset, const uint32_t coordinates[4][16],
                   const uint32_t lod[16], uint16_t lanes, uint32_t out[4][16], uint32_t *lane);
    /* `count` floats of uniforms from float `first` on. */
    bool (*uniform)(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                    uint32_t out[4][16], uint32_t *lane);
    void (*color)(void *ctx, uint32_t out[4][16]); /* the tile's, as floats */
    void (*depth)(void *ctx, uint32_t out[16]);
    /* ISA_EXACT: registers are halves (README.md, rule 1), and the uniforms that the port gives are. */
    enum isa_numeric numeric;
};

struct utgard_pp_report {
    enum utgard_pp_fault fault;
    uint32_t at, lane; /* word of the program; lowest lane that it happened to */
    uint64_t executed; /* instructions that ran to their end, for whatever lanes */
};

#endif
