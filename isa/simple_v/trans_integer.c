/* Integer operations of elements: the digest, section 6.1. */
#include "isa/simple_v/trans_internal.h"
#include "isa/trans_op.h"
#include "util/bits.h"

enum {
    ODD = 12,
    ODD_ROOM = 16
}; /* an immediate's bits beside a byte; those in which sums modulo 2^12 are computed */

/* ---- operations ---- */

/* By zero the quotient is all ones, the rest the dividend; the least by -1 is itself, with no rest. */
static LLVMValueRef divided(struct simple_v_trans *t, LLVMValueRef x, LLVMValueRef y, bool is_signed,
                            bool rest)
{
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMTypeRef type = LLVMTypeOf(x);
    const LLVMValueRef one = simple_v_trans_number(type, 1), ones = LLVMConstAllOnes(type);
    const LLVMValueRef by_zero = LLVMBuildICmp(ir, LLVMIntEQ, y, LLVMConstNull(type), "");
    LLVMValueRef beyond = by_zero, out;
    if (is_signed) {
        const LLVMValueRef least = simple_v_trans_number(type, 1ull << (simple_v_trans_width(x) - 1));
        const LLVMValueRef both = LLVMBuildAnd(ir, LLVMBuildICmp(ir, LLVMIntEQ, x, least, ""),
                                               LLVMBuildICmp(ir, LLVMIntEQ, y, ones, ""), "");
        beyond = LLVMBuildOr(ir, beyond, both, "");
    }
    y = LLVMBuildSelect(ir, beyond, one, y, "");
    if (rest)
        out = is_signed ? LLVMBuildSRem(ir, x, y, "") : LLVMBuildURem(ir, x, y, "");
    else
        out = is_signed ? LLVMBuildSDiv(ir, x, y, "") : LLVMBuildUDiv(ir, x, y, "");
    return LLVMBuildSelect(ir, by_zero, rest ? x : ones, out, "");
}

static LLVMValueRef mulhsu(struct simple_v_trans *t, LLVMValueRef x, LLVMValueRef y)
{
    const unsigned width = simple_v_trans_width(x);
    x = simple_v_trans_resize(t, x, width * 2, true);
    y = simple_v_trans_resize(t, y, width * 2, false);
    const LLVMValueRef product = LLVMBuildMul(t->b->ir, x, y, "");
    return simple_v_trans_resize(
        t, LLVMBuildLShr(t->b->ir, product, simple_v_trans_number(LLVMTypeOf(product), width), ""), width,
        false);
}

/* The low bits, extended in place. */
static LLVMValueRef extended(struct simple_v_trans *t, LLVMValueRef x, unsigned bits, bool is_signed)
{
    const unsigned width = simple_v_trans_width(x);
    return simple_v_trans_resize(t, simple_v_trans_resize(t, x, UTIL_MIN(bits, width), false), width,
                                 is_signed);
}

static LLVMValueRef or_bytes(struct simple_v_trans *t, LLVMValueRef x)
{
    const LLVMTypeRef type = LLVMTypeOf(x),
                      bytes = LLVMVectorType(t->b->i8, simple_v_trans_count(x) * simple_v_trans_width(x) / 8);
    x = LLVMBuildBitCast(t->b->ir, x, bytes, "");
    x = LLVMBuildSExt(t->b->ir, LLVMBuildICmp(t->b->ir, LLVMIntNE, x, LLVMConstNull(bytes), ""), bytes, "");
    return LLVMBuildBitCast(t->b->ir, x, type, "");
}

static LLVMValueRef own(struct simple_v_trans *t, unsigned op, LLVMValueRef x, LLVMValueRef y)
{
    switch (op) {
    case SIMPLE_V_OWN_mulhsu: return mulhsu(t, x, y);
    case SIMPLE_V_OWN_div: return divided(t, x, y, true, false);
    case SIMPLE_V_OWN_divu: return divided(t, x, y, false, false);
    case SIMPLE_V_OWN_rem: return divided(t, x, y, true, true);
    case SIMPLE_V_OWN_remu: return divided(t, x, y, false, true);
    case SIMPLE_V_OWN_sext_b: return extended(t, x, 8, true);
    case SIMPLE_V_OWN_sext_h: return extended(t, x, 16, true);
    case SIMPLE_V_OWN_zext_h: return extended(t, x, 16, false);
    case SIMPLE_V_OWN_orc_b: return or_bytes(t, x);
    case SIMPLE_V_OWN_rev8:
        return simple_v_trans_width(x) == 8 ? x : simple_v_trans_call(t, "llvm.bswap", LLVMTypeOf(x), &x, 1);
    default: return y;
    }
}

/* A lane operation, of vectors of at least one lane. */
static LLVMValueRef lane(struct simple_v_trans *t, unsigned op, LLVMValueRef x, LLVMValueRef y)
{
    static const enum isa_shape shapes[] = {ISA_I8, ISA_I16, ISA_I32, ISA_I64};
    const LLVMTypeRef type = LLVMTypeOf(x);
    const unsigned width = simple_v_trans_width(x), count = simple_v_trans_count(x);
    const struct isa_lane_op what = {.op = (uint8_t)op,
                                     .shape = (uint8_t)shapes[width == 8    ? 0
                                                              : width == 16 ? 1
                                                              : width == 32 ? 2
                                                                            : 3],
                                     .policy = ISA_OP_I1};
    const LLVMTypeRef vector = count > 1 ? type : LLVMVectorType(type, 1);
    const LLVMValueRef sources[3] = {LLVMBuildBitCast(t->b->ir, x, vector, ""),
                                     LLVMBuildBitCast(t->b->ir, y, vector, ""), NULL};
    return LLVMBuildBitCast(t->b->ir, isa_trans_op(t->b, what, sources), type, "");
}

LLVMValueRef simple_v_trans_operate(struct simple_v_trans *t, unsigned op, LLVMValueRef x, LLVMValueRef y)
{
    return op > SIMPLE_V_OWN_first ? own(t, op, x, y) : lane(t, op, x, y);
}

/* ---- operands ---- */

static bool saturates(const struct simple_v_trans *t)
{
    return t->x.loops && t->now.saturate != SIMPLE_V_WRAP + 1;
}

/* Bits of the operation itself. */
static unsigned width_of(const struct simple_v_trans *t)
{
    return t->x.width == ODD ? ODD_ROOM : t->x.width ? t->x.width : 64;
}

/* Whether low bits of results are those of the sources' low bits. */
static bool is_of_low_bits(unsigned op)
{
    return op == ISA_OP_iadd || op == ISA_OP_isub || op == ISA_OP_imul || op == ISA_OP_iand ||
           op == ISA_OP_ior || op == ISA_OP_ixor || op == ISA_OP_iandnot;
}

unsigned simple_v_trans_room(const struct simple_v_trans *t)
{
    const struct simple_v_operand_context *rd = &t->x.operand[SIMPLE_V_RD];
    const unsigned width = width_of(t);
    const bool less =
        !t->x.row->is_float && t->x.width != ODD && rd->there && rd->vector && rd->width < width;
    return less && is_of_low_bits(t->x.row->op) && !saturates(t) ? rd->width : width;
}

/* At the width of the operation. Of words the low half of a register. */
static LLVMValueRef source(struct simple_v_trans *t, unsigned place, const struct simple_v_lanes *lanes,
                           bool is_signed)
{
    const struct simple_v_operand_context *o = &t->x.operand[place];
    const bool word = t->x.row->word;
    LLVMValueRef v = simple_v_trans_read(t, o, lanes);
    if (word && !o->given)
        v = simple_v_trans_resize(t, v, 32, false);
    return simple_v_trans_resize(t, v, simple_v_trans_room(t), is_signed || word);
}

/* Of 12 bits it is a number of 12 bits, which unsigned comparisons do not extend with its sign. */
static LLVMValueRef immediate(struct simple_v_trans *t, unsigned lanes)
{
    uint64_t n = (uint64_t)(int64_t)t->item->insn->imm;
    if (t->x.width == ODD && !t->x.row->signed_2)
        n &= (1u << ODD) - 1;
    const unsigned room = simple_v_trans_room(t);
    return simple_v_trans_number(simple_v_trans_ints(t, room, lanes), n & ~0ull >> (64 - room));
}

/* ---- saturation ---- */

static bool is_exact(const struct simple_v_trans *t)
{
    return t->x.row->as != SIMPLE_V_LUI &&
           (t->x.row->op == ISA_OP_iadd || t->x.row->op == ISA_OP_isub || t->x.row->op == ISA_OP_imul);
}

/* What is beyond the range of an element is its end. `v`: wider than that. `negative`: it may be that, though results are not. */
static LLVMValueRef clamped(struct simple_v_trans *t, LLVMValueRef v, unsigned width, bool is_signed,
                            bool negative)
{
    const LLVMTypeRef type = LLVMTypeOf(v);
    const uint64_t most = ~0ull >> (64 - width) >> is_signed;
    if (simple_v_trans_width(v) <= width)
        return v;
    LLVMValueRef high[2] = {v, simple_v_trans_number(type, most)};
    if (!is_signed && !negative)
        return simple_v_trans_call(t, "llvm.umin", type, high, 2);
    v = simple_v_trans_call(t, "llvm.smin", type, high, 2);
    LLVMValueRef low[2] = {v, is_signed ? simple_v_trans_number(type, ~most) : LLVMConstNull(type)};
    return simple_v_trans_call(t, "llvm.smax", type, low, 2);
}

/* Sums, differences and products are exact in twice the width, of sources extended as `is_signed` says. */
static struct simple_v_value exactly(struct simple_v_trans *t, const struct simple_v_lanes *from,
                                     bool is_signed)
{
    const LLVMBuilderRef ir = t->b->ir;
    const unsigned to = t->x.operand[SIMPLE_V_RD].width, room = UTIL_MAX(width_of(t), to) * 2;
    const uint64_t imm = (uint64_t)(int64_t)t->item->insn->imm,
                   number = room < 64 ? imm & ((1ull << room) - 1) : imm;
    LLVMValueRef v[2];
    for (unsigned n = 0; n < 2; n++) {
        const struct simple_v_operand_context *o = &t->x.operand[SIMPLE_V_RS1 + n];
        if (!o->there) {
            v[n] = simple_v_trans_number(simple_v_trans_ints(t, room, from->count), number);
            continue;
        }
        v[n] = simple_v_trans_read(t, o, from);
        if (t->x.row->word && !o->given)
            v[n] = simple_v_trans_resize(t, v[n], 32, false);
        v[n] = simple_v_trans_resize(t, v[n], room, is_signed);
    }
    const unsigned op = t->x.row->op;
    LLVMValueRef out = op == ISA_OP_iadd   ? LLVMBuildAdd(ir, v[0], v[1], "")
                       : op == ISA_OP_isub ? LLVMBuildSub(ir, v[0], v[1], "")
                                           : LLVMBuildMul(ir, v[0], v[1], "");
    out = clamped(t, out, to, is_signed, op != ISA_OP_imul);
    return (struct simple_v_value){out, to, is_signed};
}

/* What wider sums are exact in has no more than 64 bits. */
static bool can_saturate(const struct simple_v_trans *t)
{
    const unsigned widest = UTIL_MAX(width_of(t), t->x.operand[SIMPLE_V_RD].width);
    return t->now.saturate && (!is_exact(t) || widest < 64);
}

bool simple_v_trans_can_integer(const struct simple_v_trans *t)
{
    if (saturates(t) && !can_saturate(t))
        return false;
    return t->x.row->as == SIMPLE_V_LUI || t->x.operand[SIMPLE_V_RS1].there;
}

static struct simple_v_value wrapped(struct simple_v_trans *t, const struct simple_v_lanes *from)
{
    const struct simple_v_context *x = &t->x;
    const unsigned room = simple_v_trans_room(t);
    struct simple_v_value out = {.width = x->width == ODD ? ODD : room, .is_signed = x->row->word};
    if (x->row->as == SIMPLE_V_LUI) {
        const uint64_t n = (uint64_t)(int64_t)t->item->insn->imm << 12;
        out.bits = simple_v_trans_number(simple_v_trans_ints(t, 64, from->count), n);
        return out;
    }
    const LLVMValueRef a = source(t, SIMPLE_V_RS1, from, x->row->signed_1);
    const LLVMValueRef b = x->operand[SIMPLE_V_RS2].there ? source(t, SIMPLE_V_RS2, from, x->row->signed_2)
                                                          : immediate(t, from->count);
    out.bits = simple_v_trans_operate(t, x->row->op, a, b);
    if (out.width == ODD && !out.is_signed)
        out.bits = LLVMBuildAnd(t->b->ir, out.bits,
                                simple_v_trans_number(LLVMTypeOf(out.bits), (1u << ODD) - 1), "");
    return out;
}

/* Other results than exact ones are at the width of the operation before they go to a narrower element. */
struct simple_v_value simple_v_trans_integer(struct simple_v_trans *t, const struct simple_v_lanes *from)
{
    const unsigned to = t->x.operand[SIMPLE_V_RD].width;
    const bool is_signed = t->now.saturate == SIMPLE_V_SATURATE_SIGNED + 1;
    if (!saturates(t))
        return wrapped(t, from);
    if (is_exact(t))
        return exactly(t, from, is_signed);
    struct simple_v_value v = wrapped(t, from);
    const LLVMTypeRef type = LLVMTypeOf(v.bits);
    const LLVMValueRef by = simple_v_trans_number(type, simple_v_trans_width(v.bits) - v.width);
    v.bits = LLVMBuildShl(t->b->ir, v.bits, by, "");
    v.bits = is_signed ? LLVMBuildAShr(t->b->ir, v.bits, by, "") : LLVMBuildLShr(t->b->ir, v.bits, by, "");
    v.is_signed = is_signed;
    if (v.width > to) {
        v.bits = clamped(t, v.bits, to, is_signed, false);
        v.width = to;
    }
    return v;
}
