/* An instruction word of Mali Midgard, decoded. Sources: the public notes (mali-isa-docs, Midgard.md), Mesa's
 * panfrost driver (midgard/) as documentation of the hardware. Pure data: no ownership, no state. Bit
 * positions live in insns.inc only.
 *
 * A program is quadwords of 16 bytes, and places in it count them. The lowest four bits of an instruction are
 * its tag: which of the three pipelines it is for, and how many quadwords it takes. The next four are the tag
 * of the instruction behind it, or MIDGARD_TAG_STOP: nothing is. */
#ifndef VITRAIL_ISA_MIDGARD_INSN_H
#define VITRAIL_ISA_MIDGARD_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/ports.h"

#define MIDGARD_LANES 16
#define MIDGARD_QUADS 4 /* quadwords of the longest instruction */

/* Registers of 128 bits. Numbers 0 to 31 are those of instructions; what the texture pipeline gives is apart
 * from what it takes, though both are called 28 and 29. */
enum {
    MIDGARD_R_UNIFORM = 23,  /* the first vec4 of uniforms; the next ones stand below */
    MIDGARD_R_FORWARD = 24,  /* and 25: within a bundle only */
    MIDGARD_R_CONSTANT = 26, /* as an operand of arithmetic: the bundle's constants */
    MIDGARD_R_MEMORY = 26,   /* and 27: else, operands of the load/store pipeline */
    MIDGARD_R_TEXTURE = 28, /* and 29: operands of the texture pipeline when written, its results when read */
    MIDGARD_R_SELECT = 31,  /* conditions when written, program counter and stack pointer when read */
    MIDGARD_R_RESULT = 32,  /* and 33: the texture pipeline's results */
    MIDGARD_REGISTERS = 34
};
enum { MIDGARD_HALVES = 8 }; /* of a register */

enum midgard_tag {
    MIDGARD_TAG_STOP = 1,
    MIDGARD_TAG_VERTEX_TEXTURE = 2, /* without derivatives */
    MIDGARD_TAG_TEXTURE,
    MIDGARD_TAG_BARRIER,
    MIDGARD_TAG_LOAD_STORE,
    MIDGARD_TAG_ALU = 8,          /* ..11: of 1 to 4 quadwords */
    MIDGARD_TAG_ALU_WRITEOUT = 12 /* ..15: the same, of which a writeout may be part */
};
enum midgard_kind { MIDGARD_NONE, MIDGARD_ALU, MIDGARD_LOAD_STORE, MIDGARD_TEXTURE };

static inline enum midgard_kind midgard_kind_of(uint8_t tag)
{
    return tag >= MIDGARD_TAG_ALU                                            ? MIDGARD_ALU
           : tag == MIDGARD_TAG_LOAD_STORE                                   ? MIDGARD_LOAD_STORE
           : tag >= MIDGARD_TAG_VERTEX_TEXTURE && tag <= MIDGARD_TAG_BARRIER ? MIDGARD_TEXTURE
                                                                             : MIDGARD_NONE;
}
static inline uint8_t midgard_quads_of(uint8_t tag)
{
    return tag >= MIDGARD_TAG_ALU ? (uint8_t)((tag & 3) + 1) : midgard_kind_of(tag) ? 1 : 0;
}

/* ---- arithmetic ---- */

/* Units of a bundle, in the order of their words: two that read the registers as they were, two and a table
 * that read what those wrote, and two forms of the branch. Bits of `units`. */
enum midgard_unit {
    MIDGARD_VMUL,
    MIDGARD_SADD,
    MIDGARD_VADD,
    MIDGARD_SMUL,
    MIDGARD_VLUT,
    MIDGARD_ALU_UNITS,
    MIDGARD_BRANCH = MIDGARD_ALU_UNITS, /* compact */
    MIDGARD_BRANCHX,                    /* extended */
    MIDGARD_UNIT_COUNT
};
static inline bool midgard_is_scalar(enum midgard_unit unit)
{
    return unit == MIDGARD_SADD || unit == MIDGARD_SMUL;
}

enum midgard_mode { MIDGARD_MODE_8, MIDGARD_MODE_16, MIDGARD_MODE_32, MIDGARD_MODE_64 };
enum midgard_shrink { MIDGARD_SHRINK_LOWER, MIDGARD_SHRINK_UPPER, MIDGARD_SHRINK_NONE };
enum midgard_expand {
    MIDGARD_PLAIN,
    MIDGARD_REPEAT_LOW,
    MIDGARD_REPEAT_HIGH,
    MIDGARD_SWAP,
    MIDGARD_EXPAND_LOW, /* from here on elements of half the width are read */
    MIDGARD_EXPAND_HIGH,
    MIDGARD_EXPAND_LOW_SWAP,
    MIDGARD_EXPAND_HIGH_SWAP
};
/* Modifiers of an operand: bits of floats', numbers of integers', which count where an operand widens. */
enum { MIDGARD_ABS = 1, MIDGARD_NEG = 2 };
enum midgard_widen { MIDGARD_SIGN, MIDGARD_ZERO, MIDGARD_REPLICATE, MIDGARD_SHIFT };
/* Of a result: of floats; of integers, where the result is made narrower. */
enum midgard_clamp { MIDGARD_CLAMP_NONE, MIDGARD_CLAMP_0_INF, MIDGARD_CLAMP_M1_1, MIDGARD_CLAMP_0_1 };
enum midgard_narrow { MIDGARD_SSAT, MIDGARD_USAT, MIDGARD_LOW_HALF, MIDGARD_HIGH_HALF };

struct midgard_source {
    uint8_t reg, mod;
    uint8_t expand, swizzle; /* vector units: enum midgard_expand; a selector of two bits a component */
    bool full;               /* scalar units: 32 bits, of which `component` counts halves; else a half */
    uint8_t component;
};
/* One unit's part of a bundle. */
struct midgard_alu {
    uint8_t op;
    struct midgard_source a, b;
    bool immediate; /* b is `constant`; of a vector unit b.mod counts as well */
    uint16_t constant;
    uint8_t dest, outmod; /* by the operation: enum midgard_clamp or midgard_narrow */
    /* vector units: */
    uint8_t mode, shrink, mask; /* a bit an eighth of the register, before it is made narrower */
    /* scalar units: */
    bool full; /* as of a source */
    uint8_t component;
    bool reserved;
};

enum midgard_branch_op {
    MIDGARD_JUMP = 1,
    MIDGARD_BRANCH_IF,
    MIDGARD_DISCARD = 4,
    MIDGARD_TILE_PENDING = 6, /* taken while the tile cannot be read yet: never, here */
    MIDGARD_WRITEOUT          /* taken when it fails: never, here */
};
/* Call modes; jumps have 1 for none, extended branches 0 or 1. */
enum { MIDGARD_CALL_NONE = 1, MIDGARD_CALL, MIDGARD_RETURN };
/* Conditions of r31; of extended branches a table, with bit n the answer where the four conditions are n. */
enum midgard_condition { MIDGARD_IF_NEVER, MIDGARD_IF_FALSE, MIDGARD_IF_TRUE, MIDGARD_IF_ALWAYS };

struct midgard_jump {
    uint8_t op, tag; /* tag of the instruction that it goes to */
    uint8_t call;
    uint16_t condition; /* compact: enum midgard_condition; extended: the table; jumps: none */
    int32_t offset;     /* quadwords, from the instruction behind this one */
};

/* ---- load and store ---- */

/* Argument registers of this pipeline, by number; all but the first two can only be read. */
enum midgard_argument {
    MIDGARD_A_MEMORY_0, /* r26, r27 */
    MIDGARD_A_MEMORY_1,
    MIDGARD_A_COUNTER, /* xy: program counter; zw: stack pointer, into the thread's storage */
    MIDGARD_A_STORAGE, /* xy: the thread's storage; zw: the workgroup's */
    MIDGARD_A_LOCAL_ID,
    MIDGARD_A_GROUP_ID,
    MIDGARD_A_GLOBAL_ID,
    MIDGARD_A_ZERO
};
enum { MIDGARD_INDEX_U64 = 1, MIDGARD_INDEX_U32, MIDGARD_INDEX_S32 };

/* One of the two operations of a load/store word; the fields mean what the operation's class says. */
struct midgard_memory {
    uint8_t op, reg; /* reg: where a load goes to; of a store an argument register */
    uint8_t mask, swizzle;
    uint8_t arg_comp, arg_reg;
    bool
        wide; /* the argument has 64 bits; of cubes and divisions: singles; of attributes: a vertex is named */
    uint8_t index_format, index_comp, index_reg, index_shift;
    int32_t offset; /* 18 bits with sign; see midgard_offset_* */
};
/* What an offset holds: of attributes, varyings, images and specials the index above nine bits of others; of
 * uniform buffers bytes above two bits, of which bit 0 says that the argument register has the buffer's number. */
static inline int32_t midgard_offset_index(const struct midgard_memory *m)
{
    return m->offset >> 9;
}
static inline uint32_t midgard_offset_rest(const struct midgard_memory *m)
{
    return (uint32_t)m->offset & 511;
}
static inline int32_t midgard_offset_uniform(const struct midgard_memory *m)
{
    return m->offset >> 2;
}
static inline uint32_t midgard_uniform_buffer(const struct midgard_memory *m)
{
    return m->arg_comp | (uint32_t)m->arg_reg << 2 | (uint32_t)m->wide << 5 | (uint32_t)m->index_format << 6;
}
/* Of tile buffer loads: the target, 30 stencil, 31 depth; the sample, unless bit 0 of the offset says that
 * the argument register has it. */
static inline uint32_t midgard_tile_target(const struct midgard_memory *m)
{
    return m->index_comp | (uint32_t)m->index_reg << 2;
}
static inline uint32_t midgard_tile_sample(const struct midgard_memory *m)
{
    return m->arg_comp | (uint32_t)m->arg_reg << 2;
}

/* Special loads of GPUs that read the tile by them. */
enum {
    MIDGARD_SPECIAL_TILE = 1,
    MIDGARD_SPECIAL_TILE_RAW = 16,
    MIDGARD_SPECIAL_SAMPLE_MASK = 96,
    MIDGARD_SPECIAL_SAMPLE_NUMBER = 97
};

/* What an operation is, which says how its fields are read. */
enum midgard_class {
    MIDGARD_NOTHING,
    MIDGARD_MOVE, /* register to register: moves, divisions, cubes, colours packed and unpacked */
    MIDGARD_PERSPECTIVE,
    MIDGARD_CUBE,
    MIDGARD_PACK,
    MIDGARD_UNPACK,
    MIDGARD_ADDRESS, /* what a load would read from */
    MIDGARD_IMAGE_ADDRESS,
    MIDGARD_ATOMIC,
    MIDGARD_LOAD,
    MIDGARD_STORE,
    MIDGARD_UNIFORM,
    MIDGARD_ATTRIBUTE,
    MIDGARD_VARYING,
    MIDGARD_STORE_VARYING,
    MIDGARD_IMAGE,
    MIDGARD_STORE_IMAGE,
    MIDGARD_SPECIAL,
    MIDGARD_STORE_SPECIAL,
    MIDGARD_TILE,
    MIDGARD_STORE_TILE,
    MIDGARD_TRAP
};

/* Parameters of a varying, in the nine lowest bits of the offset. */
enum {
    MIDGARD_VARYING_PLAIN,
    MIDGARD_VARYING_BY_Y,
    MIDGARD_VARYING_BY_Z,
    MIDGARD_VARYING_BY_W,
    MIDGARD_VARYING_CUBE
};
enum {
    MIDGARD_VARYING_MOD = 7,
    MIDGARD_VARYING_FLAT = 8,
    MIDGARD_VARYING_PERSPECTIVE = 16,
    MIDGARD_VARYING_CENTROID = 32,
    MIDGARD_VARYING_SAMPLE = 64
};

/* ---- textures ---- */

enum midgard_texture_op {
    MIDGARD_TEX = 1,          /* level of detail by derivatives, with a bias */
    MIDGARD_TEX_LOD,          /* level of detail given */
    MIDGARD_TEX_FETCH = 4,    /* whole coordinates, no filter */
    MIDGARD_TEX_GRADIENT = 9, /* of derivatives */
    MIDGARD_TEX_MOV = 10,
    MIDGARD_TEX_BARRIER,
    MIDGARD_TEX_GRADIENT_OF,    /* of coordinates */
    MIDGARD_TEX_DERIVATIVE = 13 /* mode 0 along x, 1 along y */
};
enum { MIDGARD_TEX_PLAIN = 1, MIDGARD_TEX_SHADOW = 5, MIDGARD_TEX_GATHER_SHADOW = 6, MIDGARD_TEX_GATHER = 8 };
enum { MIDGARD_EXEC_SKIP = 1, MIDGARD_EXEC_KILL, MIDGARD_EXEC_ALL };
enum { MIDGARD_SAMPLER_FLOAT = 1, MIDGARD_SAMPLER_UNSIGNED, MIDGARD_SAMPLER_SIGNED };

/* Part of one of the two registers that the texture pipeline reads. */
struct midgard_texture_register {
    bool full, select, upper; /* 32 bits a component; of which register; the upper half of it */
    uint8_t swizzle;
};

struct midgard_texture {
    uint8_t op, mode, exec, dimensions; /* dimensions: 1 to 3, 0 is a cube */
    bool sampler_register, texture_register, lod_register, offset_register;
    struct midgard_texture_register in;
    uint8_t unknown_0;
    bool out_full, out_select, out_upper;
    uint8_t sampler_type, mask, outmod, swizzle, out_of_order, unknown_1;
    uint16_t offset; /* three numbers of four bits with sign; or a register, as are the others */
    uint8_t lod;     /* fraction of 256 */
    int8_t lod_whole;
    uint16_t sampler, texture;
};

struct midgard_insn {
    uint32_t at; /* quadword of the program at which it stands */
    uint8_t tag, next;
    /* MIDGARD_ALU: */
    uint8_t units;
    uint8_t unknown_0, unknown_1; /* bits of the control word beside the units */
    struct midgard_alu alu[MIDGARD_ALU_UNITS];
    struct midgard_jump jump[2]; /* compact, extended */
    bool has_constants;
    uint32_t constant[4];
    /* MIDGARD_LOAD_STORE: */
    struct midgard_memory memory[2];
    /* MIDGARD_TEXTURE: */
    struct midgard_texture texture;
};

static inline bool midgard_has(const struct midgard_insn *insn, enum midgard_unit unit)
{
    return insn->units >> unit & 1;
}

/* Decodes the instruction at quadword `at` of a program of `count`. Quadwords it takes, or 0: the tag is none,
 * a bundle is longer than its tag says or more than a quadword shorter, or it goes beyond the end. */
uint32_t midgard_decode(const void *words, uint32_t count, uint32_t at, struct midgard_insn *out);
/* The inverse: writes the tag's quadwords; bits that no field has are zero. */
void midgard_encode(const struct midgard_insn *insn, uint64_t words[MIDGARD_QUADS * 2]);
/* Quadwords of a bundle with these units, constants or not. */
uint32_t midgard_bundle_quads(uint8_t units, bool has_constants);
/* A register selector of eight bits, as level of detail, texture and sampler have them: of it one component,
 * which stands in the lowest bits of the swizzle; and of the offset's twelve. */
struct midgard_texture_register midgard_texture_select(uint32_t bits);
uint8_t midgard_texture_select_bits(const struct midgard_texture_register *r);
struct midgard_texture_register midgard_texture_offset(uint32_t bits);
uint16_t midgard_texture_offset_bits(const struct midgard_texture_register *r);

#endif
