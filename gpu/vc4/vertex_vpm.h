/* The vertex pipe memory as one batch's program sees it: an array of 64 rows of 16 words, column l being
 * vertex l (Guide section 7). Reads see the attributes, writes make the outputs; the two windows are
 * separate. Internal to gpu/vc4. */
#ifndef VITRAIL_GPU_VC4_VERTEX_VPM_H
#define VITRAIL_GPU_VC4_VERTEX_VPM_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/vc4_qpu/program.h"

/* A generic block access (Guide tables 32 and 33). */
struct vc4_vpm_access {
    uint8_t address; /* of the next vector, in units of its width: {Y, X, sub-vector} */
    uint8_t stride;  /* added after each vector; 64 for a field of 0 */
    uint8_t size;    /* 0: 8 bits an element, 1: 16, 2: 32 */
    bool horizontal, laned;
    uint8_t left; /* reads: vectors left in the block */
};

/* false for what is not a generic block set-up (DMA, reserved width). */
bool vc4_vpm_setup(uint32_t value, struct vc4_vpm_access *out);
/* The next vector; the address advances and wraps behind row 63. Elements narrower than a word are
 * zero-extended when read; a write changes the selected bits alone, in the lanes of `lanes`. */
void vc4_vpm_get(const uint32_t (*vpm)[16], struct vc4_vpm_access *access, uint32_t out[16]);
void vc4_vpm_put(uint32_t (*vpm)[16], struct vc4_vpm_access *access, const uint32_t value[16],
                 uint16_t lanes);

/* Where element i of the access's next vector stands: a word of the array, and the bit in it at which the
 * element begins. */
struct vc4_vpm_place {
    uint32_t row, column, shift;
};
struct vc4_vpm_place vc4_vpm_place(const struct vc4_vpm_access *access, uint32_t i);
uint32_t vc4_vpm_width_mask(const struct vc4_vpm_access *access); /* an element's bits, from bit 0 on */
void vc4_vpm_advance(struct vc4_vpm_access *access);              /* to the next vector */

/* Which rows a program reads and writes, in order, when that can be seen in its text: all set-ups are
 * immediates of the horizontal 32-bit kind, and every access stands in a block that runs exactly once. */
#define VC4_VPM_PLAN_MAX 128
struct vc4_vpm_plan {
    bool known;
    uint32_t reads, writes;
    uint8_t read_row[VC4_VPM_PLAN_MAX], write_row[VC4_VPM_PLAN_MAX];
};
void vc4_vpm_plan_make(const struct vc4_qpu_program *program, struct vc4_vpm_plan *out);

#endif
