/* The world of Midgard's programs, for the files that make it: midgard.c (what it is), midgard_ports.c (the
 * interpreter's ports), midgard_ir.c and midgard_ir_ports.c (the same as IR). */
#ifndef VITRAIL_FUZZ_WORLD_MIDGARD_H
#define VITRAIL_FUZZ_WORLD_MIDGARD_H

#include "isa/midgard/interp.h"
#include "isa/midgard/trans.h"
#include "fuzz/world/world.h"

enum { FUEL = 60, TABLE = 16, BUFFERS = 4, BUFFER_BYTES = 512, MEMORY = 1024, SELECTORS = 128, UNIFORMS = 8 };

struct world_midgard {
    uint32_t uniform[UNIFORMS][4];
    uint32_t table[2][TABLE][4][16]; /* attributes and varyings, images */
    uint32_t buffer[BUFFERS][BUFFER_BYTES / 4];
    uint32_t argument[8][4][16];
    uint32_t tile[8][4][16];
    uint8_t memory[3][MEMORY]; /* by enum isa_space */
    uint64_t address;
    /* what a run leaves */
    uint32_t stored[TABLE][4][16], written[8][16];
    uint32_t reg[MIDGARD_REGISTERS][4][16];
    uint16_t live;
    uint32_t fault;
    uint64_t fault_address, executed; /* instructions, without a fault */
    uint16_t lanes, helpers;
    struct midgard_state state; /* translated programs that have barriers */
};

/* Bits of a layout's number; from SIDE_BY_SIDE on all lanes, of programs of which several run side by side. A mode is a
 * layout, in `exact` and then in `fast`. */
enum { ALL_LANES = 1, HELPERS = 2, SHARED = 4, SIDE_BY_SIDE = 8, LAYOUTS = 10 };
static inline unsigned layout_of(unsigned mode)
{
    return mode % LAYOUTS;
}
static inline enum isa_numeric numeric_of(unsigned mode)
{
    return mode < LAYOUTS ? ISA_EXACT : ISA_FAST;
}

/* Without ctx, which is the world, and numeric. */
extern const struct midgard_ports world_midgard_ports;
extern const struct midgard_ir_ports world_midgard_ir_ports;
/* The program as a GPU of this mode has it; what it points to is the other's. */
struct midgard_program world_midgard_program(const void *program, unsigned mode);

/* How often programs side by side were run one by one although none of those has used up its fuel: they may, where lanes
 * have gone round by turns. */
extern uint64_t world_midgard_left;
int world_midgard_emit(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef world);

#endif
