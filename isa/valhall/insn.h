/* An instruction of Mali Valhall v9 (G57), decoded. Sources: as of fields.inc. Pure data: no ownership, no
 * state. Bit positions live in fields.inc and insns.inc only.
 *
 * A program is words of 64 bits, an instruction each, and places in it count them. Threads have 64 registers of
 * 32 bits; a value of 64 is two of them, the first even. Arithmetic writes a register; messages, to memory, the
 * varyings, textures and the tile, read and write runs of registers, called staging registers. */
#ifndef VITRAIL_ISA_VALHALL_INSN_H
#define VITRAIL_ISA_VALHALL_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define VALHALL_LANES     16
#define VALHALL_REGISTERS 64
#define VALHALL_SOURCES   4
#define VALHALL_UNIFORMS  128 /* words that have a name */
#define VALHALL_PAGE      64  /* words of them that one page has */

enum valhall_op {
#define INSN(id, text, opcode, second, unit, type, format) VALHALL_##id,
#include "isa/valhall/insns.inc"
    VALHALL_OP_COUNT
};

/* Values of fields: VALHALL_FLOW_END, VALHALL_ROUND_RTZ, VALHALL_CLAMP_0_1, ... */
enum valhall_value {
#define NAME(list, id, value, text) VALHALL_##list##_##id = (value),
#include "isa/valhall/values.inc"
};

/* What is read beside registers and uniforms, 64 bits each. */
enum valhall_special {
#define SPECIAL(name, page, number, text) VALHALL_SPECIAL_##name,
#include "isa/valhall/values.inc"
    VALHALL_SPECIAL_COUNT
};

/* Which parts of an operand are taken; or of a register, where something loaded goes. Parts that are narrower
 * than the operation are made as wide: integers by sign or zero, as the operation's type says, floats by
 * conversion. WHOLE: all 32 or 64 bits. AND, LOWBITS: of conditions of branches, unexplained. */
enum valhall_select {
#define SELECT(name, text, bits, elements, a, b, c, d) VALHALL_SELECT_##name,
#include "isa/valhall/fields.inc"
    VALHALL_SELECT_COUNT
};

enum valhall_source_kind {
    VALHALL_REGISTER, /* index: its number */
    VALHALL_UNIFORM,  /* index: of 32-bit words; as 64 bits it is even */
    VALHALL_SPECIAL,  /* index: enum valhall_special */
    VALHALL_CONSTANT, /* index: in valhall_constants (names.h); as 64 bits the upper half is zero */
};

struct valhall_source {
    uint8_t kind, index;
    uint8_t word;          /* of specials: the lower (0) or the upper half */
    bool last;             /* of registers: nothing reads the register afterwards */
    bool negate, absolute; /* of floats: |x|, then -x */
    bool invert;           /* of bits */
    uint8_t select;        /* enum valhall_select */
};

/* A run of registers; count 0: none. */
struct valhall_staging {
    uint8_t reg, count;
};

struct valhall_insn {
    uint16_t op; /* enum valhall_op */
    uint8_t flow;
    struct valhall_source source[VALHALL_SOURCES];
    struct {
        uint8_t reg, mask; /* mask: bit 0 the lower, bit 1 the upper half is written */
    } dest;
    struct valhall_staging read, write;
    /* Of ATOM1_RETURN without a result: its registers are marked as read, too, as drivers do. */
    bool marked;
    /* The page that uniforms and specials of the operands are on. */
    uint8_t page;
    /* Fields, by the instruction's format; 0 when it has none of the name. Values of the list of the same
     * name: VALHALL_CONDITION_EQ of `condition`, ... */
    uint8_t condition, slot, vector_size, register_format, sample, update, source_format, round;
    uint8_t subgroup, clamp, lane_op, inactive, result, register_type;
    uint8_t atomic;                       /* lists ATOMIC and ATOMIC_1 */
    uint8_t register_width, second_width; /* list WIDTH */
    uint8_t vartex_width, write_mask, dimension, lod_mode, fetch, sample_update, access, mux, nan_mode;
    uint8_t into; /* enum valhall_select */
    bool eq, conservative, absolute;
    bool zero_extend; /* loads: not by sign */
    bool z, stencil, sqrt, log, second, saturate, negate, preserve_null, rhadd, not_result, arithmetic;
    bool compare, skip, wide_indices, array, texel_offset, shadow, integer, no_bias, no_clamp;
    bool force_delta, derivative, ftz, flush_inf;
    int32_t offset; /* of branches instructions, from the next; else bytes */
    uint8_t index, table, shift, target;
    uint32_t constant;
};

/* 0; -EBADMSG with what is reserved: "bit 41 of FADD.f32 is reserved". *out is zero but for what there is. */
int valhall_decode(uint64_t word, struct valhall_insn *out, struct util_error *error);
/* The inverse. */
uint64_t valhall_encode(const struct valhall_insn *insn);

/* How many bits operand n has: 32 or 64. */
unsigned valhall_source_bits(const struct valhall_insn *insn, unsigned n);
/* The destination is two registers. */
bool valhall_dest_is_pair(const struct valhall_insn *insn);
/* How many staging registers take what a load, store or atomic moves; 0: by other things than the instruction.
 */
unsigned valhall_moved(const struct valhall_insn *insn);
/* A message: to a unit outside, which answers later. Else arithmetic. */
bool valhall_is_message(uint16_t op);

/* Where a branch goes, BRANCHZ at instruction `at`; of others -1. */
int64_t valhall_target(const struct valhall_insn *insn, uint32_t at);

#endif
