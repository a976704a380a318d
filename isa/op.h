/* Lane operations: what instruction sets compute, named once, with the shape of the operands and a policy. A
 * set's rows refer to them. isa/op.c computes them for one lane, isa/trans_op.c as IR for sixteen; the two are
 * written apart from each other, from IEEE 754 and the rules below, and tests/diff/test_op.c compares them.
 * Pure; called in the guest's floating-point environment (util/fpenv.h).
 *
 * Rules
 *   A lane's value is the low bits of a word, the rest is zero. Packed shapes (v2f16, v2i16, v4i8) compute
 *   each element; an operation that converts takes them where it keeps the width.
 *   Arithmetic of floats rounds to nearest, to even; fadd, fsub, fmul and ffma of singles and halves as ISA_OP_RT*
 *   says (a zero has the sign that rounding to nearest gives). Denormal singles and doubles are zeros, as
 *   operands and as results, in other directions than to even before they are rounded;
 *   operations that only choose or change a sign keep all bits. Halves compute with denormals, but with
 *   ISA_OP_FLUSH: then these are zeros of their sign, as operands and as results of arithmetic.
 *   A result that is no number is a NaN, of any bits; with ISA_OP_QUIET it is 0x7fc00000, 0x7e00 or 0x7ff8000000000000.
 *   fmin, fmax: of equal operands the second; of a NaN and a number the number; with ISA_OP_PROPAGATE a NaN.
 *   frsq: 1 over the rounded root; of halves rounded once. fldexp: the second is a signed integer; ffract: x less
 *   ffloor(x), rounded.
 *   fclamp_*: a NaN gives the least. fround: halfway cases away from zero.
 *   fsel: the second where the first is not 0 (a NaN is not), else the third; csel the same of integers.
 *   fne is true of NaN, flg (less or greater) not. fnot, fand, for, fxor: of operands' being not 0.
 *   Truth values: all ones, or with ISA_OP_I1 the integer 1, with ISA_OP_F1 the float 1.
 *   Integers wrap, but for *_sat, which end at the least or greatest that there is. *mul_hi: the product's upper half. *avg: half of the exact sum, rounded down,
 *   *avg_up: up. *absdiff: the exact distance, unsigned. Shifts and rotations take their count modulo the width.
 *   iandnot, iornot: the second is inverted. mux: bits of the second where the first has ones, else the third's.
 *   clz, ctz of 0: the width.
 *   Conversions between floats and integers round as ISA_OP_RT* says, take what does not fit as the nearest
 *   that does, and a NaN as 0; those of f32 to f16 and f64 to f32 overflow to infinity where the direction leads
 *   there. Of f64 to f32 what is less than the least normal single is zero. ishl_sat, ushl_sat: what a shift takes
 *   beyond the greatest or least makes it that. Doubles have no ffma and no fldexp.
 *   Integers get narrower by losing bits, or by saturation (*_sat: from i to u, too). */
#ifndef VITRAIL_ISA_OP_H
#define VITRAIL_ISA_OP_H

#include <stdbool.h>
#include <stdint.h>

enum isa_op {
#define OP(name, sources, kind)                      ISA_OP_##name,
#define CONVERT(name, from, to, integers, saturates) ISA_OP_##name,
#include "isa/op.inc"
    ISA_OP_COUNT
};

enum isa_shape {
    ISA_F32,
    ISA_F16,
    ISA_F64,
    ISA_V2F16,
    ISA_I8,
    ISA_V4I8,
    ISA_I16,
    ISA_V2I16,
    ISA_I32,
    ISA_I64,
    ISA_SHAPE_COUNT
};

enum isa_policy {
    ISA_OP_RTE = 0, /* to nearest, of two the even one */
    ISA_OP_RTZ = 1, /* toward zero */
    ISA_OP_RTP = 2, /* up */
    ISA_OP_RTN = 3, /* down */
    ISA_OP_ROUNDING = 3,
    ISA_OP_I1 = 4,
    ISA_OP_F1 = 8,
    ISA_OP_PROPAGATE = 16,
    ISA_OP_FLUSH = 32,
    ISA_OP_QUIET = 64, /* and as IR, denormals among the operands count in any place */
};

/* How a row names one. */
struct isa_lane_op {
    uint8_t op;     /* enum isa_op */
    uint8_t shape;  /* of the operands: enum isa_shape */
    uint8_t policy; /* enum isa_policy */
};

/* What op.inc has of an operation. */
struct isa_op_row {
    const char *name;
    uint8_t sources;
    enum isa_op_kind {
        ISA_OP_FLOAT,
        ISA_OP_ARITHMETIC,
        ISA_OP_FTEST,
        ISA_OP_INT,
        ISA_OP_ITEST,
        ISA_OP_CONVERT
    } kind;
    /* of a conversion: */
    uint8_t from, to; /* enum isa_shape */
    enum isa_op_integers { ISA_OP_SIGNED, ISA_OP_UNSIGNED, ISA_OP_SIGNED_TO_UNSIGNED } integers;
    bool saturates;
};
extern const struct isa_op_row isa_op_rows[ISA_OP_COUNT];

unsigned isa_shape_width(enum isa_shape shape);    /* bits of an element */
unsigned isa_shape_elements(enum isa_shape shape); /* 1, 2 or 4 */
/* Whether an operation is there for a shape. */
bool isa_op_takes(enum isa_op op, enum isa_shape shape);
/* Whether an operation of shape ISA_F16 and this policy is that of singles, rounded once: who computes it may leave the
 * rounding for later. */
bool isa_op_by_singles(struct isa_lane_op op);
/* The shape of the result. */
enum isa_shape isa_op_gives(enum isa_op op, enum isa_shape shape);

/* One lane; operands beyond an operation's number are not read. The shape is one that it takes. */
uint64_t isa_op_lane(struct isa_lane_op op, const uint64_t source[3]);

#endif
