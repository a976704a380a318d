/* A QPU program, taken once from guest memory into private memory, decoded and analysed: basic blocks, where
 * each uniform is read, which textures are sampled, what the program touches. Built from data, never changes
 * afterwards, and so may be shared between threads. Sources: Guide section 3; the uniform-stream rules are
 * those the kernel's validator enforces (drivers/gpu/drm/vc4/vc4_validate_shaders.c). */
#ifndef VITRAIL_ISA_VC4_QPU_PROGRAM_H
#define VITRAIL_ISA_VC4_QPU_PROGRAM_H

#include "isa/vc4_qpu/insn.h"
#include "util/error.h"

#define VC4_QPU_MAX_INSNS (1u << 16) /* programs longer than this are refused with -E2BIG */
#define VC4_QPU_NO_OFFSET UINT32_MAX

/* One texture request: the instruction that writes S (which fires it) and the uniforms that configure it. */
struct vc4_qpu_sample {
    uint32_t insn;       /* index of the instruction that writes TMUn_S */
    uint8_t unit;        /* 0 or 1 */
    uint8_t param_count; /* implicit uniforms pulled: 0 for a direct (raw) lookup, 1..4 */
    bool direct;         /* S alone was written: 32-bit fetch from the address in S */
    bool has_t, has_r, has_b;
    /* Word index in the uniform stream of parameter k in the order of the writes, or VC4_QPU_NO_OFFSET when
     * the position depends on the path taken. */
    uint32_t param[4];
};

struct vc4_qpu_block {
    uint32_t first, count; /* instructions; the three delay slots of a branch belong to its block */
    uint32_t
        successor[2]; /* block numbers, VC4_QPU_NO_OFFSET when absent: [0] falls through, [1] branch target */
    uint32_t branch;  /* index of the branch instruction, or VC4_QPU_NO_OFFSET */
    uint32_t uniform_at_entry; /* word index in the stream, or VC4_QPU_NO_OFFSET */
    bool loop_header;          /* target of a backward branch */
};

struct vc4_qpu_program {
    struct vc4_qpu_insn *insns;
    uint32_t insn_count; /* up to and including the delay slots of the last program end that can be reached */
    struct vc4_qpu_block *blocks;
    uint32_t block_count;
    struct vc4_qpu_sample *samples; /* in program order of the S writes */
    uint32_t sample_count;
    uint32_t
        *uniform_at; /* per instruction: word index of the first uniform it consumes, or VC4_QPU_NO_OFFSET */
    uint32_t uniform_count; /* words of the stream that static analysis can see being read */
    /* Word indices, ascending, at which a recognised stream reset (`add unif_addr, reg, unif` after a load
     * immediate of the offset) may take its base. Positions after a reset assume that each of these words
     * holds the stream's own address, as the kernel patches it: who relies on uniform_at checks that first. A
     * reset's own uniform_at is VC4_QPU_NO_OFFSET when the paths to it have read different amounts. */
    uint32_t *reset_words;
    uint32_t reset_word_count;
    bool dynamic_uniforms;  /* UNIFORMS_ADDRESS is written with a value that analysis cannot place in the
                               stream */
    bool computed_branches; /* a reachable branch adds a register: its targets are unknown, the only blocks
                               known besides are the return points of linking branches, every uniform position
                               is VC4_QPU_NO_OFFSET */
    uint32_t varying_count; /* reads of VARYING on the longest path, loops taken once */
    uint64_t hash;          /* xxh3 of the instruction words */

    bool writes_z, writes_color, writes_color_ms, reads_color, reads_coverage, writes_stencil, writes_ms_mask;
    bool z_is_payload;  /* every TLB_Z write passes rb15 on unchanged */
    bool z_conditional; /* some TLB_Z write is under a condition other than always */
    bool uses_tmu, uses_vpm_read, uses_vpm_write, uses_dma, uses_semaphore, uses_mutex, has_branches,
        is_threaded;
    bool repeats; /* a branch may go back: the program may execute more instructions than it has */
};

/* Decodes and analyses `words` (copied). -EBADMSG, and a message naming the pc, when reachable code does not
 * end in a program end within `count` words, when a program end stands in a branch's delay slots, when a
 * branch links into a texture unit, or when a texture set-up is open (T, R or B written, S not) where control
 * joins or parts, or takes more than four words. A write counts as happening unless its condition is `never`.
 * A branch in a delay slot stays in the straight line: it faults when it runs. A branch whose target lies
 * outside the program has no successor[1]. Blocks overlap only where a branch enters another's delay slots.
 * Returns 0 and *out (free with vc4_qpu_program_destroy), -E2BIG, -EBADMSG or -ENOMEM. */
int vc4_qpu_program_create(const uint64_t *words, uint32_t count, struct vc4_qpu_program **out,
                           struct util_error *error);
void vc4_qpu_program_destroy(struct vc4_qpu_program *program); /* NULL is accepted */

#endif
