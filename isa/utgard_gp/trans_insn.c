#include "isa/utgard_gp/trans_internal.h"
#include "jit/math.h"

static LLVMValueRef zero(struct utgard_gp_trans *t)
{
    return jit_splat_u32(t->b, 0);
}

/* ---- operands ---- */

static LLVMValueRef operand(struct utgard_gp_trans *t, const struct utgard_gp_trans_results *r, uint8_t src,
                            uint32_t pc)
{
    const struct utgard_gp_trans_results *one = &t->now.last, *two = &t->now.before;
    switch (src) {
    case UTGARD_GP_SRC_ACC0_1: return one->acc[0];
    case UTGARD_GP_SRC_ACC1_1: return one->acc[1];
    case UTGARD_GP_SRC_MUL0_1: return one->mul[0];
    case UTGARD_GP_SRC_MUL1_1: return one->mul[1];
    case UTGARD_GP_SRC_PASS_1: return one->pass;
    case UTGARD_GP_SRC_NONE: return zero(t);
    case UTGARD_GP_SRC_COMPLEX_1: return one->complex;
    case UTGARD_GP_SRC_PASS_2: return two->pass;
    case UTGARD_GP_SRC_ACC0_2: return two->acc[0];
    case UTGARD_GP_SRC_ACC1_2: return two->acc[1];
    case UTGARD_GP_SRC_MUL0_2: return two->mul[0];
    case UTGARD_GP_SRC_MUL1_2: return two->mul[1];
    default: break;
    }
    if (src >= UTGARD_GP_SRC_FETCH0_1_X)
        return one->fetch0[src - UTGARD_GP_SRC_FETCH0_1_X];
    if (src >= UTGARD_GP_SRC_LOAD_X)
        return t->load[src - UTGARD_GP_SRC_LOAD_X];
    if (src < UTGARD_GP_SRC_FETCH1_X)
        return r->fetch0[src];
    if (src < UTGARD_GP_SRC_FETCH1_X + 4)
        return t->fetch1[src - UTGARD_GP_SRC_FETCH1_X];
    utgard_gp_trans_fault(t, NULL, UTGARD_GP_FAULT_RESERVED, pc);
    return zero(t);
}

static LLVMValueRef negate(struct utgard_gp_trans *t, LLVMValueRef x, bool yes)
{
    return yes ? LLVMBuildXor(t->b->ir, x, jit_splat_u32(t->b, 0x80000000), "") : x;
}

static LLVMValueRef compare(struct utgard_gp_trans *t, LLVMRealPredicate predicate, LLVMValueRef x,
                            LLVMValueRef y)
{
    return LLVMBuildFCmp(t->b->ir, predicate, jit_as_f32(t->b, x), jit_as_f32(t->b, y), "");
}

/* ---- units ---- */

static void multiply(struct utgard_gp_trans *t, const struct utgard_gp_insn *i, uint32_t pc,
                     struct utgard_gp_trans_results *r)
{
    struct jit_builder *b = t->b;
    LLVMValueRef x[2], y[2];
    for (unsigned n = 0; n < 2; n++) {
        bool move = i->mul_b[n] == UTGARD_GP_SRC_COMPLEX_1;
        x[n] = operand(t, r, i->mul_a[n], pc);
        y[n] = move ? jit_splat_u32(b, 0x3f800000) : operand(t, r, i->mul_b[n], pc);
        r->mul[n] =
            move ? x[n] : jit_as_i32(b, LLVMBuildFMul(b->ir, jit_as_f32(b, x[n]), jit_as_f32(b, y[n]), ""));
    }
    switch (i->mul_op) {
    case UTGARD_GP_MUL_MUL:
    case UTGARD_GP_MUL_COMPLEX2: break;
    case UTGARD_GP_MUL_COMPLEX1: r->mul[0] = x[0]; break;
    case UTGARD_GP_MUL_SELECT:
        r->mul[0] = jit_select(b, compare(t, LLVMRealUNE, y[0], zero(t)), x[1], x[0]);
        break;
    default:
        if (i->mul_a[0] != UTGARD_GP_SRC_NONE || i->mul_a[1] != UTGARD_GP_SRC_NONE)
            utgard_gp_trans_fault(t, NULL, UTGARD_GP_FAULT_RESERVED, pc);
    }
    for (unsigned n = 0; n < 2; n++)
        r->mul[n] = negate(t, r->mul[n], i->mul_neg[n]);
}

static LLVMValueRef sign_of(struct utgard_gp_trans *t, LLVMValueRef x)
{
    LLVMValueRef below = compare(t, LLVMRealOLT, x, zero(t)), above = compare(t, LLVMRealOGT, x, zero(t));
    LLVMValueRef low = jit_select(t->b, below, jit_splat_u32(t->b, 0xbf800000), zero(t));
    return jit_select(t->b, above, jit_splat_u32(t->b, 0x3f800000), low);
}

/* min and max; of a number and no number, the number. */
static LLVMValueRef extreme(struct utgard_gp_trans *t, LLVMRealPredicate predicate, LLVMValueRef x,
                            LLVMValueRef y)
{
    LLVMValueRef first =
        LLVMBuildOr(t->b->ir, compare(t, predicate, x, y), compare(t, LLVMRealUNO, y, y), "");

    return jit_select(t->b, first, x, y);
}

static LLVMValueRef accumulate(struct utgard_gp_trans *t, uint8_t op, uint32_t pc, LLVMValueRef x,
                               LLVMValueRef y)
{
    struct jit_builder *b = t->b;
    LLVMValueRef one = jit_splat_u32(b, 0x3f800000);
    switch (op) {
    case UTGARD_GP_ACC_ADD:
        return jit_as_i32(b, LLVMBuildFAdd(b->ir, jit_as_f32(b, x), jit_as_f32(b, y), ""));
    case UTGARD_GP_ACC_FLOOR: return jit_as_i32(b, jit_floor(b, jit_as_f32(b, x)));
    case UTGARD_GP_ACC_SIGN: return sign_of(t, x);
    case UTGARD_GP_ACC_GE: return jit_select(b, compare(t, LLVMRealOGE, x, y), one, zero(t));
    case UTGARD_GP_ACC_LT: return jit_select(b, compare(t, LLVMRealOLT, x, y), one, zero(t));
    case UTGARD_GP_ACC_MIN: return extreme(t, LLVMRealOLT, x, y);
    case UTGARD_GP_ACC_MAX: return extreme(t, LLVMRealOGT, x, y);
    default: utgard_gp_trans_fault(t, NULL, UTGARD_GP_FAULT_RESERVED, pc); return zero(t);
    }
}

static void add(struct utgard_gp_trans *t, const struct utgard_gp_insn *i, uint32_t pc,
                struct utgard_gp_trans_results *r)
{
    for (unsigned n = 0; n < 2; n++) {
        bool none = i->acc_b[n] == UTGARD_GP_SRC_COMPLEX_1;
        LLVMValueRef x = negate(t, operand(t, r, i->acc_a[n], pc), i->acc_a_neg[n]);
        LLVMValueRef y = negate(t, none ? zero(t) : operand(t, r, i->acc_b[n], pc), i->acc_b_neg[n]);
        if (i->acc_a[n] == UTGARD_GP_SRC_NONE)
            r->acc[n] = zero(t);
        else if (i->acc_op == UTGARD_GP_ACC_ADD && none && i->acc_b_neg[n])
            r->acc[n] = x;
        else
            r->acc[n] = accumulate(t, i->acc_op, pc, x, y);
    }
}

static LLVMValueRef clamp(struct utgard_gp_trans *t, LLVMValueRef x)
{
    x = jit_select(t->b, compare(t, LLVMRealOLT, x, t->load[0]), x, t->load[0]);
    return jit_select(t->b, compare(t, LLVMRealOGT, x, t->load[1]), x, t->load[1]);
}

static LLVMValueRef pass(struct utgard_gp_trans *t, const struct utgard_gp_insn *i, uint32_t pc,
                         struct utgard_gp_trans_results *r)
{
    if (i->pass_src == UTGARD_GP_SRC_NONE)
        return zero(t);
    LLVMValueRef x = operand(t, r, i->pass_src, pc);
    switch (i->pass_op) {
    case UTGARD_GP_PASS_PASS:
    case UTGARD_GP_PASS_PREEXP2:
    case UTGARD_GP_PASS_POSTLOG2: return x;
    case UTGARD_GP_PASS_CLAMP: return clamp(t, x);
    default: utgard_gp_trans_fault(t, NULL, UTGARD_GP_FAULT_RESERVED, pc); return zero(t);
    }
}

/* Toward zero, within 16 bits; a NaN is the least. */
static LLVMValueRef address_of(struct utgard_gp_trans *t, LLVMValueRef x)
{
    struct jit_builder *b = t->b;
    LLVMValueRef low = jit_splat_f32(b, -32768.0f), high = jit_splat_f32(b, 32767.0f), f = jit_as_f32(b, x);
    f = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, f, low, ""), f, low);
    f = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, f, high, ""), f, high);
    return jit_f32_to_i32(b, f);
}

/* Register 0 at once, the others in four instructions. */
static void set_address(struct utgard_gp_trans *t, uint32_t n, LLVMValueRef x, LLVMValueRef arriving[4])
{
    if (n == 0)
        t->now.addr[0].at[0] = address_of(t, x);
    else
        arriving[n] = address_of(t, x);
}

static LLVMValueRef complex(struct utgard_gp_trans *t, const struct utgard_gp_insn *i, uint32_t pc,
                            struct utgard_gp_trans_results *r, LLVMValueRef arriving[4])
{
    struct jit_builder *b = t->b;
    LLVMValueRef one = jit_splat_f32(b, 1.0f);
    if (i->complex_op == UTGARD_GP_COMPLEX_NOP) {
        (void)operand(t, r, i->complex_src, pc);
        return zero(t);
    }
    LLVMValueRef x = operand(t, r, i->complex_src, pc), f = jit_as_f32(b, x);
    switch (i->complex_op) {
    case UTGARD_GP_COMPLEX_EXP2: return jit_as_i32(b, jit_exp2(b, f));
    case UTGARD_GP_COMPLEX_LOG2: return jit_as_i32(b, jit_log2(b, f));
    case UTGARD_GP_COMPLEX_RSQRT: return jit_as_i32(b, LLVMBuildFDiv(b->ir, one, jit_sqrt(b, f), ""));
    case UTGARD_GP_COMPLEX_RCP: return jit_as_i32(b, LLVMBuildFDiv(b->ir, one, f, ""));
    case UTGARD_GP_COMPLEX_PASS: return x;
    case UTGARD_GP_COMPLEX_ADDR01:
        set_address(t, 0, r->pass, arriving);
        set_address(t, 1, r->pass, arriving);
        return x;
    case UTGARD_GP_COMPLEX_ADDR0:
    case UTGARD_GP_COMPLEX_ADDR0 + 1:
    case UTGARD_GP_COMPLEX_ADDR0 + 2:
    case UTGARD_GP_COMPLEX_ADDR0 + 3:
        set_address(t, i->complex_op - UTGARD_GP_COMPLEX_ADDR0, x, arriving);
        return x;
    default: utgard_gp_trans_fault(t, NULL, UTGARD_GP_FAULT_RESERVED, pc); return zero(t);
    }
}

/* ---- fetches ---- */

static bool load_is_read(const struct utgard_gp_insn *i)
{
    bool read = i->pass_op == UTGARD_GP_PASS_CLAMP && i->pass_src != UTGARD_GP_SRC_NONE;
    for (unsigned n = 0; n < 2; n++) {
        read |=
            i->mul_a[n] >> 2 == UTGARD_GP_SRC_LOAD_X >> 2 || i->mul_b[n] >> 2 == UTGARD_GP_SRC_LOAD_X >> 2;
        read |=
            i->acc_a[n] >> 2 == UTGARD_GP_SRC_LOAD_X >> 2 || i->acc_b[n] >> 2 == UTGARD_GP_SRC_LOAD_X >> 2;
    }
    return read || i->complex_src >> 2 == UTGARD_GP_SRC_LOAD_X >> 2 ||
           i->pass_src >> 2 == UTGARD_GP_SRC_LOAD_X >> 2;
}

static void load_known(struct utgard_gp_trans *t, uint32_t index)
{
    if (t->program->stores_temporaries) {
        utgard_gp_trans_load_file(t, jit_splat_u32(t->b, index), t->load);
        return;
    }
    for (uint32_t c = 0; c < 4; c++) {
        t->load[c] = t->ports->uniform(t->ports->ctx, t->b, index, c);
        if (LLVMTypeOf(t->load[c]) == t->b->i32)
            t->load[c] = jit_splat(t->b, t->load[c]);
    }
}

static void load_indexed(struct utgard_gp_trans *t, const struct utgard_gp_insn *i, uint32_t pc)
{
    struct jit_builder *b = t->b;
    LLVMValueRef size = jit_splat_u32(b, UTGARD_GP_FILE), index;
    index = LLVMBuildAdd(b->ir, t->now.addr[i->load_offset].at[0], jit_splat_u32(b, i->load_addr), "");
    LLVMValueRef inside = LLVMBuildICmp(b->ir, LLVMIntULT, index, size, "");
    utgard_gp_trans_fault(t, LLVMBuildNot(b->ir, inside, ""), UTGARD_GP_FAULT_ADDRESS, pc);
    index = jit_select(b, inside, index, zero(t));
    if (t->program->stores_temporaries)
        utgard_gp_trans_load_file(t, index, t->load);
    else
        for (uint32_t c = 0; c < 4; c++)
            t->load[c] = t->ports->indexed(t->ports->ctx, b, index, c, inside);
}

static void fetch(struct utgard_gp_trans *t, const struct utgard_gp_insn *i, uint32_t pc,
                  struct utgard_gp_trans_results *r)
{
    if (i->fetch0_attribute)
        t->ports->attribute(t->ports->ctx, t->b, i->fetch0, r->fetch0);
    for (unsigned c = 0; c < 4; c++) {
        if (!i->fetch0_attribute)
            r->fetch0[c] = t->now.reg[i->fetch0][c].at[0];
        t->fetch1[c] = t->now.reg[i->fetch1][c].at[0];
        t->load[c] = zero(t);
    }
    if (!load_is_read(i))
        return;
    if (i->load_offset == UTGARD_GP_OFFSET_NONE)
        load_known(t, i->load_addr);
    else if (i->load_offset < 1 || i->load_offset > 3)
        utgard_gp_trans_fault(t, NULL, UTGARD_GP_FAULT_RESERVED, pc);
    else
        load_indexed(t, i, pc);
}

/* ---- time ---- */

/* One instruction later; `arriving`, if not NULL, is there `delay` after the one at hand. */
static void advance(struct utgard_gp_trans_timeline *line, unsigned delay, LLVMValueRef arriving)
{
    for (unsigned n = 0; n + 1 < delay; n++)
        line->at[n] = line->at[n + 1];
    if (arriving)
        line->at[delay - 1] = arriving;
}

static LLVMValueRef stored(const struct utgard_gp_insn *i, unsigned component,
                           const struct utgard_gp_trans_results *r)
{
    unsigned pair = component / 2;
    if (i->store_varying[pair] || i->store_temporary[pair])
        return NULL;
    switch (i->store_src[pair][component % 2]) {
    case UTGARD_GP_STORE_ACC0: return r->acc[0];
    case UTGARD_GP_STORE_ACC1: return r->acc[1];
    case UTGARD_GP_STORE_MUL0: return r->mul[0];
    case UTGARD_GP_STORE_MUL1: return r->mul[1];
    case UTGARD_GP_STORE_PASS: return r->pass;
    case UTGARD_GP_STORE_COMPLEX: return r->complex;
    default: return NULL;
    }
}

LLVMValueRef utgard_gp_trans_insn(struct utgard_gp_trans *t, uint32_t pc)
{
    const struct utgard_gp_insn *i = &t->program->insns[pc];
    LLVMValueRef arriving[4] = {NULL};
    struct utgard_gp_trans_results r;

    utgard_gp_trans_arrive(t);
    fetch(t, i, pc, &r);
    multiply(t, i, pc, &r);
    add(t, i, pc, &r);
    r.pass = pass(t, i, pc, &r);
    r.complex = complex(t, i, pc, &r, arriving);
    utgard_gp_trans_stores(t, i, pc, &r);
    for (unsigned n = 0; n < UTGARD_GP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            advance(&t->now.reg[n][c], TRANS_REGISTER_DELAY,
                    i->store_addr[c / 2] == n ? stored(i, c, &r) : NULL);
    for (unsigned n = 1; n < 4; n++)
        advance(&t->now.addr[n], TRANS_MEMORY_DELAY, arriving[n]);
    t->now.before = t->now.last;
    t->now.last = r;
    return r.pass;
}
