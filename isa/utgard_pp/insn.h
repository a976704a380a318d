/* An instruction of the Utgard PP (the fragment processor of Mali-400 and -450), decoded. Sources: the public
 * notes on the PP (mali-isa-docs, Utgard-PP.md), Mesa's lima driver (ir/pp) as documentation of what is
 * emitted. Pure data: no ownership, no state. Bit positions live in insns.inc only.
 *
 * An instruction is a control word and up to twelve fields, packed bit by bit. The fields are stages of one
 * pipeline and work in this order: constants, varying, sampler, uniform, multipliers, accumulators, combiner,
 * store or frame buffer, branch. The vector and the scalar unit of a stage read what stood before both. */
#ifndef VITRAIL_ISA_UTGARD_PP_INSN_H
#define VITRAIL_ISA_UTGARD_PP_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTGARD_PP_LANES     16
#define UTGARD_PP_WORDS     31 /* 32-bit words of the longest instruction */
#define UTGARD_PP_REGISTERS 12 /* vec4s that can be written */

/* Bits of `fields`, and the order of the fields. */
enum utgard_pp_field {
    UTGARD_PP_VARYING,
    UTGARD_PP_SAMPLER,
    UTGARD_PP_LOAD,
    UTGARD_PP_VMUL,
    UTGARD_PP_SMUL,
    UTGARD_PP_VADD,
    UTGARD_PP_SADD,
    UTGARD_PP_COMBINE,
    UTGARD_PP_STORE, /* of temporaries; also reads of the frame buffer */
    UTGARD_PP_BRANCH,
    UTGARD_PP_CONST0,
    UTGARD_PP_CONST1,
    UTGARD_PP_FIELD_COUNT
};

/* Vector registers beyond the twelve: what this instruction's own stages gave. As destination of a varying 15
 * feeds the sampler alone. */
enum { UTGARD_PP_R_CONST0 = 12, UTGARD_PP_R_CONST1, UTGARD_PP_R_TEXTURE, UTGARD_PP_R_UNIFORM };
#define UTGARD_PP_R_COORDINATES 15

enum utgard_pp_varying_type {
    UTGARD_PP_VARYING_PLANE,    /* perspective: 0, or divided by its z (2) or w (3) */
    UTGARD_PP_VARYING_REGISTER, /* likewise */
    UTGARD_PP_VARYING_CUBE,     /* perspective 0 of a plane, 1 of a register; 2 normalise, 3 gl_FragCoord */
    UTGARD_PP_VARYING_POINT     /* perspective 0 gl_PointCoord, else gl_FrontFacing */
};
enum { UTGARD_PP_DIVIDE_Z = 2, UTGARD_PP_DIVIDE_W = 3 };

enum utgard_pp_align { UTGARD_PP_FLOAT, UTGARD_PP_VEC2, UTGARD_PP_VEC4_LOAD, UTGARD_PP_VEC4_VARYING };
enum { UTGARD_PP_SOURCE_UNIFORM = 0, UTGARD_PP_SOURCE_TEMPORARY = 3 };
enum { UTGARD_PP_SAMPLER_2D = 0, UTGARD_PP_SAMPLER_CUBE = 31 };
enum { UTGARD_PP_SAMPLER_MARK = 0x39001 };

enum utgard_pp_mul_op {
    UTGARD_PP_MUL = 0, /* ..7: times 2^n, n of three bits with sign */
    UTGARD_PP_MUL_NOT = 8,
    UTGARD_PP_MUL_AND,
    UTGARD_PP_MUL_OR,
    UTGARD_PP_MUL_XOR,
    UTGARD_PP_MUL_NE,
    UTGARD_PP_MUL_GT,
    UTGARD_PP_MUL_GE,
    UTGARD_PP_MUL_EQ,
    UTGARD_PP_MUL_MIN,
    UTGARD_PP_MUL_MAX,
    UTGARD_PP_MUL_MOV = 31
};
enum utgard_pp_add_op {
    UTGARD_PP_ADD = 0,
    UTGARD_PP_ADD_FRACT = 4,
    UTGARD_PP_ADD_NE = 8,
    UTGARD_PP_ADD_GT,
    UTGARD_PP_ADD_GE,
    UTGARD_PP_ADD_EQ,
    UTGARD_PP_ADD_FLOOR,
    UTGARD_PP_ADD_CEIL,
    UTGARD_PP_ADD_MIN,
    UTGARD_PP_ADD_MAX,
    UTGARD_PP_ADD_SUM3, /* vector unit only, as the next */
    UTGARD_PP_ADD_SUM4,
    UTGARD_PP_ADD_DFDX = 20,
    UTGARD_PP_ADD_DFDY,
    UTGARD_PP_ADD_SEL = 23,
    UTGARD_PP_ADD_MOV = 31
};
enum utgard_pp_combine_op {
    UTGARD_PP_COMBINE_RCP,
    UTGARD_PP_COMBINE_MOV,
    UTGARD_PP_COMBINE_SQRT,
    UTGARD_PP_COMBINE_RSQRT,
    UTGARD_PP_COMBINE_EXP2,
    UTGARD_PP_COMBINE_LOG2,
    UTGARD_PP_COMBINE_SIN, /* of turns, as cos */
    UTGARD_PP_COMBINE_COS,
    UTGARD_PP_COMBINE_ATAN, /* first part: three components */
    UTGARD_PP_COMBINE_ATAN2
};
/* What the combiner does, by its lowest two bits. */
enum utgard_pp_combine_kind {
    UTGARD_PP_COMBINE_SCALAR, /* a function, to a scalar */
    UTGARD_PP_COMBINE_VECTOR, /* atan and atan2, first part, to a vector */
    UTGARD_PP_COMBINE_PART2,  /* atan, second part: of a vector, to a scalar */
    UTGARD_PP_COMBINE_SCALE   /* a vector times a scalar */
};

enum utgard_pp_mod { UTGARD_PP_MOD_NONE, UTGARD_PP_MOD_SAT, UTGARD_PP_MOD_POS, UTGARD_PP_MOD_INT };
/* Branch conditions: any of these bits that holds for (a, b). All: always. */
enum { UTGARD_PP_IF_GT = 1, UTGARD_PP_IF_EQ = 2, UTGARD_PP_IF_LT = 4, UTGARD_PP_IF_ALWAYS = 7 };

/* An operand of the vector units: four components, component n is that of `reg` which bits 2n of the swizzle
 * name. */
struct utgard_pp_vector {
    uint8_t reg, swizzle;
    bool absolute, negate;
};
/* Of the scalar units: component `reg` & 3 of vector register `reg` >> 2. */
struct utgard_pp_scalar {
    uint8_t reg;
    bool absolute, negate;
};

struct utgard_pp_insn {
    uint32_t at; /* word of the program at which it stands */
    /* The control word. */
    uint8_t count; /* words, this one included */
    bool stop, sync;
    uint16_t fields;
    uint8_t next; /* words of the next instruction */
    bool prefetch;
    uint8_t unknown;
    struct {
        uint8_t perspective, type, unknown_0, align, unknown_1;
        uint8_t vector; /* index register, 15: none; register source */
        bool negate, absolute;
        uint8_t scalar, index; /* index in units of the alignment; register source: swizzle */
        uint8_t dest, mask, unknown_2;
    } varying;
    struct {
        uint8_t lod, offset; /* scalar registers */
        uint8_t unknown_0;
        bool explicit_lod, has_lod;
        uint8_t unknown_1, type;
        bool has_offset;
        uint16_t index;
        uint32_t mark;
    } sampler;
    struct {
        uint8_t source, unknown_0, align, unknown_1, offset;
        bool has_offset;
        uint16_t index;
    } load;
    struct {
        struct utgard_pp_vector a, b;
        uint8_t dest, mask, mod, op;
        bool mul_in; /* accumulator: a is the multiplier's result */
    } vmul, vadd;
    struct {
        struct utgard_pp_scalar a, b;
        uint8_t dest, mod, op;
        bool writes, mul_in;
    } smul, sadd;
    struct {
        uint8_t kind, op;
        struct utgard_pp_scalar a, b;
        uint8_t b_vector, b_swizzle; /* SCALE, PART2 */
        uint8_t dest, mod;         /* SCALAR, PART2: a scalar register; PART2 has no mod, but unknown bits */
        uint8_t vector_dest, mask; /* SCALE, VECTOR */
        uint8_t unknown;
    } combine;
    struct {
        bool frame_buffer; /* a read, not a store */
        uint8_t dest, unknown_0, source, align, unknown_1, offset;
        bool has_offset;
        uint16_t index;
        uint8_t fb_source, fb_dest; /* 1: colour */
        uint64_t fb_unknown;
    } store;
    struct {
        bool discard;
        uint8_t unknown_0, a, b, condition;
        uint32_t unknown_1;
        int32_t target; /* in words, from this instruction's first */
        uint8_t next;
    } branch;
    uint16_t constant[2][4]; /* halves */
};

static inline bool utgard_pp_has(const struct utgard_pp_insn *insn, enum utgard_pp_field field)
{
    return insn->fields >> field & 1;
}

/* Decodes the instruction at word `at` of a program of `count` words. Words it takes, or 0 when its length is
 * 0, shorter than its fields, or beyond the end. Never fails otherwise. */
uint32_t utgard_pp_decode(const uint32_t *words, uint32_t count, uint32_t at, struct utgard_pp_insn *out);
/* The inverse: writes insn->count words (at least those of its fields); bits behind the last field are zero.
 */
void utgard_pp_encode(const struct utgard_pp_insn *insn, uint32_t words[UTGARD_PP_WORDS]);
/* Words that the fields take, control word included. */
uint32_t utgard_pp_length(uint16_t fields);

#endif
