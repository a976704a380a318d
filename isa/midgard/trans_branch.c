/* Branches and what else branch units do: of one set of lanes, or of several side by side, whose masks stand side by
 * side, too. */
#include <string.h>

#include "isa/midgard/trans_internal.h"

/* ---- conditions ---- */

/* Condition n of the four in r31. */
static LLVMValueRef condition(struct midgard_trans *t, unsigned n)
{
    LLVMValueRef half =
        midgard_trans_band(t, t->reg[MIDGARD_R_SELECT][n < 2 ? 3 : 0], n & 1 ? 0xffff0000u : 0x0000ffffu);
    return LLVMBuildICmp(t->b->ir, LLVMIntNE, half, jit_splat_u32(t->b, 0), "");
}

/* Rule 8: the four conditions of r31 choose a bit of the table. Of conditions below n: the one above halves its 1 << n
 * bits, and is asked for where they differ. */
static LLVMValueRef by_table(struct midgard_trans *t, uint32_t table, unsigned n)
{
    struct jit_builder *b = t->b;
    const uint32_t bits = UINT32_MAX >> (32 - (1u << n));
    if (!(table & bits) || (table & bits) == bits)
        return table & bits ? LLVMConstAllOnes(b->i1x16) : LLVMConstNull(b->i1x16);
    const uint32_t low = table & (bits >> (1u << (n - 1))), high = (table & bits) >> (1u << (n - 1));
    LLVMValueRef unset = by_table(t, low, n - 1);
    if (low == high)
        return unset;
    LLVMValueRef set = by_table(t, high, n - 1), chosen = condition(t, n - 1);
    set = LLVMBuildAnd(b->ir, set, chosen, "");
    return LLVMBuildOr(b->ir, set, LLVMBuildAnd(b->ir, unset, LLVMBuildNot(b->ir, chosen, ""), ""), "");
}

/* Lanes for which branch k is taken, whether they are there or not. */
static LLVMValueRef holds(struct midgard_trans *t, unsigned k)
{
    struct jit_builder *b = t->b;
    const struct midgard_jump *j = &t->insn->jump[k];
    LLVMValueRef all = LLVMConstAllOnes(b->i1x16), none = LLVMConstNull(b->i1x16);
    if (k)
        return by_table(t, j->condition, 4);
    if (j->op == MIDGARD_JUMP || j->condition == MIDGARD_IF_ALWAYS)
        return all;
    if (j->condition == MIDGARD_IF_NEVER)
        return none;
    return LLVMBuildICmp(b->ir, j->condition == MIDGARD_IF_TRUE ? LLVMIntNE : LLVMIntEQ,
                         t->reg[MIDGARD_R_SELECT][3], jit_splat_u32(b, 0), "");
}

/* ---- what is paid ---- */

/* Lanes that branch backward pay for it; when one cannot, the program stops. */
static void pay(struct midgard_trans *t, const struct midgard_trans_slots *s, LLVMValueRef taken,
                uint32_t cost)
{
    struct jit_builder *b = t->b;
    LLVMValueRef left = LLVMBuildLoad2(b->ir, b->i32x16, s->fuel, ""), price = jit_splat_u32(b, cost);
    LLVMValueRef less = LLVMBuildICmp(b->ir, LLVMIntULT, left, price, "");
    midgard_trans_fault(t, MIDGARD_FAULT_FUEL, LLVMBuildAnd(b->ir, taken, less, ""), NULL);
    jit_diverge_set(b, s->fuel, LLVMBuildSub(b->ir, left, price, ""), taken);
}

/* ---- units ---- */

static const struct midgard_write *write_of(const struct midgard_trans *t, unsigned k)
{
    const struct midgard_program *p = t->program;
    const struct midgard_jump *first = &t->insn->jump[0];
    uint32_t n = 0;
    while (n < p->write_count && p->writes[n].insn != t->number)
        n++;
    bool two = k && midgard_has(t->insn, MIDGARD_BRANCH) && first->op == MIDGARD_WRITEOUT && first->condition;
    return &p->writes[n + two];
}

static void writeout(struct midgard_trans *t, unsigned k, LLVMValueRef lanes)
{
    LLVMValueRef address = NULL;
    struct midgard_ir_writeout what = {.write = write_of(t, k)};
    memcpy(what.color, t->reg[0], sizeof what.color);
    memcpy(what.second, t->reg[2], sizeof what.second);
    what.depth = t->reg[1][0];
    what.stencil = t->reg[1][1];
    what.select = what.write->has_select ? t->reg[1][2] : jit_splat_u32(t->b, 0);
    lanes = midgard_trans_visible(t, lanes);
    LLVMValueRef missing = t->ports->writeout(t->ports->ctx, t->b, &what, lanes, &address);
    midgard_trans_check(t, missing, lanes, address);
}

/* A fault of whoever is left to branch, told of the lowest lane that executes. */
static void refuse(struct midgard_trans *t, enum midgard_fault fault)
{
    struct jit_builder *b = t->b;
    if (t->left == t->mask)
        midgard_trans_fault(t, fault, NULL, NULL);
    else
        midgard_trans_fault(t, fault, jit_splat(b, jit_mask_any(b, t->left)), NULL);
}

static void go(struct midgard_trans_sides *s, unsigned k, uint32_t target)
{
    const struct midgard_trans *t = &s->t[0];
    LLVMValueRef masks[MIDGARD_SIDES] = {NULL};
    for (unsigned n = 0; n < s->count; n++)
        masks[n] = holds(&s->t[n], k);
    LLVMValueRef taken = jit_diverge_branch(&s->diverge, jit_diverge_join(t->b, masks, s->count), target);
    uint32_t first = target < t->program->block_count ? t->program->blocks[target].first : UINT32_MAX;
    if (first <= t->number && s->count > 1)
        isa_trans_pay_together(t->b, s->fuel, t->number + 1 - first, s->leave);
    else if (first <= t->number)
        pay(&s->t[0], &s->slots[0], taken, t->number + 1 - first);
    bool discards = t->insn->jump[k].op == MIDGARD_DISCARD;
    for (unsigned n = 0; n < s->count; n++) {
        if (discards)
            jit_diverge_set(t->b, s->slots[n].live, LLVMConstNull(t->b->i1x16),
                            jit_diverge_part(t->b, taken, s->count, n));
        s->t[n].left = jit_diverge_part(t->b, jit_diverge_left(&s->diverge), s->count, n);
    }
}

/* Branch k, at the end of a block or within it, of the lanes that have not branched. */
static void branch(struct midgard_trans_sides *s, unsigned k, uint32_t target)
{
    const struct midgard_jump *j = &s->t[0].insn->jump[k];
    bool calls = j->call > MIDGARD_CALL_NONE;
    bool writes = j->op == MIDGARD_WRITEOUT && (k ? j->condition : j->condition != MIDGARD_IF_NEVER);
    bool jumps = j->op == MIDGARD_JUMP || j->op == MIDGARD_BRANCH_IF;
    bool known =
        jumps || j->op == MIDGARD_DISCARD || j->op == MIDGARD_TILE_PENDING || j->op == MIDGARD_WRITEOUT;
    if (!calls && jumps && target != MIDGARD_NO_BLOCK)
        go(s, k, target);
    if (!calls && j->op == MIDGARD_DISCARD)
        go(s, k, s->t[0].block_count);
    for (unsigned n = 0; n < s->count; n++) {
        struct midgard_trans *t = &s->t[n];
        if (calls || !known)
            refuse(t, calls ? MIDGARD_FAULT_UNSUPPORTED : MIDGARD_FAULT_RESERVED);
        else if (writes)
            writeout(t, k, LLVMBuildAnd(t->b->ir, t->left, holds(t, k), ""));
    }
}

void midgard_trans_branches(struct midgard_trans_sides *s, const struct midgard_block *block)
{
    const struct midgard_trans *t = &s->t[0];
    bool last = t->number == block->first + block->count - 1;
    for (unsigned n = 0; n < s->count; n++)
        s->t[n].left = s->t[n].mask;
    for (unsigned k = 0; k < 2 && !t->ended; k++)
        if (midgard_has(t->insn, (enum midgard_unit)(MIDGARD_BRANCH + k)))
            branch(s, k, last ? block->target[k] : MIDGARD_NO_BLOCK);
}
