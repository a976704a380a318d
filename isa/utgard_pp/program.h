/* A PP program, taken once from guest memory into private memory, decoded and analysed. Built from data,
 * never changes afterwards, and so may be shared between threads. */
#ifndef VITRAIL_ISA_UTGARD_PP_PROGRAM_H
#define VITRAIL_ISA_UTGARD_PP_PROGRAM_H

#include "isa/utgard_pp/insn.h"
#include "util/error.h"

#define UTGARD_PP_MAX_WORDS (1u << 16) /* programs longer than this are refused with -E2BIG */
#define UTGARD_PP_NO_BLOCK  UINT32_MAX

/* A run of instructions entered at the first and left behind the last. */
struct utgard_pp_block {
    uint32_t first, count;
    uint32_t target; /* block that its branch goes to, or UTGARD_PP_NO_BLOCK */
    bool ends;       /* its last instruction stops the program, or discards */
};

/* One texture request of the program. */
struct utgard_pp_sample {
    uint32_t insn;
    uint32_t sampler; /* number, or of the first when an offset is added */
    bool indexed, cube, has_lod, explicit_lod;
};

/* Vec4s of temporaries that a fragment may use; half of them have negative numbers: indices are signed, and
 * lima keeps spilled registers from -1 downward (ir/pp/regalloc.c). */
#define UTGARD_PP_TEMPORARIES 1024

struct utgard_pp_program {
    struct utgard_pp_insn *insns;
    uint32_t insn_count, word_count;
    struct utgard_pp_block *blocks; /* in program order; each goes on to the next unless it ends */
    uint32_t block_count;
    struct utgard_pp_sample *samples; /* in program order */
    uint32_t sample_count;
    uint32_t uniforms; /* floats of uniforms that are read at known places: the last plus one */
    uint64_t varyings; /* bit n: component n of the varyings is read at a known place */
    bool indexed_uniforms, indexed_varyings, indexed_samplers;
    bool temporaries;                      /* stores or loads them */
    uint32_t temporary_from, temporary_to; /* those: vec4s from the lowest place there is, exclusive end */
    bool discards, derivatives, reads_color, reads_depth, fragcoord, pointcoord, frontface;
    bool repeats;  /* a branch may go back */
    uint64_t hash; /* xxh3 of the words */
};

/* Floats of a place in memory with this enum utgard_pp_align, 0..3: its index counts in them. */
static inline uint32_t utgard_pp_width(uint8_t align)
{
    return align == UTGARD_PP_FLOAT ? 1 : align == UTGARD_PP_VEC2 ? 2 : 4;
}

/* Takes the program that begins at words[0] and ends with the last instruction that can be reached; `count`
 * words may be read. 0 and *out (free with utgard_pp_program_destroy), -E2BIG, -EBADMSG (an instruction that
 * is none, a branch into the middle of one or out of the program, no stop; error names the word), -ENOMEM. */
int utgard_pp_program_create(const uint32_t *words, uint32_t count, struct utgard_pp_program **out,
                             struct util_error *error);
void utgard_pp_program_destroy(struct utgard_pp_program *program); /* NULL is accepted */

#endif
