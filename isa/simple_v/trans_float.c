/* Floats of elements: the digest, section 6.6. Singles and doubles are the host's, with denormals, rounded to nearest, and one
 * NaN for all; halves are singles on the way (trans_half.c); other directions but for those of conversions to integers,
 * functions beyond roots and reciprocals, and programs that read FFLAGS are left to the interpreter. */
#include "isa/simple_v/table.h"
#include "isa/simple_v/trans_internal.h"
#include "isa/trans_op.h"
#include "util/bits.h"

enum { NEAR = 0, AWAY = 4, NO_ROUNDING = 8 }; /* rounding modes as FRM has them; none is known */
enum { TEST_BITS = 16 };

/* ---- what can be done ---- */

static unsigned rounding_of(const struct simple_v_trans *t)
{
    const struct simple_v_insn *i = t->item->insn;
    if (SIMPLE_V_HAS(i->op, rm) && i->rm != SIMPLE_V_RM_DYNAMIC)
        return (unsigned)i->rm;
    return t->now.rounding ? t->now.rounding - 1u : NO_ROUNDING;
}

bool simple_v_trans_rounds_near(const struct simple_v_trans *t)
{
    return rounding_of(t) == NEAR;
}

/* Halves are computed as singles. */
static unsigned host_of(unsigned width)
{
    return width == 16 ? 32 : width;
}

static bool is_bits(enum simple_v_float op)
{
    return op == SIMPLE_V_FLOAT_sgnj || op == SIMPLE_V_FLOAT_sgnjn || op == SIMPLE_V_FLOAT_sgnjx ||
           op == SIMPLE_V_FLOAT_move;
}

/* Widths of the floats among the operands: whether they are formats; all the same. */
static void widths(const struct simple_v_trans *t, bool *formats, bool *same)
{
    unsigned first = 0;
    *formats = *same = true;
    for (unsigned n = 0; n < SIMPLE_V_PLACES; n++) {
        const struct simple_v_operand_context *o = &t->x.operand[n];
        if (!o->there || o->integer)
            continue;
        *formats &= o->width != 8;
        *same &= o->width != 8 && (!first || o->width == first);
        first = o->width;
    }
}

static bool can_convert(const struct simple_v_trans *t)
{
    const unsigned rounding = rounding_of(t);
    return rounding == NEAR || (t->x.operand[SIMPLE_V_RD].integer && rounding < AWAY);
}

static bool can_compute(const struct simple_v_trans *t)
{
    const bool fuses = t->b->level != JIT_SSE41 || t->x.float_width < 64;
    switch ((enum simple_v_float)t->x.row->op) {
    case SIMPLE_V_FLOAT_madd:
    case SIMPLE_V_FLOAT_msub:
    case SIMPLE_V_FLOAT_nmsub:
    case SIMPLE_V_FLOAT_nmadd: return fuses && rounding_of(t) == NEAR;
    case SIMPLE_V_FLOAT_rsqrt: return t->x.float_width < 64 && rounding_of(t) == NEAR;
    case SIMPLE_V_FLOAT_add:
    case SIMPLE_V_FLOAT_sub:
    case SIMPLE_V_FLOAT_mul:
    case SIMPLE_V_FLOAT_div:
    case SIMPLE_V_FLOAT_sqrt:
    case SIMPLE_V_FLOAT_recip: return rounding_of(t) == NEAR;
    case SIMPLE_V_FLOAT_min:
    case SIMPLE_V_FLOAT_max:
    case SIMPLE_V_FLOAT_le:
    case SIMPLE_V_FLOAT_lt:
    case SIMPLE_V_FLOAT_eq: return true;
    case SIMPLE_V_FLOAT_class: return true;
    default: return false;
    }
}

bool simple_v_trans_can_float(const struct simple_v_trans *t)
{
    const enum simple_v_float op = (enum simple_v_float)t->x.row->op;
    bool formats, same;
    widths(t, &formats, &same);
    if (is_bits(op))
        return same || (formats && !t->program->reads_flags && rounding_of(t) == NEAR);
    if (!formats || t->program->reads_flags)
        return false;
    if (op == SIMPLE_V_FLOAT_convert)
        return can_convert(t);
    return can_compute(t) && (same || rounding_of(t) == NEAR);
}

/* ---- values ---- */

static LLVMValueRef splat_real(LLVMTypeRef type, double value)
{
    LLVMValueRef all[64];
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstReal(type, value);
    const unsigned count = LLVMGetVectorSize(type);
    for (unsigned l = 0; l < count; l++)
        all[l] = LLVMConstReal(LLVMGetElementType(type), value);
    return LLVMConstVector(all, count);
}

static unsigned lanes_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static LLVMValueRef as_float(struct simple_v_trans *t, LLVMValueRef bits)
{
    const LLVMTypeRef type = simple_v_trans_floats(t, simple_v_trans_width(bits), simple_v_trans_count(bits));
    return LLVMBuildBitCast(t->b->ir, bits, type, "");
}

static uint64_t nan_of(unsigned width)
{
    return width == 64 ? 0x7ff8ull << 48 : width == 32 ? 0x7fc00000 : 0x7e00;
}

static LLVMValueRef is_nan(struct simple_v_trans *t, LLVMValueRef f)
{
    return LLVMBuildFCmp(t->b->ir, LLVMRealUNO, f, f, "");
}

/* A result's bits; there is one NaN. */
static LLVMValueRef as_bits(struct simple_v_trans *t, LLVMValueRef f)
{
    const LLVMTypeRef float_type = LLVMTypeOf(f);
    const bool vector = LLVMGetTypeKind(float_type) == LLVMVectorTypeKind;
    const unsigned width = (vector ? LLVMGetElementType(float_type) : float_type) == t->b->f64 ? 64 : 32;
    const LLVMTypeRef type = simple_v_trans_ints(t, width, lanes_of(float_type));
    const LLVMValueRef bits = LLVMBuildBitCast(t->b->ir, f, type, "");
    return LLVMBuildSelect(t->b->ir, is_nan(t, f), simple_v_trans_number(type, nan_of(width)), bits, "");
}

LLVMValueRef simple_v_trans_convert(struct simple_v_trans *t, LLVMValueRef bits, unsigned from, unsigned to)
{
    const LLVMTypeRef type = simple_v_trans_floats(t, to, simple_v_trans_count(bits));
    if (from == to)
        return bits;
    LLVMValueRef f = from == 16 ? simple_v_trans_half_to_single(t, bits) : as_float(t, bits);
    if (to == 16)
        return simple_v_trans_single_to_half(t, from == 64 ? simple_v_trans_single_to_odd(t, f) : f);
    if (to == 64)
        f = LLVMBuildFPExt(t->b->ir, f, type, "");
    else if (from == 64)
        f = LLVMBuildFPTrunc(t->b->ir, f, type, "");
    return as_bits(t, f);
}

/* What stands in a register without its box is the NaN. */
static LLVMValueRef read_float(struct simple_v_trans *t, unsigned place, const struct simple_v_lanes *lanes)
{
    const struct simple_v_operand_context *o = &t->x.operand[place];
    const LLVMValueRef all = simple_v_trans_read(t, o, lanes);
    if (!o->boxed || o->width == 64)
        return all;
    const LLVMTypeRef type = LLVMTypeOf(all);
    const LLVMValueRef box = simple_v_trans_number(type, ~0ull << o->width);
    const LLVMValueRef boxed =
        LLVMBuildICmp(t->b->ir, LLVMIntEQ, LLVMBuildAnd(t->b->ir, all, box, ""), box, "");
    const LLVMValueRef bits = simple_v_trans_resize(t, all, o->width, false);
    return LLVMBuildSelect(t->b->ir, boxed, bits, simple_v_trans_number(LLVMTypeOf(bits), nan_of(o->width)),
                           "");
}

/* ---- conversions and moves ---- */

static bool is_signed(unsigned type)
{
    return type == SIMPLE_V_TYPE_W || type == SIMPLE_V_TYPE_L;
}

static unsigned integer_bits(const struct simple_v_operand_context *o, unsigned type)
{
    return o->given ? o->width : simple_v_type_bits((enum simple_v_type)type);
}

/* A whole number that fits, 0 in place of others. Narrow ones by way of what hosts have. */
static LLVMValueRef fitting(struct simple_v_trans *t, LLVMValueRef f, LLVMValueRef fits, unsigned bits,
                            bool sign)
{
    const LLVMTypeRef type = LLVMTypeOf(f);
    const LLVMTypeRef to = simple_v_trans_ints(t, UTIL_MAX(bits, 32), lanes_of(type));
    f = LLVMBuildSelect(t->b->ir, fits, f, LLVMConstNull(type), "");
    f = sign || bits < 32 ? LLVMBuildFPToSI(t->b->ir, f, to, "") : LLVMBuildFPToUI(t->b->ir, f, to, "");
    return simple_v_trans_resize(t, f, bits, false);
}

/* What does not fit is the nearest that does; a NaN the greatest. LLVM's saturating conversions do it lane by lane. */
static struct simple_v_value to_integer(struct simple_v_trans *t, LLVMValueRef f)
{
    static const char *const whole[] = {"llvm.roundeven", "llvm.trunc", "llvm.floor", "llvm.ceil"};
    const struct simple_v_operand_context *rd = &t->x.operand[SIMPLE_V_RD];
    const unsigned to = t->x.row->to, bits = integer_bits(rd, to);
    const bool sign = is_signed(to);
    const LLVMTypeRef type = LLVMTypeOf(f), ints = simple_v_trans_ints(t, bits, lanes_of(type));
    const double beyond = (double)(1ull << (bits - 1)) * (sign ? 1 : 2);
    const LLVMValueRef least = splat_real(type, sign ? -beyond : 0), most = splat_real(type, beyond);
    f = simple_v_trans_call(t, whole[rounding_of(t) % AWAY], type, &f, 1); /* can_convert */
    const LLVMValueRef below = LLVMBuildFCmp(t->b->ir, LLVMRealOLT, f, least, ""),
                       inside = LLVMBuildFCmp(t->b->ir, LLVMRealOLT, f, most, "");
    const LLVMValueRef fits = LLVMBuildAnd(t->b->ir, LLVMBuildNot(t->b->ir, below, ""), inside, "");
    const LLVMValueRef low = simple_v_trans_number(ints, sign ? 1ull << (bits - 1) : 0),
                       high = simple_v_trans_number(ints, ~0ull >> (64 - bits) >> sign);
    LLVMValueRef out = LLVMBuildSelect(t->b->ir, inside, fitting(t, f, fits, bits, sign), high, "");
    out = LLVMBuildSelect(t->b->ir, below, low, out, "");
    return (struct simple_v_value){out, bits, sign || !rd->given};
}

static struct simple_v_value convert(struct simple_v_trans *t, const struct simple_v_lanes *from)
{
    const struct simple_v_operand_context *rd = &t->x.operand[SIMPLE_V_RD],
                                          *rs1 = &t->x.operand[SIMPLE_V_RS1];
    const unsigned type = t->x.row->from;
    if (!rs1->integer) {
        const LLVMValueRef bits = read_float(t, SIMPLE_V_RS1, from);
        if (rd->integer)
            return to_integer(t,
                              as_float(t, simple_v_trans_convert(t, bits, rs1->width, host_of(rs1->width))));
        return (struct simple_v_value){simple_v_trans_convert(t, bits, rs1->width, rd->width), rd->width,
                                       false};
    }
    LLVMValueRef n = simple_v_trans_read(t, rs1, from);
    n = simple_v_trans_resize(t, n, integer_bits(rs1, type), false);
    if (rd->width == 16)
        return (struct simple_v_value){simple_v_trans_half_of_integer(t, n, is_signed(type)), 16, false};
    const LLVMTypeRef floats = simple_v_trans_floats(t, rd->width, from->count);
    n = is_signed(type) ? LLVMBuildSIToFP(t->b->ir, n, floats, "") : LLVMBuildUIToFP(t->b->ir, n, floats, "");
    return (struct simple_v_value){as_bits(t, n), rd->width, false};
}

/* Bits between the files. */
static struct simple_v_value move(struct simple_v_trans *t, const struct simple_v_lanes *from)
{
    const struct simple_v_operand_context *rd = &t->x.operand[SIMPLE_V_RD],
                                          *rs1 = &t->x.operand[SIMPLE_V_RS1];
    LLVMValueRef bits = simple_v_trans_resize(t, simple_v_trans_read(t, rs1, from), rs1->width, false);
    if (rd->integer)
        return (struct simple_v_value){bits, rs1->width, true};
    return (struct simple_v_value){simple_v_trans_resize(t, bits, rd->width, false), rd->width, false};
}

/* ---- arithmetic ---- */

/* Of halves the sum is to odd. Of singles without the host's instruction: the product is exact as a double, and the sum rounds
 * once. */
static LLVMValueRef fused(struct simple_v_trans *t, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    LLVMValueRef args[3] = {x, y, z};
    const LLVMTypeRef type = LLVMTypeOf(x);
    if (t->x.float_width == 16)
        return simple_v_trans_half_fused(t, x, y, z);
    if (t->b->level != JIT_SSE41)
        return simple_v_trans_call(t, "llvm.fma", type, args, 3);
    const bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    const unsigned count = vector ? LLVMGetVectorSize(type) : 1;
    for (unsigned n = 0; n < 3; n++) {
        args[n] = LLVMBuildFPExt(t->b->ir, args[n], simple_v_trans_floats(t, 64, count), "");
        if (!vector)
            args[n] = LLVMBuildBitCast(t->b->ir, args[n], LLVMVectorType(t->b->f64, 1), "");
    }
    LLVMValueRef sum = isa_trans_sum_to_odd(t->b, LLVMBuildFMul(t->b->ir, args[0], args[1], ""), args[2]);
    if (!vector)
        sum = LLVMBuildBitCast(t->b->ir, sum, t->b->f64, "");
    return LLVMBuildFPTrunc(t->b->ir, sum, type, "");
}

/* Through doubles, whose root and quotient are near enough (tests/isa/test_simple_v_function.c). */
static LLVMValueRef reciprocal_root(struct simple_v_trans *t, LLVMValueRef x)
{
    const LLVMTypeRef type = LLVMTypeOf(x);
    const LLVMTypeRef wide = simple_v_trans_floats(t, 64, lanes_of(type));
    LLVMValueRef d = LLVMBuildFPExt(t->b->ir, x, wide, "");
    d = LLVMBuildFDiv(t->b->ir, splat_real(wide, 1), simple_v_trans_call(t, "llvm.sqrt", wide, &d, 1), "");
    return t->x.float_width == 16 ? simple_v_trans_single_to_odd(t, d)
                                  : LLVMBuildFPTrunc(t->b->ir, d, type, "");
}

static LLVMValueRef arithmetic(struct simple_v_trans *t, enum simple_v_float op, const LLVMValueRef f[3])
{
    const LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef x = f[0];
    switch (op) {
    case SIMPLE_V_FLOAT_madd: return fused(t, x, f[1], f[2]);
    case SIMPLE_V_FLOAT_msub: return fused(t, x, f[1], LLVMBuildFNeg(ir, f[2], ""));
    case SIMPLE_V_FLOAT_nmsub: return fused(t, LLVMBuildFNeg(ir, x, ""), f[1], f[2]);
    case SIMPLE_V_FLOAT_nmadd: return fused(t, LLVMBuildFNeg(ir, x, ""), f[1], LLVMBuildFNeg(ir, f[2], ""));
    case SIMPLE_V_FLOAT_add: return LLVMBuildFAdd(ir, x, f[1], "");
    case SIMPLE_V_FLOAT_sub: return LLVMBuildFSub(ir, x, f[1], "");
    case SIMPLE_V_FLOAT_mul: return LLVMBuildFMul(ir, x, f[1], "");
    case SIMPLE_V_FLOAT_div: return LLVMBuildFDiv(ir, x, f[1], "");
    case SIMPLE_V_FLOAT_sqrt: return simple_v_trans_call(t, "llvm.sqrt", LLVMTypeOf(x), &x, 1);
    case SIMPLE_V_FLOAT_recip: return LLVMBuildFDiv(ir, splat_real(LLVMTypeOf(x), 1), x, "");
    default: return reciprocal_root(t, x);
    }
}

/* The lesser of two zeros is the negative one; of a NaN and a number the number. */
static LLVMValueRef extreme(struct simple_v_trans *t, bool greatest, const LLVMValueRef bits[2])
{
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMTypeRef type = LLVMTypeOf(bits[0]);
    const LLVMValueRef x = as_float(t, bits[0]), y = as_float(t, bits[1]), zero = LLVMConstNull(type);
    const LLVMValueRef same = LLVMBuildFCmp(ir, LLVMRealOEQ, x, y, ""),
                       negative = LLVMBuildICmp(ir, LLVMIntSLT, bits[0], zero, ""),
                       less = LLVMBuildFCmp(ir, LLVMRealOLT, x, y, "");
    const LLVMValueRef first = LLVMBuildSelect(ir, same, negative, less, "");
    LLVMValueRef out = greatest ? LLVMBuildSelect(ir, first, bits[1], bits[0], "")
                                : LLVMBuildSelect(ir, first, bits[0], bits[1], "");
    out = LLVMBuildSelect(ir, is_nan(t, x), bits[1], out, "");
    out = LLVMBuildSelect(ir, is_nan(t, y), bits[0], out, "");
    const LLVMValueRef none = LLVMBuildFCmp(ir, LLVMRealUNO, as_float(t, out), as_float(t, out), "");
    return LLVMBuildSelect(ir, none, simple_v_trans_number(type, nan_of(simple_v_trans_width(out))), out, "");
}

/* LLVM's tests for classes in the order of RISC-V's bits. */
static LLVMValueRef class_of(struct simple_v_trans *t, LLVMValueRef f, LLVMTypeRef type)
{
    static const unsigned tests[] = {0x004, 0x008, 0x010, 0x020, 0x040, 0x080, 0x100, 0x200, 0x001, 0x002};
    LLVMValueRef out = LLVMConstNull(type);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(tests); n++) {
        LLVMValueRef args[2] = {f, jit_i32(t->b, tests[n])};
        const LLVMValueRef is = simple_v_trans_call(t, "llvm.is.fpclass", LLVMTypeOf(f), args, 2);
        out = LLVMBuildSelect(t->b->ir, is, simple_v_trans_number(type, 1u << n), out, "");
    }
    return out;
}

/* The same of halves, whose singles are others: from the highest NaN down, by size, the bits of both signs. */
static LLVMValueRef class_of_half(struct simple_v_trans *t, LLVMValueRef bits)
{
    static const struct {
        unsigned from, negative, positive;
    } classes[] = {{0, 1 << 3, 1 << 4},      {1, 1 << 2, 1 << 5},      {0x0400, 1 << 1, 1 << 6},
                   {0x7c00, 1 << 0, 1 << 7}, {0x7c01, 1 << 8, 1 << 8}, {0x7e00, 1 << 9, 1 << 9}};
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMTypeRef type = LLVMTypeOf(bits);
    const LLVMValueRef size = LLVMBuildAnd(ir, bits, simple_v_trans_number(type, 0x7fff), ""),
                       negative = LLVMBuildICmp(ir, LLVMIntSLT, bits, LLVMConstNull(type), "");
    LLVMValueRef out = NULL;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(classes); n++) {
        const LLVMValueRef is =
            LLVMBuildSelect(ir, negative, simple_v_trans_number(type, classes[n].negative),
                            simple_v_trans_number(type, classes[n].positive), "");
        const LLVMValueRef from =
            LLVMBuildICmp(ir, LLVMIntUGE, size, simple_v_trans_number(type, classes[n].from), "");
        out = out ? LLVMBuildSelect(ir, from, is, out, "") : is;
    }
    return out;
}

static struct simple_v_value test(struct simple_v_trans *t, enum simple_v_float op, const LLVMValueRef f[3],
                                  LLVMValueRef half, unsigned lanes)
{
    const LLVMTypeRef type = simple_v_trans_ints(t, TEST_BITS, lanes);
    LLVMRealPredicate is = LLVMRealOEQ;
    if (op == SIMPLE_V_FLOAT_class)
        return (struct simple_v_value){half ? class_of_half(t, half) : class_of(t, f[0], type), TEST_BITS,
                                       false};
    if (op != SIMPLE_V_FLOAT_eq)
        is = op == SIMPLE_V_FLOAT_lt ? LLVMRealOLT : LLVMRealOLE;
    const LLVMValueRef yes = LLVMBuildFCmp(t->b->ir, is, f[0], f[1], "");
    return (struct simple_v_value){LLVMBuildZExt(t->b->ir, yes, type, ""), TEST_BITS, false};
}

static LLVMValueRef signed_as(struct simple_v_trans *t, enum simple_v_float op, const LLVMValueRef bits[2])
{
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMTypeRef type = LLVMTypeOf(bits[0]);
    const LLVMValueRef bit = simple_v_trans_number(type, 1ull << (simple_v_trans_width(bits[0]) - 1));
    LLVMValueRef sign = bits[1];
    if (op == SIMPLE_V_FLOAT_sgnjn)
        sign = LLVMBuildNot(ir, sign, "");
    else if (op == SIMPLE_V_FLOAT_sgnjx)
        sign = LLVMBuildXor(ir, sign, bits[0], "");
    return LLVMBuildOr(ir, LLVMBuildAnd(ir, bits[0], LLVMBuildNot(ir, bit, ""), ""),
                       LLVMBuildAnd(ir, sign, bit, ""), "");
}

struct simple_v_value simple_v_trans_float(struct simple_v_trans *t, const struct simple_v_lanes *from)
{
    const struct simple_v_context *x = &t->x;
    const enum simple_v_float op = (enum simple_v_float)x->row->op;
    const unsigned width = x->float_width, to = x->operand[SIMPLE_V_RD].width;
    const unsigned host = host_of(width);
    LLVMValueRef bits[3] = {NULL}, wide[3] = {NULL}, f[3] = {NULL}, out;
    if (op == SIMPLE_V_FLOAT_convert)
        return convert(t, from);
    if (op == SIMPLE_V_FLOAT_move)
        return move(t, from);
    for (unsigned n = 0; n < 3; n++) {
        const struct simple_v_operand_context *o = &x->operand[SIMPLE_V_RS1 + n];
        if (!o->there)
            continue;
        bits[n] = simple_v_trans_convert(t, read_float(t, SIMPLE_V_RS1 + n, from), o->width, width);
        if (is_bits(op)) /* of any width */
            continue;
        wide[n] = simple_v_trans_convert(t, bits[n], width, host);
        f[n] = as_float(t, wide[n]);
    }
    if (x->operand[SIMPLE_V_RD].integer)
        return test(t, op, f, width == 16 ? bits[0] : NULL, from->count);
    if (is_bits(op))
        out = signed_as(t, op, bits);
    else if (op == SIMPLE_V_FLOAT_min || op == SIMPLE_V_FLOAT_max)
        out = simple_v_trans_convert(t, extreme(t, op == SIMPLE_V_FLOAT_max, wide), host, width);
    else
        out = simple_v_trans_convert(t, as_bits(t, arithmetic(t, op, f)), host, width);
    return (struct simple_v_value){simple_v_trans_convert(t, out, width, to), to, false};
}
