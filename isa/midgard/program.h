/* A Midgard program, taken once from guest memory into private memory, decoded and analysed. Built from data,
 * never changes afterwards, and so may be shared between threads. */
#ifndef VITRAIL_ISA_MIDGARD_PROGRAM_H
#define VITRAIL_ISA_MIDGARD_PROGRAM_H

#include "isa/midgard/insn.h"
#include "util/error.h"

#define MIDGARD_MAX_QUADS       (1u << 14) /* programs longer than this are refused with -E2BIG */
#define MIDGARD_NO_BLOCK        UINT32_MAX
#define MIDGARD_NO_SELECT       UINT32_MAX
#define MIDGARD_SELECT_NO_COLOR 255u /* a select word of writeouts: depth and stencil alone */

/* What GPUs of this instruction set differ in. */
struct midgard_traits {
    /* The texture pipeline reads r26 and r27, and writes r0 and r1: T720, T820, T830. */
    bool shared_registers;
    /* The tile buffer is read by special loads 1 (typed) and 16 (raw) in place of their own operations: up to
     * T720. */
    bool tile_by_special;
    /* Bundles with tags 12 to 15 fault: all but T820, T830, T860, T880. */
    bool no_writeout_tags;
};

/* A run of instructions entered at the first and left behind the last by the same lanes: discards, barriers
 * and what ends helpers stand at ends, too. */
struct midgard_block {
    uint32_t first, count;
    /* Blocks that its branches go to, the compact one and, where that is not taken, the extended; block_count:
     * lanes that take it stop; or MIDGARD_NO_BLOCK. */
    uint32_t target[2];
    bool ends;  /* what does not branch at its last instruction stops there */
    bool flows; /* nobody branches behind it, nor comes in from elsewhere */
};

/* A writeout that can be reached. */
struct midgard_write {
    uint32_t insn;
    bool depth, stencil, has_select; /* r1.x, r1.y, r1.z written in its bundle */
    uint32_t select; /* r1.z, if it is the same for all: target * 256 + sample; else MIDGARD_NO_SELECT */
};

struct midgard_program {
    struct midgard_traits traits;
    struct midgard_insn *insns;
    uint32_t insn_count, quad_count; /* quad_count: from the first to behind the last that can be reached */
    struct midgard_block *blocks;    /* in program order; each goes on to the next unless it ends */
    uint32_t block_count;
    struct midgard_write *writes; /* in program order */
    uint32_t write_count;
    uint16_t targets; /* bit n: render target n is written */
    bool any_target;  /* a select word is not known */
    bool depth, stencil;
    uint32_t written;            /* bit n: register n is written */
    uint32_t read;               /* bit n: register n is read, before all of it was written or not */
    uint64_t textures, samplers; /* bit n: number n is asked for */
    uint64_t attributes, varyings, varying_stores; /* bit n of those read or written at known places */
    uint64_t images, image_stores; /* likewise, of the attributes' table; asked for their address: both */
    bool any_texture, any_attribute, any_varying; /* one below is chosen by a register, or beyond 63 */
    bool discards, derivatives, reads_tile, barriers;
    bool loads, stores; /* memory and images; atomics are both */
    bool atomics;       /* of any memory */
    bool shares;        /* stores where others may look: beside the thread's own storage */
    bool repeats;       /* a branch may go back */
    bool straight;      /* lanes run each instruction once, whichever there are: nothing branches, discards or
                         * waits, and what helpers do that could have ended is not looked at */
    uint64_t hash;      /* xxh3 of the words and traits */
};

/* Takes the program that begins at the first of `count` quadwords; its first instruction has the tag `first`
 * (the lowest four bits of a shader's pointer), 0: whichever it has. 0 and *out (free with
 * midgard_program_destroy), -E2BIG, -EBADMSG (an instruction that is none, another tag than announced, a
 * branch to where no instruction begins or out of the program, no end; error names the quadword), -ENOMEM. */
int midgard_program_create(const void *words, uint32_t count, uint8_t first,
                           const struct midgard_traits *traits, struct midgard_program **out,
                           struct util_error *error);
void midgard_program_destroy(struct midgard_program *program); /* NULL is accepted */

#endif
