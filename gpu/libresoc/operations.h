/* What a running program does, as operations for the scoreboard: each element operation of isa/simple_v's interpreter one, with the
 * bytes of the register files that it reads and writes.
 *
 * Ours, as SIMPLE_V.md 13 does not say:
 * - Branches are predicted, all of them: operations behind one issue as if it were none.
 * - A header of a VBLOCK, or a P64, that takes VL from a register or gives it to one issues an operation of integers for that, of the
 *   number that the instruction has; other headers issue none.
 * - An instruction without elements is one operation: of 64 bits, or of what it loads or stores.
 * - Signs, comparisons, minimum, maximum, classes and moves of floats take an integer's time, conversions an addition's.
 * - An operation is as wide as its arithmetic, or as its result if that has a width of its own and is wider: what extends 32 bits
 *   to a register is done in 32. Accesses are as wide as their data.
 * - A second mask is read as a source. What a mask of a load, store or move leaves out dies on its side alone.
 * - x0 is no register. FCSR, VL and their like make no hazards. */
#ifndef VITRAIL_GPU_LIBRESOC_OPERATIONS_H
#define VITRAIL_GPU_LIBRESOC_OPERATIONS_H

#include "gpu/libresoc/scoreboard.h"
#include "isa/simple_v/interp.h"

/* Where an operation comes from. */
struct libresoc_origin {
    uint64_t instruction; /* counted as executed, from 0 */
    uint64_t pc;          /* its, or its VBLOCK's */
    bool in_block;
    uint8_t opptr; /* halfwords from the VBLOCK's first opcode */
};

typedef void (*libresoc_operation_fn)(void *data, const struct libresoc_op *op,
                                      const struct libresoc_origin *origin);

struct libresoc_operations {
    libresoc_operation_fn issue;
    void *data;
    struct simple_v_watch watch; /* for struct libresoc_watch */
    /* The one that is being read and written for. */
    bool open;
    struct libresoc_op op;
    struct libresoc_origin origin;
    uint8_t sources;
    bool moves; /* a swizzle: its sources are those of as many operations */
    struct libresoc_element moved[4];
    uint8_t moved_count, moved_next;
};

/* `issue` gets the operations. Stays where it is while the program runs. */
void libresoc_operations_begin(struct libresoc_operations *operations, libresoc_operation_fn issue,
                               void *data);
void libresoc_operations_end(struct libresoc_operations *operations); /* the last one */

#endif
