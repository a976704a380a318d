/* What registers may hold where a block begins: few constants (drivers keep a lane's state so while control
 * flow diverges), or floats among which is no NaN but the one NaN. A forward pass over the instructions until
 * nothing changes; it knows less than translation does of one block, never more. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/program_internal.h"
#include "isa/vc4_qpu/trans_internal.h"

/* That what has the name is `imm`; name 0: not known. */
struct comparison {
    uint32_t name, imm;
};

struct pass {
    const struct vc4_qpu_trans *t;
    struct vc4_qpu_trans_fact *facts; /* per block TRANS_REGS, at its beginning */
    struct vc4_qpu_trans_fact now[TRANS_REGS];
    uint32_t names;         /* given so far in the block at hand; 0 is nobody's */
    struct comparison zero; /* Z is set where this holds */
    uint32_t *stack, depth;
    bool *queued;
};

static const struct vc4_qpu_trans_fact anything = {.is = TRANS_ANYTHING}, number = {.is = TRANS_NUMBER};

static struct vc4_qpu_trans_fact constant(uint32_t imm)
{
    return (struct vc4_qpu_trans_fact){.is = TRANS_CONSTANTS, .count = 1, .imm = {imm}};
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

bool vc4_qpu_trans_fact_clean(const struct vc4_qpu_trans_fact *f)
{
    if (f->is != TRANS_CONSTANTS)
        return f->is == TRANS_NUMBER;
    for (unsigned i = 0; i < f->count; i++)
        if (is_nan(f->imm[i]) && f->imm[i] != TRANS_NAN)
            return false;
    return true;
}

/* Adds a constant, as long as there is room. */
static bool add_constant(struct vc4_qpu_trans_fact *f, uint32_t imm)
{
    unsigned i = 0;

    while (i < f->count && f->imm[i] != imm)
        i++;
    if (i == TRANS_CHOICES)
        return false;
    if (i == f->count)
        f->imm[f->count++] = imm;
    return true;
}

/* What holds of either. */
static struct vc4_qpu_trans_fact join(const struct vc4_qpu_trans_fact *a, const struct vc4_qpu_trans_fact *b)
{
    struct vc4_qpu_trans_fact r = *a;
    bool fits = true;

    if (a->is == TRANS_NOTHING)
        return *b;
    if (b->is == TRANS_NOTHING)
        return *a;
    if (a->is == TRANS_CONSTANTS && b->is == TRANS_CONSTANTS) {
        for (unsigned i = 0; i < b->count && fits; i++)
            fits = add_constant(&r, b->imm[i]);
        if (fits)
            return r;
    }
    return vc4_qpu_trans_fact_clean(a) && vc4_qpu_trans_fact_clean(b) ? number : anything;
}

static bool is_one(const struct vc4_qpu_trans_fact *f)
{
    return f->is == TRANS_CONSTANTS && f->count == 1;
}

static void remove_constant(struct vc4_qpu_trans_fact *f, uint32_t imm)
{
    for (unsigned i = 0; f->is == TRANS_CONSTANTS && f->count > 1 && i < f->count; i++)
        if (f->imm[i] == imm)
            f->imm[i--] = f->imm[--f->count];
}

/* What a register held in the lanes that a write under the condition leaves alone. */
static struct vc4_qpu_trans_fact left_alone(const struct pass *p, const struct vc4_qpu_trans_fact *old,
                                            unsigned cond)
{
    struct vc4_qpu_trans_fact r = *old;

    if (!old->name || old->name != p->zero.name)
        return r;
    if (cond == VC4_QPU_COND_ZS)
        remove_constant(&r, p->zero.imm);
    else if (cond == VC4_QPU_COND_ZC)
        r = constant(p->zero.imm);
    return r;
}

static struct vc4_qpu_trans_fact read_a(const struct pass *p, const struct vc4_qpu_insn *insn)
{
    if (insn->raddr_a < 32)
        return p->now[TRANS_A + insn->raddr_a];
    return insn->raddr_a == VC4_QPU_R_VARYING && p->t->ports->clean_varyings ? number : anything;
}

static struct vc4_qpu_trans_fact read_b(const struct pass *p, const struct vc4_qpu_insn *insn)
{
    if (insn->sig == VC4_QPU_SIG_SMALL_IMM)
        return constant(vc4_qpu_small_imm(insn->raddr_b));
    if (insn->raddr_b < 32)
        return p->now[TRANS_B + insn->raddr_b];
    return insn->raddr_b == VC4_QPU_R_VARYING && p->t->ports->clean_varyings ? number : anything;
}

static struct vc4_qpu_trans_fact read_mux(const struct pass *p, const struct vc4_qpu_insn *insn, unsigned mux)
{
    bool unpacks = insn->unpack && mux == (insn->pm ? VC4_QPU_MUX_R4 : VC4_QPU_MUX_A);

    if (unpacks)
        return anything;
    if (mux == VC4_QPU_MUX_A)
        return read_a(p, insn);
    return mux == VC4_QPU_MUX_B ? read_b(p, insn) : p->now[TRANS_R + mux];
}

static struct vc4_qpu_trans_fact add_result(const struct pass *p, const struct vc4_qpu_insn *insn)
{
    struct vc4_qpu_trans_fact x = read_mux(p, insn, insn->add_a), y = read_mux(p, insn, insn->add_b);

    if (insn->add_a == insn->add_b && vc4_qpu_trans_add_moves(insn->op_add))
        return x;
    switch (insn->op_add) {
    case VC4_QPU_A_FADD:
    case VC4_QPU_A_FSUB:
    case VC4_QPU_A_ITOF: return number;
    case VC4_QPU_A_FMIN:
    case VC4_QPU_A_FMAX:
        return vc4_qpu_trans_fact_clean(&x) && vc4_qpu_trans_fact_clean(&y) ? number : anything;
    default: return anything;
    }
}

/* Lanes may turn: what is known holds of all of them. */
static struct vc4_qpu_trans_fact mul_result(const struct pass *p, const struct vc4_qpu_insn *insn)
{
    bool moves = insn->op_mul == VC4_QPU_M_V8MIN || insn->op_mul == VC4_QPU_M_V8MAX;

    if (insn->op_mul == VC4_QPU_M_FMUL)
        return number;
    return moves && insn->mul_a == insn->mul_b ? read_mux(p, insn, insn->mul_a) : anything;
}

static struct vc4_qpu_trans_fact result(const struct pass *p, const struct vc4_qpu_insn *insn, unsigned mul)
{
    switch (insn->kind) {
    case VC4_QPU_ALU: return mul ? mul_result(p, insn) : add_result(p, insn);
    case VC4_QPU_LOAD_IMM32: return constant(insn->imm);
    default: return anything;
    }
}

static void write(struct pass *p, const struct vc4_qpu_insn *insn, unsigned mul,
                  struct vc4_qpu_trans_fact fact)
{
    struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
    unsigned reg = TRANS_REGS;

    if (!w.happens)
        return;
    if (insn->pack && (insn->pm ? mul : !w.file_b && w.waddr < 32))
        fact = anything;
    if (w.waddr < 32)
        reg = (w.file_b ? TRANS_B : TRANS_A) + w.waddr;
    else if (w.waddr >= VC4_QPU_W_ACC0 && w.waddr <= VC4_QPU_W_ACC3)
        reg = TRANS_R + w.waddr - VC4_QPU_W_ACC0;
    else if (w.waddr == VC4_QPU_W_ACC5)
        reg = TRANS_R5;
    else if (w.waddr >= VC4_QPU_W_SFU_RECIP && w.waddr <= VC4_QPU_W_SFU_LOG2) {
        reg = TRANS_R4;
        fact = number;
    }
    if (reg == TRANS_REGS)
        return;
    if (!w.always) {
        struct vc4_qpu_trans_fact old = left_alone(p, &p->now[reg], mul ? insn->cond_mul : insn->cond_add);
        fact = join(&fact, &old);
    }
    if (!w.always || !fact.name || reg == TRANS_R5) /* r5 spreads a lane */
        fact.name = ++p->names;
    p->now[reg] = fact;
}

/* Z as a comparison with a constant: a difference, or a move and 0. */
static struct comparison zero_of(const struct pass *p, const struct vc4_qpu_insn *insn)
{
    struct vc4_qpu_trans_fact x = read_mux(p, insn, insn->add_a), y = read_mux(p, insn, insn->add_b);
    bool same = insn->add_a == insn->add_b;

    if (insn->kind != VC4_QPU_ALU || insn->cond_add != VC4_QPU_COND_ALWAYS)
        return (struct comparison){0};
    if (insn->op_add == VC4_QPU_A_SUB && is_one(&y))
        return (struct comparison){x.name, y.imm[0]};
    if (insn->op_add == VC4_QPU_A_SUB && is_one(&x))
        return (struct comparison){y.name, x.imm[0]};
    if (same && (insn->op_add == VC4_QPU_A_OR || insn->op_add == VC4_QPU_A_AND))
        return (struct comparison){x.name, 0};
    return (struct comparison){0};
}

static void step(struct pass *p, const struct vc4_qpu_insn *insn)
{
    const struct vc4_qpu_trans_fact results[2] = {result(p, insn, 0), result(p, insn, 1)};
    const struct comparison zero = insn->sf ? zero_of(p, insn) : p->zero;

    if (vc4_qpu_reads(insn, VC4_QPU_R_VARYING))
        p->now[TRANS_R5] = p->t->ports->clean_varyings ? number : anything;
    for (unsigned mul = 0; mul < 2; mul++)
        write(p, insn, mul, results[mul]);
    p->zero = zero;
    if (insn->sig >= VC4_QPU_SIG_COVERAGE_LOAD && insn->sig <= VC4_QPU_SIG_ALPHA_MASK_LOAD)
        p->now[TRANS_R4] = anything;
}

static void arrive(struct pass *p, uint32_t block)
{
    struct vc4_qpu_trans_fact *at = &p->facts[(size_t)block * TRANS_REGS];
    bool changed = false;

    for (unsigned i = 0; i < TRANS_REGS; i++) {
        struct vc4_qpu_trans_fact joined = join(&at[i], &p->now[i]);
        changed |= joined.is != at[i].is || joined.count != at[i].count;
        at[i] = joined;
    }
    if (changed && !p->queued[block]) {
        p->queued[block] = true;
        p->stack[p->depth++] = block;
    }
}

static void begin(struct pass *p)
{
    const struct vc4_qpu_ir_start *start = p->t->start;

    for (unsigned i = 0; i < TRANS_REGS; i++)
        p->now[i] = constant(0);
    if (start->ra15)
        p->now[TRANS_A + 15] = p->t->ports->clean_varyings ? number : anything;
    if (start->rb15)
        p->now[TRANS_B + 15] = anything;
    arrive(p, 0);
}

static void solve(struct pass *p)
{
    const struct vc4_qpu_program *program = p->t->program;

    begin(p);
    while (p->depth) {
        uint32_t number_of = p->stack[--p->depth];
        const struct vc4_qpu_block *block = &program->blocks[number_of];

        p->queued[number_of] = false;
        memcpy(p->now, &p->facts[(size_t)number_of * TRANS_REGS], sizeof p->now);
        for (p->names = 0; p->names < TRANS_REGS; p->names++)
            p->now[p->names].name = p->names + 1;
        p->zero = (struct comparison){0};
        for (uint32_t pc = block->first; pc < block->first + block->count; pc++)
            step(p, &program->insns[pc]);
        for (unsigned k = 0; k < 2; k++)
            if (block->successor[k] != VC4_QPU_NO_OFFSET)
                arrive(p, block->successor[k]);
    }
}

/* Exact mode has no NaN, and asks other things of numbers. */
static void forget_numbers(struct vc4_qpu_trans_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (facts[i].is == TRANS_NUMBER)
            facts[i] = anything;
}

struct vc4_qpu_trans_fact *vc4_qpu_trans_facts_find(struct vc4_qpu_trans *t)
{
    size_t blocks = t->program->block_count;
    struct pass p = {.t = t};

    p.facts = calloc(blocks * TRANS_REGS, sizeof *p.facts);
    p.stack = calloc(blocks, sizeof *p.stack);
    p.queued = calloc(blocks, sizeof *p.queued);
    if (p.facts && p.stack && p.queued) {
        solve(&p);
        if (t->exact)
            forget_numbers(p.facts, blocks * TRANS_REGS);
    } else {
        free(p.facts);
        p.facts = NULL;
        vc4_qpu_trans_fail(t, -ENOMEM, "out of memory");
    }
    free(p.stack);
    free(p.queued);
    return p.facts;
}
