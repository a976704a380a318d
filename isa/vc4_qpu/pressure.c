/* Liveness of registers, from the last instruction to the first. */
#include "isa/vc4_qpu/pressure.h"

#include "util/bits.h"

#define FILE_SIZE 32u

struct registers {
    uint64_t files; /* A in the low half, B in the high half */
    uint32_t accumulators;
};

static void add_file(struct registers *r, bool b, unsigned address)
{
    if (address < FILE_SIZE)
        r->files |= 1ull << (address + (b ? FILE_SIZE : 0));
}

static void add_input(struct registers *r, const struct vc4_qpu_insn *insn, uint8_t mux)
{
    if (mux < VC4_QPU_MUX_A)
        r->accumulators |= 1u << mux;
    else if (mux == VC4_QPU_MUX_A)
        add_file(r, false, insn->raddr_a);
    else if (insn->sig != VC4_QPU_SIG_SMALL_IMM)
        add_file(r, true, insn->raddr_b);
}

static struct registers inputs(const struct vc4_qpu_insn *insn)
{
    struct registers r = {0};
    if (insn->kind != VC4_QPU_ALU)
        return r;
    if (insn->op_add != VC4_QPU_A_NOP) {
        add_input(&r, insn, insn->add_a);
        add_input(&r, insn, insn->add_b);
    }
    if (insn->op_mul != VC4_QPU_M_NOP) {
        add_input(&r, insn, insn->mul_a);
        add_input(&r, insn, insn->mul_b);
    }
    return r;
}

/* What one unit writes in every lane, whole. */
static void add_output(struct registers *r, const struct vc4_qpu_insn *insn, bool mul)
{
    unsigned address = mul ? insn->waddr_mul : insn->waddr_add;
    unsigned condition = mul ? insn->cond_mul : insn->cond_add;
    if (!vc4_qpu_unit_writes(insn, mul) || condition != VC4_QPU_COND_ALWAYS || insn->pack)
        return;
    add_file(r, mul != insn->ws, address);
    if (address >= VC4_QPU_W_ACC0 && address <= VC4_QPU_W_ACC3)
        r->accumulators |= 1u << (address - VC4_QPU_W_ACC0);
    if (address >= VC4_QPU_W_SFU_RECIP && address <= VC4_QPU_W_SFU_LOG2)
        r->accumulators |= 1u << VC4_QPU_MUX_R4; /* where the result comes, later */
}

unsigned vc4_qpu_pressure(const struct vc4_qpu_program *program)
{
    struct registers live = {0};
    unsigned most = 0;
    for (uint32_t i = program->insn_count; i-- > 0;) {
        const struct vc4_qpu_insn *insn = &program->insns[i];
        struct registers in = inputs(insn), out = {0};
        if (insn->kind != VC4_QPU_BRANCH) {
            add_output(&out, insn, false);
            add_output(&out, insn, true);
        }
        live.files = (live.files & ~out.files) | in.files;
        live.accumulators = (live.accumulators & ~out.accumulators) | in.accumulators;
        unsigned now = (unsigned)(__builtin_popcountll(live.files) + __builtin_popcount(live.accumulators));
        most = UTIL_MAX(most, now);
    }
    return most;
}
