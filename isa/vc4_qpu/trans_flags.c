/* Flags (README, rule 7): remembered as the operation they come from, made when read. */
#include "isa/vc4_qpu/trans_internal.h"

static LLVMValueRef is_zero(struct vc4_qpu_trans *t, LLVMValueRef i)
{
    return LLVMBuildICmp(t->b->ir, LLVMIntEQ, i, jit_splat_u32(t->b, 0), "");
}

/* Z of choices as logic on masks; NULL: it is made of the result. */
static LLVMValueRef choice_is_zero(struct vc4_qpu_trans *t, const struct vc4_qpu_trans_flags *f)
{
    if (!t->masks || f->is_sum)
        return NULL;
    if (vc4_qpu_trans_is_choice(f->result))
        return vc4_qpu_trans_is(t, f->result, 0);
    if (!f->is_add)
        return NULL;
    if (f->op == VC4_QPU_A_OR && vc4_qpu_trans_is_choice(f->x) && vc4_qpu_trans_is_choice(f->y))
        return LLVMBuildAnd(t->b->ir, vc4_qpu_trans_is(t, f->x, 0), vc4_qpu_trans_is(t, f->y, 0), "");
    if (f->op != VC4_QPU_A_SUB && f->op != VC4_QPU_A_XOR)
        return NULL;
    if (f->y->known && vc4_qpu_trans_is_choice(f->x))
        return vc4_qpu_trans_is(t, f->x, f->y->imm);
    return f->x->known && vc4_qpu_trans_is_choice(f->y) ? vc4_qpu_trans_is(t, f->y, f->x->imm) : NULL;
}

/* A sum and 0: -0 is zero, and neither it nor a NaN is negative. */
static LLVMValueRef compare_sum(struct vc4_qpu_trans *t, LLVMRealPredicate how)
{
    LLVMValueRef sum = vc4_qpu_trans_is_loose(t, t->flags.result)
                           ? vc4_qpu_trans_number(t, t->flags.result, LLVMRealORD)
                           : vc4_qpu_trans_f(t, t->flags.result);
    return LLVMBuildFCmp(t->b->ir, how, sum, LLVMConstNull(t->b->f32x16), "");
}

LLVMValueRef vc4_qpu_trans_flag_z(struct vc4_qpu_trans *t)
{
    struct vc4_qpu_trans_flags *f = &t->flags;

    if (!f->z)
        f->z = choice_is_zero(t, f);
    if (!f->z)
        f->z = f->is_sum ? compare_sum(t, LLVMRealOEQ) : is_zero(t, vc4_qpu_trans_i(t, f->result));
    return f->z;
}

LLVMValueRef vc4_qpu_trans_flag_n(struct vc4_qpu_trans *t)
{
    struct vc4_qpu_trans_flags *f = &t->flags;

    if (!f->n && t->masks && !f->is_sum && vc4_qpu_trans_is_choice(f->result))
        f->n = vc4_qpu_trans_is_negative(t, f->result);
    if (!f->n)
        f->n = f->is_sum ? compare_sum(t, LLVMRealOLT)
                         : LLVMBuildICmp(t->b->ir, LLVMIntSLT, vc4_qpu_trans_i(t, f->result),
                                         jit_splat_u32(t->b, 0), "");
    return f->n;
}

static LLVMValueRef compare(struct vc4_qpu_trans *t, LLVMIntPredicate how, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildICmp(t->b->ir, how, x, y, "");
}

/* Sign-magnitude patterns as integers in the same order. */
static LLVMValueRef order_key(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef i = vc4_qpu_trans_i(t, v);

    if (t->exact)
        return vc4_qpu_trans_exact_rank(t, v);
    if (v->positive)
        return i;
    LLVMValueRef sign = LLVMBuildAShr(ir, i, jit_splat_u32(t->b, 31), "");
    return LLVMBuildXor(ir, i, vc4_qpu_trans_and(t, sign, 0x7fffffff), "");
}

static LLVMValueRef magnitude(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    return vc4_qpu_trans_and(t, vc4_qpu_trans_i(t, v), 0x7fffffff);
}

/* The bit that a shift moves out last; a shift by 0 moves none. */
static LLVMValueRef shifted_out(struct vc4_qpu_trans *t, const struct vc4_qpu_trans_flags *f)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef n = vc4_qpu_trans_and(t, vc4_qpu_trans_i(t, f->y), 31), x = vc4_qpu_trans_i(t, f->x),
                 zero = jit_splat_u32(t->b, 0);
    LLVMValueRef before = vc4_qpu_trans_and(t, LLVMBuildSub(ir, n, jit_splat_u32(t->b, 1), ""), 31), out;

    if (f->op == VC4_QPU_A_SHL)
        out = compare(t, LLVMIntSLT, LLVMBuildShl(ir, x, before, ""), zero);
    else
        out = compare(t, LLVMIntNE, vc4_qpu_trans_and(t, LLVMBuildLShr(ir, x, before, ""), 1), zero);
    return LLVMBuildAnd(ir, out, compare(t, LLVMIntNE, n, zero), "");
}

static LLVMValueRef add_carry(struct vc4_qpu_trans *t, const struct vc4_qpu_trans_flags *f)
{
    switch (f->op) {
    case VC4_QPU_A_ITOF:
    case VC4_QPU_A_FADD:
    case VC4_QPU_A_FSUB: /* the one NaN has its sign set, and so is not greater than zero */
        return compare(t, LLVMIntSGT, vc4_qpu_trans_i(t, f->result), jit_splat_u32(t->b, 0));
    case VC4_QPU_A_FMIN:
    case VC4_QPU_A_FMAX: return compare(t, LLVMIntSGT, order_key(t, f->x), order_key(t, f->y));
    case VC4_QPU_A_FMINABS:
    case VC4_QPU_A_FMAXABS: return compare(t, LLVMIntSGT, magnitude(t, f->x), magnitude(t, f->y));
    case VC4_QPU_A_MIN:
    case VC4_QPU_A_MAX: return compare(t, LLVMIntSGT, vc4_qpu_trans_i(t, f->x), vc4_qpu_trans_i(t, f->y));
    case VC4_QPU_A_ADD:
        return compare(t, LLVMIntULT, vc4_qpu_trans_i(t, f->result), vc4_qpu_trans_i(t, f->x));
    case VC4_QPU_A_SUB: return compare(t, LLVMIntULT, vc4_qpu_trans_i(t, f->x), vc4_qpu_trans_i(t, f->y));
    case VC4_QPU_A_SHR:
    case VC4_QPU_A_ASR:
    case VC4_QPU_A_SHL: return shifted_out(t, f);
    default: return LLVMConstNull(t->b->i1x16);
    }
}

LLVMValueRef vc4_qpu_trans_flag_c(struct vc4_qpu_trans *t)
{
    struct vc4_qpu_trans_flags *f = &t->flags;

    if (!f->c)
        f->c = f->is_add ? add_carry(t, f) : LLVMConstNull(t->b->i1x16);
    return f->c;
}

LLVMValueRef vc4_qpu_trans_cond_mask(struct vc4_qpu_trans *t, unsigned cond)
{
    switch (cond) {
    case VC4_QPU_COND_ZS: return vc4_qpu_trans_flag_z(t);
    case VC4_QPU_COND_ZC: return LLVMBuildNot(t->b->ir, vc4_qpu_trans_flag_z(t), "");
    case VC4_QPU_COND_NS: return vc4_qpu_trans_flag_n(t);
    case VC4_QPU_COND_NC: return LLVMBuildNot(t->b->ir, vc4_qpu_trans_flag_n(t), "");
    case VC4_QPU_COND_CS: return vc4_qpu_trans_flag_c(t);
    case VC4_QPU_COND_CC: return LLVMBuildNot(t->b->ir, vc4_qpu_trans_flag_c(t), "");
    default: return NULL;
    }
}

void vc4_qpu_trans_set_flags(struct vc4_qpu_trans *t, const struct vc4_qpu_trans_flags *flags,
                             LLVMValueRef mask)
{
    LLVMValueRef n = NULL, z = NULL, c = NULL;

    t->flags_dirty = true;
    if (mask) {
        n = vc4_qpu_trans_flag_n(t);
        z = vc4_qpu_trans_flag_z(t);
        c = vc4_qpu_trans_flag_c(t);
    }
    t->flags = *flags;
    if (mask) {
        t->flags.n = jit_select(t->b, mask, vc4_qpu_trans_flag_n(t), n);
        t->flags.z = jit_select(t->b, mask, vc4_qpu_trans_flag_z(t), z);
        t->flags.c = jit_select(t->b, mask, vc4_qpu_trans_flag_c(t), c);
    }
}

LLVMValueRef vc4_qpu_trans_branch_cond(struct vc4_qpu_trans *t, unsigned cond)
{
    if (cond > VC4_QPU_BR_ANY_CC)
        return NULL;
    LLVMValueRef mask = cond < VC4_QPU_BR_ALL_NS   ? vc4_qpu_trans_flag_z(t)
                        : cond < VC4_QPU_BR_ALL_CS ? vc4_qpu_trans_flag_n(t)
                                                   : vc4_qpu_trans_flag_c(t);
    if (cond & 1)
        mask = LLVMBuildNot(t->b->ir, mask, "");
    return cond & 2 ? jit_mask_any(t->b, mask) : jit_mask_all(t->b, mask);
}
