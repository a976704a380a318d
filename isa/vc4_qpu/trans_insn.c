/* One instruction: operands, both units, writes, flags. All reads see the state before it (README, rule 11).
 */
#include <errno.h>

#include "isa/vc4_qpu/trans_internal.h"

/* What one unit computed. */
struct half {
    struct vc4_qpu_value *x, *y, *result;
    struct vc4_qpu_trans_overflow overflow; /* of a sum that is packed */
    bool is_float;
    unsigned cond, waddr;
    bool file_b, is_mul;
    LLVMValueRef mask;
};

static struct vc4_qpu_value *read_mux(struct vc4_qpu_trans *t, unsigned mux, bool to_float)
{
    const struct vc4_qpu_insn *insn = t->insn;

    if (mux == VC4_QPU_MUX_A) {
        struct vc4_qpu_value *v = vc4_qpu_trans_read(t, false, insn->raddr_a);
        return insn->pm ? v : vc4_qpu_trans_unpack(t, insn->unpack, to_float, v);
    }
    if (mux == VC4_QPU_MUX_B)
        return insn->sig == VC4_QPU_SIG_SMALL_IMM ? vc4_qpu_trans_imm(t, vc4_qpu_small_imm(insn->raddr_b))
                                                  : vc4_qpu_trans_read(t, true, insn->raddr_b);
    struct vc4_qpu_value *v = vc4_qpu_trans_reg(t, TRANS_R + mux);
    return mux == VC4_QPU_MUX_R4 && insn->pm ? vc4_qpu_trans_unpack(t, insn->unpack, to_float, v) : v;
}

/* Two operands that are one read are one value: moves and squares show. */
static void read_operands(struct vc4_qpu_trans *t, struct half *h, unsigned mux_x, unsigned mux_y,
                          bool to_float)
{
    h->x = read_mux(t, mux_x, to_float);
    h->y = mux_x == mux_y ? h->x : read_mux(t, mux_y, to_float);
}

/* Only r0..r3 turn through all lanes; what comes from elsewhere turns within its quad (rule 10). */
static void turn_operands(struct vc4_qpu_trans *t, struct half *mul)
{
    const struct vc4_qpu_insn *insn = t->insn;
    bool one = mul->x == mul->y;

    mul->x = vc4_qpu_trans_rotate(t, mul->x, insn->raddr_b, insn->mul_a > VC4_QPU_MUX_R3);
    mul->y = one ? mul->x : vc4_qpu_trans_rotate(t, mul->y, insn->raddr_b, insn->mul_b > VC4_QPU_MUX_R3);
}

/* What the packs of file A ask of an add or sub beside its result. */
static void prepare_pack(struct vc4_qpu_trans *t, struct half *add)
{
    unsigned op = t->insn->op_add;

    if (op == VC4_QPU_A_ADD || op == VC4_QPU_A_SUB)
        add->overflow = vc4_qpu_trans_overflow_of(t, op == VC4_QPU_A_SUB, add->x, add->y, add->result);
}

static void run_alu(struct vc4_qpu_trans *t, struct half *add, struct half *mul)
{
    const struct vc4_qpu_insn *insn = t->insn;

    add->is_float = vc4_qpu_trans_add_gives_float(insn->op_add);
    if (insn->op_add != VC4_QPU_A_NOP)
        read_operands(t, add, insn->add_a, insn->add_b, vc4_qpu_trans_add_takes_floats(insn->op_add));
    add->result =
        insn->op_add == VC4_QPU_A_NOP ? t->zero : vc4_qpu_trans_add_op(t, insn->op_add, add->x, add->y);
    if (!insn->pm && insn->pack && !insn->ws)
        prepare_pack(t, add);

    mul->is_float = insn->op_mul == VC4_QPU_M_FMUL;
    if (insn->op_mul != VC4_QPU_M_NOP)
        read_operands(t, mul, insn->mul_a, insn->mul_b, mul->is_float);
    bool turns = insn->op_mul != VC4_QPU_M_NOP && insn->sig == VC4_QPU_SIG_SMALL_IMM && insn->raddr_b >= 48;
    bool whole = insn->mul_a <= VC4_QPU_MUX_R3 && insn->mul_b <= VC4_QPU_MUX_R3;
    if (turns && !whole)
        turn_operands(t, mul);
    mul->result =
        insn->op_mul == VC4_QPU_M_NOP ? t->zero : vc4_qpu_trans_mul_op(t, insn->op_mul, mul->x, mul->y);
    if (turns && whole)
        mul->result = vc4_qpu_trans_rotate(t, mul->result, insn->raddr_b, false);
}

/* Lane i's two bits are bit 16 + i and bit i of the word. */
static struct vc4_qpu_value *lane_immediates(struct vc4_qpu_trans *t)
{
    uint32_t lanes[JIT_LANES], imm = t->insn->imm;

    for (unsigned i = 0; i < JIT_LANES; i++) {
        uint32_t high = imm >> (16 + i) & 1, low = imm >> i & 1;
        lanes[i] = (t->insn->kind == VC4_QPU_LOAD_IMM_S2 ? 0 - high * 2 : high * 2) + low;
    }
    return vc4_qpu_trans_int(t, jit_vector_u32(t->b, lanes));
}

static void run_load_imm(struct vc4_qpu_trans *t, struct half *add, struct half *mul)
{
    bool lanes = t->insn->kind == VC4_QPU_LOAD_IMM_S2 || t->insn->kind == VC4_QPU_LOAD_IMM_U2;
    struct vc4_qpu_value *v = lanes ? lane_immediates(t) : vc4_qpu_trans_imm(t, t->insn->imm);
    add->result = mul->result = v;
}

/* The register a pack merges with: the destination where it can be read back, else zero. */
static struct vc4_qpu_value *old_value(struct vc4_qpu_trans *t, const struct half *h)
{
    if (h->waddr < 32)
        return vc4_qpu_trans_reg(t, (h->file_b ? TRANS_B : TRANS_A) + h->waddr);
    if (h->waddr >= VC4_QPU_W_ACC0 && h->waddr <= VC4_QPU_W_ACC3)
        return vc4_qpu_trans_reg(t, TRANS_R + h->waddr - VC4_QPU_W_ACC0);
    return t->zero;
}

static struct vc4_qpu_value *pack_a(struct vc4_qpu_trans *t, const struct half *h)
{
    unsigned code = t->insn->pack;

    if (code == 0)
        return h->result;
    if (h->overflow.overflow)
        return vc4_qpu_trans_pack_sum(t, code, &h->overflow, h->result, old_value(t, h));
    return vc4_qpu_trans_pack_a(t, code, h->is_float, h->result, old_value(t, h));
}

static void write_half(struct vc4_qpu_trans *t, const struct half *h)
{
    const struct vc4_qpu_insn *insn = t->insn;
    struct vc4_qpu_value *v = h->result;

    if (!vc4_qpu_unit_writes(insn, h->is_mul))
        return;
    if (!insn->pm && !h->file_b && h->waddr < 32)
        v = pack_a(t, h);
    else if (insn->pm && h->is_mul)
        v = vc4_qpu_trans_pack_mul(t, insn->pack, v, old_value(t, h));
    vc4_qpu_trans_write(t, h->file_b, h->waddr, v, h->mask);
}

static void set_flags(struct vc4_qpu_trans *t, const struct half *add, const struct half *mul)
{
    const struct vc4_qpu_insn *insn = t->insn;
    bool alu = insn->kind == VC4_QPU_ALU;
    const struct half *from = alu && insn->op_add == VC4_QPU_A_NOP ? mul : add;

    if (!insn->sf || from->cond == VC4_QPU_COND_NEVER)
        return;
    bool is_add = alu && !from->is_mul;
    struct vc4_qpu_trans_flags flags = {
        .is_sum = is_add && !t->exact && vc4_qpu_trans_add_sums(insn->op_add),
        .is_add = is_add,
        .op = insn->op_add,
        .result = from->result,
        .x = from->x,
        .y = from->y,
    };
    vc4_qpu_trans_set_flags(t, &flags, from->mask);
}

static bool reserved(const struct vc4_qpu_insn *insn)
{
    bool pack = insn->pm && insn->pack != 0 && (insn->pack < 3 || insn->pack > 7);

    if (insn->kind == VC4_QPU_ALU)
        return pack || vc4_qpu_trans_add_reserved(insn->op_add);
    return pack ||
           (insn->kind != VC4_QPU_SEMAPHORE && insn->unpack != 0 && insn->unpack != 1 && insn->unpack != 3);
}

void vc4_qpu_trans_insn(struct vc4_qpu_trans *t)
{
    const struct vc4_qpu_insn *insn = t->insn;
    struct half add = {.cond = insn->cond_add, .waddr = insn->waddr_add, .file_b = insn->ws};
    struct half mul = {.cond = insn->cond_mul, .waddr = insn->waddr_mul, .file_b = !insn->ws, .is_mul = true};

    if (insn->kind == VC4_QPU_SEMAPHORE && !t->machine) {
        vc4_qpu_trans_fail(t, -ENOTSUP, "semaphores are not translated");
        return;
    }
    if (reserved(insn)) {
        vc4_qpu_trans_fault(t, VC4_QPU_FAULT_RESERVED, 0);
        return;
    }
    struct vc4_qpu_value *loaded = vc4_qpu_trans_take_inputs(t);
    if (t->stopped || t->failed)
        return;
    if (insn->kind == VC4_QPU_ALU)
        run_alu(t, &add, &mul);
    else
        run_load_imm(t, &add, &mul);
    add.mask = vc4_qpu_trans_cond_mask(t, add.cond);
    mul.mask = vc4_qpu_trans_cond_mask(t, mul.cond);
    if (t->varying_c)
        vc4_qpu_trans_set_reg(t, TRANS_R5, t->varying_c);
    t->fired[0] = t->fired[1] = 0;
    write_half(t, &add);
    if (!t->stopped)
        write_half(t, &mul);
    if (t->stopped || t->failed)
        return;
    if (loaded)
        vc4_qpu_trans_set_reg(t, TRANS_R4, loaded);
    set_flags(t, &add, &mul);
}
