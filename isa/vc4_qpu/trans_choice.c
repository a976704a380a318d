/* Values of which each lane holds one of few constants, as masks: drivers keep the state of lanes so where
 * control flow diverges, and compare it at every step. With AVX-512 a mask is a register, and logic on it
 * takes a cycle; from vector to mask and back takes seven. */
#include "isa/vc4_qpu/trans_internal.h"

#define DEPTH 32 /* writes that may lie upon one another: what they ask for is found by recursion */

bool vc4_qpu_trans_is_choice(const struct vc4_qpu_value *v)
{
    return v->known || v->choice || v->listed;
}

struct vc4_qpu_value *vc4_qpu_trans_choose(struct vc4_qpu_trans *t, LLVMValueRef mask,
                                           struct vc4_qpu_value *new, struct vc4_qpu_value *old)
{
    if (!t->masks || !new->known || !vc4_qpu_trans_is_choice(old) || old->depth == DEPTH)
        return NULL;
    struct vc4_qpu_value *v = vc4_qpu_trans_new_value(t);

    if (t->failed) /* it may be `old` */
        return NULL;
    v->choice = mask;
    v->imm = new->imm;
    v->old = old;
    v->depth = old->depth + 1;
    return v;
}

static LLVMValueRef remember(struct vc4_qpu_value *v, uint32_t imm, LLVMValueRef mask)
{
    if (!v->listed && v->is_count < TRANS_CHOICES) {
        v->is_imm[v->is_count] = imm;
        v->is[v->is_count++] = mask;
    }
    return mask;
}

LLVMValueRef vc4_qpu_trans_is(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, uint32_t imm)
{
    LLVMBuilderRef ir = t->b->ir;

    if (v->known)
        return v->imm == imm ? LLVMConstAllOnes(t->b->i1x16) : LLVMConstNull(t->b->i1x16);
    for (unsigned i = 0; i < v->is_count; i++)
        if (v->is_imm[i] == imm)
            return v->is[i];
    if (v->listed)
        return LLVMConstNull(t->b->i1x16);
    if (!v->choice)
        return remember(v, imm,
                        LLVMBuildICmp(ir, LLVMIntEQ, vc4_qpu_trans_i(t, v), jit_splat_u32(t->b, imm), ""));
    LLVMValueRef below = vc4_qpu_trans_is(t, v->old, imm);
    if (v->imm == imm)
        return remember(v, imm, LLVMBuildOr(ir, v->choice, below, ""));
    return remember(v, imm, LLVMBuildAnd(ir, LLVMBuildNot(ir, v->choice, ""), below, ""));
}

LLVMValueRef vc4_qpu_trans_is_negative(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef r = LLVMConstNull(t->b->i1x16);

    if (v->known)
        return v->imm >> 31 ? LLVMConstAllOnes(t->b->i1x16) : r;
    if (v->choice) {
        LLVMValueRef below = vc4_qpu_trans_is_negative(t, v->old);
        return v->imm >> 31 ? LLVMBuildOr(ir, v->choice, below, "")
                            : LLVMBuildAnd(ir, LLVMBuildNot(ir, v->choice, ""), below, "");
    }
    for (unsigned i = 0; i < v->is_count; i++)
        if (v->is_imm[i] >> 31)
            r = LLVMBuildOr(ir, r, v->is[i], "");
    return r;
}

/* ---- between blocks ---- */

static const struct vc4_qpu_trans_fact *fact_at(const struct vc4_qpu_trans *t, uint32_t block, unsigned reg)
{
    return &t->facts[(size_t)block * TRANS_REGS + reg];
}

static bool several(const struct vc4_qpu_trans_fact *f)
{
    return f->is == TRANS_CONSTANTS && f->count > 1;
}

/* The constants that a register may hold where blocks begin, if they are few. The one that most often is
 * among them is left to be found by the others' masks. */
static void note_constants(struct vc4_qpu_trans *t, unsigned reg)
{
    struct vc4_qpu_trans_slots *s = &t->choices[reg];
    uint32_t seen[TRANS_CHOICES] = {0};

    for (uint32_t block = 0; block < t->program->block_count; block++) {
        const struct vc4_qpu_trans_fact *f = fact_at(t, block, reg);
        for (unsigned i = 0; several(f) && i < f->count; i++) {
            unsigned k = 0;
            while (k < s->count && s->imm[k] != f->imm[i])
                k++;
            if (k == TRANS_CHOICES) {
                s->count = 0;
                return;
            }
            s->imm[k] = f->imm[i];
            s->count += k == s->count;
            seen[k]++;
        }
    }
    for (unsigned k = 0; k < s->count; k++)
        if (seen[k] > seen[s->rest] || (seen[k] == seen[s->rest] && s->imm[k]))
            s->rest = k; /* 0 is what is asked for most */
}

void vc4_qpu_trans_make_choices(struct vc4_qpu_trans *t)
{
    for (unsigned reg = 0; t->masks && reg < TRANS_REGS; reg++) {
        struct vc4_qpu_trans_slots *s = &t->choices[reg];

        note_constants(t, reg);
        for (unsigned k = 0; k < s->count; k++) {
            if (k == s->rest)
                continue;
            s->slot[k] = jit_alloca(t->b, t->b->i1x16, "choice");
            jit_store(t->b, LLVMConstNull(t->b->i1x16), s->slot[k], 2);
        }
        if (s->count && several(fact_at(t, 0, reg)))
            vc4_qpu_trans_store_choice(t, reg, t->regs[reg] ? t->regs[reg] : t->zero);
    }
}

void vc4_qpu_trans_store_choice(struct vc4_qpu_trans *t, unsigned reg, struct vc4_qpu_value *v)
{
    const struct vc4_qpu_trans_slots *s = &t->choices[reg];

    for (unsigned k = 0; k < s->count; k++)
        if (k != s->rest)
            jit_store(t->b, vc4_qpu_trans_is(t, v, s->imm[k]), s->slot[k], 2);
}

/* Only what a block that follows will look for: registers have other uses too. */
void vc4_qpu_trans_store_choices(struct vc4_qpu_trans *t)
{
    const struct vc4_qpu_block *block = &t->program->blocks[t->number];

    for (unsigned reg = 0; t->facts && reg < TRANS_REGS; reg++) {
        bool wanted = false;

        for (unsigned k = 0; k < 2 && t->choices[reg].count; k++)
            wanted |=
                block->successor[k] != VC4_QPU_NO_OFFSET && several(fact_at(t, block->successor[k], reg));
        if (wanted && (t->dirty[reg] || !several(fact_at(t, t->number, reg))))
            vc4_qpu_trans_store_choice(t, reg, vc4_qpu_trans_reg(t, reg));
    }
}

static bool among(const struct vc4_qpu_trans_fact *f, uint32_t imm)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->imm[i] == imm)
            return true;
    return false;
}

/* The masks of what the register may hold here. */
static void load_choice(struct vc4_qpu_trans *t, const struct vc4_qpu_trans_fact *f,
                        const struct vc4_qpu_trans_slots *s, struct vc4_qpu_value *v)
{
    LLVMValueRef others = LLVMConstNull(t->b->i1x16);

    for (unsigned k = 0; k < s->count; k++) {
        if (k == s->rest || !among(f, s->imm[k]))
            continue;
        LLVMValueRef is = jit_load(t->b, t->b->i1x16, s->slot[k], 2, false);
        remember(v, s->imm[k], is);
        others = LLVMBuildOr(t->b->ir, others, is, "");
    }
    if (among(f, s->imm[s->rest]))
        remember(v, s->imm[s->rest], LLVMBuildNot(t->b->ir, others, ""));
    v->listed = true;
}

struct vc4_qpu_value *vc4_qpu_trans_load_reg(struct vc4_qpu_trans *t, unsigned reg)
{
    const struct vc4_qpu_trans_fact *f = t->facts ? fact_at(t, t->number, reg) : NULL;

    if (f && f->is == TRANS_CONSTANTS && f->count == 1)
        return vc4_qpu_trans_imm(t, f->imm[0]);
    struct vc4_qpu_value *v = vc4_qpu_trans_int(t, jit_load(t->b, t->b->i32x16, t->slots[reg], 64, false));
    v->clean = f && !t->exact && vc4_qpu_trans_fact_clean(f);
    if (f && several(f) && t->choices[reg].count)
        load_choice(t, f, &t->choices[reg], v);
    return v;
}
