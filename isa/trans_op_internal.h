/* Between the files of isa/trans_op.h. */
#ifndef VITRAIL_ISA_TRANS_OP_INTERNAL_H
#define VITRAIL_ISA_TRANS_OP_INTERNAL_H

#include "isa/trans_op.h"

/* An operation on vectors of elements. Floats are singles, halves in the low bits of i32x16, or doubles: f is
 * of singles or of doubles, s of as many bits. */
struct isa_op_ir {
    struct jit_builder *b;
    LLVMBuilderRef ir;
    enum isa_op op;
    unsigned policy;
    bool is_half, is_double;
    LLVMTypeRef type; /* of the integers at hand */
    LLVMValueRef s[3], f[3];
};

/* All elements of a vector of integers. */
static inline LLVMValueRef isa_op_ir_number(LLVMTypeRef vector, uint64_t n)
{
    LLVMValueRef lane = LLVMConstInt(LLVMGetElementType(vector), n, false), all[64];
    unsigned count = LLVMGetVectorSize(vector);
    for (unsigned l = 0; l < count; l++)
        all[l] = lane;
    return LLVMConstVector(all, count);
}

static inline LLVMValueRef isa_op_ir_call(struct isa_op_ir *o, const char *name, LLVMTypeRef type,
                                          LLVMValueRef *args, unsigned count)
{
    return jit_intrinsic(o->b, name, &type, 1, args, count);
}

static inline LLVMValueRef isa_op_ir_bits(struct isa_op_ir *o, LLVMValueRef x, uint64_t n)
{
    return LLVMBuildAnd(o->ir, x, isa_op_ir_number(LLVMTypeOf(x), n), "");
}

static inline LLVMTypeRef isa_op_ir_doubles(struct isa_op_ir *o)
{
    return LLVMVectorType(o->b->f64, 16);
}

/* trans_op_float.c: results are bits of the operation's format, and a mask. */
LLVMValueRef isa_op_ir_float(struct isa_op_ir *o);
LLVMValueRef isa_op_ir_ftest(struct isa_op_ir *o);
LLVMValueRef
isa_op_ir_arithmetic(struct isa_op_ir *o); /* a single; NULL: the operation chooses between bits */

LLVMValueRef isa_op_ir_flushed(struct isa_op_ir *o, LLVMValueRef half); /* a denormal half is zero */
LLVMValueRef isa_op_ir_single(struct isa_op_ir *o, LLVMValueRef x);     /* an operand as a single */
LLVMValueRef isa_op_ir_double(struct isa_op_ir *o, LLVMValueRef single);
/* The single of which x has the bits, whichever NaN it is; x itself where that is not known. */
LLVMValueRef isa_op_ir_any_nan(struct isa_op_ir *o, LLVMValueRef x);
/* A single as a half's bits, rounded to nearest, with the policy's NaN. */
LLVMValueRef isa_op_ir_half(struct isa_op_ir *o, LLVMValueRef f);
/* Bits of singles or doubles, with one NaN for all. Sources of arithmetic are looked for behind it. */
LLVMValueRef isa_op_ir_one_nan(struct isa_op_ir *o, LLVMValueRef f);
LLVMValueRef isa_op_ir_quieted(struct isa_op_ir *o, LLVMValueRef x, unsigned width);
/* `near` is the bits of a float; `got` its value, `exact` what it stands for, in one type. Moved by one place
 * where the direction asks for it. */
LLVMValueRef isa_op_ir_directed(struct isa_op_ir *o, LLVMValueRef near, LLVMValueRef got, LLVMValueRef exact);
/* The same where what `near` stands for is more than it by `rest`, a float. */
LLVMValueRef isa_op_ir_directed_by(struct isa_op_ir *o, LLVMValueRef near, LLVMValueRef rest,
                                   LLVMValueRef positive);

#endif
