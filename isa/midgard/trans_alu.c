/* Bundles: two stages, each of which reads before it writes (README.md, rules 4 and 6). */
#include "isa/midgard/trans_internal.h"
#include "jit/math.h"
#include "util/bits.h"

static LLVMValueRef lane_op(struct midgard_trans *t, struct isa_lane_op op, const LLVMValueRef source[3])
{
    return LLVMTypeOf(source[0]) == t->b->f32x16 ? isa_trans_half(t->b, op, source, t->rounds)
                                                 : isa_trans_op(t->b, op, source);
}

static LLVMValueRef plain(struct midgard_trans *t, const struct midgard_trans_unit *u, LLVMValueRef a,
                          LLVMValueRef b)
{
    const LLVMValueRef source[3] = {a, b, NULL};
    return lane_op(t, u->info->op[u->mode], source);
}

static LLVMValueRef float_op(struct midgard_trans *t, const struct midgard_trans_unit *u, uint8_t op,
                             LLVMValueRef a, LLVMValueRef b)
{
    static const uint8_t shapes[4] = {ISA_F16, ISA_F16, ISA_F32, ISA_F64};
    const LLVMValueRef source[3] = {a, b, NULL};
    return lane_op(t, (struct isa_lane_op){op, shapes[u->mode], ISA_OP_QUIET}, source);
}

/* ---- of several elements ---- */

static LLVMValueRef dot(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned count, bool reverse)
{
    LLVMValueRef sum = NULL;
    count = UTIL_MIN(count, u->elements);
    for (unsigned n = 0; n < count; n++) {
        unsigned e = reverse ? count - 1 - n : n;
        LLVMValueRef term = float_op(t, u, ISA_OP_fmul, midgard_trans_a(t, u, e), midgard_trans_b(t, u, e));
        sum = sum ? float_op(t, u, ISA_OP_fadd, sum, term) : term;
    }
    return sum;
}

static LLVMValueRef sum_of(struct midgard_trans *t, struct midgard_trans_unit *u)
{
    LLVMValueRef sum = midgard_trans_a(t, u, 0);
    for (unsigned e = 1; e < UTIL_MIN(4u, u->elements); e++)
        sum = float_op(t, u, ISA_OP_fadd, sum, midgard_trans_a(t, u, e));
    return sum;
}

/* Truth values are all ones, so that words of them are as good as bits. */
static LLVMValueRef reduced(struct midgard_trans *t, struct midgard_trans_unit *u)
{
    LLVMValueRef out = NULL;
    for (unsigned e = 0; e < UTIL_MIN(4u, u->elements); e++) {
        LLVMValueRef one = plain(t, u, midgard_trans_a(t, u, e), midgard_trans_b(t, u, e));
        out = !out                                ? one
              : u->info->form == MIDGARD_FORM_ALL ? LLVMBuildAnd(t->b->ir, out, one, "")
                                                  : LLVMBuildOr(t->b->ir, out, one, "");
    }
    return out;
}

static LLVMValueRef chosen(struct midgard_trans *t, struct midgard_trans_unit *u, LLVMValueRef which)
{
    LLVMValueRef out = midgard_trans_a(t, u, 0);
    t->work += u->elements;
    which = LLVMBuildAnd(t->b->ir, which, midgard_trans_splat(t, u->width, u->elements - 1), "");
    for (unsigned e = 1; e < u->elements; e++) {
        LLVMValueRef here =
            LLVMBuildICmp(t->b->ir, LLVMIntEQ, which, midgard_trans_splat(t, u->width, e), "");
        out = jit_select(t->b, here, midgard_trans_a(t, u, e), out);
    }
    return out;
}

/* ---- of one ---- */

/* The lower half of an element, extended. */
static LLVMValueRef lower(struct midgard_trans *t, const struct midgard_trans_unit *u, LLVMValueRef x,
                          bool is_signed)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMTypeRef type = midgard_trans_type(t, u->width);
    x = LLVMBuildTrunc(ir, x, midgard_trans_type(t, u->width / 2), "");
    return is_signed ? LLVMBuildSExt(ir, x, type, "") : LLVMBuildZExt(ir, x, type, "");
}

static LLVMValueRef wide(struct midgard_trans *t, const struct midgard_trans_unit *u, LLVMValueRef a,
                         LLVMValueRef b)
{
    return LLVMBuildMul(t->b->ir, lower(t, u, a, u->info->form != MIDGARD_FORM_WIDE_UNSIGNED),
                        lower(t, u, b, u->info->form == MIDGARD_FORM_WIDE), "");
}

static LLVMValueRef selected(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e,
                             LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef ir = t->b->ir;
    const LLVMValueRef *r31 = t->reg[MIDGARD_R_SELECT];
    LLVMValueRef each = midgard_trans_element(t, r31, u->width, u->first + e);
    if (u->info->form == MIDGARD_FORM_SELECT_BITS)
        return LLVMBuildOr(ir, LLVMBuildAnd(ir, a, each, ""),
                           LLVMBuildAnd(ir, b, LLVMBuildNot(ir, each, ""), ""), "");
    if (u->info->form == MIDGARD_FORM_SELECT)
        each = r31[3];
    LLVMValueRef truth = LLVMBuildICmp(ir, LLVMIntNE, each, LLVMConstNull(LLVMTypeOf(each)), "");
    midgard_trans_choose_half(t, u, e, truth);
    return jit_select(t->b, truth, a, b);
}

/* ---- functions ---- */

/* A single of which LLVM does not know what it is, as isa_trans_op has its operands. */
static LLVMValueRef fenced(struct midgard_trans *t, LLVMValueRef x)
{
    return jit_fence(t->b, jit_as_f32(t->b, x));
}

/* Fenced: operations take what is behind the selection as it is, and LLVM may know all of it, as that the
 * arctangent of zero is zero. */
static LLVMValueRef quiet(struct midgard_trans *t, LLVMValueRef f)
{
    f = jit_fence(t->b, f);
    LLVMValueRef none = LLVMBuildFCmp(t->b->ir, LLVMRealUNO, f, f, "");
    return jit_select(t->b, none, jit_splat_u32(t->b, 0x7fc00000), jit_as_i32(t->b, f));
}

/* The angle that is added at the end, 0, and quotient's parts. */
static LLVMValueRef arc_first(struct midgard_trans *t, LLVMValueRef y, LLVMValueRef x, unsigned e)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef zero = jit_splat_u32(t->b, 0), left;
    switch (e & 3) {
    case 0:
        left = LLVMBuildFCmp(ir, LLVMRealOLT, fenced(t, x), jit_splat_f32(t->b, 0), "");
        y = LLVMBuildOr(ir, midgard_trans_band(t, y, 0x80000000), jit_splat_u32(t->b, 0x40490fdb), "");
        return jit_select(t->b, left, y, zero);
    case 1: return zero;
    case 2: return quiet(t, jit_as_f32(t->b, y));
    default: return midgard_trans_op(t, ISA_OP_frcp, ISA_F32, 0, x, NULL);
    }
}

/* Of singles. */
static LLVMValueRef function(struct midgard_trans *t, const struct midgard_trans_unit *u, LLVMValueRef a,
                             LLVMValueRef b, unsigned e)
{
    struct jit_builder *jit = t->b;
    LLVMValueRef half = jit_splat_u32(jit, 0x3f000000);
    switch (u->info->form) {
    case MIDGARD_FORM_EXP2: return quiet(t, jit_exp2(jit, fenced(t, a)));
    case MIDGARD_FORM_LOG2: return quiet(t, jit_log2(jit, fenced(t, a)));
    case MIDGARD_FORM_SIN:
        a = midgard_trans_op(t, ISA_OP_fmul, ISA_F32, 0, a, half);
        return quiet(t, jit_sin_turns(jit, fenced(t, a)));
    case MIDGARD_FORM_COS:
        a = midgard_trans_op(t, ISA_OP_fmul, ISA_F32, 0, a, half);
        return quiet(t, jit_cos_turns(jit, fenced(t, a)));
    case MIDGARD_FORM_ARC_FIRST: return arc_first(t, a, b, e);
    default:
        b = quiet(t, jit_atan(jit, fenced(t, b)));
        return midgard_trans_op(t, ISA_OP_fadd, ISA_F32, 0, b, a);
    }
}

/* A half's function is the single's, rounded. */
static LLVMValueRef of_singles(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e)
{
    bool two = u->info->form == MIDGARD_FORM_ARC_FIRST || u->info->form == MIDGARD_FORM_ARC_SECOND;
    LLVMValueRef a = midgard_trans_a(t, u, e), b = two ? midgard_trans_b(t, u, e) : NULL;
    if (u->mode == MIDGARD_MODE_32)
        return function(t, u, a, b, e);
    a = isa_trans_half_single(t->b, a);
    b = two ? isa_trans_half_single(t->b, b) : NULL;
    return isa_trans_half_of_single(t->b, function(t, u, a, b, e), t->rounds);
}

/* ---- operations ---- */

static LLVMValueRef magnitude(struct midgard_trans *t, const struct midgard_trans_unit *u, LLVMValueRef x)
{
    if (LLVMTypeOf(x) == t->b->f32x16)
        return jit_intrinsic(t->b, "llvm.fabs", &t->b->f32x16, 1, &x, 1);
    return LLVMBuildAnd(t->b->ir, x, midgard_trans_splat(t, u->width, (1ull << (u->width - 1)) - 1), "");
}

static LLVMValueRef of_pair(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e)
{
    LLVMValueRef a = midgard_trans_a(t, u, e), b = midgard_trans_b(t, u, e);
    switch (u->info->form) {
    case MIDGARD_FORM_MAGNITUDES: return plain(t, u, magnitude(t, u, a), magnitude(t, u, b));
    case MIDGARD_FORM_DOUBLED:
        return plain(t, u, LLVMBuildShl(t->b->ir, a, midgard_trans_splat(t, u->width, 1), ""), b);
    case MIDGARD_FORM_WIDE:
    case MIDGARD_FORM_WIDE_UNSIGNED:
    case MIDGARD_FORM_WIDE_MIXED: return wide(t, u, a, b);
    case MIDGARD_FORM_SELECT:
    case MIDGARD_FORM_SELECT_EACH:
    case MIDGARD_FORM_SELECT_BITS: return selected(t, u, e, a, b);
    default: return plain(t, u, a, b);
    }
}

static LLVMValueRef operation(struct midgard_trans *t, struct midgard_trans_unit *u, unsigned e)
{
    switch (u->info->form) {
    case MIDGARD_FORM_ONE:
    case MIDGARD_FORM_CONVERT: return plain(t, u, midgard_trans_a(t, u, e), NULL);
    case MIDGARD_FORM_MOVE: return midgard_trans_b(t, u, e);
    case MIDGARD_FORM_FUSED: {
        const LLVMValueRef source[3] = {midgard_trans_a(t, u, 0),
                                        u->scalar ? jit_splat_u32(t->b, 0) : midgard_trans_a(t, u, 1),
                                        midgard_trans_b(t, u, e)};
        return lane_op(t, u->info->op[u->mode], source);
    }
    case MIDGARD_FORM_CHOOSE: return chosen(t, u, midgard_trans_b(t, u, e));
    case MIDGARD_FORM_EXP2:
    case MIDGARD_FORM_LOG2:
    case MIDGARD_FORM_SIN:
    case MIDGARD_FORM_COS:
    case MIDGARD_FORM_ARC_FIRST:
    case MIDGARD_FORM_ARC_SECOND: return of_singles(t, u, e);
    default: return of_pair(t, u, e);
    }
}

/* What is the same in all elements, or NULL. */
static LLVMValueRef shared(struct midgard_trans *t, struct midgard_trans_unit *u)
{
    switch (u->info->form) {
    case MIDGARD_FORM_DOT3: return dot(t, u, 3, false);
    case MIDGARD_FORM_DOT3_REVERSE: return dot(t, u, 3, true);
    case MIDGARD_FORM_DOT4: return dot(t, u, 4, false);
    case MIDGARD_FORM_SUM4: return sum_of(t, u);
    case MIDGARD_FORM_ALL:
    case MIDGARD_FORM_ANY: return reduced(t, u);
    default: return NULL;
    }
}

/* ---- units ---- */

static enum midgard_fault fault_of(const struct midgard_trans_unit *u)
{
    if (!u->info)
        return MIDGARD_FAULT_RESERVED;
    if (u->info->form == MIDGARD_FORM_UNKNOWN)
        return MIDGARD_FAULT_UNSUPPORTED;
    if (!u->info->modes[u->mode] || (!u->scalar && u->alu->shrink > MIDGARD_SHRINK_NONE))
        return MIDGARD_FAULT_RESERVED;
    return MIDGARD_OK;
}

/* What unit n computes; faults where it is reserved. */
static void unit(struct midgard_trans *t, enum midgard_unit n, struct midgard_trans_outcome *out)
{
    const struct midgard_alu *alu = &t->insn->alu[n];
    bool scalar = midgard_is_scalar(n);
    struct midgard_trans_unit u = {
        .alu = alu, .info = midgard_alu_info(alu->op), .scalar = scalar, .mode = MIDGARD_MODE_32};
    if (!scalar)
        u.mode = alu->mode;
    u.width = 8u << u.mode;
    u.elements = scalar ? 1 : 128 / u.width;
    u.first = scalar ? alu->component / 2u : 0;
    enum midgard_fault fault = fault_of(&u);
    if (!fault && (!midgard_trans_take(t, &u) || !midgard_trans_may_result(&u)))
        fault = MIDGARD_FAULT_RESERVED;
    if (fault) {
        midgard_trans_fault(t, fault, NULL, NULL);
        return;
    }
    uint16_t enabled = midgard_trans_enabled(&u);
    LLVMValueRef value = enabled ? shared(t, &u) : NULL;
    t->work += (uint32_t)__builtin_popcount(enabled) * 8 / u.width + 1;
    for (unsigned e = 0; e < u.elements; e++)
        if (enabled & midgard_trans_place(&u, e))
            midgard_trans_put(t, &u, e, value ? value : operation(t, &u, e), out);
}

static void stage(struct midgard_trans *t, enum midgard_unit first, enum midgard_unit end)
{
    struct midgard_trans_outcome out[MIDGARD_ALU_UNITS] = {{{NULL}, {NULL}, {0}}};
    for (unsigned n = first; n < end && !t->ended; n++)
        if (midgard_has(t->insn, (enum midgard_unit)n))
            unit(t, (enum midgard_unit)n, &out[n]);
    for (unsigned n = first; n < end && !t->ended; n++)
        if (midgard_has(t->insn, (enum midgard_unit)n))
            midgard_trans_merge(t, t->insn->alu[n].dest, &out[n]);
}

void midgard_trans_bundle(struct midgard_trans *t)
{
    static const uint8_t own[] = {MIDGARD_R_FORWARD, MIDGARD_R_FORWARD + 1, MIDGARD_R_SELECT};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(own); n++)
        for (unsigned c = 0; c < 4; c++)
            t->reg[own[n]][c] = jit_splat_u32(t->b, 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(own); n++)
        memset(t->half[own[n]], 0, sizeof t->half[own[n]]);
    stage(t, MIDGARD_VMUL, MIDGARD_VADD);
    if (!t->ended)
        stage(t, MIDGARD_VADD, MIDGARD_ALU_UNITS);
}
