/* Instructions without elements, and what sets lengths: the manual; the digest, sections 4, 5 and 7. */
#include "isa/simple_v/trans_internal.h"

/* ---- lengths ---- */

static void set_length(struct simple_v_trans *t, LLVMValueRef value, size_t offset)
{
    simple_v_trans_store(t, LLVMBuildTrunc(t->b->ir, value, t->b->i8, ""), offset);
}

static LLVMValueRef length(struct simple_v_trans *t, size_t offset)
{
    return LLVMBuildZExt(t->b->ir, simple_v_trans_load(t, t->b->i8, offset), t->b->i64, "");
}

static LLVMValueRef lesser(struct simple_v_trans *t, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[2] = {x, y};
    return simple_v_trans_call(t, "llvm.umin", t->b->i64, args, 2);
}

/* i64s; a VL of 0 is left to the interpreter, whose fault it is. `mvl` NULL: it stays. */
static void set_lengths(struct simple_v_trans *t, LLVMValueRef mvl, LLVMValueRef vl, unsigned rd)
{
    const LLVMValueRef zero = jit_i64(t->b, 0);
    if (!LLVMIsConstant(vl))
        simple_v_trans_exit_if(t, LLVMBuildICmp(t->b->ir, LLVMIntEQ, vl, zero, ""));
    vl = lesser(t, vl, mvl ? mvl : length(t, SIMPLE_V_THREAD_AT(state.mvl)));
    if (mvl)
        set_length(t, mvl, SIMPLE_V_THREAD_AT(state.mvl));
    set_length(t, vl, SIMPLE_V_THREAD_AT(state.vl));
    simple_v_trans_set_x(t, rd, vl);
}

static void setvl(struct simple_v_trans *t, unsigned rd, unsigned rs1, unsigned n)
{
    const LLVMValueRef most = jit_i64(t->b, n);
    set_lengths(t, most, rs1 ? simple_v_trans_x(t, rs1) : most, rd);
}

void simple_v_trans_vltyp(struct simple_v_trans *t)
{
    const struct simple_v_vltyp *vl = &t->item->insn->vl;
    const LLVMValueRef n = jit_i64(t->b, vl->number + 1u);
    if (!simple_v_has_vltyp(vl))
        return;
    if (!vl->high)
        set_lengths(t, NULL, vl->low ? simple_v_trans_x(t, vl->number) : n, vl->rd);
    else
        set_lengths(t, n, vl->low ? length(t, SIMPLE_V_THREAD_AT(state.vl)) : n, vl->rd);
}

bool simple_v_trans_header(struct simple_v_trans *t)
{
    const struct simple_v_block *b = t->item->block;
    const unsigned n = b->vl.imm + 1u;
    if (!b->vlset)
        return true;
    switch (b->vl.mode) {
    case SIMPLE_V_VL_MIN: set_lengths(t, NULL, jit_i64(t->b, n), b->vl.low); break;
    case SIMPLE_V_VL_SETVL: setvl(t, 8u + (b->vl.low & 7u), 8u + (b->vl.low >> 3), n); break;
    default: set_lengths(t, jit_i64(t->b, n), jit_i64(t->b, n), b->vl.low); break;
    }
    set_length(t, jit_i64(t->b, b->vl.subvl + 1u), SIMPLE_V_THREAD_AT(state.subvl));
    return true;
}

/* ---- jumps ---- */

/* A VBLOCK does not call. */
static bool can_jump(const struct simple_v_trans *t)
{
    return !t->item->block || !t->item->insn->rd;
}

static void jump(struct simple_v_trans *t)
{
    const struct simple_v_insn *i = t->item->insn;
    const uint64_t here = simple_v_trans_address(t, t->item->place);
    simple_v_trans_set_x(t, (unsigned)i->rd, jit_i64(t->b, here + 2u * i->length));
    simple_v_trans_go(t, t->item->target, here + (uint64_t)(int64_t)i->imm);
}

static void jump_to_register(struct simple_v_trans *t)
{
    const struct simple_v_insn *i = t->item->insn;
    const uint64_t here = simple_v_trans_address(t, t->item->place);
    LLVMValueRef to = simple_v_trans_x(t, (unsigned)i->rs1);
    to = LLVMBuildAdd(t->b->ir, to, jit_i64(t->b, (uint64_t)(int64_t)i->imm), "");
    to = LLVMBuildAnd(t->b->ir, to, jit_i64(t->b, ~1ull), "");
    simple_v_trans_set_x(t, (unsigned)i->rd, jit_i64(t->b, here + 2u * i->length));
    simple_v_trans_go_to(t, to);
}

/* Lengths are read; what else there is of control registers is the interpreter's. */
static bool read_length(struct simple_v_trans *t)
{
    const struct simple_v_insn *i = t->item->insn;
    size_t offset;
    switch (i->imm) {
    case SIMPLE_V_CSR_VL: offset = SIMPLE_V_THREAD_AT(state.vl); break;
    case SIMPLE_V_CSR_MVL: offset = SIMPLE_V_THREAD_AT(state.mvl); break;
    case SIMPLE_V_CSR_SUBVL: offset = SIMPLE_V_THREAD_AT(state.subvl); break;
    default: return false;
    }
    if (i->rs1)
        return false;
    simple_v_trans_set_x(t, (unsigned)i->rd, length(t, offset));
    return true;
}

bool simple_v_trans_plain(struct simple_v_trans *t, bool *ended)
{
    const struct simple_v_insn *i = t->item->insn;
    const uint64_t imm = (uint64_t)(int64_t)i->imm, here = simple_v_trans_address(t, t->item->place);
    const unsigned rd = (unsigned)i->rd;
    switch (t->x.row->as) {
    case SIMPLE_V_LUI: simple_v_trans_set_x(t, rd, jit_i64(t->b, imm << 12)); return true;
    case SIMPLE_V_AUIPC: simple_v_trans_set_x(t, rd, jit_i64(t->b, here + (imm << 12))); return true;
    case SIMPLE_V_ADDI:
        simple_v_trans_set_x(
            t, rd, LLVMBuildAdd(t->b->ir, simple_v_trans_x(t, (unsigned)i->rs1), jit_i64(t->b, imm), ""));
        return true;
    case SIMPLE_V_FENCE:
    case SIMPLE_V_FENCE_TSO:
    case SIMPLE_V_FENCE_I:
    case SIMPLE_V_WFI: return true;
    case SIMPLE_V_CSRRS:
    case SIMPLE_V_CSRRC: return read_length(t);
    case SIMPLE_V_SETVL:
        if (!i->imm || i->imm > SIMPLE_V_VL_MAX)
            return false;
        setvl(t, rd, (unsigned)i->rs1, (unsigned)i->imm);
        return true;
    case SIMPLE_V_JAL:
    case SIMPLE_V_JALR:
        if (!can_jump(t))
            return false;
        *ended = true;
        if (t->x.row->as == SIMPLE_V_JAL)
            jump(t);
        else
            jump_to_register(t);
        return true;
    default: return false;
    }
}
