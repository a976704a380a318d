/* The world of isa/warp's programs, whose sets' rows are in the files of their names: warp.c (what it is, the
 * interpreter's ports), warp_ir.c (the same as IR). */
#ifndef VITRAIL_FUZZ_WORLD_WARP_H
#define VITRAIL_FUZZ_WORLD_WARP_H

#include "isa/warp/interp.h"
#include "fuzz/world/world.h"

enum { FUEL = 60, MEMORY = 1024, BUFFER = 256, UNIFORMS = 96, SPECIALS = 32 };
/* Bits of a mode's number; from SIDE_BY_SIDE on of programs of which several run side by side, with ports that never
 * fault. */
enum { ALL_LANES = 1, HELPERS = 2, FIXED = 4, SIDE_BY_SIDE = 6 };

struct world_warp {
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

static inline bool world_warp_helps(unsigned mode)
{
    return mode & HELPERS && mode != SIDE_BY_SIDE + 1;
}
/* How many were translated side by side, and how often these were run one by one although none has used up its fuel. */
extern uint64_t world_warp_sides, world_warp_left;
extern const char *const world_warp_modes[];
extern const struct world_field world_warp_fields[];

/* As struct world_set has them. */
void world_warp_fill(void *world, const void *program, unsigned mode, uint64_t seed);
void world_warp_run(const void *program, unsigned mode, void *world);
bool world_warp_same(const void *program, unsigned mode, const void *input, const void *expected,
                     const void *got);
void world_warp_count(const void *world, struct world_outcome *outcome);
int world_warp_emit(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef given);

/* What the rows of both sets have. */
#define WORLD_WARP                                                                                           \
    .bytes = sizeof(struct world_warp), .modes = world_warp_modes, .fields = world_warp_fields,              \
    .fill = world_warp_fill, .run = world_warp_run, .emit = world_warp_emit, .same = world_warp_same,        \
    .count = world_warp_count, .text_inputs = 16
#define WORLD_WARP_RANDOM .usual = 300, .capacity = 256, .optimised = 1, .inputs = 8, .refused = 2

#endif
