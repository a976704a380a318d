/* What an instruction's operands are once its context - the tables of its VBLOCK, or its prefix - has been applied: constant for
 * an instruction in its place, whatever registers hold. Interpreter, checker and translations ask this alone. Pure; sources:
 * README.md, "Operands", and the digest, sections 4 to 6. */
#ifndef VITRAIL_ISA_SIMPLE_V_CONTEXT_H
#define VITRAIL_ISA_SIMPLE_V_CONTEXT_H

#include "isa/simple_v/insn.h"

enum simple_v_place { SIMPLE_V_RD, SIMPLE_V_RS1, SIMPLE_V_RS2, SIMPLE_V_RS3, SIMPLE_V_PLACES };

struct simple_v_operand_context {
    bool there, integer;
    bool vector; /* steps */
    bool tagged; /* an entry or a prefix names it: of sub-vectors it has all elements, else its first alone */
    bool given;  /* `width` is the entry's or prefix's, not the opcode's */
    bool
        boxed; /* a float in a register of 64 bits of its own, its upper bits ones; of prefixes only if SUBVL is 1 */
    uint8_t reg;
    uint8_t width; /* bits of a value: 8, 16, 32, 64 */
};
/* Bits from an element to the next. */
static inline unsigned simple_v_stride(const struct simple_v_operand_context *o)
{
    return o->boxed ? 64 : o->width;
}

/* `there`: some elements are left out. Register 0 with `invert`: none is. */
struct simple_v_mask_context {
    bool there, invert, zero, ffirst;
    uint8_t reg;
};
enum { SIMPLE_V_DEST, SIMPLE_V_SOURCE };

struct simple_v_context {
    const struct simple_v_insn *insn;
    const struct simple_v_row *row; /* as which it executes */
    enum simple_v_class class;      /* PLAIN, ALU, TWIN, LOAD, STORE, AMO, BRANCH, SWIZZLE, MVX */
    bool loops;                     /* over VL and SUBVL; else it is one scalar operation */
    bool prefixed;
    uint8_t subvl; /* the prefix's; 0: of the CSR */
    struct simple_v_operand_context operand[SIMPLE_V_PLACES];
    /* DEST: of rd, or of what is stored to; of branches where results go. SOURCE: of twin predication and branches. */
    struct simple_v_mask_context mask[2];
    uint8_t width;       /* of integers: at which the operation is; 12 of immediates beside 8 bits */
    uint8_t float_width; /* of floats */
    uint8_t memory;      /* of loads and stores: bits of an element in memory */
};

/* `block`: the VBLOCK in which the instruction stands, NULL: none. Keeps `insn`. */
void simple_v_resolve(const struct simple_v_insn *insn, const struct simple_v_block *block,
                      struct simple_v_context *out);

/* Bits of a type: of floats and of integers in conversions. */
unsigned simple_v_type_bits(enum simple_v_type type);
/* Fuel that an instruction takes, of the context that simple_v_resolve gives: one with elements, of which there may be 256, as much as
 * 16 others, whatever lengths are at the time; Zftrans' functions of doubles, each of which takes microseconds, 16 times that. A
 * VBLOCK's header takes 1. */
#define SIMPLE_V_FUEL_MOST 256u
unsigned simple_v_fuel(const struct simple_v_context *x);

#endif
