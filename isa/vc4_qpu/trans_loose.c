/* Sums and products as IEEE has them, without what makes a product's NaN or -0 a +0 (README, rule 2). Where
 * such a loose value is a number it is the value itself, but for the sign of a zero: sums and products of
 * numbers that differ in signs of zeros are the same, or zeros. A NaN stays one in all that follows, so it is
 * enough that whoever looks at a loose value otherwise than by a sum or product takes for granted that it is
 * a number, and does not tell zeros apart: conversions to integers and bytes, special functions, flags of
 * sums. That is for runs with a side exit (trans_exit.c), and for results of which nobody else wants the
 * bits: of those the exact view alone is made. */
#include <errno.h>
#include <stdlib.h>

#include "isa/vc4_qpu/program_internal.h"
#include "isa/vc4_qpu/trans_internal.h"
#include "util/bits.h"

/* ---- which results are wanted bit by bit ---- */

enum { ADD = 1, MUL = 2 };

struct wanted {
    bool of[TRANS_REGS]; /* what the register holds before the instruction at hand */
};

static unsigned register_of(struct vc4_qpu_write w)
{
    if (w.waddr < 32)
        return (w.file_b ? TRANS_B : TRANS_A) + w.waddr;
    return w.waddr >= VC4_QPU_W_ACC0 && w.waddr <= VC4_QPU_W_ACC3 ? TRANS_R + w.waddr - VC4_QPU_W_ACC0
                                                                  : TRANS_REGS;
}

static bool packs_bytes(const struct vc4_qpu_insn *insn, bool mul)
{
    return insn->pm && mul && insn->pack >= 3 && insn->pack <= 7;
}

/* Whether the bits of a unit's result are wanted by what it writes. */
static bool result_wanted(const struct wanted *wanted, const struct vc4_qpu_insn *insn, bool mul)
{
    struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
    unsigned reg = register_of(w);

    if (!w.happens || packs_bytes(insn, mul))
        return false;
    if (reg == TRANS_REGS)
        return w.waddr < VC4_QPU_W_SFU_RECIP || w.waddr > VC4_QPU_W_SFU_LOG2;
    return wanted->of[reg] || (insn->pack && !insn->pm && !w.file_b);
}

/* A write of all of a register ends what was wanted of it. */
static void overwrite(struct wanted *wanted, const struct vc4_qpu_insn *insn, bool mul)
{
    struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
    unsigned reg = register_of(w);

    if (w.happens && w.always && !insn->pack && reg < TRANS_REGS)
        wanted->of[reg] = false;
}

static void want(struct wanted *wanted, const struct vc4_qpu_insn *insn, unsigned mux)
{
    if (mux < VC4_QPU_MUX_A)
        wanted->of[TRANS_R + mux] = true;
    else if (mux == VC4_QPU_MUX_A && insn->raddr_a < 32)
        wanted->of[TRANS_A + insn->raddr_a] = true;
    else if (mux == VC4_QPU_MUX_B && insn->sig != VC4_QPU_SIG_SMALL_IMM && insn->raddr_b < 32)
        wanted->of[TRANS_B + insn->raddr_b] = true;
}

/* Whether an operation wants its operands' bits, `result` being whether those of its result are wanted. */
static bool add_wants(const struct vc4_qpu_insn *insn, bool result)
{
    if (insn->op_add == VC4_QPU_A_NOP || insn->op_add == VC4_QPU_A_FTOI)
        return false;
    if (vc4_qpu_trans_add_sums(insn->op_add))
        return result;
    return result || insn->sf || insn->add_a != insn->add_b || !vc4_qpu_trans_add_moves(insn->op_add);
}

static bool mul_wants(const struct vc4_qpu_insn *insn, bool result)
{
    bool moves =
        insn->mul_a == insn->mul_b && (insn->op_mul == VC4_QPU_M_V8MIN || insn->op_mul == VC4_QPU_M_V8MAX);

    if (insn->op_mul == VC4_QPU_M_NOP)
        return false;
    return result || (insn->sf && insn->op_add == VC4_QPU_A_NOP) ||
           !(moves || insn->op_mul == VC4_QPU_M_FMUL);
}

/* One instruction, from behind; `late`: it does not stand before the exit. Returns whose results are wanted.
 */
static uint8_t step_back(struct wanted *wanted, const struct vc4_qpu_insn *insn, bool late)
{
    bool turns = insn->sig == VC4_QPU_SIG_SMALL_IMM && insn->raddr_b >= 48;
    bool add = late || result_wanted(wanted, insn, false), mul = late || result_wanted(wanted, insn, true);

    overwrite(wanted, insn, false);
    overwrite(wanted, insn, true);
    if (insn->kind != VC4_QPU_ALU)
        return ADD | MUL;
    if (insn->unpack || add_wants(insn, add)) {
        want(wanted, insn, insn->add_a);
        want(wanted, insn, insn->add_b);
    }
    if (insn->unpack || turns || mul_wants(insn, mul)) {
        want(wanted, insn, insn->mul_a);
        want(wanted, insn, insn->mul_b);
    }
    return (add ? ADD : 0) | (mul ? MUL : 0);
}

void vc4_qpu_trans_loose_plan(struct vc4_qpu_trans *t)
{
    uint32_t exit = vc4_qpu_trans_exit_at(t);
    struct wanted wanted = {{false}};

    t->exactly = calloc(t->program->insn_count, sizeof *t->exactly);
    if (!t->exactly) {
        vc4_qpu_trans_fail(t, -ENOMEM, "out of memory");
        return;
    }
    for (uint32_t pc = t->program->insn_count; pc--;)
        t->exactly[pc] = step_back(&wanted, &t->program->insns[pc], pc >= exit);
}

/* ---- values ---- */

/* Whether a sum gains by taking the value loosely. */
static bool differs(const struct vc4_qpu_value *v)
{
    return v->loose || (!v->unbounded && (v->raw || !v->clean));
}

static enum vc4_qpu_trans_sure sure(const struct vc4_qpu_value *v)
{
    if (v->known)
        return (v->imm & 0x7f800000) != 0x7f800000 ? TRANS_FINITE : TRANS_UNSURE;
    return v->unorm ? TRANS_FINITE : v->sure;
}

bool vc4_qpu_trans_is_loose(const struct vc4_qpu_trans *t, const struct vc4_qpu_value *v)
{
    return t->side_exit && v->loose;
}

LLVMValueRef vc4_qpu_trans_loose(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    if (v->loose)
        return v->loose;
    return v->unbounded ? vc4_qpu_trans_operand(t, v) : vc4_qpu_trans_multiplicand(t, v);
}

LLVMValueRef vc4_qpu_trans_number(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, LLVMRealPredicate how)
{
    LLVMValueRef f = vc4_qpu_trans_loose(t, v);

    if (how == LLVMRealORD && v->sure != TRANS_UNSURE)
        return f;
    vc4_qpu_trans_fit(t, LLVMBuildFCmp(t->b->ir, how, f, LLVMConstNull(t->b->f32x16), ""));
    v->sure = UTIL_MAX(v->sure, TRANS_ORDERED);
    return f;
}

/* Sums and products of finite numbers are no NaN; infinite ones are none where only one of a sum's operands
 * may be infinite. */
static bool stays_ordered(LLVMOpcode op, enum vc4_qpu_trans_sure x, enum vc4_qpu_trans_sure y)
{
    if (op == LLVMFMul)
        return x == TRANS_FINITE && y == TRANS_FINITE;
    return UTIL_MIN(x, y) != TRANS_UNSURE && UTIL_MAX(x, y) == TRANS_FINITE;
}

static LLVMValueRef factor(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    return v->loose ? vc4_qpu_trans_number(t, v, LLVMRealORD) : vc4_qpu_trans_multiplicand(t, v);
}

/* Zero times infinity is no rare thing where a reciprocal is refined, and would have all runs leave: such
 * products become the +0 that they are at once. Of loose operands it has to be known then that they are
 * numbers. */
static void loose_unbounded(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, struct vc4_qpu_value *x,
                            struct vc4_qpu_value *y)
{
    v->unbounded = true;
    v->sure = TRANS_ORDERED;
    if ((x->loose || y->loose) && !(t->exactly[t->pc] & MUL))
        v->loose =
            vc4_qpu_trans_drop_nan_and_minus(t, LLVMBuildFMul(t->b->ir, factor(t, x), factor(t, y), ""));
}

/* The loose product of operands that do not differ is the raw one. */
void vc4_qpu_trans_loose_op(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, LLVMOpcode op,
                            struct vc4_qpu_value *x, struct vc4_qpu_value *y)
{
    bool gains = op == LLVMFMul ? x->loose || y->loose : differs(x) || differs(y);

    if (!t->side_exit || !t->exactly)
        return;
    if (op == LLVMFMul && (x->unbounded || y->unbounded)) {
        loose_unbounded(t, v, x, y);
        return;
    }
    if (stays_ordered(op, sure(x), sure(y)))
        v->sure = TRANS_ORDERED;
    if (gains && !(t->exactly[t->pc] & (op == LLVMFMul ? MUL : ADD)))
        v->loose = LLVMBuildBinOp(t->b->ir, op, vc4_qpu_trans_loose(t, x), vc4_qpu_trans_loose(t, y), "");
}

void vc4_qpu_trans_loose_choice(struct vc4_qpu_trans *t, struct vc4_qpu_value *v, LLVMValueRef mask,
                                struct vc4_qpu_value *new, struct vc4_qpu_value *old)
{
    if (!t->side_exit || !t->exactly)
        return;
    v->sure = UTIL_MIN(sure(new), sure(old));
    v->unbounded = new->unbounded || old->unbounded;
    if (new->loose || old->loose)
        v->loose = jit_select(t->b, mask, vc4_qpu_trans_loose(t, new), vc4_qpu_trans_loose(t, old));
}
