/* The world of Simple-V's programs: a thread and some memory. */
#ifndef VITRAIL_TESTS_WORLD_SIMPLE_V_H
#define VITRAIL_TESTS_WORLD_SIMPLE_V_H

#include "isa/simple_v/interp.h"

enum {
    SIMPLE_V_WORLD_AT = 0x40000, /* where memory begins */
    SIMPLE_V_WORLD_MEMORY = 0x4000,
    SIMPLE_V_WORLD_READ_ONLY = 0x400 /* its first bytes */
};

struct simple_v_world {
    struct simple_v_thread thread; /* its run is there while it steps */
    const struct simple_v_program *program;
    uint64_t stop;    /* behind the program's last halfword */
    uint64_t vectors; /* instructions over elements that the interpreter has executed */
    uint8_t memory[SIMPLE_V_WORLD_MEMORY];
};

/* All zero but for lengths, at the program's begin. */
void simple_v_world_begin(struct simple_v_world *world, const struct simple_v_program *program);

#endif
