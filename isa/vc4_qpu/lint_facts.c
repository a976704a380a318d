/* What an instruction reads and writes, as the linter counts it: operands of operations whose result goes
 * somewhere; every write whose condition is not `never`. */
#include "isa/vc4_qpu/lint_internal.h"
#include "isa/vc4_qpu/names.h"

static unsigned place_of(const struct vc4_qpu_insn *insn, unsigned mux)
{
    if (mux <= VC4_QPU_MUX_R5)
        return LINT_ACC + mux;
    if (mux == VC4_QPU_MUX_A)
        return insn->raddr_a < 32 ? LINT_FILE_A + insn->raddr_a : LINT_PLACES;
    bool file = insn->sig != VC4_QPU_SIG_SMALL_IMM && insn->raddr_b < 32;
    return file ? LINT_FILE_B + insn->raddr_b : LINT_PLACES;
}

/* Operations whose result does not depend on an operand that stands on both sides. */
static bool cancels(const struct vc4_qpu_insn *insn, bool mul)
{
    if (mul)
        return insn->op_mul == VC4_QPU_M_V8SUBS && insn->mul_a == insn->mul_b;
    return insn->add_a == insn->add_b && (insn->op_add == VC4_QPU_A_XOR || insn->op_add == VC4_QPU_A_SUB ||
                                          insn->op_add == VC4_QPU_A_V8SUBS);
}

/* One unit of an ALU instruction. */
static void unit_reads(const struct vc4_qpu_insn *insn, bool mul, struct vc4_qpu_lint_facts *out)
{
    unsigned op = mul ? insn->op_mul : insn->op_add, cond = mul ? insn->cond_mul : insn->cond_add;
    unsigned waddr = mul ? insn->waddr_mul : insn->waddr_add;
    bool sets_flags = insn->sf && (!mul || insn->op_add == VC4_QPU_A_NOP);
    bool kept = cond != VC4_QPU_COND_NEVER && waddr != VC4_QPU_W_NOP;
    if (!op || (!kept && !sets_flags))
        return;
    if (cond >= VC4_QPU_COND_ZS)
        vc4_qpu_lint_set(&out->reads, LINT_FLAGS);
    if (mul && insn->sig == VC4_QPU_SIG_SMALL_IMM && insn->raddr_b == 48)
        vc4_qpu_lint_set(&out->reads, LINT_R5);
    if (cancels(insn, mul))
        return;
    for (unsigned i = 0; i < vc4_qpu_operands(mul, op); i++) {
        unsigned mux = mul ? (i ? insn->mul_b : insn->mul_a) : (i ? insn->add_b : insn->add_a);
        unsigned place = place_of(insn, mux);
        if (place != LINT_PLACES)
            vc4_qpu_lint_set(&out->reads, place);
    }
}

static void unit_write(const struct vc4_qpu_insn *insn, bool mul, struct vc4_qpu_lint_facts *out)
{
    struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
    if (!w.happens)
        return;
    if (w.waddr < 32)
        vc4_qpu_lint_set(&out->writes, (w.file_b ? LINT_FILE_B : LINT_FILE_A) + w.waddr);
    else if (w.waddr <= VC4_QPU_W_ACC3)
        vc4_qpu_lint_set(&out->writes, LINT_ACC + w.waddr - VC4_QPU_W_ACC0);
    else if (w.waddr == VC4_QPU_W_ACC5)
        vc4_qpu_lint_set(&out->writes, LINT_R5);
    else if (w.waddr >= VC4_QPU_W_SFU_RECIP && w.waddr <= VC4_QPU_W_SFU_LOG2)
        vc4_qpu_lint_set(&out->writes, LINT_R4);
}

void vc4_qpu_lint_facts(const struct vc4_qpu_insn *insn, struct vc4_qpu_lint_facts *out)
{
    *out = (struct vc4_qpu_lint_facts){0};
    bool tmu = insn->sig == VC4_QPU_SIG_LOAD_TMU0 || insn->sig == VC4_QPU_SIG_LOAD_TMU1;
    if (insn->kind == VC4_QPU_ALU) {
        unit_reads(insn, false, out);
        unit_reads(insn, true, out);
    } else if (insn->kind == VC4_QPU_BRANCH) {
        if (insn->branch_cond != VC4_QPU_BR_ALWAYS)
            vc4_qpu_lint_set(&out->reads, LINT_FLAGS);
        if (insn->branch_reg)
            vc4_qpu_lint_set(&out->reads, LINT_FILE_A + insn->branch_raddr);
    } else if (insn->cond_add >= VC4_QPU_COND_ZS || insn->cond_mul >= VC4_QPU_COND_ZS) {
        vc4_qpu_lint_set(&out->reads, LINT_FLAGS);
    }
    unit_write(insn, false, out);
    unit_write(insn, true, out);
    if (tmu || vc4_qpu_lint_loads_tlb(insn))
        vc4_qpu_lint_set(&out->writes, LINT_R4);
    if (vc4_qpu_reads(insn, VC4_QPU_R_VARYING))
        vc4_qpu_lint_set(&out->writes, LINT_R5); /* the C coefficient (Guide section 6) */
    if (insn->sf && insn->kind != VC4_QPU_BRANCH)
        vc4_qpu_lint_set(&out->writes, LINT_FLAGS);
}

static bool writes_in(const struct vc4_qpu_insn *insn, unsigned waddr, unsigned files)
{
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
        if (w.happens && w.waddr == waddr && files >> w.file_b & 1)
            return true;
    }
    return false;
}

bool vc4_qpu_lint_writes(const struct vc4_qpu_insn *insn, unsigned waddr)
{
    return writes_in(insn, waddr, 3);
}

bool vc4_qpu_lint_writes_a(const struct vc4_qpu_insn *insn, unsigned waddr)
{
    return writes_in(insn, waddr, 1);
}

bool vc4_qpu_lint_writes_b(const struct vc4_qpu_insn *insn, unsigned waddr)
{
    return writes_in(insn, waddr, 2);
}

bool vc4_qpu_lint_writes_tlb(const struct vc4_qpu_insn *insn)
{
    for (unsigned waddr = VC4_QPU_W_TLB_Z; waddr <= VC4_QPU_W_TLB_ALPHA_MASK; waddr++)
        if (vc4_qpu_lint_writes(insn, waddr))
            return true;
    return false;
}

bool vc4_qpu_lint_loads_tlb(const struct vc4_qpu_insn *insn)
{
    return insn->sig == VC4_QPU_SIG_COVERAGE_LOAD || insn->sig == VC4_QPU_SIG_COLOR_LOAD ||
           insn->sig == VC4_QPU_SIG_COLOR_LOAD_END || insn->sig == VC4_QPU_SIG_ALPHA_MASK_LOAD;
}

bool vc4_qpu_lint_switches(const struct vc4_qpu_insn *insn)
{
    return insn->sig == VC4_QPU_SIG_THREAD_SWITCH || insn->sig == VC4_QPU_SIG_LAST_THREAD_SWITCH;
}

bool vc4_qpu_lint_immediate(const struct vc4_qpu_insn *insn, uint32_t *value)
{
    *value = insn->imm;
    return insn->kind == VC4_QPU_LOAD_IMM32;
}
