/* Floats. Halves are computed as singles, of which each holds a half's sum, product, quotient or root so exactly
 * that rounding once more is harmless, and so is a root's quotient (tests/isa/test_op_halves.c tries all); fused sums
 * are kept to odd. */
#include <math.h>

#include "isa/trans_op_internal.h"

#include "jit/math.h"

LLVMValueRef isa_op_ir_flushed(struct isa_op_ir *o, LLVMValueRef h)
{
    LLVMValueRef normal =
        LLVMBuildICmp(o->ir, LLVMIntNE, isa_op_ir_bits(o, h, 0x7c00), jit_splat_u32(o->b, 0), "");
    return jit_select(o->b, normal, h, isa_op_ir_bits(o, h, 0x8000));
}

/* Operations that make one NaN of all, or ask only whether something is one: which NaN a source is does not
 * matter. */
static bool takes_any_nan(const struct isa_op_ir *o)
{
    if (isa_op_rows[o->op].kind == ISA_OP_FTEST)
        return true;
    if (!(o->policy & ISA_OP_QUIET) || o->policy & ISA_OP_ROUNDING)
        return false;
    return isa_op_rows[o->op].kind == ISA_OP_ARITHMETIC || o->op == ISA_OP_f32_to_f16;
}

static bool is_number(LLVMValueRef v, LLVMTypeRef type, uint64_t n)
{
    return LLVMIsConstant(v) && v == isa_op_ir_number(type, n);
}

/* The single of which x has the bits with one NaN for all, as isa_op_ir_float leaves it; NULL: x is something else.
 * It came from arithmetic on fenced sources, or from a fence, so that LLVM can fold nothing that a fence would
 * hide. */
static LLVMValueRef before_quiet(struct isa_op_ir *o, LLVMValueRef x)
{
    if (!LLVMIsASelectInst(x) || !is_number(LLVMGetOperand(x, 1), o->b->i32x16, 0x7fc00000))
        return NULL;
    LLVMValueRef none = LLVMGetOperand(x, 0), bits = LLVMGetOperand(x, 2);
    LLVMValueRef f = LLVMIsABitCastInst(bits) ? LLVMGetOperand(bits, 0) : NULL;
    if (!f || LLVMTypeOf(f) != o->b->f32x16 || !LLVMIsAFCmpInst(none) ||
        LLVMGetFCmpPredicate(none) != LLVMRealUNO)
        return NULL;
    return LLVMGetOperand(none, 0) == f && LLVMGetOperand(none, 1) == f ? f : NULL;
}

/* The same, where a sign may have been changed since. */
static LLVMValueRef without_quiet(struct isa_op_ir *o, LLVMValueRef x)
{
    LLVMTypeRef type = o->b->i32x16;
    LLVMOpcode op = LLVMIsABinaryOperator(x) ? LLVMGetInstructionOpcode(x) : LLVMRet;
    bool negative = op == LLVMXor && is_number(LLVMGetOperand(x, 1), type, 0x80000000),
         size = op == LLVMAnd && is_number(LLVMGetOperand(x, 1), type, 0x7fffffff);
    if (!negative && !size)
        return before_quiet(o, x);
    LLVMValueRef f = without_quiet(o, LLVMGetOperand(x, 0));
    if (!f)
        return NULL;
    return negative ? LLVMBuildFNeg(o->ir, f, "") : isa_op_ir_call(o, "llvm.fabs", o->b->f32x16, &f, 1);
}

LLVMValueRef isa_op_ir_any_nan(struct isa_op_ir *o, LLVMValueRef x)
{
    LLVMValueRef f = without_quiet(o, x);
    return f ? f : jit_fence(o->b, jit_as_f32(o->b, x));
}

LLVMValueRef isa_op_ir_single(struct isa_op_ir *o, LLVMValueRef x)
{
    if (o->is_double)
        return jit_fence(o->b, LLVMBuildBitCast(o->ir, x, isa_op_ir_doubles(o), ""));
    if (!o->is_half)
        return takes_any_nan(o) ? isa_op_ir_any_nan(o, x) : jit_fence(o->b, jit_as_f32(o->b, x));
    return jit_half_to_single(o->b, o->policy & ISA_OP_FLUSH ? isa_op_ir_flushed(o, x) : x);
}

/* A single, or the NaN that there is. */
static LLVMValueRef number(struct isa_op_ir *o, LLVMValueRef f)
{
    LLVMValueRef none = LLVMBuildFCmp(o->ir, LLVMRealUNO, f, f, "");
    return jit_select(o->b, none, jit_as_f32(o->b, jit_splat_u32(o->b, 0x7fc00000)), f);
}

/* What was a half before has its bits already, but for the NaN. */
static LLVMValueRef one_nan_half(struct isa_op_ir *o, LLVMValueRef f)
{
    LLVMValueRef h = jit_half_of(o->b, f), none;
    if (!h)
        return jit_quiet_to_half(o->b, number(o, f));
    none = LLVMBuildFCmp(o->ir, LLVMRealUNO, f, f, "");
    return jit_select(o->b, none, jit_splat_u32(o->b, 0x7e00), h);
}

LLVMValueRef isa_op_ir_half(struct isa_op_ir *o, LLVMValueRef f)
{
    LLVMValueRef h = o->policy & ISA_OP_QUIET ? one_nan_half(o, f) : jit_single_to_half(o->b, f);
    return o->policy & ISA_OP_FLUSH ? isa_op_ir_flushed(o, h) : h;
}

/* A single as the bits of the operation's format. */
static LLVMValueRef as_bits(struct isa_op_ir *o, LLVMValueRef f)
{
    if (o->is_double)
        return LLVMBuildBitCast(o->ir, f, o->b->i64x16, "");
    return o->is_half ? isa_op_ir_half(o, f) : jit_as_i32(o->b, f);
}

LLVMValueRef isa_op_ir_double(struct isa_op_ir *o, LLVMValueRef f)
{
    return LLVMBuildFPExt(o->ir, f, isa_op_ir_doubles(o), "");
}

static LLVMValueRef add_bits(struct jit_builder *b, LLVMValueRef f, LLVMValueRef n)
{
    LLVMValueRef sum = LLVMBuildAdd(b->ir, LLVMBuildBitCast(b->ir, f, LLVMTypeOf(n), ""), n, "");
    return LLVMBuildBitCast(b->ir, sum, LLVMTypeOf(f), "");
}

LLVMValueRef isa_trans_sum_to_odd(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(x), element = LLVMGetElementType(type) == b->f32 ? b->i32 : b->i64;
    LLVMTypeRef bits = LLVMVectorType(element, LLVMGetVectorSize(type));
    LLVMValueRef zero = LLVMConstNull(type), sum = LLVMBuildFAdd(b->ir, x, y, "");
    LLVMValueRef of_y = LLVMBuildFSub(b->ir, sum, x, ""), of_x = LLVMBuildFSub(b->ir, sum, of_y, "");
    LLVMValueRef error =
        LLVMBuildFAdd(b->ir, LLVMBuildFSub(b->ir, x, of_x, ""), LLVMBuildFSub(b->ir, y, of_y, ""), "");
    LLVMValueRef even =
        LLVMBuildAnd(b->ir, LLVMBuildBitCast(b->ir, sum, bits, ""), isa_op_ir_number(bits, 1), "");
    even = LLVMBuildICmp(b->ir, LLVMIntEQ, even, LLVMConstNull(bits), "");
    LLVMValueRef off = LLVMBuildAnd(b->ir, LLVMBuildFCmp(b->ir, LLVMRealONE, error, zero, ""), even, "");
    LLVMValueRef inward = LLVMBuildXor(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, error, zero, ""),
                                       LLVMBuildFCmp(b->ir, LLVMRealOLT, sum, zero, ""), "");
    LLVMValueRef step = jit_select(b, inward, isa_op_ir_number(bits, ~0ull), isa_op_ir_number(bits, 1));
    return add_bits(b, sum, jit_select(b, off, step, LLVMConstNull(bits)));
}

/* ---- directions ---- */

static LLVMValueRef directed(struct isa_op_ir *o, LLVMValueRef near, LLVMValueRef above, LLVMValueRef below,
                             LLVMValueRef positive)
{
    LLVMTypeRef type = LLVMTypeOf(near);
    LLVMValueRef where, out, one = isa_op_ir_number(type, 1), step;
    switch (o->policy & ISA_OP_ROUNDING) {
    case ISA_OP_RTZ:
        where = jit_select(o->b, positive, above, below);
        out = LLVMConstNull(o->b->i1x16);
        break;
    case ISA_OP_RTP:
        where = below;
        out = positive;
        break;
    case ISA_OP_RTN:
        where = above;
        out = LLVMBuildNot(o->ir, positive, "");
        break;
    default: return near;
    }
    step = jit_select(o->b, out, one, isa_op_ir_number(type, ~0ull));
    return LLVMBuildAdd(o->ir, near, jit_select(o->b, where, step, LLVMConstNull(type)), "");
}

LLVMValueRef isa_op_ir_directed(struct isa_op_ir *o, LLVMValueRef near, LLVMValueRef got, LLVMValueRef exact)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(got));
    return directed(o, near, LLVMBuildFCmp(o->ir, LLVMRealOGT, got, exact, ""),
                    LLVMBuildFCmp(o->ir, LLVMRealOLT, got, exact, ""),
                    LLVMBuildFCmp(o->ir, LLVMRealOGT, exact, zero, ""));
}

LLVMValueRef isa_op_ir_directed_by(struct isa_op_ir *o, LLVMValueRef near, LLVMValueRef rest,
                                   LLVMValueRef positive)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(rest));
    return directed(o, near, LLVMBuildFCmp(o->ir, LLVMRealOLT, rest, zero, ""),
                    LLVMBuildFCmp(o->ir, LLVMRealOGT, rest, zero, ""), positive);
}

/* A sum or product as a double that compares with every single and half as the exact one does. */
static LLVMValueRef compared(struct isa_op_ir *o)
{
    LLVMValueRef d[3] = {NULL};
    for (unsigned n = 0; n < isa_op_rows[o->op].sources; n++)
        d[n] = isa_op_ir_double(o, o->f[n]);
    switch (o->op) {
    case ISA_OP_fadd: return isa_trans_sum_to_odd(o->b, d[0], d[1]);
    case ISA_OP_fsub: return isa_trans_sum_to_odd(o->b, d[0], LLVMBuildFNeg(o->ir, d[1], ""));
    case ISA_OP_fmul: return LLVMBuildFMul(o->ir, d[0], d[1], "");
    default: return isa_trans_sum_to_odd(o->b, LLVMBuildFMul(o->ir, d[0], d[1], ""), d[2]);
    }
}

static bool has_direction(const struct isa_op_ir *o)
{
    bool sum = o->op == ISA_OP_fadd || o->op == ISA_OP_fsub || o->op == ISA_OP_fmul || o->op == ISA_OP_ffma;
    return sum && !o->is_double && o->policy & ISA_OP_ROUNDING;
}

/* `near` is the sum to nearest. */
static LLVMValueRef directed_sum(struct isa_op_ir *o, LLVMValueRef near)
{
    LLVMTypeRef doubles = isa_op_ir_doubles(o);
    LLVMValueRef exact = compared(o);
    LLVMValueRef bits = o->is_half ? jit_single_to_half(o->b, near) : jit_as_i32(o->b, near);
    LLVMValueRef got = o->is_half ? jit_half_to_single(o->b, bits) : near;
    bits = isa_op_ir_directed(o, bits, isa_op_ir_double(o, got), exact);
    if (o->is_half)
        return o->policy & ISA_OP_FLUSH ? isa_op_ir_flushed(o, bits) : bits;
    LLVMValueRef size = isa_op_ir_call(o, "llvm.fabs", doubles, &exact, 1);
    LLVMValueRef least = LLVMBuildBitCast(o->ir, isa_op_ir_number(o->b->i64x16, 0x381ull << 52), doubles, "");
    LLVMValueRef tiny = LLVMBuildFCmp(o->ir, LLVMRealOLT, size, least, "");
    LLVMValueRef sign = LLVMBuildLShr(o->ir, LLVMBuildBitCast(o->ir, exact, o->b->i64x16, ""),
                                      isa_op_ir_number(o->b->i64x16, 32), "");
    sign = isa_op_ir_bits(o, LLVMBuildTrunc(o->ir, sign, o->b->i32x16, ""), 0x80000000);
    return jit_select(o->b, tiny, sign, bits);
}

/* ---- arithmetic ---- */

/* x * y + z to odd (isa_op_ir_sum_to_odd) of halves as singles, which hold such a product whole, and no part of such a
 * sum is a denormal. AVX-512 rounds an instruction's result as that says: of the numbers below and above, which are
 * beside each other or the same, one is odd. */
static LLVMValueRef fused_to_odd(struct isa_op_ir *o)
{
    struct jit_builder *b = o->b;
    LLVMValueRef args[4] = {o->f[0], o->f[1], o->f[2], jit_i32(b, JIT_ROUND_DOWN)}, below, above, odd;
    if (b->level < JIT_AVX512)
        return isa_trans_sum_to_odd(o->b, LLVMBuildFMul(o->ir, args[0], args[1], ""), args[2]);
    below = jit_intrinsic(b, "llvm.x86.avx512.vfmadd.ps.512", NULL, 0, args, 4);
    args[3] = jit_i32(b, JIT_ROUND_UP);
    above = jit_intrinsic(b, "llvm.x86.avx512.vfmadd.ps.512", NULL, 0, args, 4);
    odd = isa_op_ir_bits(o, jit_as_i32(b, below), 1);
    odd = LLVMBuildICmp(o->ir, LLVMIntNE, odd, LLVMConstNull(b->i32x16), "");
    return jit_select(b, odd, below, above);
}

static LLVMValueRef fused(struct isa_op_ir *o)
{
    if (o->is_half)
        return fused_to_odd(o);
    if (o->b->level >= JIT_AVX2)
        return isa_op_ir_call(o, "llvm.fma", o->b->f32x16, o->f, 3);
    LLVMValueRef product =
        LLVMBuildFMul(o->ir, isa_op_ir_double(o, o->f[0]), isa_op_ir_double(o, o->f[1]), "");
    LLVMValueRef sum = isa_trans_sum_to_odd(o->b, product, isa_op_ir_double(o, o->f[2]));
    return LLVMBuildFPTrunc(o->ir, sum, o->b->f32x16, "");
}

static LLVMValueRef unary(struct isa_op_ir *o, const char *name)
{
    return isa_op_ir_call(o, name, LLVMTypeOf(o->f[0]), o->f, 1);
}

/* A constant, the same in all lanes, of a power of two that a single can be. */
static bool is_power(LLVMValueRef by, int64_t *power)
{
    LLVMValueRef one = LLVMIsConstant(by) ? LLVMGetAggregateElement(by, 0) : NULL;
    if (!one || !LLVMIsAConstantInt(one) ||
        by != isa_op_ir_number(LLVMTypeOf(by), LLVMConstIntGetZExtValue(one)))
        return false;
    *power = LLVMConstIntGetSExtValue(one);
    return *power >= -126 && *power <= 127;
}

/* Times a power of two: by an instruction, or in steps that no exponent leaves before the result does. */
static LLVMValueRef scaled(struct isa_op_ir *o)
{
    struct jit_builder *b = o->b;
    LLVMValueRef by = o->s[1], f = o->f[0], most = jit_splat_u32(b, 300),
                 least = jit_splat_u32(b, (uint32_t)-300);
    int64_t power;
    if (o->is_half)
        by = LLVMBuildSExt(o->ir, LLVMBuildTrunc(o->ir, by, b->i16x16, ""), b->i32x16, "");
    if (is_power(by, &power))
        return LLVMBuildFMul(o->ir, f, jit_fence(b, jit_splat_f32(b, (float)ldexp(1, (int)power))), "");
    if (b->level >= JIT_AVX512)
        return jit_scalef(b, f, jit_i32_to_f32(b, by));
    LLVMValueRef up[2] = {by, most};
    up[0] = isa_op_ir_call(o, "llvm.smin", b->i32x16, up, 2);
    up[1] = least;
    by = isa_op_ir_call(o, "llvm.smax", b->i32x16, up, 2);
    for (unsigned n = 0; n < 3; n++) {
        LLVMValueRef part[2] = {by, jit_splat_u32(b, 100)};
        part[0] = isa_op_ir_call(o, "llvm.smin", b->i32x16, part, 2);
        part[1] = jit_splat_u32(b, (uint32_t)-100);
        part[0] = isa_op_ir_call(o, "llvm.smax", b->i32x16, part, 2);
        LLVMValueRef times = LLVMBuildAdd(o->ir, part[0], jit_splat_u32(b, 127), "");
        times = LLVMBuildShl(o->ir, times, jit_splat_u32(b, 23), "");
        f = LLVMBuildFMul(o->ir, f, jit_fence(b, jit_as_f32(b, times)), "");
        by = LLVMBuildSub(o->ir, by, part[0], "");
    }
    return f;
}

/* In all lanes, as f has them. */
static LLVMValueRef splat(struct isa_op_ir *o, double value)
{
    LLVMValueRef all[16];
    for (unsigned l = 0; l < 16; l++)
        all[l] = jit_f64(o->b, value);
    return o->is_double ? LLVMConstVector(all, 16) : jit_splat_f32(o->b, (float)value);
}

LLVMValueRef isa_op_ir_arithmetic(struct isa_op_ir *o)
{
    LLVMValueRef x = o->f[0], y = o->f[1], unit = splat(o, 1);
    switch (o->op) {
    case ISA_OP_fadd: return LLVMBuildFAdd(o->ir, x, y, "");
    case ISA_OP_fsub: return LLVMBuildFSub(o->ir, x, y, "");
    case ISA_OP_fmul: return LLVMBuildFMul(o->ir, x, y, "");
    case ISA_OP_ffma: return fused(o);
    case ISA_OP_frcp: return LLVMBuildFDiv(o->ir, unit, x, "");
    case ISA_OP_fsqrt: return unary(o, "llvm.sqrt");
    case ISA_OP_frsq: return LLVMBuildFDiv(o->ir, unit, unary(o, "llvm.sqrt"), "");
    case ISA_OP_fldexp: return scaled(o);
    case ISA_OP_ffloor: return unary(o, "llvm.floor");
    case ISA_OP_fceil: return unary(o, "llvm.ceil");
    case ISA_OP_ftrunc: return unary(o, "llvm.trunc");
    case ISA_OP_froundeven: return unary(o, "llvm.roundeven");
    case ISA_OP_fround: return unary(o, "llvm.round");
    case ISA_OP_ffract: return LLVMBuildFSub(o->ir, x, unary(o, "llvm.floor"), "");
    default: return NULL;
    }
}

static LLVMValueRef compare(struct isa_op_ir *o, LLVMRealPredicate how)
{
    return LLVMBuildFCmp(o->ir, how, o->f[0], o->f[1], "");
}

static LLVMValueRef is_nan(struct isa_op_ir *o, LLVMValueRef f)
{
    return LLVMBuildFCmp(o->ir, LLVMRealUNO, f, f, "");
}

static unsigned width_of(const struct isa_op_ir *o)
{
    return o->is_half ? 16 : o->is_double ? 64 : 32;
}

static uint64_t infinity(unsigned width)
{
    return width == 16 ? 0x7c00 : width == 32 ? 0x7f800000 : 0x7ffull << 52;
}

static LLVMValueRef quiet(struct isa_op_ir *o, unsigned width)
{
    uint64_t nan = width == 16 ? 0x7e00 : width == 32 ? 0x7fc00000 : 0xfffull << 51;
    return isa_op_ir_number(width == 64 ? o->b->i64x16 : o->b->i32x16, nan);
}

static LLVMValueRef lesser(struct isa_op_ir *o, LLVMRealPredicate how)
{
    LLVMValueRef first = LLVMBuildOr(o->ir, compare(o, how), is_nan(o, o->f[1]), "");
    LLVMValueRef out = jit_select(o->b, first, o->s[0], o->s[1]);
    return o->policy & ISA_OP_PROPAGATE
               ? jit_select(o->b, compare(o, LLVMRealUNO), quiet(o, width_of(o)), out)
               : out;
}

/* Of a NaN, whichever it is, `least`. */
static LLVMValueRef limit(struct isa_op_ir *o, double least, double most)
{
    LLVMValueRef low = splat(o, least), high = splat(o, most), x = o->s[0], f = o->f[0];
    LLVMValueRef raw = o->is_half || o->is_double ? NULL : without_quiet(o, x);
    if (raw) {
        x = jit_as_i32(o->b, raw);
        f = raw;
    }
    LLVMValueRef above = LLVMBuildFCmp(o->ir, LLVMRealOGT, f, low, "");
    LLVMValueRef below = LLVMBuildFCmp(o->ir, LLVMRealOLT, f, high, "");
    LLVMValueRef out = jit_select(o->b, below, x, as_bits(o, high));
    return jit_select(o->b, above, out, as_bits(o, low));
}

static LLVMValueRef truth_of(struct isa_op_ir *o, LLVMValueRef f)
{
    return LLVMBuildFCmp(o->ir, LLVMRealUNE, f, LLVMConstNull(LLVMTypeOf(f)), "");
}

static LLVMValueRef choice(struct isa_op_ir *o)
{
    uint64_t sign = 1ull << (width_of(o) - 1);
    LLVMValueRef x = o->s[0], signs = isa_op_ir_number(LLVMTypeOf(x), sign),
                 size = isa_op_ir_bits(o, x, sign - 1);
    switch (o->op) {
    case ISA_OP_fmin: return lesser(o, LLVMRealOLT);
    case ISA_OP_fmax: return lesser(o, LLVMRealOGT);
    case ISA_OP_fabs: return size;
    case ISA_OP_fneg: return LLVMBuildXor(o->ir, x, signs, "");
    case ISA_OP_fnabs: return LLVMBuildOr(o->ir, x, signs, "");
    case ISA_OP_fcopysign: return LLVMBuildOr(o->ir, size, isa_op_ir_bits(o, o->s[1], sign), "");
    case ISA_OP_fclamp_0_1: return limit(o, 0, 1);
    case ISA_OP_fclamp_m1_1: return limit(o, -1, 1);
    case ISA_OP_fclamp_0_inf: return limit(o, 0, __builtin_inf());
    default: return jit_select(o->b, truth_of(o, o->f[0]), o->s[1], o->s[2]);
    }
}

LLVMValueRef isa_op_ir_quieted(struct isa_op_ir *o, LLVMValueRef x, unsigned width)
{
    if (!(o->policy & ISA_OP_QUIET))
        return x;
    LLVMValueRef size = isa_op_ir_bits(o, x, (1ull << (width - 1)) - 1);
    LLVMValueRef infinite = isa_op_ir_number(LLVMTypeOf(x), infinity(width));
    return jit_select(o->b, LLVMBuildICmp(o->ir, LLVMIntUGT, size, infinite, ""), quiet(o, width), x);
}

LLVMValueRef isa_op_ir_one_nan(struct isa_op_ir *o, LLVMValueRef f)
{
    LLVMValueRef bits =
        LLVMTypeOf(f) == o->b->f32x16 ? jit_as_i32(o->b, f) : LLVMBuildBitCast(o->ir, f, o->b->i64x16, "");
    return jit_select(o->b, is_nan(o, f), quiet(o, LLVMTypeOf(f) == o->b->f32x16 ? 32 : 64), bits);
}

LLVMValueRef isa_op_ir_float(struct isa_op_ir *o)
{
    LLVMValueRef f = isa_op_ir_arithmetic(o);
    if (f && o->is_half && !has_direction(o) && o->policy & ISA_OP_QUIET)
        return as_bits(o, f); /* has them already */
    if (f && !has_direction(o) && o->policy & ISA_OP_QUIET)
        return isa_op_ir_one_nan(o, f);
    LLVMValueRef bits = has_direction(o) ? directed_sum(o, f) : f ? as_bits(o, f) : choice(o);
    return isa_op_ir_quieted(o, bits, width_of(o));
}

LLVMValueRef isa_op_ir_ftest(struct isa_op_ir *o)
{
    LLVMValueRef x = truth_of(o, o->f[0]), y = o->f[1] ? truth_of(o, o->f[1]) : NULL;
    switch (o->op) {
    case ISA_OP_feq: return compare(o, LLVMRealOEQ);
    case ISA_OP_fne: return compare(o, LLVMRealUNE);
    case ISA_OP_flg: return compare(o, LLVMRealONE);
    case ISA_OP_flt: return compare(o, LLVMRealOLT);
    case ISA_OP_fle: return compare(o, LLVMRealOLE);
    case ISA_OP_fgt: return compare(o, LLVMRealOGT);
    case ISA_OP_fge: return compare(o, LLVMRealOGE);
    case ISA_OP_ford: return compare(o, LLVMRealORD);
    case ISA_OP_funord: return compare(o, LLVMRealUNO);
    case ISA_OP_fnot: return LLVMBuildNot(o->ir, x, "");
    case ISA_OP_fand: return LLVMBuildAnd(o->ir, x, y, "");
    case ISA_OP_for: return LLVMBuildOr(o->ir, x, y, "");
    default: return LLVMBuildXor(o->ir, x, y, "");
    }
}
