/* Values that a watched launch reads and writes, instruction by instruction, for who follows one of its pixels. Which pixel an element
 * belongs to only the program knows: a pixel is told the values of the element whose number is the pixel's modulo VL, by its place
 * in the register file, and of instructions without elements all. */
#ifndef VITRAIL_GPU_LIBRESOC_FRAG_VALUES_H
#define VITRAIL_GPU_LIBRESOC_FRAG_VALUES_H

#include "gpu/follow.h"
#include "isa/simple_v/interp.h"

#define LIBRESOC_VALUES_STEPS 4096u /* instructions whose values are kept, the first ones */

struct libresoc_access {
    uint64_t value;
    uint32_t step;
    uint16_t at;                /* byte of the file */
    uint8_t bytes, element, vl; /* element: of a sub-vector its number */
    bool integer, written, all; /* all: of no element */
};

struct libresoc_values {
    struct simple_v_watch watch; /* for the launch */
    struct {
        struct libresoc_access *at;
        uint32_t count, room;
    } accesses; /* by step */
    bool out_of_memory;
    /* The instruction under way: its number, VL, elements of a sub-vector, and so many elements so far. */
    uint32_t steps, elements;
    uint8_t vl, subvl, result; /* result: a register that it writes as a whole, 0: none */
    const struct simple_v_state *state;
    bool all, left_out;
};

/* Stays where it is while the program runs. */
void libresoc_values_begin(struct libresoc_values *values);
/* An instruction begins, of a launch whose state this is. */
void libresoc_values_step(struct libresoc_values *values, const struct simple_v_state *state);
/* The step's values that a pixel is told, into f->now. *next is where to look, 0 at first, for steps in their order. */
void libresoc_values_tell(const struct libresoc_values *values, uint32_t step, unsigned pixel, uint32_t *next,
                          struct gpu_follower *f);
void libresoc_values_finish(struct libresoc_values *values);

#endif
