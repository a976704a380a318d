/* Halves of elements: they become singles, which hold every one, and results become halves again, rounded to nearest once. Singles
 * have more than twice the places, so that sums, products, quotients and roots rounded twice are rounded as once; of what
 * has more places than singles, a number to odd stands between (isa/trans_op.h). Vectors are of any lanes, in pieces of
 * the sixteen that jit/math.h has. */
#include "isa/simple_v/trans_internal.h"
#include "isa/trans_op.h"
#include "jit/math.h"

enum { LANES = 16, INFINITE = 0x7c00, NAN_BITS = 0x7e00, BEYOND = 1 << 17 };

/* Lanes from `first` on; of fewer than sixteen some again. */
static LLVMValueRef piece_of(struct simple_v_trans *t, LLVMValueRef v, unsigned first)
{
    const unsigned count = simple_v_trans_count(v);
    unsigned lane[LANES];
    if (count == 1)
        return simple_v_trans_splat(t, v, LANES);
    for (unsigned l = 0; l < LANES; l++)
        lane[l] = (first + l) % count;
    return simple_v_trans_shuffle(t, v, lane, LANES);
}

/* Puts a piece behind the lanes there are, NULL: none. Of `count` in all the last may have fewer. */
static LLVMValueRef with_piece(struct simple_v_trans *t, LLVMValueRef all, LLVMValueRef piece, unsigned count)
{
    static const unsigned first[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    LLVMValueRef which[64];
    if (count == 1)
        return LLVMBuildExtractElement(t->b->ir, piece, jit_i32(t->b, 0), "");
    if (count < LANES)
        return simple_v_trans_shuffle(t, piece, first, count);
    if (!all)
        return piece;
    const unsigned had = simple_v_trans_count(all);
    if (had != LANES) { /* both sides of a shuffle are as long */
        unsigned lane[64];
        for (unsigned l = 0; l < had; l++)
            lane[l] = l % LANES;
        piece = simple_v_trans_shuffle(t, piece, lane, had);
    }
    for (unsigned l = 0; l < had + LANES; l++)
        which[l] = jit_i32(t->b, l);
    return LLVMBuildShuffleVector(t->b->ir, all, piece, LLVMConstVector(which, had + LANES), "");
}

LLVMValueRef simple_v_trans_half_to_single(struct simple_v_trans *t, LLVMValueRef half)
{
    const unsigned count = simple_v_trans_count(half);
    const LLVMValueRef wide = simple_v_trans_resize(t, half, 32, false);
    LLVMValueRef out = NULL;
    for (unsigned first = 0; first < count; first += LANES)
        out = with_piece(t, out, jit_half_to_single(t->b, piece_of(t, wide, first)), count);
    return out;
}

LLVMValueRef simple_v_trans_single_to_half(struct simple_v_trans *t, LLVMValueRef single)
{
    const LLVMBuilderRef ir = t->b->ir;
    const unsigned count = simple_v_trans_count(single);
    LLVMValueRef out = NULL;
    for (unsigned first = 0; first < count; first += LANES)
        out = with_piece(t, out, jit_single_to_half(t->b, piece_of(t, single, first)), count);
    const LLVMTypeRef type = LLVMTypeOf(out);
    const LLVMValueRef size = LLVMBuildAnd(ir, out, simple_v_trans_number(type, 0x7fff), ""),
                       none = LLVMBuildICmp(ir, LLVMIntUGT, size, simple_v_trans_number(type, INFINITE), "");
    out = LLVMBuildSelect(ir, none, simple_v_trans_number(type, NAN_BITS), out, "");
    return simple_v_trans_resize(t, out, 16, false);
}

/* The single next to it, or, where that is another number and even, the one on the other side. */
LLVMValueRef simple_v_trans_single_to_odd(struct simple_v_trans *t, LLVMValueRef d)
{
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMTypeRef wide = LLVMTypeOf(d);
    const unsigned count = simple_v_trans_count(d);
    const LLVMTypeRef floats = simple_v_trans_floats(t, 32, count), ints = simple_v_trans_ints(t, 32, count);
    const LLVMValueRef near = LLVMBuildFPTrunc(ir, d, floats, "");
    LLVMValueRef again = LLVMBuildFPExt(ir, near, wide, "");
    const LLVMValueRef bits = LLVMBuildBitCast(ir, near, ints, ""), one = simple_v_trans_number(ints, 1);
    const LLVMValueRef even =
        LLVMBuildICmp(ir, LLVMIntEQ, LLVMBuildAnd(ir, bits, one, ""), LLVMConstNull(ints), "");
    const LLVMValueRef off = LLVMBuildAnd(ir, LLVMBuildFCmp(ir, LLVMRealONE, again, d, ""), even, "");
    again = simple_v_trans_call(t, "llvm.fabs", wide, &again, 1);
    const LLVMValueRef size = simple_v_trans_call(t, "llvm.fabs", wide, &d, 1);
    const LLVMValueRef step =
        LLVMBuildSelect(ir, LLVMBuildFCmp(ir, LLVMRealOLT, again, size, ""), one, LLVMConstAllOnes(ints), "");
    const LLVMValueRef moved =
        LLVMBuildAdd(ir, bits, LLVMBuildSelect(ir, off, step, LLVMConstNull(ints), ""), "");
    return LLVMBuildBitCast(ir, moved, floats, "");
}

/* What is beyond all halves may be less, and still is. */
LLVMValueRef simple_v_trans_half_of_integer(struct simple_v_trans *t, LLVMValueRef n, bool is_signed)
{
    const LLVMTypeRef type = LLVMTypeOf(n), wide = simple_v_trans_floats(t, 64, simple_v_trans_count(n));
    if (simple_v_trans_width(n) > 16) {
        LLVMValueRef most[2] = {n, simple_v_trans_number(type, BEYOND)};
        n = simple_v_trans_call(t, is_signed ? "llvm.smin" : "llvm.umin", type, most, 2);
        LLVMValueRef least[2] = {n, simple_v_trans_number(type, (uint64_t)(int64_t)-BEYOND)};
        n = is_signed ? simple_v_trans_call(t, "llvm.smax", type, least, 2) : n;
    }
    n = simple_v_trans_resize(t, n, 32, is_signed);
    const LLVMValueRef d = LLVMBuildSIToFP(t->b->ir, n, wide, "");
    return simple_v_trans_single_to_half(
        t, LLVMBuildFPTrunc(t->b->ir, d, simple_v_trans_floats(t, 32, simple_v_trans_count(n)), ""));
}

/* The sum of a product, which singles hold, and a third, to odd. */
LLVMValueRef simple_v_trans_half_fused(struct simple_v_trans *t, LLVMValueRef x, LLVMValueRef y,
                                       LLVMValueRef z)
{
    const LLVMTypeRef type = LLVMTypeOf(x);
    const bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    const LLVMTypeRef vectors = vector ? type : LLVMVectorType(type, 1);
    const LLVMValueRef product = LLVMBuildBitCast(t->b->ir, LLVMBuildFMul(t->b->ir, x, y, ""), vectors, "");
    const LLVMValueRef sum = isa_trans_sum_to_odd(t->b, product, LLVMBuildBitCast(t->b->ir, z, vectors, ""));
    return LLVMBuildBitCast(t->b->ir, sum, type, "");
}
