/* The world of Simple-V's programs: a thread and some memory. */
#ifndef VITRAIL_FUZZ_WORLD_SIMPLE_V_H
#define VITRAIL_FUZZ_WORLD_SIMPLE_V_H

#include "isa/simple_v/interp.h"

enum {
    WORLD_SIMPLE_V_AT = 0x40000, /* where memory begins */
    WORLD_SIMPLE_V_MEMORY = 0x4000,
    WORLD_SIMPLE_V_READ_ONLY = 0x400 /* its first bytes */
};

struct world_simple_v {
    struct simple_v_thread thread; /* its run is there while it steps */
    const struct simple_v_program *program;
    uint64_t stop;    /* behind the program's last halfword */
    uint64_t vectors; /* instructions over elements that the interpreter has executed */
    uint8_t memory[WORLD_SIMPLE_V_MEMORY];
};

/* All zero but for lengths, at the program's begin. */
void world_simple_v_begin(struct world_simple_v *world, const struct simple_v_program *program);

#endif
