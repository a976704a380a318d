/* Integers, conversions, shapes. */
#include "isa/trans_op_internal.h"

#include "jit/math.h"

static LLVMTypeRef ints(struct jit_builder *b, unsigned width, unsigned lanes)
{
    return LLVMVectorType(LLVMIntTypeInContext(b->context, width), lanes);
}

/* A mask as the policy has truth values, in integers of `type`. */
static LLVMValueRef truth(struct isa_op_ir *o, LLVMValueRef mask, LLVMTypeRef type)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMGetElementType(type));
    if (o->policy & ISA_OP_F1)
        return LLVMBuildSelect(o->ir, mask,
                               isa_op_ir_number(type, width == 64                 ? 0x3ffull << 52
                                                      : width == 16 || o->is_half ? 0x3c00
                                                                                  : 0x3f800000),
                               LLVMConstNull(type), "");
    return o->policy & ISA_OP_I1 ? LLVMBuildZExt(o->ir, mask, type, "")
                                 : LLVMBuildSExt(o->ir, mask, type, "");
}

/* ---- integers ---- */

static LLVMValueRef two(struct isa_op_ir *o, const char *name)
{
    return isa_op_ir_call(o, name, o->type, o->s, 2);
}

/* (x + y + up) >> 1, or the product's upper half, in integers twice as wide. */
static LLVMValueRef widened(struct isa_op_ir *o, bool is_signed, bool product, bool up)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMGetElementType(o->type));
    LLVMTypeRef wide = ints(o->b, width * 2, LLVMGetVectorSize(o->type));
    LLVMValueRef v[2];
    for (unsigned n = 0; n < 2; n++)
        v[n] = is_signed ? LLVMBuildSExt(o->ir, o->s[n], wide, "") : LLVMBuildZExt(o->ir, o->s[n], wide, "");
    LLVMValueRef out = product ? LLVMBuildMul(o->ir, v[0], v[1], "") : LLVMBuildAdd(o->ir, v[0], v[1], "");
    if (up)
        out = LLVMBuildAdd(o->ir, out, isa_op_ir_number(wide, 1), "");
    out = LLVMBuildLShr(o->ir, out, isa_op_ir_number(wide, product ? width : 1), "");
    return LLVMBuildTrunc(o->ir, out, o->type, "");
}

static LLVMValueRef distance(struct isa_op_ir *o, const char *greatest, const char *least)
{
    return LLVMBuildSub(o->ir, two(o, greatest), two(o, least), "");
}

static LLVMValueRef rotated(struct isa_op_ir *o, const char *name)
{
    LLVMValueRef args[3] = {o->s[0], o->s[0], o->s[1]};
    return isa_op_ir_call(o, name, o->type, args, 3);
}

/* Of one operand, defined for all its values. */
static LLVMValueRef defined(struct isa_op_ir *o, const char *name)
{
    LLVMValueRef args[2] = {o->s[0], LLVMConstNull(o->b->i1)};
    return isa_op_ir_call(o, name, o->type, args, 2);
}

static LLVMValueRef shifted_sat(struct isa_op_ir *o, const char *name, LLVMValueRef by)
{
    LLVMValueRef args[2] = {o->s[0], by};
    return isa_op_ir_call(o, name, o->type, args, 2);
}

/* Of fixed point without a fraction. */
static LLVMValueRef product_sat(struct isa_op_ir *o, const char *name)
{
    LLVMValueRef args[3] = {o->s[0], o->s[1], jit_i32(o->b, 0)};
    return isa_op_ir_call(o, name, o->type, args, 3);
}

static LLVMValueRef bit_op(struct isa_op_ir *o)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMGetElementType(o->type));
    LLVMBuilderRef ir = o->ir;
    LLVMValueRef x = o->s[0], y = o->s[1], z = o->s[2], zero = LLVMConstNull(o->type);
    LLVMValueRef by = y ? LLVMBuildAnd(ir, y, isa_op_ir_number(o->type, width - 1), "") : NULL;
    switch (o->op) {
    case ISA_OP_mov: return x;
    case ISA_OP_ishl: return LLVMBuildShl(ir, x, by, "");
    case ISA_OP_ishl_sat: return shifted_sat(o, "llvm.sshl.sat", by);
    case ISA_OP_ushl_sat: return shifted_sat(o, "llvm.ushl.sat", by);
    case ISA_OP_ishr: return LLVMBuildAShr(ir, x, by, "");
    case ISA_OP_ushr: return LLVMBuildLShr(ir, x, by, "");
    case ISA_OP_rotl: return rotated(o, "llvm.fshl");
    case ISA_OP_rotr: return rotated(o, "llvm.fshr");
    case ISA_OP_iand: return LLVMBuildAnd(ir, x, y, "");
    case ISA_OP_ior: return LLVMBuildOr(ir, x, y, "");
    case ISA_OP_ixor: return LLVMBuildXor(ir, x, y, "");
    case ISA_OP_inot: return LLVMBuildNot(ir, x, "");
    case ISA_OP_inand: return LLVMBuildNot(ir, LLVMBuildAnd(ir, x, y, ""), "");
    case ISA_OP_inor: return LLVMBuildNot(ir, LLVMBuildOr(ir, x, y, ""), "");
    case ISA_OP_ixnor: return LLVMBuildNot(ir, LLVMBuildXor(ir, x, y, ""), "");
    case ISA_OP_iandnot: return LLVMBuildAnd(ir, x, LLVMBuildNot(ir, y, ""), "");
    case ISA_OP_iornot: return LLVMBuildOr(ir, x, LLVMBuildNot(ir, y, ""), "");
    case ISA_OP_mux: return LLVMBuildXor(ir, z, LLVMBuildAnd(ir, LLVMBuildXor(ir, y, z, ""), x, ""), "");
    case ISA_OP_csel: return LLVMBuildSelect(ir, LLVMBuildICmp(ir, LLVMIntNE, x, zero, ""), y, z, "");
    case ISA_OP_clz: return defined(o, "llvm.ctlz");
    case ISA_OP_ctz: return defined(o, "llvm.cttz");
    case ISA_OP_popcount: return isa_op_ir_call(o, "llvm.ctpop", o->type, o->s, 1);
    default: return isa_op_ir_call(o, "llvm.bitreverse", o->type, o->s, 1);
    }
}

static LLVMValueRef int_op(struct isa_op_ir *o)
{
    LLVMValueRef x = o->s[0], y = o->s[1];
    switch (o->op) {
    case ISA_OP_iadd: return LLVMBuildAdd(o->ir, x, y, "");
    case ISA_OP_isub: return LLVMBuildSub(o->ir, x, y, "");
    case ISA_OP_ineg: return LLVMBuildNeg(o->ir, x, "");
    case ISA_OP_iabs: return defined(o, "llvm.abs");
    case ISA_OP_iadd_sat: return two(o, "llvm.sadd.sat");
    case ISA_OP_uadd_sat: return two(o, "llvm.uadd.sat");
    case ISA_OP_isub_sat: return two(o, "llvm.ssub.sat");
    case ISA_OP_usub_sat: return two(o, "llvm.usub.sat");
    case ISA_OP_imul: return LLVMBuildMul(o->ir, x, y, "");
    case ISA_OP_imul_sat: return product_sat(o, "llvm.smul.fix.sat");
    case ISA_OP_umul_sat: return product_sat(o, "llvm.umul.fix.sat");
    case ISA_OP_imad: return LLVMBuildAdd(o->ir, LLVMBuildMul(o->ir, x, y, ""), o->s[2], "");
    case ISA_OP_imul_hi: return widened(o, true, true, false);
    case ISA_OP_umul_hi: return widened(o, false, true, false);
    case ISA_OP_imin: return two(o, "llvm.smin");
    case ISA_OP_imax: return two(o, "llvm.smax");
    case ISA_OP_umin: return two(o, "llvm.umin");
    case ISA_OP_umax: return two(o, "llvm.umax");
    case ISA_OP_iavg: return widened(o, true, false, false);
    case ISA_OP_uavg: return widened(o, false, false, false);
    case ISA_OP_iavg_up: return widened(o, true, false, true);
    case ISA_OP_uavg_up: return widened(o, false, false, true);
    case ISA_OP_iabsdiff: return distance(o, "llvm.smax", "llvm.smin");
    case ISA_OP_uabsdiff: return distance(o, "llvm.umax", "llvm.umin");
    default: return bit_op(o);
    }
}

static LLVMIntPredicate predicate(enum isa_op op)
{
    switch (op) {
    case ISA_OP_ieq: return LLVMIntEQ;
    case ISA_OP_ine: return LLVMIntNE;
    case ISA_OP_ilt: return LLVMIntSLT;
    case ISA_OP_ile: return LLVMIntSLE;
    case ISA_OP_igt: return LLVMIntSGT;
    case ISA_OP_ige: return LLVMIntSGE;
    case ISA_OP_ult: return LLVMIntULT;
    case ISA_OP_ule: return LLVMIntULE;
    case ISA_OP_ugt: return LLVMIntUGT;
    default: return LLVMIntUGE;
    }
}

static LLVMValueRef itest(struct isa_op_ir *o)
{
    return LLVMBuildICmp(o->ir, predicate(o->op), o->s[0], o->s[1], "");
}

/* ---- conversions ---- */

static LLVMValueRef single_to_half(struct isa_op_ir *o, LLVMValueRef f)
{
    LLVMValueRef all = jit_as_i32(o->b, f), size = isa_op_ir_bits(o, all, 0x7fffffff);
    LLVMValueRef normal = LLVMBuildICmp(o->ir, LLVMIntUGE, size, jit_splat_u32(o->b, 0x800000), "");
    f = jit_as_f32(o->b, jit_select(o->b, normal, all, isa_op_ir_bits(o, all, 0x80000000)));
    LLVMValueRef near = jit_single_to_half(o->b, f);
    near = isa_op_ir_directed(o, near, jit_half_to_single(o->b, near), f);
    return o->policy & ISA_OP_FLUSH ? isa_op_ir_flushed(o, near) : near;
}

static LLVMValueRef float_to_int(struct isa_op_ir *o, LLVMTypeRef to, bool is_signed)
{
    static const char *const whole[] = {"llvm.roundeven", "llvm.trunc", "llvm.ceil", "llvm.floor"};
    LLVMTypeRef types[2] = {to, LLVMTypeOf(o->f[0])};
    const bool of_host = to == o->b->i32x16 && types[1] == o->b->f32x16;
    if (of_host && is_signed && !(o->policy & ISA_OP_ROUNDING))
        return jit_f32_nearest_limited_i32(o->b, o->f[0]);
    LLVMValueRef f = isa_op_ir_call(o, whole[o->policy & ISA_OP_ROUNDING], types[1], o->f, 1);
    if (of_host)
        return jit_f32_to_limited_i32(o->b, f, is_signed);
    return jit_intrinsic(o->b, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &f, 1);
}

static LLVMValueRef to_float(struct isa_op_ir *o, LLVMValueRef x, LLVMTypeRef type, bool is_signed)
{
    return is_signed ? LLVMBuildSIToFP(o->ir, x, type, "") : LLVMBuildUIToFP(o->ir, x, type, "");
}

static LLVMValueRef int_to_float(struct isa_op_ir *o, bool is_signed, bool half)
{
    LLVMValueRef f = to_float(o, o->s[0], o->b->f32x16, is_signed);
    if (half) /* of 16 bits at most: the single is exact */
        return single_to_half(o, f);
    if (!(o->policy & ISA_OP_ROUNDING))
        return jit_as_i32(o->b, f);
    LLVMValueRef exact = to_float(o, o->s[0], isa_op_ir_doubles(o), is_signed);
    return isa_op_ir_directed(o, jit_as_i32(o->b, f), isa_op_ir_double(o, f), exact);
}

/* The upper bits, and the lower eleven, are exact, and what their sum leaves is known. */
static LLVMValueRef long_to_double(struct isa_op_ir *o, bool is_signed)
{
    LLVMTypeRef type = isa_op_ir_doubles(o);
    LLVMValueRef x = o->s[0], high = to_float(o, isa_op_ir_bits(o, x, ~0x7ffull), type, is_signed);
    LLVMValueRef low = to_float(o, isa_op_ir_bits(o, x, 0x7ff), type, is_signed);
    LLVMValueRef sum = LLVMBuildFAdd(o->ir, high, low, ""), zero = LLVMConstNull(type);
    LLVMValueRef rest = LLVMBuildFSub(o->ir, low, LLVMBuildFSub(o->ir, sum, high, ""), "");
    return isa_op_ir_directed_by(o, LLVMBuildBitCast(o->ir, sum, o->type, ""), rest,
                                 LLVMBuildFCmp(o->ir, LLVMRealOGT, sum, zero, ""));
}

static LLVMValueRef double_to_single(struct isa_op_ir *o)
{
    LLVMValueRef exact = o->f[0], f = LLVMBuildFPTrunc(o->ir, exact, o->b->f32x16, "");
    LLVMValueRef near = isa_op_ir_directed(o, jit_as_i32(o->b, f), isa_op_ir_double(o, f), exact);
    LLVMValueRef size = isa_op_ir_bits(o, o->s[0], ~0ull >> 1),
                 least = isa_op_ir_number(o->b->i64x16, 0x381ull << 52);
    LLVMValueRef sign = LLVMBuildLShr(o->ir, o->s[0], isa_op_ir_number(o->b->i64x16, 32), "");
    sign = isa_op_ir_bits(o, LLVMBuildTrunc(o->ir, sign, o->b->i32x16, ""), 0x80000000);
    return jit_select(o->b, LLVMBuildICmp(o->ir, LLVMIntULT, size, least, ""), sign, near);
}

static LLVMValueRef float_to_float(struct isa_op_ir *o, enum isa_shape to)
{
    switch (to) {
    case ISA_F16:
        if ((o->policy & (ISA_OP_QUIET | ISA_OP_ROUNDING)) == ISA_OP_QUIET)
            return isa_op_ir_half(o, o->f[0]); /* of denormal singles zero in any case */
        return isa_op_ir_quieted(o, single_to_half(o, o->f[0]), 16);
    case ISA_F64:
        return isa_op_ir_quieted(o, LLVMBuildBitCast(o->ir, isa_op_ir_double(o, o->f[0]), o->b->i64x16, ""),
                                 64);
    default:
        if (o->is_half && o->policy & ISA_OP_QUIET)
            return isa_op_ir_one_nan(o, jit_fence(o->b, o->f[0]));
        return isa_op_ir_quieted(o, o->is_double ? double_to_single(o) : jit_as_i32(o->b, o->f[0]), 32);
    }
}

static LLVMValueRef int_to_int(struct isa_op_ir *o, const struct isa_op_row *row, LLVMTypeRef to)
{
    unsigned from_width = LLVMGetIntTypeWidth(LLVMGetElementType(o->type)), width = isa_shape_width(row->to);
    bool from_signed = row->integers != ISA_OP_UNSIGNED, to_signed = row->integers == ISA_OP_SIGNED;
    uint64_t all = ~0ull >> (64 - width);
    if (width > from_width)
        return from_signed ? LLVMBuildSExt(o->ir, o->s[0], to, "") : LLVMBuildZExt(o->ir, o->s[0], to, "");
    LLVMValueRef args[2] = {o->s[0], isa_op_ir_number(o->type, to_signed ? all >> 1 : all)};
    if (row->saturates) {
        args[0] = isa_op_ir_call(o, from_signed ? "llvm.smin" : "llvm.umin", o->type, args, 2);
        args[1] = isa_op_ir_number(o->type, to_signed ? ~(all >> 1) : 0);
        if (from_signed)
            args[0] = isa_op_ir_call(o, "llvm.smax", o->type, args, 2);
    }
    return LLVMBuildTrunc(o->ir, args[0], to, "");
}

static LLVMValueRef convert(struct isa_op_ir *o)
{
    const struct isa_op_row *row = &isa_op_rows[o->op];
    bool is_signed = row->integers == ISA_OP_SIGNED;
    LLVMTypeRef to = ints(o->b, isa_shape_width(row->to), 16);
    if (row->from > ISA_V2F16 && row->to > ISA_V2F16)
        return int_to_int(o, row, to);
    if (row->from > ISA_V2F16)
        return row->to == ISA_F64 ? long_to_double(o, is_signed)
                                  : int_to_float(o, is_signed, row->to == ISA_F16);
    if (row->to > ISA_V2F16)
        return float_to_int(o, to, is_signed);
    return float_to_float(o, row->to);
}

/* ---- */

/* Of sixteen elements. Floats stand in i32x16, or i64x16, and what they become in integers of any width. */
static LLVMValueRef of_floats(struct isa_op_ir *o)
{
    for (unsigned n = 0; n < isa_op_rows[o->op].sources; n++)
        o->f[n] = isa_op_ir_single(o, o->s[n]);
    switch (isa_op_rows[o->op].kind) {
    case ISA_OP_FLOAT:
    case ISA_OP_ARITHMETIC: return isa_op_ir_float(o);
    case ISA_OP_FTEST: return truth(o, isa_op_ir_ftest(o), o->is_double ? o->b->i64x16 : o->b->i32x16);
    default: return convert(o);
    }
}

static LLVMValueRef of_ints(struct isa_op_ir *o)
{
    switch (isa_op_rows[o->op].kind) {
    case ISA_OP_INT: return int_op(o);
    case ISA_OP_ITEST: return truth(o, itest(o), o->type);
    default: return convert(o);
    }
}

/* To integers of `width` bits: narrower ones are not negative. */
static LLVMValueRef resized(struct isa_op_ir *o, LLVMValueRef x, unsigned width)
{
    LLVMTypeRef to = ints(o->b, width, LLVMGetVectorSize(LLVMTypeOf(x)));
    unsigned is = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x)));
    if (is == width)
        return x;
    return is < width ? LLVMBuildZExt(o->ir, x, to, "") : LLVMBuildTrunc(o->ir, x, to, "");
}

/* Both elements of pairs of 16 bits, where either side is halves. */
static LLVMValueRef of_pairs(struct isa_op_ir o, const LLVMValueRef source[3], bool floats)
{
    LLVMValueRef out[2], sixteen = jit_splat_u32(o.b, 16);
    o.type = o.b->i16x16;
    for (unsigned e = 0; e < 2; e++) {
        for (unsigned n = 0; n < isa_op_rows[o.op].sources; n++) {
            o.s[n] = e ? LLVMBuildLShr(o.ir, source[n], sixteen, "") : isa_op_ir_bits(&o, source[n], 0xffff);
            o.s[n] = floats ? o.s[n] : resized(&o, o.s[n], 16);
        }
        out[e] = resized(&o, floats ? of_floats(&o) : of_ints(&o), 32);
    }
    return LLVMBuildOr(o.ir, isa_op_ir_bits(&o, out[0], 0xffff), LLVMBuildShl(o.ir, out[1], sixteen, ""), "");
}

LLVMValueRef isa_trans_op(struct jit_builder *b, struct isa_lane_op op, const LLVMValueRef source[3])
{
    const struct isa_op_row *row = &isa_op_rows[op.op];
    enum isa_shape shape = op.shape, gives = isa_op_gives(op.op, shape);
    unsigned width = isa_shape_width(shape), elements = isa_shape_elements(shape);
    bool floats = shape <= ISA_V2F16;
    struct isa_op_ir o = {.b = b,
                          .ir = b->ir,
                          .op = op.op,
                          .policy = op.policy,
                          .is_half = floats && width == 16,
                          .is_double = shape == ISA_F64};
    if (shape == ISA_V2F16 || gives == ISA_V2F16)
        return of_pairs(o, source, floats);
    o.type = ints(b, width, LLVMGetVectorSize(LLVMTypeOf(source[0])) * elements);
    for (unsigned n = 0; n < row->sources; n++)
        o.s[n] = floats && width < 64 ? resized(&o, source[n], 32)
                                      : LLVMBuildBitCast(b->ir, source[n], o.type, "");
    LLVMValueRef out = floats ? of_floats(&o) : of_ints(&o);
    return elements > 1 ? LLVMBuildBitCast(b->ir, out, b->i32x16, "")
                        : resized(&o, out, isa_shape_width(gives));
}
