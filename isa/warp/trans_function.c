/* Operations with code of their own (function.c is the definition). */
#include "isa/sfu.h"
#include "isa/warp/trans_alu_internal.h"
#include "util/bits.h"

#include "jit/math.h"

#define QUIET_NAN 0x7fc00000u
#define INFINITE  0x7f800000u
#define SIGN      0x80000000u
#define NORMAL    0x00800000u /* the least */
#define ONE       0x3f800000u
#define LN_2      0x3f317218u
#define EXPONENT  23
#define TURN      64 /* steps of a turn */

static LLVMValueRef band(struct jit_builder *b, LLVMValueRef x, uint32_t bits)
{
    return LLVMBuildAnd(b->ir, x, jit_splat_u32(b, bits), "");
}

static LLVMValueRef bor(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildOr(b->ir, x, y, "");
}

static LLVMValueRef flip(struct jit_builder *b, LLVMValueRef x)
{
    return LLVMBuildXor(b->ir, x, jit_splat_u32(b, SIGN), "");
}

static LLVMValueRef shl(struct jit_builder *b, LLVMValueRef x, unsigned by)
{
    return LLVMBuildShl(b->ir, x, warp_trans_number(LLVMTypeOf(x), by), "");
}

static LLVMValueRef shr(struct jit_builder *b, LLVMValueRef x, unsigned by)
{
    return LLVMBuildLShr(b->ir, x, warp_trans_number(LLVMTypeOf(x), by), "");
}

static LLVMValueRef test(struct jit_builder *b, LLVMIntPredicate how, LLVMValueRef x, uint32_t value)
{
    return LLVMBuildICmp(b->ir, how, x, jit_splat_u32(b, value), "");
}

static LLVMValueRef pick(struct jit_builder *b, LLVMValueRef when, LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(b->ir, when, yes, no, "");
}

static LLVMValueRef size(struct jit_builder *b, LLVMValueRef x)
{
    return band(b, x, ~SIGN);
}

static LLVMValueRef is_nan(struct jit_builder *b, LLVMValueRef x)
{
    return test(b, LLVMIntUGT, size(b, x), INFINITE);
}

static LLVMValueRef is_normal(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef from = LLVMBuildSub(b->ir, size(b, x), jit_splat_u32(b, NORMAL), "");
    return test(b, LLVMIntULT, from, INFINITE - NORMAL);
}

static LLVMValueRef as_number(struct jit_builder *b, LLVMValueRef x)
{
    return LLVMBuildBitCast(b->ir, x, b->f32x16, "");
}

static LLVMValueRef as_bits(struct jit_builder *b, LLVMValueRef x)
{
    return LLVMBuildBitCast(b->ir, x, b->i32x16, "");
}

/* Bits of x, or of a NaN in place of its NaN: for whom all are alike. */
static LLVMValueRef any_nan(struct jit_builder *b, LLVMValueRef x)
{
    return as_bits(b, isa_trans_single_of(b, x));
}

/* ---- parts of floats ---- */

struct parts {
    LLVMValueRef m, e;
};

static struct parts split(struct jit_builder *b, LLVMValueRef x, bool log, bool root)
{
    LLVMValueRef zero = jit_splat_u32(b, 0), normal = is_normal(b, x);
    LLVMValueRef m = bor(b, band(b, x, 0x007fffff), jit_splat_u32(b, 126u << EXPONENT));
    LLVMValueRef e = band(b, shr(b, x, EXPONENT), 0xff);
    e = LLVMBuildSub(b->ir, e, jit_splat_u32(b, 126), "");
    if (log) { /* one more below 3/4 */
        LLVMValueRef small = LLVMBuildZExt(b->ir, test(b, LLVMIntULT, m, 0x3f400000), b->i32x16, "");
        m = LLVMBuildAdd(b->ir, m, shl(b, small, EXPONENT), "");
        e = LLVMBuildSub(b->ir, e, small, "");
    }
    if (root) { /* even, and half of that */
        LLVMValueRef odd = band(b, e, 1);
        m = LLVMBuildSub(b->ir, m, shl(b, odd, EXPONENT), "");
        e = LLVMBuildAShr(b->ir, LLVMBuildAdd(b->ir, e, odd, ""), jit_splat_u32(b, 1), "");
    }
    LLVMValueRef sign = band(b, x, SIGN), infinite = test(b, LLVMIntEQ, size(b, x), INFINITE);
    LLVMValueRef other = pick(b, infinite, x, sign);
    other = pick(b, is_nan(b, x), jit_splat_u32(b, QUIET_NAN), other);
    return (struct parts){pick(b, normal, bor(b, m, sign), other), pick(b, normal, e, zero)};
}

static LLVMValueRef half_of(struct jit_builder *b, LLVMValueRef x, unsigned e)
{
    return LLVMBuildTrunc(b->ir, e ? shr(b, x, 16) : x, b->i16x16, "");
}

static LLVMValueRef pair_of(struct jit_builder *b, LLVMValueRef low, LLVMValueRef high)
{
    low = LLVMBuildZExt(b->ir, low, b->i32x16, "");
    return bor(b, low, shl(b, LLVMBuildZExt(b->ir, high, b->i32x16, ""), 16));
}

static LLVMValueRef split_op(struct jit_builder *b, const struct warp_insn *i, LLVMValueRef x, bool exponent)
{
    const struct parts p = split(b, any_nan(b, x), i->log, i->sqrt);
    return exponent ? p.e : p.m;
}

static LLVMValueRef split_halves(struct jit_builder *b, const struct warp_insn *i, LLVMValueRef x,
                                 bool exponent)
{
    LLVMValueRef half[2];
    for (unsigned e = 0; e < 2; e++) {
        LLVMValueRef single = warp_trans_op(b, ISA_OP_f16_to_f32, ISA_F16, half_of(b, x, e), NULL, NULL);
        single = split_op(b, i, single, exponent);
        half[e] = exponent ? LLVMBuildTrunc(b->ir, single, b->i16x16, "")
                           : warp_trans_op(b, ISA_OP_f32_to_f16, ISA_F32, single, NULL, NULL);
    }
    return pair_of(b, half[0], half[1]);
}

/* A number of 1 + exponent + `places` bits, in i32x16, whose exponent's ones are `infinite`. */
static LLVMValueRef flushed(struct jit_builder *b, const struct warp_insn *i, LLVMValueRef x,
                            uint32_t infinite, unsigned places)
{
    const uint32_t least = 1u << places;
    LLVMValueRef sized = band(b, x, infinite | (least - 1)), out = x;
    if (i->nan != WARP_NAN_KEEP) {
        LLVMValueRef other =
            i->nan == WARP_NAN_ZERO ? jit_splat_u32(b, 0) : bor(b, x, jit_splat_u32(b, least >> 1));
        out = pick(b, test(b, LLVMIntUGT, sized, infinite), other, out);
    }
    if (i->flush_infinite)
        out = pick(b, test(b, LLVMIntEQ, sized, infinite), LLVMBuildSub(b->ir, x, jit_splat_u32(b, 1), ""),
                   out);
    if (i->flush_subnormal)
        out = pick(b, test(b, LLVMIntULT, sized, least), LLVMBuildXor(b->ir, x, sized, ""), out);
    return out;
}

static LLVMValueRef flushed_halves(struct jit_builder *b, const struct warp_insn *i, LLVMValueRef x)
{
    LLVMValueRef low = flushed(b, i, band(b, x, 0xffff), 0x7c00, 10);
    return bor(b, low, shl(b, flushed(b, i, shr(b, x, 16), 0x7c00, 10), 16));
}

/* ---- logarithms, powers ---- */

static bool has_special(const struct jit_builder *b)
{
    return b->level >= JIT_AVX512;
}

/* The part m of singles, or x itself of infinities, or a NaN, as a single; zeros have their sign. Who adds it to something
 * fences it: to add -0 is nothing to LLVM, but of a denormal number that makes a zero. */
static LLVMValueRef log_part(struct jit_builder *b, LLVMValueRef x)
{
    const uint32_t stays = JIT_NAN_STAYS | JIT_SPECIAL(JIT_IS_INFINITE, JIT_GIVES_X) |
                           JIT_SPECIAL(JIT_IS_LOW_INFINITE, JIT_GIVES_X);
    LLVMValueRef f = isa_trans_single_of(b, x), m = jit_significand(b, f);
    LLVMValueRef zero = LLVMBuildFCmp(b->ir, LLVMRealOEQ, f, LLVMConstNull(b->f32x16), "");
    return pick(b, zero, as_number(b, band(b, as_bits(b, f), SIGN)), jit_fix_special(b, m, f, stays));
}

static LLVMValueRef log_ratio_special(struct jit_builder *b, LLVMValueRef x)
{
    const uint32_t specials = JIT_NAN_STAYS | JIT_SPECIAL(JIT_IS_ZERO, JIT_GIVES_INFINITE) |
                              JIT_SPECIAL(JIT_IS_INFINITE, JIT_GIVES_INFINITE) |
                              JIT_SPECIAL(JIT_IS_LOW_INFINITE, JIT_GIVES_NAN) |
                              JIT_SPECIAL(JIT_IS_NEGATIVE, JIT_GIVES_NAN);
    LLVMValueRef f = isa_trans_single_of(b, x), m = jit_significand(b, f);
    LLVMValueRef ratio = jit_log2_ratio(b, LLVMBuildFSub(b->ir, m, as_number(b, jit_splat_u32(b, ONE)), ""));
    return isa_trans_half_single(b, jit_fix_special(b, ratio, f, specials));
}

static LLVMValueRef log_ratio(struct jit_builder *b, LLVMValueRef x)
{
    if (has_special(b))
        return log_ratio_special(b, x);
    LLVMValueRef m = split(b, x, true, false).m, normal = is_normal(b, x);
    LLVMValueRef t = warp_trans_op(b, ISA_OP_fsub, ISA_F32, m, jit_splat_u32(b, ONE), NULL);
    LLVMValueRef ratio = as_bits(b, jit_log2_ratio(b, as_number(b, t)));
    LLVMValueRef below = LLVMBuildAnd(b->ir, test(b, LLVMIntUGE, x, SIGN | NORMAL),
                                      test(b, LLVMIntULE, x, SIGN | INFINITE), "");
    LLVMValueRef none = LLVMBuildOr(b->ir, below, is_nan(b, x), "");
    LLVMValueRef out = pick(b, normal, ratio, jit_splat_u32(b, INFINITE));
    return pick(b, none, jit_splat_u32(b, QUIET_NAN), out);
}

static LLVMValueRef power(struct jit_builder *b, LLVMValueRef fixed, LLVMValueRef x)
{
    LLVMValueRef whole = LLVMBuildAShr(b->ir, fixed, jit_splat_u32(b, 24), "");
    LLVMValueRef fraction = jit_i32_to_f32(b, band(b, fixed, 0xffffff));
    fraction = LLVMBuildFMul(b->ir, fraction, as_number(b, jit_splat_u32(b, 0x33800000)), "");
    LLVMValueRef normal = test(b, LLVMIntSGT, whole, (uint32_t)-127);
    LLVMValueRef out =
        LLVMBuildAdd(b->ir, as_bits(b, jit_exp2_part(b, fraction)), shl(b, whole, EXPONENT), "");
    out = pick(b, normal, out, jit_splat_u32(b, 0));
    if (has_special(b)) {
        const uint32_t specials = JIT_NAN_STAYS | JIT_SPECIAL(JIT_IS_INFINITE, JIT_GIVES_INFINITE) |
                                  JIT_SPECIAL(JIT_IS_LOW_INFINITE, JIT_GIVES_ZERO);
        out = pick(b, test(b, LLVMIntEQ, fixed, INT32_MAX), jit_splat_u32(b, INFINITE), out);
        return isa_trans_half_single(
            b, jit_fix_special(b, as_number(b, out), isa_trans_single_of(b, x), specials));
    }
    LLVMValueRef large =
        LLVMBuildOr(b->ir, test(b, LLVMIntEQ, x, INFINITE), test(b, LLVMIntEQ, fixed, INT32_MAX), "");
    out = pick(b, large, jit_splat_u32(b, INFINITE), out);
    out = pick(b, test(b, LLVMIntEQ, x, SIGN | INFINITE), jit_splat_u32(b, 0), out);
    return pick(b, is_nan(b, x), jit_splat_u32(b, QUIET_NAN), out);
}

/* Five bits of the inverse of the part m. */
static LLVMValueRef log_reduced(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef inverse = warp_trans_op(b, ISA_OP_frcp, ISA_F32, split(b, x, true, false).m, NULL, NULL);
    inverse = LLVMBuildAdd(b->ir, inverse, jit_splat_u32(b, 1u << 18), "");
    return pick(b, is_normal(b, x), band(b, inverse, ~0u << 19), jit_splat_u32(b, ONE));
}

static LLVMValueRef log_table(struct jit_builder *b, LLVMValueRef x, bool natural)
{
    LLVMValueRef out = flip(b, as_bits(b, jit_log2(b, as_number(b, log_reduced(b, x)))));
    LLVMValueRef below = LLVMBuildAnd(b->ir, test(b, LLVMIntUGE, x, SIGN | NORMAL),
                                      test(b, LLVMIntULE, x, SIGN | INFINITE), "");
    if (natural)
        out = warp_trans_op(b, ISA_OP_fmul, ISA_F32, out, jit_splat_u32(b, LN_2), NULL);
    out = pick(b, is_normal(b, x), out, jit_splat_u32(b, SIGN | INFINITE));
    out = pick(b, test(b, LLVMIntEQ, x, INFINITE), x, out);
    return pick(b, LLVMBuildOr(b->ir, below, is_nan(b, x), ""), jit_splat_u32(b, QUIET_NAN), out);
}

static LLVMValueRef power_table(struct jit_builder *b, LLVMValueRef k)
{
    LLVMValueRef x = warp_trans_op(b, ISA_OP_u32_to_f32, ISA_I32, band(b, k, 15), NULL, NULL);
    x = LLVMBuildFMul(b->ir, as_number(b, x), as_number(b, jit_splat_u32(b, 0x3d800000)), "");
    return as_bits(b, jit_exp2(b, x));
}

static LLVMValueRef approximated(struct jit_builder *b, LLVMValueRef x, bool root)
{
    x = split(b, x, false, root).m;
    return warp_trans_op(b, root ? ISA_OP_frsq : ISA_OP_frcp, ISA_F32, x, NULL, NULL);
}

/* Sines of 64 steps of a turn, and cosines behind them. */
static LLVMValueRef sine(struct jit_builder *b, LLVMValueRef k, bool cosine)
{
    uint32_t words[2 * TURN];
    for (unsigned n = 0; n < TURN; n++) {
        const uint32_t turns = util_f2u((float)n / TURN);
        words[n] = isa_sin_turns(turns);
        words[TURN + n] = isa_cos_turns(turns);
    }
    LLVMValueRef table = jit_table(b, "warp_sines", words, 2 * TURN);
    return jit_table_word(b, table, cosine ? TURN : 0, band(b, k, TURN - 1));
}

static LLVMValueRef scaled(struct jit_builder *b, const struct warp_insn *i, const LLVMValueRef *s)
{
    const struct isa_lane_op fused = {ISA_OP_ffma, ISA_F32, ISA_OP_QUIET | warp_rounding(i)};
    const struct isa_lane_op sum = {ISA_OP_fadd, ISA_F32, ISA_OP_QUIET | warp_rounding(i)};
    LLVMValueRef out = isa_trans_op(b, fused, s), by = s[3];
    LLVMValueRef zero =
        LLVMBuildOr(b->ir, test(b, LLVMIntEQ, size(b, s[0]), 0), test(b, LLVMIntEQ, size(b, s[1]), 0), "");
    if (i->op == WARP_FMA_RSCALE_N_F32 || i->op == WARP_FMA_RSCALE_LEFT_F32) {
        LLVMValueRef product = i->op == WARP_FMA_RSCALE_LEFT_F32 ? s[0] : jit_splat_u32(b, 0);
        out = pick(b, zero, isa_trans_op(b, sum, (const LLVMValueRef[3]){product, s[2]}), out);
    }
    if (i->op == WARP_FMA_RSCALE_SCALE16_F32)
        by = LLVMBuildSExt(b->ir, half_of(b, by, 0), b->i32x16, "");
    return warp_trans_op(b, ISA_OP_fldexp, ISA_F32, out, by, NULL);
}

static LLVMValueRef to_halves(struct jit_builder *b, const struct warp_insn *i, const LLVMValueRef *s)
{
    const struct isa_lane_op op = {ISA_OP_f32_to_f16, ISA_F32, ISA_OP_QUIET | warp_rounding(i)};
    return pair_of(b, isa_trans_op(b, op, (const LLVMValueRef[3]){s[0]}),
                   isa_trans_op(b, op, (const LLVMValueRef[3]){s[1]}));
}

/* ---- integers ---- */

static LLVMValueRef product_of_words(struct jit_builder *b, const LLVMValueRef *s)
{
    return LLVMBuildMul(b->ir, LLVMBuildZExt(b->ir, s[0], b->i64x16, ""),
                        LLVMBuildZExt(b->ir, s[1], b->i64x16, ""), "");
}

static LLVMValueRef byte_of(struct jit_builder *b, LLVMValueRef x, unsigned e, bool is_signed)
{
    x = is_signed ? LLVMBuildAShr(b->ir, shl(b, x, 24 - 8 * e), jit_splat_u32(b, 24), "")
                  : band(b, shr(b, x, 8 * e), 0xff);
    return x;
}

/* The products' sum has 18 bits. */
static LLVMValueRef dot(struct jit_builder *b, const struct warp_insn *i, const LLVMValueRef *s,
                        bool first_signed, bool second_signed)
{
    LLVMValueRef sum = NULL;
    for (unsigned e = 0; e < 4; e++) {
        LLVMValueRef product =
            LLVMBuildMul(b->ir, byte_of(b, s[0], e, first_signed), byte_of(b, s[1], e, second_signed), "");
        sum = sum ? LLVMBuildAdd(b->ir, sum, product, "") : product;
    }
    const uint8_t op = !i->saturate ? ISA_OP_iadd : first_signed ? ISA_OP_iadd_sat : ISA_OP_uadd_sat;
    return warp_trans_op(b, op, ISA_I32, s[2], sum, NULL);
}

static LLVMValueRef segment_add(struct jit_builder *b, const struct warp_insn *i, const LLVMValueRef *s)
{
    LLVMValueRef out =
        i->subtract ? LLVMBuildSub(b->ir, s[0], s[1], "") : LLVMBuildAdd(b->ir, s[0], s[1], "");
    if (!i->preserve_null)
        return out;
    LLVMValueRef zero = LLVMConstNull(b->i64x16);
    return pick(b, LLVMBuildICmp(b->ir, LLVMIntEQ, s[0], zero, ""), zero, out);
}

static LLVMValueRef vector(struct jit_builder *b, const LLVMValueRef *s, unsigned count, unsigned bits)
{
    LLVMValueRef out = LLVMBuildZExt(b->ir, s[0], b->i32x16, "");
    for (unsigned n = 1; n < count; n++)
        out = bor(b, out, shl(b, LLVMBuildZExt(b->ir, s[n], b->i32x16, ""), n * bits));
    return out;
}

/* ---- cubes ---- */

static LLVMValueRef longest(struct jit_builder *b, const LLVMValueRef *s)
{
    LLVMValueRef two = warp_trans_op(b, ISA_OP_fmax, ISA_F32, size(b, s[0]), size(b, s[1]), NULL);
    return warp_trans_op(b, ISA_OP_fmax, ISA_F32, two, size(b, s[2]), NULL);
}

/* Fenced, as denormal numbers are zeros. */
static LLVMValueRef length(struct jit_builder *b, LLVMValueRef x)
{
    return jit_fence(b, as_number(b, size(b, x)));
}

static LLVMValueRef at_least(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFCmp(b->ir, LLVMRealOGE, length(b, x), length(b, y), "");
}

static LLVMValueRef face(struct jit_builder *b, const LLVMValueRef *s)
{
    LLVMValueRef first = LLVMBuildAnd(b->ir, at_least(b, s[0], s[1]), at_least(b, s[0], s[2]), "");
    LLVMValueRef second = at_least(b, s[1], s[2]), out[3];
    for (uint32_t n = 0; n < 3; n++) /* the sign is the face's lowest bit */
        out[n] = bor(b, band(b, shr(b, s[n], 31 - WARP_FACE_AT), 1u << WARP_FACE_AT),
                     jit_splat_u32(b, 2 * n << WARP_FACE_AT));
    return pick(b, first, out[0], pick(b, second, out[1], out[2]));
}

static LLVMValueRef is_face(struct jit_builder *b, LLVMValueRef face, uint32_t n)
{
    return test(b, LLVMIntEQ, shr(b, face, WARP_FACE_AT), n);
}

static LLVMValueRef cube_s(struct jit_builder *b, const LLVMValueRef *s)
{
    LLVMValueRef out = pick(b, is_face(b, s[2], 5), flip(b, s[1]), s[1]);
    out = pick(b, is_face(b, s[2], 1), s[0], out);
    return pick(b, is_face(b, s[2], 0), flip(b, s[0]), out);
}

static LLVMValueRef cube_t(struct jit_builder *b, const LLVMValueRef *s)
{
    LLVMValueRef out = pick(b, is_face(b, s[2], 3), flip(b, s[1]), flip(b, s[0]));
    return pick(b, is_face(b, s[2], 2), s[1], out);
}

/* ---- */

LLVMValueRef warp_trans_function(struct jit_builder *b, const struct warp_insn *i,
                                 const LLVMValueRef s[WARP_SOURCES])
{
    switch (i->op) {
    case WARP_FREXPM_F32: return split_op(b, i, s[0], false);
    case WARP_FREXPM_V2F16: return split_halves(b, i, s[0], false);
    case WARP_FREXPE_F32: return split_op(b, i, s[0], true);
    case WARP_FREXPE_V2F16: return split_halves(b, i, s[0], true);
    case WARP_FLUSH_F32: return flushed(b, i, s[0], INFINITE, EXPONENT);
    case WARP_FLUSH_V2F16: return flushed_halves(b, i, s[0]);
    case WARP_FLOGD_F32: return log_ratio(b, s[0]);
    case WARP_FADD_LSCALE_F32:
        if (has_special(b))
            return isa_trans_half_single(
                b, LLVMBuildFAdd(b->ir, isa_trans_single_of(b, s[0]), jit_fence(b, log_part(b, s[1])), ""));
        return warp_trans_op(b, ISA_OP_fadd, ISA_F32, s[0], split(b, s[1], true, false).m, NULL);
    case WARP_FEXP_F32: return power(b, s[0], s[1]);
    case WARP_FSIN_TABLE_U6: return sine(b, s[0], false);
    case WARP_FCOS_TABLE_U6: return sine(b, s[0], true);
    case WARP_F16_TO_F32: return s[0];
    case WARP_V2F32_TO_V2F16: return to_halves(b, i, s);
    case WARP_IMULD_U64: return product_of_words(b, s);
    case WARP_IDP_V4S8: return dot(b, i, s, true, true);
    case WARP_IDP_V4U8: return dot(b, i, s, false, false);
    case WARP_IDP_V4SU8: return dot(b, i, s, true, false);
    case WARP_FRCP_APPROX_F32: return approximated(b, s[0], false);
    case WARP_FRSQ_APPROX_F32: return approximated(b, s[0], true);
    case WARP_FEXP_TABLE_U4: return power_table(b, s[0]);
    case WARP_FLOG_TABLE_RED_F32: return log_reduced(b, s[0]);
    case WARP_FLOG_TABLE_BASE2_F32: return log_table(b, s[0], false);
    case WARP_FLOG_TABLE_NATURAL_F32: return log_table(b, s[0], true);
    case WARP_SHADDX_S64:
    case WARP_SHADDX_U64: return LLVMBuildAdd(b->ir, s[0], shl(b, s[1], i->shift), "");
    case WARP_SEG_ADD_U64: return segment_add(b, i, s);
    case WARP_MKVEC_V2I16: return vector(b, s, 2, 16);
    case WARP_MKVEC_V2I8: return vector(b, s, 3, 8);
    case WARP_CUBEFACE1: return longest(b, s);
    case WARP_CUBEFACE2: return face(b, s);
    case WARP_CUBE_SSEL: return cube_s(b, s);
    case WARP_CUBE_TSEL: return cube_t(b, s);
    default: return scaled(b, i, s);
    }
}
