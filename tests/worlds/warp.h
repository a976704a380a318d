/* The world of isa/warp's programs, whose sets' rows are in the files of their names: warp.c (what it is, the
 * interpreter's ports), warp_ir.c (the same as IR). */
#ifndef VITRAIL_TESTS_WORLD_WARP_H
#define VITRAIL_TESTS_WORLD_WARP_H

#include "isa/warp/interp.h"
#include "tests/worlds/world.h"

enum { FUEL = 60, MEMORY = 1024, BUFFER = 256, UNIFORMS = 96, SPECIALS = 32 };
/* Bits of a mode's number; from SIDE_BY_SIDE on of programs of which several run side by side, with ports that never
 * fault. */
enum { ALL_LANES = 1, HELPERS = 2, FIXED = 4, SIDE_BY_SIDE = 6 };

struct warp_world {
    struct warp_ports ports; /* ctx is set by who runs */
    uint32_t uniform[UNIFORMS];
    uint32_t special[SPECIALS][2][16];
    uint32_t buffer[BUFFER];
    uint64_t address, back;
    /* what a run leaves */
    uint8_t memory[MEMORY];
    uint32_t reg[WARP_REGISTERS][16];
    uint32_t seen[WARP_MESSAGE_WORDS][16]; /* of messages whose effect others see */
    uint16_t live, returned;
    uint32_t fault;
    uint64_t fault_address, executed;
    uint16_t lanes, helpers;
    bool fixed;              /* no blend shader is asked for */
    bool whole;              /* nothing faults */
    struct warp_state state; /* of programs that have barriers */
};

static inline bool warp_world_helps(unsigned mode)
{
    return mode & HELPERS && mode != SIDE_BY_SIDE + 1;
}
/* How many were translated side by side, and how often these were run one by one although none has used up its fuel. */
extern uint64_t warp_world_sides, warp_world_left;
extern const char *const warp_world_modes[];

/* As struct world_set has them. */
void warp_world_fill(void *world, const void *program, unsigned mode, uint64_t seed);
void warp_world_run(const void *program, unsigned mode, void *world);
bool warp_world_same(const void *program, unsigned mode, const void *input, const void *expected,
                     const void *got);
void warp_world_count(const void *world, struct world_outcome *outcome);
int warp_world_emit(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef given);

/* What the rows of both sets have. */
#define WARP_WORLD                                                                                           \
    .bytes = sizeof(struct warp_world), .modes = warp_world_modes, .fill = warp_world_fill,                  \
    .run = warp_world_run, .emit = warp_world_emit, .same = warp_world_same, .count = warp_world_count,      \
    .text_inputs = 16
#define WARP_WORLD_RANDOM .usual = 300, .capacity = 256, .optimised = 1, .inputs = 8, .refused = 2

#endif
