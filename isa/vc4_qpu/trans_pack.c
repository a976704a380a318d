/* Packs and unpacks (README, rule 9; Guide tables 6 to 9). */
#include "isa/vc4_qpu/trans_internal.h"
#include "jit/math.h"

enum { UNPACK_16A = 1, UNPACK_16B, UNPACK_8D_REPLICATE, UNPACK_8A, UNPACK_8D = 7 };

static LLVMValueRef compare(struct vc4_qpu_trans *t, LLVMIntPredicate how, LLVMValueRef i, uint32_t with)
{
    return LLVMBuildICmp(t->b->ir, how, i, jit_splat_u32(t->b, with), "");
}

static LLVMValueRef plus(struct vc4_qpu_trans *t, LLVMValueRef i, uint32_t n)
{
    return LLVMBuildAdd(t->b->ir, i, jit_splat_u32(t->b, n), "");
}

/* A half in the low 16 bits: the fraction's bits stay, exponent 0 stays 0, exponent 31 is 255. */
static struct vc4_qpu_value *half_to_float(struct vc4_qpu_trans *t, LLVMValueRef h)
{
    LLVMValueRef sign = vc4_qpu_trans_shl(t, vc4_qpu_trans_and(t, h, 0x8000), 16);
    LLVMValueRef size = vc4_qpu_trans_shl(t, vc4_qpu_trans_and(t, h, 0x7fff), 13);
    LLVMValueRef r = plus(t, size, 112u << 23);

    r = jit_select(t->b, compare(t, LLVMIntULT, size, 1u << 23), size, r);
    r = jit_select(t->b, compare(t, LLVMIntUGE, size, 31u << 23), plus(t, size, 224u << 23), r);
    return vc4_qpu_trans_int(t, LLVMBuildOr(t->b->ir, r, sign, ""));
}

static LLVMValueRef byte_of(struct vc4_qpu_trans *t, LLVMValueRef i, unsigned n)
{
    return n == 3 ? vc4_qpu_trans_shr(t, i, 24)
                  : vc4_qpu_trans_and(t, n ? vc4_qpu_trans_shr(t, i, 8 * n) : i, 0xff);
}

static struct vc4_qpu_value *unpack_byte(struct vc4_qpu_trans *t, LLVMValueRef byte, bool to_float)
{
    struct vc4_qpu_value *v;

    if (to_float && t->exact) {
        v = vc4_qpu_trans_int(t, vc4_qpu_trans_exact_unit(t, byte));
        v->clean = true;
        v->unorm = byte;
    } else if (to_float) {
        LLVMValueRef unit = LLVMBuildBitCast(t->b->ir, jit_splat_u32(t->b, 0x3b808081), t->b->f32x16, "");
        v = vc4_qpu_trans_float(t, LLVMBuildFMul(t->b->ir, jit_i32_to_f32(t->b, byte), unit, ""), true,
                                false);
        v->unorm = byte;
    } else {
        v = vc4_qpu_trans_int(t, byte);
        v->clean = true;
    }
    v->positive = true;
    return v;
}

struct vc4_qpu_value *vc4_qpu_trans_unpack(struct vc4_qpu_trans *t, unsigned code, bool to_float,
                                           struct vc4_qpu_value *v)
{
    LLVMBuilderRef ir = t->b->ir;

    if (!code)
        return v;
    LLVMValueRef i = vc4_qpu_trans_i(t, v);
    switch (code) {
    case UNPACK_16A:
        if (to_float)
            return half_to_float(t, vc4_qpu_trans_and(t, i, 0xffff));
        return vc4_qpu_trans_int(t,
                                 LLVMBuildAShr(ir, vc4_qpu_trans_shl(t, i, 16), jit_splat_u32(t->b, 16), ""));
    case UNPACK_16B:
        if (to_float)
            return half_to_float(t, vc4_qpu_trans_shr(t, i, 16));
        return vc4_qpu_trans_int(t, LLVMBuildAShr(ir, i, jit_splat_u32(t->b, 16), ""));
    case UNPACK_8D_REPLICATE: return vc4_qpu_trans_int(t, jit_byte_replicate(t->b, i, 3));
    default: return unpack_byte(t, byte_of(t, i, code - UNPACK_8A), to_float);
    }
}

/* A single to a half: nearest even, NaN and overflow to infinity, denormal results to +0. */
static LLVMValueRef float_to_half(struct vc4_qpu_trans *t, LLVMValueRef x)
{
    LLVMBuilderRef ir = t->b->ir;
    struct jit_builder *b = t->b;

    if (t->exact)
        return vc4_qpu_trans_exact_float_to_half(t, x);
    LLVMValueRef sign = vc4_qpu_trans_shr(t, vc4_qpu_trans_and(t, x, UINT32_C(1) << 31), 16),
                 size = vc4_qpu_trans_and(t, x, 0x7fffffff);
    LLVMValueRef m = LLVMBuildSub(ir, size, jit_splat_u32(b, 112u << 23), "");
    LLVMValueRef even = vc4_qpu_trans_and(t, vc4_qpu_trans_shr(t, m, 13), 1);
    LLVMValueRef r = LLVMBuildAdd(ir, LLVMBuildAdd(ir, m, jit_splat_u32(b, 0xfff), ""), even, "");
    LLVMValueRef tiny = LLVMBuildICmp(ir, LLVMIntSLT, size, jit_splat_u32(b, 0x387fe000), "");
    LLVMValueRef big = LLVMBuildICmp(ir, LLVMIntSGE, size, jit_splat_u32(b, 0x477ff000), "");

    /* just below 2^-14 a denormal half would round up to 2^-14: 0x387fe000 is where */
    r = vc4_qpu_trans_binary(t, "llvm.umax", vc4_qpu_trans_shr(t, r, 13), jit_splat_u32(b, 0x400));
    r = LLVMBuildOr(ir, jit_select(b, big, jit_splat_u32(b, 0x7c00), r), sign, "");
    return jit_select(b, tiny, jit_splat_u32(b, 0), r);
}

static LLVMValueRef clamp(struct vc4_qpu_trans *t, LLVMValueRef i, int32_t low, int32_t high)
{
    LLVMValueRef r = vc4_qpu_trans_binary(t, "llvm.smax", i, jit_splat_u32(t->b, (uint32_t)low));
    return vc4_qpu_trans_binary(t, "llvm.smin", r, jit_splat_u32(t->b, (uint32_t)high));
}

/* The field, which has no bits outside `mask`, goes to bit `at` of old, whose bits it replaces. */
static struct vc4_qpu_value *insert(struct vc4_qpu_trans *t, LLVMValueRef field, unsigned at, uint32_t mask,
                                    struct vc4_qpu_value *old)
{
    LLVMValueRef keep = vc4_qpu_trans_and(t, vc4_qpu_trans_i(t, old), ~(mask << at));
    return vc4_qpu_trans_int(t, LLVMBuildOr(t->b->ir, keep, vc4_qpu_trans_shl(t, field, at), ""));
}

static struct vc4_qpu_value *insert_byte(struct vc4_qpu_trans *t, unsigned code, LLVMValueRef byte,
                                         struct vc4_qpu_value *old)
{
    if (code == 3)
        return vc4_qpu_trans_int(t, jit_byte_replicate(t->b, byte, 0));
    return insert(t, byte, 8 * (code - 4), 0xff, old);
}

struct vc4_qpu_value *vc4_qpu_trans_pack_a(struct vc4_qpu_trans *t, unsigned code, bool is_float,
                                           struct vc4_qpu_value *v, struct vc4_qpu_value *old)
{
    unsigned form = code & 7;
    bool saturate = code & 8;

    if (form == 0)
        return v; /* the saturating form is the ALU's affair */
    LLVMValueRef i = vc4_qpu_trans_i(t, v);
    if (form <= 2) {
        if (is_float)
            i = float_to_half(t, i);
        else
            i = vc4_qpu_trans_and(t, saturate ? clamp(t, i, -32768, 32767) : i, 0xffff);
        return insert(t, i, form == 1 ? 0 : 16, 0xffff, old);
    }
    return insert_byte(t, form, saturate ? clamp(t, i, 0, 255) : vc4_qpu_trans_and(t, i, 0xff), old);
}

/* The result of an add or sub in `bits` bits. Where it overflowed: the bound that the carry names, and what
 * saturation makes of the wrapped result, if that is outside. */
static LLVMValueRef narrow(struct vc4_qpu_trans *t, const struct vc4_qpu_trans_overflow *o, LLVMValueRef i,
                           unsigned bits, bool saturate)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    uint32_t low = bits == 8 ? 0 : 0 - (1u << (bits - 1)), high = mask >> (bits != 8);
    LLVMValueRef field = saturate ? clamp(t, i, low, high) : i, bound;

    bound = jit_select(t->b, o->carry, jit_splat_u32(t->b, low), jit_splat_u32(t->b, high));
    if (saturate) {
        LLVMValueRef outside = LLVMBuildICmp(t->b->ir, LLVMIntNE, field, i, "");
        LLVMValueRef both = LLVMBuildAnd(t->b->ir, field, bound, "");
        bound = jit_select(t->b, outside, both, bound);
    }
    return vc4_qpu_trans_and(t, jit_select(t->b, o->overflow, bound, field), mask);
}

/* Signed overflow and the C flag of an add or sub. */
struct vc4_qpu_trans_overflow vc4_qpu_trans_overflow_of(struct vc4_qpu_trans *t, bool minus,
                                                        struct vc4_qpu_value *x, struct vc4_qpu_value *y,
                                                        struct vc4_qpu_value *sum)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef a = vc4_qpu_trans_i(t, x), b = vc4_qpu_trans_i(t, y), r = vc4_qpu_trans_i(t, sum);
    LLVMValueRef from_a = LLVMBuildXor(ir, a, r, "");
    LLVMValueRef other = LLVMBuildXor(ir, minus ? a : b, minus ? b : r, "");

    return (struct vc4_qpu_trans_overflow){
        .overflow = compare(t, LLVMIntSLT, LLVMBuildAnd(ir, from_a, other, ""), 0),
        .carry = LLVMBuildICmp(ir, LLVMIntULT, minus ? a : r, minus ? b : a, ""),
    };
}

/* The result of an add or sub. */
struct vc4_qpu_value *vc4_qpu_trans_pack_sum(struct vc4_qpu_trans *t, unsigned code,
                                             const struct vc4_qpu_trans_overflow *o, struct vc4_qpu_value *v,
                                             struct vc4_qpu_value *old)
{
    unsigned form = code & 7, bits = form == 0 ? 32 : form <= 2 ? 16 : 8;
    LLVMValueRef field = narrow(t, o, vc4_qpu_trans_i(t, v), bits, code & 8);

    if (form == 0)
        return vc4_qpu_trans_int(t, field);
    if (form <= 2)
        return insert(t, field, form == 1 ? 0 : 16, 0xffff, old);
    return insert_byte(t, form, field, old);
}

static LLVMValueRef scale(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    if (vc4_qpu_trans_is_loose(t, v))
        return jit_unit_times(t->b, vc4_qpu_trans_number(t, v, LLVMRealORD), 255.0f);
    if (v->raw && v->raw_is == TRANS_RAW_PRODUCT)
        return jit_unit_times(t->b, v->raw, 255.0f);
    LLVMValueRef sat = clamp(t, vc4_qpu_trans_i(t, v), 0, 0x3f800000);
    return LLVMBuildFMul(t->b->ir, jit_as_f32(t->b, sat), jit_splat_f32(t->b, 255.0f), "");
}

/* Patterns with a sign are below 0, those above 1.0 include +NaN: integers order them rightly. */
struct vc4_qpu_value *vc4_qpu_trans_pack_mul(struct vc4_qpu_trans *t, unsigned code, struct vc4_qpu_value *v,
                                             struct vc4_qpu_value *old)
{
    LLVMBuilderRef ir = t->b->ir;

    if (code < 3 || code > 7)
        return v;
    if (v->unorm) /* c / 255 comes back as c, for all 256 (Mesa copies texels so) */
        return insert_byte(t, code, v->unorm, old);
    LLVMValueRef byte = jit_f32_to_i32(t->b, LLVMBuildFAdd(ir, scale(t, v), jit_splat_f32(t->b, 0.5f), ""));
    return insert_byte(t, code, byte, old);
}
