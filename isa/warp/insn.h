/* An instruction of Bifrost or Valhall as it is executed: what both sets compute alike, whatever words it stood in.
 * Pure data: no ownership, no state.
 *
 * Threads run sixteen at a time and have 64 registers of 32 bits; a value of 64 is two of them, the first even.
 * Results that a set hands from one instruction to the next without a register are temporaries. */
#ifndef VITRAIL_ISA_WARP_INSN_H
#define VITRAIL_ISA_WARP_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "util/bits.h"

#define WARP_REGISTERS   64
#define WARP_SOURCES     4
#define WARP_TEMPORARIES 32 /* at most; a block begins with none */
#define WARP_PART_BEFORE 31 /* what is done before the program begins; parts are below it */

/* WARP_FACE_AT, WARP_FACE_BITS, ...: parts of words. */
enum {
#define BITS(name, lo, count) WARP_##name##_AT = (lo), WARP_##name##_BITS = (count),
#include "isa/warp/words.inc"
};
#define WARP_GET(word, name) ((uint32_t)util_bits(word, WARP_##name##_AT, WARP_##name##_BITS))
#define WARP_LEVEL_ONE       (1 << WARP_LEVEL_WHOLE_AT)

enum warp_op {
#define OP(name, class, op, second, type, a, b, c, d) WARP_##name,
#include "isa/warp/ops.inc"
    WARP_OP_COUNT
};

/* SPECIAL: what the set's encoding names, by a port; COUNTER: the address behind the instruction, and `value` bytes;
 * LANE: the lane's number. */
enum warp_from {
    WARP_REGISTER,
    WARP_TEMPORARY,
    WARP_UNIFORM,
    WARP_SPECIAL,
    WARP_CONSTANT,
    WARP_COUNTER,
    WARP_LANE
};

/* GTLT: less or greater; TOTAL: both are numbers. Of integers these are "not equal" and "always". */
enum warp_condition { WARP_EQ, WARP_GT, WARP_GE, WARP_NE, WARP_LT, WARP_LE, WARP_GTLT, WARP_TOTAL };
/* What true is: the integer or the float 1, or all ones. */
enum warp_truth { WARP_I1, WARP_F1, WARP_M1 };
enum warp_clamp { WARP_CLAMP_NONE, WARP_CLAMP_0_INF, WARP_CLAMP_M1_1, WARP_CLAMP_0_1 };
/* RTNA: halfway cases away from zero; of FROUND alone. */
enum warp_round { WARP_RTE, WARP_RTP, WARP_RTN, WARP_RTZ, WARP_RTNA };
/* What makes MUX take the first: the sign, zero as an integer, as a float; or each bit for itself. */
enum warp_mux { WARP_MUX_NEG, WARP_MUX_INT_ZERO, WARP_MUX_FP_ZERO, WARP_MUX_BIT };
/* What FLUSH makes of a NaN: nothing, zero, a quiet one. */
enum warp_nan { WARP_NAN_KEEP, WARP_NAN_ZERO, WARP_NAN_QUIET };

/* What an instruction does. From WARP_LOAD on it is a message. */
enum warp_kind {
    WARP_COMPUTE, /* `op` of the sources, into `dest` */
    WARP_NOTHING,
    WARP_UNSUPPORTED, /* faults: what is reserved, or no document explains */
    WARP_BRANCH,      /* to `target` where what `op` computes is not 0; or where it is, if `unless` */
    WARP_FAR,  /* the same, to the 32-bit address that is source 3, in the program's 4 GB: another program; of
               * `relative` counted from the instruction behind */
    WARP_KILL, /* DISCARD: likewise; lanes become helpers, and go on */
    WARP_BARRIER,
    WARP_PERMUTE, /* source 0 of the lane that source 1 says (CLPER) */
    WARP_BALLOT,  /* WMASK: the subgroup's lanes that execute, where source 0 is not 0 */
    WARP_LOAD,    /* memory at source 0 + offset */
    WARP_STORE,
    WARP_ATOMIC,
    WARP_BUFFER, /* source 0 a byte offset, source 1 the buffer's handle */
    WARP_TEXTURE,
    WARP_MESSAGE /* the others: enum warp_message_kind */
};

/* Messages that go to a port as they are; what their operands are. Handles are of 32 bits (HANDLE of
 * words.inc). An immediate handle is the operand, too. */
enum warp_message_kind {
    WARP_ATTRIBUTE,       /* vertex, instance, handle */
    WARP_IMAGE,           /* coordinates xy and zw of 16 bits each, handle */
    WARP_LEA_ATTRIBUTE,   /* as ATTRIBUTE; gives an address of two words and the conversion word */
    WARP_LEA_IMAGE,       /* as IMAGE; likewise */
    WARP_LEA_BUFFER,      /* linear number or byte offset, handle; gives two words */
    WARP_VARYING,         /* sample mask and number, handle */
    WARP_VARYING_FLAT,    /* handle in the second */
    WARP_VARYING_BYTES,   /* sample mask and number, byte offset in the vertex' block */
    WARP_VARYING_SPECIAL, /* sample mask and number, which: 0 point x, 1 y, 2 w, 3 z */
    WARP_LOAD_CONVERT,    /* address (two words), conversion word */
    WARP_STORE_CONVERT,   /* likewise */
    WARP_TILE,            /* pixel, coverage, conversion word */
    WARP_STORE_TILE,
    WARP_BLEND,  /* descriptor (two words), coverage; up to eight words of colours */
    WARP_ATEST,  /* coverage, alpha (a single), datum; gives the coverage */
    WARP_ZS_EMIT /* depth, stencil, coverage; gives the coverage */
};
#define WARP_HANDLE_TABLE_AT 24u
/* CONVERSION_REGISTERS: bit n: format n has halves (F16, I16, U16 of Mesa's genxml, register file format). */
#define WARP_CONVERSION_HALVES (1u << 0 | 1u << 4 | 1u << 5)
static inline uint32_t warp_handle(uint32_t table, uint32_t number)
{
    return table << WARP_HANDLE_TABLE_AT | number;
}
static inline uint32_t warp_handle_table(uint32_t handle)
{
    return handle >> WARP_HANDLE_TABLE_AT;
}
static inline uint32_t warp_handle_number(uint32_t handle)
{
    return handle & ((1u << WARP_HANDLE_TABLE_AT) - 1);
}
/* Where varyings are taken: of both sets' encodings. */
enum warp_sample { WARP_SAMPLE_CENTER, WARP_SAMPLE_CENTROID, WARP_SAMPLE_SAMPLE, WARP_SAMPLE_EXPLICIT };
/* Whether a varying's coordinates are kept for others, or are those that were. */
enum warp_update { WARP_UPDATE_STORE, WARP_UPDATE_RETRIEVE, WARP_UPDATE_CONDITIONAL, WARP_UPDATE_CLOBBER };
enum warp_flow { WARP_GO_ON, WARP_END, WARP_END_HELPERS };
enum warp_lane_op { WARP_LANE_OF, WARP_LANE_XOR };
/* The level of textures. COMPUTED, and with BIAS: of derivatives. */
enum warp_level { WARP_LEVEL_ZERO, WARP_LEVEL_COMPUTED, WARP_LEVEL_GIVEN, WARP_LEVEL_BIAS };

struct warp_run {
    uint8_t reg, count; /* count 0: none */
};

struct warp_source {
    uint8_t from; /* enum warp_from */
    /* Register, temporary, word of the uniforms; of specials the set's number times 2, and 1 for the upper word; of
     * the counter the word. */
    uint16_t index;
    uint64_t value; /* of a constant, and of the counter */
    /* Element e of the operand is `width` bits from bit lane[e] * width on, widened to what the operation's type has:
     * 8, 16, 32 or 64, and no wider than that. */
    uint8_t width, lane[4];
    bool negate, absolute; /* of floats: |x|, then -x */
    bool invert;           /* all bits of the operand */
};

struct warp_insn {
    uint8_t kind;    /* enum warp_kind */
    uint16_t op;     /* enum warp_op */
    uint8_t flow;    /* enum warp_flow, behind what it does */
    bool no_helpers; /* none come here (program.c) */
    uint32_t at;     /* place in the guest's program, for faults */
    uint8_t
        part; /* which instruction there, of sets that have several at a place (warp_program's `parts`): their
                       * number, from 1; 0: none of them; or WARP_PART_BEFORE */
    uint8_t more;     /* of FAR: words of the place beyond its first, behind which lanes come back */
    const char *name; /* of UNSUPPORTED: what it is; static */
    struct {
        uint8_t to, index; /* WARP_REGISTER or WARP_TEMPORARY, and its number */
        uint8_t mask;      /* bit 0 the lower, bit 1 the upper half of each word is written; 0: none */
        bool pair;         /* two words */
    } dest;
    struct warp_source source[WARP_SOURCES];
    uint8_t condition, truth, clamp, round, mux;
    uint8_t shift;      /* SHADDX */
    bool saturate;      /* integers stop at the ends of their type */
    bool up;            /* HADD: halves round up */
    bool arithmetic;    /* shifts to the right: by sign */
    bool not_result;    /* all bits of the result are inverted */
    bool propagate;     /* FMIN, FMAX: NaN where an operand is one */
    bool sqrt, log;     /* FREXPM, FREXPE: for what the parts are meant */
    bool subtract;      /* SEG_ADD */
    bool preserve_null; /* SEG_ADD: 0 stays 0 */
    /* FLUSH: enum warp_nan; subnormal numbers become zeros, infinities the largest numbers, of either sign. */
    uint8_t nan;
    bool flush_subnormal, flush_infinite;
    bool unless, relative; /* BRANCH, FAR, KILL; FAR */
    uint32_t target;       /* of BRANCH, and of BLEND or UINT32_MAX: which instruction of the warp_program */
    /* Of PERMUTE, BALLOT: */
    uint8_t subgroup, lane_op; /* 2, 4, 8 or 16 lanes; enum warp_lane_op */
    uint8_t elements;          /* parts that are permuted apart: 1, 2, 4 */
    /* Of messages. Registers written first; beyond what comes they stay as they are. */
    struct warp_run read, write;
    bool reads_temporaries;      /* `read` counts these, not registers */
    uint8_t message;             /* enum warp_message_kind */
    uint8_t bytes;               /* LOAD, STORE, BUFFER: 1 to 16; ATOMIC: 4 or 8 */
    uint8_t into_bit, into_bits; /* loads below a word: where they go; into_bits 0: words */
    bool sign;                   /* extended by sign, to into_bits */
    int32_t offset;
    uint8_t space, hint;     /* as of struct isa_access */
    bool own;                /* STORE: to what only the lane itself looks at: helpers do it too */
    uint8_t atomic;          /* enum isa_atomic */
    bool compare, has_value; /* of atomics; without a value `value` below is taken */
    uint64_t value;          /* of PERMUTE: what lanes give that do not execute */
    uint8_t type;            /* enum isa_type; AUTO: as the descriptor has it */
    bool any_type;
    bool by_conversion; /* TILE, LOAD_CONVERT: the conversion word says whether halves come, two a register */
    uint8_t components; /* 1 to 4 */
    uint8_t sample, update, source_format; /* of varyings, as the encoding has them; enum warp_sample */
    bool z, stencil;                       /* ZS_EMIT */
    /* As struct isa_texture_request has them; enum warp_level; a bit a component. */
    uint8_t texture_op, mode, dimensions, sampler_type, level, write_mask;
    bool array, shadow, texel_offset, wide_handle, halves;
    /* Two textures at the same coordinates: each a word of source 0, results one behind the other. */
    bool dual, second_halves;
    /* Coordinates are components of a varying, which `message` and source 1 say, and not read. */
    bool of_varying;
    /* ISA_TEXTURE_LEVEL: what is read are derivatives; the sampler's bias, or limits, do not count. */
    bool gradient, no_bias, no_clamp;
};

#endif
