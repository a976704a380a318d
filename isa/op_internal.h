/* Between op.c and op_float.c. */
#ifndef VITRAIL_ISA_OP_INTERNAL_H
#define VITRAIL_ISA_OP_INTERNAL_H

#include "isa/op.h"

/* One element of one lane. */
struct isa_op_one {
    enum isa_op op;
    unsigned width, policy;
    bool is_half;
    double f[3];   /* as floats */
    uint64_t s[3]; /* bits */
};

/* op_float.c: results are bits as wide as the operands; and a truth. */
uint64_t isa_op_float_lane(const struct isa_op_one *l);
bool isa_op_ftest_lane(const struct isa_op_one *l);
/* An operand as a double. */
double isa_op_double_of(const struct isa_op_one *l, uint64_t bits);
/* A result of `width` bits: the quiet NaN for every NaN, if the policy has it. */
uint64_t isa_op_no_number(const struct isa_op_one *l, uint64_t out, unsigned width);
/* A whole number, or a double, as a float of `width` bits. */
uint64_t isa_op_pack(unsigned width, bool negative, uint64_t significand, unsigned rounding);
uint64_t isa_op_from_double(unsigned width, double d, unsigned rounding);

#endif
