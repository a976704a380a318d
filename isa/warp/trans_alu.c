/* Operands, and the classes of operations that are lane operations with modifiers. */
#include "isa/warp/trans_alu_internal.h"

#include "util/bits.h"

/* ---- operands ---- */

static LLVMTypeRef type_of(struct jit_builder *b, unsigned bits)
{
    return bits == 8 ? b->i8x16 : bits == 16 ? b->i16x16 : bits == 32 ? b->i32x16 : b->i64x16;
}

static unsigned bits_of(LLVMValueRef v)
{
    return LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v)));
}

static LLVMValueRef resized(struct jit_builder *b, LLVMValueRef v, unsigned bits)
{
    if (bits_of(v) == bits)
        return v;
    return bits_of(v) > bits ? LLVMBuildTrunc(b->ir, v, type_of(b, bits), "")
                             : LLVMBuildZExt(b->ir, v, type_of(b, bits), "");
}

/* `width` bits from bit `at` on, alone: as wide as that. */
static LLVMValueRef part(struct jit_builder *b, LLVMValueRef raw, unsigned at, unsigned width)
{
    if (at)
        raw = LLVMBuildLShr(b->ir, raw, warp_trans_number(LLVMTypeOf(raw), at), "");
    return resized(b, raw, width);
}

static LLVMValueRef widened(struct jit_builder *b, LLVMValueRef v, unsigned bits,
                            const struct warp_type_info *type)
{
    if (bits_of(v) == bits)
        return v;
    if (type->is_float)
        return warp_trans_op(b, ISA_OP_f16_to_f32, ISA_F16, v, NULL, NULL);
    return type->is_signed ? LLVMBuildSExt(b->ir, v, type_of(b, bits), "") : resized(b, v, bits);
}

static bool is_whole(const struct warp_source *s, unsigned bits, unsigned elements)
{
    for (unsigned e = 0; e < elements; e++)
        if (s->lane[e] != e)
            return false;
    return s->width == bits;
}

/* The elements side by side, as wide as all of them. */
static LLVMValueRef gathered(struct jit_builder *b, const struct warp_source *s, LLVMValueRef raw,
                             const struct warp_type_info *type)
{
    const unsigned bits = isa_shape_width(type->shape), elements = isa_shape_elements(type->shape);
    LLVMValueRef out = NULL;
    if (is_whole(s, bits, elements))
        return resized(b, raw, bits * elements);
    for (unsigned e = 0; e < elements; e++) {
        LLVMValueRef one = widened(b, part(b, raw, (unsigned)s->lane[e] * s->width, s->width), bits, type);
        one = resized(b, one, bits * elements);
        if (e)
            one = LLVMBuildShl(b->ir, one, warp_trans_number(LLVMTypeOf(one), (uint64_t)e * bits), "");
        out = out ? LLVMBuildOr(b->ir, out, one, "") : one;
    }
    return out;
}

static uint64_t signs(unsigned bits, unsigned elements)
{
    uint64_t out = 0;
    for (unsigned e = 1; e <= elements; e++)
        out |= UINT64_C(1) << (e * bits - 1);
    return out;
}

LLVMValueRef warp_trans_operand(struct jit_builder *b, const struct warp_insn *i, unsigned n,
                                LLVMValueRef raw)
{
    const struct warp_source *s = &i->source[n];
    const struct warp_type_info *type = &warp_types[warp_rows[i->op].source[n]];
    LLVMValueRef v = gathered(b, s, raw, type);
    const uint64_t sign = signs(isa_shape_width(type->shape), isa_shape_elements(type->shape));
    if (s->absolute)
        v = LLVMBuildAnd(b->ir, v, warp_trans_number(LLVMTypeOf(v), ~sign), "");
    if (s->negate)
        v = LLVMBuildXor(b->ir, v, warp_trans_number(LLVMTypeOf(v), sign), "");
    return s->invert ? LLVMBuildNot(b->ir, v, "") : v;
}

/* ---- classes ---- */

static LLVMValueRef clamped(struct jit_builder *b, const struct warp_insn *i, LLVMValueRef value)
{
    const struct isa_lane_op op = warp_clamping(i);
    const LLVMValueRef source[3] = {value};
    return op.op == ISA_OP_COUNT ? value : isa_trans_op(b, op, source);
}

/* A comparison's truth of a type that is always. */
static LLVMValueRef always(struct jit_builder *b, struct isa_lane_op test)
{
    LLVMValueRef zero =
        LLVMConstNull(type_of(b, isa_shape_width(test.shape) * isa_shape_elements(test.shape)));
    const LLVMValueRef source[3] = {zero, zero};
    test.op = ISA_OP_ieq;
    return isa_trans_op(b, test, source);
}

static LLVMValueRef compare(struct jit_builder *b, const struct warp_insn *i, const LLVMValueRef *s,
                            enum warp_truth truth)
{
    const struct isa_lane_op test = warp_test(i, warp_rows[i->op].source[0], truth);
    return test.op == ISA_OP_COUNT ? always(b, test) : isa_trans_op(b, test, s);
}

static LLVMValueRef bitwise(struct jit_builder *b, uint8_t op, LLVMValueRef x, LLVMValueRef y)
{
    switch (op) {
    case ISA_OP_iand: return LLVMBuildAnd(b->ir, x, y, "");
    case ISA_OP_ior: return LLVMBuildOr(b->ir, x, y, "");
    default: return LLVMBuildXor(b->ir, x, y, "");
    }
}

static LLVMValueRef shift(struct jit_builder *b, const struct warp_insn *i, const LLVMValueRef *s)
{
    LLVMValueRef out = isa_trans_op(b, warp_lane_op(i), s);
    out = bitwise(b, warp_rows[i->op].second, out, s[2]);
    return i->not_result ? LLVMBuildNot(b->ir, out, "") : out;
}

/* Bits of `yes` where the mask has ones. */
static LLVMValueRef choose(struct jit_builder *b, LLVMValueRef mask, LLVMValueRef yes, LLVMValueRef no)
{
    LLVMValueRef differ = LLVMBuildAnd(b->ir, LLVMBuildXor(b->ir, yes, no, ""), mask, "");
    return LLVMBuildXor(b->ir, no, differ, "");
}

/* Single words are chosen as a whole, which is a blend of the host. */
static LLVMValueRef choose_by_test(struct jit_builder *b, const struct warp_insn *i, LLVMValueRef mask,
                                   LLVMValueRef yes, LLVMValueRef no)
{
    if (isa_shape_elements(warp_types[warp_rows[i->op].type].shape) > 1)
        return choose(b, mask, yes, no);
    LLVMValueRef set = LLVMBuildICmp(b->ir, LLVMIntNE, mask, LLVMConstNull(LLVMTypeOf(mask)), "");
    return LLVMBuildSelect(b->ir, set, yes, no, "");
}

static LLVMValueRef mux(struct jit_builder *b, const struct warp_insn *i, const LLVMValueRef *s)
{
    const uint8_t shape = warp_types[warp_rows[i->op].type].shape;
    LLVMTypeRef type = LLVMTypeOf(s[2]);
    LLVMValueRef zero = LLVMConstNull(type), what = s[2];
    const uint64_t sign = signs(isa_shape_width(shape), isa_shape_elements(shape));
    if (i->mux == WARP_MUX_BIT)
        return choose(b, what, s[0], s[1]);
    if (i->mux == WARP_MUX_FP_ZERO)
        what = LLVMBuildAnd(b->ir, what, warp_trans_number(type, ~sign), "");
    LLVMValueRef mask = i->mux == WARP_MUX_NEG ? warp_trans_op(b, ISA_OP_ilt, shape, what, zero, NULL)
                                               : warp_trans_op(b, ISA_OP_ieq, shape, what, zero, NULL);
    return choose_by_test(b, i, mask, s[0], s[1]);
}

LLVMValueRef warp_trans_compute(struct jit_builder *b, const struct warp_insn *i,
                                const LLVMValueRef s[WARP_SOURCES])
{
    const struct warp_row *row = &warp_rows[i->op];
    switch (row->class) {
    case WARP_COMPARE: return bitwise(b, row->op, compare(b, i, s, i->truth), s[2]);
    case WARP_MULTI: {
        const LLVMValueRef rest[3] = {s[2], LLVMConstNull(LLVMTypeOf(s[2]))};
        struct warp_insn nonzero = *i;
        nonzero.condition = WARP_NE;
        LLVMValueRef equal = LLVMBuildICmp(b->ir, LLVMIntEQ, s[0], s[1], "");
        return LLVMBuildSelect(b->ir, equal, compare(b, &nonzero, rest, i->truth), compare(b, i, s, i->truth),
                               "");
    }
    case WARP_CHOOSE: return choose_by_test(b, i, compare(b, i, s, WARP_M1), s[2], s[3]);
    case WARP_MUX: return mux(b, i, s);
    case WARP_SHIFT: return shift(b, i, s);
    case WARP_FUNCTION: return clamped(b, i, warp_trans_function(b, i, s));
    default: return clamped(b, i, isa_trans_op(b, warp_lane_op(i), s));
    }
}
